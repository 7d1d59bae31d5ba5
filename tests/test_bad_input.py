"""Every wrong input ends in one clear RocPredictError, and no input is changed."""

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict import AssumptionWarning, Ecdf, EmpiricalRoc, Gaussian, PredictedRoc, RocPredictError
from rocpredict.base.rates import precision_from_rates, precision_from_recall

NAN, INF = np.nan, np.inf
ROCS = {
    "gaussian": PredictedRoc(negative=Gaussian(0, 1), positive=Gaussian(1, 2)),
    "batch": PredictedRoc(negative=Gaussian([0, 0.5], 1), positive=Gaussian([1, 2], 2)),
    "scipy": PredictedRoc(negative=Gaussian(0, 1), positive=stats.gamma(2)),
    "samples": EmpiricalRoc(negative=[1, 2, 3], positive=[2, 3, 4]),
}
X, Y = [1.0, 2.0, 3.0, 4.0, 5.0], [0, 0, 1, 1, 1]


def refused(ask, words):
    with pytest.raises(RocPredictError) as caught:
        ask()
    assert isinstance(caught.value, ValueError)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.fixture(params=ROCS.values(), ids=ROCS)
def roc(request):
    return request.param


CONSTRUCTIONS = {
    "negative std": (lambda: Gaussian(1, -1), "std=-1 is negative; it must be 0 or more"),
    "NaN mean": (lambda: Gaussian(NAN, 1), "mean=nan is NaN somewhere; real numbers are needed"),
    "NaN std": (lambda: Gaussian(1, NAN), "std=nan is NaN somewhere"),
    "infinite mean": (lambda: Gaussian(INF, 1), "mean=inf is infinite somewhere; finite numbers are needed"),
    "infinite std": (lambda: Gaussian(1, INF), "std=inf is infinite somewhere"),
    "text mean": (lambda: Gaussian("4", 1), "mean='4' is not a real number"),
    "no std": (lambda: Gaussian(4, None), "std=None is not a real number"),
    "complex std": (lambda: Gaussian(4, 1j), "std=1j is not a real number"),
    "ragged mean": (lambda: Gaussian([1, [2]], 1), "mean=[1, [2]] is not a real number or an array of real numbers"),
    "masked mean": (lambda: Gaussian(np.ma.array([1, 9], mask=[0, 1]), 1), "is NaN somewhere"),
    "shapes": (lambda: Gaussian([1, 2], [1, 2, 3]), "shapes do not fit together: mean (2,), std (3,)"),
    "large integer": (lambda: Gaussian(2**53 + 1, 1), "mean holds integers beyond 2**53"),
    "empty sample": (lambda: Ecdf([]), "sample has shape (0,); a class needs shape (n,) with n of 1 or more"),
    "NaN in a sample": (lambda: Ecdf([1, NAN]), "sample=[1, nan] is NaN somewhere"),
    "2-D sample": (lambda: Ecdf([[1, 2]]), "sample has shape (1, 2)"),
    "integers a float cannot tell apart": (lambda: Ecdf([2**53 + 1, 2**53]), "sample holds integers beyond 2**53"),
    "masked sample": (lambda: Ecdf(np.ma.array([1, 999], mask=[0, 1])), "is NaN somewhere"),
    "dates in a sample": (lambda: Ecdf(np.array(["2020"], dtype="M8[Y]")), "is not a real number"),
    "negative weight": (lambda: Ecdf([1, 2], weights=[1, -1]), "weights=[1, -1] is negative"),
    "NaN weight": (lambda: Ecdf([1, 2], weights=[1, NAN]), "weights=[1, nan] is NaN somewhere"),
    "no weight": (lambda: Ecdf([1, 2], weights=[0, 0]), "weights are all 0; a class needs one above 0"),
    "too few weights": (
        lambda: Ecdf([1, 2], weights=[1]),
        "weights has shape (1,), sample (2,); give one for each row",
    ),
    "empty class": (lambda: EmpiricalRoc(negative=[], positive=[1]), "negative: sample has shape (0,)"),
    "NaN in a class": (lambda: EmpiricalRoc(negative=[1], positive=[NAN]), "positive: sample=[nan] is NaN somewhere"),
    "density for a sample": (
        lambda: EmpiricalRoc(negative=Gaussian(0, 1), positive=[1]),
        "negative=Gaussian(mean=0, std=1) is no sample; an empirical ROC needs values",
    ),
    "scipy for a sample": (lambda: EmpiricalRoc(negative=[1], positive=stats.norm()), "is no sample"),
    "list for a density": (
        lambda: PredictedRoc(negative=[1, 2], positive=Gaussian(0, 1)),
        "negative=[1, 2] is not a distribution; give rp.Gaussian(mean, std), rp.Ecdf(sample) or a frozen scipy.stats",
    ),
    "class for an instance": (
        lambda: PredictedRoc(negative=Gaussian, positive=Gaussian(0, 1)),
        "is not a distribution",
    ),
    "scipy, not frozen": (lambda: PredictedRoc(negative=stats.norm, positive=Gaussian(0, 1)), "is not a distribution"),
    "batches that do not fit": (
        lambda: PredictedRoc(negative=Gaussian([0, 1], 1), positive=Gaussian([0, 1, 2], 1)),
        "batches of different shapes: negative (2,), positive (3,)",
    ),
    "batch beside a sample": (
        lambda: PredictedRoc(negative=Gaussian([0, 1], 1), positive=Ecdf([1, 2])),
        "a batch of features needs rp.Gaussian for both classes",
    ),
    "direction of pROC": (
        lambda: EmpiricalRoc(negative=[1], positive=[1], direction="<"),
        "direction='<' is not allowed; choose one of None, 'higher', 'lower', 'auto'",
    ),
    "many directions": (lambda: EmpiricalRoc(negative=[1], positive=[1], direction=["lower"]), "direction=['lower']"),
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
        "x has 1 infinite values in the negative class; a fit needs finite ones (ranks do not: see empirical_roc)",
    ),
    "infinity and likelihood": (
        lambda: rp.predict_roc([1, INF, 2, 3], [0, 0, 1, 1], family=stats.gamma),
        "x has 1 infinite values in the negative class",
    ),
    "one row and moments": (
        lambda: rp.predict_roc([1, 2, 3], [0, 0, 1]),
        "x has 1 row in the positive class; a standard deviation needs 2 or more",
    ),
    "constant and likelihood": (
        lambda: rp.predict_roc([1, 1, 3, 3.0], [0, 0, 1, 1], family=stats.norm),
        "family='norm' cannot be fitted to the negative class",
    ),
}


