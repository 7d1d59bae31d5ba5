"""Tests of one AUC and of the difference of two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit, ndtr, ndtri

from rocpredict.base.results import Flags, Interval, zero_variance_interval
from rocpredict.base.validation import FloatArray, RocPredictError, check_option, check_probability
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.inference.auc import auc_interval
from rocpredict.inference.bootstrap import (
    BootstrapOptions,
    make_auc_function,
    make_points_function,
    percentile_interval,
)
from rocpredict.inference.delta_method import ProbitEstimate
from rocpredict.inference.hypotheses import METHOD_NAMES, AucTest, Hypothesis, t_ppf
from rocpredict.inference.permutation import exact_auc_p_values, null_variance
from rocpredict.inference.placements import (
    VARIANCE_TOL,
    AnyPlacements,
    ClassPlacements,
    Placements,
    RateInterval,
    compute_placements,
    partial_placements,
    placements_in_row_order,
)
from rocpredict.solvers.base import interpolate_tpr_batch
from rocpredict.solvers.empirical import EmpiricalSolver


class AucStatistic(NamedTuple):
    """What a comparison comes to."""

    statistic: float
    p_value: float
    interval: Interval
    flags: Flags

    def result(self, hypotheses: tuple[str, str], *, flags: Flags, **fields: Any) -> AucTest:
        """Return the test; ``fields`` are the other fields of ``AucTest``, ``flags`` those of the data."""
        null, alternative = hypotheses
        fields |= {"interval": self.interval, "statistic": self.statistic, "p_value": self.p_value}
        return AucTest(null, alternative, flags=flags | self.flags, **fields)


@dataclass(frozen=True)
class PairedSample:
    """Hold the values of K features on the same rows, positives to the higher side.

    Attributes
    ----------
    negative, positive : array of shape (rows, K)
    weights : pair of array or None
        How many cases each row stands for.
    clusters : pair of int array or None
        Which rows belong together, numbered from 0 on alike in both classes.
    """

    negative: FloatArray
    positive: FloatArray
    weights: tuple[Any, Any] = (None, None)
    clusters: tuple[Any, Any] = (None, None)

    def class_distributions(self, curve: int) -> tuple[Ecdf, Ecdf]:
        """Give the two classes of one feature."""
        return Ecdf(self.negative[:, curve], self.weights[0]), Ecdf(self.positive[:, curve], self.weights[1])

    def placements(self, band: RateInterval | None = None) -> Placements:
        """Give the placements of all K curves, row by row."""
        placed = [self._placed(curve, band) for curve in range(self.negative.shape[1])]
        estimate = np.array([estimate for estimate, _, _ in placed])
        sides = []
        for index in (0, 1):
            values = np.column_stack([rows[1 + index] for rows in placed])
            total = self.class_distributions(0)[index].total
            sides.append(ClassPlacements(values, self.weights[index], total, self.clusters[index]))
        chance = 0.5 if band is None else partial_placements(*self.class_distributions(0), band).null_value
        return Placements(estimate, sides[0], sides[1], chance)

    def subset(self, negative: NDArray[np.bool_], positive: NDArray[np.bool_]) -> PairedSample:
        """Give some of the rows."""
        kept = negative, positive
        weights, clusters = (
            tuple(None if part is None else part[rows] for part, rows in zip(parts, kept, strict=True))
            for parts in (self.weights, self.clusters)
        )
        return PairedSample(self.negative[negative], self.positive[positive], weights, clusters)  # type: ignore[arg-type]

    @property
    def class_sizes(self) -> tuple[float, float]:
        """How many cases each class has."""
        if self.weights[0] is None:
            return len(self.negative), len(self.positive)
        return float(self.weights[0].sum()), float(self.weights[1].sum())

    def _placed(self, curve: int, band: RateInterval | None) -> tuple[FloatArray, FloatArray, FloatArray]:
        pair = self.class_distributions(curve)
        found = compute_placements(*pair) if band is None else partial_placements(*pair, band)
        rows = (self.negative[:, curve], self.positive[:, curve])
        sides = (found.negative, found.positive)
        ordered = [d.sorted_sample if band is None else d.unique_values for d in pair]
        placed = [placements_in_row_order(s, o, r) for s, o, r in zip(sides, ordered, rows, strict=True)]
        return found.estimate, placed[0], placed[1]


@dataclass(frozen=True)
class ComparedQuantity:
    """Say what of each curve is compared: the area, the area in a band, or the TPR at an FPR."""

    band: RateInterval | None = None
    fpr: float | None = None

    @property
    def name(self) -> str:
        """Give it in words."""
        if self.fpr is not None:
            return f"TPR at FPR {self.fpr:g}"
        if self.band is None:
            return "AUC"
        return f"partial AUC over {self.band.axis.upper()} {self.band.low:g} to {self.band.high:g}"

    @property
    def band_width(self) -> float:
        """Give what a share is multiplied by: the width of the band."""
        return 1.0 if self.band is None else float(self.band.width)

    def compute(self, negative: Ecdf, positive: Ecdf) -> float:
        """Give it for one curve."""
        if self.fpr is not None:
            return float(EmpiricalSolver(negative, positive).along("fpr", np.asarray(self.fpr)))
        if self.band is None:
            return float(EmpiricalSolver(negative, positive).auc())
        return float(partial_placements(negative, positive, self.band).estimate) * self.band_width

    def bootstrap_function(self, negative: Ecdf, positive: Ecdf) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Give the function that takes how often each value is drawn to its value in each resample."""
        band, fpr = self.band, self.fpr
        if band is None and fpr is None:
            return make_auc_function(negative, positive)
        points = make_points_function(negative, positive)
        if fpr is not None:
            return lambda n, p: interpolate_tpr_batch((drawn := points(n, p)).fpr, drawn.tpr, fpr)
        assert band is not None
        return lambda n, p: points(n, p).area(band)


