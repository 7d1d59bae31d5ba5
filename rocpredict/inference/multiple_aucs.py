"""Tests of the equality of several AUCs, and AUC estimates for groups and for data with clusters or strata."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any, Literal, TypeAlias, get_args, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtrc, logit

from rocpredict.base.formatting import format_list, format_number, format_p_value, pluralize
from rocpredict.base.labels import as_rereadable, check_index, encode_groups
from rocpredict.base.rates import check_confidence_level
from rocpredict.base.results import MAX_ROWS, Flags, Interval, Result, omitted_text
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    Direction,
    Directions,
    FloatArray,
    Label,
    NanPolicy,
    RocPredictError,
    check_finite,
    check_option,
    readonly_array,
    short_repr,
)
from rocpredict.inference.hypotheses import (
    MANN_WHITNEY,
    METHOD_NAMES,
    AucStatistic,
    AucTest,
    Hypothesis,
    adjust_p_values,
    contrast_test,
    opposite_direction_flag,
)
from rocpredict.inference.intervals import AreaContrast, SmoothedAreas, auc_interval
from rocpredict.inference.placements import (
    EIGENVALUE_RTOL,
    VARIANCE_TOL,
    CurveSample,
    Placements,
    RowOptions,
    StratumWeights,
    VarianceComponent,
)
from rocpredict.sources.table import as_feature_table

EstimateMethod: TypeAlias = Literal["smoothed-logit", "delong", "logit"]
ESTIMATE_METHODS: tuple[EstimateMethod, ...] = get_args(EstimateMethod)
"""Methods for the confidence interval of an AUC with strata or clusters; the first is the default."""
_MAX_REPR_GROUPS = 4
_MIN_MEAN_SHARE = 0.6
"""Lower limit of the variance of a group's AUC, as a fraction of the second estimate described in ``welch_test``."""


# ---- several curves on the same observations
@dataclass(frozen=True, eq=False, repr=False)
class AucTestMany(Result):
    """Results of a test of whether K AUCs are equal, and of tests of contrasts between these AUCs.

    Attributes
    ----------
    null, method, estimator : str
    estimates : tuple of float
        AUC of each curve.
    covariance : array of shape (K, K)
        Covariance matrix of the AUC estimates. It is estimated by the method of DeLong, DeLong and Clarke-Pearson or,
        if there are clusters, by the jackknife over clusters.
    statistic : float
        Hotelling's T squared. For many observations, this statistic has approximately a chi-squared distribution under
        the null hypothesis.
    df : int
        Degrees of freedom of the chi-squared distribution: K - 1, or fewer if some features rank all observations in
        the same order.
    p_value : float
        p-value of the null hypothesis that all AUCs are equal. It is computed from an F distribution, which allows for
        the estimated covariance matrix, and is never smaller than the smallest p-value of two AUCs; ``method`` states
        if it equals this p-value.
    contrasts : tuple of AucTest
        Test of each requested contrast. By default, all pairs of AUCs are compared. The p-values are not adjusted.
    adjusted_p_values : tuple of float
        p-values of the contrasts, adjusted for multiple testing by the method of Holm.
    n, omitted, n_unlabelled, direction, flags : see AucTest
        Numbers of observations, numbers of omitted rows, direction of each curve, and flags, as in ``AucTest``.
    """

    null: str
    method: str
    estimator: str
    estimates: tuple[float, ...]
    covariance: FloatArray
    statistic: float
    df: int
    p_value: float
    contrasts: tuple[AucTest, ...]
    adjusted_p_values: tuple[float, ...]
    n: tuple[float, float]
    omitted: tuple[int, int]
    n_unlabelled: int
    direction: tuple[str, ...]
    flags: Flags

    _frame_of_table = True

    def table(self) -> Table:
        """Return a table with one contrast per row."""
        rows = [
            [each.null, each.difference, *each.interval, each.statistic, each.p_value, adjusted]
            for each, adjusted in zip(self.contrasts, self.adjusted_p_values, strict=True)
        ]
        notes = [
            *_test_notes(self),
            "The level applies to each interval separately; adjusted p (Holm) accounts for all contrasts together.",
            f"Estimates: {format_list(map(format_number, self.estimates), MAX_ROWS)}.",
            f"Observations (negative, positive): {self.n}.",
        ]
        notes += [f"Rows omitted without a label: {self.n_unlabelled}."] if self.n_unlabelled else []
        columns = ["null hypothesis", "difference", "low", "high", "t", "p", "adjusted p"]
        formats = {"p": format_p_value, "adjusted p": format_p_value, "t": ".4g"}
        return Table(f"Test of {self.estimator}", columns, rows, formats, notes, self.flags)

    def __repr__(self) -> str:
        areas = ", ".join(f"{area:.4g}" for area in self.estimates[:MAX_ROWS])
        areas += f", ... {len(self.estimates)} in all" if len(self.estimates) > MAX_ROWS else ""
        remarks = omitted_text(self) + (f", flags={list(self.flags)}" if self.flags else "")
        return (
            f"AucTestMany(estimates=({areas}), statistic={self.statistic:.6g}, df={self.df}, "
            f"p_value={self.p_value:.6g}, contrasts={len(self.contrasts)}, n={self.n}{remarks})"
        )


