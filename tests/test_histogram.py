"""Histograms: exact areas on any edges, and the sharp bounds of what values within the bins can make of them."""

import numpy as np
import pytest

from rocpredict import Ecdf, PredictedRoc, RocPredictError
from rocpredict.distributions.histogram import Histogram
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.histogram import HistogramSolver, ameans_bounds, auc_bounds
from rocpredict.solvers.numerical import NumericalSolver
from rocpredict.solvers.select import solver_for
from tests.quantities import compute

EDGES = [0, 1, 2.5, 3, 7]
PAIRS = {
    "common edges": (Histogram(EDGES, [5, 3, 0, 1]), Histogram(EDGES, [1, 2, 4, 6.5])),
    "unlike edges": (Histogram([0, 1, 4], [3, 1]), Histogram([-1, 0.5, 2, 9], [0.3, 2, 5])),
    "apart": (Histogram([0, 1], [2]), Histogram([1, 2, 3], [1, 1])),
    "reversed": (Histogram([5, 6, 8], [2, 1]), Histogram([0, 1, 5.5], [1, 3])),
    "gaps": (Histogram([0, 1, 2, 3, 4], [1, 0, 0, 1]), Histogram([0, 1, 2, 3, 4], [0, 1, 0, 2])),
}


@pytest.fixture(params=PAIRS.values(), ids=PAIRS)
def pair(request):
    return request.param


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
    auc = np.mean(positive[:, None] > negative) + np.mean(positive[:, None] == negative) / 2
    cuts = np.concatenate([negative, positive, [np.inf]])
    j = max(np.mean(positive >= cut) - np.mean(negative >= cut) for cut in cuts)
    return auc, 0.5 + j / 2


def test_areas_agree_with_quadrature(pair):
    """To 1e-10 relative, AUC and its complement each by itself; mirrored they exchange."""
    assert isinstance(solver_for(*pair), HistogramSolver)
    for question in ("auc", "auc_complement"):
        assert compute(HistogramSolver(*pair), question) == pytest.approx(
            compute(NumericalSolver(*pair), question), rel=1e-10, abs=1e-15
        )
    mirrored = [d.reflect() for d in pair]
    assert HistogramSolver(*mirrored).auc() == pytest.approx(HistogramSolver(*pair).auc_complement(), rel=1e-14)
    assert HistogramSolver(*pair).auc() + HistogramSolver(*pair).auc_complement() == pytest.approx(1, abs=4e-16)
    assert HistogramSolver(*pair[::-1]).auc() == pytest.approx(HistogramSolver(*pair).auc_complement(), rel=1e-14)


def test_areas_agree_with_draws():
    """400,000 seeded pairs of draws: within 5 standard errors (false failure 6e-7, were the seed free)."""
    negative, positive = PAIRS["unlike edges"]
    rng = np.random.default_rng(3)
    x0, x1 = (d.ppf(rng.uniform(size=400_000)) for d in (negative, positive))
    auc = float(HistogramSolver(negative, positive).auc())
    assert np.mean(x1 > x0) == pytest.approx(auc, abs=5 * np.sqrt(auc * (1 - auc) / 400_000))


def test_small_areas_keep_their_digits():
    """One case in 1e20 of each class on the wrong side: 1 - AUC is made of 1e-20s, by hand."""
    edges = [0, 1, 2, 3]
    negative, positive = Histogram(edges, [1, 0, 1e-20]), Histogram(edges, [1e-30, 0, 1])
    assert HistogramSolver(negative, positive).auc_complement() == pytest.approx(5e-21 + 0.5e-30, rel=1e-13)
    assert HistogramSolver(negative, positive).log_auc_complement() == pytest.approx(np.log(5e-21 + 0.5e-30), rel=1e-13)


