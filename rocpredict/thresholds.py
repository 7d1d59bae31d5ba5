"""Criteria, and the best threshold for one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocpredict import steps
from rocpredict.answers import Optimum
from rocpredict.arguments import FloatArray, Values, as_fractions, as_not_negative, one_of, plain, shown
from rocpredict.distributions import Distribution, with_grid_axis
from rocpredict.engines import engine_for
from rocpredict.errors import RocPredictError
from rocpredict.flags import Flags
from rocpredict.interval import Interval
from rocpredict.measures import Measure, Rates
from rocpredict.rich_results import Rich, Shown, between, clipped, of_batch

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

AMEANS = ("ameans", "youden", "balanced_accuracy")
"""The names of the default criterion."""
UNWEIGHTED = (*AMEANS, "closest_topleft", "min_tpr", "min_tnr", "max_fpr")
"""Criteria that no prevalence changes."""
_WEIGHTED = ("cost", "accuracy", "f1", "f_beta")
_ROUNDS = 100
_LARGEST_BETA = 1e100


@dataclass(frozen=True, kw_only=True)
class Target:
    """Say what the best threshold is best for; the fields are those of ``Roc.best_threshold``."""

    criterion: str | Measure = "ameans"
    prevalence: Values = None
    cost_fp: Values = 1.0
    cost_fn: Values = 1.0
    beta: float | None = None
    value: Values = None

    def __post_init__(self) -> None:
        if not callable(self.criterion):
            one_of("criterion", self.criterion, CRITERIA)
        needs_value = self.criterion in ("min_tpr", "min_tnr", "max_fpr")
        if needs_value != (self.value is not None):
            verb = "needs" if needs_value else "takes no"
            raise RocPredictError(f"criterion={self.criterion!r} {verb} value=")
        if (self.criterion == "f_beta") != (self.beta is not None):
            verb = "needs" if self.criterion == "f_beta" else "takes no"
            raise RocPredictError(f"criterion={self.criterion!r} {verb} beta=")
        if self.beta is not None and not 0 < self.beta < _LARGEST_BETA:
            raise RocPredictError(f"beta={self.beta!r} is not above 0 and below {_LARGEST_BETA:g}")
        if self.criterion != "cost" and (np.any(self.cost_fp != 1.0) or np.any(self.cost_fn != 1.0)):
            raise RocPredictError(f"criterion={self.criterion!r} takes no costs; use criterion='cost'")
        if self.criterion in _WEIGHTED and self.prevalence is None:
            raise RocPredictError(
                f"criterion={self.criterion!r} needs the share of positives; give prevalence= (0 to 1) or class counts"
            )


@dataclass(frozen=True, eq=False, repr=False)
class BestThreshold(Rich):
    """Hold the best threshold for a criterion, and what it achieves.

    Attributes
    ----------
    threshold : float or array of shape F
        In the unit of the feature.
    tpr, fpr, tnr, fnr, ameans : float or array of shape F
        Rates of the rule at the threshold.
    criterion : str
        What was looked for.
    value : float or array of shape F
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
    uncertainty : object
        Who knows how far off the threshold and its Ameans may be; asked by the methods here.
    """

    threshold: Values
    tpr: Values
    fpr: Values
    tnr: Values
    fnr: Values
    criterion: str
    value: Values
    crossings: FloatArray
    plateau: tuple[Values, Values]
    flags: Flags
    uncertainty: Any = None

    @property
    def ameans(self) -> Values:
        """Give (TPR + TNR)/2."""
        return plain(np.asarray(self.tpr) / 2 + np.asarray(self.tnr) / 2)

    @property
    def crossing_count(self) -> Values:
        """Give how many crossings there are."""
        return plain(np.sum(~np.isnan(self.crossings), axis=-1))

    @property
    def ameans_honest(self) -> float | None:
        """The mean Ameans of such thresholds on rows that did not choose them; None for a predicted threshold.

        A threshold that was chosen by counting does best on the rows that chose it: its Ameans there is
        optimistic. This is the out-of-bag mean over 1000 seeded resamples: fewer from 2,000 rows on, 20 from
        100,000 on.
        """
        return None if self.uncertainty is None else self.uncertainty.honest

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
        return self.uncertainty.threshold_interval(level, method, n_resamples, rng)  # type: ignore[no-any-return]

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
        return self.uncertainty.ameans_interval(level, method, n_resamples, rng)  # type: ignore[no-any-return]

    def stability(self, *, n_resamples: int = 2000, rng: Any = 0) -> Any:
        """Tell how firmly the rows choose this threshold: a ``Stability``; for samples."""
        return self.uncertainty.stability(n_resamples, rng)

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers by name."""
        names = ["criterion", "value", "threshold", "ameans", "tpr", "fpr", "tnr", "fnr", "crossings", "plateau"]
        if self._chosen_by_counting:
            names.insert(4, "ameans_honest")
        return {name: getattr(self, name) for name in names} | {"flags": list(self.flags)}

    @property
    def _chosen_by_counting(self) -> bool:
        return self.ameans_honest is not None

    def _shown(self) -> Shown:
        meaning = CRITERIA.get(self.criterion, "a function of rates")
        title = f"Best threshold by {clipped(self.criterion, 40)}: {meaning}"
        names = ("threshold", "ameans", "tpr", "fpr", "tnr", "fnr")
        columns = {name: getattr(self, name) for name in names}
        if np.ndim(self.threshold):
            return of_batch(title, np.shape(self.threshold), columns, flags=self.flags)
        rows: list[list[Any]] = [[name, value] for name, value in columns.items()]
        if self._honest_soon:
            rows.insert(2, ["ameans on other rows (out of bag)", self.ameans_honest])
        if self.criterion not in AMEANS:
            rows.append(["value of the criterion", self.value])
        if self.plateau[0] != self.plateau[1]:
            rows.append(["as good are thresholds from", between(*self.plateau)])
        return Shown(title, rows, flags=self.flags)

    @property
    def _honest_soon(self) -> bool:
        """Whether there is an honest Ameans that a look need not wait for."""
        return self.uncertainty is not None and self.uncertainty.soon and self._chosen_by_counting

    def __repr__(self) -> str:
        if np.ndim(self.threshold):
            return f"BestThreshold(shape={np.shape(self.threshold)}, criterion={self.criterion!r}, {self.flags})"
        flags = f", flags={list(self.flags)}" if self.flags else ""
        honest = f" ({self.ameans_honest:.4g} out of bag)" if self._honest_soon else ""
        return (
            f"BestThreshold(threshold={self.threshold:.6g}, ameans={self.ameans:.6g}{honest}, tpr={self.tpr:.6g}, "
            f"fpr={self.fpr:.6g}, criterion={self.criterion!r}{flags})"
        )


