"""The ROC curve of the likelihood-ratio rule: what a feature can do when one threshold is not enough."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocpredict.answers import TwoSidedRule
from rocpredict.arguments import Values, plain
from rocpredict.distributions import Distribution


@dataclass(frozen=True, eq=False, repr=False)
class ProperRoc:
    """Answer for the rule that calls positive where the likelihood ratio is high (Metz and Pan 1999).

    No rule on the same feature does better; for Gaussians of different standard deviations it has
    two thresholds, and its AUC is at least max(AUC, 1 - AUC) of the one-threshold rule.

    Parameters
    ----------
    engine : module
        Who answers.
    pair : pair of distributions
        (negative, positive), turned so that positives lie higher.
    turned_back : function
        Gives a threshold on this turned axis as one on the feature's own.
    """

    engine: Any
    pair: tuple[Distribution, Distribution]
    turned_back: Callable[..., Any]

    def auc(self) -> Values:
        """Give the area under the likelihood-ratio ROC curve."""
        return plain(1 - np.asarray(self.auc_complement()))

    def auc_complement(self) -> Values:
        """Give 1 minus that area, by itself."""
        return plain(self.engine.proper_auc_complement(*self.pair))

    def best_rule(self) -> TwoSidedRule:
        """Give the rule with the highest Ameans: positive where the positive class is the denser."""
        found: TwoSidedRule = self.engine.proper_rule(*self.pair)
        ends = [np.asarray(self.turned_back(end)) for end in (found.low, found.high)]
        return TwoSidedRule(
            low=plain(np.minimum(*ends)),
            high=plain(np.maximum(*ends)),
            inside=plain(found.inside),
            edges=np.sort(self.turned_back(found.edges, grid=True), axis=-1),
            tpr=plain(found.tpr),
            fpr=plain(found.fpr),
            tnr=plain(found.tnr),
            fnr=plain(found.fnr),
        )

    def __repr__(self) -> str:
        return f"ProperRoc(shape={np.shape(self.auc())})" if np.ndim(self.auc()) else f"ProperRoc(auc={self.auc():.6g})"
