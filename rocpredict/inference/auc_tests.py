"""Tests of one or two AUCs, paired or unpaired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.labels import MAX_EXPANDED_ROWS, check_sample_weight, split_rows
from rocpredict.base.results import Flags, Interval, check_confidence_level
from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    check_option,
    check_pair,
    check_probability,
    short_repr,
)
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.inference.differences import (
    MANN_WHITNEY,
    AucStatistic,
    ComparedQuantity,
    IndependentDifference,
    OneSampleInput,
    PairedSample,
    bootstrap_replicates,
    bootstrap_test,
    delong_test,
    is_same_curve,
    test_empirical_auc,
    zero_variance_test,
)
from rocpredict.inference.hypotheses import METHOD_NAMES, AucTest, Hypothesis
from rocpredict.inference.permutation import PermutationResult, permute_paired_ranks, permute_samples
from rocpredict.inference.placements import (
    PLACEMENT_TOL,
    STRATUM_WEIGHTS,
    AnyPlacements,
    StratifiedPlacements,
    check_rate_interval,
    compute_placements,
)

_DIRECTIONS = (None, "higher", "lower", "auto")


@dataclass(frozen=True)
class PairedDesign:
    """Hold what a comparison starts from.

    Attributes
    ----------
    columns : Columns
        Positives to the higher side.
    names : tuple of str
        Of the features.
    directions : tuple of str
        "higher" or "lower", of each feature.
    omitted : pair of int
        Rows of each class without a value.
    strata : pair of int array or None
        The stratum of each row of each class.
    stratum_weights : str
    flags : Flags
    """

    columns: PairedSample
    names: tuple[str, ...]
    directions: tuple[str, ...]
    omitted: tuple[int, int]
    strata: tuple[Any, Any]
    stratum_weights: str
    flags: Flags

    @property
    def n(self) -> tuple[float, float]:
        """Cases of each class."""
        return self.columns.class_sizes

    @property
    def is_independent(self) -> bool:
        """Whether rows are independent cases of one stratum."""
        return self.strata[0] is None and self.columns.clusters[0] is None

    def auc_components(self, quantity: ComparedQuantity) -> AnyPlacements:
        """Give the placements of all curves, stratum by stratum where there are strata."""
        if self.strata[0] is None:
            return self.columns.placements(quantity.band)
        codes = np.intersect1d(*self.strata)
        parts = [self.stratum(code).columns.placements(quantity.band) for code in codes]
        if not parts:
            raise RocPredictError("strata= has no stratum with rows of both classes; nothing can be compared")
        return StratifiedPlacements.from_strata(tuple(parts), self.stratum_weights)

    def stratum(self, code: int) -> PairedDesign:
        """Give the rows of one stratum."""
        rows = self.strata[0] == code, self.strata[1] == code
        return replace(self, columns=self.columns.subset(*rows), strata=(None, None))

    @property
    def design(self) -> str:
        """Say how rows belong together, to put behind the name of a method."""
        if self.columns.clusters[0] is not None:
            return ", clustered"
        return "" if self.strata[0] is None else ", stratified"


def prepare_design(
    features: Mapping[str, ArrayLike],
    y: ArrayLike,
    *,
    positive: Any = None,
    negative: Any = None,
    direction: Any = None,
    nan_policy: str = "raise",
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    stratum_weights: str = "pairs",
    strata_name: str = "strata",
) -> PairedDesign:
    """Split rows by class, drop those without a value in any column, and turn features whose positives lie lower."""
    check_option("stratum_weights", stratum_weights, STRATUM_WEIGHTS)
    if clusters is not None and strata is not None:
        raise RocPredictError("clusters= and strata= do not go together; give one of them")
    values, rows = split_rows(features, y, positive=positive, negative=negative, nan_policy=nan_policy)
    length = len(next(iter(values.values())))
    weighed = check_sample_weight(weights, length)
    groups = {
        name: _encode_groups(name, given, length) for name, given in (("clusters", clusters), (strata_name, strata))
    }

    def parted(column: Any) -> tuple[Any, Any]:
        if column is None:
            return None, None
        return column.T[..., rows.negative].T, column.T[..., rows.positive].T  # each feature stays in one piece

    if weighed is not None:
        _check_weights(*parted(weighed))
        held = weighed > 0
        rows = rows._replace(negative=rows.negative[held[rows.negative]], positive=rows.positive[held[rows.positive]])
    table = np.array(list(values.values())).T
    if weighed is not None and (weighed == np.round(weighed)).all() and weighed.sum() <= MAX_EXPANDED_ROWS:
        times = weighed.astype(np.intp)  # whole weights are repeated rows, in everything
        rows = rows._replace(
            negative=np.repeat(rows.negative, times[rows.negative]),
            positive=np.repeat(rows.positive, times[rows.positive]),
        )
        weighed = None
    columns = PairedSample(*parted(table), parted(weighed), parted(groups["clusters"]))
    columns, directions, auto = _apply_direction(columns, tuple(values), direction)
    return PairedDesign(
        columns=columns,
        names=tuple(values),
        directions=directions,
        omitted=rows.omitted,
        strata=parted(groups[strata_name]),
        stratum_weights=stratum_weights,
        flags=Flags(auto_direction=auto),
    )


def _encode_groups(name: str, given: ArrayLike | None, length: int) -> NDArray[np.intp] | None:
    if given is None:
        return None
    column = np.asarray(given)
    if column.shape != (length,):
        raise RocPredictError(f"{name} has shape {column.shape}; give one for each of the {length} rows")
    if column.dtype.kind == "f" and np.isnan(column).any():
        raise RocPredictError(f"{name} is NaN somewhere; leave these rows out")
    try:
        return np.unique(column, return_inverse=True)[1]
    except TypeError:
        raise RocPredictError(
            f"{name} holds values of different kinds that have no order; give numbers or text"
        ) from None


def _check_weights(*classes: FloatArray) -> None:
    for name, weights in zip(("negative", "positive"), classes, strict=True):
        if weights.sum() < 1:
            raise RocPredictError(
                f"weights of the {name} class sum to {weights.sum():g}; they say how many cases each row stands "
                "for: 1 or more in all"
            )


def _apply_direction(
    columns: PairedSample, names: tuple[str, ...], direction: Any
) -> tuple[PairedSample, tuple[str, ...], bool]:
    """Turn the features whose positives are said, or by "auto" seem, to lie lower."""
    auto = isinstance(direction, str) and direction == "auto"
    if auto:
        areas = [ComparedQuantity().compute(*columns.class_distributions(curve)) for curve in range(len(names))]
        directions = tuple("lower" if area < 0.5 else "higher" for area in areas)
        if len(set(directions)) > 1:
            found = ", ".join(f"{name} {side!r}" for name, side in zip(names, directions, strict=True))
            raise RocPredictError(
                f"direction='auto' finds opposite directions ({found}); if that is meant, say direction={directions}"
            )
    else:
        directions = _check_directions(direction, len(names))
    signs = np.where(np.array(directions) == "lower", -1.0, 1.0)
    return replace(columns, negative=columns.negative * signs, positive=columns.positive * signs), directions, auto


def _check_directions(direction: Any, count: int) -> tuple[str, ...]:
    if direction is None or isinstance(direction, str):
        check_option("direction", direction, _DIRECTIONS)
        return (direction or "higher",) * count
    sides = tuple(direction) if isinstance(direction, Sequence) else (direction,)
    if len(sides) != count:
        raise RocPredictError(
            f"direction={short_repr(direction)} has {len(sides)} items; give one for each of {count} curves"
        )
    for side in sides:
        check_option("direction", side, _DIRECTIONS[1:3])
    return sides


PAIRED_METHODS = ("delong", "bootstrap", "permutation", "venkatraman")
"""Tests of two curves on the same cases; the first is the default."""
_DIFFERENCE = np.array([1.0, -1.0])


def auc_test(
    x1: ArrayLike,
    x2: ArrayLike | None,
    y: ArrayLike,
    *,
    positive: Any = None,
    negative: Any = None,
    null: float | None = None,
    method: str | None = None,
    alternative: str = "two-sided",
    margin: float | None = None,
    fpr: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    tpr_at_fpr: float | None = None,
    direction: Any = None,
    level: float = 0.95,
    nan_policy: str = "raise",
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    n_resamples: int = 2000,
    rng: Any = 0,
) -> AucTest:
    """Test two features on the same cases against each other, or one against a value.

    Parameters
    ----------
    x1, x2 : array of shape (n,)
        Values of both features on the same rows; ``x2=None`` tests ``x1`` against ``null``.
    y : array of shape (n,)
        Labels.
    positive, negative : label, optional
        As in ``empirical_roc``.
    null : float, optional
        The AUC that one curve is tested against (1/2 when left out).
    method : str, optional
        Two curves: "delong" (default), "bootstrap", "permutation" (of ranks between the curves of each case;
        Bandos, Rockette and Gur 2005), "venkatraman" (equality of the whole curves, not of their areas). One
        curve: "smoothed-logit" (default; agrees with the default interval), "delong", "mann-whitney" (equal
        distributions; tie-corrected normal), "exact" (the same, counting all ways to label up to 200 cases).
    alternative : {"two-sided", "greater", "less", "noninferior", "equivalent"}
        What is claimed of the first curve. The last two need ``margin``: not worse by as much, not other by as much.
    margin : float
        A difference of areas (or of TPRs), above 0.
    fpr, tpr : (low, high), optional
        Compare the raw partial areas over this band in place of the AUC.
    tpr_at_fpr : float, optional
        Compare the TPRs at this FPR, by the bootstrap.
    direction : {None, "higher", "lower", "auto"} or a pair of "higher", "lower"
        Where the positives lie, for both or each. "auto" is resolved once, before anything is resampled; it
        makes both AUCs optimistic, and opposite answers are refused.
    level : float
        Of the interval.
    nan_policy : {"raise", "omit"}
        "omit" leaves out rows that lack a value of either feature, so that pairs stay pairs.
    weights : array of shape (n,), optional
        How many cases each row stands for.
    clusters : array of shape (n,), optional
        Which rows belong together, such as readings of one patient: variances by Obuchowski (1997).
    strata : array of shape (n,), optional
        Only rows of one stratum are compared; strata count by their pairs of a negative and a positive.
    n_resamples, rng
        Of "bootstrap", "permutation" and "venkatraman".

    Returns
    -------
    AucTest

    Raises
    ------
    RocPredictError
        As ``empirical_roc``; methods and options that do not go together; opposite directions under "auto".

    Notes
    -----
    "delong" refers the difference over its standard error to the normal law (DeLong, DeLong and Clarke-Pearson
    1988); of partial areas with their own variance. A curve against itself has p = 1, with the flag ``same_curve``.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> x1, x2 = iris.column("sepal_length"), iris.column("sepal_width")
    >>> auc_test(x1, x2, iris.y, positive="virginica", negative="versicolor")
    AucTest(null='AUC of x1 = AUC of x2', method='DeLong, paired', estimates=(0.7896, 0.6636), difference=+0.126,
            interval=0.02828 to 0.2237, statistic=2.52723, p_value=0.0114966, n=(50, 50))
    >>> auc_test(x2, None, iris.y, positive="virginica", negative="versicolor").p_value
    0.0050620...
    """
    claim, level = Hypothesis(alternative, margin), check_confidence_level(level)
    features = {"x1": x1} if x2 is None else {"x1": x1, "x2": x2}
    rows = prepare_design(
        features,
        y,
        positive=positive,
        negative=negative,
        direction=direction,
        nan_policy=nan_policy,
        weights=weights,
        clusters=clusters,
        strata=strata,
    )
    quantity = check_quantity(fpr, tpr, tpr_at_fpr)
    if x2 is None:
        if quantity != ComparedQuantity():
            raise RocPredictError("one curve is tested by its AUC; leave fpr=, tpr= and tpr_at_fpr= out")
        return test_empirical_auc(_single_curve(rows), 0.5 if null is None else null, method, claim, level)
    if null is not None:
        raise RocPredictError("null= is for one curve (x2=None); two curves are tested for equality, or with margin=")
    return _test_two_curves(rows, quantity, method, AucTestOptions(claim, level, BootstrapOptions(n_resamples, rng)))


def check_quantity(fpr: Any, tpr: Any, tpr_at_fpr: Any) -> ComparedQuantity:
    """Return what is compared, or refuse two things at once."""
    given = [name for name, value in (("fpr", fpr), ("tpr", tpr), ("tpr_at_fpr", tpr_at_fpr)) if value is not None]
    if len(given) > 1:
        raise RocPredictError(f"{' and '.join(f'{name}=' for name in given)} do not go together; give one of them")
    if tpr_at_fpr is not None:
        return ComparedQuantity(fpr=check_probability("tpr_at_fpr", tpr_at_fpr))
    return ComparedQuantity(check_rate_interval(fpr, tpr)) if given else ComparedQuantity()


class AucTestOptions(NamedTuple):
    """What is claimed, the level of the interval, and how resamples are drawn."""

    claim: Hypothesis
    level: float
    resampling: BootstrapOptions


def _test_two_curves(
    rows: PairedDesign, quantity: ComparedQuantity, method: str | None, asked: AucTestOptions
) -> AucTest:
    claim, level, resampling = asked
    chosen = select_method(method, PAIRED_METHODS, quantity, claim)
    check_design(chosen, quantity, rows)
    areas = rows.auc_components(quantity)
    difference = areas.contrast(_DIFFERENCE)
    estimates = compute_estimates(rows, areas, quantity)
    apart = (estimates[0] - estimates[1]) / quantity.band_width
    claimed = scale_margin(claim, quantity)
    if is_same_curve(difference):
        found = zero_variance_test(0.0, difference.n_units, claimed, level, same=True)
    elif chosen == "delong":
        found = delong_test(difference, claimed, level)
    elif chosen == "bootstrap":
        drawn = bootstrap_replicates(rows.columns, quantity, resampling) @ _DIFFERENCE / quantity.band_width
        found = bootstrap_test(drawn, apart, difference.n_units, claimed, level)
    else:
        exchange = _permute_curves(rows, chosen, resampling)
        found = with_permutation_p_value(delong_test(difference, claimed, level), exchange, chosen, claim)
    return make_test_result(
        found,
        rows.names,
        estimates,
        claim=claim,
        quantity=quantity,
        method=chosen,
        design=f"paired{rows.design}",
        n=rows.n,
        omitted=rows.omitted,
        direction=rows.directions,
        flags=rows.flags | found.flags | opposite_direction_flag(areas.estimate, areas.null_value),
    )


def _permute_curves(rows: PairedDesign, method: str, resampling: BootstrapOptions) -> PermutationResult:
    """Exchange ranks between the curves of each case."""
    from scipy.stats import rankdata

    columns = rows.columns
    ranks = rankdata(np.concatenate([columns.negative, columns.positive]), axis=0)
    is_positive = np.repeat([False, True], [len(columns.negative), len(columns.positive)])
    return permute_paired_ranks(is_positive, ranks, PERMUTATION_STATISTICS[method], resampling)


def _single_curve(rows: PairedDesign) -> OneSampleInput:
    return OneSampleInput(
        areas=compute_placements(*rows.columns.class_distributions(0))
        if rows.is_independent
        else rows.auc_components(ComparedQuantity()).contrast(np.ones(1)),
        pair=rows.columns.class_distributions(0) if rows.is_independent else None,
        n=rows.n,
        direction=rows.directions[0],
        omitted=rows.omitted,
        design=rows.design,
        flags=rows.flags,
    )


UNPAIRED_METHODS = ("delong", "bootstrap", "permutation", "venkatraman")
"""Tests of two curves on different cases; the first is the default."""


def auc_test_unpaired(
    sample1: tuple[Any, Any],
    sample2: tuple[Any, Any],
    *,
    positive: Any = None,
    negative: Any = None,
    method: str | None = None,
    alternative: str = "two-sided",
    margin: float | None = None,
    fpr: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    tpr_at_fpr: float | None = None,
    direction: Any = None,
    level: float = 0.95,
    nan_policy: str = "raise",
    weights: tuple[Any, Any] | None = None,
    clusters: tuple[Any, Any] | None = None,
    strata: tuple[Any, Any] | None = None,
    n_resamples: int = 2000,
    rng: Any = 0,
) -> AucTest:
    """Test two curves on different cases against each other.

    Parameters
    ----------
    sample1, sample2 : (x, y)
        Values and labels of each sample, of any length each; the features may have different units.
    positive, negative : label, optional
        As in ``empirical_roc``, for both samples.
    method : str, optional
        "delong" (default; the sum of both variances), "bootstrap", "permutation" and "venkatraman" (of places
        between the samples, class by class; the first of the difference of the areas, the second of the whole
        curves).
    alternative, margin, fpr, tpr, tpr_at_fpr, level, nan_policy, n_resamples, rng
        As in ``auc_test``.
    direction : {None, "higher", "lower", "auto"} or a pair of "higher", "lower"
        As in ``auc_test``; opposite answers under "auto" are refused.
    weights, clusters, strata : pair, optional
        One array (or None) for each sample, as in ``auc_test``; clusters do not span the samples.

    Returns
    -------
    AucTest
        ``n`` has a pair for each sample, ``omitted`` the rows left out of both.

    Raises
    ------
    RocPredictError
        As ``auc_test``.

    Examples
    --------
    >>> from rocpredict.datasets import simulate_two_gaussians
    >>> first, second = (simulate_two_gaussians(count=(80, 70), seed=seed) for seed in (1, 2))
    >>> auc_test_unpaired(first, second)
    AucTest(null='AUC of sample1 = AUC of sample2', method='DeLong, unpaired', ...
    """
    claim, level = Hypothesis(alternative, margin), check_confidence_level(level)
    quantity, resampling = check_quantity(fpr, tpr, tpr_at_fpr), BootstrapOptions(n_resamples, rng)
    chosen = select_method(method, UNPAIRED_METHODS, quantity, claim)
    design = {"weights": weights, "clusters": clusters, "strata": strata}
    parts = {name: _split_pair_option(name, pair) for name, pair in design.items()}
    samples = []
    for index, ((x, y), side) in enumerate(
        zip(_prepare_samples(sample1, sample2), _directions(direction), strict=True)
    ):
        options: dict[str, Any] = {"positive": positive, "negative": negative, "nan_policy": nan_policy}
        options |= {name: pair[index] for name, pair in parts.items()}
        samples.append(prepare_design({"x": x}, y, direction=side, **options))
    _check_same_direction(samples, direction)
    check_design(chosen, quantity, *samples)
    areas = [sample.auc_components(quantity) for sample in samples]
    difference = IndependentDifference(areas[0].contrast(np.ones(1)), areas[1].contrast(np.ones(1)))
    estimates = tuple(compute_estimates(s, a, quantity)[0] for s, a in zip(samples, areas, strict=True))
    claimed = scale_margin(claim, quantity)
    if chosen == "delong":
        found = delong_test(difference, claimed, level)
    elif chosen == "bootstrap":
        generator = resampling.generator()
        draws = [
            bootstrap_replicates(s.columns, quantity, BootstrapOptions(n_resamples, generator))[:, 0] for s in samples
        ]
        drawn = (draws[0] - draws[1]) / quantity.band_width
        apart = (estimates[0] - estimates[1]) / quantity.band_width
        blind = min(float(np.std(part)) for part in draws) <= PLACEMENT_TOL and quantity.fpr is None
        if blind:  # a sample that shows no spread is not known exactly
            found = delong_test(difference, claimed, level)
        else:
            found = bootstrap_test(drawn, apart, difference.n_units, claimed, level)
    else:
        exchange = _permute_samples(samples, chosen, resampling)
        found = with_permutation_p_value(delong_test(difference, claimed, level), exchange, chosen, claim)
    flags = samples[0].flags | samples[1].flags | found.flags
    return make_test_result(
        found,
        ("sample1", "sample2"),
        estimates,
        claim=claim,
        quantity=quantity,
        method=chosen,
        design=f"unpaired{samples[0].design or samples[1].design}",
        n=tuple(sample.n for sample in samples),
        omitted=tuple(np.add(samples[0].omitted, samples[1].omitted).tolist()),
        direction=tuple(sample.directions[0] for sample in samples),
        flags=flags | opposite_direction_flag([area.estimate for area in areas], areas[0].null_value),
    )


def _split_pair_option(name: str, pair: Any) -> tuple[Any, Any]:
    return (None, None) if pair is None else check_pair(name, pair, "one for each sample, or None")


def _prepare_samples(sample1: Any, sample2: Any) -> list[tuple[Any, Any]]:
    return [check_pair(name, sample, "(x, y)") for name, sample in (("sample1", sample1), ("sample2", sample2))]


def _directions(direction: Any) -> tuple[Any, Any]:
    if direction is None or isinstance(direction, str):
        return direction, direction
    return check_pair("direction", direction, "one for each sample")


def _check_same_direction(samples: list[PairedDesign], direction: Any) -> None:
    found = tuple(sample.directions[0] for sample in samples)
    if isinstance(direction, str) and direction == "auto" and len(set(found)) > 1:
        raise RocPredictError(
            f"direction='auto' finds opposite directions {short_repr(found)}; if that is meant, say direction={found}"
        )


def _permute_samples(samples: list[PairedDesign], method: str, resampling: BootstrapOptions) -> PermutationResult:
    """Exchange places between the samples, class by class."""
    first, second = ((s.columns.negative[:, 0], s.columns.positive[:, 0]) for s in samples)
    return permute_samples(first, second, PERMUTATION_STATISTICS[method], resampling)


PERMUTATION_STATISTICS = {"permutation": "area", "venkatraman": "errors"}


def select_method(method: str | None, allowed: tuple[str, ...], quantity: ComparedQuantity, claim: Hypothesis) -> str:
    """Return the method asked for, or the default, or refuse one that cannot answer this."""
    check_option("method", method, (None, *allowed))
    of_height = quantity.fpr is not None
    chosen = method or ("bootstrap" if of_height else allowed[0])
    if of_height and chosen != "bootstrap":
        raise RocPredictError(f"tpr_at_fpr= is compared by method='bootstrap', not {chosen!r}")
    if chosen in PERMUTATION_STATISTICS:
        if quantity != ComparedQuantity():
            raise RocPredictError(f"method={chosen!r} compares whole curves; leave fpr= and tpr= out")
        possible = ("two-sided", "greater", "less") if chosen == "permutation" else ("two-sided",)
        if claim.alternative not in possible:
            raise RocPredictError(
                f"method={chosen!r} has alternative {' or '.join(map(repr, possible))}, not {claim.alternative!r}"
            )
    return chosen


def compute_estimates(rows: PairedDesign, areas: AnyPlacements, quantity: ComparedQuantity) -> tuple[float, ...]:
    """Give what is compared, for each curve."""
    if quantity.fpr is not None:
        return tuple(quantity.compute(*rows.columns.class_distributions(curve)) for curve in range(len(rows.names)))
    return tuple(float(area) * quantity.band_width for area in np.atleast_1d(areas.estimate))


def make_test_result(
    found: AucStatistic,
    names: tuple[str, ...],
    estimates: tuple[float, ...],
    *,
    claim: Hypothesis,
    quantity: ComparedQuantity,
    method: str,
    design: str,
    **rows: Any,
) -> AucTest:
    """Give the result of a test of two curves; ``rows`` are what it says of the rows behind them."""
    null, alternative = claim.describe(*(f"{quantity.name} of {name}" for name in names))
    if method in PERMUTATION_STATISTICS:
        null = f"{' and '.join(names)} have the same ROC curve"
    if method == "venkatraman":
        alternative = "their ROC curves differ somewhere"
    found = found._replace(interval=scale_interval(found.interval, quantity.band_width))
    return found.result(
        (null, alternative),
        method=f"{METHOD_NAMES[method]}, {design}",
        estimator=estimator_name(quantity),
        estimates=estimates,
        difference=estimates[0] - estimates[1],
        **rows,
    )


def with_permutation_p_value(
    found: AucStatistic, exchange: PermutationResult, method: str, claim: Hypothesis
) -> AucStatistic:
    """Give p by random exchanges, of areas or, Venkatraman's, of errors; the interval stays as it was found."""
    claimed = claim if method == "permutation" else Hypothesis("greater")
    p_value = claimed.permutation_p_value(exchange.replicates, exchange.observed)
    return found._replace(statistic=exchange.observed, p_value=p_value)


def check_design(method: str, quantity: ComparedQuantity, *samples: PairedDesign) -> None:
    """Refuse clusters, strata and weights for what draws or exchanges cases one by one."""
    plain = all(sample.is_independent for sample in samples)
    if quantity.fpr is not None and not plain:
        raise RocPredictError("tpr_at_fpr= takes no clusters= or strata=; the AUC and fpr=(low, high) do")
    if method != "delong" and not plain:
        raise RocPredictError(f"method={method!r} takes no clusters= or strata=; give 'delong'")
    if method in PERMUTATION_STATISTICS and any(sample.columns.weights[0] is not None for sample in samples):
        raise RocPredictError(f"method={method!r} takes whole weights only: what is exchanged is a case")


def estimator_name(quantity: ComparedQuantity) -> str:
    """Say how it is estimated."""
    if quantity.fpr is not None:
        return "empirical TPR, the top of a vertical piece"
    return MANN_WHITNEY if quantity.band is None else "area under the empirical curve in the band, raw"


def scale_margin(claim: Hypothesis, quantity: ComparedQuantity) -> Hypothesis:
    """Give the claim about areas as shares of the band's width."""
    return claim if claim.margin is None else replace(claim, margin=min(claim.margin / quantity.band_width, 1 - 1e-12))


def scale_interval(interval: Interval, factor: float) -> Interval:
    """Give an interval of shares as one of areas."""
    low, high, estimate = (end * factor for end in (interval.low, interval.high, interval.estimate))
    return replace(interval, low=low, high=high, estimate=estimate)


def opposite_direction_flag(areas: Any, chance: float = 0.5) -> Flags:
    """Flag areas on both sides of what a feature that tells nothing has."""
    return Flags(opposite_sides=np.min(areas) < chance < np.max(areas))
