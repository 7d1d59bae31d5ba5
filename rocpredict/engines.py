"""Who answers for a pair of class distributions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocpredict import binormal, numeric, steps
from rocpredict.answers import Optimum
from rocpredict.arguments import FloatArray
from rocpredict.distributions import Distribution, Ecdf, Gaussian, PowerTransform, Shrunk, Transformed
from rocpredict.errors import RocPredictError


def engine_for(negative: Distribution, positive: Distribution) -> Any:
    """Choose who answers: closed forms where there are any, counting for two samples, else the numeric search."""
    pair = (negative, positive)
    if all(isinstance(d, Gaussian) for d in pair):
        return binormal
    if all(isinstance(d, Ecdf) for d in pair):
        return steps
    if any(d.shape for d in pair):
        raise RocPredictError("a batch of features needs rp.Gaussian for both classes; give other pairs one by one")
    if isinstance(negative, Transformed) and isinstance(positive, Transformed):
        if negative.transform == positive.transform:
            return OnAnotherAxis(engine_for(negative.base, positive.base), negative.transform)
        return numeric
    if isinstance(negative, Shrunk) and isinstance(positive, Shrunk):
        from rocpredict.shrinkage import engine as shrunk

        return shrunk
    from rocpredict import closed

    return closed if closed.knows(negative, positive) else numeric


@dataclass(frozen=True)
class OnAnotherAxis:
    """Ask the engine of the transformed values: the curve is theirs, and thresholds are turned back.

    Attributes
    ----------
    engine : module
        Who answers for the two bases.
    transform : PowerTransform
        That of both classes.
    """

    engine: Any
    transform: PowerTransform

    def threshold_at_fpr(self, negative: Transformed, positive: Transformed, fpr: FloatArray) -> FloatArray:
        """Give the threshold at an FPR."""
        return self._back(self.engine.threshold_at_fpr(negative.base, positive.base, fpr))

    def threshold_at_tpr(self, negative: Transformed, positive: Transformed, tpr: FloatArray) -> FloatArray:
        """Give the threshold at a TPR."""
        return self._back(self.engine.threshold_at_tpr(negative.base, positive.base, tpr))

    def crossings(self, negative: Transformed, positive: Transformed, log_kappa: FloatArray) -> FloatArray:
        """Give where the densities cross: a common transform moves no crossing off the threshold it belongs to."""
        return self._back(self.engine.crossings(negative.base, positive.base, log_kappa))

    def best(self, negative: Transformed, positive: Transformed, log_kappa: FloatArray) -> Optimum:
        """Give the best threshold."""
        found: Optimum = self.engine.best(negative.base, positive.base, log_kappa)
        back = self._back
        return found._replace(
            threshold=back(found.threshold), low=back(found.low), high=back(found.high), crossings=back(found.crossings)
        )

    def proper_rule(self, negative: Transformed, positive: Transformed, *level: Any) -> Any:
        """Give the likelihood-ratio rule."""
        found = self.engine.proper_rule(negative.base, positive.base, *level)
        back = self._back
        return found._replace(low=back(found.low), high=back(found.high), edges=back(found.edges))

    def _back(self, threshold: FloatArray) -> FloatArray:
        """Give thresholds of the transformed values on the axis of the feature; everybody's and nobody's stay."""
        return np.where(np.isinf(threshold), threshold, self.transform.inverse(threshold))

    def __getattr__(self, question: str) -> Callable[..., Any]:
        """Ask what no axis changes: areas and rates along the curve."""
        ask = getattr(self.engine, question)
        return lambda negative, positive, *rest: ask(negative.base, positive.base, *rest)
