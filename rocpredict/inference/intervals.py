"""Standard errors and confidence intervals of areas and proportions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri, stdtrit

from rocpredict.base.rates import (
    PROPORTION_METHODS,
    ConfusionCounts,
    ProportionMethod,
    proportion_interval,
    wilson,
)
from rocpredict.base.results import Flags, Interval
from rocpredict.base.validation import ArrayOrFloat, FloatArray, RocPredictError, check_option, to_scalar
from rocpredict.inference.bootstrap import bca_interval, percentile_interval
from rocpredict.inference.placements import (
    PLACEMENT_TOL,
    VARIANCE_TOL,
    AnyPlacements,
    Placements,
)
from rocpredict.inference.smoothed_logit import SmoothedAreas

AUC_METHODS = ("smoothed-logit", "newcombe", "delong", "logit", "hanley-mcneil", "bootstrap", "bca")
"""Intervals of the whole empirical area; the first is the default."""
PARTIAL_AUC_METHODS = ("smoothed-logit", "delong", "logit", "bootstrap", "bca")
"""Intervals of an area in a band."""
STD_ERRORS = ("delong", "hanley-mcneil", "smoothed-logit", "bootstrap")
"""Standard errors of the whole empirical area; the first is the default."""
PARTIAL_AUC_STD_ERRORS = ("delong", "smoothed-logit", "bootstrap")
"""Standard errors of an area in a band."""


def auc_interval(areas: AnyPlacements, level: float, method: str | None, replicate: Any = None) -> Interval[Any]:
    """Return the interval of one area as a share, by a method; where it has none, by the smoothed logit.

    ``replicate`` returns the area in each resample, for "bootstrap" and "bca".
    """
    allowed = PARTIAL_AUC_METHODS if areas.is_partial else AUC_METHODS
    check_option("method", method, (None, *allowed))
    estimate, flags, method = float(areas.estimate), degenerate_flags(areas), method or allowed[0]
    limits = _interval_limits(areas, level, method, replicate)
    if limits is None or not limits[1] > limits[0]:
        flags |= Flags(fallback=method != "smoothed-logit")
        method = "smoothed-logit"
        limits = SmoothedAreas.from_placements(areas).interval(level)
    if method == "smoothed-logit" and 0 < estimate < 1 and not areas.is_partial:
        flags |= Flags(fallback=any(areas.constant_classes))
    low, high = (min(max(float(end), 0.0), 1.0) for end in limits)
    return Interval(low, high, level, method, estimate, flags)


def auc_std_error(areas: AnyPlacements, method: str | None, replicate: Any = None) -> float:
    """Return the standard error of an area as a share: by default DeLong's, or the smoothed one where that is 0."""
    check_option("method", method, (None, *(PARTIAL_AUC_STD_ERRORS if areas.is_partial else STD_ERRORS)))
    if method == "bootstrap":
        return float(np.std(replicate(), ddof=1))
    if method == "hanley-mcneil":
        return float(np.sqrt(hanley_mcneil_variance(float(areas.estimate), areas.n_units)))
    variance = float(areas.variance())
    blind = variance <= VARIANCE_TOL or min(areas.n_units) <= 1
    if method == "smoothed-logit" or (method is None and blind):
        return float(np.sqrt(SmoothedAreas.from_placements(areas).variance))
    return float(np.sqrt(variance))


def map_interval(interval: Interval[Any], change: Callable[[Any], Any]) -> Interval[Any]:
    """Return an interval with its ends and its estimate changed, in an order that stays."""
    low, high, estimate = (change(part) for part in (interval.low, interval.high, interval.estimate))
    return replace(interval, low=low, high=high, estimate=estimate)


def complement_interval(interval: Interval[Any]) -> Interval[Any]:
    """Return the interval of 1 less the quantity."""
    turned = map_interval(interval, lambda part: to_scalar(1 - np.asarray(part)))
    return replace(turned, low=turned.high, high=turned.low)


def check_total_weight(cases: tuple[float, float], what: str) -> None:
    """Refuse weights that do not amount to one case of each class."""
    for name, total in zip(("negative", "positive"), cases, strict=True):
        if total < 1:
            raise RocPredictError(
                f"weights of the {name} class sum to {total:g}; {what} needs weights that say how many cases "
                "each row stands for, 1 or more in all"
            )


def hanley_mcneil_variance(area: float, count: tuple[float, float]) -> float:
    """Return the variance that exponential classes of this area would have (Hanley and McNeil 1982)."""
    negatives, positives = count
    both_above, both_below = area / (2 - area), 2 * area**2 / (1 + area)
    spread = (positives - 1) * (both_above - area**2) + (negatives - 1) * (both_below - area**2)
    return (area * (1 - area) + spread) / (negatives * positives)


