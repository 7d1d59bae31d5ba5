"""Results of the solvers, polylines in ROC space and quadrature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rocpredict.base.results import (
    CurvePlot,
    Flags,
    Result,
    ResultSummary,
    batch_summary,
    sample_rows,
    thin_curve,
    to_html,
)
from rocpredict.base.validation import ArrayOrFloat, FloatArray, RocPredictError, to_scalar


class OptimalThreshold(NamedTuple):
    """The threshold that maximises TPR - kappa FPR, and its rates."""

    threshold: FloatArray
    tpr: FloatArray
    fpr: FloatArray
    tnr: FloatArray
    fnr: FloatArray
    plateau_low: FloatArray
    """Ends of the interval of thresholds that do as well."""
    plateau_high: FloatArray
    crossings: FloatArray
    """Where the weighted densities cross, ascending, on the last axis; NaN beyond ``crossing_count``."""
    flags: Flags


class Hook(NamedTuple):
    """Say where a ROC curve lies below the chance line.

    Attributes
    ----------
    fpr_low, fpr_high : float or array of shape F
        The FPRs it lies between; both 0 when no part lies below, as far as doubles can tell.
    area : float or array of shape F
        Between the curve and the chance line.
    """

    fpr_low: ArrayOrFloat
    fpr_high: ArrayOrFloat
    area: ArrayOrFloat

    @property
    def exists(self) -> ArrayOrFloat:
        """Whether any part lies below."""
        return to_scalar(np.asarray(self.area) > 0)

    def _repr_html_(self) -> str:
        columns = {"low FPR": self.fpr_low, "high FPR": self.fpr_high, "area": self.area}
        if np.ndim(self.area):
            return to_html(batch_summary("Hook", np.shape(self.area), columns))
        return to_html(ResultSummary("Hook: the part below the chance line", list(columns.items())))

    def __repr__(self) -> str:
        if np.ndim(self.area):
            return f"Hook(shape={np.shape(self.area)})"
        return f"Hook(low={self.fpr_low:.6g}, high={self.fpr_high:.6g}, area={self.area:.6g})"


class TwoThresholdRule(NamedTuple):
    """Hold a rule with two thresholds or more, and what it achieves.

    Attributes
    ----------
    low, high : float or array of shape F
        Thresholds; -inf or +inf when one threshold is the whole rule. Both infinite: all are called positive
        (inside), or none.
    positive_inside : bool or array of shape F
        Positive means ``low <= x <= high``; otherwise ``x <= low`` or ``x >= high``. With more than two edges the
        call changes in between too.
    thresholds : array of shape (k,), or F + (2,) for a batch
        All thresholds at which the call changes, ascending: more than two where densities cross more often. Two
        Gaussians have two, infinite ones included.
    tpr, fpr, tnr, fnr : float or array of shape F
        Rates of the rule.
    """

    low: ArrayOrFloat
    high: ArrayOrFloat
    positive_inside: ArrayOrFloat
    thresholds: FloatArray
    tpr: ArrayOrFloat
    fpr: ArrayOrFloat
    tnr: ArrayOrFloat
    fnr: ArrayOrFloat

    @property
    def ameans(self) -> ArrayOrFloat:
        """Give (TPR + TNR)/2."""
        return to_scalar(np.asarray(self.tpr) / 2 + np.asarray(self.tnr) / 2)

    def _repr_html_(self) -> str:
        names = ("low", "high", "positive_inside", "ameans", "tpr", "fpr", "tnr", "fnr")
        columns = {name: getattr(self, name) for name in names}
        title = "Rule with two thresholds or more"
        if np.ndim(self.low):
            return to_html(batch_summary(title, np.shape(self.low), columns))
        return to_html(ResultSummary(title, list(columns.items())))

    def __repr__(self) -> str:
        if np.ndim(self.low):
            return f"TwoThresholdRule(shape={np.shape(self.low)})"
        ends = f"low={self.low:.6g}, high={self.high:.6g}, inside={self.positive_inside}"
        return f"TwoThresholdRule({ends}, ameans={self.ameans:.6g})"


def summarize_rule(edges: FloatArray, *, starts_positive: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give low, high and inside of a rule that changes sides at every edge."""
    if not len(edges):
        return np.asarray(-np.inf), np.asarray(np.inf), np.asarray(starts_positive)
    ends_positive = starts_positive != (len(edges) % 2 == 1)
    inside = not starts_positive and not ends_positive
    low = edges[0] if inside or starts_positive else -np.inf
    high = edges[-1] if inside or ends_positive else np.inf
    return np.asarray(low), np.asarray(high), np.asarray(inside)


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve(Result):
    """Hold the points of a ROC curve, from (0, 0) to (1, 1).

    Attributes
    ----------
    thresholds : array of shape (..., T)
        In the unit of the feature, from the end where nothing is positive to the end where all is:
        descending from +inf, or ascending from -inf when positives lie lower.
    fpr, tpr : arrays of shape (..., T)
        Rates of the rule at each threshold.
    """

    thresholds: FloatArray
    fpr: FloatArray
    tpr: FloatArray

    def to_dict(self) -> dict[str, list[float]]:
        """Give the columns as lists."""
        return {name: getattr(self, name).tolist() for name in ("thresholds", "fpr", "tpr")}

    def __len__(self) -> int:
        return int(np.shape(self.fpr)[-1])

    def _summary(self) -> ResultSummary:
        title = f"ROC curve of {len(self)} points"
        columns = {"threshold": self.thresholds, "FPR": self.fpr, "TPR": self.tpr}
        if np.ndim(self.fpr) > 1:
            shape = np.shape(self.fpr)[:-1]
            middle = {f"{name} amid": values[..., len(self) // 2] for name, values in columns.items()}
            return batch_summary(title, shape, middle)
        picture = CurvePlot(f"{title}, TPR against FPR", [thin_curve(self.fpr, self.tpr)])
        names, rows = sample_rows(columns)
        return ResultSummary(title, rows, names, picture=picture)

    def __repr__(self) -> str:
        return f"RocCurve(n_points={len(self)})"


def area_under(fpr: FloatArray, tpr: FloatArray, low: float = 0.0, high: float = 1.0) -> ArrayOrFloat:
    """Give the area under polylines between two FPRs, each segment clipped by itself.

    Parameters
    ----------
    fpr, tpr : arrays of shape (..., m)
        Vertices, ascending; vertical pieces are legal.
    low, high : float
        Ends of the band of FPR.
    """
    width = np.diff(fpr)
    start = fpr[..., :-1]
    left, right = np.clip(start, low, high), np.clip(fpr[..., 1:], low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        rise = np.where(width > 0, np.diff(tpr) / width, 0.0)
    middle = tpr[..., :-1] + rise * ((left - start) + (right - start)) / 2
    return to_scalar(np.sum((right - left) * middle, axis=-1))


def interpolate_tpr(fpr: FloatArray, tpr: FloatArray, at: ArrayOrFloat) -> FloatArray:
    """Give the TPR of a polyline at some FPRs; on a vertical piece its top."""
    index = np.searchsorted(fpr, at, side="right") - 1
    following = np.minimum(index + 1, len(fpr) - 1)
    return _interpolate(at, fpr[index], fpr[following], tpr[index], tpr[following])


def interpolate_tpr_below(fpr: FloatArray, tpr: FloatArray, at: ArrayOrFloat) -> FloatArray:
    """Give the TPR of a polyline at some FPRs; on a vertical piece its foot."""
    following = np.searchsorted(fpr, at, side="left")
    before = np.maximum(following - 1, 0)
    between = _interpolate(at, fpr[before], fpr[following], tpr[before], tpr[following])
    return np.where(fpr[following] == at, tpr[following], between)  # at a vertex to its last digit


def interpolate_tpr_batch(fpr: FloatArray, tpr: FloatArray, at: float) -> FloatArray:
    """Give the TPR of many polylines, shape (B, m), at one FPR: shape (B,)."""
    index = np.count_nonzero(fpr <= at, axis=-1)[..., None] - 1
    following = np.minimum(index + 1, fpr.shape[-1] - 1)
    ends = (np.take_along_axis(part, where, -1)[..., 0] for part in (fpr, tpr) for where in (index, following))
    return _interpolate(at, *ends)


def _interpolate(at: ArrayOrFloat, start: FloatArray, end: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the height at a place between two vertices; where they lie above each other, of the first."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(end > start, (at - start) / (end - start), 0.0)
    return np.asarray(low + share * (high - low))


def interpolate_fpr(fpr: FloatArray, tpr: FloatArray, at: ArrayOrFloat) -> FloatArray:
    """Give the FPR at which a polyline first reaches some TPRs."""
    index = np.searchsorted(tpr, at, side="left")
    before = np.maximum(index - 1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(tpr[index] > tpr[before], (at - tpr[before]) / (tpr[index] - tpr[before]), 1.0)
    return np.asarray(fpr[before] + share * (fpr[index] - fpr[before]))


def hook_of_polyline(fpr: FloatArray, tpr: FloatArray) -> tuple[float, float, float]:
    """Give the FPRs between which a polyline lies below the chance line, and the area between the two."""
    start, end = (tpr - fpr)[:-1], (tpr - fpr)[1:]
    run = np.diff(fpr)
    under = (np.minimum(start, end) < 0) & (run > 0)
    if not under.any():
        return 0.0, 0.0, 0.0
    crosses = under & (np.maximum(start, end) > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        meets = np.where(crosses, start / (start - end), 0.0)  # share of the piece before it meets the chance line
        area = np.where(crosses, np.minimum(start, end) ** 2 / np.abs(end - start) / 2, -(start + end) / 2)
    begins = fpr[:-1] + np.where(crosses & (start > 0), meets, 0.0) * run
    ends = fpr[:-1] + np.where(crosses & (end > 0), meets, 1.0) * run
    return float(begins[under].min()), float(ends[under].max()), float((area * run)[under].sum())


NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
"""Gauss-Legendre nodes and weights on [-1, 1]."""
_MAX_REFINEMENTS = 200
_MAX_PANELS = 20_000


def gauss_legendre(f: Callable[[FloatArray], FloatArray], left: FloatArray, right: FloatArray) -> FloatArray:
    """Integrate ``f`` over each panel from ``left`` to ``right`` with one Gauss-Legendre rule.

    Parameters
    ----------
    f : function of an array
        Evaluated at once on an array with one axis more than ``left``.
    left, right : arrays of one shape
        Finite ends; a panel of no width gives 0.
    """
    half = (right - left) / 2
    x = (left / 2 + right / 2)[..., None] + half[..., None] * NODES
    return half * (f(x) @ WEIGHTS)


def integrate(
    integrate_panel: Callable[[FloatArray, FloatArray], FloatArray], edges: FloatArray, *, rtol: float = 1e-13
) -> float:
    """Sum an integral over panels, halving each until it has settled.

    Parameters
    ----------
    integrate_panel : function of two arrays
        Estimates the integral over each panel from its left and right end.
    edges : array of shape (k,)
        Finite, ascending; with fewer than two the integral is 0.
    rtol : float
        Of the whole integral of the absolute value.

    Raises
    ------
    RocPredictError
        When the integral does not settle.
    """
    left, right = edges[:-1], edges[1:]
    coarse = integrate_panel(left, right)
    total = size = 0.0
    for _ in range(_MAX_REFINEMENTS):
        middle = left / 2 + right / 2
        lower, upper = integrate_panel(left, middle), integrate_panel(middle, right)
        fine = lower + upper
        scale = size + np.abs(fine).sum()
        settled = (np.abs(fine - coarse) <= rtol * scale / 16) | (middle <= left) | (middle >= right)
        if len(left) > _MAX_PANELS:
            settled[:] = True  # what is left is rounding: halving a smooth panel settles it long before
        total, size = total + fine[settled].sum(), size + np.abs(fine[settled]).sum()
        if settled.all():
            return float(total)
        left, right = (
            np.concatenate([left[~settled], middle[~settled]]),
            np.concatenate([middle[~settled], right[~settled]]),
        )
        coarse = np.concatenate([lower[~settled], upper[~settled]])
    raise RocPredictError("an integral over these distributions does not settle; their densities are too rough")
