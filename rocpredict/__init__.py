"""Predict the ROC curve, its area and its best threshold from two class distributions.

Do not use it for time-to-event outcomes, for several readings of one case as if they were several
cases, or to fit classifiers: it takes one number for each case and says what thresholding it can do.
"""

from rocpredict import datasets
from rocpredict.comparison import Comparison, compare
from rocpredict.curve import RocCurve
from rocpredict.distributions import Distribution, Ecdf, Gaussian
from rocpredict.empirical import EmpiricalRoc, empirical_roc
from rocpredict.errors import AssumptionWarning, RocPredictError
from rocpredict.interval import Interval, proportion_interval
from rocpredict.measures import Rates, rates
from rocpredict.planning import Plan, plan
from rocpredict.predictor import PredictedRoc, predict_roc
from rocpredict.thresholds import BestThreshold

__version__ = "0.1.0"

__all__ = [
    "AssumptionWarning",
    "BestThreshold",
    "Comparison",
    "Distribution",
    "Ecdf",
    "EmpiricalRoc",
    "Gaussian",
    "Interval",
    "Plan",
    "PredictedRoc",
    "Rates",
    "RocCurve",
    "RocPredictError",
    "compare",
    "datasets",
    "empirical_roc",
    "plan",
    "predict_roc",
    "proportion_interval",
    "rates",
]