def degenerate_flags(areas: AnyPlacements | AucBatch) -> Flags:
    """Return what is degenerate about an area, or about each of a batch."""
    whole = not areas.is_partial
    return Flags(
        single_observation=np.minimum(*areas.n_units) <= 1,
        perfect_separation=(areas.estimate == 1) & whole,
        perfect_reversal=(areas.estimate == 0) & whole,
        point_mass=areas.is_constant,
        dominant_cluster=getattr(areas, "has_dominant_cluster", False),
    )


def critical_value(freedom: float, level: float) -> float:
    """Return the quantile that leaves half of 1 - level above it: normal, or with few degrees of freedom Student's."""
    tail = (1 - level) / 2
    return -float(ndtri(tail) if np.isinf(freedom) else stdtrit(freedom, tail))


def _interval_limits(areas: AnyPlacements, level: float, method: str, replicate: Any) -> tuple[Any, Any] | None:
    """Return the ends of an interval, or None where the method sees no spread."""
    area, units = float(areas.estimate), areas.n_units
    if method == "bootstrap":
        return percentile_interval(replicate(), level)
    if method == "bca":
        return bca_interval(replicate(), area, _bca_acceleration(areas), level)
    if method == "smoothed-logit":
        return SmoothedAreas.from_placements(areas).interval(level)
    if method == "newcombe":
        return _newcombe(areas, level)
    variance = hanley_mcneil_variance(area, units) if method == "hanley-mcneil" else float(areas.variance())
    blind = (method != "hanley-mcneil" and min(units) <= 1) or (method == "logit" and area in {0, 1})
    if blind or variance <= VARIANCE_TOL:
        return None
    limits = {"delong": _wald_limits, "hanley-mcneil": _wald_limits, "logit": _logit_wald_limits}[method]
    return limits(area, variance, critical_value(areas.df, level))


def _wald_limits(area: float, variance: float, quantile: float) -> tuple[float, float]:
    half = quantile * float(np.sqrt(variance))
    return area - half, area + half


def _logit_wald_limits(area: float, variance: float, quantile: float) -> tuple[float, float]:
    half = quantile * np.sqrt(variance) / (area * (1 - area))
    return expit(logit(area) - half), expit(logit(area) + half)


def _newcombe(placements: AnyPlacements, level: float) -> tuple[float, float]:
    """Solve for the areas that lie z standard errors off, by their own variance (Newcombe 2006, method 5)."""
    from scipy.optimize import brentq

    area, z = float(placements.estimate), critical_value(placements.df, level)
    negatives, positives = placements.n_units
    half = (negatives + positives) / 2 - 1

    def variance_over(t: float, factor: float) -> float:
        return z * z * factor * (1 + half * ((1 - t) / (2 - t) + t / (1 + t))) / (negatives * positives)

    def excess(t: float) -> float:
        return (area - t) ** 2 - variance_over(t, t * (1 - t))

    if area == 1:  # both sides divided by 1 - t, since 1 itself solves them
        return float(brentq(lambda t: (1 - t) - variance_over(t, t), 0, 1, xtol=1e-14)), 1.0
    if area == 0:
        return 0.0, float(brentq(lambda t: t - variance_over(t, 1 - t), 0, 1, xtol=1e-14))
    return float(brentq(excess, 0, area, xtol=1e-14)), float(brentq(excess, area, 1, xtol=1e-14))


def _bca_acceleration(placements: AnyPlacements) -> float:
    """Return the skewness of the area's influence over 6 (Efron 1987), two samples."""
    assert isinstance(placements, Placements)  # strata are not resampled
    cubes = squares = 0.0
    for class_placements in (placements.negative, placements.positive):
        deviation = class_placements.values - placements.estimate
        weights = 1.0 if class_placements.weights is None else class_placements.weights
        cubes += float(np.sum(weights * deviation**3)) / class_placements.total**3
        squares += float(np.sum(weights * deviation**2)) / class_placements.total**2
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


