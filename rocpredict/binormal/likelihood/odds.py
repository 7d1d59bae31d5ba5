"""The lowest threshold above which positives outweigh negatives by given odds: what a predictive value demands."""

import numpy as np
from scipy.special import log_ndtr

from rocpredict.arguments import FloatArray
from rocpredict.binormal.crossing import threshold_at, z_scores
from rocpredict.binormal.pair import GRID, each, moments_of, scaled
from rocpredict.distributions import Gaussian

_ROUNDS = 200


def threshold_at_odds(negative: Gaussian, positive: Gaussian, log_odds: FloatArray) -> FloatArray:
    """Give the smallest threshold with TPR >= odds FPR; +inf where no threshold has that.

    TPR - odds FPR is highest at the rising crossing of the weighted densities, and rises on its way there, from
    the falling crossing where that lies below. So the threshold is found between the two by bisection.
    """
    return each(_at_odds, *moments_of(negative, positive), log_odds)[0]


def _at_odds(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, log_odds: FloatArray) -> tuple[FloatArray]:
    d, scaled0, scaled1 = scaled(m0, s0, m1, s1)
    price = np.where(np.isfinite(log_odds), log_odds, 0.0)
    rising0, rising1, falling0, _ = z_scores(d, scaled0, scaled1, price)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):

        def excess(z: FloatArray) -> FloatArray:
            return np.asarray(log_ndtr((d - scaled0 * z) / scaled1) - price - log_ndtr(-z))

        reached = np.isfinite(rising0) & (log_ndtr(-rising1) >= price + log_ndtr(-rising0))
        high = np.where(reached, rising0, 0.0)
        low = np.where(np.isfinite(falling0) & (s1 > s0), falling0, GRID[0])
        low = np.minimum(np.maximum(low, GRID[0]), high)
        for _ in range(_ROUNDS):
            middle = low / 2 + high / 2
            if ((middle <= low) | (middle >= high)).all():
                break
            met = excess(middle) >= 0
            low, high = np.where(met, low, middle), np.where(met, middle, high)
        t = np.where(reached, threshold_at(m0, s0, m1, s1, high, (scaled0 * high - d) / scaled1), np.inf)
    t = np.where(np.isposinf(log_odds), np.inf, t)
    if (s0 == 0).any() or (s1 == 0).any():
        t = _at_odds_without_spread(Gaussian(m0, s0), Gaussian(m1, s1), log_odds, t)
    return (np.where(log_odds <= 0, -np.inf, t),)


def _at_odds_without_spread(negative: Gaussian, positive: Gaussian, log_odds: FloatArray, t: FloatArray) -> FloatArray:
    above = np.nextafter(np.asarray(negative.mean), np.inf)
    rarer = np.asarray(negative.isf(np.exp(-np.maximum(log_odds, 0.0))))
    t = np.where(np.equal(positive.std, 0), np.where(rarer <= positive.mean, rarer, np.inf), t)
    return np.where(np.equal(negative.std, 0), np.where(np.asarray(positive.at_or_above(above)) > 0, above, np.inf), t)
