"""Analysis of one feature, as its report shows it."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from rocpredict.base.labels import check_labels, split_classes
from rocpredict.diagnostics.diagnose import Diagnosis, diagnose
from rocpredict.distributions.normality import suppress_normality_warning
from rocpredict.plots.style import format_rule
from rocpredict.roc.empirical import EmpiricalRoc, empirical_roc
from rocpredict.roc.predicted import ModelFit, PredictedRoc, predict_roc
from rocpredict.solvers.thresholds import BestThreshold


class FeatureAnalysis(NamedTuple):
    """Hold the finished answers about one feature, and what was asked."""

    feature: str
    unit: str | None
    labels: tuple[Any, Any]
    family: str
    level: float
    prevalence: float
    prevalence_from_data: bool
    predicted: PredictedRoc
    empirical: EmpiricalRoc
    best_predicted: BestThreshold
    best_empirical: BestThreshold
    diagnosis: Diagnosis | None
    trust: ModelFit | None
    seed: int

    @property
    def gaussian(self) -> bool:
        """Whether the delta method gives the intervals of the prediction."""
        return self.family == "gaussian"

    @property
    def shrunk(self) -> bool:
        """Whether the prediction is in part the rows themselves."""
        return self.family == "auto"

    @property
    def has_prediction(self) -> bool:
        """Whether anything is predicted: not where the family is the rows themselves."""
        return self.diagnosis is not None

    @property
    def missing(self) -> int:
        """How many rows have no value."""
        return sum(self.empirical.omitted)

    @property
    def lower(self) -> bool:
        """Whether positives lie lower."""
        return bool(self.predicted.direction == "lower")

    @property
    def family_label(self) -> str:
        """Name what the curve was predicted by."""
        return "two Gaussians" if self.gaussian else f"family {self.family}"

    @property
    def rule(self) -> str:
        """Show which values are called positive."""
        return format_rule(float(self.best_predicted.threshold), "lower" if self.lower else None)


def analyze_feature(
    x: ArrayLike,
    y: ArrayLike,
    *,
    feature: str,
    unit: str | None,
    positive: Any,
    negative: Any,
    family: Any,
    direction: str | None,
    nan_policy: str,
    level: float,
    prevalence: float | None,
    n_resamples: int,
    seed: int,
) -> FeatureAnalysis:
    """Ask all that a report says of one feature; the options are those of ``feature_report``, checked."""
    classes = {"positive": positive, "negative": negative, "nan_policy": nan_policy}
    split = split_classes(x, y, **classes)
    with suppress_normality_warning():  # the diagnosis says it at length
        predicted = predict_roc(x, y, family=family, direction=direction, **classes)
    empirical = empirical_roc(x, y, direction=predicted.direction, **classes)
    by_count = isinstance(family, str) and family == "empirical"
    diagnosis = None
    if not by_count:
        diagnosis = diagnose(x, y, family=family, direction=direction, n_resamples=n_resamples, rng=seed, **classes)
    counted = empirical.best_threshold()
    several = negative is None and len(set(check_labels(y, x).tolist())) > 2
    return FeatureAnalysis(
        feature=feature,
        unit=unit,
        labels=("rest" if several else split.negative_label, split.positive_label),
        family=family if isinstance(family, str) else str(getattr(family, "name", family)),
        level=level,
        prevalence=float(empirical.prevalence) if prevalence is None else prevalence,
        prevalence_from_data=prevalence is None,
        predicted=predicted,
        empirical=empirical,
        best_predicted=counted if by_count else predicted.best_threshold(),
        best_empirical=counted,
        diagnosis=diagnosis,
        trust=None if by_count else predicted.model_fit(),
        seed=seed,
    )


FEW_ROWS = "The ROC curve is that of the rows; the threshold with the highest Ameans was chosen on them."
