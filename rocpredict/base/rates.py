"""Rates and other measures of a decision rule, and confidence intervals for proportions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, NamedTuple, Self, TypeAlias, get_args, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, ndtri

from rocpredict.base.results import Interval, Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    Value,
    broadcast_arrays,
    check_nonnegative,
    check_option,
    check_probabilities,
    check_probability,
    short_repr,
    to_scalar,
)


class ConfusionCounts(NamedTuple):
    """Four cells of a confusion matrix, as counts or as fractions of the total."""

    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    tn: FloatArray


@overload
def rates(*, tp: float, fp: float, fn: float, tn: float) -> Rates[float]: ...
@overload
def rates(*, tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike) -> Rates[FloatArray]: ...
def rates(*, tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike) -> Rates[Any]:
    """Return all measures of a confusion matrix.

    Parameters
    ----------
    tp, fp, fn, tn : float or array
        Nonnegative numbers of true positives, false positives, false negatives and true negatives. For weighted
        observations, pass the sums of their weights. These arguments are keyword-only because scikit-learn's
        ``confusion_matrix(...).ravel()`` returns the counts in a different order: tn, fp, fn, tp.

    Returns
    -------
    Rates
        Measures. Their shape is the common shape of the four counts after broadcasting. A measure that is 0/0 is NaN,
        and its name is in ``undefined``.

    Raises
    ------
    RocPredictError
        If a count is negative or not finite, or if the shapes of the arguments cannot be broadcast.

    Examples
    --------
    >>> rates(tp=80, fp=10, fn=20, tn=90).precision
    0.8888888888888888
    >>> rates(tp=0, fp=0, fn=5, tn=5).undefined
    ('precision', 'false_discovery_rate', 'mcc', 'positive_likelihood_ratio', 'diagnostic_odds_ratio')
    """
    counts = ConfusionCounts(*_check_arrays(check_nonnegative, tp=tp, fp=fp, fn=fn, tn=tn))
    with np.errstate(over="ignore"):
        positives, negatives = counts.tp + counts.fn, counts.fp + counts.tn
        if np.isinf(positives + negatives).any():
            raise RocPredictError("the sum of tp, fp, fn and tn is beyond the range of float64; pass smaller counts")
    return Rates(
        tpr=to_scalar(divide_or_nan(counts.tp, positives)),
        fpr=to_scalar(divide_or_nan(counts.fp, negatives)),
        tnr=to_scalar(divide_or_nan(counts.tn, negatives)),
        fnr=to_scalar(divide_or_nan(counts.fn, positives)),
        prevalence=to_scalar(divide_or_nan(positives, positives + negatives)),
        counts=counts,
    )


def precision_from_rates(tpr: ArrayLike, fpr: ArrayLike, prevalence: ArrayLike) -> ArrayOrFloat:
    """Compute the precision from TPR, FPR and prevalence.

    Parameters
    ----------
    tpr, fpr, prevalence : float or array
        Values in [0, 1]; arrays must be broadcastable to a common shape.

    Returns
    -------
    float or array
        Precision, computed as ``tpr * p / (tpr * p + fpr * (1 - p))``, where p is the prevalence; NaN for 0/0.

    Raises
    ------
    RocPredictError
        If a value is not in [0, 1], or if the shapes of the arguments cannot be broadcast.

    Examples
    --------
    >>> precision_from_rates(0.8, 0.1, 0.01)
    0.07476635514018691
    """
    tpr, fpr, base = _check_arrays(check_probabilities, tpr=tpr, fpr=fpr, prevalence=prevalence)
    return to_scalar(divide_or_nan(tpr * base, tpr * base + fpr * (1 - base)))


def precision_from_recall(recall: ArrayLike, n_positive: ArrayLike, n_predicted_positive: ArrayLike) -> ArrayOrFloat:
    """Compute the precision from the recall, the number of positives and the number of predicted positives.

    Parameters
    ----------
    recall : float or array
        Recall (TPR), in [0, 1].
    n_positive, n_predicted_positive : float or array
        Nonnegative numbers of positives and of predicted positives.

    Returns
    -------
    float or array
        Precision, computed as ``recall * n_positive / n_predicted_positive``; NaN for 0/0.

    Raises
    ------
    RocPredictError
        If ``recall`` is outside [0, 1], if ``n_positive`` or ``n_predicted_positive`` is negative, or if the shapes of
        the arguments cannot be broadcast.

    Examples
    --------
    >>> precision_from_recall(0.8, n_positive=100, n_predicted_positive=90)
    0.8888888888888888
    """
    share, positives, predicted = broadcast_arrays(
        recall=check_probabilities("recall", recall),
        n_positive=check_nonnegative("n_positive", n_positive),
        n_predicted_positive=check_nonnegative("n_predicted_positive", n_predicted_positive),
    )
    return to_scalar(divide_or_nan(share * positives, predicted))


class _Alias:
    """Property that returns a measure under another name."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.__doc__ = f"Another name of ``{target}``."

    @overload
    def __get__(self, rates: None, owner: type) -> Self: ...
    @overload
    def __get__(self, rates: Rates[Value], owner: type) -> Value: ...
    def __get__(self, rates: Any, owner: type) -> Any:
        return self if rates is None else getattr(rates, self.target)


