"""The library's answer to a state of the page: what a page that is by itself computes in its model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from rocpredict.arguments import FloatArray, one_of
from rocpredict.curve import RocCurve
from rocpredict.distributions import Gaussian
from rocpredict.empirical import EmpiricalRoc
from rocpredict.errors import RocPredictError
from rocpredict.measures import Rates
from rocpredict.predictor import PredictedRoc
from rocpredict.teach.asked import Asked, read_state
from rocpredict.teach.facts import Counted, as_json, count, counted_facts, gap_of, reason_why_not
from rocpredict.teach.kept import Kept
from rocpredict.teach.rows import Rows
from rocpredict.teach.tabulated import TabulatedRoc
from rocpredict.teach.wording import python_words
from rocpredict.thresholds import BestThreshold

FAMILIES = ("gaussian", "auto", "yeojohnson", "logistic", "laplace", "kde", "histogram")
"""What is fitted while a lecture waits: each fit and its first answer within about a second."""
_TABULATED = ("kde",)
"""Families that take too long to search again at every move."""
_SDS, _PAD = 4.2, 0.01
_KEPT = 64


class Answering:
    """Answer for states of a page; what was fitted is kept, and made once when several ask for it at once.

    Parameters
    ----------
    data : iterable of Rows
    lang : str
        Of the sentences in an answer.

    Examples
    --------
    >>> from rocpredict.teach.answering import Answering
    >>> Answering().answer({"threshold": "6"})["auc"]
    0.8663712534228061
    """

    def __init__(self, data: Iterable[Rows] = (), lang: str = "en") -> None:
        self._data = {rows.key: rows for rows in data}
        self._words = python_words(lang)
        self._counted = Kept(self._count, _KEPT)
        self._pair = Kept(self._fit, _KEPT)
        self._fitted = Kept(self._predict, _KEPT)
        self._observed = Kept(self._observe, _KEPT)
        self._even = Kept(_even_of, _KEPT)
        self._weighed = Kept(_weighed_of, _KEPT)
        self._gap = Kept(gap_of, _KEPT)
        self._shape = Kept(_shape_of, _KEPT)

    def answer(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Give every number that the page draws at a state, ready for JSON.

        Raises
        ------
        RocPredictError
            A state that is not allowed: the argument is named.
        """
        asked = read_state(state)
        one_of("family", asked.family, FAMILIES)
        if not asked.data:
            return self._about(asked, _gaussians(asked), None)
        place = self._place(asked)
        counted = self._counted(*place)
        own = asked.family != "gaussian"
        roc = self._fitted(*place, asked.family, asked.direction) if own else _gaussians(asked)
        return self._about(asked, roc, counted) | {"empirical": self._counted_at(asked, place, roc, counted)}

    def _about(self, asked: Asked, roc: PredictedRoc, counted: Counted | None) -> dict[str, Any]:
        moments = _moments(roc, counted)
        range_ = _range(moments, counted)
        rates = roc.rates(asked.threshold, prevalence=asked.prevalence)
        locked = None if asked.family == "gaussian" else self._words["locked"].replace("{family}", asked.family)
        return {
            "threshold": asked.threshold,
            **_separation(moments, asked.direction),
            "rates": _measures(rates, asked),
            **self._best(roc, asked.prevalence, asked.cost),
            **self._shape(roc, moments, range_),
            "empirical": None,
            "locked": locked,
        }

    def _best(self, roc: PredictedRoc, prevalence: float, cost: float) -> dict[str, Any]:
        """Give the thresholds with the best Ameans, the least cost and the best accuracy."""
        even = self._even(roc)
        cheap, right = self._weighed(roc, prevalence, cost), self._weighed(roc, prevalence, 1.0)
        accuracy = prevalence * right.tpr + (1 - prevalence) * right.tnr
        slope = (1 - prevalence) / prevalence * cost
        least = prevalence * cheap.fnr + (1 - prevalence) * cost * cheap.fpr
        return {
            "best": as_json(_point(even) | {"ameans": even.ameans}),
            "costbest": as_json(_point(cheap) | {"cost": least, "slope": slope}),
            "accuracybest": as_json(_point(right) | {"accuracy": accuracy}),
            "crossings": _distinct(even.crossings),
            "weightedcrossings": _distinct(right.crossings),
        }

    def _place(self, asked: Asked) -> tuple[str, int, int]:
        rows = self._data[one_of("data", asked.data, self._data)]
        for name, held in (("feature", rows.features), ("contrast", rows.contrasts)):
            if getattr(asked, name) >= len(held):
                raise RocPredictError(f"{name}={getattr(asked, name)} is not on the page; it has {len(held)}, from 0")
        return asked.data, asked.contrast, asked.feature

    def _count(self, data: str, contrast: int, feature: int) -> Counted:
        rows = self._data[data]
        reason = reason_why_not(rows, contrast, feature, self._words)
        if reason is not None:
            raise RocPredictError(reason)
        return count(*rows.pair(contrast, feature))

    def _predict(self, data: str, contrast: int, feature: int, family: str, direction: str) -> PredictedRoc:
        """Predict; no direction was declared when the family was fitted, so none was taken as known."""
        pair = self._pair(data, contrast, feature, family)
        if family in _TABULATED:
            return TabulatedRoc(*pair, direction=direction).tabulated()
        return PredictedRoc(*pair, direction=direction)

    def _fit(self, data: str, contrast: int, feature: int, family: str) -> tuple[Any, Any]:
        from rocpredict.fitting import fit_with

        rows = self._data[data]
        try:
            negative, positive = fit_with(family)(*rows.pair(contrast, feature))
        except RocPredictError as error:
            told = {"{family}": family, "{feature}": rows.features[feature], "{reason}": str(error)}
            sentence = self._words["unfit"]
            for mark, text in told.items():
                sentence = sentence.replace(mark, text)
            raise RocPredictError(sentence) from None
        return negative, positive

    def _observe(self, data: str, contrast: int, feature: int, direction: str) -> tuple[EmpiricalRoc, dict[str, Any]]:
        """Give the curve that is counted, and what does not depend on a threshold."""
        counted = self._counted(data, contrast, feature)
        if direction == counted.empirical.direction:
            curve = counted.empirical.curve()
            return counted.empirical, counted_facts(counted.empirical) | {"points": _points(curve)}
        turned = EmpiricalRoc(counted.empirical.negative, counted.empirical.positive, direction=direction)
        return turned, counted_facts(turned) | {"points": _points(turned.curve()), "best": None}

    def _counted_at(
        self, asked: Asked, place: tuple[str, int, int], roc: PredictedRoc, counted: Counted
    ) -> dict[str, Any]:
        empirical, facts = self._observed(*place, asked.direction)
        rates = empirical.rates(asked.threshold)
        here = as_json({name: getattr(rates, name) for name in ("tpr", "fpr", "tnr", "fnr", "ameans")})
        fitted = asked.family != "gaussian" or _same(roc, counted.predicted)
        compared = fitted and asked.direction == counted.empirical.direction
        return here | facts | {"gap": self._gap(roc, empirical) if compared else None}


