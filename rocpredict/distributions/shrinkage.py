"""Shrinkage estimate of two class distributions, between the sample and a model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, owens_t

from rocpredict.base.validation import (
    ArrayOrFloat,
    Direction,
    FloatArray,
    RocPredictError,
    check_probabilities,
    short_repr,
)
from rocpredict.distributions.base import Atoms, Distribution, check_continuous
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.misfit import empirical_tpr, upper_tails
from rocpredict.distributions.power import PowerTransform, Transformed, fit_power_transforms


@dataclass(frozen=True, eq=False, repr=False)
class ShrinkageDistribution(Distribution):
    """Mixture of the sample and a model of a class, with a shift towards the other class.

    P(X > x) = Phi(shift + Phi^-1(w S(x) + (1 - w) M(x))), with S the upper tail of the sample
    and M that of the model. Values of the sample are point masses; between them the model has its density.

    Parameters
    ----------
    model : distribution
        Continuous, of one feature.
    sample : Ecdf
        Finite values.
    data_weight : float
        w, from 0 (the model alone) to 1 (the sample alone).
    shift : float
        By how many normal scores the class lies higher than sample and model have it.

    Raises
    ------
    RocPredictError
        A model with atoms or of several features, a sample that is no Ecdf of finite values, a weight outside [0, 1].

    Examples
    --------
    >>> from rocpredict.distributions import Gaussian
    >>> half = ShrinkageDistribution(Gaussian(0, 1), Ecdf([-1, 1]), 0.5)
    >>> half.sf(0), half.sf_inclusive(1) - half.sf(1)
    (0.5, 0.25)
    """

    model: Distribution
    sample: Any
    data_weight: float
    shift: float = 0.0
    _heading = "Shrunk estimate"

    def __post_init__(self) -> None:
        check_continuous("model", self.model)
        if not isinstance(self.sample, Ecdf) or not np.isfinite(self.sample.unique_values).all():
            raise RocPredictError(f"sample={short_repr(self.sample)} is not an Ecdf of finite values")
        check_probabilities("data_weight", self.data_weight)
        if not np.isfinite(self.shift):
            raise RocPredictError(f"shift={self.shift!r} is not finite")

    def _logpdf(self, x: FloatArray) -> FloatArray:
        level = self.model._logpdf(x)
        with np.errstate(divide="ignore", invalid="ignore"):
            level = np.log1p(-self.data_weight) + level
            if self.shift:
                score = _score(self._mid_tail("_sf", "_sf_inclusive", x), self._mid_tail("_cdf", "_cdf_strict", x))
                level = np.where(np.isinf(score), -np.inf, level - self.shift * (score + self.shift / 2))
        return np.where(np.isinf(x), -np.inf, level)

    def _cdf(self, x: FloatArray) -> FloatArray:
        return self._tail("_cdf", "_sf", -self.shift, x)

    def _sf(self, x: FloatArray) -> FloatArray:
        return self._tail("_sf", "_cdf", self.shift, x)

    def _cdf_strict(self, x: FloatArray) -> FloatArray:
        return self._tail("_cdf_strict", "_sf_inclusive", -self.shift, x)

    def _sf_inclusive(self, x: FloatArray) -> FloatArray:
        return self._tail("_sf_inclusive", "_cdf_strict", self.shift, x)

    def _ppf(self, q: FloatArray) -> FloatArray:
        return self._quantile(q if self.shift == 0 else ndtr(ndtri(q) + self.shift), "_cdf")

    def _isf(self, q: FloatArray) -> FloatArray:
        return self._quantile(q if self.shift == 0 else ndtr(ndtri(q) - self.shift), "_sf")

    def atoms(self) -> Atoms:
        """Return the distinct values of the sample and their shrunken probabilities."""
        return self._atoms

    @cached_property
    def _atoms(self) -> Atoms:
        if self.data_weight == 0:
            return Atoms(np.empty(0), np.empty(0))
        points = self.sample.unique_values
        beyond, reached = self._sf(points), self._sf_inclusive(points)
        under, up_to = self._cdf_strict(points), self._cdf(points)
        nearer = np.heaviside(beyond + reached - under - up_to, 0.5)  # 1: the lower tail keeps the digits
        masses = nearer * (up_to - under) + (1 - nearer) * (reached - beyond)
        return Atoms(points[masses > 0], masses[masses > 0])

    def reflect(self) -> ShrinkageDistribution:
        """Return the distribution of -X."""
        return ShrinkageDistribution(self.model.reflect(), self.sample.reflect(), self.data_weight, -self.shift)

    @np.errstate(under="ignore")
    def _mixed(self, tail: str, x: FloatArray) -> FloatArray:
        sample, model = getattr(self.sample, tail)(x), getattr(self.model, tail)(x)
        return np.asarray(self.data_weight * sample + (1 - self.data_weight) * model)

    def _mid_tail(self, tail: str, other: str, x: FloatArray) -> FloatArray:
        """Return the mean of a strict and an inclusive tail."""
        sample = (getattr(self.sample, tail)(x) + getattr(self.sample, other)(x)) / 2
        return np.asarray(self.data_weight * sample + (1 - self.data_weight) * getattr(self.model, tail)(x))

    def _tail(self, tail: str, other: str, shift: float, x: FloatArray) -> FloatArray:
        if shift == 0:
            return np.minimum(self._mixed(tail, x), 1.0)
        return np.asarray(ndtr(_score(self._mixed(tail, x), self._mixed(other, x)) + shift))

    def _quantile(self, q: FloatArray, tail: str) -> FloatArray:
        """Return the smallest x at which the mixed tail has reached ``q``: an atom, or a value between two atoms."""
        points, rising = self.sample.unique_values, tail == "_cdf"
        if self.data_weight == 0:
            return self.model._ppf(q) if rising else self.model._isf(q)
        at, before = (
            self._mixed(name, points) for name in (("_cdf", "_cdf_strict") if rising else ("_sf", "_sf_inclusive"))
        )
        if rising:
            passed, jumped = np.searchsorted(at, q, side="left"), np.searchsorted(before, q, side="left")
        else:
            passed, jumped = (len(points) - np.searchsorted(t[::-1], q, side="right") for t in (at, before))
        edges = np.concatenate([[-np.inf], points, [np.inf]])
        empirical = self.sample._cdf(edges[passed]) if rising else self.sample._sf(edges[passed])
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = (q - self.data_weight * empirical) / (1 - self.data_weight)
        rest = np.clip(np.where(np.isnan(rest), 1.0, rest), 0.0, 1.0)
        smooth = self.model._ppf(rest) if rising else self.model._isf(rest)
        with np.errstate(over="ignore"):
            above = np.nextafter(edges[passed], np.inf)
        between = np.clip(smooth, above, edges[np.minimum(passed + 1, len(points) + 1)])
        return np.where(jumped > passed, edges[np.minimum(passed + 1, len(points))], between)

    def __repr__(self) -> str:
        shift = f", shift={self.shift:.6g}" if self.shift else ""
        return f"ShrinkageDistribution({self.model!r}, {self.sample!r}, data_weight={self.data_weight:.6g}{shift})"


def _score(upper: FloatArray, lower: FloatArray) -> FloatArray:
    """Return the normal score of an upper tail, computed from the smaller tail."""
    return np.asarray(np.where(upper < 0.5, ndtri(np.minimum(upper, 0.5)), -ndtri(np.minimum(lower, 0.5))))


N_GRID = 200
SHRINKAGE_FPR = (np.arange(N_GRID) + 0.5) / N_GRID
"""FPRs at which the model is weighed against the sample: the middles of as many equal parts of [0, 1]."""
_FPR_PROBIT = ndtri(SHRINKAGE_FPR)


PRIOR_SCALE_KNOWN_DIRECTION, PRIOR_SCALE = 1.4, 0.7
"""Scales of the prior on the distance D of the classes: of a feature whose direction is known beforehand more is to be
expected than of one that is merely looked at."""
_MAX_D = 8.0
_CELLS = 1024
_MIN_RANGE, _NEGLIGIBLE = 1.0, 1e-12
_ROOT_TOLERANCES = {"xatol": 4e-16, "xrtol": 4e-16, "fatol": 0.0, "frtol": 0.0}
_MAX_SHIFT = 4.0


def posterior_median_auc(area: FloatArray, n0: int, n1: int, *, declared: bool) -> FloatArray:
    """Return the posterior median of the AUC given its estimate: shape (F,).

    Parameters
    ----------
    area : array of shape (F,)
    n0, n1 : int
        Cases behind it.
    declared : bool
        Whether positives are known to lie on their side: then the AUC is at least 1/2.

    Notes
    -----
    The prior is on D = Phi^-1(AUC), the distance of two Gaussian classes in units of sqrt(s0^2 + s1^2): Cauchy, of
    scale 1.4 and folded to D >= 0 where the direction is declared, else of scale 0.7; it is cut off at 8. Its heavy
    tails let a convincing area stand. The estimate is taken as normal about the AUC, with the variance that a counted
    one has for two Gaussians of one spread. The median does not depend on the scale on which it is taken.
    """
    scale, start = (PRIOR_SCALE_KNOWN_DIRECTION, 0.0) if declared else (PRIOR_SCALE, -_MAX_D)
    middle, low, high = _median_of_grid(area, np.array([start]), np.array([_MAX_D]), scale, (n0, n1))
    narrow = np.flatnonzero(high - low < _MIN_RANGE)  # many cases: look closer
    if narrow.size:
        middle[narrow] = _median_of_grid(area[narrow], low[narrow], high[narrow], scale, (n0, n1))[0]
    return np.asarray(ndtr(middle))


@np.errstate(under="ignore")
def _median_of_grid(
    area: FloatArray, low: FloatArray, high: FloatArray, scale: float, counts: tuple[int, int]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the median of D between two bounds, and narrower bounds of its density."""
    step = ((high - low) / _CELLS)[:, None]
    d = low[:, None] + (np.arange(_CELLS) + 0.5) * step
    prior, variance, possible = -np.log1p((d / scale) ** 2), _variance(d, *counts), ndtr(d)
    level = prior - np.log(variance) / 2 - (area[:, None] - possible) ** 2 / (2 * variance)
    density = np.exp(level - level.max(axis=1, keepdims=True))
    reached = np.cumsum(density, axis=1)
    half = reached[:, -1:] / 2
    at = np.sum(reached < half, axis=1)[:, None]
    inside = np.take_along_axis(density, at, axis=1)
    before = np.take_along_axis(reached, at, axis=1) - inside
    is_relevant = density > _NEGLIGIBLE
    first, last = np.argmax(is_relevant, axis=1)[:, None], _CELLS - np.argmax(is_relevant[:, ::-1], axis=1)[:, None]
    places = (at + (half - before) / inside, np.maximum(first - 1, 0), np.minimum(last + 1, _CELLS))
    middle, first_end, last_end = ((low[:, None] + step * place)[:, 0] for place in places)
    return middle, first_end, last_end


