"""Predict the ROC curve, its area and its best threshold from two class distributions.

A feature is one number per observation; the class of an observation is predicted by comparing this number with a
threshold. Do not use rocpredict for time-to-event outcomes or to fit classifiers. For repeated measurements, use only
functions with the argument ``clusters``, and pass this argument.
"""

from importlib import import_module
from threading import RLock
from typing import Any

from rocpredict._version import __version__

_NAMES_BY_MODULE = {
    "base.validation": ("AssumptionWarning", "RocPredictError"),
    "base.results": ("Flags", "Interval"),
    "base.rates": ("Rates", "rates", "proportion_interval"),
    "combination": ("LinearCombination", "class_mean_distance", "fit_linear_combination"),
    "diagnostics.comparison": ("compare",),
    "diagnostics.diagnose": ("diagnose",),
    "distributions.base": ("Distribution",),
    "distributions.ecdf": ("Ecdf",),
    "distributions.gaussian": ("Gaussian",),
    "distributions.histogram": ("Histogram",),
    "distributions.normal_sum": ("GaussianKde",),
    "distributions.mixture": ("GaussianMixture",),
    "inference.auc_tests": ("auc_test",),
    "inference.multiple_aucs": ("auc_test_many", "auc_estimate"),
    "inference.mcnemar": ("mcnemar_test",),
    "multiclass": ("multiclass_auc",),
    "planning": ("power", "sample_size"),
    "reports.feature": ("feature_report",),
    "roc.empirical": ("EmpiricalRoc", "empirical_roc"),
    "roc.mean_curve": ("mean_roc",),
    "roc.predicted": ("PredictedRoc", "predict_roc"),
    "screening.pooling": ("pool",),
    "screening.result": ("ScreeningResult",),
    "screening.screen": ("screen",),
    "screening.class_summary": ("ClassSummary",),
    "screening.summary": ("TwoClassSummary", "summarize"),
    "solvers.base": ("RocCurve",),
    "solvers.thresholds": ("BestThreshold",),
    "teaching.page": ("TeachingPage",),
    "teaching.server": ("TeachingServer",),
}
_MODULES_BY_NAME = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}
"""Module of each public name; a module is imported when one of its names is first used."""
_PUBLIC_MODULES = ("datasets", "paper", "plots")
_ROOMS = ("base", "diagnostics", "distributions", "inference", "reports", "roc", "screening", "solvers", "teaching")
_IMPORT_LOCK = RLock()  # a thread cannot use a module that another thread has only partly imported

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
