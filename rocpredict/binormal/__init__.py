"""Every closed form for two Gaussian classes, for one feature or a batch.

The rule is "positive when x >= threshold". Symbols of this folder:

======== ==========================================================================================
m0, m1   mean of the negative and of the positive class
s0, s1   standard deviation of the negative and of the positive class
d        m1 - m0
z0, z1   (threshold - m0)/s0 and (threshold - m1)/s1
kappa    price of a false positive over that of a false negative, prevalence included: the best
         threshold maximises TPR - kappa FPR. 1 for the best Ameans
a, b     d/s1 and s0/s1: TPR = Phi(a + b Phi^-1(FPR))
D        d/sqrt(s0^2 + s1^2): AUC = Phi(D)
======== ==========================================================================================

Rates come from z-scores and never from a threshold, tails in pairs and never as 1 - cdf, and the
crossings from a form of the quadratic that does not cancel: it holds for equal standard deviations,
for ratios of 1 + 1e-15 as of 1e15, at any offset and scale. Derivations: docs/formulas.md.
"""

from rocpredict.binormal.along import (
    auc,
    auc_complement,
    empirical_auc_variance,
    fpr_at_tpr,
    log_auc_complement,
    slope,
    threshold_at_fpr,
    threshold_at_tpr,
    tpr_at_fpr,
)
from rocpredict.binormal.areas import hook, partial_auc_fpr, partial_auc_tpr
from rocpredict.binormal.crossing import best, crossing_z, crossings
from rocpredict.binormal.likelihood import proper_auc_complement, proper_rule

__all__ = [
    "auc",
    "auc_complement",
    "best",
    "crossing_z",
    "crossings",
    "empirical_auc_variance",
    "fpr_at_tpr",
    "hook",
    "log_auc_complement",
    "partial_auc_fpr",
    "partial_auc_tpr",
    "proper_auc_complement",
    "proper_rule",
    "slope",
    "threshold_at_fpr",
    "threshold_at_tpr",
    "tpr_at_fpr",
]
