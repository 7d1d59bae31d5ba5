"""Power transforms, and distributions on a transformed scale."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.tables import Table
from rocpredict.base.validation import ArrayOrFloat, FloatArray, RocPredictError, short_repr, to_scalar
from rocpredict.distributions.base import Distribution

KINDS = ("box-cox", "yeo-johnson")
"""Transforms of Box and Cox (1964) for values above 0, and of Yeo and Johnson (2000) for all values."""
_MIN_POWER = 1e-12  # a smaller absolute power is treated as 0


@dataclass(frozen=True)
class PowerTransform:
    """Transform to a scale on which the classes of a feature are nearly Gaussian.

    Parameters
    ----------
    kind : {"box-cox", "yeo-johnson"} or array of shape F
        Name of the transform.
    power : float or array of shape F
        Power p; with p = 1 the transform is linear.
    centre, scale : float or array of shape F
        Location and scale, in the unit of the feature. ``scale`` must be above 0, and ``centre`` must be 0 for Box-Cox.
    low, high : float or array of shape F
        Bounds of l (see Notes). Between these bounds, the transform is a power function with exponent p; beyond them,
        it is linear in l. The bounds are usually the values of l at the minimum and the maximum of the sample.
    reflected : bool, default=False
        If True, the transform is applied to -x, and the sign of the result is reversed.

    Raises
    ------
    RocPredictError
        If the kind is unknown, if a number is not finite, if the scale is not above 0, if ``low`` is above ``high``, or
        if a Box-Cox centre is not 0.

    Notes
    -----
    Let u = (x - centre)/scale. Then l = log(u) for Box-Cox and l = sign(u) log(1 + abs(u)) for Yeo-Johnson. The
    transformed value is z = (e^(p l) - 1)/p or, for Yeo-Johnson and l < 0, z = -(e^((2 - p) abs(l)) - 1)/(2 - p). For
    most powers p, z is bounded on one side, and values beyond this bound would have no inverse. Therefore z is
    extended beyond ``low`` and ``high`` by straight lines in l; the slope does not change at these bounds.

    Examples
    --------
    >>> logarithm = PowerTransform("box-cox", 0.0, 0.0, 1.0, -3.0, 3.0)
    >>> float(logarithm.transform(np.exp(2.0))), float(logarithm.inverse_transform(np.asarray(0.0)))
    (2.0, 1.0)
    """

    kind: ArrayOrFloat
    power: ArrayOrFloat
    centre: ArrayOrFloat
    scale: ArrayOrFloat
    low: ArrayOrFloat
    high: ArrayOrFloat
    reflected: bool = False

    def __post_init__(self) -> None:
        numbers = self.power, self.centre, self.scale, self.low, self.high
        is_valid = np.isin(self.kind, KINDS) & (self._yeo_johnson | np.equal(self.centre, 0))
        finite = np.all([np.isfinite(number) for number in numbers], axis=0)
        if not np.all(is_valid & finite & np.greater(self.scale, 0) & np.less_equal(self.low, self.high)):
            raise RocPredictError(
                f"{short_repr(self)} is not a valid power transform; expected a kind in {KINDS}, finite numbers, "
                "scale > 0, low <= high, and centre=0 for Box-Cox"
            )

    def __getitem__(self, index: Any) -> PowerTransform:
        """Return the transforms of the selected features of a batch; ``None`` in the index adds an axis."""
        names = ("kind", "power", "centre", "scale", "low", "high")
        return replace(self, **{name: to_scalar(np.asarray(getattr(self, name))[index]) for name in names})

    def transform(self, x: FloatArray) -> FloatArray:
        """Return the transformed values."""
        logs, (limits, _, slopes) = self._logs(x), self._limits
        inner = np.clip(logs, *limits)
        z = _power_transform(inner, self.power, self._yeo_johnson)
        if (outside := inner != logs).any():
            slope = np.where(logs < inner, *slopes)
            with np.errstate(over="ignore", invalid="ignore"):
                z = np.where(outside, z + slope * (logs - inner), z)
        return self._apply_reflection(z)

    def inverse_transform(self, z: FloatArray) -> FloatArray:
        """Return the feature values that correspond to transformed values."""
        z, (limits, z_limits, slopes) = self._apply_reflection(z), self._limits
        inner = np.clip(z, *z_limits)
        logs = np.clip(_power_transform(inner, self.power, self._yeo_johnson, inverse=True), *limits)
        with np.errstate(over="ignore", invalid="ignore"):
            beyond = (z - inner) / np.where(z < inner, *slopes)
            return self._apply_reflection(self._from_logs(logs + np.where(z == inner, 0.0, beyond)))

    def log_derivative(self, x: FloatArray) -> FloatArray:
        """Return the logarithm of the derivative dz/dx."""
        logs = self._logs(x)
        of_logs = np.where(self._yeo_johnson, -np.abs(logs), -logs)
        return np.asarray(self._log_slope(np.clip(logs, *self._limits[0])) + of_logs - np.log(self.scale))

    def reflect(self) -> PowerTransform:
        """Return the transform r with r(-x) = -t(x), where t is this transform."""
        return replace(self, reflected=not self.reflected)

    @property
    def _yeo_johnson(self) -> NDArray[np.bool_]:
        return np.asarray(np.not_equal(self.kind, KINDS[0]))

    @cached_property
    def _limits(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The bounds ``low`` and ``high`` as values of l and as values of z, and the slopes dz/dl at these bounds."""
        at = np.array([self.low, self.high])
        with np.errstate(over="ignore"):
            return at, _power_transform(at, self.power, self._yeo_johnson), np.exp(self._log_slope(at))

    def _apply_reflection(self, x: FloatArray) -> FloatArray:
        return np.negative(x) if self.reflected else np.asarray(x)

    def _logs(self, x: FloatArray) -> FloatArray:
        x = self._apply_reflection(x)
        return _scaled_logs(x, np.asarray(self.centre), np.asarray(self.scale), self._yeo_johnson)

    def _from_logs(self, logs: FloatArray) -> FloatArray:
        about = np.asarray(self.centre + self.scale * np.copysign(np.expm1(np.abs(logs)), logs))
        if self._yeo_johnson.all():
            return about
        ratio = np.exp(logs)  # scale * ratio is more accurate, unless it overflows
        usual = (ratio > 0) & (ratio < np.inf)
        above = np.where(usual, self.scale * ratio, np.exp(logs + np.log(self.scale)))
        return np.where(self._yeo_johnson, about, above)

    def _log_slope(self, logs: FloatArray) -> FloatArray:
        """Return log(dz/dl) between ``low`` and ``high``."""
        return np.asarray(np.where(self._yeo_johnson & (logs < 0), np.subtract(self.power, 2), self.power) * logs)


