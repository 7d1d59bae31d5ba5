"""Distributions of a feature in one class."""

from rocpredict.distributions.base import Atoms, Distribution
from rocpredict.distributions.ecdf import Ecdf, is_discrete, to_step_functions
from rocpredict.distributions.families import ScipyDistribution, check_distribution, is_frozen_scipy
from rocpredict.distributions.gaussian import Gaussian, add_grid_axis
from rocpredict.distributions.power_transform import PowerTransform, Transformed
from rocpredict.distributions.shrinkage import ShrinkageDistribution

__all__ = [
    "Atoms",
    "Distribution",
    "Ecdf",
    "Gaussian",
    "PowerTransform",
    "ScipyDistribution",
    "ShrinkageDistribution",
    "Transformed",
    "add_grid_axis",
    "check_distribution",
    "is_discrete",
    "is_frozen_scipy",
    "to_step_functions",
]
