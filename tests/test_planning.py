"""Planning: the published example, minimality by brute force, and studies simulated at the planned size.

Every random test is seeded; its chance to fail, had the seed been another one, is stated with it.
"""

import json
from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

import rocpredict as rp
from rocpredict import Gaussian, PredictedRoc, RocPredictError
from rocpredict.base.formatting import to_json
from rocpredict.planning import auc_variances, difference_variances, sample_size, tpr_variances

PAPER = {"mean": (4, 8), "std": (3, 2)}
Z = stats.norm.ppf(0.975)


def _counts(found):
    """Give what each method plans, the chosen one among them."""
    return {it.method: (it.n_negative, it.n_positive) for it in (found, *found.other_methods)}


# ---- independent formulas
def _orthant(h, k, correlation):
    return stats.multivariate_normal.cdf([h, k], cov=[[1, correlation], [correlation, 1]])


def _variance(method, n0, n1, mean, std):
    """Give the variance of an AUC, written out from the sources."""
    (m0, m1), (s0, s1) = mean, std
    total = s0**2 + s1**2
    d = (m1 - m0) / np.sqrt(total)
    a = ndtr(d)
    if method == "obuchowski":
        square, ratio = 2 * ndtri(a) ** 2, n0 / n1
        return 0.0099 * np.exp(-square / 2) * ((5 * square + 8) + (square + 8) / ratio) / n1
    if method == "delta":
        spread = (s0**2 / n0 + s1**2 / n1) / total
        spread += d**2 / (2 * total**2) * (s0**4 / (n0 - 1) + s1**4 / (n1 - 1))
        return stats.norm.pdf(d) ** 2 * spread
    q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
    if method == "exact":
        q1, q2 = _orthant(d, d, s0**2 / total), _orthant(d, d, s1**2 / total)
    return (a * (1 - a) + (n1 - 1) * (q1 - a * a) + (n0 - 1) * (q2 - a * a)) / (n0 * n1)


def _aucs(negative, positive):
    """Give the empirical AUC of every row: no ties."""
    return (positive[:, :, None] > negative[:, None, :]).mean(axis=(1, 2))


def _placements(negative, positive):
    below = (positive[:, None] > negative).astype(float)
    return below.mean(axis=1), below.mean(axis=0)


def test_the_worked_example_of_four_formulas():
    """Half-width 0.02 about AUC 0.866: as published for one negative per positive, and for half as many."""
    even, half = sample_size(**PAPER, width=0.04), sample_size(**PAPER, width=0.04, ratio=0.5)
    assert {name: n[1] for name, n in _counts(even).items()} == {
        "exact": 634,
        "delta": 605,
        "hanley-mcneil": 648,
        "obuchowski": 855,
    }
    assert {name: n[1] for name, n in _counts(half).items() if name != "delta"} == {
        "exact": 1103,
        "hanley-mcneil": 780,
        "obuchowski": 1145,
    }
    # 1046 where half a negative can be had; 523 whole negatives instead of 522.5 spare one positive
    assert _counts(half)["delta"] == (523, 1045)
    assert 2 * Z * np.sqrt(_variance("delta", 1045 / 2, 1045, **PAPER)) > 0.04
    assert 2 * Z * np.sqrt(_variance("delta", 1046 / 2, 1046, **PAPER)) < 0.04


def test_power_by_obuchowskis_formula_as_proc_reports_it():
    """pROC 1.18's documented test value: power.roc.test(ncases=41, ncontrols=72, auc=0.73)$power is 0.9897453.

    The paper prints 1.414 for the root of 2, and pROC follows: the rest of 1.2e-6 is that rounding.
    """
    found = sample_size(auc=0.73, power=0.9897, against=0.5, ratio=72 / 41, method="obuchowski")
    assert (found.n_negative, found.n_positive) == (72, 41)
    assert found.achieved == pytest.approx(0.9897453, abs=2e-6)


