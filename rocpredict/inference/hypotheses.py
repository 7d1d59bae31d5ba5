"""Hypotheses about areas under ROC curves, and tests of these hypotheses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from scipy.special import ndtri, stdtr

from rocpredict.base.formatting import format_interval, format_p_value
from rocpredict.base.rates import zero_variance_interval
from rocpredict.base.results import Flags, Interval, Result, omitted_text
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    check_option,
    check_probability,
    readonly_array,
    short_repr,
)
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.inference.bootstrap import make_area_function, make_points_function
from rocpredict.inference.intervals import AreaContrast, SmoothedAreas, Tails, auc_interval, critical_value
from rocpredict.inference.placements import VARIANCE_TOL, Placements, RateRange, check_rate_range
from rocpredict.solvers.base import interpolate_tpr_batch

Alternative: TypeAlias = Literal["two-sided", "greater", "less", "noninferior", "equivalent"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
"""Alternative hypotheses; "noninferior" and "equivalent" need a margin."""
METHOD_NAMES = {
    "delong": "DeLong",
    "bootstrap": "stratified bootstrap",
    "dirichlet": "Dirichlet draws",
    "venkatraman": "Venkatraman",
    "smoothed-logit": "smoothed logit",
    "mover": "MOVER of smoothed-logit intervals",
    "mann-whitney": "Mann-Whitney",
    "exact": "exact permutation of labels",
    "delta": "delta",
}
"""Name of each method in printed results."""
MANN_WHITNEY = "Mann-Whitney, ties half"
"""Name of the estimator of an empirical AUC."""
PREDICTED_AUC = "AUC, predicted for at least one of the curves"
"""Name of the estimator if at least one of two curves is predicted."""
ONE_SAMPLE_METHODS = ("smoothed-logit", "delong", "mann-whitney", "exact")
"""Methods for testing one empirical curve against a value; the first is the default."""
_WITHOUT_INTERVAL = tuple(METHOD_NAMES[name] for name in ("venkatraman", "mann-whitney", "exact"))
_ONE_SIDED = ("two-sided", "greater", "less")
_MAX_EXACT_SIZE = 200  # most observations for an exact test; with more, the normal approximation is as good


@dataclass(frozen=True, eq=False, repr=False)
class AucTest(Result):
    """Result of a test of one curve against a value, or of two curves against each other.

    Attributes
    ----------
    null, alternative : str
        Null and alternative hypothesis.
    method : str
        Name of the method, such as "DeLong, paired".
    estimator : str
        Name of the estimator, such as "Mann-Whitney, ties half".
    estimates : tuple of float
        Estimate of each curve.
    difference : float
        First estimate minus second estimate; for one curve, the estimate minus the value under the null hypothesis.
    statistic : float
        Test statistic: Student's t or z for most methods, ``difference`` for "dirichlet", and the AUC for "exact". For
        "venkatraman", the statistic is a sum over ranks in a paired test, and an area between error curves in an
        unpaired test.
    p_value : float
        p-value. For methods with a confidence interval, p is 1 minus the highest confidence level at which the interval
        excludes the null value. For a one-sided alternative in the direction of the estimate, p is half of this value.
    interval : Interval
        Confidence interval for the difference between two curves or, for one curve, for the estimated quantity. The
        methods "venkatraman", "mann-whitney" and "exact" do not define an interval; ``interval`` is then computed by
        the default method, which is named in ``interval.method``.
    covariance : array of shape (K, K)
        Covariance matrix of the K estimates. For areas of empirical curves, the matrix is estimated by the method of
        DeLong, DeLong and Clarke-Pearson or, with clusters, by the jackknife over clusters. For TPRs, the matrix is
        estimated from the resamples. The variance of a predicted area is its squared standard error. The covariance of
        estimates from different observations is 0.
    n : tuple
        Numbers of negatives and positives; for two samples, one pair of numbers for each sample.
    omitted : tuple of int
        Numbers of negatives and positives that were omitted because a value is missing.
    n_unlabelled : int
        Number of rows that were omitted because their label is missing.
    direction : tuple of str
        Direction of each curve.
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
    n_unlabelled: int = 0
    direction: tuple[str, ...] = ("higher", "higher")
    flags: Flags = field(default_factory=Flags)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", _int_if_whole(self.n))
        object.__setattr__(self, "covariance", readonly_array((self.covariance + self.covariance.T) / 2))

    def table(self) -> Table:
        """Return a table with the estimates, the difference and the result of the test."""
        rows = [[f"estimate {index}", value] for index, value in enumerate(self.estimates, start=1)]
        quantity = "difference" if len(self.estimates) > 1 else "estimate"
        rows += [
            ["difference", self.difference],
            [f"interval of the {quantity}, level {self.interval.level:g}", format_interval(*self.interval)],
            ["statistic", self.statistic],
            ["p", format_p_value(self.p_value)],
            ["observations (negative, positive)", str(self.n)],
            ["direction", ", ".join(self.direction)],
        ]
        if any(self.omitted):
            rows.append(["rows omitted (negative, positive)", str(self.omitted)])
        if self.n_unlabelled:
            rows.append(["rows omitted without a label", self.n_unlabelled])
        notes = [f"Null hypothesis: {self.null}. Alternative: {self.alternative}.", f"Method: {self.method}."]
        if self.method.startswith(_WITHOUT_INTERVAL):
            notes.append(f"This test defines no interval; the method of the interval is {self.interval.method}.")
        return Table(f"Test of areas ({self.estimator})", ("quantity", "value"), rows, None, notes, self.flags)

    def __repr__(self) -> str:
        remarks = omitted_text(self) + (f", flags={list(self.flags)}" if self.flags else "")
        areas = ", ".join(f"{estimate:.4g}" for estimate in self.estimates)
        quantities = [
            f"difference={self.difference:+.6g}",
            f"interval={self.interval.low:.4g} to {self.interval.high:.4g}",
        ]
        if len(self.estimates) == 1:
            quantities.reverse()  # the interval is that of the estimate
        return (
            f"AucTest(null={short_repr(self.null, 80)}, method={self.method!r}, estimates=({areas}), "
            f"{', '.join(quantities)}, statistic={self.statistic:.6g}, p_value={self.p_value:.6g}, n={self.n}{remarks})"
        )


