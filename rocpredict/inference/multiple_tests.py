"""Tests of several correlated AUCs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, fdtrc

from rocpredict.base.results import (
    MAX_ROWS,
    Flags,
    Result,
    Table,
    check_confidence_level,
    format_list,
    format_number,
    format_p_value,
)
from rocpredict.base.validation import FloatArray, RocPredictError, check_finite, readonly_array
from rocpredict.inference.auc_tests import PairedDesign, opposite_direction_flag, prepare_design
from rocpredict.inference.differences import MANN_WHITNEY, ComparedQuantity, delong_test
from rocpredict.inference.hypotheses import METHOD_NAMES, AucTest, Hypothesis
from rocpredict.inference.placements import VARIANCE_TOL, AnyPlacements

_EIGENVALUE_RTOL = 1e-10  # of the largest eigenvalue: below, curves say the same and a degree of freedom is lost


@dataclass(frozen=True, eq=False, repr=False)
class AucTestMany(Result):
    """Hold the test whether K curves have the same AUC, and what sets them apart.

    Attributes
    ----------
    null, method, estimator : str
    estimates : tuple of float
        AUC of each curve.
    covariance : array of shape (K, K)
        Of the estimates.
    statistic : float
        Chi-squared.
    df : int
        Its degrees of freedom: K - 1, less for curves that say the same.
    p_value : float
    contrasts : tuple of AucTest
        Each pair, or each contrast that was asked for; p not adjusted.
    adjusted_p : tuple of float
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
    adjusted_p: tuple[float, ...]
    n: tuple[float, float]
    omitted: tuple[int, int]
    direction: tuple[str, ...]
    flags: Flags

    _frame_of_table = True

    def table(self) -> Table:
        """Return the contrasts, pair by pair."""
        rows = [
            [each.null, each.difference, *each.interval, each.statistic, each.p_value, adjusted]
            for each, adjusted in zip(self.contrasts, self.adjusted_p, strict=True)
        ]
        notes = [
            f"Null hypothesis: {self.null}. Method: {self.method}.",
            f"Statistic {format_number(self.statistic)}, df {self.df}, p {format_p_value(self.p_value)}.",
            "Each interval covers by itself; adjusted p (Holm) hold for all pairs together.",
            f"Estimates: {format_list(map(format_number, self.estimates), MAX_ROWS)}.",
            f"Cases (negative, positive): {self.n}.",
        ]
        columns = ["null hypothesis", "difference", "low", "high", "z", "p", "adjusted p"]
        formats = {"p": format_p_value, "adjusted p": format_p_value, "z": ".4g"}
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
    features: Sequence[ArrayLike] | Mapping[str, ArrayLike],
    y: ArrayLike,
    *,
    positive: Any = None,
    negative: Any = None,
    contrasts: ArrayLike | None = None,
    direction: Any = None,
    level: float = 0.95,
    nan_policy: str = "raise",
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
) -> AucTestMany:
    """Test whether several features on the same cases have the same AUC.

    Parameters
    ----------
    features : sequence of K arrays of shape (n,), or mapping of name to array
        Two or more features on the same rows; of a table of shape (n, K) give the transpose.
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
    The omnibus statistic is chi-squared for the covariance matrix of DeLong, DeLong and Clarke-Pearson (1988). As that
    is estimated, p comes from Hotelling's F, with the cases (or clusters) of the smaller class, less one, behind the
    estimate: with few cases the chi-squared law would reject equal curves far too often, this rejects too seldom.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> auc_test_many(list(iris.X.T), iris.y, positive="virginica", negative="versicolor")
    AucTestMany(estimates=(0.7896, 0.6636, 0.9822, 0.9804), statistic=..., df=3, p_value=..., contrasts=6,
                n=(50, 50))
    """
    named = _as_named_features(features, 2)
    rows = prepare_design(
        named,
        y,
        positive=positive,
        negative=negative,
        direction=direction,
        nan_policy=nan_policy,
        weights=weights,
        clusters=clusters,
        strata=strata,
    )
    areas = rows.auc_components(ComparedQuantity())
    matrix = _contrast_matrix(contrasts, len(named))
    tests = tuple(_test_contrast(rows, areas, row, check_confidence_level(level)) for row in matrix)
    statistic, df, smoothed = _wald_statistic(areas)
    return AucTestMany(
        null="all AUCs are equal",
        method=f"{METHOD_NAMES['delong']}, paired{rows.design}",
        estimator=MANN_WHITNEY,
        estimates=tuple(areas.estimate.tolist()),
        covariance=readonly_array(areas.variance()),
        statistic=statistic,
        df=df,
        p_value=_hotelling_p_value(statistic, df, _denominator_df(areas)),
        contrasts=tests,
        adjusted_p=_holm([test.p_value for test in tests]),
        n=rows.n,
        omitted=rows.omitted,
        direction=rows.directions,
        flags=rows.flags | Flags(same_curve=df == 0, fallback=smoothed) | opposite_direction_flag(areas.estimate),
    )


