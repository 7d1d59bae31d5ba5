"""Selection of the solver for a pair of distributions."""

from __future__ import annotations

from rocpredict.base.validation import RocPredictError
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.histogram import Histogram
from rocpredict.distributions.power import Transformed
from rocpredict.distributions.shrinkage import ShrinkageDistribution
from rocpredict.solvers.base import MappedSolver, Solver
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.families import FamilySolver, match_family
from rocpredict.solvers.histogram import HistogramSolver
from rocpredict.solvers.normal_sum import NormalSumSolver, is_normal_sum
from rocpredict.solvers.numerical import NumericalSolver
from rocpredict.solvers.shrinkage import ShrinkageSolver

_SOLVERS: dict[type, type[Solver]] = {
    Gaussian: BinormalSolver,
    Ecdf: EmpiricalSolver,
    ShrinkageDistribution: ShrinkageSolver,
    Histogram: HistogramSolver,
}


def solver_for(negative: Distribution, positive: Distribution) -> Solver:
    """Return the solver of a pair: exact where there is a closed form or a sample, else numerical."""
    for kind, solver in _SOLVERS.items():
        if isinstance(negative, kind) and isinstance(positive, kind):
            return solver(negative, positive)
    if negative.shape or positive.shape:
        raise RocPredictError("a batch of features needs rp.Gaussian for both classes; give other pairs one by one")
    if isinstance(negative, Transformed) and isinstance(positive, Transformed):
        if negative.transform == positive.transform:
            base = solver_for(negative.base, positive.base)
            return MappedSolver(negative, positive, base, negative.transform.inverse_transform)
    elif pair := match_family(negative, positive):
        return FamilySolver(negative, positive, pair)
    elif is_normal_sum(negative) and is_normal_sum(positive):
        return NormalSumSolver(negative, positive)
    return NumericalSolver(negative, positive)