def _test_notes(test: AucTestMany | AucByGroup) -> list[str]:
    return [
        f"Null hypothesis: {test.null}. Method: {test.method}.",
        f"Statistic {format_number(test.statistic)}, df {test.df}, p {format_p_value(test.p_value)}.",
    ]


def auc_test_many(
    features: Sequence[ArrayLike] | Mapping[str, ArrayLike] | object,
    y: ArrayLike,
    *,
    positive: Label = None,
    negative: Label = None,
    contrasts: ArrayLike | None = None,
    direction: Directions = None,
    level: float = 0.95,
    nan_policy: NanPolicy = "raise",
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
) -> AucTestMany:
    """Test whether several features of the same observations have the same AUC.

    Parameters
    ----------
    features : sequence of K arrays of shape (n,), mapping of name to array, or data frame
        Values of two or more features for the same rows. If you have an array of shape (n, K), pass its transpose.
    y : array-like of shape (n,)
        Class labels.
    positive, negative : label, optional
        As in ``empirical_roc``.
    contrasts : array-like of shape (C, K) or (K,), optional
        Weights of the AUCs in each contrast; the weights of each contrast must sum to 0. The null hypothesis is that
        the weighted sum of the AUCs is 0. By default, all pairs of AUCs are compared.
    direction : {None, "higher", "lower", "auto"} or one of "higher", "lower" for each feature, default=None
        As in ``auc_test``.
    level : float, default=0.95
        Confidence level of each interval. The level is not adjusted for the number of contrasts.
    nan_policy : {"raise", "omit"}, default="raise"
        How to handle missing values: "raise" raises an error, and "omit" omits rows in which the value of any feature
        is missing.
    weights, clusters, strata : array-like of shape (n,), optional
        As in ``auc_test``.

    Returns
    -------
    AucTestMany

    Raises
    ------
    RocPredictError
        For the same reasons as in ``auc_test``, and also if there are fewer than two features or the weights of a
        contrast do not sum to 0.

    Notes
    -----
    The test statistic is a quadratic form in the differences between the AUCs; its matrix is the inverse of the
    estimated covariance matrix of these differences [1]_. The covariance matrix is the sum of two matrices: one is
    estimated from the negatives, the other from the positives. For this reason, the p-value is computed from an F
    distribution whose degrees of freedom follow from a Satterthwaite approximation for matrices [2]_. Contrasts are
    tested by MOVER, as in ``auc_test``, and their p-values are adjusted by the method of Holm [3]_.

    The features are also compared in pairs. The p-value of the test is never smaller than the smallest unadjusted
    p-value of these comparisons. The confidence bounds used in these comparisons allow for values that, by chance, do
    not occur in the sample. The F distribution does not allow for such values.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (1988), Comparing the areas under two or more correlated
       receiver operating characteristic curves: a nonparametric approach, Biometrics 44, 837-845.
    .. [2] K. Krishnamoorthy, J. Yu (2004), Modified Nel and Van der Merwe test for the multivariate Behrens-Fisher
       problem, Statistics & Probability Letters 66, 161-169.
    .. [3] S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics
       6, 65-70.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> auc_test_many(list(iris.X.T), iris.y, positive="virginica", negative="versicolor")
    AucTestMany(estimates=(0.7896, 0.6636, 0.9822, 0.9804), statistic=..., df=3, p_value=..., contrasts=6,
                n=(50, 50))
    """
    check_index({"features": features, "y": y})
    columns = _columns_by_name(features)
    shape = np.shape(features) if isinstance(features, np.ndarray) else ()
    if len(shape) == 2 and shape[0] == np.size(y) != shape[1]:
        raise RocPredictError(
            f"features has shape {shape}, with one row for each label; pass the transpose, features.T"
        )
    if len(columns) < 2:
        raise RocPredictError(
            f"features contains {pluralize(len(columns), 'feature')}; pass two or more, each of shape (n,)"
        )
    options = RowOptions(positive, negative, nan_policy, direction, weights, clusters, strata)
    sample = CurveSample.from_rows(columns, y, options)
    areas, level = sample.placements(), check_confidence_level(level)
    covariance, rows = areas.variance(), sample.fields()
    matrix = _contrast_matrix(contrasts, len(columns))
    tests = tuple(_test_one_contrast(sample, areas, row, level) for row in matrix)
    (statistic, df, p_value), is_smoothed = _test_equality(areas)
    pairs = _contrast_matrix(None, len(columns))
    pairs = pairs[np.argsort(-np.abs(pairs @ areas.estimate))]  # the smallest p-value usually comes first
    pair_tests = (_test_one_contrast(sample, areas, row, level) for row in pairs)
    p_value, remark = _allow_for_unseen(p_value, tests if contrasts is None else pair_tests)
    flags = Flags(same_curve=df == 0, fallback=is_smoothed, dominant_cluster=areas.has_dominant_cluster)
    flags |= Flags(small_difference=any("small_difference" in test.flags for test in tests))
    flags |= Flags(single_observation=min(areas.n_units) <= 1)
    rows["flags"] |= flags | opposite_direction_flag(areas.estimate)
    return AucTestMany(
        null="all AUCs are equal",
        method=f"Krishnamoorthy-Yu, paired{sample.design}{remark}",
        estimator=MANN_WHITNEY,
        estimates=tuple(areas.estimate.tolist()),
        covariance=readonly_array((covariance + covariance.T) / 2),
        statistic=statistic,
        df=df,
        p_value=p_value,
        contrasts=tests,
        adjusted_p_values=tuple(adjust_p_values(np.array([test.p_value for test in tests]), "holm").tolist()),
        **rows,
    )


