"""What each way of answering (closed form, step function, quadrature) answers with.

All belong to the rule "positive when x >= threshold". For a batch every array has its shape F.
"""

from typing import NamedTuple

import numpy as np

from rocpredict.arguments import FloatArray, Values, plain
from rocpredict.flags import Flags
from rocpredict.rich_results import Shown, of_batch, to_html


class Optimum(NamedTuple):
    """The threshold that maximises TPR - kappa FPR, and its rates."""

    threshold: FloatArray
    tpr: FloatArray
    fpr: FloatArray
    tnr: FloatArray
    fnr: FloatArray
    low: FloatArray
    """Ends of the interval of thresholds that do as well."""
    high: FloatArray
    crossings: FloatArray
    """Where the weighted densities cross, ascending, on the last axis; NaN beyond ``crossing_count``."""
    flags: Flags


class Hook(NamedTuple):
    """Say where a ROC curve lies below the chance line.

    Attributes
    ----------
    low, high : float or array of shape F
        The FPRs it lies between; both 0 when no part lies below, as far as doubles can tell.
    area : float or array of shape F
        Between the curve and the chance line.
    """

    low: Values
    high: Values
    area: Values

    @property
    def exists(self) -> Values:
        """Whether any part lies below."""
        return plain(np.asarray(self.area) > 0)

    def _repr_html_(self) -> str:
        columns = {"low FPR": self.low, "high FPR": self.high, "area": self.area}
        if np.ndim(self.area):
            return to_html(of_batch("Hook", np.shape(self.area), columns))
        return to_html(Shown("Hook: the part below the chance line", list(columns.items())))

    def __repr__(self) -> str:
        if np.ndim(self.area):
            return f"Hook(shape={np.shape(self.area)})"
        return f"Hook(low={self.low:.6g}, high={self.high:.6g}, area={self.area:.6g})"


class TwoSidedRule(NamedTuple):
    """Hold a rule with two thresholds or more, and what it achieves.

    Attributes
    ----------
    low, high : float or array of shape F
        Thresholds; -inf or +inf when one threshold is the whole rule. Both infinite: all are called positive
        (inside), or none.
    inside : bool or array of shape F
        Positive means ``low <= x <= high``; otherwise ``x <= low`` or ``x >= high``. With more than two edges the
        call changes in between too.
    edges : array of shape (k,), or F + (2,) for a batch
        All thresholds at which the call changes, ascending: more than two where densities cross more often. Two
        Gaussians have two, infinite ones included.
    tpr, fpr, tnr, fnr : float or array of shape F
        Rates of the rule.
    """

    low: Values
    high: Values
    inside: Values
    edges: FloatArray
    tpr: Values
    fpr: Values
    tnr: Values
    fnr: Values

    @property
    def ameans(self) -> Values:
        """Give (TPR + TNR)/2."""
        return plain(np.asarray(self.tpr) / 2 + np.asarray(self.tnr) / 2)

    def _repr_html_(self) -> str:
        names = ("low", "high", "inside", "ameans", "tpr", "fpr", "tnr", "fnr")
        columns = {name: getattr(self, name) for name in names}
        title = "Rule with two thresholds or more"
        if np.ndim(self.low):
            return to_html(of_batch(title, np.shape(self.low), columns))
        return to_html(Shown(title, list(columns.items())))

    def __repr__(self) -> str:
        if np.ndim(self.low):
            return f"TwoSidedRule(shape={np.shape(self.low)})"
        ends = f"low={self.low:.6g}, high={self.high:.6g}, inside={self.inside}"
        return f"TwoSidedRule({ends}, ameans={self.ameans:.6g})"


def outline(edges: FloatArray, *, starts_positive: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give low, high and inside of a rule that changes sides at every edge."""
    if not len(edges):
        return np.asarray(-np.inf), np.asarray(np.inf), np.asarray(starts_positive)
    ends_positive = starts_positive != (len(edges) % 2 == 1)
    inside = not starts_positive and not ends_positive
    low = edges[0] if inside or starts_positive else -np.inf
    high = edges[-1] if inside or ends_positive else np.inf
    return np.asarray(low), np.asarray(high), np.asarray(inside)
