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
from rocpredict.distributions.normal_sum import NormalSum, NormalSumBatch, NormalSumDistribution, mean_and_std

_N_RANDOM_INITS = 4
_N_SHORT_RUNS = 20  # EM steps from each start; then only the fit with the highest likelihood is continued
_MAX_ITER = 1000  # largest number of EM steps on the binned sample
_MAX_ITER_FULL = 100  # largest number of subsequent EM steps on the full sample
_N_BINS = 1024  # number of groups of neighboring values in the first fit to a large sample
_TOL = 1e-7  # smallest gain in log-likelihood per observation and step
_MIN_RELATIVE_STD = 0.01  # lower limit of the standard deviation of a component, for a standardized sample
_MAX_BLOCK_SIZE = 2**15  # largest number of array elements per block, which then fits into a cache


class MixtureFit(NamedTuple):
    """Parameters and log-likelihood of one mixture or of several mixtures.

    The arrays of parameters have shape (k,) for one mixture, and shape (fits, k) for several mixtures.
    """

    weights: FloatArray
    means: FloatArray
    stds: FloatArray
    log_likelihood: FloatArray

    def select(self, rows: Any) -> MixtureFit:
        """Return the selected mixtures."""
        return MixtureFit(*(part[rows] for part in self))


def fit_mixture(x: FloatArray, counts: FloatArray, k: int, rng: np.random.Generator) -> MixtureFit:
    """Fit a mixture of k Gaussians by EM, starting from each of several initial mixtures.

    ``x`` contains the standardized values in ascending order, and ``counts`` contains their frequencies.
    """
    floor = min_std(float(counts.sum()))
    bins, bin_counts = _bin_sample(x, counts)
    fits = initial_parameters(bins, bin_counts, k, rng, floor)
    for _ in range(_N_SHORT_RUNS if k > 1 else 1):
        fits = em_step(bins, bin_counts, fits, floor)
    best = int(np.argmax(fits.log_likelihood))
    fit = _run_em(bins, bin_counts, fits.select([best]), floor, _MAX_ITER)
    return _run_em(x, counts, fit, floor, _MAX_ITER_FULL).select(0)


