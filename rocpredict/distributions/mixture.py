"""Gaussian mixture fitted by expectation maximization."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    Seed,
    broadcast_arrays,
    check_finite,
    check_int,
    check_nonnegative,
    check_seed,
    readonly_array,
    short_repr,
)
from rocpredict.distributions.base import LOG_SQRT_2PI
from rocpredict.distributions.normal_sum import NormalSum, NormalSumDistribution, mean_and_std

_N_RANDOM_INITS = 4
_N_SHORT_RUNS = 20  # EM steps from every start; then only the start with the highest likelihood continues
_MAX_ITER = 1000  # EM steps on the binned sample
_MAX_ITER_FULL = 100  # EM steps on the full sample, after those on the bins
_N_BINS = 1024  # groups of neighbouring values for the first fit of a large sample
_TOL = 1e-7  # log-likelihood per observation and step
_MIN_RELATIVE_STD = 0.01  # standard deviation of a component, relative to that of the sample
_MIN_RESPONSIBILITY = 1e-200  # observations per component


class MixtureFit(NamedTuple):
    """Mixtures of shape (k,), or (starts, k) for several starts, and their log-likelihoods."""

    weights: FloatArray
    means: FloatArray
    stds: FloatArray
    log_likelihood: FloatArray


def fit_mixture(x: FloatArray, counts: FloatArray, k: int, rng: np.random.Generator) -> MixtureFit:
    """Fit k components to standardized, ascending values with counts, by maximum likelihood with several starts."""
    floor = min_std(float(counts.sum()))
    bins, bin_counts = _bin_sample(x, counts)
    fits = initial_parameters(bins, bin_counts, k, rng, floor)
    for _ in range(_N_SHORT_RUNS if k > 1 else 1):
        fits = em_step(bins, bin_counts, fits, floor)
    best = int(np.argmax(fits.log_likelihood))
    fit = _run_em(bins, bin_counts, MixtureFit(*(part[best : best + 1] for part in fits)), floor, _MAX_ITER)
    fit = _run_em(x, counts, fit, floor, _MAX_ITER_FULL)
    return MixtureFit(*(part[0] for part in fit))


def _bin_sample(x: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Replace neighbouring values of a large sample by their mean, for a first approximate fit."""
    group = np.floor(np.cumsum(counts) * (_N_BINS / counts.sum()))
    first = np.flatnonzero(np.diff(group, prepend=-1.0))
    if len(x) <= _N_BINS or len(first) <= _N_BINS // 4:  # large ties leave few groups
        return x, counts
    group_counts = np.add.reduceat(counts, first)
    return np.add.reduceat(counts * x, first) / group_counts, group_counts


def _run_em(x: FloatArray, counts: FloatArray, fit: MixtureFit, floor: float, max_iter: int) -> MixtureFit:
    """Iterate until the log-likelihood converges."""
    fit = fit._replace(log_likelihood=np.full(1, -np.inf))
    for _ in range(max_iter):
        before, fit = fit, em_step(x, counts, fit, floor)
        if (fit.log_likelihood - before.log_likelihood <= _TOL * counts.sum()).all():
            break
    return fit


def select_n_components(x: FloatArray, counts: FloatArray, rng: np.random.Generator, max_components: int) -> MixtureFit:
    """Return the mixture with the smallest BIC; the search stops when two more components do not lower it."""
    fits: list[MixtureFit] = []
    for k in range(1, max_components + 1):
        fits.append(fit_mixture(x, counts, k, rng))
        bic = [(3 * len(fit.weights) - 1) * np.log(counts.sum()) - 2 * fit.log_likelihood for fit in fits]
        if k - 1 - int(np.argmin(bic)) == 2:
            break
    return fits[int(np.argmin(bic))]


def min_std(n: float) -> float:
    """Return the lower limit of a component's standard deviation, as a fraction of the sample's."""
    return float(max(_MIN_RELATIVE_STD, n**-0.5))