def _int_if_whole(counts: Any) -> Any:
    """Return the counts, with whole numbers converted to int."""
    if isinstance(counts, tuple):
        return tuple(_int_if_whole(count) for count in counts)
    return int(counts) if counts == int(counts) else float(counts)


# ---- hypotheses
@dataclass(frozen=True)
class Hypothesis:
    """Alternative hypothesis about a difference between two quantities, or between a quantity and a value.

    Attributes
    ----------
    alternative : str, default="two-sided"
        One of ``ALTERNATIVES``.
    margin : float, optional
        Largest negligible difference, for "noninferior" and "equivalent".
    """

    alternative: str = "two-sided"
    margin: Any = None

    def __post_init__(self) -> None:
        check_option("alternative", self.alternative, ALTERNATIVES)
        needs_margin = self.alternative in {"noninferior", "equivalent"}
        if needs_margin != (self.margin is not None):
            problem = "needs margin=; pass a number in (0, 1)" if needs_margin else "takes no margin; omit margin="
            raise RocPredictError(f"alternative={self.alternative!r} {problem}")
        if needs_margin:
            object.__setattr__(self, "margin", check_probability("margin", self.margin, ends=False))

    @property
    def width(self) -> float:
        """The margin, or 0 if the alternative has no margin."""
        return 0.0 if self.margin is None else float(self.margin)

    def divide(self, width: float) -> Hypothesis:
        """Return the hypothesis for quantities divided by ``width``; the margin is also divided by ``width``."""
        return self if self.margin is None else replace(self, margin=min(self.margin / width, 1 - 1e-12))

    def describe(self, first: str, second: str) -> tuple[str, str]:
        """Return the null and alternative hypotheses as text, given the names of the two quantities."""
        margin = f"{self.margin:g}" if self.margin is not None else ""
        return {
            "two-sided": (f"{first} = {second}", f"{first} != {second}"),
            "greater": (f"{first} <= {second}", f"{first} > {second}"),
            "less": (f"{first} >= {second}", f"{first} < {second}"),
            "noninferior": (f"{first} <= {second} - {margin}", f"{first} > {second} - {margin}"),
            "equivalent": (f"|{first} - {second}| >= {margin}", f"|{first} - {second}| < {margin}"),
        }[self.alternative]

    def combine(self, low: Tails, high: Tails) -> tuple[float, float]:
        """Return the statistic and the p-value of the test, given the p-values for a lower and an upper null value.

        ``low`` contains the one-sided p-values for the null value minus the margin. ``high`` contains those for the
        null value plus the margin.
        """
        if self.alternative == "equivalent" and low.greater < high.less:  # of two one-sided tests, the larger p-value
            return -high.statistic, high.less
        if self.alternative == "two-sided":
            return low.statistic, min(1.0, 2 * min(low.greater, low.less))
        return low.statistic, low.less if self.alternative == "less" else low.greater

    def test_tails(
        self, tails: Callable[[float], Tails], value: float, bounds: tuple[float, float]
    ) -> tuple[float, float]:
        """Return the statistic and the p-value of a test against the null value ``value``.

        ``tails`` is a function that takes a null value and returns one-sided p-values. ``bounds`` contains the smallest
        and the largest possible null value.
        """
        low = tails(max(value - self.width, bounds[0]))
        return self.combine(low, tails(min(value + self.width, bounds[1])) if self.alternative == "equivalent" else low)

    def normal_test(
        self, estimate: Any, low: Any, high: Any, std_error: float, freedom: float = np.inf
    ) -> tuple[float, float]:
        """Return the statistic and the p-value of a Wald test.

        The statistic is Student's t if ``freedom`` is finite, otherwise z. ``low`` is the null value minus the margin,
        and ``high`` is the null value plus the margin.
        """

        def tails(value: Any) -> Tails:
            z = float(np.nan_to_num((estimate - value) / std_error, nan=0.0, posinf=np.inf, neginf=-np.inf))
            return Tails(float(stdtr(freedom, -z)), float(stdtr(freedom, z)), z)

        return self.combine(tails(low), tails(high))