@pytest.mark.parametrize(("ask", "words"), CONSTRUCTIONS.values(), ids=CONSTRUCTIONS)
def test_what_is_no_distribution_or_sample(ask, words):
    refused(ask, words)


@pytest.mark.parametrize("count", [(0, 1), (-1, 1), (NAN, 1), (1, INF), (1, 2, 3), 5, "ab", (1, "a"), ([1, 2], 3)])
def test_counts_that_are_none(count):
    refused(lambda: PredictedRoc(negative=Gaussian(0, 1), positive=Gaussian(1, 1), count=count), "count=")


@pytest.mark.parametrize("method", ["tpr", "fpr", "tnr", "fnr", "rates", "tpr_grid", "fpr_grid"])
@pytest.mark.parametrize("threshold", [NAN, "a", None, [1, NAN], 1j, [[1, 2], [3]]])
def test_thresholds(roc, method, threshold):
    refused(lambda: getattr(roc, method)(threshold), "threshold=")


@pytest.mark.parametrize("method", ["tpr_at_fpr", "slope", "threshold_at_fpr", "fpr_at_tpr", "threshold_at_tpr"])
@pytest.mark.parametrize("rate", [NAN, -0.1, 1.1, 90, "a", [0.1, 2]])
def test_rates_outside_0_to_1(roc, method, rate):
    refused(lambda: getattr(roc, method)(rate), f"{method[-3:] if '_at_' in method else 'fpr'}=")
    if rate == 90:
        refused(lambda: getattr(roc, method)(rate), "=90 is outside [0, 1]; rates are fractions, not percent")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "partial_auc needs one of fpr=(low, high) and tpr=(low, high)"),
        ({"fpr": (0, 1), "tpr": (0, 1)}, "partial_auc needs one of"),
        ({"fpr": (0.5, 0.5)}, "fpr=(0.5, 0.5) is an empty range; give (low, high) with low < high"),
        ({"tpr": (0.6, 0.5)}, "tpr=(0.6, 0.5) is an empty range"),
        ({"fpr": (0, 10)}, "fpr=10 is outside [0, 1]; rates are fractions, not percent"),
        ({"fpr": (0, NAN)}, "fpr=nan is NaN somewhere"),
        ({"fpr": 0.1}, "fpr=0.1 is not a pair; give (low, high)"),
        ({"tpr": (0, 0.1, 1)}, "is not a pair; give (low, high)"),
        ({"fpr": {0, 1}}, "is not a pair; give (low, high)"),
        ({"fpr": (0, 0.1), "correction": True}, "correction=True is not allowed; choose one of None, 'mcclish'"),
    ],
)
def test_bands(roc, options, words):
    refused(lambda: roc.partial_auc(**options), words)


