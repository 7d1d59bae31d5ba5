"""Tests of one or two AUCs, on the same cases or on different ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.rates import check_confidence_level
from rocpredict.base.results import Flags
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
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.shrinkage import ShrinkageDistribution
from rocpredict.inference.base import area_function
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.inference.curve_draws import draw_compared, draws_test
from rocpredict.inference.hypotheses import (
    METHOD_NAMES,
    PREDICTED_AUC,
    Alternative,
    AreaDifference,
    AucStatistic,
    AucTest,
    ComparedQuantity,
    Hypothesis,
    bootstrap_test,
    empirical_auc_test,
    opposite_direction_flag,
    wald_test,
)
from rocpredict.inference.intervals import map_interval
from rocpredict.inference.permutation import permute_paired_ranks, permute_samples
from rocpredict.inference.placements import (
    PLACEMENT_TOL,
    VARIANCE_TOL,
    AnyPlacements,
    compute_placements,
)
from rocpredict.inference.samples import CurveSample, RowOptions, join_rocs
from rocpredict.inference.smoothed_logit import AreaContrast, SmoothedAreas
from rocpredict.inference.uncertainty import UncertaintyMixin
from rocpredict.solvers.empirical import EmpiricalSolver

TWO_SAMPLE_METHODS = ("smoothed-logit", "delong", "dirichlet", "bootstrap", "permutation", "venkatraman")
"""Tests of two empirical curves, on the same cases or on different ones; the first is the default for whole areas."""
_PERMUTATION_STATISTICS = {"permutation": "area", "venkatraman": "errors"}
"""Methods that exchange cases, and the statistic of each."""
_WHOLE_AREA = ComparedQuantity()
_DIFFERENCE = np.array([1.0, -1.0])


def auc_test(
    x1: ArrayLike | UncertaintyMixin[float],
    x2: ArrayLike | UncertaintyMixin[float] | None,
    y: ArrayLike | None = None,
    *,
    paired: bool | None = None,
    positive: Label = None,
    negative: Label = None,
    null: float | None = None,
    method: Literal[
        "smoothed-logit",
        "delong",
        "mann-whitney",
        "exact",
        "dirichlet",
        "bootstrap",
        "permutation",
        "venkatraman",
        "pivotal",
        "delta",
    ]
    | None = None,
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    fpr: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    tpr_at_fpr: float | None = None,
    direction: Directions = None,
    level: float = 0.95,
    nan_policy: NanPolicy = "raise",
    weights: ArrayLike | tuple[ArrayLike | None, ArrayLike | None] | None = None,
    clusters: ArrayLike | tuple[ArrayLike | None, ArrayLike | None] | None = None,
    strata: ArrayLike | tuple[ArrayLike | None, ArrayLike | None] | None = None,
    n_resamples: int = 2000,
    rng: Seed = 0,
) -> AucTest:
    """Test two areas against each other, or one against a value.

    Parameters
    ----------
    x1, x2 : array of shape (n,), pair (x, y), or ROC
        Two features on the same cases: ``auc_test(x1, x2, y)``. Samples of different cases, of any length each:
        ``auc_test((x1, y1), (x2, y2))``. Two curves: ``auc_test(roc1, roc2)``. With ``x2=None`` the first is tested
        against ``null``.
    y : array of shape (n,), optional
        Labels, where x1 and x2 are values.
    paired : bool, optional
        Of two curves: whether they are of the same cases. Left out, they are if ``empirical_roc`` made both with the
        same labels (the same object, or the same memory: equal labels may be those of other cases) and any row is in
        both; else they are tested as of different cases, with the flag ``pairing_unknown`` where they could be of the
        same. If True, the cases are matched by their rows, or by their order within the classes of an
        ``EmpiricalRoc(...)``, and a row that one curve lacks is left out of both.
    positive, negative : label, optional
        As in ``empirical_roc``.
    null : float, optional
        The AUC that one curve is tested against (1/2 when left out).
    method : str, optional
        Two empirical curves: "smoothed-logit" (default; by MOVER of the two default intervals), "delong", "dirichlet"
        (default with ``fpr``, ``tpr`` and ``tpr_at_fpr``; draws of both curves, see ``tpr_at_fpr_interval``),
        "bootstrap" (by the standard deviation over resamples), "permutation" (of ranks between the curves of each case;
        Bandos, Rockette and Gur 2005; on different cases of places between the samples, class by class), "venkatraman"
        (equality of the whole curves, not of their areas). Curves of which one or both are predicted: "delta" (by the
        standard error of each). One curve: "smoothed-logit" (default; p is the level at which the default interval
        begins to leave ``null`` out), "delong", "mann-whitney" (equal distributions; tie-corrected normal), "exact"
        (the same, counting all ways to label up to 200 cases); predicted: "pivotal" (default), "delta".
    alternative : {"two-sided", "greater", "less", "noninferior", "equivalent"}
        What is claimed of the first curve. The last two need ``margin``: not worse by as much, not other by as much.
    margin : float
        A difference of areas (or of TPRs), above 0.
    fpr, tpr : (low, high), optional
        Compare the raw partial areas over this range in place of the AUC.
    tpr_at_fpr : float, optional
        Compare the TPRs at this FPR.
    direction : {None, "higher", "lower", "auto"} or a pair of "higher", "lower"
        Where the positives lie, for both or each. "auto" is resolved once, before anything is resampled; it
        makes both AUCs optimistic, and opposite answers are refused.
    level : float
        Of the interval.
    nan_policy : {"raise", "omit"}
        "omit" leaves out rows that lack a value of either feature, so that pairs stay pairs.
    weights : array of shape (n,), optional
        How many cases each row stands for. Of two samples this, ``clusters`` and ``strata`` are pairs: one array, or
        None, for each.
    clusters : array of shape (n,), optional
        Which rows belong together, such as readings of one patient: variances by the jackknife over clusters, of
        which each class needs four; "dirichlet" draws clusters. Clusters do not span two samples.
    strata : array of shape (n,), optional
        Only rows of one stratum are compared; strata count by their pairs of a negative and a positive.
    n_resamples, rng
        Of "dirichlet", "bootstrap", "permutation" and "venkatraman".

    Returns
    -------
    AucTest
        Of two samples or unpaired curves ``n`` has a pair for each, and ``omitted`` the rows left out of both.

    Raises
    ------
    RocPredictError
        As ``empirical_roc``; methods and options that do not go together; opposite directions under "auto".

    Notes
    -----
    "smoothed-logit" has for a difference the ends that the method of variance estimates recovery (MOVER; Zou and
    Donner 2008) makes of two smoothed logit intervals with Student's t, whose degrees of freedom are Satterthwaite's
    (1946). "delong" refers the difference over its standard error to the normal law (DeLong, DeLong and Clarke-Pearson
    1988); with few observations in a class, samples of unequal sizes or AUCs near 1 it rejects too often. "dirichlet"
    finds p from draws of the difference, as the level of significance at which their interval excludes the null value;
    p is never below 1/n_resamples. A curve against itself has p = 1, with the flag ``same_curve``. Curves of the same
    observations that are tested as of different ones usually go up and down together, so that the test rejects too
    seldom.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, 837-845. Satterthwaite (1946), Biometrics Bulletin 2,
    110-114. Zou and Donner (2008), Statistics in Medicine 27, 1693-1702.

    Examples
    --------
    >>> from rocpredict import empirical_roc
    >>> from rocpredict.datasets import load_iris, simulate_two_gaussians
    >>> iris, classes = load_iris(), {"positive": "virginica", "negative": "versicolor"}
    >>> x1, x2 = iris.column("sepal_length"), iris.column("sepal_width")
    >>> auc_test(x1, x2, iris.y, **classes)
    AucTest(null='AUC of x1 = AUC of x2', method='MOVER of smoothed logit intervals, paired',
            estimates=(0.7896, 0.6636), difference=+0.126, interval=0.02447 to 0.2272, statistic=2.4497,
            p_value=0.0160723, n=(50, 50))
    >>> auc_test(empirical_roc(x1, iris.y, **classes), empirical_roc(x2, iris.y, **classes)).p_value
    0.0160722...
    >>> auc_test(x2, None, iris.y, **classes).p_value
    0.006131...
    >>> auc_test(*(simulate_two_gaussians(count=(80, 70), seed=seed) for seed in (1, 2)))
    AucTest(null='AUC of sample1 = AUC of sample2', method='MOVER of smoothed logit intervals, unpaired', ...
    """
    claim, level = Hypothesis(alternative, margin), check_confidence_level(level)
    quantity = ComparedQuantity.from_arguments(fpr, tpr, tpr_at_fpr)
    options = _TestOptions(quantity, method, claim, level, BootstrapOptions(n_resamples, rng))
    rows = RowOptions(positive, negative, nan_policy, direction, weights, clusters, strata)
    check_option("paired", paired, (None, True, False))
    if x2 is None:
        if paired is not None:
            raise RocPredictError("paired= is for two curves; leave it out")
        return _test_one_curve(x1, y, 0.5 if null is None else null, options, rows)
    if null is not None:
        raise RocPredictError("null= is for one curve (x2=None); two curves are tested for equality, or with margin=")
    if isinstance(x1, UncertaintyMixin) or isinstance(x2, UncertaintyMixin):
        return _test_rocs(_check_rocs({"x1": x1, "x2": x2}, y, rows), paired, options)
    if y is None:
        if paired:
            raise RocPredictError("paired=True needs both features on the same rows; give auc_test(x1, x2, y)")
        return _compare(_independent_samples(x1, x2, rows), ("sample1", "sample2"), options)
    if paired is False:
        raise RocPredictError("paired=False needs different cases; give auc_test((x1, y1), (x2, y2))")
    return _compare((CurveSample.from_rows({"x1": x1, "x2": x2}, y, rows),), ("x1", "x2"), options)


class _TestOptions(NamedTuple):
    """The compared quantity, the way to test it, the claim about it, and the level of the interval."""

    quantity: ComparedQuantity
    method: Any
    claim: Hypothesis
    level: float
    resampling: BootstrapOptions


def _test_one_curve(x: Any, y: Any, null: float, options: _TestOptions, rows: RowOptions) -> AucTest:
    """Test the AUC of values, or of a ROC, against a value."""
    if options.quantity != _WHOLE_AREA:
        raise RocPredictError("one curve is tested by its AUC; leave fpr=, tpr= and tpr_at_fpr= out")
    claim = options.claim
    if isinstance(x, UncertaintyMixin):
        (roc,) = _check_rocs({"x1": x}, y, rows)
        arguments = {"alternative": claim.alternative, "margin": claim.margin, "level": options.level}
        return roc.auc_test(null, method=options.method, **arguments)
    sample = CurveSample.from_rows({"x1": x}, y, rows)
    pair = None if sample.design else sample.pair(0)
    return empirical_auc_test(
        compute_placements(*pair) if pair else sample.placements().contrast(np.ones(1)),
        pair,
        null,
        options.method,
        claim=claim,
        level=options.level,
        design=sample.design,
        **sample.fields(),
    )


# ---- two samples, or two curves
def _independent_samples(x1: Any, x2: Any, rows: RowOptions) -> tuple[CurveSample, CurveSample]:
    """Return two samples of different cases."""
    expected = "(x, y) of a sample; or two features with y, or two ROCs"
    pairs = [check_pair(name, sample, expected) for name, sample in (("x1", x1), ("x2", x2))]
    direction = rows.direction
    shared = direction is None or isinstance(direction, str)
    directions = (direction, direction) if shared else check_pair("direction", direction, "one for each sample")
    row_options = []
    for name in ("weights", "clusters", "strata"):
        pair = getattr(rows, name)
        row_options.append((None, None) if pair is None else check_pair(name, pair, "one for each sample, or None"))
    first, second = (
        CurveSample.from_rows({"x": x}, y, rows._replace(direction=sample_direction, weights=w, clusters=c, strata=s))
        for (x, y), sample_direction, w, c, s in zip(pairs, directions, *row_options, strict=True)
    )
    names = first.directions + second.directions
    if isinstance(direction, str) and direction == "auto" and len(set(names)) > 1:
        raise RocPredictError(
            f"direction='auto' finds opposite directions {short_repr(names)}; if that is meant, say direction={names}"
        )
    return first, second


def _check_rocs(rocs: dict[str, Any], y: Any, rows: RowOptions) -> list[Any]:
    """Return ROCs of one feature each, or refuse what is none, and options of values."""
    for name, roc in rocs.items():
        if not isinstance(roc, UncertaintyMixin):
            raise RocPredictError(f"{name}={short_repr(roc)} is no ROC as the other is; give two of a kind")
        if np.ndim(roc.auc()):
            raise RocPredictError("a batch of features cannot be tested at once; give them one by one")
    defaults = RowOptions()._asdict()
    refused = [name for name, value in rows._asdict().items() if not np.array_equal(value, defaults[name])]
    refused += [] if y is None else ["y"]
    if refused:
        raise RocPredictError(f"a ROC has its cases and its direction; leave {refused[0]}= out")
    return list(rocs.values())


def _test_rocs(rocs: list[Any], paired: bool | None, options: _TestOptions) -> AucTest:
    """Test two curves against each other; paired if it is stated, or known from their cases."""
    names, empirical = ("roc1", "roc2"), [_is_empirical(roc) for roc in rocs]
    is_paired = _are_paired(*rocs) if paired is None else paired
    if paired and not all(empirical):
        raise RocPredictError("paired=True is for two empirical curves; a predicted one does not keep its cases apart")
    if all(roc.auto_direction for roc in rocs) and rocs[0].direction != rocs[1].direction:
        raise RocPredictError("direction='auto' finds opposite directions of the curves; if that is meant, name them")
    if not all(empirical):
        result = _compare_predicted(rocs, names, options)
    elif is_paired:
        result = _compare((join_rocs(dict(zip(names, rocs, strict=True))),), names, options)
    else:
        result = _compare(tuple(join_rocs({"x": roc}) for roc in rocs), names, options)
    return replace(result, flags=result.flags | Flags(pairing_unknown=is_paired is None))


def _is_empirical(roc: Any) -> bool:
    return all(isinstance(d, Ecdf) and not isinstance(d, ShrinkageDistribution) for d in (roc.negative, roc.positive))


def _are_paired(roc1: Any, roc2: Any) -> bool | None:
    """Return whether two curves are known to be of the same cases or of others; None where neither is known."""
    cases: list[Any] = [getattr(roc, "source_rows", None) for roc in (roc1, roc2)]
    if all(cases) and cases[0].shares_labels(cases[1]):
        first, second = (np.concatenate([rows.negative, rows.positive]) for rows in cases)
        return bool(np.intersect1d(first, second, assume_unique=True).size)
    if roc1.count is None or roc2.count is None:
        return None
    return None if np.array_equal(np.add(roc1.count, roc1.omitted), np.add(roc2.count, roc2.omitted)) else False


class _RocArea(NamedTuple):
    """An area of a curve: smoothed, its variance, and the name of the method behind that."""

    smoothed: SmoothedAreas
    variance: float
    method: str
    null_value: float

    @property
    def estimate(self) -> FloatArray:
        """The area, as a share of the range's width."""
        return self.smoothed.estimate


def _area_of_roc(roc: Any, options: _TestOptions) -> _RocArea:
    """Return the area of a curve with its variance."""
    rate_range, resampling = options.quantity.rate_range, options.resampling
    if _is_empirical(roc):
        areas = join_rocs({"x": roc}).placements(rate_range).contrast(np.ones(1))
        smoothed = SmoothedAreas.from_placements(areas)
        return _RocArea(smoothed, float(areas.variance()), METHOD_NAMES["delong"], areas.null_value)
    uncertainty = roc._uncertainty(resampling.n_resamples, resampling.rng)
    estimate = np.asarray(area_function(rate_range)(uncertainty.solver))
    variance = float(np.nan_to_num(uncertainty.area_std_error(rate_range, None))) ** 2
    negatives, positives = map(float, uncertainty.class_sizes)
    chance = 0.5 if rate_range is None else float(rate_range.chance_area / rate_range.width)
    if variance > VARIANCE_TOL:
        limitless = np.asarray(np.inf)
        smoothed = SmoothedAreas(estimate, estimate, np.asarray(variance), limitless, (negatives, positives))
    else:  # as of observations that are all placed alike
        smoothed = SmoothedAreas.from_sum_squares(estimate, (0.0, 0.0), (negatives, positives), chance)
    is_gaussian = isinstance(roc.negative, Gaussian) and isinstance(roc.positive, Gaussian)
    method = "delta" if is_gaussian else "delong" if rate_range is None else "bootstrap"
    return _RocArea(smoothed, variance, METHOD_NAMES[method], chance)


def _compare_predicted(rocs: list[Any], names: tuple[str, str], options: _TestOptions) -> AucTest:
    """Test two curves of which one or both are predicted, as of different observations, by their standard errors."""
    check_option("method", options.method, (None, "delta"))
    quantity, claim = options.quantity, options.claim.divide(options.quantity.band_width)
    if quantity.fpr is not None:
        raise RocPredictError("tpr_at_fpr= compares two empirical curves; the AUC and fpr=(low, high) do for others")
    areas = [_area_of_roc(roc, options) for roc in rocs]
    contrast, variances = AreaContrast.from_samples([area.smoothed for area in areas]), [a.variance for a in areas]
    blind = min(variances) <= VARIANCE_TOL or min(contrast.areas.n_units) <= 1
    difference = AreaDifference(contrast, sum(variances), np.inf, contrast.areas.n_units, is_blind=blind)
    if blind:
        result = difference.test(claim, options.level, "delong")
    else:
        result = wald_test(contrast.estimate, sum(variances), claim, options.level, method="delta")
    return _build_test(
        result,
        options.claim.describe(*(f"{quantity.name} of {name}" for name in names)),
        areas,
        quantity,
        method=f"{' and '.join(dict.fromkeys(area.method for area in areas))}, unpaired",
        estimator=PREDICTED_AUC if quantity.rate_range is None else "area under the curve over the range, raw",
        estimates=tuple(float(area.estimate) * quantity.band_width for area in areas),
        covariance=np.diag(variances) * quantity.band_width**2,
        n=tuple(tuple(map(float, roc.count)) for roc in rocs),
        omitted=tuple(np.sum([roc.omitted for roc in rocs], axis=0).tolist()),
        direction=tuple(roc.direction or "higher" for roc in rocs),
        flags=Flags(auto_direction=any(roc.auto_direction for roc in rocs)),
    )


def select_method(method: str | None, quantity: ComparedQuantity, claim: Hypothesis) -> str:
    """Return the method asked for, or the default, or refuse one that cannot answer this."""
    check_option("method", method, (None, *TWO_SAMPLE_METHODS))
    is_tpr = quantity.fpr is not None
    selected = method or ("dirichlet" if quantity != _WHOLE_AREA else TWO_SAMPLE_METHODS[0])
    if is_tpr and selected not in {"dirichlet", "bootstrap"}:
        raise RocPredictError(f"tpr_at_fpr= is compared by method='dirichlet' or 'bootstrap', not {selected!r}")
    if selected == "dirichlet" and quantity == _WHOLE_AREA:
        raise RocPredictError("method='dirichlet' compares partial areas and TPRs; give fpr=, tpr= or tpr_at_fpr=")
    if selected in _PERMUTATION_STATISTICS:
        if quantity != _WHOLE_AREA:
            raise RocPredictError(f"method={selected!r} compares whole curves; leave fpr= and tpr= out")
        possible = ("two-sided", "greater", "less") if selected == "permutation" else ("two-sided",)
        if claim.alternative not in possible:
            raise RocPredictError(
                f"method={selected!r} has alternative {' or '.join(map(repr, possible))}, not {claim.alternative!r}"
            )
    return selected


def _compare(samples: tuple[CurveSample, ...], names: tuple[str, str], options: _TestOptions) -> AucTest:
    """Test two empirical curves: both features of one sample, or one feature each of two samples."""
    quantity, claim = options.quantity, options.claim
    is_stratified = any(sample.classes[0].strata is not None for sample in samples)
    method = options.method
    if method is None and quantity.rate_range is not None and is_stratified:
        method = TWO_SAMPLE_METHODS[0]  # draws have no strata
    method = select_method(method, quantity, claim)
    _check_design(samples, quantity, method)
    areas = [sample.placements(quantity.rate_range) for sample in samples]
    estimates = tuple(
        np.concatenate([_estimates(*each, quantity) for each in zip(samples, areas, strict=True)]).tolist()
    )
    statistic, covariance = _test_difference(samples, areas, estimates, options._replace(method=method))
    null, alternative = claim.describe(*(f"{quantity.name} of {name}" for name in names))
    if method in _PERMUTATION_STATISTICS:
        null = f"{' and '.join(names)} have the same ROC curve"
    if method == "venkatraman":
        alternative = "their ROC curves differ somewhere"
    paired, method_name = len(samples) == 1, METHOD_NAMES["mover" if method == "smoothed-logit" else method]
    return _build_test(
        statistic,
        (null, alternative),
        areas,
        quantity,
        method=f"{method_name}, {'paired' if paired else 'unpaired'}{samples[0].design or samples[-1].design}",
        estimator=quantity.estimator,
        estimates=estimates,
        covariance=covariance,
        n=samples[0].n if paired else tuple(sample.n for sample in samples),
        omitted=tuple(np.sum([sample.omitted for sample in samples], axis=0).tolist()),
        direction=tuple(direction for sample in samples for direction in sample.directions),
        flags=reduce(or_, (sample.flags for sample in samples)),
    )


def _build_test(
    statistic: AucStatistic,
    hypotheses: tuple[str, str],
    areas: Sequence[AnyPlacements | _RocArea],
    quantity: ComparedQuantity,
    *,
    flags: Flags,
    **fields: Any,
) -> AucTest:
    """Return the test of a difference of shares of the range's width; ``fields`` are those of ``AucTest``."""
    statistic = statistic._replace(interval=map_interval(statistic.interval, lambda limit: limit * quantity.band_width))
    flags |= opposite_direction_flag(np.hstack([area.estimate for area in areas]), areas[0].null_value)
    first, second = fields["estimates"]
    return statistic.result(hypotheses, difference=first - second, flags=flags, **fields)


def _covariance(areas: Sequence[AnyPlacements], quantity: ComparedQuantity) -> FloatArray:
    """Return the covariance matrix of two areas: of one sample, or of two, whose covariance is 0."""
    variances = [np.asarray(area.variance()) * quantity.band_width**2 for area in areas]
    return variances[0] if len(areas) == 1 else np.diag([float(variance.item()) for variance in variances])


def _test_difference(
    samples: tuple[CurveSample, ...], areas: list[AnyPlacements], estimates: tuple[float, ...], options: _TestOptions
) -> tuple[AucStatistic, FloatArray]:
    """Test the difference of two areas, as shares of the range's width; return the covariance of the estimates, too."""
    quantity, method, claim, level, resampling = options
    width, paired = quantity.band_width, len(samples) == 1
    claim, covariance = claim.divide(width), _covariance(areas, quantity)
    if paired:
        difference = AreaDifference.paired(areas[0], _DIFFERENCE)
    else:
        difference = AreaDifference.unpaired(areas[0].contrast(np.ones(1)), areas[1].contrast(np.ones(1)))
    statistic, same = difference.test(claim, level, method), paired and difference.is_same_curve
    if method == "dirichlet" and not (same and quantity.fpr is None):
        (first, second), flags = draw_compared(samples, quantity, resampling)
        if quantity.fpr is not None:
            drawn = np.stack([np.mean(pair, axis=0) for pair in (first, second)])
            covariance = np.cov(drawn) * (np.ones((2, 2)) if paired else np.eye(2))
        if not same:
            scaled_difference = (estimates[0] - estimates[1]) / width
            statistic = draws_test((first[0] - second[1], first[1] - second[0]), scaled_difference, claim, level, flags)
    if method == "bootstrap" and (quantity.fpr is not None or not same):
        estimates_resampled = _replicates(samples, quantity, resampling)
        covariance = covariance if quantity.fpr is None else np.cov(estimates_resampled.T)
        if (
            not paired
            and quantity.fpr is None
            and min(float(np.std(part)) for part in estimates_resampled.T) <= PLACEMENT_TOL
        ):
            return statistic.add_flags(Flags(fallback=True)), covariance  # one sample shows no variability
        if not same:
            scaled_difference = (estimates[0] - estimates[1]) / width
            statistic = bootstrap_test(
                (estimates_resampled[:, 0] - estimates_resampled[:, 1]) / width,
                scaled_difference,
                difference.n_units,
                claim,
                level,
            )
    if method in _PERMUTATION_STATISTICS and not same:
        observed, replicates = _permute(samples, method, resampling)
        one_sided = Hypothesis("greater") if method == "venkatraman" else options.claim
        statistic = statistic._replace(statistic=observed, p_value=one_sided.permutation_p_value(replicates, observed))
    return statistic, covariance


def _check_design(samples: tuple[CurveSample, ...], quantity: ComparedQuantity, method: str) -> None:
    """Refuse clusters, strata and weights for what draws or exchanges cases one by one."""
    plain = not any(sample.design for sample in samples)
    if any(sample.classes[0].strata is not None for sample in samples):
        if quantity.fpr is not None:
            raise RocPredictError("tpr_at_fpr= takes no strata=; the AUC and fpr=(low, high) do")
        if method == "dirichlet":
            raise RocPredictError("method='dirichlet' takes no strata=; give 'smoothed-logit'")
    if method not in {"smoothed-logit", "delong", "dirichlet"} and not plain:
        raise RocPredictError(f"method={method!r} takes no clusters= or strata=; give 'smoothed-logit'")
    weighed = any(sample.classes[0].weights is not None for sample in samples)
    if method in _PERMUTATION_STATISTICS and weighed:
        raise RocPredictError(f"method={method!r} takes whole weights only: what is exchanged is a case")


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
        columns = [
            f(negative[:, first], positive[:, second]) for f, first, second in zip(functions, *orders, strict=True)
        ]
        chunks.append(np.column_stack(columns))
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