def initial_parameters(x: FloatArray, counts: FloatArray, k: int, rng: np.random.Generator, floor: float) -> MixtureFit:
    """Return starting values from quantiles of the sample and k-means++ draws (Arthur and Vassilvitskii 2007)."""
    cumulative = np.cumsum(counts)
    even = x[np.searchsorted(cumulative, (np.arange(k) + 0.5) / k * cumulative[-1])]
    random_starts = [_kmeans_plusplus(x, counts, k, rng) for _ in range(_N_RANDOM_INITS if k > 1 else 0)]
    means = np.sort(np.array([even, *random_starts]), axis=1)
    widths = np.array([max(1 / k, floor)]) if k > 1 else np.ones(1)
    shape = means.shape
    return MixtureFit(np.full(shape, 1 / k), means, np.broadcast_to(widths, shape), np.full(len(means), -np.inf))


def _kmeans_plusplus(x: FloatArray, counts: FloatArray, k: int, rng: np.random.Generator) -> FloatArray:
    centres = [rng.choice(x, p=counts / counts.sum())]
    for _ in range(k - 1):
        weights = counts * np.min((x - np.array(centres)[:, None]) ** 2, axis=0)
        weights = weights if weights.any() else counts  # all distances underflow to 0
        centres.append(rng.choice(x, p=weights / weights.sum()))
    return np.array(centres)


@np.errstate(under="ignore")
def em_step(x: FloatArray, counts: FloatArray, fit: MixtureFit, floor: float) -> MixtureFit:
    """Return the mixtures after one EM step and the log-likelihoods before it."""
    z = (x - fit.means[..., None]) / fit.stds[..., None]
    level = (np.log(fit.weights) - np.log(fit.stds) - LOG_SQRT_2PI)[..., None] - 0.5 * z * z
    top = level.max(axis=1, keepdims=True)
    np.exp(level - top, out=level)
    density = level.sum(axis=1, keepdims=True)
    log_likelihood = ((np.log(density) + top) @ counts)[:, 0]
    level *= counts / density
    sizes = np.maximum(level.sum(axis=-1), np.finfo(float).tiny)
    means = np.where(sizes > _MIN_RESPONSIBILITY, (level @ x) / sizes, fit.means)  # an empty component keeps its mean
    variances = np.einsum("skn,skn->sk", level, (x - means[..., None]) ** 2) / sizes
    return MixtureFit(
        sizes / sizes.sum(axis=1, keepdims=True), means, np.sqrt(np.maximum(variances, floor**2)), log_likelihood
    )


_MAX_COMPONENTS = 4  # if n_components is None


