"""Bands about a ROC curve: by hand, by brute force and by simulation; no band has a width of 0."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

from rocpredict import EmpiricalRoc, Gaussian, PredictedRoc, empirical_roc, predict_roc
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.inference.empirical import kolmogorov_critical_value
from rocpredict.inference.parametric import working_hotelling_factor
from tests.cases import check_each, check_refused
from tests.samples import two_normals

GRID = np.arange(401) / 400


def published(count=(60, 40)):
    return PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=count)


def test_few_cases_by_hand():
    """D of one case is max(U, 1 - U), so its quantile at q is (1 + q)/2; both classes have q = sqrt(0.81) = 0.9.

    Negatives 1 2 4 6 8, positives 3 5 7 9 9: with reach e the TPR is read at FPR - e and FPR + e.
    """
    reach = 0.95
    assert kolmogorov_critical_value(0.9, 1) == pytest.approx(reach, abs=1e-12)
    band = EmpiricalRoc(negative=[0], positive=[1]).band(0.81, kind="simultaneous", fpr=[0, 0.5, 0.94, 0.96, 1])
    assert band.tpr.tolist() == band.high.tolist() == [1] * 5
    assert band.low == pytest.approx([0, 0, 0, 1 - reach, 1], abs=1e-12)
    assert list(band.flags) == ["single_observation"]
    roc = EmpiricalRoc(negative=[1, 2, 4, 6, 8], positive=[3, 5, 7, 9, 9])
    e = stats.kstwo.ppf(np.sqrt(0.3), 5)
    assert 0.3 < e < 0.4
    band = roc.band(0.3, kind="simultaneous", fpr=[0.0, 0.1, e + 0.01, e + 0.21, 1])
    assert band.low == pytest.approx([0, 0, 0.4 - e, 0.6 - e, 1], abs=1e-12)
    assert band.high == pytest.approx([0.6 + e, 1, 1, 1, 1], abs=1e-12)


def test_the_band_is_the_union_of_rectangles_about_the_curve():
    """Brute force: lowest and highest corner of the rectangles, about all points of the curve, that hold an FPR."""
    along, up = (stats.kstwo.ppf(np.sqrt(0.9), n) for n in (25, 18))
    share = np.linspace(0, 1, 4000)[:, None]  # points of each piece, its ends included
    at = np.random.default_rng(1).uniform(size=100)
    for decimals in (None, 0):
        roc = EmpiricalRoc(*two_normals((25, 18), shift=1.2, decimals=decimals))
        curve = roc.curve()
        x, y = ((a[:-1] + share * np.diff(a)).ravel() for a in (curve.fpr, curve.tpr))
        band = roc.band(0.9, kind="simultaneous", fpr=at)
        for fpr, low, high in zip(at, band.low, band.high, strict=True):
            near = np.abs(x - fpr) <= along
            assert low == pytest.approx(max(0, y[near].min() - up) if fpr >= along else 0, abs=4e-4)
            assert high == pytest.approx(min(1, y[near].max() + up) if fpr + along < 1 else 1, abs=4e-4)


def test_the_simultaneous_band_of_samples_covers():
    """150 draws of 12 + 9 cases at level 0.5: at least 75, less 4 standard errors (by chance once in 30,000), cover.

    Also of values rounded to whole numbers, whose true curve runs straight between the rounded thresholds.
    """
    thresholds = np.arange(12, -12, -1) - 0.5
    rounded = np.interp(GRID, ndtr(-thresholds), ndtr((1.2 - thresholds) / 1.3))
    for decimals, true in ((None, ndtr((1.2 + ndtri(GRID)) / 1.3)), (0, rounded)):
        rng, covered = np.random.default_rng(5), 0
        for _ in range(150):
            samples = rng.normal(size=12), rng.normal(1.2, 1.3, size=9)
            roc = EmpiricalRoc(*(s if decimals is None else s.round(decimals) for s in samples))
            covered += roc.band(0.5, kind="simultaneous", fpr=GRID).contains(lambda _, true=true: true)
        assert covered >= 75 - 4 * np.sqrt(150 / 4), decimals


def test_the_simultaneous_band_of_two_gaussians_covers():
    """Among few and many: at least 0.945, less 4 standard errors, of the bands cover (by chance once in 30,000)."""
    at = ndtr(np.linspace(-5, 5, 41))
    true = PredictedRoc(negative=Gaussian(0, 1), positive=Gaussian(1.2, 1.3)).tpr_at_fpr(at)
    for n0, n1, draws in ((10, 10, 1000), (60, 30, 300)):
        rng, covered = np.random.default_rng(n0), 0
        for _ in range(draws):
            pair = [Gaussian(x.mean(), x.std(ddof=1)) for x in (rng.normal(size=n0), rng.normal(1.2, 1.3, size=n1))]
            band = PredictedRoc(*pair, count=(n0, n1)).band(kind="simultaneous", fpr=at)
            covered += band.contains(lambda _: true)
        assert covered / draws >= 0.945 - 4 * np.sqrt(0.95 * 0.05 / draws), n0


def test_the_lines_of_working_and_hotelling():
    """At an FPR in the middle: Phi(a + b x -+ sqrt(2 F) SE), with scipy's F and the standard error written out."""
    band = published().band(kind="simultaneous", fpr=[0.2])
    a, b, x = 4 / 2, 3 / 2, ndtri(0.2)
    z = a + b * x
    variance = b**2 / 60 + b**2 * x**2 / (2 * 59) + 1 / 40 + z**2 / (2 * 39)
    half = np.sqrt(2 * stats.f.ppf(0.95, 2, 39) * variance)
    assert (band.low[0], band.high[0]) == pytest.approx((ndtr(z - half), ndtr(z + half)), abs=1e-14)
    # the limits are monotone, so the limits at one FPR depend on those at all others
    few, grid = PredictedRoc.from_stats(mean=(4, 8), std=(3, 1), count=(6, 6)), np.linspace(0, 1, 20_001)
    fine = few.band(kind="simultaneous", fpr=grid)
    for fpr in (0.01, 0.5, 0.99):
        alone, place = few.band(kind="simultaneous", fpr=[fpr]), np.searchsorted(grid, fpr - 1e-9)
        assert (alone.low[0], alone.high[0]) == pytest.approx((fine.low[place], fine.high[place]), rel=1e-3)
    assert working_hotelling_factor(0.95, 1e9) == pytest.approx(np.sqrt(stats.chi2.ppf(0.95, 2)), abs=1e-7)


