"""AUCs of several studies, pooled by a fixed-effect and a random-effects model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, digamma, expit, fdtrc, gammaln, ndtr, ndtri, polygamma, stdtr, stdtrit

from rocpredict.base.formatting import format_interval, format_list, format_p_value, pluralize
from rocpredict.base.rates import check_confidence_level, normal_critical_value
from rocpredict.base.results import MAX_ROWS, Flags, Result, plot_result
from rocpredict.base.tables import Table
from rocpredict.base.validation import FloatArray, RocPredictError, check_list, check_option, is_list, short_repr
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.inference.parametric import ProbitEstimate, auc_probit, student_critical_value
from rocpredict.screening.summary import TwoClassSummary, describe_label_difference, open_summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WEIGHT_LEVEL = 0.95
"""Confidence level of the upper limit of tau^2 that determines the weights of the random-effects model."""
_LEAST_QUANTILE = 0.025
"""Probability of the chi^2 quantile that is the smallest Q used in random-effects intervals (see ``pool``)."""
_MAX_DISTANCE = 8.25
"""Largest value of D that is pooled (see ``pool``); for D above 8.29, the AUC rounds to 1."""
_MAX_ERRORS = 3.0
"""Distance between D and its assumed true value, in standard errors, above which another value is assumed."""
_LEAST_FREEDOM = 2.5
"""Smallest degrees of freedom of D; the variance of D is infinite with 2 or fewer."""
_LARGE_SAMPLE = 50.0
"""Half of the degrees of freedom above which the correction of D is computed from a series."""
_LOG_CORRECTION = (-3 / 640, -1 / 64, -3 / 64, -1 / 8, -3 / 8, 0.0)
"""Coefficients of the series in 2/df (Stirling), in descending order; the difference of two gammaln is imprecise."""
_MAX_ITER, _RTOL = 200, 1e-12  # of the fixed effect, and of Newton's method for tau^2
_TABLE_COLUMNS = ("n_studies", "auc", "low", "high", "p_value", "fixed_auc", "tau", "i_squared", "homogeneity_p")


@dataclass(frozen=True, eq=False, repr=False)
class PooledAuc(Result):
    """Predicted AUC of each feature, pooled over several studies on the probit scale.

    Attributes
    ----------
    feature_names : tuple of str
        Names of the features.
    study_names : tuple of str
        Names of the studies.
    auc, low, high : array of shape (features,)
        Random-effects AUC (mean on the probit scale), with its Hartung-Knapp confidence interval. NaN for fewer than
        two studies.
    p_value : array of shape (features,)
        Two-sided p-value for the null hypothesis that the AUC is 1/2, from the t statistic on which the interval is
        based.
    fixed_auc, fixed_low, fixed_high : array of shape (features,)
        Fixed-effect AUC and its confidence interval, under the assumption that all studies have the same AUC.
    tau : array of shape (features,)
        Standard deviation of the true study AUCs on the probit scale, estimated by the method of Paule and Mandel. The
        estimate is 0 if the variation between studies does not exceed sampling variation.
    q_statistic, homogeneity_p : array of shape (features,)
        Cochran's Q, and the p-value of Welch's test of the null hypothesis that all studies have the same AUC.
    i_squared : array of shape (features,)
        Proportion of the variation between the estimates that is not sampling variation (Higgins and Thompson).
    n_studies : array of int of shape (features,)
        Number of pooled studies. A study is pooled if it has at least two values in each class, and a standard
        deviation above 0 in at least one class.
    study_auc, study_low, study_high, weights : array of shape (features, studies)
        AUC, confidence interval and random-effects weight of each study. The AUC has no correction for small samples.
        For a study without the feature, the AUC is NaN and the weight is 0.
    is_separated : array of bool of shape (features, studies)
        Mask of the studies with separated classes. The effect size D of these studies is limited (see ``pool``).
    level : float
        Confidence level.
    flags : Flags
        Flags of the features: ``no_values``, ``single_study``, ``point_mass``, ``separated_study``, ``close_studies``.
    """

    feature_names: tuple[str, ...]
    study_names: tuple[str, ...]
    auc: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    fixed_auc: FloatArray
    fixed_low: FloatArray
    fixed_high: FloatArray
    tau: FloatArray
    q_statistic: FloatArray
    homogeneity_p: FloatArray
    i_squared: FloatArray
    n_studies: NDArray[np.intp]
    study_auc: FloatArray
    study_low: FloatArray
    study_high: FloatArray
    weights: FloatArray
    is_separated: NDArray[np.bool_]
    level: float
    flags: Flags

    def __len__(self) -> int:
        return len(self.feature_names)

    def __repr__(self) -> str:
        return f"PooledAuc({pluralize(len(self), 'feature')}, {len(self.study_names)} studies, level={self.level:g})"

    def table(self) -> Table:
        """Return a table of the pooled AUCs, limited to the first ten features."""
        columns = self._columns()
        headings = ["feature", *_TABLE_COLUMNS]
        rows = [list(cells) for cells in zip(*(columns[name][:MAX_ROWS] for name in headings), strict=True)]
        notes = [f"The first {MAX_ROWS} of {len(self)} features."] if len(self) > MAX_ROWS else []
        notes.append(
            "auc, low, high and p_value assume random effects (Hartung and Knapp); fixed_auc assumes that all studies "
            "have the same AUC."
        )
        cells = [f"{self.feature_names[j]} in {self.study_names[k]}" for j, k in np.argwhere(self.is_separated)]
        notes += [f"Almost perfectly separated classes: {format_list(cells, 10)}."] if cells else []
        narrower = np.flatnonzero(self.high - self.low < self.fixed_high - self.fixed_low)
        if narrower.size:
            fixed = [format_interval(self.fixed_low[j], self.fixed_high[j]) for j in narrower]
            names = [f"{self.feature_names[j]} ({text})" for j, text in zip(narrower, fixed, strict=True)]
            notes.append(
                "For these features, the estimates vary less between studies than expected from sampling variation, "
                "and the random-effects interval is narrower than the fixed-effect interval (in parentheses): "
                f"{format_list(names, 10)}."
            )
        formats = {"p_value": format_p_value, "homogeneity_p": format_p_value, "i_squared": ".0%", "tau": ".3f"}
        return Table(f"AUCs pooled over {len(self.study_names)} studies", headings, rows, formats, notes, self.flags)

    def plot(self, feature: str | None = None, **options: object) -> Axes:
        """Draw a forest plot of the study AUCs and pooled AUCs of one feature.

        Parameters
        ----------
        feature : str, optional
            Name of the feature. By default, the first feature.
        **options
            Further options of ``rocpredict.plots.screening.plot_forest``.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return plot_result("plot_forest", (self,), {"feature": feature} | options)

    def feature_index(self, name: str | None) -> int:
        """Return the index of a feature, or 0 if ``name`` is None.

        Parameters
        ----------
        name : str or None
            Name of the feature.

        Raises
        ------
        RocPredictError
            If no feature has this name.
        """
        return 0 if name is None else self.feature_names.index(check_option("feature", name, self.feature_names))

    def _columns(self) -> Mapping[str, Any]:
        return {"feature": np.array(self.feature_names, dtype=object), **super()._columns()}

    def _result_shape(self) -> tuple[int, ...]:
        return self.auc.shape