def _scaled_logs(x: FloatArray, centre: FloatArray, scale: FloatArray, yeo_johnson: NDArray[np.bool_]) -> FloatArray:
    """Return log(x/scale) for Box-Cox, or sign(u) log(1 + abs(u)) with u = (x - centre)/scale for Yeo-Johnson.

    log(x/scale) is computed from the ratio, because log(x) - log(scale) can be the same for neighboring values of x.
    The difference of the logarithms is used only if the ratio overflows or underflows.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        u = (x - centre) / scale
        folded = np.copysign(np.log1p(np.abs(u)), u)
        if yeo_johnson.all():
            return folded
        above = np.maximum(x, 0.0)
        ratio = above / scale
        usual = (ratio >= np.finfo(float).tiny) & (ratio < np.inf)
        logs = np.where(usual, np.log(ratio), np.log(above) - np.log(scale))
        return np.where(yeo_johnson, folded, logs)


def _power_transform(
    values: FloatArray, power: ArrayLike, yeo_johnson: NDArray[np.bool_], *, inverse: bool = False
) -> FloatArray:
    """Compute z from l, or l from z if ``inverse`` is True; the Yeo-Johnson power of negative values is 2 - p."""
    below = yeo_johnson & (values < 0)
    p, sizes = np.where(below, np.subtract(2, power), power), np.where(below, -values, values)
    flat = np.abs(p) < _MIN_POWER
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        curved = np.log1p(np.maximum(p * sizes, -1.0)) if inverse else np.expm1(p * sizes)
        turned = np.where(flat, sizes, curved / np.where(flat, 1.0, p))
    return np.where(below, -turned, turned)


@dataclass(frozen=True, eq=False, repr=False)
class Transformed(Distribution):
    """Distribution of a feature whose power-transformed values have a given distribution.

    A ROC curve is invariant under increasing transforms. Two classes with the same transform therefore have the same
    ROC curve as their ``base`` distributions, and the same closed forms apply.

    Parameters
    ----------
    base : distribution
        Continuous distribution of one transformed feature, or a batch of such distributions. A batch must have the same
        shape as ``transform``.
    transform : PowerTransform
        Transform of the feature values.

    Raises
    ------
    RocPredictError
        If ``transform`` is not a PowerTransform, or if ``base`` is neither a continuous distribution of one feature nor
        a batch with the same shape as ``transform``.

    Examples
    --------
    >>> from rocpredict.distributions import Gaussian
    >>> logarithm = PowerTransform("box-cox", 0.0, 0.0, 1.0, -3.0, 3.0)
    >>> Transformed(Gaussian(1, 0.5), logarithm).ppf(0.5)
    2.718281828459045
    """

    base: Distribution[Any]
    transform: PowerTransform

    def __post_init__(self) -> None:
        if not isinstance(self.transform, PowerTransform):
            raise RocPredictError(f"transform={short_repr(self.transform)} is not a PowerTransform")
        base: Any = self.base
        fits = isinstance(base, Distribution) and base.shape == np.shape(self.transform.power)
        if not fits or (not base.shape and base.atoms().points.size):
            problem = f"base={short_repr(base)} is not a continuous distribution of one feature"
            raise RocPredictError(f"{problem}; pass one, such as rp.Gaussian(0, 1)")

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch, which has one distribution per feature; ``()`` for a single distribution."""
        return self.base.shape

    def _logpdf(self, x: FloatArray) -> FloatArray:
        level = self.base._logpdf(self.transform.transform(x))
        with np.errstate(invalid="ignore"):
            return np.where(np.isneginf(level) | np.isinf(x), -np.inf, level + self.transform.log_derivative(x))

    def _cdf(self, x: FloatArray) -> FloatArray:
        return self.base._cdf(self.transform.transform(x))

    def _sf(self, x: FloatArray) -> FloatArray:
        return self.base._sf(self.transform.transform(x))

    def _ppf(self, q: FloatArray) -> FloatArray:
        return self.transform.inverse_transform(self.base._ppf(q))

    def _isf(self, q: FloatArray) -> FloatArray:
        return self.transform.inverse_transform(self.base._isf(q))

    def reflect(self) -> Transformed:
        """Return the distribution of -X."""
        return Transformed(self.base.reflect(), self.transform.reflect())

    def map_back(self, z: FloatArray) -> FloatArray:
        """Return the feature values for the transformed values ``z``; ``z`` may have an additional trailing axis."""
        transform = self.transform[..., None] if np.ndim(z) > len(self.shape) > 0 else self.transform
        return transform.inverse_transform(z)

    def has_transform_of(self, other: Transformed) -> bool:
        """Return whether both distributions use the same transform for every feature."""
        parts = zip(astuple(self.transform), astuple(other.transform), strict=True)
        return all(np.array_equal(*part) for part in parts)

    def _add_grid_axis(self) -> Transformed:
        return Transformed(self.base._add_grid_axis(), self.transform[..., None])

    def table(self) -> Table:
        """Return a table of the transform and the distribution of the transformed values."""
        kind, power = self.transform.kind, self.transform.power
        rows = (("transform", kind), ("power", power), ("distribution after transform", repr(self.base)))
        return Table("Transformed distribution", ("quantity", "value"), rows)

    def __repr__(self) -> str:
        sign = "-" if self.transform.reflected else ""
        return f"Transformed({self.base!r}, {sign}{self.transform.kind}, power {self.transform.power:.6g})"


