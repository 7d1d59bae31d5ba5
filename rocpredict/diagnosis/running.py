"""Diagnose a prediction: fit, measure, draw from the fit, judge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.arguments import FloatArray
from rocpredict.assumptions import without_doubt
from rocpredict.diagnosis.along import Along
from rocpredict.diagnosis.findings import find, verdict
from rocpredict.diagnosis.measured import (
    GRID,
    Misfit,
    Sorted,
    gaps,
    kolmogorov_smirnov,
    misfit,
    oriented,
    pair_of,
)
from rocpredict.diagnosis.picture import drawn
from rocpredict.diagnosis.results import Diagnosis
from rocpredict.diagnosis.shape import ClassShape, describe, std_ratio
from rocpredict.diagnosis.simulating import p_values, simulate
from rocpredict.empirical import EmpiricalRoc
from rocpredict.errors import RocPredictError
from rocpredict.inference.bootstrap import Resampling
from rocpredict.labels import split_classes
from rocpredict.predictor import PredictedRoc, predict_roc

_ENOUGH = 3  # negatives, for an FPR that is neither the first step nor the last


def diagnose(
    x: ArrayLike,
    y: ArrayLike,
    *,
    positive: Any = None,
    negative: Any = None,
    family: Any = "gaussian",
    direction: str | None = None,
    nan_policy: str = "raise",
    n_resamples: int = 500,
    rng: Any = 0,
) -> Diagnosis:
    """Say whether a predicted ROC curve can be believed, and where it fails.

    Parameters
    ----------
    x : array of shape (n,)
        Values of one feature.
    y : array of shape (n,)
        Labels.
    positive, negative, family, direction, nan_policy
        As in ``predict_roc``; not family="empirical", which is the rows themselves.
    n_resamples : int
        Samples drawn from the fitted pair, 20 or more.
    rng : int or numpy Generator
        With a seed the same rows give the same result.

    Returns
    -------
    Diagnosis

    Raises
    ------
    RocPredictError
        As ``predict_roc``: infinite values, a class of one row; family="empirical"; too few resamples.

    Notes
    -----
    p-values are those of the parametric bootstrap (Stute, Gonzalez Manteiga and Presedo Quindimil 1993): samples of
    these sizes are drawn from the fitted pair, the family is fitted anew to each, and the same measure taken;
    p = (b + 1)/(n + 1) with b of n draws as far off. Fitting anew is what a textbook's Kolmogorov-Smirnov p-value
    omits. For two Gaussians 500 draws take a moment; a family that is fitted by iterations takes as long as 1000 of
    its fits.

    A large p is no proof of a family: at 20 rows a class no check is decisive. A small one with thousands of rows may
    come of a misfit that does no harm: see ``l1``, ``auc_error`` and ``ameans_lost``.

    Examples
    --------
    >>> from rocpredict import datasets
    >>> iris = datasets.load_iris()
    >>> diagnosis = diagnose(iris.column("petal_width"), iris.y, positive="virginica", negative="versicolor")
    >>> diagnosis
    Diagnosis(family='gaussian', n_negative=50, n_positive=50, l1=0.005289 (p 0.91), auc_error=+0.0002959, warn=3,
              note=1)
    >>> print(diagnosis.finding("negative ties").sentence)
    negative class: 26 % of its rows equal 1.3
    """
    resampling = Resampling(n_resamples, rng)
    if isinstance(family, str) and family == "empirical":
        raise RocPredictError(
            "family='empirical' is the rows themselves: there is nothing to diagnose; give another one"
        )
    labels = {"positive": positive, "negative": negative, "nan_policy": nan_policy}
    with without_doubt():  # the findings say it at length
        roc = predict_roc(x, y, family=family, direction=direction, **labels)
    classes = split_classes(x, y, **labels)
    return _diagnosed(roc, (classes.negative, classes.positive), _name(family), resampling)


def _diagnosed(
    roc: PredictedRoc, rows: tuple[FloatArray, FloatArray], family: str, resampling: Resampling
) -> Diagnosis:
    samples, counts = oriented(roc, *rows), (len(rows[0]), len(rows[1]))
    seen, simulated = misfit(roc, samples), simulate(roc, counts, resampling)
    p = p_values(seen, simulated.misfit)
    shapes = _shapes(roc, rows, samples, seen, p)
    empirical = EmpiricalRoc(*rows, direction=roc.direction)
    ratio = std_ratio(*shapes)
    along = _along(roc, empirical, samples, float(simulated.misfit.distance.mean()), p)
    findings = find(family, *shapes, ratio, along)
    return Diagnosis(
        family=family,
        direction="lower" if roc.direction == "lower" else "higher",
        negative=shapes[0],
        positive=shapes[1],
        std_ratio=ratio,
        auc_predicted=roc.auc(),
        auc_empirical=empirical.auc(),
        auc_error=along.auc_error,
        auc_p_value=along.auc_p_value,
        l1=along.distance,
        l1_by_chance=along.by_chance,
        l1_p_value=along.p_value,
        max_tpr_gap=along.max_tpr_gap,
        max_tpr_gap_fpr=along.max_tpr_gap_fpr,
        max_tpr_gap_threshold=along.max_tpr_gap_threshold,
        gap_low_fpr=along.low_fpr,
        gap_middle_fpr=along.middle_fpr,
        gap_high_fpr=along.high_fpr,
        threshold=along.threshold,
        ameans_lost=along.lost,
        threshold_p_value=along.threshold_p_value,
        n_resamples=resampling.n_resamples,
        n_failed=simulated.n_failed,
        findings=tuple(findings),
        verdict=verdict(family, findings, counts),
        drawn=drawn(roc, empirical, samples, simulated.bands),
    )


def _name(family: Any) -> str:
    return family if isinstance(family, str) else str(getattr(family, "name", family))


def _shapes(
    roc: PredictedRoc, rows: tuple[FloatArray, FloatArray], samples: Sorted, seen: Misfit, p: dict[str, float]
) -> tuple[ClassShape, ClassShape]:
    """Describe both classes; the fit is that of the mirrored values where the rule is, which is the same."""
    shapes = []
    for name, values, mirrored, distribution in zip(("negative", "positive"), rows, samples, pair_of(roc), strict=True):
        constant = values.min() == values.max()
        shapes.append(
            describe(
                np.sort(values),
                ks=kolmogorov_smirnov(distribution, mirrored),
                anderson_darling=0.0 if constant else float(getattr(seen, name)),
                p_value=p[name],
            )
        )
    return shapes[0], shapes[1]


def _along(roc: PredictedRoc, empirical: EmpiricalRoc, samples: Sorted, by_chance: float, p: dict[str, float]) -> Along:
    gap = gaps(roc, samples)
    step = 1 / len(samples.negative) if len(samples.negative) >= _ENOUGH else 0.0
    inside = np.flatnonzero(np.minimum(GRID, 1 - GRID) >= step)
    at = inside[np.argmax(np.abs(gap[inside]))]
    low, middle, high = (float(part.mean()) for part in np.array_split(gap, 3))
    best = roc.best_threshold()
    return Along(
        distance=float(np.abs(gap).mean()),
        by_chance=by_chance,
        p_value=p["distance"],
        auc_error=roc.auc() - empirical.auc(),
        auc_p_value=p["bias"],
        max_tpr_gap=float(gap[at]),
        max_tpr_gap_fpr=float(GRID[at]),
        max_tpr_gap_threshold=float(roc.threshold_at_fpr(GRID[at])),
        low_fpr=low,
        middle_fpr=middle,
        high_fpr=high,
        threshold=best.threshold,
        lost=float(empirical.best_threshold().ameans - empirical.rates(best.threshold).ameans),
        threshold_p_value=p["lost"],
    )
