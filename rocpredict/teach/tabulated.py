"""A prediction that is looked up: for families whose curve takes seconds to search, while somebody moves a slider."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.answers import Hook
from rocpredict.arguments import FloatArray, Values, plain
from rocpredict.curve import RocCurve, below_chance
from rocpredict.flags import Flags
from rocpredict.predictor import PredictedRoc
from rocpredict.thresholds import BestThreshold, log_price

_TAIL = 1e-12
_EVEN, _RANKED = 1025, np.linspace(0, 1, 257)
_PARTS, _ROUNDS = 16, 4


class Table(NamedTuple):
    """Hold the classes at many thresholds, ascending: both rates, and log(f1/f0)."""

    threshold: FloatArray
    fpr: FloatArray
    tpr: FloatArray
    level: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class TabulatedRoc(PredictedRoc):
    """Answer what a page asks again and again from one table of the curve.

    Notes
    -----
    The table has 1025 thresholds evenly between the quantiles 1e-12 and 1 - 1e-12 of the classes, and 257 quantiles of
    each. Crossings of the densities are bracketed in it and closed in on by the densities themselves, to about 1e-9 of
    the distance of two thresholds; the best threshold is one of them or infinite, with its rates as exact as ever. A
    crossing narrower than the table, or further out than it reaches, is not seen. Where the curve meets the chance
    line, and heights at an FPR, are read between two thresholds of the table: to about 1e-4.
    """

    def tabulated(self) -> Self:
        """Make the table now, and give this prediction."""
        _ = self._curve
        return self

    def best_threshold(  # type: ignore[override]
        self, criterion: str = "ameans", *, prevalence: Values = 0.5, cost_fp: Values = 1.0
    ) -> BestThreshold:
        """Give the best threshold for "ameans", "cost" or "accuracy"."""
        price = log_price(prevalence, cost_fp, 1.0)
        crossings = self._crossings(price)
        side = -np.inf if self.direction == "lower" else np.inf
        candidates = np.array([side, -side, *crossings])
        tpr, fpr = (np.asarray(rate(candidates)) for rate in (self.tpr, self.fpr))
        fnr, tnr = (np.asarray(rate(candidates)) for rate in (self.fnr, self.tnr))
        losses = fnr + np.exp(price) * fpr
        k = int(np.argmin(losses))
        threshold, *rates = (float(column[k]) for column in (candidates, tpr, fpr, tnr, fnr))
        named = dict(zip(("tpr", "fpr", "tnr", "fnr"), rates, strict=True))
        return BestThreshold(
            threshold=threshold,
            criterion=criterion,
            value=float(losses[k]),
            crossings=crossings,
            plateau=(threshold, threshold),
            flags=Flags(),
            **named,
        )

    def hook(self) -> Hook:
        """Give the part of the curve that lies below the chance line."""
        return Hook(*below_chance(self._curve.fpr, self._curve.tpr))

    def curve(self, points: int = 0) -> RocCurve:
        """Give the table as a curve."""
        del points
        return self._curve

    def tpr_at_fpr(self, fpr: ArrayLike) -> Values:
        """Give the TPR at an FPR, read between two points of the table."""
        return plain(np.interp(np.asarray(fpr), self._curve.fpr, self._curve.tpr))

    @cached_property
    def _table(self) -> Table:
        classes = (self.negative, self.positive)
        ends = [float(tail(_TAIL)) for d in classes for tail in (d.ppf, d.isf)]
        inner = [np.asarray(d.ppf(_RANKED[1:-1])) for d in classes]
        found = np.unique(np.concatenate([np.linspace(min(ends), max(ends), _EVEN), *inner]))
        t = found[np.isfinite(found)]
        return Table(t, np.asarray(self.fpr(t)), np.asarray(self.tpr(t)), self._level(t))

    @cached_property
    def _curve(self) -> RocCurve:
        """Give the curve from (0, 0) to (1, 1)."""
        order = slice(None) if self.direction == "lower" else slice(None, None, -1)
        side = -np.inf if self.direction == "lower" else np.inf
        t, fpr, tpr, _ = (column[order] for column in self._table)
        return RocCurve(np.array([side, *t, -side]), np.array([0.0, *fpr, 1.0]), np.array([0.0, *tpr, 1.0]))

    def _level(self, t: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.asarray(self.positive.logpdf(t)) - self.negative.logpdf(t))

    def _crossings(self, price: FloatArray) -> FloatArray:
        """Give the thresholds at which the weighted densities cross, ascending."""
        above = self._table.level - price
        known = np.flatnonzero(~np.isnan(above))
        signs = above[known] > 0
        turns = np.flatnonzero(signs[1:] != signs[:-1])
        low, high = self._table.threshold[known[turns]], self._table.threshold[known[turns + 1]]
        return self._closed_in(low, high, signs[turns + 1], price) if turns.size else np.empty(0)

    def _closed_in(self, low: FloatArray, high: FloatArray, rises: Any, price: FloatArray) -> FloatArray:
        """Narrow brackets to the part in which the sign changes, again and again; then a straight line."""
        rows = np.arange(len(low))
        for _ in range(_ROUNDS):
            t = np.linspace(low, high, _PARTS + 1, axis=-1)
            above = self._level(t) - price
            arrived = ((above > 0) == rises[:, None]) & ~np.isnan(above)
            arrived[:, 0], arrived[:, -1] = False, True
            first = np.argmax(arrived, axis=-1)
            low, high = t[rows, first - 1], t[rows, first]
            start, end = above[rows, first - 1], above[rows, first]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = start / (start - end)
        return np.asarray(low + (high - low) * np.where((share >= 0) & (share <= 1), share, 0.5))
