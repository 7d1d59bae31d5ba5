"""Predict the ROC curve, its area and its best threshold from two class distributions.

A feature is one number per observation; a threshold on the feature predicts the class. Do not use rocpredict for
time-to-event outcomes, for repeated measurements without ``clusters=``, or to fit classifiers.
"""

from importlib import import_module
from threading import RLock
from typing import Any

from rocpredict._version import __version__

_MODULES_BY_NAME = {
    "AssumptionWarning": "base.validation",
    "RocPredictError": "base.validation",
    "Flags": "base.results",
    "Interval": "base.results",
    "Rates": "base.rates",
    "rates": "base.rates",
    "proportion_interval": "base.rates",
    "LinearCombination": "combination",
    "class_mean_distance": "combination",
    "fit_linear_combination": "combination",
    "compare": "diagnostics.comparison",
    "diagnose": "diagnostics.diagnose",
    "Distribution": "distributions.base",
    "Ecdf": "distributions.ecdf",
    "Gaussian": "distributions.gaussian",
    "Histogram": "distributions.histogram",
    "GaussianKde": "distributions.normal_sum",
    "GaussianMixture": "distributions.mixture",
    "auc_test": "inference.auc_tests",
    "auc_test_many": "inference.multiple_aucs",
    "auc_estimate": "inference.multiple_aucs",
    "mcnemar_test": "inference.mcnemar",
    "multiclass_auc": "multiclass",
    "power": "planning",
    "sample_size": "planning",
    "feature_report": "reports.feature",
    "EmpiricalRoc": "roc.empirical",
    "empirical_roc": "roc.empirical",
    "mean_roc": "roc.mean_curve",
    "PredictedRoc": "roc.predicted",
    "predict_roc": "roc.predicted",
    "pool": "screening.pooling",
    "ScreeningResult": "screening.result",
    "screen": "screening.screen",
    "ClassSummary": "screening.class_summary",
    "TwoClassSummary": "screening.summary",
    "summarize": "screening.summary",
    "RocCurve": "solvers.base",
    "BestThreshold": "solvers.thresholds",
    "TeachingPage": "teaching.page",
    "TeachingServer": "teaching.server",
}
"""Public names and their modules; a module is imported when one of its names is first used."""
_PUBLIC_MODULES = ("datasets", "paper", "plots")
_ROOMS = ("base", "diagnostics", "distributions", "inference", "reports", "roc", "screening", "solvers", "teaching")
_IMPORT_LOCK = RLock()  # without it, threads could see modules that another thread has only partly imported

__all__ = ["__version__"]
__all__.extend([*_PUBLIC_MODULES, *_MODULES_BY_NAME])


def __getattr__(name: str) -> Any:
    with _IMPORT_LOCK:
        if name in _MODULES_BY_NAME:
            value = getattr(import_module(f"{__name__}.{_MODULES_BY_NAME[name]}"), name)
        elif name in _PUBLIC_MODULES or name in _ROOMS:
            value = import_module(f"{__name__}.{name}")
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