@dataclass(frozen=True, eq=False, repr=False)
class GaussianMixture(NormalSumDistribution):
    """Mixture of Gaussians as the distribution of a class.

    Parameters
    ----------
    weights : array-like of shape (k,)
        Weights of the components, above 0; they are divided by their sum.
    means : array-like of shape (k,)
        Means of the components, in the unit of the feature.
    stds : float or array-like of shape (k,)
        Standard deviations of the components (not variances), in the unit of the feature, above 0.

    Attributes
    ----------
    components : NormalSum
        The components in ascending order of their means.

    Raises
    ------
    RocPredictError
        If a weight or standard deviation is not above 0, a number is not finite, or the shapes do not match.

    Notes
    -----
    The best threshold has no closed form, because the densities of two mixtures can cross many times.

    Examples
    --------
    >>> two_groups = GaussianMixture([0.3, 0.7], [0, 4], [1, 0.5])
    >>> two_groups
    GaussianMixture(weights=[0.3, 0.7], means=[0, 4], stds=[1, 0.5])
    >>> two_groups.sf(2)
    0.706...
    """

    weights: FloatArray
    means: FloatArray
    stds: FloatArray
    _long = True
    _heading = "Mixture of {weights.size} Gaussians"

    if TYPE_CHECKING:

        def __init__(self, weights: ArrayLike, means: ArrayLike, stds: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        weights, means = check_nonnegative("weights", self.weights), check_finite("means", self.means)
        stds = check_nonnegative("stds", self.stds)
        if means.ndim != 1 or weights.shape != means.shape or not means.size:
            raise RocPredictError(
                f"weights has shape {weights.shape} but means has shape {means.shape}; "
                "pass one weight and one mean for each component"
            )
        means, stds = broadcast_arrays(means=means, stds=stds)
        if means.ndim != 1 or len(means) != len(weights):
            raise RocPredictError(f"stds has shape {stds.shape}; pass one for each of the {len(weights)} components")
        for name, values in (("weights", weights), ("stds", stds)):
            if not values.all():
                raise RocPredictError(
                    f"{name}={short_repr(values.tolist())} contains 0; every component needs a value above 0"
                )
        largest = weights.max()
        normalized = weights / largest / np.sum(weights / largest)
        for name, values in (("weights", normalized), ("means", means), ("stds", stds)):
            object.__setattr__(self, name, readonly_array(values))

    @classmethod
    def fit(cls, x: ArrayLike, *, n_components: int | None = None, rng: Seed = 0) -> Self:
        """Estimate a mixture from a sample by maximum likelihood.

        Parameters
        ----------
        x : array-like of shape (n,)
            Finite values of one class, with at least two distinct ones.
        n_components : int, optional
            Number of Gaussians. By default, the BIC selects 1 to 4.
        rng : None, int or numpy.random.Generator, default=0
            Seed or generator for the random starts. The same seed gives the same mixture.

        Returns
        -------
        GaussianMixture
            Fitted mixture.

        Raises
        ------
        RocPredictError
            If values are not finite, if fewer than two are distinct, or if there are more components than distinct
            values.

        Notes
        -----
        Expectation maximization (Dempster, Laird and Rubin 1977) runs from several starts: quantiles of the sample and
        k-means++ draws. No component has a standard deviation below max(s/sqrt(n), s/100), where s is the standard
        deviation of the sample. Without this limit the likelihood would be unbounded, since a component could shrink to
        a group of tied values. One component equals ``Gaussian.fit(x, ddof=0)``.

        BIC = (3k - 1) log n - 2 log L for k components (Schwarz 1978). The search stops when two more components do not
        lower the BIC. In small samples, the BIC may select one component for two groups that overlap.

        Examples
        --------
        >>> x = np.concatenate([np.linspace(1, 3, 50), np.linspace(9, 11, 50)])
        >>> GaussianMixture.fit(x)
        GaussianMixture(weights=[0.5, 0.5], means=[2, 10], stds=[0.589015, 0.589015])
        """
        sample = check_finite("x", x)
        if sample.ndim != 1:
            raise RocPredictError(f"x has shape {sample.shape}; expected one feature of shape (n,)")
        points, repeats = np.unique(sample + 0.0, return_counts=True)
        if len(points) < 2:
            raise RocPredictError(f"x has {len(points)} distinct values; a mixture needs at least two")
        k = None if n_components is None else check_int("n_components", n_components)
        if k is not None and not 1 <= k <= len(points):
            raise RocPredictError(
                f"n_components={k} is not between 1 and {len(points)}, the number of distinct values in x"
            )
        counts = repeats.astype(np.float64)
        mean, std = mean_and_std(points, counts)
        scores = (points / 2 - mean / 2) / (std / 2)  # the fit is the same in every unit
        generator = check_seed("rng", rng)
        if k is None:
            fitted = select_n_components(scores, counts, generator, min(_MAX_COMPONENTS, len(points)))
        else:
            fitted = fit_mixture(scores, counts, k, generator)
        return cls(fitted.weights, mean + std * fitted.means, std * fitted.stds)

    @cached_property
    def components(self) -> NormalSum:  # type: ignore[override]
        """The components in ascending order of their means."""
        return NormalSum(self.weights, self.means, self.stds)

    def reflect(self) -> GaussianMixture:
        """Return the distribution of -X."""
        mirror = object.__new__(GaussianMixture)  # __init__ would divide the weights again and could change them
        for name, values in (("weights", self.weights), ("means", -self.means + 0.0), ("stds", self.stds)):
            object.__setattr__(mirror, name, readonly_array(values[::-1]))
        return mirror

    def _columns(self) -> dict[str, Any]:
        names = {"weight": self.weights, "mean": self.means, "std": self.stds}
        return {"component": np.arange(1, len(self.weights) + 1), **names}

    def __repr__(self) -> str:
        parameters = (("weights", self.weights), ("means", self.means), ("stds", self.stds))
        if len(self.weights) > _MAX_COMPONENTS:
            return f"GaussianMixture({len(self.weights)} components)"
        arguments = (f"{name}=[{', '.join(f'{value:.6g}' for value in values)}]" for name, values in parameters)
        return f"GaussianMixture({', '.join(arguments)})"
