"""Named parametric families of distributions, and wrappers for scipy.stats distributions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partialmethod
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.formatting import pluralize
from rocpredict.base.results import to_plain
from rocpredict.base.tables import Table
from rocpredict.base.validation import FloatArray, RocPredictError, check_finite, check_option, check_single, short_repr
from rocpredict.distributions import estimators
from rocpredict.distributions.base import Atoms, Distribution
from rocpredict.distributions.ecdf import Ecdf

_MAX_ATOMS = 10_000_000
_TAIL_MASS = 1e-30  # largest probability beyond the last listed point mass


def is_frozen_scipy(candidate: object) -> bool:
    """Return whether an object has the attributes of a frozen scipy.stats distribution; scipy.stats is not imported."""
    return all(hasattr(candidate, name) for name in ("dist", "args", "kwds", "cdf", "sf", "ppf", "isf"))


def from_scipy(frozen: Any) -> ScipyDistribution | Ecdf:
    """Convert a frozen scipy.stats distribution to a distribution of this package.

    A distribution that is defined by a table of values and probabilities becomes an ``Ecdf``.
    """
    if hasattr(frozen.dist, "xk"):  # ``dist`` is a table of values and probabilities
        _, loc, _ = frozen.dist._parse_args(*frozen.args, **frozen.kwds)
        return Ecdf(np.asarray(frozen.dist.xk) + loc, frozen.dist.pk)
    return ScipyDistribution(frozen)


class ScipyFrozen(Protocol):
    """A frozen scipy.stats distribution, such as ``scipy.stats.gamma(2)``."""

    args: tuple[float, ...]
    kwds: dict[str, float]

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(X <= x)."""

    def ppf(self, q: FloatArray) -> FloatArray:
        """Return the smallest x with ``cdf(x) >= q``."""


class ScipyFamily(Protocol):
    """A scipy.stats distribution, such as ``scipy.stats.gumbel_r``."""

    name: str

    def fit(self, data: FloatArray) -> tuple[float, ...]:
        """Return maximum likelihood estimates of the shape parameters, the location and the scale."""


FamilyName: TypeAlias = (
    Literal["gaussian", "auto", "boxcox", "yeojohnson", "kde", "mixture", "histogram", "empirical"]
    | Literal["gamma", "lognormal", "weibull", "exponential", "beta"]  # of positive values
    | Literal["logistic", "laplace", "student_t", "skew_normal"]  # of all values
)


