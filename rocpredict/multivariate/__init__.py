"""Several features at once: the best linear combination of two Gaussian classes, and distances to a class mean.

Do not use it to choose among many features, nor with nearly as many features as rows: the AUC that a fitted
combination predicts for itself is then far too high. ``auc_honest`` says what it is worth on rows it has not seen.
"""

from rocpredict.multivariate.combination import best_combination
from rocpredict.multivariate.distance import distance_to_mean
from rocpredict.multivariate.linear import LinearCombination

__all__ = ["LinearCombination", "best_combination", "distance_to_mean"]
