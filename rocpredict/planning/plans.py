"""The number of cases that a study needs, and what other formulas would have said."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

from rocpredict.arguments import as_finite, one_of, shown
from rocpredict.errors import RocPredictError
from rocpredict.planning import words
from rocpredict.planning.goals import smallest_counts
from rocpredict.planning.question import Question, ask
from rocpredict.planning.variances import Spread, auc_spreads, difference_spreads, tpr_spreads
from rocpredict.rich_results import Rich, Shown, number
from rocpredict.roc import Roc

METHODS = ("exact", "empirical", "delta", "hanley-mcneil", "obuchowski")


@dataclass(frozen=True, repr=False)
class Alternative(Rich):
    """Say what another method would have planned.

    Attributes
    ----------
    method : str
    n_negative, n_positive, total : int
        What it asks for.
    achieved_by_reference : float
        What these numbers would give by the reference: the exact variance, of a TPR the empirical one.
    bias : str
        How far off it is, and why.
    """

    method: str
    n_negative: int
    n_positive: int
    total: int
    achieved_by_reference: float
    bias: str

    def __repr__(self) -> str:
        return (
            f"Alternative(method={self.method!r}, n_negative={self.n_negative}, n_positive={self.n_positive}, "
            f"total={self.total}, achieved_by_reference={self.achieved_by_reference:.6g})"
        )

    def _shown(self) -> Shown:
        names = ("n_negative", "n_positive", "total", "achieved_by_reference")
        rows = [[name.replace("_", " "), getattr(self, name)] for name in names]
        return Shown(f"Plan by {self.method}", rows, notes=[self.bias])


@dataclass(frozen=True, repr=False)
class Plan(Rich):
    """Say how many cases a study needs.

    Attributes
    ----------
    n_negative, n_positive : int
        The smallest numbers that meet the goal; of each curve where a second one has cases of its own.
    total : int
        All cases of the study.
    quantity : {"width", "power"}
        What the goal is about.
    target, achieved : float
        What was asked for, and what these whole numbers of cases give by ``method``.
    achieved_by_reference : float
        What they give by the reference: the exact variance, of a TPR the empirical one.
    estimate : float
        What is estimated, as predicted: the AUC, the difference of two, or the TPR.
    std_error : float
        Its standard error with these cases.
    level : float
        The confidence level; a test rejects at 1 - level.
    method : str
        The variance that was planned with.
    bias : str
        How far this method is off the reference, and why.
    goal : str
        The goal in words.
    assumptions : tuple of str
        What it rests on, in sentences.
    alternatives : tuple of Alternative
        What the other methods would have said, each with its bias in words.
    """

    n_negative: int
    n_positive: int
    total: int
    quantity: str
    target: float
    achieved: float
    achieved_by_reference: float
    estimate: float
    std_error: float
    level: float
    method: str
    bias: str
    goal: str
    assumptions: tuple[str, ...]
    alternatives: tuple[Alternative, ...]

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers and the words by name."""
        return asdict(self)

    def _shown(self) -> Shown:
        plans: tuple[Plan | Alternative, ...] = (self, *self.alternatives)
        rows = [
            [each.method, each.n_negative, each.n_positive, each.total, each.achieved_by_reference, each.bias]
            for each in plans
        ]
        columns = ["method", "negatives", "positives", "total", f"{self.quantity} by the reference", "bias"]
        given = f"{self.quantity} {number(self.achieved)} (asked: {number(self.target)})"
        notes = [
            f"Goal: {self.goal}. By {self.method} these cases give {given}.",
            f"Estimate {number(self.estimate)}, standard error {number(self.std_error)}, level {self.level:g}.",
            *self.assumptions,
        ]
        return Shown("Cases that the study needs", rows, columns, notes=notes)

    def __repr__(self) -> str:
        return (
            f"Plan(n_negative={self.n_negative}, n_positive={self.n_positive}, total={self.total}, "
            f"{self.quantity}={self.achieved:.6g}, method={self.method!r})"
        )


