"""Threshold criteria and the best threshold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocpredict.base.rates import RateFunction, Rates
from rocpredict.base.results import Flags, Interval, Result, ResultSummary, batch_summary, format_interval, truncate
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    check_nonnegative,
    check_option,
    check_probabilities,
    short_repr,
    to_scalar,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.gaussian import add_grid_axis
from rocpredict.solvers import empirical as steps
from rocpredict.solvers.base import OptimalThreshold
from rocpredict.solvers.select import select_solver

CRITERIA = {
    "ameans": "highest Ameans (TPR + TNR)/2",
    "youden": "the same as ameans",
    "balanced_accuracy": "the same as ameans",
    "cost": "lowest expected cost of errors; takes prevalence, cost_fp, cost_fn",
    "accuracy": "highest share of right calls; takes prevalence",
    "f1": "highest F1; takes prevalence",
    "f_beta": "highest F-beta; takes prevalence, beta",
    "closest_topleft": "least distance of the ROC point to (0, 1)",
    "min_tpr": "highest TNR with a TPR of at least value",
    "min_tnr": "highest TPR with a TNR of at least value",
    "max_fpr": "highest TPR with an FPR of at most value",
}
"""Every named criterion, and what it looks for."""
AMEANS_ALIASES = ("ameans", "youden", "balanced_accuracy")
"""The names of the default criterion."""
PREVALENCE_FREE_CRITERIA = (*AMEANS_ALIASES, "closest_topleft", "min_tpr", "min_tnr", "max_fpr")
"""Criteria that no prevalence changes."""
_PREVALENCE_CRITERIA = ("cost", "accuracy", "f1", "f_beta")
_MAX_ITER = 100
_MAX_BETA = 1e100


@dataclass(frozen=True, kw_only=True)
class ThresholdCriterion:
    """Say what the best threshold is best for; the fields are those of ``Roc.best_threshold``."""

    criterion: str | RateFunction = "ameans"
    prevalence: ArrayOrFloat = None
    cost_fp: ArrayOrFloat = 1.0
    cost_fn: ArrayOrFloat = 1.0
    beta: float | None = None
    value: ArrayOrFloat = None

    def __post_init__(self) -> None:
        if not callable(self.criterion):
            check_option("criterion", self.criterion, CRITERIA)
        needs_value = self.criterion in ("min_tpr", "min_tnr", "max_fpr")
        if needs_value != (self.value is not None):
            verb = "needs" if needs_value else "takes no"
            raise RocPredictError(f"criterion={self.criterion!r} {verb} value=")
        if (self.criterion == "f_beta") != (self.beta is not None):
            verb = "needs" if self.criterion == "f_beta" else "takes no"
            raise RocPredictError(f"criterion={self.criterion!r} {verb} beta=")
        if self.beta is not None and not 0 < self.beta < _MAX_BETA:
            raise RocPredictError(f"beta={self.beta!r} is not above 0 and below {_MAX_BETA:g}")
        if self.criterion != "cost" and (np.any(self.cost_fp != 1.0) or np.any(self.cost_fn != 1.0)):
            raise RocPredictError(f"criterion={self.criterion!r} takes no costs; use criterion='cost'")
        if self.criterion in _PREVALENCE_CRITERIA and self.prevalence is None:
            raise RocPredictError(
                f"criterion={self.criterion!r} needs the share of positives; give prevalence= (0 to 1) or class counts"
            )


@dataclass(frozen=True, eq=False, repr=False)
class BestThreshold(Result):
    """Hold the best threshold for a criterion, and what it achieves.

    Attributes
    ----------
    threshold : float or array of shape F
        In the unit of the feature.
    tpr, fpr, tnr, fnr, ameans : float or array of shape F
        Rates of the rule at the threshold.
    criterion : str
        What was looked for.
    criterion_value : float or array of shape F
        What the criterion is there: the Ameans, the expected cost of errors per case, the accuracy, F-beta, the
        distance to (0, 1), the rate that was raised, or what the function gave.
    crossings : array of shape (k,), or F + (2,) for a batch
        Thresholds where the (weighted) densities cross, ascending; in a batch NaN beyond ``crossing_count``.
    crossing_count : int or array of shape F
    plateau : pair of float or of arrays of shape F
        All thresholds in (low, high] do as well ([low, high) with direction "lower"). For a smooth optimum both
        are the threshold.
    flags : Flags
        Stated outcomes of degenerate inputs.
    _uncertainty : object
        Who knows how far off the threshold and its Ameans may be; asked by the methods here.
    """

    threshold: ArrayOrFloat
    tpr: ArrayOrFloat
    fpr: ArrayOrFloat
    tnr: ArrayOrFloat
    fnr: ArrayOrFloat
    criterion: str
    criterion_value: ArrayOrFloat
    crossings: FloatArray
    plateau: tuple[ArrayOrFloat, ArrayOrFloat]
    flags: Flags
    _uncertainty: Any = None

    @property
    def ameans(self) -> ArrayOrFloat:
        """Give (TPR + TNR)/2."""
        return to_scalar(np.asarray(self.tpr) / 2 + np.asarray(self.tnr) / 2)

    @property
    def crossing_count(self) -> ArrayOrFloat:
        """Give how many crossings there are."""
        return to_scalar(np.sum(~np.isnan(self.crossings), axis=-1))

    @property
    def ameans_corrected(self) -> float | None:
        """The mean Ameans of such thresholds on rows that did not choose them; None for a predicted threshold.

        A threshold that was chosen by counting does best on the rows that chose it: its Ameans there is
        optimistic. This is the out-of-bag mean over 1000 seeded resamples: fewer from 2,000 rows on, 20 from
        100,000 on.
        """
        return None if self._uncertainty is None else self._uncertainty.ameans_corrected

    def threshold_interval(
        self, level: float = 0.95, *, method: str | None = None, n_resamples: int = 2000, rng: Any = 0
    ) -> Interval:
        """Give the confidence interval of the threshold.

        Parameters
        ----------
        level : float
        method : str, optional
            Samples: "bootstrap", chosen anew in each resample. Two Gaussians with counts: "delta"; a fitted
            prediction also "bootstrap".
        n_resamples, rng
            Of the bootstrap.

        Returns
        -------
        Interval
            Infinite where the data leave the threshold open.
        """
        return self._uncertainty.threshold_interval(level, method, n_resamples, rng)  # type: ignore[no-any-return]

    def ameans_interval(
        self, level: float = 0.95, *, method: str | None = None, n_resamples: int = 2000, rng: Any = 0
    ) -> Interval:
        """Give the confidence interval of the Ameans that the threshold has beyond these rows.

        Parameters
        ----------
        method : str, optional
            Samples: "out-of-bag", Wilson's intervals of both rates, less the optimism of having chosen the
            threshold here. Two Gaussians with counts: "delta"; a fitted prediction also "bootstrap".
        """
        return self._uncertainty.ameans_interval(level, method, n_resamples, rng)  # type: ignore[no-any-return]

    def stability(self, *, n_resamples: int = 2000, rng: Any = 0) -> Any:
        """Tell how firmly the rows choose this threshold: a ``ThresholdStability``; for samples."""
        return self._uncertainty.stability(n_resamples, rng)

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers by name."""
        names = [
            "criterion",
            "criterion_value",
            "threshold",
            "ameans",
            "tpr",
            "fpr",
            "tnr",
            "fnr",
            "crossings",
            "plateau",
        ]
        if self._is_empirical:
            names.insert(4, "ameans_corrected")
        return {name: getattr(self, name) for name in names} | {"flags": list(self.flags)}

    @property
    def _is_empirical(self) -> bool:
        return self.ameans_corrected is not None

    def _summary(self) -> ResultSummary:
        meaning = CRITERIA.get(self.criterion, "a function of rates")
        title = f"Best threshold by {truncate(self.criterion, 40)}: {meaning}"
        names = ("threshold", "ameans", "tpr", "fpr", "tnr", "fnr")
        columns = {name: getattr(self, name) for name in names}
        if np.ndim(self.threshold):
            return batch_summary(title, np.shape(self.threshold), columns, flags=self.flags)
        rows: list[list[Any]] = [[name, value] for name, value in columns.items()]
        if self._oob_is_fast:
            rows.insert(2, ["ameans on other rows (out of bag)", self.ameans_corrected])
        if self.criterion not in AMEANS_ALIASES:
            rows.append(["value of the criterion", self.criterion_value])
        if self.plateau[0] != self.plateau[1]:
            rows.append(["as good are thresholds from", format_interval(*self.plateau)])
        return ResultSummary(title, rows, flags=self.flags)

    @property
    def _oob_is_fast(self) -> bool:
        """Whether there is an honest Ameans that a look need not wait for."""
        return self._uncertainty is not None and self._uncertainty.is_fast and self._is_empirical

    def __repr__(self) -> str:
        if np.ndim(self.threshold):
            return f"BestThreshold(shape={np.shape(self.threshold)}, criterion={self.criterion!r}, {self.flags})"
        flags = f", flags={list(self.flags)}" if self.flags else ""
        honest = f" ({self.ameans_corrected:.4g} out of bag)" if self._oob_is_fast else ""
        return (
            f"BestThreshold(threshold={self.threshold:.6g}, ameans={self.ameans:.6g}{honest}, tpr={self.tpr:.6g}, "
            f"fpr={self.fpr:.6g}, criterion={self.criterion!r}{flags})"
        )


