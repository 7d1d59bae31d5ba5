"""Standard errors and confidence intervals of areas and proportions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from rocpredict.base.rates import ConfusionCounts
from rocpredict.base.results import (
    PROPORTION_METHODS,
    Flags,
    Interval,
    proportion_interval,
    wilson,
    zero_variance_interval,
)
from rocpredict.base.validation import ArrayOrFloat, FloatArray, RocPredictError, check_option
from rocpredict.inference.bootstrap import bca_interval, percentile_interval
from rocpredict.inference.hypotheses import t_ppf
from rocpredict.inference.placements import (
    PLACEMENT_TOL,
    PSEUDO_COUNT,
    PSEUDO_COUNT_VARIANCE,
    VARIANCE_TOL,
    AnyPlacements,
    Placements,
)

AREA_METHODS = ("smoothed-logit", "newcombe", "delong", "logit", "hanley-mcneil", "bootstrap", "bca")
"""Intervals of the whole empirical area; the first is the default."""
BAND_METHODS = ("smoothed-logit", "delong", "logit", "bootstrap", "bca")
"""Intervals of an area in a band."""
STD_ERRORS = ("delong", "hanley-mcneil", "smoothed-logit", "bootstrap")
"""Standard errors of an area; the first is the default."""
BootstrapFunction = Callable[[], Any]
"""Gives the area in each resample, when asked."""


def _no_bootstrap() -> Any:
    raise AssertionError("this interval is not resampled")


def auc_interval(
    placements: AnyPlacements, level: float, method: str, replicate: BootstrapFunction = _no_bootstrap
) -> Interval:
    """Give the interval of an area as a share, by a method; where it has none, by the smoothed logit.

    Parameters
    ----------
    placements : Placements
        Of one curve.
    level : float
    method : str
    replicate : function
        Gives the area in each resample, for "bootstrap" and "bca".
    """
    estimate = float(placements.estimate)
    flags = _clip_interval(placements)
    ends = _interval_limits(placements, level, method, replicate)
    if ends is None or not ends[1] > ends[0]:
        flags |= Flags(fallback=method != "smoothed-logit")
        method = "smoothed-logit"
        ends = _smoothed_logit(placements, level)
    if method == "smoothed-logit" and 0 < estimate < 1 and not placements.is_partial:
        flags |= Flags(fallback=any(placements.constant_classes))
    low, high = (min(max(float(end), 0.0), 1.0) for end in ends)
    return Interval(low, high, level, method, estimate, flags)


def auc_std_error(placements: AnyPlacements, method: str | None, replicate: BootstrapFunction = _no_bootstrap) -> float:
    """Give the standard error of an area as a share; without a method DeLong's, or the smoothed one where that is 0."""
    check_option("method", method, (None, *STD_ERRORS))
    if method == "bootstrap":
        return float(np.std(replicate(), ddof=1))
    if method == "hanley-mcneil":
        return float(np.sqrt(hanley_mcneil_variance(float(placements.estimate), placements.n_units)))
    variance = float(placements.variance())
    blind = variance <= VARIANCE_TOL or min(placements.n_units) <= 1
    if method == "smoothed-logit" or (method is None and blind):
        return float(np.sqrt(placements.smoothed_estimate()[1]))
    return float(np.sqrt(variance))


def check_total_weight(placements: AnyPlacements) -> None:
    """Refuse weights that do not amount to one case."""
    for name, units in zip(("negative", "positive"), placements.n_units, strict=True):
        if units < 1:
            raise RocPredictError(
                f"weights of the {name} class sum to {units:g}; an interval needs weights that say how many cases "
                "each row stands for, 1 or more in all"
            )


def hanley_mcneil_variance(area: float, count: tuple[float, float]) -> float:
    """Give the variance that exponential classes of this area would have (Hanley and McNeil 1982)."""
    negatives, positives = count
    both_above, both_below = area / (2 - area), 2 * area**2 / (1 + area)
    spread = (positives - 1) * (both_above - area**2) + (negatives - 1) * (both_below - area**2)
    return (area * (1 - area) + spread) / (negatives * positives)


