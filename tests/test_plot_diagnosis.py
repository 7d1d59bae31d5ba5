"""The picture of a diagnosis shows the diagnosis' own numbers, on any three axes."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats

import rocpredict as rp
from rocpredict.base.formatting import format_p_statement
from rocpredict.diagnostics.diagnose import diagnose
from rocpredict.plots.curves import plot_diagnosis
from rocpredict.plots.style import figure_to_bytes
from tests.cases import refuses
from tests.pictures import artist, legend

Q = (np.arange(80) + 0.5) / 80
X = np.concatenate([stats.expon.ppf(Q), 2.5 * stats.expon.ppf(Q[::2])])
Y = np.repeat([0, 1], [80, 40])


@pytest.fixture(scope="module")
def diagnosis():
    return diagnose(X, Y, n_resamples=60)


@pytest.fixture(scope="module")
def roc():
    with pytest.warns(rp.AssumptionWarning, match="class is skewed"):
        return rp.predict_roc(X, Y)


@pytest.fixture(scope="module")
def picture(diagnosis):
    return plot_diagnosis(diagnosis, feature="$marker$", unit="mg/l")


def test_the_left_panel_is_both_curves_and_where_they_part(diagnosis, picture, roc):
    ax = picture.axes[0]
    predicted, empirical = roc.curve(), rp.empirical_roc(X, Y).curve()
    for name, curve in (("predicted", predicted), ("empirical", empirical)):
        assert artist(ax, name).get_xdata().tolist() == curve.fpr.tolist()
        assert artist(ax, name).get_ydata().tolist() == curve.tpr.tolist()
    assert legend(ax) == [
        f"predicted, AUC {diagnosis.predicted_auc:.3f}",
        f"empirical, AUC {diagnosis.empirical_auc:.3f}",
        f"area between: {diagnosis.area_between:.3f}, expected {diagnosis.area_between_expected:.3f}",
        "chance",
    ]
    gap = artist(ax, "largest-gap")
    assert gap.get_xdata()[0] == diagnosis.max_tpr_gap_fpr
    assert -np.diff(gap.get_ydata())[0] == pytest.approx(diagnosis.max_tpr_gap)
    (text,) = [text.get_text() for text in ax.texts]
    assert text == f"TPR difference {diagnosis.max_tpr_gap:+.3f}\nat FPR {diagnosis.max_tpr_gap_fpr:.3f}".replace(
        "-", "−"
    )


def test_the_area_between_is_the_distance(diagnosis, picture):
    corners = artist(picture.axes[0], "between").get_paths()[0].vertices
    fpr, predicted, empirical = diagnosis.plot_data.rates
    assert np.abs(predicted - empirical).mean() == pytest.approx(diagnosis.area_between)
    for heights in (predicted, empirical):
        assert set(zip(fpr, heights, strict=True)) <= {tuple(corner) for corner in corners}


def test_the_middle_panel_is_normal_scores_with_their_band(diagnosis, picture):
    ax = picture.axes[1]
    for word, values in (("negative", X[Y == 0]), ("positive", X[Y == 1])):
        points, count = artist(ax, f"{word}-quantiles"), len(values)
        expected = stats.norm.ppf((np.arange(count) + 0.5) / count)
        assert points.get_xdata() == pytest.approx(expected)
        z = (np.sort(values) - values.mean()) / values.std(ddof=1)
        assert points.get_ydata() == pytest.approx(z, abs=1e-9)
        q = diagnosis.plot_data.quantiles[word == "positive"]
        corners = {tuple(corner) for corner in artist(ax, f"{word}-band").get_paths()[0].vertices}
        assert set(zip(q.expected, q.high, strict=True)) | set(zip(q.expected, q.low, strict=True)) <= corners
        assert ((q.low < q.high) & (q.low < q.expected + 1) & (q.high > q.expected - 1)).all()
        assert ((z < q.low) | (z > q.high)).any()  # as an exponential class is
    line = artist(ax, "fits")
    assert list(line.get_xdata()) == list(line.get_ydata())
    assert legend(ax) == [
        f"negative, fit {format_p_statement(diagnosis.negative.p_value)}",
        f"positive, fit {format_p_statement(diagnosis.positive.p_value)}",
        "perfect fit",
    ]


def test_normal_rows_stay_on_the_line_and_in_the_band():
    normal = stats.norm.ppf(Q)
    diagnosis = diagnose(np.concatenate([normal, 1 + normal]), np.repeat([0, 1], 80), n_resamples=60)
    for q in diagnosis.plot_data.quantiles:
        assert np.abs(q.fitted - q.expected).max() < 0.1
        assert ((q.low < q.fitted) & (q.fitted < q.high)).all()


def test_the_right_panel_is_the_densities_over_the_rows(diagnosis, picture, roc):
    ax = picture.axes[2]
    for word, d, values in (("negative", roc.negative, X[Y == 0]), ("positive", roc.positive, X[Y == 1])):
        line, rows = artist(ax, f"{word}-density"), artist(ax, f"{word}-data").get_data()
        assert line.get_ydata() == pytest.approx(d.pdf(line.get_xdata()))
        assert np.sum(rows.values * np.diff(rows.edges)) == pytest.approx(1)
        counts, _ = np.histogram(values, rows.edges)
        assert rows.values == pytest.approx(counts / len(values) / np.diff(rows.edges))
    assert artist(ax, "threshold").get_xdata()[0] == diagnosis.threshold == roc.best_threshold().threshold
    assert legend(ax) == [
        "negative, fitted",
        "negative, data",
        "positive, fitted",
        "positive, data",
        f"threshold {diagnosis.threshold:.4g}",
    ]
    assert ax.get_xlabel() == "$marker$ [mg/l]"
    assert not ax.xaxis.label.get_parse_math()


def test_classes_differ_by_more_than_color(picture):
    middle, right = picture.axes[1:]
    assert len({artist(middle, f"{word}-quantiles").get_marker() for word in ("negative", "positive")}) == 2
    assert len({artist(right, f"{word}-density").get_linestyle() for word in ("negative", "positive")}) == 2
    assert len({artist(right, f"{word}-data").get_hatch() for word in ("negative", "positive")}) == 2


def test_the_verdict_stands_above_and_the_bytes_are_always_the_same(diagnosis, picture):
    assert " ".join(picture.get_suptitle().split()) == diagnosis.verdict
    first, second = (figure_to_bytes(plot_diagnosis(diagnosis), "png", dots_per_inch=40) for _ in range(2))
    assert first == second


def test_it_draws_on_given_axes_and_needs_three(diagnosis, roc):
    figure = Figure()
    given = figure.subplots(1, 3)
    assert plot_diagnosis(diagnosis, ax=given) is figure
    assert artist(given[0], "predicted").get_ydata().tolist() == diagnosis.plot_data.predicted.tpr.tolist()
    refuses("is not a list of three matplotlib Axes", plot_diagnosis, diagnosis, ax=given[0])
    refuses("is not a Diagnosis", plot_diagnosis, roc)


def test_a_diagnosis_draws_itself(diagnosis, picture):
    own = diagnosis.plot(feature="$marker$", unit="mg/l")
    assert [legend(ax) for ax in own.axes] == [legend(ax) for ax in picture.axes]
    assert own.axes[2].get_xlabel() == "$marker$ [mg/l]"


def test_degenerate_classes_can_be_drawn():
    for x in (np.concatenate([-np.ones(80), -X[80:]]), 1e300 * X):
        direction = "lower" if x.max() <= 0 else None
        drawn = plot_diagnosis(diagnose(x, Y, n_resamples=20, direction=direction))
        assert np.isfinite([ax.get_xlim() + ax.get_ylim() for ax in drawn.axes]).all()
        assert len(figure_to_bytes(drawn, "png", dots_per_inch=40)) > 5_000


def test_bins_are_as_narrow_as_the_narrower_class_and_no_row_hides_the_others():
    """Skewed rows: the bulk has several bins; far rows are in one wide bin beyond the picture; all rows are counted."""
    x = np.concatenate([stats.lognorm(0.9).ppf(Q) * 100, stats.lognorm(0.9).ppf(Q) * 160, [60_000]])
    y = np.repeat([0, 1], [80, 81])
    diagnosis = diagnose(x, y, n_resamples=20)
    ax = plot_diagnosis(diagnosis).axes[2]
    for d, values in zip(diagnosis.plot_data.densities, (x[y == 0], x[y == 1]), strict=True):
        quartiles = np.quantile(values, (0.25, 0.75))
        assert ((d.edges > quartiles[0]) & (d.edges < quartiles[1])).sum() >= 2
        assert np.sum(d.histogram_density * np.diff(d.edges)) == pytest.approx(1)
        assert d.edges[-1] == 60_000
    assert ax.get_xlim()[1] < 3_000
