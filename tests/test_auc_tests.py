"""Tests of areas by two roads: brute force over pairs, clusters and permutations, and what must agree with what.

Degenerate data among them: a curve against itself, no variance, one case of a class, one cluster of it.
"""

from __future__ import annotations

import pickle
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats
from scipy.special import logit, ndtr, ndtri

import rocpredict as rp

Z = ndtri(0.975)
Y = np.repeat([0, 1], 4)


def rows(seed=3, sizes=(13, 17), curves=3, levels=7):
    """Give correlated features on the same rows, with ties, and labels in no order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], sizes))
    shared = rng.normal(size=len(y))
    xs = [np.round(levels / 4 * (y * (0.3 + 0.4 * k) + shared + rng.normal(size=len(y)))) for k in range(curves)]
    return xs, y


def kernel(x, y):
    gap = np.subtract.outer(x[y == 1], x[y == 0])
    return (gap > 0) + (gap == 0) / 2


def placements(x, y, weights=None):
    """Give the area, the placement of each row, and each row's weight, in the order of the rows."""
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    wins, placed = kernel(np.asarray(x, dtype=float), y), np.empty(len(y))
    placed[y == 1] = wins @ w[y == 0] / w[y == 0].sum()
    placed[y == 0] = w[y == 1] @ wins / w[y == 1].sum()
    return np.average(placed[y == 1], weights=w[y == 1]), placed, w


def delong_covariance(xs, y, weights=None):
    """Sum the products of deviations of placements, ddof=1, class by class (DeLong et al. 1988)."""
    found = [placements(x, y, weights) for x in xs]
    covariance = np.zeros((len(xs), len(xs)))
    for (i, (a, v, w)), (j, (b, u, _)) in product(enumerate(found), repeat=2):
        for label in (0, 1):
            own = y == label
            n = w[own].sum()
            covariance[i, j] += np.sum(w[own] * (v[own] - a) * (u[own] - b)) / (n * (n - 1))
    return covariance


def obuchowski_covariance(xs, y, clusters):
    """Give S10/m + S01/n + (S11 + S11')/(mn), each with its own I/(I - 1), as in the paper of 1997."""
    names = np.unique(clusters)
    m, n = np.sum(y == 1), np.sum(y == 0)
    sums = np.zeros((2, len(xs), len(names)))
    for k, x in enumerate(xs):
        area, placed, _ = placements(x, y)
        for c, name in enumerate(names):
            for label in (0, 1):
                sums[label, k, c] = np.sum(placed[(clusters == name) & (y == label)] - area)
    i10, i01 = (len(np.unique(clusters[y == label])) for label in (1, 0))
    s10 = i10 / ((i10 - 1) * m) * sums[1] @ sums[1].T
    s01 = i01 / ((i01 - 1) * n) * sums[0] @ sums[0].T
    s11 = len(names) / (len(names) - 1) * sums[1] @ sums[0].T
    return s10 / m + s01 / n + (s11 + s11.T) / (m * n)


# ---- two roads: variances


@pytest.mark.parametrize("seed", range(3))
def test_covariance_of_curves_by_all_pairs(seed):
    """DeLong's matrix of three curves; the paired test and every contrast follow from it."""
    xs, y = rows(seed)
    expected = delong_covariance(xs, y)
    ours = rp.auc_test_many(xs, y).covariance
    assert ours == pytest.approx(expected, rel=1e-12, abs=1e-16)
    for i, j in combinations(range(3), 2):
        found = rp.auc_test(xs[i], xs[j], y)
        contrast = np.eye(3)[i] - np.eye(3)[j]
        error = np.sqrt(contrast @ expected @ contrast)
        assert found.statistic == pytest.approx(found.difference / error, rel=1e-10)
        assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(found.statistic)), rel=1e-10)
        assert tuple(found.interval) == pytest.approx(
            (found.difference - Z * error, found.difference + Z * error), rel=1e-10
        )


@pytest.mark.parametrize("seed", range(3))
def test_weighted_covariance_by_all_pairs(seed):
    xs, y = rows(seed)
    weights = np.random.default_rng(seed).uniform(0, 3, len(y))
    expected = delong_covariance(xs, y, weights)
    assert rp.auc_test_many(xs, y, weights=weights).covariance == pytest.approx(expected, rel=1e-12, abs=1e-16)


def test_many_curves_by_the_quadratic_form():
    """The omnibus statistic does not depend on which differences span the space."""
    xs, y = rows()
    found = rp.auc_test_many(xs, y)
    basis = np.array([[1, -1, 0], [1, 1, -2.0]])
    difference = basis @ found.estimates
    expected = difference @ np.linalg.solve(basis @ delong_covariance(xs, y) @ basis.T, difference)
    assert (found.statistic, found.df) == (pytest.approx(expected, rel=1e-10), 2)
    freedom = min(found.n) - 1  # Hotelling: behind the covariances stands the smaller class
    p_value = stats.f.sf(expected * (freedom - 1) / (freedom * 2), 2, freedom - 1)
    assert found.p_value == pytest.approx(p_value, rel=1e-10)
    pairs = [rp.auc_test(xs[i], xs[j], y).p_value for i, j in combinations(range(3), 2)]
    assert [test.p_value for test in found.contrasts] == pytest.approx(pairs, rel=1e-12)
    order = np.argsort(pairs)
    holm = np.minimum.reduce([np.ones(3), np.maximum.accumulate(np.array(pairs)[order] * [3, 2, 1])])
    assert np.array(found.adjusted_p_values)[order] == pytest.approx(holm, rel=1e-12)


def test_two_curves_as_many_are_a_paired_test():
    xs, y = rows(4)
    many, pair = rp.auc_test_many(xs[:2], y), rp.auc_test(xs[0], xs[1], y)
    assert (many.statistic, many.p_value) == pytest.approx((pair.statistic**2, pair.p_value), rel=1e-10)


