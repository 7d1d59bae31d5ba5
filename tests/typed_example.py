"""Script of a user, whose types ``mypy --strict`` and pyright infer (see ``tests/test_house.py``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_type

import numpy as np
from numpy.typing import NDArray

import rocpredict as rp
from rocpredict import datasets

if TYPE_CHECKING:
    from matplotlib.axes import Axes
Floats = NDArray[np.float64]
# One feature: numbers are floats.
roc = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(120, 80))
assert_type(roc, rp.PredictedRoc[float])
assert_type(roc.auc(), float)
assert_type(roc.tpr(6.0), float)
assert_type(roc.tpr([5.0, 6.0]), Floats)
assert_type(roc.tpr_at_fpr(0.1), float)
assert_type(roc.partial_auc(fpr=(0, 0.1), correction="mcclish"), float)
assert_type(roc.auc_interval(), rp.Interval[float])
assert_type(roc.auc_interval().low, float)
assert_type(roc.rates(6.0).precision, float)
assert_type(roc.rates([5.0, 6.0]).precision, Floats)
assert_type(roc.best_threshold(), rp.BestThreshold[float])
assert_type(roc.best_threshold("cost", prevalence=0.1, cost_fn=5).threshold, float)
assert_type(roc.best_threshold("cost", prevalence=[0.1, 0.2]).ameans, Floats)
assert_type(roc.best_threshold().threshold_interval().high, float)
assert_type(roc.proper().auc(), float)
assert_type(roc.hook().area, float)
assert_type(roc.curve().tpr, Floats)
if TYPE_CHECKING:
    assert_type(roc.plot("probit"), Axes)
# A batch of features: numbers are arrays.
batch = rp.PredictedRoc.from_stats(mean=([4, 5], [8, 6]), std=([3, 2], [2, 2]))
assert_type(batch, rp.PredictedRoc[Floats])
assert_type(batch.auc(), Floats)
assert_type(batch.tpr_at_fpr(0.1), Floats)
assert_type(batch.best_threshold().threshold, Floats)
assert_type(rp.Gaussian(4, 3).sf(6.0), float)
assert_type(rp.Gaussian([4, 5], 3).sf(6.0), Floats)
assert_type(rp.rates(tp=80, fp=10, fn=20, tn=90).precision, float)
# Samples.
iris = datasets.load_iris()
x, y = iris.column("petal_width"), iris.y
predicted = rp.predict_roc(x, y, positive="virginica", negative="versicolor", family="auto")
empirical = rp.empirical_roc(x, y, positive="virginica", negative="versicolor")
assert_type(predicted.auc(), float)
assert_type(empirical.auc_interval(method="delong"), rp.Interval[float])
assert_type(rp.compare(predicted, empirical).area_between, float)
assert_type(predicted.model_fit().model_weight, float)
assert_type(rp.auc_test(predicted, empirical).p_value, float)
assert_type(rp.auc_test(empirical, None, null=0.9).covariance, Floats)
assert_type(rp.auc_test((x, y == "virginica"), (x, y == "setosa"), weights=(None, np.ones(len(y)))).difference, float)
assert_type(rp.auc_estimate(x, y == "virginica", strata=iris.X[:, 0] // 1).auc, float)
assert_type(rp.auc_estimate(x, y == "virginica", groups=iris.X[:, 0] // 1).p_value, float)
assert_type(rp.EmpiricalRoc([1, 2, 3], [2, 3, 4]).best_threshold().threshold, float)
# Many features.
found = rp.screen(iris.X, y, positive="virginica", negative="versicolor")
assert_type(found.top(2), rp.ScreeningResult)
assert_type(found["auc"], NDArray[Any])
assert_type(rp.PredictedRoc.from_summary(rp.summarize(iris.X, y == "virginica")).auc(), Floats)


# Of one feature, as a user writes it.
def youden(threshold: rp.BestThreshold) -> float:
    return 2 * threshold.ameans - 1


def width(curve: rp.PredictedRoc) -> float:
    return curve.auc_interval().width


assert_type(youden(roc.best_threshold()), float)
assert_type(width(roc), float)
assert_type(
    rp.auc_test(x, iris.column("sepal_width"), y, positive="virginica", negative="versicolor").interval.low, float
)
