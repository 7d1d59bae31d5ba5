"""Numerical solution for any two distributions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.results import Flags
from rocpredict.base.validation import FloatArray
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import is_discrete
from rocpredict.solvers.base import ROUNDING, Axis, LikelihoodRatioSolver, OptimalThreshold, Solver, atom_mass
from rocpredict.solvers.quadrature import bisect, expectation, log_ratio, rounding_error, sign_changes


class NumericalSolver(Solver):
    """ROC curve of any two distributions of one feature, by quadrature and search."""

    def auc(self) -> FloatArray:
        """Return P(positive > negative) + P(tie)/2."""
        return self._mean_tail(self.negative.cdf_strict, self.negative.cdf)

    def auc_complement(self) -> FloatArray:
        """Return P(positive < negative) + P(tie)/2, with its own digits."""
        return self._mean_tail(self.negative.sf, self.negative.sf_inclusive)

    def along(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the TPR at an FPR, on a vertical piece its top, or the FPR at which the curve first reaches a TPR."""
        if axis == "fpr":
            t = self.negative.isf(rate)
            share = np.where(atom_mass(self.negative, t) > 0, _atom_fraction(self.negative, t, rate), 1.0)
            return np.where(rate == 1, 1.0, self.positive.sf(t) + share * atom_mass(self.positive, t))
        t = self.threshold_at("tpr", rate)
        share = _atom_fraction(self.positive, t, rate)
        return np.where(rate == 0, 0.0, self.negative.sf(t) + share * atom_mass(self.negative, t))

    def threshold_at(self, axis: Axis, rate: FloatArray) -> FloatArray:
        """Return the least threshold with at most this FPR, or the largest one with at least this TPR."""
        if axis == "tpr":
            return np.where(np.equal(rate, 0), np.inf, -np.asarray(self.positive.reflect().ppf(rate)))
        t = np.asarray(self.negative.isf(rate))
        reached = np.asarray(self.negative.sf_inclusive(t))
        t = np.where((reached > rate) & (reached > self.negative.sf(t)), np.nextafter(t, np.inf), t)
        return np.where(np.equal(rate, 1), -np.inf, t)

    def area(self, axis: Axis, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the area under the curve between two FPRs, or to its right between two TPRs."""
        if axis == "fpr":
            d, beyond, at = self.negative, self.positive.sf, self.positive.sf_inclusive
        else:
            d, beyond, at = self.positive, self.negative.cdf, self.negative.cdf_strict
        edges = np.clip(self.panel_edges, d.isf(high), d.isf(low))
        smooth = expectation(d, beyond, np.unique(edges[np.isfinite(edges)]))
        points, _ = d.atoms()  # on an atom the curve runs straight
        start, end = np.asarray(d.sf(points)), np.asarray(d.sf_inclusive(points))
        left, right = np.clip(start, low, high), np.clip(end, low, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(end > start, ((left + right) / 2 - start) / (end - start), 0.0)
        height = beyond(points) + share * (np.asarray(at(points)) - beyond(points))
        return np.asarray(smooth + np.sum((right - left) * height))

    def crossings(self, log_price: FloatArray) -> FloatArray:
        """Return all thresholds where f1 - price f0 changes its sign, ascending on the last axis."""
        found = [self._crossings(np.asarray(price)) for price in np.ravel(log_price)]
        return _pad(found).reshape(*np.shape(log_price), -1)

    def optimal(self, log_price: FloatArray) -> OptimalThreshold:
        """Return the threshold that maximises TPR - price FPR: a crossing, an atom, a gap between them or an end."""
        if not np.ndim(log_price):
            return self._optimal(np.asarray(log_price))
        each = [self._optimal(np.asarray(price)) for price in np.ravel(log_price)]
        shape = np.shape(log_price)
        names = {name for best in each for name in best.flags}
        flags = Flags(**{name: np.reshape([name in best.flags for best in each], shape) for name in names})
        crossings = _pad([best.crossings for best in each]).reshape(*shape, -1)
        columns = [np.reshape([best[index] for best in each], shape) for index in range(7)]
        threshold, tpr, fpr, tnr, fnr, low, high = columns
        return OptimalThreshold(threshold, tpr, fpr, tnr, fnr, low, high, crossings, flags)

    def likelihood_ratio(self) -> LikelihoodRatioSolver:
        """Return the ROC curve of the likelihood ratio."""
        from rocpredict.solvers.ranking import RankedLikelihoodRatioSolver

        return RankedLikelihoodRatioSolver(self)

    def _crossings(self, log_price: FloatArray) -> FloatArray:
        level = log_ratio(self.negative, self.positive)
        with np.errstate(invalid="ignore"):  # a price of 0 or infinity is nowhere equal to an infinite ratio
            values = level(self.search_grid) - log_price
            noise = rounding_error(self.negative, self.positive, self.search_grid)
            return sign_changes(lambda x: level(x) - log_price, self.search_grid, values, noise)

    def _optimal(self, log_price: FloatArray) -> OptimalThreshold:
        negative, positive, grid = self.negative, self.positive, self.search_grid
        with np.errstate(over="ignore"):
            price = float(np.exp(log_price))

        def loss(t: FloatArray) -> FloatArray:
            """Return 1 - (TPR - price FPR), which keeps its digits when the classes hardly overlap."""
            fnr, fpr = np.asarray(positive.cdf_strict(t)), np.asarray(negative.sf_inclusive(t))
            return fnr + price * fpr if np.isfinite(price) else np.where(fpr > 0, np.inf, fnr)

        found = self.crossings(log_price)
        atoms = np.concatenate([negative.atoms().points, positive.atoms().points])
        ends = np.array([np.inf, -np.inf])  # the grid serves where the densities are flat, and as a safeguard
        candidates = np.concatenate([found, atoms, np.nextafter(atoms, np.inf), ends, grid])
        losses = np.nan_to_num(loss(candidates), nan=np.inf)
        most = losses.min() * (1 + ROUNDING)
        threshold = candidates[np.argmax(losses <= most)]
        low, high = _plateau(loss, log_ratio(negative, positive), np.unique(candidates), threshold, most, log_price)
        if low < high and np.isfinite(high - low):
            threshold = low / 2 + high / 2
        best = self.at_threshold(
            threshold,
            found,
            (np.asarray(low), np.asarray(high)),
            identical=np.array_equal(negative.cdf(grid), positive.cdf(grid)),
            point_mass=any((d.atoms().masses == 1).any() for d in (negative, positive)),
        )
        return best._replace(flags=best.flags | Flags(no_benefit=float(log_price) == 0 and best.tpr <= best.fpr))

    def _mean_tail(
        self, without: Callable[[FloatArray], FloatArray], including: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """Return the mean over positives of a tail of the negatives that includes half of an atom."""
        atomic = self.negative.atoms().points.size
        tail = (lambda x: (np.asarray(without(x)) + including(x)) / 2) if atomic else without
        points, masses = self.positive.atoms()
        total = masses @ np.asarray(tail(points))
        if not is_discrete(self.positive):
            total += expectation(self.positive, tail, self.panel_edges)
        return np.asarray(total)


def _pad(rows: list[FloatArray]) -> FloatArray:
    """Return rows of different lengths as one array, with NaN beyond their ends."""
    width = max(map(len, rows), default=0)
    return np.array([np.pad(row, (0, width - len(row)), constant_values=np.nan) for row in rows])


def _atom_fraction(d: Distribution, t: FloatArray, rate: FloatArray) -> FloatArray:
    """Return how much of the atom at ``t`` it takes to bring the tail above ``t`` up to ``rate``."""
    mass = atom_mass(d, t)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mass > 0, np.clip((rate - d.sf(t)) / mass, 0, 1), 0.0)


def _plateau(
    loss: Callable[[FloatArray], FloatArray],
    level: Callable[[FloatArray], FloatArray],
    candidates: FloatArray,
    threshold: float,
    most: float,
    log_kappa: FloatArray,
) -> tuple[float, float]:
    """Return the ends of the thresholds around this one that lose no more, where the densities are level or none."""

    def level_at(t: FloatArray) -> NDArray[np.bool_]:
        with np.errstate(invalid="ignore"):
            steepness = level(t) - log_kappa
        return np.asarray((np.isnan(steepness) | (steepness == 0) | np.isinf(t)) & (loss(t) <= most))

    flat = level_at(candidates)
    first = last = int(np.searchsorted(candidates, threshold))
    while first > 0 and flat[first - 1]:
        first -= 1
    while last < len(flat) - 1 and flat[last + 1]:
        last += 1
    low, high = candidates[first], candidates[last]
    if low < threshold and first > 0 and np.isfinite(candidates[first - 1]):
        _, low = bisect(level_at, candidates[first - 1], low)
    if high > threshold and last < len(flat) - 1 and np.isfinite(candidates[last + 1]):
        high, _ = bisect(lambda t: ~level_at(t), high, candidates[last + 1])
    return float(low), float(high)
