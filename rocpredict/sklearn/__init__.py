"""scikit-learn estimators of this library's answers: for pipelines, cross-validation and grid searches.

Do not use it for a single column of scores: ``rocpredict.empirical_roc`` and ``rocpredict.screen`` say more, and need
no scikit-learn.
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
