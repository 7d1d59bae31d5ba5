"""Tables of features: one validator for arrays, sparse matrices, data frames, AnnData and files.

Do not use it for one feature: ``labels.split_classes`` takes that.
"""

from rocpredict.features.table import Features
from rocpredict.features.taking import as_features, table_and_labels

__all__ = ["Features", "as_features", "table_and_labels"]
