"""Hypotheses about areas, their tests and results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from rocpredict.base.formatting import format_interval, format_p_value
from rocpredict.base.rates import zero_variance_interval
from rocpredict.base.results import Flags, Interval, Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    check_option,
    check_probability,
    readonly_array,
    short_repr,
)
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.inference.bootstrap import make_area_function, make_points_function
from rocpredict.inference.intervals import auc_interval, critical_value
from rocpredict.inference.permutation import exact_auc_p_values, null_auc_variance, tie_correction
from rocpredict.inference.placements import VARIANCE_TOL, AnyPlacements, RateRange, check_rate_range
from rocpredict.inference.smoothed_logit import AreaContrast, SmoothedAreas, Tails
from rocpredict.solvers.base import interpolate_tpr_batch

Alternative: TypeAlias = Literal["two-sided", "greater", "less", "noninferior", "equivalent"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
"""Claims against the null hypothesis; the last two need a margin."""
METHOD_NAMES = {
    "delong": "DeLong",
    "bootstrap": "stratified bootstrap",
    "dirichlet": "Dirichlet draws",
    "permutation": "permutation of ranks",
    "venkatraman": "Venkatraman",
    "smoothed-logit": "smoothed logit",
    "mover": "MOVER of smoothed logit intervals",
    "mann-whitney": "Mann-Whitney",
    "exact": "exact permutation of labels",
    "delta": "delta",
}
"""Each method as a result names it."""
_WITHOUT_INTERVAL = tuple(METHOD_NAMES[name] for name in ("permutation", "venkatraman", "mann-whitney", "exact"))


@dataclass(frozen=True, eq=False, repr=False)
class AucTest(Result):
    """A test of one curve against a value, or of two curves against each other.

    Attributes
    ----------
    null, alternative : str
        The hypotheses, in words.
    method : str
        Such as "DeLong, paired".
    estimator : str
        What the estimates are.
    estimates : tuple of float
        Of each curve.
    difference : float
        First minus second; for one curve, its estimate minus the value.
    statistic : float
        The value whose null distribution gives p: Student's t or z, an area, or a sum over ranks.
    p_value : float
        For methods with an interval, the level at which intervals begin to leave the null value out: 1 - ``level`` of
        the widest interval without it, of a one-sided alternative half of that.
    interval : Interval
        Of the difference of two curves; of one curve's estimate. Tests that permute, and "mann-whitney" and "exact",
        have no interval of their own: theirs is the default interval, with its name in ``interval.method``.
    covariance : array of shape (K, K)
        Of the K estimates: by DeLong, DeLong and Clarke-Pearson (1988), with clusters by the jackknife over clusters;
        of TPRs over the resamples; of a predicted curve the square of its standard error. 0 between curves of
        different observations.
    n : tuple
        Cases (negative, positive); of two samples one pair for each.
    omitted : tuple of int
        Rows (negative, positive) left out for want of a value in any of the columns.
    direction : tuple of str
        Of each curve.
    flags : Flags
    """

    null: str
    alternative: str
    method: str
    estimator: str
    estimates: tuple[float, ...]
    difference: float
    statistic: float
    p_value: float
    interval: Interval
    covariance: FloatArray = field(metadata={"hidden": True})
    n: tuple[Any, ...]
    omitted: tuple[int, ...] = (0, 0)
    direction: tuple[str, ...] = ("higher", "higher")
    flags: Flags = field(default_factory=Flags)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", _int_if_whole(self.n))
        object.__setattr__(self, "covariance", readonly_array((self.covariance + self.covariance.T) / 2))

    def table(self) -> Table:
        """Return the estimates, their difference and the test."""
        rows = [[f"estimate {place}", value] for place, value in enumerate(self.estimates, start=1)]
        of = "difference" if len(self.estimates) > 1 else "estimate"
        rows += [
            ["difference", self.difference],
            [f"interval of the {of}, level {self.interval.level:g}", format_interval(*self.interval)],
            ["statistic", self.statistic],
            ["p", format_p_value(self.p_value)],
            ["cases (negative, positive)", str(self.n)],
            ["direction", ", ".join(self.direction)],
        ]
        if any(self.omitted):
            rows.append(["rows left out (negative, positive)", str(self.omitted)])
        notes = [f"Null hypothesis: {self.null}. Alternative: {self.alternative}.", f"Method: {self.method}."]
        if self.method.startswith(_WITHOUT_INTERVAL):
            notes.append(f"This test has no interval of its own; the one shown is by {self.interval.method}.")
        return Table(f"Test of areas ({self.estimator})", ("quantity", "value"), rows, None, notes, self.flags)

    def __repr__(self) -> str:
        remarks = f", omitted={self.omitted}" if any(self.omitted) else ""
        remarks += f", flags={list(self.flags)}" if self.flags else ""
        areas = ", ".join(f"{estimate:.4g}" for estimate in self.estimates)
        return (
            f"AucTest(null={short_repr(self.null, 80)}, method={self.method!r}, estimates=({areas}), "
            f"difference={self.difference:+.6g}, interval={self.interval.low:.4g} to {self.interval.high:.4g}, "
            f"statistic={self.statistic:.6g}, p_value={self.p_value:.6g}, n={self.n}{remarks})"
        )


@dataclass(frozen=True)
class Hypothesis:
    """A claim about a difference.

    Attributes
    ----------
    alternative : str
        One of ``ALTERNATIVES``.
    margin : float or None
        How much worse (or other) still counts as as good, for "noninferior" and "equivalent".
    """

    alternative: str = "two-sided"
    margin: Any = None

    def __post_init__(self) -> None:
        check_option("alternative", self.alternative, ALTERNATIVES)
        needs = self.alternative in {"noninferior", "equivalent"}
        if needs != (self.margin is not None):
            raise RocPredictError(f"alternative={self.alternative!r} {'needs' if needs else 'takes no'} margin=")
        if needs:
            object.__setattr__(self, "margin", check_probability("margin", self.margin, ends=False))

    @property
    def width(self) -> float:
        """The margin; 0 without one."""
        return 0.0 if self.margin is None else float(self.margin)

    def divide(self, width: float) -> Hypothesis:
        """Return the claim about the difference as a share of a width."""
        return self if self.margin is None else replace(self, margin=min(self.margin / width, 1 - 1e-12))

    def describe(self, first: str, second: str) -> tuple[str, str]:
        """Return the null hypothesis and the alternative about two quantities."""
        margin = f"{self.margin:g}" if self.margin is not None else ""
        return {
            "two-sided": (f"{first} = {second}", f"{first} != {second}"),
            "greater": (f"{first} <= {second}", f"{first} > {second}"),
            "less": (f"{first} >= {second}", f"{first} < {second}"),
            "noninferior": (f"{first} <= {second} - {margin}", f"{first} > {second} - {margin}"),
            "equivalent": (f"|{first} - {second}| >= {margin}", f"|{first} - {second}| < {margin}"),
        }[self.alternative]

    def test_tails(
        self, tails: Callable[[float], Tails], value: float, bounds: tuple[float, float]
    ) -> tuple[float, float]:
        """Return statistic and p of a quantity between bounds, from its one-sided p-values at other values."""
        low = tails(max(value - self.width, bounds[0]))
        if self.alternative == "equivalent":  # two one-sided tests: the less certain of the two
            high = tails(min(value + self.width, bounds[1]))
            return (low.statistic, low.greater) if low.greater >= high.less else (-high.statistic, high.less)
        if self.alternative == "two-sided":
            return low.statistic, min(1.0, 2 * min(low.greater, low.less))
        return low.statistic, low.less if self.alternative == "less" else low.greater

    def normal_test(
        self, estimate: Any, low: Any, high: Any, std_error: float, freedom: float = np.inf
    ) -> tuple[float, float]:
        """Return z and p of an estimate that is normal about its true value; with few degrees of freedom Student's t.

        ``low`` and ``high`` are the value less and plus the margin.
        """
        z = (estimate - low) / std_error
        if self.alternative == "equivalent":  # two one-sided tests: the less certain of the two
            z = min(z, (high - estimate) / std_error)
        z = 0.0 if np.isnan(z) else float(z)
        return z, self.p_value(z, freedom)

    def p_value(self, z: float, freedom: float = np.inf) -> float:
        """Return p of a standard normal z, or of Student's t."""
        t = {"two-sided": -abs(z), "less": z}.get(self.alternative, -z)
        tail = float(ndtr(t) if np.isinf(freedom) else stdtr(freedom, t))
        return 2 * tail if self.alternative == "two-sided" else tail

    def bound_p_value(self, difference: float, cases: float) -> float:
        """Return p of a difference that is the same for every case: the level at which a bound on others gives way.

        If n cases show nothing else, others are at most a share 1 - p^(1/n) (Clopper and Pearson 1934), and the true
        difference is at least p^(1/n) (1 + difference) - 1. Two-sided p is twice the smaller one.
        """
        margin = self.width
        above = min(1.0, (1 - margin) / (1 + difference)) ** cases if difference > -1 else 1.0
        below = min(1.0, (1 - margin) / (1 - difference)) ** cases if difference < 1 else 1.0
        combined = {"two-sided": min(1.0, 2 * min(above, below)), "less": below, "equivalent": max(above, below)}
        return combined.get(self.alternative, above)

    def permutation_p_value(self, replicates: FloatArray, observed: float) -> float:
        """Return p of a statistic among those of random permutations, itself counted in: never 0, and valid."""
        scale = 1e-12 * max(1.0, float(np.abs(replicates).max(initial=0.0)), abs(observed))
        if self.alternative == "two-sided":
            extreme = np.abs(replicates) >= abs(observed) - scale
        elif self.alternative == "less":
            extreme = replicates <= observed + scale
        else:
            extreme = replicates >= observed - scale
        return float((1 + np.count_nonzero(extreme)) / (1 + len(replicates)))