class AucStatistic(NamedTuple):
    """Statistic and p-value of a test, and the confidence interval of the tested quantity."""

    statistic: float
    p_value: float
    interval: Interval

    def add_flags(self, flags: Flags) -> AucStatistic:
        """Return a copy with flags added to the interval."""
        return self._replace(interval=replace(self.interval, flags=self.interval.flags | flags))

    def result(self, hypotheses: tuple[str, str], *, flags: Flags, **fields: Any) -> AucTest:
        """Return an ``AucTest`` with this statistic, p-value and interval.

        ``flags`` are the flags of the data. ``fields`` contains the remaining fields of ``AucTest``, such as ``method``
        and ``n``.
        """
        return AucTest(*hypotheses, flags=flags | self.interval.flags, **(self._asdict() | fields))


@dataclass(frozen=True)
class ComparedQuantity:
    """Quantity by which curves are compared: the AUC, the partial area over a range of rates, or the TPR at an FPR."""

    rate_range: RateRange | None = None
    fpr: float | None = None

    @classmethod
    def from_arguments(cls, fpr: Any, tpr: Any, tpr_at_fpr: Any) -> ComparedQuantity:
        """Return the requested quantity, or raise RocPredictError if more than one argument is passed."""
        arguments = {"fpr": fpr, "tpr": tpr, "tpr_at_fpr": tpr_at_fpr}
        names = [f"{name}=" for name, value in arguments.items() if value is not None]
        if len(names) > 1:
            raise RocPredictError(f"{' and '.join(names)} cannot be combined; pass one of them")
        if tpr_at_fpr is not None:
            return cls(fpr=check_probability("tpr_at_fpr", tpr_at_fpr))
        if not names:
            return cls()
        rate_range = check_rate_range(fpr, tpr)
        if np.ndim(rate_range.width):
            passed = short_repr(arguments[rate_range.axis])
            raise RocPredictError(f"{names[0]}{passed} is not a single range; pass (low, high)")
        return cls(rate_range)

    @property
    def name(self) -> str:
        """Name of the quantity in the hypotheses, such as "TPR at FPR 0.1"."""
        if self.fpr is not None:
            return f"TPR at FPR {self.fpr:g}"
        if self.rate_range is None:
            return "AUC"
        return f"partial AUC over {self.rate_range.axis.upper()} {self.rate_range.low:g} to {self.rate_range.high:g}"

    @property
    def estimator(self) -> str:
        """Name of the estimator of the quantity, such as "Mann-Whitney, ties half"."""
        if self.fpr is not None:
            return "empirical TPR (on a vertical segment, its upper end)"
        return MANN_WHITNEY if self.rate_range is None else "area under the empirical curve over the range, raw"

    @property
    def band_width(self) -> float:
        """Width of the range of rates, or 1 for the AUC and the TPR; areas are divided by this number."""
        return 1.0 if self.rate_range is None else float(self.rate_range.width)

    def bootstrap_function(self, negative: Ecdf, positive: Ecdf) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Return a function that computes the quantity in B resamples.

        The returned function takes the arguments described in ``make_auc_function``.
        """
        fpr = self.fpr
        if fpr is None:
            return make_area_function(negative, positive, self.rate_range)
        points = make_points_function(negative, positive)
        return lambda *counts: interpolate_tpr_batch((resample := points(*counts)).fpr, resample.tpr, fpr)


# ---- tests of a contrast
def contrast_test(contrast: AreaContrast, hypothesis: Hypothesis, level: float, method: str) -> AucStatistic:
    """Test a contrast of areas against 0; "delong" uses Wald's test, and all other methods use MOVER."""
    estimate, n_units = contrast.estimate, contrast.n_units
    flags = Flags(dominant_cluster=contrast.areas.has_dominant_cluster)
    if contrast.is_same_curve or contrast.is_constant:
        result = zero_variance_test(estimate, n_units, hypothesis, level, same=contrast.is_same_curve)
    elif method == "delong" and not contrast.is_blind:
        variance, df = contrast.plain_variance, contrast.plain_df
        result = wald_test(estimate, variance, n_units, hypothesis, level, method=method, df=df)
    else:
        flags |= Flags(fallback=method == "delong", single_observation=min(n_units) <= 1)
        interval = Interval(*contrast.interval(level), level, "mover", estimate)
        result = AucStatistic(*hypothesis.test_tails(contrast.tails, 0.0, (-1.0, 1.0)), interval)
        is_sensitive = contrast.cautious is not None and hypothesis.width == 0 and result.p_value <= 0.05
        is_small = abs(estimate) < 1 - 0.05 ** (1 / min(n_units))  # about 3/n
        flags |= Flags(small_difference=is_sensitive and is_small)
    return result.add_flags(flags)


