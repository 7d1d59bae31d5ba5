"""Every wrong input ends in one clear RocPredictError, and no input is changed."""

import warnings
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict import AssumptionWarning, Ecdf, EmpiricalRoc, Gaussian, PredictedRoc
from rocpredict.base.rates import precision_from_rates, precision_from_recall
from tests.cases import for_each, refusal

NAN, INF = np.nan, np.inf
ROCS = {
    "gaussian": PredictedRoc(negative=Gaussian(0, 1), positive=Gaussian(1, 2)),
    "batch": PredictedRoc(negative=Gaussian([0, 0.5], 1), positive=Gaussian([1, 2], 2)),
    "scipy": PredictedRoc(negative=Gaussian(0, 1), positive=stats.gamma(2)),
    "samples": EmpiricalRoc(negative=[1, 2, 3], positive=[2, 3, 4]),
}


def predict(negative, positive=ROCS["gaussian"].negative):
    return partial(PredictedRoc, negative, positive)


def count(negative, positive=(1,), **options):
    return partial(EmpiricalRoc, negative, positive, **options)


X, Y = [1.0, 2.0, 3.0, 4.0, 5.0], [0, 0, 1, 1, 1]


def refused(call, words):
    assert words in refusal(call)


CONSTRUCTIONS = {
    "negative std": (lambda: Gaussian(1, -1), "std=-1 is negative; it must be 0 or more"),
    "NaN mean": (lambda: Gaussian(NAN, 1), "mean=nan contains NaN; real numbers are needed"),
    "infinite mean": (lambda: Gaussian(INF, 1), "mean=inf contains infinite values; finite numbers are needed"),
    "text mean": (lambda: Gaussian("4", 1), "mean='4' is not a real number"),
    "complex std": (lambda: Gaussian(4, 1j), "std=1j is not a real number"),
    "ragged mean": (lambda: Gaussian([1, [2]], 1), "mean=[1, [2]] is not a real number or an array of real numbers"),
    "masked mean": (lambda: Gaussian(np.ma.array([1, 9], mask=[0, 1]), 1), "contains NaN"),
    "shapes": (lambda: Gaussian([1, 2], [1, 2, 3]), "shapes cannot be broadcast: mean (2,), std (3,)"),
    "large integer": (lambda: Gaussian(2**53 + 1, 1), "mean contains integers beyond 2**53"),
    "empty sample": (lambda: Ecdf([]), "sample has shape (0,); pass an array of shape (n,) with n >= 1"),
    "NaN in a sample": (lambda: Ecdf([1, NAN]), "sample=[1, nan] contains NaN"),
    "2-D sample": (lambda: Ecdf([[1, 2]]), "sample has shape (1, 2)"),
    "dates in a sample": (lambda: Ecdf(np.array(["2020"], dtype="M8[Y]")), "is not a real number"),
    "negative weight": (lambda: Ecdf([1, 2], weights=[1, -1]), "weights=[1, -1] is negative"),
    "no weight": (lambda: Ecdf([1, 2], weights=[0, 0]), "weights are all 0; at least one must be above 0"),
    "too few weights": (
        lambda: Ecdf([1, 2], weights=[1]),
        "weights has shape (1,) but sample has shape (2,); pass one weight for each observation",
    ),
    "empty class": (count([]), "negative: sample has shape (0,)"),
    "density": (count(Gaussian(0, 1)), "negative=Gaussian(mean=0, std=1) is not a sample; pass an array of values"),
    "list for a density": (
        predict([1, 2]),
        "negative=[1, 2] is not a distribution; pass rp.Gaussian(mean, std), rp.Ecdf(sample) or a frozen scipy.stats",
    ),
    "scipy, not frozen": (predict(stats.norm), "is not a distribution"),
    "batches that do not fit": (
        predict(Gaussian([0, 1], 1), Gaussian([0, 1, 2], 1)),
        "batches have different shapes: negative (2,), positive (3,)",
    ),
    "batch with a sample": (
        predict(Gaussian([0, 1], 1), Ecdf([1, 2])),
        "a batch of features needs rp.Gaussian for both classes",
    ),
    "direction of pROC": (
        count([1], direction="<"),
        "direction='<' is not allowed; choose one of None, 'higher', 'lower', 'auto'",
    ),
    "unknown family": (
        lambda: rp.predict_roc(X, Y, family="normal"),
        (
            "family='normal' is not available; choose one of 'gaussian', 'auto', 'boxcox', 'yeojohnson', "
            "'kde', 'mixture', 'histogram', 'empirical', 'gamma', 'lognormal', 'logistic', 'laplace', 'exponential', "
            "'weibull', 'beta', 'student_t', 'skew_normal', or a continuous scipy.stats family"
        ),
    ),
    "array family": (lambda: rp.predict_roc(X, Y, family=np.array(["a", "b"])), "is not available"),
    "infinity and moments": (
        lambda: rp.predict_roc([1, INF, 2, 3], [0, 0, 1, 1]),
        "x has infinite values in the negative class (1 of 2); a fit needs finite values (rp.empirical_roc accepts",
    ),
    "infinity and likelihood": (
        lambda: rp.predict_roc([1, INF, 2, 3], [0, 0, 1, 1], family=stats.gamma),
        "x has infinite values in the negative class (1 of 2)",
    ),
    "one row and moments": (
        lambda: rp.predict_roc([1, 2, 3], [0, 0, 1]),
        "x has 1 observation in the positive class; a standard deviation needs at least 2",
    ),
    "constant and likelihood": (
        lambda: rp.predict_roc([1, 1, 3, 3.0], [0, 0, 1, 1], family=stats.norm),
        "family='norm' cannot be fitted to the negative class",
    ),
}