def _clip_interval(placements: AnyPlacements) -> Flags:
    estimate = float(placements.estimate)
    return Flags(
        single_case=min(placements.n_units) <= 1,
        perfect_separation=estimate == 1 and not placements.is_partial,
        perfect_reversal=estimate == 0 and not placements.is_partial,
        point_mass=placements.is_constant,
    )


def _quantile(placements: AnyPlacements | AucBatch, level: float) -> float:
    """Give the normal quantile; of few clusters Student's, for their number less one."""
    return -t_ppf((1 - level) / 2, placements.df)


def _interval_limits(
    placements: AnyPlacements, level: float, method: str, replicate: BootstrapFunction
) -> tuple[Any, Any] | None:
    """Give the ends of an interval, or None where the method sees no spread."""
    if method in {"bootstrap", "bca"}:
        return _bootstrap_interval(placements, level, method, replicate)
    if method in {"delong", "logit"} and min(placements.n_units) <= 1:
        return None
    makers: dict[str, Callable[[AnyPlacements, float], tuple[Any, Any] | None]] = {
        "smoothed-logit": _smoothed_logit,
        "newcombe": _newcombe,
        "delong": _wald,
        "logit": _logit_interval,
        "hanley-mcneil": _hanley_mcneil,
    }
    return makers[method](placements, level)


def _bootstrap_interval(
    placements: AnyPlacements, level: float, method: str, replicate: BootstrapFunction
) -> tuple[float, float]:
    replicates = replicate()
    if method == "bootstrap":
        return percentile_interval(replicates, level)
    return bca_interval(replicates, float(placements.estimate), _bca_acceleration(placements), level)


def _wald(placements: AnyPlacements, level: float) -> tuple[float, float] | None:
    return _wald_interval(float(placements.estimate), float(placements.variance()), _quantile(placements, level))


def _hanley_mcneil(placements: AnyPlacements, level: float) -> tuple[float, float] | None:
    area = float(placements.estimate)
    return _wald_interval(area, hanley_mcneil_variance(area, placements.n_units), _quantile(placements, level))


def _wald_interval(area: float, variance: float, quantile: float) -> tuple[float, float] | None:
    if variance <= VARIANCE_TOL:
        return None
    half = quantile * float(np.sqrt(variance))
    return area - half, area + half


def _logit_interval(placements: AnyPlacements, level: float) -> tuple[float, float] | None:
    area, variance = float(placements.estimate), float(placements.variance())
    return None if variance <= VARIANCE_TOL or area in {0, 1} else _logit(area, variance, _quantile(placements, level))


def logit_wald_interval(area: ArrayOrFloat, variance: ArrayOrFloat, z: float) -> tuple[ArrayOrFloat, ArrayOrFloat]:
    """Give the ends of a Wald interval of each area on the logit scale."""
    half = z * np.sqrt(variance) / (area * (1 - area))
    return expit(logit(area) - half), expit(logit(area) + half)


def _logit(area: float, variance: float, z: float) -> tuple[float, float]:
    low, high = logit_wald_interval(area, variance, z)
    return float(low), float(high)


