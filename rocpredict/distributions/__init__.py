"""The distributions layer: what the values of one class look like."""

from rocpredict.arguments import shown
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.from_scipy import FromScipy, from_scipy, is_frozen_scipy
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.power import PowerTransform
from rocpredict.distributions.protocol import Atoms, Distribution
from rocpredict.distributions.shrunk import Shrunk
from rocpredict.distributions.transformed import Transformed
from rocpredict.errors import RocPredictError

__all__ = [
    "Atoms",
    "Distribution",
    "Ecdf",
    "FromScipy",
    "Gaussian",
    "PowerTransform",
    "Shrunk",
    "Transformed",
    "as_distribution",
    "as_steps",
    "is_atomic",
    "is_frozen_scipy",
    "with_grid_axis",
]

_WHOLE = 1 - 1e-9


def as_distribution(name: str, candidate: object) -> Distribution:
    """Return a distribution that answers the protocol, or refuse what cannot be one."""
    if isinstance(candidate, Distribution) and not isinstance(candidate, type):
        return candidate
    if is_frozen_scipy(candidate):
        return from_scipy(candidate)
    raise RocPredictError(
        f"{name}={shown(candidate)} is not a distribution; give rp.Gaussian(mean, std), rp.Ecdf(sample) "
        "or a frozen scipy.stats distribution such as scipy.stats.gamma(2)"
    )


def is_atomic(distribution: Distribution) -> bool:
    """Tell a distribution of one feature whose whole probability lies on single values."""
    return isinstance(distribution, Ecdf) or bool(distribution.atoms().masses.sum() > _WHOLE)


def as_steps(negative: Distribution, positive: Distribution) -> tuple[Distribution, Distribution]:
    """Return two distributions of single values as the step functions that they are, any other pair as it is."""
    pair = (negative, positive)
    if any(d.shape for d in pair) or not all(is_atomic(d) for d in pair):
        return pair
    stepped = [d if isinstance(d, Ecdf) else Ecdf(*d.atoms()) for d in pair]
    return stepped[0], stepped[1]


def with_grid_axis(distribution: Distribution) -> Distribution:
    """Return the distribution with a last axis of length 1 that a grid of values can fill."""
    if isinstance(distribution, Gaussian) and distribution.shape:
        return Gaussian(distribution.mean[..., None], distribution.std[..., None])
    return distribution
