"""Fit a family of distributions to the samples of two classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rocpredict.base.validation import Direction, FloatArray, RocPredictError, short_repr
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.families import PARAMETRIC_FAMILIES, ScipyDistribution, fit_family
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.histogram import Histogram
from rocpredict.distributions.kde import GaussianKde
from rocpredict.distributions.mixture import GaussianMixture
from rocpredict.distributions.power import Transformed

DistributionPair = tuple[Distribution, Distribution]
PairFitter = Callable[[FloatArray, FloatArray], DistributionPair]
_CLASSES = ("negative", "positive")
FAMILIES = {
    "gaussian": "mean and standard deviation (ddof=1) of each class, as in the founding paper",
    "auto": "between the sample and a transformed Gaussian, with an area that real features have; see model_fit()",
    "boxcox": "Gaussians after one Box-Cox transform of both classes (Yeo-Johnson where some value is 0 or less)",
    "yeojohnson": "Gaussians after one Yeo-Johnson transform of both classes",
    "kde": "a Gaussian kernel density on the scale of 'boxcox', as wide as twice Silverman's rule, variance preserved",
    "mixture": "one to four Gaussians each, as many as BIC takes",
    "histogram": "bins common to both classes, by the rule of Freedman and Diaconis",
    "empirical": "the sample itself",
    **PARAMETRIC_FAMILIES,
}
"""Description of every family, by name."""


def get_fitter(family: Any, direction: Direction = None) -> PairFitter:
    """Return the function that fits a family to both classes.

    Parameters
    ----------
    family : str or scipy.stats distribution
        A key of ``FAMILIES``, or a continuous scipy.stats family, fitted by its own maximum likelihood.
    direction : {None, "higher", "lower", "auto"}
        What is declared; the shrunk families use it.

    Raises
    ------
    RocPredictError
        An unknown family. The function raises it for samples that the family cannot be fitted to.
    """
    is_built_in = isinstance(family, str) and family in FAMILIES
    if is_built_in and family == "auto":
        return partial(_fit_shrunk, direction)
    if is_built_in and family == "histogram":
        return _fit_histograms
    if is_built_in and family in {"boxcox", "yeojohnson", "kde"}:
        return partial(_fit_transformed, family)
    if is_built_in or (hasattr(family, "fit") and hasattr(family, "name")):
        return partial(_fit_each, family)
    raise RocPredictError(
        f"family={short_repr(family)} is not available; choose one of {', '.join(map(repr, FAMILIES))}, or a "
        "continuous scipy.stats family"
    )


def _fit_shrunk(direction: Direction, negative: FloatArray, positive: FloatArray) -> DistributionPair:
    from rocpredict.distributions.shrinkage import fit_shrinkage

    _check_finite_and_size(negative, positive)
    return fit_shrinkage(negative, positive, direction)


def _fit_each(family: Any, negative: FloatArray, positive: FloatArray) -> DistributionPair:
    """Fit each class by itself."""
    return _fit_class(family, "negative", negative), _fit_class(family, "positive", positive)


def _fit_class(family: Any, name: str, sample: FloatArray) -> Distribution[Any]:
    if not isinstance(family, str):
        return _fit_scipy(family, name, check_finite_sample(name, sample))
    if family == "empirical":
        return Ecdf(sample)
    if family == "mixture":
        try:
            return GaussianMixture.fit(check_finite_sample(name, sample))
        except RocPredictError as error:
            raise RocPredictError(f"family='mixture' cannot be fitted to the {name} class: {error}") from None
    check_finite_sample(name, sample)
    if family == "gaussian":
        _check_size(name, sample)
        return Gaussian.fit(sample)
    return fit_family(family, sample, name)


def _fit_histograms(negative: FloatArray, positive: FloatArray) -> DistributionPair:
    both = np.concatenate([check_finite_sample("negative", negative), check_finite_sample("positive", positive)])
    edges = Histogram.fit(both).edges
    return Histogram.fit(negative, bins=edges), Histogram.fit(positive, bins=edges)


def _fit_transformed(family: str, negative: FloatArray, positive: FloatArray) -> DistributionPair:
    """Fit what is Gaussian, or has a kernel density, after a common transform."""
    from rocpredict.distributions.power import fit_power_transforms

    _check_finite_and_size(negative, positive)
    only = "yeo-johnson" if family == "yeojohnson" else None
    transforms, values = fit_power_transforms(negative[None, :], positive[None, :], method=only)
    bases: list[Gaussian[Any] | GaussianKde] = []
    for name, z in zip(_CLASSES, np.split(values[0], [len(negative)]), strict=True):
        if (z == z[0]).all():
            raise RocPredictError(f"family={family!r} cannot be fitted: all values of the {name} class are equal")
        kernels = family == "kde"
        bases.append(GaussianKde(z, bandwidth_factor=2.0, variance_preserving=True) if kernels else Gaussian.fit(z))
    return Transformed(bases[0], transforms[0]), Transformed(bases[1], transforms[0])


def _fit_scipy(family: Any, name: str, sample: FloatArray) -> Distribution[Any]:
    fixed = {"floc": 0.0} if family.a == 0 and sample.min() > 0 else {}
    if fixed and family.b == 1 and sample.max() < 1:  # it lives on (0, 1)
        fixed["fscale"] = 1.0
    try:
        with np.errstate(all="ignore"):
            return ScipyDistribution(family(*family.fit(sample, **fixed)))
    except (ValueError, ArithmeticError, RuntimeError) as error:
        raise RocPredictError(f"family={family.name!r} cannot be fitted to the {name} class: {error}") from None


def _check_finite_and_size(negative: FloatArray, positive: FloatArray) -> None:
    for name, sample in zip(_CLASSES, (negative, positive), strict=True):
        _check_size(name, check_finite_sample(name, sample))


def _check_size(name: str, sample: FloatArray) -> None:
    if len(sample) < 2:
        raise RocPredictError(f"x has {len(sample)} row in the {name} class; a standard deviation needs 2 or more")


def check_finite_sample(name: str, sample: FloatArray) -> FloatArray:
    """Return the sample, or refuse infinite values."""
    infinite = int(np.isinf(sample).sum())
    if infinite:
        raise RocPredictError(
            f"x has {infinite} infinite values in the {name} class; a fit needs finite ones "
            "(ranks do not: see empirical_roc)"
        )
    return sample
