"""Threshold criteria and the best threshold."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.formatting import format_interval, format_list, truncate
from rocpredict.base.rates import RateFunction, Rates
from rocpredict.base.results import Flags, Interval, Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    Seed,
    Value,
    check_nonnegative,
    check_option,
    check_probabilities,
    short_repr,
    to_scalar,
)
from rocpredict.solvers.base import EVEN, Axis, OptimalThreshold, Solver, is_undominated, rates_at

CriterionName: TypeAlias = Literal[
    "ameans",
    "youden",
    "balanced_accuracy",
    "cost",
    "accuracy",
    "f1",
    "f_beta",
    "closest_topleft",
    "min_tpr",
    "min_tnr",
    "max_fpr",
]
CRITERIA: dict[str, str] = {
    "ameans": "highest Ameans (TPR + TNR)/2",
    "youden": "highest J = TPR + TNR - 1; the same threshold as ameans",
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
_MEASURES = {"min_tpr": "tnr", "min_tnr": "tpr", "max_fpr": "tpr", "balanced_accuracy": "ameans"}
"""The measure of ``Rates`` that a criterion maximises, where it has another name."""
CHANCE_AMEANS = 0.5
"""Ameans of a rule that does not depend on the feature."""
_OOB_WEIGHT = 0.9  # of the out-of-bag mean in the corrected Ameans; out-of-bag alone is too low by up to .02
_MAX_ITER = 100
_MAX_BETA = 1e100


@dataclass(frozen=True, kw_only=True)
class ThresholdCriterion:
    """Criterion of the best threshold; the fields are those of ``Roc.best_threshold``."""

    criterion: str | RateFunction = "ameans"
    prevalence: ArrayOrFloat = None
    cost_fp: ArrayOrFloat = 1.0
    cost_fn: ArrayOrFloat = 1.0
    beta: float | None = None
    value: ArrayOrFloat = None

    def __post_init__(self) -> None:
        if not callable(self.criterion):
            check_option("criterion", self.criterion, CRITERIA)
        for name, takers in (("value", ("min_tpr", "min_tnr", "max_fpr")), ("beta", ("f_beta",))):
            needed = self.criterion in takers
            if needed != (getattr(self, name) is not None):
                raise RocPredictError(f"criterion={self.criterion!r} {'needs' if needed else 'takes no'} {name}=")
        if self.beta is not None and np.ndim(self.beta):
            raise RocPredictError(f"beta={short_repr(self.beta)} is not one number; give one for all features")
        if self.beta is not None and not 0 < self.beta < _MAX_BETA:
            raise RocPredictError(f"beta={self.beta!r} is not above 0 and below {_MAX_BETA:g}")
        if self.criterion != "cost" and (np.any(self.cost_fp != 1.0) or np.any(self.cost_fn != 1.0)):
            raise RocPredictError(f"criterion={self.criterion!r} takes no costs; use criterion='cost'")
        if self.criterion in _PREVALENCE_CRITERIA and self.prevalence is None:
            raise RocPredictError(
                f"criterion={self.criterion!r} needs the share of positives; give prevalence= (0 to 1) or class counts"
            )

    @property
    def log_price(self) -> FloatArray | None:
        """The log price of a false positive, where the best threshold depends on it alone."""
        if self.criterion in AMEANS_ALIASES:
            return EVEN
        if self.criterion in {"cost", "accuracy"}:
            return log_cost_ratio(self.prevalence, self.cost_fp, self.cost_fn)
        return None


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdStability(Result):
    """Best thresholds of resampled data.

    Attributes
    ----------
    thresholds : array of shape (n_resamples,)
        The threshold that each resample chooses, ascending.
    quantiles : dict
        Quantiles of these: 0.05, 0.25, 0.5, 0.75, 0.95.
    fraction_in_plateau : float
        How many of these lie where the whole sample's best thresholds lie.
    ameans_in_sample : float
        The Ameans on the rows that chose the threshold: optimistic.
    ameans_oob : float
        The mean Ameans, over resamples, on the observations that did not choose it: a little pessimistic, since fewer
        distinct observations choose. 1/2 where a class has too few observations to leave any out.
    ameans_corrected : float
        0.9 ``ameans_oob`` + 0.1 ``ameans_in_sample``: nearly unbiased.
    n_resamples, n_failed : int
        Resamples, and those that left no row of a class out.
    """

    thresholds: FloatArray = field(metadata={"hidden": True})
    quantiles: dict[float, float]
    fraction_in_plateau: float
    ameans_in_sample: float
    ameans_oob: float
    n_resamples: int
    n_failed: int

    @property
    def ameans_corrected(self) -> float:
        """Ameans that such thresholds have in the population: 0.9 out of bag + 0.1 in the sample."""
        return correct_ameans(self.ameans_oob, self.ameans_in_sample)

    def table(self) -> Table:
        """Return the quantiles of the threshold, and the Ameans in the sample and beyond it."""
        rows: list[list[Any]] = [[f"threshold, {share:.0%} below", value] for share, value in self.quantiles.items()]
        names = (
            *("fraction_in_plateau", "ameans_in_sample", "ameans_oob", "ameans_corrected"),
            *("n_resamples", "n_failed"),
        )
        rows += [[name.replace("_", " "), getattr(self, name)] for name in names]
        return Table("Stability of a best threshold", ("quantity", "value"), rows)

    def _columns(self) -> dict[str, Any]:
        return {"threshold": self.thresholds}

    def __repr__(self) -> str:
        return (
            f"ThresholdStability(threshold 5 % to 95 %: {self.quantiles[0.05]:.6g} to {self.quantiles[0.95]:.6g}, "
            f"ameans_in_sample={self.ameans_in_sample:.4g}, ameans_oob={self.ameans_oob:.4g}, "
            f"n_resamples={self.n_resamples})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class BestThreshold(Result, Generic[Value]):
    """The best threshold for a criterion, and what it achieves.

    Attributes
    ----------
    threshold : float or array of shape F
        In the unit of the feature.
    tpr, fpr, tnr, fnr : float or array of shape F
        Rates of the rule at the threshold, on the curve.
    ameans : float or array of shape F
        (TPR + TNR)/2. For family "auto" and criterion "ameans" that on new data: less than on the curve, since the
        threshold was chosen on these data.
    criterion : str
        What was looked for.
    criterion_value : float or array of shape F
        Value of the criterion there: the Ameans, for "youden" Youden's J = TPR + TNR - 1, the expected cost of errors
        per observation, the accuracy, F-beta, the distance to (0, 1), the rate that was maximized, or the value of
        the function.
    crossings : array of shape (k,), or F + (2,) for a batch
        Thresholds where the (weighted) densities cross, ascending; in a batch NaN beyond ``crossing_count``.
    crossing_count : int or array of shape F
    plateau : pair of float or of arrays of shape F
        All thresholds in (low, high] do as well ([low, high) with direction "lower"). For a smooth optimum both
        are the threshold.
    equal_thresholds : array of shape (k,), or F + (k,) for a batch
        Thresholds beyond the plateau that do as well, ascending: one of each further interval, empty where the best
        one is unique; in a batch NaN beyond their number. The flag ``equal_thresholds`` marks them.
    flags : Flags
        Stated outcomes of degenerate inputs.
    _uncertainty : object
        Who knows how far off the threshold and its Ameans may be; asked by the methods here.
    """

    threshold: Value
    tpr: Value
    fpr: Value
    tnr: Value
    fnr: Value
    criterion: str
    criterion_value: Value
    crossings: FloatArray
    plateau: tuple[Value, Value]
    equal_thresholds: FloatArray
    flags: Flags
    _uncertainty: Any = field(default=None, compare=False)
    _expected_ameans: Any = None
    _tabled = ("threshold", "ameans", "tpr", "fpr", "tnr", "fnr")
    _heading = "Best threshold by {_criterion_text}"

    @property
    def ameans(self) -> Value:
        """Return (TPR + TNR)/2; for family "auto" the Ameans that is expected on new data."""
        if self._expected_ameans is not None:
            return to_scalar(self._expected_ameans)
        return to_scalar(np.asarray(self.tpr) / 2 + np.asarray(self.tnr) / 2)

    @property
    def crossing_count(self) -> int | NDArray[np.int_]:
        """Return how many crossings there are."""
        return to_scalar(np.sum(~np.isnan(self.crossings), axis=-1))

    @property
    def ameans_corrected(self) -> float | None:
        """Ameans of the chosen threshold in the population, corrected for optimism; None for a predicted threshold.

        The Ameans on the observations that chose the threshold is optimistic. This is 0.9 times its out-of-bag mean,
        over 1000 seeded resamples, plus 0.1 times its value in the sample. From 2,000 observations on there are
        fewer resamples, 20 from 100,000 on.
        """
        return None if self._uncertainty is None else self._uncertainty.ameans_corrected

    def threshold_interval(
        self,
        level: float = 0.95,
        *,
        method: Literal["test-inversion", "bootstrap", "pivotal", "delta"] | None = None,
        n_resamples: int = 2000,
        rng: Seed = 0,
    ) -> Interval[Value]:
        """Return the confidence interval of the threshold.

        Parameters
        ----------
        level : float
        method : str, optional
            Samples: "test-inversion" (default for the criteria "ameans", "cost" and "accuracy"), the thresholds that
            no local test finds worse than the best one; "bootstrap" (the only one for other criteria), quantiles of
            the thresholds that resamples choose. Two Gaussians with counts: "pivotal" (default from 10 observations of
            each class on, for one feature and a weighted criterion), "delta"; a fitted prediction also
            "bootstrap".
        n_resamples, rng
            Of the bootstrap.

        Returns
        -------
        Interval
            Infinite where the data leave the threshold open.

        Notes
        -----
        The bootstrap of an empirical threshold has the flag ``undercoverage``: the best threshold of a sample moves as
        the cube root of n, where the bootstrap is not consistent. Formulas and simulations: docs/intervals.md.
        """
        return self._uncertainty.threshold_interval(level, method, n_resamples, rng)

    def ameans_interval(
        self,
        level: float = 0.95,
        *,
        method: Literal["optimism-corrected", "pivotal", "delta", "bootstrap"] | None = None,
        n_resamples: int = 2000,
        rng: Seed = 0,
    ) -> Interval[Value]:
        """Return the confidence interval of the Ameans that the threshold has in the population.

        Parameters
        ----------
        method : str, optional
            Samples: "optimism-corrected", Wilson's intervals of both rates, each less its own optimism of being
            measured on the observations that chose the threshold. Two Gaussians with counts: "pivotal" (default for
            one feature and a weighted criterion), "delta"; a fitted prediction also "bootstrap".
        n_resamples, rng
            Of the resamples that measure the optimism.
        """
        return self._uncertainty.ameans_interval(level, method, n_resamples, rng)

    def stability(self, *, n_resamples: int = 2000, rng: Seed = 0) -> ThresholdStability:
        """Return how firmly the observations determine this threshold; for samples."""
        return self._uncertainty.stability(n_resamples, rng)

    @property
    def _is_empirical(self) -> bool:
        return self.ameans_corrected is not None

    def table(self) -> Table:
        """Return the threshold and the rates there."""
        summary = super().table()
        if np.ndim(self.threshold):
            return summary
        rows = list(summary.rows)
        if self._oob_is_fast:
            rows.insert(2, ["ameans, corrected for optimism", self.ameans_corrected])
        if self.criterion not in AMEANS_ALIASES:
            rows.append(["value of the criterion", self.criterion_value])
        if self.plateau[0] != self.plateau[1]:
            rows.append(["as good are thresholds from", format_interval(*self.plateau)])
        if self.equal_thresholds.size:
            rows.append(["as good are thresholds about", format_list(f"{t:.6g}" for t in self.equal_thresholds)])
        return replace(summary, rows=rows)

    @property
    def _criterion_text(self) -> str:
        return f"{truncate(self.criterion, 40)}: {CRITERIA.get(self.criterion, 'a function of rates')}"

    def _names(self) -> tuple[str, ...]:
        corrected = ("ameans_corrected",) if self._is_empirical else ()
        return (
            *("criterion", "criterion_value", "threshold", "ameans", *corrected, "tpr", "fpr", "tnr", "fnr"),
            *("crossings", "plateau", "equal_thresholds", "flags"),
        )

    @property
    def _oob_is_fast(self) -> bool:
        """True if there is an honest Ameans that a look need not wait for."""
        return self._uncertainty is not None and self._uncertainty.is_fast and self._is_empirical

    def __repr__(self) -> str:
        if np.ndim(self.threshold):
            return f"BestThreshold(shape={np.shape(self.threshold)}, criterion={self.criterion!r}, {self.flags})"
        flags = f", flags={list(self.flags)}" if self.flags else ""
        corrected = f" ({self.ameans_corrected:.4g} corrected)" if self._oob_is_fast else ""
        return (
            f"BestThreshold(threshold={self.threshold:.6g}, ameans={self.ameans:.6g}{corrected}, tpr={self.tpr:.6g}, "
            f"fpr={self.fpr:.6g}, criterion={self.criterion!r}{flags})"
        )


def correct_ameans(out_of_bag: float, in_sample: float) -> float:
    """Return the optimism-corrected Ameans of a chosen threshold."""
    return _OOB_WEIGHT * out_of_bag + (1 - _OOB_WEIGHT) * in_sample


def find_best_threshold(solver: Solver, target: ThresholdCriterion) -> OptimalThreshold:
    """Return the best threshold of the rule "positive when x >= threshold" for a criterion."""
    if target.criterion in AMEANS_ALIASES:
        return solver.optimal_ameans()
    if (log_price := target.log_price) is not None:
        return solver.optimal(log_price)
    if target.criterion in {"f1", "f_beta"}:
        return _best_f_beta(solver, target)
    if target.value is not None and not solver.is_discrete:
        return _threshold_at_limit(solver, target)
    return solver.maximize(partial(utility, target))


def evaluate_criterion(target: ThresholdCriterion, rates: Rates[Any]) -> ArrayOrFloat:
    """Return what a criterion is at some rates."""
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
    return getattr(rates, _MEASURES.get(str(target.criterion), str(target.criterion)))


def _on_grid(prevalence: ArrayOrFloat) -> ArrayOrFloat:
    """Return a prevalence for each feature with a last axis for many thresholds."""
    return np.asarray(prevalence)[..., None] if np.ndim(prevalence) else prevalence


def log_cost_ratio(prevalence: ArrayOrFloat, cost_fp: ArrayOrFloat, cost_fn: ArrayOrFloat) -> FloatArray:
    """Return log kappa: the price of a false positive over that of a false negative, per case of its class."""
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


def _best_f_beta(solver: Solver, target: ThresholdCriterion) -> OptimalThreshold:
    """Return the threshold with the highest F-beta: there the posterior is F/(1 + beta^2) (Dinkelbach's iteration)."""
    square = check_nonnegative("beta", 1.0 if target.beta is None else target.beta) ** 2
    share = check_probabilities("prevalence", target.prevalence, inclusive=False)
    odds = np.log1p(-share) - np.log(share)
    score = (1 + square) * share / (square * share + 1)  # of the rule "always positive"
    for _ in range(_MAX_ITER):
        level = score / (1 + square)
        optimum = solver.optimal(np.log(level) - np.log1p(-level) + odds)
        better = (1 + square) * share * optimum.tpr / (square * share + share * optimum.tpr + (1 - share) * optimum.fpr)
        climbs = better > score * (1 + 1e-15)
        if not climbs.any():
            break
        score = np.where(climbs, better, score)  # who has arrived stays, whatever the neighbours do
    return optimum


def utility(target: ThresholdCriterion, rates: Rates[Any]) -> FloatArray:
    """Return what a criterion maximises at some rates: -inf where it is undefined or its limit is not met."""
    if target.value is not None:  # along the last axis both rates rise; a dominated point meets the limit as well
        value = float(check_probabilities("value", target.value))
        allowed, objective = {
            "min_tpr": (rates.tpr >= value, rates.tnr),
            "min_tnr": (rates.tnr >= value, rates.tpr),
            "max_fpr": (rates.fpr <= value, rates.tpr),
        }[str(target.criterion)]
        return np.where(allowed & is_undominated(rates.tpr, rates.fpr), objective, -np.inf)
    if target.criterion in AMEANS_ALIASES:
        return np.asarray(rates.tpr - rates.fpr)
    if target.criterion == "closest_topleft":
        return np.asarray(-np.hypot(rates.fpr, rates.fnr))
    if (price := target.log_price) is not None:
        dear, cheap = (rates.fnr, rates.fpr) if price <= 0 else (rates.fpr, rates.fnr)
        return np.asarray(-(dear + np.exp(-np.abs(price)) * cheap))
    if callable(target.criterion):
        values = _evaluate_function(target.criterion, replace(rates, prevalence=_on_grid(target.prevalence)))
    else:
        values = np.asarray(evaluate_criterion(target, replace(rates, prevalence=target.prevalence)))
    return np.where(np.isnan(values), -np.inf, values)


def _evaluate_function(criterion: RateFunction, rates: Rates[Any]) -> FloatArray:
    result = criterion(rates)
    try:
        values = np.asarray(result, dtype=np.float64)
    except (TypeError, ValueError):
        raise RocPredictError(f"criterion gave {short_repr(result)}; it must give numbers") from None
    if values.shape != np.shape(rates.tpr):
        raise RocPredictError(
            f"criterion gave shape {values.shape} for rates of shape {np.shape(rates.tpr)}; "
            "it must give one value for each threshold"
        )
    return values


def _threshold_at_limit(solver: Solver, target: ThresholdCriterion) -> OptimalThreshold:
    value = check_probabilities("value", target.value)
    if target.criterion == "min_tnr":
        d = solver.negative
        threshold = np.asarray(d.ppf(value))  # an atom counts as below from just above it on
        above = np.where(
            np.asarray(d.cdf(threshold)) > d.cdf_strict(threshold), np.nextafter(threshold, np.inf), threshold
        )
        threshold = np.where(np.asarray(d.cdf_strict(threshold)) < value, above, threshold)
        threshold = np.where(value == 0, -np.inf, threshold)
    else:
        threshold = solver.threshold_at("tpr" if target.criterion == "min_tpr" else "fpr", value)
    threshold = _cross_gap(solver, threshold, axis="fpr" if target.criterion == "min_tpr" else "tpr")
    return solver.at_threshold(threshold, solver.crossings(EVEN))


def _cross_gap(solver: Solver, threshold: FloatArray, *, axis: Axis) -> FloatArray:
    """Return the threshold with the same rate along an axis and the best other rate: beyond a gap of that class."""
    if solver.takes_batches:
        return threshold
    d = solver.negative if axis == "fpr" else solver.positive
    far = solver.threshold_at(axis, np.asarray(d.sf_inclusive(threshold)))
    first, last = np.minimum(threshold, far), np.maximum(threshold, far)
    inner = np.where(np.isfinite(first + last), first / 2 + last / 2, np.where(np.isfinite(last), last - 1, first + 1))
    gap = np.isneginf(d.logpdf(inner)) & (d.sf_inclusive(first) == d.sf_inclusive(last))
    gap &= d.cdf_strict(first) == d.cdf_strict(last)
    before, beyond = (rates_at(solver.negative, solver.positive, t) for t in (threshold, far))
    better = (beyond.tpr > before.tpr) | (beyond.fpr < before.fpr)
    return np.where(gap & better & (far < threshold if axis == "fpr" else far > threshold), far, threshold)
