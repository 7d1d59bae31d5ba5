"""Criteria for thresholds, and the best threshold according to a criterion."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.formatting import format_interval, format_list, format_number, truncate
from rocpredict.base.rates import RateFunction, Rates
from rocpredict.base.results import Flags, Interval, Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    Seed,
    Value,
    broadcast_arrays,
    check_nonnegative,
    check_option,
    check_probabilities,
    first_line,
    short_repr,
    to_scalar,
)
from rocpredict.solvers.base import EVEN, Axis, OptimalThreshold, Solver, is_undominated, rates_at

CriterionName: TypeAlias = (
    Literal["ameans", "youden", "balanced_accuracy", "closest_topleft", "min_tpr", "min_tnr", "max_fpr"]
    | Literal["cost", "accuracy", "f1", "f_beta"]  # these depend on the prevalence
)
CRITERIA: dict[str, str] = {
    "ameans": "highest Ameans (TPR + TNR)/2",
    "youden": "highest Youden index J = TPR + TNR - 1; same threshold as ameans",
    "balanced_accuracy": "highest balanced accuracy (TPR + TNR)/2; same as ameans",
    "cost": "lowest expected cost of errors; uses prevalence, cost_fp, cost_fn",
    "accuracy": "highest accuracy; uses prevalence",
    "f1": "highest F1 score; uses prevalence",
    "f_beta": "highest F-beta score; uses prevalence, beta",
    "closest_topleft": "smallest distance of the ROC point from (0, 1)",
    "min_tpr": "highest TNR subject to TPR >= value",
    "min_tnr": "highest TPR subject to TNR >= value",
    "max_fpr": "highest TPR subject to FPR <= value",
}
"""Description of every named criterion."""
AMEANS_ALIASES = ("ameans", "youden", "balanced_accuracy")
"""Names that the default criterion can have."""
PREVALENCE_FREE_CRITERIA = (*AMEANS_ALIASES, "closest_topleft", "min_tpr", "min_tnr", "max_fpr")
"""Criteria that do not depend on the prevalence."""
_PREVALENCE_CRITERIA = ("cost", "accuracy", "f1", "f_beta")
_MEASURES = {"min_tpr": "tnr", "min_tnr": "tpr", "max_fpr": "tpr", "balanced_accuracy": "ameans"}
"""Measure of ``Rates`` that a criterion maximizes, if the measure and the criterion have different names."""
CHANCE_AMEANS = 0.5
"""Ameans of a rule that does not depend on the feature."""
_OOB_WEIGHT = 0.9  # weight of the out-of-bag mean in the corrected Ameans; alone, this mean is too low by up to 0.02
_MAX_ITER = 100
_MAX_BETA = 1e100


@dataclass(frozen=True, kw_only=True)
class ThresholdCriterion:
    """Criterion that the best threshold optimizes; the fields are the arguments of ``Roc.best_threshold``."""

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
                allowed = "in [0, 1]" if name == "value" else "above 0"
                problem = f"needs {name}=; pass a number {allowed}" if needed else f"does not accept {name}=; omit it"
                raise RocPredictError(f"criterion={self.criterion!r} {problem}")
        if self.beta is not None and np.ndim(self.beta):
            raise RocPredictError(
                f"beta={short_repr(self.beta)} is not a single number; pass one number, which applies to all features"
            )
        if self.beta is not None and not 0 < self.beta < _MAX_BETA:
            raise RocPredictError(f"beta={self.beta!r} is not allowed; it must be above 0 and below {_MAX_BETA:g}")
        if self.criterion != "cost" and (np.any(self.cost_fp != 1.0) or np.any(self.cost_fn != 1.0)):
            raise RocPredictError(f"criterion={self.criterion!r} does not accept costs; use criterion='cost'")
        if self.criterion in _PREVALENCE_CRITERIA and self.prevalence is None:
            raise RocPredictError(
                f"criterion={self.criterion!r} needs the proportion of positives; pass a prevalence in [0, 1], such as "
                "prevalence=0.1, or class counts"
            )

    @property
    def log_price(self) -> FloatArray | None:
        """Log likelihood ratio at the best threshold; None if this ratio depends on the curve."""
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
        Best thresholds of the resamples, in ascending order.
    quantiles : dict
        Quantiles of ``thresholds`` at 0.05, 0.25, 0.5, 0.75 and 0.95.
    fraction_in_plateau : float
        Proportion of ``thresholds`` in the plateau. The plateau is the interval of thresholds that are as good as the
        best threshold of the whole sample.
    ameans_in_sample : float
        Ameans (balanced accuracy) of the best threshold on the data from which it was chosen; this value is optimistic.
    ameans_oob : float
        Out-of-bag Ameans: the best threshold of each resample is applied to the observations that are not in this
        resample, and the resulting Ameans is averaged over the resamples. This mean is slightly pessimistic, because a
        resample contains fewer distinct observations than the sample. The value is 1/2 if every resample contains all
        observations of at least one class.
    ameans_corrected : float
        Optimism-corrected Ameans, which is nearly unbiased: 0.9 * ``ameans_oob`` + 0.1 * ``ameans_in_sample``.
    n_resamples : int
        Number of resamples.
    n_failed : int
        Number of resamples that have no out-of-bag Ameans because they contain all observations of a class.
    """

    thresholds: FloatArray = field(metadata={"hidden": True})
    quantiles: dict[float, float]
    fraction_in_plateau: float
    ameans_in_sample: float
    ameans_oob: float
    n_resamples: int
    n_failed: int
    _tabled = (
        *("fraction_in_plateau", "ameans_in_sample", "ameans_oob", "ameans_corrected"),
        *("n_resamples", "n_failed"),
    )
    _heading = "Stability of the best threshold"

    @property
    def ameans_corrected(self) -> float:
        """Ameans expected on new data for a threshold that is selected by the same criterion as ``thresholds``."""
        return correct_ameans(self.ameans_oob, self.ameans_in_sample)

    def table(self) -> Table:
        """Return a table with the quantiles of the threshold, the in-sample Ameans and the out-of-bag Ameans."""
        summary, quantiles = super().table(), self.quantiles.items()
        rows = [[f"{level:.0%} quantile of threshold", value] for level, value in quantiles]
        return replace(summary, rows=[*rows, *summary.rows])

    def _columns(self) -> dict[str, Any]:
        return {"threshold": self.thresholds}

    def __repr__(self) -> str:
        return (
            f"ThresholdStability(threshold 5% to 95%: {self.quantiles[0.05]:.6g} to {self.quantiles[0.95]:.6g}, "
            f"ameans_in_sample={format_number(self.ameans_in_sample, 4)}, "
            f"ameans_oob={format_number(self.ameans_oob, 4)}, "
            f"n_resamples={self.n_resamples})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class BestThreshold(Result, Generic[Value]):
    """Best threshold according to a criterion, and the rates at this threshold.

    Attributes
    ----------
    threshold : float or array of shape F
        Threshold in the unit of the feature.
    tpr, fpr, tnr, fnr : float or array of shape F
        Rates of the decision rule at the threshold, computed from the ROC curve.
    ameans : float or array of shape F
        Ameans (balanced accuracy), (TPR + TNR)/2. For family "auto" and criterion "ameans", this is the Ameans expected
        on new data, which is below the Ameans of the estimated curve. On average over features, the expected Ameans is
        nearly unbiased. If both classes have the same distribution, the expected Ameans is too high. With equal
        distributions and a specified direction, the bias is 0.04 for 10 observations per class and 0.015 for 200. With
        equal distributions and a direction that is chosen from the sample, the bias is 0.05 for 10 observations per
        class and 0.04 for 20.
    ameans_corrected : float or None
        Optimism-corrected Ameans; None for a predicted threshold. The repr and the table contain this value only if the
        criterion is the Ameans. For any other criterion, ``ameans_corrected`` may exceed ``ameans``. The reason is that
        the thresholds of the resamples are also selected by this criterion and may have a larger Ameans than the
        threshold of the sample.
    criterion : str
        Name of the criterion.
    criterion_value : float or array of shape F
        Value of the criterion at the threshold:

        - ``"ameans"``, ``"balanced_accuracy"``: the Ameans.
        - ``"youden"``: the Youden index J = TPR + TNR - 1.
        - ``"cost"``: the expected cost of errors per observation.
        - ``"accuracy"``, ``"f1"``, ``"f_beta"``: the accuracy or the F score.
        - ``"closest_topleft"``: the distance of the ROC point from (0, 1).
        - ``"min_tpr"``: the TNR, which is maximized.
        - ``"min_tnr"``, ``"max_fpr"``: the TPR, which is maximized.
        - function: the value of the function.
    crossings : array of shape (k,), or F + (2,) for a batch
        Thresholds at which the weighted densities of both classes cross, in ascending order; padded with NaN in a
        batch. The weights are equal unless the criterion is "cost", "accuracy", "f1" or "f_beta".
    crossing_count : int or array of shape F
        Number of crossings.
    plateau : pair of float or of arrays of shape F
        Bounds of the interval of thresholds that are as good as ``threshold``: (low, high], or [low, high) with
        direction "lower". If no other threshold nearby is equally good, both bounds equal ``threshold``.
    equal_thresholds : array of shape (k,), or F + (k,) for a batch
        One threshold from each of the other intervals of equally good thresholds, in ascending order; padded with NaN
        in a batch. The array is empty if no threshold outside the plateau is equally good; otherwise, the flag
        ``equal_thresholds`` is set.
    flags : Flags
        Flags that mark special situations, such as degenerate inputs.
    _uncertainty : object
        Object that computes the confidence intervals for the threshold and for its Ameans.
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
        """Ameans (balanced accuracy), (TPR + TNR)/2; for family "auto", the Ameans expected on new data."""
        if self._expected_ameans is not None:
            return to_scalar(self._expected_ameans)
        return to_scalar(np.asarray(self.tpr) / 2 + np.asarray(self.tnr) / 2)

    @property
    def crossing_count(self) -> int | NDArray[np.int_]:
        """Number of crossings of the weighted densities."""
        return to_scalar(np.sum(~np.isnan(self.crossings), axis=-1))

    @property
    def ameans_corrected(self) -> float | None:
        """Optimism-corrected Ameans (balanced accuracy), or None for a predicted threshold.

        The Ameans of an empirical threshold is optimistic on the data from which the threshold was chosen. The
        corrected value is 0.9 times the mean out-of-bag Ameans over 1000 seeded resamples, plus 0.1 times the in-sample
        Ameans. With 2,000 or more observations, fewer resamples are drawn; with 100,000 or more, 20 resamples are
        drawn.
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
        """Return a confidence interval for the best threshold in the population.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level, in (0, 1).
        method : {"test-inversion", "bootstrap", "pivotal", "delta"}, optional
            - ``"test-inversion"``: all thresholds that are not significantly worse than the best threshold, according
              to a local test. Default for samples if the criterion is "ameans", "cost" or "accuracy".
            - ``"bootstrap"``: quantiles of the best thresholds in resamples. Default for samples if the criterion is
              not "ameans", "cost" or "accuracy", and for a prediction fitted with a family that is not Gaussian. Also
              accepted for two Gaussians that are fitted to samples.
            - ``"pivotal"``: generalized pivots. Default for one feature with two Gaussians if three conditions hold:
              there are at least 10 observations per class, the criterion is "ameans", "cost" or "accuracy", and the
              best threshold is finite.
            - ``"delta"``: delta method. Default for two Gaussians with known class sizes, unless ``"pivotal"`` is the
              default. For an infinite threshold, the interval is unbounded and has the flag ``unbounded``.
        n_resamples : int, default=2000
            Number of bootstrap resamples.
        rng : None, int or numpy.random.Generator, default=0
            Seed or generator for resampling.

        Returns
        -------
        Interval
            Interval in the unit of the feature; a bound is infinite if the data do not determine the threshold.

        See Also
        --------
        ameans_interval : Confidence interval for the Ameans at the threshold.
        stability : Thresholds of resampled data.

        Notes
        -----
        The bootstrap interval of an empirical threshold has the flag ``undercoverage``. The best threshold of a sample
        converges at the rate n^(-1/3), and the bootstrap is not consistent for estimators with this rate. The page
        docs/intervals.md contains formulas and simulations.
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
        """Return a confidence interval for the population Ameans at the threshold.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level, in (0, 1).
        method : {"optimism-corrected", "pivotal", "delta", "bootstrap"}, optional
            - ``"optimism-corrected"``: computed from the Wilson intervals for TPR and TNR, after both rates have been
              reduced by the optimism that results from selecting the threshold on the same data. Default for samples.
            - ``"pivotal"``: generalized pivots. Default for one feature with two Gaussians and known class sizes if
              the criterion is "ameans", "cost" or "accuracy".
            - ``"delta"``: delta method. Default for two Gaussians with known class sizes, unless ``"pivotal"`` is the
              default.
            - ``"bootstrap"``: bootstrap interval, only for a prediction that is fitted to samples. Default if the
              family is not Gaussian.
        n_resamples : int, default=2000
            Number of bootstrap resamples for the methods "optimism-corrected" and "bootstrap".
        rng : None, int or numpy.random.Generator, default=0
            Seed or generator for resampling.

        Returns
        -------
        Interval
            Confidence interval for the Ameans (balanced accuracy).

        See Also
        --------
        threshold_interval : Confidence interval for the threshold.
        """
        return self._uncertainty.ameans_interval(level, method, n_resamples, rng)

    def stability(self, *, n_resamples: int = 2000, rng: Seed = 0) -> ThresholdStability:
        """Return the best thresholds of resamples, which show how stable the best threshold is.

        This method is available only for thresholds of empirical ROC curves.

        Parameters
        ----------
        n_resamples : int, default=2000
            Number of bootstrap resamples.
        rng : None, int or numpy.random.Generator, default=0
            Seed or generator for resampling.

        Returns
        -------
        ThresholdStability
            Best thresholds of the resamples, with the in-sample and out-of-bag Ameans.
        """
        return self._uncertainty.stability(n_resamples, rng)

    @property
    def _is_empirical(self) -> bool:
        return self.ameans_corrected is not None

    def table(self) -> Table:
        """Return a table of the threshold and its rates."""
        summary = super().table()
        if np.ndim(self.threshold):
            return summary
        rows = list(summary.rows)
        if self._shows_corrected:
            rows.insert(2, ["ameans, optimism-corrected", self.ameans_corrected])
        if self.criterion not in AMEANS_ALIASES:
            rows.append(["value of the criterion", self.criterion_value])
        if self.plateau[0] != self.plateau[1]:
            rows.append(["equally good thresholds between", format_interval(*self.plateau)])
        if self.equal_thresholds.size:
            rows.append(["other equally good thresholds near", format_list(f"{t:.6g}" for t in self.equal_thresholds)])
        return replace(summary, rows=rows)

    @property
    def _criterion_text(self) -> str:
        return f"{truncate(self.criterion, 40)}: {CRITERIA.get(self.criterion, 'function of the rates')}"

    def _names(self) -> tuple[str, ...]:
        corrected = ("ameans_corrected",) if self._is_empirical else ()
        return (
            *("criterion", "criterion_value", "threshold", "ameans", *corrected, "tpr", "fpr", "tnr", "fnr"),
            *("crossings", "plateau", "equal_thresholds", "flags"),
        )

    @property
    def _shows_corrected(self) -> bool:
        """True if the criterion is the Ameans and the corrected Ameans can be computed fast enough for a repr."""
        if self.criterion not in AMEANS_ALIASES:
            return False
        return self._uncertainty is not None and self._uncertainty.is_fast and self._is_empirical

    def __repr__(self) -> str:
        if np.ndim(self.threshold):
            return (
                f"BestThreshold(batch of shape {np.shape(self.threshold)}, criterion={self.criterion!r}, {self.flags})"
            )
        flags = f", flags={list(self.flags)}" if self.flags else ""
        corrected = f" ({format_number(self.ameans_corrected, 4)} corrected)" if self._shows_corrected else ""
        ameans, tpr, fpr = map(format_number, (self.ameans, self.tpr, self.fpr))
        rates = f"ameans={ameans}{corrected}, tpr={tpr}, fpr={fpr}"
        return f"BestThreshold(threshold={self.threshold:.6g}, {rates}, criterion={self.criterion!r}{flags})"


def correct_ameans(out_of_bag: float, in_sample: float) -> float:
    """Return the optimism-corrected Ameans of a threshold, computed from its out-of-bag and in-sample Ameans."""
    return _OOB_WEIGHT * out_of_bag + (1 - _OOB_WEIGHT) * in_sample


def find_best_threshold(solver: Solver, target: ThresholdCriterion) -> OptimalThreshold:
    """Return the best threshold according to a criterion, for the rule "positive when x >= threshold"."""
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
    """Return the value of a criterion at the given rates."""
    if callable(target.criterion):  # a function expects arrays of rates; here they have one element
        tpr, fpr, tnr, fnr = (np.asarray(rate)[..., None] for rate in (rates.tpr, rates.fpr, rates.tnr, rates.fnr))
        return to_scalar(np.asarray(target.criterion(Rates(tpr, fpr, tnr, fnr, _on_grid(target.prevalence))))[..., 0])
    if target.criterion == "cost":
        prevalence = np.asarray(target.prevalence)
        return to_scalar(prevalence * target.cost_fn * rates.fnr + (1 - prevalence) * target.cost_fp * rates.fpr)
    if target.criterion == "closest_topleft":
        return to_scalar(np.hypot(rates.fpr, rates.fnr))
    if target.criterion == "f_beta":
        return rates.f_beta(float(target.beta or 1.0))
    return getattr(rates, _MEASURES.get(str(target.criterion), str(target.criterion)))


def _on_grid(prevalence: ArrayOrFloat) -> ArrayOrFloat:
    """Return the prevalence of each feature with an additional last axis for the thresholds."""
    return np.asarray(prevalence)[..., None] if np.ndim(prevalence) else prevalence


def log_cost_ratio(prevalence: ArrayOrFloat, cost_fp: ArrayOrFloat, cost_fn: ArrayOrFloat) -> FloatArray:
    """Return the logarithm of the price, a ratio of weighted error costs.

    The price is the weighted cost of a false positive divided by the weighted cost of a false negative. The weighted
    cost of an error is its cost times the proportion of the class in which the error occurs.
    """
    p = check_probabilities("prevalence", prevalence)
    fp, fn = check_nonnegative("cost_fp", cost_fp), check_nonnegative("cost_fn", cost_fn)
    p, fp, fn = broadcast_arrays(prevalence=p, cost_fp=fp, cost_fn=fn)
    if np.any((fp == 0) & (fn == 0)):
        raise RocPredictError("cost_fp and cost_fn are both 0; at least one must be above 0")
    if np.any(((p == 0) & (fn > 0) & (fp == 0)) | ((p == 1) & (fp > 0) & (fn == 0))):
        value = short_repr(prevalence)
        raise RocPredictError(
            f"prevalence={value} makes the cost 0 at every threshold; change the prevalence or the costs"
        )
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(1 - p) - np.log(p) + np.log(fp) - np.log(fn))


def _best_f_beta(solver: Solver, target: ThresholdCriterion) -> OptimalThreshold:
    """Return the threshold with the highest F-beta score, found by Dinkelbach's iteration.

    At this threshold the posterior probability of the positive class is F/(1 + beta^2).
    """
    square = check_nonnegative("beta", 1.0 if target.beta is None else target.beta) ** 2
    p = check_probabilities("prevalence", target.prevalence, inclusive=False)
    log_odds = np.log1p(-p) - np.log(p)
    score = (1 + square) * p / (square * p + 1)  # F-beta of the rule "always positive"
    for _ in range(_MAX_ITER):
        level = score / (1 + square)
        optimum = solver.optimal(np.log(level) - np.log1p(-level) + log_odds)
        new_score = (1 + square) * p * optimum.tpr / (square * p + p * optimum.tpr + (1 - p) * optimum.fpr)
        increases = new_score > score * (1 + 1e-15)
        if not increases.any():
            break
        score = np.where(increases, new_score, score)  # converged features do not change
    return optimum


def utility(target: ThresholdCriterion, rates: Rates[Any]) -> FloatArray:
    """Return the value that the best threshold maximizes.

    The value is -inf for rates at which the criterion is undefined or its constraint is not met.
    """
    if target.value is not None:  # points that meet the constraint but are dominated are excluded
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
        costly, cheap = (rates.fnr, rates.fpr) if price <= 0 else (rates.fpr, rates.fnr)
        return np.asarray(-(costly + np.exp(-np.abs(price)) * cheap))
    if callable(target.criterion):
        values = _evaluate_function(target.criterion, replace(rates, prevalence=_on_grid(target.prevalence)))
    else:
        values = np.asarray(evaluate_criterion(target, replace(rates, prevalence=target.prevalence)))
    return np.where(np.isnan(values), -np.inf, values)


def _evaluate_function(criterion: RateFunction, rates: Rates[Any]) -> FloatArray:
    try:
        result = criterion(rates)
    except RocPredictError:
        raise
    except Exception as error:
        raise RocPredictError(
            f"criterion raised {type(error).__name__}: {first_line(error)}; it must take the rates of all thresholds "
            "and return one number for each threshold"
        ) from error
    try:
        values = np.asarray(result, dtype=np.float64)
    except (TypeError, ValueError):
        raise RocPredictError(f"criterion returned {short_repr(result)}; it must return an array of numbers") from None
    if values.shape != np.shape(rates.tpr):
        raise RocPredictError(
            f"criterion returned shape {values.shape} for rates of shape {np.shape(rates.tpr)}; "
            "it must return one value for each threshold"
        )
    return values


def _threshold_at_limit(solver: Solver, target: ThresholdCriterion) -> OptimalThreshold:
    value = check_probabilities("value", target.value)
    if target.criterion == "min_tnr":
        d = solver.negative
        threshold = np.asarray(d.ppf(value))  # a point mass is classified as negative if the threshold is just above it
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
    """Move a threshold across a gap in the support of one class if this improves the rate of the other class."""
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