def _bin_sample(x: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Replace each group of neighboring values of a large sample by its mean, for a first approximate fit."""
    group = np.floor(np.cumsum(counts) * (_N_BINS / counts.sum()))
    first = np.flatnonzero(np.diff(group, prepend=-1.0))
    if len(x) <= _N_BINS or len(first) <= _N_BINS // 4:  # many tied values leave few groups
        return x, counts
    group_counts = np.add.reduceat(counts, first)
    return np.add.reduceat(counts * x, first) / group_counts, group_counts


def _run_em(
    x: FloatArray, counts: FloatArray, fits: MixtureFit, floor: ArrayLike, max_iter: int, *, needed: ArrayLike = -np.inf
) -> MixtureFit:
    """Iterate each mixture until its log-likelihood converges; ``max_iter`` is the largest number of EM steps.

    The iteration of a mixture is abandoned if its log-likelihood increases too slowly to reach ``needed`` within
    ``max_iter`` further steps. After every two EM steps, a third step starts from an extrapolated mixture (SQUAREM,
    Varadhan and Roland 2008). The result of the third step is discarded if the extrapolated mixture is less likely than
    the mixture after the first step. From one cycle of three steps to the next, the likelihood never decreases.
    """
    n_fits = len(fits.means)
    x = np.broadcast_to(x, (n_fits, x.shape[-1]))
    counts = np.broadcast_to(np.atleast_2d(counts), x.shape)
    floors = np.broadcast_to(np.reshape(np.asarray(floor, dtype=np.float64), (-1, 1)), (n_fits, 1))
    goals = np.broadcast_to(np.asarray(needed, dtype=np.float64), n_fits)
    result, rows = MixtureFit(*(part.copy() for part in fits)), np.arange(n_fits)
    for _ in range(max_iter // 3 + 1):
        first = em_step(x, counts, fits, floors)
        second = em_step(x, counts, first, floors)
        for whole, part in zip(result, second, strict=True):
            whole[rows] = part
        least_gain = np.maximum(_TOL * counts.sum(axis=1), (goals - second.log_likelihood) / max_iter)
        is_moving = second.log_likelihood - first.log_likelihood > least_gain
        if not is_moving.any():
            break
        rows = rows[is_moving]
        x, counts, floors, goals = (part[is_moving] for part in (x, counts, floors, goals))
        fits, first, second = (fit.select(is_moving) for fit in (fits, first, second))
        with np.errstate(all="ignore"):
            ahead = em_step(x, counts, _extrapolate(fits, first, second, floors), floors)
        is_better = ahead.log_likelihood >= second.log_likelihood  # False for NaN
        parts = zip(ahead, second, strict=True)
        fits = MixtureFit(*(np.where(is_better if a.ndim == 1 else is_better[:, None], a, b) for a, b in parts))
    return result


def _extrapolate(fits: MixtureFit, first: MixtureFit, second: MixtureFit, floor: FloatArray) -> MixtureFit:
    """Extrapolate the mixtures from two EM steps; weights and standard deviations are extrapolated on a log scale."""
    points = [np.hstack([np.log(fit.weights), fit.means, np.log(fit.stds)]) for fit in (fits, first, second)]
    step, bend = points[1] - points[0], points[2] - 2 * points[1] + points[0]
    length = np.maximum(np.linalg.norm(step, axis=1) / np.linalg.norm(bend, axis=1), 1.0)[:, None]
    log_weights, means, log_stds = np.split(points[0] + 2 * length * step + length**2 * bend, 3, axis=1)
    weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    return MixtureFit(
        weights / weights.sum(axis=1, keepdims=True), means, np.maximum(np.exp(log_stds), floor), fits.log_likelihood
    )


def select_n_components(x: FloatArray, counts: FloatArray, rng: np.random.Generator, max_components: int) -> MixtureFit:
    """Return the mixture with the lowest BIC.

    The search stops when neither one nor two additional components lower the BIC.
    """
    fits: list[MixtureFit] = []
    for k in range(1, max_components + 1):
        fits.append(fit_mixture(x, counts, k, rng))
        bic = [(3 * len(fit.weights) - 1) * np.log(counts.sum()) - 2 * fit.log_likelihood for fit in fits]
        if k - 1 - int(np.argmin(bic)) == 2:
            break
    return fits[int(np.argmin(bic))]


def min_std(n: float) -> float:
    """Return the lower limit of a component's standard deviation, relative to the sample's standard deviation."""
    return float(max(_MIN_RELATIVE_STD, n**-0.5))


def initial_parameters(x: FloatArray, counts: FloatArray, k: int, rng: np.random.Generator, floor: float) -> MixtureFit:
    """Return the initial mixtures for EM.

    The means of the first mixture are quantiles. The means of the other mixtures are drawn by k-means++ (Arthur and
    Vassilvitskii 2007).
    """
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


def em_step(x: FloatArray, counts: FloatArray, fits: MixtureFit, floor: ArrayLike) -> MixtureFit:
    """Return the mixtures after one EM step, and the log-likelihoods of the mixtures before this step.

    ``x`` has shape (n,) if all mixtures share one sample, and shape (fits, n) if each mixture has its own sample. The
    mixtures are processed in blocks whose arrays fit into the processor cache.
    """
    n_fits, k = fits.means.shape
    shape = n_fits, x.shape[-1]
    x, counts, floor = np.broadcast_to(x, shape), np.broadcast_to(counts, shape), np.broadcast_to(floor, (n_fits, 1))
    step = max(1, _MAX_BLOCK_SIZE // (k * shape[1]))
    blocks = [slice(start, start + step) for start in range(0, n_fits, step)]
    parts = [_em_step_block(x[part], counts[part], fits.select(part), floor[part]) for part in blocks]
    return MixtureFit(*map(np.concatenate, zip(*parts, strict=True)))


@np.errstate(under="ignore")
def _em_step_block(x: FloatArray, counts: FloatArray, fits: MixtureFit, floor: FloatArray) -> MixtureFit:
    z = x[:, None, :] - fits.means[..., None]
    z *= (np.sqrt(0.5) / fits.stds)[..., None]
    level = z * z
    np.subtract((np.log(fits.weights / fits.stds) - LOG_SQRT_2PI)[..., None], level, out=level)
    top = level.max(axis=1)
    level -= top[:, None]
    np.exp(level, out=level)
    density = level.sum(axis=1)
    log_likelihood = np.einsum("sn,sn->s", np.log(density) + top, counts)
    level *= (counts / density)[:, None]
    sizes = np.maximum(level.sum(axis=-1), np.finfo(float).tiny)
    level *= z
    shifts = level.sum(axis=-1) / sizes  # shifts of the means, in units of sqrt(2) standard deviations
    variances = 2 * (np.einsum("skn,skn->sk", level, z) / sizes - shifts**2)
    return MixtureFit(
        sizes / sizes.sum(axis=1, keepdims=True),
        fits.means + np.sqrt(2) * fits.stds * shifts,
        np.sqrt(np.maximum(variances * fits.stds**2, floor**2)),
        log_likelihood,
    )


_MAX_COMPONENTS = 4  # largest number of components that the BIC may select


def _standard_scores(sample: FloatArray) -> tuple[FloatArray, FloatArray, float, float]:
    """Return the distinct values of a sample as standard scores, their counts, the mean and the standard deviation."""
    points, counts = np.unique(sample + 0.0, return_counts=True)
    mean, std = mean_and_std(points, counts.astype(np.float64))
    return (points / 2 - mean / 2) / (std / 2), counts.astype(np.float64), mean, std


def fit_resamples(resamples: FloatArray, sample: FloatArray) -> NormalSumBatch:
    """Fit a mixture to each row of ``resamples``, an array of shape (B, n); no row may be constant.

    For each number of components, a mixture is first fitted to the original sample; the fits to all resamples start
    from this mixture. The BIC then selects the number of components of each resample, as in ``select_n_components``.
    """
    scores, counts, mean, std = _standard_scores(sample)
    x = (np.sort(resamples, axis=1) / 2 - mean / 2) / (std / 2)
    n_fits, n = x.shape
    n_distinct, floor = 1 + np.count_nonzero(np.diff(x), axis=1), min_std(n) * x.std(axis=1, ddof=1, keepdims=True)
    best, best_bic, rng = np.zeros(n_fits, dtype=np.intp), np.full(n_fits, np.inf), check_seed("rng", 0)
    weights, means, stds = (np.full((n_fits, _MAX_COMPONENTS), fill) for fill in (0.0, 0.0, 1.0))
    for k in range(1, min(_MAX_COMPONENTS, len(scores)) + 1):
        start = fit_mixture(scores, counts, k, rng)
        rows = np.flatnonzero((k - best < 3) & (k <= n_distinct))
        if not rows.size:
            break
        starts = MixtureFit(*(np.repeat(part[None], len(rows), axis=0) for part in start))
        penalty = (3 * k - 1) * np.log(n)
        needed = (penalty - best_bic[rows]) / 2
        fits = _run_em(x[rows], np.ones(n), starts, floor[rows], _MAX_ITER, needed=needed)
        bic = penalty - 2 * fits.log_likelihood
        is_better = bic < best_bic[rows]
        rows, fits = rows[is_better], fits.select(is_better)
        best[rows], best_bic[rows] = k, bic[is_better]
        for whole, part in zip((weights, means, stds), fits[:3], strict=True):
            whole[rows, :k] = part
    return NormalSumBatch(weights, mean + std * means, std * stds)


@dataclass(frozen=True, eq=False, repr=False)
class GaussianMixture(NormalSumDistribution):
    """Mixture of Gaussians as the distribution of a class.

    Parameters
    ----------
    weights : array-like of shape (k,)
        Weights of the components; each must be above 0. The weights are divided by their sum.
    means : array-like of shape (k,)
        Means of the components, in the unit of the feature.
    stds : float or array-like of shape (k,)
        Standard deviations (not variances) of the components, in the unit of the feature; each must be above 0.

    Attributes
    ----------
    components : NormalSum
        The components in ascending order of their means.

    Raises
    ------
    RocPredictError
        If a weight or standard deviation is not above 0, if a number is not finite, or if the shapes do not match.

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
            raise RocPredictError(
                f"stds has shape {stds.shape}; pass one number for each of the {len(weights)} components"
            )
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
            Finite values of one class, at least two of them distinct.
        n_components : int, optional
            Number of Gaussians. By default, the BIC selects a number from 1 to 4.
        rng : None, int or numpy.random.Generator, default=0
            Seed or generator for the random starts. The same seed gives the same mixture.

        Returns
        -------
        GaussianMixture
            Fitted mixture.

        Raises
        ------
        RocPredictError
            If a value is not finite, if there are fewer than two distinct values, or if there are more components than
            distinct values.

        Notes
        -----
        Expectation maximization (Dempster, Laird and Rubin 1977) is started from several sets of means: quantiles of
        the sample and k-means++ draws. No component has a standard deviation below max(s/sqrt(n), s/100), where s is
        the standard deviation of the sample. Without this limit the likelihood would be unbounded, since a component
        could shrink to a group of tied values. With one component, the result equals ``Gaussian.fit(x, ddof=0)``.
        Extrapolation after every second step accelerates convergence (Varadhan and Roland 2008).

        For k components, n observations and likelihood L, BIC = (3k - 1) log n - 2 log L (Schwarz 1978). The
        mixture with the smallest BIC is selected. The search stops when neither one nor two additional components lower
        the BIC. In small samples, the BIC may select a single component for two overlapping groups.

        In a bootstrap, each fit to a resample starts from a mixture that was fitted to the original sample. The BIC
        selects the number of components separately for each resample.

        Examples
        --------
        >>> x = np.concatenate([np.linspace(1, 3, 50), np.linspace(9, 11, 50)])
        >>> GaussianMixture.fit(x)
        GaussianMixture(weights=[0.5, 0.5], means=[2, 10], stds=[0.589015, 0.589015])
        """
        sample = check_finite("x", x)
        if sample.ndim != 1:
            raise RocPredictError(f"x has shape {sample.shape}; pass one feature as an array of shape (n,)")
        n_distinct = len(np.unique(sample))
        if n_distinct < 2:
            raise RocPredictError("x has fewer than two distinct values; a mixture needs at least two")
        k = None if n_components is None else check_int("n_components", n_components)
        if k is not None and not 1 <= k <= n_distinct:
            raise RocPredictError(
                f"n_components={k} is not between 1 and {n_distinct}, the number of distinct values in x"
            )
        scores, counts, mean, std = _standard_scores(sample)  # the fit does not depend on the unit
        generator = check_seed("rng", rng)
        if k is None:
            fitted = select_n_components(scores, counts, generator, min(_MAX_COMPONENTS, n_distinct))
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
