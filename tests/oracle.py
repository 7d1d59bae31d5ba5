"""Slow, exact results for two Gaussian classes, computed with 100 digits.

This module shares no formula with the library. Thresholds are roots of the plain quadratic in x (100 digits suffice for
it), the best threshold is found by comparing all candidates, areas are computed by quadrature, and the likelihood-ratio
rule from its level sets. Inputs are doubles that are treated as exact.
"""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

import mpmath as mp
import numpy as np
from scipy.special import ndtri

DIGITS = 100
AREA_DIGITS = 25
UNIT = 2.0**-53  # the largest relative error of one rounding


def tail_below(z):
    """Return Phi(z)."""
    if mp.isinf(z):
        return mp.mpf(z > 0)
    return mp.erfc(-z / mp.sqrt(2)) / 2


def tail_above(z):
    return tail_below(-z)


def probit(rate):
    """Return Phi^-1 of a double taken as exact."""
    return _probit(float(rate), mp.mp.prec)


@cache
def _probit(rate, _precision):
    rate = mp.mpf(rate)
    if rate in {0, 1}:
        return mp.inf * (2 * rate - 1)
    z = mp.mpf(float(ndtri(float(rate))))
    for _ in range(8):  # Newton in the logarithm of the smaller tail: from 15 digits to all
        tail, sign = (tail_below(z), 1) if rate <= 0.5 else (tail_above(z), -1)
        wanted = rate if rate <= 0.5 else 1 - rate
        z -= sign * tail * mp.log(tail / wanted) / mp.npdf(z)
    return z


class Point(NamedTuple):
    """One rule "positive when x >= threshold"."""

    threshold: mp.mpf
    z0: mp.mpf
    z1: mp.mpf
    tpr: mp.mpf
    fpr: mp.mpf
    tnr: mp.mpf
    fnr: mp.mpf


