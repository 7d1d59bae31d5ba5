"""Bands about a ROC curve: by hand, by brute force, by simulation, and never a false certainty."""

import json
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

from rocpredict import EmpiricalRoc, Gaussian, PredictedRoc, RocPredictError, empirical_roc, predict_roc
from rocpredict.base.formatting import to_json
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.inference.base import kolmogorov_critical_value, working_hotelling_factor

GRID = np.arange(401) / 400


def drawn(n0, n1, seed=0, decimals=None):
    rng = np.random.default_rng(seed)
    samples = rng.normal(size=n0), rng.normal(1.2, 1.3, size=n1)
    return samples if decimals is None else tuple(s.round(decimals) for s in samples)


def published(count=(60, 40)):
    return PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=count)


# ---- two Kolmogorov-Smirnov bands
def test_one_case_a_class_by_hand():
    """D of one case is max(U, 1 - U), so its quantile at q is (1 + q)/2; both classes have q = sqrt(0.81) = 0.9."""
    reach = 0.95
    assert kolmogorov_critical_value(0.9, 1) == pytest.approx(reach, abs=1e-12)
    band = EmpiricalRoc(negative=[0], positive=[1]).band(0.81, kind="simultaneous", fpr=[0, 0.5, 0.94, 0.96, 1])
    assert band.tpr.tolist() == [1] * 5
    assert band.low == pytest.approx([0, 0, 0, 1 - reach, 1], abs=1e-12)
    assert band.high.tolist() == [1] * 5
    assert list(band.flags) == ["single_observation"]


def test_five_cases_a_class_by_hand():
    """Negatives 1 2 4 6 8, positives 3 5 7 9 9: with reach e the heights are read at FPR - e and FPR + e."""
    roc = EmpiricalRoc(negative=[1, 2, 4, 6, 8], positive=[3, 5, 7, 9, 9])
    e = stats.kstwo.ppf(np.sqrt(0.3), 5)
    assert 0.3 < e < 0.4
    band = roc.band(0.3, kind="simultaneous", fpr=[0.0, 0.1, e + 0.01, e + 0.21, 1])
    assert band.low == pytest.approx([0, 0, 0.4 - e, 0.6 - e, 1], abs=1e-12)
    assert band.high == pytest.approx([0.6 + e, 1, 1, 1, 1], abs=1e-12)


@pytest.mark.parametrize("decimals", [None, 0])
def test_the_band_is_the_union_of_rectangles_about_the_curve(decimals):
    """Brute force: lowest and highest corner of the rectangles, about all points of the curve, that hold an FPR."""
    negative, positive = drawn(25, 18, decimals=decimals)
    roc = EmpiricalRoc(negative=negative, positive=positive)
    along, up = (stats.kstwo.ppf(np.sqrt(0.9), n) for n in (25, 18))
    curve = roc.curve()
    share = np.linspace(0, 1, 4000)[:, None]  # points of each piece, its ends included
    x, y = ((a[:-1] + share * np.diff(a)).ravel() for a in (curve.fpr, curve.tpr))
    at = np.random.default_rng(1).uniform(size=200)
    band = roc.band(0.9, kind="simultaneous", fpr=at)
    for fpr, low, high in zip(at, band.low, band.high, strict=True):
        near = np.abs(x - fpr) <= along
        assert low == pytest.approx(max(0, y[near].min() - up) if fpr >= along else 0, abs=4e-4)
        assert high == pytest.approx(min(1, y[near].max() + up) if fpr + along < 1 else 1, abs=4e-4)


