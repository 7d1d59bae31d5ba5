"""The shape of one class: moments, ties, ends, outliers, and how its distribution fits."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import nan, sqrt
from typing import Any

import numpy as np
from scipy.special import fdtri

from rocpredict.arguments import FloatArray
from rocpredict.assumptions import moments_of, skewness_z
from rocpredict.interval import Interval
from rocpredict.rich_results import Rich, Shown

_FEWEST_FOR_Z = 8
_FENCE = 3  # interquartile ranges beyond a quartile


@dataclass(frozen=True, repr=False)
class ClassShape(Rich):
    """Say what the values of one class look like.

    Attributes
    ----------
    count : int
    mean, std : float
        In the unit of the feature; ddof=1.
    skewness, skewness_se, skewness_z : float
        Without bias for a normal class (G1), its standard error there, and its normal score by D'Agostino (1970). NaN
        for equal values, the first two below 3 rows, the last below 8: these are undefined.
    kurtosis, kurtosis_se, kurtosis_z : float
        Excess kurtosis (G2), alike, from 4 rows on; normal score by Anscombe and Glynn (1983).
    minimum, maximum : float
    distinct : int
        How many different values there are.
    mode, mode_share, mode_count : float, float, int
        The most frequent value (the lowest of several), its share of the rows and their number.
    share_at_minimum, share_at_maximum, share_at_zero : float
        Share of the rows with this very value.
    outliers : float
        Share of the rows beyond 3 interquartile ranges from the quartiles.
    ks : float
        Largest difference of the fitted cdf and the counted one.
    anderson_darling : float
        Anderson and Darling's A^2 of the fitted distribution; inf where it rules a value out.
    p_value : float
        Of A^2, by parametric bootstrap.
    """

    count: int
    mean: float
    std: float
    skewness: float
    skewness_se: float
    skewness_z: float
    kurtosis: float
    kurtosis_se: float
    kurtosis_z: float
    minimum: float
    maximum: float
    distinct: int
    mode: float
    mode_share: float
    mode_count: int
    share_at_minimum: float
    share_at_maximum: float
    share_at_zero: float
    outliers: float
    ks: float
    anderson_darling: float
    p_value: float

    @property
    def constant(self) -> bool:
        """Whether all values are equal."""
        return self.distinct == 1

    def _shown(self) -> Shown:
        return Shown("Shape of one class", [[name.replace("_", " "), value] for name, value in vars(self).items()])

    def __repr__(self) -> str:
        return (
            f"ClassShape(count={self.count}, mean={self.mean:.6g}, std={self.std:.6g}, skewness={self.skewness:.4g}, "
            f"kurtosis={self.kurtosis:.4g}, distinct={self.distinct}, p_value={self.p_value:.4g})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers by name."""
        return asdict(self)


def describe(values: FloatArray, *, ks: float, anderson_darling: float, p_value: float) -> ClassShape:
    """Describe the values of one class, two or more in ascending order."""
    distinct, counts = np.unique(values, return_counts=True)
    most = int(np.argmax(counts))
    exponent = int(np.frexp(max(abs(values[0]), abs(values[-1])))[1])
    scaled = np.ldexp(values, -exponent)  # so that nothing overflows
    moments = moments_of(scaled)
    return ClassShape(
        count=len(values),
        mean=float(np.ldexp(moments.mean, exponent)),
        std=float(np.ldexp(moments.std, exponent)),
        **_skewness(moments.skewness, len(values), constant=moments.std == 0),
        **_kurtosis(moments.kurtosis, len(values), constant=moments.std == 0),
        minimum=float(values[0]),
        maximum=float(values[-1]),
        distinct=len(distinct),
        mode=float(distinct[most]),
        mode_share=float(counts[most] / len(values)),
        mode_count=int(counts[most]),
        share_at_minimum=float(counts[0] / len(values)),
        share_at_maximum=float(counts[-1] / len(values)),
        share_at_zero=float(np.mean(values == 0)),
        outliers=_outliers(scaled),
        ks=ks,
        anderson_darling=anderson_darling,
        p_value=p_value,
    )


def std_ratio(negative: ClassShape, positive: ClassShape, level: float = 0.95) -> Interval:
    """Give std of the positive over std of the negative class, with an interval by F.

    Degrees of freedom n - 1 are divided by 1 + kurtosis/2, as heavy tails make a variance vary more (Shoemaker 2003);
    never multiplied. Where a class has no spread the interval is all of [0, inf].
    """
    if negative.constant or positive.constant:
        estimate = nan if negative.constant and positive.constant else float("inf") if negative.constant else 0.0
        return Interval(0.0, float("inf"), level, "F", estimate)
    ratio = positive.std / negative.std
    freedom = [(c.count - 1) / (1 + max(np.nan_to_num(c.kurtosis), 0.0) / 2) for c in (positive, negative)]
    tails = (1 + level) / 2, (1 - level) / 2
    low, high = (ratio / sqrt(fdtri(*freedom, tail)) for tail in tails)
    return Interval(low, high, level, "F", ratio)


def _skewness(moment: float, count: int, *, constant: bool) -> dict[str, float]:
    """Give G1 of the moment g1, its standard error and its normal score."""
    n = float(count)
    known = count >= 3 and not constant
    se = sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3))) if count >= 3 else nan
    value = moment * sqrt(n * (n - 1)) / (n - 2) if known else nan
    z = skewness_z(moment, count) if known and count >= _FEWEST_FOR_Z else nan
    return {"skewness": value, "skewness_se": se, "skewness_z": z}


def _kurtosis(moment: float, count: int, *, constant: bool) -> dict[str, float]:
    """Give G2 of the moment g2, its standard error and its normal score."""
    n = float(count)
    known = count >= 4 and not constant
    se = sqrt(24 * n * (n - 1) ** 2 / ((n - 3) * (n - 2) * (n + 3) * (n + 5))) if count >= 4 else nan
    value = (n - 1) * ((n + 1) * moment + 6) / ((n - 2) * (n - 3)) if known else nan
    z = _kurtosis_z(moment, n) if known and count >= _FEWEST_FOR_Z else nan
    return {"kurtosis": value, "kurtosis_se": se, "kurtosis_z": z}


def _kurtosis_z(moment: float, n: float) -> float:
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (moment + 6 / (n + 1)) / sqrt(variance)
    skew = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6 + 8 / skew * (2 / skew + sqrt(1 + 4 / skew**2))
    below = 1 + x * sqrt(2 / (a - 4))
    third = np.cbrt((1 - 2 / a) / below) if below else 0.0
    return float((1 - 2 / (9 * a) - third) / sqrt(2 / (9 * a)))


def _outliers(values: FloatArray) -> float:
    low, high = np.quantile(values, [0.25, 0.75])
    fence = _FENCE * (high - low)
    return float(np.mean((values < low - fence) | (values > high + fence)))