@pytest.mark.parametrize("method", ["exact", "delta", "hanley-mcneil", "obuchowski"])
@pytest.mark.parametrize("ratio", [1, 0.3, 2.5])
@pytest.mark.parametrize("std", [(3, 2), (1, 4)])
def test_the_numbers_are_the_smallest_for_a_width(method, ratio, std):
    """No smaller number of positives meets the goal, by formulas of the test's own; the planned one does."""
    settings = {"mean": (4, 8), "std": std}
    found = sample_size(**settings, width=0.15, ratio=ratio, method=method)

    def width(n):
        return 2 * Z * np.sqrt(_variance(method, max(2, int(np.ceil(ratio * n - 1e-9))), n, **settings))

    assert found.n_negative == int(np.ceil(ratio * found.n_positive - 1e-9))
    assert found.achieved == pytest.approx(width(found.n_positive), rel=1e-6)
    assert found.achieved <= 0.15
    assert all(width(n) > 0.15 for n in range(2, found.n_positive))


@pytest.mark.parametrize("method", ["exact", "delta", "hanley-mcneil", "obuchowski"])
@pytest.mark.parametrize(("against", "alternative"), [(0.5, "two-sided"), (0.6, "greater"), (0.8, "two-sided")])
def test_the_numbers_are_the_smallest_for_a_power(method, against, alternative):
    """As for the width: against 1/2 by Mann-Whitney's null variance, elsewhere by that of moved means."""
    settings = {"mean": (0, 1), "std": (1, 1.5)}
    auc = ndtr(1 / np.sqrt(3.25))
    z = Z if alternative == "two-sided" else stats.norm.ppf(0.95)
    moved = {"mean": (0, ndtri(against) * np.sqrt(3.25)), "std": (1, 1.5)}

    def power(n):
        null = _variance(method, n, n, **moved)
        if method == "exact" and against == 0.5:
            null = (2 * n + 1) / (12 * n * n)
        return ndtr((abs(auc - against) - z * np.sqrt(null)) / np.sqrt(_variance(method, n, n, **settings)))

    found = sample_size(**settings, power=0.8, against=against, alternative=alternative, method=method)
    assert found.achieved == pytest.approx(power(found.n_positive), abs=1e-6)
    assert found.achieved >= 0.8
    assert all(power(n) < 0.8 for n in range(2, found.n_positive))


# ---- two curves
FIRST = PredictedRoc(negative=Gaussian(0, 1), positive=Gaussian(1.5, 2))
SECOND = PredictedRoc(negative=Gaussian(3, 2), positive=Gaussian(4, 1.5))
PAIRED = (0.7, 0.4)


def _covariance(first, second, correlation, counts):
    alone = [auc_variances(roc)["exact"](*counts) for roc in (first, second)]
    return (sum(alone) - difference_variances(first, second, correlation)["exact"](*counts)) / 2


def _draw_paired(rng, runs, n0, n1, correlation=PAIRED):
    """Draw both features of the same cases, class by class."""
    drawn = []
    for n, name, r in ((n0, "negative", correlation[0]), (n1, "positive", correlation[1])):
        one, other = rng.standard_normal((2, runs, n))
        laws = getattr(FIRST, name), getattr(SECOND, name)
        pair = one, r * one + np.sqrt(1 - r * r) * other
        drawn.append([law.mean + law.std * z for law, z in zip(laws, pair, strict=True)])
    (first0, second0), (first1, second1) = drawn
    return (first0, first1), (second0, second1)


