"""Histograms: exact areas for any edges, and sharp bounds over all possible values within the bins."""

from itertools import product

import numpy as np
import pytest

from rocpredict import Ecdf, PredictedRoc
from rocpredict.distributions.histogram import Histogram
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.families import solver_for
from rocpredict.solvers.histogram import HistogramSolver, ameans_bounds, auc_bounds
from rocpredict.solvers.numerical import NumericalSolver
from tests.cases import check_refusals, for_each
from tests.samples import pair_wins

EDGES = [0, 1, 2.5, 3, 7]
PAIRS = {
    "common edges": (Histogram(EDGES, [5, 3, 0, 1]), Histogram(EDGES, [1, 2, 4, 6.5])),
    "unlike edges": (Histogram([0, 1, 4], [3, 1]), Histogram([-1, 0.5, 2, 9], [0.3, 2, 5])),
    "apart": (Histogram([0, 1], [2]), Histogram([1, 2, 3], [1, 1])),
    "reversed": (Histogram([5, 6, 8], [2, 1]), Histogram([0, 1, 5.5], [1, 3])),
    "gaps": (Histogram([0, 1, 2, 3, 4], [1, 0, 0, 1]), Histogram([0, 1, 2, 3, 4], [0, 1, 0, 2])),
}


def all_inside(histogram, rng, mode):
    """Whole counts of a histogram as values: at random in their bins, or pressed to one end of them."""
    low, high = histogram.edges[:-1], histogram.edges[1:]
    share = {
        "random": lambda n: rng.uniform(0, 1, n),
        "low": lambda n: np.full(n, 1e-9),
        "high": lambda n: np.full(n, 1 - 1e-9),
        "either": lambda n: rng.choice([1e-9, 1 - 1e-9], n),
    }[mode]
    return np.concatenate([a + (b - a) * share(int(n)) for a, b, n in zip(low, high, histogram.counts, strict=True)])


def whole(rng, edges, total=12):
    return Histogram(edges, rng.multinomial(total, rng.dirichlet(np.full(len(edges) - 1, 0.7))))


def counted(negative, positive):
    """AUC and best Ameans of two samples, by comparing all pairs and all thresholds."""
    cuts = np.concatenate([negative, positive, [np.inf]])
    j = max(np.mean(positive >= cut) - np.mean(negative >= cut) for cut in cuts)
    return pair_wins(negative, positive).mean(), 0.5 + j / 2


@for_each(PAIRS)
def test_areas_agree_with_quadrature(*pair):
    assert isinstance(solver_for(*pair), HistogramSolver)
    solver, searched, mirrored = HistogramSolver(*pair), NumericalSolver(*pair), [d.reflect() for d in pair]
    complement = float(solver.auc_complement())
    assert solver.auc() == pytest.approx(float(searched.auc()), rel=1e-10, abs=1e-15)
    assert complement == pytest.approx(float(searched.auc_complement()), rel=1e-10, abs=1e-15)
    assert HistogramSolver(*mirrored).auc() == pytest.approx(complement, rel=1e-14)
    assert HistogramSolver(*pair[::-1]).auc() == pytest.approx(complement, rel=1e-14)
    assert solver.auc() + complement == pytest.approx(1, abs=4e-16)
    assert PredictedRoc(*pair).partial_auc(fpr=(0, 1)) == pytest.approx(float(solver.auc()), abs=1e-10)


def test_small_areas_keep_their_digits():
    """One case in 1e20 of each class on the wrong side: 1 - AUC is made of 1e-20s, by hand."""
    edges = [0, 1, 2, 3]
    solver = HistogramSolver(Histogram(edges, [1, 0, 1e-20]), Histogram(edges, [1e-30, 0, 1]))
    assert solver.auc_complement() == pytest.approx(5e-21 + 0.5e-30, rel=1e-13)
    assert solver.log_auc_complement() == pytest.approx(np.log(5e-21 + 0.5e-30), rel=1e-13)


@for_each([0.0, 0.4, -0.9, 3.0], PAIRS)
def test_best_thresholds_are_edges(log_price, negative, positive):
    """No edge and no point between edges is better than the best threshold, which agrees with the numeric search."""
    price, edges = np.exp(log_price), np.union1d(negative.edges, positive.edges)
    best, searched = (
        solver(negative, positive).optimal(np.asarray(log_price)) for solver in (HistogramSolver, NumericalSolver)
    )
    loss = float(best.fnr + price * best.fpr)
    thresholds = np.concatenate([edges, np.linspace(-2, 10, 97), [-np.inf, np.inf]])
    assert loss <= np.min(positive.cdf_strict(thresholds) + price * negative.sf_inclusive(thresholds)) + 1e-15
    assert loss == pytest.approx(float(searched.fnr + price * searched.fpr), abs=1e-14)
    assert np.isin(best.crossings, edges).all()
    if not log_price:
        low, high = ameans_bounds(negative, positive)
        ameans = PredictedRoc(negative, positive).best_threshold().ameans
        assert ameans == pytest.approx(float(best.tpr + best.tnr) / 2)
        assert low - 1e-15 <= ameans <= high + 1e-15