@pytest.mark.parametrize("log_kappa", [0.0, 0.4, -0.9, 3.0])
def test_best_thresholds_are_edges(pair, log_kappa):
    """No edge and no point between does better than the one found, and it agrees with the numeric search."""
    negative, positive = pair
    kappa = np.exp(log_kappa)
    found = HistogramSolver(negative, positive).optimal(np.asarray(log_kappa))
    searched = NumericalSolver(negative, positive).optimal(np.asarray(log_kappa))
    loss = float(found.fnr + kappa * found.fpr)
    cuts = np.concatenate([np.union1d(negative.edges, positive.edges), np.linspace(-2, 10, 97), [-np.inf, np.inf]])
    assert loss <= np.min(positive.cdf_strict(cuts) + kappa * negative.sf_inclusive(cuts)) + 1e-15
    assert loss == pytest.approx(float(searched.fnr + kappa * searched.fpr), abs=1e-14)
    assert np.isin(found.crossings, np.union1d(negative.edges, positive.edges)).all()


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


@pytest.mark.parametrize("common", [True, False])
def test_no_values_in_the_bins_leave_the_bounds(common):
    """60 pairs of histograms, 8 placements of their values in the bins each, at random or at the ends."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        edges = np.arange(6.0)
        negative = whole(rng, edges)
        positive = whole(rng, edges if common else np.sort(rng.uniform(-1, 6, 5)))
        auc_low, auc_high = auc_bounds(negative, positive)
        best_low, best_high = ameans_bounds(negative, positive)
        for mode in ("random", "low", "high", "either"):
            for other in ("random", "either"):
                auc, best = counted(all_inside(negative, rng, mode), all_inside(positive, rng, other))
                assert auc_low - 1e-12 <= auc <= auc_high + 1e-12
                assert best_low - 1e-12 <= best <= best_high + 1e-12


@pytest.mark.parametrize("common", [True, False])
def test_values_at_the_ends_of_their_bins_reach_the_bounds(common):
    """Negatives low and positives high give the highest AUC and Ameans, the reverse the lowest: sharp bounds."""
    rng = np.random.default_rng(6)
    for _ in range(40):
        edges = np.arange(6.0)
        negative = whole(rng, edges)
        positive = whole(rng, edges if common else np.sort(rng.uniform(-1, 6, 5)))
        for index, modes in enumerate([("high", "low"), ("low", "high")]):
            auc, best = counted(
                *(all_inside(d, rng, mode) for d, mode in zip((negative, positive), modes, strict=True))
            )
            assert auc == pytest.approx(auc_bounds(negative, positive)[index], abs=1e-12)
            assert best == pytest.approx(ameans_bounds(negative, positive)[index], abs=1e-12)


def test_ameans_of_even_bins_lies_within_the_bounds(pair):
    low, high = ameans_bounds(*pair)
    best = HistogramSolver(*pair).optimal(np.zeros(()))
    assert low <= (best.tpr + best.tnr) / 2 + 1e-15
    assert (best.tpr + best.tnr) / 2 <= high + 1e-15
    assert repr(auc_bounds(*PAIRS["apart"])) == "AucBounds(low=1, high=1)"


def test_finer_bins_come_closer_to_the_sample():
    """The bounds hold the AUC of the sample whatever the bins, and close on it."""
    rng = np.random.default_rng(8)
    x0, x1 = rng.normal(0, 1, 400), rng.normal(1, 1.5, 400)
    exact, _ = counted(x0, x1)
    widths = []
    for bins in (4, 16, 64, 256):
        edges = np.linspace(-8, 8, bins + 1)
        low, high = auc_bounds(Histogram.fit(x0, edges), Histogram.fit(x1, edges))
        assert low <= exact <= high
        widths.append(high - low)
    assert (np.diff(widths) < 0).all()
    assert widths[-1] < 0.02


def test_quantiles_of_empty_bins_are_their_ends():
    d = Histogram([0, 1, 2, 3, 4, 5], [0, 1, 0, 1, 0])
    assert d.ppf([0, 0.25, 0.5, 0.75, 1]).tolist() == [1, 1.5, 2, 3.5, 4]
    assert d.isf([0, 0.25, 0.5, 0.75, 1]).tolist() == [4, 3.5, 2, 1.5, 1]
    assert (d.pdf([1.5, 2.5, 2, 3, -1, 9]) == [0.5, 0, 0.5, 0.5, 0, 0]).all()


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_units_change_nothing(unit):
    pair = PAIRS["unlike edges"]
    scaled = [Histogram(d.edges * unit, d.counts) for d in pair]
    assert HistogramSolver(*scaled).auc() == pytest.approx(float(HistogramSolver(*pair).auc()), rel=1e-13)
    assert scaled[0].ppf(0.3) == pytest.approx(pair[0].ppf(0.3) * unit, rel=1e-13)
    assert HistogramSolver(*scaled).optimal(np.zeros(())).threshold == pytest.approx(
        HistogramSolver(*pair).optimal(np.zeros(())).threshold * unit
    )


def test_fit_counts_every_value_once():
    """Values on inner edges count above, on the last edge into the last bin; as numpy's histogram."""
    rng = np.random.default_rng(9)
    sample = np.round(rng.normal(size=300), 1)
    for bins in (1, 7, np.linspace(-4, 4, 17)):
        counts, edges = np.histogram(sample, bins)
        assert Histogram.fit(sample, bins) == Histogram(edges, counts)
    assert Histogram.fit(sample).total == 300
    assert repr(Histogram.fit([0.0, 1, 1, 2], [0, 1, 2])) == "Histogram(bins=2, from 0 to 2, total=4)"


