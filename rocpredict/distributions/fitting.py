"""Functions that fit a family of distributions to the samples of two classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np

from rocpredict.base.validation import Direction, FloatArray, RocPredictError, short_repr, suggest
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.families import (
    PARAMETRIC_FAMILIES,
    ScipyDistribution,
    fit_family,
    fit_resampled_families,
)
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.histogram import Histogram
from rocpredict.distributions.mixture import GaussianMixture, fit_resamples
from rocpredict.distributions.normal_sum import GaussianKde, NormalSumBatch
from rocpredict.distributions.power_transform import Transformed, fit_power_transforms
from rocpredict.distributions.shrinkage import fit_shrinkage

DistributionPair = tuple[Distribution, Distribution]
PairFitter = Callable[..., DistributionPair]
"""Function that maps the (negative, positive) values to a pair of distributions; see ``get_fitter``."""
_TRANSFORMED = {"boxcox": None, "yeojohnson": "yeo-johnson", "kde": None}
FAMILIES = {
    "gaussian": "mean and standard deviation (ddof=1) of each class, as in the founding paper",
    "auto": "shrunk from the sample towards a binormal model of the pooled ranks; see model_fit()",
    "boxcox": "Gaussians after a common Box-Cox transform of both classes (Yeo-Johnson if a value is 0 or less)",
    "yeojohnson": "Gaussians after a common Yeo-Johnson transform of both classes",
    "kde": "kernel densities on the scale of 'boxcox', with twice Silverman's bandwidth and the variance of the sample",
    "mixture": "mixture of one to four Gaussians for each class, selected by BIC",
    "histogram": "histograms of both classes with common bins, by the Freedman-Diaconis rule",
    "empirical": "empirical distribution of the sample",
    **PARAMETRIC_FAMILIES,
}
"""Description of each family, keyed by its name."""


def fits_batches(family: Any) -> bool:
    """Return whether a family can be fitted to many resamples at once (see ``get_fitter``)."""
    return isinstance(family, str) and (family in _TRANSFORMED or family == "mixture" or family in PARAMETRIC_FAMILIES)


def get_fitter(family: Any, direction: Direction = None) -> PairFitter:
    """Return the function that fits a family to both classes.

    Parameters
    ----------
    family : str or scipy.stats distribution
        A key of ``FAMILIES``, or a continuous scipy.stats family, which is fitted by its ``fit`` method.
    direction : {None, "higher", "lower", "auto"}, default=None
        Direction of the feature. The direction affects the fit only with ``family="auto"``.

    Returns
    -------
    function
        Function that takes the negative values and the positive values, and returns a pair of distributions. The
        function raises `RocPredictError` if the family cannot be fitted to a sample. If ``fits_batches`` is True for
        the family, the function also accepts four arguments: B resamples of each class, as arrays of shape (B, n0) and
        (B, n1), and the two original samples. It then returns a batch of distributions for each class. Pairs of
        resamples to which the family cannot be fitted are omitted.

    Raises
    ------
    RocPredictError
        If the family is unknown.
    """
    is_scipy = hasattr(family, "fit") and hasattr(family, "name")
    if is_scipy or (isinstance(family, str) and family in FAMILIES):
        return partial(_fit_pair, family, direction)
    raise RocPredictError(
        f"family={short_repr(family)} is not available; choose one of {', '.join(map(repr, FAMILIES))}, or a "
        f"continuous scipy.stats family{suggest(family, FAMILIES)}"
    )


def _fit_pair(
    family: Any, direction: Direction, negative: FloatArray, positive: FloatArray, *originals: FloatArray
) -> DistributionPair:
    if family == "empirical":
        return Ecdf(negative), Ecdf(positive)
    if negative.ndim > 1:
        return _fit_batch(family, (negative, positive), originals)
    samples = {"negative": negative, "positive": positive}
    for name, sample in samples.items():
        check_finite_sample(name, sample)
        if family in ("gaussian", "auto", *_TRANSFORMED) and len(sample) < 2:
            raise RocPredictError(
                f"x has {len(sample)} observation in the {name} class; a standard deviation needs at least 2"
            )
    if family == "auto":
        return fit_shrinkage(negative, positive, direction)
    if family == "histogram":
        edges = Histogram.fit(np.concatenate([negative, positive])).edges
        return Histogram.fit(negative, bins=edges), Histogram.fit(positive, bins=edges)
    if family in _TRANSFORMED:
        return _fit_transformed(family, negative, positive)
    return _fit_class(family, "negative", negative), _fit_class(family, "positive", positive)


def _fit_class(family: Any, name: str, sample: FloatArray) -> Distribution[Any]:
    if not isinstance(family, str):
        return _fit_scipy(family, name, sample)
    if family == "gaussian":
        return Gaussian.fit(sample)
    if family != "mixture":
        return fit_family(family, sample, name)
    try:
        return GaussianMixture.fit(sample)
    except RocPredictError as error:
        raise RocPredictError(f"family='mixture' cannot be fitted to the {name} class: {error}") from None


def _fit_transformed(family: str, negative: FloatArray, positive: FloatArray) -> DistributionPair:
    """Fit Gaussians or kernel densities after a common power transform of both classes."""
    transforms, values = fit_power_transforms(negative[None, :], positive[None, :], method=_TRANSFORMED[family])
    bases: list[Gaussian[Any] | GaussianKde] = []
    for name, z in zip(("negative", "positive"), np.split(values[0], [len(negative)]), strict=True):
        if (z == z[0]).all():
            problem = f"all values of the {name} class are equal; family={family!r} cannot be fitted"
            raise RocPredictError(f"{problem}; use family='gaussian' or rp.empirical_roc")
        kernels = family == "kde"
        bases.append(GaussianKde(z, bandwidth_factor=2.0, variance_preserving=True) if kernels else Gaussian.fit(z))
    return Transformed(bases[0], transforms[0]), Transformed(bases[1], transforms[0])


def _fit_scipy(family: Any, name: str, sample: FloatArray) -> Distribution[Any]:
    fixed = {"floc": 0.0} if family.a == 0 and sample.min() > 0 else {}
    if fixed and family.b == 1 and sample.max() < 1:  # the support is (0, 1)
        fixed["fscale"] = 1.0
    try:
        with np.errstate(all="ignore"):
            return ScipyDistribution(family(*family.fit(sample, **fixed)))
    except (ValueError, ArithmeticError, RuntimeError) as error:
        raise RocPredictError(f"family={family.name!r} cannot be fitted to the {name} class: {error}") from None


def _fit_batch(
    family: str, resamples: tuple[FloatArray, FloatArray], originals: tuple[FloatArray, ...]
) -> DistributionPair:
    """Fit all resamples at once, and omit the resamples to which the family cannot be fitted."""
    if family in PARAMETRIC_FAMILIES:
        return cast(Any, fit_resampled_families(family, resamples))
    varies = np.logical_and(*(np.ptp(part, axis=1) > 0 for part in resamples))
    negative, positive = (part[varies] for part in resamples)
    if family == "mixture":
        return cast(Any, (fit_resamples(negative, originals[0]), fit_resamples(positive, originals[1])))
    transform, values = fit_power_transforms(negative, positive, method=_TRANSFORMED[family])
    classes = np.split(values, [negative.shape[1]], axis=1)
    bases: list[Any] = [
        NormalSumBatch.fit(z) if family == "kde" else Gaussian(z.mean(axis=1), z.std(axis=1, ddof=1)) for z in classes
    ]
    return Transformed(bases[0], transform), Transformed(bases[1], transform)


def check_finite_sample(name: str, sample: FloatArray) -> FloatArray:
    """Return the sample unchanged, or raise an error if it has infinite values."""
    infinite = int(np.isinf(sample).sum())
    if infinite:
        raise RocPredictError(
            f"x has infinite values in the {name} class ({infinite} of {sample.size}); a fit needs finite values "
            "(rp.empirical_roc accepts infinite values)"
        )
    return sample