def pool(
    summaries: Iterable[TwoClassSummary | str | PathLike[str]],
    *,
    study_names: Iterable[str] | None = None,
    level: float = 0.95,
) -> PooledAuc:
    """Pool the predicted AUCs of studies or sites by a random-effects and a fixed-effect model.

    Parameters
    ----------
    summaries : iterable of TwoClassSummary or path
        Summary of each study, computed from data (``rocpredict.summarize``) or made from a published table
        (``TwoClassSummary.from_stats``), or the path of its JSON file. A study may lack some features. All studies must
        use the same units and labels.
    study_names : iterable of str, optional
        Names of the studies. By default, "study 1", "study 2", ...
    level : float, default=0.95
        Confidence level, in (0, 1).

    Returns
    -------
    PooledAuc
        Pooled AUC of each feature that occurs in at least one study, with a test of homogeneity and a forest plot.

    Raises
    ------
    RocPredictError
        If there are fewer than two summaries, if a study is passed twice, if units or labels differ, or if an option is
        invalid.

    See Also
    --------
    summarize : Reduce a table to moments. Adding summaries pools the observations instead.

    Notes
    -----
    For each study, D = (mean difference)/sqrt(sum of variances), and AUC = Phi(D) for two Gaussians. Differences in
    location and scale between studies do not affect D. D is multiplied by a factor that removes its bias in small
    samples, and the sampling variance v of the corrected D is the variance of a noncentral t statistic [5]_. Both
    depend on the share of each class in the sum of the variances. If a class has few observations, a study whose
    standard deviation in this class happens to be small would have a large D, a small v and a large weight. Therefore,
    the share of each study is shrunk to the mean of all studies (a random-effects mean of the logarithms of the ratios
    of the two variances), and v is computed at the fixed-effect mean of D. If D of a study is more than three standard
    errors from this mean, v is computed at the value nearest to this mean from which D is three standard errors away.

    The fixed-effect mean has weights 1/v, where v is computed with the mean share. Its interval uses the variances of
    the studies and Student's t with Satterthwaite's degrees of freedom. The p-value of the test of homogeneity allows
    for the estimation of the variances [6]_.

    In the random-effects model, the true value of D varies between studies with standard deviation tau. Let Q be the
    sum of w (D - mean)^2, with w = 1/(v + tau^2). For k studies, the expected value of Q is k - 1, and the estimate of
    tau is the value at which Q equals k - 1 [1]_. If Q is smaller than k - 1 even at tau = 0, the estimate is 0. The
    variance of the random-effects mean is Q/((k - 1) W), where W is the sum of the weights w. The interval uses
    Student's t with k - 1 degrees of freedom [2]_. If all studies happened to have the same D, the variance would be 0.
    If Q is below the 2.5% quantile of chi^2 with k - 1 degrees of freedom, the interval is therefore computed with this
    quantile instead of Q; the flag ``close_studies`` marks these features. This occurs in about 2.5% of homogeneous
    sets of studies with 50 or more observations per class, and in up to 22% with 5 observations in a class. Even
    without this flag, the random-effects interval of similar studies can be narrower than the fixed-effect interval. In
    this case, the fixed-effect interval is the safer choice only if all studies have the same AUC. The modified method
    [3]_, which uses the wider of the two intervals, has a coverage of up to 99.7%.

    The weights of the random-effects mean are computed with the upper 95% confidence limit of tau^2 (Q profile [4]_)
    instead of its estimate. The attribute ``tau`` contains the estimate. If the estimate were used and happened to be
    0, a large study would have nearly all the weight, and the coverage for a few studies of unequal size would be as
    low as 76%. With the upper limit of tau^2, the coverage of 95% intervals is 93 to 98% in 720 simulated settings with
    2 to 20 studies of 10 or more observations per class. With 5 observations in a class, it is 90 to 97%. The coverage
    of fixed-effect intervals of homogeneous studies is 94 to 99%. The disadvantage of the upper limit is a larger error
    of the random-effects mean. If the studies are homogeneous, this error is up to 1.6 times the error with the usual
    weights. If one study is much larger than the others, this error is a multiple of the error of the fixed-effect
    mean: for three studies of 50 + 50 observations and one that is 10, 20 or 100 times larger, 1.5, 2.0 and 4.1 times.
    The interval is wide if only two or three studies are pooled, since Student's t then has one or two degrees of
    freedom.

    A study is flagged as separated if the lower 95% limit of its AUC, or of 1 - AUC, from the normal approximation on
    the probit scale, is above 1 - 1/(2 n0 n1). This bound is the AUC of a sample of n0 negatives and n1 positives with
    one tied pair and no pair in the wrong order. The estimate of D is then an extrapolation of the Gaussian tails. If
    this estimate were used, the pooled mean would depend on the extrapolation. The study is therefore pooled with the
    value of D (at most 8.25) at which the lower limit equals the bound, and this value is corrected like the others.
    Omitting the study would mean selecting studies by their results. ``study_auc`` still contains the AUC computed from
    the original estimate of D. A study with a standard deviation of 0 in both classes is omitted, because the variance
    of D is undefined; the feature then has the flag ``point_mass``.

    The method fails if the features are far from Gaussian, if studies were selected by their results, or if the same
    subjects are in several studies. It also fails if the study AUCs are not a sample from one population, for example
    because one site transforms the values in a different way. The random-effects interval assumes that the true values
    of D have a normal distribution. If this distribution is strongly skewed (exponential, SD of 0.6), the coverage for
    3 to 20 studies is 89 to 93%. With 2 to 4 observations in a class, it is as low as 55%.

    References
    ----------
    .. [1] Paule and Mandel (1982), J. Res. Natl. Bur. Stand. 87, 377-385.
    .. [2] Hartung and Knapp (2001), Statistics in Medicine 20, 3875-3889.
    .. [3] Roever, Knapp and Friede (2015), BMC Medical Research Methodology 15, 99.
    .. [4] Viechtbauer (2007), Statistics in Medicine 26, 37-52.
    .. [5] Hedges (1981), Journal of Educational Statistics 6, 107-128.
    .. [6] Welch (1951), Biometrika 38, 330-336.

    Examples
    --------
    >>> from rocpredict import TwoClassSummary
    >>> means, stds = [(5.1, 6.4), (5.3, 6.2), (4.9, 6.3)], [(0.9, 1.2), (1.0, 1.1), (0.8, 1.3)]
    >>> tables = zip(means, stds, [(120, 80), (60, 50), (90, 90)], strict=True)
    >>> studies = [TwoClassSummary.from_stats(mean=mean, std=std, count=count) for mean, std, count in tables]
    >>> pooled = pool(studies)
    >>> pooled.auc.round(3), pooled.low.round(3), pooled.high.round(3), pooled.homogeneity_p.round(2)
    (array([0.786]), array([0.647]), array([0.886]), array([0.23]))
    """
    passed: Any = summaries
    items = list(passed) if is_list(passed) else [passed]
    studies = [*map(open_summary, items)]
    level = check_confidence_level(level)
    names = [f"study {k + 1}" for k in range(len(studies))]
    if study_names is not None:
        names = [*map(str, check_list("study_names", study_names, "one name for each study"))]
    features = _check_studies(studies, names)
    estimate, bounded, (stds, counts), (is_point, is_infinite) = _study_estimates(studies, features)
    with np.errstate(divide="ignore", invalid="ignore"):
        is_used = np.isfinite(bounded.z) & (bounded.std_error > 0) & np.isfinite(bounded.std_error)
        n_studies = is_used.sum(axis=1)
        df = np.maximum(n_studies - 1, 1).astype(float)
        common, own = (_SmallSamples.of(share, counts) for share in _variance_shares(stds, counts, is_used))
        z = np.where(is_used, own.correction * bounded.z, 0.0)
        fixed = zero = np.zeros(len(features))
        for _ in range(_MAX_ITER):
            fixed_variance, variance = (
                np.where(is_used, part.variance_near(fixed[:, None], z), np.inf) for part in (common, own)
            )
            previous, (fixed, _, fixed_weights, _) = fixed, _weighted_mean(z, fixed_variance, zero)
            if not (np.abs(fixed - previous) > _RTOL).any():
                break
        parts = np.where(is_used, fixed_weights**2 * variance, 0.0)
        fixed_half = np.sqrt(parts.sum(axis=1)) * student_critical_value(_satterthwaite(parts, own.df), level)
        _, _, q_weights, q_statistic = _weighted_mean(z, variance, zero)
        tau_squared = _solve_tau_squared(z, variance, df)
        limit = np.maximum(_solve_tau_squared(z, variance, chdtri(df, _WEIGHT_LEVEL)), tau_squared)
        mean, model_error, weights, residual = _weighted_mean(z, variance, limit)
        least = chdtri(df, 1 - _LEAST_QUANTILE)
        error = model_error * np.sqrt(np.maximum(residual, least) / df)
        half = -stdtrit(df, (1 - level) / 2) * error
        t = np.nan_to_num(mean / error, nan=0.0)
    has_several, has_any = n_studies > 1, n_studies > 0
    is_separated = is_used & (bounded.z != estimate.z)
    low, high = (np.where(is_used, limits, np.nan) for limits in estimate.interval(level))
    columns = {
        "auc": ndtr(mean),
        "low": ndtr(mean - half),
        "high": ndtr(mean + half),
        "p_value": 2 * stdtr(df, -np.abs(t)),
        "tau": np.sqrt(tau_squared),
        "q_statistic": q_statistic,
        "homogeneity_p": _homogeneity_p(q_statistic, n_studies, np.where(is_used, (1 - q_weights) ** 2 / own.df, 0.0)),
        "i_squared": np.maximum(1 - df / np.maximum(q_statistic, np.finfo(float).tiny), 0.0),
    }
    fixed_columns = {
        "fixed_auc": ndtr(fixed),
        "fixed_low": ndtr(fixed - fixed_half),
        "fixed_high": ndtr(fixed + fixed_half),
    }
    return PooledAuc(
        feature_names=features,
        study_names=tuple(names),
        **{name: np.where(has_several, values, np.nan) for name, values in columns.items()},
        **{name: np.where(has_any, values, np.nan) for name, values in fixed_columns.items()},
        n_studies=n_studies,
        study_auc=np.where(is_used, ndtr(estimate.z), np.nan),
        study_low=low,
        study_high=high,
        weights=np.where(has_several[:, None], weights, 0.0),
        is_separated=is_separated,
        level=level,
        flags=Flags(
            no_values=~(has_any | is_point | is_infinite),
            infinite=~has_any & is_infinite,
            single_study=n_studies == 1,
            point_mass=is_point,
            separated_study=is_separated.any(axis=1),
            close_studies=has_several & (residual < least),
        ),
    )