def _variance(d: FloatArray, n0: int, n1: int) -> FloatArray:
    """Return the variance of the empirical AUC of two Gaussians with equal variance at a distance of ``d``.

    Var = [A(1 - A) + (n0 + n1 - 2)(Q - A^2)]/(n0 n1), Q = A - 2 T(d, 1/sqrt(3)) with Owen's T.
    """
    upper, lower = ndtr(np.abs(d)), ndtr(-np.abs(d))
    two_of_a_class = upper * lower - 2 * owens_t(np.abs(d), 1 / np.sqrt(3))
    return np.asarray((upper * lower + (n0 + n1 - 2) * two_of_a_class) / (n0 * n1))


def trapezoidal_auc(fpr: FloatArray, tpr: FloatArray) -> FloatArray:
    """Compute the area under ascending polylines of shape (F, m)."""
    return np.asarray(np.sum(np.diff(fpr, axis=1) * (tpr[:, 1:] + tpr[:, :-1]) / 2, axis=1))


def shift_to_auc(fpr: FloatArray, tpr: FloatArray, area: FloatArray) -> FloatArray:
    """Return the shift of both classes, in normal scores, at which polylines of shape (F, m) enclose these areas.

    Every TPR becomes Phi(Phi^-1(TPR) + shift), every FPR Phi(Phi^-1(FPR) - shift): the area rises with the shift. The
    shift is 0 where none helps: a curve that only touches the axes encloses its area for any shift.
    """
    from scipy.optimize.elementwise import find_root

    scores = ndtri(np.stack([fpr, tpr]))

    def difference(shift: FloatArray, feature: FloatArray) -> FloatArray:
        index = feature.astype(np.intp)
        below, above = scores[:, index]
        return trapezoidal_auc(ndtr(below - shift[:, None]), ndtr(above + shift[:, None])) - area[index]

    limits = np.full(len(area), _MAX_SHIFT)
    root = find_root(difference, (-limits, limits), args=(np.arange(len(area)),), tolerances=_ROOT_TOLERANCES)
    return np.where(root.success & (np.abs(root.x) < _MAX_SHIFT), root.x, 0.0)