def test_the_covariance_of_two_aucs_by_orthants():
    """Each term of the covariance, from bivariate normal probabilities; and the extremes of correlation."""
    (d1, d2), (r0, r1), (n0, n1) = (1.5 / np.sqrt(5), 1 / 2.5), PAIRED, (7, 5)
    spreads = np.sqrt(5), 2.5
    on_negative, on_positive = r0 * 1 * 2 / np.prod(spreads), r1 * 2 * 1.5 / np.prod(spreads)
    product_ = ndtr(d1) * ndtr(d2)
    both, positive, negative = (
        _orthant(d1, d2, r) - product_ for r in (on_negative + on_positive, on_positive, on_negative)
    )
    expected = (both + (n0 - 1) * positive + (n1 - 1) * negative) / (n0 * n1)
    assert _covariance(FIRST, SECOND, PAIRED, (n0, n1)) == pytest.approx(expected, abs=1e-12)
    assert _covariance(FIRST, SECOND, (0, 0), (n0, n1)) == pytest.approx(0, abs=1e-16)
    itself = auc_variances(FIRST)["exact"](n0, n1)
    assert _covariance(FIRST, FIRST, (1, 1), (n0, n1)) == pytest.approx(itself, rel=1e-12)


def test_the_covariance_of_two_aucs_by_simulation():
    """Within 4.5 standard errors of 200,000 drawn studies of 7 and 5 cases, about 2 %; fails once in 10^5 seeds."""
    runs = 200_000
    features = _draw_paired(np.random.default_rng(11), runs, 7, 5)
    one, other = (_aucs(*feature) for feature in features)
    products = (one - FIRST.auc()) * (other - SECOND.auc())
    expected = _covariance(FIRST, SECOND, PAIRED, (7, 5))
    error = products.std() / np.sqrt(runs)
    assert error < 0.02 * expected
    assert abs(products.mean() - expected) < 4.5 * error


def test_the_direction_turns_the_correlation():
    """A feature read the other way round: same AUC, same plan, when its correlation is turned with it."""
    turned = PredictedRoc(negative=Gaussian(-3, 2), positive=Gaussian(-4, 1.5), direction="lower")
    straight = sample_size(FIRST, against=SECOND, power=0.8, correlation=PAIRED)
    found = sample_size(FIRST, against=turned, power=0.8, correlation=(-0.7, -0.4))
    assert (found.n_positive, found.achieved) == (straight.n_positive, straight.achieved)
    lower = PredictedRoc(negative=Gaussian(-4, 3), positive=Gaussian(-8, 2), direction="lower")
    assert sample_size(lower, width=0.05) == sample_size(**PAPER, width=0.05)
    goal = {"width": 0.2, "tpr_at_fpr": 0.1, "method": "delta"}
    assert sample_size(lower, **goal).achieved == pytest.approx(sample_size(**PAPER, **goal).achieved, rel=1e-12)