@dataclass(frozen=True, eq=False, repr=False)
class Rates(Result, Generic[Value]):
    """Rates of a decision rule at a threshold, and all measures that follow from them.

    Attributes
    ----------
    tpr, fpr, tnr, fnr : float or array
        True positive, false positive, true negative and false negative rates. Each rate is computed directly and not as
        1 minus another rate.
    prevalence : float or array, or None
        Fraction of positives; None if it is unknown. Measures that combine both classes need the prevalence or
        ``counts``.
    counts : ConfusionCounts or None
        Confusion matrix as numbers of observations (expected numbers for a prediction); None if the class sizes are
        unknown.

    Raises
    ------
    RocPredictError
        If a measure needs a prevalence or counts, and neither is known.

    Notes
    -----
    A measure that is 0/0 is NaN, and its name is in ``undefined``. A measure that is x/0 is infinite.
    """

    tpr: Value
    fpr: Value
    tnr: Value
    fnr: Value
    prevalence: Value | None = None
    counts: ConfusionCounts | None = None
    _text = "tpr={tpr:.6r}, fpr={fpr:.6r}, tnr={tnr:.6r}, fnr={fnr:.6r}, ameans={ameans:.6r}{_prevalence_text}"
    _text_batch = "batch of shape {batch_shape}{_batch_text}"
    _heading = "Rates at a threshold"

    def _names(self) -> tuple[str, ...]:
        return MEASURES if self._prevalence_known else PREVALENCE_FREE_MEASURES

    def _label(self, name: str) -> str:
        return name

    @property
    def _batch_text(self) -> str:
        """Return the values of the main measures as text, or an empty string if there are more than four thresholds."""
        shape = self._result_shape()
        if np.prod(shape) > 4:
            return ""
        names = ("tpr", "fpr", "ameans", *(("prevalence", "precision") if self._prevalence_known else ()))
        rows = {name: np.broadcast_to(getattr(self, name), shape).ravel() for name in names}
        return "".join(f", {name}=[{', '.join(f'{value:.6g}' for value in row)}]" for name, row in rows.items())

    def table(self) -> Table:
        """Return a table of all measures, for at most the first ten thresholds or prevalences."""
        shape = self._result_shape()
        if shape == np.shape(self.tpr):
            return super().table()
        wide = {name: np.broadcast_to(getattr(self, name), shape) for name in ("tpr", "fpr", "tnr", "fnr")}
        return replace(self, **wide).table()  # type: ignore[arg-type]

    def _result_shape(self) -> tuple[int, ...]:
        """Return the common shape of the rates and the prevalence after broadcasting."""
        return np.broadcast_shapes(np.shape(self.tpr), np.shape(self.prevalence) if self.prevalence is not None else ())

    @property
    def _prevalence_text(self) -> str:
        names = ("prevalence", "precision", "accuracy") if self._prevalence_known else ()
        return "".join(f", {name}={getattr(self, name):.6g}" for name in names)

    def _notes(self) -> list[str]:
        return (
            []
            if self._prevalence_known
            else ["Precision, accuracy and other measures need a prevalence; pass prevalence=0.1, for example."]
        )

    # ---- within a class
    @property
    def ameans(self) -> Value:
        """Return the Ameans (balanced accuracy), (TPR + TNR)/2."""
        return to_scalar(np.asarray(self.tpr) / 2 + np.asarray(self.tnr) / 2)

    @property
    def youden(self) -> Value:
        """Return Youden's J, TPR - FPR, computed as TNR - FNR if this has less rounding error."""
        tpr, fpr, tnr, fnr = (np.asarray(rate) for rate in (self.tpr, self.fpr, self.tnr, self.fnr))
        return to_scalar(np.where(tpr + fpr > 1, tnr - fnr, tpr - fpr))

    @property
    def positive_likelihood_ratio(self) -> Value:
        """Return the positive likelihood ratio, TPR/FPR."""
        return to_scalar(divide_or_nan(self.tpr, self.fpr))

    @property
    def negative_likelihood_ratio(self) -> Value:
        """Return the negative likelihood ratio, FNR/TNR."""
        return to_scalar(divide_or_nan(self.fnr, self.tnr))

    @property
    def diagnostic_odds_ratio(self) -> Value:
        """Return the diagnostic odds ratio, (TPR/FNR)/(FPR/TNR)."""
        with np.errstate(invalid="ignore", over="ignore"):
            return to_scalar(divide_or_nan(self.tpr, self.fpr) * divide_or_nan(self.tnr, self.fnr))

    # ---- across the classes
    @property
    def precision(self) -> Value:
        """Return the precision, TP/(TP + FP)."""
        return to_scalar(divide_or_nan(self._cells.tp, self._cells.tp + self._cells.fp))

    @property
    def npv(self) -> Value:
        """Return the negative predictive value, TN/(TN + FN)."""
        return to_scalar(divide_or_nan(self._cells.tn, self._cells.tn + self._cells.fn))

    @property
    def false_discovery_rate(self) -> Value:
        """Return the false discovery rate, FP/(TP + FP)."""
        return to_scalar(divide_or_nan(self._cells.fp, self._cells.tp + self._cells.fp))

    @property
    def false_omission_rate(self) -> Value:
        """Return the false omission rate, FN/(TN + FN)."""
        return to_scalar(divide_or_nan(self._cells.fn, self._cells.tn + self._cells.fn))

    @property
    def accuracy(self) -> Value:
        """Return the fraction of observations that are classified correctly."""
        return to_scalar(divide_or_nan(self._cells.tp + self._cells.tn, sum(self._cells)))

    @property
    def error_rate(self) -> Value:
        """Return the fraction of observations that are misclassified."""
        return to_scalar(divide_or_nan(self._cells.fp + self._cells.fn, sum(self._cells)))

    @property
    def predicted_positive_rate(self) -> Value:
        """Return the fraction of observations that are predicted positive."""
        return to_scalar(divide_or_nan(self._cells.tp + self._cells.fp, sum(self._cells)))

    @property
    def f1(self) -> Value:
        """Return the harmonic mean of precision and recall."""
        return self.f_beta(1.0)

    def f_beta(self, beta: float) -> Value:
        """Return the F score, the weighted harmonic mean of precision and recall.

        Parameters
        ----------
        beta : float
            Nonnegative number. Recall has ``beta**2`` times the weight of precision.

        Returns
        -------
        float or array
            (1 + beta^2) TP/((1 + beta^2) TP + beta^2 FN + FP); NaN for 0/0.

        Raises
        ------
        RocPredictError
            If ``beta`` is negative or not finite, or if neither a prevalence nor counts are known.
        """
        level, tp, fp, fn, _ = broadcast_arrays(beta=check_nonnegative("beta", beta), **self._cells._asdict())
        with np.errstate(over="ignore", invalid="ignore"):
            # weight of recall, which is 1 to double precision for beta above 1e8
            weight = np.where(level > 1e8, 1.0, level**2 / (1 + level**2))
        return to_scalar(divide_or_nan(tp, tp + weight * fn + (1 - weight) * fp))

    @property
    def mcc(self) -> Value:
        """Return the Matthews correlation coefficient between the predicted and the true class."""
        tp, fp, fn, tn = (divide_or_nan(cell, sum(self._cells)) for cell in self._cells)
        spread = (tp + fn) * (fp + tn)
        with np.errstate(invalid="ignore"):
            mcc = np.asarray(self.youden) * np.sqrt(divide_or_nan(spread, (tp + fp) * (tn + fn)))
            return to_scalar(np.where(spread == 0, np.nan, mcc))

    # ---- names in other disciplines
    sensitivity = recall = hit_rate = _Alias("tpr")
    specificity = selectivity = _Alias("tnr")
    fall_out = false_alarm_rate = type_1_error = _Alias("fpr")
    miss_rate = type_2_error = _Alias("fnr")
    balanced_accuracy = _Alias("ameans")
    informedness = _Alias("youden")
    ppv = _Alias("precision")
    base_rate = _Alias("prevalence")

    # ---- the confusion matrix, rows by true class, columns by predicted class, negative first (scikit-learn's layout)
    @property
    def confusion(self) -> FloatArray:
        """Return the confusion matrix [[TN, FP], [FN, TP]] as numbers of observations.

        The last two axes of the array are the rows and the columns of the matrix.
        """
        if self.counts is None:
            raise RocPredictError(
                "confusion needs the number of observations of each class; for fractions, use confusion_joint"
            )
        return _matrix(*self.counts)

    @property
    def confusion_joint(self) -> FloatArray:
        """Return the confusion matrix as fractions of all observations, which sum to 1."""
        return _matrix(*(divide_or_nan(cell, sum(self._cells)) for cell in self._cells))

    @property
    def confusion_conditional(self) -> FloatArray:
        """Return the confusion matrix with each cell divided by the size of its true class; each row sums to 1."""
        return _matrix(*(np.asarray(rate) for rate in (self.tpr, self.fpr, self.fnr, self.tnr)))

    @property
    def undefined(self) -> tuple[str, ...]:
        """Return the names of the measures that are 0/0 for at least one threshold or feature."""
        return tuple(name for name in self._names() if np.isnan(getattr(self, name)).any())

    @property
    def _prevalence_known(self) -> bool:
        return self.prevalence is not None or self.counts is not None

    @property
    def _cells(self) -> ConfusionCounts:
        if self.counts is not None:
            return self.counts
        if self.prevalence is None:
            raise RocPredictError(
                "this measure needs a prevalence from 0 to 1; pass prevalence=0.1, for example, or class counts"
            )
        share, rest = np.asarray(self.prevalence), 1 - np.asarray(self.prevalence)
        return ConfusionCounts(share * self.tpr, rest * self.fpr, share * self.fnr, rest * self.tnr)


