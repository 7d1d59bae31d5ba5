"""McNemar test of two classifiers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, ndtr

from rocpredict.base.formatting import format_number, format_p_value
from rocpredict.base.labels import as_label_column, check_index, check_labels, repeat_rows, unique_labels
from rocpredict.base.rates import check_confidence_level, proportion_interval
from rocpredict.base.results import Flags, Interval, Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import Label, RocPredictError, check_option, short_repr

McnemarMethod: TypeAlias = Literal["exact", "mid-p", "asymptotic"]
MCNEMAR_METHODS: tuple[McnemarMethod, ...] = get_args(McnemarMethod)
_NULL = "on rows of this population both classifiers err equally often"


class CorrectnessTable(NamedTuple):
    """Counts of rows by which of two classifiers is right.

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
    """The test whether two classifiers err equally often.

    Attributes
    ----------
    error_rate1, error_rate2 : Interval
        The error rate of each (``.estimate``), with its exact interval (Clopper and Pearson).
    difference : float
        Error rate of the first - error rate of the second: negative when the first errs less.
    interval : Interval
        Of the difference.
    agreement : CorrectnessTable
        How many rows both, only the first, only the second, or neither called rightly.
    statistic : float
        (only_second_right - only_first_right)/sqrt(their sum): standard normal under the null for many
        discordant rows; it has the sign of the difference. 0 when there are none. The p-value of the exact
        methods comes from the counts, not from it.
    p_value : float
        Two-sided.
    null : str
        The hypothesis that a small p-value speaks against.
    method : str
    n : int
        Rows.
    flags : Flags
        ``no_discordant_pairs``: no row tells the two apart, and p is 1.
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
        """Return the error rates, their difference and the test."""
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
    """Test whether two classifiers err equally often on the same rows.

    Parameters
    ----------
    y_pred1, y_pred2 : arrays of shape (n,)
        The label that each classifier calls each row: calls, not scores.
    y : array of shape (n,)
        The true labels, of two or more kinds.
    positive : label, optional
        None: a call is right when it is the row's label. Named: when both or neither are this label, so that
        confusing other labels is no error.
    labels : array of labels, optional
        All labels there are, where a classifier may call one that no row of ``y`` has. Left out, such a call
        is refused: it is more often a coding of its own (1 for "pos") than an error.
    method : {"exact", "mid-p", "asymptotic"}
        Of the p-value. Exact: the binomial test of the rows that only one called rightly; it never rejects
        a true null too often. Mid-p: half of the probability of what was seen is left out: less conservative,
        and it may reject a true null a little too often. Asymptotic: normal, without continuity correction;
        for many such rows.
    level : float
        Of all intervals.
    weights : array of shape (n,), optional
        How many cases each row stands for; whole numbers.

    Returns
    -------
    McNemarTest

    Raises
    ------
    RocPredictError
        Lengths that differ, missing or unknown labels, scores in place of labels, an unknown method, a level
        outside (0, 1).

    Notes
    -----
    Rows that both call rightly, or both wrongly, say nothing about the difference: of the b + c others each is
    under the null as likely to favour either, so b is binomial with probability 1/2 (McNemar 1947).

    The interval of the difference is Newcombe's square-and-add of Wilson's intervals (1998, method 10), with the
    correlation of the two classifiers' successes, continuity-corrected where positive. It never has width 0. Its
    coverage, enumerated over all tables of 10 to 40 rows for error rates from 0.02 to 0.5, is 0.94 to 1 at
    level 0.95. As it is made another way than the p-value, the two may disagree about 0 when p is close to
    1 - level.

    The rows must be new to both classifiers and independent of each other.

    References
    ----------
    Q. McNemar (1947), Psychometrika 12, 153-157. R. G. Newcombe (1998), Statistics in Medicine 17, 2635-2650.
    M. W. Fagerland, S. Lydersen, P. Laake (2013), BMC Medical Research Methodology 13, 91 (mid-p).

    Examples
    --------
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> test = mcnemar_test([0, 0, 0, 0, 0, 1, 1, 1, 1, 0], [0, 0, 1, 1, 1, 1, 1, 1, 0, 0], y)
    >>> test.agreement
    CorrectnessTable(both_right=5, only_first_right=4, only_second_right=0, both_wrong=1)
    >>> test
    McNemarTest(p_value=0.125, difference=-0.4 (-0.6759 to +0.002356), error_rate1=0.1, error_rate2=0.5, n=10,
                method='exact')
    """
    check_index({"y_pred1": y_pred1, "y_pred2": y_pred2, "y": y, "weights": weights})
    y_pred1, y_pred2, y = repeat_rows(weights, y_pred1, y_pred2, y)
    check_option("method", method, MCNEMAR_METHODS)
    level = check_confidence_level(level)
    right1, right2 = _is_correct(y_pred1, y_pred2, y, positive, labels)
    cells = right1 & right2, right1 & ~right2, ~right1 & right2, ~right1 & ~right2
    agreement = CorrectnessTable(*(int(rows.sum()) for rows in cells))
    n, first, second = sum(agreement), agreement.only_first_right, agreement.only_second_right
    return McNemarTest(
        error_rate1=proportion_interval(agreement.both_wrong + second, n, level=level),
        error_rate2=proportion_interval(agreement.both_wrong + first, n, level=level),
        difference=(second - first) / n,
        interval=paired_difference_interval(agreement, level=level),
        agreement=agreement,
        statistic=_z(first, second),
        p_value=_p_value(first, second, method),
        null=_NULL,
        method=method,
        n=n,
        flags=Flags(no_discordant_pairs=first + second == 0),
    )


def paired_difference_interval(agreement: CorrectnessTable, *, level: float = 0.95) -> Interval:
    """Return Newcombe's interval (1998, method 10) of the error rate of the first - that of the second.

    Parameters
    ----------
    agreement : CorrectnessTable
        Counts with one row or more.
    level : float

    Raises
    ------
    RocPredictError
        Counts without rows, a level outside (0, 1).

    Examples
    --------
    >>> paired_difference_interval(CorrectnessTable(12, 1, 7, 1))
    Interval(0.0255591 to 0.50692, level=0.95, method='newcombe')
    """
    _, only_first, only_second, both_wrong = agreement
    n, wrong = sum(agreement), (both_wrong + only_second, both_wrong + only_first)
    error1, error2 = (proportion_interval(errors, n, level=level, method="wilson") for errors in wrong)
    estimate, correlation = error1.estimate - error2.estimate, _correlation(agreement)
    below = _combine_widths(error1.estimate - error1.low, error2.high - error2.estimate, correlation)
    above = _combine_widths(error1.high - error1.estimate, error2.estimate - error2.low, correlation)
    low, high, level = max(estimate - below, -1.0), min(estimate + above, 1.0), check_confidence_level(level)
    return Interval(low, high, level, "newcombe", (only_second - only_first) / n)


def _is_correct(
    y_pred1: ArrayLike, y_pred2: ArrayLike, y: ArrayLike, positive: Any, labels: ArrayLike | None
) -> list[NDArray[np.bool_]]:
    """Return for each classifier which rows it calls rightly."""
    truth = check_labels(y, y)
    names = unique_labels(truth if labels is None else check_labels(labels, labels))
    calls = [_codes(f"y_pred{k}", p, names) for k, p in enumerate((y_pred1, y_pred2), 1)]
    for k, called in enumerate(calls, 1):
        if len(called) != len(truth):
            raise RocPredictError(f"y_pred{k} has {len(called)} rows and y has {len(truth)}; give as many")
    codes = _codes("y", truth, names)
    if positive is None:
        return [called == codes for called in calls]
    (code,) = _codes("positive", [positive], names)
    return [(called == code) == (codes == code) for called in calls]


def _codes(argument: str, values: ArrayLike, names: list[Any]) -> NDArray[np.intp]:
    """Return the place of each label among the names."""
    places = {name: place for place, name in enumerate(names)}
    items = as_label_column(argument, values).tolist()
    try:
        return np.array([places[item] for item in items], dtype=np.intp)
    except KeyError:
        unknown = next(item for item in items if item not in places)
        raise RocPredictError(
            f"{argument} holds {short_repr(unknown)}, which is not among the labels {names}"
        ) from None
    except TypeError:
        raise RocPredictError(f"{argument}={short_repr(items)} is not an array of labels, shape (n,)") from None


def _z(first: int, second: int) -> float:
    return (second - first) / math.sqrt(first + second) if first + second else 0.0


def _p_value(first: int, second: int, method: str) -> float:
    """Return the two-sided p-value of the rows that only one called rightly."""
    fewer, discordant = min(first, second), first + second
    if first == second:
        return 1.0
    if method == "asymptotic":
        return float(2 * ndtr(-abs(_z(first, second))))
    tail = bdtr(fewer, discordant, 0.5)
    if method == "mid-p":
        tail = (tail + (bdtr(fewer - 1, discordant, 0.5) if fewer else 0.0)) / 2
    return float(2 * tail)


def _correlation(agreement: CorrectnessTable) -> float:
    """Return the phi coefficient of being right, drawn towards 0 where it is positive."""
    a, b, c, d = agreement
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    surplus = a * d - b * c
    corrected = max(surplus - sum(agreement) / 2, 0) if surplus > 0 else surplus
    return corrected / math.sqrt(margins) if margins else 0.0


def _combine_widths(first: float, second: float, correlation: float) -> float:
    return math.sqrt(first * first - 2 * correlation * first * second + second * second)