def wald_test(
    estimate: float,
    variance: float,
    n_units: tuple[Any, Any],
    hypothesis: Hypothesis,
    level: float,
    *,
    method: str,
    df: float = np.inf,
) -> AucStatistic:
    """Test a difference between areas by Wald's test; the statistic is Student's t if ``df`` is finite, otherwise z."""
    if variance <= VARIANCE_TOL:
        return zero_variance_test(estimate, n_units, hypothesis, level)
    std_error = float(np.sqrt(variance))
    half, flags = critical_value(df, level) * std_error, Flags(single_observation=min(n_units) <= 1)
    interval = Interval(max(estimate - half, -1.0), min(estimate + half, 1.0), level, method, estimate, flags)
    statistic = hypothesis.normal_test(estimate, -hypothesis.width, hypothesis.width, std_error, df)
    return AucStatistic(*statistic, interval)


def zero_variance_test(
    difference: float, units: tuple[Any, Any], hypothesis: Hypothesis, level: float, *, same: bool = False
) -> AucStatistic:
    """Test the difference between two areas if the two placement values of each observation differ by the same amount.

    If all n sampled observations have the same difference d, the population may nevertheless contain observations with
    a difference other than d. At level 1 - p, the upper confidence limit for the fraction of such observations is
    1 - p^(1/n) (Clopper and Pearson 1934). The true difference between the areas is then at least
    p^(1/n) (1 + d) - 1, because the difference for each observation is at least -1.
    """
    low, high = (2 * float(end) - 1 for end in zero_variance_interval(np.asarray((1 + difference) / 2), units, level))
    interval = Interval(low, high, level, "unseen", difference, Flags(same_curve=same, fallback=not same))
    above, below = (
        min(1.0, (1 - hypothesis.width) / (1 + d)) ** min(units) if d > -1 else 1.0 for d in (difference, -difference)
    )
    tails = Tails(above, below, 0.0)
    p_value = hypothesis.combine(tails, tails)[1]
    z = float(np.copysign(ndtri(1 - p_value / 2), difference)) if difference else 0.0
    return AucStatistic(z, p_value, interval)