@dataclass(frozen=True)
class IndependentDifference:
    """Hold the difference of two areas on different cases."""

    sample1: AnyPlacements
    sample2: AnyPlacements
    bounds: tuple[float, float] = (-1.0, 1.0)

    @property
    def estimate(self) -> FloatArray:
        """First minus second."""
        return np.asarray(self.sample1.estimate - self.sample2.estimate)

    @property
    def n_units(self) -> tuple[float, float]:
        """How many independent units the smaller sample has of each class."""
        pairs = zip(self.sample1.n_units, self.sample2.n_units, strict=True)
        negative, positive = (min(pair) for pair in pairs)
        return negative, positive

    def variance(self) -> FloatArray:
        """Give the sum of both variances."""
        return np.asarray(self.sample1.variance() + self.sample2.variance())

    @property
    def is_constant(self) -> bool:
        """Whether both samples have all values tied."""
        return self.sample1.is_constant and self.sample2.is_constant

    @property
    def has_zero_variance_part(self) -> bool:
        """Whether one of the samples shows no spread, which is not to be taken for none."""
        return min(float(self.sample1.variance()), float(self.sample2.variance())) <= VARIANCE_TOL

    @property
    def df(self) -> float:
        """How many degrees of freedom the variance has."""
        return min(self.sample1.df, self.sample2.df)

    def smoothed_estimate(self) -> tuple[Any, FloatArray]:
        """Give difference and variance with a little of a case more in each class of both samples."""
        (area, variance), (other, further) = self.sample1.smoothed_estimate(), self.sample2.smoothed_estimate()
        return area - other, variance + further


def delong_test(areas: AnyPlacements | IndependentDifference, hypothesis: Hypothesis, level: float) -> AucStatistic:
    """Test an area difference, already selected, by its normal law (DeLong, DeLong and Clarke-Pearson 1988)."""
    difference, variance = float(areas.estimate), float(areas.variance())
    if is_same_curve(areas):
        return zero_variance_test(0.0, areas.n_units, hypothesis, level, same=True)
    if variance <= VARIANCE_TOL:
        return zero_variance_test(difference, areas.n_units, hypothesis, level)
    single = min(areas.n_units) <= 1
    smoothed = single or areas.has_zero_variance_part
    centre, variance = (float(part) for part in areas.smoothed_estimate()) if smoothed else (difference, variance)
    std_error = float(np.sqrt(variance))
    half = -t_ppf((1 - level) / 2, areas.df) * std_error
    ends = max(centre - half, areas.bounds[0]), min(centre + half, areas.bounds[1])
    flags = Flags(fallback=smoothed, single_case=single)
    interval = Interval(*ends, level, "smoothed" if smoothed else "delong", difference, flags)
    return AucStatistic(*hypothesis.normal_test(centre, std_error, areas.df), interval, flags)