PREVALENCE_FREE_MEASURES = (
    *("tpr", "fpr", "tnr", "fnr", "ameans", "youden"),
    *("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio"),
)
"""Measures that need no prevalence."""
MEASURES = (
    *PREVALENCE_FREE_MEASURES[:6],
    *("prevalence", "predicted_positive_rate", "accuracy", "error_rate", "precision", "npv"),
    *("false_discovery_rate", "false_omission_rate", "f1", "mcc"),
    *PREVALENCE_FREE_MEASURES[6:],
)
"""All measures."""
ALIASES = {name: member.target for name, member in vars(Rates).items() if isinstance(member, _Alias)}
"""Mapping from other names of measures, such as "recall", to the names that ``Rates`` uses."""


def divide_or_nan(part: ArrayLike, whole: ArrayLike) -> FloatArray:
    """Return part/whole; 0/0 is NaN, and x/0 is infinite."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.divide(np.asarray(part, dtype=np.float64), whole)


def _check_arrays(check: Callable[[str, ArrayLike], FloatArray], **values: ArrayLike) -> tuple[FloatArray, ...]:
    return broadcast_arrays(**{name: check(name, value) for name, value in values.items()})


def _matrix(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    tp, fp, fn, tn = np.broadcast_arrays(tp, fp, fn, tn)
    return np.stack([np.stack([tn, fp], axis=-1), np.stack([fn, tp], axis=-1)], axis=-2)


RateFunction: TypeAlias = Callable[[Rates[FloatArray]], ArrayLike]
"""Function that computes a criterion from rates, for ``best_threshold(criterion=...)``."""


ProportionMethod: TypeAlias = Literal["clopper-pearson", "wilson"]

PROPORTION_METHODS: tuple[ProportionMethod, ...] = get_args(ProportionMethod)


def check_confidence_level(level: ArrayLike) -> float:
    """Return a confidence level as a float, or raise RocPredictError if it is not in (0, 1)."""
    return check_probability("level", level, ends=False)


def normal_critical_value(level: float) -> float:
    """Return the quantile that a standard normal variable exceeds with probability (1 - level)/2."""
    return float(-ndtri((1 - level) / 2))


def zero_variance_interval(
    estimate: FloatArray, class_sizes: tuple[ArrayOrFloat, ArrayOrFloat], level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the confidence limits for an AUC whose estimated variance is zero.

    Each pair of a negative and a positive has one of three outcomes: the positive has the larger value, the smaller
    value, or the same value. If the smaller class has n observations, n pairs can be formed that share no observation.
    In the sample, all these pairs have the same outcome. In the population, the proportion of pairs with a different
    outcome therefore has the upper confidence bound 1 - ((1 - level)/2)^(1/n) (Clopper and Pearson 1934). The interval
    assumes the worst case, in which all pairs with a different outcome change the AUC in the same direction.
    """
    max_share = ((1 - level) / 2) ** (1 / np.minimum(*class_sizes))
    return np.asarray(estimate * max_share), np.asarray(1 - (1 - estimate) * max_share)