@pytest.mark.parametrize("points", [1, 0, -5, NAN, 2.5, "a", None])
def test_points(roc, points):
    refused(lambda: roc.curve(points), "points=")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"criterion": "foo"}, "criterion='foo' is not allowed; choose one of 'ameans', 'youden'"),
        ({"criterion": None}, "criterion=None is not allowed"),
        ({"criterion": ["ameans"]}, "criterion=['ameans'] is not allowed"),
        ({"value": 0.5}, "criterion='ameans' takes no value="),
        ({"criterion": "min_tpr"}, "criterion='min_tpr' needs value="),
        ({"criterion": "min_tpr", "value": NAN}, "value=nan is NaN somewhere"),
        ({"criterion": "max_fpr", "value": 95}, "value=95 is outside [0, 1]; rates are fractions, not percent"),
        ({"criterion": "f_beta", "prevalence": 0.5}, "criterion='f_beta' needs beta="),
        ({"criterion": "f_beta", "prevalence": 0.5, "beta": -1}, "beta=-1 is not above 0"),
        ({"criterion": "f_beta", "prevalence": 0.5, "beta": 0}, "beta=0 is not above 0"),
        ({"criterion": "f_beta", "prevalence": 0.5, "beta": 1e200}, "beta=1e+200 is not above 0 and below 1e+100"),
        ({"criterion": lambda _: "high"}, "criterion gave 'high'; it must give numbers"),
        ({"criterion": lambda rates: rates.tpr * NAN}, "criterion is undefined (NaN) at every threshold"),
        ({"criterion": "f_beta", "prevalence": 0.5, "beta": NAN}, "beta=nan is NaN somewhere"),
        ({"criterion": "f1", "prevalence": 0.5, "beta": 2}, "criterion='f1' takes no beta="),
        ({"criterion": "f1", "prevalence": 0}, "prevalence=0 is outside the open interval (0, 1)"),
        ({"criterion": "cost", "prevalence": NAN}, "prevalence=nan is NaN somewhere"),
        ({"criterion": "cost", "prevalence": 10}, "prevalence=10 is outside [0, 1]; rates are fractions, not percent"),
        ({"criterion": "cost", "prevalence": 0.5, "cost_fp": -1}, "cost_fp=-1 is negative"),
        ({"criterion": "cost", "prevalence": 0.5, "cost_fn": NAN}, "cost_fn=nan is NaN somewhere"),
        ({"criterion": "cost", "prevalence": 0.5, "cost_fp": INF}, "cost_fp=inf is infinite somewhere"),
        ({"criterion": "cost", "prevalence": 0.5, "cost_fp": 0, "cost_fn": 0}, "cost_fp and cost_fn are both 0"),
        ({"criterion": "cost", "prevalence": 0, "cost_fp": 0}, "prevalence=0 leaves only errors that cost nothing"),
        ({"criterion": "accuracy", "prevalence": 0.5, "cost_fp": 2}, "takes no costs; use criterion='cost'"),
        ({"prevalence": "x"}, "prevalence='x' is not a real number"),
        ({"criterion": lambda rates: 1.0}, "criterion gave shape () for rates of shape"),
    ],
)
def test_criteria(roc, options, words):
    refused(lambda: roc.best_threshold(**options), words)