def _columns_by_name(features: Any) -> dict[str, Any]:
    """Return the features by name; features without names are called x1, x2, ..."""
    if isinstance(features, Mapping):
        return {str(name): x for name, x in features.items()}
    if hasattr(type(features), "columns") or hasattr(type(features), "column_names"):
        table = as_feature_table(features)
        return {str(name): table.column(index) for index, name in enumerate(table.names.tolist())}
    is_list = isinstance(features, Iterable) and not isinstance(features, (str, bytes))
    if not is_list or getattr(features, "ndim", 2) < 2 or hasattr(features, "tocsr"):
        raise RocPredictError(
            f"features={short_repr(features)} is not a list of features; pass two or more, each of shape (n,)"
        )
    return {f"x{k}": x for k, x in enumerate(features, start=1)}


def _contrast_matrix(contrasts: ArrayLike | None, count: int) -> FloatArray:
    if contrasts is None:
        unit = np.eye(count)
        return np.array([unit[i] - unit[j] for i, j in combinations(range(count), 2)])
    matrix = np.atleast_2d(check_finite("contrasts", contrasts))
    if matrix.ndim != 2 or matrix.shape[1] != count:
        raise RocPredictError(f"contrasts has shape {matrix.shape}; pass a weight for each of the {count} curves")
    if (np.abs(matrix.sum(axis=1)) > 1e-9).any() or not np.abs(matrix).sum(axis=1).all():
        raise RocPredictError(
            "contrasts has weights that do not sum to 0, or that are all 0; pass weights such as (1, -1/2, -1/2)"
        )
    return matrix


