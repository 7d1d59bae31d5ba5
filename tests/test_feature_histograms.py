"""Mergeable histograms: sums, bounds of the AUC, ties, empirical columns of a screening, drift, JSON and bad input."""

import json
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

import rocpredict as rp
from rocpredict.screening.histograms import FeatureHistograms, count_cells
from rocpredict.solvers.base import pad_rows
from tests.cases import check_starts, optional
from tests.samples import pair_wins

sp = optional("scipy.sparse")


def exact_auc(x, y):
    negative, positive = (x[(y == code) & ~np.isnan(x)] for code in (0, 1))
    if not min(len(negative), len(positive)):
        return np.nan
    return pair_wins(negative, positive).mean()


def auc_in(histograms):
    """The estimate of the AUC of each feature."""
    parts = [part.area for _, part in histograms.rank_statistics(np.full(len(histograms), np.nan))]
    return np.concatenate(parts)


@st.composite
def samples(draw):
    """A feature with ties, missing and infinite values, its classes, cuts into parts, and edges."""
    n = draw(st.integers(1, 40))
    values = st.sampled_from([*range(-3, 4), 0.5, 0.25, np.nan, np.inf, -np.inf]) | st.floats(-5, 5)
    x = np.array(draw(st.lists(values, min_size=n, max_size=n)), dtype=float)
    y = np.array(draw(st.lists(st.sampled_from([0, 0, 1, 1, -1]), min_size=n, max_size=n)))
    edges = draw(st.lists(st.integers(-4, 4) | st.sampled_from([0.5, -np.inf, np.inf]), max_size=6, unique=True))
    cuts = sorted(draw(st.lists(st.integers(0, n), max_size=3)))
    return x, y, np.sort(np.array(edges, dtype=float)), [0, *cuts, n]


@given(samples(), st.randoms())
def test_bounds_contain_the_auc_and_parts_add_up(sample, random):
    """Merging in any order gives the histograms of the whole; bounds contain the exact AUC, and the estimate too."""
    x, y, edges, ends = sample
    edges = pad_rows([edges])
    whole = count_cells(x[:, None], y, edges)
    parts = [count_cells(x[a:b, None], y[a:b], edges) for a, b in pairwise(ends)]
    random.shuffle(parts)
    total = parts[0]
    for part in parts[1:]:
        total += part
    assert total == whole
    assert whole.n_values[:, 0].tolist() == [((y == code) & ~np.isnan(x)).sum() for code in (0, 1)]
    (low,), (high,), (estimate,), exact = *whole.auc_bounds(), auc_in(whole), exact_auc(x, y)
    if np.isnan(exact):
        assert np.isnan([low, high, estimate]).all()
        return
    rounding = 1e-12
    assert low - rounding <= exact <= high + rounding
    assert low - rounding <= estimate <= high + rounding
    fine = count_cells(x[:, None], y, pad_rows([np.unique(x[~np.isnan(x)])]))
    np.testing.assert_allclose([*fine.auc_bounds(), auc_in(fine)], exact, rtol=1e-12)
    text = json.dumps(rp.base.formatting.to_json_value(whole.to_dict()), allow_nan=False)
    assert FeatureHistograms.from_dict(json.loads(text)) == whole


@given(samples(), st.sampled_from([*np.arange(-4, 4.5, 0.5), -np.inf, np.inf]))
def test_counts_around_a_threshold_between_the_values_of_cells_are_exact(sample, threshold):
    x, y, edges, _ = sample
    histograms = count_cells(x[:, None], y, pad_rows([edges]))
    ((_, statistics),) = histograms.rank_statistics(np.array([threshold]))
    cell = np.sum(edges < threshold)
    for code, name in enumerate(("negatives", "positives")):
        low, high = histograms.minimum[code, 0, cell], histograms.maximum[code, 0, cell]
        if threshold in edges or low == high or not low <= threshold <= high:
            values = x[y == code]
            assert getattr(statistics, f"{name}_below")[0] == np.sum(values < threshold)
            assert getattr(statistics, f"{name}_tied")[0] == np.sum(values == threshold)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 1)), min_size=2, max_size=6))