def find_best_threshold(negative: Distribution, positive: Distribution, target: ThresholdCriterion) -> OptimalThreshold:
    """Find the best threshold of the rule "positive when x >= threshold" for a target."""
    engine = select_solver(negative, positive)
    if target.criterion in (*AMEANS_ALIASES, "cost", "accuracy"):
        even = target.criterion in AMEANS_ALIASES
        price = np.zeros(()) if even else log_cost_ratio(target.prevalence, target.cost_fp, target.cost_fn)
        found: OptimalThreshold = engine.best(negative, positive, price)
        return found
    if target.criterion in {"f1", "f_beta"}:
        return _best_f_beta(engine, negative, positive, target)
    if engine is steps:
        return _best_empirical(negative, positive, target)
    if target.value is not None:
        return _threshold_at_limit(engine, negative, positive, target)
    return _grid_search(engine, negative, positive, _utility(target))


def evaluate_criterion(target: ThresholdCriterion, rates: Rates) -> ArrayOrFloat:
    """Give what a criterion is at some rates."""
    if callable(target.criterion):  # which takes the rates of many thresholds: here of one
        tpr, fpr, tnr, fnr = (np.asarray(rate)[..., None] for rate in (rates.tpr, rates.fpr, rates.tnr, rates.fnr))
        return to_scalar(np.asarray(target.criterion(Rates(tpr, fpr, tnr, fnr, _on_grid(target.prevalence))))[..., 0])
    if target.criterion == "cost":
        share = np.asarray(target.prevalence)
        return to_scalar(share * target.cost_fn * rates.fnr + (1 - share) * target.cost_fp * rates.fpr)
    if target.criterion == "closest_topleft":
        return to_scalar(np.hypot(rates.fpr, rates.fnr))
    if target.criterion == "f_beta":
        return rates.f_beta(float(target.beta or 1.0))
    known = {"min_tpr": "tnr", "min_tnr": "tpr", "max_fpr": "tpr", "accuracy": "accuracy", "f1": "f1"}
    return getattr(rates, known.get(str(target.criterion), "ameans"))


