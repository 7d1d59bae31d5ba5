"""Mean ROC curve over cross-validation folds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from rocpredict.base.formatting import format_estimate
from rocpredict.base.rates import check_confidence_level, wilson_limits
from rocpredict.base.results import Flags, Interval, Result, plot_result
from rocpredict.base.tables import CurvePlot, Table, thin_curve
from rocpredict.base.validation import (
    Direction,
    FloatArray,
    Label,
    NanPolicy,
    RocPredictError,
    check_pair,
    check_probabilities,
    is_list,
    short_repr,
    to_scalar,
)
from rocpredict.roc.empirical import EmpiricalRoc, empirical_roc
from rocpredict.solvers.base import check_n_points, interpolate_tpr, interpolate_tpr_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class MeanRoc(Result):
    """Mean ROC curve of several folds.

    Attributes
    ----------
    fpr, tpr : array of shape (m,)
        Points of the mean curve from (0, 0) to (1, 1). ``tpr`` is the mean of the TPRs of the folds at each FPR. If the
        curve of any fold has a vertical step at an FPR, this FPR occurs twice. At the first of these two points,
        ``tpr`` is the lowest TPR at this FPR, averaged over the folds. At the second point, ``tpr`` is the highest TPR
        at this FPR, averaged over the folds.
    low, high : array of shape (m,)
        Lower and upper limit of the pointwise confidence band of the mean curve.
    std : array of shape (m,)
        Standard deviation of the TPRs of the folds at each FPR (ddof=1).
    aucs : array of shape (folds,)
        AUC of each fold.
    auc : float
        Mean of the AUCs of the folds. If ``n_points`` was not passed, this is also the area under the mean curve.
    auc_interval : Interval
        Confidence interval of the mean AUC.
    fold_sizes : array of shape (folds, 2)
        Number of negatives and number of positives in each fold.
    level : float
        Confidence level of ``auc_interval``, and of the band at each FPR.
    fold_rocs : tuple of EmpiricalRoc
        ROC curves of the folds.
    flags : Flags
        The flag ``fallback`` is set if all folds have the same AUC. The width of ``auc_interval`` is then computed only
        from the numbers of observations.
    """

    fpr: FloatArray
    tpr: FloatArray
    low: FloatArray
    high: FloatArray
    std: FloatArray
    aucs: FloatArray
    auc: float
    auc_interval: Interval[float]
    fold_sizes: FloatArray
    level: float
    fold_rocs: tuple[EmpiricalRoc, ...]
    flags: Flags = field(default_factory=Flags)
    _long = True
    _listed = (
        *("fpr", "tpr", "low", "high", "std", "aucs", "auc", "fold_sizes", "level"),
        *("auc_interval", "n_folds", "flags"),
    )
    _text = (
        "n_folds={n_folds}, auc={auc:.6r} ({auc_interval.low:.6r} to {auc_interval.high:.6r}), "
        "level={level:g}{flag_text}"
    )

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.fold_rocs)

    @overload
    def tpr_at_fpr(self, fpr: float) -> float: ...
    @overload
    def tpr_at_fpr(self, fpr: ArrayLike) -> FloatArray: ...
    def tpr_at_fpr(self, fpr: ArrayLike) -> float | FloatArray:
        """Return the TPR of the mean curve at an FPR.

        Parameters
        ----------
        fpr : float or array-like
            False positive rate, in [0, 1].

        Returns
        -------
        float or array
            Highest TPR of the mean curve at this FPR, with the same shape as ``fpr``.

        Raises
        ------
        RocPredictError
            If ``fpr`` is outside [0, 1].
        """
        return to_scalar(interpolate_tpr(self.fpr, self.tpr, check_probabilities("fpr", fpr)))

    def plot(self, ax: Axes | None = None, **options: object) -> Axes:
        """Plot the mean curve with its confidence band.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on. By default, the axes of a new figure.
        **options
            Options of ``rocpredict.plots.plot_mean_roc``.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return plot_result("plot_mean_roc", (self,), {"ax": ax} | options)

    def table(self) -> Table:
        """Return a table of the mean AUC and the AUC of each fold.

        Returns
        -------
        Table
        """
        areas = zip(self.aucs.tolist(), self.fold_sizes.tolist(), strict=True)
        rows = [["mean", self.auc, *self.fold_sizes.sum(axis=0).tolist()]]
        rows += [[f"fold {k}", auc, *sizes] for k, (auc, sizes) in enumerate(areas, start=1)]
        area = f"Mean AUC {format_estimate(self.auc, self.auc_interval, self.level)}."
        plot = CurvePlot(f"Mean ROC curve of {self.n_folds} folds. {area}", [thin_curve(self.fpr, self.tpr)])
        columns = ["curve", "AUC", "negatives", "positives"]
        return Table("Mean ROC curve", columns, rows, None, [area], self.flags, plot)