@pytest.mark.parametrize("decimals", [None, 0])
def test_the_simultaneous_band_of_samples_covers(decimals):
    """150 draws of 12 + 9 cases at level 0.5: at least 75, less 4 standard errors (by chance once in 30,000), cover.

    Also of values rounded to whole numbers, whose true curve runs straight between the rounded thresholds.
    """
    rng = np.random.default_rng(5)
    if decimals is None:
        true = ndtr((1.2 + ndtri(GRID)) / 1.3)
    else:
        edges = np.arange(12, -12, -1) - 0.5
        true = np.interp(GRID, ndtr(-edges), ndtr((1.2 - edges) / 1.3))
    covered = 0
    for _ in range(150):
        samples = rng.normal(size=12), rng.normal(1.2, 1.3, size=9)
        roc = EmpiricalRoc(*(s if decimals is None else s.round(decimals) for s in samples))
        covered += roc.band(0.5, kind="simultaneous", fpr=GRID).contains(lambda _: true)
    assert covered >= 75 - 4 * np.sqrt(150 / 4)


def test_the_reach_of_an_empirical_cdf_is_exact():
    """20,000 samples of 7: a share of 0.8 stays within the reach, to 4 standard errors (by chance once in 16,000)."""
    u = np.sort(np.random.default_rng(2).uniform(size=(20_000, 7)), axis=1)
    rank = np.arange(7)
    deviation = np.maximum((rank + 1) / 7 - u, u - rank / 7).max(axis=1)
    inside = np.mean(deviation <= kolmogorov_critical_value(0.8, 7))
    assert inside == pytest.approx(0.8, abs=4 * np.sqrt(0.16 / 20_000))


# ---- two Gaussians
@pytest.mark.parametrize(("n0", "n1", "draws"), [(10, 10, 1000), (60, 30, 300)])
def test_the_simultaneous_band_of_two_gaussians_covers(n0, n1, draws):
    """Among few and many: at least 0.945, less 4 standard errors, of the bands cover (by chance once in 30,000)."""
    rng = np.random.default_rng(n0)
    at = ndtr(np.linspace(-5, 5, 41))
    true = PredictedRoc(negative=Gaussian(0, 1), positive=Gaussian(1.2, 1.3))
    heights = true.tpr_at_fpr(at)
    covered = 0
    for _ in range(draws):
        negative, positive = rng.normal(size=n0), rng.normal(1.2, 1.3, size=n1)
        pair = [Gaussian(x.mean(), x.std(ddof=1)) for x in (negative, positive)]
        band = PredictedRoc(*pair, count=(n0, n1)).band(kind="simultaneous", fpr=at)
        covered += band.contains(lambda _: heights)
    assert covered / draws >= 0.945 - 4 * np.sqrt(0.95 * 0.05 / draws)


def test_the_lines_of_working_and_hotelling():
    """At an FPR in the middle: Phi(a + b x -+ sqrt(2 F) SE), with scipy's F and the standard error written out."""
    band = published().band(kind="simultaneous", fpr=[0.2])
    a, b, x = 4 / 2, 3 / 2, ndtri(0.2)
    z = a + b * x
    variance = b**2 / 60 + b**2 * x**2 / (2 * 59) + 1 / 40 + z**2 / (2 * 39)
    half = np.sqrt(2 * stats.f.ppf(0.95, 2, 39) * variance)
    assert band.low[0] == pytest.approx(ndtr(z - half), abs=1e-14)
    assert band.high[0] == pytest.approx(ndtr(z + half), abs=1e-14)
    assert working_hotelling_factor(0.95, 1e9) == pytest.approx(np.sqrt(stats.chi2.ppf(0.95, 2)), abs=1e-7)


def test_the_delta_method_is_that_of_the_interval():
    """Inside (0, 1) the pointwise band is ``tpr_at_fpr_interval``; at the ends it is the curve's own end."""
    band = published().band(fpr=GRID)
    interval = published().tpr_at_fpr_interval(GRID[1:-1])
    assert band.low[1:-1].tolist() == interval.low.tolist()
    assert band.high[1:-1].tolist() == interval.high.tolist()
    assert not band.flags


def test_pointwise_lies_inside_simultaneous():
    pointwise, simultaneous = (published().band(kind=kind) for kind in ("pointwise", "simultaneous"))
    assert (simultaneous.low <= pointwise.low).all()
    assert (pointwise.high <= simultaneous.high).all()
    assert simultaneous.mean_width > 1.1 * pointwise.mean_width