def plan(
    roc: Roc | None = None,
    *,
    mean: Any = None,
    std: Any = None,
    auc: float | None = None,
    width: float | None = None,
    power: float | None = None,
    against: Any = None,
    correlation: Any = None,
    tpr_at_fpr: float | None = None,
    alternative: str = "two-sided",
    level: float = 0.95,
    ratio: float = 1.0,
    method: str | None = None,
) -> Plan:
    """Say how many cases a study needs, from the classes it expects.

    Parameters
    ----------
    roc : PredictedRoc or EmpiricalRoc, optional
        The curve that the study is expected to find: predicted, or that of a pilot sample.
    mean, std : pair (negative, positive), optional
        In its place: means and standard deviations of two Gaussian classes.
    auc : float, optional
        In their place, where no more is known: Gaussian classes with equal standard deviations.
    width : float, optional
        The full width that the interval estimate +- z SE may have; of the AUC, of the difference from
        ``against`` where that is a curve, or of the TPR at ``tpr_at_fpr``.
    power : float, optional
        In place of ``width``: the probability with which the study shall tell the AUC from ``against``.
    against : float, PredictedRoc or pair of Gaussians, optional
        An AUC as null hypothesis, such as 0.5; or a second curve.
    correlation : float or pair (negative, positive), optional
        Both curves are measured on the same cases, and the two features have this correlation within each
        class. None: the second curve has cases of its own.
    tpr_at_fpr : float, optional
        Plan for the TPR at this FPR instead of the AUC.
    alternative : {"two-sided", "greater"}
        Of a test; "greater": the AUC is above ``against``.
    level : float
        Confidence level of the interval; a test rejects at 1 - level.
    ratio : float
        Negatives for each positive; their number is rounded up.
    method : {None, "exact", "empirical", "delta", "hanley-mcneil", "obuchowski"}
        The variance to plan with. None: the reference, "exact" for an AUC (of the counted AUC, for any two
        distributions) and "empirical" for a TPR. "delta": of the AUC or TPR of two fitted Gaussians.

    Returns
    -------
    Plan

    Raises
    ------
    RocPredictError
        No curve, two of them, or a batch; no goal, or two; a width outside (0, 1); a power outside (0, 1) or
        not above 1 - level; ``against`` equal to the AUC, or above it for "greater"; a correlation without a
        second curve of two Gaussians; a method that this question does not have; a goal that would take more
        than 10^12 positives; a TPR of what has no density; classes so far apart that the estimate does not vary.

    Notes
    -----
    The exact variance of the empirical AUC of n0 negatives and n1 positives is

        [A(1 - A) + (n1 - 1)(Q1 - A^2) + (n0 - 1)(Q2 - A^2)] / (n0 n1),

    with Q1 = P(two positives > one negative) and Q2 = P(one positive > two negatives) in closed form for two
    Gaussians. The covariance of two such AUCs of the same cases has the same form. A test against a value
    takes its null variance at that value, at 1/2 Mann-Whitney's (n0 + n1 + 1)/(12 n0 n1); a test of two curves
    takes the same variance under both hypotheses, as DeLong's does. Formulas and sources: docs/planning.md.

    Examples
    --------
    >>> plan(mean=(4, 8), std=(3, 2), width=0.05)
    Plan(n_negative=406, n_positive=406, total=812, width=0.0499985, method='exact')
    >>> plan(auc=0.7, power=0.9, against=0.5)
    Plan(n_negative=41, n_positive=41, total=82, power=0.901913, method='exact')
    """
    curve = {"roc": roc, "mean": mean, "std": std, "auc": auc}
    goal = {"width": width, "power": power, "against": against, "correlation": correlation, "tpr_at_fpr": tpr_at_fpr}
    question = ask(curve, **goal, alternative=alternative, level=level)
    spreads = _spreads(question)
    chosen = _method(method, spreads)
    planned = _planned(question, spreads, _ratio(ratio))
    own = planned.pop(chosen)
    counts = own.n_negative, own.n_positive
    return Plan(
        **asdict(own),
        quantity=question.goal.name,
        target=question.goal.target,
        achieved=question.goal.achieved(spreads[chosen], counts),
        estimate=question.estimate,
        std_error=sqrt(spreads[chosen].estimate(*counts)),
        level=question.level,
        goal=words.goal(question),
        assumptions=words.assumptions(question, chosen, counts),
        alternatives=tuple(planned.values()),
    )


def _spreads(question: Question) -> dict[str, Spread]:
    """Give the variances by method, the reference first."""
    if question.fpr is not None:
        return tpr_spreads(question.curve, question.fpr)
    if question.second is not None:
        return difference_spreads(question.curve, question.second, question.correlation)
    return auc_spreads(question.curve, question.null)


def _method(method: str | None, spreads: dict[str, Spread]) -> str:
    if method is None:
        return next(iter(spreads))
    one_of("method", method, METHODS)
    if method not in spreads:
        raise RocPredictError(f"method={method!r} does not answer this; choose one of {', '.join(map(repr, spreads))}")
    return method


def _ratio(ratio: Any) -> float:
    number = as_finite("ratio", ratio)
    if number.ndim or number <= 0:
        raise RocPredictError(f"ratio={shown(ratio)} is not a number above 0; give negatives for each positive")
    return float(number)


def _planned(question: Question, spreads: dict[str, Spread], ratio: float) -> dict[str, Alternative]:
    goal, reference = question.goal, next(iter(spreads))
    counts = {method: smallest_counts(goal, spread, ratio) for method, spread in spreads.items()}

    def told(method: str) -> Alternative:
        cases = counts[method]
        return Alternative(
            method,
            *cases,
            total=question.groups * sum(cases),
            achieved_by_reference=goal.achieved(spreads[reference], cases),
            bias=words.bias(method, reference, sum(cases) / sum(counts[reference]), question.curve),
        )

    return {method: told(method) for method in spreads}
