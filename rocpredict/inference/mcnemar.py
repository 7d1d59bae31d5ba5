"""McNemar's test for comparing two classifiers."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import bdtr, ndtr, ndtri

from rocpredict.base.formatting import format_number, format_p_value, pluralize
from rocpredict.base.labels import as_label_column, check_index, check_labels, repeat_rows, unique_labels
from rocpredict.base.rates import check_confidence_level, proportion_interval
from rocpredict.base.results import Flags, Interval, Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import Label, RocPredictError, check_option, short_repr

McnemarMethod: TypeAlias = Literal["exact", "mid-p", "asymptotic"]
MCNEMAR_METHODS: tuple[McnemarMethod, ...] = get_args(McnemarMethod)


class CorrectnessTable(NamedTuple):
    """Numbers of observations classified correctly by both classifiers, by exactly one of them, and by neither.

    Attributes
    ----------
    both_right, only_first_right, only_second_right, both_wrong : int
    """

    both_right: int
    only_first_right: int
    only_second_right: int
    both_wrong: int


@dataclass(frozen=True, eq=False, repr=False)
class McNemarTest(Result):
    """Result of McNemar's test for equal error rates of two classifiers.

    Attributes
    ----------
    error_rate1, error_rate2 : Interval
        Exact confidence interval for the error rate of each classifier (Clopper and Pearson 1934). The attribute
        ``estimate`` of each interval is the error rate in the sample.
    difference : float
        Error rate of the first classifier minus the error rate of the second; negative if the first has the lower rate.
    interval : Interval
        Confidence interval for the difference.
    agreement : CorrectnessTable
        Numbers of observations classified correctly by both classifiers, by only the first, by only the second, and by
        neither.
    statistic : float
        (c - b)/sqrt(b + c), where b is ``only_first_right`` and c is ``only_second_right``; 0 if b + c is 0. Under the
        null hypothesis, this statistic has an approximately standard normal distribution if b + c is large. Only the
        method "asymptotic" computes p from the statistic; the other methods compute p from the counts b and c.
    p_value : float
        Two-sided p-value.
    null : str
        Null hypothesis.
    method : str
    n : int
        Number of observations.
    flags : Flags
        The flag ``no_discordant_pairs`` is set if both classifiers make their errors on the same observations; the
        p-value is then 1.
    """

    error_rate1: Interval
    error_rate2: Interval
    difference: float
    interval: Interval
    agreement: CorrectnessTable
    statistic: float
    p_value: float
    null: str
    method: str
    n: int
    flags: Flags = field(default_factory=Flags)
    _text = (
        "p_value={p_value:.4g}, difference={difference:+.4g} ({interval.low:+.4g} to {interval.high:+.4g}), "
        "error_rate1={error_rate1.estimate:.4g}, error_rate2={error_rate2.estimate:.4g}, n={n}, "
        "method={method!r}{flag_text}"
    )

    def table(self) -> Table:
        """Return a table with both error rates, their difference and the test result."""
        rates = {"error rate 1": self.error_rate1, "error rate 2": self.error_rate2}
        rows = [[name, rate.estimate, rate.low, rate.high] for name, rate in rates.items()]
        rows.append(["difference", self.difference, *self.interval])
        agreed = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in self.agreement._asdict().items())
        notes = [
            f"Null hypothesis: {self.null}. Method: {self.method}.",
            f"Statistic {format_number(self.statistic)}, p {format_p_value(self.p_value)}, {self.n} rows: {agreed}.",
        ]
        return Table("McNemar's test", ["quantity", "estimate", "low", "high"], rows, None, notes, self.flags)


def mcnemar_test(
    y_pred1: ArrayLike,
    y_pred2: ArrayLike,
    y: ArrayLike,
    *,
    positive: Label = None,
    labels: ArrayLike | None = None,
    method: McnemarMethod = "exact",
    level: float = 0.95,
    weights: ArrayLike | None = None,
) -> McNemarTest:
    """Test whether two classifiers, applied to the same observations, have the same error rate.

    Parameters
    ----------
    y_pred1, y_pred2 : array-like of shape (n,)
        Labels that the two classifiers predict for the observations. Scores are not accepted.
    y : array-like of shape (n,)
        True labels of the observations; there may be two or more classes.
    positive : label, optional
        By default, a prediction is right if it equals the true label. With ``positive``, a prediction is right if the
        predicted and the true label are both ``positive``, or if neither of them is.
    labels : array-like of labels, optional
        All possible labels; needed if a classifier predicts a label that is not in ``y``. By default, such a label
        raises an error, because it usually comes from a different coding of the labels (such as 1 instead of "pos"),
        not from a wrong prediction.
    method : {"exact", "mid-p", "asymptotic"}, default="exact"
        Method by which the p-value is computed:

        - "exact": binomial test based on the observations that exactly one classifier predicts correctly. The
          probability of rejecting a true null hypothesis is at most the significance level.
        - "mid-p": like "exact", but only half of the probability of the observed table is included in p [3]_. This test
          is less conservative, but the probability of rejecting a true null hypothesis may be slightly above the
          significance level.
        - "asymptotic": normal approximation without continuity correction. The approximation is accurate only if there
          are many observations that exactly one classifier predicts correctly.
    level : float, default=0.95
        Confidence level of all intervals.
    weights : array-like of shape (n,), optional
        Frequency weights, which must be whole numbers.

    Returns
    -------
    McNemarTest

    Raises
    ------
    RocPredictError
        If the lengths differ, labels are missing or unknown, scores are passed instead of labels, ``method`` is
        unknown, or ``level`` is not in (0, 1).

    Notes
    -----
    Observations that both classifiers predict correctly, or that both predict wrongly, contain no information about
    which classifier has the lower error rate. The test therefore uses only the other observations: b observations that
    only the first classifier predicts correctly, and c that only the second predicts correctly. Under the null
    hypothesis, each of these observations favors either classifier with probability 1/2, so that b has a binomial
    distribution with b + c trials [1]_.

    The interval for the difference is Tango's score interval [2]_, which never has width 0. At level 0.95, its coverage
    is between 0.928 and 1 for 5, 10, 20, 40 and 100 observations and probabilities of 0.001 to 0.6 that only the first,
    or only the second, classifier is right. These values are exact, because they are computed from all possible tables.
    With the method "asymptotic", p is the significance level at which the interval begins to exclude 0. The methods
    "exact" and "mid-p" give other p-values. With few discordant observations, the interval may therefore exclude 0
    although p is well above 1 - ``level``, as in the example below; then rely on p.

    The observations must be independent of each other and must not have been used to fit the classifiers.

    References
    ----------
    .. [1] Q. McNemar (1947), Note on the sampling error of the difference between correlated proportions or
       percentages, Psychometrika 12, 153-157.
    .. [2] T. Tango (1998), Equivalence test and confidence interval for the difference in proportions for the
       paired-sample design, Statistics in Medicine 17, 891-908.
    .. [3] M. W. Fagerland, S. Lydersen, P. Laake (2013), The McNemar test for binary matched-pairs data: mid-p and
       asymptotic are better than exact conditional, BMC Medical Research Methodology 13, 91.

    Examples
    --------
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> test = mcnemar_test([0, 0, 0, 0, 0, 1, 1, 1, 1, 0], [0, 0, 1, 1, 1, 1, 1, 1, 0, 0], y)
    >>> test.agreement
    CorrectnessTable(both_right=5, only_first_right=4, only_second_right=0, both_wrong=1)
    >>> test
    McNemarTest(p_value=0.125, difference=-0.4 (-0.6873 to -0.01145), error_rate1=0.1, error_rate2=0.5, n=10,
                method='exact')
    """
    check_index({"y_pred1": y_pred1, "y_pred2": y_pred2, "y": y, "weights": weights})
    y_pred1, y_pred2, y = repeat_rows(weights, y_pred1, y_pred2, y)
    check_option("method", method, MCNEMAR_METHODS)
    right1, right2 = _is_correct(y_pred1, y_pred2, y, positive, labels)
    cells = right1 & right2, right1 & ~right2, ~right1 & right2, ~right1 & ~right2
    agreement = CorrectnessTable(*(int(rows.sum()) for rows in cells))
    n, first, second, wrong = sum(agreement), *agreement[1:]
    statistic = (second - first) / sqrt(first + second) if first + second else 0.0
    return McNemarTest(
        error_rate1=proportion_interval(wrong + second, n, level=level),
        error_rate2=proportion_interval(wrong + first, n, level=level),
        difference=(second - first) / n,
        interval=paired_difference_interval(agreement, level=level),
        agreement=agreement,
        statistic=statistic,
        p_value=_p_value(first, second, statistic, method),
        null="both classifiers have the same error rate",
        method=method,
        n=n,
        flags=Flags(no_discordant_pairs=first + second == 0),
    )


def paired_difference_interval(agreement: CorrectnessTable, *, level: float = 0.95) -> Interval:
    """Return Tango's score interval (1998) for the difference between two error rates on the same observations.

    The interval contains the differences that the score test does not reject at the level 1 - ``level``. For a
    difference of 0, this test is McNemar's asymptotic test.

    Parameters
    ----------
    agreement : CorrectnessTable
        Counts of correct and wrong predictions; at least one observation is needed.
    level : float, default=0.95
        Confidence level.

    Returns
    -------
    Interval
        Confidence interval for the error rate of the first classifier minus the error rate of the second.

    Raises
    ------
    RocPredictError
        If there are no observations, or ``level`` is not in (0, 1).

    Examples
    --------
    >>> paired_difference_interval(CorrectnessTable(12, 1, 7, 1))
    Interval(0.026003 to 0.517232, level=0.95, method='tango')
    """
    n, first, second = sum(agreement), agreement.only_first_right, agreement.only_second_right
    level = check_confidence_level(level)
    if not n:
        raise RocPredictError("the table has no observations; pass at least one")
    quantile = float(ndtri((1 + level) / 2))
    low, high = _lowest_difference(second, first, n, quantile), -_lowest_difference(first, second, n, quantile)
    return Interval(low, high, level, "tango", (second - first) / n)


def _lowest_difference(more: int, fewer: int, n: int, quantile: float) -> float:
    """Return the smallest difference p - q that the score test does not reject.

    Of n observations, ``more`` are in a cell with probability p, and ``fewer`` in another cell with probability q. The
    variance of (more - fewer) is computed for the most likely q, given the difference.
    """

    def score(difference: float) -> float:
        linear = (2 * n - more + fewer) * difference - more - fewer
        q = (sqrt(max(linear**2 + 8 * n * fewer * difference * (1 - difference), 0.0)) - linear) / (4 * n)
        variance = n * (2 * q + difference * (1 - difference))
        return more - fewer - n * difference - quantile * sqrt(max(variance, 0.0))

    end = (more - fewer) / n - 1e-12  # at the estimate itself, the variance may be 0
    return -1.0 if score(-1.0) <= 0 or end <= -1 else float(brentq(score, -1.0, end, xtol=1e-15))


def _is_correct(
    y_pred1: ArrayLike, y_pred2: ArrayLike, y: ArrayLike, positive: Any, labels: ArrayLike | None
) -> list[NDArray[np.bool_]]:
    """Return one boolean array for each classifier, which is True where the classifier is right."""
    truth = check_labels(y, y)
    names = unique_labels(truth if labels is None else check_labels(labels, labels))
    codes, predictions = (
        _codes("y", truth, names),
        [_codes(f"y_pred{k}", labels, names) for k, labels in enumerate((y_pred1, y_pred2), 1)],
    )
    for k, predicted in enumerate(predictions, 1):
        if len(predicted) != len(truth):
            raise RocPredictError(
                f"y_pred{k} has {pluralize(len(predicted), 'row')}, but y has {len(truth)}; pass one label for each row"
            )
    if positive is None:
        return [predicted == codes for predicted in predictions]
    (code,) = _codes("positive", [positive], names)
    return [(predicted == code) == (codes == code) for predicted in predictions]


def _codes(argument: str, values: ArrayLike, names: list[Any]) -> NDArray[np.intp]:
    """Return the position of each label in ``names``."""
    indices = {name: index for index, name in enumerate(names)}
    items = as_label_column(argument, values).tolist()
    try:
        return np.array([indices[item] for item in items], dtype=np.intp)
    except KeyError as error:
        unknown = short_repr(error.args[0])
        problem = f"{argument} contains {unknown}, which is not among the labels {names}"
        raise RocPredictError(f"{problem}; pass only these labels, or pass all possible labels in labels=") from None
    except TypeError:
        raise RocPredictError(f"{argument}={short_repr(items)} is not an array of labels of shape (n,)") from None


def _p_value(first: int, second: int, statistic: float, method: str) -> float:
    """Return the two-sided p-value, from the numbers of observations that only one classifier predicts correctly."""
    fewer, discordant = min(first, second), first + second
    if first == second:
        return 1.0
    if method == "asymptotic":
        return float(2 * ndtr(-abs(statistic)))
    tail = bdtr(fewer, discordant, 0.5)
    if method == "mid-p":
        tail = (tail + (bdtr(fewer - 1, discordant, 0.5) if fewer else 0.0)) / 2
    return float(2 * tail)