def _test_one_contrast(sample: CurveSample, areas: Placements, weights: FloatArray, level: float) -> AucTest:
    contrast, claim, index = AreaContrast.from_placements(areas, weights), Hypothesis(), np.flatnonzero(weights)

    def describe(sign: int) -> str:
        parts = [(abs(w), name) for w, name in zip(weights, sample.names, strict=True) if w * sign > 0]
        return " + ".join(f"AUC of {name}" if w == 1 else f"{w:.4g} AUC of {name}" for w, name in parts)

    estimates, rows = tuple(areas.estimate[index].tolist()), sample.fields()
    rows["direction"] = tuple(sample.directions[k] for k in index)
    rows["flags"] |= opposite_direction_flag(estimates)
    return contrast_test(contrast, claim, level, "smoothed-logit").result(
        claim.describe(describe(1), describe(-1)),
        method=f"{METHOD_NAMES['mover']}, paired{sample.design}",
        estimator=MANN_WHITNEY,
        estimates=estimates,
        difference=contrast.estimate,
        covariance=areas.variance()[np.ix_(index, index)],
        **rows,
    )


def _test_equality(areas: Placements) -> tuple[tuple[float, int, float], bool]:
    """Test whether K areas are equal by Hotelling's T squared, with a covariance matrix that is a sum of terms.

    The covariance matrix V of the p differences between the areas is the sum of independently estimated matrices V_k
    with df_k degrees of freedom. The degrees of freedom of V are (p + p^2) / sum_k {(tr[(V_k V^-1)^2] + tr[V_k V^-1]^2)
    / df_k} (Krishnamoorthy and Yu 2004).

    Returns
    -------
    statistic, df, p_value : tuple
    is_smoothed : bool
        True if smoothing was added to the covariance matrix, because a nonzero difference between areas has an
        estimated variance of 0.
    """

    def test(estimate: FloatArray, components: list[VarianceComponent]) -> tuple[tuple[float, int, float], bool]:
        steps = np.diff(np.eye(len(estimate)), axis=0)
        differences = steps @ estimate
        parts = [steps @ component.variance @ steps.T for component in components]
        values, vectors = np.linalg.eigh(sum(parts, np.zeros((len(steps), len(steps)))))
        is_positive = values > max(values.max(initial=0.0) * EIGENVALUE_RTOL, VARIANCE_TOL)
        is_unseen = bool((np.abs(vectors.T @ differences)[~is_positive] > EIGENVALUE_RTOL).any())
        scale = vectors[:, is_positive] / np.sqrt(values[is_positive])
        df, statistic = int(np.count_nonzero(is_positive)), float(np.sum((differences @ scale) ** 2))
        if not df:
            return (statistic, df, 1.0), is_unseen
        shares = [scale.T @ part @ scale for part in parts]
        spent = [(np.sum(v * v) + np.trace(v) ** 2) / c.df for v, c in zip(shares, components, strict=True)]
        freedom = (df + df**2) / max(float(sum(spent)), 1e-12)
        rest = freedom - df + 1
        p_value = float(fdtrc(df, rest, statistic * rest / (freedom * df))) if rest > 0 else 1.0
        return (statistic, df, p_value), is_unseen

    result, is_unseen = test(areas.estimate, areas.components())
    if not is_unseen:
        return result, False
    profiles = np.column_stack([areas.estimate, areas.variance()]).round(12)  # equal for features that rank alike
    areas = areas.select(np.sort(np.unique(profiles, axis=0, return_index=True)[1]))
    smoothed = SmoothedAreas.from_placements(areas)
    smoothing = np.maximum(smoothed.variance - smoothed.plain_variance, 0)
    added = VarianceComponent(np.diag(smoothing), max(min(areas.n_units) - 1, 1))
    return test(areas.estimate, [*areas.components(), added])[0], True