@overload
def proportion_interval(
    successes: float, n_trials: float, *, level: float = 0.95, method: ProportionMethod = "clopper-pearson"
) -> Interval[float]: ...


@overload
def proportion_interval(
    successes: ArrayLike, n_trials: ArrayLike, *, level: float = 0.95, method: ProportionMethod = "clopper-pearson"
) -> Interval[FloatArray]: ...


def proportion_interval(
    successes: ArrayLike, n_trials: ArrayLike, *, level: float = 0.95, method: ProportionMethod = "clopper-pearson"
) -> Interval[Any]:
    """Return a confidence interval for a proportion.

    Parameters
    ----------
    successes, n_trials : float or array
        Number of observations that have the property of interest, and total number of observations. ``n_trials`` must
        be above 0, and ``successes`` must be between 0 and ``n_trials``. For weighted observations, pass sums of
        weights, which may be fractions.
    level : float, default=0.95
        Confidence level, in (0, 1).
    method : {"clopper-pearson", "wilson"}, default="clopper-pearson"
        - "clopper-pearson": exact interval [1]_. Its coverage is at least ``level`` for every proportion.
        - "wilson": score interval [2]_. Its mean coverage over all proportions is about ``level``, and it is narrower
          than the exact interval.

    Returns
    -------
    Interval
        Interval. Its bounds have the common shape of ``successes`` and ``n_trials`` after broadcasting.

    Raises
    ------
    RocPredictError
        If a number of successes is below 0 or above its number of trials, if a number of trials is 0, if ``level`` is
        not in (0, 1), or if ``method`` is unknown.

    References
    ----------
    .. [1] C. J. Clopper, E. S. Pearson (1934), The use of confidence or fiducial limits illustrated in the case of the
       binomial, Biometrika 26, 404-413.
    .. [2] E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference, Journal of the
       American Statistical Association 22, 209-212.

    Examples
    --------
    >>> proportion_interval(9, 10)
    Interval(0.554984 to 0.997471, level=0.95, method='clopper-pearson')
    >>> proportion_interval(9, 10, method="wilson")
    Interval(0.59585 to 0.982124, level=0.95, method='wilson')
    """
    level = check_confidence_level(level)
    check_option("method", method, PROPORTION_METHODS)
    successes, n_trials = broadcast_arrays(
        successes=check_nonnegative("successes", successes), n_trials=check_nonnegative("n_trials", n_trials)
    )
    if (successes > n_trials).any() or (n_trials == 0).any():
        raise RocPredictError(
            f"successes={short_repr(successes.tolist())} and n_trials={short_repr(n_trials.tolist())}: successes must "
            "not exceed n_trials, and n_trials must be above 0"
        )
    compute = clopper_pearson if method == "clopper-pearson" else wilson
    low, high = map(to_scalar, compute(successes, n_trials, level))
    return Interval(low, high, level, method, to_scalar(successes / n_trials))