def _on_grid(prevalence: ArrayOrFloat) -> ArrayOrFloat:
    """Give a prevalence for each feature with a last axis for many thresholds."""
    return np.asarray(prevalence)[..., None] if np.ndim(prevalence) else prevalence


def log_cost_ratio(prevalence: ArrayOrFloat, cost_fp: ArrayOrFloat, cost_fn: ArrayOrFloat) -> FloatArray:
    """Give log kappa: the price of a false positive over that of a false negative, per case of its class."""
    share = check_probabilities("prevalence", prevalence)
    fp, fn = check_nonnegative("cost_fp", cost_fp), check_nonnegative("cost_fn", cost_fn)
    if np.any((fp == 0) & (fn == 0)):
        raise RocPredictError("cost_fp and cost_fn are both 0; an error of one kind must cost something")
    if np.any(((share == 0) & (fn > 0) & (fp == 0)) | ((share == 1) & (fp > 0) & (fn == 0))):
        raise RocPredictError(
            f"prevalence={prevalence!r} leaves only errors that cost nothing; every threshold is best"
        )
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(1 - share) - np.log(share) + np.log(fp) - np.log(fn))


def _best_f_beta(
    engine: Any, negative: Distribution, positive: Distribution, target: ThresholdCriterion
) -> OptimalThreshold:
    """Climb to the highest F-beta: at its optimum the posterior is F/(1 + beta^2) (Dinkelbach's iteration)."""
    square = check_nonnegative("beta", 1.0 if target.beta is None else target.beta) ** 2
    share = check_probabilities("prevalence", target.prevalence, inclusive=False)
    odds = np.log1p(-share) - np.log(share)
    score = (1 + square) * share / (square * share + 1)  # of the rule "always positive"
    for _ in range(_MAX_ITER):
        level = score / (1 + square)
        found: OptimalThreshold = engine.best(negative, positive, np.log(level) - np.log1p(-level) + odds)
        better = (1 + square) * share * found.tpr / (square * share + share * found.tpr + (1 - share) * found.fpr)
        climbs = better > score * (1 + 1e-15)
        if not climbs.any():
            break
        score = np.where(climbs, better, score)  # who has arrived stays, whatever the neighbours do
    return found