# ---- what every band does
@cache
def makers():
    negative, positive = drawn(40, 30)
    x, y = np.concatenate([negative, positive]), np.repeat([0, 1], [40, 30])
    weighted = EmpiricalRoc(Ecdf(negative, np.full(40, 2.0)), Ecdf(positive, np.full(30, 3.0)))
    tied = EmpiricalRoc(negative.round(), positive.round())
    return {
        "samples": (empirical_roc(x, y), ("bootstrap", "hilgers", "kolmogorov-smirnov")),
        "lower": (empirical_roc(-x, y, direction="lower"), ("bootstrap", "hilgers", "kolmogorov-smirnov")),
        "weights": (weighted, ("bootstrap", "hilgers", "kolmogorov-smirnov")),
        "ties": (tied, ("bootstrap", "hilgers", "kolmogorov-smirnov")),
        "fitted": (predict_roc(x, y), ("delta", "bootstrap", "working-hotelling")),
        "fitted, lower": (predict_roc(-x, y, direction="lower"), ("delta", "bootstrap", "working-hotelling")),
        "published": (published(), ("delta", "working-hotelling")),
        "three and three": (published((3, 3)), ("delta", "working-hotelling")),
    }


CASES = [(name, method) for name, (_, methods) in makers().items() for method in methods]


def asked(name, method, level=0.95, **options):
    kind = "simultaneous" if method in {"kolmogorov-smirnov", "working-hotelling"} else "pointwise"
    return makers()[name][0].band(level, kind=kind, method=method, n_resamples=400, **options)


@pytest.mark.parametrize(("name", "method"), CASES)
def test_a_band_holds_its_curve_and_grows_with_the_level(name, method):
    """The estimate inside, ends (0, 0) and (1, 1) inside, nothing beyond [0, 1], and each level inside the next."""
    bands = [asked(name, method, level) for level in (0.5, 0.9, 0.99)]
    roc = makers()[name][0]
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
        if method != "bootstrap" or "fallback" not in inner.flags:  # what stands in may be wider than the next level
            assert (outer.low <= inner.low).all()
            assert (inner.high <= outer.high).all()
        assert outer.mean_width > inner.mean_width


def test_turning_the_axis_changes_nothing():
    """The rule "x <= threshold" of -x has the same curve, hence the same bands."""
    for method in ("bootstrap", "hilgers", "kolmogorov-smirnov"):
        first, second = asked("samples", method), asked("lower", method)
        if method != "bootstrap":  # which draws rows by their place in the order
            assert first.low.tolist() == second.low.tolist()
            assert first.high.tolist() == second.high.tolist()
        assert first.mean_width == pytest.approx(second.mean_width, rel=0.1)


def test_whole_weights_are_rows():
    """A weight of 2 or 3 is as many equal rows."""
    weighted = makers()["weights"][0]
    negative, positive = drawn(40, 30)
    rows = EmpiricalRoc(np.repeat(negative, 2), np.repeat(positive, 3))
    for kind in ("pointwise", "simultaneous"):
        first, second = (roc.band(kind=kind, n_resamples=200) for roc in (weighted, rows))
        assert first.low.tolist() == second.low.tolist()
        assert first.high.tolist() == second.high.tolist()


def test_the_pointwise_band_of_samples_is_no_narrower_than_the_interval():
    """It is the interval, widened where that would fall as the FPR rises."""
    roc = makers()["samples"][0]
    band, interval = roc.band(n_resamples=400), roc.tpr_at_fpr_interval(np.arange(201) / 200, n_resamples=400)
    assert (band.low[:-1] <= interval.low[:-1]).all()
    assert (band.high[:-1] >= interval.high[:-1]).all()
    assert np.mean(band.low == interval.low) > 0.5
    single = roc.band(fpr=[0.1], n_resamples=400)
    assert (single.low[0], single.high[0]) == tuple(roc.tpr_at_fpr_interval(0.1, n_resamples=400))


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
@pytest.mark.parametrize(
    "roc",
    [
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
    ],
    ids=str,
)
def test_degenerate_classes_leave_room(roc, kind):
    """Separation, reversal, one case, one value, infinities: no NaN, the estimate inside, and never a mere line."""
    band = roc.band(kind=kind, n_resamples=50)
    assert np.isfinite([band.tpr, band.low, band.high]).all()
    assert band.contains(roc)
    assert band.mean_width > 0.05


