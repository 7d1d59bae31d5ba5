"""Our numbers against those of pROC, cutpointr and scikit-learn, which stand in tests/reference."""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.distributions.normality import suppress_normality_warning
from tests.reference.data import IRIS, Key, about, grouped, load, near, table, xy

PROC, CUTPOINTR, SKLEARN = table("proc"), table("cutpointr"), table("sklearn")


@cache
def roc(data: str, feature: str) -> rp.EmpiricalRoc:
    return rp.empirical_roc(*xy(data, feature))


# ---- pROC, one curve


def test_auc_equals_proc():
    """The area of 28 empirical curves, ties and curves below chance among them, to 1e-12."""
    for key, _, value in about(PROC, "auc"):
        assert roc(key.data, key.x1).auc() == near(value), key


@pytest.mark.parametrize("side", ["fpr", "tpr"])
def test_partial_auc_equals_proc(side):
    """Raw areas of bands of FPR and TPR, to 1e-12."""
    for key, band, value in about(PROC, f"partial_auc_{side}"):
        assert roc(key.data, key.x1).partial_auc(**{side: (band["low"], band["high"])}) == near(value), key


@pytest.mark.parametrize("side", ["fpr", "tpr"])
def test_corrected_partial_auc_equals_proc(side):
    """McClish's correction, to 1e-12; where the band is worse than chance pROC says NA, we say below 1/2."""
    undefined = 0
    for key, band, value in about(PROC, f"partial_auc_{side}_corrected"):
        ours = roc(key.data, key.x1).partial_auc(**{side: (band["low"], band["high"])}, correction="mcclish")
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


def test_tpr_at_fpr_equals_proc():
    for key, at, value in about(PROC, "tpr_at_fpr"):
        assert roc(key.data, key.x1).tpr_at_fpr(at["fpr"]) == near(value), key


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


@pytest.mark.parametrize(("name", "worth"), [("youden", gain), ("topleft", distance)])
def test_best_threshold_equals_proc(name, worth):
    """Ours is as good as pROC's, to 1e-12, and each of pROC's optima is a threshold of our curve, as good as ours.

    pROC's weights are (cost of a false negative over that of a false positive, prevalence). Where several are
    best ours is the middle one; pROC, which compares to the last digit, may list but some of them.
    """
    groups = {of: grouped(PROC, f"best_{name}_{of}") for of in ("threshold", "sensitivity", "specificity")}
    for case, thresholds in groups["threshold"].items():
        cost, prevalence = (dict(case[2])[of] for of in ("cost", "prevalence"))
        odds = (1 - prevalence) / (cost * prevalence)
        curve = roc(*case[:2])
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


# ---- cutpointr

CRITERIA = {  # cutpointr's metric: our criterion, and its value from our answer on n rows
    "youden": ("youden", lambda best, n: 2 * best.ameans - 1),
    "sum_sens_spec": ("ameans", lambda best, n: 2 * best.ameans),
    "accuracy": ("accuracy", lambda best, n: best.criterion_value),
    "F1_score": ("f1", lambda best, n: best.criterion_value),
    "roc01": ("closest_topleft", lambda best, n: best.criterion_value),
    "misclassification_cost": ("cost", lambda best, n: best.criterion_value * n),
}


@cache
def counted_best(data, feature, metric, costs):
    return roc(data, feature).best_threshold(CRITERIA[metric][0], **dict(costs))


@pytest.mark.parametrize("metric", CRITERIA)
def test_best_value_equals_cutpointr(metric):
    """What the best threshold achieves, at the sample's own prevalence; cutpointr adds costs up over the rows."""
    for (data, feature, costs), (value,) in grouped(CUTPOINTR, f"{metric}_value").items():
        n = len(load(data)["y"])
        ours = CRITERIA[metric][1](counted_best(data, feature, metric, costs), n)
        assert ours == pytest.approx(value, rel=1e-12, abs=1e-14), (data, feature, costs)


@pytest.mark.parametrize("metric", CRITERIA)
def test_best_threshold_is_among_those_of_cutpointr(metric):
    """Its cutpoints are observed values: the upper end of our plateau. Its midpoints are our thresholds.

    Where "always positive" is best we say -inf, with a flag, and cutpointr the smallest value.
    """
    midpoints = grouped(CUTPOINTR, f"{metric}_midpoint")
    for case, cutpoints in grouped(CUTPOINTR, f"{metric}_cutpoint").items():
        best = counted_best(case[0], case[1], metric, case[2])
        assert any(best.plateau[1] == near(cut) for cut in cutpoints), case
        if best.threshold == -np.inf:
            assert "always_positive" in best.flags
            assert min(midpoints[case]) == xy(*case[:2])[0].min(), case
        else:
            assert any(best.threshold == near(cut) for cut in midpoints[case]), case


