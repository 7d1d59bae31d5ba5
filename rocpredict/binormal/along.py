"""The area under the whole curve, and questions asked at one point of it."""

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri, owens_t

from rocpredict.arguments import FloatArray
from rocpredict.binormal.pair import each, log_ratio, moments_of, scaled, separation, separation_of
from rocpredict.distributions import Gaussian


def auc(negative: Gaussian, positive: Gaussian) -> FloatArray:
    """Give Phi(D)."""
    return each(lambda *pair: (ndtr(separation(*pair)),), *moments_of(negative, positive))[0]


def auc_complement(negative: Gaussian, positive: Gaussian) -> FloatArray:
    """Give Phi(-D), which keeps its digits when the AUC is all but 1."""
    return each(lambda *pair: (ndtr(-separation(*pair)),), *moments_of(negative, positive))[0]


def log_auc_complement(negative: Gaussian, positive: Gaussian) -> FloatArray:
    """Give log Phi(-D), which does not underflow."""
    return each(lambda *pair: (log_ndtr(-separation(*pair)),), *moments_of(negative, positive))[0]


def empirical_auc_variance(negative: Gaussian, positive: Gaussian, count: tuple[float, float]) -> FloatArray:
    """Give the variance of the empirical AUC of samples of these sizes, (negative, positive), drawn from the pair.

    The variance of the Mann-Whitney statistic, with P(two positives > one negative) and P(one positive > two
    negatives) by Owen's T.
    """
    n0, n1 = count
    d, s0, s1 = scaled(*moments_of(negative, positive))
    separation = separation_of(d, s0, s1)
    a = ndtr(separation)
    with np.errstate(divide="ignore", invalid="ignore"):
        two_positives = a - 2 * owens_t(separation, s1 / np.sqrt(2 * s0 * s0 + s1 * s1))
        two_negatives = a - 2 * owens_t(separation, s0 / np.sqrt(2 * s1 * s1 + s0 * s0))
    spread = a * ndtr(-separation) + (n1 - 1) * (two_positives - a * a) + (n0 - 1) * (two_negatives - a * a)
    return np.asarray(spread / (n0 * n1))


def tpr_at_fpr(negative: Gaussian, positive: Gaussian, fpr: FloatArray) -> FloatArray:
    """Give Phi(a + b Phi^-1(FPR))."""
    d, s0, s1 = scaled(*moments_of(negative, positive))
    return _roc(d, s0, s1, fpr, top=True)


def fpr_at_tpr(negative: Gaussian, positive: Gaussian, tpr: FloatArray) -> FloatArray:
    """Give Phi((Phi^-1(TPR) - a)/b), the same curve with its axes exchanged."""
    d, s0, s1 = scaled(*moments_of(negative, positive))
    return _roc(-d, s1, s0, tpr, top=False)


def threshold_at_fpr(negative: Gaussian, positive: Gaussian, fpr: FloatArray) -> FloatArray:
    """Give the smallest threshold with no more than this FPR."""
    t = np.asarray(negative.isf(fpr))
    point = np.equal(negative.std, 0)
    t = np.where(point, np.nextafter(t, np.inf), t) if point.any() else t
    return np.where(np.equal(fpr, 1), -np.inf, t)


def threshold_at_tpr(negative: Gaussian, positive: Gaussian, tpr: FloatArray) -> FloatArray:
    """Give the largest threshold with no less than this TPR."""
    return np.where(np.equal(tpr, 0), np.inf, positive.isf(tpr))


def slope(negative: Gaussian, positive: Gaussian, fpr: FloatArray) -> FloatArray:
    """Give the slope of the ROC curve: the likelihood ratio at the threshold of this FPR."""
    d, s0, s1 = scaled(*moments_of(negative, positive))
    x = ndtri(fpr)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        y = (d + s0 * x) / s1
        log_slope = (x - y) * (x / 2 + y / 2) - log_ratio(s0, s1)
        tilt = np.where(s0 == s1, -np.sign(d) * np.sign(x), np.sign(s1 - s0))  # the wider class wins in the tails
        log_slope = np.where(np.isinf(x), np.where(tilt == 0, 0.0, tilt * np.inf), log_slope)
        jump = (s1 == 0) & (d + s0 * x == 0)
        log_slope = np.where((s0 == 0) | (s1 == 0), np.where(jump, np.inf, -np.inf), log_slope)
        return np.asarray(np.exp(log_slope))


def _roc(d: FloatArray, s0: FloatArray, s1: FloatArray, rate: FloatArray, *, top: bool) -> FloatArray:
    """Give Phi((d + s0 Phi^-1(rate))/s1), and of a vertical piece its top or its bottom."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        distance = d + np.where(s0 == 0, 0.0, s0 * ndtri(rate))
        z = np.where((s1 == 0) & (distance == 0), np.inf if top else -np.inf, distance / s1)
    height = ndtr(z)
    if not (s0 == 0).any():
        return np.asarray(height)
    height = np.where((s0 == 0) & (rate == (1 if top else 0)), rate, height)
    return np.where((s0 == 0) & (s1 == 0) & (d == 0), rate, height)
