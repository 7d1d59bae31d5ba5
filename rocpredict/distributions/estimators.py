"""Maximum likelihood and moment estimates of parametric families.

The maximum likelihood functions accept B samples as an array of shape (B, n). They return an array of shape (B, k),
with the parameters of each sample in one row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, digamma, expit, gammaln, log_ndtr, polygamma, zeta

from rocpredict.base.validation import FloatArray, RocPredictError

_MAX_ITER = 200
_XTOL = 1e-14
_NEWTON_XTOL = 1e-10  # relative size of a Newton step after which further steps are rounding error
_HALVINGS = 50
_MAX_STEP = 2.0
_ARMIJO = 1e-4
_FTOL = 1e-16
_ROUNDING_TOL = 1e-13  # largest relative decrease of the objective that counts as rounding error


Loss = Callable[[FloatArray, NDArray[np.intp]], tuple[FloatArray, FloatArray]]
"""Function that computes the losses of selected samples and the gradients of these losses. Its arguments are the
parameters, as an array of shape (rows, k), and the row numbers of the samples."""


def newton_bracketed(function: Loss, start: FloatArray) -> FloatArray:
    """For each sample, find the positive root of an increasing function by Newton's method within a bracket.

    ``function`` receives the current estimates of the roots and the row numbers of their samples. It returns the
    values and the slopes of the function at these estimates.
    """
    at, low, high, rows = start.copy(), np.zeros(len(start)), np.full(len(start), np.inf), np.arange(len(start))
    for _ in range(_MAX_ITER):
        here = at[rows]
        value, slope = function(here, rows)
        low[rows], high[rows] = np.where(value < 0, here, low[rows]), np.where(value < 0, high[rows], here)
        ahead = here - value / slope
        is_inside = (low[rows] < ahead) & (ahead < high[rows])
        middle = np.where(np.isinf(high[rows]), 2 * here, (low[rows] + high[rows]) / 2)
        at[rows] = np.where(is_inside, ahead, middle)
        rows = rows[np.abs(at[rows] - here) > _XTOL * here]
        if not rows.size:
            break
    return at


def maximize_newton(
    objective: Callable[[FloatArray, NDArray[np.intp]], FloatArray], slopes: Loss, start: FloatArray
) -> FloatArray:
    """For each sample, maximize a concave function by Newton's method.

    Each step is halved until the function does not decrease. ``slopes`` is a function that returns the gradients and
    the Hessian matrices.
    """
    at, rows = start.copy(), np.arange(len(start))
    best = objective(at, rows)
    for _ in range(_MAX_ITER):
        here = at[rows]
        gradient, curvature = slopes(here, rows)
        step = -np.linalg.solve(curvature, gradient[..., None])[..., 0]
        value, lowest = objective(here + step, rows), best[rows] - _ROUNDING_TOL * np.abs(best[rows])
        largest = here.max(axis=1, keepdims=True)
        while (is_worse := (value < lowest) & (np.abs(step / largest).max(axis=1) > _XTOL)).any():
            step[is_worse] /= 2
            value[is_worse] = objective(here[is_worse] + step[is_worse], rows[is_worse])
        at[rows], best[rows] = here + step, value
        rows = rows[np.abs(step).max(axis=1) > _NEWTON_XTOL * np.abs(at[rows]).max(axis=1)]
        if not rows.size:
            break
    return at


def minimize_bfgs(
    loss: Loss, starts: Sequence[FloatArray], bounds: tuple[tuple[float, ...], tuple[float, ...]]
) -> FloatArray:
    """For each sample, minimize the loss within bounds by BFGS from several starting points.

    Each item of ``starts`` is an array of shape (samples, k), with one starting point for each sample.
    """
    low, high = (np.array(limits) for limits in bounds)

    def line_search(
        at: FloatArray, value: FloatArray, slope: FloatArray, step: FloatArray, rows: NDArray[np.intp]
    ) -> tuple[NDArray[np.bool_], FloatArray, FloatArray, FloatArray]:
        """Return a mask of the rows whose loss decreases sufficiently, and the new points, losses and gradients."""
        is_accepted, ahead = np.zeros(len(rows), dtype=bool), (at.copy(), value.copy(), slope.copy())
        trying = np.arange(len(rows))
        for _ in range(_HALVINGS):
            moved = np.clip(at[trying] + step[trying], low, high)
            expected = (slope[trying] * (moved - at[trying])).sum(axis=1)
            is_falling = expected < -_FTOL * np.abs(value[trying])
            trying, moved, expected = trying[is_falling], moved[is_falling], expected[is_falling]
            if not trying.size:
                break
            lower, gradient = loss(moved, rows[trying])
            is_enough = (lower <= value[trying] + _ARMIJO * expected) & np.isfinite(gradient).all(axis=1)
            for whole, part in zip(ahead, (moved, lower, gradient), strict=True):
                whole[trying[is_enough]] = part[is_enough]
            is_accepted[trying[is_enough]] = True
            trying = trying[~is_enough]
            step[trying] /= 2
        return is_accepted, *ahead

    def bfgs(best: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Run BFGS from one starting point; for each sample, return the lowest loss and its point."""
        rows = np.arange(len(best))
        lowest, slope = loss(best, rows)
        at, value, identity = best.copy(), lowest.copy(), np.eye(len(low))
        inverse = np.tile(identity, (len(best), 1, 1))  # inverses of the Hessian matrices
        for _ in range(_MAX_ITER):
            free = ~(((at <= low) & (slope > 0)) | ((at >= high) & (slope < 0)))
            ahead = -np.where(free, (inverse * (free * slope)[:, None, :]).sum(axis=2), 0.0)
            is_rising = (ahead * slope).sum(axis=1) >= 0
            inverse[is_rising], ahead[is_rising] = identity, (-slope * free)[is_rising]
            ahead /= np.maximum(1.0, np.abs(ahead).max(axis=1, keepdims=True) / _MAX_STEP)
            is_accepted, moved, lower, gradient = line_search(at, value, slope, ahead, rows)
            if not is_accepted.any():
                break
            rows, inverse = rows[is_accepted], inverse[is_accepted]
            step, y = (moved - at)[is_accepted], (gradient - slope)[is_accepted]
            at, value, slope = moved[is_accepted], lower[is_accepted], gradient[is_accepted]
            best[rows], lowest[rows] = at, value
            curvature = (step * y).sum(axis=1)
            bent = curvature > 0
            step, y, curvature = step[bent], y[bent], curvature[bent, None, None]
            keep = identity - step[:, :, None] * y[:, None, :] / curvature
            bend = step[:, :, None] * step[:, None, :] / curvature
            inverse[bent] = keep @ inverse[bent] @ keep.transpose(0, 2, 1) + bend
        return lowest, best

    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        losses, points = zip(*(bfgs(np.clip(start, low, high)) for start in starts), strict=True)
        best = np.stack(points)[np.argmin(losses, axis=0), np.arange(len(points[0]))]
        return _polish(loss, best, low, high)


