"""Tests of one or two AUCs, paired or unpaired."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.results import Flags, check_confidence_level
from rocpredict.base.validation import (
    Directions,
    FloatArray,
    Label,
    NanPolicy,
    RocPredictError,
    Seed,
    check_option,
    check_pair,
    short_repr,
)
from rocpredict.inference.auc import map_interval
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.inference.hypotheses import (
    METHOD_NAMES,
    Alternative,
    AucStatistic,
    AucTest,
    ComparedQuantity,
    Hypothesis,
    IndependentDifference,
    bootstrap_test,
    delong_test,
    empirical_auc_test,
    is_same_curve,
)
from rocpredict.inference.permutation import permute_paired_ranks, permute_samples
from rocpredict.inference.placements import PLACEMENT_TOL, AnyPlacements, compute_placements
from rocpredict.inference.samples import CurveSample, LabelOptions, RowGroups
from rocpredict.solvers.empirical import EmpiricalSolver

PAIRED_METHODS = ("delong", "bootstrap", "permutation", "venkatraman")
"""Tests of two curves, on the same cases or on different ones; the first is the default."""
_PERMUTATION_STATISTICS = {"permutation": "area", "venkatraman": "errors"}
"""Methods that exchange cases, and the statistic of each."""
_WHOLE_AREA = ComparedQuantity()
_DIFFERENCE = np.array([1.0, -1.0])


def auc_test(
    x1: ArrayLike,
    x2: ArrayLike | None,
    y: ArrayLike,
    *,
    positive: Label = None,
    negative: Label = None,
    null: float | None = None,
    method: Literal["smoothed-logit", "delong", "mann-whitney", "exact", "bootstrap", "permutation", "venkatraman"]
    | None = None,
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    fpr: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    tpr_at_fpr: float | None = None,
    direction: Directions = None,
    level: float = 0.95,
    nan_policy: NanPolicy = "raise",
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    n_resamples: int = 2000,
    rng: Seed = 0,
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
    labels, groups = LabelOptions(positive, negative, nan_policy), RowGroups(weights, clusters, strata)
    sample = CurveSample.from_rows(features, y, labels, direction, groups)
    quantity = ComparedQuantity.from_arguments(fpr, tpr, tpr_at_fpr)
    if x2 is not None:
        if null is not None:
            raise RocPredictError(
                "null= is for one curve (x2=None); two curves are tested for equality, or with margin="
            )
        chosen = select_method(method, quantity, claim)
        return _compare((sample,), _Asked(quantity, chosen, claim, level, BootstrapOptions(n_resamples, rng)))
    if quantity != _WHOLE_AREA:
        raise RocPredictError("one curve is tested by its AUC; leave fpr=, tpr= and tpr_at_fpr= out")
    pair = None if sample.design else sample.pair(0)
    return empirical_auc_test(
        compute_placements(*pair) if pair else sample.placements().contrast(np.ones(1)),
        pair,
        0.5 if null is None else null,
        method,
        claim=claim,
        level=level,
        design=sample.design,
        n=sample.n,
        omitted=sample.omitted,
        direction=sample.directions,
        flags=sample.flags,
    )


def auc_test_unpaired(
    sample1: tuple[ArrayLike, ArrayLike],
    sample2: tuple[ArrayLike, ArrayLike],
    *,
    positive: Label = None,
    negative: Label = None,
    method: Literal["delong", "bootstrap", "permutation", "venkatraman"] | None = None,
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    fpr: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    tpr_at_fpr: float | None = None,
    direction: Directions = None,
    level: float = 0.95,
    nan_policy: NanPolicy = "raise",
    weights: tuple[ArrayLike, ArrayLike] | None = None,
    clusters: tuple[ArrayLike, ArrayLike] | None = None,
    strata: tuple[ArrayLike, ArrayLike] | None = None,
    n_resamples: int = 2000,
    rng: Seed = 0,
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
    quantity, resampling = ComparedQuantity.from_arguments(fpr, tpr, tpr_at_fpr), BootstrapOptions(n_resamples, rng)
    asked = _Asked(quantity, select_method(method, quantity, claim), claim, level, resampling)
    labels = LabelOptions(positive, negative, nan_policy)
    groups = [
        (None, None) if pair is None else check_pair(name, pair, "one for each sample, or None")
        for name, pair in (("weights", weights), ("clusters", clusters), ("strata", strata))
    ]
    given = [check_pair(name, sample, "(x, y)") for name, sample in (("sample1", sample1), ("sample2", sample2))]
    shared = direction is None or isinstance(direction, str)
    sides = (direction, direction) if shared else check_pair("direction", direction, "one for each sample")
    samples = [
        CurveSample.from_rows({"x": x}, y, labels, side, RowGroups(*parts))
        for (x, y), side, parts in zip(given, sides, zip(*groups, strict=True), strict=True)
    ]
    found = tuple(sample.directions[0] for sample in samples)
    if isinstance(direction, str) and direction == "auto" and len(set(found)) > 1:
        raise RocPredictError(
            f"direction='auto' finds opposite directions {short_repr(found)}; if that is meant, say direction={found}"
        )
    return _compare(tuple(samples), asked)


class _Asked(NamedTuple):
    """The compared quantity of two curves, the claim about it, and the way to test it."""

    quantity: ComparedQuantity
    method: str
    claim: Hypothesis
    level: float
    resampling: BootstrapOptions


def select_method(method: str | None, quantity: ComparedQuantity, claim: Hypothesis) -> str:
    """Return the method asked for, or the default, or refuse one that cannot answer this."""
    check_option("method", method, (None, *PAIRED_METHODS))
    of_height = quantity.fpr is not None
    chosen = method or ("bootstrap" if of_height else PAIRED_METHODS[0])
    if of_height and chosen != "bootstrap":
        raise RocPredictError(f"tpr_at_fpr= is compared by method='bootstrap', not {chosen!r}")
    if chosen in _PERMUTATION_STATISTICS:
        if quantity != _WHOLE_AREA:
            raise RocPredictError(f"method={chosen!r} compares whole curves; leave fpr= and tpr= out")
        possible = ("two-sided", "greater", "less") if chosen == "permutation" else ("two-sided",)
        if claim.alternative not in possible:
            raise RocPredictError(
                f"method={chosen!r} has alternative {' or '.join(map(repr, possible))}, not {claim.alternative!r}"
            )
    return chosen


def _compare(samples: tuple[CurveSample, ...], asked: _Asked) -> AucTest:
    """Test two curves: both features of one sample, or one feature each of two samples."""
    quantity, method, claim = asked.quantity, asked.method, asked.claim
    _check_design(samples, asked)
    areas = [sample.placements(quantity.band) for sample in samples]
    estimates = tuple(
        np.concatenate([_estimates(*each, quantity) for each in zip(samples, areas, strict=True)]).tolist()
    )
    found = _test_difference(samples, areas, estimates, asked)
    paired, names = ("paired", samples[0].names) if len(samples) == 1 else ("unpaired", ("sample1", "sample2"))
    null, alternative = claim.describe(*(f"{quantity.name} of {name}" for name in names))
    if method in _PERMUTATION_STATISTICS:
        null = f"{' and '.join(names)} have the same ROC curve"
    if method == "venkatraman":
        alternative = "their ROC curves differ somewhere"
    found = found._replace(interval=map_interval(found.interval, lambda end: end * quantity.band_width))
    opposite = opposite_direction_flag(np.hstack([area.estimate for area in areas]), areas[0].null_value)
    return found.result(
        (null, alternative),
        method=f"{METHOD_NAMES[method]}, {paired}{samples[0].design or samples[-1].design}",
        estimator=quantity.estimator,
        estimates=estimates,
        difference=estimates[0] - estimates[1],
        n=samples[0].n if len(samples) == 1 else tuple(sample.n for sample in samples),
        omitted=tuple(np.sum([sample.omitted for sample in samples], axis=0).tolist()),
        direction=tuple(side for sample in samples for side in sample.directions),
        flags=reduce(or_, (sample.flags for sample in samples)) | opposite,
    )


def _test_difference(
    samples: tuple[CurveSample, ...], areas: list[AnyPlacements], estimates: tuple[float, ...], asked: _Asked
) -> AucStatistic:
    """Test the difference of two areas, as shares of the band's width."""
    quantity, method, claim, level, resampling = asked
    width = quantity.band_width
    if claim.margin is not None:
        claim = replace(claim, margin=min(claim.margin / width, 1 - 1e-12))
    difference: AnyPlacements | IndependentDifference
    paired = len(samples) == 1
    if paired:
        difference = areas[0].contrast(_DIFFERENCE)
    else:
        difference = IndependentDifference(areas[0].contrast(np.ones(1)), areas[1].contrast(np.ones(1)))
    found = delong_test(difference, claim, level)
    if method == "delong" or (paired and is_same_curve(difference)):
        return found
    if method == "bootstrap":
        drawn = _replicates(samples, quantity, resampling)
        if not paired and quantity.fpr is None and min(float(np.std(part)) for part in drawn.T) <= PLACEMENT_TOL:
            return found  # a sample that shows no spread is not known exactly
        apart = (estimates[0] - estimates[1]) / width
        return bootstrap_test((drawn[:, 0] - drawn[:, 1]) / width, apart, difference.n_units, claim, level)
    observed, replicates = _permute(samples, method, resampling)
    one_sided = Hypothesis("greater") if method == "venkatraman" else asked.claim
    return found._replace(statistic=observed, p_value=one_sided.permutation_p_value(replicates, observed))