# ---- tests of one curve
def empirical_auc_test(
    areas: Placements,
    pair: tuple[Ecdf, Ecdf] | None,
    null: Any,
    method: str | None,
    *,
    claim: Hypothesis,
    level: float,
    design: str = "",
    **rows: Any,
) -> AucTest:
    """Test the AUC of an empirical curve against a given value.

    Parameters
    ----------
    areas : Placements
        Placement values of the curve.
    pair : (negative, positive) or None
        Values of the two classes, or None for observations with clusters or strata.
    null : float
        AUC under the null hypothesis.
    method : str or None
        One of ``ONE_SAMPLE_METHODS``; None selects the first. If the variance is 0 or cannot be estimated,
        "smoothed-logit" replaces "delong".
    claim : Hypothesis
    level : float
    design : str, default=""
        Text appended to the method name if there are clusters or strata.
    **rows
        Fields of ``AucTest`` that describe the rows: n, omitted, n_unlabelled, direction and flags.

    Raises
    ------
    RocPredictError
        If ``method`` is unknown or cannot test this hypothesis, or if ``null`` is not in [0, 1].
    """
    selected = check_option("method", method, (None, *ONE_SAMPLE_METHODS)) or ONE_SAMPLE_METHODS[0]
    value, area, smoothed = check_probability("null", null), float(areas.estimate), SmoothedAreas.from_placements(areas)
    interval = auc_interval(areas, level, "delong" if selected == "delong" else ONE_SAMPLE_METHODS[0])
    hypotheses = claim.describe("AUC", f"{value:g}")
    if selected in {"mann-whitney", "exact"}:
        if value != 0.5 or claim.alternative not in _ONE_SIDED or pair is None:
            raise RocPredictError(
                f"method={selected!r} only tests whether the two classes have the same distribution, so null= must "
                f"be 0.5, alternative= must be one of {', '.join(map(repr, _ONE_SIDED))}, and clusters= and strata= "
                "must be omitted; for any other test, pass method='smoothed-logit'"
            )
        statistic = (_exact_test if selected == "exact" else _mann_whitney_test)(*pair, area, claim)
        hypotheses = "both classes have the same distribution", hypotheses[1]
    elif selected == "delong" and not smoothed.is_blind:
        limits = value - claim.width, value + claim.width
        std_error = float(np.sqrt(smoothed.plain_variance))
        statistic = claim.normal_test(area, *limits, std_error, smoothed.plain_df)
    else:
        statistic = claim.test_tails(smoothed.tails, value, (0.0, 1.0))
    return AucStatistic(*statistic, interval).result(
        hypotheses,
        method=f"{METHOD_NAMES[selected]}{design}",
        estimator=MANN_WHITNEY,
        estimates=(area,),
        difference=area - value,
        covariance=np.atleast_2d(areas.variance()),
        **rows,
    )


def _mann_whitney_test(negative: Ecdf, positive: Ecdf, area: float, claim: Hypothesis) -> tuple[float, float]:
    """Return z and the p-value of the Mann-Whitney test, with a tie correction and without a continuity correction."""
    variance = float(null_auc_variance(negative.total, positive.total, tie_correction(negative, positive)))
    return claim.normal_test(area, 0.5, 0.5, float(np.sqrt(variance))) if variance else (0.0, 1.0)