@dataclass(frozen=True)
class Truth:
    """Two Gaussian classes: means m0, m1 and standard deviations s0, s1 above 0, all doubles."""

    m0: float
    s0: float
    m1: float
    s1: float

    def exact(self):
        return tuple(mp.mpf(float(value)) for value in (self.m0, self.s0, self.m1, self.s1))

    @mp.workdps(DIGITS)
    def separation(self):
        m0, s0, m1, s1 = self.exact()
        return (m1 - m0) / mp.sqrt(s0**2 + s1**2)

    @mp.workdps(DIGITS)
    def auc(self):
        return tail_below(self.separation())

    @mp.workdps(DIGITS)
    def auc_complement(self):
        return tail_above(self.separation())

    @mp.workdps(DIGITS)
    def log_auc_complement(self):
        above = self.auc_complement()
        return mp.log1p(-self.auc()) if above > 0.5 else mp.log(above)

    @mp.workdps(DIGITS)
    def tpr_at_fpr(self, fpr):
        m0, s0, m1, s1 = self.exact()
        return tail_below((m1 - m0 + s0 * probit(fpr)) / s1)

    @mp.workdps(DIGITS)
    def fpr_at_tpr(self, tpr):
        m0, s0, m1, s1 = self.exact()
        return tail_below((m0 - m1 + s1 * probit(tpr)) / s0)

    @mp.workdps(DIGITS)
    def slope(self, fpr):
        m0, s0, m1, s1 = self.exact()
        x = probit(fpr)
        return s0 / s1 * mp.exp(x**2 / 2 - ((m1 - m0 + s0 * x) / s1) ** 2 / 2)

    @mp.workdps(DIGITS)
    def at(self, threshold):
        m0, s0, m1, s1 = self.exact()
        t = mp.mpf(threshold)
        z0, z1 = (t - m0) / s0, (t - m1) / s1
        return Point(t, z0, z1, tail_above(z1), tail_above(z0), tail_below(z0), tail_below(z1))

    @mp.workdps(DIGITS)
    def crossings(self, log_price=0.0):
        """Return the roots of log f1(x) - log f0(x) = log price, ascending: none, one or two."""
        m0, s0, m1, s1 = self.exact()
        v0, v1 = s0**2, s1**2
        level = mp.log(s0 / s1) - mp.mpf(float(log_price))
        a = v1 - v0
        b = 2 * (m1 * v0 - m0 * v1)
        c = m0**2 * v1 - m1**2 * v0 + 2 * v0 * v1 * level
        if a == 0:
            return [] if b == 0 else [-c / b]
        discriminant = b**2 - 4 * a * c
        if discriminant < 0:
            return []
        root = mp.sqrt(discriminant)
        return sorted([(-b - root) / (2 * a), (-b + root) / (2 * a)])

    @mp.workdps(DIGITS)
    def candidates(self, log_price=0.0):
        """Return (utility, point) of every crossing and of both ends, the best first."""
        price = mp.exp(mp.mpf(float(log_price)))
        points = [self.at(t) for t in [*self.crossings(log_price), mp.inf, -mp.inf]]
        return sorted(((p.tpr - price * p.fpr, p) for p in points), key=lambda item: -item[0])

    def best(self, log_price=0.0):
        """Return the point with the highest TPR - price FPR, and its difference to the second best point."""
        first, second = self.candidates(log_price)[:2]
        return first[1], first[0] - second[0]

    @mp.workdps(DIGITS)
    def z_tolerance(self, point, log_price=0.0):
        """Return the changes in z0 and z1 of a crossing if each term of its equation is wrong in the 53rd bit.

        Two roots that nearly coincide cannot be located in doubles: their distance is the root of a difference of
        rounded terms.
        """
        m0, s0, m1, s1 = self.exact()
        d, level = abs(m1 - m0), abs(mp.log(s1 / s0)) + abs(mp.mpf(float(log_price)))
        gap = abs(s1**2 - s0**2)
        signed = mp.log(s1 / s0) + mp.mpf(float(log_price))
        root = mp.sqrt(d**2 + 2 * (s1**2 - s0**2) * signed)
        z0, z1 = abs(point.z0), abs(point.z1)
        terms0 = gap * z0**2 + 2 * s0 * d * z0 + d**2 + 2 * s1**2 * level
        terms1 = gap * z1**2 + 2 * s1 * d * z1 + d**2 + 2 * s0**2 * level
        return UNIT * terms0 / (2 * s1 * root), UNIT * terms1 / (2 * s0 * root)

    @mp.workdps(60)
    def best_f_beta(self, prevalence, beta=1.0):
        """Return the threshold with the highest F-beta, and that F-beta: by ternary search, or the end if that wins."""
        _, s0, _, s1 = self.exact()
        share, square = mp.mpf(float(prevalence)), mp.mpf(float(beta)) ** 2

        def score(t):
            p = self.at(t)
            return (1 + square) * share * p.tpr / (square * share + share * p.tpr + (1 - share) * p.fpr)

        low = min(self.m0 - 12 * self.s0, self.m1 - 12 * self.s1)
        high = max(self.m0 + 12 * self.s0, self.m1 + 12 * self.s1)
        grid = [mp.mpf(t) for t in np.linspace(low, high, 400)]
        index = max(range(1, 399), key=lambda i: score(grid[i]))
        left, right = grid[index - 1], grid[index + 1]
        while right - left > 1e-25 * (s0 + s1):
            third = (right - left) / 3
            if score(left + third) < score(right - third):
                left += third
            else:
                right -= third
        return max(((left + right) / 2, -mp.inf), key=score), max(score((left + right) / 2), score(-mp.inf))

    @mp.workdps(AREA_DIGITS)
    def partial_auc_fpr(self, low, high):
        """Integrate TPR over FPR."""
        m0, s0, m1, s1 = self.exact()
        d = m1 - m0
        return _over_normal(lambda x: tail_below((d + s0 * x) / s1), low, high, -d / s0, s1 / s0)

    @mp.workdps(AREA_DIGITS)
    def partial_auc_tpr(self, low, high):
        """Integrate TNR over TPR."""
        m0, s0, m1, s1 = self.exact()
        d = m1 - m0
        return _over_normal(lambda y: tail_below((d - s1 * y) / s0), low, high, d / s1, s0 / s1)

    @mp.workdps(AREA_DIGITS)
    def area_below_chance(self):
        """Integrate FPR - TPR over FPR wherever it is above 0."""
        m0, s0, m1, s1 = self.exact()
        d = m1 - m0

        def shortfall(x):
            y = (d + s0 * x) / s1
            return tail_above(y) - tail_above(x) if x > 0 else tail_below(x) - tail_below(y)

        if s0 == s1:
            return max(mp.mpf(0), mp.mpf(0.5) - tail_below(self.separation()))
        meets = d / (s1 - s0)
        band = (meets, mp.inf) if s0 < s1 else (-mp.inf, meets)
        return _between_probits(shortfall, *band, -d / s0, s1 / s0)

    @mp.workdps(AREA_DIGITS)
    def proper_auc_complement(self):
        """Return P(a negative has the higher ratio f1/f0); the ratio increases with the distance from one centre."""
        m0, s0, m1, s1 = self.exact()
        if s0 == s1:
            return tail_below(-abs(self.separation()))
        if s0 > s1:
            return Truth(self.m1, self.s1, self.m0, self.s0).proper_auc_complement()
        with mp.workdps(DIGITS):
            centre = (m0 * s1**2 - m1 * s0**2) / (s1**2 - s0**2)
            c0, c1 = (centre - m0) / s0, (centre - m1) / s1
            ratio = s1 / s0
        c0, c1, ratio = +c0, +c1, +ratio

        def density_times_tail(v):  # v: distance of a positive from the centre, in positive SDs
            u = v * ratio
            tail = tail_below(c0 - u) + tail_above(c0 + u)
            return (mp.npdf(c1 + v) + mp.npdf(c1 - v)) * tail

        bends = [abs(c1) + k for k in range(-40, 41)] + [(abs(c0) + k) / ratio for k in range(-40, 41)]
        edges = sorted({mp.mpf(0), *(e for e in bends if 0 < e < abs(c1) + 40)})
        return _quad(density_times_tail, edges)

    @mp.workdps(DIGITS)
    def two_sided(self):
        """Return TPR and FPR of "positive where f1 > f0" for different SDs."""
        low, high = (self.at(t) for t in self.crossings())
        tpr, fpr = low.fnr + high.tpr, low.tnr + high.fpr
        inner1, inner0 = high.fnr - low.fnr, high.tnr - low.tnr
        return (tpr, fpr, inner0, inner1) if self.s1 > self.s0 else (inner1, inner0, fpr, tpr)


