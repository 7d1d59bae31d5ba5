"""Pictures of bands, precision-recall and decision curves show the library's own numbers; the page about them runs."""

import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import colors
from matplotlib.figure import Figure
from scipy import stats

import rocpredict as rp
from rocpredict.plots import plot_band, plot_decision, plot_precision_recall
from rocpredict.plots.style import figure_to_bytes

PAGE = Path(__file__).parents[1] / "docs" / "bands.md"


@pytest.fixture(scope="module")
def empirical():
    return rp.empirical_roc(*rp.datasets.simulate_two_gaussians(count=(60, 40), seed=1))


@pytest.fixture(scope="module")
def predicted():
    return rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))


def artist(ax, gid):
    (found,) = [a for a in ax.get_children() if a.get_gid() == gid]
    return found


def words(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def edges(area):
    """Give the lowest and the highest y of a filled band at each x."""
    corners = area.get_paths()[0].vertices
    x = np.unique(corners[:, 0])
    return x, np.array([[f(corners[corners[:, 0] == at, 1]) for at in x] for f in (min, max)])


def test_the_band_is_the_librarys(predicted):
    ax = plot_band(predicted, kind="pointwise", level=0.9)
    found = predicted.band(0.9)
    x, (low, high) = edges(artist(ax, "band"))
    assert x.tolist() == found.fpr.tolist()
    assert low.tolist() == found.low.tolist()
    assert high.tolist() == found.high.tolist()
    assert artist(ax, "roc-0").get_ydata().tolist() == predicted.curve().tpr.tolist()
    assert words(ax) == ["predicted, AUC 0.866", "90 % band, pointwise", "chance"]


def test_a_simultaneous_band_of_samples_is_drawn_fine_enough_for_its_steps(empirical):
    ax = plot_band(empirical, kind="simultaneous", label="$x$", chance=False)
    x, (low, _) = edges(artist(ax, "band"))
    assert len(x) == 1001
    assert low.tolist() == empirical.band(kind="simultaneous", fpr=x).low.tolist()
    assert words(ax) == ["$x$, AUC 0.902", "95 % band, simultaneous"]


def test_precision_recall_is_the_librarys(predicted, empirical):
    ax = plot_precision_recall(predicted, empirical, labels=["a", "b"])
    for index, roc in enumerate((predicted, empirical)):
        line, curve = artist(ax, f"precision-recall-{index}"), roc.precision_recall_curve()
        assert line.get_xdata().tolist() == curve.recall.tolist()
        assert line.get_ydata().tolist() == curve.precision.tolist()
    assert [artist(ax, f"precision-recall-{k}").get_drawstyle() for k in (0, 1)] == ["default", "steps-pre"]
    aps = [f"{roc.precision_recall_curve().average_precision():.3f}" for roc in (predicted, empirical)]
    assert words(ax) == [f"1  a, AP {aps[0]}", f"2  b, AP {aps[1]}", "a guess: prevalence 0.400"]


def test_the_area_of_the_drawn_steps_is_the_average_precision(empirical):
    """Left of each point the step has that point's height."""
    line = artist(plot_precision_recall(empirical), "precision-recall-0")
    area = np.diff(line.get_xdata()) @ line.get_ydata()[1:]
    assert area == pytest.approx(empirical.precision_recall_curve().average_precision(), abs=1e-14)


def test_decision_is_the_librarys(predicted, empirical):
    ax = plot_decision(predicted, empirical, prevalence=0.1)
    for index, roc in enumerate((predicted, empirical)):
        curve = roc.decision_curve(prevalence=0.1)
        assert artist(ax, f"decision-{index}").get_ydata().tolist() == curve.net_benefit.tolist()
    assert artist(ax, "treat-all").get_ydata().tolist() == curve.treat_all.tolist()
    assert words(ax) == ["1  predicted", "2  empirical", "treat all: prevalence 0.100", "treat none"]
    low, high = ax.get_ylim()
    assert low < 0
    assert high > 0.1


def test_a_probability_can_be_drawn_by_its_own_rule():
    roc = rp.PredictedRoc(stats.beta(1, 4), stats.beta(3, 2))
    ax = plot_decision(roc, prevalence=0.4, rule="probability")
    wanted = roc.decision_curve(prevalence=0.4, rule="probability").net_benefit
    assert artist(ax, "decision-0").get_ydata().tolist() == wanted.tolist()


def test_each_prevalence_has_its_line(empirical):
    other = rp.EmpiricalRoc([1, 2, 3], [2, 3, 4])
    assert words(plot_precision_recall(empirical, other))[-2:] == [
        "a guess: prevalence 0.400",
        "a guess: prevalence 0.500",
    ]
    lines = [a for a in plot_decision(empirical, other).get_children() if a.get_gid() == "treat-all"]
    assert [line.get_ydata().tolist() for line in lines] == [
        roc.decision_curve().treat_all.tolist() for roc in (empirical, other)
    ]


@pytest.mark.parametrize("draw", [plot_band, plot_precision_recall, plot_decision])
def test_manners(draw, empirical):
    """The given axes are drawn on and returned; nothing global changes; the same picture is the same bytes."""
    before, ax = dict(mpl.rcParams), Figure().add_subplot()
    assert draw(empirical, ax=ax) is ax
    assert ax.figure.axes == [ax]
    assert draw(empirical, legend=False).get_legend() is None
    assert figure_to_bytes(draw(empirical).figure, "svg") == figure_to_bytes(draw(empirical).figure, "svg")
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("draw", [plot_band, plot_precision_recall, plot_decision])
@pytest.mark.parametrize(
    "roc",
    [rp.EmpiricalRoc([1], [2]), rp.EmpiricalRoc([2], [1]), rp.EmpiricalRoc([1, 1], [1, 1])],
    ids=["separated", "reversed", "constant"],
)
def test_degenerate_classes_are_drawn(draw, roc):
    assert draw(roc)._repr_png_().startswith(b"\x89PNG")


def test_grey_tells_band_curve_and_edge_apart(predicted):
    """Light of the band, its edge and the curve differ without colour; chance shows on the band."""
    ax = plot_band(predicted)
    area = artist(ax, "band")
    grey = [0.299 * r + 0.587 * g + 0.114 * b for r, g, b, _ in (area.get_facecolor()[0], area.get_edgecolor()[0])]
    assert 1 - grey[0] > 0.1
    assert grey[0] - grey[1] > 0.25
    assert colors.to_hex(artist(ax, "roc-0").get_color()) == "#000000"
    assert artist(ax, "roc-0").get_zorder() > area.get_zorder()


def test_what_cannot_be_drawn_is_refused_in_words(predicted):
    batch = rp.PredictedRoc.from_stats(effect_size=[1, 2], count=(9, 9))
    for draw in (plot_band, plot_precision_recall, plot_decision):
        with pytest.raises(rp.RocPredictError, match="draw one feature at a time"):
            draw(batch)
        with pytest.raises(rp.RocPredictError, match="is not a ROC"):
            draw([0.1, 0.2])
        with pytest.raises(rp.RocPredictError, match="is not a matplotlib Axes"):
            draw(predicted, ax=3)
    with pytest.raises(rp.RocPredictError, match="no ROC to draw"):
        plot_decision()
    with pytest.raises(rp.RocPredictError, match="one name to each"):
        plot_precision_recall(predicted, labels=["a", "b"])
    with pytest.raises(rp.RocPredictError, match="kind='both' is not allowed"):
        plot_band(predicted, kind="both")


# ---- the page
def test_the_page_runs_and_its_numbers_are_the_librarys(tmp_path, monkeypatch):
    """Every Python block in its order; each number in a comment, to the digits it shows."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)
        for line in block.splitlines():
            asked, _, said = line.partition("#")
            figure = re.match(r" (\d\.\d+)", said)
            if figure and " = " not in asked:
                found = eval(asked, names)
                found = found.low if isinstance(found, rp.Interval) else found
                assert np.round(found, len(figure[1]) - 2) == float(figure[1]), line
    whole = names["whole"]
    assert [round(float(end[20]), 3) for end in (whole.low, whole.high)] == [0.241, 0.804]
    assert not whole.contains(lambda fpr: fpr)
    assert (tmp_path / "decision.png").exists()