def test_the_pointwise_band_of_two_gaussians():
    band = published().band(fpr=GRID)
    interval = published().tpr_at_fpr_interval(GRID[1:-1])
    assert band.low[1:-1].tolist() == interval.low.tolist()
    assert band.high[1:-1].tolist() == interval.high.tolist()
    assert not band.flags
    fitted = predict_roc(np.concatenate(two_normals((40, 30), shift=1.2)), np.repeat([0, 1], [40, 30]))
    drawn = fitted.tpr_at_fpr_interval(GRID[1:-1], 0.1, method="bootstrap", n_resamples=200)
    band = fitted.band(0.1, fpr=GRID[1:-1], method="bootstrap", n_resamples=200)
    assert band.low.tolist() == np.minimum(drawn.low, band.tpr).tolist()
    assert band.high.tolist() == np.maximum(drawn.high, band.tpr).tolist()
    assert list(published((1, 40)).band(fpr=GRID).flags) == ["single_observation"]
    pointwise, simultaneous = (published().band(kind=kind) for kind in ("pointwise", "simultaneous"))
    assert (simultaneous.low <= pointwise.low).all()
    assert (pointwise.high <= simultaneous.high).all()
    assert simultaneous.mean_width > 1.1 * pointwise.mean_width


SAMPLED = ("bootstrap", "hilgers", "kolmogorov-smirnov")
FITTED = ("delta", "bootstrap", "working-hotelling")