@dataclass(frozen=True)
class AucBatch:
    """The areas of many features, and how their placement values scatter; every array has shape F.

    The formulas are those of ``Placements``, without clusters.
    """

    estimate: FloatArray
    n_units: tuple[FloatArray, FloatArray]
    """Observations of the negative and of the positive class."""
    sum_squares: tuple[FloatArray, FloatArray]
    """Sum of squares of the placement values of each class about the area."""
    is_partial = False

    @cached_property
    def smoothed(self) -> SmoothedAreas:
        """The areas with smoothed variances."""
        return SmoothedAreas.from_sum_squares(
            self.estimate,
            self.sum_squares,
            self.n_units,
            0.5,
            constant_classes=self.constant_classes,
            is_constant=self.is_constant,
        )

    def std_error(self) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Return DeLong's standard errors, and where they are 0 or unknown, so that the smoothed ones stand in."""
        variance = np.zeros(np.shape(self.estimate))
        for scatter, n in zip(self.sum_squares, self.n_units, strict=True):
            with np.errstate(divide="ignore", invalid="ignore"):
                variance += np.where(n > 1, scatter / (n * (n - 1)), 0.0)
        blind = (variance <= VARIANCE_TOL) | (np.minimum(*self.n_units) <= 1)
        return np.sqrt(np.where(blind, self.smoothed.variance, variance)), blind

    @property
    def constant_classes(self) -> list[NDArray[np.bool_]]:
        """True where all cases of each class are placed alike, so that its spread was not seen."""
        classes = zip(self.sum_squares, self.n_units, strict=True)
        return [np.asarray((scatter <= PLACEMENT_TOL**2) & (count > 1)) for scatter, count in classes]

    @property
    def is_constant(self) -> NDArray[np.bool_]:
        """True where every case is placed where chance is."""
        spread = np.maximum(*self.sum_squares) > PLACEMENT_TOL**2
        return np.asarray((np.abs(self.estimate - 0.5) <= PLACEMENT_TOL) & ~spread)


_PROPORTIONS = {
    "tpr": (("tp",), ("fn",)),
    "fnr": (("fn",), ("tp",)),
    "tnr": (("tn",), ("fp",)),
    "fpr": (("fp",), ("tn",)),
    "precision": (("tp",), ("fp",)),
    "false_discovery_rate": (("fp",), ("tp",)),
    "npv": (("tn",), ("fn",)),
    "false_omission_rate": (("fn",), ("tn",)),
    "accuracy": (("tp", "tn"), ("fp", "fn")),
    "error_rate": (("fp", "fn"), ("tp", "tn")),
}
"""Each measure that is a share: of these cells, among these and those."""
EMPIRICAL_MEASURES = (*_PROPORTIONS, "ameans", "youden")
"""Measures of which the four cells at a threshold give an interval."""


def rate_interval(cells: ConfusionCounts, measure: str, level: float, method: str | None) -> Interval[Any]:
    """Return the interval of a measure from the four cells at a threshold that was fixed beforehand."""
    check_option("measure", measure, EMPIRICAL_MEASURES)
    if measure in {"ameans", "youden"}:
        check_option("method", method, (None, "newcombe-wilson"))
        return _ameans_or_youden(measure, cells, level)
    check_option("method", method, (None, *PROPORTION_METHODS))
    method_name = cast(ProportionMethod, method or PROPORTION_METHODS[0])
    part, other = (np.sum([getattr(cells, name) for name in names], axis=0) for names in _PROPORTIONS[measure])
    total = part + other
    interval = proportion_interval(part, np.where(total > 0, total, 1), level=level, method=method_name)
    if (total > 0).all():
        return interval
    choices = (interval.low, 0.0), (interval.high, 1.0), (interval.estimate, np.nan)
    low, high, estimate = (np.where(total > 0, end, nothing)[()] for end, nothing in choices)
    return Interval(low, high, level, method_name, estimate, Flags(undefined=total == 0))


def ameans_interval(
    tpr: ArrayOrFloat, tnr: ArrayOrFloat, count: tuple[ArrayOrFloat, ArrayOrFloat], level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of (TPR + TNR)/2 at a fixed threshold, from Wilson's intervals of the two.

    The distances of a sum's ends are the roots of the summed squares of its parts' distances (Newcombe 1998).
    """
    rates, total = np.array([tnr, tpr]), np.array(count, dtype=np.float64)
    low, high = wilson(rates * total, total, level)
    middle = rates.mean(axis=0)
    return middle - np.hypot(*(rates - low)) / 2, middle + np.hypot(*(high - rates)) / 2


def _ameans_or_youden(measure: str, cells: ConfusionCounts, level: float) -> Interval[Any]:
    positives, negatives = (np.asarray(part, dtype=np.float64) for part in (cells.tp + cells.fn, cells.fp + cells.tn))
    tpr, tnr = cells.tp / positives, cells.tn / negatives
    low, high = ameans_interval(tpr, tnr, (negatives, positives), level)
    interval = Interval(low[()], high[()], level, "newcombe-wilson", ((tpr + tnr) / 2)[()])
    return interval if measure == "ameans" else map_interval(interval, lambda part: 2 * part - 1)