def _int_if_whole(counts: Any) -> Any:
    """Return counts as ints where they are whole."""
    if isinstance(counts, tuple):
        return tuple(_int_if_whole(count) for count in counts)
    return int(counts) if counts == int(counts) else float(counts)


MANN_WHITNEY = "Mann-Whitney, ties half"
"""The estimator of an empirical AUC."""
PREDICTED_AUC = "AUC, of one curve or both as predicted"
"""The estimator of two AUCs that are not both empirical."""
ONE_SAMPLE_METHODS = ("smoothed-logit", "delong", "mann-whitney", "exact")
"""Tests of one empirical curve against a value; the first is the default."""
_ONE_SIDED = ("two-sided", "greater", "less")


class AucStatistic(NamedTuple):
    """Statistic, p-value and interval of a test."""

    statistic: float
    p_value: float
    interval: Interval

    def add_flags(self, flags: Flags) -> AucStatistic:
        """Return the same with more flags on the interval."""
        return self._replace(interval=replace(self.interval, flags=self.interval.flags | flags))

    def result(self, hypotheses: tuple[str, str], *, flags: Flags, **fields: Any) -> AucTest:
        """Return the test; ``fields`` are the other fields of ``AucTest``, ``flags`` those of the data."""
        return AucTest(*hypotheses, flags=flags | self.interval.flags, **(self._asdict() | fields))


