"""The answers as they come in: columns that fill up part by part, and become a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.flags import Flags
from rocpredict.screening.adjust import adjusted
from rocpredict.screening.counted import ACHIEVED, honest
from rocpredict.screening.estimated import REPLACED, Estimated, Known
from rocpredict.screening.predicted import Prediction
from rocpredict.screening.table import Screening
from rocpredict.summary import ClassSummary, TwoClassSummary

_COLUMNS = (
    *("negative_mean", "negative_std", "positive_mean", "positive_std", "effect_size", "direction"),
    *("auc", "auc_low", "auc_high", "empirical_auc", "empirical_se", "empirical_low", "empirical_high"),
    *("p_value", "q_value", "threshold", "ameans", "ameans_honest", "tpr", "fpr", "misfit"),
)
_OF_AUTO = ("family", "model_share")
"""Columns of a screening that has rows of both families."""
_COUNTS = ("n_negative", "n_positive", "n_missing")
_OF_FOUR = tuple(
    f"{side}_{what}" for side in ("negative", "positive") for what in ("skewness", "kurtosis", "minimum", "maximum")
)
_TAKEN = frozenset(("feature", "negative", "positive", "flags", *_COUNTS, *_COLUMNS, *_OF_FOUR))
"""Names that an annotation cannot have."""


class Answers:
    """Gather columns of shape (contrasts, features)."""

    def __init__(
        self,
        names: Sequence[str] | NDArray[Any],
        contrasts: tuple[tuple[Any, Any], ...],
        *,
        annotations: Mapping[str, NDArray[Any]] | None = None,
        n_rows: int = 0,
        weighed: bool = False,
        auto: bool = False,
    ) -> None:
        self._names = np.asarray(names, dtype=object)
        self._annotations = annotations or {}
        self._n_rows = n_rows
        self._contrasts = contrasts
        self._shape = len(contrasts), len(names)
        self._number = np.float64 if weighed else np.int64
        self._auto = auto
        self._estimated = np.zeros(self._shape, dtype=bool)
        self._columns: dict[str, NDArray[Any]] = {}
        self._excess = np.zeros((2, *self._shape))
        self._flags: dict[str, NDArray[np.bool_]] = {}

    def predicted(self, contrast: int, part: Any, summary: TwoClassSummary, prediction: Prediction) -> None:
        """Take in what moments say of some features."""
        sides = {"negative": summary.negative, "positive": summary.positive}
        columns = {f"n_{name}": side.count for name, side in sides.items()}
        columns["n_missing"] = summary.negative.missing + summary.positive.missing
        for name, side in sides.items():
            columns |= {f"{name}_{what}": getattr(side, what) for what in _kept(side)}
        direction = np.where(prediction.pair.lower, "lower", "higher")
        columns["direction"] = np.where(prediction.pair.known, direction, "")
        self._fill(contrast, part, columns | prediction.columns)
        self._excess[:, contrast, part] = prediction.excess, prediction.excess_of_count
        self._mark(contrast, part, prediction.flags | _degenerate(summary))

    def counted(self, contrast: int, features: NDArray[np.intp], columns: dict[str, Any], flags: Flags) -> None:
        """Take in what counting says of some features, after what moments say of them."""
        worth = honest(columns.pop(ACHIEVED), *self._excess[:, contrast, features])
        worth = np.where(np.isinf(self._columns["threshold"][contrast, features]), 0.5, worth)  # one class everywhere
        self._fill(contrast, features, columns | {"ameans_honest": worth})
        sides = [self._columns[name][contrast, features] - 0.5 for name in ("auc", "empirical_auc")]
        sure = (columns["empirical_low"] > 0.5) | (columns["empirical_high"] < 0.5)
        self._mark(contrast, features, flags | Flags(opposite_sides=sure & (sides[0] * sides[1] < 0)))

    def known(self, contrast: int, features: NDArray[np.intp]) -> Known:
        """Give what moments say of the features that rows are to be asked about."""
        n0, n1, direction = (
            self._columns[name][contrast, features] for name in ("n_negative", "n_positive", "direction")
        )
        return Known(n0, n1, direction == "lower", direction != "")

    def estimated(self, contrast: int, features: NDArray[np.intp], found: Estimated) -> None:
        """Take in what the shrunk estimate says of some of these features, in place of the Gaussians."""
        features = features[found.places]
        self._fill(contrast, features, found.columns)
        self._estimated[contrast, features] = True
        for name in set(REPLACED) & self._flags.keys():
            self._flags[name][contrast, features] = False
        self._mark(contrast, features, found.flags)

    def mark(self, flags: Flags) -> None:
        """Take in what holds of features in every contrast."""
        self._mark(slice(None), slice(None), flags)

    def best_predicted(self, count: int) -> NDArray[np.intp]:
        """Give the features that are among the first of a contrast by their predicted AUC, ascending."""
        keys = np.nan_to_num(np.abs(self._columns["auc"] - 0.5), nan=-1.0)
        order = np.argsort(-keys, axis=1, kind="stable")[:, :count]
        return np.unique(order)

    def table(self, asked: Any) -> Screening:
        """Give the table, the most telling rows first."""
        columns = self._in_order()
        columns["q_value"] = adjusted(columns["p_value"], asked.adjust)
        rows = self._shape[0] * self._shape[1]
        table = Screening(
            columns=columns,
            flags=Flags(**{name: mask.ravel() for name, mask in self._flags.items()}),
            contrasts=self._contrasts,
            level=asked.level,
            adjust=asked.adjust,
            direction=asked.direction,
            empirical=asked.empirical,
            family=asked.family,
            n_rows=self._n_rows,
            n_screened=rows,
            n_tested=int(np.sum(~np.isnan(columns["p_value"]))),
            places=np.arange(rows),
        )
        return table.sort("discrimination")

    def _fill(self, contrast: int, features: Any, columns: dict[str, Any]) -> None:
        for name, values in columns.items():
            if name not in self._columns:
                self._columns[name] = self._blank(values)
            self._columns[name][contrast, features] = values

    def _blank(self, values: NDArray[Any]) -> NDArray[Any]:
        if values.dtype.kind in "iu":
            return np.zeros(self._shape, dtype=self._number)
        if values.dtype.kind == "U":
            return np.full(self._shape, "higher")
        return np.full(self._shape, np.nan)

    def _mark(self, contrast: Any, features: Any, flags: Flags) -> None:
        for name in flags:
            if name not in self._flags:
                self._flags[name] = np.zeros(self._shape, dtype=bool)
            self._flags[name][contrast, features] |= flags[name]

    @property
    def _taken(self) -> frozenset[str]:
        return _TAKEN | set(_OF_AUTO) if self._auto else _TAKEN

    def _in_order(self) -> dict[str, NDArray[Any]]:
        """Give all columns, one row for each contrast and feature."""
        contrasts, features = self._shape
        columns: dict[str, NDArray[Any]] = {"feature": np.tile(self._names, contrasts)}
        for name, values in self._annotations.items():
            columns[f"{name}_annotation" if name in self._taken else name] = np.tile(values, contrasts)
        if contrasts > 1:
            for place, name in enumerate(("negative", "positive")):
                labels = np.array([contrast[place] for contrast in self._contrasts], dtype=object)
                columns[name] = np.repeat(labels, features)
        if self._auto:
            family = np.where(self._estimated, "auto", "gaussian")
            self._columns["family"] = np.where(self._columns["direction"] == "", "", family)
        extra = [name for name in _OF_FOUR if name in self._columns]
        for name in (*_COUNTS, *_COLUMNS, *(_OF_AUTO if self._auto else ()), *extra):
            columns[name] = self._columns.get(name, self._blank(np.zeros(0))).ravel()
        return columns


def _kept(side: ClassSummary) -> tuple[str, ...]:
    return ("mean", "std", "skewness", "kurtosis", "minimum", "maximum") if side.order == 4 else ("mean", "std")


def _degenerate(summary: TwoClassSummary) -> Flags:
    """Say which features cannot be predicted, and why, and which hold the labels."""
    sides = summary.negative, summary.positive
    least = np.minimum(summary.negative.count, summary.positive.count)
    finite = np.logical_and.reduce([side.known | (side.count <= 1) for side in sides])
    constant = (summary.negative.m2 == 0) & (summary.positive.m2 == 0)
    apart = summary.negative.mean != summary.positive.mean
    return Flags(
        no_values=least <= 0,
        too_few=(least > 0) & ~np.logical_and.reduce([side.count > 1 for side in sides]),
        infinite=(least > 0) & ~finite,
        label_copy=constant & apart & (least > 1) & finite,
        constant=constant & ~apart & (least > 0),
    )