def test_bounds_are_sharp(cells):
    """All data with the same histogram and extremes, by enumeration: their least and greatest AUC are the bounds."""
    x, y = np.array(cells, dtype=float).T
    if len({*y}) < 2:
        return
    histograms = count_cells(x[:, None], y, pad_rows([np.array([])]))
    ranges = [(x[y == code].min(), x[y == code].max()) for code in (0, 1)]
    grid = np.unique([*x, *(x[:, None] + [-0.5, 0.5]).ravel()])
    least, greatest = 1.0, 0.0
    for values in product(*(grid[(grid >= ranges[int(code)][0]) & (grid <= ranges[int(code)][1])] for code in y)):
        data = np.array(values)
        if all((data[y == code].min(), data[y == code].max()) == ranges[code] for code in (0, 1)):
            auc = exact_auc(data, y)
            least, greatest = min(least, auc), max(greatest, auc)
    np.testing.assert_allclose(np.concatenate(histograms.auc_bounds()), [least, greatest], rtol=1e-12)


@given(samples(), st.integers(1, 5), st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_cells_that_sites_share_have_many_values_and_bounds_that_contain_the_auc(sample, min_count, skipped):
    """Sites with the same edges keep different ones; the bounds of their sum contain the AUC of all rows."""
    x, y, edges, ends = sample
    shared = []
    for (a, b), skip in zip(pairwise(ends), skipped, strict=False):
        own = count_cells(x[a:b, None], y[a:b], pad_rows([np.delete(edges, slice(skip, skip + 1))]))
        part = own.merge_small_cells(min_count)
        sizes = part.counts[:, 0]
        assert ((sizes >= min_count).all(axis=0) | (sizes == 0).all(axis=0)).all()
        assert (part.n_values == np.where((own.n_values >= min_count).all(axis=0), own.n_values, 0)).all()
        finite = part.minimum[np.isfinite(part.minimum)], part.maximum[np.isfinite(part.maximum)]
        assert np.isin(np.concatenate(finite), edges).all()
        content = json.loads(json.dumps(rp.base.formatting.to_json_value(part.to_dict()), allow_nan=False))
        assert {item for row in content["negative"]["minimum"] for item in row} == {None}
        assert FeatureHistograms.from_dict(content) == part
        shared.append((part, x[a:b], y[a:b]) if part.n_values.any() else (part, x[:0], y[:0]))
    total = shared[0][0]
    for part, *_ in shared[1:]:
        total += part
    exact = exact_auc(*(np.concatenate([site[k] for site in shared]) for k in (1, 2)))
    (low,), (high,), (estimate,) = *total.auc_bounds(), auc_in(total)
    if not np.isnan(exact):
        assert low - 1e-12 <= exact <= high + 1e-12
        assert low - 1e-12 <= estimate <= high + 1e-12
    whole = count_cells(x[:, None], y, pad_rows([edges]))
    assert (total + whole).n_values.tolist() == (total.n_values + whole.n_values).tolist()


def mixed(n=6000, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    columns = {
        "normal": rng.normal(size=n) + 0.3 * y,
        "lognormal": np.exp(1.5 * rng.normal(size=n) + 0.5 * y),
        "counts": rng.poisson(2 + y).astype(float),
        "zeros": np.where(rng.random(n) < 0.9, 0, rng.gamma(2, size=n) + y),
        "rounded": np.round(rng.normal(size=n) + 0.5 * y, 2),
        "missing": np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
        "constant": np.full(n, 7.0),
    }
    return columns, y


def in_batches(columns, y, step=1000):
    return [
        ({name: x[start : start + step] for name, x in columns.items()}, y[start : start + step])
        for start in range(0, len(y), step)
    ]


def test_a_screening_of_batches_has_the_empirical_columns_of_the_table():
    """AUC within .1 standard errors and bounds that contain it; features of few values to rounding; one read only."""
    columns, y = mixed(4000)
    exact = rp.screen(columns, y).in_input_order()
    batches = in_batches(columns, y)
    for source in (batches, iter(batches), batches[::-1]):
        table = rp.screen(source, positive=1, empirical="histogram").in_input_order()
        low, high = table["empirical_auc_min"], table["empirical_auc_max"]
        assert ((low <= exact["empirical_auc"] + 1e-15) & (exact["empirical_auc"] <= high + 1e-15)).all()
        assert (high - low < 0.01).all()
        assert (np.abs(table["empirical_auc"] - exact["empirical_auc"]) < 0.1 * exact["empirical_se"] + 1e-15).all()
        for name, tolerance in {"empirical_se": 2e-3, "empirical_low": 2e-3, "empirical_high": 2e-3}.items():
            np.testing.assert_allclose(table[name], exact[name], rtol=tolerance, atol=1e-15)
        np.testing.assert_allclose(table["ameans_corrected"], exact["ameans_corrected"], atol=2e-3)
        np.testing.assert_allclose(table["misfit"], exact["misfit"], atol=2e-3)
        if iter(source) is source:
            continue  # its edges are values of the first batch, which lacks rare ones
        few = [2, 6]
        for name in ("empirical_auc", "empirical_se", "p_value", "misfit", "ameans_corrected"):
            np.testing.assert_allclose(table[name][few], exact[name][few], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(low[few], high[few], rtol=1e-14)
        assert "wide_bounds" not in table.flags
    assert {"empirical_auc_min", "empirical_auc_max"} <= set(table)
    assert table.to_csv().splitlines()[0].count("empirical_auc_m") == 2


def test_a_table_has_the_histograms_of_its_summary():
    """A table in memory and its file: bounds that contain the exact AUC; a column of text keeps its flag."""
    columns, y = mixed(1000)
    exact = rp.screen(columns, y).in_input_order()
    table = rp.screen(columns | {"word": ["w"] * 1000}, y, empirical="histogram").in_input_order()
    expected = rp.screen(rp.summarize(columns, y, histogram_edges=256), empirical="histogram").in_input_order()
    for name in ("empirical_auc", "empirical_auc_min", "empirical_auc_max", "p_value", "auc"):
        np.testing.assert_array_equal(table[name][:-1], expected[name])
    assert (table["empirical_auc_min"][:-1] <= exact["empirical_auc"] + 1e-15).all()
    assert (table["empirical_auc_max"][:-1] >= exact["empirical_auc"] - 1e-15).all()
    assert table["flags"][-1] == "not_numeric"


def test_drift_is_flagged_and_a_second_pass_narrows_the_bounds():
    """Edges of the first batch, and later values beyond them; the further edges leave bounds an eighth as wide."""
    columns, y = mixed()
    columns = {"drift": columns["normal"] + np.arange(len(y)) // 2000 * 10.0, "counts": columns["counts"]}
    batches = in_batches(columns, y)
    first = rp.summarize(iter(batches), positive=1, histogram_edges=64)
    table = rp.screen(first, empirical="histogram").in_input_order()
    assert table.flag_mask("wide_bounds").tolist() == [True, False]
    assert "many values lie in one cell" in " ".join(table.table().flags.messages())
    width = np.subtract(*first.histograms.auc_bounds()[::-1])
    edges = first.histograms.split_widest(256)
    assert (np.isin(first.histograms.edges[0], edges[0])).all()
    second = rp.summarize(iter(batches), positive=1, histogram_edges=edges)
    narrow = np.subtract(*second.histograms.auc_bounds()[::-1])
    assert narrow[0] < width[0] / 8
    assert narrow[1] <= width[1] < 1e-6  # rare values are no edges
    scattered = rp.summarize(batches, positive=1, histogram_edges=64).histograms
    assert np.subtract(*scattered.auc_bounds()[::-1])[0] < 0.02


@pytest.mark.extra("scipy")
def test_sparse_tables_have_the_histograms_of_dense_ones():
    rng = np.random.default_rng(3)
    X = np.where(rng.random((300, 5)) < 0.8, 0.0, rng.normal(size=(300, 5)))
    y = rng.integers(0, 2, 300)
    dense = rp.summarize(X, y, histogram_edges=32)
    for form in (sp.csr_matrix, sp.csc_matrix):
        assert rp.summarize(form(X), y, histogram_edges=32).histograms == dense.histograms
    assert rp.summarize(X, y, histogram_edges=32, n_jobs=2) == dense


def test_summaries_carry_histograms():
    """Sums, selections and JSON have them; a sum with a summary that lacks them has none, and so has a shared one."""
    columns, y = mixed(600)
    one = rp.summarize(columns, y, histogram_edges=16)
    two = rp.summarize(columns, y, histogram_edges=one.histograms.edges)
    assert (one + two).histograms.counts.sum() == 2 * one.histograms.counts.sum()
    assert (one + rp.summarize(columns, y)).histograms is None
    assert one.suppress_small_counts(5).histograms is None
    assert rp.TwoClassSummary.from_json(one.to_json()) == one
    assert "extremes of cells, which are values of single observations" in json.loads(one.to_json())["contents"]
    part = one.select([4, 1])
    assert part.histograms == one.histograms.select([4, 1])
    expected = rp.screen(one, empirical="histogram").feature("rounded")["empirical_auc"]
    assert rp.screen(part, empirical="histogram").feature("rounded")["empirical_auc"] == expected
    assert repr(part.histograms) == "FeatureHistograms(2 features, 16 edges, 1200 values)"
    three = rp.summarize(columns, np.where(np.arange(600) % 5 == 0, 2, y), positive=1, negative=0, histogram_edges=16)
    assert three.histograms.n_values.tolist() == [three.negative.count.tolist(), three.positive.count.tolist()]
    thresholds = np.array([0.0, 1.0, 2.0, 0.0, 0.5, np.nan, 7.0])
    for _, statistics in one.histograms.rank_statistics(thresholds):
        table = np.column_stack(list(columns.values()))
        below, tied = (table[y == 1] < thresholds).sum(axis=0), (table[y == 1] == thresholds).sum(axis=0)
        known = [2, 3, 5, 6]  # edges, or no threshold
        np.testing.assert_array_equal(statistics.positives_below[known], below[known])
        np.testing.assert_array_equal(statistics.positives_tied[known], tied[known])
        assert (np.abs(statistics.positives_below - below) < 20).all()


def test_histograms_that_are_refused():
    columns, y = mixed(100)
    one, other = (rp.summarize(columns, y, histogram_edges=edges) for edges in (8, 9))
    content = json.loads(one.to_json())
    batches = in_batches(columns, y, 50)

    def changed(**values):
        return lambda: rp.TwoClassSummary.from_json(
            json.dumps(content | {"histograms": content["histograms"] | values})
        )

    def screened(*args, **options):
        return lambda: rp.screen(*args, empirical="histogram", **options)

    for number in (1, 65_536):  # the smallest and the largest number of edges that are allowed
        assert rp.summarize(columns, y, histogram_edges=number).histograms is not None
    half = replace(one, histograms=one.histograms.select(slice(0, 3)))
    cases = {
        "histograms with different edges cannot be added; use the same edges for all": lambda: one + other,
        "histogram_edges=0 is not a valid number of edges; pass an integer from 1 to 65,536": lambda: rp.summarize(
            columns, y, histogram_edges=0
        ),
        "histogram_edges=65537 is not a valid number": lambda: rp.summarize(columns, y, histogram_edges=65_537),
        "histogram_edges=True is not a valid number": lambda: rp.summarize(columns, y, histogram_edges=True),
        "histogram_edges='many' is not a valid number": lambda: rp.summarize(columns, y, histogram_edges="many"),
        "histogram_edges has shape (2,); pass ascending": lambda: rp.summarize(columns, y, histogram_edges=[1, 2]),
        "a row of histogram_edges is not in ascending order; pass": lambda: rp.summarize(
            columns, y, histogram_edges=[[2.0, 1.0]] * 7
        ),
        "a row of histogram_edges is not in ascending order": lambda: rp.summarize(
            columns, y, histogram_edges=[[np.nan, 1.0]] * 7
        ),
        "histogram_edges= contains 'normalx', which is not a feature; features are 'normal', ": lambda: rp.summarize(
            columns, y, histogram_edges={"normalx": [1.0]}
        ),
        "histogram_edges= has invalid edges for the feature 'normal': 'a'": lambda: rp.summarize(
            columns, y, histogram_edges={"normal": "a"}
        ),
        "histograms=True needs histograms, which this summary lacks; pass histogram_edges=": lambda: rp.summarize(
            columns, y
        ).suppress_small_counts(histograms=True),
        "histogram_edges= is not available with weights=": lambda: rp.summarize(
            columns, y, histogram_edges=8, weights=np.ones(100)
        ),
        "empirical='histogram' needs histograms, which this summary lacks; compute them with rocpredict ": screened(
            rp.summarize(columns, y)
        ),
        "empirical='histogram' is not available with weights=": screened(columns, y, weights=np.ones(100)),
        "empirical='histogram' needs two classes, but y has 3 classes; select": screened(columns, np.arange(100) % 3),
        "empirical='histogram' needs one pair of classes; pass negative= or pairs='rest'": screened(
            columns, np.arange(100) % 3, positive=1, pairs="all"
        ),
        "family='auto' is not available with empirical='histogram'": screened(batches, positive=1, family="auto"),
        "empirical=True needs observations, but X is a summary; pass empirical=False": lambda: rp.screen(one),
        "y='y' cannot be combined with a summary, which already contains the labels": lambda: rp.screen(one, "y"),
        "y is missing; pass one label for each row or, if X consists of": lambda: rp.screen(batches),
        "a batch has 1 feature, but the first batch has 7": screened([*batches, ([[1.0]], [1])], positive=1),
        "the JSON is not a summary: the numbers of values in its histograms differ": lambda: (
            rp.TwoClassSummary.from_json(half.to_json())
        ),
        "histograms are invalid: edges are not": changed(edges=[row[::-1] for row in content["histograms"]["edges"]]),
        "the JSON is not a summary: the numbers of values in its histograms": changed(
            edges=[], negative={}, positive={}
        ),
        "lists of histograms cannot be read from {'edges': 'text'": changed(edges="text"),
        "item 1 of the negative histograms cannot be read from {'edges': [[": changed(negative={"count": [[-1]]}),
    }
    check_starts(cases)


def test_wide_bounds_are_in_the_interval_and_the_p_value():
    """The first batch has the value 0 alone, so that one cell holds nearly all later values."""
    rng, y = np.random.default_rng(0), np.repeat([0, 1], 300)
    x = (rng.normal(size=600) + y)[:, None]
    batches = [(np.zeros((2, 1)), np.array([0, 1])), (x, y)]
    result = rp.screen(iter(batches), empirical="histogram", positive=1)
    exact = rp.screen(np.concatenate([part for part, _ in batches]), np.concatenate([part for _, part in batches]))
    assert "wide_bounds" in result["flags"][0]
    assert result["empirical_low"][0] <= exact["empirical_low"][0]
    assert result["empirical_high"][0] >= exact["empirical_high"][0]
    assert result["p_value"][0] == 1  # the bounds contain 1/2


@pytest.mark.parametrize("sizes", [(300, 300), (400, 25)])
def test_the_interval_with_wide_bounds_contains_the_exact_intervals_of_both_extreme_orders(sizes):
    """With one edge, the limits are those of the rows whose order in each cell is the least or the most favorable."""
    rng, y = np.random.default_rng(6), np.repeat([0, 1], sizes)
    above = np.stack([rng.random(len(y)) < np.where(y, share, 0.3) for share in (0.9, 0.6, 0.35)], axis=1)
    within = rng.uniform(0.1, 0.9, above.shape)
    orders = {"least": y == 0, "greatest": y == 1}  # the class with the larger values in each cell
    exact, shared = {}, {}
    for name, is_larger in orders.items():
        values = 2.0 * above + is_larger[:, None] + within
        exact[name] = rp.screen(values, y).in_input_order()
        summary = rp.summarize(values, y, histogram_edges=[[2.0]] * 3).suppress_small_counts(1, histograms=True)
        shared[name] = rp.screen(summary, empirical="histogram").in_input_order()
    for table in shared.values():
        assert table.flag_mask("wide_bounds").all()
        assert_allclose(table["empirical_low"], exact["least"]["empirical_low"], rtol=1e-12)
        assert_allclose(table["empirical_high"], exact["greatest"]["empirical_high"], rtol=1e-12)
        for part in exact.values():
            assert (table["empirical_se"] >= part["empirical_se"] * (1 - 1e-12)).all()


def test_the_standard_error_with_wide_bounds_allows_for_a_random_order():
    """If one cell contains most values, the standard error is about that of an uninformative feature."""
    rng, y = np.random.default_rng(2), np.repeat([0, 1], 1000)
    values = rng.uniform(1.1, 1.9, (2000, 4))
    values[[0, 1000]], values[[999, 1999]] = 0.5, 2.5
    exact = rp.screen(values, y).in_input_order()
    summary = rp.summarize(values, y, histogram_edges=[[1.0, 2.0]] * 4).suppress_small_counts(1, histograms=True)
    table = rp.screen(summary, empirical="histogram").in_input_order()
    assert table.flag_mask("wide_bounds").all()
    assert_allclose(table["empirical_se"], exact["empirical_se"], rtol=0.05)


def test_full_and_shared_histograms_can_be_added_in_any_order():
    """The bounds contain the AUC of all rows and do not depend on the order in which the histograms are added."""
    rng, edges = np.random.default_rng(7), np.array([[1.0, 2.0]])
    for _ in range(400):
        sizes = rng.integers(2, 6, 3)
        x = [rng.choice([0.5, 1, 1.5, 2, 2.5], n) for n in sizes]
        y = [np.append([0, 1], rng.integers(0, 2, n - 2)) for n in sizes]
        full = [count_cells(values[:, None], labels, edges) for values, labels in zip(x, y, strict=True)]
        a, b, c = (part.merge_small_cells(1) if rng.random() < 0.5 else part for part in full)
        first, *others = ([*total.auc_bounds()] for total in ((a + b) + c, a + (b + c), (c + a) + b))
        for bounds in others:
            assert_allclose(bounds, first, rtol=1e-12)
        area = exact_auc(np.concatenate(x), np.concatenate(y))
        assert first[0] - 1e-12 <= area <= first[1] + 1e-12


@pytest.mark.slow
def test_histograms_of_two_million_rows_are_as_precise_as_their_standard_error_needs():
    """In 24 data sets, the AUC was within 0.015 standard errors, and the standard error within 5e-5 of itself."""
    rng, n = np.random.default_rng(4), 2_000_000
    y = (rng.random(n) < 0.2).astype(int)
    normal = rng.normal(size=n)
    columns = {
        "normal": normal + 0.3 * y,
        "lognormal": np.exp(1.5 * normal + 0.5 * y),
        "cauchy": rng.standard_cauchy(n) + 0.5 * y,
        "counts": rng.poisson(2 + 0.3 * y).astype(float),
        "zeros": np.where(rng.random(n) < 0.9, 0, rng.gamma(2, size=n) + 0.3 * y),
        "rounded": np.round(normal + 0.3 * y, 2),
    }
    exact = rp.screen(columns, y).in_input_order()
    table = rp.screen(columns, y, empirical="histogram").in_input_order()
    error = np.abs(table["empirical_auc"] - exact["empirical_auc"]) / exact["empirical_se"]
    assert (error < 0.02).all(), error
    ratio = np.abs(table["empirical_se"] / exact["empirical_se"] - 1)
    assert (ratio < 1e-4).all(), ratio


@pytest.mark.parametrize("edges", [[0.5], [0.0, 1.0], [-0.5, 0.5, 1.5]])
def test_coarse_cells_are_no_misfit(edges):
    """The curve of a few cells differs from that of two Gaussians although both classes are Gaussian."""
    rng = np.random.default_rng(5)
    y = np.arange(400) % 2
    for x in rng.normal(y, 1, (20, 400)):
        summary = rp.summarize({"a": x}, y, histogram_edges={"a": edges})
        flags = rp.screen(summary, empirical="histogram").flags
        assert flags["wide_bounds"].all()
        assert "misfit" not in flags
    skewed = rp.summarize({"a": np.exp(3 * rng.normal(y, 1))}, y, histogram_edges=64)
    assert rp.screen(skewed, empirical="histogram").flags["misfit"].all()


@pytest.mark.parametrize(("auc", "sizes"), [(0.99, (2_000, 2_000)), (0.999, (20_000, 400)), (0.01, (3_000, 3_000))])
def test_the_flag_of_coarse_cells_depends_on_the_standard_error(auc, sizes):
    """The bounds are less than 0.02 apart, but the bias is more than half of the standard error.

    The bias is estimated to 40%, and the interval contains the intervals of both bounds.
    """
    rng, y = np.random.default_rng(9), np.repeat([0, 1], sizes)
    shift = stats.norm.ppf(auc) * np.sqrt(2)
    x = (rng.normal(size=(len(y), 40)) + shift * y[:, None]).T
    edges = np.linspace(-1, 1, 5) + shift / 2
    summary = rp.summarize(x.T, y, histogram_edges=np.tile(edges, (40, 1))).suppress_small_counts(1, histograms=True)
    table = rp.screen(summary, empirical="histogram").in_input_order()
    exact = np.array([stats.mannwhitneyu(row[y == 1], row[y == 0]).statistic for row in x]) / np.prod(sizes)
    error = table["empirical_auc"] - exact
    assert (np.abs(error) > 0.5 * table["empirical_se"]).mean() > 0.9
    assert_allclose(-summary.histograms.order_bias().mean(), error.mean(), rtol=0.4)
    assert table.flag_mask("wide_bounds").all()
    assert (table["empirical_auc_max"] - table["empirical_auc_min"] < 0.02).mean() > 0.5
    assert (table["empirical_low"] < table["empirical_auc_min"]).all()
    assert (table["empirical_auc_max"] < table["empirical_high"]).all()


def test_cells_without_neighbors_have_no_order_bias():
    """A single cell, empty cells, and cells of one class: nothing is known about the order in them."""
    y = np.repeat([0, 1], 20)
    x = np.concatenate([np.linspace(1.1, 1.9, 40)[::2], np.linspace(1.1, 1.9, 40)[1::2]])
    values = np.stack([x, np.where(y, x + 10, x), np.full(40, np.nan)], axis=1)
    histograms = rp.summarize(values, y, histogram_edges=[[0.0, 1.0, 5.0, 20.0]] * 3).histograms
    assert_allclose(histograms.order_bias(), [0.0, 0.0, np.nan])
