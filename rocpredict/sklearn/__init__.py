"""Estimators for scikit-learn pipelines, cross-validation and grid searches.

For a single column of scores, use ``rocpredict.empirical_roc`` or ``rocpredict.screen``, which return more results and
do not need scikit-learn.
"""

from rocpredict.base.validation import MissingExtraError

try:
    from rocpredict.sklearn.classifier import ThresholdedClassifier
    from rocpredict.sklearn.selector import RocSelector, roc_score_func
except ImportError as error:
    if not (error.name or "").startswith("sklearn"):
        raise
    raise MissingExtraError(
        "rocpredict.sklearn needs scikit-learn 1.7 or later: pip install 'rocpredict[sklearn]'"
    ) from error

__all__ = ["RocSelector", "ThresholdedClassifier", "roc_score_func"]