def _exact_test(negative: Ecdf, positive: Ecdf, area: float, claim: Hypothesis) -> tuple[float, float]:
    """Return the AUC and the exact p-value of its permutation test.

    The distribution of the sum of midranks is computed over all ways to assign the labels to the observations. This
    distribution is exact even if there are ties. For a feature with two values, it is hypergeometric.

    References
    ----------
    B. Streitberg, J. Roehmel (1986), Exact distributions for permutation and rank tests: an introduction to some
    recently published algorithms, Statistical Software Newsletter 12, 10-17.
    """
    if negative.weights is not None:
        problem = "method='exact' requires integer weights, because it permutes the labels of observations"
        raise RocPredictError(f"{problem}; pass integer weights or 'mann-whitney'")
    sizes = len(negative.sample), len(positive.sample)
    n_total, size = sum(sizes), min(sizes)
    values, counts = np.unique(np.concatenate([negative.sample, positive.sample]), return_counts=True)
    if len(values) == 1:
        return area, 1.0
    if len(values) == 2:
        rarer, is_negative = int(np.argmin(counts)), sizes[0] == size
        observed = np.sum((negative if is_negative else positive).sample == values[rarer])
        sign = 1 if bool(rarer) != is_negative else -1  # 1 if a higher AUC corresponds to a higher count
        side = sign * {"two-sided": 0, "greater": 1, "less": -1}[claim.alternative]
        margins = np.array([[n_total], [size], [counts[rarer]], [observed]], dtype=np.float64)
        p_value = hypergeometric_p_value(margins[0], margins[1], margins[2], margins[3], side)
        return area, min(float(p_value[0]), 1.0)
    if n_total > _MAX_EXACT_SIZE:
        raise RocPredictError(
            f"method='exact' accepts up to {_MAX_EXACT_SIZE} observations of a feature with three or more values, but "
            f"the sample has {n_total}; pass method='mann-whitney'"
        )
    _, index, repeats = np.unique(
        np.concatenate([negative.sample, positive.sample]), return_inverse=True, return_counts=True
    )
    twice = (2 * np.cumsum(repeats) - repeats + 1)[index]  # two times the midrank: an integer
    largest = int(np.sort(twice)[-size:].sum())
    probability = np.zeros((size + 1, largest + 1))  # [i, s]: probability of rank sum s for i of the first values
    probability[0, 0] = 1.0
    for n_before, rank in enumerate(twice.tolist()):
        top = min(n_before + 1, size)
        share = np.arange(top + 1)[:, None] / (n_before + 1)  # converts numbers of ways to probabilities
        following = probability[: top + 1] * (1 - share)
        following[1:, rank:] += probability[:top, : largest + 1 - rank] * share[1:]
        probability[: top + 1] = following
    sums, is_negative = probability[size], sizes[0] == size
    observed = int((twice[: sizes[0]] if is_negative else twice[sizes[0] :]).sum())
    middle = size * (n_total + 1)
    low, high = float(sums[: observed + 1].sum()), float(sums[observed:].sum())
    p_values = {
        "two-sided": float(sums[np.abs(np.arange(largest + 1) - middle) >= abs(observed - middle)].sum()),
        "greater": low if is_negative else high,
        "less": high if is_negative else low,
    }
    return area, min(p_values[claim.alternative], 1.0)