def bootstrap_test(
    differences: FloatArray, estimate: float, units: tuple[float, float], hypothesis: Hypothesis, level: float
) -> AucStatistic:
    """Test a difference by its standard deviation over resamples; the interval by their quantiles."""
    std_error = float(np.std(differences, ddof=1))
    if std_error**2 <= VARIANCE_TOL:
        return zero_variance_test(estimate, units, hypothesis, level)
    flags = Flags(single_case=min(units) <= 1)
    interval = Interval(*percentile_interval(differences, level), level, "bootstrap", estimate, flags)
    return AucStatistic(*hypothesis.normal_test(estimate, std_error), interval, flags)


def one_sample_test(
    areas: AnyPlacements, value: float, hypothesis: Hypothesis, interval: Interval, method: str
) -> AucStatistic:
    """Test an area against a value: by Wald's z, or on the logit scale with a little of a case more."""
    variance = float(areas.variance())
    blind = variance <= VARIANCE_TOL or min(areas.n_units) <= 1
    if method == "delong" and not blind:
        z, p = hypothesis.normal_test(float(areas.estimate) - value, float(np.sqrt(variance)), areas.df)
        return AucStatistic(z, p, interval, interval.flags)
    area, variance = (float(part) for part in areas.smoothed_estimate())
    flags = interval.flags | Flags(fallback=method == "delong")
    if hypothesis.margin is None and value in {0, 1} and float(areas.estimate) == value:
        return AucStatistic(0.0, 1.0, interval, flags)  # no data could agree better
    if areas.is_constant:  # all values are tied: the interval says what they leave open
        return AucStatistic(0.0, 1.0 if value in interval else 1 - interval.level, interval, flags)
    std_error = float(np.sqrt(variance)) / (area * (1 - area))
    margin = 0.0 if hypothesis.margin is None else float(hypothesis.margin)
    with np.errstate(divide="ignore"):
        low, high = logit(np.clip([value - margin, value + margin], 0, 1))
    z = float(logit(area) - low) / std_error
    if hypothesis.alternative == "equivalent":
        z = min(z, float(high - logit(area)) / std_error)
    return AucStatistic(z, hypothesis.p_value(z, areas.df), interval, flags)


def is_same_curve(areas: AnyPlacements | IndependentDifference) -> bool:
    """Tell a difference of curves that place every case alike."""
    return areas.bounds[0] < 0 and float(areas.estimate) == 0 and areas.is_constant


def zero_variance_test(
    difference: float, units: tuple[float, float], hypothesis: Hypothesis, level: float, *, same: bool = False
) -> AucStatistic:
    """Judge a difference that no case or resample varies, by how many unlike cases there can be unseen."""
    cases = min(units)
    ends = np.array(zero_variance_interval(np.asarray((1 + difference) / 2), units, level)) * 2 - 1
    flags = Flags(same_curve=same, fallback=not same)
    interval = Interval(float(ends[0]), float(ends[1]), level, "unseen", difference, flags)
    p_value = hypothesis.bound_p_value(difference, cases)
    z = float(np.copysign(ndtri(1 - min(p_value, 1.0) / 2), difference)) if difference else 0.0  # what has this p
    return AucStatistic(z, p_value, interval, flags)


def bootstrap_replicates(columns: PairedSample, quantity: ComparedQuantity, resampling: BootstrapOptions) -> FloatArray:
    """Give a quantity of each curve in each resample of the same rows, shape (n_resamples, K)."""
    if columns.weights[0] is not None:
        raise RocPredictError("weights are not whole; resampling needs numbers of cases")
    curves = range(columns.negative.shape[1])
    orders = [(np.argsort(columns.negative[:, k]), np.argsort(columns.positive[:, k])) for k in curves]
    makers = [quantity.bootstrap_function(*columns.class_distributions(k)) for k in curves]
    rows = len(columns.negative), len(columns.positive)
    chunks = []
    for negative, positive in resampling.resample_counts((None, None), rows, row_size=10 * sum(rows)):
        drawn = [make(negative[:, order[0]], positive[:, order[1]]) for make, order in zip(makers, orders, strict=True)]
        chunks.append(np.column_stack(drawn))
    return np.concatenate(chunks)


