"""Areas in a band of the ROC plot, and between the curve and the chance line."""

import numpy as np
from scipy.special import ndtr, ndtri, owens_t

from rocpredict.answers import Hook
from rocpredict.arguments import FloatArray
from rocpredict.binormal.pair import GRID, PANEL_BLOCK, between, density, each, moments_of, scaled
from rocpredict.distributions import Gaussian
from rocpredict.quadrature import panels


def partial_auc_fpr(negative: Gaussian, positive: Gaussian, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area under the curve, of TPR, between two FPRs."""
    d, s0, s1 = scaled(*moments_of(negative, positive))
    return _area(d, s1, s0, low, high)


def partial_auc_tpr(negative: Gaussian, positive: Gaussian, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the area to the right of the curve, of TNR, between two TPRs."""
    d, s0, s1 = scaled(*moments_of(negative, positive))
    return _area(d, s0, -s1, low, high)


def hook(negative: Gaussian, positive: Gaussian) -> Hook:
    """Give the part of the curve below the chance line: wherever the SDs differ there is one."""
    d, s0, s1 = scaled(*moments_of(negative, positive))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        x = np.where(s0 == s1, np.inf * np.sign(d), d / (s1 - s0))  # where it meets the chance line
    at = ndtr(x)
    low = np.where(s0 < s1, at, 0.0)
    high = np.where(s0 < s1, 1.0, np.where(s0 == s1, np.where(d < 0, 1.0, 0.0), at))
    area = _area_below_chance(d, s0, s1, x)
    return Hook(np.where(area > 0, low, 0.0), np.where(area > 0, high, 0.0), area)


def _area(d: FloatArray, sigma: FloatArray, beta: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Integrate Phi((d + beta x)/sigma) over the normal density of x, between two probabilities."""
    return each(_area_block, d, sigma, beta, low, high)[0]


def _area_block(
    d: FloatArray, sigma: FloatArray, beta: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray]:
    x_low, x_high = ndtri(low), ndtri(high)
    area = _bivariate(d, sigma, beta, x_high) - _bivariate(d, sigma, beta, x_low)
    # Owen's T is exact to 3e-16 and no better: small areas and steep curves need their own sum
    rough = ~(area > 0.01) | (np.abs(beta) > 100 * sigma) | (np.abs(beta) < sigma / 100)
    if rough.any():
        picked = (part[rough] for part in (d, sigma, beta, x_low, x_high, high - low))
        area[rough] = each(_area_by_panels, *picked, block=PANEL_BLOCK)[0]
    return (_area_at_point_mass(d, sigma, beta, low, high, area),)


def _bivariate(d: FloatArray, sigma: FloatArray, beta: FloatArray, x: FloatArray) -> FloatArray:
    """Give P(Z1 <= D, Z2 <= x) for correlation -beta/sqrt(sigma^2 + beta^2), by Owen (1956)."""
    square = sigma * sigma + beta * beta
    d = d + 0.0  # a zero of positive sign decides the sign of the infinities below
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        h = d / np.sqrt(square)
        tilt = beta / sigma
        at_h = owens_t(h, x * square / (d * sigma) + tilt)
        at_x = owens_t(x, d / (x * sigma) + tilt)
        same_side = (h * x > 0) | ((h * x == 0) & (h + x >= 0))
        value = (ndtr(h) + ndtr(x)) / 2 - at_h - at_x - np.where(same_side, 0.0, 0.5)
        value = np.where((h == 0) & (x == 0), 0.25 - np.arctan(tilt) / (2 * np.pi), value)
    return np.where(np.isinf(x), np.where(x > 0, ndtr(h), 0.0), value)


def _area_by_panels(
    d: FloatArray, sigma: FloatArray, beta: FloatArray, x_low: FloatArray, x_high: FloatArray, width: FloatArray
) -> tuple[FloatArray]:
    """Multiply the width by the mean height, over panels narrow against both bends: of the density and of the curve."""
    d, sigma, beta = d[..., None, None], sigma[..., None, None], beta[..., None, None]

    def height(x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.asarray(ndtr((d + beta * x) / sigma))

    edges = _edges(d[..., 0], sigma[..., 0], beta[..., 0], x_low, x_high)
    left, right = edges[..., :-1], edges[..., 1:]
    area = panels(lambda x: height(x) * density(x), left, right).sum(axis=-1)
    total = panels(density, left, right).sum(axis=-1)  # the width, but for the rounding of x_low and x_high
    with np.errstate(divide="ignore", invalid="ignore"):
        return (width * np.where(total > 0, area / total, height(x_low[..., None, None])[..., 0, 0]),)


def _edges(d: FloatArray, sigma: FloatArray, beta: FloatArray, x_low: FloatArray, x_high: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        bend = np.nan_to_num((GRID * sigma - d) / beta, nan=0.0)
    bends = np.concatenate([np.broadcast_to(GRID, bend.shape), bend], axis=-1)
    low, high = np.clip(x_low, GRID[0], GRID[-1]), np.clip(x_high, GRID[0], GRID[-1])
    return np.sort(np.clip(bends, low[..., None], high[..., None]), axis=-1)


def _area_at_point_mass(
    d: FloatArray, sigma: FloatArray, beta: FloatArray, low: FloatArray, high: FloatArray, area: FloatArray
) -> FloatArray:
    """Give the area where a class has no spread: the curve is a step, a level or the chance line."""
    if sigma.all() and beta.all():
        return area
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        jump = ndtr(-d / beta)
        level = (high - low) * ndtr(np.where((sigma == 0) & (d == 0), 0.0, d / sigma))
        # beta > 0: positive from the jump on (TPR over FPR); beta < 0: up to it (TNR over TPR)
        after = np.maximum(0, high - np.maximum(low, jump))
        before = np.maximum(0, np.minimum(high, ndtr(d / np.abs(beta))) - low)
    chance = (high - low) * (high + low) / 2
    chance = np.where(np.signbit(beta), (high - low) - chance, chance)
    where = [(sigma == 0) & (beta == 0) & (d == 0), beta == 0, (sigma == 0) & (beta > 0), sigma == 0]
    return np.select(where, [chance, level, after, before], area)


def _area_below_chance(d: FloatArray, s0: FloatArray, s1: FloatArray, x: FloatArray) -> FloatArray:
    """Integrate FPR - TPR over FPR, from where the curve meets the chance line to the corner."""
    low = np.where(s0 < s1, x, -np.inf)
    high = np.where((s0 > s1) | ((s0 == s1) & (d >= 0)), np.where(s0 == s1, -np.inf, x), np.inf)
    return each(_area_below_chance_by_panels, d, s0, s1, low, high, block=PANEL_BLOCK)[0]


def _area_below_chance_by_panels(
    d: FloatArray, s0: FloatArray, s1: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray]:
    d, s0, s1 = d[..., None, None], s0[..., None, None], s1[..., None, None]

    def integrand(x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            y, step = (d + s0 * x) / s1, ((s1 - s0) * x - d) / s1
        return np.asarray(_difference(y, x, step) * density(x))

    edges = _edges(d[..., 0], s1[..., 0], s0[..., 0], low, high)
    return (panels(integrand, edges[..., :-1], edges[..., 1:]).sum(axis=-1),)


def _difference(low: FloatArray, high: FloatArray, step: FloatArray) -> FloatArray:
    """Give Phi(high) - Phi(low), or 0 for a step = high - low below 0; of a short one the step keeps the digits."""
    middle = low / 2 + high / 2
    with np.errstate(invalid="ignore", over="ignore"):
        short = np.abs(step) * (1 + np.abs(middle)) < 0.02
        u, v = middle * middle, step * step
        series = density(middle) * step * (1 + v * (u - 1) / 24 + v * v * (u * u - 6 * u + 3) / 1920)
    return np.where(step > 0, np.where(short, series, between(np.fmin(low, high), high)), 0.0)
