"""Densities and ROC curve side by side."""

from collections.abc import Sequence
from typing import Any

from rocpredict.empirical import EmpiricalRoc
from rocpredict.plots.curves import plot_comparison, plot_roc
from rocpredict.plots.densities import plot_densities
from rocpredict.plots.style import Picture
from rocpredict.roc import Roc

_SIZE = (10.4, 4.9)


def side_by_side(
    predicted: Roc,
    empirical: EmpiricalRoc | None = None,
    *,
    feature: str = "x",
    unit: str | None = None,
    classes: Sequence[Any] | None = None,
) -> Picture:
    """Draw the two class densities on the left, the ROC curve on the right.

    Parameters
    ----------
    predicted : ROC
        Of one feature.
    empirical : EmpiricalRoc, optional
        Of the same feature: then the right panel lays the predicted curve over it.
    feature, unit : str, optional
    classes : pair, optional
        As in ``plot_densities``.

    Returns
    -------
    Picture
        A matplotlib Figure.

    Raises
    ------
    RocPredictError
        As ``plot_densities`` and ``plot_comparison``.
    """
    picture = Picture(_SIZE)
    left, right = picture.subplots(1, 2)
    plot_densities(predicted, ax=left, feature=feature, unit=unit, classes=classes)
    if empirical is None:
        plot_roc(predicted, ax=right)
    else:
        plot_comparison(predicted, empirical, ax=right)
    return picture
