"""Pictures of a screening show the numbers of its table, name any feature as it is, and stay small when it is long."""

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import rocpredict as rp
from rocpredict.base.results import Flags
from rocpredict.inference.hypotheses import adjust_p_values
from rocpredict.plots.screening import plot_screening
from rocpredict.plots.style import figure_to_bytes
from rocpredict.screening.screen import screen
from tests.cases import check_each, refuses
from tests.pictures import artist, legend
from tests.test_plots import contrast

KINDS = ("ranking", "agreement", "volcano")
HOSTILE = [
    *("$x$", r"$\frac{1}{", "<script>alert(1)</script>", "_hidden", "a\nb", "50 % & more", "x" * 200, "größe β", "")
]


def screened(**options):
    """Screen 40 features: 12 that tell, 4 of them skewed enough to misfit, one constant, one without values."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 60)
    X = rng.standard_normal((120, 40))
    X[y == 1, :12] += np.linspace(-1.6, 1.6, 12)
    X[:, 8:12] = np.exp(2.5 * X[:, 8:12])
    X[:, 20], X[:, 21] = 3, np.nan
    return screen(X, y, positive=1, engine="numpy", **options)


@pytest.fixture(scope="module")
def table():
    return screened()


@pytest.fixture(scope="module")
def several():
    iris = rp.datasets.load_iris()
    return screen(iris.X, iris.y, feature_names=iris.feature_names, engine="numpy")


def points(ax, *gids):
    """Return the points of all artists of these names, in order of x."""
    return in_order(np.concatenate([np.column_stack(line.get_data()) for line in ax.lines if line.get_gid() in gids]))


def in_order(*columns):
    joined = np.column_stack(columns)
    return joined[np.lexsort(joined.T[::-1])]


def names(ax):
    return [text.get_text() for text in ax.texts if text.get_gid() == "name"]


def with_columns(table, **columns):
    return replace(table, columns={**table.columns, **columns})


# ---- ranking
def test_a_ranking_is_the_first_rows_with_their_intervals(table):
    ax = table.plot(n_top=15)
    first = table.top(15)
    assert [text.get_text() for text in ax.get_yticklabels()] == first["feature"].tolist()
    misfit = first.flags["misfit"]
    assert 0 < misfit.sum() < 15
    for gid, prefix, rows in (
        ("empirical", "empirical_", np.arange(15)),
        ("predicted", "auc_", np.flatnonzero(~misfit)),
        ("misfit", "auc_", np.flatnonzero(misfit)),
    ):
        dots, bars = artist(ax, gid), np.array(artist(ax, f"{gid}-interval").get_segments())
        np.testing.assert_array_equal(dots.get_xdata(), first["empirical_auc" if gid == "empirical" else "auc"][rows])
        np.testing.assert_array_equal(np.round(dots.get_ydata()), rows)
        np.testing.assert_array_equal(bars[:, 0, 0], first[f"{prefix}low"][rows])
        np.testing.assert_array_equal(bars[:, 1, 0], first[f"{prefix}high"][rows])
        np.testing.assert_array_equal(bars[:, 0, 1], dots.get_ydata())
    assert legend(ax) == ["empirical, 95% CI", "predicted, 95% CI", "predicted, misfit", "chance"]
    assert ax.get_legend().get_title().get_text() == "1 against 0"
    assert set(artist(ax, "chance").get_xdata()) == {0.5}


def test_the_first_row_is_uppermost_and_everything_lies_inside(table):
    ax = table.plot(n_top=30)
    low, high = ax.get_ylim()
    assert low > 29
    assert high < 0
    left, right = ax.get_xlim()
    first = table.top(30)
    assert left < np.nanmin(first["auc_low"]) < np.nanmax(first["empirical_high"]) < right


def test_the_axis_says_what_lies_below_one_half(table):
    assert table.plot().get_xlabel() == "AUC (below 0.5: positives have smaller values)"
    assert table[table["auc"] > 0.6].plot().get_xlabel() == "AUC"


def test_without_counting_only_the_prediction_is_drawn():
    ax = screened(empirical=False, level=0.9).plot()
    assert legend(ax) == ["predicted, 90% CI", "chance"]
    np.testing.assert_array_equal(artist(ax, "predicted").get_ydata(), np.arange(20))


def test_a_row_without_an_auc_says_why(table):
    ax = table.plot(n_top=len(table))
    (why,) = [text for text in ax.texts if text.get_gid() == "no-auc"]
    row = table["feature"].tolist().index("x21")
    assert (why.get_text(), why.get_position()[1]) == ("no AUC: no values", row)


def test_with_several_class_pairs_rows_and_points_name_theirs(several):
    ax = several.plot()
    first = f"{several['feature'][0]}, {several['positive'][0]} against {several['negative'][0]}"
    assert ax.get_yticklabels()[0].get_text() == first
    assert ax.get_legend().get_title().get_text() == "3 class pairs"
    assert all(name.endswith(" against rest") and "\n" in name for name in names(several.plot("agreement")))
    one = several[several["positive"] == "setosa"]
    assert one.plot().get_yticklabels()[0].get_text() == one["feature"][0]
    assert one.plot().get_legend().get_title().get_text() == "setosa against rest"


# ---- predicted against empirical
def test_agreement_has_every_row_with_both_areas(table):
    ax = table.plot("agreement")
    both, misfit = ~np.isnan(table["auc"] + table["empirical_auc"]), table.flags["misfit"]
    for gid, mask in (("features", both & ~misfit), ("misfit", both & misfit)):
        expected = in_order(table["auc"][mask], table["empirical_auc"][mask])
        np.testing.assert_array_equal(points(ax, gid), expected)
    assert ax.get_xlim() == ax.get_ylim()
    assert artist(ax, "identity").get_xdata().tolist() == artist(ax, "identity").get_ydata().tolist()
    assert ax.get_xlabel() == "predicted AUC\n(1 of 40 rows omitted: missing values)"
    assert legend(ax) == [
        f"features ({39 - misfit.sum()})",
        f"flagged misfit ({misfit.sum()})",
        "empirical = predicted",
    ]


def test_agreement_names_the_furthest(table):
    gap = np.nan_to_num(np.abs(table["auc"] - table["empirical_auc"]), nan=-1)
    furthest = table["feature"][np.argsort(-gap, kind="stable")]
    assert names(table.plot("agreement", n_labels=1)) == [furthest[0]]
    assert set(names(table.plot("agreement", n_labels=3))) <= set(furthest[:3])
    assert names(table.plot("agreement", n_labels=0)) == []


def test_agreement_without_counts_says_what_to_do():
    with pytest.raises(rp.RocPredictError, match=r"empirical=False\); call rp.screen with empirical=True or 'top'"):
        screened(empirical=False).plot("agreement")


# ---- volcano
def test_a_volcano_has_every_row_and_its_level_parts_them(table):
    ax = table.plot("volcano", max_q=0.01)
    there = ~np.isnan(table["empirical_auc"])
    auc, height = table["empirical_auc"][there], -np.log10(table["p_value"][there])
    small = table["q_value"][there] <= 0.01
    np.testing.assert_array_equal(points(ax, "empirical q ≤"), in_order(auc[small], height[small]))
    np.testing.assert_array_equal(points(ax, "empirical q >"), in_order(auc[~small], height[~small]))
    (level,) = set(artist(ax, "level").get_ydata())
    assert height[~small].max() < level < height[small].min()
    assert level == pytest.approx(-np.log10(0.01 * small.sum() / table.n_tested))  # Benjamini-Hochberg
    assert legend(ax) == [f"q ≤ 0.01 ({small.sum()})", f"q > 0.01 ({(~small).sum()})", "q = 0.01", "chance"]
    assert ax.get_xlabel() == "empirical AUC\n(1 of 40 rows omitted: missing values)"
    assert set(names(ax)) <= set(table["feature"][:5])
    assert names(table.plot("volcano", n_labels=1)) == [table["feature"][0]]


@pytest.mark.parametrize("max_q", [0.001, 0.05, 0.6, 0.99])
@pytest.mark.parametrize("adjust", ["benjamini-hochberg", "benjamini-yekutieli", "bonferroni", "none"])
def test_a_row_at_the_level_of_a_volcano_has_that_q_value(adjust, max_q):
    """The last significant row, moved to the line, has q = max_q, and no row changes sides."""
    table = screened(adjust=adjust)
    ax = table.plot("volcano", max_q=max_q)
    p, significant = table["p_value"].copy(), table["q_value"] <= max_q
    last = np.flatnonzero(significant)[np.argmax(p[significant])]
    p[last] = 10.0 ** -artist(ax, "level").get_ydata()[0]
    moved = adjust_p_values(p, adjust)
    assert moved[last] == pytest.approx(max_q)
    others = np.arange(len(table)) != last
    np.testing.assert_array_equal(moved[others] <= max_q * (1 + 1e-9), significant[others])


def test_the_level_of_a_volcano_needs_a_significant_row(table):
    significant = table["q_value"] <= 0.05
    (level,) = set(artist(table[significant].plot("volcano"), "level").get_ydata())
    assert level == artist(table.plot("volcano"), "level").get_ydata()[0]
    assert "q = 0.05" not in legend(table[~significant].plot("volcano"))
    assert "q = 0.05" not in legend(with_columns(table, p_value=np.zeros(len(table))).plot("volcano"))


def test_rows_that_were_not_counted_are_hollow_at_their_predicted_area():
    table = screened(empirical="top", n_top=6)
    ax = table.plot("volcano")
    hollow = [line for line in ax.lines if (line.get_gid() or "").startswith("predicted q")]
    assert all(line.get_markerfacecolor() == "white" for line in hollow)
    counted = ~np.isnan(table["empirical_auc"])
    assert counted.sum() == 6
    drawn = points(ax, *(line.get_gid() for line in hollow))[:, 0]
    np.testing.assert_array_equal(drawn, np.sort(table["auc"][~counted & ~np.isnan(table["auc"])]))
    assert ax.get_xlabel().startswith("AUC (empirical if available, else predicted)\n")
    assert screened(empirical=False).plot("volcano").get_xlabel().startswith("predicted AUC\n")


def test_a_p_value_of_0_is_drawn_at_the_smallest_float_and_says_so(table):
    p = table["p_value"].copy()
    p[[0, 2]] = 0
    ax = with_columns(table, p_value=p).plot("volcano")
    np.testing.assert_array_equal(artist(ax, "p = 0").get_ydata(), np.full(2, -np.log10(np.nextafter(0, 1))))
    assert "p < 5e−324, drawn at this value (2)" in legend(ax)
    assert ax.get_ylim()[1] > 324


# ---- names, manners, grey
@pytest.mark.parametrize("kind", KINDS)
def test_any_name_is_shown_as_it_is(several, kind):
    hostile = np.array(HOSTILE, dtype=object)[np.arange(len(several)) % len(HOSTILE)]
    ax = with_columns(several, feature=hostile, negative=hostile, positive=hostile).plot(kind, n_labels=8)
    texts = ax.get_yticklabels() if kind == "ranking" else [text for text in ax.texts if text.get_gid() == "name"]
    shown = [text.get_text().replace("\n", ", ") for text in texts]
    assert len(shown) == len(several) if kind == "ranking" else len(shown) >= 3
    whole = {f"{name}, {name} against {name}": name for name in (" ".join(name.split()) for name in HOSTILE)}
    assert all(name in whole or ("…" in name and len(name) <= 84) for name in shown)
    assert figure_to_bytes(ax.figure, "svg")
    alone = with_columns(several[:1], feature=hostile[:1], negative=hostile[:1], positive=hostile[:1]).plot(kind)
    title = alone.get_legend().get_title()
    assert title.get_text() == "$x$ against $x$"
    assert not any(text.get_parse_math() for text in [*texts, title])
    assert b"$x$" in figure_to_bytes(alone.figure, "svg")


def test_a_long_name_is_cut_in_the_middle(table):
    long = np.array([f"{'long ' * 40}{row}" for row in range(len(table))], dtype=object)
    ax = with_columns(table, feature=long).plot()
    shown = [text.get_text() for text in ax.get_yticklabels()]
    assert len(set(shown)) == 20
    assert {len(name) for name in shown} == {40}


@pytest.mark.parametrize("kind", KINDS)
def test_it_draws_on_the_axes_it_was_given(table, kind):
    before = dict(mpl.rcParams)
    ax = Figure(figsize=(2, 2)).add_subplot()
    assert plot_screening(table, kind=kind, ax=ax) is ax
    assert ax.figure.axes == [ax]
    ax.figure.draw_without_rendering()
    own = table.plot(kind, legend=False)
    assert own.get_legend() is None
    assert own._repr_png_().startswith(b"\x89PNG")
    assert dict(mpl.rcParams) == before


def test_what_is_drawn_differs_in_more_than_color(table):
    ax = table.plot()
    assert len({artist(ax, gid).get_marker() for gid in ("empirical", "predicted", "misfit")}) == 3
    ax = table.plot("agreement")
    assert artist(ax, "features").get_marker() != artist(ax, "misfit").get_marker()
    for ax in (table.plot(), table.plot("agreement"), table.plot("volcano")):
        for line in ax.lines:
            assert contrast(line.get_color()) >= 3


@pytest.mark.parametrize("kind", KINDS[1:])
def test_names_hide_neither_each_other_nor_the_legend(several, kind):
    ax = several.plot(kind, n_labels=8)
    figure = ax.figure
    figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in ax.texts if text.get_gid() == "name"]
    boxes.append(ax.get_legend().get_window_extent())
    assert len(boxes) >= 4
    for number, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:number])


@pytest.mark.parametrize("kind", KINDS[1:])
def test_a_hundred_thousand_rows_make_a_small_file(table, kind):
    rows = np.tile(np.arange(len(table)), 2500)
    ax = table[rows].plot(kind)
    assert all(line.get_rasterized() for line in ax.lines if line.get_marker() not in ("None", ""))
    assert len(figure_to_bytes(ax.figure, "svg")) < 300_000


# ---- what cannot be drawn
@pytest.mark.parametrize("kind", KINDS)
def test_what_has_nothing_to_show_is_refused(table, kind):
    refuses("table has no rows", lambda: table[:0].plot(kind))
    unknown = table[table["feature"] == "x21"]
    refuses(r"no row of the table has (both|an AUC)", unknown.plot, kind)
    assert table[:1].plot(kind)


def test_options_out_of_range_are_refused(table):
    refused = {
        r"kind='pie' is not allowed; choose one of 'ranking', 'agreement'": {"kind": "pie"},
        "n_top=0 is below 1": {"n_top": 0},
        r"n_top=2\.5 is not an integer": {"n_top": 2.5},
        "n_labels=-1 is below 0": {"n_labels": -1},
        "max_q=5 is outside": {"max_q": 5},
        "ax='here' is not a matplotlib Axes": {"ax": "here"},
    }

    def check(match):
        refuses(match, table.plot, **refused[match])

    check_each({match: match for match in refused}, check)
    refuses(r"is not a ScreeningResult; pass the result of rp\.screen", plot_screening, [0.5])


def test_a_table_without_flags_is_drawn(table):
    bare = replace(table, flags=Flags())
    assert "predicted, misfit" not in legend(bare.plot())
    assert legend(bare.plot("agreement"))[0] == "features (39)"
