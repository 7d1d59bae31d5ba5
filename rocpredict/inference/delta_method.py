"""Delta method for two fitted Gaussians."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from rocpredict.base.validation import ArrayOrFloat, FloatArray
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.solvers.base import Solver
from rocpredict.solvers.binormal import BinormalSolver

_STEP = 1e-5  # of a standard deviation, for differences


class ProbitEstimate(NamedTuple):
    """A probit-scale estimate and its standard error."""

    z: FloatArray
    std_error: FloatArray

    def interval(self, quantile: float) -> tuple[FloatArray, FloatArray]:
        """Give the interval on the scale of probabilities."""
        with np.errstate(invalid="ignore"):
            half = np.nan_to_num(quantile * self.std_error, nan=0.0, posinf=np.inf)
            return ndtr(self.z - half), ndtr(self.z + half)


def auc_probit(negative: Gaussian, positive: Gaussian, count: tuple[ArrayOrFloat, ArrayOrFloat]) -> ProbitEstimate:
    """Give D = (mean difference)/sqrt(sum of variances) and its standard error, so that AUC = Phi(D)."""
    z, of_means, of_stds = _parts(negative, positive, count)
    with np.errstate(invalid="ignore"):
        return ProbitEstimate(z, np.sqrt(of_means + z * z / 2 * of_stds))


def tpr_probit(
    negative: Gaussian, positive: Gaussian, count: tuple[ArrayOrFloat, ArrayOrFloat], fpr: FloatArray
) -> ProbitEstimate:
    """Give the probit of the TPR at an FPR, a + b Phi^-1(FPR), and its standard error."""
    d, s0, s1 = BinormalSolver(negative, positive).scaled
    x = ndtri(fpr)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = s0 / s1
        z = (d + s0 * x) / s1
        of_negative = slope**2 / count[0] + _safe_divide(slope**2 * x * x / 2, count[0] - 1)
        return ProbitEstimate(z, np.sqrt(of_negative + 1 / count[1] + _safe_divide(z * z / 2, count[1] - 1)))


def tail_probit(distribution: Gaussian, count: ArrayOrFloat, threshold: FloatArray) -> ProbitEstimate:
    """Give the probit of P(X >= threshold) and its standard error."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (np.asarray(distribution.mean) - threshold) / np.asarray(distribution.std)
        return ProbitEstimate(z, np.sqrt(1 / count + _safe_divide(z * z / 2, count - 1)))


