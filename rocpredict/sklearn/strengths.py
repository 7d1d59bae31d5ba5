"""How well each feature tells the classes apart, whatever their number: one AUC and one p-value a feature."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.arguments import FloatArray
from rocpredict.screening import adjusted, screen
from rocpredict.sklearn.rows import some_labels

_SIDES = {"auto": np.abs, "higher": np.positive, "lower": np.negative}


class Strengths(NamedTuple):
    """Hold what each of p features can do in its best contrast of classes.

    Attributes
    ----------
    screening : Screening
        The whole table, one row for each contrast and feature.
    auc : array of shape (p,)
        Signed: below 1/2 where positives lie lower. NaN where nothing is known.
    p_value : array of shape (p,)
        Two-sided, with a direction one-sided; times the number of contrasts, 1 at most.
    q_value : array of shape (p,)
        The p-values after Benjamini and Hochberg, over the features.
    """

    screening: Any
    auc: FloatArray
    p_value: FloatArray
    q_value: FloatArray


def feature_strengths(
    X: Any,
    y: ArrayLike,
    *,
    direction: str = "auto",
    empirical: bool = True,
    pairs: str = "rest",
    engine: str = "auto",
    n_jobs: int = 1,
    feature_names: Any = None,
) -> Strengths:
    """Screen features, and give the best contrast of each."""
    options = {"empirical": empirical, "engine": engine, "n_jobs": n_jobs, "feature_names": feature_names}
    table = _screened(X, some_labels(y), pairs=pairs, **options)
    listed = table.by_input()
    name = "empirical_auc" if empirical else "auc"
    areas, chances = (np.asarray(listed[column], dtype=np.float64) for column in (name, "p_value"))
    shape = (-1, np.shape(X)[1])
    return _best_contrasts(table, areas.reshape(shape), chances.reshape(shape), direction)


def _screened(X: Any, y: NDArray[Any], *, pairs: str, **options: Any) -> Any:
    """Ask ``rocpredict.screen`` for every contrast there is: one for two classes."""
    names = np.unique(y).tolist()
    if len(names) == 2:
        return screen(X, y, positive=names[1], **options)
    return screen(X, y, pairs=pairs, **options)


def _best_contrasts(table: Any, areas: FloatArray, chances: FloatArray, direction: str) -> Strengths:
    """Choose among contrasts, shape (contrasts, p), that of the smallest p.

    By AUC a rare class would be chosen, whose AUC is far off by chance. Equal p are told apart by the AUC; with a
    direction p is one-sided.
    """
    found = _SIDES[direction](areas - 0.5)
    if direction != "auto":
        chances = np.where(found > 0, chances / 2, 1 - chances / 2)
    best = np.lexsort((-found, chances), axis=0)[0]  # NaN goes last
    features = np.arange(areas.shape[1])
    p_value = np.minimum(chances[best, features] * len(chances), 1.0)
    return Strengths(table, areas[best, features], p_value, adjusted(p_value))
