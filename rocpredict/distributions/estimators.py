"""Maximum likelihood and moment estimates of parametric families."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import betaln, digamma, expit, gammaln, log_ndtr, polygamma, zeta

from rocpredict.base.validation import FloatArray, RocPredictError

_MAX_ITER = 200
_XTOL = 1e-14
_NEWTON_XTOL = 1e-10  # relative size of a Newton step after which further steps are rounding error
_HALVINGS = 50
_MAX_STEP = 2.0
_ARMIJO = 1e-4
_FTOL = 1e-16
_ROUNDING_TOL = 1e-13  # relative decrease of the objective that may be rounding error


def newton_bracketed(function: Callable[[float], tuple[float, float]], start: float, low: float, high: float) -> float:
    """Find the root of an increasing function from its values and slopes by a bracketed Newton search."""
    at = float(start)
    for _ in range(_MAX_ITER):
        value, slope = function(at)
        low, high = (at, high) if value < 0 else (low, at)
        ahead = at - value / slope
        if not low < ahead < high:
            ahead = 2 * at if np.isinf(high) else (low + high) / 2
        if np.abs(ahead - at) <= _XTOL * at:
            return ahead
        at = ahead
    return at


def maximize_newton(
    objective: Callable[[FloatArray], float],
    slopes: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
    start: FloatArray,
) -> FloatArray:
    """Maximize a concave function by Newton steps, which are halved until the function does not decrease."""
    at, best = start, objective(start)
    for _ in range(_MAX_ITER):
        gradient, curvature = slopes(at)
        step = -np.linalg.solve(curvature, gradient)
        while (value := objective(at + step)) < best - _ROUNDING_TOL * np.abs(best) and np.abs(
            step / at.max()
        ).max() > _XTOL:
            step = step / 2
        at, best = at + step, value
        if np.abs(step).max() <= _NEWTON_XTOL * np.abs(at).max():
            break
    return at


def minimize_bfgs(
    loss: Callable[[FloatArray], tuple[float, FloatArray]],
    starts: Sequence[tuple[float, ...]],
    bounds: tuple[tuple[float, ...], tuple[float, ...]],
) -> FloatArray:
    """Minimize a loss within bounds by a gradient method, from several starts."""
    low, high = (np.array(limits) for limits in bounds)

    def line_search(
        at: FloatArray, value: float, slope: FloatArray, step: FloatArray
    ) -> tuple[FloatArray, float, FloatArray] | None:
        """Return the point after a sufficient decrease with its loss and gradient, or None at the minimum."""
        for _ in range(_HALVINGS):
            moved = np.clip(at + step, low, high)
            expected = slope @ (moved - at)
            if not expected < -_FTOL * abs(value):
                return None
            lower, gradient = loss(moved)
            if lower <= value + _ARMIJO * expected and np.isfinite(gradient).all():
                return moved, lower, gradient
            step = step / 2
        return None

    def bfgs(at: FloatArray) -> tuple[float, FloatArray]:
        """Minimize by the BFGS method; products of a few parameters are computed without BLAS threads."""
        value, slope = loss(at)
        identity = inverse = np.eye(len(at))  # inverse of the Hessian matrix
        for _ in range(_MAX_ITER):
            free = ~(((at <= low) & (slope > 0)) | ((at >= high) & (slope < 0)))
            ahead = -np.where(free, (inverse * free) @ slope, 0.0)
            if ahead @ slope >= 0:
                inverse, ahead = identity, -slope * free
            ahead = ahead / max(1.0, float(np.abs(ahead).max()) / _MAX_STEP)
            accepted = line_search(at, value, slope, ahead)
            if accepted is None:
                break
            moved, value, gradient = accepted
            step, y = moved - at, gradient - slope
            if (curvature := step @ y) > 0:
                keep = identity - np.outer(step, y) / curvature
                inverse = keep @ inverse @ keep.T + np.outer(step, step) / curvature
            at, slope = moved, gradient
        return value, at

    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        return min((bfgs(np.clip(start, low, high)) for start in starts), key=lambda result: result[0])[1]


_XTOL_MOMENTS = 1e-15
_SERIES_LIMIT = 0.05  # above this limit the difference of two logarithms is accurate to 13 digits
_N_TERMS = 24


def lognormal_from_moments(mean: float, std: float) -> tuple[float, ...]:
    """Return the standard deviation of the logarithms, location 0 and the median."""
    square = np.logaddexp(0.0, 2 * (np.log(std) - np.log(mean)))
    return np.sqrt(square), 0.0, mean * np.exp(-square / 2)


def weibull_from_moments(mean: float, std: float) -> tuple[float, ...]:
    """Return the shape c, location 0 and the scale."""
    target = np.log(np.logaddexp(0.0, 2 * (np.log(std) - np.log(mean))))
    inverse = std / mean
    for _ in range(_MAX_ITER):  # the slope of log excess in log 1/c is between 1 and 2, so Newton's method converges
        excess, slope = _log_one_plus_cv2(inverse)
        step = np.clip((target - np.log(excess)) * excess / (slope * inverse), -2.0, 2.0)
        inverse *= np.exp(step)
        if np.abs(step) <= _XTOL_MOMENTS:
            break
    return 1 / inverse, 0.0, mean * np.exp(-gammaln(1 + inverse))


def _log_one_plus_cv2(e: float) -> tuple[float, float]:
    """Return log(1 + (std/mean)^2) for c = 1/e and its derivative with respect to e, accurate even for a small e."""
    if e > _SERIES_LIMIT:
        return gammaln(1 + 2 * e) - 2 * gammaln(1 + e), 2 * (digamma(1 + 2 * e) - digamma(1 + e))
    n = np.arange(2, _N_TERMS)
    terms = zeta(n) * (-1.0) ** n * (2.0**n - 2) * e ** (n - 1.0)
    return float(np.sum(terms / n)) * e, float(np.sum(terms))


def beta_from_moments(mean: float, std: float) -> tuple[float, ...]:
    """Return the shapes a and b, location 0 and scale 1, or raise an error if the standard deviation is too large."""
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
"""Functions that compute scipy.stats parameters from the mean and the standard deviation."""
MAX_DF = 1e6
"""Upper limit of the degrees of freedom; Student's t with more is practically Gaussian."""
MAX_SKEW = 100.0
"""Upper limit of the absolute shape; a skew normal with a larger one is practically half normal."""
_LOG1P_SERIES_LIMIT = 0.01  # below this limit log1p(u) - u loses two digits or more
_MIN_ASYMPTOTIC_K = 15.0  # above it the asymptotic series of log k - psi(k) has double precision
_EULER_TERMS = (1 / 2, 1 / 12, 0.0, -1 / 120, 0.0, 1 / 252, 0.0, -1 / 240, 0.0, 1 / 132)  # of 1/k, 1/k^2, ...