@lru_cache(_KEPT)
def _pair_of(mean0: float, std0: float, mean1: float, std1: float, direction: str) -> PredictedRoc:
    return PredictedRoc(Gaussian(mean0, std0), Gaussian(mean1, std1), direction=direction)


def _gaussians(asked: Asked) -> PredictedRoc:
    return _pair_of(asked.mean0, asked.std0, asked.mean1, asked.std1, asked.direction)


def _same(roc: PredictedRoc, other: PredictedRoc) -> bool:
    return bool(roc.negative == other.negative and roc.positive == other.positive)


Moments = tuple[float, float, float, float]
Range = tuple[float, float]


def _moments(roc: PredictedRoc, counted: Counted | None) -> Moments:
    """Give m0, s0, m1, s1: those that are drawn, or those of the rows behind another family."""
    pair = roc if isinstance(roc.negative, Gaussian) or counted is None else counted.predicted
    return pair.negative.mean, pair.negative.std, pair.positive.mean, pair.positive.std


def _separation(moments: Moments, direction: str) -> dict[str, float]:
    m0, s0, m1, s1 = moments
    side = -1.0 if direction == "lower" else 1.0
    return {"dprime": side * (m1 - m0) / float(np.sqrt((s0 * s0 + s1 * s1) / 2)), "std_ratio": s1 / s0}


def _range(moments: Moments, counted: Counted | None) -> Range:
    m0, s0, m1, s1 = moments
    ends = [m + sign * _SDS * s for m, s in ((m0, s0), (m1, s1)) for sign in (-1, 1)]
    if counted is not None:
        for side in (counted.empirical.negative, counted.empirical.positive):
            ends += [float(side.points[0]), float(side.points[-1])]
    pad = (max(ends) - min(ends)) * _PAD
    return min(ends) - pad, max(ends) + pad


def _measures(rates: Rates, asked: Asked) -> dict[str, Any]:
    names = ("tpr", "fpr", "tnr", "fnr", "ameans", "youden", "precision", "npv", "accuracy", "mcc")
    p = asked.prevalence
    cost = p * rates.fnr + (1 - p) * asked.cost * rates.fpr
    return as_json({name: getattr(rates, name) for name in names} | {"cost": cost})


def _even_of(roc: PredictedRoc) -> BestThreshold:
    return roc.best_threshold()


def _weighed_of(roc: PredictedRoc, prevalence: float, cost: float) -> BestThreshold:
    return roc.best_threshold("cost", prevalence=prevalence, cost_fp=cost)


def _point(best: BestThreshold) -> dict[str, float]:
    return {"threshold": best.threshold, "tpr": best.tpr, "fpr": best.fpr}


def _distinct(crossings: FloatArray) -> list[float]:
    return list(map(float, np.unique(crossings)))


def _shape_of(roc: PredictedRoc, moments: Moments, range_: Range) -> dict[str, Any]:
    """Give what no threshold moves: the area, the curve, and where it crosses the chance line."""
    hook = roc.hook()
    inside = [rate for rate in (hook.low, hook.high) if 0 < rate < 1]
    return {
        "auc": roc.auc(),
        "dips": [inside[0], inside[0]] if inside else None,
        "range": list(range_),
        "curve": _curve(roc, moments, range_),
    }


def _curve(roc: PredictedRoc, moments: Moments, range_: Range) -> dict[str, list[float]]:
    m0, s0, m1, s1 = moments
    z = np.linspace(-_SDS, _SDS, 71)
    threshold = np.sort(np.concatenate([np.linspace(*range_, 121), m0 + s0 * z, m1 + s1 * z]))
    columns = {
        "threshold": threshold,
        "negative": roc.negative.pdf(threshold),
        "positive": roc.positive.pdf(threshold),
        "fpr": roc.fpr(threshold),
        "tpr": roc.tpr(threshold),
    }
    return {name: np.nan_to_num(np.asarray(column)).tolist() for name, column in columns.items()}


def _points(curve: RocCurve) -> dict[str, list[float]]:
    return {"fpr": curve.fpr.tolist(), "tpr": curve.tpr.tolist()}
