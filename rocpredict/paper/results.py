"""Tables I to IV of the founding paper, ours beside the printed ones."""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray
from rocpredict.assumptions import without_doubt
from rocpredict.binormal import empirical_auc_variance
from rocpredict.curve import area_under
from rocpredict.datasets import load_iris, simulate_two_gaussians
from rocpredict.distributions import Gaussian
from rocpredict.empirical import EmpiricalRoc, empirical_roc
from rocpredict.multivariate import distance_to_mean
from rocpredict.paper import printed
from rocpredict.predictor import PredictedRoc, predict_roc
from rocpredict.tables import Table

_NEGATIVE, _POSITIVE = "versicolor", "virginica"
_REDRAWS = 400
_GRID_STEPS = {
    "sepal length": 0.2,
    "sepal width": 0.1,
    "petal length": 0.1,
    "petal width": 0.1,
    "distance to mean of class 2": 0.04,
    "distance to mean of class 3": 0.05,
}
"""Steps of a threshold grid whose trapezoid areas have the printed digits; inferred, not stated by the paper."""


def example() -> PredictedRoc:
    """Give the paper's predicted ROC of two Gaussians."""
    return PredictedRoc.from_stats(mean=printed.EXAMPLE["mean"], std=printed.EXAMPLE["std"])


@cache
def experiment(count: tuple[int, int], seed: int) -> EmpiricalRoc:
    """Give the empirical ROC of one simulated experiment."""
    return empirical_roc(*simulate_two_gaussians(**printed.EXAMPLE, count=count, seed=seed))


def iris_features() -> dict[str, tuple[FloatArray, NDArray[np.str_], str]]:
    """Give each feature of Table IV: its values and labels in classes 2 and 3, and its direction."""
    iris = load_iris()
    kept = np.isin(iris.y, [_NEGATIVE, _POSITIVE])
    X, y = iris.X[kept], iris.y[kept]
    features = {name: (X[:, place], y, "higher") for place, name in enumerate(printed.FEATURES)}
    for number, species, direction in ((2, _NEGATIVE, "higher"), (3, _POSITIVE, "lower")):
        distance = distance_to_mean(X, y, of=species)
        features[f"distance to mean of class {number}"] = (distance, y, direction)
    return features


def iris_prediction(feature: str) -> PredictedRoc:
    """Give the predicted ROC of one feature of Table IV."""
    x, y, direction = iris_features()[feature]
    with without_doubt():  # the paper takes distances as Gaussian, which they are not
        return predict_roc(x, y, positive=_POSITIVE, negative=_NEGATIVE, direction=direction)


def table_1(seed: int = 0) -> Table:
    """Give Table I: an experiment with two Gaussians, and its prediction."""
    predicted = example()
    exact = {"AUC": predicted.auc(), "max Ameans": predicted.best_threshold().ameans}
    rows: list[list[object]] = []
    for measure, values in printed.TABLE_1.items():
        rows.append(
            [measure, "prediction", values["prediction"], exact[measure], values["prediction"] - exact[measure]]
        )
        rows[-1] += [None, None]
        for name, count in (("balanced", printed.BALANCED), ("imbalanced", printed.IMBALANCED)):
            ours = _measured(experiment(count, seed))[measure]
            expected, error = _sampling(measure, count)
            away = (values[name] - expected) / error
            rows.append([f"{measure}", f"{name}, {count[1]} + {count[0]}", values[name], ours, None, expected, away])
    return Table(
        "Table I. Two Gaussian classes: an experiment and its prediction",
        ["measure", "of", "printed", "ours", "difference", "expected", "SE away"],
        rows,
        {"printed": ".2%", "ours": ".2%", "difference": "+z.3%", "expected": ".2%", "SE away": "+z.2f"},
        [
            f"Experiments are redrawn with seed {seed}; counts are positives + negatives.",
            "SE away: how many standard errors the printed value lies from what such an experiment gives on average.",
            "Average and SE are exact for the AUC (Mann-Whitney statistic of two Gaussians).",
            f"For the maximum of Ameans, which is optimistic, they are those of {_REDRAWS} redrawn experiments.",
            "The printed predictions are ours cut off, not rounded, after two decimals.",
        ],
    )


def table_2() -> Table:
    """Give Table II: means and standard deviations of the Iris features."""
    features = iris_features()
    rows = []
    for statistic, values in printed.TABLE_2.items():
        for name, value in zip(printed.FEATURES, values, strict=True):
            ours = _STATISTICS[statistic](*_by_class(features[name]))
            rows.append([statistic, name, value, ours, value - ours])
    return Table(
        "Table II. Iris, classes 2 (versicolor) and 3 (virginica), in cm",
        ["statistic", "feature", "printed", "ours", "difference"],
        rows,
        {"printed": ".2f", "ours": ".4f", "difference": "+z.4f"},
        ["Standard deviations divide by n - 1; dividing by n would not give the printed digits."],
    )


