"""What the library finds in one feature of two classes: what the page begins from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rocpredict.arguments import FloatArray
from rocpredict.assumptions import doubt_of_gaussian
from rocpredict.comparison import gaps_between
from rocpredict.distributions import Gaussian
from rocpredict.empirical import EmpiricalRoc
from rocpredict.predictor import PredictedRoc
from rocpredict.roc import Roc
from rocpredict.teach.rows import Rows

LARGEST = 1e100
"""Values, means and standard deviations beyond are refused, and standard deviations below its inverse."""


@dataclass(frozen=True, eq=False)
class Counted:
    """Hold the Gaussian prediction of a feature beside what is counted, both of one direction."""

    predicted: PredictedRoc
    empirical: EmpiricalRoc


def why_not(negative: FloatArray, positive: FloatArray) -> str | None:
    """Give the word for why a feature cannot be shown, or None."""
    sides = (negative, positive)
    if min(map(len, sides)) < 2:
        return "few"
    if any((side == side[0]).all() for side in sides):
        return "constant"
    if any(np.abs(side).max() > LARGEST or Gaussian.fit(side).std < 1 / LARGEST for side in sides):
        return "beyond"
    return None


def reason_why_not(rows: Rows, contrast: int, feature: int, words: dict[str, str]) -> str | None:
    """Give the sentence for why a feature cannot be shown, or None."""
    trouble = why_not(*rows.pair(contrast, feature))
    return None if trouble is None else words[trouble].replace("{feature}", rows.features[feature])


def count(negative: FloatArray, positive: FloatArray) -> Counted:
    """Predict and count; the direction is that of the prediction."""
    predicted = PredictedRoc(Gaussian.fit(negative), Gaussian.fit(positive), direction="auto")
    empirical = EmpiricalRoc(negative, positive, direction=predicted.direction)
    return Counted(predicted, empirical)


def facts_of(rows: Rows, contrast: int, feature: int, words: dict[str, str]) -> dict[str, Any]:
    """Give the library's numbers of one feature, or why there are none."""
    pair = rows.pair(contrast, feature)
    found: dict[str, Any] = {"count": [len(side) for side in pair], "missing": rows.left_out(contrast, feature)}
    reason = reason_why_not(rows, contrast, feature, words)
    if reason is not None:
        return found | {"error": reason}
    counted = count(*pair)
    predicted, empirical = counted.predicted, counted.empirical
    return found | {
        "mean": [predicted.negative.mean, predicted.positive.mean],
        "std": [predicted.negative.std, predicted.positive.std],
        "direction": predicted.direction,
        "doubt": doubt_of_gaussian(*pair) is not None,
        "auc": predicted.auc(),
        "empirical": counted_facts(empirical) | {"gap": gap_of(predicted, empirical)},
    }


def counted_facts(empirical: EmpiricalRoc) -> dict[str, Any]:
    """Give the area with its interval, and the best threshold, of the rows."""
    interval, best = empirical.auc_interval(), empirical.best_threshold()
    point = {name: getattr(best, name) for name in ("threshold", "tpr", "fpr", "ameans")}
    return {"auc": empirical.auc(), "low": interval.low, "high": interval.high, "best": as_json(point)}


def gap_of(predicted: Roc, empirical: EmpiricalRoc) -> dict[str, float]:
    """Give the largest difference of TPR at one FPR, predicted less counted, and where it is."""
    value, fpr, _ = gaps_between(predicted, empirical)
    return {"fpr": fpr, "value": value}


def as_json(numbers: dict[str, Any]) -> dict[str, Any]:
    """Give floats as JSON can hold them: NaN as None, infinities as "inf" and "-inf"."""
    return {name: _as_json(float(number)) for name, number in numbers.items()}


def _as_json(number: float) -> Any:
    return number if np.isfinite(number) else None if np.isnan(number) else str(number)