def _check_studies(studies: list[TwoClassSummary], names: list[str]) -> tuple[str, ...]:
    """Check that the studies can be pooled, and return the names of all features."""
    for study in studies:
        if not isinstance(study, TwoClassSummary):
            raise RocPredictError(
                f"summaries contains {short_repr(study)}, which is not a TwoClassSummary; pass summaries, or paths of "
                "their JSON files"
            )
    if len(studies) < 2:
        noun = "study" if len(studies) == 1 else "studies"
        raise RocPredictError(f"summaries contains {len(studies)} {noun}; pass two or more")
    if len(names) != len(studies) or len({*names}) < len(names):
        raise RocPredictError(
            f"study_names={format_list(names)} is not valid; pass {len(studies)} different names, one for each study"
        )
    units: dict[str, tuple[str, str]] = {}
    checksums: dict[str, str] = {}
    for name, study in zip(names, studies, strict=True):
        problem = describe_label_difference(studies[0], study, (names[0], name))
        if problem:
            raise RocPredictError(
                f"{problem}; use the same labels (positive= and negative= of from_stats or summarize)"
            )
        for feature, unit in zip(study.feature_names, study.units, strict=True):
            origin, first_unit = units.setdefault(feature, (name, unit))
            if first_unit != unit:
                words = [repr(word) if word else "not stated" for word in (first_unit, unit)]
                remedy = "convert the values to the same unit" if first_unit and unit else "state it in every summary"
                raise RocPredictError(
                    f"the unit of {feature!r} is {words[0]} in {origin} and {words[1]} in {name}; {remedy}"
                )
        for checksum in (*study.checksums(), *study._origins):
            if checksum in checksums:
                raise RocPredictError(f"{name} contains the same data as {checksums[checksum]}; pass each study once")
            checksums[checksum] = name
    return tuple(units)