@cache
def curves():
    negative, positive = two_normals((40, 30), shift=1.2)
    x, y = np.concatenate([negative, positive]), np.repeat([0, 1], [40, 30])
    return {
        "samples": (empirical_roc(x, y), SAMPLED),
        "lower": (empirical_roc(-x, y, direction="lower"), SAMPLED),
        "weights": (EmpiricalRoc(Ecdf(negative, np.full(40, 2.0)), Ecdf(positive, np.full(30, 3.0))), SAMPLED),
        "ties": (EmpiricalRoc(negative.round(), positive.round()), SAMPLED),
        "fitted": (predict_roc(x, y), FITTED),
        "fitted, lower": (predict_roc(-x, y, direction="lower"), FITTED),
        "published": (published(), FITTED[::2]),
        "three and three": (published((3, 3)), FITTED[::2]),
    }


def band_of(roc, method, level=0.95):
    kind = "simultaneous" if method in {"kolmogorov-smirnov", "working-hotelling"} else "pointwise"
    return roc.band(level, kind=kind, method=method, n_resamples=400)


def test_a_band_holds_its_curve_and_grows_with_the_level():
    """The estimate inside, ends (0, 0) and (1, 1) inside, nothing beyond [0, 1], and each level inside the next."""

    def check(case):
        roc, method = case
        bands = [band_of(roc, method, level) for level in (0.5, 0.9, 0.99)]
        for band in bands:
            assert band.contains(roc)
            assert band.tpr.tolist() == roc.tpr_at_fpr(band.fpr).tolist()
            assert band.low[0] == 0 or band.tpr[0] > 0
            assert (band.low[-1], band.high[-1]) == (1, 1)
            assert ((band.low >= 0) & (band.high <= 1) & (band.low <= band.high)).all()
            if method != "delta":
                assert (np.diff(band.low) >= 0).all()
                assert (np.diff(band.high) >= 0).all()
            assert band.method == method
        for inner, outer in pairwise(bands):
            if method != "bootstrap" or "fallback" not in inner.flags:  # what stands in may be wider than the next
                assert (outer.low <= inner.low).all()
                assert (inner.high <= outer.high).all()
            assert outer.mean_width > inner.mean_width

    cases = {f"{name}, {method}": (roc, method) for name, (roc, methods) in curves().items() for method in methods}
    check_each(cases, check)


def test_turning_the_axis_and_writing_weights_out_change_nothing():
    for method in SAMPLED:
        first, second = (band_of(curves()[name][0], method) for name in ("samples", "lower"))
        if method != "bootstrap":  # which draws rows by their place in the order
            assert first.low.tolist() == second.low.tolist()
            assert first.high.tolist() == second.high.tolist()
        assert first.mean_width == pytest.approx(second.mean_width, rel=0.1)
    negative, positive = two_normals((40, 30), shift=1.2)
    rows = EmpiricalRoc(np.repeat(negative, 2), np.repeat(positive, 3))
    for kind in ("pointwise", "simultaneous"):
        first, second = (roc.band(kind=kind, n_resamples=200) for roc in (curves()["weights"][0], rows))
        assert first.low.tolist() == second.low.tolist()
        assert first.high.tolist() == second.high.tolist()


