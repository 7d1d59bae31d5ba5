"""AUC with clusters or strata, and AUC by group."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtrc, logit

from rocpredict.base.formatting import format_list, format_number, format_p_value
from rocpredict.base.labels import as_rereadable, encode_groups
from rocpredict.base.rates import check_confidence_level
from rocpredict.base.results import Flags, Interval, Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import Direction, Label, NanPolicy, RocPredictError, check_option, short_repr
from rocpredict.inference.hypotheses import MANN_WHITNEY
from rocpredict.inference.intervals import auc_interval, auc_std_error
from rocpredict.inference.placements import AnyPlacements, StratifiedPlacements, StratumWeights
from rocpredict.inference.samples import CurveSample, RowOptions
from rocpredict.inference.smoothed_logit import SmoothedAreas

EstimateMethod: TypeAlias = Literal["smoothed-logit", "delong", "logit"]
ESTIMATE_METHODS: tuple[EstimateMethod, ...] = get_args(EstimateMethod)
"""Intervals of an AUC within strata or with clusters; the first is the default."""
_FIELD_LABELS = 4
"""Groups in a repr."""


@dataclass(frozen=True, eq=False, repr=False)
class AucEstimate(Result):
    """An AUC with its uncertainty.

    Attributes
    ----------
    auc, std_error : float
    interval : Interval
    estimator : str
        What is estimated, and how its variance was found.
    n : pair of float
        Cases (negative, positive).
    n_independent : pair of float
        Independent units (negative, positive): cases, or clusters that hold some.
    n_strata : int
        Strata with cases of both classes; 1 where there are none.
    omitted : pair of int
        Rows left out for want of a value.
    n_uncompared : pair of float
        Cases in strata that lack the other class: there is nothing to compare them with.
    direction : str
    flags : Flags
    """

    auc: float = field(metadata={"label": "AUC"})
    std_error: float = field(metadata={"label": "standard error"})
    interval: Interval
    estimator: str
    n: tuple[float, float] = field(metadata={"label": "negatives, positives"})
    n_independent: tuple[float, float] = field(metadata={"label": "independent units of each"})
    n_strata: int = field(metadata={"label": "strata"})
    omitted: tuple[int, int] = field(metadata={"label": "rows left out"})
    n_uncompared: tuple[float, float] = field(metadata={"label": "left alone in their strata"})
    direction: str
    flags: Flags
    _listed = (
        *("auc", "std_error", "estimator", "n", "n_independent", "n_strata", "omitted", "n_uncompared", "direction"),
        *("interval", "flags"),
    )
    _text = (
        "auc={auc:.6g}, interval={interval.low:.6g} to {interval.high:.6g}, std_error={std_error:.4g}, "
        "estimator={estimator!r}, n={n}{flag_text}"
    )
    _heading = "AUC: {estimator}, interval of level {interval.level:g} by {interval.method}"


@dataclass(frozen=True, eq=False, repr=False)
class AucByGroup(Result):
    """The AUC of each group, and whether they differ.

    Attributes
    ----------
    groups : dict
        An ``AucEstimate`` for each group, in the order of their names.
    null, method : str
        What is tested, and how.
    statistic, df, p_value : float, int, float
        F of Welch (1951), and the first of its degrees of freedom, the number of groups less one; p is 1 for a
        single group.
    n : pair
        Cases (negative, positive) of all groups.
    skipped : tuple
        Groups that lack a class.
    stratified : AucEstimate
        The AUC of pairs within groups.
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
        """Return the areas of the groups, and below them the area within groups."""
        estimates = [*self.groups.items(), ("within groups (stratified)", self.stratified)]
        rows = [[name, estimate.auc, *estimate.interval, *estimate.n] for name, estimate in estimates]
        notes = [
            f"Null hypothesis: {self.null}. Method: {self.method}.",
            f"Statistic {format_number(self.statistic)}, df {self.df}, p {format_p_value(self.p_value)}.",
            *([f"Left out for want of a class: {format_list(self.skipped)}."] if self.skipped else []),
        ]
        return Table("AUC by group", ["group", "AUC", "low", "high", "negatives", "positives"], rows, notes=notes)

    def __repr__(self) -> str:
        areas = ", ".join(
            f"{short_repr(name, 24)}: {estimate.auc:.4g}"
            for name, estimate in list(self.groups.items())[:_FIELD_LABELS]
        )
        areas += f", ... {len(self.groups)} groups" if len(self.groups) > _FIELD_LABELS else ""
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
    """Estimate an AUC where rows belong together, or that of each group of rows.

    Parameters
    ----------
    x : array of shape (n,)
        Values of one feature.
    y : array of shape (n,)
        Labels.
    positive, negative : label, optional
        As in ``empirical_roc``.
    groups : array of shape (n,), optional
        The group of each row: every group has an AUC of its own, with an interval that has the level by itself, and
        a test of equal AUCs. Groups go without strata and clusters.
    strata : array of shape (n,), optional
        Such as hospitals or age classes: only a negative and a positive of one stratum are compared, so that
        the AUC is free of what merely tells the strata apart (Janes and Pepe 2009).
    clusters : array of shape (n,), optional
        Such as patients with several readings, of either class: rows of one cluster are not independent, and the
        variance is that of the jackknife over clusters. Each class needs rows in four clusters or more.
    weights : array of shape (n,), optional
        How many cases each row stands for.
    stratum_weights : {"pairs", "positives", "equal"}
        How strata count: by their pairs of a negative and a positive, by their positives, or all alike. Of groups:
        in the AUC within groups.
    direction : {None, "higher", "lower", "auto"}
        As in ``auc_test``.
    level : float
    method : {"smoothed-logit", "delong", "logit"}, optional
        Of the interval.
    nan_policy : {"raise", "omit"}

    Returns
    -------
    AucEstimate
        With ``groups`` a ``AucByGroup``.

    Raises
    ------
    RocPredictError
        As ``empirical_roc``; two of groups, strata and clusters; no stratum or group with both classes.

    Notes
    -----
    The variance is DeLong's within strata. Strata with one observation of a class only, as matched pairs are, do not
    show it: theirs is that between such strata. With clusters it is (G - 1)/G times the sum of e^2, e being the changes
    of the AUC when one of the G clusters is left out, and Student's t has 3 (sum e^2)^2 / sum e^4 - 2 degrees of
    freedom, between 4 and G - 1: clusters of very unequal sizes have few.

    Groups are compared on the logit scale by Welch's test for means with unequal variances.

    References
    ----------
    Welch (1951), Biometrika 38, 330-336. Janes and Pepe (2009), Biometrika 96, 371-382.

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
    if groups is None:
        return _estimate(CurveSample.from_rows({"x": x}, y, options), check_confidence_level(level), method)
    groups = as_rereadable(groups)
    if strata is not None or clusters is not None:
        raise RocPredictError("groups= goes without strata= and clusters=; give one of them")
    sample = CurveSample.from_rows({"x": x}, y, options._replace(strata=groups, strata_name="groups"))
    names = encode_groups("groups", groups, np.asarray(groups).size)[1]
    return _compare_groups(sample, names, check_confidence_level(level), method)


def _compare_groups(sample: CurveSample, names: list[Any], level: float, method: str | None) -> AucByGroup:
    """Return the AUC of each group, the groups being the strata of a sample, and test whether they differ."""
    parts = {name: sample.stratum(code) for code, name in enumerate(names)}
    comparable = {name: part for name, part in parts.items() if min(part.n) > 0}
    if not comparable:
        raise RocPredictError(
            f"groups={short_repr(names)}: none of them has rows of both classes; nothing can be compared"
        )
    statistic, df, p_value = _welch_test([_area(part) for part in comparable.values()])
    return AucByGroup(
        groups={name: _estimate(part, level, method) for name, part in comparable.items()},
        skipped=tuple(name for name in parts if name not in comparable),
        null="all groups have the same AUC",
        method="Welch's F of the logits",
        statistic=statistic,
        df=df,
        p_value=p_value,
        n=sample.n,
        stratified=_estimate(sample, level, method),
    )


def _area(sample: CurveSample) -> AnyPlacements:
    return sample.placements().contrast(np.ones(1))


def _estimate(sample: CurveSample, level: float, method: str | None) -> AucEstimate:
    check_option("method", method, (None, *ESTIMATE_METHODS))
    area = _area(sample)
    strata = area.strata if isinstance(area, StratifiedPlacements) else (area,)
    interval = auc_interval(area, level, method)
    compared = sum(part.negative.total for part in strata), sum(part.positive.total for part in strata)
    return AucEstimate(
        auc=float(area.estimate),
        std_error=auc_std_error(area, None),
        interval=interval,
        estimator=f"{MANN_WHITNEY}; variance by {_variance_name(sample, area)}",
        n=sample.n,
        n_independent=area.n_units,
        n_strata=len(strata),
        omitted=sample.omitted,
        n_uncompared=(sample.n[0] - compared[0], sample.n[1] - compared[1]),
        direction=sample.directions[0],
        flags=sample.flags | interval.flags,
    )


def _variance_name(sample: CurveSample, area: AnyPlacements) -> str:
    if sample.classes[0].clusters is not None:
        return "the jackknife over clusters"
    if isinstance(area, StratifiedPlacements):
        return "differences between strata" if all(area.has_singleton_class) else "DeLong within strata"
    return "DeLong"


def _welch_test(groups: list[AnyPlacements]) -> tuple[float, int, float]:
    """Return Welch's F (1951) of the logits of the smoothed areas, its first degrees of freedom, and p."""
    areas = [SmoothedAreas.from_placements(group) for group in groups]
    centre, variance, freedom = (
        np.array([getattr(area, name) for area in areas]) for name in ("centre", "variance", "df")
    )
    df = len(groups) - 1
    if not df:
        return 0.0, df, 1.0
    weights = (centre * (1 - centre)) ** 2 / variance
    shares, logits = weights / weights.sum(), logit(centre)
    between = float(weights @ (logits - shares @ logits) ** 2)
    correction = float(np.sum((1 - shares) ** 2 / freedom)) / (df * (df + 2))
    statistic = between / df / (1 + 2 * (df - 1) * correction)
    return statistic, df, float(fdtrc(df, 1 / max(3 * correction, 1e-12), statistic))