def test_a_second_curve_with_cases_of_its_own():
    """Independent curves: the variances add, each needs the cases, and all methods have a say."""
    found = sample_size(FIRST, against=SECOND, width=0.1)
    variance = sum(_variance("exact", found.n_negative, found.n_positive, **s) for s in _settings())
    assert found.total == 2 * (found.n_negative + found.n_positive)
    assert found.achieved == pytest.approx(2 * Z * np.sqrt(variance), rel=1e-6)
    assert found.estimate == pytest.approx(FIRST.auc() - SECOND.auc(), abs=1e-15)
    assert list(_counts(found)) == ["exact", "delta", "hanley-mcneil", "obuchowski"]
    same_cases = sample_size(FIRST, against=(SECOND.negative, SECOND.positive), width=0.1, correlation=0)
    assert (same_cases.n_positive, same_cases.total) == (found.n_positive, found.total // 2)
    assert same_cases.other_methods == ()


def _settings():
    return [
        {"mean": (roc.negative.mean, roc.positive.mean), "std": (roc.negative.std, roc.positive.std)}
        for roc in (FIRST, SECOND)
    ]


# ---- other distributions
def test_for_exponential_classes_hanley_and_mcneil_are_exact():
    """Their Q1 and Q2 are those of exponential classes: the exact plan, by quadrature, is theirs."""
    roc = PredictedRoc(negative=stats.expon(scale=2), positive=stats.expon(scale=7))
    found = sample_size(roc, width=0.06)
    assert _counts(found)["exact"] == _counts(found)["hanley-mcneil"]
    spreads = auc_variances(roc)
    for counts in ((2, 2), (5, 40), (400, 31)):
        exact, simple = (spreads[name](*counts) for name in ("exact", "hanley-mcneil"))
        assert exact == pytest.approx(simple, rel=1e-11)


def test_quadrature_agrees_with_the_closed_form():
    """The same two Gaussians as scipy.stats distributions: the same plan."""
    roc = PredictedRoc(negative=stats.norm(4, 3), positive=stats.norm(8, 2))
    found, closed = sample_size(roc, width=0.05), sample_size(**PAPER, width=0.05)
    assert found.achieved == pytest.approx(closed.achieved, rel=1e-12)
    assert list(_counts(found)) == ["exact", "hanley-mcneil", "obuchowski"]


def test_a_pilot_sample_with_ties():
    """The variance at 2 and 2 cases, by listing all samples of that size from the pilot's values."""
    pilot = rp.EmpiricalRoc(negative=[1, 2, 2, 3], positive=[2, 3, 5])
    listed = []
    for *negative, one, other in product([1, 2, 2, 3], [1, 2, 2, 3], [2, 3, 5], [2, 3, 5]):
        pairs = list(product(negative, (one, other)))
        listed.append(np.mean([(p > n) + (p == n) / 2 for n, p in pairs]))
    assert auc_variances(pilot)["exact"](2, 2) == pytest.approx(np.var(listed), rel=1e-12)
    assert sample_size(pilot, width=0.1).estimate == pytest.approx(pilot.auc())


# ---- studies simulated at the planned size
def test_the_planned_width_is_what_studies_find():
    """The mean width of 400 DeLong intervals at the planned size is within 2 % of the goal (6 standard errors)."""
    found = sample_size(**PAPER, width=0.06, ratio=2)
    rng = np.random.default_rng(5)
    widths = []
    for _ in range(400):
        v1, v0 = _placements(rng.normal(4, 3, found.n_negative), rng.normal(8, 2, found.n_positive))
        widths.append(2 * Z * np.sqrt(v1.var(ddof=1) / v1.size + v0.var(ddof=1) / v0.size))
    assert np.std(widths) / np.sqrt(400) < 0.02 * 0.06 / 6
    assert np.mean(widths) == pytest.approx(0.06, rel=0.02)


def test_the_planned_power_is_that_of_mann_whitney():
    """2000 studies reject AUC 1/2 as often as planned, to 4.5 standard errors (1 in 10^5) and 0.005."""
    found = sample_size(mean=(0, 0.5), std=(1, 1.2), power=0.9, against=0.5)
    n, runs = found.n_positive, 2000
    rng = np.random.default_rng(6)
    ranks = stats.rankdata(np.hstack([rng.normal(0.5, 1.2, (runs, n)), rng.normal(0, 1, (runs, n))]), axis=1)
    aucs = (ranks[:, :n].sum(axis=1) - n * (n + 1) / 2) / (n * n)
    rejected = (aucs - 0.5) / np.sqrt((2 * n + 1) / (12 * n * n)) > Z
    assert abs(rejected.mean() - found.achieved) < 4.5 * np.sqrt(0.09 / runs) + 0.005


def test_the_planned_power_is_that_of_delongs_test():
    """600 paired studies: DeLong's test rejects as often as planned, to 4.5 standard errors (1 in 10^5) and 0.01."""
    found = sample_size(FIRST, against=SECOND, power=0.8, correlation=PAIRED)
    rng, runs, rejected = np.random.default_rng(7), 600, 0
    for _ in range(runs):
        features = _draw_paired(rng, 1, found.n_negative, found.n_positive)
        (a1, a0), (b1, b0) = (_placements(low[0], high[0]) for low, high in features)
        variance = np.var(a1 - b1, ddof=1) / a1.size + np.var(a0 - b0, ddof=1) / a0.size
        rejected += abs(a1.mean() - b1.mean()) > Z * np.sqrt(variance)
    assert abs(rejected / runs - found.achieved) < 4.5 * np.sqrt(0.16 / runs) + 0.01


@pytest.mark.parametrize(("method", "tolerance"), [("empirical", 0.03), ("delta", 0.01)])
def test_the_planned_width_of_a_tpr(method, tolerance):
    """20,000 studies: the spread of their TPR at FPR 0.1, to 4.5 of its standard errors (2.3 %) and the tolerance.

    Fails once in 10^5 seeds. The tolerance is for what the large-sample formulas leave out.
    """
    found = sample_size(**PAPER, width=0.14, tpr_at_fpr=0.1, method=method)
    rng, runs, n = np.random.default_rng(8), 20_000, found.n_positive
    tprs = []
    for _ in range(runs // 500):
        low, high = rng.normal(4, 3, (500, found.n_negative)), rng.normal(8, 2, (500, n))
        if method == "empirical":
            tprs.append((high > np.quantile(low, 0.9, axis=1, keepdims=True)).mean(axis=1))
        else:
            at = low.mean(axis=1) + low.std(axis=1, ddof=1) * ndtri(0.9)
            tprs.append(ndtr((high.mean(axis=1) - at) / high.std(axis=1, ddof=1)))
    width = 2 * Z * np.std(np.concatenate(tprs))
    assert width == pytest.approx(found.achieved, rel=4.5 / np.sqrt(2 * runs) + tolerance)
    assert found.estimate == PredictedRoc.from_stats(**PAPER).tpr_at_fpr(0.1)


def test_the_variance_of_a_tpr_written_out():
    """Both formulas with the paper's numbers, and the smallest counts by brute force."""
    x, eta = ndtri(0.1), 2 + 1.5 * ndtri(0.1)
    roc, n0, n1 = PredictedRoc.from_stats(**PAPER), 30, 50
    spreads, tpr = tpr_variances(roc, 0.1), ndtr(eta)
    slope = 1.5 * stats.norm.pdf(eta) / stats.norm.pdf(x)
    by_hand = tpr * (1 - tpr) / n1 + slope**2 * 0.09 / n0
    assert spreads["empirical"](n0, n1) == pytest.approx(by_hand, rel=1e-12)
    of_eta = 1 / n1 + 2.25 / n0 + 2.25 * x * x / (2 * (n0 - 1)) + eta**2 / (2 * (n1 - 1))
    assert spreads["delta"](n0, n1) == pytest.approx(stats.norm.pdf(eta) ** 2 * of_eta, rel=1e-12)
    found = sample_size(roc, width=0.2, tpr_at_fpr=0.1, ratio=0.7)
    enough = [
        2 * Z * np.sqrt(spreads["empirical"](int(np.ceil(0.7 * n - 1e-9)), n)) <= 0.2
        for n in range(3, found.n_positive + 1)
    ]
    assert enough == [False] * (len(enough) - 1) + [True]


# ---- properties and words
def test_a_bare_auc_means_equal_sds():
    """auc= is the plan of Gaussians with equal SDs and this AUC, and says so."""
    found = sample_size(auc=0.8, width=0.1)
    assert found.n_positive == sample_size(mean=(0, np.sqrt(2) * ndtri(0.8)), std=(1, 1), width=0.1).n_positive
    assert "equal SDs" in found.assumptions[0]
    assert found.estimate == pytest.approx(0.8, rel=1e-14)


def test_units_do_not_matter_and_asking_more_never_takes_less():
    """An affine change of unit leaves the plan; a narrower width, more power, more level need no fewer cases."""
    assert sample_size(mean=(-4096, 12288), std=(12288, 8192), width=0.05) == sample_size(
        mean=(0, 4), std=(3, 2), width=0.05
    )
    widths = [sample_size(**PAPER, width=width).n_positive for width in (0.4, 0.2, 0.1, 0.05, 0.01, 0.001)]
    powers = [sample_size(**PAPER, power=power, against=0.8).n_positive for power in (0.1, 0.5, 0.8, 0.99, 0.99999)]
    levels = [sample_size(**PAPER, width=0.1, level=level).n_positive for level in (0.5, 0.8, 0.95, 0.999)]
    for numbers in (widths, powers, levels):
        assert numbers == sorted(numbers)
        assert numbers[0] < numbers[-1]


def test_the_sharpest_goal_is_still_whole_cases():
    """A width of 1e-5 takes ten thousand million positives, and the search ends at the first that will do."""
    found = sample_size(**PAPER, width=1e-5)
    variance = auc_variances(PredictedRoc.from_stats(**PAPER))["exact"]
    assert 2 * Z * np.sqrt(variance(found.n_negative - 1, found.n_positive - 1)) > 1e-5 >= found.achieved
    assert found.n_positive > 10**9


def test_a_plan_says_what_it_rests_on():
    """One line, all numbers in to_dict, and each alternative with its size and its reason."""
    found = sample_size(**PAPER, width=0.04, ratio=0.5)
    assert repr(found) == "SampleSize(n_negative=552, n_positive=1103, total=1655, width=0.0399838, method='exact')"
    assert found.goal == "a 95 % interval of the AUC (0.866371) that is 0.04 wide"
    told = {it.method: it.bias for it in found.other_methods}
    assert told["hanley-mcneil"].startswith("29 % too few: ")
    assert "here the negatives do" in told["hanley-mcneil"]
    assert told["obuchowski"].startswith("4 % too many: ")
    assert told["delta"].startswith("5 % fewer: ")
    named = json.loads(to_json(found.to_dict()))
    assert (named["n_positive"], named["other_methods"][1]["n_positive"]) == (1103, 780)
    assert named["achieved_reference"] == found.achieved
    assert not any("Below 50" in sentence for sentence in found.assumptions)
    assert any("Below 50" in sentence for sentence in sample_size(**PAPER, width=0.3).assumptions)


def test_a_plan_by_another_method_tells_what_it_would_really_give():
    """method= changes the counts, never the reference: 780 positives give 0.0476, not 0.04."""
    found = sample_size(**PAPER, width=0.04, ratio=0.5, method="hanley-mcneil")
    assert (found.n_negative, found.n_positive) == (390, 780)
    assert found.achieved <= 0.04
    assert found.achieved_reference == pytest.approx(0.04757320, abs=1e-7)
    assert found.bias.startswith("29 % too few")
    assert found.other_methods[0].method == "exact"
    assert found.std_error == pytest.approx(found.achieved / (2 * Z), rel=1e-12)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"width": 0.1}, "give one curve"),
        (PAPER | {"auc": 0.7, "width": 0.1}, "give one curve"),
        ({"mean": (4, 8), "width": 0.1}, "mean= goes with std="),
        (PAPER | {"std": None, "auc": 0.7, "width": 0.1}, "mean= goes with std="),
        (PAPER, "give one goal"),
        (PAPER | {"width": 0.1, "power": 0.9, "against": 0.5}, "give one goal"),
        (PAPER | {"width": 1.0}, "width=1.0 is outside the open interval"),
        (PAPER | {"width": 0}, "width=0 is outside the open interval"),
        (PAPER | {"width": (0.1, 0.2)}, "width has shape (2,)"),
        (PAPER | {"power": 0.9}, "power= needs against="),
        (PAPER | {"power": 1.0, "against": 0.5}, "power=1.0 is outside the open interval"),
        (PAPER | {"power": 90, "against": 0.5}, "fractions, not percent"),
        (PAPER | {"power": 0.05, "against": 0.5}, "power=0.05 is no more than 1 - level = 0.05"),
        (PAPER | {"width": 0.1, "against": 0.5}, "width= goes without a null value"),
        (PAPER | {"width": 0.1, "alternative": "greater"}, "alternative='greater' is of a test"),
        (PAPER | {"width": 0.1, "alternative": "less"}, "alternative='less' is not allowed"),
        (PAPER | {"width": 0.1, "level": 95}, "level=95 is outside"),
        (PAPER | {"width": 0.1, "ratio": 0}, "ratio=0 is not a number above 0"),
        (PAPER | {"width": 0.1, "ratio": [1, 2]}, "ratio=[1, 2] is not a number above 0"),
        (PAPER | {"width": 0.1, "correlation": 0.5}, "correlation= needs against= to be a second curve"),
        (PAPER | {"width": 0.1, "against": SECOND, "correlation": 1.5}, "correlation=1.5 is outside [-1, 1]"),
        (PAPER | {"width": 0.1, "against": SECOND, "correlation": (0, 1, 0)}, "is not a pair"),
        (PAPER | {"width": 0.1, "against": (4, 8)}, "against=(4, 8) is not an AUC, a PredictedRoc or two Gaussians"),
        (PAPER | {"power": 0.9, "against": "half"}, "against='half' is not a real number"),
        (PAPER | {"power": 0.9, "against": 1}, "against=1 is outside the open interval"),
        (PAPER | {"power": 0.9, "against": PredictedRoc.from_stats(**PAPER)}, "no number of cases can tell them apart"),
        (PAPER | {"power": 0.9, "against": 0.9, "alternative": "greater"}, "needs an AUC above that of against="),
        ({"auc": 0.5, "power": 0.9, "against": 0.5}, "no number of cases can tell them apart"),
        ({"auc": 1.0, "width": 0.1}, "auc=1.0 is outside the open interval"),
        (PAPER | {"width": 0.1, "tpr_at_fpr": 0}, "tpr_at_fpr=0 is outside"),
        (PAPER | {"power": 0.9, "against": 0.5, "tpr_at_fpr": 0.1}, "tpr_at_fpr= is planned for by width= alone"),
        (PAPER | {"width": 0.1, "method": "best"}, "method='best' is not allowed"),
        (PAPER | {"width": 0.1, "method": "empirical"}, "method='empirical' does not answer this"),
        (PAPER | {"width": 0.1, "tpr_at_fpr": 0.1, "method": "exact"}, "choose one of 'empirical', 'delta'"),
        (PAPER | {"width": 1e-9}, "more than 10^12"),
        ({"roc": SECOND, "width": 0.1, "against": SECOND, "correlation": 1}, "both curves are one"),
        ({"mean": (4, 8), "std": (0, 2), "width": 0.1, "tpr_at_fpr": 0.1}, "tpr_at_fpr= needs densities"),
        ({"mean": (0, 100), "std": (1, 1), "width": 0.1}, "it would not vary"),
        ({"mean": (0, 0), "std": (0, 0), "width": 0.1}, "it would not vary"),
        ({"mean": ([0, 1], 2), "std": (1, 1), "width": 0.1}, "roc is a batch of shape (2,)"),
        ({"roc": 0.8, "width": 0.1}, "roc=0.8 is not a ROC"),
    ],
)
def test_an_impossible_question_is_refused_in_words(given, said):
    with pytest.raises(RocPredictError) as caught:
        sample_size(**given)
    assert said in str(caught.value)


def test_what_needs_gaussians_or_densities_says_so():
    """Paired curves of other families, and the TPR of a sample, are refused; against a value they are planned."""
    skewed = PredictedRoc(negative=stats.expon(), positive=stats.expon(scale=3))
    pilot = rp.EmpiricalRoc(negative=[1, 2, 2, 3], positive=[2, 3, 5])
    with pytest.raises(RocPredictError, match="needs two Gaussians for each curve"):
        sample_size(skewed, against=FIRST, width=0.1, correlation=0.5)
    with pytest.raises(RocPredictError, match="tpr_at_fpr= needs densities"):
        sample_size(pilot, width=0.1, tpr_at_fpr=0.1)
    with pytest.raises(RocPredictError, match="method='delta' does not answer this"):
        sample_size(skewed, width=0.1, method="delta")
    found = sample_size(skewed, power=0.9, against=0.6)
    assert found.assumptions[-1] == "The variance is taken to be the same under the null hypothesis."
    assert found.achieved >= 0.9
    assert sample_size(skewed, against=FIRST, width=0.1).achieved <= 0.1
    assert sample_size(skewed, width=0.1, tpr_at_fpr=0.2).method == "empirical"
