"""Whether two areas differ, or one from a value: by placements, or by the bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit, ndtri

from rocpredict import steps
from rocpredict.arguments import FloatArray
from rocpredict.curve import heights_at
from rocpredict.distributions import Ecdf
from rocpredict.errors import RocPredictError
from rocpredict.flags import Flags
from rocpredict.inference.bootstrap import Resampling, areas_maker, percentile_ends
from rocpredict.inference.placements import NO_VARIANCE, Band, Placements, Side, at_rows, place, place_in_band
from rocpredict.inference.replicates import points_maker
from rocpredict.inference.results import Claim, t_quantile
from rocpredict.inference.strata import Areas
from rocpredict.interval import Interval, unseen_ends


class Found(NamedTuple):
    """What a comparison comes to."""

    statistic: float
    p_value: float
    interval: Interval
    flags: Flags


@dataclass(frozen=True)
class Columns:
    """Hold the values of K features on the same rows, positives to the higher side.

    Attributes
    ----------
    negative, positive : array of shape (rows, K)
    weights : pair of array or None
        How many cases each row stands for.
    clusters : pair of int array or None
        Which rows belong together, numbered from 0 on alike in both classes.
    """

    negative: FloatArray
    positive: FloatArray
    weights: tuple[Any, Any] = (None, None)
    clusters: tuple[Any, Any] = (None, None)

    def pair(self, curve: int) -> tuple[Ecdf, Ecdf]:
        """Give the two classes of one feature."""
        return Ecdf(self.negative[:, curve], self.weights[0]), Ecdf(self.positive[:, curve], self.weights[1])

    def placements(self, band: Band | None = None) -> Placements:
        """Give the placements of all K curves, row by row."""
        placed = [self._placed(curve, band) for curve in range(self.negative.shape[1])]
        estimate = np.array([estimate for estimate, _, _ in placed])
        sides = []
        for index in (0, 1):
            values = np.column_stack([rows[1 + index] for rows in placed])
            total = self.pair(0)[index].total
            sides.append(Side(values, self.weights[index], total, self.clusters[index]))
        chance = 0.5 if band is None else place_in_band(*self.pair(0), band).chance
        return Placements(estimate, sides[0], sides[1], chance)

    def where(self, negative: NDArray[np.bool_], positive: NDArray[np.bool_]) -> Columns:
        """Give some of the rows."""
        kept = negative, positive
        weights, clusters = (
            tuple(None if part is None else part[rows] for part, rows in zip(parts, kept, strict=True))
            for parts in (self.weights, self.clusters)
        )
        return Columns(self.negative[negative], self.positive[positive], weights, clusters)  # type: ignore[arg-type]

    @property
    def totals(self) -> tuple[float, float]:
        """How many cases each class has."""
        if self.weights[0] is None:
            return len(self.negative), len(self.positive)
        return float(self.weights[0].sum()), float(self.weights[1].sum())

    def _placed(self, curve: int, band: Band | None) -> tuple[FloatArray, FloatArray, FloatArray]:
        pair = self.pair(curve)
        found = place(*pair) if band is None else place_in_band(*pair, band)
        rows = (self.negative[:, curve], self.positive[:, curve])
        sides = (found.negative, found.positive)
        ordered = [d.ordered if band is None else d.points for d in pair]
        placed = [at_rows(s, o, r) for s, o, r in zip(sides, ordered, rows, strict=True)]
        return found.estimate, placed[0], placed[1]


@dataclass(frozen=True)
class Quantity:
    """Say what of each curve is compared: the area, the area in a band, or the TPR at an FPR."""

    band: Band | None = None
    fpr: float | None = None

    @property
    def name(self) -> str:
        """Give it in words."""
        if self.fpr is not None:
            return f"TPR at FPR {self.fpr:g}"
        if self.band is None:
            return "AUC"
        return f"partial AUC over {self.band.axis.upper()} {self.band.low:g} to {self.band.high:g}"

    @property
    def scale(self) -> float:
        """Give what a share is multiplied by: the width of the band."""
        return 1.0 if self.band is None else float(self.band.width)

    def of(self, negative: Ecdf, positive: Ecdf) -> float:
        """Give it for one curve."""
        if self.fpr is not None:
            return float(steps.tpr_at_fpr(negative, positive, np.asarray(self.fpr)))
        if self.band is None:
            return float(steps.auc(negative, positive))
        return float(place_in_band(negative, positive, self.band).estimate) * self.scale

    def maker(self, negative: Ecdf, positive: Ecdf) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Give the function that takes how often each value is drawn to its value in each resample."""
        band, fpr = self.band, self.fpr
        if band is None and fpr is None:
            return areas_maker(negative, positive)
        points = points_maker(negative, positive)
        if fpr is not None:
            return lambda n, p: heights_at((drawn := points(n, p)).fpr, drawn.tpr, fpr)
        assert band is not None
        return lambda n, p: points(n, p).area(band)