def _polish(loss: Loss, at: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Improve each minimum that BFGS has found by two Newton steps; parameters at their bounds do not change.

    BFGS stops where the loss no longer changes, at a distance of about the square root of the rounding error. A root of
    the gradient is determined to more digits. The Hessian matrices are differences of gradients.
    """
    rows, width = np.arange(len(at)), np.cbrt(np.finfo(float).eps) * np.maximum(1.0, np.abs(at))
    shifts = np.eye(at.shape[1]) * width[:, None, :]
    value, slope = loss(at, rows)
    is_free = (low < at) & (at < high)
    for _ in range(2):
        changes = [loss(at + shifts[:, j], rows)[1] - loss(at - shifts[:, j], rows)[1] for j in range(at.shape[1])]
        curvature = np.stack(changes, axis=1) / (2 * width[:, :, None])
        curvature = np.where(is_free[:, :, None] & is_free[:, None, :], curvature, np.eye(at.shape[1]))
        is_regular = np.isfinite(curvature).all(axis=(1, 2)) & (np.abs(np.linalg.det(curvature)) > 0)
        curvature[~is_regular] = np.eye(at.shape[1])
        step = np.linalg.solve(curvature, (slope * is_free)[..., None])[..., 0]
        is_near = is_regular & ((np.abs(step) < np.sqrt(width)) & (low <= at - step) & (at - step <= high)).all(axis=1)
        moved = np.where(is_near[:, None], at - step, at)
        lower, gradient = loss(moved, rows)
        is_better = np.abs(gradient * is_free).max(axis=1) < np.abs(slope * is_free).max(axis=1)
        is_better &= lower <= value + _ROUNDING_TOL * np.abs(value)
        at, slope = np.where(is_better[:, None], moved, at), np.where(is_better[:, None], gradient, slope)
        value = np.where(is_better, lower, value)
    return at


_XTOL_MOMENTS = 1e-15
_SERIES_LIMIT = 0.05  # above this limit the difference of two logarithms is accurate to 13 digits
_N_TERMS = 24


def lognormal_from_moments(mean: float, std: float) -> tuple[float, ...]:
    """Return the parameters of a lognormal distribution: SD of the logarithms, location (always 0) and median."""
    square = np.logaddexp(0.0, 2 * (np.log(std) - np.log(mean)))
    return np.sqrt(square), 0.0, mean * np.exp(-square / 2)


def weibull_from_moments(mean: float, std: float) -> tuple[float, ...]:
    """Return the parameters of a Weibull distribution: shape c, location (always 0) and scale."""
    target = np.log(np.logaddexp(0.0, 2 * (np.log(std) - np.log(mean))))
    inverse = std / mean
    for _ in range(_MAX_ITER):  # d log(excess)/d log(1/c) is between 1 and 2, so Newton's method converges
        excess, slope = _log_one_plus_cv2(inverse)
        step = np.clip((target - np.log(excess)) * excess / (slope * inverse), -2.0, 2.0)
        inverse *= np.exp(step)
        if np.abs(step) <= _XTOL_MOMENTS:
            break
    return 1 / inverse, 0.0, mean * np.exp(-gammaln(1 + inverse))


def _log_one_plus_cv2(e: float) -> tuple[float, float]:
    """Return log(1 + (std/mean)^2) of a Weibull distribution with shape 1/e, and its derivative with respect to e."""
    if e > _SERIES_LIMIT:
        return gammaln(1 + 2 * e) - 2 * gammaln(1 + e), 2 * (digamma(1 + 2 * e) - digamma(1 + e))
    n = np.arange(2, _N_TERMS)
    terms = zeta(n) * (-1.0) ** n * (2.0**n - 2) * e ** (n - 1.0)
    return float(np.sum(terms / n)) * e, float(np.sum(terms))


def beta_from_moments(mean: float, std: float) -> tuple[float, ...]:
    """Return the parameters of a beta distribution: shapes a and b, location (always 0) and scale (always 1).

    If ``std`` is too large for the given mean, an error is raised.
    """
    total = (mean / std) * ((1 - mean) / std) - 1
    if total <= 0:
        raise RocPredictError(
            f"std={std:g} is too large for family='beta' with mean={mean:g}; "
            f"it must be below {np.sqrt(mean * (1 - mean)):.6g}"
        )
    return mean * total, (1 - mean) * total, 0.0, 1.0


MOMENT_ESTIMATORS: dict[str, Callable[[float, float], tuple[float, ...]]] = {
    "gamma": lambda mean, std: ((mean / std) ** 2, 0.0, std * (std / mean)),
    "lognormal": lognormal_from_moments,
    "weibull": weibull_from_moments,
    "exponential": lambda mean, _: (0.0, mean),
    "logistic": lambda mean, std: (mean, std * (np.sqrt(3) / np.pi)),
    "laplace": lambda mean, std: (mean, std / np.sqrt(2)),
    "beta": beta_from_moments,
}
"""Functions that compute the scipy.stats parameters of each family from its mean and standard deviation."""
MAX_DF = 1e6
"""Upper limit of the degrees of freedom, beyond which Student's t is practically Gaussian."""
MAX_SKEW = 100.0
"""Upper limit of the absolute shape parameter, beyond which a skew normal is practically half normal."""
_LOG1P_SERIES_LIMIT = 0.01  # below this limit, log1p(u) - u loses two or more digits
_MIN_ASYMPTOTIC_K = 15.0  # above this k, the asymptotic series of log k - psi(k) has double precision
_EULER_TERMS = (1 / 2, 1 / 12, 0.0, -1 / 120, 0.0, 1 / 252, 0.0, -1 / 240, 0.0, 1 / 132)  # of 1/k, 1/k^2, ...


def fit_gamma(samples: FloatArray) -> FloatArray:
    """Return the parameters of gamma distributions: shape k, location (always 0) and scale.

    The shape k solves log k - psi(k) = log(mean) - mean(log x).
    """
    mean = scaled_mean(samples)
    log_gap = _x_minus_1_minus_log_x(samples, mean[:, None]).mean(axis=1)
    start = (3 - log_gap + np.hypot(log_gap - 3, np.sqrt(24 * log_gap))) / (12 * log_gap)

    def excess(k: FloatArray, rows: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        return log_gap[rows] - log_less_digamma(k), -log_less_digamma(k, slope=True)

    shape = newton_bracketed(excess, start)
    return _columns(shape, 0.0, mean / shape)


def fit_lognormal(samples: FloatArray) -> FloatArray:
    """Return lognormal parameters: SD of the logarithms, location (always 0) and geometric mean."""
    reference, logs = _logs(samples)
    mean = logs.mean(axis=1)
    return _columns(np.sqrt(np.mean((logs - mean[:, None]) ** 2, axis=1)), 0.0, reference * np.exp(mean))


def fit_exponential(samples: FloatArray) -> FloatArray:
    """Return the parameters of exponential distributions: location (always 0) and scale (the sample mean)."""
    return _columns(0.0, scaled_mean(samples))


def fit_weibull(samples: FloatArray) -> FloatArray:
    """Return the parameters of Weibull distributions: shape c, location (always 0) and scale.

    The shape c solves the score equation, which has a single root.
    """
    reference, logs = _logs(samples)
    mean, std = logs.mean(axis=1), logs.std(axis=1)
    z = (logs - mean[:, None]) / std[:, None]
    top = z.max(axis=1)

    def balance(c: FloatArray, rows: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        weights = np.exp(c[:, None] * (z[rows] - top[rows, None]))
        weights /= weights.sum(axis=1, keepdims=True)
        weighted_mean = (weights * z[rows]).sum(axis=1)
        spread = (weights * (z[rows] - weighted_mean[:, None]) ** 2).sum(axis=1)
        return weighted_mean - 1 / c, spread + 1 / c**2

    c = newton_bracketed(balance, np.maximum(np.pi / np.sqrt(6), 1 / top))
    shift = top + np.log(np.mean(np.exp(c[:, None] * (z - top[:, None])), axis=1)) / c
    return _columns(c / std, 0.0, reference * np.exp(mean + std * shift))


def fit_laplace(samples: FloatArray) -> FloatArray:
    """Return the median of each sample and the mean absolute deviation from this median."""
    unit, scaled = _scaled(samples)
    median = np.median(scaled, axis=1)
    return _columns(median * unit, np.abs(scaled - median[:, None]).mean(axis=1) * unit)


def fit_logistic(samples: FloatArray) -> FloatArray:
    """Return the location and the scale of logistic distributions.

    The likelihood is log-concave in loc/scale and 1/scale.
    """
    standard = _standardized(samples)

    def objective(at: FloatArray, rows: NDArray[np.intp]) -> FloatArray:
        u = at[:, 1:] * standard.z[rows] - at[:, :1]
        likelihood = np.log(at[:, 1]) - np.mean(np.abs(u) + 2 * np.log1p(np.exp(-np.abs(u))), axis=1)
        return np.where(at[:, 1] > 0, likelihood, -np.inf)

    def slopes(at: FloatArray, rows: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        z = standard.z[rows]
        u = at[:, 1:] * z - at[:, :1]
        score = np.tanh(u / 2)
        bend = 2 * expit(u) * expit(-u)
        first = np.stack([score.mean(axis=1), 1 / at[:, 1] - np.mean(score * z, axis=1)], axis=1)
        mixed = -np.mean(bend * z, axis=1)
        second = bend.mean(axis=1), mixed, mixed, np.mean(bend * z * z, axis=1) + 1 / at[:, 1] ** 2
        return first, -np.stack(second, axis=1).reshape(-1, 2, 2)

    at = maximize_newton(objective, slopes, np.tile([0.0, np.pi / np.sqrt(3)], (len(samples), 1)))
    return _columns(*standard.unscale(at[:, 0] / at[:, 1], 1 / at[:, 1]))


def fit_beta(samples: FloatArray) -> FloatArray:
    """Return the parameters of beta distributions: shapes a and b, location (always 0) and scale (always 1).

    The log-likelihood is concave in a and b.
    """
    mean, variance = samples.mean(axis=1), samples.var(axis=1)
    logs = np.stack([np.log(samples).mean(axis=1), np.log1p(-samples).mean(axis=1)], axis=1)
    start = np.stack([mean, 1 - mean], axis=1) * np.maximum(mean * (1 - mean) / variance - 1, 0.01)[:, None]

    def objective(at: FloatArray, rows: NDArray[np.intp]) -> FloatArray:
        a, b = at.T
        likelihood = (a - 1) * logs[rows, 0] + (b - 1) * logs[rows, 1] - betaln(a, b)
        return np.where((at > 0).all(axis=1), likelihood, -np.inf)

    def slopes(at: FloatArray, rows: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        total = at.sum(axis=1, keepdims=True)
        gradient = logs[rows] - digamma(at) + digamma(total)
        return gradient, polygamma(1, total)[..., None] - polygamma(1, at)[..., None] * np.eye(2)

    return _columns(*maximize_newton(objective, slopes, start).T, 0.0, 1.0)


def student_t(samples: FloatArray) -> FloatArray:
    """Return the degrees of freedom (in [1, 1e6]), location and scale of Student's t distributions.

    If one value makes up half of the sample, the likelihood may have no maximum at a positive scale. If one value makes
    up more than half of the sample, the likelihood is unbounded. In both cases, the fitted distribution has 1e6 degrees
    of freedom and is practically Gaussian.
    """
    standard = _standardized(samples)

    def loss(at: FloatArray, rows: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        loc, (scale, df) = at[:, 0], np.exp(at[:, 1:]).T
        y = (standard.z[rows] - loc[:, None]) / scale[:, None]
        square = y * y
        weights, far = (df[:, None] + 1) / (df[:, None] + square), np.log1p(square / df[:, None]).mean(axis=1)
        log_likelihood = -betaln(0.5, df / 2) - 0.5 * at[:, 2] - at[:, 1] - (df + 1) / 2 * far
        mean_square = np.mean(weights * square, axis=1)
        by_df = digamma((df + 1) / 2) - digamma(df / 2) - 1 / df - far + mean_square / df
        slopes = np.mean(weights * y, axis=1) / scale, mean_square - 1, df * by_df / 2
        return -log_likelihood, -np.stack(slopes, axis=1)

    median = np.median(standard.z, axis=1)
    quartile = np.maximum(np.median(np.abs(standard.z - median[:, None]), axis=1), 1e-3)
    starts = [_columns(0.0 * median, 0.0, np.log(30.0)), _columns(median, np.log(1.2 * quartile), np.log(4.0))]
    bounds = (-np.inf, -25.0, 0.0), (np.inf, 5.0, np.log(MAX_DF))
    half = (samples.shape[1] + 1) // 2
    ordered = np.sort(samples, axis=1)
    is_bounded = (ordered[:, half - 1 :] > ordered[:, : len(ordered[0]) - half + 1]).all(axis=1)
    at = np.tile([0.0, 0.0, np.log(MAX_DF)], (len(samples), 1))
    inner = np.flatnonzero(is_bounded)
    at[inner] = minimize_bfgs(lambda x, rows: loss(x, inner[rows]), [start[inner] for start in starts], bounds)
    df = np.where(is_bounded, np.exp(at[:, 2]), MAX_DF)
    return _columns(df, *standard.unscale(at[:, 0], np.exp(at[:, 1])))


def skew_normal(samples: FloatArray) -> FloatArray:
    """Return the shape, location and scale of skew normal distributions.

    The shape is limited to [-100, 100], because the likelihood may have no maximum at a finite shape.
    """
    standard = _standardized(samples)

    def loss(at: FloatArray, rows: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        loc, scale, shape = at[:, :1], np.exp(at[:, 1:2]), at[:, 2:]
        y = (standard.z[rows] - loc) / scale
        log_share = log_ndtr(shape * y)
        log_likelihood = np.log(2) - np.log(2 * np.pi) / 2 - at[:, 1] + np.mean(log_share - y * y / 2, axis=1)
        mills = np.exp(-((shape * y) ** 2) / 2 - np.log(2 * np.pi) / 2 - log_share)
        slopes = (y - shape * mills) / scale, y * (y - shape * mills) - 1, mills * y
        return -log_likelihood, -np.stack([np.mean(slope, axis=1) for slope in slopes], axis=1)

    skew = np.mean(standard.z**3, axis=1)
    end = np.where(skew > 0, standard.z.min(axis=1), standard.z.max(axis=1))
    starts = [_skew_normal_moments_start(skew), _columns(end, np.log(np.hypot(1.0, end)), np.copysign(20.0, skew))]
    bounds = (-np.inf, -25.0, -MAX_SKEW), (np.inf, 5.0, MAX_SKEW)
    loc, log_scale, shape = minimize_bfgs(loss, starts, bounds).T
    return _columns(shape, *standard.unscale(loc, np.exp(log_scale)))


def log_less_digamma(k: ArrayLike, *, slope: bool = False) -> FloatArray:
    """Return log k - psi(k), or its derivative if ``slope`` is True, without cancellation for large k."""
    k = np.asarray(k, dtype=np.float64)
    near = 1 / k - polygamma(1, k) if slope else np.log(k) - digamma(k)
    powers = np.arange(1, len(_EULER_TERMS) + 1)
    factors = -powers * _EULER_TERMS if slope else np.array(_EULER_TERMS)
    inverse = 1 / np.maximum(k, _MIN_ASYMPTOTIC_K)[..., None]
    far = (factors * inverse ** (powers + float(slope))).sum(axis=-1)
    return np.asarray(np.where(k < _MIN_ASYMPTOTIC_K, near, far))


def _skew_normal_moments_start(skew: FloatArray) -> FloatArray:
    """Return the location, log scale and shape of skew normal distributions with a skewness close to ``skew``.

    The distributions have mean 0 and variance 1.
    """
    size = np.clip(np.abs(skew), 0.05, 0.98) ** (2 / 3)
    delta = np.copysign(np.sqrt(np.pi / 2 * size / (size + ((4 - np.pi) / 2) ** (2 / 3))), skew)
    scale = 1 / np.sqrt(1 - 2 * delta**2 / np.pi)
    return _columns(-scale * delta * np.sqrt(2 / np.pi), np.log(scale), delta / np.sqrt(1 - delta**2))


def _columns(*parameters: ArrayLike) -> FloatArray:
    return np.stack(np.broadcast_arrays(*parameters), axis=-1)


def scaled_mean(samples: FloatArray) -> FloatArray:
    """Return the mean of each sample, without overflow of the sum."""
    unit, scaled = _scaled(samples)
    return np.asarray(scaled.mean(axis=1) * unit)


def _scaled(samples: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a power of 2 for each sample, and the samples divided by these powers, so that sums do not overflow."""
    _, exponent = np.frexp(np.abs(samples).max(axis=1))
    unit = np.ldexp(1.0, np.minimum(exponent, 1023))
    return unit, samples / unit[:, None]


class _Standardized(NamedTuple):
    """Samples, standardized by their means and standard deviations."""

    unit: FloatArray
    centre: FloatArray
    std: FloatArray
    z: FloatArray

    def unscale(self, loc: FloatArray, scale: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return locations and scales in the unit of the samples."""
        return (self.centre + self.std * loc) * self.unit, self.std * scale * self.unit


def _standardized(samples: FloatArray) -> _Standardized:
    unit, scaled = _scaled(samples)
    centre = scaled.mean(axis=1)
    deviation = scaled - centre[:, None]
    std = np.sqrt(np.mean(deviation**2, axis=1))
    return _Standardized(unit, centre, std, deviation / std[:, None])


def _logs(samples: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the median of each sample, and log(sample/median), computed accurately for values close to the median."""
    reference = np.median(samples, axis=1)
    whole = np.broadcast_to(reference[:, None], samples.shape)
    with np.errstate(over="ignore", under="ignore"):
        near = np.abs(samples / whole - 1) < 0.5
    logs = np.log(samples) - np.log(whole)
    logs[near] = np.log1p((samples[near] - whole[near]) / whole[near])
    return reference, logs


def _x_minus_1_minus_log_x(samples: FloatArray, mean: FloatArray) -> FloatArray:
    """Return x/mean - 1 - log(x/mean), computed by a series if the terms nearly cancel because x is near the mean."""
    u = (samples - mean) / mean
    excess = u - (np.log(samples) - np.log(mean))
    middle = np.abs(u) < 0.5
    excess[middle] = u[middle] - np.log1p(u[middle])
    near = np.abs(u) < _LOG1P_SERIES_LIMIT
    series = [(-1.0) ** k / k for k in range(10, 1, -1)]
    excess[near] = u[near] ** 2 * np.polyval(series, u[near])
    return np.asarray(excess)