def pair_of(ratio, distance, offset=0.0, scale=1.0):
    """Return means and standard deviations; the distance is in units of the wider class."""
    s0, s1 = 1.3 * scale, 1.3 * scale * ratio
    m0 = (offset + 0.1) * scale
    return m0, s0, m0 + distance * max(s0, s1), s1


CURVES = [pair_of(r, d) for r, d in product((1e-4, 0.01, 0.5, 1 - 1e-8, 1, 1 + 1e-12, 3, 1e2, 1e4), (0, 0.4, -1, 5))]


def _over_normal(f, low, high, centre, width):
    return _between_probits(f, probit(low), probit(high), centre, width)


def _between_probits(f, low, high, centre, width):
    """Integrate f over the normal density; f bends at ``centre`` over ``width``."""
    low, high = max(low, mp.mpf(-42)), min(high, mp.mpf(42))
    bends = [mp.mpf(k) for k in range(-42, 43)] + [centre + width * k for k in range(-42, 43)]
    edges = sorted({low, high, *(e for e in bends if low < e < high)})
    return _quad(lambda x: f(x) * mp.npdf(x), edges)


def _quad(f, edges):
    """Sum Gauss-Legendre panels no wider than the bends; panels with a negligible integral are omitted."""
    nodes = _nodes()
    parts = [
        (left, right, max(abs(f(left + (right - left) * k / 4)) for k in range(5))) for left, right in pairwise(edges)
    ]
    least = max(size * (right - left) for left, right, size in parts) * mp.mpf(10) ** -AREA_DIGITS
    kept = [((left + right) / 2, (right - left) / 2) for left, right, size in parts if size * (right - left) > least]
    return mp.fsum(half * weight * f(middle + half * node) for middle, half in kept for node, weight in nodes)


@cache
@mp.workdps(AREA_DIGITS + 10)
def _nodes(count=24):
    """Return Gauss-Legendre nodes and weights on [-1, 1]: the doubles of numpy, polished."""
    nodes = [mp.findroot(lambda x: mp.legendre(count, x), mp.mpf(x)) for x in np.polynomial.legendre.leggauss(count)[0]]
    slopes = [count * (mp.legendre(count - 1, x) - x * mp.legendre(count, x)) / (1 - x**2) for x in nodes]
    return [(x, 2 / ((1 - x**2) * slope**2)) for x, slope in zip(nodes, slopes, strict=True)]