def test_predicted_threshold_equals_cutpointr():
    """The crossing of two Gaussians, to 1e-12; cutpointr moves one outside the data to their end, we do not."""
    moved = 0
    for key, _, value in about(CUTPOINTR, "oc_youden_normal"):
        x, y = xy(key.data, key.x1)
        with suppress_normality_warning():  # cutpointr takes both classes as Gaussian, whatever they are
            ours = rp.predict_roc(x, y).best_threshold().threshold
        moved += not x.min() <= ours <= x.max()
        assert np.clip(ours, x.min(), x.max()) == near(value), key
    assert moved


# ---- scikit-learn


def test_auc_equals_scikit_learn():
    for key, _, value in about(SKLEARN, "auc"):
        assert roc(key.data, key.x1).auc() == near(value), key


def test_partial_auc_equals_scikit_learn():
    """``max_fpr`` is McClish's corrected area from FPR 0 on; unlike pROC's it goes below 1/2, as ours does."""
    for key, band, value in about(SKLEARN, "auc_max_fpr"):
        ours = roc(key.data, key.x1).partial_auc(fpr=(0, band["high"]), correction="mcclish")
        assert ours == near(value), key


def test_balanced_accuracy_equals_scikit_learn():
    for key, at, value in about(SKLEARN, "balanced_accuracy"):
        assert roc(key.data, key.x1).rates(at["threshold"]).ameans == near(value), key


def average_precision(curve: rp.EmpiricalRoc) -> float:
    rates = curve.rates(curve.curve().thresholds[1:])
    return float(np.diff(rates.tpr, prepend=0) @ rates.precision)


def test_average_precision_equals_scikit_learn():
    """The precisions of all our operating points, weighted with the steps of the TPR."""
    for key, _, value in about(SKLEARN, "average_precision"):
        assert average_precision(roc(key.data, key.x1)) == near(value), key


def test_curve_equals_scikit_learn():
    """The same points; scikit-learn's thresholds are observed values, at which our rates are its rates."""
    for (data, feature, _), thresholds in grouped(SKLEARN, "curve_thresholds").items():
        curve, fpr, tpr = (
            roc(data, feature),
            *(grouped(SKLEARN, f"curve_{of}")[data, feature, ()] for of in ("fpr", "tpr")),
        )
        assert curve.curve().fpr == near(fpr)
        assert curve.curve().tpr == near(tpr)
        assert curve.fpr(thresholds) == near(fpr)
        assert curve.tpr(thresholds) == near(tpr)


def test_precision_and_recall_equal_scikit_learn():
    """At its thresholds; its last point (1, 0) has none."""
    for (data, feature, _), thresholds in grouped(SKLEARN, "pr_thresholds").items():
        precision, recall = (grouped(SKLEARN, f"pr_{of}")[data, feature, ()] for of in ("precision", "recall"))
        rates = roc(data, feature).rates(thresholds)
        assert rates.precision == near(precision[:-1])
        assert rates.recall == near(recall[:-1])
        assert (precision[-1], recall[-1]) == (1, 0)


def test_whole_weights_are_repeated_rows():
    """scikit-learn with sample weights 1 to 4 against ours with every row as often as its weight says."""
    data = load("weighted")
    curve = rp.empirical_roc(np.repeat(data["x1"], data["w"].astype(int)), np.repeat(data["y"], data["w"].astype(int)))
    assert curve.auc() == near(SKLEARN[Key("weighted", "x1", "", "weighted_auc", "")].value)
    for _, band, value in about(SKLEARN, "weighted_auc_max_fpr"):
        assert curve.partial_auc(fpr=(0, band["high"]), correction="mcclish") == near(value)
    assert average_precision(curve) == near(SKLEARN[Key("weighted", "x1", "", "weighted_average_precision", "")].value)
    for of in ("fpr", "tpr"):
        (values,) = grouped(SKLEARN, f"weighted_curve_{of}").values()
        assert getattr(curve.curve(), of) == near(values)


def multiclass(quantity: str) -> float:
    return SKLEARN[Key("multiclass", "", "", quantity, "")].value


def test_one_against_the_rest_equals_scikit_learn():
    data = load("multiclass")
    areas = [rp.empirical_roc(data[f"p{k}"], data["y"], positive=k).auc() for k in range(3)]
    assert np.mean(areas) == near(multiclass("ovr_macro"))
    assert np.average(areas, weights=np.bincount(data["y"].astype(int))) == near(multiclass("ovr_weighted"))
    scores = np.concatenate([data[f"p{k}"] for k in range(3)])
    hits = np.concatenate([data["y"] == k for k in range(3)])
    assert rp.empirical_roc(scores, hits).auc() == near(multiclass("ovr_micro"))


def test_one_against_one_equals_scikit_learn():
    data = load("multiclass")
    counts = np.bincount(data["y"].astype(int))
    pairs = list(permutations(range(3), 2))
    areas = [rp.empirical_roc(data[f"p{i}"], data["y"], positive=i, negative=j).auc() for i, j in pairs]
    assert np.mean(areas) == near(multiclass("ovo_macro"))
    weights = [counts[i] + counts[j] for i, j in pairs]
    assert np.average(areas, weights=weights) == near(multiclass("ovo_weighted"))
