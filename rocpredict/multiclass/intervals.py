"""The interval of a mean of areas that share rows."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from rocpredict.arguments import FloatArray, plain
from rocpredict.empirical import EmpiricalRoc
from rocpredict.flags import Flags
from rocpredict.inference.bootstrap import percentile_ends
from rocpredict.interval import Interval, two_sided_z
from rocpredict.multiclass.parts import Groups, Part, mixed

_QUARTER = 0.25
"""Cases of weight that smoothing adds, placed where chance is."""
_LEAST = 3.0
"""The variance is no less than A(1 - A)/3 has it for one case: uniform placements vary so at A = 1/2."""
_ROUNDING = 1e-12


def mean_interval(
    mixing: FloatArray,
    layout: list[Part],
    rocs: list[EmpiricalRoc],
    moves: FloatArray,
    *,
    groups: Groups,
    level: float,
    replicates: FloatArray | None = None,
) -> Interval:
    """Give the interval of each weighted mean of areas; from ``replicates`` (resamples, answers) where there are."""
    estimate = mixed(mixing, np.array([roc.auc() for roc in rocs]))
    lonely = min(len(rows) for rows in groups) == 1
    ends, replaced = [], []
    for index, (weights, area) in enumerate(zip(mixing, estimate, strict=True)):
        used = np.flatnonzero(weights)
        spread = _variance(moves[:, used] @ (weights[used] / weights.sum()), groups)
        alone = len(used) == 1
        replaced.append((not alone or replicates is not None) and (lonely or spread <= _ROUNDING**2))
        if replicates is not None and not replaced[-1]:
            ends.append(percentile_ends(replicates[:, index], level))
        elif alone:
            ends.append(tuple(rocs[used[0]].auc_interval(level)))
        elif replaced[-1]:
            ends.append(_bounds(weights, rocs, level))
        else:
            ends.append(_smoothed_logit(area, spread, _cases([layout[k] for k in used], groups), level))
    low, high = np.transpose(ends)
    answers = (low, high, estimate, np.array(replaced), np.full(len(mixing), lonely))
    low, high, estimate, fallback, single = (plain(item[0] if len(mixing) == 1 else item) for item in answers)
    made = "smoothed-logit" if replicates is None else "bootstrap"
    method = "conservative" if all(replaced) else made
    return Interval(low, high, level, method, estimate, Flags(fallback=fallback, single_case=single))


def _variance(values: FloatArray, groups: Groups) -> float:
    """Give the variance of a mean over classes: that of DeLong, DeLong and Clarke-Pearson, for more than two."""
    return sum(float(values[rows].var(ddof=1)) / len(rows) for rows in groups if len(rows) > 1)


def _cases(used: list[Part], groups: Groups) -> float:
    """Give the harmonic mean of the class sizes, times the pairs of classes that are compared."""
    pairs = {frozenset((i, j)) for part in used for i in part.positive for j in part.negative}
    sizes = [len(groups[k]) for k in set().union(*pairs)]
    return len(pairs) * len(sizes) / sum(1 / size for size in sizes)


def _smoothed_logit(area: float, variance: float, cases: float, level: float) -> tuple[float, float]:
    """Give the logit interval about the area with a quarter of a case more, of a variance that is never too small."""
    centre = (area * cases + _QUARTER / 2) / (cases + _QUARTER)
    spread = centre * (1 - centre)
    half = two_sided_z(level) * np.sqrt(max(variance, spread / (_LEAST * cases))) / spread
    low, high = expit(logit(centre) - half), expit(logit(centre) + half)
    return min(float(low), area), max(float(high), area)


def _bounds(weights: FloatArray, rocs: list[EmpiricalRoc], level: float) -> tuple[float, float]:
    """Give conservative ends for a weighted mean of areas."""
    used = [roc for roc, weight in zip(rocs, weights, strict=True) if weight]
    shares = weights[weights > 0]
    if all(_pairs_are_alike(roc) for roc in used):
        pairs = min(d.total for roc in used for d in (roc.negative, roc.positive))
        alike = ((1 - level) / 2) ** (1 / pairs)
        area = float(np.average([roc.auc() for roc in used], weights=shares))
        return area * alike, 1 - (1 - area) * alike
    stricter = 1 - (1 - level) / len(used)
    ends = np.array([list(roc.auc_interval(level=stricter)) for roc in used])
    low, high = np.average(ends, axis=0, weights=shares)
    return float(low), float(high)


def _pairs_are_alike(roc: EmpiricalRoc) -> bool:
    """Tell whether all pairs of a positive and a negative are right, or all wrong, or all tied."""
    values = np.union1d(roc.negative.points, roc.positive.points)
    return len(values) == 1 or roc.auc() in (0.0, 1.0)