def mean_roc(
    folds: Iterable[tuple[ArrayLike, ArrayLike] | EmpiricalRoc],
    *,
    positive: Label = None,
    negative: Label = None,
    direction: Direction = None,
    n_points: int | None = None,
    level: float = 0.95,
    nan_policy: NanPolicy = "raise",
) -> MeanRoc:
    """Compute the vertical average of the ROC curves of several folds.

    Parameters
    ----------
    folds : iterable of (x, y), or of EmpiricalRoc
        Two or more folds. Each fold contains the scores and labels of held-out observations. The scores must be from a
        model that was fitted without these observations.
    positive : label, optional
        Label of the positive class. May be omitted if the labels are {0, 1}, {-1, 1} or booleans.
    negative : label, optional
        Label of the negative class. By default, all other labels are negative.
    direction : {None, "higher", "lower"}, default=None
        Direction of the classification rule, the same for all folds; None means "higher". "auto" is not accepted,
        because it could select different directions in different folds.
    n_points : int, optional
        Number of evenly spaced FPRs at which the mean curve is computed. If the curve of any fold has a vertical step
        at one of these FPRs, this FPR occurs twice in the result. By default, the mean curve is computed at every FPR
        at which the curve of any fold has a vertex. The mean curve is then exact, and the area under it equals the mean
        AUC.
    level : float, default=0.95
        Confidence level, in (0, 1), of the pointwise band and of the interval for the mean AUC.
    nan_policy : {"raise", "omit"}, default="raise"
        How to handle observations with missing values: "raise" raises an error; "omit" omits these observations and
        stores their number.

    Returns
    -------
    MeanRoc

    Raises
    ------
    RocPredictError
        If fewer than two folds are passed, if a fold is invalid (the message states its index), if the directions of
        the folds differ, or if a direction is "auto".

    Notes
    -----
    The mean curve is the vertical average of the curves of the folds [1]_. ``positive``, ``negative``, ``direction``
    and ``nan_policy`` apply only to folds that are passed as (x, y).

    At each FPR, the band is Wilson's score interval for the mean TPR of the K folds. In the formula, the quantile of
    Student's t distribution with K - 1 degrees of freedom replaces the normal quantile. The band stays within [0, 1],
    and its width is positive except at (0, 0) and (1, 1). The number of observations in Wilson's formula is the smaller
    of TPR * (1 - TPR)/SE² and the total number of positives. Here TPR is the mean over the K folds, and SE is the
    standard error of this mean. Without the total number of positives as an upper limit, the band would be very narrow
    if the TPRs of the folds were nearly equal by chance.

    The interval for the mean AUC is computed in the same way, except that the upper limit for the number of
    observations in Wilson's formula is 2 * H. Here H is the harmonic mean of the total number of negatives and the
    total number of positives. If all folds have the same AUC, the number of observations in the formula is H.

    At level 0.95, the interval for the mean AUC contained the true AUC in 97.6% to 99.8% of 800 simulated samples,
    depending on the number and the size of the folds. The samples had 5 or 10 independent folds. The smallest folds had
    10 observations in each class. The largest folds had 8 observations in one class and 100 in the other. With 2 folds,
    the interval is too wide to be useful.

    The band is a confidence band for the expected mean curve of folds with these class sizes, not for the population
    curve. The mean curve of small folds is biased: it is above the population curve at the upper end of each vertical
    step, and below the population curve at the lower end of the step.

    The folds of a cross-validation share training data, so their curves are not independent, and no unbiased estimator
    of the variance of the mean curve exists [2]_. The band is usually too narrow to predict the curve of another sample
    of the same size, and it is not a simultaneous band for the whole curve.

    The ROC curve of the pooled scores of all folds estimates a different quantity, because positives of one fold are
    then also compared with negatives of other folds. The scores of different folds were computed by different models
    and may have different scales. The AUC of the pooled scores may be lower than all fold AUCs, or higher than all of
    them. For the mean curve, only scores that were computed by the same model are compared.

    References
    ----------
    .. [1] T. Fawcett (2006), An introduction to ROC analysis, Pattern Recognition Letters 27, 861-874.
    .. [2] Y. Bengio, Y. Grandvalet (2004), No unbiased estimator of the variance of K-fold cross-validation, Journal of
       Machine Learning Research 5, 1089-1105.

    Examples
    --------
    >>> mean = mean_roc([([1, 2, 3, 4], [0, 0, 1, 1]), ([1, 3, 2, 4], [0, 0, 1, 1])])
    >>> mean.aucs
    array([1.  , 0.75])
    >>> mean.fpr, mean.tpr
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0.  , 0.75, 0.75, 1.  , 1.  ]))
    """
    level = check_confidence_level(level)
    options = {"positive": positive, "negative": negative, "direction": direction, "nan_policy": nan_policy}
    rocs = _fold_rocs(folds, options)
    fpr, tpr_values = _tpr_matrix(rocs, n_points)
    aucs = np.array([roc.auc() for roc in rocs])
    sizes = np.array([(roc.negative.total, roc.positive.total) for roc in rocs])
    tpr, std = tpr_values.mean(axis=0), tpr_values.std(axis=0, ddof=1)
    low, high = _pointwise_limits(tpr_values, sizes[:, 1].sum(), level)
    for corner in (0, -1):  # the corners (0, 0) and (1, 1) belong to every curve
        low[corner] = high[corner] = tpr[corner]
    equal, harmonic_size = bool((aucs == aucs[0]).all()), 2 / (1 / sizes.sum(axis=0)).sum()
    auc_low, auc_high = _pointwise_limits(aucs[:, None], harmonic_size if equal else 2 * harmonic_size, level)
    auc, flags = float(aucs.mean()), Flags(fallback=equal)
    interval = Interval(auc_low.item(), auc_high.item(), level, "score-t", auc, flags)
    return MeanRoc(fpr, tpr, low, high, std, aucs, auc, interval, sizes, level, rocs, flags)