def find_best(negative: Distribution, positive: Distribution, target: Target) -> Optimum:
    """Find the best threshold of the rule "positive when x >= threshold" for a target."""
    engine = engine_for(negative, positive)
    if target.criterion in (*AMEANS, "cost", "accuracy"):
        even = target.criterion in AMEANS
        price = np.zeros(()) if even else log_price(target.prevalence, target.cost_fp, target.cost_fn)
        found: Optimum = engine.best(negative, positive, price)
        return found
    if target.criterion in {"f1", "f_beta"}:
        return _best_f_beta(engine, negative, positive, target)
    if engine is steps:
        return _best_counted(negative, positive, target)
    if target.value is not None:
        return _at_limit(engine, negative, positive, target)
    return _best_searched(engine, negative, positive, _utility(target))


def value_of(target: Target, rates: Rates) -> Values:
    """Give what a criterion is at some rates."""
    if callable(target.criterion):  # which takes the rates of many thresholds: here of one
        tpr, fpr, tnr, fnr = (np.asarray(rate)[..., None] for rate in (rates.tpr, rates.fpr, rates.tnr, rates.fnr))
        return plain(np.asarray(target.criterion(Rates(tpr, fpr, tnr, fnr, _on_grid(target.prevalence))))[..., 0])
    if target.criterion == "cost":
        share = np.asarray(target.prevalence)
        return plain(share * target.cost_fn * rates.fnr + (1 - share) * target.cost_fp * rates.fpr)
    if target.criterion == "closest_topleft":
        return plain(np.hypot(rates.fpr, rates.fnr))
    if target.criterion == "f_beta":
        return rates.f_beta(float(target.beta or 1.0))
    known = {"min_tpr": "tnr", "min_tnr": "tpr", "max_fpr": "tpr", "accuracy": "accuracy", "f1": "f1"}
    return getattr(rates, known.get(str(target.criterion), "ameans"))


