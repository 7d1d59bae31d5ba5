"""AUC and best threshold of shrinkage estimates, for a batch of features or for one feature."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.results import Flags
from rocpredict.base.validation import FloatArray
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.shrinkage import ShrinkageDistribution, estimate_shrinkage
from rocpredict.solvers.base import OptimalThreshold
from rocpredict.solvers.empirical import BestRun, EmpiricalSolver, midpoints

# ---- constants; docs/auto.md states how each was chosen
_PLATEAU_STD_ERRORS = 0.1
_OPTIMISM, _OPTIMISM_POWER = 0.31, -2 / 3
_MIN_SAMPLE_WEIGHT = 0.5
_BIAS = 0.08


class CumulativeMasses(NamedTuple):
    """Probability mass of each class below each node, in arrays of shape (F, k).

    A node is a position before, between or after the sorted values of the pooled sample.
    """

    negative: FloatArray
    positive: FloatArray

    @classmethod
    def from_positive(cls, positive: FloatArray) -> CumulativeMasses:
        """Return the masses of both classes, given the cumulative sums of P(positive) in ``positive``."""
        return cls(np.arange(positive.shape[1]) - positive, positive)

    @classmethod
    def from_pair(cls, negative: Distribution, positive: Distribution, values: FloatArray) -> CumulativeMasses:
        """Return the masses of two distributions below each of the sorted values of one feature."""
        masses = (np.concatenate([[0.0], d.cdf(values)])[None, :] for d in (negative, positive))
        return cls(*masses)

    def rates(self) -> tuple[FloatArray, FloatArray]:
        """Return TNR and FNR at each node."""
        return self.negative / self.negative[:, -1:], self.positive / self.positive[:, -1:]

    def rates_at(self, node: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        """Return TNR and FNR at one node of each feature."""
        rows = np.arange(len(node))
        return self.negative[rows, node] / self.negative[:, -1], self.positive[rows, node] / self.positive[:, -1]


class ShrinkageRule(NamedTuple):
    """Best threshold of each feature and its performance measures, as arrays of shape (F,).

    Attributes
    ----------
    node : array of int
        Node of the threshold.
    first, last : array of int
        First and last nodes of the interval on which the Ameans is close to its maximum.
    tpr, tnr : array
        Rates of the estimated curve at the threshold.
    ameans : array
        Ameans expected on new data.
    std_error : array
        Standard error of ``ameans``.
    is_separated : array of bool
        Whether the rule classifies every observation of the sample correctly.
    """

    node: NDArray[np.intp]
    first: NDArray[np.intp]
    last: NDArray[np.intp]
    tpr: FloatArray
    tnr: FloatArray
    ameans: FloatArray
    std_error: FloatArray
    is_separated: NDArray[np.bool_]


def best_rule(
    masses: list[CumulativeMasses],
    is_cut: NDArray[np.bool_],
    data_weight: FloatArray,
    reversal_probability: FloatArray | None,
    counts: tuple[float, float],
) -> ShrinkageRule:
    """Return the rule at the middle node of the interval on which the Ameans is close to its maximum.

    On this interval, the Ameans is at most 0.1 standard errors below the maximum.

    Parameters
    ----------
    masses : list of CumulativeMasses
        Masses of three distributions: the estimate, its model alone, and the sample.
    is_cut : array of bool of shape (F, k)
        True for nodes between two different values.
    data_weight : array of shape (F,)
        Weight of the sample in the estimate; the weight of the model is 1 minus this number.
    reversal_probability : array of shape (F, M - 1), or None
        Posterior probability that the Ameans of a threshold is below 1/2, for thresholds at equally spaced ranks. None
        unless the direction was chosen from the sample.
    counts : pair of float
        Number of observations in each class, (negative, positive).
    """
    estimate, model, sample = masses
    (n0, n1), (n_features, n_nodes) = counts, is_cut.shape
    tnr, fnr = estimate.rates()
    youden = tnr - fnr
    best = np.argmax(np.where(is_cut, youden, -2.0), axis=1)
    (a, b), start = estimate.rates_at(best), np.arange(n_features) * n_nodes
    std_error = np.sqrt((a * (1 - a) + 1 / (2 * n0)) / n0 + (b * (1 - b) + 1 / (2 * n1)) / n1) / 2
    n_rivals = np.sum(is_cut & (youden > (a - b - 2 * std_error)[:, None]), axis=1)

    is_worse = youden < (a - b - 2 * _PLATEAU_STD_ERRORS * std_error)[:, None]
    worse, cuts = np.flatnonzero(is_worse), np.flatnonzero(is_cut)  # positions in the flattened arrays
    next_worse = np.searchsorted(worse, start + best)
    before = np.maximum(np.append(worse, -1)[next_worse - 1], start - 1)
    after = np.minimum(np.append(worse, is_cut.size)[next_worse], start + n_nodes)
    low, high = np.searchsorted(cuts, before, "right"), np.searchsorted(cuts, after)
    first, node, last = (cuts[place] - start for place in (low, (low + high) // 2, high - 1))

    (sample_tnr, sample_fnr), (model_tnr, model_fnr) = sample.rates_at(node), model.rates_at(node)
    by_sample, by_model = (1 + sample_tnr - sample_fnr) / 2, (1 + model_tnr - model_fnr) / 2
    size = 2 * n0 * n1 / (n0 + n1)
    optimism = _OPTIMISM * size**_OPTIMISM_POWER * (1 - 1 / n_rivals)
    ameans = by_model + np.maximum(_MIN_SAMPLE_WEIGHT, data_weight) * (by_sample - optimism - by_model)
    if reversal_probability is not None:
        n_ranks = reversal_probability.shape[1]
        rank = np.rint(n0 * sample_tnr + n1 * sample_fnr) * (n_ranks + 1) / (n0 + n1)
        column = np.clip(np.rint(rank).astype(np.intp) - 1, 0, n_ranks - 1)
        reversal = reversal_probability[np.arange(n_features), column]
        ameans = 0.5 + (ameans - 0.5) * np.maximum(0.0, 1 - 2 * reversal)
    ameans -= _BIAS / size
    is_end = (node == 0) | (node == n_nodes - 1)
    ameans = np.where(is_end, 0.5, np.clip(ameans, 0.0, 1.0))
    tnr_there, fnr_there = estimate.rates_at(node)
    is_separated = (sample_tnr == 1) & (sample_fnr == 0)
    return ShrinkageRule(node, first, last, 1 - fnr_there, tnr_there, ameans, std_error, is_separated)


class ShrinkageBatch(NamedTuple):
    """Results for F features, as arrays of shape (F,).

    Attributes
    ----------
    auc : array
        P(positive > negative) + P(tie)/2, regardless of the direction.
    threshold : array
        Threshold with the highest Ameans; infinite if the best rule predicts the same class for every value.
    rule : ShrinkageRule
    data_weight : array
        Weight of the sample in the estimate; the weight of the model is 1 minus this number.
    area_between : array
        Area between the curve of the model and the empirical curve.
    """

    auc: FloatArray
    threshold: FloatArray
    rule: ShrinkageRule
    data_weight: FloatArray
    area_between: FloatArray


def evaluate_batch(
    negative: FloatArray, positive: FloatArray, *, lower: bool, declared: bool, is_chosen: bool = False
) -> ShrinkageBatch:
    """Estimate the distributions of both classes for each feature, and compute the AUC and the best threshold.

    Parameters
    ----------
    negative, positive : arrays of shape (F, n0) and (F, n1)
        Finite values, at least 2 per class.
    lower : bool
        Whether an observation is classified as positive when x <= threshold.
    declared : bool
        Whether the direction was specified before the data were seen.
    is_chosen : bool, default=False
        Whether the direction was chosen from the sample.
    """
    if lower:
        batch = evaluate_batch(-negative, -positive, lower=False, declared=declared, is_chosen=is_chosen)
        return batch._replace(auc=1 - batch.auc, threshold=-batch.threshold)
    counts = negative.shape[1], positive.shape[1]
    fit = estimate_shrinkage(negative, positive, declared=declared, is_chosen=is_chosen)
    pooled = fit.pooled
    masses = [CumulativeMasses.from_positive(part) for part in (fit.posterior, fit.model, fit.sample)]
    tnr, fnr = masses[0].rates()
    is_cut = np.concatenate([pooled.is_first, np.ones((len(tnr), 1), dtype=bool)], axis=1)
    rule = best_rule(masses, is_cut, fit.data_weight, fit.reversal_probability, counts)
    infinite = np.full((len(tnr), 1), np.inf)
    edges, node = np.concatenate([-infinite, pooled.x, infinite], axis=1), rule.node[:, None]
    below, above = (np.take_along_axis(edges, node + step, axis=1)[:, 0] for step in (0, 1))
    threshold = np.where(np.isinf(below), below, np.where(np.isinf(above), above, midpoints(below, above)))
    auc = np.einsum("ij,ij->i", np.diff(fnr, axis=1), tnr[:, 1:] + tnr[:, :-1]) / 2
    return ShrinkageBatch(auc, threshold, rule, fit.data_weight, fit.area_between)


class ShrinkageSolver(EmpiricalSolver):
    """Solver for one feature whose class distributions are shrinkage estimates.

    These distributions are discrete. The threshold with the highest Ameans is computed as in ``evaluate_batch``.
    """

    negative: ShrinkageDistribution
    positive: ShrinkageDistribution

    @cached_property
    def rule(self) -> ShrinkageRule:
        """Threshold with the highest Ameans."""
        values = self.negative.unique_values
        pairs = (
            (self.negative, self.positive),
            (self.negative.model, self.positive.model),
            (self.negative.observed, self.positive.observed),
        )
        masses = [CumulativeMasses.from_pair(*pair, values) for pair in pairs]
        counts = self.negative.observed.total, self.positive.observed.total
        is_cut = np.ones((1, len(values) + 1), dtype=bool)
        data_weight, reversal = np.array([self.negative.data_weight]), self.negative.reversal_probability
        return best_rule(masses, is_cut, data_weight, None if reversal is None else reversal[None, :], counts)

    def optimal_ameans(self) -> OptimalThreshold:
        """Return the threshold of ``rule``, with the Ameans expected on new data."""
        rule, last_point = self.rule, len(self.points.tpr) - 1
        place, first, last = (last_point - int(node[0]) for node in (rule.node, rule.last, rule.first))
        best = self._optimum([BestRun(place, first, last, np.empty(0, dtype=np.intp))], ())
        flags = best.flags | Flags(perfect_separation=rule.is_separated[0])
        return best._replace(flags=flags, expected_ameans=rule.ameans[0])
