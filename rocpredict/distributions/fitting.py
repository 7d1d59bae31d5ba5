"""Fit a family of distributions to the samples of two classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rocpredict.base.validation import FloatArray, RocPredictError, short_repr
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.families import FAMILIES as PARAMETRIC
from rocpredict.distributions.families import ScipyDistribution, fit_family
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.histogram import Histogram
from rocpredict.distributions.kde import GaussianKde
from rocpredict.distributions.mixture import GaussianMixture
from rocpredict.distributions.power import Transformed

DistributionPair = tuple[Distribution, Distribution]
PairFitter = Callable[[FloatArray, FloatArray], DistributionPair]
Samples = dict[str, FloatArray]
FAMILIES = {
    "gaussian": "mean and standard deviation (ddof=1) of each class, as in the founding paper",
    "auto": "between the sample and a transformed Gaussian, with an area that real features have; see trust()",
    "boxcox": "Gaussians after one Box-Cox transform of both classes (Yeo-Johnson where some value is 0 or less)",
    "yeojohnson": "Gaussians after one Yeo-Johnson transform of both classes",
    "kde": "a Gaussian kernel density on the scale of 'boxcox', as wide as twice Silverman's rule, variance preserved",
    "mixture": "one to four Gaussians each, as many as BIC takes",
    "histogram": "bins common to both classes, by the rule of Freedman and Diaconis",
    "empirical": "the sample itself",
    **PARAMETRIC,
}
"""Description of every family, by name."""


def get_fitter(family: Any, direction: str | None = None) -> PairFitter:
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
    if isinstance(family, str) and family in FAMILIES:
        return _fitter_by_name(family, direction)
    if hasattr(family, "fit") and hasattr(family, "name"):
        return _fit_independently(partial(_fit_scipy, family))
    raise RocPredictError(
        f"family={short_repr(family)} is not available; choose one of {', '.join(map(repr, FAMILIES))}, or a "
        "continuous "
        "scipy.stats family"
    )


def _fitter_by_name(family: str, direction: str | None) -> PairFitter:
    known: dict[str, PairFitter] = {
        "empirical": _fit_independently(_fit_empirical),
        "gaussian": _fit_independently(_fit_gaussian),
        "mixture": _fit_independently(_fit_mixture),
        "histogram": _fit_histograms,
    }
    known |= {name: partial(_fit_transformed, name) for name in ("boxcox", "yeojohnson", "kde")}
    known["auto"] = partial(_fit_shrunk, direction)
    return known.get(family) or _fit_independently(partial(_fit_parametric, family))


def _fit_shrunk(direction: str | None, negative: FloatArray, positive: FloatArray) -> DistributionPair:
    from rocpredict.distributions.shrinkage import fit_shrinkage

    _check_finite_and_size(negative, positive)
    return fit_shrinkage(negative, positive, direction)


def _fit_independently(fit: Callable[[str, FloatArray], Distribution]) -> PairFitter:
    """Return the function that fits each class separately; it can be pickled."""
    return partial(_fit_each, fit)


def _fit_each(
    fit: Callable[[str, FloatArray], Distribution], negative: FloatArray, positive: FloatArray
) -> DistributionPair:
    return fit("negative", negative), fit("positive", positive)


def _fit_empirical(_: str, sample: FloatArray) -> Distribution:
    return Ecdf(sample)


def _fit_parametric(family: str, name: str, sample: FloatArray) -> Distribution:
    return fit_family(family, check_finite_sample(name, sample), name)


def _fit_gaussian(name: str, sample: FloatArray) -> Distribution:
    _check_size(name, check_finite_sample(name, sample))
    return Gaussian.fit(sample)


def _fit_mixture(name: str, sample: FloatArray) -> Distribution:
    try:
        return GaussianMixture.fit(check_finite_sample(name, sample))
    except RocPredictError as error:
        raise RocPredictError(f"family='mixture' cannot be fitted to the {name} class: {error}") from None


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
    transform, first = transforms[0], len(negative)
    bases = [
        _fit_transformed_class(family, name, z) for name, z in _by_class(values[0, :first], values[0, first:]).items()
    ]
    return Transformed(bases[0], transform), Transformed(bases[1], transform)


def _fit_transformed_class(family: str, name: str, z: FloatArray) -> Gaussian | GaussianKde:
    if (z == z[0]).all():
        raise RocPredictError(f"family={family!r} cannot be fitted: all values of the {name} class are equal")
    return GaussianKde(z, bandwidth_factor=2.0, variance_preserving=True) if family == "kde" else Gaussian.fit(z)


def _fit_scipy(family: Any, name: str, sample: FloatArray) -> Distribution:
    check_finite_sample(name, sample)
    try:
        with np.errstate(all="ignore"):
            return ScipyDistribution(family(*family.fit(sample, **_fixed_parameters(family, sample))))
    except (ValueError, ArithmeticError, RuntimeError) as error:
        raise RocPredictError(f"family={family.name!r} cannot be fitted to the {name} class: {error}") from None


def _fixed_parameters(family: Any, sample: FloatArray) -> dict[str, float]:
    """Return fixed parameters of a family on (0, inf) or (0, 1), where all values are inside."""
    known = {"floc": 0.0} if family.a == 0 and sample.min() > 0 else {}
    return known | {"fscale": 1.0} if known and family.b == 1 and sample.max() < 1 else known


def _by_class(negative: FloatArray, positive: FloatArray) -> Samples:
    return {"negative": negative, "positive": positive}


def _check_finite_and_size(negative: FloatArray, positive: FloatArray) -> None:
    for name, sample in _by_class(negative, positive).items():
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