def _on_grid(prevalence: Values) -> Values:
    """Give a prevalence for each feature with a last axis for many thresholds."""
    return np.asarray(prevalence)[..., None] if np.ndim(prevalence) else prevalence


def log_price(prevalence: Values, cost_fp: Values, cost_fn: Values) -> FloatArray:
    """Give log kappa: the price of a false positive over that of a false negative, per case of its class."""
    share = as_fractions("prevalence", prevalence)
    fp, fn = as_not_negative("cost_fp", cost_fp), as_not_negative("cost_fn", cost_fn)
    if np.any((fp == 0) & (fn == 0)):
        raise RocPredictError("cost_fp and cost_fn are both 0; an error of one kind must cost something")
    if np.any(((share == 0) & (fn > 0) & (fp == 0)) | ((share == 1) & (fp > 0) & (fn == 0))):
        raise RocPredictError(
            f"prevalence={prevalence!r} leaves only errors that cost nothing; every threshold is best"
        )
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(1 - share) - np.log(share) + np.log(fp) - np.log(fn))


def _best_f_beta(engine: Any, negative: Distribution, positive: Distribution, target: Target) -> Optimum:
    """Climb to the highest F-beta: at its optimum the posterior is F/(1 + beta^2) (Dinkelbach's iteration)."""
    square = as_not_negative("beta", 1.0 if target.beta is None else target.beta) ** 2
    share = as_fractions("prevalence", target.prevalence, ends=False)
    odds = np.log1p(-share) - np.log(share)
    score = (1 + square) * share / (square * share + 1)  # of the rule "always positive"
    for _ in range(_ROUNDS):
        level = score / (1 + square)
        found: Optimum = engine.best(negative, positive, np.log(level) - np.log1p(-level) + odds)
        better = (1 + square) * share * found.tpr / (square * share + share * found.tpr + (1 - share) * found.fpr)
        climbs = better > score * (1 + 1e-15)
        if not climbs.any():
            break
        score = np.where(climbs, better, score)  # who has arrived stays, whatever the neighbours do
    return found


def _best_counted(negative: Distribution, positive: Distribution, target: Target) -> Optimum:
    v = steps.vertices(negative, positive)  # type: ignore[arg-type]
    utility = counted_utility(target, Rates(v.tpr, v.fpr, v.tnr, v.fnr, target.prevalence))
    _refuse_undefined(utility)
    return steps.best_vertex(negative, positive, v, utility)  # type: ignore[arg-type]