@for_each(CONSTRUCTIONS)
def test_invalid_distributions_and_samples_are_refused(call, words):
    refused(call, words)


COUNTS = (0, 1), (-1, 1), (NAN, 1), (1, INF), (1, 2, 3), 5, "ab", (1, "a"), ([1, 2], 3)


@for_each({str(count): (count,) for count in COUNTS})
def test_invalid_counts_are_refused(count):
    refused(lambda: PredictedRoc(negative=Gaussian(0, 1), positive=Gaussian(1, 1), count=count), "count=")


@for_each(ROCS)
def test_thresholds_rates_and_points(roc):
    for method in ("tpr", "fpr", "tnr", "fnr", "rates", "tpr_grid", "fpr_grid"):
        for threshold in (NAN, "a", None, [1, NAN], 1j, [[1, 2], [3]]):
            refused(partial(getattr(roc, method), threshold), "threshold=")
    for method in ("tpr_at_fpr", "slope", "threshold_at_fpr", "fpr_at_tpr", "threshold_at_tpr"):
        for rate in (NAN, -0.1, 1.1, 90, "a", [0.1, 2]):
            refused(partial(getattr(roc, method), rate), f"{method[-3:] if '_at_' in method else 'fpr'}=")
        refused(partial(getattr(roc, method), 90), "=90 is outside [0, 1]; pass fractions, not percentages")
    for points in (1, 0, -5, NAN, 2.5, "a", None):
        refused(partial(roc.curve, points), "points=")