NOISE_FACTOR = 0.5
"""The share of the noise that is held against the sample, chosen by measurement."""
MAX_SLOPE = 20.0
"""The largest slope of a curve that counts in its noise."""


class ShrinkageWeight(NamedTuple):
    """Weight of the sample, and distance of the model's curve from the empirical one.

    Attributes
    ----------
    weight : array
        Of the sample; the rest is the model's.
    mean_square_difference : array
        D, the mean square of the difference of both curves over all FPR.
    expected_square_difference : array
        V, what the mean square would be by chance, were the model's curve the true one and fixed beforehand.
    """

    weight: ArrayOrFloat
    mean_square_difference: ArrayOrFloat
    expected_square_difference: ArrayOrFloat


def shrinkage_weight(model: FloatArray, empirical: FloatArray, slope: FloatArray, n0: int, n1: int) -> ShrinkageWeight:
    """Compute the weight of the sample from TPR values at ``FPR``, shape (F, N_GRID).

    Notes
    -----
    w = D/(D + V/2), V = mean[T(1 - T)/n1 + slope^2 f(1 - f)/n0]. D is what was seen, noise included, for which an
    empirical Bayes rule would have 1 - V/D (James and Stein 1961); this form never drops the sample, and was the better
    one by measurement, since the model was fitted to the same rows and errs with them. The slope is cut off at 20:
    towards the ends of a steep curve the expansion that it stands in holds no longer.
    """
    gap = empirical - model
    square = np.mean(gap**2, axis=1)
    noise = np.mean(
        model * (1 - model) / n1 + np.minimum(slope, MAX_SLOPE) ** 2 * SHRINKAGE_FPR * (1 - SHRINKAGE_FPR) / n0, axis=1
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(square > 0, square / (square + NOISE_FACTOR * noise), 0.0)
    return ShrinkageWeight(weight, square, noise)


def binormal_tpr(
    m0: FloatArray, s0: FloatArray, m1: FloatArray, s1: FloatArray, probit: FloatArray = _FPR_PROBIT
) -> tuple[FloatArray, FloatArray]:
    """Return the TPR of binormal curves at FPRs, given by their probits, and the slopes: shape (F, m)."""
    with np.errstate(over="ignore", under="ignore"):
        z = ((m1 - m0)[:, None] + s0[:, None] * probit) / s1[:, None]
        slope = (s0 / s1)[:, None] * np.exp((probit**2 - z**2) / 2)
    return ndtr(z), slope


PRIOR_LOG_RATIO_VARIANCE = 0.25
"""Mean square of the log variance ratios of real features."""
_TAIL = np.array([3.2, 4.0, 5.0, 6.0])
_Z_GRID = np.concatenate([-_TAIL, ndtri((np.arange(48) + 0.5) / 48), _TAIL])
"""Normal scores at which the curve of the model is followed between the rows."""


class BinormalParameters(NamedTuple):
    """Parameters of two Gaussians on the transformed scale: arrays of shape (F,)."""

    m0: FloatArray
    s0: FloatArray
    m1: FloatArray
    s1: FloatArray


class ShrinkageEstimate(NamedTuple):
    """Shrinkage estimate of F features.

    Attributes
    ----------
    transform : PowerTransform
        Common transform of both classes, of shape (F,).
    z : array of shape (F, n0 + n1)
        Transformed values of both classes.
    classes : BinormalParameters
        Gaussians on the transformed scale, with standard deviations shrunk towards each other; 1 for a class of equal
        values, to which the model adds nothing.
    weight : ShrinkageWeight
        Weight of the sample, and the distances behind it.
    shift : array of shape (F,)
        Shift of the positives upwards and of the negatives downwards, in normal scores.
    """

    transform: PowerTransform
    z: FloatArray
    classes: BinormalParameters
    weight: ShrinkageWeight
    shift: FloatArray


def estimate_shrinkage(negative: FloatArray, positive: FloatArray, *, direction_known: bool) -> ShrinkageEstimate:
    """Estimate the pair of class distributions of each feature.

    Parameters
    ----------
    negative, positive : arrays of shape (F, n0) and (F, n1)
        Finite values, 2 or more a class; positives are looked for among the high ones.
    direction_known : bool
        Whether they are known to lie there.
    """
    n0, n1 = negative.shape[1], positive.shape[1]
    transform, z = fit_power_transforms(negative, positive)
    rows = z[:, :n0], z[:, n0:]
    classes, is_measured = _shrink_variances(*rows)
    tpr, slope = binormal_tpr(*classes)
    empirical = empirical_tpr(np.sort(negative, axis=1), np.sort(positive, axis=1), SHRINKAGE_FPR)
    weighing = shrinkage_weight(tpr, empirical, slope, n0, n1)
    weighing = weighing._replace(weight=np.where(is_measured, weighing.weight, 1.0))
    fpr, tpr = _blended_roc(rows, classes, np.asarray(weighing.weight))
    middle = posterior_median_auc(trapezoidal_auc(fpr, tpr), n0, n1, declared=direction_known)
    return ShrinkageEstimate(transform, z, classes, weighing, shift_to_auc(fpr, tpr, middle))


def _shrink_variances(negative: FloatArray, positive: FloatArray) -> tuple[BinormalParameters, NDArray[np.bool_]]:
    """Return means and SDs, and whether both classes vary.

    The ratio of the variances is shrunk towards 1, more so in small samples.
    The log ratio varies by 2/(n0 - 1) + 2/(n1 - 1) about its true value, and that by ``PRIOR_LOG_RATIO_VARIANCE``
    about 0. The sum of both variances stays, and with it the area under the curve.
    """
    spreads = [np.where(np.ptp(part, axis=1) > 0, part.std(axis=1, ddof=1), 0.0) for part in (negative, positive)]
    noise = sum(2 / (part.shape[1] - 1) for part in (negative, positive))
    retained = PRIOR_LOG_RATIO_VARIANCE / (PRIOR_LOG_RATIO_VARIANCE + noise)
    both = np.hypot(*spreads)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (spreads[1] / spreads[0]) ** retained
    varies = [spread > 0 for spread in spreads]
    has_variance = varies[0] & varies[1]
    alone = [np.where(some, spread, 1.0) for some, spread in zip(varies, spreads, strict=True)]
    s0 = np.where(has_variance, both / np.hypot(1, ratio), alone[0])
    s1 = np.where(has_variance, both / np.hypot(1, 1 / np.where(has_variance, ratio, 1.0)), alone[1])
    return BinormalParameters(negative.mean(axis=1), s0, positive.mean(axis=1), s1), has_variance


def _blended_roc(
    rows: tuple[FloatArray, FloatArray], classes: BinormalParameters, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the mixed curve as a polyline from (0, 0) to (1, 1): (fpr, tpr) of shape (F, m)."""
    m0, s0, m1, s1 = (part[:, None] for part in classes)
    at = np.sort(np.concatenate([*rows, m0 + s0 * _Z_GRID, m1 + s1 * _Z_GRID], axis=1), axis=1)
    share, corners = weight[:, None], (np.zeros((len(at), 1)), np.ones((len(at), 1)))

    def rates(sample: FloatArray, mean: FloatArray, std: FloatArray) -> FloatArray:
        model = (1 - share) * ndtr((mean - at) / std)
        tails = [share * empirical + model for empirical in upper_tails(sample, at)]
        falling = np.stack(tails, axis=2)[:, ::-1].reshape(len(at), -1)
        return np.concatenate([corners[0], falling, corners[1]], axis=1)

    return rates(rows[0], m0, s0), rates(rows[1], m1, s1)


def fit_shrinkage(
    negative: FloatArray, positive: FloatArray, direction: Direction
) -> tuple[Distribution, Distribution]:
    """Estimate both classes of one feature.

    Parameters
    ----------
    negative, positive : arrays of shape (n,)
        Finite values, 2 or more.
    direction : {None, "higher", "lower", "auto"}
        "higher" and "lower" are taken as known before these rows.
    """
    lower = direction == "lower"
    samples = (positive, negative) if lower else (negative, positive)
    estimate = estimate_shrinkage(
        samples[0][None, :], samples[1][None, :], direction_known=direction in {"higher", "lower"}
    )
    m0, s0, m1, s1 = (float(part[0]) for part in estimate.classes)
    weight, shift, transform = float(estimate.weight.weight[0]), float(estimate.shift[0]), estimate.transform[0]
    models = [Transformed(Gaussian(mean, std), transform) for mean, std in ((m0, s0), (m1, s1))]
    below = ShrinkageDistribution(models[0], Ecdf(samples[0]), weight, -shift)
    above = ShrinkageDistribution(models[1], Ecdf(samples[1]), weight, shift)
    return (above, below) if lower else (below, above)