def _study_estimates(
    studies: list[TwoClassSummary], features: tuple[str, ...]
) -> tuple[ProbitEstimate, ProbitEstimate, FloatArray, NDArray[np.bool_]]:
    """Return the estimates of D, the bounded estimates, the samples from which they were computed, and two masks.

    The estimates have the shape (features, studies); they are NaN if D is undefined. The samples have the shape
    (2, 2, features, studies): the standard deviations of the negatives and of the positives, and their numbers. The
    masks mark features that, in at least one study, have a standard deviation of 0 in both classes, or infinite values
    or a variance beyond the range of float64.
    """
    shape = len(features), len(studies)
    is_valid, (is_point, is_infinite) = np.zeros(shape, dtype=bool), np.zeros((2, len(features)), dtype=bool)
    samples = np.tile(np.array([0.0, 1.0, 2.0])[:, None, None, None], (1, 2, *shape))  # mean, SD and number
    place = {name: index for index, name in enumerate(features)}
    for k, study in enumerate(studies):
        rows = np.array([place[name] for name in study.feature_names], dtype=np.intp)
        is_valid[rows, k] = both = study.negative.is_valid & study.positive.is_valid
        for side, part in enumerate((study.negative, study.positive)):
            for what, name in enumerate(("mean", "std", "count")):
                samples[what, side, rows[both], k] = getattr(part, name)[both]
        is_point[rows] |= both & (study.negative.m2 == 0) & (study.positive.m2 == 0)
        is_infinite[rows] |= ~both & (study.negative.count > 1) & (study.positive.count > 1)
    means, stds, counts = samples
    with np.errstate(over="ignore"):
        estimate = auc_probit(Gaussian(means[0], stds[0]), Gaussian(means[1], stds[1]), (counts[0], counts[1]))
    bounded = _bound_separated(estimate, stds, counts)
    estimate, bounded = (
        ProbitEstimate(*(np.where(is_valid, part, np.nan) for part in parts)) for parts in (estimate, bounded)
    )
    return estimate, bounded, samples[1:], np.stack([is_point, is_infinite])