def test_contrast_of_one_against_the_mean_of_two():
    xs, y = rows(5)
    contrast = np.array([1, -0.5, -0.5])
    found = rp.auc_test_many(xs, y, contrasts=contrast).contrasts[0]
    assert found.difference == pytest.approx(contrast @ rp.auc_test_many(xs, y).estimates, rel=1e-12)
    error = np.sqrt(contrast @ delong_covariance(xs, y) @ contrast)
    assert found.statistic == pytest.approx(found.difference / error, rel=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_clustered_covariance_by_obuchowski(seed):
    """Clusters with both classes, with one, and of one row; named by text, in no order."""
    xs, y = rows(seed, (19, 22))
    clusters = np.array([f"patient {c}" for c in np.random.default_rng(seed).integers(0, 12, len(y))])
    expected = obuchowski_covariance(xs, y, clusters)
    assert rp.auc_test_many(xs, y, clusters=clusters).covariance == pytest.approx(expected, rel=1e-11, abs=1e-15)
    found = rp.auc_test(xs[0], xs[1], y, clusters=clusters)
    error = np.sqrt(expected[0, 0] + expected[1, 1] - 2 * expected[0, 1])
    assert found.statistic == pytest.approx(found.difference / error, rel=1e-9)


def test_clusters_of_one_row_are_no_clusters():
    """The whole result, but for the name of the method."""
    xs, y = rows()
    for x2 in (xs[1], None):
        plain = rp.auc_test(xs[0], x2, y)
        alone = rp.auc_test(xs[0], x2, y, clusters=np.arange(len(y))[::-1])
        assert (alone.p_value, *alone.interval) == pytest.approx((plain.p_value, *plain.interval), rel=1e-11)
        assert "clustered" in alone.method


@pytest.mark.parametrize("copies", [2, 5])
def test_copies_as_a_cluster_tell_nothing_new(copies):
    """Exactly: sums over a cluster are k times the deviation of its row, and so is the count that they are divided by.

    Without clusters k copies pretend to k times the cases: the variance is smaller by (n - 1)/(kn - 1) in each class.
    """
    xs, y = rows()
    repeated = [np.repeat(x, copies) for x in xs], np.repeat(y, copies)
    once = rp.auc_test_many(xs, y).covariance
    clustered = rp.auc_test_many(*repeated, clusters=np.repeat(np.arange(len(y)), copies)).covariance
    assert clustered == pytest.approx(once, rel=1e-12, abs=1e-16)
    assert (np.diag(rp.auc_test_many(*repeated).covariance) < np.diag(once) / (copies - 0.2)).all()


def test_stratified_area_by_hand():
    """Only pairs within a stratum: 3 of 4 in one, 1 1/2 of 2 in the other: 4.5/6. A stratum of one class is out."""
    x = np.array([1, 3, 2, 4, 5, 5, 7, 9.0])
    y = np.array([0, 0, 1, 1, 0, 1, 1, 1])
    strata = np.array(["a", "a", "a", "a", "b", "b", "b", "c"])
    found = rp.auc_test(x, None, y, strata=strata)
    assert found.estimates[0] == pytest.approx(4.5 / 6, rel=1e-15)
    assert "stratified" in found.method


def test_stratified_variance_by_strata():
    """Pairs weigh; the variance is the weighted sum of DeLong's, the difference of two curves likewise."""
    xs, y = rows(6, (30, 25))
    strata = np.random.default_rng(1).integers(0, 3, len(y))
    own = [strata == s for s in range(3)]
    pairs = np.array([np.sum(y[s] == 0) * np.sum(y[s] == 1) for s in own], dtype=float)
    share = pairs / pairs.sum()
    areas = np.array([[placements(x[s], y[s])[0] for x in xs] for s in own])
    covariance = sum(w * w * delong_covariance([x[s] for x in xs], y[s]) for w, s in zip(share, own, strict=True))
    found = rp.auc_test(xs[0], xs[2], y, strata=strata)
    assert found.estimates == pytest.approx(tuple(share @ areas[:, [0, 2]]), rel=1e-12)
    contrast = np.array([1, 0, -1])
    error = np.sqrt(contrast @ covariance @ contrast)
    assert found.statistic == pytest.approx(found.difference / error, rel=1e-10)


def test_one_stratum_is_none():
    xs, y = rows()
    for x2 in (xs[1], None):
        plain, whole = (rp.auc_test(xs[0], x2, y, strata=s) for s in (None, np.zeros(len(y))))
        assert (whole.p_value, *whole.interval) == pytest.approx((plain.p_value, *plain.interval), rel=1e-12)


def test_matched_pairs_as_strata():
    """One negative and one positive in each: the area is the share of pairs won, its variance binomial (n/(n - 1))."""
    rng = np.random.default_rng(3)
    negative, positive = rng.normal(size=40), rng.normal(0.5, 1, 40)
    won = np.mean(positive > negative)
    found = rp.auc_test(
        np.concatenate([negative, positive]),
        None,
        np.repeat([0, 1], 40),
        strata=np.tile(np.arange(40), 2),
        method="delong",
    )
    assert found.estimates[0] == pytest.approx(won, rel=1e-14)
    error = np.sqrt(won * (1 - won) / 39)
    assert found.statistic == pytest.approx((won - 0.5) / error, rel=1e-10)


# ---- two roads: one curve, and permutations


@pytest.mark.parametrize("sizes", [(4, 4), (3, 6), (7, 2), (1, 5), (5, 1)])
@pytest.mark.parametrize("levels", [2, 4, 100])
def test_exact_p_by_all_labellings(sizes, levels):
    """Both one-sided p and the two-sided, ties and unequal classes included."""
    rng = np.random.default_rng(sum(sizes) + levels)
    y = np.repeat([0, 1], sizes)
    x = rng.integers(0, levels, len(y)).astype(float)
    areas = []
    for chosen in combinations(range(len(y)), sizes[1]):
        other = np.zeros(len(y), dtype=int)
        other[list(chosen)] = 1
        areas.append(kernel(x, other).mean())
    areas, seen = np.array(areas), kernel(x, y).mean()
    expected = {
        "less": np.mean(areas <= seen + 1e-12),
        "greater": np.mean(areas >= seen - 1e-12),
        "two-sided": np.mean(np.abs(areas - 0.5) >= abs(seen - 0.5) - 1e-12),
    }
    for alternative, p in expected.items():
        assert rp.auc_test(x, None, y, method="exact", alternative=alternative).p_value == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize("sizes", [(60, 60), (180, 20)])
def test_exact_p_of_many_cases_by_scipy(sizes):
    """Without ties scipy counts too; the shift algorithm of 200 cases loses no digits."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], sizes)
    x = rng.normal(size=len(y)) + 0.3 * y
    for alternative in ("two-sided", "greater"):
        theirs = stats.mannwhitneyu(x[y == 1], x[y == 0], alternative=alternative, method="exact").pvalue
        ours = rp.auc_test(x, None, y, method="exact", alternative=alternative).p_value
        assert ours == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_mann_whitney_by_scipy(alternative):
    """Tie-corrected, no continuity correction."""
    for seed in range(4):
        xs, y = rows(seed)
        theirs = stats.mannwhitneyu(
            xs[0][y == 1], xs[0][y == 0], alternative=alternative, method="asymptotic", use_continuity=False
        )
        ours = rp.auc_test(xs[0], None, y, method="mann-whitney", alternative=alternative)
        assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-10)


def test_default_test_of_one_curve_by_its_definition():
    """On the logit scale with half a case more in each class: the quantity of the default interval."""
    xs, y = rows()
    for null in (0.5, 0.7, 0.2):
        found = rp.auc_test(xs[2], None, y, null=null)
        low, high = found.interval
        centre, error = (logit(low) + logit(high)) / 2, (logit(high) - logit(low)) / (2 * Z)
        assert found.statistic == pytest.approx((centre - logit(null)) / error, rel=1e-9)
        assert found.p_value == pytest.approx(2 * ndtr(-abs(found.statistic)), rel=1e-9)


def test_permutation_p_by_all_exchanges():
    """512 exchanges of the two ranks of 9 cases; 4,000 random ones come within 4.5 standard errors (1 in 150,000)."""
    rng = np.random.default_rng(8)
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
    x1, x2 = rng.permutation(9) + 1.5 * y, rng.permutation(9) + 0.0
    ranks = np.column_stack([stats.rankdata(x1), stats.rankdata(x2)])
    seen = kernel(x1, y).mean() - kernel(x2, y).mean()
    differences = []
    for swap in product([False, True], repeat=9):
        pair = np.where(np.array(swap)[:, None], ranks[:, ::-1], ranks)
        differences.append(kernel(pair[:, 0], y).mean() - kernel(pair[:, 1], y).mean())
    differences = np.array(differences)
    for alternative, extreme in (
        ("two-sided", np.abs(differences) >= abs(seen) - 1e-12),
        ("greater", differences >= seen - 1e-12),
        ("less", differences <= seen + 1e-12),
    ):
        p = extreme.mean()
        found = rp.auc_test(x1, x2, y, method="permutation", alternative=alternative, n_resamples=4000, rng=1)
        assert found.statistic == pytest.approx(seen, rel=1e-12)
        assert found.p_value == pytest.approx(p, abs=4.5 * np.sqrt(p * (1 - p) / 4000) + 1 / 4000)


def test_unpaired_delong_by_the_sum_of_variances():
    (a, _, _), y = rows(1)
    (b, _, _), z = rows(2, (9, 21))
    found = rp.auc_test((a, y), (b, z))
    error = np.sqrt(delong_covariance([a], y)[0, 0] + delong_covariance([b], z)[0, 0])
    assert found.difference == pytest.approx(kernel(a, y).mean() - kernel(b, z).mean(), rel=1e-12)
    assert found.statistic == pytest.approx(found.difference / error, rel=1e-11)
    assert tuple(found.interval) == pytest.approx((found.difference - Z * error, found.difference + Z * error))
    assert found.n == ((13, 17), (9, 21))


@pytest.mark.parametrize("band", [{"fpr": (0, 0.3)}, {"tpr": (0.6, 1)}])
def test_partial_areas_by_the_bootstrap_and_by_their_variance(band):
    """Two roads that agree in the limit: at 150 and 150 rows, within 15 % (the bootstrap's own error is 2 %)."""
    xs, y = rows(9, (150, 150), levels=1000)
    by_placements = rp.auc_test(xs[2], xs[0], y, **band)
    by_resamples = rp.auc_test(xs[2], xs[0], y, method="bootstrap", **band)
    assert by_placements.difference == pytest.approx(by_resamples.difference, rel=1e-12)
    assert by_placements.statistic == pytest.approx(by_resamples.statistic, rel=0.15)
    assert tuple(by_placements.interval) == pytest.approx(
        tuple(by_resamples.interval), abs=0.15 * by_resamples.interval.width
    )
    split = y == 1
    for estimate, x in zip(by_placements.estimates, (xs[2], xs[0]), strict=True):
        roc = rp.EmpiricalRoc(negative=x[~split], positive=x[split])
        assert estimate == pytest.approx(roc.partial_auc(**band), rel=1e-12)


def test_tpr_at_fpr_is_that_of_the_curves():
    xs, y = rows(2, (40, 50), levels=1000)
    found = rp.auc_test(xs[2], xs[0], y, tpr_at_fpr=0.2)
    heights = [rp.empirical_roc(x, y).tpr_at_fpr(0.2) for x in (xs[2], xs[0])]
    assert found.estimates == pytest.approx(tuple(heights), rel=1e-14)
    assert "bootstrap" in found.method
    assert found.difference in found.interval


# ---- a claim against a margin


@pytest.mark.parametrize("margin", [0.02, 0.1, 0.3])
def test_noninferior_and_equivalent_follow_the_interval(margin):
    """p < .05 exactly when the 90 % interval lies above -margin, or inside (-margin, margin)."""
    for seed in range(6):
        xs, y = rows(seed, (60, 60))
        low, high = rp.auc_test(xs[0], xs[1], y, level=0.9).interval
        options = {"margin": margin, "level": 0.9}
        noninferior = rp.auc_test(xs[0], xs[1], y, alternative="noninferior", **options)
        equivalent = rp.auc_test(xs[0], xs[1], y, alternative="equivalent", **options)
        assert (noninferior.p_value < 0.05) == (low > -margin)
        assert (equivalent.p_value < 0.05) == (low > -margin and high < margin)
        assert equivalent.p_value >= noninferior.p_value - 1e-15


def test_one_curve_against_a_value_with_a_margin():
    xs, y = rows(7, (60, 60))
    for null, margin in ((0.7, 0.05), (0.6, 0.3), (0.8, 0.2)):
        low, high = rp.auc_test(xs[2], None, y, level=0.9).interval
        noninferior, equivalent = (
            rp.auc_test(xs[2], None, y, null=null, alternative=alternative, margin=margin)
            for alternative in ("noninferior", "equivalent")
        )
        assert (noninferior.p_value < 0.05) == (low > null - margin)
        assert (equivalent.p_value < 0.05) == (null - margin < low and high < null + margin)


def test_margin_of_a_partial_area_is_in_its_own_unit():
    """The areas in a band of width 0.2 differ by 0.2 at most: a margin of 0.1 is a wide one, of 0.5 wider than all."""
    xs, y = rows(3, (60, 60), levels=1000)
    low = rp.auc_test(xs[0], xs[1], y, fpr=(0, 0.2), level=0.9).interval.low
    for margin in (0.01, 0.05, 0.1):
        found = rp.auc_test(xs[0], xs[1], y, fpr=(0, 0.2), alternative="noninferior", margin=margin)
        assert (found.p_value < 0.05) == (low > -margin)


def test_hypotheses_in_words():
    """What was tested stands in the result: areas, partial areas, whole curves, distributions."""
    xs, y = rows()
    asked = {
        "AUC of x1 = AUC of x2": {},
        "AUC of x1 <= AUC of x2": {"alternative": "greater"},
        "AUC of x1 <= AUC of x2 - 0.05": {"alternative": "noninferior", "margin": 0.05},
        "partial AUC over FPR 0 to 0.2 of x1 = partial AUC over FPR 0 to 0.2 of x2": {"fpr": (0, 0.2)},
        "TPR at FPR 0.1 of x1 = TPR at FPR 0.1 of x2": {"tpr_at_fpr": 0.1},
        "x1 and x2 have the same ROC curve": {"method": "venkatraman", "n_resamples": 50},
    }
    for null, options in asked.items():
        assert rp.auc_test(xs[0], xs[1], y, **options).null == null
    found = rp.auc_test(xs[0], None, y, method="exact")
    assert "distribution" in found.null
    assert "partial" not in rp.auc_test(xs[0], xs[1], y).estimator


# ---- degenerate data

PAIRED = ("delong", "bootstrap", "permutation", "venkatraman")


@pytest.mark.parametrize("method", PAIRED)
@pytest.mark.parametrize("other", [lambda x: x, np.exp, lambda x: 1e6 * x - 3], ids=["itself", "exp", "affine"])
def test_a_curve_against_itself(other, method):
    """p is 1, with a flag, and the interval is of some width: 30 cases do not prove equality."""
    xs, y = rows()
    found = rp.auc_test(xs[1], other(xs[1]), y, method=method, n_resamples=100)
    assert (found.p_value, found.difference, found.statistic) == (1, 0, 0)
    assert "same_curve" in found.flags
    assert -1 < found.interval.low < -1e-3
    assert 1e-3 < found.interval.high < 1
    many = rp.auc_test_many([xs[1], other(xs[1]), xs[1]], y)
    assert (many.p_value, many.df) == (1, 0)
    assert "same_curve" in many.flags


def test_a_curve_against_itself_with_a_margin():
    """Noninferior with the confidence that 8 cases without a difference give: (1 - margin)^4, and no less."""
    for alternative in ("noninferior", "equivalent"):
        found = rp.auc_test(np.arange(8.0), np.arange(8.0), Y, alternative=alternative, margin=0.1)
        assert found.p_value == pytest.approx(0.9**4, rel=1e-12)


@pytest.mark.parametrize("method", PAIRED)
def test_no_variance_but_different_curves(method):
    """A perfect feature against its negation: the difference of 1 is seen, and p is neither 0 nor 1 nor NaN."""
    x = np.arange(8.0)
    found = rp.auc_test(x, -x, Y, method=method, n_resamples=200)
    assert found.difference == 1
    assert 0 < found.p_value < 0.2  # 4 + 4 cases bound it at 2/2^4
    assert found.interval.width > 0.05
    assert "same_curve" not in found.flags
    assert {"fallback", "opposite_directions"} <= {*found.flags}


@pytest.mark.parametrize("features", [[1, -1], [1, -1, 1], [1, 1, -1, -1]])
def test_many_curves_without_variance_but_different(features):
    """Areas of 1 and 0 are not "the same curve" with p = 1, because no case varies."""
    found = rp.auc_test_many([sign * np.arange(8.0) for sign in features], Y)
    assert {*found.estimates} == {0, 1}
    assert found.p_value < 0.1
    assert "same_curve" not in found.flags


def test_no_variance_claims_no_more_than_an_exact_test_could():
    """8 cases whose ranks may be exchanged give p = 2/2^8 at the least: a variance that nobody saw, not less."""
    found = rp.auc_test(np.arange(8.0), -np.arange(8.0), Y, method="delong")
    assert "fallback" in found.flags
    assert found.p_value >= 2 / 2**8


def test_many_curves_of_few_clusters_claim_little():
    """100 null samples of 4 clusters and 3 curves: a p of 1e-6 or less comes up once in 10,000 runs of this test."""
    rng = np.random.default_rng(4)
    clusters, y = np.repeat(np.arange(4), 6), np.tile([0, 0, 0, 1, 1, 1], 4)
    for _ in range(100):
        xs = [rng.normal(size=24) + y + rng.normal(size=4)[clusters] for _ in range(3)]
        assert rp.auc_test_many(xs, y, clusters=clusters).p_value > 1e-6


def test_many_curves_of_which_two_differ_without_variance():
    """The difference between the areas of 1 and 0 must not drop out of the omnibus beside a third curve."""
    x, noisy = np.arange(8.0), np.array([1, 3, 2, 4, 5, 2, 3, 7.0])
    found = rp.auc_test_many([x, -x, noisy], Y)
    assert found.df == 2
    assert found.p_value < 0.2  # by Hotelling's F with 3 degrees of freedom behind the covariances


@pytest.mark.parametrize("method", PAIRED)
@pytest.mark.parametrize(
    "y", [[0, 1, 1, 1, 1], [0, 0, 0, 0, 1], [0, 1], [0, 0, 1, 1]], ids=["1 v 4", "4 v 1", "1 v 1", "2 v 2"]
)
def test_paired_test_of_few_cases(y, method):
    """No NaN, no width of 0, p inside (0, 1]; a class of one case says so."""
    y = np.array(y)
    for x1, x2 in ((np.arange(len(y)), np.arange(len(y))[::-1]), (np.arange(len(y)), np.sin(9 * np.arange(len(y))))):
        found = rp.auc_test(x1, x2, y, method=method, n_resamples=100)
        assert 0 < found.p_value <= 1
        assert np.isfinite([found.difference, *found.interval]).all()
        assert -1 <= found.interval.low < found.interval.high <= 1
        if min(np.sum(y), np.sum(1 - y)) == 1 and "same_curve" not in found.flags:
            assert {"single_observation", "fallback"} & {*found.flags}


@pytest.mark.parametrize("method", ["smoothed-logit", "delong", "mann-whitney", "exact"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_one_curve_of_degenerate_data(method, alternative):
    """p inside (0, 1] whatever comes; against 1/2 a constant feature has p of 1 and not 0."""
    cases = {
        "separated": (np.arange(8.0), Y),
        "reversed": (-np.arange(8.0), Y),
        "constant": (np.ones(8), Y),
        "one positive": (np.arange(5.0), np.array([0, 0, 0, 0, 1])),
        "one of each": (np.array([0.0, 1.0]), np.array([0, 1])),
        "infinite": (np.array([-np.inf, 0, np.inf, np.inf]), np.array([0, 1, 0, 1])),
    }
    for name, (x, y) in cases.items():
        found = rp.auc_test(x, None, y, method=method, alternative=alternative)
        assert 0 < found.p_value <= 1, name
        assert np.isfinite(found.interval.low), name
        assert found.interval.width > 1e-3, name
        if name == "constant":
            assert found.p_value == (
                1 if alternative == "two-sided" or method == "exact" else pytest.approx(found.p_value)
            )
            assert found.p_value >= 0.5


@pytest.mark.parametrize("method", ["smoothed-logit", "delong"])
@pytest.mark.parametrize("sign", [1, -1])
def test_null_at_the_very_estimate_is_never_rejected(sign, method):
    """An area of 1 against 1, or of 0 against 0: the data could not agree better, so that p is not small."""
    found = rp.auc_test(sign * np.arange(8.0), None, Y, null=max(0, sign), method=method)
    assert found.difference == 0
    assert found.p_value > 0.05


@pytest.mark.parametrize(("null", "expected"), [(0.0, 0.05), (1.0, 0.05)])
def test_null_at_the_ends_of_a_curve_between(null, expected):
    """An area between 0 and 1 refutes both ends; p stays a number, and the statistic has the sign of the difference."""
    xs, y = rows()
    found = rp.auc_test(xs[2], None, y, null=null)
    assert 0 <= found.p_value < expected
    assert np.sign(found.statistic) == np.sign(found.difference)


def test_clusters_that_cancel():
    """Each cluster has a negative and a positive that move together: the sum of their parts varies hardly or not.

    The area is the same whatever cluster is left out, nearly: a variance about 0 must not become NaN, a z of 1e7 or
    an interval of no width.
    """
    x = np.concatenate([np.arange(10.0), np.arange(10) + 0.5])
    y, clusters = np.repeat([0, 1], 10), np.tile(np.arange(10), 2)
    for method in ("smoothed-logit", "delong"):
        found = rp.auc_test(x, None, y, clusters=clusters, method=method)
        assert found.estimates[0] == pytest.approx(0.55, rel=1e-14)
        assert 0 < found.p_value <= 1, method
        assert found.interval.width > 1e-3, method
    against = rp.auc_test(x, x + 0.1 * np.sin(x), y, clusters=clusters)
    assert 0 < against.p_value <= 1
    assert against.interval.width > 1e-3


@pytest.mark.parametrize("seed", range(20))
def test_clustered_variances_are_never_negative(seed):
    """Few clusters, all sorts of them, one class within a single one of them: no NaN anywhere."""
    rng = np.random.default_rng(seed)
    y = rng.permutation([0, 0, 0, 0, 1, 1, 1, 1, 1])
    clusters = np.where(y == 1, 0, rng.integers(0, 3, 9)) if seed % 2 else rng.integers(0, 3, 9)
    base = rng.normal(size=3)[clusters]
    xs = [3 * base + y + 0.1 * rng.normal(size=9) for _ in range(2)]
    covariance = rp.auc_test_many(xs, y, clusters=clusters).covariance
    assert (np.diag(covariance) >= -1e-15).all()
    for x2 in (None, xs[1]):
        found = rp.auc_test(xs[0], x2, y, clusters=clusters)
        assert 0 < found.p_value <= 1
        assert np.isfinite([*found.interval]).all()
        assert found.interval.width > 0


def test_constant_feature_of_very_many_rows():
    """Tie corrections of 300,007 rows and of fractional weights round to anything but NaN."""
    y = np.arange(300_007) % 2
    assert rp.auc_test(np.ones(300_007), None, y, method="mann-whitney").p_value == 1
    for seed in range(20):
        weights = np.random.default_rng(seed).uniform(0.5, 2, 8)
        found = rp.auc_test(np.ones(8), None, Y, weights=weights, method="mann-whitney")
        assert found.p_value == pytest.approx(1, abs=1e-6)


# ---- a curve asked for itself


def test_test_of_a_curve_is_the_test_of_its_rows():
    """``roc.auc_test`` and ``rp.auc_test`` of the same rows give the same p and the same interval."""
    xs, y = rows()
    for method in ("smoothed-logit", "delong", "mann-whitney", "exact"):
        for direction in (None, "lower"):
            ours = rp.empirical_roc(xs[0], y, direction=direction).auc_test(method=method)
            other = rp.auc_test(xs[0], None, y, method=method, direction=direction)
            assert (ours.p_value, *ours.interval, ours.n) == (other.p_value, *other.interval, other.n)


def test_test_of_a_prediction_agrees_with_its_interval():
    """p < .05 exactly when the null lies outside the default interval."""
    roc = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(12, 9))
    low, high = roc.auc_interval()
    for null in (low - 1e-6, low + 1e-6, high - 1e-6, high + 1e-6):
        assert (roc.auc_test(null=null).p_value < 0.05) == (not low <= null <= high)
    for null in (0.0, 1.0):
        found = roc.auc_test(null=null)
        assert 0 <= found.p_value < 0.05
        assert np.sign(found.statistic) == np.sign(found.difference)


def test_test_of_a_prediction_without_spread():
    """Equal point masses against 1/2: nothing is known, so nothing is rejected."""
    found = rp.PredictedRoc.from_stats(mean=(1, 1), std=(0, 0), count=(4, 4)).auc_test()
    assert found.p_value > 0.05
    perfect = rp.PredictedRoc.from_stats(mean=(0, 1), std=(0, 0), count=(4, 4)).auc_test(null=1)
    assert perfect.p_value > 0.05


# ---- ROC objects

RESAMPLED = {"n_resamples": 60, "rng": 3}
ANSWERS = [
    {},
    {"fpr": (0, 0.3)},
    {"tpr": (0.7, 1)},
    {"tpr_at_fpr": 0.2, **RESAMPLED},
    {"method": "bootstrap", **RESAMPLED},
    {"method": "permutation", **RESAMPLED},
    {"method": "venkatraman", **RESAMPLED},
    {"alternative": "noninferior", "margin": 0.1},
]


def assert_same_test(found, expected):
    for name in ("estimates", "difference", "statistic", "p_value", "interval", "n", "omitted", "direction"):
        assert getattr(found, name) == getattr(expected, name), name
    assert found.covariance.tolist() == expected.covariance.tolist()
    assert found.method == expected.method


@pytest.mark.parametrize("options", ANSWERS)
def test_curves_of_the_same_labels_are_tested_as_their_features_are(options):
    """From the same object or the same memory they are paired; of two samples they are not: to the bit."""
    xs, y = rows()
    roc1, roc2, viewed = rp.empirical_roc(xs[0], y), rp.empirical_roc(xs[1], y), rp.empirical_roc(xs[1], y[:])
    for other in (roc2, viewed):
        assert_same_test(rp.auc_test(roc1, other, **options), rp.auc_test(xs[0], xs[1], y, **options))
    unpaired = rp.auc_test(roc1, roc2, paired=False, **options)
    assert_same_test(unpaired, rp.auc_test((xs[0], y), (xs[1], y), **options))
    assert "pairing_unknown" not in unpaired.flags


def test_rows_of_curves_are_matched():
    """Directions, weights and rows without a value: as of the features themselves."""
    xs, y = rows(sizes=(40, 50))
    lacking = [np.where(np.arange(90) % k, x, np.nan) for k, x in zip((5, 7), xs, strict=False)]
    cases = [
        (lacking, {"nan_policy": "omit"}),
        ((-xs[0], xs[1]), {"direction": ("lower", "higher")}),
        (xs[:2], {"weights": np.arange(90) % 3}),
        (xs[:2], {"weights": np.arange(90) / 30 + 0.2}),
        (lacking, {"nan_policy": "omit", "weights": np.arange(90) % 3 + 1}),
    ]
    for pair, options in cases:
        sides = options.get("direction", (None, None))
        rocs = [rp.empirical_roc(x, y, **(options | {"direction": side})) for x, side in zip(pair, sides, strict=True)]
        assert_same_test(rp.auc_test(*rocs), rp.auc_test(*pair, y, **options))
    third = np.where(np.arange(90) % 9 == 0, 2, y)
    rocs = [rp.empirical_roc(x, third, positive=1, negative=0) for x in xs[:2]]
    assert_same_test(rp.auc_test(*rocs), rp.auc_test(*xs[:2], third, positive=1, negative=0))


def test_pairing_that_is_not_known_is_flagged():
    """Equal labels may be of other cases: unpaired, and flagged; other numbers of cases: unpaired."""
    xs, y = rows()
    roc1, roc2 = rp.empirical_roc(xs[0], y), rp.empirical_roc(xs[1], y.copy())
    found = rp.auc_test(roc1, roc2)
    assert (found.method, list(found.flags)) == ("DeLong, unpaired", ["pairing_unknown"])
    paired = rp.auc_test(xs[0], xs[1], y)
    assert_same_test(rp.auc_test(roc1, roc2, paired=True), paired)
    plain = [rp.EmpiricalRoc(x[y == 0], x[y == 1]) for x in xs[:2]]
    assert "pairing_unknown" in rp.auc_test(*plain).flags
    for pair in (plain, (plain[0], roc2)):  # matched by their order within the classes
        assert rp.auc_test(*pair, paired=True).p_value == pytest.approx(paired.p_value, rel=1e-12)
    halves = [np.where(np.arange(30) % 2 == k, xs[0], np.nan) for k in (0, 1)]
    apart = rp.auc_test(*(rp.empirical_roc(half, y, nan_policy="omit") for half in halves))
    assert (apart.method, list(apart.flags)) == ("DeLong, unpaired", [])  # no row is in both
    fewer = rp.auc_test(roc1, rp.empirical_roc(xs[1][:20], y[:20]))
    assert fewer.method == "DeLong, unpaired"
    assert "pairing_unknown" not in fewer.flags
    with pytest.raises(rp.RocPredictError, match="same cases in the same order"):
        rp.auc_test(roc1, rp.empirical_roc(xs[1][::-1], y[::-1]), paired=True)


def test_a_curve_keeps_its_cases_where_it_goes():
    """Pickled together curves stay paired; their cases make no two curves different."""
    xs, y = rows()
    rocs = [rp.empirical_roc(x, y) for x in xs[:2]]
    assert rp.auc_test(*pickle.loads(pickle.dumps(rocs))).method == "DeLong, paired"
    assert rocs[0] == rp.empirical_roc(xs[0], y.copy()) == rp.EmpiricalRoc(xs[0][y == 0], xs[0][y == 1])
    listed = [rp.empirical_roc(x, (label for label in y)) for x in xs[:2]]
    assert "pairing_unknown" in rp.auc_test(*listed).flags


def test_predicted_curves_have_their_own_standard_errors():
    """Two published curves, a published one and an empirical one: z of the difference, variances added."""
    xs, y = rows(sizes=(40, 50))
    one = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
    two = rp.PredictedRoc.from_stats(mean=(4, 7), std=(3, 2), count=(80, 40))
    fitted, empirical = rp.predict_roc(xs[0], y, family="logistic"), rp.empirical_roc(xs[1], y)
    named = {"delta": (one, two), "delta and DeLong": (one, fitted), "DeLong": (fitted, empirical)}
    for method, (roc1, roc2) in named.items():
        found = rp.auc_test(roc1, roc2)
        errors = [roc.auc_std_error() for roc in (roc1, roc2)]
        assert found.method == f"{method}, unpaired"
        assert found.estimates == (roc1.auc(), roc2.auc())
        assert found.statistic == pytest.approx((roc1.auc() - roc2.auc()) / np.hypot(*errors), rel=1e-12)
        assert found.covariance == pytest.approx(np.diag(np.square(errors)), rel=1e-12)
        assert found.interval.width == pytest.approx(2 * Z * np.hypot(*errors), rel=1e-9)
    partial = rp.auc_test(one, two, fpr=(0, 0.2))
    errors = [roc.partial_auc_std_error(fpr=(0, 0.2)) for roc in (one, two)]
    assert partial.estimates == pytest.approx([roc.partial_auc(fpr=(0, 0.2)) for roc in (one, two)], rel=1e-12)
    assert partial.statistic == pytest.approx(partial.difference / np.hypot(*errors), rel=1e-9)
    assert "pairing_unknown" in rp.auc_test(fitted, empirical).flags
    assert "pairing_unknown" not in rp.auc_test(one, two).flags


def test_predicted_curves_without_spread_are_not_certain():
    sure = rp.PredictedRoc.from_stats(mean=(0, 1), std=(0, 0), count=(6, 4))
    other = rp.PredictedRoc.from_stats(mean=(4, 7), std=(3, 2), count=(80, 40))
    for pair in ((sure, sure), (sure, other)):
        found = rp.auc_test(*pair)
        assert found.p_value > 0.05
        assert found.interval.width > 0.1
        assert "fallback" in found.flags


@pytest.mark.parametrize("null", [None, 0.7])
def test_one_curve_is_tested_as_by_its_method(null):
    xs, y = rows()
    for roc in (rp.empirical_roc(xs[0], y), rp.predict_roc(xs[0], y)):
        assert_same_test(rp.auc_test(roc, None, null=null), roc.auc_test(0.5 if null is None else null))


def test_covariance_of_every_test():
    """That of the estimates, of pairs of auc_test_many too; its difference has the variance of the test."""
    xs, y = rows()
    many = rp.auc_test_many(xs, y)
    assert many.covariance == pytest.approx(delong_covariance(xs, y), rel=1e-12)
    for contrast, (i, j) in zip(many.contrasts, combinations(range(3), 2), strict=True):
        assert contrast.covariance.tolist() == many.covariance[np.ix_([i, j], [i, j])].tolist()
    for found in (rp.auc_test(xs[0], xs[1], y), rp.auc_test((xs[0], y), (xs[1], y))):
        variance = np.array([1, -1]) @ found.covariance @ [1, -1]
        assert found.statistic == pytest.approx(found.difference / np.sqrt(variance), rel=1e-9)
    one = rp.auc_test(xs[0], None, y)
    assert one.covariance == pytest.approx(delong_covariance(xs[:1], y), rel=1e-12)
    height = rp.auc_test(xs[0], xs[1], y, tpr_at_fpr=0.2)
    variance = np.array([1, -1]) @ height.covariance @ [1, -1]
    assert height.statistic == pytest.approx(height.difference / np.sqrt(variance), rel=1e-9)


# ---- error words

XS, LABELS = rows()
ROCS = [rp.empirical_roc(x, LABELS) for x in XS]
W = [np.arange(30) + k for k in (1, 2)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "hanley-mcneil"}, "method='hanley-mcneil'.*delong.*venkatraman"),
        ({"alternative": "larger"}, "alternative='larger'.*greater"),
        ({"level": 95}, "level=95"),
        ({"method": "bootstrap", "n_resamples": 3}, "n_resamples=3.*20"),
        ({"method": "bootstrap", "rng": -4}, "rng=-4 is negative"),
        ({"method": "bootstrap", "clusters": np.arange(30)}, "bootstrap.*clusters="),
        ({"method": "permutation", "strata": np.zeros(30)}, "permutation.*strata="),
        ({"clusters": np.arange(29)}, r"clusters has shape \(29,\).*30 rows"),
        ({"clusters": np.full(30, np.nan)}, "clusters has 30 missing"),
        ({"strata": np.arange(3)}, r"strata has shape \(3,\)"),
        ({"strata": LABELS}, "strata.*both classes"),
        ({"strata": LABELS, "clusters": LABELS}, "clusters= and strata= do not go together"),
        ({"weights": np.ones(4)}, r"weights has shape \(4,\)"),
        ({"weights": -np.ones(30)}, "weights.*negative"),
        ({"weights": np.full(30, 0.01)}, "weights of the negative class"),
        ({"weights": np.full(30, 1.5), "method": "permutation"}, "permutation.*weights"),
        ({"weights": np.full(30, 1.5), "method": "bootstrap"}, "weights.*whole"),
        ({"null": 0.7}, "null=.*x2=None"),
        ({"margin": 0.1}, "'two-sided' takes no margin"),
        ({"alternative": "noninferior"}, "'noninferior' needs margin"),
        ({"alternative": "equivalent", "margin": 0}, r"margin=0 .*\(0, 1\)"),
        ({"alternative": "equivalent", "margin": -0.1}, r"margin=-0.1"),
        ({"alternative": "equivalent", "margin": 5}, r"margin=5"),
        ({"alternative": "equivalent", "margin": np.nan}, r"margin=nan"),
        ({"tpr_at_fpr": 0.1, "method": "delong"}, "tpr_at_fpr=.*bootstrap.*'delong'"),
        ({"tpr_at_fpr": 10}, "tpr_at_fpr=10.*percent"),
        ({"tpr_at_fpr": 0.1, "fpr": (0, 0.1)}, "fpr= and tpr_at_fpr= do not go together"),
        ({"fpr": (0, 0.1), "tpr": (0.9, 1)}, "fpr= and tpr= do not go together"),
        ({"fpr": (0.2, 0.2)}, "empty range"),
        ({"fpr": (0, 0.2), "method": "venkatraman"}, "venkatraman.*whole curves"),
        ({"method": "venkatraman", "alternative": "greater"}, "venkatraman.*two-sided"),
        ({"method": "permutation", "alternative": "noninferior", "margin": 0.1}, "permutation.*'noninferior'"),
        ({"direction": "up"}, "direction='up'"),
        ({"direction": ("higher",)}, r"direction=\('higher',\).*2 curves"),
        ({"direction": ("higher", "auto")}, "direction='auto'"),
        ({"direction": 5}, "direction=5"),
        ({"nan_policy": "drop"}, "nan_policy='drop'"),
    ],
)
def test_error_words_of_two_curves(options, words):
    """Each names the argument, what came, and what is allowed."""
    with pytest.raises(rp.RocPredictError, match=words):
        rp.auc_test(XS[0], XS[1], LABELS, **options)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: rp.auc_test(XS[0], XS[1][1:], LABELS), "x2 has 29 rows"),
        (lambda: rp.auc_test(XS[0], None, LABELS, null=70), "null=70.*percent"),
        (lambda: rp.auc_test(XS[0], None, LABELS, method="bootstrap"), "method='bootstrap'.*exact"),
        (lambda: rp.auc_test(XS[0], None, LABELS, fpr=(0, 0.1)), "one curve.*fpr="),
        (lambda: rp.auc_test(XS[0], None, LABELS, tpr_at_fpr=0.1), "one curve.*tpr_at_fpr="),
        (lambda: rp.auc_test(XS[0], None, LABELS, method="exact", null=0.6), "null=0.5"),
        (lambda: rp.auc_test(XS[0], None, LABELS, method="mann-whitney", clusters=np.arange(30)), "clusters="),
        (lambda: rp.auc_test(XS[0], None, LABELS, method="exact", weights=np.full(30, 1.5)), "exact.*whole weights"),
        (lambda: rp.auc_test(np.arange(300), None, np.arange(300) % 2, method="exact"), "300 cases.*mann-whitney"),
        (lambda: rp.auc_test(XS[2], -XS[2], LABELS, direction="auto"), "auto.*opposite.*'higher', 'lower'"),
        (lambda: rp.auc_test((XS[2], LABELS), (-XS[2], LABELS), direction="auto"), "auto.*opposite"),
        (lambda: rp.auc_test(XS[0], (XS[1], LABELS)), "x1=.*pair"),
        (lambda: rp.auc_test((XS[0], LABELS), (XS[1], LABELS), method="exact"), "method='exact'"),
        (lambda: rp.auc_test((XS[0], LABELS), (XS[1], LABELS), direction=("up", "up")), "direction='up'"),
        (lambda: rp.auc_test((XS[0], LABELS), (XS[1], LABELS), direction=5), "direction=5"),
        (lambda: rp.auc_test(XS[0], XS[1]), "x1=.*pair.*two ROCs"),
        (lambda: rp.auc_test(XS[0], XS[1], LABELS, paired=False), "paired=False.*x1, y1"),
        (lambda: rp.auc_test((XS[0], LABELS), (XS[1], LABELS), paired=True), r"paired=True.*x1, x2, y"),
        (lambda: rp.auc_test(XS[0], None, LABELS, paired=True), "paired= is for two curves"),
        (lambda: rp.auc_test(XS[0], XS[1], LABELS, paired="yes"), "paired='yes'"),
        (lambda: rp.auc_test(ROCS[0], XS[1]), "x2=.*no ROC"),
        (lambda: rp.auc_test(*ROCS[:2], LABELS), "leave y= out"),
        (lambda: rp.auc_test(*ROCS[:2], positive=1), "leave positive= out"),
        (lambda: rp.auc_test(*ROCS[:2], clusters=np.arange(30)), "leave clusters= out"),
        (lambda: rp.auc_test(*ROCS[:2], null=0.7), "null= is for one curve"),
        (lambda: rp.auc_test(ROCS[0], None, fpr=(0, 0.1)), "one curve.*fpr="),
        (lambda: rp.auc_test(ROCS[0], rp.empirical_roc(XS[1], LABELS, positive=0)), r"same cases.*\(17, 13\)"),
        (
            lambda: rp.auc_test(*(rp.empirical_roc(x, LABELS, weights=w) for x, w in zip(XS, W, strict=False))),
            "weights",
        ),
        (lambda: rp.auc_test(rp.predict_roc(XS[0], LABELS), ROCS[1], paired=True), "paired=True.*empirical"),
        (lambda: rp.auc_test(rp.predict_roc(XS[0], LABELS), ROCS[1], method="bootstrap"), "method='bootstrap'.*delta"),
        (lambda: rp.auc_test(rp.predict_roc(XS[0], LABELS), ROCS[1], tpr_at_fpr=0.1), "tpr_at_fpr=.*empirical"),
        (lambda: rp.auc_test(ROCS[0], rp.PredictedRoc.from_stats(mean=(0, 1), std=(1, 1))), "count="),
        (lambda: rp.auc_test(*(rp.empirical_roc(x, LABELS, direction="auto") for x in (XS[2], -XS[2]))), "opposite"),
        (lambda: rp.auc_estimate(XS[0], LABELS, groups=LABELS, strata=LABELS), "groups= goes without strata="),
        (lambda: rp.auc_test_many([XS[0]], LABELS), "1 curves.*two or more"),
        (lambda: rp.auc_test_many(XS, LABELS, contrasts=[1, -1]), "contrasts has shape"),
        (lambda: rp.auc_test_many(XS, LABELS, contrasts=[1, 1, 1]), "contrasts do not sum to 0"),
        (lambda: rp.auc_test_many(XS, LABELS, contrasts=[0, 0, 0]), "contrasts"),
        (lambda: rp.auc_test_many(XS, LABELS, contrasts=[1, -1, np.nan]), "contrasts"),
        (lambda: rp.auc_test_many(XS, LABELS, direction="auto", strata=LABELS), "strata"),
        (lambda: rp.auc_test_many([], LABELS), "features"),
        (lambda: rp.PredictedRoc.from_stats(mean=(0, 1), std=(1, 1)).auc_test(), "count="),
        (
            lambda: rp.PredictedRoc.from_stats(mean=([0, 0], [1, 2]), std=(1, 1), count=(9, 9)).auc_test(),
            "batch|features|one",
        ),
    ],
)
def test_error_words_of_other_tests(ask, words):
    """Each names the argument, what came, and what is allowed."""
    with pytest.raises(rp.RocPredictError, match=words):
        ask()


@pytest.mark.parametrize("method", ["permutation", "venkatraman"])
def test_exchanges_refuse_weights_that_are_not_whole(method):
    """What is exchanged is a case: fractional weights are refused in both kinds of test, never silently left out."""
    weights = np.full(30, 1.5)
    with pytest.raises(rp.RocPredictError, match="whole weights only"):
        rp.auc_test(XS[0], XS[1], LABELS, method=method, weights=weights)
    with pytest.raises(rp.RocPredictError, match="whole weights only"):
        rp.auc_test((XS[0], LABELS), (XS[1], LABELS), method=method, weights=(weights, None))