BANDS = [
    ({}, "partial_auc needs one range of rates; pass either fpr=(low, high) or tpr=(low, high)"),
    ({"fpr": (0, 1), "tpr": (0, 1)}, "partial_auc needs one range"),
    ({"fpr": (0.5, 0.5)}, "fpr=(0.5, 0.5) is an empty range; pass (low, high) with low < high"),
    ({"tpr": (0.6, 0.5)}, "tpr=(0.6, 0.5) is an empty range"),
    ({"fpr": (0, 10)}, "fpr=10 is outside [0, 1]; pass fractions, not percentages"),
    ({"fpr": (0, NAN)}, "fpr=nan contains NaN"),
    ({"fpr": 0.1}, "fpr=0.1 is not a pair; pass (low, high)"),
    ({"tpr": (0, 0.1, 1)}, "is not a pair; pass (low, high)"),
    ({"fpr": {0, 1}}, "is not a pair; pass (low, high)"),
    ({"fpr": (0, 0.1), "correction": True}, "correction=True is not allowed; choose one of None, 'mcclish'"),
]
CRITERIA = [
    ({"criterion": "foo"}, "criterion='foo' is not allowed; choose one of 'ameans', 'youden'"),
    ({"criterion": None}, "criterion=None is not allowed"),
    ({"criterion": ["ameans"]}, "criterion=['ameans'] is not allowed"),
    ({"value": 0.5}, "criterion='ameans' does not accept value="),
    ({"criterion": "min_tpr"}, "criterion='min_tpr' needs value=; pass a number in [0, 1]"),
    ({"criterion": "f_beta"}, "criterion='f_beta' needs beta=; pass a number above 0"),
    ({"criterion": "max_fpr", "value": 95}, "value=95 is outside [0, 1]; pass fractions, not percentages"),
    ({"criterion": len}, "criterion raised TypeError: object of type 'Rates' has no len(); it must take the rates"),
    ({"criterion": lambda _: "high"}, "criterion returned 'high'; it must return an array of numbers"),
    ({"criterion": lambda rates: rates.tpr * NAN}, "criterion is undefined (NaN) at every threshold"),
    ({"criterion": lambda rates: 1.0}, "criterion returned shape () for rates of shape"),
    ({"prevalence": "x"}, "prevalence='x' is not a real number"),
]
CRITERIA += [
    ({"criterion": criterion} | options, words)
    for criterion, options, words in [
        ("f_beta", {"prevalence": 0.5}, "criterion='f_beta' needs beta="),
        ("f_beta", {"prevalence": 0.5, "beta": -1}, "beta=-1 is not allowed; it must be above 0"),
        (
            "f_beta",
            {"prevalence": 0.5, "beta": 1e200},
            "beta=1e+200 is not allowed; it must be above 0 and below 1e+100",
        ),
        ("f1", {"prevalence": 0.5, "beta": 2}, "criterion='f1' does not accept beta="),
        ("f1", {"prevalence": 0}, "prevalence=0 is outside the open interval (0, 1)"),
        ("cost", {"prevalence": 10}, "prevalence=10 is outside [0, 1]; pass fractions, not percentages"),
        ("cost", {"prevalence": 0.5, "cost_fp": -1}, "cost_fp=-1 is negative"),
        ("cost", {"prevalence": 0.5, "cost_fp": INF}, "cost_fp=inf contains infinite values"),
        ("cost", {"prevalence": 0.5, "cost_fp": 0, "cost_fn": 0}, "cost_fp and cost_fn are both 0"),
        ("cost", {"prevalence": 0, "cost_fp": 0}, "prevalence=0 makes the cost 0 at every threshold"),
        ("accuracy", {"prevalence": 0.5, "cost_fp": 2}, "does not accept costs; use criterion='cost'"),
    ]
]


@for_each(ROCS)
def test_bands_and_criteria(roc):
    for options, words in BANDS:
        refused(partial(roc.partial_auc, **options), words)
    for options, words in CRITERIA:
        refused(partial(roc.best_threshold, **options), words)


@for_each(["cost", "accuracy", "f1"])
def test_a_criterion_that_needs_a_prevalence_raises_without_it(criterion):
    words = f"criterion='{criterion}' needs the proportion of positives; pass a prevalence in [0, 1], such as"
    refused(partial(ROCS["gaussian"].best_threshold, criterion), words)