@dataclass(frozen=True)
class ComparedQuantity:
    """The compared quantity of each curve: the area, the area over a range of rates, or the TPR at an FPR."""

    rate_range: RateRange | None = None
    fpr: float | None = None

    @classmethod
    def from_arguments(cls, fpr: Any, tpr: Any, tpr_at_fpr: Any) -> ComparedQuantity:
        """Return what is compared, or refuse two things at once."""
        quantities = [
            name for name, value in (("fpr", fpr), ("tpr", tpr), ("tpr_at_fpr", tpr_at_fpr)) if value is not None
        ]
        if len(quantities) > 1:
            raise RocPredictError(
                f"{' and '.join(f'{name}=' for name in quantities)} do not go together; give one of them"
            )
        if tpr_at_fpr is not None:
            return cls(fpr=check_probability("tpr_at_fpr", tpr_at_fpr))
        return cls(check_rate_range(fpr, tpr)) if quantities else cls()

    @property
    def name(self) -> str:
        """The quantity in words."""
        if self.fpr is not None:
            return f"TPR at FPR {self.fpr:g}"
        if self.rate_range is None:
            return "AUC"
        return f"partial AUC over {self.rate_range.axis.upper()} {self.rate_range.low:g} to {self.rate_range.high:g}"

    @property
    def estimator(self) -> str:
        """The estimator in words."""
        if self.fpr is not None:
            return "empirical TPR, the top of a vertical piece"
        return MANN_WHITNEY if self.rate_range is None else "area under the empirical curve over the range, raw"

    @property
    def band_width(self) -> float:
        """The factor of a share: the width of the range."""
        return 1.0 if self.rate_range is None else float(self.rate_range.width)

    def bootstrap_function(self, negative: Ecdf, positive: Ecdf) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Return the function that takes how often each value is drawn to the quantity in each resample."""
        fpr = self.fpr
        if fpr is None:
            return make_area_function(negative, positive, self.rate_range)
        points = make_points_function(negative, positive)
        return lambda *counts: interpolate_tpr_batch((resample := points(*counts)).fpr, resample.tpr, fpr)


@dataclass(frozen=True)
class AreaDifference:
    """A difference of areas, or another contrast of them.

    Attributes
    ----------
    contrast : AreaContrast
        The same by smoothed areas.
    variance, df : float
        The variance by DeLong or by the jackknife over clusters, and its degrees of freedom for Wald's test.
    n_units : pair of float
        Independent units of each class, in the smaller sample.
    is_same_curve : bool
        Whether the curves place every observation alike.
    is_constant : bool
        Whether the difference is the same for every observation, and not 0.
    is_blind : bool
        Whether a variance was not seen, of a class of one observation or of one of two samples.
    has_dominant_cluster : bool
        Whether one cluster has more than half of the observations of a class.
    """

    contrast: AreaContrast
    variance: float
    df: float
    n_units: tuple[float, float]
    is_same_curve: bool = False
    is_constant: bool = False
    is_blind: bool = False
    has_dominant_cluster: bool = False

    @classmethod
    def paired(cls, areas: AnyPlacements, weights: FloatArray) -> AreaDifference:
        """Return a contrast of curves on the same observations."""
        difference, contrast = areas.contrast(weights), AreaContrast.from_placements(areas, weights)
        variance, n_units = float(difference.variance()), difference.n_units
        same = float(difference.estimate) == 0 and difference.is_constant
        constant, single = variance <= VARIANCE_TOL and not same, min(n_units) <= 1
        dominant = areas.has_dominant_cluster
        return cls(contrast, variance, difference.df, n_units, same, constant, single, dominant)

    @classmethod
    def unpaired(cls, first: AnyPlacements, second: AnyPlacements) -> AreaDifference:
        """Return the difference of two areas on different observations."""
        contrast = AreaContrast.from_samples([SmoothedAreas.from_placements(areas) for areas in (first, second)])
        variances, n_units = [float(areas.variance()) for areas in (first, second)], contrast.areas.n_units
        same = contrast.estimate == 0 and bool(first.is_constant and second.is_constant)
        blind, df = min(variances) <= VARIANCE_TOL or min(n_units) <= 1, min(first.df, second.df)
        dominant = first.has_dominant_cluster or second.has_dominant_cluster
        return cls(
            contrast,
            sum(variances),
            df,
            n_units,
            is_same_curve=same,
            is_blind=blind,
            has_dominant_cluster=dominant,
        )

    def test(self, hypothesis: Hypothesis, level: float, method: str) -> AucStatistic:
        """Test it against 0, "delong" by Wald's z, and else by MOVER; with the interval of the method."""
        estimate, flags = self.contrast.estimate, Flags(dominant_cluster=self.has_dominant_cluster)
        if self.is_same_curve or self.is_constant:
            result = zero_variance_test(estimate, self.n_units, hypothesis, level, same=self.is_same_curve)
        elif method == "delong" and not self.is_blind:
            result = wald_test(estimate, self.variance, hypothesis, level, method=method, freedom=self.df)
        else:
            flags |= Flags(fallback=method == "delong", single_observation=min(self.n_units) <= 1)
            interval = Interval(*self.contrast.interval(level), level, "mover", estimate)
            result = AucStatistic(*hypothesis.test_tails(self.contrast.tails, 0.0, (-1.0, 1.0)), interval)
        return result.add_flags(flags)


