"""Types of the public names; ``__init__.py`` imports each on first use."""

from rocpredict import datasets, paper, plots
from rocpredict._version import __version__
from rocpredict.base.rates import Rates, proportion_interval, rates
from rocpredict.base.results import Flags, Interval
from rocpredict.base.validation import AssumptionWarning, RocPredictError
from rocpredict.combination import LinearCombination, class_mean_distance, fit_linear_combination
from rocpredict.diagnostics.comparison import compare
from rocpredict.diagnostics.diagnose import diagnose
from rocpredict.distributions import Distribution, Ecdf, Gaussian
from rocpredict.distributions.histogram import Histogram
from rocpredict.distributions.mixture import GaussianMixture
from rocpredict.distributions.normal_sum import GaussianKde
from rocpredict.inference.auc_tests import auc_test
from rocpredict.inference.mcnemar import mcnemar_test
from rocpredict.inference.multiple_aucs import auc_estimate, auc_test_many
from rocpredict.multiclass import multiclass_auc
from rocpredict.planning import power, sample_size
from rocpredict.reports import feature_report
from rocpredict.roc.empirical import EmpiricalRoc, empirical_roc
from rocpredict.roc.mean_curve import mean_roc
from rocpredict.roc.predicted import PredictedRoc, predict_roc
from rocpredict.screening.class_summary import ClassSummary
from rocpredict.screening.pooling import pool
from rocpredict.screening.result import ScreeningResult
from rocpredict.screening.screen import screen
from rocpredict.screening.summary import TwoClassSummary, summarize
from rocpredict.solvers.base import RocCurve
from rocpredict.solvers.thresholds import BestThreshold
from rocpredict.teaching import TeachingPage, TeachingServer

__all__ = [
    "AssumptionWarning",
    "BestThreshold",
    "ClassSummary",
    "Distribution",
    "Ecdf",
    "EmpiricalRoc",
    "Flags",
    "Gaussian",
    "GaussianKde",
    "GaussianMixture",
    "Histogram",
    "Interval",
    "LinearCombination",
    "PredictedRoc",
    "Rates",
    "RocCurve",
    "RocPredictError",
    "ScreeningResult",
    "TeachingPage",
    "TeachingServer",
    "TwoClassSummary",
    "__version__",
    "auc_estimate",
    "auc_test",
    "auc_test_many",
    "class_mean_distance",
    "compare",
    "datasets",
    "diagnose",
    "empirical_roc",
    "feature_report",
    "fit_linear_combination",
    "mcnemar_test",
    "mean_roc",
    "multiclass_auc",
    "paper",
    "plots",
    "pool",
    "power",
    "predict_roc",
    "proportion_interval",
    "rates",
    "sample_size",
    "screen",
    "summarize",
]
