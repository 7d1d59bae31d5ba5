"""Variances and interval widths expected in a planned study, computed from the class distributions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, sqrt
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from scipy.special import expit, ndtri, stdtr, stdtrit

from rocpredict.base.validation import ArrayOrFloat, FloatArray
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import is_discrete
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.inference import intervals
from rocpredict.inference.curve_draws import STEEP_EXPONENT, IntArray, steep_exponent
from rocpredict.inference.intervals import SmoothedAreas
from rocpredict.inference.parametric import ProbitEstimate, auc_probit, tpr_probit
from rocpredict.inference.placements import VarianceComponent
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.solvers.quadrature import expectation, gauss_legendre, panel_edges

Variance: TypeAlias = Callable[[int, int], float]
Correlation: TypeAlias = tuple[float, float]
Curve: TypeAlias = Any
"""Placeholder for ``Roc``, which cannot be imported here, because ``rocpredict.roc`` imports this package."""
_ROUNDING = 1e-12  # relative rounding error of a difference between two variances


def auc_variances(roc: Curve, null: float | None = None) -> dict[str, Variance]:
    """Return, for each method, a function that computes the variance of one AUC.

    Each function computes the variance from the numbers of negatives and positives. The first method is "exact". If
    ``null`` is passed, the variance is computed under the null hypothesis that the AUC is ``null``.
    """
    auc = float(roc.auc()) if null is None else null
    methods: dict[str, Variance] = {"exact": _exact(roc, null)}
    if is_gaussian(roc):
        pair = _gaussians(roc, null)
        methods["delta"] = lambda n0, n1: _probit_variance(auc_probit(*pair, (n0, n1)))
    methods["hanley-mcneil"] = lambda n0, n1: intervals.hanley_mcneil_variance(auc, (n0, n1))
    return methods | {"obuchowski": _obuchowski(auc)}


def difference_variances(roc: Curve, other: Curve, correlation: Correlation | None) -> dict[str, Variance]:
    """Return, for each method, a function that computes the variance of the difference between two AUCs.

    ``correlation`` contains the correlation of the two features among the negatives and among the positives; None means
    that the AUCs come from independent samples.
    """
    if correlation is not None:
        return {"exact": _difference(_exact(roc), _exact(other), share_covariance(roc, other, correlation).covariance)}
    first, second = auc_variances(roc), auc_variances(other)
    return {name: _difference(first[name], second[name]) for name in first if name in second}


def tpr_variances(roc: Curve, fpr: float) -> dict[str, Variance]:
    """Return, for each method, a function that computes the variance of the TPR at an FPR.

    The first method is "empirical".
    """
    tpr, slope = float(roc.tpr_at_fpr(fpr)), float(roc.slope(fpr))

    def empirical(n0: int, n1: int) -> float:
        return tpr * (1 - tpr) / n1 + slope * slope * fpr * (1 - fpr) / n0

    if not is_gaussian(roc):
        return {"empirical": empirical}
    pair = _gaussians(roc)
    return {
        "empirical": empirical,
        "delta": lambda n0, n1: _probit_variance(tpr_probit(*pair, (n0, n1), np.asarray(fpr))),
    }


def is_gaussian(roc: Curve) -> bool:
    """Return True if both classes have Gaussian distributions."""
    return isinstance(roc.negative, Gaussian) and isinstance(roc.positive, Gaussian)


def _difference(first: Variance, second: Variance, covariance: Variance | None = None) -> Variance:
    def variance(n0: int, n1: int) -> float:
        total = first(n0, n1) + second(n0, n1)
        difference = total - (0.0 if covariance is None else 2 * covariance(n0, n1))
        return difference if difference > _ROUNDING * total else 0.0

    return variance


# ---- the empirical AUC
class SharedCovariance(NamedTuple):
    """Covariances between two comparisons that share at least one observation.

    Each comparison is between a positive and a negative.

    Attributes
    ----------
    both, positive, negative : float
        Covariance if the two comparisons share both observations (``both``), only the positive (``positive``), or only
        the negative (``negative``).
    """

    both: float
    positive: float
    negative: float

    def covariance(self, n0: int, n1: int) -> float:
        """Compute the variance of an AUC, or the covariance of two AUCs, from the covariances between comparisons.

        An AUC is the mean of all n0 n1 comparisons between a positive and a negative.

        References
        ----------
        W. Hoeffding (1948), A class of statistics with asymptotically normal distribution, Annals of Mathematical
        Statistics 19, 293-325.
        """
        return (self.both + (n0 - 1) * self.positive + (n1 - 1) * self.negative) / (n0 * n1)

    def placement_variances(self, n0: int, n1: int) -> tuple[float, float]:
        """Return the expected sample variance of the placement values in each class.

        For two AUCs, the expected sample covariance is returned instead.
        """
        negative = (self.both + (n1 - 1) * self.negative - self.positive) / n1
        return negative, (self.both + (n0 - 1) * self.positive - self.negative) / n0


def _exact(roc: Curve, null: float | None = None) -> Variance:
    """Return a function for the exact variance of the empirical AUC; with ``null``, under the null hypothesis.

    If ``null`` is 1/2, both classes have the same distribution under the null hypothesis. For other values of ``null``,
    the means of Gaussian classes are shifted so that the AUC is ``null``; other distributions are left unchanged.
    """
    if null == 0.5:
        return lambda n0, n1: (n0 + n1 + 1) / (12 * n0 * n1)
    if not is_gaussian(roc):
        return integrate_covariance(*orient_classes(roc)).covariance
    solver = BinormalSolver(*_gaussians(roc, null))
    return lambda n0, n1: float(solver.empirical_auc_variance((n0, n1)))


def integrate_covariance(negative: Distribution, positive: Distribution) -> SharedCovariance:
    """Compute the covariances between two comparisons by integrating squared placement values.

    Each comparison is between a positive and a negative; a tie counts half.
    """

    def of_positive(x: FloatArray) -> FloatArray:
        return np.asarray((np.asarray(negative.cdf_strict(x)) + negative.cdf(x)) / 2)

    def of_negative(x: FloatArray) -> FloatArray:
        return np.asarray((np.asarray(positive.sf(x)) + positive.sf_inclusive(x)) / 2)

    auc = _mean(positive, of_positive, negative)
    points, masses = negative.atoms()
    ties = float(masses @ (np.asarray(positive.sf_inclusive(points)) - positive.sf(points)))
    return SharedCovariance(
        both=auc * (1 - auc) - ties / 4,
        positive=_mean(positive, lambda x: of_positive(x) ** 2, negative) - auc * auc,
        negative=_mean(negative, lambda x: of_negative(x) ** 2, positive) - auc * auc,
    )


def _mean(weighing: Distribution, f: Callable[[FloatArray], FloatArray], other: Distribution) -> float:
    points, masses = weighing.atoms()
    smooth = 0.0 if is_discrete(weighing) else expectation(weighing, f, panel_edges(weighing, other))
    return float(masses @ np.asarray(f(points))) + smooth


def share_covariance(roc: Curve, other: Curve, correlation: Correlation) -> SharedCovariance:
    """Return the covariances between comparisons of one Gaussian feature and comparisons of another Gaussian feature.

    Each comparison is between a positive and a negative. Both features are measured on the same observations.
    """
    (first, first0, first1), (second, second0, second1) = _standardized(roc), _standardized(other)
    turned = -1 if (roc.direction == "lower") != (other.direction == "lower") else 1
    r0, r1 = (turned * r for r in correlation)
    by_negative, by_positive = r0 * np.sqrt(first0 * second0), r1 * np.sqrt(first1 * second1)
    return SharedCovariance(
        *(_bivariate_normal_excess(first, second, r) for r in (by_negative + by_positive, by_positive, by_negative))
    )


def _standardized(roc: Curve) -> tuple[float, float, float]:
    """Return the standardized distance between the means, and each variance divided by the sum of both variances."""
    negative, positive = _gaussians(roc)
    size = np.hypot(negative.std, positive.std)
    w0, w1 = ((d.std / size) ** 2 for d in (negative, positive))
    return float((positive.mean - negative.mean) / size), float(w0), float(w1)


def _bivariate_normal_excess(h: float, k: float, correlation: float) -> float:
    """Return P(Z1 < h, Z2 < k) - Phi(h) Phi(k) for two standard normal variables with a given correlation.

    The result is the integral of the bivariate density at (h, k) over correlations from 0 to ``correlation``.

    References
    ----------
    R. L. Plackett (1954), A reduction formula for normal multivariate integrals, Biometrika 41, 351-360.
    """
    end = np.arcsin(np.clip(np.round(correlation, 15), -1, 1))  # rounding errors grow near 1
    edges = np.append(end * (1 - 0.5 ** np.arange(40)), end)  # finer steps towards a correlation of 1

    def density(angle: FloatArray) -> FloatArray:
        square = (h - k) ** 2 + 4 * h * k * np.sin(np.pi / 4 - angle / 2) ** 2
        return np.asarray(np.exp(-square / (2 * np.cos(angle) ** 2)))

    return float(gauss_legendre(density, edges[:-1], edges[1:]).sum() / (2 * np.pi))


# ---- other formulas
def _obuchowski(auc: float) -> Variance:
    """Return the variance formula of Obuchowski and McClish (1997), Statistics in Medicine 16, 1529-1542."""
    square = 2 * ndtri(auc) ** 2
    scale = 0.0099 * np.exp(-square / 2)
    return lambda n0, n1: float(scale * ((5 * square + 8) / n1 + (square + 8) / n0))


def _probit_variance(probit: ProbitEstimate) -> float:
    """Return the variance of Phi(z) by the delta method, from the standard error of z."""
    return float(np.exp(-(probit.z**2)) / (2 * np.pi) * probit.std_error**2)


def orient_classes(roc: Curve) -> tuple[Distribution, Distribution]:
    """Return the distributions of both classes, with the feature multiplied by -1 if the direction is "lower"."""
    pair = roc.negative, roc.positive
    return (pair[0].reflect(), pair[1].reflect()) if roc.direction == "lower" else pair


def _gaussians(roc: Curve, null: float | None = None) -> tuple[Gaussian, Gaussian]:
    """Return both Gaussian classes; if ``null`` is passed, the means are shifted so that the AUC is ``null``."""
    negative, positive = orient_classes(roc)
    assert isinstance(negative, Gaussian)
    assert isinstance(positive, Gaussian)
    if null is None:
        return negative, positive
    shift = ndtri(null) * np.hypot(negative.std, positive.std)
    return Gaussian(0.0, negative.std), Gaussian(shift, positive.std)


# ---- default intervals of many studies
class Dependence(NamedTuple):
    """Dependence between two estimated areas in many simulated studies; each array has one entry per study."""

    correlation: ArrayOrFloat
    df: Any
    std_error: ArrayOrFloat = 0.0
    """Standard error of the difference, or 0 for unpaired samples. The interval always contains the Wald interval."""
    skewness: ArrayOrFloat = 0.0
    """Skewness of the estimated difference; it shifts the bounds that are computed with ``cautious``."""
    unseen: Any = None
    """Contribution of unseen observations to the bounds computed with ``cautious``, or None: see ``Unseen``."""
    cautious: Any = None
    """Dependence if each curve has its own pseudo-observations, or None: see ``AreaContrast``."""

    @classmethod
    def paired(
        cls,
        areas: Sequence[SmoothedAreas],
        squares: Sequence[Sequence[Any]],
        products: Sequence[Any],
        counts: tuple[int, int],
        *,
        cubes: Sequence[Any] = (0.0, 0.0),
    ) -> Dependence:
        """Return the dependence between two areas estimated from the same observations.

        The deviation of a placement value is its difference from the area. For each class, ``squares`` contains the sum
        of squared deviations for each curve, and ``products`` contains the sum of the products of the deviations for
        the two curves. ``cubes`` contains the sum of (d - mean(d))^3 in each class, where d is the difference between
        the placement values for the two curves.
        """
        added = [intervals.smooth_centre(part.estimate, counts, 0.5)[1] for part in areas]
        covariance: Any = 0.0
        plain: Any = 0.0
        variance: Any = 0.0
        components = []
        for n, one, other, product in zip(counts, *squares, products, strict=True):
            units = n + intervals.PSEUDO_COUNT_VARIANCE
            covariance = covariance + (product + intervals.shared_smoothing(one, other, *added)) / (units * (units - 1))
            plain = plain + product / (n * (n - 1))
            rest = np.maximum(one + other - 2 * product, 0)
            variance = variance + rest / (n * (n - 1))
            components.append(VarianceComponent((rest + intervals.MIN_SUM_SQUARES) / (n * (n - 1)), n - 1))
        product, df = np.sqrt(areas[0].variance * areas[1].variance), intervals.satterthwaite_df(components)
        shared, separate = (np.clip(part / product, -1, 1) for part in (covariance, plain))
        std_error = np.sqrt(variance)
        third = sum(part / n**3 for part, n in zip(cubes, counts, strict=True))
        skewness = np.divide(third, std_error**3, out=np.zeros(np.shape(std_error)), where=std_error > 0)
        unseen = intervals.Unseen.from_sizes(counts, np.ones(2))
        return cls(shared, df, std_error, skewness, unseen, cls(separate, df))

    @classmethod
    def unpaired(cls, areas: Sequence[SmoothedAreas]) -> Dependence:
        """Return the dependence between two areas estimated from different observations."""
        df = intervals.satterthwaite_df([VarianceComponent(part.variance, cast(Any, part.df)) for part in areas])
        return cls(0.0, df)


def default_limits(
    areas: Sequence[SmoothedAreas], dependence: Dependence | None, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return, for each study, the default confidence interval for one area or for the difference between two areas."""
    if dependence is None:
        return areas[0].interval(level)
    first, second = areas
    correlation, df, std_error, skewness, unseen, cautious = dependence
    quantile, scale, shift = -stdtrit(df, (1 - level) / 2), 1.0, np.zeros(())
    if cautious is not None:
        total, product = first.variance + second.variance, np.sqrt(first.variance * second.variance)
        scale = np.sqrt(np.clip(1 - 2 * correlation * product / total, intervals.MIN_SCALE**2, 1))
        shift = (first.estimate - first.centre) - (second.estimate - second.centre)

    def distances(part: SmoothedAreas) -> tuple[FloatArray, FloatArray]:
        if cautious is None:
            (low, high), middle = part.limits(quantile, df), part.estimate
        else:
            (low, high), middle = part.smoothed_limits(quantile * scale), part.centre
        below, above = (middle - low) / scale, (high - middle) / scale
        if cautious is not None:
            largest = part.largest_lower_bound(stdtr(df, -quantile))
            below, above = np.maximum(below, middle - largest), np.maximum(above, 1 - largest - middle)
        return below, above

    def distance(one: FloatArray, other: FloatArray, shift: FloatArray) -> FloatArray:
        square = one**2 + other**2 - 2 * correlation * one * other
        return np.maximum(np.sqrt(np.maximum(square, 0)) + shift, quantile * std_error)

    (below, above), (other_below, other_above) = distances(first), distances(second)
    estimate = first.estimate - second.estimate
    low, high = estimate - distance(below, other_above, shift), estimate + distance(above, other_below, -shift)
    if cautious is None:
        return low, high
    outer_low, outer_high = default_limits(areas, cautious, level)
    lowered, raised = (std_error * part for part in intervals.skewness_shifts(skewness, quantile))
    below, above = unseen.distances(std_error**2, skewness, quantile)
    outer_low = np.minimum(outer_low - lowered, estimate - below)
    outer_high = np.maximum(outer_high + raised, estimate + above)
    return np.where(low > 0, low, np.minimum(low, outer_low)), np.where(high < 0, high, np.maximum(high, outer_high))


