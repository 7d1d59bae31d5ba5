"""The AUC of rows that belong together: within strata, in clusters, or group by group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, logit

from rocpredict.arguments import one_of, shown
from rocpredict.auc_tests.rows import Prepared, prepare
from rocpredict.errors import RocPredictError
from rocpredict.flags import Flags
from rocpredict.inference.areas import area_interval, area_std_error
from rocpredict.inference.differences import Quantity
from rocpredict.inference.placements import NO_VARIANCE, Placements
from rocpredict.inference.strata import Areas, Stratified
from rocpredict.interval import Interval, as_level
from rocpredict.rich_results import MOST_ROWS, Rich, Shown, between, listed, number, p_value

ESTIMATE_METHODS = ("smoothed-logit", "delong", "logit")
"""Intervals of an AUC within strata or with clusters; the first is the default."""

_NAMED = 4
"""Groups in a repr."""


@dataclass(frozen=True, eq=False, repr=False)
class AucEstimate(Rich):
    """Hold an AUC with its uncertainty.

    Attributes
    ----------
    auc, std_error : float
    interval : Interval
    estimator : str
        What is estimated, and how its variance was found.
    n : pair of float
        Cases (negative, positive).
    units : pair of float
        Independent units (negative, positive): cases, or clusters that hold some.
    strata : int
        Strata with cases of both classes; 1 where there are none.
    omitted : pair of int
        Rows left out for want of a value.
    left_alone : pair of float
        Cases in strata that lack the other class: there is nothing to compare them with.
    direction : str
    flags : Flags
    """

    auc: float
    std_error: float
    interval: Interval
    estimator: str
    n: tuple[float, float]
    units: tuple[float, float]
    strata: int
    omitted: tuple[int, int]
    left_alone: tuple[float, float]
    direction: str
    flags: Flags

    def to_dict(self) -> dict[str, Any]:
        """Give everything by name."""
        names = ("auc", "std_error", "estimator", "n", "units", "strata", "omitted", "left_alone", "direction")
        rest = {"interval": self.interval.to_dict(), "flags": list(self.flags)}
        return {name: getattr(self, name) for name in names} | rest

    def _shown(self) -> Shown:
        rows: list[list[Any]] = [
            ["AUC", self.auc],
            ["standard error", self.std_error],
            [f"interval of level {self.interval.level:g}", between(*self.interval)],
            ["method", self.interval.method],
            ["negatives, positives", listed(self.n)],
            ["independent units of each", listed(self.units)],
            ["strata", self.strata],
            ["direction", self.direction],
        ]
        lost = {"omitted": self.omitted, "left alone in their strata": self.left_alone}
        rows += [[name, listed(pair)] for name, pair in lost.items() if any(pair)]
        return Shown(f"AUC: {self.estimator}", rows, flags=self.flags)

    def __repr__(self) -> str:
        flags = f", flags={list(self.flags)}" if self.flags else ""
        return (
            f"AucEstimate(auc={self.auc:.6g}, interval={self.interval.low:.6g} to {self.interval.high:.6g}, "
            f"std_error={self.std_error:.4g}, estimator={self.estimator!r}, n={self.n}{flags})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class GroupedAuc(Rich):
    """Hold the AUC of each group, and whether they differ.

    Attributes
    ----------
    groups : dict
        An ``AucEstimate`` for each group, in the order of their names.
    skipped : tuple
        Groups that lack a class.
    null, method : str
        What is tested, and how.
    statistic, df, p_value : float, int, float
        Cochran's Q (1954), chi-squared with ``df`` where every group is large; p is 1 for a single group.
    n : pair
        Cases (negative, positive) of all groups.
    stratified : AucEstimate
        The AUC of pairs within groups.
    """

    groups: dict[Any, AucEstimate]
    skipped: tuple[Any, ...]
    null: str
    method: str
    statistic: float
    df: int
    p_value: float
    n: tuple[float, float]
    stratified: AucEstimate

    def to_dict(self) -> dict[str, Any]:
        """Give everything by name."""
        names = ("null", "method", "statistic", "df", "p_value", "n", "skipped")
        groups = {str(name): estimate.to_dict() for name, estimate in self.groups.items()}
        rest = {name: getattr(self, name) for name in names}
        return {"groups": groups} | rest | {"stratified": self.stratified.to_dict()}

    def _shown(self) -> Shown:
        rows = [[name, *_row_of(estimate)] for name, estimate in list(self.groups.items())[:MOST_ROWS]]
        many = len(self.groups)
        notes = [
            *([f"The first {MOST_ROWS} of {many} groups."] if many > MOST_ROWS else []),
            f"Null hypothesis: {self.null}. Method: {self.method}.",
            f"Statistic {number(self.statistic)}, df {self.df}, p {p_value(self.p_value)}.",
            *([f"Left out for want of a class: {listed(self.skipped)}."] if self.skipped else []),
        ]
        rows.append(["within groups (stratified)", *_row_of(self.stratified)])
        return Shown("AUC by group", rows, ["group", "AUC", "low", "high", "negatives", "positives"], notes=notes)

    def __repr__(self) -> str:
        areas = ", ".join(
            f"{shown(name, 24)}: {estimate.auc:.4g}" for name, estimate in list(self.groups.items())[:_NAMED]
        )
        areas += f", ... {len(self.groups)} groups" if len(self.groups) > _NAMED else ""
        skipped = f", skipped={shown(list(self.skipped), 40)}" if self.skipped else ""
        return f"GroupedAuc({{{areas}}}, p_value={self.p_value:.6g}, stratified={self.stratified.auc:.4g}{skipped})"


def _row_of(estimate: AucEstimate) -> tuple[Any, ...]:
    return estimate.auc, *estimate.interval, *estimate.n


def auc_estimate(
    x: ArrayLike,
    y: ArrayLike,
    *,
    positive: Any = None,
    negative: Any = None,
    strata: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    stratum_weights: str = "pairs",
    direction: str | None = None,
    level: float = 0.95,
    method: str | None = None,
    nan_policy: str = "raise",
) -> AucEstimate:
    """Estimate an AUC where rows belong together.

    Parameters
    ----------
    x : array of shape (n,)
        Values of one feature.
    y : array of shape (n,)
        Labels.
    positive, negative : label, optional
        As in ``empirical_roc``.
    strata : array of shape (n,), optional
        Such as hospitals or age classes: only a negative and a positive of one stratum are compared, so that
        the AUC is free of what merely tells the strata apart (Janes and Pepe 2009).
    clusters : array of shape (n,), optional
        Such as patients with several readings, of either class: rows of one cluster are not independent, and the
        variance is Obuchowski's (1997).
    weights : array of shape (n,), optional
        How many cases each row stands for.
    stratum_weights : {"pairs", "positives", "equal"}
        How strata count: by their pairs of a negative and a positive, by their positives, or all alike.
    direction : {None, "higher", "lower", "auto"}
        As in ``auc_test``.
    level : float
    method : {"smoothed-logit", "delong", "logit"}, optional
        Of the interval.
    nan_policy : {"raise", "omit"}

    Returns
    -------
    AucEstimate

    Raises
    ------
    RocPredictError
        As ``empirical_roc``; strata and clusters together; no stratum with both classes.

    Notes
    -----
    The variance is DeLong's within strata. Strata with one case of a class only, as matched pairs are, do not show it:
    theirs is that between such strata.

    Examples
    --------
    >>> x, y = [1, 3, 2, 4, 11, 12, 13, 15], [0, 1, 0, 1, 0, 0, 1, 1]
    >>> auc_estimate(x, y, strata=["a"] * 4 + ["b"] * 4).auc
    1.0
    >>> auc_estimate(x, y).auc
    0.75
    """
    rows = prepare(
        {"x": x},
        y,
        positive=positive,
        negative=negative,
        direction=direction,
        nan_policy=nan_policy,
        weights=weights,
        clusters=clusters,
        strata=strata,
        stratum_weights=stratum_weights,
    )
    return _estimate(rows, as_level(level), method)


def auc_by_group(
    x: ArrayLike,
    y: ArrayLike,
    groups: ArrayLike,
    *,
    positive: Any = None,
    negative: Any = None,
    weights: ArrayLike | None = None,
    direction: str | None = None,
    level: float = 0.95,
    method: str | None = None,
    nan_policy: str = "raise",
) -> GroupedAuc:
    """Give the AUC of each group of rows, and test whether they differ.

    Parameters
    ----------
    x, y : array of shape (n,)
    groups : array of shape (n,)
        Which group each row belongs to.
    positive, negative, weights, direction, level, method, nan_policy
        As in ``auc_estimate``; each interval has the level by itself.

    Returns
    -------
    GroupedAuc

    Raises
    ------
    RocPredictError
        As ``auc_estimate``; no group with both classes.

    Examples
    --------
    >>> from rocpredict.datasets import load_pima
    >>> pima = load_pima()
    >>> import numpy as np
    >>> older = np.where(pima.column("age") > 30, "over 30", "to 30")
    >>> auc_by_group(pima.column("glucose"), pima.y, older, positive="pos")
    GroupedAuc({'over 30': 0.7377, 'to 30': 0.81}, p_value=0.0..., stratified=0.773)
    """
    rows = prepare(
        {"x": x},
        y,
        positive=positive,
        negative=negative,
        direction=direction,
        nan_policy=nan_policy,
        weights=weights,
        strata=groups,
        strata_name="groups",
    )
    level = as_level(level)
    names = np.unique(np.asarray(groups)).tolist()
    parts = {name: rows.stratum(code) for code, name in enumerate(names)}
    held = {name: part for name, part in parts.items() if min(part.n) > 0}
    if not held:
        raise RocPredictError(f"groups={shown(names)}: none of them has rows of both classes; nothing can be compared")
    statistic, df = _cochran([part.areas(Quantity()).select(np.ones(1)) for part in held.values()])
    return GroupedAuc(
        groups={name: _estimate(part, level, method) for name, part in held.items()},
        skipped=tuple(name for name in parts if name not in held),
        null="all groups have the same AUC",
        method="Cochran's Q of the logits",
        statistic=statistic,
        df=df,
        p_value=float(chdtrc(df, statistic)) if df else 1.0,
        n=rows.n,
        stratified=_estimate(rows, level, method),
    )


def _estimate(rows: Prepared, level: float, method: str | None) -> AucEstimate:
    one_of("method", method, (None, *ESTIMATE_METHODS))
    areas = rows.areas(Quantity()).select(np.ones(1))
    interval = area_interval(areas, level, method or ESTIMATE_METHODS[0])
    compared = sum(part.negative.total for part in _parts(areas)), sum(part.positive.total for part in _parts(areas))
    return AucEstimate(
        auc=float(areas.estimate),
        std_error=area_std_error(areas, None),
        interval=interval,
        estimator=f"Mann-Whitney, ties half; variance by {_variance_name(rows, areas)}",
        n=rows.n,
        units=areas.units,
        strata=len(_parts(areas)),
        omitted=rows.omitted,
        left_alone=(rows.n[0] - compared[0], rows.n[1] - compared[1]),
        direction=rows.directions[0],
        flags=rows.flags | interval.flags,
    )


def _parts(areas: Areas) -> tuple[Placements, ...]:
    return areas.parts if isinstance(areas, Stratified) else (areas,)


def _variance_name(rows: Prepared, areas: Areas) -> str:
    if rows.columns.clusters[0] is not None:
        return "Obuchowski"
    if isinstance(areas, Stratified):
        return "differences between strata" if all(areas.blind) else "DeLong within strata"
    return "DeLong"


def _cochran(groups: list[Areas]) -> tuple[float, int]:
    """Give Cochran's Q of the logits of the areas, weighed by their variances, and its df.

    In trials of 3 to 10 groups of 8 to 50 cases a class it rejected equal areas in 1 to 5 % at a level of 5 %.
    """
    told = [_seen(group) for group in groups]
    areas, variances = np.array(told).T
    weights = (areas * (1 - areas)) ** 2 / variances
    logits = logit(areas)
    mean = weights @ logits / weights.sum()
    return float(weights @ (logits - mean) ** 2), len(groups) - 1


def _seen(group: Areas) -> tuple[float, float]:
    """Give area and variance; where a group shows no spread the smoothed ones."""
    area, variance = float(group.estimate), float(group.variance())
    if variance <= NO_VARIANCE or min(group.units) <= 1 or area in {0, 1}:
        area, variance = (float(part) for part in group.smoothed())
    return area, variance