@pytest.mark.parametrize("criterion", ["cost", "accuracy", "f1"])
def test_a_criterion_that_needs_a_prevalence_says_so(criterion):
    refused(
        lambda: ROCS["gaussian"].best_threshold(criterion),
        f"criterion='{criterion}' needs the share of positives; give prevalence= (0 to 1) or class counts",
    )


def test_shapes_that_do_not_fit_the_batch():
    batch, three = ROCS["batch"], [0.1, 0.2, 0.3]
    for ask in (
        lambda: batch.tpr(three),
        lambda: batch.rates(three),
        lambda: batch.tpr_at_fpr(three),
        lambda: batch.threshold_at_tpr(three),
        lambda: batch.slope(three),
        lambda: batch.partial_auc(fpr=(0, three)),
        lambda: batch.best_threshold("max_fpr", value=three),
        lambda: batch.crossings(prevalence=three),
    ):
        refused(ask, "has shape (3,) and the batch of features (2,); give one for all, or one for each")
    refused(lambda: batch.rates(0, prevalence=three), "prevalence has shape (3,) and the rates (2,)")
    refused(lambda: rp.rates([1, 2], [1, 2, 3], 1, 1), "shapes do not fit together: tp (2,), fp (3,), fn (), tn ()")
    refused(lambda: rp.rates([1, 2], 1, 1, 1).f_beta([1, 2, 3]), "shapes do not fit together: beta (3,)")
    refused(lambda: precision_from_rates([0.1, 0.2], three, 0.1), "shapes do not fit together: tpr (2,), fpr (3,)")
    refused(lambda: precision_from_recall(0.5, [1, 2], [1, 2, 3]), "shapes do not fit together")
    refused(lambda: ROCS["scipy"].best_threshold("max_fpr", value=three), "has shape (3,); give one number")
    refused(lambda: ROCS["samples"].best_threshold("max_fpr", value=three), "has shape (3,); give one number")


def test_every_answer_of_a_batch_has_its_shape():
    roc = PredictedRoc(negative=Gaussian([0, 0.5], 1), positive=Gaussian(1, 1))
    for answer in (roc.tpr(1.0), roc.fpr(1.0), roc.rates(1.0).tpr, roc.auc(), roc.tpr_at_fpr(0.1)):
        assert answer.shape == (2,)