def _best_empirical(negative: Distribution, positive: Distribution, target: ThresholdCriterion) -> OptimalThreshold:
    v = steps.operating_points(negative, positive)  # type: ignore[arg-type]
    utility = empirical_utility(target, Rates(v.tpr, v.fpr, v.tnr, v.fnr, target.prevalence))
    _check_defined(utility)
    return steps.best_operating_point(negative, positive, v, utility)  # type: ignore[arg-type]


def empirical_utility(target: ThresholdCriterion, rates: Rates) -> FloatArray:
    """Give what a criterion maximises at operating points: -inf where it is undefined or its limit is not met."""
    if target.value is not None:
        value = float(check_probabilities("value", target.value))
        allowed, wanted = {
            "min_tpr": (rates.tpr >= value, rates.tnr),
            "min_tnr": (rates.tnr >= value, rates.tpr),
            "max_fpr": (rates.fpr <= value, rates.tpr),
        }[str(target.criterion)]
        return np.where(allowed, wanted, -np.inf)
    if target.criterion in AMEANS_ALIASES:
        return np.asarray(rates.tpr - rates.fpr)
    if target.criterion in {"cost", "accuracy"}:
        price = log_cost_ratio(target.prevalence, target.cost_fp, target.cost_fn)
        dear, cheap = (rates.fnr, rates.fpr) if price <= 0 else (rates.fpr, rates.fnr)
        return np.asarray(-(dear + np.exp(-np.abs(price)) * cheap))
    if target.criterion in {"f1", "f_beta"}:
        f_beta = np.asarray(rates.f_beta(1.0 if target.beta is None else target.beta))
        return np.where(np.isnan(f_beta), -np.inf, f_beta)
    return _utility(target)(rates)


def _threshold_at_limit(
    engine: Any, negative: Distribution, positive: Distribution, target: ThresholdCriterion
) -> OptimalThreshold:
    value = check_probabilities("value", target.value)
    if target.criterion == "min_tpr":
        threshold = engine.threshold_at_tpr(negative, positive, value)
    elif target.criterion == "max_fpr":
        threshold = engine.threshold_at_fpr(negative, positive, value)
    else:
        threshold = np.asarray(negative.ppf(value))  # an atom counts as below from just above it on
        threshold = np.where(
            np.asarray(negative.cdf_strict(threshold)) < value, _next_above_atom(negative, threshold), threshold
        )
        threshold = np.where(value == 0, -np.inf, threshold)
    return _evaluate_threshold(engine, negative, positive, threshold)


def _next_above_atom(distribution: Distribution, x: FloatArray) -> FloatArray:
    """Give the float above an atom; where there is none, the place itself."""
    atom = np.asarray(distribution.cdf(x)) > distribution.cdf_strict(x)
    return np.where(atom, np.nextafter(x, np.inf), x)