def wald_test(
    estimate: float, variance: float, hypothesis: Hypothesis, level: float, *, method: str, freedom: float = np.inf
) -> AucStatistic:
    """Test a difference of areas by its standard error: its normal law, or Student's t."""
    std_error = float(np.sqrt(variance))
    half = critical_value(freedom, level) * std_error
    interval = Interval(max(estimate - half, -1.0), min(estimate + half, 1.0), level, method, estimate)
    statistic = hypothesis.normal_test(estimate, -hypothesis.width, hypothesis.width, std_error, freedom)
    return AucStatistic(*statistic, interval)


def bootstrap_test(
    differences: FloatArray, estimate: float, units: tuple[float, float], hypothesis: Hypothesis, level: float
) -> AucStatistic:
    """Test a difference by its standard deviation over resamples, by the normal law."""
    variance = float(np.var(differences, ddof=1))
    if variance <= VARIANCE_TOL:
        return zero_variance_test(estimate, units, hypothesis, level)
    result = wald_test(estimate, variance, hypothesis, level, method="bootstrap")
    return result.add_flags(Flags(single_observation=min(units) <= 1))


def one_sample_test(
    areas: AnyPlacements, value: float, hypothesis: Hypothesis, interval: Interval, method: str
) -> AucStatistic:
    """Test an area against a value: by Wald's z, or by the smoothed logit interval.

    ``interval`` is that of the method; where "delong" sees no variability, the smoothed one stands in for both.
    """
    variance, margin = float(areas.variance()), hypothesis.width
    blind = variance <= VARIANCE_TOL or min(areas.n_units) <= 1
    if method == "delong" and not blind:
        difference = float(areas.estimate) - value
        statistic = hypothesis.normal_test(difference, -margin, margin, float(np.sqrt(variance)), areas.df)
        return AucStatistic(*statistic, interval)
    tails = SmoothedAreas.from_placements(areas).tails
    return AucStatistic(*hypothesis.test_tails(tails, value, (0.0, 1.0)), interval)


