"""The questions of a ROC curve, for any two distributions: search on a grid, then polish; sum over panels.

The rule is "positive when x >= threshold". Densities may have several peaks, atoms, or both. The
grid follows the quantiles of both classes far into the tails, so that no crossing with probability
around it is missed; areas are good to about 1e-12, thresholds to the float where densities allow it.
"""

from rocpredict.numeric.along import (
    auc,
    auc_complement,
    fpr_at_tpr,
    hook,
    log_auc_complement,
    partial_auc_fpr,
    partial_auc_tpr,
    slope,
    threshold_at_fpr,
    threshold_at_tpr,
    tpr_at_fpr,
)
from rocpredict.numeric.crossing import best, crossings
from rocpredict.numeric.likelihood import proper_auc_complement, proper_rule

__all__ = [
    "auc",
    "auc_complement",
    "best",
    "crossings",
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