def test_freedman_diaconis_as_it_is_written():
    """Width 2 IQR n^(-1/3), no more bins than values whatever the outliers, Sturges' number without an IQR."""
    rng = np.random.default_rng(10)
    sample = rng.normal(size=1000)
    assert len(Histogram.fit(sample).counts) == len(np.histogram_bin_edges(sample, "fd")) - 1
    assert len(Histogram.fit([*sample, 1e12]).counts) == 1001
    assert len(Histogram.fit([0.0] * 31 + [1.0]).counts) == 6


@pytest.mark.parametrize("fpr", [0.0, 0.1, 0.37, 0.8, 1.0])
def test_the_curve_is_straight_between_edges(pair, fpr):
    """Heights, places and partial areas are those of the polygon through the operating points at all edges."""
    negative, positive = pair
    cuts = np.concatenate([[np.inf], np.union1d(negative.edges, positive.edges)[::-1], [-np.inf]])
    x, y = negative.sf_inclusive(cuts), positive.sf_inclusive(cuts)
    height = y[x <= fpr].max() if np.isin(fpr, x) else np.interp(fpr, x, y)
    assert float(HistogramSolver(*pair).along("fpr", np.asarray(fpr))) == pytest.approx(height, abs=1e-14)
    grid = np.linspace(0, fpr, 200_001)
    fine = np.trapezoid([np.interp(grid, x, y)], grid)[0]
    assert float(HistogramSolver(*pair).area("fpr", np.zeros(()), np.asarray(fpr))) == pytest.approx(fine, abs=1e-4)
    wanted = NumericalSolver(*pair).area("fpr", np.zeros(()), np.asarray(fpr))
    assert float(HistogramSolver(*pair).area("fpr", np.zeros(()), np.asarray(fpr))) == pytest.approx(wanted, abs=1e-11)
    at = HistogramSolver(*pair).threshold_at("fpr", np.asarray(fpr))
    assert negative.sf_inclusive(at) <= fpr + 1e-14


