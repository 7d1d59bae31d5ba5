"""Selection of the solver for a pair of distributions."""

from __future__ import annotations

from typing import Any

from rocpredict.base.validation import RocPredictError
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.power import Transformed
from rocpredict.solvers.base import MappedSolver, Solver
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.empirical import EmpiricalSolver
from rocpredict.solvers.numerical import NumericalSolver


def solver_for(negative: Distribution[Any], positive: Distribution[Any]) -> Solver:
    """Return the solver of a pair: exact where there is a closed form or a sample, else numerical."""
    pair = (negative, positive)
    if all(isinstance(d, Gaussian) for d in pair):
        return BinormalSolver(negative, positive)
    if all(isinstance(d, Ecdf) for d in pair):
        return EmpiricalSolver(negative, positive)
    if negative.shape or positive.shape:
        raise RocPredictError("a batch of features needs rp.Gaussian for both classes; give other pairs one by one")
    if isinstance(negative, Transformed) and isinstance(positive, Transformed):
        if negative.transform != positive.transform:
            return NumericalSolver(negative, positive)
        base = solver_for(negative.base, positive.base)
        return MappedSolver(negative, positive, base, negative.transform.inverse_transform)
    return _other_solver(negative, positive)


def _other_solver(negative: Distribution[Any], positive: Distribution[Any]) -> Solver:
    """Return the solver of a pair whose solvers are imported only when needed."""
    from rocpredict.distributions.histogram import Histogram
    from rocpredict.solvers.families import FamilySolver, NormalSumSolver, is_normal_sum, match_family
    from rocpredict.solvers.histogram import HistogramSolver
    from rocpredict.solvers.shrinkage import ShrinkageSolver, is_batch_of_one

    if is_batch_of_one(negative, positive):
        return ShrinkageSolver(negative, positive)
    if isinstance(negative, Histogram) and isinstance(positive, Histogram):
        return HistogramSolver(negative, positive)
    if pair := match_family(negative, positive):
        return FamilySolver(negative, positive, pair)
    if is_normal_sum(negative) and is_normal_sum(positive):
        return NormalSumSolver(negative, positive)
    return NumericalSolver(negative, positive)