MANN_WHITNEY = "Mann-Whitney, ties half"
"""The estimator of an empirical AUC."""
ONE_SAMPLE_METHODS = ("smoothed-logit", "delong", "mann-whitney", "exact")
"""Tests of one empirical curve against a value; the first is the default."""
_ONE_SIDED = ("two-sided", "greater", "less")


class OneSampleInput(NamedTuple):
    """An empirical curve, and what a result says of it."""

    areas: AnyPlacements
    pair: tuple[Ecdf, Ecdf] | None
    """Its classes, where rows are independent cases of one stratum."""
    n: tuple[float, float]
    direction: str
    omitted: tuple[int, int] = (0, 0)
    design: str = ""
    flags: Flags = Flags()


def test_empirical_auc(
    curve: OneSampleInput, null: Any, method: str | None, claim: Hypothesis, level: float
) -> AucTest:
    """Test the AUC of an empirical curve against a value."""
    check_option("method", method, (None, *ONE_SAMPLE_METHODS))
    chosen = ONE_SAMPLE_METHODS[0] if method is None else method
    value = check_probability("null", null)
    interval = auc_interval(curve.areas, level, "delong" if chosen == "delong" else ONE_SAMPLE_METHODS[0])
    hypotheses = claim.describe("AUC", f"{value:g}")
    if chosen in {"mann-whitney", "exact"}:
        if value != 0.5 or claim.alternative not in _ONE_SIDED or curve.pair is None:
            raise RocPredictError(
                f"method={chosen!r} tests for equal distributions: null=0.5, alternative one of "
                f"{', '.join(_ONE_SIDED)}, no clusters= or strata=; see 'smoothed-logit'"
            )
        found = _label_permutation_test(*curve.pair, chosen == "exact", claim, interval)
        hypotheses = "both classes have the same distribution", hypotheses[1]
    else:
        found = one_sample_test(curve.areas, value, claim, interval, chosen)
    area = float(curve.areas.estimate)
    return found.result(
        hypotheses,
        method=f"{METHOD_NAMES[chosen]}{curve.design}",
        estimator=MANN_WHITNEY,
        estimates=(area,),
        difference=area - value,
        n=curve.n,
        omitted=curve.omitted,
        direction=(curve.direction,),
        flags=curve.flags,
    )


def test_predicted_auc(
    spread: ProbitEstimate, interval: Interval, null: Any, claim: Hypothesis, *, n: tuple[float, float], direction: str
) -> AucTest:
    """Test the AUC of two Gaussians, known by means, standard deviations and counts, on the probit scale."""
    value = check_probability("null", null)
    margin = 0.0 if claim.margin is None else float(claim.margin)
    std_error, estimate = float(spread.std_error), float(ndtr(spread.z))
    hypotheses = claim.describe("AUC", f"{value:g}")
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = ((spread.z - ndtri(np.clip(at, 0, 1))) / std_error for at in (value - margin, value + margin))
    z = float(min(low, -high) if claim.alternative == "equivalent" else low)
    z = 0.0 if np.isnan(z) else z
    return AucStatistic(z, claim.p_value(z), interval, interval.flags).result(
        hypotheses,
        method="delta, on the probit scale",
        estimator="two Gaussians, Phi of the standardised mean difference",
        estimates=(estimate,),
        difference=estimate - value,
        n=n,
        direction=(direction,),
        flags=Flags(),
    )


def _label_permutation_test(
    negative: Ecdf, positive: Ecdf, exact: bool, claim: Hypothesis, interval: Interval
) -> AucStatistic:
    """Test whether labels could be exchanged: by the normal law of the rank sum, or by counting all ways."""
    area = float(interval.estimate)
    if exact:
        if negative.weights is not None:
            raise RocPredictError("method='exact' takes whole weights only: it counts cases")
        low, high, far = exact_auc_p_values(negative.sample, positive.sample)
        p_value = {"two-sided": far, "greater": high, "less": low}[claim.alternative]
        return AucStatistic(area, min(p_value, 1.0), interval, interval.flags)
    variance = null_variance(negative, positive)
    if variance == 0:
        return AucStatistic(0.0, 1.0, interval, interval.flags)
    z = (area - 0.5) / np.sqrt(variance)
    return AucStatistic(float(z), claim.p_value(z), interval, interval.flags)