@dataclass(frozen=True, eq=False, repr=False)
class ScipyDistribution(Distribution[float]):
    """Continuous or discrete scipy.stats distribution.

    Parameters
    ----------
    frozen : frozen scipy.stats distribution
        Distribution with scalar parameters, such as ``scipy.stats.gamma(2)``.

    Raises
    ------
    RocPredictError
        If a parameter is an array or is outside the domain of the family.

    Examples
    --------
    >>> from scipy import stats
    >>> ScipyDistribution(stats.poisson(2)).sf_inclusive(1)
    0.8646647167633873
    """

    frozen: Any
    _frame_of_table = True

    def __post_init__(self) -> None:
        median = np.asarray(self.frozen.ppf(0.5))
        if median.ndim:
            raise RocPredictError(f"{self!r} has parameters of shape {median.shape}; pass one distribution per feature")
        if self.discrete and float(self.frozen.support()[0]) % 1 and np.isfinite(self.frozen.support()[0]):
            raise RocPredictError(f"{self!r} does not take integer values; use an integer loc")
        if np.isnan(median):
            raise RocPredictError(f"{self!r} has parameters outside its domain")

    @property
    def discrete(self) -> bool:
        """True if the distribution consists of point masses only."""
        return not hasattr(self.frozen.dist, "pdf")

    def _logpdf(self, x: FloatArray) -> FloatArray:
        if self.discrete:
            return np.full(x.shape, -np.inf)
        return np.where(np.isinf(x), -np.inf, self._evaluate("logpdf", x))

    def _cdf(self, x: FloatArray) -> FloatArray:
        return self._tail("cdf", x)

    def _sf(self, x: FloatArray) -> FloatArray:
        return self._tail("sf", x)

    def _cdf_strict(self, x: FloatArray) -> FloatArray:
        return self._tail("cdf", self._just_before(x))

    def _sf_inclusive(self, x: FloatArray) -> FloatArray:
        return self._tail("sf", self._just_before(x))

    def _ppf(self, q: FloatArray) -> FloatArray:
        return self._clip_to_support(self._evaluate("ppf", q))

    def _isf(self, q: FloatArray) -> FloatArray:
        return self._clip_to_support(self._evaluate("isf", q))

    def atoms(self) -> Atoms:
        """Return the point masses of a discrete distribution.

        An infinite tail is cut off where the remaining probability is at most 1e-30.
        """
        return self._atoms if self.discrete else super().atoms()

    @cached_property
    def _atoms(self) -> Atoms:
        low, high = self.frozen.support()
        low = low if np.isfinite(low) else self._support_end("cdf", -1)
        high = high if np.isfinite(high) else self._support_end("sf", 1)
        if not high - low < _MAX_ATOMS:
            raise RocPredictError(
                f"{self!r} has more than {_MAX_ATOMS:,} possible values; pass a distribution with fewer possible values"
            )
        points = np.arange(low, high + 1, dtype=np.float64)
        masses = self.frozen.pmf(points)
        return Atoms(points[masses > 0], masses[masses > 0])

    def _clip_to_support(self, quantiles: FloatArray) -> FloatArray:
        """Clip quantiles to the support; SciPy's ``ppf(0)`` of a discrete distribution is below the support."""
        return np.clip(quantiles, *self.frozen.support()) if self.discrete else quantiles

    def _evaluate(self, method: str, x: FloatArray) -> FloatArray:
        with np.errstate(all="ignore"):
            return np.asarray(getattr(self.frozen, method)(x))

    def _tail(self, method: str, x: FloatArray) -> FloatArray:
        tail = self._evaluate(method, x)
        is_overflow = np.isnan(tail) & (np.abs(x) >= 2**53)  # integers overflow in some discrete families
        return np.where(is_overflow, (x > 0) == (method == "cdf"), tail)

    def _support_end(self, tail: str, step: int) -> float:
        """Return a value beyond which the tail probability is negligible.

        SciPy's ``isf`` is not used, because it is inaccurate at a probability of 1e-16.
        """
        end = float(self.frozen.median())
        while self._evaluate(tail, np.asarray(end)) > _TAIL_MASS and abs(step) < _MAX_ATOMS:
            end, step = end + step, 2 * step
        return end

    def _just_before(self, x: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):  # the float below the lowest finite one is -inf
            return np.where(np.isinf(x), x, np.nextafter(x, -np.inf)) if self.discrete else x

    def table(self) -> Table:
        """Return a table of the parameters."""
        positional = [(str(number), value) for number, value in enumerate(self.frozen.args, start=1)]
        rows = [[name, _format_parameter(value)] for name, value in [*positional, *self.frozen.kwds.items()]]
        return Table(f"Distribution {self.frozen.dist.name} of scipy.stats", ("parameter", "value"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the parameters as plain Python objects."""
        parameters = {"name": self.frozen.dist.name, "args": self.frozen.args, **self.frozen.kwds}
        return {name: to_plain(value) for name, value in parameters.items()}

    def _compared(self) -> dict[str, Any]:
        """Return the class, the constructor arguments and the parameters; equal distributions agree in all of them."""
        dist = self.frozen.dist
        arguments = dist._updated_ctor_param()
        return {"dist": type(dist), "arguments": arguments, "args": self.frozen.args, "kwds": self.frozen.kwds}

    def __repr__(self) -> str:
        args = [_format_parameter(a) for a in self.frozen.args]
        args += [f"{name}={_format_parameter(a)}" for name, a in self.frozen.kwds.items()]
        return f"{self.frozen.dist.name}({', '.join(args)})"


@dataclass(frozen=True, eq=False, repr=False)
class ScipyFamilyBatch(Distribution[FloatArray]):
    """Distributions of one family, fitted to many resamples.

    Parameters
    ----------
    name : str
        Key of ``PARAMETRIC_FAMILIES``.
    parameters : array of shape F + (k,)
        Shape parameters, location and scale of each distribution.
    """

    name: str
    parameters: FloatArray

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape F of the batch."""
        return self.parameters.shape[:-1]

    @cached_property
    def _frozen(self) -> Any:
        *shapes, loc, scale = np.moveaxis(self.parameters, -1, 0)
        return _scipy_family(self.name, absolute=True)(*shapes, loc=loc, scale=scale)

    def __getitem__(self, index: Any) -> Distribution[Any]:
        """Return the selected distributions, as one distribution or as a batch."""
        parameters = self.parameters[index]
        if parameters.ndim == 1:
            return freeze_family(self.name, *parameters)
        return ScipyFamilyBatch(self.name, parameters)

    def _add_grid_axis(self) -> ScipyFamilyBatch:
        return ScipyFamilyBatch(self.name, self.parameters[..., None, :])

    def _evaluate(self, method: str, x: FloatArray) -> FloatArray:
        with np.errstate(all="ignore"):
            return np.asarray(getattr(self._frozen, method)(x))

    _logpdf = partialmethod(_evaluate, "logpdf")
    _cdf = partialmethod(_evaluate, "cdf")
    _sf = partialmethod(_evaluate, "sf")
    _ppf = partialmethod(_evaluate, "ppf")
    _isf = partialmethod(_evaluate, "isf")


def _format_parameter(value: Any) -> str:
    return f"{value:.6g}" if np.ndim(value) == 0 else short_repr(value)


PARAMETRIC_FAMILIES = {
    "gamma": "above 0: shape k and scale theta; mean k theta, standard deviation sqrt(k) theta",
    "lognormal": "above 0: the logarithm is Gaussian with standard deviation s; the scale is the median",
    "logistic": "real line: loc is the mean and the median; standard deviation scale pi/sqrt(3)",
    "laplace": "real line: loc is the mean and the median; scale is the mean absolute deviation from loc; "
    "standard deviation scale sqrt(2)",
    "exponential": "0 or more: the mean and the standard deviation equal the scale",
    "weibull": "above 0: shape c; P(X <= scale) = 1 - 1/e; mean scale Gamma(1 + 1/c)",
    "beta": "between 0 and 1: shapes a and b; mean a/(a + b), variance mean (1 - mean)/(a + b + 1)",
    "student_t": "real line: df degrees of freedom; loc is the median; variance scale^2 df/(df - 2) for df above 2",
    "skew_normal": "real line: skewed to the right for a shape a above 0; with d = a/sqrt(1 + a^2) the mean is "
    "loc + scale d sqrt(2/pi), the variance scale^2 (1 - 2 d^2/pi)",
}
"""Support and parameters of each named family, with the parameter names of scipy.stats."""
_REAL_FAMILIES = "use a family on the real line ('logistic', 'laplace', 'student_t', 'skew_normal')"
_EXPONENTIAL_RTOL = 1e-6  # tolerated relative difference of the mean and the std of an exponential


class Support(NamedTuple):
    """Support of a family, and the suggestion in the error message for values outside this support."""

    description: str
    contains: Callable[[FloatArray], Any]
    suggestion: str


REAL_LINE = Support("that are finite", np.isfinite, "")
POSITIVE = Support("above 0", lambda x: x > 0, f"add the same offset to both classes, or {_REAL_FAMILIES}")
NONNEGATIVE = Support("of 0 or more", lambda x: x >= 0, f"add the same offset to both classes, or {_REAL_FAMILIES}")
UNIT_INTERVAL = Support(
    "strictly between 0 and 1",
    lambda x: (x > 0) & (x < 1),
    f"map both classes into (0, 1) by the same function, or {_REAL_FAMILIES}",
)


class FamilySpec(NamedTuple):
    """Name of a family in scipy.stats, the function that fits the family, and its support."""

    scipy_name: str
    fit: Callable[[FloatArray], FloatArray]
    support: Support


_FAMILIES = {
    "gamma": FamilySpec("gamma", estimators.fit_gamma, POSITIVE),
    "lognormal": FamilySpec("lognorm", estimators.fit_lognormal, POSITIVE),
    "logistic": FamilySpec("logistic", estimators.fit_logistic, REAL_LINE),
    "laplace": FamilySpec("laplace", estimators.fit_laplace, REAL_LINE),
    "exponential": FamilySpec("expon", estimators.fit_exponential, NONNEGATIVE),
    "weibull": FamilySpec("weibull_min", estimators.fit_weibull, POSITIVE),
    "beta": FamilySpec("beta", estimators.fit_beta, UNIT_INTERVAL),
    "student_t": FamilySpec("t", estimators.student_t, REAL_LINE),
    "skew_normal": FamilySpec("skewnorm", estimators.skew_normal, REAL_LINE),
}


def fit_family(name: str, sample: Any, label: str) -> ScipyDistribution:
    """Fit a named family to the values of one class by maximum likelihood.

    Parameters
    ----------
    name : str
        Key of ``PARAMETRIC_FAMILIES``. Families with positive support have location 0, and the beta family has the
        support (0, 1).
    sample : array of shape (n,)
        Finite values of one class, at least two of them distinct.
    label : {"negative", "positive"}
        Name of the class, used in error messages.

    Returns
    -------
    ScipyDistribution
        Fitted distribution.

    Raises
    ------
    RocPredictError
        If the name is unknown, if values are outside the support or not finite, if there are fewer than two distinct
        values, or if the values are too close together for float64.

    Notes
    -----
    - exponential, lognormal and laplace: closed forms. For lognormal, the variance of the logarithms is computed with
      the divisor n.
    - gamma, weibull, logistic and beta: Newton's method; the likelihood has a single maximum.
    - student_t: BFGS from several starts, with 1 to 1e6 degrees of freedom. If at least half of the values are
      identical, the likelihood may have no maximum; the result is then practically a Gaussian (1e6 degrees of freedom).
    - skew_normal: BFGS from several starts, with a shape parameter between -100 and 100.

    Examples
    --------
    >>> fit_family("gamma", [1.0, 2.0, 3.5, 6.0], "negative")
    gamma(2.59337, scale=1.20499)
    """
    check_option("family", name, PARAMETRIC_FAMILIES)
    values = check_finite(f"the {label} class", sample)
    if values.ndim != 1:
        raise RocPredictError(f"the {label} class has shape {values.shape}; family={name!r} needs shape (n,)")
    _check_support(name, values, label, _FAMILIES[name].support)
    if len(values) < 2 or (values == values[0]).all():
        all_equal, one = f"all values of the {label} class are equal", f"the {label} class has fewer than two values"
        problem = all_equal if len(values) > 1 else one
        raise RocPredictError(f"{problem}; family={name!r} needs at least two distinct values")
    parameters, is_fitted = _fit_rows(name, values[None])
    if not is_fitted.all():
        raise RocPredictError(
            f"the values of the {label} class are too close together to fit family={name!r} in float64; use "
            "rp.empirical_roc"
        )
    return freeze_family(name, *parameters[0])


def fit_resampled_families(
    name: str, resamples: tuple[FloatArray, FloatArray]
) -> tuple[ScipyFamilyBatch, ScipyFamilyBatch]:
    """Fit a named family to resamples of both classes, which are arrays of shape (B, n0) and (B, n1).

    Pairs of resamples for which ``fit_family`` would raise an error are omitted.
    """
    contains = _FAMILIES[name].support.contains
    is_valid = np.logical_and(*((np.ptp(part, axis=1) > 0) & contains(part).all(axis=1) for part in resamples))
    fits = [_fit_rows(name, part[is_valid]) for part in resamples]
    is_fitted = fits[0][1] & fits[1][1]
    negative, positive = (ScipyFamilyBatch(name, parameters[is_fitted]) for parameters, _ in fits)
    return negative, positive


def _fit_rows(name: str, samples: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the parameters fitted to each row of ``samples``, and a mask of the rows with a successful fit."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        parameters = _FAMILIES[name].fit(samples)
    return parameters, np.isfinite(parameters).all(axis=1) & (parameters[:, -1] > 0)


def from_moments(name: str, mean: Any, std: Any = None) -> ScipyDistribution:
    """Return the distribution of a family with a given mean and standard deviation.

    Parameters
    ----------
    name : {"gamma", "lognormal", "weibull", "exponential", "logistic", "laplace", "beta"}
        Family. Families with three or more parameters are not accepted, because a mean and a standard deviation do not
        determine all of their parameters.
    mean : float
        Mean, in the unit of the feature.
    std : float, optional
        Standard deviation, in the unit of the feature. For the exponential family, ``std`` must be equal to ``mean`` or
        be omitted.

    Returns
    -------
    ScipyDistribution
        Distribution with the given mean and standard deviation.

    Raises
    ------
    RocPredictError
        If ``name`` is not an accepted family, if the mean is outside the support, or if ``std`` is not above 0 or is
        too large for this family and mean.

    Notes
    -----
    gamma: k = (mean/std)^2. lognormal: s^2 = log(1 + (std/mean)^2). weibull: c solves
    Gamma(1 + 2/c)/Gamma(1 + 1/c)^2 = 1 + (std/mean)^2. beta: a + b = mean (1 - mean)/std^2 - 1.

    Examples
    --------
    >>> from_moments("gamma", 4, 3)
    gamma(1.77778, scale=2.25)
    """
    if str(name) not in PARAMETRIC_FAMILIES:  # "gaussian" is an option of the callers
        check_option("family", name, ["gaussian", *estimators.MOMENT_ESTIMATORS])
    if name not in estimators.MOMENT_ESTIMATORS:
        raise RocPredictError(
            f"family={name!r} has three parameters, which mean and std alone do not determine; pass samples, or use "
            f"one of 'gaussian', {', '.join(map(repr, estimators.MOMENT_ESTIMATORS))}"
        )
    centre = check_single("mean", check_finite("mean", mean))
    _check_support(name, np.array([centre]), "mean", _FAMILIES[name].support, argument=f"mean={centre:g}")
    if name == "exponential":
        _check_exponential(centre, std)
        return freeze_family(name, 0.0, centre)
    if std is None:
        raise RocPredictError(f"family={name!r} needs both mean= and std=")
    deviation = check_single("std", check_finite("std", std))
    if deviation <= 0:
        raise RocPredictError(f"std={deviation:g} is not above 0; family={name!r} cannot represent a point mass")
    return freeze_family(name, *estimators.MOMENT_ESTIMATORS[name](centre, deviation))


def freeze_family(name: str, *parameters: float) -> ScipyDistribution:
    """Return a frozen distribution of the family; ``loc`` is omitted if it is 0, and ``scale`` if it is 1."""
    *shapes, loc, scale = (float(parameter) for parameter in parameters)
    loc_and_scale = {key: value for key, value, plain in (("loc", loc, 0.0), ("scale", scale, 1.0)) if value != plain}
    return ScipyDistribution(_scipy_family(name)(*shapes, **loc_and_scale))


def _scipy_family(name: str, *, absolute: bool = False) -> Any:
    """Return the family of scipy.stats; ``absolute=True`` allows fast methods that are less accurate in far tails."""
    from scipy import stats

    from rocpredict.distributions.skew_normal import QUICK_FAMILIES, SKEW_NORMAL

    if absolute and name in QUICK_FAMILIES:
        return QUICK_FAMILIES[name]
    return SKEW_NORMAL if name == "skew_normal" else getattr(stats, _FAMILIES[name].scipy_name)


def _check_support(name: str, values: FloatArray, label: str, support: Support, argument: str | None = None) -> None:
    outside = values[~support.contains(values)]
    if not outside.size:
        return
    if argument is not None:
        raise RocPredictError(
            f"{argument} is outside the support of family={name!r}, which contains only values {support.description}"
        )
    raise RocPredictError(
        f"family={name!r} needs values {support.description}, but the {label} class has "
        f"{pluralize(outside.size, 'value')} (of {values.size}) outside this range, such as {outside[0]:g}; "
        f"{support.suggestion}"
    )


def _check_exponential(mean: float, std: Any) -> None:
    if mean == 0:
        raise RocPredictError("family='exponential' with mean=0 would be a point mass; pass a mean above 0")
    if std is not None and not abs(check_single("std", check_finite("std", std)) - mean) <= _EXPONENTIAL_RTOL * mean:
        raise RocPredictError(
            f"std={short_repr(std)} differs from mean={mean:g}, but family='exponential' requires std = mean; "
            "omit std, or use family='gamma' or 'weibull', which have one more parameter"
        )


def check_distribution(name: str, candidate: object) -> Distribution:
    """Return ``candidate`` as a distribution, or raise an error; a frozen scipy.stats distribution is converted."""
    if isinstance(candidate, Distribution):
        return candidate
    if is_frozen_scipy(candidate):
        return from_scipy(candidate)
    raise RocPredictError(
        f"{name}={short_repr(candidate)} is not a distribution; pass rp.Gaussian(mean, std), rp.Ecdf(sample) "
        "or a frozen scipy.stats distribution such as scipy.stats.gamma(2)"
    )