def table_3() -> Table:
    """Give Table III: distances to the class means."""
    features = iris_features()
    ours = [values for number in (2, 3) for values in _by_class(features[f"distance to mean of class {number}"])]
    rows = []
    for (name, (mean, std)), values in zip(printed.TABLE_3.items(), ours, strict=True):
        fitted = Gaussian.fit(values)
        rows.append([name, mean, fitted.mean, mean - fitted.mean, std, fitted.std, std - fitted.std])
    return Table(
        "Table III. Iris: Euclidean distance to a class mean, all four features",
        ["distance of", "mean printed", "ours", "difference", "SD printed", "SD ours", "SD difference"],
        rows,
        {
            "mean printed": ".2f",
            "ours": ".4f",
            "difference": "+z.4f",
            "SD printed": ".2f",
            "SD ours": ".4f",
            "SD difference": "+z.4f",
        },
    )


def table_4() -> Table:
    """Give Table IV: predicted AUC and Ameans of the Iris features."""
    rows = []
    for name, (auc, ameans) in printed.TABLE_4.items():
        roc = iris_prediction(name)
        best = roc.best_threshold()
        step = _GRID_STEPS[name]
        areas = (auc, roc.auc(), auc - roc.auc(), step, _trapezoid_auc(roc, step))
        rows.append((name, *areas, ameans, best.ameans, ameans - best.ameans, best.threshold))
    return Table(
        "Table IV. Iris, class 3 against class 2: predicted AUC and maximum Ameans",
        list(_TABLE_4_FORMATS),
        rows,
        _TABLE_4_FORMATS,
        [
            _WHY_AUC_DIFFERS,
            _WHAT_THE_GRID_IS,
            "The printed Ameans are ours, rounded; for sepal length the mean of two rates that were rounded before.",
            "For the distance to the mean of class 3 positive means x <= threshold.",
        ],
    )


_WHY_AUC_DIFFERS = (
    "AUC ours is the closed form Phi(D). Every printed AUC lies below it, as the trapezoid area over a grid of "
    "thresholds does: by about step^2/6 D phi(D)/(s0^2 + s1^2)."
)
_WHAT_THE_GRID_IS = (
    "AUC on grid is such an area, with a step that gives the printed digits; the step is inferred here, "
    "the paper does not say how it integrated."
)
_TABLE_4_FORMATS = {
    "feature": "",
    "AUC printed": ".2%",
    "AUC ours": ".3%",
    "AUC difference": "+z.3%",
    "step": "g",
    "AUC on grid": ".3%",
    "Ameans printed": ".2%",
    "Ameans ours": ".3%",
    "Ameans difference": "+z.3%",
    "threshold": ".4f",
}

TABLES: dict[str, Callable[..., Table]] = {
    "table_1": table_1,
    "table_2": table_2,
    "table_3": table_3,
    "table_4": table_4,
}
"""Every table, by the name of its file."""

_STATISTICS: dict[str, Callable[[FloatArray, FloatArray], float]] = {
    "mean class 2": lambda negative, positive: float(negative.mean()),
    "mean class 3": lambda negative, positive: float(positive.mean()),
    "difference": lambda negative, positive: float(positive.mean() - negative.mean()),
    "SD class 2": lambda negative, positive: float(negative.std(ddof=1)),
    "SD class 3": lambda negative, positive: float(positive.std(ddof=1)),
}


def _by_class(feature: tuple[FloatArray, NDArray[np.str_], str]) -> tuple[FloatArray, FloatArray]:
    x, y, _ = feature
    return x[y == _NEGATIVE], x[y == _POSITIVE]


def _measured(roc: EmpiricalRoc) -> dict[str, float]:
    return {"AUC": roc.auc(), "max Ameans": roc.best_threshold().ameans}


def _sampling(measure: str, count: tuple[int, int]) -> tuple[float, float]:
    """Give the average of a measure over experiments of this size, and its standard error."""
    predicted = example()
    if measure == "AUC":
        variance = empirical_auc_variance(predicted.negative, predicted.positive, count)
        return predicted.auc(), float(np.sqrt(variance))
    redrawn = _redrawn_ameans(count)
    return float(redrawn.mean()), float(redrawn.std(ddof=1))


@cache
def _redrawn_ameans(count: tuple[int, int]) -> FloatArray:
    draws = (simulate_two_gaussians(**printed.EXAMPLE, count=count, seed=seed) for seed in range(1, _REDRAWS + 1))
    return np.array([empirical_roc(x, y).best_threshold().ameans for x, y in draws])


def _trapezoid_auc(roc: PredictedRoc, step: float) -> float:
    """Give the area under a predicted ROC whose thresholds lie a step apart."""
    low = min(d.mean - 10 * d.std for d in (roc.negative, roc.positive))
    high = max(d.mean + 10 * d.std for d in (roc.negative, roc.positive))
    thresholds = (np.arange(np.floor(low / step), np.ceil(high / step)) + 0.5) * step
    fpr, tpr = np.sort(roc.fpr(thresholds)), np.sort(roc.tpr(thresholds))
    return float(area_under(np.concatenate([[0.0], fpr, [1.0]]), np.concatenate([[0.0], tpr, [1.0]])))
