"""Methods in words: what was assumed, a paragraph for a paper, and whom to cite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

REFERENCES = {
    "delong": "E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (1988), "
    "Comparing the areas under two or more correlated "
    "receiver operating characteristic curves: a nonparametric approach, Biometrics 44, 837-845.",
    "green": "D. M. Green, J. A. Swets (1966), Signal Detection Theory and Psychophysics, Wiley.",
    "mann": "H. B. Mann, D. R. Whitney (1947), On a test of whether one of "
    "two random variables is stochastically larger "
    "than the other, Annals of Mathematical Statistics 18, 50-60.",
    "welch": "B. L. Welch (1947), The generalization of 'Student's' problem "
    "when several different population variances "
    "are involved, Biometrika 34, 28-35.",
    "youden": "W. J. Youden (1950), Index for rating diagnostic tests, Cancer 3, 32-35.",
    "clopper": "C. J. Clopper, E. S. Pearson (1934), The use of confidence or "
    "fiducial limits illustrated in the case of "
    "the binomial, Biometrika 26, 404-413.",
    "box": "G. E. P. Box, D. R. Cox (1964), An analysis of transformations, Journal of the Royal Statistical Society B "
    "26, 211-252.",
    "yeo": "I.-K. Yeo, R. A. Johnson (2000), A new family of power transformations to improve normality or symmetry, "
    "Biometrika 87, 954-959.",
    "newcombe": "R. G. Newcombe (1998), Interval estimation for the difference between independent proportions: "
    "comparison of eleven methods, Statistics in Medicine 17, 873-890.",
    "wilson": "E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference, Journal of "
    "the American Statistical Association 22, 209-212.",
    "stute": "W. Stute, W. Gonzalez Manteiga, M. Presedo Quindimil (1993), "
    "Bootstrap based goodness-of-fit-tests, Metrika "
    "40, 243-256.",
    "efron": "B. Efron, R. J. Tibshirani (1993), An Introduction to the Bootstrap, Chapman and Hall.",
    "benjamini-hochberg": "Y. Benjamini, Y. Hochberg (1995), Controlling the false discovery rate: a practical and "
    "powerful approach to multiple testing, Journal of the Royal Statistical Society B 57, 289-300.",
    "benjamini-yekutieli": "Y. Benjamini, D. Yekutieli (2001), The control of the false discovery rate in multiple "
    "testing under dependency, Annals of Statistics 29, 1165-1188.",
    "holm": "S. Holm (1979), A simple sequentially rejective multiple test "
    "procedure, Scandinavian Journal of Statistics "
    "6, 65-70.",
    "bonferroni": "O. J. Dunn (1961), Multiple comparisons among means, "
    "Journal of the American Statistical Association "
    "56, 52-64.",
}

AMEANS = (
    "the threshold with the highest Ameans, the mean of true positive and true negative rate (balanced accuracy; "
    "(1 + J)/2 with Youden's index J)"
)
COUNTED_AREA = (
    "The empirical AUC was computed by counting pairs of cases, ties as one half (the Mann-Whitney statistic), with a "
    "{level} confidence interval on the logit scale, whose variance is "
    "that of DeLong et al. smoothed by half a case in "
    "each class."
)
_GAUSSIAN_AREA = (
    "The ROC curve was predicted from the mean and the standard deviation (divisor n - 1) of each class, taking both "
    "classes as Gaussian (Green and Swets), so that AUC = Φ(({difference})/√(s₀² + s₁²)) with 0 the negative and 1 the "
    "positive class"
)
DELTA = "its {level} confidence interval is by the delta method on the probit scale"
_SHRUNK = (
    "a shrunk estimate between the cases themselves and {model}, which lies the nearer to the cases the worse the "
    "model fits them"
)
_POWER = "one common power transform (Box-Cox, or Yeo-Johnson where values are 0 or less)"
AUTO_AREA = _SHRUNK.format(model=f"a model that is Gaussian in both classes after {_POWER}")
POWERS = {
    "auto": AUTO_AREA,
    "blend": _SHRUNK.format(model=f"a mean of two models after {_POWER}, Gaussians and a kernel density"),
    "boxcox": f"taking both classes as Gaussian after {_POWER}",
    "yeojohnson": "taking both classes as Gaussian after one common Yeo-Johnson transform",
    "kde": f"a Gaussian kernel density of each class after {_POWER}, its bandwidth twice that of Silverman's rule, the "
    "variance preserved",
}
"""What is predicted by after a power transform, by family."""
WITH_BOX_COX = frozenset(POWERS) - {"yeojohnson"}
NOT_MISSING_BY_VALUE = (
    "Rows without a value were left out; this is right only if, within each class, whether a value is missing has "
    "nothing to do with the value"
)


def gaussian_area(*, lower: bool = False) -> str:
    """Say how two Gaussians predict, as the AUC of the rule that higher (or lower) values are positive."""
    return _GAUSSIAN_AREA.format(difference="m₀ - m₁" if lower else "m₁ - m₀")


class Methods(NamedTuple):
    """Hold how the answers were made, in words."""

    assumptions: Sequence[Any]
    paragraph: Any
    references: Sequence[str]


def methods(assumptions: Sequence[Any], sentences: Sequence[Any], cited: Sequence[str]) -> Methods:
    """Join the sentences of a paragraph, and give the references by name."""
    return Methods(assumptions, Markup(" ").join(sentences), sorted(REFERENCES[name] for name in set(cited)))


def software(versions: Sequence[tuple[str, str]]) -> str:
    """Say what computed."""
    (name, version), *others = versions
    return f"Computed with {name} {version} ({', '.join(' '.join(one) for one in others)})."
