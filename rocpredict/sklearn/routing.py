"""Where the arguments of ``fit`` go: to the classifier inside, or to the splitter."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn import get_config
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import has_fit_parameter

from rocpredict.arguments import FloatArray
from rocpredict.errors import AssumptionWarning


def routed_params(meta: Any, weights: FloatArray | None, fit_params: dict[str, Any]) -> Any:
    """Give ``.estimator.fit`` and ``.splitter.split``: as scikit-learn routes them where that is switched on.

    Parameters
    ----------
    meta : ThresholdedClassifier
    weights : array of shape (n,), optional
    fit_params : dict
        Without routing all of them go to the classifier, with the weights if it takes any.
    """
    if get_config()["enable_metadata_routing"]:
        return process_routing(meta, "fit", sample_weight=weights, **fit_params)
    given = _weighed(meta.estimator, weights, fit_params)
    return Bunch(splitter=Bunch(split={}), estimator=Bunch(fit=given))


def _weighed(estimator: Any, weights: FloatArray | None, fit_params: dict[str, Any]) -> dict[str, Any]:
    if weights is None:
        return fit_params
    if has_fit_parameter(estimator, "sample_weight"):
        return fit_params | {"sample_weight": weights}
    if not any(name.endswith("sample_weight") for name in fit_params):  # such as a pipeline's step__sample_weight
        warnings.warn(
            f"estimator={type(estimator).__name__} takes no sample_weight: it is fitted without, and the weights only "
            "place the threshold",
            AssumptionWarning,
            stacklevel=4,
        )
    return fit_params
