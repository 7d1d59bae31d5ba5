"""Power transforms of the axis: Box-Cox and Yeo-Johnson, without an end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.arguments import FloatArray, shown
from rocpredict.errors import RocPredictError

KINDS = ("box-cox", "yeo-johnson")
"""Box and Cox (1964) for values above 0; Yeo and Johnson (2000) for any."""
_NEARLY_0 = 1e-12


class _Ends(NamedTuple):
    """Where the power gives way to the logarithm, on the logarithmic axis, the transformed one, and its slopes."""

    at: FloatArray
    to: FloatArray
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
    >>> float(logarithm.forward(np.exp(2.0))), float(logarithm.inverse(np.asarray(0.0)))
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
                f"{shown(self)} is no power transform; give a kind of {KINDS}, a scale above 0, low <= high, and for "
                "Box-Cox a centre of 0"
            )

    def forward(self, x: FloatArray) -> FloatArray:
        """Give the transformed values."""
        logs, ends = self._logs(self._turned(x)), self._ends
        inner = np.clip(logs, *ends.at)
        z = self._raised(inner)
        if (outside := inner != logs).any():
            slope = np.where(logs < inner, *ends.slope)
            with np.errstate(over="ignore", invalid="ignore"):
                z = np.where(outside, z + slope * (logs - inner), z)
        return self._turned(z)

    def inverse(self, z: FloatArray) -> FloatArray:
        """Give the values whose transform this is."""
        z, ends = self._turned(z), self._ends
        inner = np.clip(z, *ends.to)
        logs = np.clip(self._lowered(inner), *ends.at)
        with np.errstate(over="ignore", invalid="ignore"):
            beyond = (z - inner) / np.where(z < inner, *ends.slope)
            return self._turned(self._from_logs(logs + np.where(z == inner, 0.0, beyond)))

    def log_slope(self, x: FloatArray) -> FloatArray:
        """Give the logarithm of dz/dx."""
        logs = self._logs(self._turned(x))
        inner = np.clip(logs, *self._ends.at)
        of_logs = -logs if self._boxcox else -np.abs(logs)
        return np.asarray(self._log_slope(inner) + of_logs - np.log(self.scale))

    def reflect(self) -> PowerTransform:
        """Give the transform of -x that is minus this one of x."""
        return replace(self, reflected=not self.reflected)

    @property
    def _boxcox(self) -> bool:
        return self.kind == KINDS[0]

    @cached_property
    def _ends(self) -> _Ends:
        at = np.array([self.low, self.high])
        with np.errstate(over="ignore"):
            return _Ends(at, self._raised(at), np.exp(self._log_slope(at)))

    def _turned(self, x: FloatArray) -> FloatArray:
        return np.negative(x) if self.reflected else np.asarray(x)

    def _logs(self, x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            if self._boxcox:
                return log_share(np.maximum(x, 0.0), self.scale)
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
            return _raised(logs, self.power)
        sizes = np.abs(logs)
        return np.where(logs < 0, -_raised(sizes, 2 - self.power), _raised(sizes, self.power))

    def _lowered(self, z: FloatArray) -> FloatArray:
        """Give l where the power holds."""
        if self._boxcox:
            return _lowered(z, self.power)
        sizes = np.abs(z)
        return np.where(z < 0, -_lowered(sizes, 2 - self.power), _lowered(sizes, self.power))


def log_share(x: FloatArray, scale: ArrayLike) -> FloatArray:
    """Give log(x/scale) for x of 0 or more: of the ratio, which tells neighbours apart, where it is in range."""
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        ratio = x / np.asarray(scale)
        usual = (ratio >= np.finfo(float).tiny) & (ratio < np.inf)
        return np.where(usual, np.log(ratio), np.log(x) - np.log(scale))


def _raised(logs: FloatArray, power: float) -> FloatArray:
    with np.errstate(over="ignore"):
        return logs if abs(power) < _NEARLY_0 else np.asarray(np.expm1(power * logs) / power)


def _lowered(z: FloatArray, power: float) -> FloatArray:
    if abs(power) < _NEARLY_0:
        return z
    with np.errstate(divide="ignore"):
        return np.asarray(np.log1p(np.maximum(power * z, -1.0)) / power)