def test_even_bins_are_the_trapezoid_and_the_midpoint_of_the_bounds():
    """On common edges: the AUC is that of the ROC's straight pieces, and the bounds lie half the tie mass away."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        edges = np.sort(rng.normal(size=8))
        negative, positive = (Histogram(edges, rng.gamma(0.5, size=7)) for _ in range(2))
        fpr, tpr = negative.sf_inclusive(edges)[::-1], positive.sf_inclusive(edges)[::-1]
        low, high = auc_bounds(negative, positive)
        auc = HistogramSolver(negative, positive).auc()
        assert auc == pytest.approx(np.trapezoid(tpr, fpr), abs=1e-14)
        assert (low + high) / 2 == pytest.approx(auc, abs=1e-14)
        assert high - low == pytest.approx(negative.probabilities @ positive.probabilities, abs=1e-14)
        middles = edges[:-1] / 2 + edges[1:] / 2
        tied = EmpiricalSolver(Ecdf(middles, negative.counts), Ecdf(middles, positive.counts)).auc()
        assert auc == pytest.approx(float(tied), abs=1e-14)


@for_each([True, False])
def test_no_values_in_the_bins_leave_the_bounds(common):
    """60 pairs of histograms: no placement of values in their bins leaves the bounds, and two at the ends reach them.

    Negatives low and positives high give the highest AUC and Ameans, the reverse the lowest.
    """
    rng = np.random.default_rng(5)
    for _ in range(60):
        edges = np.arange(6.0)
        negative = whole(rng, edges)
        positive = whole(rng, edges if common else np.sort(rng.uniform(-1, 6, 5)))
        bounds = np.array([auc_bounds(negative, positive), ameans_bounds(negative, positive)])
        for modes in product(("random", "low", "high", "either"), ("random", "either")):
            placed = counted(*(all_inside(d, rng, mode) for d, mode in zip((negative, positive), modes, strict=True)))
            assert (bounds[:, 0] - 1e-12 <= placed).all()
            assert (placed <= bounds[:, 1] + 1e-12).all()
        for index, modes in enumerate([("high", "low"), ("low", "high")]):
            placed = counted(*(all_inside(d, rng, mode) for d, mode in zip((negative, positive), modes, strict=True)))
            assert placed == pytest.approx(bounds[:, index], abs=1e-12)
    assert repr(auc_bounds(*PAIRS["apart"])) == "AucBounds(low=1, high=1)"


def test_quantiles_of_empty_bins_are_their_ends():
    d = Histogram([0, 1, 2, 3, 4, 5], [0, 1, 0, 1, 0])
    assert d.ppf([0, 0.25, 0.5, 0.75, 1]).tolist() == [1, 1.5, 2, 3.5, 4]
    assert d.isf([0, 0.25, 0.5, 0.75, 1]).tolist() == [4, 3.5, 2, 1.5, 1]
    assert d.ppf([0.1, 0.4, 0.6, 0.9]) == pytest.approx([1.2, 1.8, 3.2, 3.8], rel=1e-15, abs=0)
    assert d.isf([0.1, 0.4, 0.6, 0.9]) == pytest.approx([3.8, 3.2, 1.8, 1.2], rel=1e-15, abs=0)
    assert (d.pdf([1.5, 2.5, 2, 3, -1, 9]) == [0.5, 0, 0.5, 0.5, 0, 0]).all()


@for_each([1e-300, 1e300])
def test_units_change_nothing(unit):
    pair = PAIRS["unlike edges"]
    scaled = [Histogram(d.edges * unit, d.counts) for d in pair]
    here, there = HistogramSolver(*pair), HistogramSolver(*scaled)
    assert there.auc() == pytest.approx(float(here.auc()), rel=1e-13)
    assert scaled[0].ppf(0.3) == pytest.approx(pair[0].ppf(0.3) * unit, rel=1e-13)
    assert there.optimal(np.zeros(())).threshold == pytest.approx(here.optimal(np.zeros(())).threshold * unit)


def test_fit_counts_every_value_once():
    """Values on inner edges count above, on the last edge into the last bin; as numpy's histogram."""
    rng = np.random.default_rng(9)
    sample = np.round(rng.normal(size=300), 1)
    for bins in (1, 7, np.linspace(-4, 4, 17)):
        counts, edges = np.histogram(sample, bins)
        assert Histogram.fit(sample, bins) == Histogram(edges, counts)
    assert Histogram.fit(sample).total == 300
    assert repr(Histogram.fit([0.0, 1, 1, 2], [0, 1, 2])) == "Histogram(2 bins, from 0 to 2, total=4)"


