"""Selection of the solver for a pair of distributions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocpredict.base.validation import FloatArray, RocPredictError
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.power import PowerTransform, Transformed
from rocpredict.distributions.shrinkage import ShrinkageDistribution
from rocpredict.solvers import binormal
from rocpredict.solvers import empirical as steps
from rocpredict.solvers import numerical as numeric
from rocpredict.solvers.base import OptimalThreshold


def select_solver(negative: Distribution, positive: Distribution) -> Any:
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
            return TransformedSolver(select_solver(negative.base, positive.base), negative.transform)
        return numeric
    if isinstance(negative, ShrinkageDistribution) and isinstance(positive, ShrinkageDistribution):
        from rocpredict.solvers import shrinkage as shrunk

        return shrunk
    from rocpredict.solvers import families as closed

    return closed if closed.knows(negative, positive) else numeric


@dataclass(frozen=True)
class TransformedSolver:
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
        return self._inverse_transform(self.engine.threshold_at_fpr(negative.base, positive.base, fpr))

    def threshold_at_tpr(self, negative: Transformed, positive: Transformed, tpr: FloatArray) -> FloatArray:
        """Give the threshold at a TPR."""
        return self._inverse_transform(self.engine.threshold_at_tpr(negative.base, positive.base, tpr))

    def crossings(self, negative: Transformed, positive: Transformed, log_kappa: FloatArray) -> FloatArray:
        """Give where the densities cross: a common transform moves no crossing off the threshold it belongs to."""
        return self._inverse_transform(self.engine.crossings(negative.base, positive.base, log_kappa))

    def best(self, negative: Transformed, positive: Transformed, log_kappa: FloatArray) -> OptimalThreshold:
        """Give the best threshold."""
        found: OptimalThreshold = self.engine.best(negative.base, positive.base, log_kappa)
        back = self._inverse_transform
        return found._replace(
            threshold=back(found.threshold),
            plateau_low=back(found.plateau_low),
            plateau_high=back(found.plateau_high),
            crossings=back(found.crossings),
        )

    def proper_rule(self, negative: Transformed, positive: Transformed, *level: Any) -> Any:
        """Give the likelihood-ratio rule."""
        found = self.engine.proper_rule(negative.base, positive.base, *level)
        back = self._inverse_transform
        return found._replace(low=back(found.low), high=back(found.high), thresholds=back(found.thresholds))

    def _inverse_transform(self, threshold: FloatArray) -> FloatArray:
        """Give thresholds of the transformed values on the axis of the feature; everybody's and nobody's stay."""
        return np.where(np.isinf(threshold), threshold, self.transform.inverse_transform(threshold))

    def __getattr__(self, question: str) -> Callable[..., Any]:
        """Ask what no axis changes: areas and rates along the curve."""
        ask = getattr(self.engine, question)
        return lambda negative, positive, *rest: ask(negative.base, positive.base, *rest)