def _check_design(samples: tuple[CurveSample, ...], asked: _Asked) -> None:
    """Refuse clusters, strata and weights for what draws or exchanges cases one by one."""
    plain = not any(sample.design for sample in samples)
    if asked.quantity.fpr is not None and not plain:
        raise RocPredictError("tpr_at_fpr= takes no clusters= or strata=; the AUC and fpr=(low, high) do")
    if asked.method != "delong" and not plain:
        raise RocPredictError(f"method={asked.method!r} takes no clusters= or strata=; give 'delong'")
    weighed = any(sample.classes[0].weights is not None for sample in samples)
    if asked.method in _PERMUTATION_STATISTICS and weighed:
        raise RocPredictError(f"method={asked.method!r} takes whole weights only: what is exchanged is a case")


def _estimates(sample: CurveSample, areas: AnyPlacements, quantity: ComparedQuantity) -> FloatArray:
    """Return what is compared of each curve of a sample, shape (K,)."""
    if quantity.fpr is None:
        return np.atleast_1d(areas.estimate) * quantity.band_width
    pairs = map(sample.pair, range(len(sample.names)))
    return np.array([EmpiricalSolver(*pair).along("fpr", np.asarray(quantity.fpr)) for pair in pairs])


def _replicates(
    samples: tuple[CurveSample, ...], quantity: ComparedQuantity, resampling: BootstrapOptions
) -> FloatArray:
    """Return a quantity of both curves in each resample, shape (n_resamples, 2)."""
    if len(samples) > 1:  # one stream of random numbers serves both, one after the other
        resampling = BootstrapOptions(resampling.n_resamples, resampling.generator())
    return np.column_stack([_sample_replicates(sample, quantity, resampling) for sample in samples])