class _SmallSamples(NamedTuple):
    """Small-sample correction of D, and the variance of the corrected D, from the noncentral t distribution.

    D is a noncentral t statistic times the square root of ``scale`` if its denominator has ``freedom`` degrees of
    freedom.
    """

    correction: FloatArray
    """Factor that removes the bias of D."""
    excess: FloatArray
    """Relative excess of the mean square of the corrected D over its limit in large samples."""
    scale: FloatArray
    """Variance of the mean difference, divided by the sum of the variances of the classes."""
    df: FloatArray
    """Degrees of freedom of ``scale``."""

    @classmethod
    def of(cls, share: FloatArray, counts: FloatArray) -> Self:
        """Compute the correction from the share of the positives in the sum of the variances, and from the counts."""
        shares = np.stack([1 - share, share])
        freedom = np.maximum(1 / (shares**2 / (counts - 1)).sum(axis=0), _LEAST_FREEDOM)
        log_correction = _log_correction(freedom)
        excess = np.expm1(2 * log_correction - np.log1p(-2 / freedom))
        scale, df = (shares / counts).sum(axis=0), _satterthwaite(shares / counts, counts - 1, 0)
        return cls(np.exp(log_correction), excess, scale, df)

    def variance(self, distance: FloatArray) -> FloatArray:
        """Return the variance of the corrected D if the true value of D is ``distance``."""
        return np.asarray((1 + self.excess) * self.scale + self.excess * distance**2)

    def variance_near(self, distance: FloatArray, z: FloatArray) -> FloatArray:
        """Return the variance at ``distance``, or at the nearest value from which ``z`` is 3 standard errors away."""
        most = _MAX_ERRORS * np.sqrt(self.variance(distance))
        return self.variance(z - np.clip(z - distance, -most, most))


