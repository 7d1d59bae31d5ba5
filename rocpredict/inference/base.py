"""The uncertainty of a ROC curve: abstract base class, and confidence bands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.formatting import format_number
from rocpredict.base.results import Flags, Interval, Result
from rocpredict.base.tables import CurvePlot, thin_curve
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    check_option,
    check_probabilities,
    readonly_array,
    short_repr,
)
from rocpredict.inference.placements import RateRange
from rocpredict.solvers.base import Solver
from rocpredict.solvers.families import solver_for
from rocpredict.solvers.thresholds import ThresholdCriterion, ThresholdStability

if TYPE_CHECKING:
    from rocpredict.inference.hypotheses import AucTest, Hypothesis

KINDS = ("pointwise", "simultaneous")
"""A band holds at one FPR, or everywhere at once; the first is the default."""
_GRID = readonly_array(np.arange(201) / 200)  # correctly rounded: the floats of counted FPRs


@dataclass(frozen=True, eq=False, repr=False)
class ConfidenceBand(Result):
    """A band about a ROC curve.

    Attributes
    ----------
    fpr : array of shape (k,)
        Where the band is given.
    tpr : array of shape (k,)
        The curve that it is about; on a vertical piece its top.
    low, high : arrays of shape (k,)
    level : float
    kind : {"pointwise", "simultaneous"}
        Whether the band holds the TPR at one FPR chosen beforehand, or the whole curve, with this level.
    method : str
        What made the band.
    flags : Flags
        Stated outcomes of degenerate inputs.
    """

    fpr: FloatArray
    tpr: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    kind: str
    method: str
    flags: Flags = field(default_factory=Flags)
    _long = True
    _heading = "ROC curve with its {kind} band of level {level:g} by {method}"
    _text = "{kind}, n_points={length}, level={level:g}, method={method!r}, mean_width={mean_width:.4g}{flag_text}"

    @property
    def mean_width(self) -> float:
        """The mean of high - low over the FPRs of the band."""
        return float(np.mean(self.high - self.low))

    def contains(self, curve: Any) -> bool:
        """Return whether a curve lies inside at every FPR of the band.

        Parameters
        ----------
        curve : Roc or function
            A ROC of one feature, or a function that takes FPRs, shape (k,), and gives TPRs.

        Raises
        ------
        RocPredictError
            What is neither.
        """
        tpr_function = getattr(curve, "tpr_at_fpr", curve)
        if not callable(tpr_function):
            raise RocPredictError(f"curve={short_repr(curve)} is no curve; give a ROC, or a function of FPRs")
        tpr = np.asarray(tpr_function(self.fpr))
        return bool(np.all((self.low <= tpr) & (tpr <= self.high)))

    def __len__(self) -> int:
        return len(self.fpr)

    def _plot(self) -> CurvePlot:
        curves = [thin_curve(self.fpr, part) for part in (self.tpr, self.low, self.high)]
        return CurvePlot(f"ROC curve; dashed: its {self.kind} band of level {self.level:g}", curves)

    def _notes(self) -> list[str]:
        return [f"Mean width {format_number(self.mean_width)}, {len(self)} FPRs."]


class Uncertainty(ABC):
    """Standard errors, intervals, tests and bands of one ROC curve; of the rule "positive when x >= threshold".

    Areas are shares of the width of their range of rates; without one they are AUCs.
    """

    negative: Any
    positive: Any
    is_empirical: ClassVar[bool]

    @cached_property
    def solver(self) -> Solver:
        """Solver of the two classes."""
        return solver_for(self.negative, self.positive)

    @property
    @abstractmethod
    def class_sizes(self) -> tuple[ArrayOrFloat, ArrayOrFloat]:
        """Cases of each class."""

    @abstractmethod
    def area_std_error(self, rate_range: RateRange | None, method: str | None) -> Any:
        """Return the standard error of an area."""

    @abstractmethod
    def area_interval(self, rate_range: RateRange | None, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of an area."""

    @abstractmethod
    def auc_test(self, null: Any, method: str | None, claim: Hypothesis, level: float, direction: str) -> AucTest:
        """Test the AUC against a value."""

    @abstractmethod
    def tpr_at_fpr_interval(self, fpr: FloatArray, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of the TPR at each of some FPRs."""

    @abstractmethod
    def rate_interval(self, measure: str, threshold: ArrayOrFloat, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of a measure at a threshold that was fixed beforehand."""

    @abstractmethod
    def threshold_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of the best threshold."""

    @abstractmethod
    def ameans_interval(self, criterion: ThresholdCriterion, level: float, method: str | None) -> Interval[Any]:
        """Return the interval of the Ameans at the best threshold."""

    def stability(
        self, criterion: ThresholdCriterion, to_feature_scale: Callable[[FloatArray], Any] = np.asarray
    ) -> ThresholdStability:
        """Return what the best threshold does over resamples; refuse for a predicted one."""
        raise RocPredictError(
            "stability is asked of a threshold that was chosen by counting rows; a predicted one has threshold_interval"
        )

    @abstractmethod
    def _band(self, fpr: FloatArray, level: float, kind: str, method: str | None) -> ConfidenceBand:
        """Return a band at some FPRs, shape (k,)."""

    def band(self, fpr: ArrayLike | None, level: float, kind: str, method: str | None) -> ConfidenceBand:
        """Return the band about the curve of one feature."""
        check_option("kind", kind, KINDS)
        if self.solver.shape:
            raise RocPredictError(
                f"the ROC is a batch of shape {self.solver.shape}; ask for the band of one feature at a time"
            )
        grid = _GRID if fpr is None else check_probabilities("fpr", fpr)
        if grid.ndim != 1 or not grid.size:
            raise RocPredictError(f"fpr={short_repr(fpr)} has shape {grid.shape}; give shape (k,), with k of 1 or more")
        return self._band(readonly_array(grid), level, kind, method)

    def _kolmogorov_smirnov_band(
        self, total: tuple[float, float], fpr: FloatArray, level: float, kind: str, *, fallback: bool = False
    ) -> ConfidenceBand:
        """Return all that lies within reach of the curve: so far along FPR, and so far along TPR.

        No threshold has an FPR, or a TPR, farther than that from its estimate. What the curve had reached at
        FPR - reach it has surely reached, but for the reach along TPR; what it reaches at FPR + reach is the most.
        """
        right, up = (kolmogorov_critical_value(np.sqrt(level), n) for n in total)
        before, after = fpr - right, fpr + right
        low = np.where(before >= 0, self.solver.along("fpr", np.maximum(before, 0)) - up, 0.0)
        high = np.where(after < 1, self.solver.along("fpr", np.minimum(after, 1)) + up, 1.0)
        low, high = np.where(fpr == 1, 1.0, np.maximum(low, 0)), np.minimum(high, 1)
        flags = Flags(fallback=fallback, single_observation=min(total) <= 1)
        return ConfidenceBand(fpr, self.solver.along("fpr", fpr), low, high, level, kind, "kolmogorov-smirnov", flags)


def area_function(rate_range: RateRange | None) -> Callable[[Solver], FloatArray]:
    """Return the function that computes the AUC, or the area over a range of rates as a share of its width."""
    if rate_range is None:
        return Solver.auc
    limits = np.asarray(rate_range.low), np.asarray(rate_range.high)
    return lambda solver: np.asarray(solver.area(rate_range.axis, *limits) / rate_range.width)


def kolmogorov_critical_value(level: float, total: float) -> float:
    """Return how far an empirical cdf of this many cases lies from the true one, anywhere, with this probability.

    The exact quantile for a continuous distribution; with ties the deviations are smaller. A part of a case is no case.
    """
    from scipy.stats import kstwo

    return float(kstwo.ppf(level, max(1, int(total))))


def working_hotelling_factor(level: float, freedom: float) -> float:
    """Return the root of 2 F, F the quantile of the F distribution with 2 and ``freedom`` degrees of freedom."""
    if freedom <= 0:
        return np.inf
    with np.errstate(over="ignore"):
        return float(np.sqrt(freedom * np.expm1(-2 * np.log1p(-level) / freedom)))