# ---- clusters, strata and groups
@dataclass(frozen=True, eq=False, repr=False)
class AucEstimate(Result):
    """Estimated AUC with standard error and confidence interval.

    Attributes
    ----------
    auc, std_error : float
    interval : Interval
    estimator : str
        Names of the AUC estimator and the variance estimator.
    n : pair of float
        Numbers of negatives and positives.
    n_independent : pair of float
        Numbers of independent units of each class: clusters, or observations if there are no clusters.
    n_strata : int
        Number of strata with observations of both classes; 1 if there are no strata.
    omitted : pair of int
        Numbers of negatives and positives that were omitted because a value is missing.
    n_unlabelled : int
        Number of rows omitted because they have no label.
    n_uncompared : pair of float
        Number of negatives in strata without positives, and number of positives in strata without negatives. These
        observations are not compared with any other observations.
    direction : str
    flags : Flags
    """

    auc: float = field(metadata={"label": "AUC"})
    std_error: float = field(metadata={"label": "standard error"})
    interval: Interval
    estimator: str
    n: tuple[float, float] = field(metadata={"label": "negatives, positives"})
    n_independent: tuple[float, float] = field(metadata={"label": "independent units of each class"})
    n_strata: int = field(metadata={"label": "strata"})
    omitted: tuple[int, int] = field(metadata={"label": "rows omitted"})
    n_unlabelled: int = field(metadata={"label": "rows omitted without a label"})
    n_uncompared: tuple[float, float] = field(metadata={"label": "in strata without the other class"})
    direction: str
    flags: Flags
    _listed = (
        *("auc", "std_error", "estimator", "n", "n_independent", "n_strata", "omitted", "n_unlabelled", "n_uncompared"),
        *("direction", "interval", "flags"),
    )
    _text = (
        "auc={auc:.6g}, interval={interval.low:.6g} to {interval.high:.6g}, std_error={std_error:.4g}, "
        "estimator={estimator!r}, n={n}{omitted_text}{flag_text}"
    )
    _heading = "AUC: {estimator}, interval of level {interval.level:g} by {interval.method}"


@dataclass(frozen=True, eq=False, repr=False)
class AucByGroup(Result):
    """AUC of each group of observations, and a test of whether these AUCs are equal.

    Attributes
    ----------
    groups : dict
        ``AucEstimate`` of each group, in the order of the group names.
    null, method : str
        Null hypothesis and name of the test.
    statistic, df, p_value : float, int, float
        Welch's F, the numerator degrees of freedom (the number of groups minus 1), and the p-value. The p-value is
        never smaller than the smallest p-value of two groups; ``method`` states if it equals this p-value. If there is
        only one group, the p-value is 1.
    n : pair
        Total numbers of negatives and positives over all groups.
    skipped : tuple
        Groups that have no negatives or no positives and are therefore not compared.
    stratified : AucEstimate
        AUC within groups: each negative is compared only with positives of the same group.
    """

    groups: dict[Any, AucEstimate]
    null: str
    method: str
    statistic: float
    df: int
    p_value: float
    n: tuple[float, float]
    skipped: tuple[Any, ...]
    stratified: AucEstimate

    _frame_of_table = True

    def table(self) -> Table:
        """Return a table with the AUC of each group; the last row contains ``stratified``, the AUC within groups."""
        estimates = [*self.groups.items(), ("within groups (stratified)", self.stratified)]
        rows = [[name, estimate.auc, *estimate.interval, *estimate.n] for name, estimate in estimates]
        notes = _test_notes(self)
        notes += [f"Skipped, because a class is missing: {format_list(self.skipped)}."] if self.skipped else []
        return Table("AUC by group", ["group", "AUC", "low", "high", "negatives", "positives"], rows, notes=notes)

    def __repr__(self) -> str:
        first = list(self.groups.items())[:_MAX_REPR_GROUPS]
        areas = ", ".join(f"{short_repr(name, 24)}: {estimate.auc:.4g}" for name, estimate in first)
        areas += f", ... {len(self.groups)} groups" if len(self.groups) > _MAX_REPR_GROUPS else ""
        skipped = f", skipped={short_repr(list(self.skipped), 40)}" if self.skipped else ""
        return f"AucByGroup({{{areas}}}, p_value={self.p_value:.6g}, stratified={self.stratified.auc:.4g}{skipped})"