FROM_STATS = {
    "nothing": ({}, "give one of std=, sem=, iqr= (with median=) and effect_size=; got none of them"),
    "mean alone": ({"mean": (1, 2)}, "got none of them"),
    "std alone": ({"std": (1, 2)}, "std= needs mean="),
    "sem alone": ({"sem": (1, 2), "count": (4, 9)}, "sem= needs mean="),
    "std and sem": ({"mean": (1, 2), "std": (1, 2), "sem": (1, 2)}, "got std= and sem="),
    "std and effect_size": ({"std": (1, 2), "effect_size": 1}, "got std= and effect_size="),
    "sem, no count": ({"mean": (1, 2), "sem": (1, 2)}, "sem= needs count=, since std = sem sqrt(count)"),
    "iqr and mean": ({"mean": (1, 2), "iqr": (1, 2)}, "median= and iqr= go together, in place of mean= and std="),
    "median and std": ({"median": (1, 2), "std": (1, 2)}, "median= and iqr= go together"),
    "iqr alone": ({"iqr": (1, 2)}, "median= and iqr= go together"),
    "all of them": ({"mean": (1, 2), "median": (1, 2), "iqr": (1, 2)}, "iqr= goes without mean="),
    "wrong sign": ({"mean": (1, 2), "effect_size": -1}, "effect_size=-1 does not fit the means; it has the sign"),
    "no difference": ({"mean": (1, 1), "effect_size": 1}, "effect_size=1 does not fit the means"),
    "no effect": ({"mean": (1, 2), "effect_size": 0}, "effect_size=0 does not fit the means"),
    "NaN effect": ({"effect_size": NAN}, "effect_size=nan is NaN somewhere"),
    "one std": ({"mean": (1, 2), "std": 1}, "std=1 is not a pair; give (negative, positive)"),
    "one mean": ({"mean": 1, "std": (1, 2)}, "mean=1 is not a pair"),
    "three means": ({"mean": (1, 2, 3), "std": (1, 2)}, "mean=(1, 2, 3) is not a pair"),
    "a word": ({"mean": "ab", "std": (1, 2)}, "mean='ab' is not a pair"),
    "a set has no order": ({"mean": {1, 2}, "std": (1, 2)}, "mean={1, 2} is not a pair"),
    "a dict": ({"mean": {1: 2, 3: 4}, "std": (1, 2)}, "is not a pair"),
    "negative std": ({"mean": (1, 2), "std": (1, -2)}, "std=-2 is negative"),
    "negative sem": ({"mean": (1, 2), "sem": (1, -2), "count": (3, 2)}, "sem=-2 is negative"),
    "negative iqr": ({"median": (1, 2), "iqr": (-1, 2)}, "iqr=-1.0 is negative"),
    "no cases": ({"mean": (1, 2), "std": (1, 2), "count": (0, 1)}, "count=(0, 1) is not one number of cases above 0"),
    "median outside": ({"median": (5, 2), "iqr": ((0, 2), (1, 3))}, "iqr=(0, 2) does not hold its median 5"),
    "quartiles exchanged": ({"median": (1, 2), "iqr": ((2, 0), (1, 3))}, "iqr=(2, 0) does not hold its median 1"),
    "three quartiles": ({"median": (1, 2), "iqr": ((0, 1, 2), (1, 3))}, "is not a pair; give a width or (q1, q3)"),
    "shapes": ({"mean": ([1, 2], 3), "std": ([1, 2, 3], 1)}, "shapes do not fit together: mean (2,), std (3,)"),
    "direction": ({"mean": (1, 2), "std": (1, 2), "direction": "up"}, "direction='up' is not allowed"),
}


@pytest.mark.parametrize(("options", "words"), FROM_STATS.values(), ids=FROM_STATS)
def test_statistics_that_do_not_fix_two_gaussians(options, words):
    refused(lambda: PredictedRoc.from_stats(**options), words)


def test_statistics_in_every_legal_form():
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
    with pytest.warns(
        AssumptionWarning, match=r"the median 0.1 lies far from the middle of its quartiles \(0, 2\)"
    ) as seen:
        PredictedRoc.from_stats(median=(0.1, 2), iqr=((0, 2), (1, 3)))
    assert [warning.filename for warning in seen] == [__file__]
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
        (
            roc.auc(),
            roc.best_threshold(),
            roc.curve(),
            roc.hook(),
            roc.proper().best_rule(),
            roc.partial_auc(fpr=(0, 0.5)),
        )
    sample = Ecdf(x, weights=weights)
    gaussian = Gaussian(x, weights)
    assert all(np.array_equal(now, then) for now, then in zip((x, y, weights), kept, strict=True))
    x += 1
    weights += 1
    assert np.array_equal(sample.sample, kept[0])
    assert np.array_equal(gaussian.mean, kept[0])
    assert np.array_equal(gaussian.std, kept[2])


def test_what_was_given_cannot_be_changed_behind_a_result():
    for array in (
        Gaussian([1, 2], 1).mean,
        Ecdf([1, 2]).sample,
        Ecdf([1, 2]).unique_values,
        Ecdf([1, 2]).unique_weights,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    for frozen in (Gaussian(0, 1), ROCS["gaussian"], ROCS["samples"], rp.rates(1, 2, 3, 4)):
        with pytest.raises(AttributeError):
            frozen.mean = frozen.negative = frozen.tpr = 3