def test_separated_samples_say_that_another_method_stands_in():
    band = EmpiricalRoc([1, 2, 3], [4, 5, 6]).band(n_resamples=50)
    assert band.flags["fallback"][:-1].all()
    assert not band.flags["fallback"][-1]  # where every curve ends


def test_without_spread_another_method_is_named():
    """Two points: neither delta nor Working-Hotelling has anything to say; what stands in is named, with a flag."""
    roc = PredictedRoc.from_stats(mean=(0, 1), std=(0, 0), count=(5, 5))
    for kind in ("pointwise", "simultaneous"):
        band = roc.band(kind=kind, fpr=[0.5])
        assert (band.method, list(band.flags)) == ("kolmogorov-smirnov", ["fallback"])
        assert band.low[0] == 0  # five cases reach 0.6 far


# ---- manners
def test_a_band_is_a_value():
    band = published().band(fpr=[0.1, 0.5])
    assert repr(band).startswith("ConfidenceBand(pointwise, n_points=2, level=0.95, method='delta', mean_width=0.")
    assert len(band) == 2
    as_read = json.loads(to_json(band.to_dict()))
    assert as_read["low"] == band.low.tolist()
    assert as_read["kind"] == "pointwise"
    assert not band.contains(lambda fpr: fpr)
    with pytest.raises(ValueError, match="read-only"):
        band.fpr[0] = 1
    backwards = published().band(fpr=[0.5, 0.1], kind="simultaneous")
    assert backwards.low.tolist() == published().band(fpr=[0.1, 0.5], kind="simultaneous").low[::-1].tolist()


def test_the_same_seed_gives_the_same_band():
    roc = makers()["samples"][0]
    first, again, other = (roc.band(n_resamples=100, rng=seed) for seed in (1, 1, 2))
    assert first.low.tolist() == again.low.tolist()
    assert first.low.tolist() != other.low.tolist()


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: published().band(kind="global"), "kind='global' is not allowed"),
        (lambda: published().band(kind="simultaneous", method="delta"), "method='delta' is not allowed"),
        (lambda: published().band(method="hilgers"), "method='hilgers' is not allowed"),
        (lambda: published().band(method="bootstrap"), "needs the sample behind"),
        (lambda: published().band(1.5), "level=1.5 is outside"),
        (lambda: published().band(fpr=0.5), r"give shape \(k,\)"),
        (lambda: published().band(fpr=[]), r"give shape \(k,\)"),
        (lambda: published().band().contains(0.5), "curve=0.5 is no curve"),
        (lambda: published().band(fpr=[50]), "fractions, not percent"),
        (lambda: PredictedRoc.from_stats(mean=(0, 1), std=(1, 1)).band(), r"give count=\(negative, positive\)"),
        (lambda: PredictedRoc.from_stats(mean=(0, [1, 2]), std=(1, 1), count=(9, 9)).band(), r"batch of shape \(2,\)"),
        (lambda: PredictedRoc(stats.gamma(2), stats.gamma(4), count=(9, 9)).band(), "two Gaussians"),
        (lambda: PredictedRoc(stats.gamma(2), stats.gamma(4)).band(kind="simultaneous"), "for samples"),
        (lambda: EmpiricalRoc(Ecdf([1, 2], [0.1, 0.2]), [3, 4]).band(), "weights of the negative class sum to 0.3"),
        (lambda: EmpiricalRoc([1, 2], [3, 4]).band(kind="simultaneous", method="bootstrap"), "'kolmogorov-smirnov'"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_words(ask, words):
    with pytest.raises(RocPredictError, match=words):
        ask()