def counted_utility(target: Target, rates: Rates) -> FloatArray:
    """Give what a criterion maximises at operating points: -inf where it is undefined or its limit is not met."""
    if target.value is not None:
        value = float(as_fractions("value", target.value))
        allowed, wanted = {
            "min_tpr": (rates.tpr >= value, rates.tnr),
            "min_tnr": (rates.tnr >= value, rates.tpr),
            "max_fpr": (rates.fpr <= value, rates.tpr),
        }[str(target.criterion)]
        return np.where(allowed, wanted, -np.inf)
    if target.criterion in AMEANS:
        return np.asarray(rates.tpr - rates.fpr)
    if target.criterion in {"cost", "accuracy"}:
        price = log_price(target.prevalence, target.cost_fp, target.cost_fn)
        dear, cheap = (rates.fnr, rates.fpr) if price <= 0 else (rates.fpr, rates.fnr)
        return np.asarray(-(dear + np.exp(-np.abs(price)) * cheap))
    if target.criterion in {"f1", "f_beta"}:
        f_beta = np.asarray(rates.f_beta(1.0 if target.beta is None else target.beta))
        return np.where(np.isnan(f_beta), -np.inf, f_beta)
    return _utility(target)(rates)


def _at_limit(engine: Any, negative: Distribution, positive: Distribution, target: Target) -> Optimum:
    value = as_fractions("value", target.value)
    if target.criterion == "min_tpr":
        threshold = engine.threshold_at_tpr(negative, positive, value)
    elif target.criterion == "max_fpr":
        threshold = engine.threshold_at_fpr(negative, positive, value)
    else:
        threshold = np.asarray(negative.ppf(value))  # an atom counts as below from just above it on
        threshold = np.where(np.asarray(negative.below(threshold)) < value, _above_atom(negative, threshold), threshold)
        threshold = np.where(value == 0, -np.inf, threshold)
    return _optimum_at(engine, negative, positive, threshold)


def _above_atom(distribution: Distribution, x: FloatArray) -> FloatArray:
    """Give the float above an atom; where there is none, the place itself."""
    atom = np.asarray(distribution.cdf(x)) > distribution.below(x)
    return np.where(atom, np.nextafter(x, np.inf), x)


def _utility(target: Target) -> Callable[[Rates], FloatArray]:
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
                raise RocPredictError(f"criterion gave {shown(found)}; it must give numbers") from None
            if values.shape != np.shape(rates.tpr):
                raise RocPredictError(
                    f"criterion gave shape {values.shape} for rates of shape {np.shape(rates.tpr)}; "
                    "it must give one value for each threshold"
                )
            return np.asarray(np.where(np.isnan(values), -np.inf, values))

        share = _on_grid(target.prevalence)
        return lambda rates: utility(Rates(rates.tpr, rates.fpr, rates.tnr, rates.fnr, share))
    raise AssertionError(target.criterion)


def _best_searched(
    engine: Any, negative: Distribution, positive: Distribution, utility: Callable[[Rates], FloatArray]
) -> Optimum:
    """Search a grid over both classes, then ever finer ones around the best of it."""
    wide_negative, wide_positive = with_grid_axis(negative), with_grid_axis(positive)
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
            _refuse_undefined(values)
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
    return _optimum_at(engine, negative, positive, threshold)


def _refuse_undefined(utility: FloatArray) -> None:
    if np.isneginf(utility).all(axis=-1).any():
        raise RocPredictError("criterion is undefined (NaN) at every threshold; give one that some threshold meets")


def _rates_at(negative: Distribution, positive: Distribution, threshold: FloatArray) -> Rates:
    return Rates(
        np.asarray(positive.at_or_above(threshold)),
        np.asarray(negative.at_or_above(threshold)),
        np.asarray(negative.below(threshold)),
        np.asarray(positive.below(threshold)),
    )


def _optimum_at(engine: Any, negative: Distribution, positive: Distribution, threshold: FloatArray) -> Optimum:
    rates = _rates_at(negative, positive, threshold)
    flags = Flags(
        always_negative=threshold == np.inf,
        always_positive=threshold == -np.inf,
        perfect_separation=(np.asarray(rates.fpr) == 0) & (np.asarray(rates.fnr) == 0),
    )
    crossings = engine.crossings(negative, positive, np.zeros(()))
    return Optimum(threshold, rates.tpr, rates.fpr, rates.tnr, rates.fnr, threshold, threshold, crossings, flags)