def auc_covariance(
    features: Sequence[ArrayLike] | Mapping[str, ArrayLike],
    y: ArrayLike,
    *,
    positive: Any = None,
    negative: Any = None,
    direction: Any = None,
    nan_policy: str = "raise",
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> FloatArray:
    """Give the covariance matrix of the AUCs of several features on the same cases, shape (K, K).

    Parameters
    ----------
    features : sequence of K arrays of shape (n,), or mapping of name to array
    y, positive, negative, direction, nan_policy, weights, clusters
        As in ``auc_test``.

    Raises
    ------
    RocPredictError
        As ``auc_test``.

    Notes
    -----
    DeLong, DeLong and Clarke-Pearson (1988); with clusters Obuchowski (1997).

    Examples
    --------
    >>> auc_covariance([[1, 2, 3, 4], [2, 1, 4, 3]], [0, 1, 0, 1])
    array([[0.125, 0.125],
           [0.125, 0.125]])
    """
    rows = prepare_design(
        _as_named_features(features, 1),
        y,
        positive=positive,
        negative=negative,
        direction=direction,
        nan_policy=nan_policy,
        weights=weights,
        clusters=clusters,
    )
    covariance = rows.auc_components(ComparedQuantity()).variance()
    return np.asarray((covariance + covariance.T) / 2)


def _as_named_features(features: Sequence[ArrayLike] | Mapping[str, ArrayLike], least: int) -> dict[str, ArrayLike]:
    given = features.items() if isinstance(features, Mapping) else ((f"x{k + 1}", x) for k, x in enumerate(features))
    named = {str(name): x for name, x in given}
    if len(named) < least:
        raise RocPredictError(
            f"features has {len(named)} curves; give {('one', 'two')[least - 1]} or more, each of shape (n,)"
        )
    return named


def _contrast_matrix(given: ArrayLike | None, count: int) -> FloatArray:
    if given is None:
        unit = np.eye(count)
        return np.array([unit[i] - unit[j] for i, j in combinations(range(count), 2)])
    matrix = np.atleast_2d(check_finite("contrasts", given))
    if matrix.ndim != 2 or matrix.shape[1] != count:
        raise RocPredictError(f"contrasts has shape {matrix.shape}; give a weight for each of the {count} curves")
    if (np.abs(matrix.sum(axis=1)) > 1e-9).any() or not np.abs(matrix).sum(axis=1).all():
        raise RocPredictError("contrasts do not sum to 0; each compares curves, such as (1, -1/2, -1/2)")
    return matrix


def _test_contrast(rows: PairedDesign, areas: AnyPlacements, weights: FloatArray, level: float) -> AucTest:
    chosen = areas.contrast(weights)
    claim = Hypothesis()
    found = delong_test(chosen, claim, level)
    held = [(w, name) for w, name in zip(weights, rows.names, strict=True) if w]
    words = claim.describe(_format_weighted_sum(held, 1), _format_weighted_sum(held, -1))
    estimates = tuple(float(a) for a, w in zip(areas.estimate, weights, strict=True) if w)
    return found.result(
        words,
        method=f"{METHOD_NAMES['delong']}, paired{rows.design}",
        estimator=MANN_WHITNEY,
        estimates=estimates,
        difference=float(chosen.estimate),
        n=rows.n,
        omitted=rows.omitted,
        direction=tuple(side for side, w in zip(rows.directions, weights, strict=True) if w),
        flags=rows.flags | found.flags | opposite_direction_flag(estimates),
    )


def _format_weighted_sum(held: list[tuple[float, str]], sign: int) -> str:
    """Give one side of a contrast, such as ``0.5 AUC of x2 + 0.5 AUC of x3``."""
    parts = [(abs(w), name) for w, name in held if w * sign > 0]
    return " + ".join(f"AUC of {name}" if w == 1 else f"{w:.4g} AUC of {name}" for w, name in parts)


def _wald_statistic(areas: AnyPlacements) -> tuple[float, int, bool]:
    """Give the quadratic form of the differences between neighbours, its rank, and whether it had to be smoothed."""
    steps = np.diff(np.eye(len(areas.estimate)), axis=0)

    def form(estimate: FloatArray, variance: FloatArray) -> tuple[float, int, bool]:
        values, vectors = np.linalg.eigh(steps @ (variance + variance.T) @ steps.T / 2)
        kept = values > max(values.max(initial=0.0) * _EIGENVALUE_RTOL, VARIANCE_TOL)
        along = vectors.T @ (steps @ estimate)
        unseen = bool((np.abs(along[~kept]) > _EIGENVALUE_RTOL).any())  # a difference that no case varies
        return float(np.sum(along[kept] ** 2 / values[kept])), int(np.count_nonzero(kept)), unseen

    statistic, df, unseen = form(areas.estimate, areas.variance())
    return (*form(*areas.smoothed_estimate())[:2], True) if unseen else (statistic, df, False)


def _denominator_df(areas: AnyPlacements) -> float:
    """Give how many independent cases, or clusters, the less certain class has behind its covariances, less one."""
    return float(min(areas.n_units) - 1)


def _hotelling_p_value(statistic: float, df: int, freedom: float) -> float:
    """Give p of a chi-squared of estimated covariances, by Hotelling's F; for df of 1 by the normal law."""
    rest = freedom - df + 1
    if df <= 1:
        return float(chdtrc(df, statistic)) if df else 1.0
    return float(fdtrc(df, rest, statistic * rest / (freedom * df))) if rest > 0 else 1.0


def _holm(p_values: list[float]) -> tuple[float, ...]:
    order = np.argsort(p_values)
    factors = len(p_values) - np.arange(len(p_values))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(np.array(p_values)[order] * factors), 1.0)
    return tuple(adjusted.tolist())