def test_the_pointwise_band_of_samples_is_no_narrower_than_the_interval():
    """It is the interval, widened where that would fall as the FPR rises; the same seed gives the same band."""
    roc = curves()["samples"][0]
    band, interval = roc.band(n_resamples=400), roc.tpr_at_fpr_interval(np.arange(201) / 200, n_resamples=400)
    assert (band.low[:-1] <= interval.low[:-1]).all()
    assert (band.high[:-1] >= interval.high[:-1]).all()
    assert np.mean(band.low == interval.low) > 0.5
    single = roc.band(fpr=[0.1], n_resamples=400)
    assert (single.low[0], single.high[0]) == tuple(roc.tpr_at_fpr_interval(0.1, n_resamples=400))
    first, again, other = (roc.band(n_resamples=100, rng=seed).low.tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_fprs_in_any_order_have_the_same_limits():
    """Every band is computed FPR by FPR, except that its limits do not fall as the FPR rises; ends included."""
    fpr = np.array([0.0, 0.03, 0.1, 0.2, 0.35, 0.5, 0.77, 0.9, 1.0])
    order = np.array([4, 8, 2, 0, 6, 1, 7, 3, 5])
    for name, (roc, methods) in curves().items():
        for method in {*methods, None} - {"bootstrap"}:
            kind = "simultaneous" if method in {"kolmogorov-smirnov", "working-hotelling"} else "pointwise"
            sorted_band, shuffled = (roc.band(0.8, kind=kind, method=method, fpr=at) for at in (fpr, fpr[order]))
            assert shuffled.fpr.tolist() == fpr[order].tolist()
            for part in ("tpr", "low", "high"):
                assert getattr(shuffled, part).tolist() == getattr(sorted_band, part)[order].tolist(), (name, method)
            assert (sorted_band.low[-1], sorted_band.tpr[-1], sorted_band.high[-1]) == (1, 1, 1)
            if isinstance(roc, PredictedRoc) and method != "working-hotelling":
                assert (sorted_band.low[0], sorted_band.tpr[0], sorted_band.high[0]) == (0, 0, 0)
            assert sorted_band.mean_width == pytest.approx(np.mean(sorted_band.high - sorted_band.low), rel=1e-14)
            assert sorted_band.contains(lambda _, band=sorted_band: band.low)
            assert sorted_band.contains(lambda _, band=sorted_band: band.high)
            place = 4
            for outside in (sorted_band.low[place] - 1e-9, sorted_band.high[place] + 1e-9):
                tpr = sorted_band.tpr.copy()
                tpr[place] = outside
                assert not sorted_band.contains(lambda _, tpr=tpr: tpr)


def test_a_pointwise_band_of_samples_is_the_interval_made_monotone():
    """With limits by Hilgers' method, which do not depend on other FPRs; the curve is inside and ends at (1, 1)."""
    fpr = np.linspace(0, 1, 41)
    for seed, decimals in ((0, None), (1, 0), (2, 1)):
        roc = EmpiricalRoc(*two_normals((14, 11), seed, shift=1.2, decimals=decimals))
        band, interval = roc.band(0.3, fpr=fpr, method="hilgers"), roc.tpr_at_fpr_interval(fpr, 0.3, method="hilgers")
        low, high = np.minimum(interval.low, band.tpr), np.maximum(interval.high, band.tpr)
        low[-1] = high[-1] = 1
        assert band.low.tolist() == [low[i:].min() for i in range(41)]
        assert band.high.tolist() == [high[: i + 1].max() for i in range(41)]
        assert band.tpr.tolist() == roc.tpr_at_fpr(fpr).tolist()
        assert not band.flags


def test_a_class_of_one_observation_is_flagged():
    two, one = [1.0, 2.0], [1.5]
    for kind in ("pointwise", "simultaneous"):
        for negative, positive, flagged in ((two, two, False), (one, two, True), (two, one, True)):
            band = EmpiricalRoc(negative, positive).band(kind=kind, n_resamples=50)
            assert ("single_observation" in band.flags) == flagged
        for count, flagged in (((2, 2), False), ((1, 2), True), ((2, 1), True)):
            assert ("single_observation" in published(count).band(kind=kind).flags) == flagged


def test_degenerate_classes_leave_room():
    """Separation, reversal, one row, one value, infinities: no NaN, the estimate inside, and a width above 0."""
    rocs = [
        EmpiricalRoc([1, 2, 3], [4, 5, 6]),
        EmpiricalRoc([4, 5, 6], [1, 2, 3]),
        EmpiricalRoc([0], [1]),
        EmpiricalRoc([1, 1, 1], [1, 1, 1]),
        EmpiricalRoc([-np.inf, 0], [0, np.inf]),
        PredictedRoc.from_stats(mean=(0, 1), std=(0, 1), count=(5, 5)),
        PredictedRoc.from_stats(mean=(0, 1), std=(1, 0), count=(5, 5)),
        PredictedRoc.from_stats(mean=(1, 1), std=(0, 0), count=(5, 5)),
        PredictedRoc.from_stats(mean=(0, 1), std=(1, 1), count=(1, 1)),
        PredictedRoc.from_stats(mean=(0, 90), std=(1, 1), count=(5, 5)),
        PredictedRoc.from_stats(mean=(90, 0), std=(1, 1), count=(5, 5)),
    ]

    def check(roc):
        for kind in ("pointwise", "simultaneous"):
            band = roc.band(kind=kind, n_resamples=50)
            assert np.isfinite([band.tpr, band.low, band.high]).all()
            assert band.contains(roc)
            assert band.mean_width > 0.05

    check_each({str(roc): roc for roc in rocs}, check)


def test_a_method_that_stands_in_is_named():
    flag = EmpiricalRoc([1, 2, 3], [4, 5, 6]).band(n_resamples=50, method="bootstrap").flags["fallback"]
    assert flag[:-1].all()
    assert not flag[-1]  # where every curve ends
    roc = PredictedRoc.from_stats(mean=(0, 1), std=(0, 0), count=(5, 5))
    for kind in ("pointwise", "simultaneous"):
        band = roc.band(kind=kind, fpr=[0.5])
        assert (band.method, list(band.flags)) == ("kolmogorov-smirnov", ["fallback"])
        assert band.low[0] == 0  # five cases reach 0.6 far


def test_a_band_is_a_value():
    band = published().band(fpr=[0.1, 0.5])
    assert repr(band).startswith("ConfidenceBand(pointwise, 2 points, level=0.95, method='pivotal', mean_width=0.")
    assert len(band) == 2
    assert not band.contains(lambda fpr: fpr)
    with pytest.raises(ValueError, match="read-only"):
        band.fpr[0] = 1
    backwards = published().band(fpr=[0.5, 0.1], kind="simultaneous")
    assert backwards.low.tolist() == published().band(fpr=[0.1, 0.5], kind="simultaneous").low[::-1].tolist()


REFUSED = [
    (lambda: published().band(kind="global"), "kind='global' is not allowed"),
    (lambda: published().band(kind="simultaneous", method="delta"), "method='delta' is not allowed"),
    (lambda: published().band(method="hilgers"), "method='hilgers' is not allowed"),
    (lambda: published().band(method="bootstrap"), "needs the sample from which the curve was predicted"),
    (lambda: published().band(1.5), "level=1.5 is outside"),
    (lambda: published().band(fpr=0.5), r"pass an array of shape \(k,\)"),
    (lambda: published().band(fpr=[]), r"pass an array of shape \(k,\)"),
    (lambda: published().band().contains(0.5), "curve=0.5 is not a curve"),
    (lambda: published().band(fpr=[50]), "fractions, not percent"),
    (lambda: PredictedRoc.from_stats(mean=(0, 1), std=(1, 1)).band(), r"pass count=\(negative, positive\)"),
    (
        lambda: PredictedRoc.from_stats(mean=(0, [1, 2]), std=(1, 1), count=(9, 9)).band(),
        r"batch of ROC curves of shape \(2,\)",
    ),
    (lambda: PredictedRoc(stats.gamma(2), stats.gamma(4), count=(9, 9)).band(), "two Gaussians"),
    (lambda: PredictedRoc(stats.gamma(2), stats.gamma(4)).band(kind="simultaneous"), "needs an empirical curve"),
    (lambda: EmpiricalRoc(Ecdf([1, 2], [0.1, 0.2]), [3, 4]).band(), "weights of the negative class sum to 0.3"),
    (lambda: EmpiricalRoc([1, 2], [3, 4]).band(kind="simultaneous", method="bootstrap"), "'kolmogorov-smirnov'"),
]


def test_what_cannot_be_answered_is_refused_in_words():
    check_refused(REFUSED)


def test_the_notebook_picture_shows_the_curve_and_both_bounds():
    band = published().band()
    drawn = [np.mean(heights) for _, heights in band._plot().curves]
    assert drawn[1] < drawn[0] < drawn[2]
