"""Weighted sums of normal distributions, and the kernel density estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.polynomial.chebyshev import chebpts1, chebval, chebvander
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    check_finite,
    check_option,
    check_real,
    readonly_array,
    short_repr,
)
from rocpredict.distributions.base import LOG_SQRT_2PI, Distribution, find_smallest_root
from rocpredict.distributions.ecdf import Ecdf

_WINDOW_SIZE = 512  # number of neighboring centers per window of values
_MAX_BLOCK_SIZE = 2**20  # largest number of array elements per block (8 MB for each of a few arrays)
_N_TABLE_POINTS = 32  # number of centers in the table of quantiles
_MIN_LOG = -800.0  # less than the logarithm of the smallest float
_NEWTON_STEPS = 6
_TAIL_RTOL = 2e-14  # accepted relative error of the tail probability of a quantile
_MAX_QUANTILE_NOISE = 1e-9  # accepted rounding error of a quantile, in units of the largest standard deviation
_N_CELL_NODES = 10  # number of Gauss nodes that replace the centers of a cell
_CELL_WIDTH, _MIN_CELL_WIDTH = 2.0, 0.15  # in units of the standard deviation of the kernels
_CELL_GROWTH = 0.7  # width of a cell, relative to its distance from the nearest gap or end
_GAP = 4.0  # distance of neighboring centers that counts as a gap, in standard deviations of the kernels
_MANY_VALUES = 10_000  # sums at this many values or more are interpolated
_CHEBYSHEV_NODES = chebpts1(20)
_CHEBYSHEV_MATRIX = np.linalg.inv(chebvander(_CHEBYSHEV_NODES, 19)).T
_MAX_BATCH_BLOCK_SIZE = 2**17  # largest number of array elements per block of a batch; it fits into a cache
_N_BATCH_POINTS = 129  # number of points in the table of quantiles of each sample of a batch
_BATCH_STEPS, _BATCH_XTOL = 100, 1e-7  # a last Newton step of 1e-7 kernel widths leaves an error of about 1e-14
_MIN_COMPRESSION = 2  # with fewer centers per node, all centers are kept


@dataclass(frozen=True, eq=False)
class NormalSum:
    """Weighted sum of normal distributions (the components), which are sorted by their means.

    Both tail probabilities have full relative accuracy. The result for a value does not depend on the other values in
    the same call. If the components and the values are reflected about 0, the results are bitwise identical.

    Parameters
    ----------
    weights, means, stds : arrays of shape (k,)
        Weights, means and standard deviations of the components. Weights must be above 0 and can have any sum. Standard
        deviations must be above 0; only ``tail`` also accepts 0.
    """

    weights: FloatArray
    means: FloatArray
    stds: FloatArray

    def __post_init__(self) -> None:
        order = np.argsort(self.means, kind="stable")
        for name in ("weights", "means", "stds"):
            object.__setattr__(self, name, readonly_array(np.add(getattr(self, name)[order], 0.0)))

    @cached_property
    def total(self) -> float:
        """Sum of the weights."""
        return float(symmetric_sum(self.weights))

    @cached_property
    def equal_stds(self) -> bool:
        """True if all components have the same standard deviation."""
        return bool((self.stds == self.stds[0]).all())

    @cached_property
    def cutoff_z(self) -> float:
        """Distance from the mean, in standard deviations, beyond which a component contributes a negligible amount."""
        return float(np.sqrt(2 * (38 + np.log(self.total / self.weights.min()))))

    @cached_property
    def _cum_weights(self) -> FloatArray:
        return readonly_array(np.concatenate([[0.0], np.cumsum(self.weights)]))

    @cached_property
    def _cum_weights_reversed(self) -> FloatArray:
        return readonly_array(np.concatenate([[0.0], np.cumsum(self.weights[::-1])])[::-1])

    @np.errstate(under="ignore")
    def tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        """Return P(X > x) if ``upper`` is True, otherwise P(X <= x)."""

        def partial_sum(z: FloatArray, part: slice) -> FloatArray:
            ndtr(np.negative(z, out=z) if upper else z, out=z)
            passed = self._cum_weights_reversed[part.stop] if upper else self._cum_weights[part.start]
            return np.asarray(passed + symmetric_sum(np.multiply(z, self.weights[part], out=z)))

        beyond = np.where((x == -np.inf) if upper else (x == np.inf), 1.0, 0.0)
        inside = np.minimum(self._interpolate_many(x, partial(self._sum_kernels, kernel=partial_sum)) / self.total, 1.0)
        return np.asarray(np.where(np.isinf(x), beyond, inside))

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density."""
        narrowest = self.stds.min()
        scaled = self.weights / self.total * (narrowest / self.stds)

        def partial_sum(z: FloatArray, part: slice) -> FloatArray:
            np.multiply(z, z, out=z)
            z *= -0.5
            return symmetric_sum(np.multiply(np.exp(z, out=z), scaled[part], out=z))

        with np.errstate(over="ignore"):  # a density may exceed the largest float
            sums = self._interpolate_many(x, partial(self._sum_kernels, kernel=partial_sum))
            return np.asarray(sums * np.exp(-LOG_SQRT_2PI) / narrowest)

    def logpdf(self, x: FloatArray) -> FloatArray:
        """Return the logarithm of the density, computed relative to the largest term to avoid underflow."""
        level = np.log(self.weights / self.total) - np.log(self.stds)

        def log_partial_sum(z: FloatArray, part: slice) -> FloatArray:
            np.multiply(z, z, out=z)
            z *= -0.5
            z += level[part]
            top = z.max(axis=-1)
            at = np.where(np.isinf(top), 0.0, top)
            z -= at[:, None]
            return np.asarray(at + np.log(symmetric_sum(np.exp(z, out=z))))

        return self._sum_kernels(x, log_partial_sum) - LOG_SQRT_2PI

    def quantile_brackets(self, z: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return lower bounds, upper bounds and initial estimates of the quantiles for the probabilities Phi(z)."""
        x, table = self._quantile_table
        last = len(x) - 1
        widths = np.where(z < 0, self.stds.max(), self.stds.min()), np.where(z < 0, self.stds.min(), self.stds.max())
        largest = np.finfo(float).max
        with np.errstate(over="ignore", invalid="ignore"):
            low = np.clip(self.means[0] + widths[0] * z, -largest, largest)
            high = np.clip(self.means[-1] + widths[1] * z, -largest, largest)
        index = np.searchsorted(table, z)
        low = np.where(index == 0, np.minimum(low, x[0]), x[np.clip(index - 1, 0, last)])
        high = np.where(index > last, np.maximum(high, x[last]), x[np.clip(index, 0, last)])
        return low, high, np.interp(z, table, x)

    @cached_property
    def _quantile_table(self) -> tuple[FloatArray, FloatArray]:
        """Ascending values x, and the probit Phi^-1(P(X <= x)) of each value."""
        index = np.unique(np.linspace(0, len(self.means) - 1, _N_TABLE_POINTS).round().astype(int))
        with np.errstate(over="ignore"):
            x = np.unique(self.means[index, None] + self.stds[index, None] * np.linspace(-6, 6, 13))
        x = x[np.isfinite(x)]
        lower, upper = self.tail(x, upper=False), self.tail(x, upper=True)
        scores = np.maximum.accumulate(np.where(lower < upper, ndtri(lower), -ndtri(upper)))
        return x[np.isfinite(scores)], scores[np.isfinite(scores)]

    def _interpolate_many(self, x: FloatArray, sums: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Compute ``sums`` at very many values by Chebyshev interpolation in cells of one standard deviation.

        The error is below 1e-16 times the largest sum in the cell. Sums are computed directly at values beyond the
        outermost means, and in cells in which the sums differ by more than a factor of 1,000.
        """
        values = np.ravel(x)
        if values.size < _MANY_VALUES or not self.equal_stds:
            return sums(x)
        std, result = self.stds[0], np.empty(values.shape)
        inside = (values >= self.means[0]) & (values <= self.means[-1])
        scaled = (values[inside] - self.means[0]) / std
        cells, index = np.unique(np.floor(scaled), return_inverse=True)
        if len(_CHEBYSHEV_NODES) * len(cells) > len(scaled) / 2:
            return sums(x)
        nodes = self.means[0] + std * (cells[:, None] + (_CHEBYSHEV_NODES + 1) / 2)
        at_nodes = sums(nodes)
        coefficients = at_nodes @ _CHEBYSHEV_MATRIX
        is_smooth = at_nodes.min(axis=1) > 1e-3 * at_nodes.max(axis=1)
        interpolated = chebval(2 * (scaled - cells[index]) - 1, coefficients.T[:, index], tensor=False)
        direct = np.ones(values.shape, dtype=bool)
        direct[inside] = ~is_smooth[index]
        result[inside] = interpolated
        result[direct] = sums(values[direct])
        return result.reshape(np.shape(x))

    def _sum_kernels(self, x: FloatArray, kernel: Callable[[FloatArray, slice], FloatArray]) -> FloatArray:
        """Return the sum over the components for each value x, as computed by ``kernel``.

        ``kernel`` receives (x - mean)/std for one block of values at a time.
        """
        values = np.ravel(x)
        sums = np.empty(values.shape)
        with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
            for rows, part in self._blocks(values):
                z = values[rows, None] / 2 - self.means[part] / 2  # halves do not overflow
                z /= self.stds[part] / 2
                sums[rows] = kernel(z, part)
        return sums.reshape(np.shape(x))

    def _blocks(self, x: FloatArray) -> Iterator[tuple[NDArray[np.intp], slice]]:
        """Yield, for each block of values, their indices and the range of components that contribute to their sums."""
        for rows, part in self._windows(x):
            step = max(1, _MAX_BLOCK_SIZE // (part.stop - part.start))
            yield from ((rows[first : first + step], part) for first in range(0, len(rows), step))

    def _windows(self, x: FloatArray) -> Iterator[tuple[NDArray[np.intp], slice]]:
        """Yield, for each group of neighboring values, their indices and the range of components near these values."""
        if not self.equal_stds or len(self.means) <= _WINDOW_SIZE:
            yield np.arange(len(x)), slice(0, len(self.means))
            return
        rank = np.searchsorted(self.means, x, "left") + np.searchsorted(self.means, x, "right")
        group = np.rint((rank - len(self.means)) / (2 * _WINDOW_SIZE)).astype(int)  # symmetric about the middle
        order, reach = np.argsort(group, kind="stable"), self.cutoff_z * self.stds[0]
        for rows in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
            if rows.size:
                middle = len(self.means) / 2 + int(group[rows[0]]) * _WINDOW_SIZE
                low = max(0, int(np.floor(middle - _WINDOW_SIZE / 2)) - 1)
                high = min(len(self.means) - 1, int(np.ceil(middle + _WINDOW_SIZE / 2)))
                left = np.searchsorted(self.means, self.means[low] - reach, "left")
                yield rows, slice(int(left), int(np.searchsorted(self.means, self.means[high] + reach, "right")))


def compress_centres(centres: FloatArray, counts: FloatArray, std: float) -> tuple[FloatArray, FloatArray]:
    """Replace kernel centers by fewer weighted centers; the weighted sum of kernels is unchanged up to rounding errors.

    Parameters
    ----------
    centres, counts : arrays of shape (k,)
        Distinct centers, in ascending order, and their weights.
    std : float
        Standard deviation of the kernels.

    Notes
    -----
    The range of the centers is divided into cells. A cell is about as wide as its distance from the nearest gap or end
    of the sample, but at most two standard deviations wide. A gap is a distance of more than four standard deviations
    between neighboring centers. Cells near an end or a gap are narrow, because the tail of the density there depends on
    the outermost centers. If a cell has more than ten centers, they are replaced by the ten nodes of the Gauss
    quadrature rule for these weighted centers. The nodes are the eigenvalues of the Jacobi matrix of the polynomials
    that are orthogonal with respect to the weighted centers. The new weights are above 0, and the first 19 moments of
    the centers in the cell are unchanged. Let M be the maximum of the absolute value of the 20th derivative of Phi. In
    a cell that is two standard deviations wide, the error of a tail probability is at most M/(20! 2^18), about 2e-16,
    times the weight of the cell.
    """
    if len(centres) <= _MIN_COMPRESSION * _N_CELL_NODES:
        return centres, counts
    first = _cell_starts(centres, std)
    sizes = np.diff(first, append=len(centres))
    if len(centres) < _MIN_COMPRESSION * int(np.minimum(sizes, _N_CELL_NODES).sum()):
        return centres, counts
    nodes, masses, _ = _replace_centres(centres, counts, first, std)
    order = np.argsort(nodes, kind="stable")
    return nodes[order], masses[order]


def _replace_centres(
    centres: FloatArray, counts: FloatArray, first: NDArray[np.intp], std: float
) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
    """Return the centers and weights after the replacement in each cell, and the cell index of each returned center.

    ``first`` contains the index of the first of the original centers in each cell.
    """
    sizes, cells = np.diff(first, append=len(centres)), np.arange(len(first))
    is_dense, cell = sizes > _N_CELL_NODES, np.repeat(cells, sizes)
    in_dense = is_dense[cell]
    x, w, starts = centres[in_dense], counts[in_dense], np.cumsum(sizes[is_dense]) - sizes[is_dense]
    repeats = sizes[is_dense]
    middle, mass = centres[first[is_dense] + repeats // 2], np.add.reduceat(w, starts) if len(starts) else w
    u = (x - np.repeat(middle, repeats)) / std
    previous, polynomial = np.zeros_like(u), np.repeat(mass**-0.5, repeats)
    jacobi, beta = np.zeros((len(starts), _N_CELL_NODES, _N_CELL_NODES)), np.zeros(len(starts))
    for k in range(_N_CELL_NODES if len(starts) else 0):
        # orthonormal polynomials: u p_k = b_(k+1) p_(k+1) + a_k p_k + b_k p_(k-1)
        alpha = np.add.reduceat(w * u * polynomial**2, starts)
        jacobi[:, k, k] = alpha
        if k == _N_CELL_NODES - 1:
            break
        following = (u - np.repeat(alpha, repeats)) * polynomial - np.repeat(beta, repeats) * previous
        beta = np.sqrt(np.add.reduceat(w * following**2, starts))
        jacobi[:, k, k + 1] = jacobi[:, k + 1, k] = beta
        with np.errstate(divide="ignore", invalid="ignore"):
            previous, polynomial = polynomial, following / np.repeat(beta, repeats)
    usable = np.asarray(np.isfinite(jacobi).all(axis=(1, 2)))
    roots, vectors = np.linalg.eigh(np.where(usable[:, None, None], jacobi, 0.0))
    weights = mass[:, None] * vectors[:, 0] ** 2
    keep = usable[:, None] & (weights > 0)
    unusable = np.repeat(~usable, repeats)  # centers so close to each other that their moments are rounding error
    nodes = np.concatenate([centres[~in_dense], x[unusable], (middle[:, None] + std * roots)[keep]])
    masses = np.concatenate([counts[~in_dense], w[unusable], weights[keep]])
    node_cells = np.broadcast_to(cells[is_dense][:, None], keep.shape)[keep]
    return nodes, masses, np.concatenate([cell[~in_dense], cell[in_dense][unusable], node_cells])


def _cell_starts(centres: FloatArray, std: float) -> NDArray[np.intp]:
    """Return the index of the first center of each cell."""
    with np.errstate(over="ignore"):
        is_gap = np.diff(centres) > _GAP * std
    begins, ends = np.concatenate([[True], is_gap]), np.concatenate([is_gap, [True]])
    group = np.cumsum(begins) - 1
    after, before = centres - centres[begins][group], centres[ends][group] - centres
    is_right = before < after
    distance = np.minimum(before, after) / std
    near, far = _MIN_CELL_WIDTH / _CELL_GROWTH, _CELL_WIDTH / _CELL_GROWTH
    index = np.minimum(distance, near) / _MIN_CELL_WIDTH
    index += np.log(np.clip(distance, near, far) / near) / _CELL_GROWTH
    index += np.maximum(distance - far, 0) / _CELL_WIDTH
    code = np.where(is_right, -1 - np.floor(index), np.floor(index))
    return np.flatnonzero(np.concatenate([[True], (np.diff(code) != 0) | (np.diff(group) != 0)]))


def symmetric_sum(terms: FloatArray) -> FloatArray:
    """Sum over the last axis, with exactly the same result if the order of the terms is reversed."""
    half = terms.shape[-1] // 2
    total = (terms[..., :half] + terms[..., ::-1][..., :half]).sum(axis=-1)
    return np.asarray(total + terms[..., half] if terms.shape[-1] % 2 else total)


class NormalSumDistribution(Distribution):
    """Base class of kernel density estimates and Gaussian mixtures, which have no point masses.

    Notes
    -----
    With weights w, means m and standard deviations s, the lower tail is the sum of w Phi((x - m)/s) over all
    components, and the upper tail is the sum of w Phi(-(x - m)/s). A quantile is computed from the smaller tail by root
    finding. The sums are computed in blocks of values and components, which limits the memory use to a few tens of
    megabytes. If all components have the same standard deviation, components far from a value are not evaluated,
    because each of them contributes either 0 or its full weight to a tail.
    """

    components: NormalSum

    def _pdf(self, x: FloatArray) -> FloatArray:
        return self.components.pdf(x)

    def _logpdf(self, x: FloatArray) -> FloatArray:
        return self.components.logpdf(x)

    def _cdf(self, x: FloatArray) -> FloatArray:
        return self.components.tail(x, upper=False)

    def _sf(self, x: FloatArray) -> FloatArray:
        return self.components.tail(x, upper=True)

    def _ppf(self, q: FloatArray) -> FloatArray:
        return np.where(q <= 0.5, self._quantile(q, upper=False), self._quantile(1 - q, upper=True))

    def _isf(self, q: FloatArray) -> FloatArray:
        return np.where(q <= 0.5, self._quantile(q, upper=True), self._quantile(1 - q, upper=False))

    def _quantile(self, probability: FloatArray, *, upper: bool) -> FloatArray:
        """Return the quantiles of one tail for probabilities up to 1/2, and infinity for larger probabilities."""
        inside = (probability > 0) & (probability <= 0.5)
        quantile = np.where(inside, 0.0, np.inf if upper else -np.inf)
        target = probability[inside]
        if target.size:
            scores = -ndtri(target) if upper else ndtri(target)
            low, high, start = self.components.quantile_brackets(scores)
            quantiles, rest = self._newton_quantile(target, scores, np.clip(start, low, high), upper=upper)
            if rest.size:
                xatol = 2e-16 * float(self.components.stds.min())
                excess = partial(self._excess, upper=upper)
                quantiles[rest] = find_smallest_root(excess, low[rest], high[rest], target[rest], xatol=xatol)
            quantile[inside] = quantiles
        return quantile

    def _newton_quantile(
        self, target: FloatArray, scores: FloatArray, start: FloatArray, *, upper: bool
    ) -> tuple[FloatArray, NDArray[np.intp]]:
        """Compute quantiles by Newton's method; also return the indices of the quantiles that did not converge.

        Newton's method is applied to Phi^-1 of the tail probability. A quantile does not converge if the density is so
        small that rounding errors of the tail probability shift the quantile noticeably.
        """
        normals, x, rest = self.components, start, np.arange(len(start))
        for _ in range(_NEWTON_STEPS):
            at, aim = x[rest], target[rest]
            tail, slope = normals.tail(at, upper=upper), normals.pdf(at)
            with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
                steep = np.finfo(float).eps * aim <= _MAX_QUANTILE_NOISE * normals.stds.max() * slope
                halfway = slope * np.spacing(np.abs(at)) / 2  # change of the tail halfway to the next float
                converged = steep & (np.abs(tail - aim) <= np.maximum(_TAIL_RTOL * aim, halfway))
                score = -ndtri(tail) if upper else ndtri(tail)
                step = (scores[rest] - score) / slope * np.exp(-0.5 * score * score - LOG_SQRT_2PI)
                x[rest] = np.where(converged, at, at + step)
            rest = rest[~converged]
            if not rest.size:
                break
        return x, rest

    def _excess(self, x: FloatArray, target: FloatArray, *, upper: bool) -> FloatArray:
        """Return log(tail/target) for the lower tail or -log(tail/target) for the upper tail; both increase with x."""
        with np.errstate(divide="ignore", over="ignore"):
            excess = np.maximum(np.log1p((self.components.tail(x, upper=upper) - target) / target), _MIN_LOG)
        return -excess if upper else excess

    def _compared(self) -> dict[str, FloatArray]:
        normals = self.components
        return {"weights": normals.weights, "means": normals.means, "stds": normals.stds}


Bandwidth: TypeAlias = Literal["silverman", "scott", "cube-root"]
BANDWIDTH_RULES: tuple[Bandwidth, ...] = get_args(Bandwidth)


@dataclass(frozen=True, eq=False, repr=False)
class GaussianKde(NormalSumDistribution):
    """Gaussian kernel density estimate of a class.

    Parameters
    ----------
    sample : array-like of shape (n,)
        Finite feature values; at least two of them must be distinct.
    bandwidth : {"silverman", "scott", "cube-root"} or float, default="silverman"
        Standard deviation of the kernels. In the following rules, s is the standard deviation (``ddof=1``) and R is the
        interquartile range of the n observations:

        - ``"silverman"``: 0.9 min(s, R/1.34) n^(-1/5), or 0.9 s n^(-1/5) if R is 0 [1]_.
        - ``"scott"``: 1.06 s n^(-1/5) [1]_.
        - ``"cube-root"``: s n^(-1/3), usually the smallest of the three bandwidths. This bandwidth is suitable for
          estimating a cdf [2]_ or a ROC curve, but too small for estimating a density.
        - float: a number above 0, in the unit of the feature.
    bandwidth_factor : float, default=1.0
        Multiplier for the bandwidth of the selected rule. The multiplier must be 1 if ``bandwidth`` is a number.
    variance_preserving : bool, default=False
        Whether the kernel means are shrunk towards the sample mean, so that the variance of the estimate equals the
        sample variance. Without shrinkage, the variance of the estimate exceeds the sample variance by the variance of
        the kernel.
    weights : array-like of shape (n,), optional
        Nonnegative frequency weights: the number of observations that each value represents. By default, each value is
        one observation.

    Attributes
    ----------
    std : float
        Standard deviation of the kernels, in the unit of the feature.
    means : array of shape (k,)
        Means of the kernels in ascending order, one for each distinct value.
    components : NormalSum
        Kernels, weighted by the number of observations that they represent. In a large sample, neighboring kernels are
        replaced by fewer kernels (see Notes).

    Raises
    ------
    RocPredictError
        If ``sample`` contains values that are not finite, or fewer than two distinct values. If ``bandwidth``,
        ``bandwidth_factor`` or ``weights`` is invalid. If a standard deviation is needed, but the weights sum to 1 or
        less.

    Notes
    -----
    With ``variance_preserving=True``, the kernel of an observation x has the mean m + (x - m) sqrt((1 - h^2/s^2) n/(n -
    1)), where m is the mean and s the standard deviation of the sample, and h is the bandwidth. The variance of the
    estimate is then s^2 for every bandwidth. If h >= s, the estimate is one kernel with mean m and standard deviation
    s, which is the Gaussian that ``Gaussian.fit`` returns.

    In a large sample, the range of the values is divided into intervals with a width of two bandwidths; near the ends
    of the sample and near gaps, the intervals are narrower. The kernels in each interval are replaced by ten kernels at
    the nodes of a Gauss quadrature rule [3]_, which preserves their first 19 moments. This replacement changes the
    density by less than r times its maximum, and each tail probability by less than r. Here r is the larger of 1e-13
    and e/h, where e is the spacing of floats at the values. With this replacement, the computing time of an evaluation
    does not grow with the sample size.

    References
    ----------
    .. [1] B. W. Silverman, Density Estimation for Statistics and Data Analysis, section 3.4, Chapman and Hall, 1986.
    .. [2] A. Azzalini, A note on the estimation of a distribution function and quantiles by a kernel method,
       Biometrika 68 (1981) 326-328.
    .. [3] G. H. Golub and J. H. Welsch, Calculation of Gauss quadrature rules, Mathematics of Computation 23 (1969)
       221-230.

    Examples
    --------
    >>> density = GaussianKde([3.1, 4.0, 4.2, 5.9, 7.3], bandwidth=0.5)
    >>> density.cdf(4.1)
    0.39548...
    >>> GaussianKde([3.1, 4.0, 4.2, 5.9, 7.3], bandwidth="cube-root").std
    0.9...
    """

    sample: FloatArray
    bandwidth: float | Bandwidth = field(default="silverman", kw_only=True)
    bandwidth_factor: float = field(default=1.0, kw_only=True)
    variance_preserving: bool = field(default=False, kw_only=True)
    weights: FloatArray | None = field(default=None, kw_only=True)
    std: float = field(init=False)
    _tabled = ("std", "variance_preserving")
    _heading = "Kernel density estimate (GaussianKde) of {sample.size} observations"

    if TYPE_CHECKING:

        def __init__(
            self,
            sample: ArrayLike,
            *,
            bandwidth: float | Bandwidth = "silverman",
            bandwidth_factor: float = 1.0,
            variance_preserving: bool = False,
            weights: ArrayLike | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        ecdf = Ecdf(check_finite("sample", self.sample), self.weights)
        if len(ecdf.unique_values) < 2:
            raise RocPredictError(
                f"all values of sample are equal to {ecdf.unique_values[0]:.6g}; a kernel density needs at least two "
                "distinct values (rp.Ecdf and rp.Gaussian accept equal values)"
            )
        check_option("variance_preserving", self.variance_preserving, (True, False))
        object.__setattr__(self, "sample", ecdf.sample)
        object.__setattr__(self, "weights", ecdf.weights)
        object.__setattr__(
            self, "std", min(self._bandwidth, self._moments[1]) if self.variance_preserving else self._bandwidth
        )

    @cached_property
    def _kernels(self) -> tuple[FloatArray, FloatArray]:
        """Means of the kernels, ascending, and the number of observations that each kernel represents."""
        centres, counts = self._ecdf.unique_values, self._ecdf.unique_weights
        if self.variance_preserving:
            mean, std = self._moments
            if self.std >= std:
                centres, counts = np.array([mean]), np.array([self._ecdf.total])
            else:
                ratio, total = self.std / std, self._ecdf.total
                centres = mean + (centres - mean) * np.sqrt((1 - ratio) * (1 + ratio) * total / (total - 1))
        return readonly_array(centres), readonly_array(counts)

    @cached_property
    def components(self) -> NormalSum:  # type: ignore[override]
        """Kernels, weighted by the number of observations that they represent.

        In a large sample, neighboring kernels are replaced by fewer kernels.
        """
        centres, counts = compress_centres(*self._kernels, self.std)
        return NormalSum(counts, centres, np.full(len(centres), self.std))

    @property
    def means(self) -> FloatArray:
        """Means of the kernels in ascending order, one for each distinct value."""
        return self._kernels[0]

    def reflect(self) -> GaussianKde:
        """Return the distribution of -X."""
        mirror = GaussianKde(
            -self.sample, bandwidth=self._bandwidth, variance_preserving=self.variance_preserving, weights=self.weights
        )
        normals = self.components  # compressed only once, so that the reflected sums are equal to the last bit
        mirror.__dict__["components"] = NormalSum(normals.weights, -normals.means, normals.stds)
        return mirror

    @cached_property
    def _ecdf(self) -> Ecdf:
        return Ecdf(self.sample, self.weights)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        return mean_and_std(self._ecdf.unique_values, self._ecdf.unique_weights)

    @cached_property
    def _bandwidth(self) -> float:
        """Bandwidth before ``variance_preserving=True`` limits it to the standard deviation of the sample."""
        factor = _check_positive("bandwidth_factor", self.bandwidth_factor)
        if not isinstance(self.bandwidth, str):
            if factor != 1:
                raise RocPredictError(
                    f"bandwidth_factor={factor:g} requires a bandwidth rule ({', '.join(BANDWIDTH_RULES)}), but "
                    f"bandwidth={short_repr(self.bandwidth)} is a number"
                )
            return _check_positive("bandwidth", self.bandwidth, " or a rule: " + ", ".join(BANDWIDTH_RULES))
        h = factor * _rule_bandwidth(
            check_option("bandwidth", self.bandwidth, BANDWIDTH_RULES), self._ecdf, self._moments[1]
        )
        return _check_positive("bandwidth", h)

    def __repr__(self) -> str:
        preserving = ", variance_preserving=True" if self.variance_preserving else ""
        return f"GaussianKde({len(self.sample)} observations, std={self.std:.6g}{preserving})"


@dataclass(frozen=True, eq=False, repr=False)
class NormalSumBatch(Distribution[FloatArray]):
    """Kernel density estimates or Gaussian mixtures of many samples.

    Parameters
    ----------
    weights, means : arrays of shape F + (k,)
        Weights and means of the components of each sample. The weights of a sample sum to 1; some of them may be 0.
    stds : array of shape F + (k,)
        Standard deviations of the components. The shape is F + (1,) if all components of a sample have the same
        standard deviation.
    """

    weights: FloatArray
    means: FloatArray
    stds: FloatArray

    @classmethod
    def fit(cls, values: FloatArray) -> NormalSumBatch:
        """Estimate the density of each of B samples, passed as an array of shape (B, n); no sample may be constant.

        Each density agrees with the density of ``GaussianKde(x, bandwidth_factor=2, variance_preserving=True)`` to
        within 1e-13. In the tails, this limit applies only to the absolute error, because the cells of
        ``compress_centres`` are two bandwidths wide even at the ends of the sample.
        """
        values = np.sort(values, axis=1)
        n_rows, n = values.shape
        mean, spread = values.mean(axis=1, keepdims=True), values.std(axis=1, ddof=1, keepdims=True)
        low, high = np.quantile(values, (0.25, 0.75), axis=1)
        robust = (high - low)[:, None] / 1.34
        width = 2 * 0.9 * np.where(robust > 0, np.minimum(spread, robust), spread) * n**-0.2
        ratio = np.minimum(width / spread, 1.0)
        std = ratio * spread
        z = (mean + (values - mean) * np.sqrt((1 - ratio) * (1 + ratio) * n / (n - 1))) / std
        cell, is_first = np.floor((z - z[:, :1]) / _CELL_WIDTH), np.ones(z.shape, dtype=bool)
        is_first[:, 1:] = np.diff(z) > 0
        starts = np.flatnonzero(is_first)
        is_new = np.ones(z.shape, dtype=bool)
        is_new[:, 1:] = np.diff(cell) > 0
        first = np.flatnonzero(is_new.ravel()[starts])
        counts = np.diff(starts, append=z.size) / n
        nodes, masses, cells = _replace_centres(z.ravel()[starts], counts, first, 1.0)
        row = starts[first[cells]] // n
        order = np.argsort(row, kind="stable")
        row = row[order]
        place = np.arange(len(row)) - np.searchsorted(row, row)
        weights = np.zeros((n_rows, place.max() + 1))
        means = np.repeat(z[:, :1], weights.shape[1], axis=1)
        weights[row, place], means[row, place] = masses[order], nodes[order]
        return cls(weights, means * std, std)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape F of the batch."""
        return self.weights.shape[:-1]

    @property
    def has_one_width(self) -> bool:
        """True if all components of a sample have the same standard deviation, as in kernel density estimates."""
        return self.stds.shape[-1] == 1

    def reflect(self) -> NormalSumBatch:
        """Return the distributions of -X."""
        return NormalSumBatch(self.weights, -self.means, self.stds)

    def __getitem__(self, index: Any) -> NormalSumBatch:
        """Return the densities of the selected samples."""
        return NormalSumBatch(self.weights[index], self.means[index], self.stds[index])

    def _add_grid_axis(self) -> NormalSumBatch:
        return NormalSumBatch(*(part[..., None, :] for part in (self.weights, self.means, self.stds)))

    def components(self, index: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the components of one sample: weights, means and standard deviations."""
        used = self.weights[index] > 0
        stds = np.broadcast_to(self.stds[index], used.shape)
        return self.weights[index][used], self.means[index][used], stds[used]

    def quantile_bounds(self, z: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and the largest value of mean + z std among the components.

        The quantile for Phi(z) lies between these two values.
        """
        means = self.means
        if self.has_one_width:
            means = np.stack([means.min(axis=-1), means.max(axis=-1)], axis=-1)
        reached = means + self.stds * np.asarray(z)[..., None]
        return reached.min(axis=-1), reached.max(axis=-1)

    def bounds(self, z: float) -> tuple[FloatArray, FloatArray]:
        """Return the smallest value of mean - z std and the largest value of mean + z std among the components."""
        return self.quantile_bounds(-z)[0], self.quantile_bounds(z)[1]

    def _sum_kernels(self, x: FloatArray, kernel: Callable[[FloatArray, slice], FloatArray]) -> FloatArray:
        """Return the sum over the components for each value x, as computed by ``kernel``.

        ``kernel`` receives (x - mean)/std for one block of values at a time.
        """
        x = np.broadcast_to(x, np.broadcast_shapes(np.shape(x), self.shape))
        sums, size = np.empty(x.shape), max(1, x[:1].size * self.means.shape[-1])
        step = max(1, _MAX_BATCH_BLOCK_SIZE // size)
        for start in range(0, len(x), step):
            part = slice(start, start + step)
            z = x[part][..., None] - self.means[part]
            z /= self.stds[part]
            sums[part] = kernel(z, part)
        return sums

    @np.errstate(under="ignore")
    def _cdf(self, x: FloatArray) -> FloatArray:
        def mean_tail(z: FloatArray, part: slice) -> FloatArray:
            return np.asarray(np.einsum("...k,...k->...", ndtr(z, out=z), self.weights[part]))

        return np.minimum(self._sum_kernels(x, mean_tail), 1.0)

    def _sf(self, x: FloatArray) -> FloatArray:
        return self.reflect()._cdf(-x)

    @np.errstate(under="ignore")
    def _pdf(self, x: FloatArray) -> FloatArray:
        heights = self.weights / self.stds * np.exp(-LOG_SQRT_2PI)

        def density(z: FloatArray, part: slice) -> FloatArray:
            return np.asarray(np.einsum("...k,...k->...", np.exp(-0.5 * z * z), heights[part]))

        return self._sum_kernels(x, density)

    @np.errstate(under="ignore", divide="ignore")
    def _logpdf(self, x: FloatArray) -> FloatArray:
        level = np.log(self.weights / self.stds) - LOG_SQRT_2PI

        def log_density(z: FloatArray, part: slice) -> FloatArray:
            z *= -0.5 * z
            z += level[part]
            top = z.max(axis=-1, keepdims=True)
            return np.asarray(top[..., 0] + np.log(np.exp(z - top).sum(axis=-1)))

        return self._sum_kernels(x, log_density)

    def _isf(self, q: FloatArray) -> FloatArray:
        return -self.reflect()._ppf(q)

    @np.errstate(under="ignore")
    def _ppf(self, q: FloatArray) -> FloatArray:
        """Return quantiles, first interpolated in a table of Phi^-1(cdf), then refined by bracketed Newton steps."""
        if len(self.shape) == 1:
            return self._add_grid_axis()._ppf(np.asarray(q)[..., None])[..., 0]
        low, high = self.bounds(8.0)
        grid = low + (high - low) * np.linspace(0, 1, _N_BATCH_POINTS)
        density = self._pdf(grid)
        reached = np.cumsum(density, axis=1) - density / 2
        table = ndtri(reached / (reached[:, -1:] + density[:, -1:] / 2))
        with np.errstate(invalid="ignore"):  # probabilities of 0 and 1
            z = np.broadcast_to(ndtri(q), np.broadcast_shapes(np.shape(q), self.shape))
            x = np.stack([np.interp(*row) for row in zip(z, table, grid, strict=True)]).ravel()
            low, high = map(np.ravel, self.quantile_bounds(z))
        z, row = z.ravel(), np.repeat(np.arange(len(z)), z.shape[-1])
        rest = np.flatnonzero(np.isfinite(z))
        x[np.isinf(z)] = z[np.isinf(z)]
        for _ in range(_BATCH_STEPS):
            here = self[row[rest], 0]
            score = ndtri(here._cdf(x[rest]))
            is_below = score < z[rest]
            low[rest], high[rest] = np.where(is_below, x[rest], low[rest]), np.where(is_below, high[rest], x[rest])
            with np.errstate(divide="ignore", invalid="ignore"):
                step = (z[rest] - score) * np.exp(-0.5 * score * score - LOG_SQRT_2PI) / here._pdf(x[rest])
            moved = x[rest] + step
            is_inside = (moved > low[rest]) & (moved < high[rest])
            x[rest] = np.where(is_inside | (score == z[rest]), moved, low[rest] / 2 + high[rest] / 2)
            rest = rest[~(is_inside & (np.abs(step) <= _BATCH_XTOL * here.stds.min(axis=-1))) & (score != z[rest])]
            if not rest.size:
                break
        return x.reshape(len(self.weights), -1)


def mean_and_std(points: FloatArray, counts: FloatArray) -> tuple[float, float]:
    """Compute the mean and the standard deviation (``ddof=1``) of values with frequency weights."""
    total = float(symmetric_sum(counts))
    if not total > 1:
        raise RocPredictError(f"the weights sum to {total:g}; a standard deviation needs a sum above 1")
    _, exponent = np.frexp(np.abs(points).max())
    scaled = np.ldexp(points, -exponent)  # neither the sum nor the squares overflow
    mean = symmetric_sum(counts * scaled) / total
    mean += symmetric_sum(counts * (scaled - mean)) / total
    deviation = scaled - mean
    deviation -= symmetric_sum(counts * deviation) / total
    std = np.sqrt(symmetric_sum(counts * deviation**2) / (total - 1))
    return float(np.ldexp(mean, exponent)), float(np.ldexp(std, exponent))


def _rule_bandwidth(rule: str, ecdf: Ecdf, std: float) -> float:
    n = ecdf.total
    if rule == "cube-root":
        return float(std * n ** (-1 / 3))
    if rule == "scott":
        return float(1.06 * std * n**-0.2)
    position = np.maximum(n - 1, 0) * np.array([0.25, 0.75])  # quartiles are interpolated as in numpy.quantile
    cumulative, whole = np.cumsum(ecdf.unique_weights), np.floor(position)
    index = [np.searchsorted(cumulative, at, "right") for at in (whole, whole + 1)]
    low, high = (ecdf.unique_values[np.minimum(part, len(cumulative) - 1)] for part in index)
    quartiles = low + (high - low) * (position - whole)
    robust_std = float(quartiles[1] - quartiles[0]) / 1.34
    return float(0.9 * (min(std, robust_std) if robust_std > 0 else std) * n**-0.2)


def _check_positive(name: str, value: object, hint: str = "") -> float:
    number = check_real(name, value)  # type: ignore[arg-type]
    if number.ndim or not 0 < number < np.inf:
        raise RocPredictError(f"{name}={short_repr(value)} is not a finite number above 0{hint}")
    return float(number)