smooth_areas = SmoothedAreas.from_sum_squares
"""Function that computes smoothed areas of many studies, from the sums of squares of the placement values."""


def draw_placements(negative: FloatArray, positive: FloatArray, *, tied: bool) -> tuple[FloatArray, FloatArray]:
    """Return the placement values of the negatives, shape (R, n0), and positives, shape (R, n1), in R studies."""

    def count(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compare each value with the values in the same row of the other array.

        For a value in ``first``, return the number of smaller values in ``second``. For a value in ``second``, return
        the number of smaller or equal values in ``first``.
        """
        order = np.argsort(np.concatenate([first, second], axis=1), axis=1, kind="stable")
        is_first = order < first.shape[1]
        so_far, counts = np.cumsum(is_first, axis=1), np.empty(order.shape)
        np.put_along_axis(counts, order, np.where(is_first, np.arange(1, order.shape[1] + 1) - so_far, so_far), axis=1)
        return counts[:, : first.shape[1]], counts[:, first.shape[1] :]

    below, won = count(negative, positive)
    if tied:
        won_strictly, not_above = count(positive, negative)
        below, won = (below + not_above) / 2, (won + won_strictly) / 2
    return 1 - below / positive.shape[1], won / negative.shape[1]


# ---- simulated intervals, with draws as in ``curve_draws``; a test compares both modules
_REACH_SD = 6.0  # negatives whose FPR is farther from the range, in standard deviations, are left out
_REACH_RANKS = 20  # number of ranks by which this distance is extended
_MAX_RANKS = 256  # with more ranks, a grid of ranks is used
_N_RESAMPLES = 2000  # number of resamples of the default interval, with two draws each
_TAIL_DRAWS = 20  # number of draws beyond each limit of a simulated interval
_BLOCK_SIZES = 10, 5  # number of studies that share their draws, for a TPR and for a partial area
_N_BLOCKS = 200, 250  # smallest and largest number of blocks; there are fewer for many ranks
_MAX_VALUES = 30_000_000  # largest number of values in all draws, unless there would be too few blocks
_FPR_GRID = np.concatenate([[0.0], expit(np.linspace(-40, 40, 2**14 + 1)), [1.0]])
MAX_LEVEL = 1 - 2 / (2 * _N_RESAMPLES + 1)
"""Highest confidence level for which the default number of draws is sufficient."""


@dataclass(frozen=True)
class ExpectedCurve:
    """Expected ROC curve of a study, with the FPR range over which the study estimates a partial area.

    Attributes
    ----------
    tpr : array
        TPRs of the curve at a fixed grid of FPRs.
    low, high : float
        Limits of the FPR range. If both limits are equal, the study estimates the TPR at this FPR instead.
    is_reflected : bool
        Whether the classes are exchanged, so that an area over a TPR range becomes an area over an FPR range.
    """

    tpr: FloatArray
    low: float
    high: float
    is_reflected: bool

    @classmethod
    def from_roc(cls, roc: Curve, axis: str, low: float, high: float) -> ExpectedCurve:
        """Return the expected curve for an FPR range (``axis="fpr"``) or a TPR range (``axis="tpr"``)."""
        reflected = axis == "tpr"
        tpr = 1 - np.asarray(roc.fpr_at_tpr(1 - _FPR_GRID)) if reflected else np.asarray(roc.tpr_at_fpr(_FPR_GRID))
        tpr = np.maximum.accumulate(np.clip(tpr, 0, 1))
        tpr[[0, -1]] = 0, 1
        return cls(tpr, 1 - high if reflected else low, 1 - low if reflected else high, reflected)

    def area_variance(self, n0: int, n1: int) -> float:
        """Return the large-sample variance of the empirical partial area.

        Let v be the FPR at the value of a random positive, and u the FPR at the value of a random negative. Let g =
        min(high - v, high - low) and h = TPR(high) - TPR(max(u, low)), each replaced by 0 if it is negative. The
        variance is Var(g)/n1 + Var(h)/n0. The second term is due to the sampling variation of the thresholds at the
        ends of the range.
        """
        n0, n1 = self._exchange(n0, n1)
        limits = np.array([self.low, self.high])
        fpr = np.union1d(_FPR_GRID[self.high > _FPR_GRID], limits)
        tpr = np.interp(fpr, _FPR_GRID, self.tpr)
        inside = fpr >= self.low
        area = np.trapezoid(tpr[inside], fpr[inside])
        square = np.trapezoid(2 * (self.high - fpr[inside]) * tpr[inside], fpr[inside])
        fall = tpr[-1] - np.maximum(tpr, tpr[inside][0])
        mean, mean_square = np.trapezoid(fall, fpr), np.trapezoid(fall**2, fpr)
        return float((square - area**2) / n1 + (mean_square - mean**2) / n0)

    def simulate_limits(self, counts: tuple[int, int], level: float) -> SimulatedLimits:
        """Simulate studies, and return the limits of the default confidence interval in each study.

        Parameters
        ----------
        counts : pair of int
            Numbers of negatives and positives.
        level : float
            Confidence level, at most ``MAX_LEVEL``.

        Returns
        -------
        SimulatedLimits

        Notes
        -----
        The data of a study are simulated in two steps. First, a true FPR is drawn for each negative whose FPR may lie
        in the specified FPR range. These FPRs are drawn as order statistics of a uniform distribution. Second, the
        numbers of positives between these negatives are drawn from a multinomial distribution. The multinomial
        probabilities are the increments of the curve. To compute the interval of a study, random curves are drawn as in
        ``curve_draws.draw_quantity``. On these curves, the FPRs of the negatives and the TPRs of the positives are
        order statistics of a uniform distribution, regardless of the study data. The studies are therefore grouped into
        blocks. The studies of a block use the same draws, and differ only in the numbers of positives between the
        negatives. If more than 256 ranks of negatives are needed, a grid of ranks is used, so that the computing time
        does not grow with the sample size.
        """
        n0, n1 = self._exchange(*counts)
        fpr_range = self.low, self.high
        ranks, quarter = _select_ranks(n0, fpr_range)
        n_draws = min(_N_RESAMPLES, max(200, ceil(_TAIL_DRAWS / (1 - level))))
        block_size = _BLOCK_SIZES[self.low < self.high]
        n_blocks = int(np.clip(_MAX_VALUES // (n_draws * len(ranks) * block_size), *_N_BLOCKS))
        data_rng, draw_rng = map(np.random.default_rng, (0, 1))
        fpr = _order_statistics(ranks, n0, n_blocks * block_size, data_rng)
        increments = np.diff(np.interp(fpr, _FPR_GRID, self.tpr), axis=1, prepend=0, append=1)
        n_above = np.cumsum(data_rng.multinomial(n1, increments), axis=1)[:, :-1]
        estimates = self._empirical_areas(ranks, n_above, (n0, n1))
        rank = floor((1 - level) / 2 * (2 * n_draws + 1) * (1 + 1e-12))  # rank of the draws that are the limits
        limits = []
        for block in n_above.reshape(n_blocks, block_size, -1):
            draws = _Draws.draw(ranks, quarter, block, counts=(n0, n1), n_draws=n_draws, rng=draw_rng)
            low_draws, high_draws = draws.quantity(fpr_range)
            low = np.partition(low_draws, rank - 1, axis=1)[:, rank - 1]
            limits.append((low, np.partition(high_draws, -rank, axis=1)[:, -rank]))
        low, high = (np.stack(part) for part in zip(*limits, strict=True))
        estimates, width = estimates.reshape(low.shape), (self.high - self.low) or 1.0
        low, high = np.fmin(low, estimates), np.fmax(high, estimates)
        return SimulatedLimits(np.clip(low, 0, width), np.clip(high, 0, width))

    def _empirical_areas(self, ranks: IntArray, n_above: IntArray, counts: tuple[int, int]) -> FloatArray:
        """Return the empirical TPR or partial area of each study; NaN if only a grid of ranks was simulated."""
        n0, n1 = counts
        if np.count_nonzero(np.diff(ranks) > 1) > 1:
            return np.full(len(n_above), np.nan)
        if self.low == self.high:
            index = np.searchsorted(ranks, floor(n0 * self.low * (1 + 1e-12)) + 1)
            return np.asarray(n_above[:, min(int(index), len(ranks) - 1)] / n1)
        widths = np.diff(np.clip(np.append(ranks[0] - 1, ranks) / n0, self.low, self.high))
        return np.asarray(n_above @ widths / n1)

    def _exchange(self, n0: int, n1: int) -> tuple[int, int]:
        return (n1, n0) if self.is_reflected else (n0, n1)


class SimulatedLimits(NamedTuple):
    """Limits of the default confidence interval in each simulated study, in arrays of shape (blocks, studies)."""

    low: FloatArray
    high: FloatArray

    def mean_width(self) -> tuple[float, float]:
        """Return the mean width of the intervals, and its Monte Carlo standard error.

        The standard error is computed from the mean widths of the blocks.
        """
        widths = (self.high - self.low).mean(axis=1)
        return float(widths.mean()), float(widths.std(ddof=1) / sqrt(len(widths)))


def _select_ranks(n0: int, fpr_range: tuple[float, float]) -> tuple[IntArray, int]:
    """Return the ranks of the negatives whose FPR may lie in an FPR range, and the last rank of the top quarter.

    If there are more than ``_MAX_RANKS`` ranks, a grid of ranks is returned instead. Its steps are small relative to
    the distance from the first and from the last rank of the sample.
    """
    first, last = (
        int(np.clip(ceil(n0 * fpr + sign * (_REACH_SD * sqrt(n0 * fpr * (1 - fpr)) + _REACH_RANKS)), 1, n0))
        for fpr, sign in zip(fpr_range, (-1, 1), strict=True)
    )
    quarter = min(max(3, ceil(n0 / 4)), n0)
    if last - first < _MAX_RANKS:
        ranks = np.arange(first, last + 1)
    else:
        steps = np.geomspace(1, n0, 120)
        grid = np.unique(np.round(np.concatenate([np.linspace(first, last, 64), steps, n0 + 1 - steps])))
        ranks = grid[(grid >= first) & (grid <= last)].astype(np.intp)
    return (np.union1d(ranks, [quarter]) if first == 1 else ranks), quarter


def _order_statistics(ranks: IntArray, n: int, size: int, rng: np.random.Generator) -> FloatArray:
    """Draw the order statistics of ``n`` uniform variates that have the given ranks, shape (size, ranks)."""
    sums = np.cumsum(rng.standard_gamma(np.diff(ranks, prepend=0, append=n + 1), (size, len(ranks) + 1)), axis=1)
    return np.asarray(sums[:, :-1] / sums[:, -1:])


class _Draws(NamedTuple):
    """Random curves for the studies of one block, with straight lines between the vertices.

    ``fpr`` contains the FPRs of the vertices and of both corners, shape (ranks + 2, draws). The TPR of an inner vertex
    is ``sums[sum_index]``, where ``sum_index`` has shape (studies, ranks) and the second axis of ``sums`` indexes the
    draws. ``extra`` is the weight of the additional positive in each draw, shape (draws,). ``quarter`` is the index of
    the rank at the end of the top quarter of the negatives. ``has_first`` and ``has_last`` indicate whether the ranks
    include the largest and the smallest negative.
    """

    fpr: FloatArray
    sums: FloatArray
    sum_index: IntArray
    extra: FloatArray
    quarter: int
    has_first: bool
    has_last: bool

    @classmethod
    def draw(
        cls,
        ranks: IntArray,
        quarter: int,
        n_above: IntArray,
        *,
        counts: tuple[int, int],
        n_draws: int,
        rng: np.random.Generator,
    ) -> _Draws:
        """Draw the curves; ``n_above`` contains the number of positives above each negative, shape (studies, ranks)."""
        n0, n1 = counts
        fpr = np.pad(_order_statistics(ranks, n0, n_draws, rng).T, ((1, 1), (0, 0)), constant_values=((0, 1), (0, 0)))
        distinct, inverse = np.unique(np.append(n_above, n1), return_inverse=True)
        weights = rng.standard_gamma(np.append(np.diff(distinct, prepend=0), 1)[:, None], (len(distinct) + 1, n_draws))
        weights /= weights.sum(axis=0)
        return cls(
            fpr,
            np.cumsum(weights[:-1], axis=0),
            inverse[:-1].reshape(n_above.shape),
            weights[-1],
            int(np.searchsorted(ranks, quarter)),
            bool(ranks[0] == 1),
            bool(ranks[-1] == n0),
        )

    def quantity(self, fpr_range: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
        """Return the TPRs or partial areas of the lower and of the upper curves, each of shape (studies, 2 * draws)."""
        start, end = fpr_range
        straight, inner_weight = self._tpr_at(start) if start == end else self._area(start, end)
        draws = []
        for extra in (self.extra, np.zeros_like(self.extra)):  # the additional positive is above all others, then below
            low = straight + extra * inner_weight
            high = low
            if self.has_first:
                first_tpr, exponent = self.sums[self.sum_index[:, 0]] + extra, self._steep_exponent(extra)
                low = low + first_tpr * _power_gain(start, end, self.fpr[1], STEEP_EXPONENT)
                high = high + first_tpr * _power_gain(start, end, self.fpr[1], exponent)
            if self.has_last:
                lost = 1 - self.sums[self.sum_index[:, -1]] - extra
                high = high - lost * _power_gain(1 - end, 1 - start, 1 - self.fpr[-2], STEEP_EXPONENT)
            low_gain, high_gain = self._step_gains(start, end, extra)
            draws.append((low + low_gain, high + high_gain))
        low, high = (np.hstack(part) for part in zip(*draws, strict=True))
        return low, high

    def _tpr_at(self, fpr: float) -> tuple[FloatArray, FloatArray]:
        """Return the TPR at an FPR, shape (studies, draws), and the total weight of the inner vertices.

        The TPR is a weighted mean of the TPRs of the two adjacent vertices.
        """
        n_ranks, draws = self.sum_index.shape[1], np.arange(self.fpr.shape[1])
        vertex = np.minimum((self.fpr <= fpr).sum(axis=0), n_ranks + 1)  # first vertex to the right of the FPR
        left, right = self.fpr[vertex - 1, draws], self.fpr[vertex, draws]
        share = (fpr - left) / (right - left)
        is_first, is_last = vertex == 1, vertex == n_ranks + 1
        below = np.where(is_first, 0.0, self.sums[self.sum_index[:, np.maximum(vertex - 2, 0)], draws])
        above = np.where(is_last, 1.0, self.sums[self.sum_index[:, np.minimum(vertex, n_ranks) - 1], draws])
        return (1 - share) * below + share * above, (1 - share) * ~is_first + share * ~is_last

    def _area(self, start: float, end: float) -> tuple[FloatArray, FloatArray]:
        """Return the area between two FPRs, shape (studies, draws), and the total weight of the inner vertices.

        The area is a weighted sum of the TPRs of the vertices.
        """
        weights, widths = np.zeros_like(self.fpr), np.diff(self.fpr, axis=0)
        clipped = np.clip(self.fpr, start, end)
        covered, middle = np.diff(clipped, axis=0), (clipped[1:] + clipped[:-1]) / 2
        share = np.where(covered > 0, (middle - self.fpr[:-1]) / np.where(widths > 0, widths, 1), 0)
        weights[:-1] += covered * (1 - share)
        weights[1:] += covered * share
        inner = weights[1:-1]
        used = np.flatnonzero(inner.any(axis=1))
        area = np.einsum("rkb,kb->rb", self.sums[self.sum_index[:, used]], inner[used]) + weights[-1]
        return area, inner.sum(axis=0)

    def _step_gains(self, start: float, end: float, extra: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what the low and the high curves gain by a step where the curve leaves 0 or reaches 1.

        See ``CurveDraws.flat``. Both arrays have shape (studies, draws).
        """
        index, n_ranks, top = self.sum_index, self.sum_index.shape[1], len(self.sums) - 1
        low, high = np.zeros((2, len(index), len(extra)))
        last_zero = (index == 0).sum(axis=1) * (not self.sums[0].any())
        rows = np.flatnonzero(last_zero)
        if len(rows):
            left = last_zero[rows]
            rise = self.sums[index[rows, np.minimum(left, n_ranks - 1)]]
            rise = np.where(left[:, None] < n_ranks, rise, 1 - extra)
            left_fpr, width = self.fpr[left], self.fpr[left + 1] - self.fpr[left]
            low[rows] = rise * _power_gain(start - left_fpr, end - left_fpr, width, np.inf)
        first_one = 1 + (index < top).sum(axis=1)
        rows = np.flatnonzero((first_one > 1) & (first_one <= n_ranks))
        if len(rows):
            right = first_one[rows]
            rise = self.sums[top] - self.sums[index[rows, right - 2]]
            right_fpr, width = self.fpr[right], self.fpr[right] - self.fpr[right - 1]
            high[rows] = -rise * _power_gain(right_fpr - end, right_fpr - start, width, np.inf)
        return low, high

    def _steep_exponent(self, extra: FloatArray) -> FloatArray:
        """Return the exponent of the curves that start steeply, shape (studies, draws)."""
        first, quarter = (self.sums[self.sum_index[:, place]] + extra for place in (0, self.quarter))
        return steep_exponent(quarter, first, self.fpr[self.quarter + 1], self.fpr[1])


@np.errstate(under="ignore")
def _power_gain(start: Any, end: Any, gap: FloatArray, exponent: FloatArray | float) -> FloatArray:
    """Return the area from ``start`` to ``end`` under a power law minus the same area under a straight line.

    The power law and the line rise from 0 at 0 to 1 at ``gap``; outside of this range, they are equal. If ``start``
    equals ``end``, the result is the value of the power law minus the value of the line at this point.
    """
    if np.array_equal(start, end):
        fraction = np.clip(start / gap, 0, 1)
        return np.asarray(fraction**exponent - fraction)
    low, high = np.clip(start, 0, gap) / gap, np.clip(end, 0, gap) / gap
    power = np.add(exponent, 1)
    return np.asarray(gap * ((high**power - low**power) / power - (high**2 - low**2) / 2))