def test_freedman_diaconis_as_it_is_written():
    """Width 2 IQR n^(-1/3), no more bins than values whatever the outliers, Sturges' number without an IQR."""
    rng = np.random.default_rng(10)
    sample = rng.normal(size=1000)
    assert len(Histogram.fit(sample).counts) == len(np.histogram_bin_edges(sample, "fd")) - 1
    assert len(Histogram.fit([*sample, 1e12]).counts) == 1001
    assert len(Histogram.fit([0.0] * 31 + [1.0]).counts) == 6
    assert len(Histogram.fit([0.0] * 4 + [1.0] * 4).counts) == 1  # the width is the range
    assert len(Histogram.fit([*range(120_000), 1e12]).counts) == 100_000


@for_each([0.0, 0.1, 0.37, 0.8, 1.0], PAIRS)
def test_the_curve_is_straight_between_edges(fpr, negative, positive):
    """TPR values, thresholds and partial areas are those of the polygon through the operating points at all edges."""
    solver, rate = HistogramSolver(negative, positive), np.asarray(fpr)
    thresholds = np.concatenate([[np.inf], np.union1d(negative.edges, positive.edges)[::-1], [-np.inf]])
    x, y = negative.sf_inclusive(thresholds), positive.sf_inclusive(thresholds)
    tpr = y[x <= fpr].max() if np.isin(fpr, x) else np.interp(fpr, x, y)
    assert solver.along("fpr", rate) == pytest.approx(tpr, abs=1e-14)
    grid, area = np.linspace(0, fpr, 200_001), float(solver.area("fpr", np.zeros(()), rate))
    assert area == pytest.approx(np.trapezoid(np.interp(grid, x, y), grid), abs=1e-4)
    searched = NumericalSolver(negative, positive).area("fpr", np.zeros(()), rate)
    assert area == pytest.approx(float(searched), abs=1e-11)
    assert negative.sf_inclusive(solver.threshold_at("fpr", rate)) <= fpr + 1e-14


@for_each(PAIRS)
def test_the_likelihood_ratio_curve_ranks_the_cells(*pair):
    """1 - AUC by comparing all cells of both classes; the rule calls the more likely cells positive."""
    solver = HistogramSolver(*pair)
    edges = np.union1d(*(d.edges for d in pair))
    n, p = (np.diff(d.cdf(edges)) for d in pair)
    ratio = p / np.maximum(n + p, 1e-300)
    worse = (ratio[:, None] < ratio - 1e-12) + (np.abs(ratio[:, None] - ratio) <= 1e-12) / 2
    complement = float(solver.likelihood_ratio().auc_complement())
    assert complement == pytest.approx(float(p @ worse @ n), abs=1e-14)
    assert complement <= min(solver.auc(), solver.auc_complement()) + 1e-15
    rule = solver.likelihood_ratio().rule(np.zeros(()))
    assert rule.tpr == pytest.approx(p[p > n + 1e-15].sum(), abs=1e-14)
    assert rule.fpr == pytest.approx(n[p > n + 1e-15].sum(), abs=1e-14)
    assert np.isin(rule.thresholds, edges).all()
    middles = edges[:-1] / 2 + edges[1:] / 2
    starts = (rule.positive_inside & np.isneginf(rule.low)) | (~rule.positive_inside & np.isfinite(rule.low))
    called = (np.searchsorted(rule.thresholds, middles) % 2 == 0) == bool(starts)
    filled = np.abs(n - p) > 1e-12
    assert np.array_equal(called[filled], (p > n)[filled])


def test_what_is_no_histogram_or_cannot_be_counted_into_bins():
    refusals = [
        (
            Histogram,
            ([0, 1], [1, 2]),
            r"edges has shape \(2,\) and counts has shape \(2,\); expected \(k \+ 1,\) and \(k,\)",
        ),
        (Histogram, ([0], []), "with k >= 1"),
        (Histogram, ([0, 1, 1], [1, 2]), "do not strictly increase"),
        (Histogram, ([2, 1], [1]), "do not strictly increase"),
        (Histogram, ([0, np.inf], [1]), "contains infinite values"),
        (Histogram, ([0, 1], [-1]), "negative"),
        (Histogram, ([0, 1, 2], [0, 0]), "counts are all 0"),
        (Histogram, ([-1.5e308, 1.5e308], [1]), "have widths that are too large or too small for float64"),
        (Histogram, ([0, 1e-310], [1]), "have widths that are too large or too small for float64"),
        (Histogram.fit, ([], "fd"), r"x has shape \(0,\)"),
        (Histogram.fit, ([1.0, 1.0], "fd"), "all 2 values are equal to 1; pass bin edges, such as"),
        (Histogram.fit, ([1.0, 2.0], "sturges"), "bins='sturges' is not allowed; choose one of 'fd'"),
        (Histogram.fit, ([1.0, 2.0], 0), "bins=0 is not between 1 and 100000"),
        (Histogram.fit, ([1.0, 2.0], 1.5), "bins=1.5 is not an integer"),
        (Histogram.fit, ([1.0, 2.0, 5.0], [0, 1, 3]), r"x has 1 value \(of 3\) outside this range; pass edges"),
        (Histogram.fit, ([1.0, 2.0], [1.0]), r"bins has shape \(1,\)"),
        (Histogram.fit, ([1.0, np.nan], "fd"), "NaN"),
    ]
    check_refusals(refusals)
