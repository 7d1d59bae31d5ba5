"""Power transforms, and distributions on a transformed scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.results import Result, ResultSummary
from rocpredict.base.validation import (
    ArrayOrFloat,
    FloatArray,
    RocPredictError,
    check_probabilities,
    check_real,
    short_repr,
    to_scalar,
)
from rocpredict.distributions.base import Atoms, Distribution

KINDS = ("box-cox", "yeo-johnson")
"""Box and Cox (1964) for values above 0; Yeo and Johnson (2000) for any."""
_NEARLY_0 = 1e-12


class _Extrapolation(NamedTuple):
    """Where the power gives way to the logarithm, on the logarithmic axis, the transformed one, and its slopes."""

    x: FloatArray
    z: FloatArray
    slope: FloatArray


@dataclass(frozen=True)
class PowerTransform:
    """Map a feature to a scale on which its classes are nearly Gaussian.

    With u = (x - centre)/scale, Box-Cox (centre 0) takes l = log u and Yeo-Johnson l = sign(u) log(1 + abs(u)); then
    z = (e^(p l) - 1)/p for l >= 0, or on the whole axis of Box-Cox, and z = -(e^((2 - p) abs(l)) - 1)/(2 - p) for a
    negative l of Yeo-Johnson. Most powers p have an end that z cannot pass. So beyond ``low`` and ``high`` z goes on
    straight in l, with the slope that it has there: every z has its x.

    Parameters
    ----------
    kind : {"box-cox", "yeo-johnson"}
    power : float
        p; 1 leaves the shape as it is.
    centre, scale : float
        In the unit of the feature; the scale is above 0, and the centre of Box-Cox 0.
    low, high : float
        The l between which the power holds: those of the smallest and the largest value it was fitted to.
    reflected : bool
        Maps x to minus the transform of -x.

    Raises
    ------
    RocPredictError
        An unknown kind, a scale of 0 or less, numbers that are not finite, a Box-Cox centre.

    Examples
    --------
    >>> logarithm = PowerTransform("box-cox", 0.0, 0.0, 1.0, -3.0, 3.0)
    >>> float(logarithm.transform(np.exp(2.0))), float(logarithm.inverse_transform(np.asarray(0.0)))
    (2.0, 1.0)
    """

    kind: str
    power: float
    centre: float
    scale: float
    low: float
    high: float
    reflected: bool = False

    def __post_init__(self) -> None:
        numbers = (self.power, self.centre, self.scale, self.low, self.high)
        known = self.kind in KINDS and (self.kind != KINDS[0] or self.centre == 0)
        if not known or not np.isfinite(numbers).all() or not self.scale > 0 or not self.low <= self.high:
            raise RocPredictError(
                f"{short_repr(self)} is no power transform; give a kind of {KINDS}, a scale above 0, low <= "
                "high, and for "
                "Box-Cox a centre of 0"
            )

    def transform(self, x: FloatArray) -> FloatArray:
        """Give the transformed values."""
        logs, ends = self._logs(self._apply_reflection(x)), self._ends
        inner = np.clip(logs, *ends.x)
        z = self._raised(inner)
        if (outside := inner != logs).any():
            slope = np.where(logs < inner, *ends.slope)
            with np.errstate(over="ignore", invalid="ignore"):
                z = np.where(outside, z + slope * (logs - inner), z)
        return self._apply_reflection(z)

    def inverse_transform(self, z: FloatArray) -> FloatArray:
        """Give the values whose transform this is."""
        z, ends = self._apply_reflection(z), self._ends
        inner = np.clip(z, *ends.z)
        logs = np.clip(self._lowered(inner), *ends.x)
        with np.errstate(over="ignore", invalid="ignore"):
            beyond = (z - inner) / np.where(z < inner, *ends.slope)
            return self._apply_reflection(self._from_logs(logs + np.where(z == inner, 0.0, beyond)))

    def log_derivative(self, x: FloatArray) -> FloatArray:
        """Give the logarithm of dz/dx."""
        logs = self._logs(self._apply_reflection(x))
        inner = np.clip(logs, *self._ends.x)
        of_logs = -logs if self._boxcox else -np.abs(logs)
        return np.asarray(self._log_slope(inner) + of_logs - np.log(self.scale))

    def reflect(self) -> PowerTransform:
        """Give the transform of -x that is minus this one of x."""
        return replace(self, reflected=not self.reflected)

    @property
    def _boxcox(self) -> bool:
        return self.kind == KINDS[0]

    @cached_property
    def _ends(self) -> _Extrapolation:
        at = np.array([self.low, self.high])
        with np.errstate(over="ignore"):
            return _Extrapolation(at, self._raised(at), np.exp(self._log_slope(at)))

    def _apply_reflection(self, x: FloatArray) -> FloatArray:
        return np.negative(x) if self.reflected else np.asarray(x)

    def _logs(self, x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            if self._boxcox:
                return log_ratio(np.maximum(x, 0.0), self.scale)
            u = (x - self.centre) / self.scale
            return np.copysign(np.log1p(np.abs(u)), u)

    def _from_logs(self, logs: FloatArray) -> FloatArray:
        if self._boxcox:
            ratio = np.exp(logs)  # its product keeps the digits of neighbours, where neither overflows
            return np.where((ratio > 0) & (ratio < np.inf), self.scale * ratio, np.exp(logs + np.log(self.scale)))
        return np.asarray(self.centre + self.scale * np.copysign(np.expm1(np.abs(logs)), logs))

    def _log_slope(self, logs: FloatArray) -> FloatArray:
        """Give log(dz/dl) where the power holds."""
        return self.power * logs if self._boxcox else np.where(logs < 0, self.power - 2, self.power) * logs

    def _raised(self, logs: FloatArray) -> FloatArray:
        """Give z where the power holds."""
        if self._boxcox:
            return _boxcox(logs, self.power)
        sizes = np.abs(logs)
        return np.where(logs < 0, -_boxcox(sizes, 2 - self.power), _boxcox(sizes, self.power))

    def _lowered(self, z: FloatArray) -> FloatArray:
        """Give l where the power holds."""
        if self._boxcox:
            return _inv_boxcox(z, self.power)
        sizes = np.abs(z)
        return np.where(z < 0, -_inv_boxcox(sizes, 2 - self.power), _inv_boxcox(sizes, self.power))


def log_ratio(x: FloatArray, scale: ArrayLike) -> FloatArray:
    """Give log(x/scale) for x of 0 or more: of the ratio, which tells neighbours apart, where it is in range."""
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        ratio = x / np.asarray(scale)
        usual = (ratio >= np.finfo(float).tiny) & (ratio < np.inf)
        return np.where(usual, np.log(ratio), np.log(x) - np.log(scale))


def _boxcox(logs: FloatArray, power: float) -> FloatArray:
    with np.errstate(over="ignore"):
        return logs if abs(power) < _NEARLY_0 else np.asarray(np.expm1(power * logs) / power)


def _inv_boxcox(z: FloatArray, power: float) -> FloatArray:
    if abs(power) < _NEARLY_0:
        return z
    with np.errstate(divide="ignore"):
        return np.asarray(np.log1p(np.maximum(power * z, -1.0)) / power)


@dataclass(frozen=True, repr=False)
class Transformed(Result):
    """Describe values whose power transform has a known distribution.

    A ROC curve does not change when the axis is transformed: two classes with one transform have the curve of
    their bases, closed form and all.

    Parameters
    ----------
    base : distribution
        Of the transformed values; of one feature, continuous.
    transform : PowerTransform

    Raises
    ------
    RocPredictError
        A base that is a batch or has atoms, what is no transform.

    Examples
    --------
    >>> from rocpredict.distributions import Gaussian
    >>> logarithm = PowerTransform("box-cox", 0.0, 0.0, 1.0, -3.0, 3.0)
    >>> Transformed(Gaussian(1, 0.5), logarithm).ppf(0.5)
    2.718281828459045
    """

    base: Any
    transform: PowerTransform

    def __post_init__(self) -> None:
        if not isinstance(self.transform, PowerTransform):
            raise RocPredictError(f"transform={short_repr(self.transform)} is no PowerTransform")
        if not isinstance(self.base, Distribution) or self.base.shape or self.base.atoms().points.size:
            raise RocPredictError(f"base={short_repr(self.base)} is no continuous distribution of one feature")

    @property
    def shape(self) -> tuple[int, ...]:
        """Always ``()``: one feature."""
        return ()

    def pdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give the density."""
        with np.errstate(over="ignore"):
            return to_scalar(np.exp(self.logpdf(x)))

    def logpdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give the logarithm of the density."""
        x = check_real("x", x)
        level = np.asarray(self.base.logpdf(self.transform.transform(x)))
        with np.errstate(invalid="ignore"):
            return to_scalar(
                np.where(np.isneginf(level) | np.isinf(x), -np.inf, level + self.transform.log_derivative(x))
            )

    def cdf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X <= x)."""
        return to_scalar(self.base.cdf(self.transform.transform(check_real("x", x))))

    def sf(self, x: ArrayLike) -> ArrayOrFloat:
        """Give P(X > x)."""
        return to_scalar(self.base.sf(self.transform.transform(check_real("x", x))))

    cdf_strict, sf_inclusive = cdf, sf

    def ppf(self, q: ArrayLike) -> ArrayOrFloat:
        """Give the smallest x with ``cdf(x) >= q``."""
        return to_scalar(self.transform.inverse_transform(np.asarray(self.base.ppf(check_probabilities("q", q)))))

    def isf(self, q: ArrayLike) -> ArrayOrFloat:
        """Give the smallest x with ``sf(x) <= q``."""
        return to_scalar(self.transform.inverse_transform(np.asarray(self.base.isf(check_probabilities("q", q)))))

    def atoms(self) -> Atoms:
        """Give nothing: all probability is spread."""
        return Atoms(np.empty(0), np.empty(0))

    def reflect(self) -> Transformed:
        """Give the distribution of -X."""
        return Transformed(self.base.reflect(), self.transform.reflect())

    def _summary(self) -> ResultSummary:
        rows: list[list[Any]] = [
            ["transform", self.transform.kind],
            ["power", self.transform.power],
            ["then", repr(self.base)],
        ]
        return ResultSummary("Transformed distribution", rows)

    def __repr__(self) -> str:
        sign = "-" if self.transform.reflected else ""
        return f"Transformed({self.base!r}, {sign}{self.transform.kind}, power={self.transform.power:.6g})"


