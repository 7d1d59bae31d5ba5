"""Predict the ROC curve, its area and its best threshold from two class distributions.

Do not use it for time-to-event outcomes, for several readings of one case as if they were several
cases, or to fit classifiers: it takes one number for each case and says what thresholding it can do.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rocpredict import datasets
from rocpredict.comparison import Comparison, compare
from rocpredict.curve import RocCurve
from rocpredict.distributions import Distribution, Ecdf, Gaussian
from rocpredict.empirical import EmpiricalRoc, empirical_roc
from rocpredict.errors import AssumptionWarning, RocPredictError
from rocpredict.flags import Flags
from rocpredict.interval import Interval, proportion_interval
from rocpredict.measures import Rates, rates
from rocpredict.predictor import PredictedRoc, predict_roc
from rocpredict.thresholds import BestThreshold
from rocpredict.version import __version__

if TYPE_CHECKING:
    from rocpredict.auc_tests import AucTestMany, auc_covariance, auc_test, auc_test_many, auc_test_unpaired
    from rocpredict.classifiers import McNemarTest, mcnemar_test
    from rocpredict.diagnosis import ClassShape, Diagnosis, Finding, diagnose
    from rocpredict.distributions.gaussian_mixture import GaussianMixture
    from rocpredict.distributions.histogram import Histogram
    from rocpredict.distributions.kde import GaussianKde
    from rocpredict.grey_zone import GreyZone
    from rocpredict.groups import AucEstimate, GroupedAuc, auc_by_group, auc_estimate
    from rocpredict.inference.bands import ConfidenceBand
    from rocpredict.inference.results import AucTest
    from rocpredict.inference.stability import Stability
    from rocpredict.mean_curve import MeanRoc, mean_roc
    from rocpredict.multiclass import MulticlassAuc, multiclass_auc
    from rocpredict.multivariate import LinearCombination, best_combination, distance_to_mean
    from rocpredict.planning import Plan, plan
    from rocpredict.proper import ProperGain
    from rocpredict.report import feature_report
    from rocpredict.screening import Screening, screen
    from rocpredict.summary import ClassSummary, TwoClassSummary, summarize
    from rocpredict.teach import TeachingPage, TeachingServer
    from rocpredict.trust import Trust
    from rocpredict.views import DecisionCurve, PrecisionRecallCurve

__all__ = [
    "AssumptionWarning",
    "AucEstimate",
    "AucTest",
    "AucTestMany",
    "BestThreshold",
    "ClassShape",
    "ClassSummary",
    "Comparison",
    "ConfidenceBand",
    "DecisionCurve",
    "Diagnosis",
    "Distribution",
    "Ecdf",
    "EmpiricalRoc",
    "Finding",
    "Flags",
    "Gaussian",
    "GaussianKde",
    "GaussianMixture",
    "GreyZone",
    "GroupedAuc",
    "Histogram",
    "Interval",
    "LinearCombination",
    "McNemarTest",
    "MeanRoc",
    "MulticlassAuc",
    "Plan",
    "PrecisionRecallCurve",
    "PredictedRoc",
    "ProperGain",
    "Rates",
    "RocCurve",
    "RocPredictError",
    "Screening",
    "Stability",
    "TeachingPage",
    "TeachingServer",
    "Trust",
    "TwoClassSummary",
    "__version__",
    "auc_by_group",
    "auc_covariance",
    "auc_estimate",
    "auc_test",
    "auc_test_many",
    "auc_test_unpaired",
    "best_combination",
    "compare",
    "datasets",
    "diagnose",
    "distance_to_mean",
    "empirical_roc",
    "feature_report",
    "mcnemar_test",
    "mean_roc",
    "multiclass_auc",
    "plan",
    "predict_roc",
    "proportion_interval",
    "rates",
    "screen",
    "summarize",
]

_ROOMS = {
    "auc_tests": ("AucTestMany", "auc_covariance", "auc_test", "auc_test_many", "auc_test_unpaired"),
    "classifiers": ("McNemarTest", "mcnemar_test"),
    "diagnosis": ("ClassShape", "Diagnosis", "Finding", "diagnose"),
    "distributions.gaussian_mixture": ("GaussianMixture",),
    "distributions.histogram": ("Histogram",),
    "distributions.kde": ("GaussianKde",),
    "grey_zone": ("GreyZone",),
    "groups": ("AucEstimate", "GroupedAuc", "auc_by_group", "auc_estimate"),
    "inference.bands": ("ConfidenceBand",),
    "inference.results": ("AucTest",),
    "inference.stability": ("Stability",),
    "mean_curve": ("MeanRoc", "mean_roc"),
    "multiclass": ("MulticlassAuc", "multiclass_auc"),
    "multivariate": ("LinearCombination", "best_combination", "distance_to_mean"),
    "planning": ("Plan", "plan"),
    "proper": ("ProperGain",),
    "report": ("feature_report",),
    "screening": ("Screening", "screen"),
    "summary": ("ClassSummary", "TwoClassSummary", "summarize"),
    "teach": ("TeachingPage", "TeachingServer"),
    "trust": ("Trust",),
    "views": ("DecisionCurve", "PrecisionRecallCurve"),
}
"""Names that are fetched from these modules when they are first asked for, so that the import stays light."""


def __getattr__(name: str) -> Any:
    for room, names in _ROOMS.items():
        if name in names:
            globals()[name] = getattr(import_module(f"{__name__}.{room}"), name)
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
