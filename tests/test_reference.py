"""Our numbers against those of pROC, cutpointr and scikit-learn, which are stored in tests/reference."""

from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.distributions.normality import suppress_misfit_warning
from tests.cases import for_each
from tests.reference.data import IRIS, Key, about, grouped, load, near, table, xy

PROC, CUTPOINTR, SKLEARN = table("proc"), table("cutpointr"), table("sklearn")


@cache
def roc(data, feature):
    return rp.empirical_roc(*xy(data, feature))


def average_precision(curve):
    """The precisions of all our operating points, weighted with the steps of the TPR."""
    rates = curve.rates(curve.curve().thresholds[1:])
    return float(np.diff(rates.tpr, prepend=0) @ rates.precision)


def band(at):
    return at["low"], at["high"]


def corrected(curve, at):
    return curve.partial_auc(fpr=(0, at["high"]), correction="mcclish")


NUMBERS = {
    "pROC's area, ties and curves below chance": (PROC, "auc", lambda curve, _: curve.auc()),
    "pROC's raw area over FPR": (PROC, "partial_auc_fpr", lambda curve, at: curve.partial_auc(fpr=band(at))),
    "pROC's raw area over TPR": (PROC, "partial_auc_tpr", lambda curve, at: curve.partial_auc(tpr=band(at))),
    "pROC's TPR": (PROC, "tpr_at_fpr", lambda curve, at: curve.tpr_at_fpr(at["fpr"])),
    "scikit-learn's area": (SKLEARN, "auc", lambda curve, _: curve.auc()),
    "scikit-learn's corrected area, below 1/2 too": (SKLEARN, "auc_max_fpr", corrected),
    "balanced accuracy": (SKLEARN, "balanced_accuracy", lambda curve, at: curve.rates(at["threshold"]).ameans),
    "average precision": (SKLEARN, "average_precision", lambda curve, _: average_precision(curve)),
}


@for_each(NUMBERS)
def test_numbers_of_one_curve_equal_theirs(rows, quantity, ours):
    for key, at, value in about(rows, quantity):
        assert ours(roc(key.data, key.x1), at) == near(value), key


def test_corrected_partial_auc_equals_proc():
    for side in ("fpr", "tpr"):
        undefined = 0
        for key, at, value in about(PROC, f"partial_auc_{side}_corrected"):
            ours = roc(key.data, key.x1).partial_auc(**{side: band(at)}, correction="mcclish")
            undefined += np.isnan(value)
            assert ours < 0.5 if np.isnan(value) else ours == near(value), key
        assert undefined


def test_all_points_equal_proc():
    """Midpoint thresholds and rates of whole curves; pROC's go up, ours down."""
    for (data, feature, _), thresholds in grouped(PROC, "all_threshold").items():
        curve = roc(data, feature).curve()
        assert curve.thresholds[::-1] == near(thresholds)
        assert curve.tpr[::-1] == near(grouped(PROC, "all_sensitivity")[data, feature, ()])
        assert 1 - curve.fpr[::-1] == near(grouped(PROC, "all_specificity")[data, feature, ()])


def test_multiclass_auc_equals_proc():
    """Hand and Till's area of three classes ordered on one feature: the mean of ours over the pairs."""
    iris = rp.datasets.load_iris()
    for key, _, value in about(PROC, "hand_till"):
        x = iris.X[:, IRIS.index(key.x1)]
        pairs = combinations(("setosa", "versicolor", "virginica"), 2)
        areas = [rp.empirical_roc(x, iris.y, negative=low, positive=high).auc() for low, high in pairs]
        assert np.mean(areas) == near(value), key


def gain(tpr, fpr, odds):
    return tpr - odds * fpr


def distance(tpr, fpr, odds):
    return -((1 - tpr) ** 2) - odds * fpr**2


def test_best_threshold_equals_proc():
    """Ours is as good as pROC's, to 1e-12, and each of pROC's optima is a threshold of our curve, as good as ours.

    pROC's weights are (cost of a false negative over that of a false positive, prevalence). Where several are
    best ours is the middle one; pROC, which compares to the last digit, may list but some of them.
    """
    for name, worth in (("youden", gain), ("topleft", distance)):
        groups = {of: grouped(PROC, f"best_{name}_{of}") for of in ("threshold", "sensitivity", "specificity")}
        for case, thresholds in groups["threshold"].items():
            cost, prevalence = (dict(case[2])[of] for of in ("cost", "prevalence"))
            odds, curve = (1 - prevalence) / (cost * prevalence), roc(*case[:2])
            best = best_for(curve, name, cost, prevalence, odds)
            ours = pytest.approx(worth(best.tpr, best.fpr, odds), rel=1e-12, abs=1e-14)
            for threshold, tpr, tnr in zip(thresholds, *(groups[of][case] for of in list(groups)[1:]), strict=True):
                assert worth(tpr, 1 - tnr, odds) == ours, case
                assert worth(curve.tpr(threshold), curve.fpr(threshold), odds) == ours, case
                assert any(threshold == near(own) for own in curve.curve().thresholds), case


def best_for(curve, name, cost, prevalence, odds):
    if name == "youden":
        return curve.best_threshold("cost", prevalence=prevalence, cost_fn=cost)
    if odds == 1:
        return curve.best_threshold("closest_topleft")
    return curve.best_threshold(lambda rates: distance(rates.tpr, rates.fpr, odds))