def _utility(target: ThresholdCriterion) -> Callable[[Rates], FloatArray]:
    """Give a criterion as a function to maximise; what is undefined is worst."""
    if target.criterion == "closest_topleft":
        return lambda rates: -np.hypot(rates.fpr, rates.fnr)
    if callable(target.criterion):
        measure = target.criterion

        def utility(rates: Rates) -> FloatArray:
            found = measure(rates)
            try:
                values = np.asarray(found, dtype=np.float64)
            except (TypeError, ValueError):
                raise RocPredictError(f"criterion gave {short_repr(found)}; it must give numbers") from None
            if values.shape != np.shape(rates.tpr):
                raise RocPredictError(
                    f"criterion gave shape {values.shape} for rates of shape {np.shape(rates.tpr)}; "
                    "it must give one value for each threshold"
                )
            return np.asarray(np.where(np.isnan(values), -np.inf, values))

        share = _on_grid(target.prevalence)
        return lambda rates: utility(Rates(rates.tpr, rates.fpr, rates.tnr, rates.fnr, share))
    raise AssertionError(target.criterion)


def _grid_search(
    engine: Any, negative: Distribution, positive: Distribution, utility: Callable[[Rates], FloatArray]
) -> OptimalThreshold:
    """Search a grid over both classes, then ever finer ones around the best of it."""
    wide_negative, wide_positive = add_grid_axis(negative), add_grid_axis(positive)
    tail = 10.0 ** -np.arange(1, 17)
    shares = np.concatenate([np.linspace(0.01, 0.99, 197), tail])
    quantiles = [np.asarray(side(shares)) for d in (wide_negative, wide_positive) for side in (d.ppf, d.isf)]
    shape = np.broadcast_shapes(negative.shape, positive.shape)
    quantiles = [np.broadcast_to(q, shape + shares.shape) for q in quantiles]
    ends = np.broadcast_to(np.array([-np.inf, np.inf]), (*shape, 2))
    grid = np.sort(np.concatenate([*quantiles, ends], axis=-1), axis=-1)
    best = np.full(shape, -np.inf)
    threshold = np.zeros(shape)
    for reach in (8, *[1] * 14):  # quantiles of mirrored classes may differ in their last digit only
        values = utility(_rates_at(wide_negative, wide_positive, grid))
        if np.isneginf(best).all():
            _check_defined(values)
        index = np.argmax(values, axis=-1)[..., None]
        height = np.take_along_axis(values, index, axis=-1)[..., 0]
        here = np.take_along_axis(grid, index, axis=-1)[..., 0]
        threshold, best = np.where(height > best, here, threshold), np.maximum(height, best)
        left = np.take_along_axis(grid, np.maximum(index - reach, 0), axis=-1)
        inner = here[..., None]
        right = np.take_along_axis(grid, np.minimum(index + reach, grid.shape[-1] - 1), axis=-1)
        left, right = np.where(np.isfinite(left), left, inner), np.where(np.isfinite(right), right, inner)
        with np.errstate(invalid="ignore"):  # around an end there is nothing to refine
            grid = left + (right - left) * np.linspace(0, 1, 33)
        grid = np.where(np.isfinite(inner), grid, inner)
    return _evaluate_threshold(engine, negative, positive, threshold)


def _check_defined(utility: FloatArray) -> None:
    if np.isneginf(utility).all(axis=-1).any():
        raise RocPredictError("criterion is undefined (NaN) at every threshold; give one that some threshold meets")


def _rates_at(negative: Distribution, positive: Distribution, threshold: FloatArray) -> Rates:
    return Rates(
        np.asarray(positive.sf_inclusive(threshold)),
        np.asarray(negative.sf_inclusive(threshold)),
        np.asarray(negative.cdf_strict(threshold)),
        np.asarray(positive.cdf_strict(threshold)),
    )


def _evaluate_threshold(
    engine: Any, negative: Distribution, positive: Distribution, threshold: FloatArray
) -> OptimalThreshold:
    rates = _rates_at(negative, positive, threshold)
    flags = Flags(
        always_negative=threshold == np.inf,
        always_positive=threshold == -np.inf,
        perfect_separation=(np.asarray(rates.fpr) == 0) & (np.asarray(rates.fnr) == 0),
    )
    crossings = engine.crossings(negative, positive, np.zeros(()))
    return OptimalThreshold(
        threshold, rates.tpr, rates.fpr, rates.tnr, rates.fnr, threshold, threshold, crossings, flags
    )