@overload
def auc_estimate(
    x: ArrayLike,
    y: ArrayLike,
    *,
    positive: Label = None,
    negative: Label = None,
    groups: None = None,
    strata: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    stratum_weights: StratumWeights = "pairs",
    direction: Direction = None,
    level: float = 0.95,
    method: EstimateMethod | None = None,
    nan_policy: NanPolicy = "raise",
) -> AucEstimate: ...
@overload
def auc_estimate(
    x: ArrayLike,
    y: ArrayLike,
    *,
    positive: Label = None,
    negative: Label = None,
    groups: ArrayLike,
    strata: None = None,
    clusters: None = None,
    weights: ArrayLike | None = None,
    stratum_weights: StratumWeights = "pairs",
    direction: Direction = None,
    level: float = 0.95,
    method: EstimateMethod | None = None,
    nan_policy: NanPolicy = "raise",
) -> AucByGroup: ...
def auc_estimate(
    x: ArrayLike,
    y: ArrayLike,
    *,
    positive: Label = None,
    negative: Label = None,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    stratum_weights: StratumWeights = "pairs",
    direction: Direction = None,
    level: float = 0.95,
    method: EstimateMethod | None = None,
    nan_policy: NanPolicy = "raise",
) -> AucEstimate | AucByGroup:
    """Estimate the AUC of each group, or a single AUC for data with strata or clusters.

    Parameters
    ----------
    x : array-like of shape (n,)
        Feature values.
    y : array-like of shape (n,)
        Class labels.
    positive, negative : label, optional
        As in ``empirical_roc``.
    groups : array-like of shape (n,), optional
        Group of each row. The AUC of each group is estimated with a confidence interval, and the hypothesis that all
        groups have the same AUC is tested. Groups cannot be combined with strata or clusters.
    strata : array-like of shape (n,), optional
        Stratum of each row, such as a hospital or an age class. Only negatives and positives of the same stratum are
        compared, so that differences between the strata do not affect the AUC [1]_.
    clusters : array-like of shape (n,), optional
        Cluster of each row. Rows of one cluster, such as several readings of one patient, may depend on each other and
        may belong to both classes. The variance is estimated by the jackknife over clusters. Each class must have rows
        in at least four clusters.
    weights : array-like of shape (n,), optional
        Frequency weights.
    stratum_weights : {"pairs", "positives", "equal"}, default="pairs"
        How the strata are weighted; for the AUC within groups, how the groups are weighted:

        - "pairs": by the number of negative-positive pairs.
        - "positives": by the number of positives.
        - "equal": with equal weights.
    direction : {None, "higher", "lower", "auto"}, default=None
        As in ``auc_test``.
    level : float, default=0.95
        Confidence level.
    method : {"smoothed-logit", "delong", "logit"}, optional
        Method for computing the confidence interval. By default "smoothed-logit".
    nan_policy : {"raise", "omit"}, default="raise"
        How to handle missing values: "raise" raises an error, and "omit" omits rows with a missing value.

    Returns
    -------
    AucEstimate or AucByGroup
        ``AucByGroup`` if ``groups`` is passed, otherwise ``AucEstimate``.

    Raises
    ------
    RocPredictError
        For the same reasons as in ``empirical_roc``. Also if more than one of ``groups``, ``strata`` and ``clusters``
        is passed, or if no stratum or group has observations of both classes.

    Notes
    -----
    In each stratum, the variance is estimated by the method of DeLong, DeLong and Clarke-Pearson. A stratum with only
    one observation of a class, such as a matched pair, contains no information about this variance. Instead, the
    variance between all such strata is used. With clusters, the variance is (G - 1)/G times the sum of e^2 over the G
    clusters, where e is the change in the AUC when one cluster is left out [2]_. Intervals then use Student's t
    distribution. The number of degrees of freedom is 3 (sum e^2)^2 / sum e^4 - 2, limited to the range from 4 to G - 1.
    It is small if the clusters have very unequal sizes.

    Groups are compared on the logit scale by Welch's test for means with unequal variances [3]_. Let A be the AUC of a
    group with n0 negatives and n1 positives. If the estimated variance of A is below 0.6 A(1 - A)(r0/n0 + r1/n1), it is
    replaced by this lower limit. The number r0 is the mean of S/(n0 A(1 - A)) over all groups, where S is the sum of
    (v - A)^2 over the placement values v of the negatives of a group. The number r1 is the same mean for the positives,
    with n1 instead of n0. The lower limit is needed because a group may lack, by chance, the rare values that
    contribute most to the variance. If the curves of the groups have different shapes, the lower limit makes the test
    less powerful. In addition, the group with the highest AUC and the group with the lowest AUC are each compared with
    every other group, as in ``auc_test``. The p-value of the test is never smaller than the smallest p-value of these
    comparisons.

    References
    ----------
    .. [1] H. Janes, M. S. Pepe (2009), Adjusting for covariate effects on classification accuracy using the
       covariate-adjusted receiver operating characteristic curve, Biometrika 96, 371-382.
    .. [2] Another estimate of the same variance: N. A. Obuchowski (1997), Nonparametric analysis of clustered ROC curve
       data, Biometrics 53, 567-578.
    .. [3] B. L. Welch (1951), On the comparison of several mean values: an alternative approach, Biometrika 38,
       330-336.

    Examples
    --------
    >>> x, y = [1, 3, 2, 4, 11, 12, 13, 15], [0, 1, 0, 1, 0, 0, 1, 1]
    >>> auc_estimate(x, y, strata=["a"] * 4 + ["b"] * 4).auc
    1.0
    >>> auc_estimate(x, y).auc
    0.75

    >>> import numpy as np
    >>> from rocpredict.datasets import load_pima
    >>> pima = load_pima()
    >>> older = np.where(pima.column("age") > 30, "over 30", "to 30")
    >>> auc_estimate(pima.column("glucose"), pima.y, positive="pos", groups=older)
    AucByGroup({'over 30': 0.7377, 'to 30': 0.81}, p_value=0.0..., stratified=0.773)
    """
    options = RowOptions(positive, negative, nan_policy, direction, weights, clusters, strata, stratum_weights)
    level = check_confidence_level(level)
    if groups is None:
        return _estimate(CurveSample.from_rows({"x": x}, y, options), level, method)
    groups = as_rereadable(groups)
    if strata is not None or clusters is not None:
        raise RocPredictError("groups= cannot be combined with strata= or clusters=; pass one of them")
    sample = CurveSample.from_rows({"x": x}, y, options._replace(strata=groups, strata_name="groups"))
    names = encode_groups("groups", groups, np.asarray(groups).size)[1]
    parts = {name: sample.stratum(code) for code, name in enumerate(names)}
    comparable = {name: part for name, part in parts.items() if min(part.n) > 0}
    if not comparable:
        problem = f"groups={short_repr(names)} has no group with rows of both classes"
        raise RocPredictError(f"{problem}; pass at least one group that contains both negatives and positives")
    areas = [part.area() for part in comparable.values()]
    squares = [[rows.sum_squares(area.estimate) for rows in area.classes] for area in areas]
    smoothed = [SmoothedAreas.from_placements(area) for area in areas]
    statistic, p_value = map(float, welch_test(smoothed, squares))
    p_value, remark = _allow_for_unseen(p_value, _test_pairs(smoothed))
    return AucByGroup(
        groups={name: _estimate(part, level, method) for name, part in comparable.items()},
        skipped=tuple(name for name in parts if name not in comparable),
        null="all groups have the same AUC",
        method=f"Welch's F of the logits{remark}",
        statistic=statistic,
        df=len(areas) - 1,
        p_value=p_value,
        n=sample.n,
        stratified=_estimate(sample, level, method),
    )