def _fold_rocs(folds: Iterable[Any], options: dict[str, Any]) -> tuple[EmpiricalRoc, ...]:
    """Return the curves of the folds, or raise an error if a fold is invalid or the directions differ."""
    if isinstance(folds, EmpiricalRoc) or not is_list(folds):
        allowed = "[(x, y), ...] or [EmpiricalRoc, ...]"
        raise RocPredictError(f"folds={short_repr(folds)} is not a list of folds; pass {allowed}")
    fold_list = list(folds)
    if len(fold_list) < 2:
        raise RocPredictError(f"folds has length {len(fold_list)}; pass at least two folds")
    for k, fold in enumerate(fold_list):
        if not isinstance(fold, EmpiricalRoc):
            x, y = check_pair(f"folds[{k}]", fold, "(x, y) or an EmpiricalRoc")
            try:
                fold_list[k] = empirical_roc(x, y, **options)
            except RocPredictError as error:
                raise RocPredictError(f"folds[{k}]: {error}") from None
    rocs: tuple[EmpiricalRoc, ...] = tuple(fold_list)
    if any(roc.auto_direction for roc in rocs):
        raise RocPredictError(
            "direction='auto' could select a different direction in each fold; use 'higher' or 'lower' for all folds"
        )
    if len({"lower" if roc.direction == "lower" else "higher" for roc in rocs}) > 1:
        raise RocPredictError("folds have different directions, 'higher' and 'lower'; use one direction for all folds")
    return rocs


def _tpr_matrix(rocs: tuple[EmpiricalRoc, ...], n_points: int | None) -> tuple[FloatArray, FloatArray]:
    """Return the FPRs of the mean curve, and an array of shape (folds, m) with the TPRs of the folds at these FPRs."""
    curves = [roc.curve() for roc in rocs]
    if n_points is None:
        grid = np.unique(np.concatenate([curve.fpr for curve in curves]))
    else:
        grid = np.linspace(0, 1, check_n_points(n_points))
    upper = np.array([interpolate_tpr(curve.fpr, curve.tpr, grid) for curve in curves])
    lower = np.array([interpolate_tpr_below(curve.fpr, curve.tpr, grid) for curve in curves])
    twice = np.any(upper > lower, axis=0)
    order = np.argsort(np.concatenate([grid[twice], grid]), kind="stable")
    return np.concatenate([grid[twice], grid])[order], np.concatenate([lower[:, twice], upper], axis=1)[:, order]


def _pointwise_limits(values: FloatArray, n_observations: float, level: float) -> tuple[FloatArray, FloatArray]:
    """Return Wilson-type confidence limits for the mean of each column of ``values``, an array of shape (folds, m)."""
    folds = len(values)
    mean = np.asarray(values.mean(axis=0))
    error = values.std(axis=0, ddof=1) / np.sqrt(folds)
    with np.errstate(divide="ignore", invalid="ignore"):
        implied = mean * (1 - mean) / error**2
    n_trials = np.where(implied < n_observations, implied, n_observations)
    low, high = wilson_limits(mean, n_trials, float(stdtrit(folds - 1, (1 + level) / 2)))
    return np.minimum(low, mean), np.maximum(high, mean)