LAMBDA_GRID = np.arange(-30, 41) / 10
"""The powers tried."""
_AT_ONCE = 2**21  # transformed values held together


class PowerTransforms(NamedTuple):
    """Hold the transform of each feature: arrays of shape (F,), and what it makes of the rows."""

    boxcox: NDArray[np.bool_]
    power: FloatArray
    centre: FloatArray
    scale: FloatArray
    logs: FloatArray
    """The rows of both classes on the logarithmic axis, shape (F, n0 + n1)."""
    z: FloatArray
    """The rows transformed, the same shape."""

    def transform(self, feature: int = 0) -> PowerTransform:
        """Give the transform of one feature."""
        logs = self.logs[feature]
        kind = KINDS[0] if self.boxcox[feature] else KINDS[1]
        power, centre, scale = (float(part[feature]) for part in (self.power, self.centre, self.scale))
        return PowerTransform(kind, power, centre, scale, float(logs.min()), float(logs.max()))


def fit_power_transforms(negative: FloatArray, positive: FloatArray, *, method: str | None = None) -> PowerTransforms:
    """Fit a common transform to both classes of each feature.

    Parameters
    ----------
    negative, positive : arrays of shape (F, n0) and (F, n1)
        Finite values.
    method : {None, "yeo-johnson"}
        Left out: Box-Cox of x over its geometric mean where all values are above 0; Yeo-Johnson of x over the geometric
        mean of those above 0 where none is negative; else Yeo-Johnson of (x - median)/SD. "yeo-johnson": the last.

    Notes
    -----
    Of the powers -3, -2.9, ... 4 the one is taken that has the highest likelihood of two Gaussian classes, times a
    standard normal density about 1 (Box and Cox 1964, for two groups): -sum_k n_k/2 log var_k + (p - 1) sum l -
    (p - 1)^2/2. A class without spread leaves the power at 1.
    """
    rows, first = np.concatenate([negative, positive], axis=1), negative.shape[1]
    lowest = rows.min(axis=1)
    boxcox = (lowest > 0) & (method is None)
    centre, scale = _centre_and_scale(rows, lowest, centred=(lowest < 0) | (method is not None))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        u = (rows - centre[:, None]) / scale[:, None]
        ratios = log_ratio(np.where(boxcox[:, None], rows, 1.0), scale[:, None])
        logs = np.where(boxcox[:, None], ratios, np.sign(u) * np.log1p(np.abs(u)))
    power = np.empty(len(rows))
    step = max(1, _AT_ONCE // (rows.shape[1] * len(LAMBDA_GRID)))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        power[part] = _maximize_likelihood(logs[part], first, ~boxcox[part])
    return PowerTransforms(boxcox, power, centre, scale, logs, _power_transform(logs, power[:, None], ~boxcox[:, None]))


def _centre_and_scale(
    rows: FloatArray, lowest: FloatArray, *, centred: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """Give what is subtracted and what is divided by."""
    centre, scale = np.zeros(len(rows)), np.ones(len(rows))
    if centred.any():
        chosen = rows[centred]
        centre[centred] = np.median(chosen, axis=1)
        largest = np.maximum(np.abs(chosen).max(axis=1), np.finfo(float).tiny)
        scale[centred] = largest * (chosen / largest[:, None]).std(axis=1, ddof=1)
    if not centred.all():
        chosen = rows[~centred]
        above = chosen > 0
        logs = np.where(above, np.log(np.where(above, chosen, 1.0)), 0.0).sum(axis=1)
        scale[~centred] = np.exp(logs / np.maximum(above.sum(axis=1), 1))
    return centre, np.where(scale > 0, scale, 1.0)


def _maximize_likelihood(logs: FloatArray, first: int, yeo_johnson: NDArray[np.bool_]) -> FloatArray:
    """Give the power with the highest penalised likelihood, for each feature."""
    at_once = max(1, _AT_ONCE // logs.size)
    parts = [LAMBDA_GRID[start : start + at_once] for start in range(0, len(LAMBDA_GRID), at_once)]
    likelihood = np.concatenate([_likelihood(logs, first, yeo_johnson, powers) for powers in parts], axis=1)
    level = [np.ptp(part, axis=1) == 0 for part in (logs[:, :first], logs[:, first:])]  # whatever rounding says
    known = np.isfinite(likelihood) & ~np.logical_or(*level)[:, None]
    best = np.argmax(np.where(known, likelihood, -np.inf), axis=1)
    return np.where(known.any(axis=1), LAMBDA_GRID[best], 1.0)


def _likelihood(logs: FloatArray, first: int, yeo_johnson: NDArray[np.bool_], powers: FloatArray) -> FloatArray:
    """Give the penalised log-likelihood of each feature and power: shape (F, powers)."""
    z = _power_transform(logs[:, None, :], powers[:, None], yeo_johnson[:, None, None])
    likelihood = np.zeros(z.shape[:2])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for part in (z[..., :first], z[..., first:]):
            likelihood -= part.shape[-1] / 2 * np.log(part.var(axis=-1))
        return np.asarray(likelihood + (powers - 1) * logs.sum(axis=1)[:, None] - (powers - 1) ** 2 / 2)


def _power_transform(logs: FloatArray, power: FloatArray, yeo_johnson: NDArray[np.bool_]) -> FloatArray:
    """Give z from l; where it is ``yeo_johnson`` (Yeo-Johnson), negative values have the power 2 - p."""
    below = yeo_johnson & (logs < 0)
    p, sizes = np.where(below, 2 - power, power), np.where(below, -logs, logs)
    flat = p == 0
    with np.errstate(over="ignore"):
        z = np.where(flat, sizes, np.expm1(p * sizes) / np.where(flat, 1.0, p))
    return np.where(below, -z, z)


def inverse_transform(powers: PowerTransforms, which: NDArray[np.intp], z: FloatArray) -> FloatArray:
    """Give the values of features whose transforms these are, as ``PowerTransform.inverse`` of one.

    Parameters
    ----------
    powers : Powers
        Of F features.
    which : array of int, shape (m,)
        The feature of each value.
    z : array of shape (m,)
    """
    power, folded = powers.power[which], ~powers.boxcox[which]
    at = np.stack([powers.logs.min(axis=1), powers.logs.max(axis=1)])[:, which]
    to = np.stack([powers.z.min(axis=1), powers.z.max(axis=1)])[:, which]
    inner = np.clip(z, *to)
    end = np.where(z < inner, *at)
    with np.errstate(over="ignore"):
        beyond = (z - inner) / np.exp(np.where(folded & (end < 0), power - 2, power) * end)
        logs = np.clip(_inverse_power(inner, power, folded), *at) + np.where(z == inner, 0.0, beyond)
        above = np.exp(logs + np.log(powers.scale[which]))
        about = powers.centre[which] + powers.scale[which] * np.copysign(np.expm1(np.abs(logs)), logs)
    return np.asarray(np.where(folded, about, above))


def _inverse_power(z: FloatArray, power: FloatArray, folded: NDArray[np.bool_]) -> FloatArray:
    """Give l, whose power z is."""
    below = folded & (z < 0)
    p, sizes = np.where(below, 2 - power, power), np.where(below, -z, z)
    flat = p == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(flat, sizes, np.log1p(np.where(flat, 0.0, p * sizes)) / np.where(flat, 1.0, p))
    return np.asarray(np.where(below, -logs, logs))