def _test_pairs(areas: list[SmoothedAreas]) -> Iterator[AucStatistic]:
    """Test the differences between the group with the highest or the lowest AUC and another group."""
    ordered = sorted(areas, key=lambda area: float(area.estimate))
    ends, middle = (ordered[0], ordered[-1]), ordered[1:-1]
    for pair in [ends, *product(ends, middle)] if len(areas) > 1 else []:
        yield contrast_test(AreaContrast.from_samples(*pair), Hypothesis(), 0.95, "smoothed-logit")


def _allow_for_unseen(p_value: float, pairs: Iterable[AucTest | AucStatistic]) -> tuple[float, str]:
    """Return the p-value of several AUCs, or the smallest p-value of two of these AUCs if this is larger.

    The second result describes the replacement; it is appended to the name of the method.
    """
    smallest = 1.0
    for test in pairs:
        smallest = min(smallest, float(test.p_value))
        if smallest <= p_value:
            return p_value, ""
    return smallest, "; p is the smallest p of two AUCs"


def _estimate(sample: CurveSample, level: float, method: str | None) -> AucEstimate:
    check_option("method", method, (None, *ESTIMATE_METHODS))
    area = sample.area()
    interval = auc_interval(area, level, method)
    compared = np.sum([[part.total for part in stratum.classes] for stratum in area.strata], axis=0).tolist()
    variance = "DeLong within strata" if area.is_stratified else "DeLong"
    variance = "differences between strata" if all(area.has_singleton_class) else variance
    variance = "the jackknife over clusters" if sample.classes[0].clusters is not None else variance
    return AucEstimate(
        auc=float(area.estimate),
        std_error=float(SmoothedAreas.from_placements(area).std_error),
        interval=interval,
        estimator=f"{MANN_WHITNEY}; variance by {variance}",
        n=sample.n,
        n_independent=area.n_units,
        n_strata=len(area.strata),
        omitted=sample.omitted,
        n_unlabelled=sample.n_unlabelled,
        n_uncompared=(sample.n[0] - compared[0], sample.n[1] - compared[1]),
        direction=sample.directions[0],
        flags=sample.flags | interval.flags,
    )


