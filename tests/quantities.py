"""Quantities of a solver by name, for tests of many quantities."""

import numpy as np

OF_A_BATCH = {
    "auc": lambda solver: solver.auc(),
    "partial area": lambda solver: solver.area("fpr", np.asarray(0.0), np.asarray(0.1)),
    "area of high rates": lambda solver: solver.area("tpr", np.asarray(0.8), np.asarray(1.0)),
    "tpr": lambda solver: solver.along("fpr", np.asarray(0.2)),
    "fpr": lambda solver: solver.along("tpr", np.asarray(0.9)),
    "TPR by cost": lambda solver: solver.optimal(np.asarray(0.7)).tpr,
    "threshold": lambda solver: solver.optimal_ameans().threshold,
}
"""Quantities that a solver of a batch answers."""
ALONG = {
    "tpr_at_fpr": ("along", "fpr"),
    "fpr_at_tpr": ("along", "tpr"),
    "threshold_at_fpr": ("threshold_at", "fpr"),
    "threshold_at_tpr": ("threshold_at", "tpr"),
    "partial_auc_fpr": ("area", "fpr"),
    "partial_auc_tpr": ("area", "tpr"),
}


def compute(solver, quantity, *args):
    """Return a quantity of a solver; with the prefix ``proper_``, a quantity of the likelihood-ratio curve."""
    if quantity.startswith("proper_"):
        return compute(solver.likelihood_ratio(), quantity.removeprefix("proper_"), *args)
    method, *axis = ALONG.get(quantity, (quantity,))
    return getattr(solver, method)(*axis, *args)