LAMBDA_GRID = np.arange(-30, 41) / 10
"""Candidate values of the power p."""
_COARSE_STEP, _FINE_STEP = 15, 4  # step sizes of the first two search grids, as numbers of candidate powers
_CHUNK_SIZE = 2**21  # number of transformed values per chunk


def fit_power_transforms(
    negative: FloatArray, positive: FloatArray, *, method: str | None = None
) -> tuple[PowerTransform, FloatArray]:
    """Fit a common transform to both classes of each feature.

    Parameters
    ----------
    negative, positive : arrays of shape (F, n0) and (F, n1)
        Finite values of the features in each class.
    method : {None, "yeo-johnson"}, default=None
        - None: if all values are above 0, use the Box-Cox transform of x/(geometric mean). If the smallest value is 0,
          use the Yeo-Johnson transform of x/(geometric mean of the values above 0). If a value is negative, use the
          Yeo-Johnson transform of (x - median)/SD.
        - ``"yeo-johnson"``: always use the Yeo-Johnson transform of (x - median)/SD.

    Returns
    -------
    transform : PowerTransform
        Transforms of shape (F,).
    z : array of shape (F, n0 + n1)
        Transformed values of both classes.

    Notes
    -----
    The power p is one of -3, -2.9, ..., 4. Among these powers, p maximizes the product of the likelihood of two
    Gaussian classes (Box and Cox 1964, for two groups) and a standard normal prior density of p - 1. Up to a constant,
    the logarithm of this product is -sum_k n_k/2 log var_k + (p - 1) sum l - (p - 1)^2/2. Here n_k is the number and
    var_k the variance of the transformed values of class k, and l is defined in ``PowerTransform``. If all values of a
    class are equal, the power is 1.
    """
    rows, first = np.concatenate([negative, positive], axis=1), negative.shape[1]
    lowest = rows.min(axis=1)
    yeo_johnson = (lowest <= 0) | (method is not None)
    centre, scale = _centre_and_scale(rows, (lowest < 0) | (method is not None))
    logs = _scaled_logs(rows, centre[:, None], scale[:, None], yeo_johnson[:, None])
    power = _maximize_likelihood(logs, first, yeo_johnson)
    kind = np.where(yeo_johnson, KINDS[1], KINDS[0])
    transform = PowerTransform(kind, power, centre, scale, logs.min(axis=1), logs.max(axis=1))
    return transform, _power_transform(logs, power[:, None], yeo_johnson[:, None])


