"""One area for more than two classes: the mean of areas of one class against another, or against the rest.

Do not use it to choose thresholds: a mean of areas belongs to no single rule. Look at its parts.
"""

from rocpredict.multiclass.mean_area import MULTICLASS_METHODS, multiclass_auc
from rocpredict.multiclass.results import MulticlassAuc, PartAuc

__all__ = ["MULTICLASS_METHODS", "MulticlassAuc", "PartAuc", "multiclass_auc"]