def hypergeometric_p_value(
    total: FloatArray, size: FloatArray, rare: FloatArray, observed: FloatArray, side: ArrayOrFloat = 0
) -> FloatArray:
    """Return the probability of a count at least as far from its mean as the observed count, for fixed margins.

    Of ``total`` observations, ``size`` are in the smaller class, ``rare`` have the rarer value, and ``observed`` are in
    the smaller class and have the rarer value.

    With ``side=1``, return the probability of a count that is at least the observed count; with ``side=-1``, the
    probability of a count that is at most the observed count. All terms of the sums are positive, so that small
    probabilities keep their relative precision.
    """
    count = np.arange(np.minimum(size, rare).max() + 1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        ratios = (rare - count) * (size - count) / ((count + 1) * (total - rare - size + count + 1))
        logs = np.cumsum(np.log(np.maximum(ratios[:-1], 0)), axis=0)
        logs = np.concatenate([np.zeros((1, len(total))), logs])
        weights = np.exp(logs - logs.max(axis=0))
    is_as_far = np.abs(count * total - rare * size) >= np.abs(observed * total - rare * size)
    is_far = np.where(np.equal(side, 0), is_as_far, side * (count - observed) >= 0)
    far, total_weight = (np.cumsum(part, axis=0)[-1] for part in (weights * is_far, weights))
    return np.asarray(far / total_weight)  # np.sum would round differently for a single feature


def tie_correction(negative: Ecdf, positive: Ecdf) -> float:
    """Return the sum of t^3 - t over all distinct values, where t is the number of observations with this value."""
    values = np.concatenate([negative.unique_values, positive.unique_values])
    counts = Ecdf(values, np.concatenate([negative.unique_weights, positive.unique_weights])).unique_weights
    return float(np.sum(counts**3 - counts))


def null_auc_variance(negatives: ArrayOrFloat, positives: ArrayOrFloat, ties: ArrayOrFloat) -> FloatArray:
    """Return the variance of the empirical AUC under permutation of the labels; 0 if all values are tied.

    The arguments are the class sizes and the result of ``tie_correction``. For a batch of features, they are arrays.
    """
    total = np.add(negatives, positives, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = total + 1 - ties / (total * (total - 1))
        variance = spread / (12 * np.multiply(negatives, positives, dtype=np.float64))
    return np.where((total > 1) & (spread > 1e-9 * total), variance, 0.0)


def opposite_direction_flag(areas: Any, chance: float = 0.5) -> Flags:
    """Return a flag that is set if areas lie on both sides of ``chance``, the area of an uninformative feature."""
    return Flags(opposite_directions=np.min(areas) < chance < np.max(areas))


# ---- several tests
Adjustment: TypeAlias = Literal["benjamini-hochberg", "benjamini-yekutieli", "holm", "bonferroni", "none"]
ADJUSTMENTS: tuple[Adjustment, ...] = get_args(Adjustment)
"""Accepted values of ``adjust=``; the first is the default."""
_FALSE_DISCOVERY = {"benjamini-hochberg": "bh", "benjamini-yekutieli": "by"}


def adjust_p_values(p_values: FloatArray, method: str = "benjamini-hochberg") -> FloatArray:
    """Adjust p-values for multiple testing.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        p-values to adjust. NaN stands for a test that was not performed; such tests are not counted.
    method : str, default="benjamini-hochberg"
        Method of adjustment.

        - "benjamini-hochberg": controls the false discovery rate if the tests are independent or positively dependent
          [1]_.
        - "benjamini-yekutieli": controls the false discovery rate under any dependence between the tests [2]_.
        - "holm": controls the family-wise error rate; never less powerful than "bonferroni".
        - "bonferroni": controls the family-wise error rate; multiplies each p-value by the number of tests.
        - "none": no adjustment.

    Returns
    -------
    adjusted : array of shape (m,)
        Adjusted p-values, to be compared with the accepted error rate. An adjusted p-value is never below the original
        p-value and never above 1.

    References
    ----------
    .. [1] Benjamini and Hochberg (1995), J. R. Stat. Soc. B 57, 289-300.
    .. [2] Benjamini and Yekutieli (2001).

    Examples
    --------
    >>> adjust_p_values(np.array([0.01, 0.02, np.nan, 0.9]))
    array([0.03, 0.03,  nan, 0.9 ])
    """
    check_option("adjust", method, ADJUSTMENTS)
    result = np.array(p_values, dtype=np.float64)
    tested = ~np.isnan(result)
    p, count = result[tested], int(tested.sum())
    if method in _FALSE_DISCOVERY:
        from scipy.stats import false_discovery_control  # a lazy import: it takes half a second

        p = false_discovery_control(p, method=_FALSE_DISCOVERY[method]) if count else p
    elif method == "holm":
        order = np.argsort(p, kind="stable")
        p[order] = np.maximum.accumulate(p[order] * np.arange(count, 0, -1))
    elif method == "bonferroni":
        p = p * count
    result[tested] = np.minimum(p, 1)
    return result
