"""Quantities of a solver by name, for tests of many quantities."""

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
