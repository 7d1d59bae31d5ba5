"""AUCs of several studies pooled: formulas, coverage by simulation, homogeneity, forest plot and refusals."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import optimize, stats

import rocpredict as rp
from rocpredict.screening.pooling import _study_estimates
from tests.cases import check_starts

SIZES = {
    "10 + 10": lambda k: np.full((2, k), 10),
    "100 + 20": lambda k: np.repeat([[100], [20]], k, axis=1),
    "10 to 300": lambda k: np.array([np.resize(n, k) for n in ([10, 300, 40, 100], [12, 200, 20, 80])]),
    "one of 500, others of 10": lambda k: np.tile(np.array([500] + [10] * (k - 1)), (2, 1)),
}
"""Numbers of negatives and positives of k studies."""


def simulate(sizes, auc, tau, ratio, *, n_features, seed):
    """Studies of the same features: Gaussian classes whose D is normal with standard deviation ``tau`` over studies.

    Each study has its own unit and offset.
    """
    rng, studies = np.random.default_rng(seed), []
    for n0, n1 in sizes.T.tolist():
        unit, offset = rng.uniform(0.1, 10), rng.normal() * 5
        shift = (stats.norm.ppf(auc) + tau * rng.normal(size=n_features)) * np.hypot(1, ratio)
        mean = rng.normal(size=n_features) / np.sqrt(n0), shift + rng.normal(size=n_features) * ratio / np.sqrt(n1)
        variance = (rng.chisquare(n - 1, n_features) / (n - 1) for n in (n0, n1))
        std = [unit * scale * np.sqrt(v) for scale, v in zip((1, ratio), variance, strict=True)]
        studies.append(rp.TwoClassSummary.from_stats(mean=[offset + unit * m for m in mean], std=std, count=(n0, n1)))
    return studies


def coverage(sizes, auc, tau, ratio, *, n_features=2000, seed=0):
    pooled = rp.pool(simulate(sizes, auc, tau, ratio, n_features=n_features, seed=seed))
    covers = np.mean((pooled.low <= auc) & (auc <= pooled.high))
    return covers, np.mean((pooled.fixed_low <= auc) & (auc <= pooled.fixed_high)), np.mean(pooled.homogeneity_p < 0.05)


def test_intervals_cover_with_few_unequal_studies():
    """2,000 simulated sets of studies in each setting; standard error .005.

    The random-effects interval covers 94 to 97.8% in each setting (6,000 sets elsewhere): more than 92% and less than
    98.8%, 3 standard errors beyond. The seed is fixed; for another seed, a setting at these ends fails with p = .0013.
    """
    settings = list(product((2, 3, 10), SIZES, (0.0, 0.3)))
    results = {}
    for index, (k, size, tau) in enumerate(settings):
        auc, ratio = ((0.5, 1.0), (0.8, 2.5), (0.97, 1.0))[index % 3]
        results[k, size, tau] = coverage(SIZES[size](k), auc, tau, ratio, seed=index)
    random = {setting: covers for setting, (covers, _, _) in results.items()}
    assert {setting: covers for setting, covers in random.items() if not 0.92 < covers < 0.988} == {}
    homogeneous = {setting: (fixed, level) for setting, (_, fixed, level) in results.items() if setting[2] == 0}
    assert {setting: pair for setting, pair in homogeneous.items() if not 0.92 < pair[0] < 0.98} == {}
    assert {setting: pair for setting, pair in homogeneous.items() if not 0.01 < pair[1] < 0.11} == {}
    # a fixed effect fails there
    assert min(fixed for setting, (_, fixed, _) in results.items() if setting[2] > 0) < 0.8


def iris_studies():
    iris = rp.datasets.load_iris()
    rows = [np.arange(150) % 3 == part for part in range(3)]
    classes = {"positive": "virginica", "negative": "versicolor"}
    return [
        rp.summarize(dict(zip(iris.feature_names, iris.X[at].T, strict=True)), iris.y[at], **classes) for at in rows
    ]


def noncentral_t(share, n, distance):
    """The factor that makes D unbiased, and the variance of the corrected D, from the moments that SciPy computes."""
    shares = np.array([1 - share, share])
    freedom, scale = 1 / np.sum(shares**2 / (n - 1)), np.sum(shares / n)
    mean, variance = stats.nct.stats(freedom, 1.0, moments="mv")
    factor = 1 / mean
    if distance != 0:
        mean, variance = stats.nct.stats(freedom, distance / np.sqrt(scale), moments="mv")
        factor = distance / np.sqrt(scale) / mean
    else:
        variance = stats.t.var(freedom)
    return factor, factor**2 * scale * variance


def shares_by_hand(n, s):
    """The share of the positives in the sum of the variances: common to all studies, and shrunk for each study."""
    ratio, error = np.empty((2, len(n)))
    for k, (counts, stds) in enumerate(zip(n, s, strict=True)):
        logs = [stats.loggamma(df / 2) for df in counts - 1]  # of a chi^2 divided by 2
        bias = [log.mean() - np.log(df / 2) for log, df in zip(logs, counts - 1, strict=True)]
        ratio[k], error[k] = 2 * np.log(stds[1] / stds[0]) - bias[1] + bias[0], logs[0].var() + logs[1].var()
    w = 1 / error
    q = np.sum(w * (ratio - np.sum(w * ratio) / np.sum(w)) ** 2)
    spread = max(0, (q - len(n) + 1) / (np.sum(w) - np.sum(w**2) / np.sum(w))) if len(n) > 1 else 0.0
    w = 1 / (error + spread)
    mean = np.sum(w * ratio) / np.sum(w)
    shrunk = (spread * ratio + error * mean) / (spread + error)
    return 1 / (1 + np.exp(-np.array([np.full(len(n), mean), shrunk])))


@pytest.mark.parametrize("scale", [1, 4])
def test_formulas(scale):
    """D, its variance, the fixed effect, Q, Welch's test, tau, I^2, and Hartung and Knapp's interval, by hand.

    In the second case, one study has another ratio of standard deviations.
    """
    studies = iris_studies()
    wide = replace(studies[2].positive, m2=studies[2].positive.m2 * scale**2)
    studies[2] = rp.TwoClassSummary(
        studies[2].negative, wide, studies[2].feature_names, negative_label="versicolor", positive_label="virginica"
    )
    pooled = rp.pool(studies, level=0.9)
    for j in range(4):
        n, m, s = (
            np.array([[getattr(side, what)[j] for side in (study.negative, study.positive)] for study in studies])
            for what in ("count", "mean", "std")
        )
        d = (m[:, 1] - m[:, 0]) / np.hypot(*s.T)
        common, own = shares_by_hand(n, s)

        def variances(fixed, shares, z, n=n):
            most = [3 * noncentral_t(share, counts, fixed)[1] ** 0.5 for share, counts in zip(shares, n, strict=True)]
            at = [one - max(-limit, min(limit, one - fixed)) for one, limit in zip(z, most, strict=True)]
            parts = zip(shares, n, at, strict=True)
            return np.array([noncentral_t(share, counts, distance)[1] for share, counts, distance in parts])

        z = d * [noncentral_t(share, counts, 1.0)[0] for share, counts in zip(own, n, strict=True)]

        def excess(fixed, z=z, common=common):
            return np.sum((z - fixed) / variances(fixed, common, z))

        fixed = optimize.brentq(excess, z.min(), z.max(), xtol=1e-14)
        v, w = variances(fixed, own, z), 1 / variances(fixed, common, z)
        parts = [np.array([1 - share, share]) / counts for share, counts in zip(own, n, strict=True)]
        df = np.array([np.sum(p) ** 2 / np.sum(p**2 / (counts - 1)) for p, counts in zip(parts, n, strict=True)])
        terms = (w / np.sum(w)) ** 2 * v
        half = stats.t.ppf(0.95, np.sum(terms) ** 2 / np.sum(terms**2 / df)) * np.sum(terms) ** 0.5
        np.testing.assert_allclose(pooled.study_auc[j], stats.norm.cdf(d), rtol=1e-12)
        expected = stats.norm.cdf([fixed, fixed - half, fixed + half])
        results = [pooled.fixed_auc[j], pooled.fixed_low[j], pooled.fixed_high[j]]
        np.testing.assert_allclose(results, expected, rtol=1e-10)

        def q(tau_squared, z=z, v=v):
            w = 1 / (v + tau_squared)
            return np.sum(w * (z - np.sum(w * z) / np.sum(w)) ** 2)

        def solve(target, q=q):
            return 0.0 if q(0) <= target else optimize.brentq(lambda t: q(t) - target, 0, 1e3, xtol=1e-15)

        assert pooled.q_statistic[j] == pytest.approx(q(0), rel=1e-9)
        doubt = np.sum((1 - 1 / v / np.sum(1 / v)) ** 2 / df)
        f = q(0) / 2 / (1 + 2 / 8 * doubt)
        assert pooled.homogeneity_p[j] == pytest.approx(stats.f.sf(f, 2, 8 / (3 * doubt)), rel=1e-8)
        assert pooled.i_squared[j] == pytest.approx(max(0, 1 - 2 / q(0)), abs=1e-9)
        assert pooled.tau[j] == pytest.approx(solve(2) ** 0.5, abs=1e-8)
        w = 1 / (v + solve(stats.chi2.ppf(0.05, 2)))
        mean = np.sum(w * z) / np.sum(w)
        error = np.sqrt(max(np.sum(w * (z - mean) ** 2), stats.chi2.ppf(0.025, 2)) / 2 / np.sum(w))
        half = stats.t.ppf(0.95, 2) * error
        expected = stats.norm.cdf([mean, mean - half, mean + half])
        np.testing.assert_allclose([pooled.auc[j], pooled.low[j], pooled.high[j]], expected, rtol=1e-8)
        assert pooled.p_value[j] == pytest.approx(2 * stats.t.sf(abs(mean / error), 2), rel=1e-7)
        np.testing.assert_allclose(pooled.weights[j], w / w.sum(), rtol=1e-8)


def test_sites_with_offsets_are_pooled_and_not_added():
    """Three sites of AUC .856 with offsets: their sum has another AUC, the pooled one is theirs; also without effect.

    The moments are exact, so that nothing is random.
    """
    for effect, offsets, shares, expected in (
        (1.5, (0, 2, 4), (0.5, 0.5, 0.5), 0.8556),
        (0.0, (0, 2, 4), (0.2, 0.5, 0.8), 0.5),
    ):
        sites = [
            rp.TwoClassSummary.from_stats(
                mean=(offset, offset + effect), std=(1, 1), count=(round(10_000 * (1 - share)), round(10_000 * share))
            )
            for offset, share in zip(offsets, shares, strict=True)
        ]
        total, pooled = rp.PredictedRoc.from_summary(sum(sites)).auc(), rp.pool(sites)
        assert pooled.auc == pytest.approx(expected, abs=2e-4)
        assert pooled.fixed_auc == pytest.approx(expected, abs=2e-4)
        assert abs(total - expected) > 0.1
        assert "close_studies" in pooled.flags


def study(mean, std, count=(50, 50)):
    return rp.TwoClassSummary.from_stats(mean=(0, mean), std=std, count=count, feature_names=["x"])


def test_studies_that_agree_by_chance_have_an_interval():
    """Equal studies have Q = 0: the interval is that of Q at its 2.5% quantile."""
    equal = [study(0.5, (1, 1), count) for count in ((50, 50), (50, 51), (50, 52))]
    pooled = rp.pool(equal)
    center, low, high = (stats.norm.ppf(auc[0]) for auc in (pooled.auc, pooled.low, pooled.high))
    variances = np.array([noncentral_t(0.5, np.array([50, n]), center)[1] for n in (50, 51, 52)])
    error = np.sqrt(stats.chi2.ppf(0.025, 2) / 2 / np.sum(1 / variances))
    np.testing.assert_allclose([center - low, high - center], stats.t.ppf(0.975, 2) * error, rtol=1e-4)
    assert pooled.high[0] - pooled.low[0] > 0.03
    level = 1 - pooled.p_value[0]
    for near, excluded in ((level - 1e-6, True), (level + 1e-6, False)):
        assert (rp.pool(equal, level=near).low[0] > 0.5) == excluded
    assert pooled.flags["close_studies"].tolist() == [True]
    assert not rp.pool([*equal, study(2.0, (1, 1))]).flags
    limits = f"{pooled.fixed_low[0]:.6f} to {pooled.fixed_high[0]:.6f}"
    words = f"narrower than the fixed-effect interval (in parentheses): x ({limits})."
    assert pooled.table().notes[-1].endswith(words)
    assert len(rp.pool([*equal, study(2.0, (1, 1))]).table().notes) == len(pooled.table().notes) - 1


@pytest.mark.parametrize("shift", [1e3, 1e9, 1e200])
def test_a_separated_study_is_bounded_and_named(shift):
    """Its AUC is 1: the mean no longer depends on how far its classes are apart. The reverse for an AUC of 0."""
    others = [study(mean, (1, 1)) for mean in (1.0, 1.2, 1.4, 1.6, 1.3, 1.1)]
    pooled = rp.pool([*others, study(shift, (1, 2))])
    assert pooled.flags["separated_study"].tolist() == [True]
    assert pooled.is_separated.tolist() == [[False] * 6 + [True]]
    assert "Almost perfectly separated classes: x in study 7." in pooled.table().to_text()
    assert pooled.study_auc[0, 6] == 1
    shares, limit = np.array([0.2, 0.8]), stats.norm.isf(1 / 5000)

    def excess(d):
        error = np.sqrt(1 / 50 + d**2 / 2 * np.sum(shares**2) / 49)
        return d - stats.norm.ppf(0.975) * error - limit

    bound = optimize.brentq(excess, limit, 8, xtol=1e-14)
    at_bound = rp.pool([*others, study(bound * (1 - 1e-12) * np.hypot(1, 2), (1, 2))])
    assert not at_bound.is_separated.any()
    for name in ("auc", "low", "high", "p_value", "tau", "fixed_auc", "homogeneity_p", "weights"):
        np.testing.assert_allclose(getattr(pooled, name), getattr(at_bound, name), rtol=1e-10, err_msg=name)
    assert pooled.low[0] > 0.55
    assert pooled.auc[0] < 0.96
    turned = rp.pool([study(-one.positive.mean[0], (1, 1)) for one in others] + [study(-shift, (1, 2))])
    np.testing.assert_allclose(turned.low, 1 - pooled.high, rtol=1e-8)
    every = rp.pool([study(shift, (1, 1)), study(2 * shift, (1, 1), (30, 40))])
    assert every.low[0] > 0.98


@pytest.mark.parametrize("count", [(2, 2), (3, 3), (10, 12), (50, 50), (10**6, 10**6)])
def test_a_study_further_apart_never_counts_as_nearer(count):
    """The distance that is pooled rises with the distance of the classes without a jump, up to its limit."""
    for std in ((1, 1), (1, 1e-3)):
        shifts = np.linspace(2, 12, 101)
        features = [f"x{j}" for j in range(101)]
        far = rp.TwoClassSummary.from_stats(mean=(0, shifts), std=std, count=count, feature_names=features)
        estimates = _study_estimates([far], tuple(features))[1].z[:, 0]
        assert (np.diff(estimates) >= 0).all()
        assert np.abs(np.diff(estimates)).max() < 0.11
        assert estimates[-1] <= 8.25


@pytest.mark.parametrize("means", [(0, 1), (1, 1)])
def test_a_study_without_variance_is_left_out_and_flagged(means):
    studies = [rp.TwoClassSummary.from_stats(mean=(0, d), std=(1, 1), count=(20, 20)) for d in (1, 1.3)]
    constant = rp.TwoClassSummary.from_stats(mean=means, std=(0, 0), count=(20, 20))
    pooled, without = rp.pool([*studies, constant]), rp.pool(studies)
    assert (pooled.auc, pooled.weights[0, 2]) == (without.auc, 0)
    assert pooled.flags["point_mass"].tolist() == [True]
    assert not without.flags


def test_features_that_no_study_can_pool_have_a_flag_of_their_values():
    """Infinite values, a variance that is not a normal number, a constant, and no values."""
    rng = np.random.default_rng(0)
    kinds = {"infinite": 1.0, "tiny": 1e-170, "constant": 0.0, "nothing": np.nan}
    studies = []
    for _ in range(2):
        X = rng.normal(size=(40, 4)) * [*kinds.values()]
        X[0, 0] = np.inf
        studies.append(rp.summarize(X, np.arange(40) % 2, feature_names=[*kinds]))
    flags = rp.pool(studies).flags
    assert flags["infinite"].tolist() == [True, True, False, False]
    assert flags["point_mass"].tolist() == [False, False, True, False]
    assert flags["no_values"].tolist() == [False, False, False, True]


def test_papers_and_data_pool_together():
    """A study may lack features; a feature of one study, or of none with values, has a flag and no random effect."""
    data = iris_studies()[:2]
    paper = rp.TwoClassSummary.from_stats(
        mean=([5.5, 1.0], [7.1, 2.0]),
        std=(0.5, [0.6, 0.1]),
        count=(30, 25),
        feature_names=["petal_length", "other"],
        positive="virginica",
        negative="versicolor",
    )
    empty = rp.TwoClassSummary(
        *(rp.ClassSummary(*(np.array([value]) for value in (0, 3, np.nan, 0.0))),) * 2,
        ("nothing",),
        *("versicolor", "virginica"),
    )
    pooled = rp.pool([*data, paper, empty], study_names=["A", "B", "paper", "empty"])
    assert pooled.feature_names == (*data[0].feature_names, "other", "nothing")
    assert pooled.n_studies.tolist() == [2, 2, 3, 2, 1, 0]
    without_paper = rp.pool(data)
    assert pooled.auc[0] == without_paper.auc[0]
    distance = stats.norm.ppf(rp.PredictedRoc.from_summary(paper).auc()[1])
    n = np.array([[30, 25]])
    correction = noncentral_t(shares_by_hand(n, np.array([[0.5, 0.1]]))[0, 0], n[0], 0.0)[0]
    assert stats.norm.ppf(pooled.fixed_auc[4]) == pytest.approx(correction * distance, rel=1e-9)
    assert np.isnan([pooled.auc[4], pooled.low[4], pooled.p_value[4], pooled.auc[5], pooled.fixed_auc[5]]).all()
    assert pooled.flags["single_study"].tolist() == [False] * 4 + [True, False]
    assert pooled.flags["no_values"].tolist() == [False] * 5 + [True]
    np.testing.assert_allclose(pooled.weights.sum(axis=1), [1, 1, 1, 1, 0, 0])
    frame = pooled._columns()
    assert frame["feature"].tolist() == list(pooled.feature_names)
    assert "study_auc" not in frame
    json.dumps(pooled.to_dict())
    text = pooled.table().to_text()
    assert "nan" not in text
    assert "AUCs pooled over 4 studies" in text
    assert "one study has finite values of this feature" in text
    assert repr(pooled) == "PooledAuc(6 features, 4 studies, level=0.95)"
    assert len(pooled) == 6


def test_order_of_studies_and_labels():
    """Another order of the studies changes nothing; exchanged classes give 1 - AUC."""
    studies = iris_studies()
    first, turned = rp.pool(studies), rp.pool(studies[::-1])
    np.testing.assert_allclose(first.low, turned.low, rtol=1e-12)
    np.testing.assert_array_equal(first.study_auc, turned.study_auc[:, ::-1])
    mirrored = rp.pool([rp.TwoClassSummary(one.positive, one.negative, one.feature_names) for one in studies])
    np.testing.assert_allclose(mirrored.high, 1 - first.low, rtol=1e-9)
    np.testing.assert_allclose(mirrored.p_value, first.p_value, rtol=1e-9)


def test_the_forest_plot_has_a_row_for_each_study_and_result():
    studies = iris_studies()
    pooled = rp.pool(studies, study_names=["Rome", "$Oslo$", "Lima"])
    ax = pooled.plot("petal_width")
    assert [label.get_text().replace("\\", "") for label in ax.get_yticklabels()] == [
        *("Rome", "$Oslo$", "Lima", "random effects", "fixed effect")
    ]
    numbers = [text.get_text() for text in ax.texts if text.get_gid() == "estimate"]
    assert numbers[3].startswith(f"{pooled.auc[3]:.3f} (")
    assert [patch.get_gid() for patch in ax.patches] == ["pooled", "pooled"]
    squares = next(part for part in ax.collections if part.get_gid() == "study")
    np.testing.assert_array_equal(squares.get_offsets()[:, 0], pooled.study_auc[3])
    assert ax.get_xlabel() == "AUC of petal_width"
    assert pooled.plot().get_xlabel() == "AUC of sepal_length"
    single = rp.pool([studies[0].select([0]), studies[1].select([1])])
    assert len(single.plot("sepal_width", legend=False).get_yticklabels()) == 2


def test_studies_that_cannot_be_pooled():
    a, b, _ = iris_studies()
    stats_of = rp.TwoClassSummary.from_stats
    paper = stats_of(mean=(0, 1), std=(1, 1), count=(9, 9), feature_names=["petal_width"])
    classes = {"positive": "virginica", "negative": "versicolor"}
    in_mm = stats_of(
        mean=(0, 1), std=(1, 1), count=(9, 9), feature_names=["petal_width"], units={"petal_width": "mm"}, **classes
    )
    copy = rp.TwoClassSummary.from_json(a.to_json())
    pooled = rp.pool([a, b])
    cases = {
        "summaries contains 1 study; pass two or more": lambda: rp.pool([a]),
        "summaries contains 1 study; pass": lambda: rp.pool(iter([a])),
        "summaries contains 1 study; ": lambda: rp.pool(a),
        "summaries contains 'a.csv', which is not a TwoClassSummary; pass": lambda: rp.pool(["a.csv", a]),
        "summaries contains 'b.csv', which is not a TwoClassSummary; pass": lambda: rp.pool("b.csv"),
        "study_names='AB' is not a list of names; pass one name for each": lambda: rp.pool([a, b], study_names="AB"),
        "study 2 contains the same data as study 1; pass each study once": lambda: rp.pool([a, copy]),
        "study 2 contains the same data as study 1; pass each study": lambda: rp.pool([a, a.suppress_small_counts(2)]),
        "study 3 contains the same data as study 1; pass each study": lambda: rp.pool([a, b, a.select([0])]),
        "C contains the same data as A; pass each study once": lambda: rp.pool([a, b, a], study_names=["A", "B", "C"]),
        "the negative label is 'versicolor' in study 1 and 'negative' in study 2; use": lambda: rp.pool([a, paper]),
        "the unit of 'petal_width' is not stated in study 1 and 'mm' in study 2; state it": lambda: rp.pool([a, in_mm]),
        "study_names=A, A is not valid; pass 2 different names": lambda: rp.pool([a, b], study_names=["A", "A"]),
        "study_names=A is not valid; pass 2 different names": lambda: rp.pool([a, b], study_names=["A"]),
        "level=1.0 is outside the open interval (0, 1)": lambda: rp.pool([a, b], level=1.0),
        "feature='petal' is not allowed": lambda: pooled.plot("petal"),
        "pooled=3 is not a PooledAuc; pass the result of rp.pool": lambda: rp.plots.plot_forest(3),
        "colour= is not an option of plot_forest": lambda: pooled.plot(colour="red"),
        "legnd= is not an option of plot_forest; its options are feature, ax, legend; did": lambda: pooled.plot(
            legnd=1
        ),
    }
    check_starts(cases)


@pytest.mark.parametrize("n", [10**5, 10**7, 10**9])
def test_variances_of_large_studies_are_those_of_the_normal_approximation(n):
    """The difference between the mean square of D and D^2 is computed without cancellation."""
    d = 3.0
    pooled = rp.pool([study(d * np.sqrt(2) * scale, (scale, scale), (n, n)) for scale in (1, 2)])
    error = np.sqrt((1 / n + d**2 / (4 * n)) / 2)
    width = np.diff(stats.norm.ppf([pooled.fixed_low[0], pooled.fixed_high[0]]))[0]
    # A probit that is computed from an AUC near 1 has a large rounding error.
    np.testing.assert_allclose(width, 2 * stats.norm.ppf(0.975) * error, rtol=1e-4 + 1e-13 / error)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_small_class_whose_rounded_values_are_equal_has_no_large_weight(n):
    """The interval covers if a few observations are rounded to whole standard deviations."""
    rng, count, n_features, studies = np.random.default_rng(0), (n, 200), 1000, []
    for _ in range(5):
        classes = [np.round(rng.normal(mean, 1, (size, n_features))) for mean, size in zip((0, 0), count, strict=True)]
        moments = [[what(values) for values in classes] for what in (lambda x: x.mean(0), lambda x: x.std(0, ddof=1))]
        studies.append(rp.TwoClassSummary.from_stats(mean=moments[0], std=moments[1], count=count))
    pooled = rp.pool(studies)
    assert np.mean([part.negative.std == 0 for part in studies]) > 0.02
    assert np.mean((pooled.fixed_low <= 0.5) & (pooled.fixed_high >= 0.5)) > 0.93
    assert np.mean(pooled.homogeneity_p <= 0.05) < 0.06
