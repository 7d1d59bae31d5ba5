"""Intervals about an empirical area, whole or in a band."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit, logit

from rocpredict.arguments import Values, one_of
from rocpredict.errors import RocPredictError
from rocpredict.flags import Flags
from rocpredict.inference.bootstrap import bca_ends, percentile_ends
from rocpredict.inference.placements import NO_VARIANCE, Placements
from rocpredict.inference.results import t_quantile
from rocpredict.inference.strata import Areas
from rocpredict.interval import Interval, unseen_ends

AREA_METHODS = ("smoothed-logit", "newcombe", "delong", "logit", "hanley-mcneil", "bootstrap", "bca")
"""Intervals of the whole empirical area; the first is the default."""
BAND_METHODS = ("smoothed-logit", "delong", "logit", "bootstrap", "bca")
"""Intervals of an area in a band."""
STD_ERRORS = ("delong", "hanley-mcneil", "smoothed-logit", "bootstrap")
"""Standard errors of an area; the first is the default."""

Replicate = Callable[[], Any]
"""Gives the area in each resample, when asked."""


def _no_resamples() -> Any:
    raise AssertionError("this interval is not resampled")


def area_interval(placements: Areas, level: float, method: str, replicate: Replicate = _no_resamples) -> Interval:
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
    flags = _stated(placements)
    ends = _ends(placements, level, method, replicate)
    if ends is None or not ends[1] > ends[0]:
        flags |= Flags(fallback=method != "smoothed-logit")
        method = "smoothed-logit"
        ends = _smoothed_logit(placements, level)
    low, high = (min(max(end, 0.0), 1.0) for end in ends)
    if method == "smoothed-logit":  # centred a little inside: an area of 1 is still one of those it allows
        low, high = min(low, estimate), max(high, estimate)
    if method == "smoothed-logit" and 0 < estimate < 1 and not placements.of_band:
        for units in placements.units_placed_alike:
            unseen = unseen_ends(placements.estimate, (units, units), level)
            low, high = min(low, float(unseen[0])), max(high, float(unseen[1]))
            flags |= Flags(fallback=True)
    if method == "smoothed-logit" and estimate in {0, 1} and not placements.of_band:
        unseen = unseen_ends(placements.estimate, placements.units, level)
        low, high = max(low, float(unseen[0])), min(high, float(unseen[1]))
    return Interval(low, high, level, method, estimate, flags)


def area_std_error(placements: Areas, method: str | None, replicate: Replicate = _no_resamples) -> float:
    """Give the standard error of an area as a share; without a method DeLong's, or the smoothed one where that is 0."""
    one_of("method", method, (None, *STD_ERRORS))
    if method == "bootstrap":
        return float(np.std(replicate(), ddof=1))
    if method == "hanley-mcneil":
        return float(np.sqrt(hanley_mcneil_variance(float(placements.estimate), placements.units)))
    variance = float(placements.variance())
    blind = variance <= NO_VARIANCE or min(placements.units) <= 1
    if method == "smoothed-logit" or (method is None and blind):
        return float(np.sqrt(placements.smoothed()[1]))
    return float(np.sqrt(variance))


def check_units(placements: Areas) -> None:
    """Refuse weights that do not amount to one case."""
    for name, units in zip(("negative", "positive"), placements.units, strict=True):
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


def _stated(placements: Areas) -> Flags:
    estimate = float(placements.estimate)
    return Flags(
        single_case=min(placements.units) <= 1,
        perfect_separation=estimate == 1 and not placements.of_band,
        perfect_reversal=estimate == 0 and not placements.of_band,
        point_mass=placements.uninformative,
    )


def _quantile(placements: Areas, level: float) -> float:
    """Give the normal quantile; of few clusters Student's, for their number less one."""
    return -t_quantile((1 - level) / 2, placements.freedom)


def _ends(placements: Areas, level: float, method: str, replicate: Replicate) -> tuple[float, float] | None:
    """Give the ends of an interval, or None where the method sees no spread."""
    if method in {"bootstrap", "bca"}:
        return _resampled(placements, level, method, replicate)
    if method in {"delong", "logit"} and min(placements.units) <= 1:
        return None
    makers = {
        "smoothed-logit": _smoothed_logit,
        "newcombe": _newcombe,
        "delong": _wald,
        "logit": _plain_logit,
        "hanley-mcneil": _hanley_mcneil,
    }
    return makers[method](placements, level)


def _resampled(placements: Areas, level: float, method: str, replicate: Replicate) -> tuple[float, float]:
    replicates = replicate()
    if method == "bootstrap":
        return percentile_ends(replicates, level)
    return bca_ends(replicates, float(placements.estimate), _acceleration(placements), level)


def _wald(placements: Areas, level: float) -> tuple[float, float] | None:
    return _about(float(placements.estimate), float(placements.variance()), _quantile(placements, level))


def _hanley_mcneil(placements: Areas, level: float) -> tuple[float, float] | None:
    area = float(placements.estimate)
    return _about(area, hanley_mcneil_variance(area, placements.units), _quantile(placements, level))


def _about(area: float, variance: float, quantile: float) -> tuple[float, float] | None:
    if variance <= NO_VARIANCE:
        return None
    half = quantile * float(np.sqrt(variance))
    return area - half, area + half


def _plain_logit(placements: Areas, level: float) -> tuple[float, float] | None:
    area, variance = float(placements.estimate), float(placements.variance())
    return None if variance <= NO_VARIANCE or area in {0, 1} else _logit(area, variance, _quantile(placements, level))


def on_logit_scale(area: Values, variance: Values, z: float) -> tuple[Values, Values]:
    """Give the ends of a Wald interval of each area on the logit scale."""
    half = z * np.sqrt(variance) / (area * (1 - area))
    return expit(logit(area) - half), expit(logit(area) + half)


def _logit(area: float, variance: float, z: float) -> tuple[float, float]:
    low, high = on_logit_scale(area, variance, z)
    return float(low), float(high)


def _smoothed_logit(placements: Areas, level: float) -> tuple[float, float]:
    if placements.uninformative:
        low, high = unseen_ends(placements.estimate, placements.units, level)
        return float(low), float(high)
    area, variance = (float(part) for part in placements.smoothed())
    return _logit(area, variance, _quantile(placements, level))


def _newcombe(placements: Areas, level: float) -> tuple[float, float]:
    """Solve for the areas that lie z standard errors off, by their own variance (Newcombe 2006, method 5)."""
    from scipy.optimize import brentq

    area, z = float(placements.estimate), _quantile(placements, level)
    negatives, positives = placements.units
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


def _acceleration(placements: Areas) -> float:
    """Give the skewness of the area's influence over 6 (Efron 1987), two samples."""
    assert isinstance(placements, Placements)  # strata are not resampled
    cubes = squares = 0.0
    for side in (placements.negative, placements.positive):
        deviation = side.values - placements.estimate
        weights = 1.0 if side.weights is None else side.weights
        cubes += float(np.sum(weights * deviation**3)) / side.total**3
        squares += float(np.sum(weights * deviation**2)) / side.total**2
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0