def test_shapes_that_do_not_fit_the_batch():
    batch, three = ROCS["batch"], [0.1, 0.2, 0.3]
    words = "has shape (3,); pass one number, or an array of shape (2,) (the shape of the batch of features)"
    for method in ("tpr", "rates", "tpr_at_fpr", "threshold_at_tpr", "slope"):
        refused(partial(getattr(batch, method), three), words)
    refused(lambda: batch.partial_auc(fpr=(0, three)), words)
    refused(lambda: batch.best_threshold("max_fpr", value=three), words)
    refused(lambda: batch.crossings(prevalence=three), words)
    refused(lambda: batch.rates(0, prevalence=three), "or an array of shape (2,) (the shape of the rates)")
    refused(
        lambda: rp.rates(tp=[1, 2], fp=[1, 2, 3], fn=1, tn=1),
        "shapes cannot be broadcast: tp (2,), fp (3,), fn (), tn ()",
    )
    refused(lambda: rp.rates(tp=[1, 2], fp=1, fn=1, tn=1).f_beta([1, 2, 3]), "shapes cannot be broadcast: beta (3,)")
    refused(lambda: precision_from_rates([0.1, 0.2], three, 0.1), "shapes cannot be broadcast: tpr (2,), fpr (3,)")
    refused(lambda: precision_from_recall(0.5, [1, 2], [1, 2, 3]), "shapes cannot be broadcast")
    for name in ("scipy", "samples"):
        refused(partial(ROCS[name].best_threshold, "max_fpr", value=three), "has shape (3,); pass one number")
    roc = PredictedRoc(negative=Gaussian([0, 0.5], 1), positive=Gaussian(1, 1))
    for result in (roc.tpr(1.0), roc.fpr(1.0), roc.rates(1.0).tpr, roc.auc(), roc.tpr_at_fpr(0.1)):
        assert result.shape == (2,)


FROM_STATS = {
    "nothing": ({}, "no standard deviation was passed; pass one of std=, sem=, iqr= (with median=) or effect_size="),
    "mean alone": ({"mean": (1, 2)}, "no standard deviation was passed"),
    "sem alone": ({"sem": (1, 2), "count": (4, 9)}, "sem= needs mean="),
    "std and sem": ({"mean": (1, 2), "std": (1, 2), "sem": (1, 2)}, "std= and sem= cannot be combined; pass one of"),
    "std and effect_size": ({"std": (1, 2), "effect_size": 1}, "std= and effect_size= cannot be combined"),
    "sem, no count": ({"mean": (1, 2), "sem": (1, 2)}, "sem= needs count=, because std = sem * sqrt(count)"),
    "iqr and mean": (
        {"mean": (1, 2), "iqr": (1, 2)},
        "median= and iqr= must be passed together, in place of mean= and std=",
    ),
    "iqr alone": ({"iqr": (1, 2)}, "median= and iqr= must be passed together"),
    "all of them": ({"mean": (1, 2), "median": (1, 2), "iqr": (1, 2)}, "iqr= cannot be combined with mean="),
    "wrong sign": ({"mean": (1, 2), "effect_size": -1}, "effect_size=-1 and mean= do not imply a positive and finite"),
    "no effect": ({"mean": (1, 2), "effect_size": 0}, "effect_size=0 and mean= do not imply"),
    "NaN effect": ({"effect_size": NAN}, "effect_size=nan contains NaN"),
    "one std": ({"mean": (1, 2), "std": 1}, "std=1 is not a pair; pass (negative, positive)"),
    "a word": ({"mean": "ab", "std": (1, 2)}, "mean='ab' is not a pair"),
    "a set has no order": ({"mean": {1, 2}, "std": (1, 2)}, "mean={1, 2} is not a pair"),
    "a dict": ({"mean": {1: 2, 3: 4}, "std": (1, 2)}, "is not a pair"),
    "negative std": ({"mean": (1, 2), "std": (1, -2)}, "std=-2 is negative"),
    "negative iqr": ({"median": (1, 2), "iqr": (-1, 2)}, "iqr=-1.0 is negative"),
    "no cases": (
        {"mean": (1, 2), "std": (1, 2), "count": (0, 1)},
        "count=(0, 1) is invalid; pass a finite number above 0 for each class",
    ),
    "half an observation": (
        {"mean": (1, 2), "std": (1, 2), "count": (60.0, [12.5, 20])},
        "count=12.5 is not a whole number; pass a whole number",
    ),
    "median outside": ({"median": (5, 2), "iqr": ((0, 2), (1, 3))}, "iqr=(0, 2) does not contain median=5"),
    "quartiles exchanged": ({"median": (1, 2), "iqr": ((2, 0), (1, 3))}, "iqr=(2, 0) does not contain median=1"),
    "three quartiles": ({"median": (1, 2), "iqr": ((0, 1, 2), (1, 3))}, "is not a pair; pass a width or (q1, q3)"),
    "shapes": ({"mean": ([1, 2], 3), "std": ([1, 2, 3], 1)}, "shapes cannot be broadcast: mean (2,), std (3,)"),
    "direction": ({"mean": (1, 2), "std": (1, 2), "direction": "up"}, "direction='up' is not allowed"),
}


