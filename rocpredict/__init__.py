"""Predict the ROC curve, its area and its best threshold from two class distributions.

Do not use it for time-to-event outcomes, for several readings of one case as if they were several
cases, or to fit classifiers: it takes one number for each case and says what thresholding it can do.
"""

from importlib import import_module
from typing import Any

from rocpredict._version import __version__
from rocpredict.base.proportions import proportion_interval
from rocpredict.base.rates import Rates, rates
from rocpredict.base.results import Flags, Interval
from rocpredict.base.validation import AssumptionWarning, RocPredictError
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.roc.empirical import EmpiricalRoc, empirical_roc
from rocpredict.roc.predicted import PredictedRoc, predict_roc
from rocpredict.solvers.base import RocCurve
from rocpredict.solvers.thresholds import BestThreshold

_LAZY_IMPORTS = {
    "LinearCombination": "combination",
    "class_mean_distance": "combination",
    "fit_linear_combination": "combination",
    "compare": "diagnostics.comparison",
    "diagnose": "diagnostics.diagnose",
    "Histogram": "distributions.histogram",
    "GaussianKde": "distributions.kde",
    "GaussianMixture": "distributions.mixture",
    "auc_test": "inference.auc_tests",
    "auc_test_many": "inference.multiple_tests",
    "auc_estimate": "inference.groups",
    "mcnemar_test": "inference.mcnemar",
    "multiclass_auc": "multiclass",
    "sample_size": "planning",
    "feature_report": "reports",
    "mean_roc": "roc.mean_curve",
    "ScreeningResult": "screening.result",
    "screen": "screening.screen",
    "ClassSummary": "screening.summary",
    "TwoClassSummary": "screening.summary",
    "summarize": "screening.summary",
    "TeachingPage": "teaching",
    "TeachingServer": "teaching",
}
"""Names that are imported from these modules when they are first used, so that the import stays light."""

__all__ = [
    "AssumptionWarning",
    "BestThreshold",
    "Distribution",
    "Ecdf",
    "EmpiricalRoc",
    "Flags",
    "Gaussian",
    "Interval",
    "PredictedRoc",
    "Rates",
    "RocCurve",
    "RocPredictError",
    "__version__",
    "datasets",
    "empirical_roc",
    "predict_roc",
    "proportion_interval",
    "rates",
]
__all__.extend(_LAZY_IMPORTS)


def __getattr__(name: str) -> Any:
    if name == "datasets":
        return import_module("rocpredict.datasets")
    if name in _LAZY_IMPORTS:
        globals()[name] = getattr(import_module(f"{__name__}.{_LAZY_IMPORTS[name]}"), name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