def _centre_and_scale(rows: FloatArray, centred: NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """Return the centre and the scale of each feature."""
    centre, scale = np.zeros(len(rows)), np.ones(len(rows))
    if centred.any():
        selected = rows[centred]
        centre[centred] = np.median(selected, axis=1)
        largest = np.maximum(np.abs(selected).max(axis=1), np.finfo(float).tiny)
        scale[centred] = largest * (selected / largest[:, None]).std(axis=1, ddof=1)
    if not centred.all():
        selected = rows[~centred]
        above = selected > 0
        logs = np.where(above, np.log(np.where(above, selected, 1.0)), 0.0).sum(axis=1)
        scale[~centred] = np.exp(logs / np.maximum(above.sum(axis=1), 1))
    return centre, np.where(scale > 0, scale, 1.0)


def _maximize_likelihood(logs: FloatArray, first: int, yeo_johnson: NDArray[np.bool_]) -> FloatArray:
    """Return, for each feature, the power with the highest penalized likelihood.

    Notes
    -----
    The log-likelihood is a concave function of the power p: each (z_i - z_j)^2 is log-convex in p, and the variance,
    which is a sum of these terms, is therefore log-convex, too. Consequently, the maximum is close to the highest value
    on a coarse grid. It is found on three grids, each finer than the previous one.
    """
    last = len(LAMBDA_GRID) - 1
    constant = [np.ptp(part, axis=1) == 0 for part in (logs[:, :first], logs[:, first:])]  # var may be rounding error
    is_constant = np.logical_or(*constant)[:, None]

    def search(index: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return, for each feature, the best candidate power and whether any candidate has a finite likelihood."""
        chunk = max(1, _CHUNK_SIZE // logs.size)
        parts = [LAMBDA_GRID[index[:, start : start + chunk]] for start in range(0, index.shape[1], chunk)]
        likelihood = np.concatenate([_likelihood(logs, first, yeo_johnson, powers) for powers in parts], axis=1)
        is_estimated = np.isfinite(likelihood) & ~is_constant
        best = np.argmax(np.where(is_estimated, likelihood, -np.inf), axis=1)[:, None]
        return np.take_along_axis(index, best, axis=1), is_estimated.any(axis=1)

    start = np.append(np.arange(0, last, _COARSE_STEP), last)
    best, is_estimated = search(np.tile(start, (len(logs), 1)))
    if not is_estimated.all():
        best, is_estimated = search(np.tile(np.arange(last + 1), (len(logs), 1)))
    else:
        for step, reach in ((_FINE_STEP, _COARSE_STEP), (1, _FINE_STEP)):
            best, _ = search(np.clip(best + np.arange(-reach, reach + 1, step), 0, last))
    return np.where(is_estimated, LAMBDA_GRID[best[:, 0]], 1.0)


def _likelihood(logs: FloatArray, first: int, yeo_johnson: NDArray[np.bool_], powers: FloatArray) -> FloatArray:
    """Return the penalized log-likelihoods for powers of shape (F, k)."""
    z = _power_transform(logs[:, None, :], powers[..., None], yeo_johnson[:, None, None])
    likelihood = np.zeros(z.shape[:2])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for part in (z[..., :first], z[..., first:]):
            likelihood -= part.shape[-1] / 2 * np.log(part.var(axis=-1))
        return np.asarray(likelihood + (powers - 1) * logs.sum(axis=1)[:, None] - (powers - 1) ** 2 / 2)
