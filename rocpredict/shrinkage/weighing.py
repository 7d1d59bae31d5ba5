"""How much of a curve is the sample's and how much the model's."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from rocpredict.arguments import FloatArray, Values
from rocpredict.shrinkage.heights import FPR

CAUTION = 0.5
"""The share of the noise that is held against the sample, chosen by measurement."""
STEEPEST = 20.0
"""The largest slope of a curve that counts in its noise."""
_Z = ndtri(FPR)


class Weighing(NamedTuple):
    """Say how far the model's curve lies from the empirical one: arrays of shape (F,).

    Attributes
    ----------
    weight : array
        Of the sample; the rest is the model's.
    square : array
        D, the mean square of the difference of both curves over all FPR.
    noise : array
        V, what the mean square would be by chance, were the model's curve the true one and fixed beforehand.
    distance : array
        The mean absolute difference of both curves.
    """

    weight: Values
    square: Values
    noise: Values
    distance: Values


def weigh(model: FloatArray, empirical: FloatArray, slope: FloatArray, n0: int, n1: int) -> Weighing:
    """Weigh curves by their heights at ``FPR``, shape (F, GRID).

    Notes
    -----
    w = D/(D + V/2), V = mean[T(1 - T)/n1 + slope^2 f(1 - f)/n0]. D is what was seen, noise included, for which an
    empirical Bayes rule would have 1 - V/D (James and Stein 1961); this form never drops the sample, and was the better
    one by measurement, since the model was fitted to the same rows and errs with them. The slope is cut off at 20:
    towards the ends of a steep curve the expansion that it stands in holds no longer.
    """
    gap = empirical - model
    square = np.mean(gap**2, axis=1)
    noise = np.mean(model * (1 - model) / n1 + np.minimum(slope, STEEPEST) ** 2 * FPR * (1 - FPR) / n0, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(square > 0, square / (square + CAUTION * noise), 0.0)
    return Weighing(weight, square, noise, np.abs(gap).mean(axis=1))


def binormal_heights(m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the heights of two Gaussians' curves at ``FPR`` and their slopes: shape (F, GRID)."""
    with np.errstate(over="ignore", under="ignore"):
        z = ((m1 - m0)[:, None] + s0[:, None] * _Z) / s1[:, None]
        slope = (s0 / s1)[:, None] * np.exp((_Z**2 - z**2) / 2)
    return ndtr(z), slope