CRITERIA = {  # cutpointr's metric: our criterion, and its value from our answer on n rows
    "youden": ("youden", lambda best, n: 2 * best.ameans - 1),
    "sum_sens_spec": ("ameans", lambda best, n: 2 * best.ameans),
    "accuracy": ("accuracy", lambda best, n: best.criterion_value),
    "F1_score": ("f1", lambda best, n: best.criterion_value),
    "roc01": ("closest_topleft", lambda best, n: best.criterion_value),
    "misclassification_cost": ("cost", lambda best, n: best.criterion_value * n),
}


def test_best_threshold_and_its_value_equal_those_of_cutpointr():
    """At the sample's own prevalence; cutpointr adds costs up over the rows.

    Its cutpoints are observed values: the upper end of our plateau. Its midpoints are our thresholds. Where "always
    positive" is best we say -inf, with a flag, and cutpointr the smallest value.
    """
    for metric, (criterion, value_of) in CRITERIA.items():
        values, midpoints = (grouped(CUTPOINTR, f"{metric}_{of}") for of in ("value", "midpoint"))
        for case, cutpoints in grouped(CUTPOINTR, f"{metric}_cutpoint").items():
            data, feature, costs = case
            best = roc(data, feature).best_threshold(criterion, **dict(costs))
            ours = value_of(best, len(load(data)["y"]))
            assert [ours] == pytest.approx(values[case], rel=1e-12, abs=1e-14), (metric, case)
            assert any(best.plateau[1] == near(cut) for cut in cutpoints), (metric, case)
            if best.threshold == -np.inf:
                assert "always_positive" in best.flags
                assert min(midpoints[case]) == xy(data, feature)[0].min(), (metric, case)
            else:
                assert any(best.threshold == near(cut) for cut in midpoints[case]), (metric, case)


def test_predicted_threshold_equals_cutpointr():
    """The crossing of two Gaussians, to 1e-12; cutpointr moves one outside the data to their end, we do not."""
    moved = 0
    for key, _, value in about(CUTPOINTR, "oc_youden_normal"):
        x, y = xy(key.data, key.x1)
        with suppress_misfit_warning():  # cutpointr takes both classes as Gaussian, whatever they are
            ours = rp.predict_roc(x, y).best_threshold().threshold
        moved += not x.min() <= ours <= x.max()
        assert np.clip(ours, x.min(), x.max()) == near(value), key
    assert moved


def test_curve_equals_scikit_learn():
    """The same points; scikit-learn's thresholds are observed values, at which our rates are its rates.

    Of precision and recall its last point (1, 0) has none.
    """
    for (data, feature, _), thresholds in grouped(SKLEARN, "curve_thresholds").items():
        curve = roc(data, feature)
        for name in ("fpr", "tpr"):
            expected = near(grouped(SKLEARN, f"curve_{name}")[data, feature, ()])
            assert getattr(curve.curve(), name) == expected
            assert getattr(curve, name)(thresholds) == expected
    for (data, feature, _), thresholds in grouped(SKLEARN, "pr_thresholds").items():
        precision, recall = (grouped(SKLEARN, f"pr_{name}")[data, feature, ()] for name in ("precision", "recall"))
        rates = roc(data, feature).rates(thresholds)
        assert [*rates.precision, 1] == near(precision)
        assert [*rates.recall, 0] == near(recall)


def test_whole_weights_are_repeated_rows():
    """scikit-learn with sample weights 1 to 4 against ours with every row as often as its weight says."""
    data = load("weighted")
    times = data["w"].astype(int)
    curve = rp.empirical_roc(np.repeat(data["x1"], times), np.repeat(data["y"], times))
    assert curve.auc() == near(SKLEARN[Key("weighted", "x1", "", "weighted_auc", "")].value)
    for _, at, value in about(SKLEARN, "weighted_auc_max_fpr"):
        assert corrected(curve, at) == near(value)
    assert average_precision(curve) == near(SKLEARN[Key("weighted", "x1", "", "weighted_average_precision", "")].value)
    for name in ("fpr", "tpr"):
        (values,) = grouped(SKLEARN, f"weighted_curve_{name}").values()
        assert getattr(curve.curve(), name) == near(values)


def test_three_classes_equal_scikit_learn():
    """One against the rest, and one against one: means, weighted means, and all rows together."""

    def expected(quantity):
        return near(SKLEARN[Key("multiclass", "", "", quantity, "")].value)

    data = load("multiclass")
    counts = np.bincount(data["y"].astype(int))
    areas = [rp.empirical_roc(data[f"p{k}"], data["y"], positive=k).auc() for k in range(3)]
    assert np.mean(areas) == expected("ovr_macro")
    assert np.average(areas, weights=counts) == expected("ovr_weighted")
    scores = np.concatenate([data[f"p{k}"] for k in range(3)])
    hits = np.concatenate([data["y"] == k for k in range(3)])
    assert rp.empirical_roc(scores, hits).auc() == expected("ovr_micro")
    pairs = list(permutations(range(3), 2))
    areas = [rp.empirical_roc(data[f"p{i}"], data["y"], positive=i, negative=j).auc() for i, j in pairs]
    assert np.mean(areas) == expected("ovo_macro")
    assert np.average(areas, weights=[counts[i] + counts[j] for i, j in pairs]) == expected("ovo_weighted")