def zero_variance_test(
    difference: float, units: tuple[float, float], hypothesis: Hypothesis, level: float, *, same: bool = False
) -> AucStatistic:
    """Judge a difference that no case or resample varies, by how many unlike cases there can be unseen."""
    cases = min(units)
    limits = np.array(zero_variance_interval(np.asarray((1 + difference) / 2), units, level)) * 2 - 1
    flags = Flags(same_curve=same, fallback=not same)
    interval = Interval(float(limits[0]), float(limits[1]), level, "unseen", difference, flags)
    p_value = hypothesis.bound_p_value(difference, cases)
    z = float(np.copysign(ndtri(1 - min(p_value, 1.0) / 2), difference)) if difference else 0.0  # what has this p
    return AucStatistic(z, p_value, interval)


def empirical_auc_test(
    areas: AnyPlacements,
    pair: tuple[Ecdf, Ecdf] | None,
    null: Any,
    method: str | None,
    *,
    claim: Hypothesis,
    level: float,
    design: str = "",
    **rows: Any,
) -> AucTest:
    """Test the AUC of an empirical curve against a value.

    ``pair`` has its classes, where rows are independent cases of one stratum; ``design`` tells how rows belong
    together, to put behind the name of the method; ``rows`` are fields of ``AucTest``: n, omitted, direction, flags.
    """
    selected = check_option("method", method, (None, *ONE_SAMPLE_METHODS)) or ONE_SAMPLE_METHODS[0]
    value = check_probability("null", null)
    interval = auc_interval(areas, level, "delong" if selected == "delong" else ONE_SAMPLE_METHODS[0])
    hypotheses = claim.describe("AUC", f"{value:g}")
    if selected in {"mann-whitney", "exact"}:
        if value != 0.5 or claim.alternative not in _ONE_SIDED or pair is None:
            raise RocPredictError(
                f"method={selected!r} tests for equal distributions: null=0.5, alternative one of "
                f"{', '.join(_ONE_SIDED)}, no clusters= or strata=; see 'smoothed-logit'"
            )
        statistic = _label_permutation_test(*pair, selected == "exact", claim, interval)
        hypotheses = "both classes have the same distribution", hypotheses[1]
    else:
        statistic = one_sample_test(areas, value, claim, interval, selected)
    area = float(areas.estimate)
    return statistic.result(
        hypotheses,
        method=f"{METHOD_NAMES[selected]}{design}",
        estimator=MANN_WHITNEY,
        estimates=(area,),
        difference=area - value,
        covariance=np.atleast_2d(areas.variance()),
        **rows,
    )


def _label_permutation_test(
    negative: Ecdf, positive: Ecdf, exact: bool, claim: Hypothesis, interval: Interval
) -> AucStatistic:
    """Test whether labels could be exchanged: by the normal law of the rank sum, or by counting all ways."""
    area = float(interval.estimate)
    if exact:
        if negative.weights is not None:
            raise RocPredictError("method='exact' takes whole weights only: it counts cases")
        low, high, two_sided = exact_auc_p_values(negative.sample, positive.sample)
        p_value = {"two-sided": two_sided, "greater": high, "less": low}[claim.alternative]
        return AucStatistic(area, min(p_value, 1.0), interval)
    variance = float(null_auc_variance(negative.total, positive.total, tie_correction(negative, positive)))
    if variance == 0:
        return AucStatistic(0.0, 1.0, interval)
    z = (area - 0.5) / np.sqrt(variance)
    return AucStatistic(float(z), claim.p_value(z), interval)


def opposite_direction_flag(areas: Any, chance: float = 0.5) -> Flags:
    """Flag areas on both sides of what a feature that tells nothing has."""
    return Flags(opposite_directions=np.min(areas) < chance < np.max(areas))
