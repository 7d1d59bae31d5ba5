"""What a study is asked: which curve it expects, and what it shall achieve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from rocpredict.arguments import as_finite, as_fraction, as_pair, one_of, shown
from rocpredict.distributions import Gaussian
from rocpredict.errors import RocPredictError
from rocpredict.interval import as_level, two_sided_z
from rocpredict.planning.goals import Goal, Power, Width
from rocpredict.planning.variances import Correlation, is_gaussian
from rocpredict.predictor import PredictedRoc
from rocpredict.roc import Roc

POWER_ALTERNATIVES = ("two-sided", "greater")
"""What a test that is planned for may claim."""


@dataclass(frozen=True)
class Question:
    """Hold a checked question.

    Attributes
    ----------
    curve : Roc
        What the study is expected to find.
    second : Roc or None
        The curve to compare it with.
    null : float or None
        The AUC to test it against.
    correlation : pair (negative, positive) or None
        Of the two features within each class, where both are measured on the same cases.
    fpr : float or None
        Where the TPR is asked for.
    goal : Width or Power
    level : float
    alternative : {"two-sided", "greater"}
    auc_alone : bool
        Whether no more than the AUC of the curve was given.
    """

    curve: Roc
    second: Roc | None
    null: float | None
    correlation: Correlation | None
    fpr: float | None
    goal: Goal
    level: float
    alternative: str
    auc_alone: bool

    @property
    def groups(self) -> int:
        """Give how many sets of cases the study has: two where the second curve has its own."""
        return 2 if self.second is not None and self.correlation is None else 1

    @property
    def estimate(self) -> float:
        """Give what the study estimates, as predicted."""
        if self.fpr is not None:
            return float(self.curve.tpr_at_fpr(self.fpr))
        return float(self.curve.auc()) - (0.0 if self.second is None else float(self.second.auc()))


def ask(
    curve: dict[str, Any],
    *,
    width: Any,
    power: Any,
    against: Any,
    correlation: Any,
    tpr_at_fpr: Any,
    alternative: Any,
    level: Any,
) -> Question:
    """Check a question; ``curve`` holds roc, mean, std and auc."""
    expected, second = _curve(**curve), _second(against)
    null = None if second is not None or against is None else as_fraction("against", against, ends=False)
    within = None if correlation is None else _correlation(correlation, expected, second)
    fpr = None if tpr_at_fpr is None else as_fraction("tpr_at_fpr", tpr_at_fpr, ends=False)
    one_of("alternative", alternative, POWER_ALTERNATIVES)
    level = as_level(level)
    _check_one_goal(width, power)
    if fpr is not None:
        _check_tpr(expected, width, against)
    if width is not None:
        _check_interval(null, alternative)
        goal: Goal = Width(as_fraction("width", width, ends=False), two_sided_z(level))
    else:
        goal = _power(power, expected, second.auc() if second is not None else null, alternative, level)
    alone = curve["auc"] is not None
    return Question(expected, second, null, within, fpr, goal, level, alternative, alone)


def _curve(roc: Any, mean: Any, std: Any, auc: Any) -> Roc:
    if (mean is None) != (std is None):
        raise RocPredictError(f"{'mean' if std is None else 'std'}= goes with {'std' if std is None else 'mean'}=")
    if sum(given is not None for given in (roc, mean, auc)) != 1:
        raise RocPredictError("give one curve: a PredictedRoc, mean= with std=, or auc=")
    if auc is not None:
        roc = PredictedRoc.from_stats(effect_size=np.sqrt(2) * ndtri(as_fraction("auc", auc, ends=False)))
    return _checked("roc", PredictedRoc.from_stats(mean=mean, std=std) if roc is None else roc)


def _second(against: Any) -> Roc | None:
    """Give the second curve; None where ``against`` is a number or nothing."""
    if against is None or (np.ndim(against) == 0 and not isinstance(against, Roc)):
        return None
    if isinstance(against, Roc):
        return _checked("against", against)
    negative, positive = as_pair("against", against, "an AUC, a PredictedRoc or two Gaussians")
    if not (isinstance(negative, Gaussian) and isinstance(positive, Gaussian)):
        raise RocPredictError(f"against={shown(against)} is not an AUC, a PredictedRoc or two Gaussians")
    return _checked("against", PredictedRoc(negative=negative, positive=positive))


def _checked(name: str, roc: Any) -> Roc:
    if not isinstance(roc, Roc):
        raise RocPredictError(f"{name}={shown(roc)} is not a ROC; give rp.PredictedRoc or rp.empirical_roc(...)")
    if roc.shape:
        raise RocPredictError(f"{name} is a batch of shape {roc.shape}; plan for one feature at a time")
    if not 0 < roc.auc() < 1 or (is_gaussian(roc) and roc.negative.std == roc.positive.std == 0):
        raise RocPredictError(f"the expected AUC is {roc.auc():g}: it would not vary, and there is nothing to plan for")
    return roc


def _correlation(correlation: Any, curve: Roc, second: Roc | None) -> Correlation:
    if second is None:
        raise RocPredictError("correlation= needs against= to be a second curve, measured on the same cases")
    if not (is_gaussian(curve) and is_gaussian(second)):
        raise RocPredictError("correlation= needs two Gaussians for each curve; other pairs have no one joint law")
    pair = (correlation, correlation) if np.ndim(correlation) == 0 else as_pair("correlation", correlation)
    negative, positive = (float(as_finite("correlation", r)) for r in pair)
    if max(abs(negative), abs(positive)) > 1:
        raise RocPredictError(f"correlation={shown(correlation)} is outside [-1, 1]")
    return negative, positive


def _check_one_goal(width: Any, power: Any) -> None:
    if (width is None) == (power is None):
        raise RocPredictError("give one goal: width=, or power= with against=")


def _check_tpr(curve: Roc, width: Any, against: Any) -> None:
    if width is None or against is not None:
        raise RocPredictError("tpr_at_fpr= is planned for by width= alone")
    if any(d.atoms().points.size for d in (curve.negative, curve.positive)):
        raise RocPredictError("tpr_at_fpr= needs densities: in a sample or a point mass the curve has no slope")


def _check_interval(null: float | None, alternative: str) -> None:
    if null is not None:
        raise RocPredictError("width= goes without a null value; against= must be a second curve here")
    if alternative != "two-sided":
        raise RocPredictError(f"alternative={alternative!r} is of a test; width= asks for an interval")


def _power(power: Any, curve: Roc, against: float | None, alternative: str, level: float) -> Power:
    if against is None:
        raise RocPredictError("power= needs against= to be an AUC as null hypothesis, or a second curve")
    wanted, gap = as_fraction("power", power, ends=False), float(curve.auc() - against)
    if wanted <= 1 - level:
        raise RocPredictError(f"power={wanted:g} is no more than 1 - level = {1 - level:g}, which chance alone gives")
    if gap == 0:
        raise RocPredictError("the AUC equals that of against=: no number of cases can tell them apart")
    if alternative == "greater" and gap < 0:
        raise RocPredictError("alternative='greater' needs an AUC above that of against=; here it is below")
    return Power(wanted, two_sided_z(level) if alternative == "two-sided" else float(ndtri(level)), abs(gap))