def clopper_pearson(successes: FloatArray, n_trials: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of the exact (Clopper-Pearson) interval for the proportion successes/n_trials."""
    tail = (1 - level) / 2
    none, all_of_them = successes == 0, successes == n_trials
    low = np.where(none, 0.0, betaincinv(np.where(none, 1.0, successes), n_trials - successes + 1, tail))
    rest = np.where(all_of_them, 1.0, n_trials - successes)
    return low, np.where(all_of_them, 1.0, betaincinv(successes + 1, rest, 1 - tail))


def wilson(successes: FloatArray, n_trials: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of the score (Wilson) interval for the proportion successes/n_trials."""
    return wilson_limits(successes / n_trials, n_trials, normal_critical_value(level))


def wilson_limits(share: FloatArray, n_trials: ArrayOrFloat, quantile: float) -> tuple[FloatArray, FloatArray]:
    """Return both proportions p that differ from ``share`` by ``quantile`` times the standard error, sqrt(p(1-p)/n)."""
    square = quantile * quantile / n_trials
    middle = (share + square / 2) / (1 + square)
    half = quantile * np.sqrt(share * (1 - share) / n_trials + square / (4 * n_trials)) / (1 + square)
    low, high = np.maximum(middle - half, 0), np.minimum(middle + half, 1)
    return np.where(share == 0, 0.0, low), np.where(share == 1, 1.0, high)