def _log_correction(freedom: FloatArray) -> FloatArray:
    """Return the logarithm of Hedges' factor, with a relative precision of 1e-10."""
    half = freedom / 2
    exact = gammaln(half) - gammaln(half - 0.5) - np.log(half) / 2
    return np.asarray(np.where(half > _LARGE_SAMPLE, np.polyval(_LOG_CORRECTION, 1 / half), exact))


def _satterthwaite(variances: FloatArray, df: FloatArray, axis: int = 1) -> FloatArray:
    """Return Satterthwaite's degrees of freedom of sums of variances."""
    total = variances.sum(axis=axis, keepdims=True)
    return np.asarray(1 / ((variances / total) ** 2 / df).sum(axis=axis))


def _variance_shares(stds: FloatArray, counts: FloatArray, is_used: NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """Return the share of the positives in the sum of the variances: the mean of all studies, and of each study.

    The share of one study is shrunk to the mean. Both are computed from the logarithms of the ratios of the two
    variances, with a random-effects mean (DerSimonian and Laird 1986), so that studies of small samples do not have
    larger weights if their standard deviations happen to be small. A standard deviation of 0 is omitted from the mean.
    The share of the study is then 0 or 1 or, if the constant class is the smaller one, the mean, since a few rounded
    values can be equal by chance. Without any study whose standard deviations are above 0, all shares are 0 or 1.
    """
    is_regular = is_used & (stds > 0).all(axis=0)
    half = (counts - 1) / 2
    bias, error = digamma(half) - np.log(half), polygamma(1, half).sum(axis=0)
    ratio = np.where(is_regular, 2 * np.log(stds[1] / stds[0]) - (bias[1] - bias[0]), 0.0)
    variance = np.where(is_regular, error, np.inf)
    none = np.zeros(len(ratio))
    mean, std_error, weights, q = _weighted_mean(ratio, variance, none)
    excess = (q - (is_regular.sum(axis=1) - 1)) * std_error**2 / (1 - (weights**2).sum(axis=1))
    spread = np.nan_to_num(np.maximum(excess, 0.0), posinf=0.0)
    mean = np.nan_to_num(_weighted_mean(ratio, variance, spread)[0])[:, None]
    shrunk = mean + spread[:, None] / (spread[:, None] + error) * (ratio - mean)
    edge = np.where(is_used, stds[1] > stds[0], 0.5)
    n_varying, n_constant = np.where(stds[1] > stds[0], counts[::-1], counts)
    has_mean = is_used & is_regular.any(axis=1, keepdims=True)
    common = np.where(has_mean, expit(mean), edge)
    own = np.where(is_regular, expit(shrunk), np.where(n_constant < n_varying, common, edge))
    return common, own


def _homogeneity_p(q_statistic: FloatArray, n_studies: NDArray[np.intp], doubts: FloatArray) -> FloatArray:
    """Return the p-value of Welch's (1951) test of equal means, which allows for the estimation of the variances.

    ``doubts`` contains (1 - weight)^2/df of each study, where df are the degrees of freedom of its variance.
    """
    k, doubt = np.maximum(n_studies, 2), doubts.sum(axis=1)
    f = q_statistic / (k - 1) / (1 + 2 * (k - 2) / (k * k - 1) * doubt)
    with np.errstate(divide="ignore"):
        return np.asarray(fdtrc(k - 1, (k * k - 1) / (3 * doubt), f))


def _bound_separated(estimate: ProbitEstimate, stds: list[FloatArray], counts: list[FloatArray]) -> ProbitEstimate:
    """Return the estimate, with D limited to the value at which the lower limit of the AUC is 1 - 1/(2 n0 n1)."""
    critical = normal_critical_value(_WEIGHT_LEVEL)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        limit = -ndtri(0.5 / (counts[0] * counts[1]))
        scale = np.maximum(*stds)
        units = [np.where(np.isfinite(scale) & (scale > 0), std / scale, 1.0) for std in stds]
        shares = [unit**2 / (units[0] ** 2 + units[1] ** 2) for unit in units]
        # The variance is constant + slope D^2, so that D - critical * (standard error) = limit is a quadratic equation.
        constant = shares[0] / counts[0] + shares[1] / counts[1]
        slope = shares[0] ** 2 / (2 * counts[0] - 2) + shares[1] ** 2 / (2 * counts[1] - 2)
        rest = 1 - critical**2 * slope
        root = (limit + critical * np.sqrt(constant * rest + slope * limit**2)) / rest
        bound = np.fmin(np.where(rest > 0, root, _MAX_DISTANCE), _MAX_DISTANCE)
        is_separated = np.isfinite(estimate.z) & (np.abs(estimate.z) > bound)
        shifted = np.copysign(bound * np.hypot(*units), estimate.z)
        classes = Gaussian(0.0 * bound, units[0]), Gaussian(shifted, units[1])
        at_bound = auc_probit(*classes, (counts[0], counts[1]))
    return ProbitEstimate(*(np.where(is_separated, *pair) for pair in zip(at_bound, estimate, strict=True)))


def _weighted_mean(
    z: FloatArray, variance: FloatArray, tau_squared: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the weighted mean of z, its standard error, the weights divided by their sum, and Q.

    The weights are w = 1/(variance + tau^2), and Q is the sum of w (z - mean)^2.
    """
    weights = 1 / (variance + tau_squared[:, None])
    total = weights.sum(axis=1)
    mean = (weights * z).sum(axis=1) / total
    residual = (weights * (z - mean[:, None]) ** 2).sum(axis=1)
    return mean, 1 / np.sqrt(total), weights / total[:, None], residual


def _solve_tau_squared(z: FloatArray, variance: FloatArray, target: FloatArray) -> FloatArray:
    """Return the tau^2 at which the sum of w (z - mean)^2 equals a target, or 0 if this sum is always below the target.

    The sum is a decreasing and convex function of tau^2, so Newton's method converges from below.
    """
    tau_squared = np.zeros(len(z))
    for _ in range(_MAX_ITER):
        mean, _, _, residual = _weighted_mean(z, variance, tau_squared)
        weights = 1 / (variance + tau_squared[:, None])
        slope = (weights * weights * (z - mean[:, None]) ** 2).sum(axis=1)
        step = np.where(slope > 0, np.maximum(residual - target, 0.0) / slope, 0.0)
        tau_squared = tau_squared + np.nan_to_num(step)
        if not (step > _RTOL * tau_squared).any():
            break
    return tau_squared
