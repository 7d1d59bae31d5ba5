"""Tests of several correlated AUCs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtrc

from rocpredict.base.formatting import format_list, format_number, format_p_value
from rocpredict.base.labels import check_index
from rocpredict.base.rates import check_confidence_level
from rocpredict.base.results import MAX_ROWS, Flags, Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    Directions,
    FloatArray,
    Label,
    NanPolicy,
    RocPredictError,
    check_finite,
    readonly_array,
    short_repr,
)
from rocpredict.inference.hypotheses import (
    MANN_WHITNEY,
    METHOD_NAMES,
    AreaDifference,
    AucTest,
    Hypothesis,
    opposite_direction_flag,
)
from rocpredict.inference.placements import EIGENVALUE_RTOL, VARIANCE_TOL, AnyPlacements, VarianceComponent
from rocpredict.inference.samples import CurveSample, RowOptions
from rocpredict.inference.smoothed_logit import SmoothedAreas
from rocpredict.sources.table import as_feature_table


@dataclass(frozen=True, eq=False, repr=False)
class AucTestMany(Result):
    """The test whether K curves have the same AUC, and what sets them apart.

    Attributes
    ----------
    null, method, estimator : str
    estimates : tuple of float
        AUC of each curve.
    covariance : array of shape (K, K)
        Of the estimates, by DeLong, DeLong and Clarke-Pearson (1988); with clusters by the jackknife over clusters.
    statistic : float
        Hotelling's T squared; with many observations chi-squared.
    df : int
        Its degrees of freedom: K - 1, less for curves that rank all observations alike.
    p_value : float
        Of the test that all AUCs are equal, which has no interval.
    contrasts : tuple of AucTest
        Each pair, or each contrast that was asked for; p not adjusted.
    adjusted_p_values : tuple of float
        Of the contrasts, by Holm (1979).
    n, omitted, direction, flags
        As in ``AucTest``.
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
    direction: tuple[str, ...]
    flags: Flags

    _frame_of_table = True

    def table(self) -> Table:
        """Return the contrasts, pair by pair."""
        rows = [
            [each.null, each.difference, *each.interval, each.statistic, each.p_value, adjusted]
            for each, adjusted in zip(self.contrasts, self.adjusted_p_values, strict=True)
        ]
        notes = [
            f"Null hypothesis: {self.null}. Method: {self.method}.",
            f"Statistic {format_number(self.statistic)}, df {self.df}, p {format_p_value(self.p_value)}.",
            "Each interval covers by itself; adjusted p (Holm) hold for all pairs together.",
            f"Estimates: {format_list(map(format_number, self.estimates), MAX_ROWS)}.",
            f"Cases (negative, positive): {self.n}.",
        ]
        columns = ["null hypothesis", "difference", "low", "high", "t", "p", "adjusted p"]
        formats = {"p": format_p_value, "adjusted p": format_p_value, "t": ".4g"}
        return Table(f"Test of {self.estimator}", columns, rows, formats, notes, self.flags)

    def __repr__(self) -> str:
        areas = ", ".join(f"{area:.4g}" for area in self.estimates[:MAX_ROWS])
        areas += f", ... {len(self.estimates)} in all" if len(self.estimates) > MAX_ROWS else ""
        flags = f", flags={list(self.flags)}" if self.flags else ""
        return (
            f"AucTestMany(estimates=({areas}), statistic={self.statistic:.6g}, df={self.df}, "
            f"p_value={self.p_value:.6g}, contrasts={len(self.contrasts)}, n={self.n}{flags})"
        )


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
    """Test whether several features on the same cases have the same AUC.

    Parameters
    ----------
    features : sequence of K arrays of shape (n,), mapping of name to array, or data frame
        Two or more features on the same rows; of an array of shape (n, K) give the transpose.
    y : array of shape (n,)
        Labels.
    contrasts : array of shape (C, K) or (K,), optional
        Weighted sums of the areas to test against 0, weights summing to 0; left out, every pair.
    level : float
        Of the contrasts' intervals, each by itself.
    positive, negative, direction, nan_policy, weights, clusters, strata
        As in ``auc_test``.

    Returns
    -------
    AucTestMany

    Raises
    ------
    RocPredictError
        As ``auc_test``; fewer than two features; contrasts that do not sum to 0.

    Notes
    -----
    The omnibus statistic is a quadratic form of differences and of the covariance matrix of DeLong, DeLong and
    Clarke-Pearson (1988). As each class adds an estimated part of it, p comes from an F distribution with the degrees
    of freedom of Krishnamoorthy and Yu (2004), a Satterthwaite approximation for matrices. Contrasts are tested by
    MOVER, as in ``auc_test``.

    References
    ----------
    Krishnamoorthy and Yu (2004), Statistics & Probability Letters 66, 161-169. Holm (1979), Scand. J. Statist. 6,
    65-70.

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
    if len(columns) < 2:
        raise RocPredictError(f"features has {len(columns)} curves; give two or more, each of shape (n,)")
    options = RowOptions(positive, negative, nan_policy, direction, weights, clusters, strata)
    sample = CurveSample.from_rows(columns, y, options)
    areas = sample.placements()
    covariance = areas.variance()
    matrix = _contrast_matrix(contrasts, len(columns))
    tests = tuple(_test_contrast(sample, areas, row, check_confidence_level(level)) for row in matrix)
    omnibus = _test_equality(areas)
    rows = sample.fields()
    rows["flags"] |= Flags(same_curve=omnibus.df == 0, fallback=omnibus.is_smoothed)
    rows["flags"] |= opposite_direction_flag(areas.estimate) | Flags(dominant_cluster=areas.has_dominant_cluster)
    return AucTestMany(
        null="all AUCs are equal",
        method=f"Krishnamoorthy-Yu, paired{sample.design}",
        estimator=MANN_WHITNEY,
        estimates=tuple(areas.estimate.tolist()),
        covariance=readonly_array((covariance + covariance.T) / 2),
        statistic=omnibus.statistic,
        df=omnibus.df,
        p_value=omnibus.p_value,
        contrasts=tests,
        adjusted_p_values=_holm([test.p_value for test in tests]),
        **rows,
    )


def _columns_by_name(features: Any) -> dict[str, Any]:
    """Return the features by name: of a mapping or a data frame its own, else x1, x2, ..."""
    if isinstance(features, Mapping):
        return {str(name): x for name, x in features.items()}
    if hasattr(type(features), "columns") or hasattr(type(features), "column_names"):
        table = as_feature_table(features)
        return {str(name): table.column(index) for index, name in enumerate(table.names.tolist())}
    is_list = isinstance(features, Iterable) and not isinstance(features, (str, bytes))
    if not is_list or getattr(features, "ndim", 1) == 0 or hasattr(features, "tocsr"):
        raise RocPredictError(
            f"features={short_repr(features)} is not a list of features; give two or more, each of shape (n,)"
        )
    return {f"x{k}": x for k, x in enumerate(features, start=1)}


def _contrast_matrix(contrasts: ArrayLike | None, count: int) -> FloatArray:
    if contrasts is None:
        unit = np.eye(count)
        return np.array([unit[i] - unit[j] for i, j in combinations(range(count), 2)])
    matrix = np.atleast_2d(check_finite("contrasts", contrasts))
    if matrix.ndim != 2 or matrix.shape[1] != count:
        raise RocPredictError(f"contrasts has shape {matrix.shape}; give a weight for each of the {count} curves")
    if (np.abs(matrix.sum(axis=1)) > 1e-9).any() or not np.abs(matrix).sum(axis=1).all():
        raise RocPredictError("contrasts do not sum to 0; each compares curves, such as (1, -1/2, -1/2)")
    return matrix


def _test_contrast(sample: CurveSample, areas: AnyPlacements, weights: FloatArray, level: float) -> AucTest:
    difference, claim = AreaDifference.paired(areas, weights), Hypothesis()
    index = np.flatnonzero(weights)

    def describe(sign: int) -> str:
        parts = [(abs(w), name) for w, name in zip(weights, sample.names, strict=True) if w * sign > 0]
        return " + ".join(f"AUC of {name}" if w == 1 else f"{w:.4g} AUC of {name}" for w, name in parts)

    estimates = tuple(areas.estimate[index].tolist())
    rows = sample.fields()
    rows["direction"] = tuple(sample.directions[k] for k in index)
    rows["flags"] |= opposite_direction_flag(estimates)
    return difference.test(claim, level, "smoothed-logit").result(
        claim.describe(describe(1), describe(-1)),
        method=f"{METHOD_NAMES['mover']}, paired{sample.design}",
        estimator=MANN_WHITNEY,
        estimates=estimates,
        difference=difference.contrast.estimate,
        covariance=areas.variance()[np.ix_(index, index)],
        **rows,
    )


class _EqualityTest(NamedTuple):
    """Test that K areas are equal."""

    statistic: float
    df: int
    p_value: float
    is_smoothed: bool
    """Whether a difference between the areas showed no variance, so that smoothed variances were needed."""


def _test_equality(areas: AnyPlacements) -> _EqualityTest:
    """Test that K areas are equal by Hotelling's T squared, with a covariance matrix of several parts.

    The degrees of freedom are (p + p^2) / sum_k (tr[(V_k V^-1)^2] + tr[V_k V^-1]^2) / df_k for the parts V_k of V, the
    covariance matrix of p differences (Krishnamoorthy and Yu 2004).
    """

    def test(estimate: FloatArray, components: list[VarianceComponent]) -> tuple[_EqualityTest, bool]:
        steps = np.diff(np.eye(len(estimate)), axis=0)
        differences = steps @ estimate
        parts = [steps @ component.variance @ steps.T for component in components]
        values, vectors = np.linalg.eigh(sum(parts, np.zeros((len(steps), len(steps)))))
        is_positive = values > max(values.max(initial=0.0) * EIGENVALUE_RTOL, VARIANCE_TOL)
        unseen = bool((np.abs(vectors.T @ differences)[~is_positive] > EIGENVALUE_RTOL).any())
        scale = vectors[:, is_positive] / np.sqrt(values[is_positive])
        df, statistic = int(np.count_nonzero(is_positive)), float(np.sum((differences @ scale) ** 2))
        if not df:
            return _EqualityTest(statistic, df, 1.0, False), unseen
        shares = [scale.T @ part @ scale for part in parts]
        spent = [(np.sum(v * v) + np.trace(v) ** 2) / c.df for v, c in zip(shares, components, strict=True)]
        freedom = (df + df**2) / max(float(sum(spent)), 1e-12)
        rest = freedom - df + 1
        p_value = float(fdtrc(df, rest, statistic * rest / (freedom * df))) if rest > 0 else 1.0
        return _EqualityTest(statistic, df, p_value, False), unseen

    result, unseen = test(areas.estimate, areas.components())
    if not unseen:
        return result
    profiles = np.column_stack([areas.estimate, areas.variance()]).round(12)  # alike for curves that rank alike
    areas = areas.select(np.sort(np.unique(profiles, axis=0, return_index=True)[1]))
    smoothing = SmoothedAreas.from_placements(areas).variance - np.diagonal(areas.variance())
    added = VarianceComponent(np.diag(np.maximum(smoothing, 0)), max(min(areas.n_units) - 1, 1))
    return test(areas.estimate, [*areas.components(), added])[0]._replace(is_smoothed=True)


def _holm(p_values: list[float]) -> tuple[float, ...]:
    order = np.argsort(p_values)
    factors = len(p_values) - np.arange(len(p_values))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(np.array(p_values)[order] * factors), 1.0)
    return tuple(adjusted.tolist())