@for_each(FROM_STATS)
def test_insufficient_statistics_are_refused(options, words):
    refused(lambda: PredictedRoc.from_stats(**options), words)


def test_statistics_in_every_legal_form():
    assert PredictedRoc.from_stats(mean=(1, 2), std=(1, 2), count=(60.0, 20)).count == (60, 20)
    make = PredictedRoc.from_stats
    width = 2 * stats.norm.ppf(0.75)
    assert make(mean=(1, 2), sem=(1, 2), count=(4, 9)).positive == Gaussian(2, 6)
    assert make(median=(1, 2), iqr=(width, 2 * width)).positive.std == pytest.approx(2, rel=1e-15)
    assert make(median=(1, 2), iqr=((1 - width, 1 + width), (1, 3))).negative.std == pytest.approx(2, rel=1e-15)
    batch = make(median=([1, 2], [3, 4]), iqr=(([0, 1], [2, 3]), ([2, 2], [4, 6])))
    np.testing.assert_allclose(batch.positive.std, np.array([2, 4]) / width, rtol=1e-15)
    assert make(mean=(3, 1), effect_size=-4).negative == Gaussian(3, 0.5)
    assert make(effect_size=-1).auc() == pytest.approx(stats.norm.cdf(-np.sqrt(0.5)), rel=1e-15)
    assert make(effect_size=[0.0, 1.0]).auc().shape == (2,)


def test_skewed_quartiles_warn_at_the_callers_line():
    words = r"median=0.1 is far from the midpoint of its quartiles \(0, 2\)"
    with pytest.warns(AssumptionWarning, match=words) as warned:
        PredictedRoc.from_stats(median=(0.1, 2), iqr=((0, 2), (1, 3)))
    assert [warning.filename for warning in warned] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PredictedRoc.from_stats(median=(0.7, 2), iqr=((0, 2), (1, 3)))


def test_numbers_in_other_types_are_numbers():
    assert Gaussian(Decimal("1.5"), Fraction(1, 2)) == Gaussian(1.5, 0.5)
    assert Ecdf([Decimal(1), Fraction(1, 2)]) == Ecdf([1, 0.5])
    assert Gaussian(np.float32(4), np.int8(3)) == Gaussian(4, 3)
    assert Gaussian(np.array([1, 2], dtype=object), 1).mean.dtype == np.float64


def test_no_input_array_is_modified_or_kept():
    rng = np.random.default_rng(5)
    x, y, weights = rng.normal(size=30), rng.permutation(np.repeat([0, 1], 15)), np.ones(30)
    kept = [array.copy() for array in (x, y, weights)]
    for roc in (rp.predict_roc(x, y), rp.empirical_roc(x, y), rp.empirical_roc(x, y, direction="lower")):
        roc.auc(), roc.best_threshold(), roc.curve(), roc.hook(), roc.proper().best_rule()
        roc.partial_auc(fpr=(0, 0.5))
    sample = Ecdf(x, weights=weights)
    gaussian = Gaussian(x, weights)
    assert all(np.array_equal(now, then) for now, then in zip((x, y, weights), kept, strict=True))
    x += 1
    weights += 1
    assert np.array_equal(sample.sample, kept[0])
    assert np.array_equal(gaussian.mean, kept[0])
    assert np.array_equal(gaussian.std, kept[2])


def test_later_changes_of_an_input_do_not_change_a_result():
    ecdf = Ecdf([1, 2])
    for array in (Gaussian([1, 2], 1).mean, ecdf.sample, ecdf.unique_values, ecdf.unique_weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    for frozen in (Gaussian(0, 1), ROCS["gaussian"], ROCS["samples"], rp.rates(tp=1, fp=2, fn=3, tn=4)):
        with pytest.raises(AttributeError):
            frozen.mean = frozen.negative = frozen.tpr = 3
