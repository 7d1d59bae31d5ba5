"""Confidence bands of ROC curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from rocpredict.base.results import (
    CurvePlot,
    Flags,
    Result,
    format_number,
    normal_critical_value,
    thin_curve,
)
from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    check_option,
    check_probabilities,
    readonly_array,
    short_repr,
)
from rocpredict.distributions.gaussian import Gaussian, add_grid_axis
from rocpredict.inference.delta_method import tpr_probit
from rocpredict.inference.empirical import EmpiricalUncertainty
from rocpredict.inference.parametric import ParametricUncertainty
from rocpredict.solvers.base import Solver
from rocpredict.solvers.select import solver_for

KINDS = ("pointwise", "simultaneous")
"""Whether a band holds at one FPR, or everywhere at once; the first is the default."""
_GRID = readonly_array(np.arange(201) / 200)  # correctly rounded: the floats of counted FPRs
_PROBITS = ndtr(np.linspace(-8, 8, 1025))


@dataclass(frozen=True, eq=False, repr=False)
class ConfidenceBand(Result):
    """Hold a band about a ROC curve.

    Attributes
    ----------
    fpr : array of shape (k,)
        Where the band is given.
    tpr : array of shape (k,)
        The curve that it is about; on a vertical piece its top.
    low, high : arrays of shape (k,)
    level : float
    kind : {"pointwise", "simultaneous"}
        Whether the band holds the TPR at one FPR chosen beforehand, or the whole curve, with this level.
    method : str
        What made the band.
    flags : Flags
        Stated outcomes of degenerate inputs.
    """

    fpr: FloatArray
    tpr: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    kind: str
    method: str
    flags: Flags = field(default_factory=Flags)
    _long = True
    _heading = "ROC curve with its {kind} band of level {level:g} by {method}"
    _text = "{kind}, n_points={length}, level={level:g}, method={method!r}, mean_width={mean_width:.4g}{flag_text}"

    @property
    def mean_width(self) -> float:
        """Give the mean of high - low over the FPRs of the band."""
        return float(np.mean(self.high - self.low))

    def contains(self, curve: Any) -> bool:
        """Say whether a curve lies inside at every FPR of the band.

        Parameters
        ----------
        curve : Roc or function
            A ROC of one feature, or a function that takes FPRs, shape (k,), and gives TPRs.

        Raises
        ------
        RocPredictError
            What is neither.
        """
        height = getattr(curve, "tpr_at_fpr", curve)
        if not callable(height):
            raise RocPredictError(f"curve={short_repr(curve)} is no curve; give a ROC, or a function of FPRs")
        heights = np.asarray(height(self.fpr))
        return bool(np.all((self.low <= heights) & (heights <= self.high)))

    def __len__(self) -> int:
        return len(self.fpr)

    def _plot(self) -> CurvePlot:
        curves = [thin_curve(self.fpr, part) for part in (self.tpr, self.low, self.high)]
        return CurvePlot(f"ROC curve; dashed: its {self.kind} band of level {self.level:g}", curves)

    def _notes(self) -> list[str]:
        return [f"Mean width {format_number(self.mean_width)}, {len(self)} FPRs."]


def confidence_band(
    uncertainty: EmpiricalUncertainty | ParametricUncertainty,
    fpr: ArrayLike | None,
    level: float,
    kind: str,
    method: str | None,
) -> ConfidenceBand:
    """Give the band about the curve of one feature."""
    check_option("kind", kind, KINDS)
    shape = np.broadcast_shapes(uncertainty.negative.shape, uncertainty.positive.shape)
    if shape:
        raise RocPredictError(f"the ROC is a batch of shape {shape}; ask for the band of one feature at a time")
    pointwise = kind == KINDS[0]
    at = _GRID if fpr is None else _check_fpr_grid(fpr)
    if isinstance(uncertainty, EmpiricalUncertainty):
        _check_cases(uncertainty)
        return (_resampled if pointwise else _ks_rectangle_band)(uncertainty, at, level, method)
    if pointwise:
        return _parametric_band(uncertainty, at, level, method)
    return _working_hotelling(uncertainty, at, level, method)


def kolmogorov_critical_value(level: float, total: float) -> float:
    """Give how far an empirical cdf of this many cases may lie from the true one, anywhere, with this probability.

    The exact quantile for a continuous distribution; with ties the deviations are smaller. A part of a case is no case.
    """
    from scipy.stats import kstwo

    return float(kstwo.ppf(level, max(1, int(total))))


def working_hotelling_factor(level: float, freedom: float) -> float:
    """Give the root of 2 F, F the quantile of the F distribution with 2 and ``freedom`` degrees of freedom."""
    if freedom <= 0:
        return np.inf
    with np.errstate(over="ignore"):
        return float(np.sqrt(freedom * np.expm1(-2 * np.log1p(-level) / freedom)))


def _check_fpr_grid(fpr: ArrayLike) -> FloatArray:
    grid = check_probabilities("fpr", fpr)
    if grid.ndim != 1 or not grid.size:
        raise RocPredictError(f"fpr={short_repr(fpr)} has shape {grid.shape}; give shape (k,), with k of 1 or more")
    return readonly_array(grid)


# ---- samples
def _resampled(uncertainty: EmpiricalUncertainty, fpr: FloatArray, level: float, method: str | None) -> ConfidenceBand:
    """Give the pointwise intervals, wider where it takes that to hold the estimate and to rise as a curve does.

    Where resamples all have the same height the exact interval stands in, and is wider than those beside it.
    """
    found = uncertainty.tpr_at_fpr_interval(fpr, level, method)
    sure = fpr == 1  # where every curve ends
    tpr = np.where(sure, 1.0, found.estimate)
    order = np.argsort(fpr)
    low, high = np.where(sure, 1.0, np.minimum(found.low, tpr)), np.where(sure, 1.0, np.maximum(found.high, tpr))
    low[order] = np.minimum.accumulate(low[order][::-1])[::-1]
    high[order] = np.maximum.accumulate(high[order])
    fallback = found.flags["fallback"] & ~sure if "fallback" in found.flags else False
    flags = Flags(fallback=fallback, single_case=min(uncertainty.negative.total, uncertainty.positive.total) <= 1)
    return ConfidenceBand(fpr, tpr, low, high, level, KINDS[0], found.method, flags)


def _ks_rectangle_band(
    uncertainty: EmpiricalUncertainty, fpr: FloatArray, level: float, method: str | None
) -> ConfidenceBand:
    """Give the hull of the rectangles that two Kolmogorov-Smirnov bands make of the points of the curve."""
    check_option("method", method, (None, "kolmogorov-smirnov"))
    total = uncertainty.negative.total, uncertainty.positive.total

    def height(at: FloatArray) -> FloatArray:
        return uncertainty.solver.along("fpr", at)

    flags = Flags(single_case=min(total) <= 1)
    return _kolmogorov_smirnov(height, total, fpr, level=level, kind=KINDS[1], flags=flags)


def _kolmogorov_smirnov(
    height: Callable[[FloatArray], FloatArray],
    total: tuple[float, float],
    fpr: FloatArray,
    *,
    level: float,
    kind: str,
    flags: Flags,
) -> ConfidenceBand:
    """Give all that lies within reach of a curve: so far along FPR, and so far along TPR.

    No threshold has an FPR, or a TPR, farther than that from its estimate. What the curve had reached at
    FPR - reach it has surely reached, but for the reach along TPR; what it reaches at FPR + reach is the most.
    """
    along, up = (kolmogorov_critical_value(np.sqrt(level), n) for n in total)
    before, after = fpr - along, fpr + along
    low = np.where(before >= 0, height(np.maximum(before, 0)) - up, 0.0)
    high = np.where(after < 1, height(np.minimum(after, 1)) + up, 1.0)
    low, high = np.where(fpr == 1, 1.0, np.maximum(low, 0)), np.minimum(high, 1)
    return ConfidenceBand(fpr, height(fpr), low, high, level, kind, "kolmogorov-smirnov", flags)


def _check_cases(uncertainty: EmpiricalUncertainty) -> None:
    for name, d in (("negative", uncertainty.negative), ("positive", uncertainty.positive)):
        if d.total < 1:
            raise RocPredictError(
                f"weights of the {name} class sum to {d.total:g}; a band needs weights that say how many cases each "
                "row stands for, 1 or more in all"
            )


# ---- two Gaussians, or what was fitted
def _parametric_band(
    uncertainty: ParametricUncertainty, fpr: FloatArray, level: float, method: str | None
) -> ConfidenceBand:
    """Give the pointwise intervals: by the delta method for two Gaussians, or by fitting resamples anew."""
    check_option("method", method, (None, "delta", "bootstrap"))
    if method == "bootstrap" or (method is None and not _gaussian(uncertainty) and uncertainty.refit is not None):
        return _bootstrap_refit_band(uncertainty, fpr, level)
    if not _gaussian(uncertainty):
        raise RocPredictError(
            "a band from moments alone is for two Gaussians; a prediction by rp.predict_roc has method='bootstrap'"
        )
    return _on_probit_scale(uncertainty, fpr, level, normal_critical_value(level), simultaneous=False)


def _working_hotelling(
    uncertainty: ParametricUncertainty, fpr: FloatArray, level: float, method: str | None
) -> ConfidenceBand:
    """Give the band of a straight line with two coefficients, on the probit scale.

    With the F quantile that Working and Hotelling have, at the freedom of the smaller class: chi-squared, its limit for
    many cases, leaves out a true curve too often among few (0.912 in place of 0.95 at 10 + 10, 0.929 at 20 + 20).
    """
    if not _gaussian(uncertainty):
        raise RocPredictError("a simultaneous band is for samples (rp.empirical_roc) and for two Gaussians with counts")
    check_option("method", method, (None, "working-hotelling"))
    return _on_probit_scale(
        uncertainty, fpr, level, working_hotelling_factor(level, min(_class_sizes(uncertainty)) - 1), simultaneous=True
    )


def _on_probit_scale(
    uncertainty: ParametricUncertainty, fpr: FloatArray, level: float, quantile: float, *, simultaneous: bool
) -> ConfidenceBand:
    """Give Phi(a + b x -+ quantile SE(x)), x = Phi^-1(FPR); it begins at (0, 0) and ends at (1, 1)."""
    count = _class_sizes(uncertainty)
    inner = np.union1d(fpr[(fpr > 0) & (fpr < 1)], _PROBITS)
    low, high = tpr_probit(uncertainty.negative, uncertainty.positive, count, inner).interval(quantile)  # type: ignore[arg-type]
    kind = KINDS[simultaneous]
    points = np.equal(uncertainty.negative.std, 0) | np.equal(uncertainty.positive.std, 0)  # type: ignore[attr-defined]
    if points or not _has_width(low, high):
        return _degenerate_band(uncertainty, fpr, level, kind)
    if simultaneous:  # the curve rises, so what bounds it at one FPR bounds it at all those beyond
        low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    index = np.searchsorted(inner, fpr)
    low, high = (np.where(fpr == 1, 1.0, np.where(fpr == 0, 0.0, np.append(end, 1.0)[index])) for end in (low, high))
    tpr = uncertainty.solver.along("fpr", fpr)
    flags = Flags(single_case=min(count) <= 1)
    return ConfidenceBand(fpr, tpr, low, high, level, kind, "working-hotelling" if simultaneous else "delta", flags)


def _bootstrap_refit_band(uncertainty: ParametricUncertainty, fpr: FloatArray, level: float) -> ConfidenceBand:
    """Give quantiles of the height over fitted resamples, stretched to the estimate where that lies outside."""

    def tpr_at_fprs(solver: Solver) -> FloatArray:
        return solver_for(add_grid_axis(solver.negative), add_grid_axis(solver.positive)).along("fpr", fpr)

    heights, dropped = uncertainty.bootstrap(tpr_at_fprs, len(fpr))
    low, high = np.quantile(heights, ((1 - level) / 2, (1 + level) / 2), axis=0)
    if not _has_width(low, high):
        return _degenerate_band(uncertainty, fpr, level, KINDS[0])
    tpr = uncertainty.solver.along("fpr", fpr)
    low, high = np.minimum(low, tpr), np.maximum(high, tpr)
    return ConfidenceBand(fpr, tpr, low, high, level, KINDS[0], "bootstrap", dropped)


def _degenerate_band(uncertainty: ParametricUncertainty, fpr: FloatArray, level: float, kind: str) -> ConfidenceBand:
    """Give the band of any two samples of these sizes, where the model has no spread to tell of."""
    count = _class_sizes(uncertainty)
    flags = Flags(fallback=True, single_case=min(count) <= 1)

    def height(at: FloatArray) -> FloatArray:
        return uncertainty.solver.along("fpr", at)

    return _kolmogorov_smirnov(height, count, fpr, level=level, kind=kind, flags=flags)


def _has_width(low: FloatArray, high: FloatArray) -> bool:
    """Say whether a band is anywhere wider than rounding, on the scale from 0 to 1."""
    return bool(np.any(high - low > np.finfo(float).eps))


def _gaussian(uncertainty: ParametricUncertainty) -> bool:
    return isinstance(uncertainty.negative, Gaussian) and isinstance(uncertainty.positive, Gaussian)


def _class_sizes(uncertainty: ParametricUncertainty) -> tuple[float, float]:
    if uncertainty.count is None:
        raise RocPredictError("a band needs the number of cases; give count=(negative, positive)")
    return uncertainty.count
