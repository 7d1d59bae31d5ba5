"""What each way of answering (closed form, step function, quadrature) answers with.

All belong to the rule "positive when x >= threshold". For a batch every array has its shape F.
"""

from typing import NamedTuple

import numpy as np

from rocpredict.arguments import FloatArray
from rocpredict.flags import Flags


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
    """The part of a ROC curve that lies below the chance line."""

    low: FloatArray
    """FPR at which it begins."""
    high: FloatArray
    """FPR at which it ends; equal to ``low`` when no part lies below."""
    area: FloatArray
    """Area between it and the chance line."""


class Regions(NamedTuple):
    """The likelihood-ratio rule: positive where the positive class is the denser one."""

    low: FloatArray
    """Ends of the interval; -inf or +inf when a single threshold is the whole rule."""
    high: FloatArray
    inside: FloatArray
    """Whether positive means ``low <= x <= high`` (else ``x <= low`` or ``x >= high``)."""
    edges: FloatArray
    """All ends, ascending, on the last axis: more than two where densities cross more than twice."""
    tpr: FloatArray
    fpr: FloatArray
    tnr: FloatArray
    fnr: FloatArray


def outline(edges: FloatArray, *, starts_positive: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give low, high and inside of a rule that changes sides at every edge."""
    ends_positive = starts_positive != (len(edges) % 2 == 1)
    inside = len(edges) > 0 and not starts_positive and not ends_positive
    low = edges[0] if inside or starts_positive else -np.inf
    high = edges[-1] if inside or ends_positive else np.inf
    return np.asarray(low), np.asarray(high), np.asarray(inside)