def threshold_std_errors(
    negative: Gaussian, positive: Gaussian, count: tuple[ArrayOrFloat, ArrayOrFloat], log_kappa: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Give the standard errors of the best threshold and of its Ameans (cf. Schisterman and Perkins 2007).

    The threshold's grows without bound as the classes become alike.
    """
    z0, z1, _, _ = BinormalSolver(negative, positive).crossing_z_scores(log_kappa)
    s0, s1 = np.asarray(negative.std), np.asarray(positive.std)
    classes = ((z0, s0, count[0]), (z1, s1, count[1]))
    with np.errstate(divide="ignore", invalid="ignore"):
        steepness = z0 / s0 - z1 / s1
        shifts = [z * z / n + _safe_divide((z * z - 1) ** 2 / 2, n - 1) for z, _, n in classes]
        of_threshold = np.sqrt(sum(shifts, np.zeros(()))) / np.abs(steepness)
        density = [np.exp(-z * z / 2) / np.sqrt(2 * np.pi) for z, _, _ in classes]
        rates = [
            f * f * (1 / n + _safe_divide(z * z / 2, n - 1)) for f, (z, _, n) in zip(density, classes, strict=True)
        ]
        return of_threshold, np.sqrt(sum(rates, np.zeros(()))) / 2


def delta_std_error(
    quantity: Callable[[Solver], FloatArray],
    negative: Gaussian,
    positive: Gaussian,
    count: tuple[ArrayOrFloat, ArrayOrFloat],
) -> FloatArray:
    """Give the standard error of any smooth function of the two Gaussians, its slopes by central differences."""
    std_error = np.zeros(())
    for index, (d, n) in enumerate(zip((negative, positive), count, strict=True)):
        step = _STEP * np.asarray(d.std)
        for moved, of_moment in (("mean", 1 / n), ("std", _safe_divide(np.asarray(0.5), n - 1))):
            ends = []
            for sign in (1, -1):
                other = Gaussian(**{"mean": d.mean, "std": d.std} | {moved: getattr(d, moved) + sign * step})
                pair = (other, positive) if index == 0 else (negative, other)
                ends.append(quantity(BinormalSolver(*pair)))
            with np.errstate(invalid="ignore"):
                moves = (ends[0] - ends[1]) / (2 * _STEP)  # by one standard deviation
                std_error = np.hypot(std_error, np.where(step > 0, moves * np.sqrt(of_moment), 0.0))
    return std_error


def reiser_guttman_interval(
    negative: Gaussian, positive: Gaussian, count: tuple[ArrayOrFloat, ArrayOrFloat], level: float
) -> tuple[FloatArray, FloatArray]:
    """Give the interval of the AUC by the noncentral t of its D (Reiser and Guttman 1986)."""
    z, of_means, of_stds = _parts(negative, positive, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        size, freedom = 1 / np.sqrt(of_means), 1 / of_stds
        t = size * z
    low, high = np.vectorize(_noncentral_t_limits)(t, freedom, level)
    return ndtr(low / size), ndtr(high / size)


def tail_noncentral_t_interval(
    distribution: Gaussian, count: ArrayOrFloat, threshold: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Give the exact interval of P(X >= threshold) for a Gaussian sample, by the noncentral t."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.sqrt(count) * (np.asarray(distribution.mean) - threshold) / np.asarray(distribution.std)
    low, high = np.vectorize(_noncentral_t_limits)(t, count - 1, level)
    return ndtr(low / np.sqrt(count)), ndtr(high / np.sqrt(count))


def _noncentral_t_limits(t: float, freedom: float, level: float) -> tuple[float, float]:
    """Give the noncentralities at which the noncentral t leaves half of 1 - level above, then below, ``t``."""
    from scipy.optimize import brentq
    from scipy.stats import nct

    if not np.isfinite(t) or not freedom > 0:
        return -np.inf, np.inf
    stride = 1 + abs(t) / np.sqrt(2 * freedom)  # about one standard deviation of t

    def solved(tail: float) -> float:
        def excess(c: float) -> float:
            return float(nct.cdf(t, freedom, c)) - tail

        side = 1.0 if excess(t) > 0 else -1.0
        start, end = t, t + side * stride
        while excess(end) * side > 0:  # step by step: far out scipy's function has no answer
            start, end = end, end + side * stride
        if np.isnan(excess(start) + excess(end)):
            return np.nan
        return float(brentq(excess, start, end, xtol=1e-12))

    return solved((1 + level) / 2), solved((1 - level) / 2)


def _parts(
    negative: Gaussian, positive: Gaussian, count: tuple[ArrayOrFloat, ArrayOrFloat]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give D, and what means and standard deviations add to its variance, the latter for D^2/2 = 1.

    All from the shares that the classes have in the sum of variances, so that no unit matters.
    """
    d, s0, s1 = BinormalSolver(negative, positive).scaled
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.hypot(s0, s1)
        z = np.where((size == 0) & (d == 0), 0.0, d / size)
        share0, share1 = (s0 / size) ** 2, (s1 / size) ** 2
        of_stds = _safe_divide(share0**2, count[0] - 1) + _safe_divide(share1**2, count[1] - 1)
        return z, share0 / count[0] + share1 / count[1], of_stds


def _safe_divide(part: FloatArray, whole: ArrayOrFloat) -> FloatArray:
    """Give part/whole; infinite where the class has a single case, whose spread nobody saw."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.greater(whole, 0), np.divide(part, whole), np.inf)
