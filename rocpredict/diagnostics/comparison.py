"""Comparison of a predicted ROC curve with an empirical ROC curve."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr

from rocpredict.base.formatting import format_estimate, format_number
from rocpredict.base.results import Result, plot_result
from rocpredict.base.tables import Table
from rocpredict.base.validation import RocPredictError, short_repr
from rocpredict.diagnostics.goodness_of_fit import ks_statistic
from rocpredict.distributions.ecdf import COMPARISON_FPR, area_between
from rocpredict.inference.uncertainty import AucErrorMethod
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID = np.unique(np.concatenate([np.linspace(0, 1, 4097), ndtr(np.linspace(-8, 8, 2049))]))
_MIN_CLASS_SIZE = 3  # with fewer negatives, the curve has no FPR between its first and last step


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Difference between a predicted and an empirical ROC curve.

    Attributes
    ----------
    n_negative, n_positive : int or float
        Number of observations in each class of the empirical curve. For weighted data, this is the sum of the weights,
        which may be fractional.
    direction : {"higher", "lower"}
        Direction of the rule. "higher": positive if x >= threshold; "lower": positive if x <= threshold.
    predicted_auc, empirical_auc : float
        AUC of each curve.
    empirical_auc_low, empirical_auc_high : float
        Bounds of the confidence interval for the empirical AUC, computed by the default method of ``auc_interval``.
    level : float
        Confidence level of the interval for the empirical AUC.
    auc_error : float
        Predicted AUC minus empirical AUC.
    auc_error_z : float
        ``auc_error`` divided by the standard error of the empirical AUC (see the Notes of ``compare``). This ratio is
        not the statistic of a z-test. A z-test would require a prediction that is independent of the data from which
        the empirical curve is computed.
    max_tpr_gap : float
        Predicted minus empirical TPR at the FPR where the absolute difference is largest. If there are n >= 3
        negatives, only FPRs from 1/n to 1 - 1/n are considered. At FPRs closer to 0 or 1, the empirical curve is a
        single step, and no smooth curve can be close to it.
    max_tpr_gap_fpr : float
        FPR at which the TPRs of the two curves differ most.
    area_between : float
        Absolute difference in TPR between the two curves, averaged over all FPRs; see
        ``rocpredict.distributions.ecdf.area_between``.
    ks_negative, ks_positive, ks : float
        Largest absolute difference between the predicted and the empirical distribution function, for the negatives
        (``ks_negative``) and for the positives (``ks_positive``). ``ks`` is the larger of these two values.
    predicted_threshold, empirical_threshold : float
        Threshold with the highest predicted Ameans, and threshold with the highest empirical Ameans.
    predicted_ameans : float
        Predicted Ameans at the predicted threshold.
    ameans_at_predicted_threshold : float
        Empirical Ameans at the predicted threshold.
    empirical_ameans : float
        Highest empirical Ameans. This value is optimistic, since the threshold was chosen from the same data.
    empirical_ameans_corrected : float
        Optimism-corrected Ameans of the empirical threshold: an estimate of its Ameans on new data.
    threshold_regret : float
        Loss in empirical Ameans if the predicted threshold is used: empirical_ameans - ameans_at_predicted_threshold.
    curves : (predicted, empirical)
        The two ROC curves drawn by ``plot``.
    """

    n_negative: float
    n_positive: float
    direction: str
    predicted_auc: float
    empirical_auc: float
    empirical_auc_low: float
    empirical_auc_high: float
    level: float
    auc_error: float
    auc_error_z: float
    max_tpr_gap: float
    max_tpr_gap_fpr: float
    area_between: float
    ks_negative: float
    ks_positive: float
    ks: float
    predicted_threshold: float
    empirical_threshold: float
    predicted_ameans: float
    ameans_at_predicted_threshold: float
    empirical_ameans: float
    empirical_ameans_corrected: float
    threshold_regret: float
    curves: tuple[Roc, EmpiricalRoc] = field(compare=False, metadata={"hidden": True})
    _text = (
        "auc_error={auc_error:+.4g} ({auc_error_z:+.2g} std errors), max_tpr_gap={max_tpr_gap:+.4g} at "
        "fpr={max_tpr_gap_fpr:.4g}, area_between={area_between:.4g}, threshold_regret={threshold_regret:.4g}"
    )

    def plot(self, *, ax: Axes | None = None, **options: object) -> Axes:
        """Plot the predicted and the empirical curve.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on. By default, the axes of a new figure.
        **options
            Options of ``rocpredict.plots.plot_comparison``.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return plot_result("plot_comparison", self.curves, {"ax": ax} | options)

    def table(self) -> Table:
        """Return a table that compares the measures of the two curves."""
        rows: list[list[Any]] = [
            ["AUC", self.predicted_auc, self.empirical_auc, self.auc_error],
            ["best threshold", self.predicted_threshold, self.empirical_threshold, None],
            ["Ameans at this threshold", self.predicted_ameans, self.empirical_ameans, None],
            ["empirical Ameans at the predicted threshold", None, self.ameans_at_predicted_threshold, None],
            ["Ameans, optimism-corrected", None, self.empirical_ameans_corrected, None],
            ["largest difference in TPR", None, None, self.max_tpr_gap],
            ["mean distance between the curves", None, None, self.area_between],
        ]
        estimate = format_estimate(self.empirical_auc, (self.empirical_auc_low, self.empirical_auc_high), self.level)
        sizes = f"{format_number(self.n_negative)} negatives and {format_number(self.n_positive)} positives"
        notes = [
            f"Empirical AUC {estimate}, {sizes}, direction {self.direction}.",
            f"The AUC difference is {format_number(self.auc_error_z, 3)} standard errors of the empirical AUC.",
            f"The largest difference in TPR is at FPR {format_number(self.max_tpr_gap_fpr)}.",
        ]
        columns = ["quantity", "predicted", "empirical", "difference"]
        return Table("Predicted and empirical ROC curves", columns, rows, notes=notes)


def compare(predicted: Roc[float], empirical: EmpiricalRoc, *, level: float = 0.95) -> Comparison:
    """Compare a predicted ROC curve with an empirical ROC curve.

    Parameters
    ----------
    predicted : PredictedRoc
        Predicted ROC curve of one feature.
    empirical : EmpiricalRoc
        Empirical ROC curve of the same feature, with the same direction. The comparison is fairer if the prediction was
        not fitted to the data of the empirical curve.
    level : float, default=0.95
        Confidence level of the interval for the empirical AUC, in (0, 1).

    Returns
    -------
    Comparison

    Raises
    ------
    RocPredictError
        If an argument is not a ROC curve of one feature, if ``predicted`` is an empirical curve, if the directions
        differ, if ``level`` is not in (0, 1), or if the weights of a class sum to less than 1.

    See Also
    --------
    rocpredict.diagnose : Test of the fit of a prediction to its data, with suggestions.
    rocpredict.auc_test : Test of equal AUCs of two features or of two samples.

    Notes
    -----
    ``auc_error_z`` is ``auc_error`` divided by DeLong's standard error of the empirical AUC. If the prediction is
    fitted to the same data, the errors of the predicted and the empirical AUC are correlated. In simulations with two
    Gaussian classes and 20, 50 or 200 observations per class, ``auc_error_z`` was between -0.4 and 0.4 in 95% of
    samples. If Gaussians were fitted to two lognormal classes with 200 observations per class, the mean of
    ``auc_error_z`` was -4.5. For a prediction fitted to the same data, an ``auc_error_z`` of 1 or -1 is therefore
    already evidence against the predicted distributions.

    The method "smoothed-logit" of ``auc_std_error`` replaces DeLong's method if DeLong's standard error is 0 (because
    the classes do not overlap) or if a class has a single observation. If all values are tied, the standard error of
    Hanley and McNeil is used. ``auc_error_z`` is therefore always finite.

    Examples
    --------
    >>> from rocpredict import datasets, empirical_roc, predict_roc
    >>> iris = datasets.load_iris()
    >>> classes = {"positive": "virginica", "negative": "versicolor"}
    >>> x = iris.column("petal_width")
    >>> compare(predict_roc(x, iris.y, **classes), empirical_roc(x, iris.y, **classes))
    Comparison(auc_error=+0.0002959 (+0.028 std errors), max_tpr_gap=-0.04232 at fpr=0.02, area_between=0.005289,
               threshold_regret=0)
    """
    gap, place = max_tpr_gap(predicted, empirical)
    ks_negative, ks_positive = (
        ks_statistic(getattr(predicted, name), getattr(empirical, name)) for name in ("negative", "positive")
    )
    best, best_empirical = predicted.best_threshold(), empirical.best_threshold()
    achieved = empirical.rates(best.threshold).ameans
    interval, error = empirical.auc_interval(level), predicted.auc() - empirical.auc()
    return Comparison(
        n_negative=_as_count(empirical.negative.total),
        n_positive=_as_count(empirical.positive.total),
        direction=_direction(empirical),
        predicted_auc=predicted.auc(),
        empirical_auc=empirical.auc(),
        empirical_auc_low=interval.low,
        empirical_auc_high=interval.high,
        level=interval.level,
        auc_error=error,
        auc_error_z=error / _empirical_std_error(empirical),
        max_tpr_gap=gap,
        max_tpr_gap_fpr=place,
        area_between=float(area_between(predicted.tpr_at_fpr(COMPARISON_FPR), empirical.tpr_at_fpr(COMPARISON_FPR))),
        ks_negative=ks_negative,
        ks_positive=ks_positive,
        ks=max(ks_negative, ks_positive),
        predicted_threshold=best.threshold,
        empirical_threshold=best_empirical.threshold,
        predicted_ameans=best.ameans,
        ameans_at_predicted_threshold=achieved,
        empirical_ameans=best_empirical.ameans,
        empirical_ameans_corrected=float(best_empirical.ameans_corrected),  # type: ignore[arg-type]
        threshold_regret=best_empirical.ameans - achieved,
        curves=(predicted, empirical),
    )


def _check(predicted: Roc, empirical: EmpiricalRoc) -> None:
    if not isinstance(predicted, Roc):
        raise RocPredictError(
            f"predicted={short_repr(predicted)} is not a ROC curve; pass rp.predict_roc(...) or an rp.PredictedRoc"
        )
    if isinstance(predicted, EmpiricalRoc):
        raise RocPredictError("predicted= is an empirical curve; to compare two samples, use rp.auc_test")
    if not isinstance(empirical, EmpiricalRoc):
        raise RocPredictError(
            f"empirical={short_repr(empirical)} is not an empirical ROC curve; pass rp.empirical_roc(...)"
        )
    if predicted.shape:
        raise RocPredictError(f"predicted is a batch of shape {predicted.shape}; compare one feature at a time")
    first, second = _direction(predicted), _direction(empirical)
    if first != second:
        raise RocPredictError(
            f"predicted has direction={first!r}, but empirical has direction={second!r}; pass the same direction for "
            "both"
        )


def _as_count(total: float) -> float:
    """Return ``total`` as an integer if it is whole; a sum of weights may be fractional."""
    return int(total) if float(total).is_integer() else total


def _direction(roc: Roc) -> str:
    return "lower" if roc.direction == "lower" else "higher"


def _empirical_std_error(empirical: EmpiricalRoc) -> float:
    """Return the standard error of the empirical AUC, by the first of several methods with a positive result."""
    lonely = min(empirical.negative.total, empirical.positive.total) <= 1
    methods: tuple[AucErrorMethod, ...] = ("delong", "smoothed-logit", "hanley-mcneil")
    errors = (empirical.auc_std_error(method=method) for method in methods[lonely:])
    return float(next(error for error in errors if error > 0))


@np.errstate(under="ignore")
def max_tpr_gap(predicted: Roc, empirical: EmpiricalRoc) -> tuple[float, float]:
    """Return the TPR difference (predicted minus empirical) with the largest absolute value, and its FPR."""
    _check(predicted, empirical)
    fpr = np.unique(np.concatenate([_GRID, empirical.curve().fpr, predicted.curve().fpr]))
    before = np.maximum(np.nextafter(fpr, 0), 0)
    from_left_gap, from_right_gap = (predicted.tpr_at_fpr(rate) - empirical.tpr_at_fpr(rate) for rate in (before, fpr))
    negatives = empirical.negative.total
    step = 1 / negatives if negatives >= _MIN_CLASS_SIZE else 0.0
    from_left = np.where((fpr > step) & (fpr <= 1 - step) & (fpr > 0), from_left_gap, 0.0)
    from_right = np.where((fpr >= step) & (fpr < 1 - step), from_right_gap, 0.0)
    gaps = np.where(np.abs(from_right) >= np.abs(from_left), from_right, from_left)
    largest = int(np.argmax(np.abs(gaps)))
    return float(gaps[largest]), float(fpr[largest])