def _sample_replicates(sample: CurveSample, quantity: ComparedQuantity, resampling: BootstrapOptions) -> FloatArray:
    """Return a quantity of each curve in each resample of the same rows, shape (n_resamples, K)."""
    if sample.classes[0].weights is not None:
        raise RocPredictError("weights are not whole; resampling needs numbers of cases")
    functions = [quantity.bootstrap_function(*sample.pair(curve)) for curve in range(len(sample.names))]
    orders = [np.argsort(part.values, axis=0).T for part in sample.classes]
    rows = len(sample.classes[0].values), len(sample.classes[1].values)
    chunks = []
    for negative, positive in resampling.resample_counts((None, None), rows, row_size=10 * sum(rows)):
        drawn = [
            f(negative[:, first], positive[:, second]) for f, first, second in zip(functions, *orders, strict=True)
        ]
        chunks.append(np.column_stack(drawn))
    return np.concatenate(chunks)


def _permute(samples: tuple[CurveSample, ...], method: str, resampling: BootstrapOptions) -> tuple[float, FloatArray]:
    """Exchange ranks between the curves of each case, or places between two samples, class by class."""
    from scipy.stats import rankdata

    statistic = _PERMUTATION_STATISTICS[method]
    if len(samples) > 1:
        first, second = ((s.classes[0].values[:, 0], s.classes[1].values[:, 0]) for s in samples)
        return permute_samples(first, second, statistic, resampling)
    values = [part.values for part in samples[0].classes]
    is_positive = np.repeat([False, True], [len(part) for part in values])
    return permute_paired_ranks(is_positive, rankdata(np.concatenate(values), axis=0), statistic, resampling)


def opposite_direction_flag(areas: Any, chance: float = 0.5) -> Flags:
    """Flag areas on both sides of what a feature that tells nothing has."""
    return Flags(opposite_sides=np.min(areas) < chance < np.max(areas))