def test_the_likelihood_ratio_curve_ranks_the_cells(pair):
    """1 - AUC by comparing all cells of one class with all of the other; the rule calls the likelier cells positive."""
    negative, positive = pair
    edges = np.union1d(negative.edges, positive.edges)
    n, p = (np.diff(d.cdf(edges)) for d in pair)
    ratio = p / np.maximum(n + p, 1e-300)
    worse = (ratio[:, None] < ratio - 1e-12) + (np.abs(ratio[:, None] - ratio) <= 1e-12) / 2
    complement = float(HistogramSolver(*pair).likelihood_ratio().auc_complement())
    assert complement == pytest.approx(float(p @ worse @ n), abs=1e-14)
    assert complement <= min(HistogramSolver(*pair).auc(), HistogramSolver(*pair).auc_complement()) + 1e-15
    rule = HistogramSolver(*pair).likelihood_ratio().rule(np.zeros(()))
    assert float(rule.tpr) == pytest.approx(p[p > n + 1e-15].sum(), abs=1e-14)
    assert float(rule.fpr) == pytest.approx(n[p > n + 1e-15].sum(), abs=1e-14)
    assert np.isin(rule.thresholds, edges).all()
    middles = edges[:-1] / 2 + edges[1:] / 2
    starts = (rule.positive_inside & np.isneginf(rule.low)) | (~rule.positive_inside & np.isfinite(rule.low))
    called = (np.searchsorted(rule.thresholds, middles) % 2 == 0) == bool(starts)
    filled = np.abs(n - p) > 1e-12
    assert np.array_equal(called[filled], (p > n)[filled])


def test_a_roc_of_histograms_answers():
    roc = PredictedRoc(*PAIRS["common edges"])
    assert roc.auc() == pytest.approx(float(HistogramSolver(*PAIRS["common edges"]).auc()), abs=1e-10)
    assert roc.partial_auc(fpr=(0, 1)) == pytest.approx(roc.auc(), abs=1e-10)
    assert roc.best_threshold().ameans == pytest.approx(
        float(HistogramSolver(*PAIRS["common edges"]).optimal(np.zeros(())).tpr / 2)
        + float(HistogramSolver(*PAIRS["common edges"]).optimal(np.zeros(())).tnr / 2)
    )


@pytest.mark.parametrize(
    ("edges", "counts", "words"),
    [
        ([0, 1], [1, 2], r"edges has shape \(2,\) and counts \(2,\); k bins have k \+ 1 edges"),
        ([0], [], "k of 1 or more"),
        ([0, 1, 1], [1, 2], "do not increase"),
        ([2, 1], [1], "do not increase"),
        ([0, np.inf], [1], "infinite somewhere"),
        ([0, 1], [-1], "negative"),
        ([0, 1, 2], [0, 0], "counts are all 0"),
        ([-1.5e308, 1.5e308], [1], "further apart or closer together than float64 can represent"),
        ([0, 1e-310], [1], "further apart or closer together than float64 can represent"),
    ],
)
def test_what_is_no_histogram(edges, counts, words):
    with pytest.raises(RocPredictError, match=words):
        Histogram(edges, counts)


@pytest.mark.parametrize(
    ("sample", "bins", "words"),
    [
        ([], "fd", r"sample has shape \(0,\)"),
        ([1.0, 1.0], "fd", "all 2 values are 1; a class without spread needs its edges given"),
        ([1.0, 2.0], "sturges", "bins='sturges' is not allowed; choose one of 'fd'"),
        ([1.0, 2.0], 0, "bins=0 is not between 1 and 100000"),
        ([1.0, 2.0], 1.5, "bins=1.5 is not a whole number"),
        ([1.0, 2.0, 5.0], [0, 1, 3], "1 of 3 values lie outside the edges from 0 to 3; widen them"),
        ([1.0, 2.0], [1.0], r"bins has shape \(1,\)"),
        ([1.0, np.nan], "fd", "NaN"),
    ],
)
def test_what_cannot_be_counted_into_bins(sample, bins, words):
    with pytest.raises(RocPredictError, match=words):
        Histogram.fit(sample, bins)
