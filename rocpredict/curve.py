"""A ROC curve as a table, and the area under one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rocpredict.arguments import FloatArray, Values, plain
from rocpredict.rich_results import Picture, Rich, Shown, of_batch, spread_rows, thinned


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve(Rich):
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

    def _shown(self) -> Shown:
        title = f"ROC curve of {len(self)} points"
        columns = {"threshold": self.thresholds, "FPR": self.fpr, "TPR": self.tpr}
        if np.ndim(self.fpr) > 1:
            shape = np.shape(self.fpr)[:-1]
            middle = {f"{name} amid": values[..., len(self) // 2] for name, values in columns.items()}
            return of_batch(title, shape, middle)
        picture = Picture(f"{title}, TPR against FPR", [thinned(self.fpr, self.tpr)])
        names, rows = spread_rows(columns)
        return Shown(title, rows, names, picture=picture)

    def __repr__(self) -> str:
        return f"RocCurve(points={len(self)})"


def area_under(fpr: FloatArray, tpr: FloatArray, low: float = 0.0, high: float = 1.0) -> Values:
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
    return plain(np.sum((right - left) * middle, axis=-1))


def height_at(fpr: FloatArray, tpr: FloatArray, at: Values) -> FloatArray:
    """Give the TPR of a polyline at some FPRs; on a vertical piece its top."""
    index = np.searchsorted(fpr, at, side="right") - 1
    following = np.minimum(index + 1, len(fpr) - 1)
    return _between(at, fpr[index], fpr[following], tpr[index], tpr[following])


def foot_at(fpr: FloatArray, tpr: FloatArray, at: Values) -> FloatArray:
    """Give the TPR of a polyline at some FPRs; on a vertical piece its foot."""
    following = np.searchsorted(fpr, at, side="left")
    before = np.maximum(following - 1, 0)
    between = _between(at, fpr[before], fpr[following], tpr[before], tpr[following])
    return np.where(fpr[following] == at, tpr[following], between)  # at a vertex to its last digit


def heights_at(fpr: FloatArray, tpr: FloatArray, at: float) -> FloatArray:
    """Give the TPR of many polylines, shape (B, m), at one FPR: shape (B,)."""
    index = np.count_nonzero(fpr <= at, axis=-1)[..., None] - 1
    following = np.minimum(index + 1, fpr.shape[-1] - 1)
    ends = (np.take_along_axis(part, where, -1)[..., 0] for part in (fpr, tpr) for where in (index, following))
    return _between(at, *ends)


def _between(at: Values, start: FloatArray, end: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the height at a place between two vertices; where they lie above each other, of the first."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(end > start, (at - start) / (end - start), 0.0)
    return np.asarray(low + share * (high - low))


def place_at(fpr: FloatArray, tpr: FloatArray, at: Values) -> FloatArray:
    """Give the FPR at which a polyline first reaches some TPRs."""
    index = np.searchsorted(tpr, at, side="left")
    before = np.maximum(index - 1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(tpr[index] > tpr[before], (at - tpr[before]) / (tpr[index] - tpr[before]), 1.0)
    return np.asarray(fpr[before] + share * (fpr[index] - fpr[before]))


def below_chance(fpr: FloatArray, tpr: FloatArray) -> tuple[float, float, float]:
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
