"""A plan in words: its goal, what it rests on, and the bias of what others would have said."""

from __future__ import annotations

from rocpredict.planning.goals import Counts, Width
from rocpredict.planning.question import Question
from rocpredict.planning.variances import Correlation, is_gaussian
from rocpredict.roc import Roc

_FEW = 50

_REFERENCES = {
    "exact": "the exact variance of the empirical AUC of these classes",
    "empirical": "the large-sample variance of the counted TPR at this FPR, its threshold being estimated, too",
}
_PARAMETRIC = "for the estimate of two fitted Gaussians, not for the counted one; it takes normality for granted"


def goal(question: Question) -> str:
    """Say what is asked for."""
    wanted, second, level = question.goal, question.second, question.level
    one = f"the AUC ({question.curve.auc():.6g})"
    if question.fpr is not None:
        one = f"the TPR ({question.estimate:.6g}) at FPR {question.fpr:g}"
    other = f"{question.null}" if second is None else f"that of a second curve ({second.auc():.6g})"
    if not isinstance(wanted, Width):
        side = f"{question.alternative} at level {1 - level:.4g}"
        return f"a power of {wanted.target:g} to tell {one} from {other}, {side}"
    of = one if second is None else f"the difference of {one} from {other}"
    return f"a {100 * level:g} % interval of {of} that is {wanted.target:g} wide"


def assumptions(question: Question, method: str, counts: Counts) -> tuple[str, ...]:
    """Say what a plan rests on."""
    said = [_of_classes(question), _of_method(method)]
    if question.second is not None:
        said.append(_of_cases(question.correlation))
    if isinstance(question.goal, Width):
        said.append("The interval is the estimate +- z SE; about half of such studies find it somewhat wider.")
    else:
        said.append(_of_null(question, method))
    if min(counts) < _FEW:
        said.append(f"Below {_FEW} cases in a class the normal approximation is rough: simulate such a study.")
    return tuple(said)


def bias(method: str, reference: str, share: float, curve: Roc) -> str:
    """Say how far a method is off the reference, and why."""
    why = _why(method, curve)
    if method == reference:
        return f"the reference: {why}"
    apart = f"{abs(share - 1):.0%}".replace("%", " %")
    if apart == "0 %":
        return f"as many: {why}"
    verdict = ("fewer" if share < 1 else "more") if method == "delta" else ("too few" if share < 1 else "too many")
    return f"{apart} {verdict}: {why}"


def _why(method: str, curve: Roc) -> str:
    if method in _REFERENCES:
        return _REFERENCES[method]
    if method == "delta":
        return _PARAMETRIC
    if method == "obuchowski":
        return "it assumes equal SDs, and leaves out that the two parameters of its curve vary together"
    said = "it knows the AUC alone, and gives it the variance of exponential classes, whose positives spread more"
    wrong = is_gaussian(curve) and curve.negative.std > curve.positive.std
    return said + ("; here the negatives do" if wrong else "")


def _of_classes(question: Question) -> str:
    if question.auc_alone:
        return "Both classes are Gaussian with equal SDs: all that an AUC alone allows to assume."
    law = "Gaussian" if is_gaussian(question.curve) else "distributed"
    return f"Both classes are {law} as given; the numbers are only as good as that expectation."


def _of_method(method: str) -> str:
    if method in _REFERENCES:
        return f"Variance: {_REFERENCES[method]}."
    if method == "delta":
        return f"Variance: {_PARAMETRIC}."
    name = {"hanley-mcneil": "Hanley and McNeil (1982)", "obuchowski": "Obuchowski and McClish (1997)"}[method]
    return f"Variance: the formula of {name}, which knows no more than the AUC."


def _of_cases(correlation: Correlation | None) -> str:
    if correlation is None:
        return "The second curve has cases of its own: as many negatives and positives again."
    negative, positive = correlation
    return (
        "Both features are measured on the same cases, and are bivariate Gaussian within each class, with "
        f"correlations of {negative:g} (negative) and {positive:g} (positive)."
    )


def _of_null(question: Question, method: str) -> str:
    if question.second is not None:
        return "The variance of the difference is taken to be the same under the null hypothesis, as by DeLong's test."
    if method != "exact":
        return f"Under the null hypothesis the same formula holds, at an AUC of {question.null}."
    if question.null == 0.5:
        return "Under the null hypothesis both classes are alike: Mann-Whitney's (n0 + n1 + 1)/(12 n0 n1)."
    if is_gaussian(question.curve):
        return f"Under the null hypothesis the classes keep their SDs, with means moved to an AUC of {question.null}."
    return "The variance is taken to be the same under the null hypothesis."