def _smoothed_logit(areas: AnyPlacements | AucBatch, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the smoothed logit interval, of one area or of each of a batch; it holds the estimate.

    Where a class shows no spread, or the area is 0 or 1, unlike cases that were not seen set the ends: see
    ``zero_variance_interval``.
    """
    estimate, units = areas.estimate, areas.n_units
    area, variance = areas.smoothed_estimate()
    low, high = logit_wald_interval(area, variance, _quantile(areas, level))
    low, high = np.minimum(low, estimate), np.maximum(high, estimate)
    unseen = zero_variance_interval(estimate, units, level)
    if not areas.is_partial:
        extreme = (estimate == 0) | (estimate == 1)
        for count, constant in zip(units, areas.constant_classes, strict=True):
            ends = zero_variance_interval(estimate, (count, count), level)
            low = np.where(constant & ~extreme, np.minimum(low, ends[0]), low)
            high = np.where(constant & ~extreme, np.maximum(high, ends[1]), high)
        low = np.where(extreme, np.maximum(low, unseen[0]), low)
        high = np.where(extreme, np.minimum(high, unseen[1]), high)
    return np.where(areas.is_constant, unseen[0], low), np.where(areas.is_constant, unseen[1], high)


def _newcombe(placements: AnyPlacements, level: float) -> tuple[float, float]:
    """Solve for the areas that lie z standard errors off, by their own variance (Newcombe 2006, method 5)."""
    from scipy.optimize import brentq

    area, z = float(placements.estimate), _quantile(placements, level)
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
    """Give the skewness of the area's influence over 6 (Efron 1987), two samples."""
    assert isinstance(placements, Placements)  # strata are not resampled
    cubes = squares = 0.0
    for side in (placements.negative, placements.positive):
        deviation = side.values - placements.estimate
        weights = 1.0 if side.weights is None else side.weights
        cubes += float(np.sum(weights * deviation**3)) / side.total**3
        squares += float(np.sum(weights * deviation**2)) / side.total**2
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


_LARGEST_VARIANCE = 0.25


@dataclass(frozen=True)
class AucBatch:
    """The areas of many features, and how their placement values scatter; every array has shape F.

    The formulas are those of ``Placements``, without clusters.
    """

    estimate: FloatArray
    n_units: tuple[FloatArray, FloatArray]
    """Cases of the negative and of the positive class."""
    sum_squares: tuple[FloatArray, FloatArray]
    """Sum of squares of the placement values of each class about the area."""
    is_partial: ClassVar[bool] = False
    df: ClassVar[float] = np.inf

    def std_error(self) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Return DeLong's standard errors, and where they are 0 or unknown, so that the smoothed ones stand in."""
        variance = np.zeros(np.shape(self.estimate))
        for scatter, cases in zip(self.sum_squares, self.n_units, strict=True):
            with np.errstate(divide="ignore", invalid="ignore"):
                variance += np.where(cases > 1, scatter / (cases * (cases - 1)), 0.0)
        blind = (variance <= VARIANCE_TOL) | (np.minimum(*self.n_units) <= 1)
        return np.sqrt(np.where(blind, self.smoothed_estimate()[1], variance)), blind

    def smoothed_estimate(self) -> tuple[FloatArray, FloatArray]:
        """Return areas and variances with a little of a case more in each class: see ``Placements``."""
        cases = 2 / (1 / self.n_units[0] + 1 / self.n_units[1])
        area = (self.estimate * cases + PSEUDO_COUNT / 2) / (cases + PSEUDO_COUNT)
        pull = PSEUDO_COUNT_VARIANCE * ((0.5 - area) ** 2 + _LARGEST_VARIANCE / 2)
        variance = np.zeros(np.shape(area))
        for scatter, count in zip(self.sum_squares, self.n_units, strict=True):
            about = scatter + count * (self.estimate - area) ** 2
            units = count + PSEUDO_COUNT_VARIANCE
            spread = (about + pull) / units**2 * (units / (units - 1))
            variance += np.where(count <= 1, np.maximum(spread, area * (1 - area)), spread)
        return area, variance

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the smoothed logit interval of each area."""
        return _smoothed_logit(self, level)

    @property
    def constant_classes(self) -> list[NDArray[np.bool_]]:
        """Where all cases of each class are placed alike, so that its spread was not seen."""
        sides = zip(self.sum_squares, self.n_units, strict=True)
        return [np.asarray((scatter <= PLACEMENT_TOL**2) & (count > 1)) for scatter, count in sides]

    @property
    def is_constant(self) -> NDArray[np.bool_]:
        """Where every case is placed where chance is."""
        spread = np.maximum(*self.sum_squares) > PLACEMENT_TOL**2
        return np.asarray((np.abs(self.estimate - 0.5) <= PLACEMENT_TOL) & ~spread)

    def flags(self) -> Flags:
        """Return what is degenerate."""
        return Flags(
            single_case=np.minimum(*self.n_units) <= 1,
            perfect_separation=self.estimate == 1,
            perfect_reversal=self.estimate == 0,
            point_mass=self.is_constant,
        )


_PROPORTIONS = {
    "tpr": ("tp", "fn"),
    "fnr": ("fn", "tp"),
    "tnr": ("tn", "fp"),
    "fpr": ("fp", "tn"),
    "precision": ("tp", "fp"),
    "false_discovery_rate": ("fp", "tp"),
    "npv": ("tn", "fn"),
    "false_omission_rate": ("fn", "tn"),
}
"""Each measure that is a share: these cells, among these and those."""
EMPIRICAL_MEASURES = (*_PROPORTIONS, "accuracy", "error_rate", "ameans", "youden")
"""Measures of which the four cells at a threshold give an interval."""


def rate_interval(cells: ConfusionCounts, measure: str, level: float, method: str | None) -> Interval:
    """Give the interval of a measure from the four cells at a threshold that was fixed beforehand."""
    check_option("measure", measure, EMPIRICAL_MEASURES)
    tp, fp, fn, tn = (np.asarray(cell) for cell in cells)
    if measure in {"ameans", "youden"}:
        check_option("method", method, (None, "newcombe-wilson"))
        return _of_ameans(measure, cells, level)
    check_option("method", method, (None, *PROPORTION_METHODS))
    method = method or PROPORTION_METHODS[0]
    if measure in {"accuracy", "error_rate"}:
        part, other = (tp + tn, fp + fn) if measure == "accuracy" else (fp + fn, tp + tn)
    else:
        part, other = (np.asarray(getattr(cells, name)) for name in _PROPORTIONS[measure])
    total = part + other
    known = proportion_interval(part, np.where(total > 0, total, 1), level=level, method=method)
    if (total > 0).all():
        return known
    low, high, estimate = (
        np.where(total > 0, end, nothing)
        for end, nothing in ((known.low, 0.0), (known.high, 1.0), (known.estimate, np.nan))
    )
    return Interval(low[()], high[()], level, method, estimate[()], Flags(undefined=total == 0))


def ameans_interval(tpr: float, tnr: float, count: tuple[float, float], level: float) -> tuple[float, float]:
    """Give the interval of (TPR + TNR)/2 at a fixed threshold, from Wilson's intervals of the two.

    The distances of a sum's ends are the roots of the summed squares of its parts' distances (Newcombe 1998).
    """
    rates = np.array([tnr, tpr])
    total = np.array(count, dtype=np.float64)
    low, high = wilson(rates * total, total, level)
    middle = rates.mean()
    return float(middle - np.hypot(*(rates - low)) / 2), float(middle + np.hypot(*(high - rates)) / 2)


def _of_ameans(measure: str, cells: ConfusionCounts, level: float) -> Interval:
    positives, negatives = (np.asarray(part, dtype=np.float64) for part in (cells.tp + cells.fn, cells.fp + cells.tn))
    tpr, tnr = cells.tp / positives, cells.tn / negatives
    ends = np.vectorize(lambda t, n, n0, n1: ameans_interval(t, n, (n0, n1), level))(tpr, tnr, negatives, positives)
    low, high, middle = ends[0], ends[1], (tpr + tnr) / 2
    if measure == "youden":
        low, high, middle = 2 * low - 1, 2 * high - 1, 2 * middle - 1
    return Interval(low[()], high[()], level, "newcombe-wilson", middle[()])
