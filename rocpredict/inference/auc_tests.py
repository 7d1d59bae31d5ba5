"""Tests of one AUC, and of two AUCs from the same or from different observations."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.base.progress import track
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
    is_scalar,
    short_repr,
)
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.shrinkage import ShrinkageDistribution
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.inference.curve_draws import draw_compared, draws_test
from rocpredict.inference.empirical import area_function
from rocpredict.inference.hypotheses import (
    METHOD_NAMES,
    PREDICTED_AUC,
    Alternative,
    AucStatistic,
    AucTest,
    ComparedQuantity,
    Hypothesis,
    contrast_test,
    empirical_auc_test,
    opposite_direction_flag,
    wald_test,
)
from rocpredict.inference.intervals import AreaContrast, SmoothedAreas, map_interval
from rocpredict.inference.placements import (
    PLACEMENT_TOL,
    VARIANCE_TOL,
    CurveSample,
    Placements,
    RowOptions,
    check_same_direction,
    compute_placements,
    join_rocs,
)
from rocpredict.inference.uncertainty import AucTestMethod, UncertaintyMixin
from rocpredict.solvers.empirical import EmpiricalSolver

TWO_SAMPLE_METHODS = ("smoothed-logit", "delong", "dirichlet", "bootstrap", "venkatraman")
"""Methods for testing two empirical curves against each other; the first is the default for whole areas."""
_WHOLE_AREA = ComparedQuantity()
_DIFFERENCE = np.array([1.0, -1.0])
_GRID = (np.arange(400) + 0.5) / 400  # mean fractions of both classes below a threshold
_MAX_STD_ERROR = 1e3  # replaces the infinite standard error of an area if a class has a single observation


def auc_test(
    x1: ArrayLike | UncertaintyMixin[float],
    x2: ArrayLike | UncertaintyMixin[float] | None,
    y: ArrayLike | None = None,
    *,
    paired: bool | None = None,
    positive: Label = None,
    negative: Label = None,
    null: float | None = None,
    method: AucTestMethod | Literal["dirichlet", "bootstrap", "venkatraman"] = None,
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
    """Compare two AUCs, or one AUC with a given value, by a hypothesis test.

    Parameters
    ----------
    x1, x2 : array-like of shape (n,), pair (x, y), or ROC
        - Two features of the same observations: ``auc_test(x1, x2, y)``.
        - Two samples of different observations, which may have different sizes: ``auc_test((x1, y1), (x2, y2))``.
        - Two curves: ``auc_test(roc1, roc2)``.
        - A feature or a curve that is tested against ``null``: ``auc_test(x1, None, y)`` or ``auc_test(roc1, None)``.
    y : array-like of shape (n,), optional
        Class labels, if ``x1`` and ``x2`` are features.
    paired : bool, optional
        Whether two curves come from the same observations. By default, two curves are treated as paired if
        ``empirical_roc`` computed both of them from the same array of labels and they share at least one row. Two
        arrays with equal labels are not sufficient, because they may belong to different observations. All other pairs
        of curves are tested as independent samples. For such a pair, the flag ``pairing_unknown`` is set if the two
        curves have equal or unknown class sizes, because the curves may come from the same observations. If True,
        observations are matched by row number or, for curves created with ``EmpiricalRoc(...)``, by their order within
        each class. Rows that are missing from one of the curves are omitted.
    positive, negative : label, optional
        As in ``empirical_roc``.
    null : float, optional
        AUC under the null hypothesis, for a test of a single curve. By default 0.5.
    method : str, optional
        Two empirical curves:

        - "smoothed-logit" (default): the smoothed-logit intervals of both AUCs, combined by MOVER (method of variance
          estimates recovery) [1]_.
        - "delong": the difference between the AUCs is divided by DeLong's standard error, and the ratio is compared
          with a normal distribution [2]_.
        - "dirichlet": Dirichlet draws of both curves, as in ``tpr_at_fpr_interval``. This method is the default with
          ``tpr_at_fpr``. It is also the default with ``fpr`` or ``tpr`` if no ``strata`` are passed.
        - "bootstrap": the difference between the two estimates, divided by its bootstrap standard error.
        - "venkatraman": permutation test of the hypothesis that the two whole curves, not only their areas, are equal
          [3]_.

        Two curves, one or both of them predicted:

        - "delta" (default): the confidence intervals of both areas, combined by MOVER. For a curve predicted from two
          Gaussians, the interval is computed on the probit scale with Student's t. For a curve predicted from another
          fitted family, the interval for the AUC is the smoothed-logit interval of the empirical AUC, extended to
          contain the predicted AUC. For a partial area of a curve from another family, the interval is computed from
          the bootstrap standard error.

        One curve:

        - "smoothed-logit" (default): p is 1 minus the highest confidence level at which the smoothed-logit interval of
          the AUC excludes ``null``.
        - "delong": the AUC minus ``null``, divided by DeLong's standard error.
        - "mann-whitney": test of the hypothesis that both classes have the same distribution. The p-value is computed
          by a normal approximation with tie correction.
        - "exact": exact permutation test of the same hypothesis as "mann-whitney". The test accepts up to 200
          observations, or any number if the feature has only two different values.
        - "pivotal" (default for a curve predicted from two Gaussians) and "delta": as in ``roc.auc_test``.
    alternative : {"two-sided", "greater", "less", "noninferior", "equivalent"}, default="two-sided"
        Alternative hypothesis about the first curve. "noninferior" and "equivalent" need ``margin``.
    margin : float, optional
        Largest negligible difference, in (0, 1).
    fpr, tpr : (low, high), optional
        FPR range or TPR range. The test compares the partial areas over this range, without the McClish correction.
    tpr_at_fpr : float, optional
        FPR at which the TPRs of the two curves are compared.
    direction : {None, "higher", "lower", "auto"} or a pair of "higher", "lower", default=None
        Whether positives have larger or smaller values than negatives. A pair contains the direction of each curve; a
        single value applies to both curves. With "auto", the direction is chosen from the data once, before resampling.
        This choice biases both AUCs upwards; an error is raised if the two curves have opposite directions.
    level : float, default=0.95
        Confidence level of the interval.
    nan_policy : {"raise", "omit"}, default="raise"
        With "omit", rows in which the value of one or both features is missing are omitted, so that both AUCs are
        computed from the same rows.
    weights : array-like of shape (n,), optional
        Frequency weights. For two samples, pass ``weights``, ``clusters`` and ``strata`` as pairs, with an array or
        None for each sample.
    clusters : array-like of shape (n,), optional
        Cluster of each row. Rows of one cluster, such as several readings of one patient, may depend on each other. The
        variance is estimated by the jackknife over clusters; each class must have at least four clusters. The method
        "dirichlet" draws one random weight for each cluster. The clusters of two samples are treated as different even
        if they have the same names.
    strata : array-like of shape (n,), optional
        Stratum of each row. Only rows of the same stratum are compared with each other, and the AUC is a weighted mean
        over the strata. The weight of a stratum is its number of negative-positive pairs.
    n_resamples : int, default=2000
        Number of resamples, for the methods "dirichlet", "bootstrap" and "venkatraman".
    rng : int or numpy Generator, default=0
        Seed of the resamples.

    Returns
    -------
    AucTest
        For two samples or two unpaired curves, ``n`` contains the class sizes of each sample or curve. ``omitted``
        contains the numbers of omitted negatives and positives, summed over both samples or curves.

    Raises
    ------
    RocPredictError
        For the same reasons as in ``empirical_roc``. Also if the method does not support one of the other arguments, or
        if "auto" chooses opposite directions for the two curves.

    Notes
    -----
    The method "smoothed-logit" combines the smoothed-logit intervals of the two AUCs into an interval for their
    difference. This method uses quantiles of Student's t with Satterthwaite's degrees of freedom [4]_. For two AUCs
    (but not partial AUCs) of the same observations, two intervals for the difference are computed. The first interval
    is appropriate for equal AUCs: it is computed as if both curves shared the pseudo-observations that smoothing adds
    to the data. The second interval is computed as if each curve had its own pseudo-observations.

    The alternatives "two-sided", "greater" and "less" are tested at a difference of 0, where both AUCs are equal. These
    tests use the first interval, because it gives more power. For a one-sided alternative in the direction of the
    estimated difference, the p-value is half of the two-sided p-value. The alternatives "noninferior" and "equivalent"
    are tested at a margin, where the AUCs are unequal. With unequal AUCs and few observations, a test based on the
    first interval alone would reject too often. A margin is therefore excluded in two cases only. In the first case,
    both intervals exclude the margin. In the second case, 0 lies between the margin and the estimated difference, and
    the first interval excludes both the margin and 0. By chance, a sample may lack rare observations that would lower
    one of the two AUCs. Both intervals therefore allow for such unseen observations in each AUC. The second interval
    also allows for unseen observations whose placement values differ between the two features. The interval in the
    result agrees with the tests of all alternatives. If the first interval contains 0, the interval in the result is
    the smallest interval that contains both intervals. If the first interval excludes 0, the limit nearer to 0 equals
    the corresponding limit of the first interval. As ``level`` increases, this limit therefore changes abruptly at the
    level 1 - p, where p is the two-sided p-value.

    The method "delong" rejects a true null hypothesis too often if a class has few observations, if the samples have
    unequal sizes, or if an AUC is near 1. With "dirichlet", p is the smallest significance level at which the interval
    computed from the draws excludes the null value. This p-value is at least 2/(2 n_resamples + 1), or half of this
    value for a one-sided test. If a curve is tested against itself, the flag ``same_curve`` is set, and p is 1 unless a
    margin is tested. Two AUCs estimated from the same observations are usually positively correlated. A test that
    treats the curves as independent samples therefore rejects too rarely.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner (2008), Construction of confidence limits about effect measures: a general approach,
       Statistics in Medicine 27, 1693-1702.
    .. [2] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (1988), Comparing the areas under two or more correlated
       receiver operating characteristic curves: a nonparametric approach, Biometrics 44, 837-845.
    .. [3] E. S. Venkatraman, C. B. Begg (1996), A distribution-free procedure for comparing receiver operating
       characteristic curves from a paired experiment, Biometrika 83, 835-848. Independent samples: E. S. Venkatraman
       (2000), A permutation test to compare receiver operating characteristic curves, Biometrics 56, 1134-1138.
    .. [4] F. E. Satterthwaite (1946), An approximate distribution of estimates of variance components, Biometrics
       Bulletin 2, 110-114.

    Examples
    --------
    >>> from rocpredict import empirical_roc
    >>> from rocpredict.datasets import load_iris, simulate_two_gaussians
    >>> iris, classes = load_iris(), {"positive": "virginica", "negative": "versicolor"}
    >>> x1, x2 = iris.column("sepal_length"), iris.column("sepal_width")
    >>> auc_test(x1, x2, iris.y, **classes)
    AucTest(null='AUC of x1 = AUC of x2', method='MOVER of smoothed-logit intervals, paired',
            estimates=(0.7896, 0.6636), difference=+0.126, interval=0.02648 to 0.2359, statistic=2.50789,
            p_value=0.0137881, n=(50, 50))
    >>> auc_test(empirical_roc(x1, iris.y, **classes), empirical_roc(x2, iris.y, **classes)).p_value
    0.013788...
    >>> auc_test(x2, None, iris.y, **classes).p_value
    0.006131...
    >>> auc_test(*(simulate_two_gaussians(count=(80, 70), rng=seed) for seed in (1, 2)))
    AucTest(null='AUC of sample1 = AUC of sample2', method='MOVER of smoothed-logit intervals, unpaired', ...
    """
    quantity = ComparedQuantity.from_arguments(fpr, tpr, tpr_at_fpr)
    claim, resampling = Hypothesis(alternative, margin), BootstrapOptions(n_resamples, rng)
    options = _TestOptions(quantity, method, claim, check_confidence_level(level), resampling)
    rows = RowOptions(positive, negative, nan_policy, direction, weights, clusters, strata)
    check_option("paired", paired, (None, True, False))
    if x2 is None:
        if paired is not None:
            raise RocPredictError("paired= applies only to two curves, but x2=None; omit paired=")
        return _test_one_curve(x1, y, 0.5 if null is None else null, options, rows)
    if null is not None:
        raise RocPredictError(
            "null= applies only to one curve (x2=None); omit null= to test whether two AUCs are equal, or pass "
            "margin= to test equivalence or noninferiority"
        )
    if isinstance(x1, UncertaintyMixin) or isinstance(x2, UncertaintyMixin):
        return _test_rocs(_check_rocs({"x1": x1, "x2": x2}, y, rows), paired, options)
    if y is None:
        if paired:
            raise RocPredictError("paired=True needs two features of the same observations; pass auc_test(x1, x2, y)")
        return _compare(_independent_samples(x1, x2, rows), ("sample1", "sample2"), options)
    if paired is False:
        raise RocPredictError("paired=False is for two separate samples; pass auc_test((x1, y1), (x2, y2))")
    return _compare((CurveSample.from_rows({"x1": x1, "x2": x2}, y, rows),), ("x1", "x2"), options)


class _TestOptions(NamedTuple):
    """Compared quantity, method, hypothesis, confidence level and resampling options of a test."""

    quantity: ComparedQuantity
    method: Any
    claim: Hypothesis
    level: float
    resampling: BootstrapOptions


def _test_one_curve(x: Any, y: Any, null: float, options: _TestOptions, rows: RowOptions) -> AucTest:
    """Test the AUC of a feature or of a ROC curve against a value."""
    quantity, method, claim, level, _ = options
    if quantity != _WHOLE_AREA:
        raise RocPredictError("fpr=, tpr= and tpr_at_fpr= apply only to two curves, but x2=None; omit these arguments")
    if isinstance(x, UncertaintyMixin):
        (roc,) = _check_rocs({"x1": x}, y, rows)
        return roc.auc_test(null, method=method, alternative=claim.alternative, margin=claim.margin, level=level)
    sample = CurveSample.from_rows({"x1": x}, y, rows)
    pair = None if sample.design else sample.pair(0)
    areas = compute_placements(*pair) if pair else sample.area()
    return empirical_auc_test(
        areas, pair, null, method, claim=claim, level=level, design=sample.design, **sample.fields()
    )


# ---- two samples, or two curves
def _independent_samples(x1: Any, x2: Any, rows: RowOptions) -> tuple[CurveSample, CurveSample]:
    """Return the two samples passed as pairs (x, y), after checking the arguments."""
    sizes = [0 if is_scalar(sample) or hasattr(sample, "tocsc") else len(sample) for sample in (x1, x2)]
    if sizes[0] == sizes[1] > 2:
        raise RocPredictError(
            "y is missing; pass auc_test(x1, x2, y) for two features, auc_test(x, None, y) for one feature, or "
            "auc_test((x1, y1), (x2, y2)) for two samples"
        )
    expected = "a sample as (x, y), or two features and y, or two ROC curves"
    pairs = [check_pair(name, sample, expected) for name, sample in (("x1", x1), ("x2", x2))]
    options: dict[str, Any] = {}
    for name in ("weights", "clusters", "strata"):
        pair = getattr(rows, name)
        options[name] = (None, None) if pair is None else check_pair(name, pair, "one array for each sample, or None")
    is_shared = rows.direction is None or isinstance(rows.direction, str)
    options["direction"] = (
        [rows.direction] * 2 if is_shared else check_pair("direction", rows.direction, "one direction for each sample")
    )
    first, second = (
        CurveSample.from_rows({"x": x}, y, rows._replace(**{name: pair[k] for name, pair in options.items()}))
        for k, (x, y) in enumerate(pairs)
    )
    if "auto_direction" in first.flags:
        check_same_direction(first.directions + second.directions, ("sample1", "sample2"))
    return first, second


def _check_rocs(rocs: dict[str, Any], y: Any, rows: RowOptions) -> list[Any]:
    """Return the ROC curves; raise RocPredictError for other objects, batches, and arguments that need arrays."""
    for name, roc in rocs.items():
        if not isinstance(roc, UncertaintyMixin):
            raise RocPredictError(
                f"{name}={short_repr(roc)} is not a ROC curve and cannot be compared with one; pass two ROC curves"
            )
        if np.ndim(roc.auc()):
            raise RocPredictError("a batch of features cannot be tested at once; pass one feature at a time")
    passed = zip(rows._fields, rows, RowOptions(), strict=True)
    refused = [name for name, value, default in passed if value is not default and not _is_text(value, default)]
    refused += [] if y is None else ["y"]
    if refused:
        raise RocPredictError(f"ROC curves already contain observations, labels and directions; omit {refused[0]}=")
    return list(rocs.values())


def _is_text(value: Any, text: Any) -> bool:
    return isinstance(value, str) and value == text


def _test_rocs(rocs: list[Any], paired: bool | None, options: _TestOptions) -> AucTest:
    """Test two curves against each other; by default, the test is paired if both curves share observations."""
    names, are_empirical = ("roc1", "roc2"), all(map(_is_empirical, rocs))
    is_paired = _are_paired(*rocs) if paired is None else paired
    if paired and not are_empirical:
        raise RocPredictError("paired=True needs two empirical curves; a predicted curve has no observations to match")
    if all(roc.auto_direction for roc in rocs):
        check_same_direction([roc.direction for roc in rocs], names)
    if not are_empirical:
        result = _compare_predicted(rocs, names, options)
    elif is_paired:
        result = _compare((join_rocs(dict(zip(names, rocs, strict=True))),), names, options)
    else:
        result = _compare(tuple(join_rocs({"x": roc}) for roc in rocs), names, options)
    return replace(result, flags=result.flags | Flags(pairing_unknown=is_paired is None))


def _is_empirical(roc: Any) -> bool:
    return all(isinstance(d, Ecdf) and not isinstance(d, ShrinkageDistribution) for d in (roc.negative, roc.positive))


def _are_paired(roc1: Any, roc2: Any) -> bool | None:
    """Return whether two curves share observations; None if this is unknown."""
    sources: list[Any] = [getattr(roc, "source_rows", None) for roc in (roc1, roc2)]
    if all(sources) and sources[0].shares_labels(sources[1]):
        first, second = (np.concatenate([rows.negative, rows.positive]) for rows in sources)
        return bool(np.intersect1d(first, second, assume_unique=True).size)
    if roc1.count is None or roc2.count is None:
        return None
    return None if np.array_equal(np.add(roc1.count, roc1.omitted), np.add(roc2.count, roc2.omitted)) else False


def _area_of_roc(roc: Any, options: _TestOptions, chance: float) -> tuple[SmoothedAreas, str]:
    """Return the area under a curve, divided by the width of the range, and the name of the interval method."""
    rate_range, resampling = options.quantity.rate_range, options.resampling
    if _is_empirical(roc):
        return SmoothedAreas.from_placements(join_rocs({"x": roc}).area(rate_range)), "smoothed-logit"
    uncertainty = roc._uncertainty(resampling.n_resamples, resampling.rng)
    is_gaussian = isinstance(roc.negative, Gaussian) and isinstance(roc.positive, Gaussian)
    estimate = np.asarray(area_function(rate_range)(uncertainty.solver))
    std_error = np.nan_to_num(uncertainty.area_std_error(rate_range, None))
    variance = np.minimum(std_error, _MAX_STD_ERROR) ** 2
    if rate_range is None and not is_gaussian:  # the interval of the sample, extended to include the estimate
        smoothed = replace(SmoothedAreas.from_placements(uncertainty.placements_of_sample()), estimate=estimate)
        return smoothed, "smoothed-logit"
    negatives, positives = map(float, uncertainty.class_sizes)
    n_units = negatives, positives
    areas = SmoothedAreas.from_sum_squares(estimate, (0.0, 0.0), n_units, chance, is_partial=rate_range is not None)
    constant = replace(areas, is_constant=False)
    if variance <= VARIANCE_TOL:  # as if all observations had the same placement
        return constant, "smoothed-logit"
    if is_gaussian:
        df = np.asarray(uncertainty.probit_area(rate_range).df)
        smoothed = SmoothedAreas(estimate, estimate, variance, df, n_units, variance, is_probit=True)
        return smoothed, METHOD_NAMES["delta"]
    total = variance + constant.variance
    return replace(constant, variance=total, df=np.asarray(np.inf), plain_variance=variance), METHOD_NAMES["bootstrap"]


def _compare_predicted(rocs: list[Any], names: tuple[str, str], options: _TestOptions) -> AucTest:
    """Test two independent curves, one or both of them predicted, by combining their intervals with MOVER."""
    check_option("method", options.method, (None, "delta"))
    quantity, width = options.quantity, options.quantity.band_width
    if quantity.fpr is not None:
        raise RocPredictError(
            "tpr_at_fpr= needs two empirical curves; for a predicted curve, omit tpr_at_fpr= or pass fpr=(low, high)"
        )
    claim, rate_range = options.claim.divide(width), quantity.rate_range
    chance = 0.5 if rate_range is None else float(rate_range.chance_area / rate_range.width)
    (first, first_method), (second, second_method) = (_area_of_roc(roc, options, chance) for roc in rocs)
    contrast = AreaContrast.from_samples(first, second)
    statistic = contrast_test(contrast, claim, options.level, "delong" if contrast.is_blind else "mover")
    return _build_test(
        statistic,
        names,
        contrast.areas.estimate,
        chance,
        options,
        method=f"MOVER of {' and '.join(dict.fromkeys([first_method, second_method]))} intervals, unpaired",
        estimator=PREDICTED_AUC if rate_range is None else "area under the curve over the range, raw",
        estimates=tuple((contrast.areas.estimate * width).tolist()),
        covariance=np.diag(contrast.areas.plain_variance) * width**2,
        n=tuple(tuple(map(float, roc.count)) for roc in rocs),
        omitted=tuple(np.sum([roc.omitted for roc in rocs], axis=0).tolist()),
        n_unlabelled=sum(roc.n_unlabelled for roc in rocs),
        direction=tuple(roc.direction or "higher" for roc in rocs),
        flags=Flags(auto_direction=any(roc.auto_direction for roc in rocs)),
    )


def _compare(samples: tuple[CurveSample, ...], names: tuple[str, str], options: _TestOptions) -> AucTest:
    """Test two empirical curves, from two features of the same sample or from two different samples."""
    quantity, is_paired = options.quantity, len(samples) == 1
    method = _select_method(samples, options)
    areas = [sample.placements(quantity.rate_range) for sample in samples]
    shares = np.concatenate([np.atleast_1d(area.estimate) for area in areas])
    estimates = shares * quantity.band_width
    if quantity.fpr is not None:
        pairs = [sample.pair(curve) for sample in samples for curve in range(len(sample.names))]
        estimates = np.array([EmpiricalSolver(*pair).along("fpr", np.asarray(quantity.fpr)) for pair in pairs])
    options = options._replace(method=method)
    statistic, covariance = _test_difference(samples, areas, estimates, options)
    method_name = METHOD_NAMES["mover" if method == "smoothed-logit" else method]
    return _build_test(
        statistic,
        names,
        shares,
        areas[0].null_value,
        options,
        method=f"{method_name}, {'paired' if is_paired else 'unpaired'}{samples[0].design or samples[-1].design}",
        estimator=quantity.estimator,
        estimates=tuple(estimates.tolist()),
        covariance=covariance,
        n=samples[0].n if is_paired else tuple(sample.n for sample in samples),
        omitted=tuple(np.sum([sample.omitted for sample in samples], axis=0).tolist()),
        n_unlabelled=sum(sample.n_unlabelled for sample in samples),
        direction=tuple(direction for sample in samples for direction in sample.directions),
        flags=reduce(or_, (sample.flags for sample in samples)),
    )


def _select_method(samples: tuple[CurveSample, ...], options: _TestOptions) -> str:
    """Return the requested method or the default, or raise RocPredictError if other options exclude this method."""
    quantity, requested = options.quantity, check_option("method", options.method, (None, *TWO_SAMPLE_METHODS))
    parts = [sample.classes[0] for sample in samples]
    is_stratified = any(part.strata is not None for part in parts)
    has_draws = quantity.fpr is not None or (quantity.rate_range is not None and not is_stratified)
    method = str(requested or ("dirichlet" if has_draws else TWO_SAMPLE_METHODS[0]))
    if quantity.fpr is not None and method not in {"dirichlet", "bootstrap"}:
        raise RocPredictError(f"tpr_at_fpr= needs method='dirichlet' or 'bootstrap', not {method!r}")
    if quantity.fpr is not None and is_stratified:
        raise RocPredictError("tpr_at_fpr= cannot be combined with strata=; omit one of them")
    if method == "dirichlet" and quantity == _WHOLE_AREA:
        raise RocPredictError("method='dirichlet' compares only partial areas or TPRs; pass fpr=, tpr= or tpr_at_fpr=")
    if method == "dirichlet" and is_stratified:
        raise RocPredictError("method='dirichlet' does not accept strata=; pass method='smoothed-logit'")
    if method in {"bootstrap", "venkatraman"} and any(sample.design for sample in samples):
        raise RocPredictError(f"method={method!r} does not accept clusters= or strata=; pass method='smoothed-logit'")
    if method in {"bootstrap", "venkatraman"} and any(part.weights is not None for part in parts):
        problem = f"method={method!r} requires integer weights, because it resamples observations"
        raise RocPredictError(f"{problem}; pass integer weights or another method")
    if method == "venkatraman" and quantity != _WHOLE_AREA:
        raise RocPredictError("method='venkatraman' compares whole curves; omit fpr= and tpr=")
    if method == "venkatraman" and options.claim.alternative != "two-sided":
        raise RocPredictError(
            f"method='venkatraman' requires alternative='two-sided', not {options.claim.alternative!r}"
        )
    return method


def _build_test(
    statistic: AucStatistic,
    names: tuple[str, str],
    shares: FloatArray,
    chance: float,
    options: _TestOptions,
    *,
    flags: Flags,
    **fields: Any,
) -> AucTest:
    """Return the result of a test.

    ``shares`` contains both areas, divided by the width of the range of rates. ``fields`` contains the remaining fields
    of ``AucTest``.
    """
    quantity, (first, second) = options.quantity, fields["estimates"]
    hypotheses = options.claim.describe(*(f"{quantity.name} of {name}" for name in names))
    if options.method == "venkatraman":
        hypotheses = f"{' and '.join(names)} have the same ROC curve", "their ROC curves differ somewhere"
    interval = map_interval(statistic.interval, lambda limit: limit * quantity.band_width)
    flags |= opposite_direction_flag(shares, chance)
    return statistic._replace(interval=interval).result(hypotheses, difference=first - second, flags=flags, **fields)


def _test_difference(
    samples: tuple[CurveSample, ...], areas: list[Placements], estimates: FloatArray, options: _TestOptions
) -> tuple[AucStatistic, FloatArray]:
    """Test the difference between two estimates, and return the covariance matrix of the estimates as well.

    Areas are divided by the width of the range of rates for the test, but not for the covariance matrix.
    """
    quantity, method, claim, level, resampling = options
    width, is_paired, is_tpr = quantity.band_width, len(samples) == 1, quantity.fpr is not None
    claim, scaled_difference = claim.divide(width), float(estimates[0] - estimates[1]) / width
    if is_paired:
        contrast, covariance = AreaContrast.from_placements(areas[0], _DIFFERENCE), areas[0].variance() * width**2
    else:
        contrast = AreaContrast.from_samples(*(SmoothedAreas.from_placements(area.curve(0)) for area in areas))
        covariance = np.diag(contrast.areas.plain_variance) * width**2
    statistic, is_same = contrast_test(contrast, claim, level, method), is_paired and contrast.is_same_curve
    if is_same and not is_tpr:
        return statistic, covariance
    if method == "dirichlet":
        (first, second), flags = draw_compared(samples, quantity, resampling)
        if is_tpr:
            covariance = np.cov([np.mean(pair, axis=0) for pair in (first, second)])
            covariance = covariance if is_paired else np.diag(np.diag(covariance))
        draws = first[0] - second[1], first[1] - second[0]
        if not is_same:
            statistic = draws_test(draws, scaled_difference, claim, level, flags)
        return statistic._replace(statistic=scaled_difference * width), covariance
    if method == "bootstrap":
        replicates = _replicates(samples, quantity, resampling)
        covariance = np.cov(replicates.T) if is_tpr else covariance
        if not is_paired and not is_tpr and replicates.std(axis=0).min() <= PLACEMENT_TOL:
            return statistic.add_flags(Flags(fallback=True)), covariance  # all resamples of one sample have equal areas
        if not is_same:
            differences = (replicates[:, 0] - replicates[:, 1]) / width
            variance, n_units = float(np.var(differences, ddof=1)), contrast.n_units
            statistic = wald_test(scaled_difference, variance, n_units, claim, level, method="bootstrap")
    if method == "venkatraman":
        observed, replicates = (_permute_ranks if is_paired else _permute_samples)(samples, resampling)
        tolerance = 1e-12 * max(1.0, float(replicates.max()), observed)
        n_extreme = np.count_nonzero(replicates >= observed - tolerance)
        statistic = statistic._replace(statistic=observed, p_value=(1 + n_extreme) / (1 + len(replicates)))
    return statistic, covariance


# ---- resampling
def _replicates(
    samples: tuple[CurveSample, ...], quantity: ComparedQuantity, resampling: BootstrapOptions
) -> FloatArray:
    """Return the estimates of both curves from each resample, shape (n_resamples, 2)."""
    if len(samples) > 1:  # both samples use one stream of random numbers in turn
        resampling = replace(resampling, rng=resampling.generator())
    columns: list[FloatArray] = []
    for sample in samples:
        functions = [quantity.bootstrap_function(*sample.pair(curve)) for curve in range(len(sample.names))]
        orders = [np.argsort(part.values, axis=0).T for part in sample.classes]
        rows = len(sample.classes[0].values), len(sample.classes[1].values)
        chunks = [
            [f(negative[:, first], positive[:, second]) for f, first, second in zip(functions, *orders, strict=True)]
            for negative, positive in resampling.resample_counts((None, None), rows, row_size=10 * sum(rows))
        ]
        columns += [np.concatenate(parts) for parts in zip(*chunks, strict=True)]
    return np.column_stack(columns)


def _permute_ranks(samples: tuple[CurveSample, ...], resampling: BootstrapOptions) -> tuple[float, FloatArray]:
    """Return the statistic of Venkatraman and Begg (1996), before and after random exchanges of ranks.

    Each observation has two ranks, one for each curve, which are exchanged with probability 1/2. With a threshold at
    each rank in turn, the numbers of classification errors of both curves are counted. The statistic is the sum over
    all thresholds of the absolute difference between these two numbers. If the sample has ties, the numbers of errors
    are averaged over all orders of the tied observations, so that the statistic of the sample does not depend on the
    seed. In a sample without ties, ranks that coincide after an exchange are put in a random order.
    """
    from scipy.stats import rankdata

    negative, positive = (part.values for part in samples[0].classes)
    ranks, rng = rankdata(np.concatenate([negative, positive]), axis=0), resampling.generator()
    sign = np.repeat([-1.0, 1.0], [len(negative), len(positive)])
    has_ties = any(len(np.unique(column)) < len(column) for column in ranks.T)
    if not has_ties:
        rng.random((len(ranks), 1))  # this draw is not used; it keeps the results of earlier versions

    def statistic(ranks: FloatArray) -> FloatArray:
        errors = [np.cumsum(_mean_signs(sign, ranks[..., curve]), axis=1) for curve in (0, 1)]
        return np.asarray(np.abs(errors[0] - errors[1]).sum(axis=1))

    replicates = []
    for size in resampling.chunk_sizes(12 * len(ranks)):
        is_exchanged = rng.random((size, len(ranks))) < 0.5
        exchanged = np.where(is_exchanged[..., None], ranks[:, ::-1], ranks)
        replicates.append(statistic(exchanged if has_ties else exchanged + rng.random((size, len(ranks), 1)) / 2))
    return float(statistic(ranks[None])[0]), np.concatenate(replicates)


def _mean_signs(sign: FloatArray, ranks: FloatArray) -> FloatArray:
    """Return the class signs (-1 or 1) in the order of B rankings, shape (B, n); tied observations get their mean."""
    order = np.argsort(ranks, axis=1)
    ordered, signs = np.take_along_axis(ranks, order, axis=1), sign[order]
    starts = np.concatenate([np.ones((len(ranks), 1), dtype=bool), np.diff(ordered, axis=1) > 0], axis=1)
    group = np.cumsum(starts.ravel()) - 1
    means = np.bincount(group, signs.ravel()) / np.bincount(group)
    return np.asarray(means[group].reshape(signs.shape))


def _permute_samples(samples: tuple[CurveSample, ...], resampling: BootstrapOptions) -> tuple[float, FloatArray]:
    """Return the statistic of Venkatraman (2000) for two samples, before and after random exchanges.

    Each value is first replaced by the fraction of smaller values in the same sample; both classes have equal weights
    in this fraction. If the ROC curves are equal, the fractions of each class have the same distribution in both
    samples, whatever the units of the values. Observations of the same class are then exchanged between the samples at
    random. The statistic is the absolute difference between the error rates of the two samples at the same fraction,
    integrated over all fractions.
    """
    rng = resampling.generator()
    fractions = [_fractions_below(*(part.values[:, 0] for part in sample.classes)) for sample in samples]
    pooled = [np.concatenate(parts) for parts in zip(*fractions, strict=True)]
    sizes = [len(part) for part in fractions[0]]

    def distance(values: list[FloatArray]) -> float:
        groups = zip(*(np.split(part, [size]) for part, size in zip(values, sizes, strict=True)), strict=True)
        first, second = (_error_curve(*group) for group in groups)
        return float(np.abs(first - second).mean())

    exchanges = track(range(resampling.n_resamples), resampling.n_resamples)
    replicates = [distance([rng.permutation(part) for part in pooled]) for _ in exchanges]
    return distance(pooled), np.array(replicates)


def _fractions_below(negative: FloatArray, positive: FloatArray) -> list[FloatArray]:
    """Return, for each value, the mean over both classes of the fraction below this value; ties count as half."""
    ordered = [np.sort(part) for part in (negative, positive)]
    return [
        np.sum(
            [
                (np.searchsorted(part, x, "left") + np.searchsorted(part, x, "right")) / (4 * len(part))
                for part in ordered
            ],
            axis=0,
        )
        for x in (negative, positive)
    ]


def _error_curve(negative: FloatArray, positive: FloatArray) -> FloatArray:
    """Return (FNR + FPR)/2 at the thresholds at which (FNR + TNR)/2 takes the values in ``_GRID``."""
    values = np.concatenate([negative, positive])
    order = np.argsort(values, kind="stable")
    step = np.repeat([1 / len(negative), 1 / len(positive)], [len(negative), len(positive)])[order] / 2
    sign = np.repeat([-1.0, 1.0], [len(negative), len(positive)])[order]
    last = np.flatnonzero(np.append(np.diff(values[order]) > 0, True))
    share = np.concatenate([[0.0], np.cumsum(step)[last]])
    errors = np.concatenate([[0.5], 0.5 + np.cumsum(step * sign)[last]])
    return np.asarray(np.interp(_GRID, share, errors))