def fit_gamma(sample: FloatArray) -> tuple[float, ...]:
    """Return the shape k, location 0 and the scale, where log k - psi(k) = log(mean) - mean(log)."""
    mean = scaled_mean(sample)
    log_gap = float(_x_minus_1_minus_log_x(sample, mean).mean())
    start = (3 - log_gap + np.hypot(log_gap - 3, np.sqrt(24 * log_gap))) / (12 * log_gap)
    shape = newton_bracketed(
        lambda k: (log_gap - log_less_digamma(k), -log_less_digamma(k, slope=True)), start, 0.0, np.inf
    )
    return shape, 0.0, mean / shape


def fit_lognormal(sample: FloatArray) -> tuple[float, ...]:
    """Return the standard deviation of the logarithms, location 0 and the geometric mean."""
    reference, logs = _logs(sample)
    mean = logs.mean()
    return float(np.sqrt(np.mean((logs - mean) ** 2))), 0.0, float(reference * np.exp(mean))


def fit_weibull(sample: FloatArray) -> tuple[float, ...]:
    """Return the shape c, location 0 and the scale, by Newton's method on the score equation of c."""
    reference, logs = _logs(sample)
    mean, std = logs.mean(), logs.std()
    z = (logs - mean) / std
    top = float(z.max())

    def balance(c: float) -> tuple[float, float]:
        weights = np.exp(c * (z - top))
        weights /= weights.sum()
        weighted_mean = weights @ z
        return float(weighted_mean - 1 / c), float(weights @ (z - weighted_mean) ** 2 + 1 / c**2)

    c = newton_bracketed(balance, max(np.pi / np.sqrt(6), 1 / top), 0.0, np.inf)
    shift = top + np.log(np.mean(np.exp(c * (z - top)))) / c
    return c / float(std), 0.0, float(reference * np.exp(mean + std * shift))