@dataclass(frozen=True)
class Independent:
    """Hold the difference of two areas on different cases."""

    first: Areas
    second: Areas
    bounds: tuple[float, float] = (-1.0, 1.0)

    @property
    def estimate(self) -> FloatArray:
        """First minus second."""
        return np.asarray(self.first.estimate - self.second.estimate)

    @property
    def units(self) -> tuple[float, float]:
        """How many independent units the smaller sample has of each class."""
        pairs = zip(self.first.units, self.second.units, strict=True)
        negative, positive = (min(pair) for pair in pairs)
        return negative, positive

    def variance(self) -> FloatArray:
        """Give the sum of both variances."""
        return np.asarray(self.first.variance() + self.second.variance())

    @property
    def uninformative(self) -> bool:
        """Whether both samples have all values tied."""
        return self.first.uninformative and self.second.uninformative

    @property
    def half_blind(self) -> bool:
        """Whether one of the samples shows no spread, which is not to be taken for none."""
        return min(float(self.first.variance()), float(self.second.variance())) <= NO_VARIANCE

    @property
    def freedom(self) -> float:
        """How many degrees of freedom the variance has."""
        return min(self.first.freedom, self.second.freedom)

    def smoothed(self) -> tuple[Any, FloatArray]:
        """Give difference and variance with a little of a case more in each class of both samples."""
        (area, variance), (other, further) = self.first.smoothed(), self.second.smoothed()
        return area - other, variance + further


def by_placements(areas: Areas | Independent, claim: Claim, level: float) -> Found:
    """Test an area difference, already selected, by its normal law (DeLong, DeLong and Clarke-Pearson 1988)."""
    difference, variance = float(areas.estimate), float(areas.variance())
    if is_same(areas):
        return alike(0.0, areas.units, claim, level, same=True)
    if variance <= NO_VARIANCE:
        return alike(difference, areas.units, claim, level)
    single = min(areas.units) <= 1
    smoothed = single or areas.half_blind
    centre, variance = (float(part) for part in areas.smoothed()) if smoothed else (difference, variance)
    std_error = float(np.sqrt(variance))
    half = -t_quantile((1 - level) / 2, areas.freedom) * std_error
    ends = max(centre - half, areas.bounds[0]), min(centre + half, areas.bounds[1])
    flags = Flags(fallback=smoothed, single_case=single)
    interval = Interval(*ends, level, "smoothed" if smoothed else "delong", difference, flags)
    return Found(*claim.by_normal(centre, std_error, areas.freedom), interval, flags)


def by_resamples(
    differences: FloatArray, estimate: float, units: tuple[float, float], claim: Claim, level: float
) -> Found:
    """Test a difference by its standard deviation over resamples; the interval by their quantiles."""
    std_error = float(np.std(differences, ddof=1))
    if std_error**2 <= NO_VARIANCE:
        return alike(estimate, units, claim, level)
    flags = Flags(single_case=min(units) <= 1)
    interval = Interval(*percentile_ends(differences, level), level, "bootstrap", estimate, flags)
    return Found(*claim.by_normal(estimate, std_error), interval, flags)


def against_value(areas: Areas, value: float, claim: Claim, interval: Interval, method: str) -> Found:
    """Test an area against a value: by Wald's z, or on the logit scale with a little of a case more."""
    variance = float(areas.variance())
    blind = variance <= NO_VARIANCE or min(areas.units) <= 1
    if method == "delong" and not blind:
        z, p = claim.by_normal(float(areas.estimate) - value, float(np.sqrt(variance)), areas.freedom)
        return Found(z, p, interval, interval.flags)
    area, variance = (float(part) for part in areas.smoothed())
    flags = interval.flags | Flags(fallback=method == "delong")
    if claim.margin is None and value in {0, 1} and float(areas.estimate) == value:
        return Found(0.0, 1.0, interval, flags)  # no data could agree better
    if areas.uninformative:  # all values are tied: the interval says what they leave open
        return Found(0.0, 1.0 if value in interval else 1 - interval.level, interval, flags)
    std_error = float(np.sqrt(variance)) / (area * (1 - area))
    margin = 0.0 if claim.margin is None else float(claim.margin)
    with np.errstate(divide="ignore"):
        low, high = logit(np.clip([value - margin, value + margin], 0, 1))
    z = float(logit(area) - low) / std_error
    if claim.alternative == "equivalent":
        z = min(z, float(high - logit(area)) / std_error)
    return Found(z, claim.tail(z, areas.freedom), interval, flags)


def is_same(areas: Areas | Independent) -> bool:
    """Tell a difference of curves that place every case alike."""
    return areas.bounds[0] < 0 and float(areas.estimate) == 0 and areas.uninformative


def alike(difference: float, units: tuple[float, float], claim: Claim, level: float, *, same: bool = False) -> Found:
    """Judge a difference that no case or resample varies, by how many unlike cases there can be unseen."""
    cases = min(units)
    ends = np.array(unseen_ends(np.asarray((1 + difference) / 2), units, level)) * 2 - 1
    flags = Flags(same_curve=same, fallback=not same)
    interval = Interval(float(ends[0]), float(ends[1]), level, "unseen", difference, flags)
    p_value = claim.by_bound(difference, cases)
    z = float(np.copysign(ndtri(1 - min(p_value, 1.0) / 2), difference)) if difference else 0.0  # what has this p
    return Found(z, p_value, interval, flags)


def resampled(columns: Columns, quantity: Quantity, resampling: Resampling) -> FloatArray:
    """Give a quantity of each curve in each resample of the same rows, shape (n_resamples, K)."""
    if columns.weights[0] is not None:
        raise RocPredictError("weights are not whole; resampling needs numbers of cases")
    curves = range(columns.negative.shape[1])
    orders = [(np.argsort(columns.negative[:, k]), np.argsort(columns.positive[:, k])) for k in curves]
    makers = [quantity.maker(*columns.pair(k)) for k in curves]
    rows = len(columns.negative), len(columns.positive)
    chunks = []
    for negative, positive in resampling.counts((None, None), rows, held=10 * sum(rows)):
        drawn = [make(negative[:, order[0]], positive[:, order[1]]) for make, order in zip(makers, orders, strict=True)]
        chunks.append(np.column_stack(drawn))
    return np.concatenate(chunks)