def welch_test(areas: Sequence[SmoothedAreas], squares: Any) -> tuple[FloatArray, FloatArray]:
    """Compare the smoothed areas of groups on the logit scale, and return Welch's F (1951) and its p-value.

    Several studies can be tested at once. ``squares`` has the shape (groups, 2, ...). It contains, for each group and
    class, the sum of squared deviations of the placement values from the area.

    A group that, by chance, lacks the rare values that contribute most to the variance has an extreme area A and an
    estimated variance that is too small. For one feature, the variances of the placement values, divided by A(1 - A),
    are similar in all groups. The mean of these ratios over the groups therefore gives a second estimate of the
    variance of each area. The lower limit of each variance is ``_MIN_MEAN_SHARE`` times the second estimate.
    """
    centre, variance, freedom, sizes = (
        np.array([getattr(area, name) for area in areas]) for name in ("centre", "variance", "df", "n_units")
    )
    df = len(areas) - 1
    if not df:
        return np.zeros(centre.shape[1:]), np.ones(centre.shape[1:])
    spread = centre * (1 - centre)
    sizes = sizes.reshape(*sizes.shape, *(1,) * (centre.ndim - 1))
    mean = np.mean(squares / (spread[:, None] * sizes), axis=0)
    variance = np.maximum(variance, _MIN_MEAN_SHARE * spread * np.sum(mean / sizes, axis=1))
    weights = spread**2 / variance
    shares, logits = weights / weights.sum(axis=0), logit(centre)
    between = np.sum(weights * (logits - np.sum(shares * logits, axis=0)) ** 2, axis=0)
    correction = np.sum((1 - shares) ** 2 / freedom, axis=0) / (df * (df + 2))
    statistic = between / df / (1 + 2 * (df - 1) * correction)
    return statistic, fdtrc(df, 1 / np.maximum(3 * correction, 1e-12), statistic)