def fit_laplace(sample: FloatArray) -> tuple[float, ...]:
    """Return the median and the mean absolute deviation from the median."""
    unit, scaled = _scaled(sample)
    median = float(np.median(scaled))
    return median * unit, float(np.abs(scaled - median).mean()) * unit


def fit_logistic(sample: FloatArray) -> tuple[float, ...]:
    """Return location and scale, by maximization of a concave function of location/scale and 1/scale."""
    unit, centre, std, z = _standardized(sample)

    def objective(at: FloatArray) -> float:
        if at[1] <= 0:
            return -np.inf
        u = at[1] * z - at[0]
        return float(np.log(at[1]) - np.mean(np.abs(u) + 2 * np.log1p(np.exp(-np.abs(u)))))

    def slopes(at: FloatArray) -> tuple[FloatArray, FloatArray]:
        u = at[1] * z - at[0]
        score = np.tanh(u / 2)
        bend = 2 * expit(u) * expit(-u)
        first = np.array([score.mean(), 1 / at[1] - np.mean(score * z)])
        mixed = np.mean(bend * z)
        return first, -np.array([[bend.mean(), -mixed], [-mixed, np.mean(bend * z * z) + 1 / at[1] ** 2]])

    at = maximize_newton(objective, slopes, np.array([0.0, np.pi / np.sqrt(3)]))
    return _unscale(unit, centre, std, at[0] / at[1], 1 / at[1])


def fit_beta(sample: FloatArray) -> tuple[float, ...]:
    """Return the shapes a and b, location 0 and scale 1, by maximization of the concave likelihood."""
    mean, variance = sample.mean(), sample.var()
    first, second = np.log(sample).mean(), np.log1p(-sample).mean()
    start = np.array([mean, 1 - mean]) * max(mean * (1 - mean) / variance - 1, 0.01)

    def objective(at: FloatArray) -> float:
        return float((at[0] - 1) * first + (at[1] - 1) * second - betaln(*at)) if (at > 0).all() else -np.inf

    def slopes(at: FloatArray) -> tuple[FloatArray, FloatArray]:
        total = at.sum()
        bend = polygamma(1, at)
        gradient = np.array([first, second]) - digamma(at) + digamma(total)
        return gradient, polygamma(1, total) - np.diag(bend)

    a, b = maximize_newton(objective, slopes, start)
    return float(a), float(b), 0.0, 1.0


def student_t(sample: FloatArray) -> tuple[float, ...]:
    """Return the degrees of freedom in [1, 1e6], location and scale.

    If one value makes up half of the sample or more, the likelihood for few degrees of freedom is unbounded as the
    scale tends to 0. The result then has 1e6 degrees of freedom and is practically a Gaussian.
    """
    unit, centre, std, z = _standardized(sample)
    if 2 * np.unique(sample, return_counts=True)[1].max() >= len(sample):
        return MAX_DF, *_unscale(unit, centre, std, 0.0, 1.0)

    def loss(at: FloatArray) -> tuple[float, FloatArray]:
        loc, scale, df = at[0], np.exp(at[1]), np.exp(at[2])
        y = (z - loc) / scale
        square = y * y
        weights, far = (df + 1) / (df + square), np.log1p(square / df)
        log_likelihood = -betaln(0.5, df / 2) - 0.5 * at[2] - at[1] - (df + 1) / 2 * far.mean()
        by_df = digamma((df + 1) / 2) - digamma(df / 2) - 1 / df - far.mean() + np.mean(weights * square) / df
        slopes = np.array([np.mean(weights * y) / scale, np.mean(weights * square) - 1, df * by_df / 2])
        return -float(log_likelihood), -slopes

    quartile = max(float(np.median(np.abs(z - np.median(z)))), 1e-3)
    starts = [(0.0, 0.0, np.log(30.0)), (float(np.median(z)), float(np.log(1.2 * quartile)), np.log(4.0))]
    bounds = (-np.inf, -25.0, 0.0), (np.inf, 5.0, np.log(MAX_DF))
    loc, log_scale, log_df = minimize_bfgs(loss, starts, bounds)
    return float(np.exp(log_df)), *_unscale(unit, centre, std, loc, float(np.exp(log_scale)))


