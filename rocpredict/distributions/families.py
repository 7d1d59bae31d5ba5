"""Families of distributions by name: fitted to a sample, or made from a mean and a standard deviation.

Do not use a family because it fits best among many; name the one that the feature is known to follow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rocpredict.arguments import FloatArray, as_finite, one_of, shown
from rocpredict.distributions import likelihoods
from rocpredict.distributions.by_moments import BY_MOMENTS
from rocpredict.distributions.from_scipy import FromScipy
from rocpredict.errors import RocPredictError

FAMILIES = {
    "gamma": "above 0: shape k and scale theta; mean k theta, standard deviation sqrt(k) theta",
    "lognormal": "above 0: the logarithm is Gaussian with standard deviation s; the scale is the median",
    "logistic": "everywhere: loc is mean and median; standard deviation scale pi/sqrt(3)",
    "laplace": "everywhere: loc is mean and median, scale the mean distance from it; standard deviation scale sqrt(2)",
    "exponential": "from 0 on: the scale is the mean and the standard deviation",
    "weibull": "above 0: shape c; a share of 1 - 1/e lies below the scale; mean scale Gamma(1 + 1/c)",
    "beta": "between 0 and 1: shapes a and b; mean a/(a + b), variance mean (1 - mean)/(a + b + 1)",
    "student_t": "everywhere: df degrees of freedom; loc is the median; variance scale^2 df/(df - 2) for df above 2",
    "skew_normal": "everywhere: shape a skews to the right above 0; with d = a/sqrt(1 + a^2) the mean is "
    "loc + scale d sqrt(2/pi), the variance scale^2 (1 - 2 d^2/pi)",
}
"""Every named family, where it lives and what its parameters mean; the names are those of scipy.stats."""

_ON_THE_LINE = "choose a family that lives everywhere ('logistic', 'laplace', 'student_t', 'skew_normal')"
_SAME = 1e-6  # a printed mean and SD of an exponential agree that closely or they say something else


class Home(NamedTuple):
    """Say where a family lives."""

    words: str
    holds: Callable[[FloatArray], Any]
    remedy: str


_LINE = Home("that are finite", np.isfinite, "")
_ABOVE_0 = Home("above 0", lambda x: x > 0, f"add one offset to both classes, or {_ON_THE_LINE}")
_FROM_0 = Home("of 0 or more", lambda x: x >= 0, f"add one offset to both classes, or {_ON_THE_LINE}")
_UNIT = Home(
    "strictly between 0 and 1",
    lambda x: (x > 0) & (x < 1),
    f"map both classes into (0, 1) in one way, or {_ON_THE_LINE}",
)


class Maker(NamedTuple):
    """Say what a family is called in scipy.stats, how it is fitted and where it lives."""

    scipy_name: str
    fit: Callable[[FloatArray], tuple[float, ...]]
    home: Home


_MAKERS = {
    "gamma": Maker("gamma", likelihoods.gamma, _ABOVE_0),
    "lognormal": Maker("lognorm", likelihoods.lognormal, _ABOVE_0),
    "logistic": Maker("logistic", likelihoods.logistic, _LINE),
    "laplace": Maker("laplace", likelihoods.laplace, _LINE),
    "exponential": Maker("expon", likelihoods.exponential, _FROM_0),
    "weibull": Maker("weibull_min", likelihoods.weibull, _ABOVE_0),
    "beta": Maker("beta", likelihoods.beta, _UNIT),
    "student_t": Maker("t", likelihoods.student_t, _LINE),
    "skew_normal": Maker("skewnorm", likelihoods.skew_normal, _LINE),
}


def fit_family(name: str, sample: Any, label: str) -> FromScipy:
    """Fit a named family to the values of one class by maximum likelihood.

    Parameters
    ----------
    name : str
        A name in ``FAMILIES``. The location of families that live above 0 is 0, and not fitted; the beta
        lives on (0, 1).
    sample : array of shape (n,)
        Finite values of one class, at least two of them distinct.
    label : str
        What messages call the class: ``"negative"`` or ``"positive"``.

    Returns
    -------
    FromScipy

    Raises
    ------
    RocPredictError
        An unknown name; values that are not finite or lie where the family has none (with how many, and what
        to do); fewer than two distinct values, or values so near that float64 cannot tell their spread.

    Notes
    -----
    Closed forms for exponential, lognormal (the standard deviation of the logarithms divides by n) and laplace;
    Newton, which always arrives, for gamma, weibull, logistic and beta; a search from several starts for
    student_t (1 to 1e6 degrees of freedom; the Gaussian with 1e6 where one value holds half of the rows) and
    skew_normal (shape from -100 to 100).

    Examples
    --------
    >>> fit_family("gamma", [1.0, 2.0, 3.5, 6.0], "negative")
    gamma(2.59337, scale=1.20499)
    """
    one_of("family", name, FAMILIES)
    values = as_finite(f"the {label} class", sample)
    if values.ndim != 1:
        raise RocPredictError(f"the {label} class has shape {values.shape}; family={name!r} needs shape (n,)")
    home = _MAKERS[name].home
    _refuse_outside(name, values, label, home)
    if len(values) < 2 or (values == values[0]).all():
        which = "has no spread (all values are equal)" if len(values) > 1 else f"has {len(values)} values"
        raise RocPredictError(f"the {label} class {which}; family={name!r} needs two distinct values")
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        parameters = _MAKERS[name].fit(values)
    if not (np.isfinite(parameters).all() and parameters[-1] > 0):
        raise RocPredictError(f"the {label} class has values too close together for family={name!r} in float64")
    return make_family(name, *parameters)


def from_moments(name: str, mean: Any, std: Any = None) -> FromScipy:
    """Make the distribution of a family that has this mean and this standard deviation.

    Parameters
    ----------
    name : str
        ``"gamma"``, ``"lognormal"``, ``"weibull"``, ``"exponential"``, ``"logistic"``, ``"laplace"`` or
        ``"beta"``. The others have more parameters than two numbers can fix.
    mean, std : float
        In the unit of the feature. The exponential needs no ``std``, and refuses one that differs from the mean.

    Returns
    -------
    FromScipy

    Raises
    ------
    RocPredictError
        Another name; a mean where the family has no values; a ``std`` of 0 or less, or larger than the family
        can have with this mean.

    Notes
    -----
    gamma: k = (mean/std)^2. lognormal: s^2 = log(1 + (std/mean)^2). weibull: c solves
    Gamma(1 + 2/c)/Gamma(1 + 1/c)^2 = 1 + (std/mean)^2. beta: a + b = mean (1 - mean)/std^2 - 1.

    Examples
    --------
    >>> from_moments("gamma", 4, 3)
    gamma(1.77778, scale=2.25)
    """
    one_of("family", name, FAMILIES)
    if name not in BY_MOMENTS:
        raise RocPredictError(
            f"family={name!r} has three parameters, which a mean and a std leave open; give samples, or one of "
            f"{', '.join(map(repr, BY_MOMENTS))}"
        )
    centre = _as_number("mean", mean)
    _refuse_outside(name, np.array([centre]), "mean", _MAKERS[name].home, what=f"a mean of {centre:g}")
    if name == "exponential":
        return make_family(name, 0.0, _exponential_mean(centre, std))
    if std is None:
        raise RocPredictError(f"family={name!r} needs std= beside mean=")
    spread = _as_number("std", std)
    if spread <= 0:
        raise RocPredictError(f"std={spread:g} is not above 0; family={name!r} has no point masses")
    return make_family(name, *BY_MOMENTS[name](centre, spread))


def make_family(name: str, *parameters: float) -> FromScipy:
    """Give the distribution with these shapes, location and scale (without those that are 0 and 1)."""
    from scipy import stats

    from rocpredict.distributions.skew_normal import SKEW_NORMAL

    *shapes, loc, scale = (float(parameter) for parameter in parameters)
    known = {"loc": loc, "scale": scale}
    plain = {"loc": 0.0, "scale": 1.0}
    named = {key: value for key, value in known.items() if value != plain[key]}
    scipy_name = _MAKERS[name].scipy_name
    family = SKEW_NORMAL if name == "skew_normal" else getattr(stats, scipy_name)
    return FromScipy(family(*shapes, **named))


def _refuse_outside(name: str, values: FloatArray, label: str, home: Home, what: str | None = None) -> None:
    outside = values[~home.holds(values)]
    if not outside.size:
        return
    if what is not None:
        raise RocPredictError(f"family={name!r} lives on values {home.words}, so it cannot have {what}")
    raise RocPredictError(
        f"family={name!r} needs values {home.words}; {outside.size} of {values.size} values of the {label} class "
        f"are not (such as {outside[0]:g}); {home.remedy}"
    )


def _as_number(argument: str, value: Any) -> float:
    number = as_finite(argument, value)
    if number.ndim:
        raise RocPredictError(f"{argument} has shape {number.shape}; a family takes one number")
    return float(number)


def _exponential_mean(mean: float, std: Any) -> float:
    if mean == 0:
        raise RocPredictError("family='exponential' with a mean of 0 is a point mass; give a mean above 0")
    if std is not None and not abs(_as_number("std", std) - mean) <= _SAME * mean:
        raise RocPredictError(
            f"std={shown(std)} differs from mean={mean:g}, and an exponential distribution has both equal; leave "
            "std out, or take family='gamma' or 'weibull', which have one more parameter"
        )
    return mean
