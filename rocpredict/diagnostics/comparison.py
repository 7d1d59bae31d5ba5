"""Comparison of a predicted with an empirical ROC curve."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr

from rocpredict.base.accessors import plot_result
from rocpredict.base.formatting import format_interval, format_number
from rocpredict.base.results import Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import RocPredictError, short_repr
from rocpredict.diagnostics.fit import ks_statistic
from rocpredict.distributions.misfit import COMPARISON_FPR, area_between
from rocpredict.inference.uncertainty import AucErrorMethod
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID = np.unique(np.concatenate([np.linspace(0, 1, 4097), ndtr(np.linspace(-8, 8, 2049))]))
_MIN_CLASS_SIZE = 3  # negatives, for an FPR that is neither the first step nor the last


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Difference of a predicted ROC curve and an empirical one.

    Attributes
    ----------
    n_negative, n_positive : float
        Cases behind the empirical curve.
    direction : str
        "higher": positive when x >= threshold; "lower": when x <= threshold.
    predicted_auc, empirical_auc : float
    empirical_auc_low, empirical_auc_high : float
        The interval of the empirical AUC, by the default method.
    level : float
        Its level.
    auc_error : float
        Predicted - empirical.
    auc_error_z : float
        The same in standard errors of the empirical AUC (see Notes of ``compare``): a yardstick, and no z-test, for
        which the prediction would have to know nothing of these rows.
    max_tpr_gap : float
        The largest difference of TPR at one FPR, with the sign of predicted - empirical. It is looked for
        from FPR 1/n to 1 - 1/n, n the number of negatives (from 3 on): nearer to the ends the empirical curve
        is but one step, which no smooth curve can follow.
    max_tpr_gap_fpr : float
        The FPR where it is.
    area_between : float
        The mean absolute difference of TPR over all FPR; see ``rocpredict.distributions.misfit.area_between``.
    ks_negative, ks_positive, ks : float
        The largest difference of the predicted cdf and the sample's, within each class, and the larger one.
    predicted_threshold, empirical_threshold : float
        The thresholds with the best Ameans by prediction and by counting.
    predicted_ameans : float
        What the prediction promises at its threshold.
    ameans_at_predicted_threshold : float
        What the sample's rows give at that threshold.
    empirical_ameans : float
        The best that any threshold gives on these rows: optimistic, since the rows chose it.
    empirical_ameans_corrected : float
        The same corrected for optimism: what the chosen threshold gives in the population.
    threshold_regret : float
        empirical_ameans - ameans_at_predicted_threshold: what the predicted threshold costs on these rows.
    curves : (predicted, empirical)
        The two ROCs, as ``plot`` draws them.
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
        """Draw the predicted curve over the empirical one; see ``rocpredict.plots.curves.plot_comparison``."""
        return plot_result("plot_comparison", self.curves, {"ax": ax} | options)

    def table(self) -> Table:
        """Return both curves in figures, side by side."""
        rows: list[list[Any]] = [
            ["AUC", self.predicted_auc, self.empirical_auc, self.auc_error],
            ["best threshold", self.predicted_threshold, self.empirical_threshold, None],
            ["Ameans there", self.predicted_ameans, self.empirical_ameans, None],
            ["Ameans of the predicted threshold on these rows", None, self.ameans_at_predicted_threshold, None],
            ["Ameans, corrected for optimism", None, self.empirical_ameans_corrected, None],
            ["largest gap of TPR", None, None, self.max_tpr_gap],
            ["mean distance of the curves", None, None, self.area_between],
        ]
        interval_text = format_interval(self.empirical_auc_low, self.empirical_auc_high)
        cases = f"{format_number(self.n_negative)} negatives and {format_number(self.n_positive)} positives"
        notes = [
            f"Empirical AUC {interval_text} (level {self.level:g}), from {cases}, direction {self.direction}.",
            f"The error is {format_number(self.auc_error_z, 3)} standard errors of it.",
            f"The largest gap is at FPR {format_number(self.max_tpr_gap_fpr)}.",
        ]
        columns = ["quantity", "predicted", "empirical", "difference"]
        return Table("Predicted beside empirical", columns, rows, notes=notes)


def compare(predicted: Roc[float], empirical: EmpiricalRoc, *, level: float = 0.95) -> Comparison:
    """Compare a predicted ROC curve with an empirical one.

    Parameters
    ----------
    predicted : PredictedRoc
        Of one feature.
    empirical : EmpiricalRoc
        Of the same feature and direction; rows that the prediction was not fitted to are the fairer test.
    level : float
        Of the interval of the empirical AUC.

    Returns
    -------
    Comparison

    Raises
    ------
    RocPredictError
        What is not a ROC of one feature, two rules of opposite direction, a level outside (0, 1), weights that
        amount to less than one case.

    Notes
    -----
    ``auc_error_z`` divides by DeLong's standard error of the empirical AUC. A prediction fitted to the
    same rows errs together with it: for two Gaussian classes of 20, 50 and 200 cases each it lay within 0.4 standard
    errors in 95 of 100 draws, while for two lognormal classes of 200 it lay 4.5 below on average. So 1 already speaks
    against the distributions. Where DeLong's standard error is 0 (no overlap) or a class has a single case, the
    smoothed one stands in; where all values are tied, that of Hanley and McNeil. It is always finite.

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
        n_negative=empirical.negative.total,
        n_positive=empirical.positive.total,
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
            f"predicted={short_repr(predicted)} is not a ROC; give rp.predict_roc(...) or rp.PredictedRoc"
        )
    if not isinstance(empirical, EmpiricalRoc):
        raise RocPredictError(f"empirical={short_repr(empirical)} is not an empirical ROC; give rp.empirical_roc(...)")
    if predicted.shape:
        raise RocPredictError(f"predicted is a batch of shape {predicted.shape}; compare one feature at a time")
    first, second = _direction(predicted), _direction(empirical)
    if first != second:
        raise RocPredictError(f"predicted has direction={first!r}, empirical {second!r}; give both the same")


def _direction(roc: Roc) -> str:
    return "lower" if roc.direction == "lower" else "higher"


def _empirical_std_error(empirical: EmpiricalRoc) -> float:
    """Return the standard error of the empirical AUC by the first method that sees one."""
    lonely = min(empirical.negative.total, empirical.positive.total) <= 1
    methods: tuple[AucErrorMethod, ...] = ("delong", "smoothed-logit", "hanley-mcneil")
    errors = (empirical.auc_std_error(method=method) for method in methods[lonely:])
    return float(next(error for error in errors if error > 0))


@np.errstate(under="ignore")
def max_tpr_gap(predicted: Roc, empirical: EmpiricalRoc) -> tuple[float, float]:
    """Return the largest difference of TPR at one FPR, predicted - empirical, and that FPR; see ``compare``."""
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