def skew_normal(sample: FloatArray) -> tuple[float, ...]:
    """Return the shape, location and scale.

    The shape is limited to [-100, 100], because the likelihood may have no maximum at a finite shape.
    """
    unit, centre, std, z = _standardized(sample)

    def loss(at: FloatArray) -> tuple[float, FloatArray]:
        loc, scale, shape = at[0], np.exp(at[1]), at[2]
        y = (z - loc) / scale
        log_share = log_ndtr(shape * y)
        log_likelihood = np.log(2) - np.log(2 * np.pi) / 2 - at[1] + np.mean(log_share - y * y / 2)
        mills = np.exp(-((shape * y) ** 2) / 2 - np.log(2 * np.pi) / 2 - log_share)
        slopes = [np.mean(y - shape * mills) / scale, np.mean(y * (y - shape * mills)) - 1, np.mean(mills * y)]
        return -float(log_likelihood), -np.array(slopes)

    skew = float(np.mean(z**3))
    sided = np.copysign(1.0, skew)
    end = float(z.min() if skew > 0 else z.max())
    starts = [_skew_normal_moments_start(skew), (end, float(np.log(np.hypot(1.0, end))), 20.0 * float(sided))]
    bounds = (-np.inf, -25.0, -MAX_SKEW), (np.inf, 5.0, MAX_SKEW)
    loc, log_scale, shape = minimize_bfgs(loss, starts, bounds)
    return float(shape), *_unscale(unit, centre, std, loc, float(np.exp(log_scale)))


def log_less_digamma(k: float, *, slope: bool = False) -> float:
    """Return log k - psi(k), or its derivative, without cancellation for large k."""
    if k < _MIN_ASYMPTOTIC_K:
        return float(1 / k - polygamma(1, k) if slope else np.log(k) - digamma(k))
    powers = np.arange(1, len(_EULER_TERMS) + 1)
    if slope:
        return float(-np.sum(powers * np.array(_EULER_TERMS) * k ** -(powers + 1.0)))
    return float(np.sum(np.array(_EULER_TERMS) * k ** -powers.astype(float)))


def _skew_normal_moments_start(skew: float) -> tuple[float, float, float]:
    """Return location, log scale and shape of a standardized skew normal with this (or the nearest) skewness."""
    size = np.clip(np.abs(skew), 0.05, 0.98) ** (2 / 3)
    delta = np.copysign(np.sqrt(np.pi / 2 * size / (size + ((4 - np.pi) / 2) ** (2 / 3))), skew)
    scale = 1 / np.sqrt(1 - 2 * delta**2 / np.pi)
    return -scale * delta * np.sqrt(2 / np.pi), float(np.log(scale)), delta / np.sqrt(1 - delta**2)


def scaled_mean(sample: FloatArray) -> float:
    """Return the mean, computed so that no sum overflows."""
    unit, scaled = _scaled(sample)
    return float(scaled.mean()) * unit


def _scaled(sample: FloatArray) -> tuple[float, FloatArray]:
    """Return a power of 2 and the sample divided by it, with absolute values of at most 1."""
    _, exponent = np.frexp(np.abs(sample).max())
    unit = float(np.ldexp(1.0, min(int(exponent), 1023)))
    return unit, sample / unit


def _standardized(sample: FloatArray) -> tuple[float, float, float, FloatArray]:
    unit, scaled = _scaled(sample)
    centre = float(scaled.mean())
    deviation = scaled - centre
    std = float(np.sqrt(np.mean(deviation**2)))
    return unit, centre, std, deviation / std


def _unscale(unit: float, centre: float, std: float, loc: float, scale: float) -> tuple[float, float]:
    return (centre + std * float(loc)) * unit, std * float(scale) * unit


def _logs(sample: FloatArray) -> tuple[float, FloatArray]:
    """Return a reference and log(sample/reference), accurate for values close to the reference."""
    reference = float(np.median(sample))
    with np.errstate(over="ignore", under="ignore"):
        near = np.abs(sample / reference - 1) < 0.5
    logs = np.log(sample) - np.log(reference)
    logs[near] = np.log1p((sample[near] - reference) / reference)
    return reference, logs


def _x_minus_1_minus_log_x(sample: FloatArray, mean: float) -> FloatArray:
    """Return x/mean - 1 - log(x/mean), by a series where the terms nearly cancel."""
    u = (sample - mean) / mean
    excess = u - (np.log(sample) - np.log(mean))
    middle = np.abs(u) < 0.5
    excess[middle] = u[middle] - np.log1p(u[middle])
    near = np.abs(u) < _LOG1P_SERIES_LIMIT
    series = [(-1.0) ** k / k for k in range(10, 1, -1)]
    excess[near] = u[near] ** 2 * np.polyval(series, u[near])
    return np.asarray(excess)
