"""Write sklearn.csv: ``python -m tests.reference.make_sklearn``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from tests.reference.data import BINARY, HERE, features, load

Row = tuple[str, str, str, str, float]
CURVES = (("three_level", "x1"), ("six_seven", "x1"), ("separated", "x1"), ("weighted", "x1"))


def rows() -> Iterator[Row]:
    for name in BINARY:
        for feature in features(name):
            yield from one_feature(name, feature)
    for name, feature in CURVES:
        yield from curves(name, feature)
    yield from weighted()
    yield from multiclass()


def one_feature(name: str, feature: str) -> Iterator[Row]:
    data = load(name)
    y, x = data["y"], data[feature]
    yield name, feature, "auc", "", roc_auc_score(y, x)
    for top in (0.1, 0.3):
        yield name, feature, "auc_max_fpr", f"high={top}", roc_auc_score(y, x, max_fpr=top)
    yield name, feature, "average_precision", "", average_precision_score(y, x)
    for share in (0.25, 0.5, 0.75):
        threshold = np.quantile(x, share, method="lower")  # an observed value
        called = (x >= threshold).astype(int)
        yield name, feature, "balanced_accuracy", f"threshold={threshold:.17g}", balanced_accuracy_score(y, called)


def curves(name: str, feature: str) -> Iterator[Row]:
    data = load(name)
    y, x = data["y"], data[feature]
    for column, values in zip(("fpr", "tpr", "thresholds"), roc_curve(y, x, drop_intermediate=False), strict=True):
        for i, value in enumerate(values):
            yield name, feature, f"curve_{column}", f"row={i}", value
    for column, values in zip(("precision", "recall", "thresholds"), precision_recall_curve(y, x), strict=True):
        for i, value in enumerate(values):
            yield name, feature, f"pr_{column}", f"row={i}", value


def weighted() -> Iterator[Row]:
    data = load("weighted")
    y, x, w = data["y"], data["x1"], data["w"]
    yield "weighted", "x1", "weighted_auc", "", roc_auc_score(y, x, sample_weight=w)
    for top in (0.1, 0.3):
        score = roc_auc_score(y, x, sample_weight=w, max_fpr=top)
        yield "weighted", "x1", "weighted_auc_max_fpr", f"high={top}", score
    yield "weighted", "x1", "weighted_average_precision", "", average_precision_score(y, x, sample_weight=w)
    result = roc_curve(y, x, sample_weight=w, drop_intermediate=False)
    for column, values in zip(("fpr", "tpr"), result, strict=False):
        for i, value in enumerate(values):
            yield "weighted", "x1", f"weighted_curve_{column}", f"row={i}", value


def multiclass() -> Iterator[Row]:
    data = load("multiclass")
    scores = np.column_stack([data[f"p{k}"] for k in range(3)])
    for kind in ("ovr", "ovo"):
        for average in ("macro", "weighted"):
            score = roc_auc_score(data["y"], scores, multi_class=kind, average=average)
            yield "multiclass", "", f"{kind}_{average}", "", score
    score = roc_auc_score(data["y"], scores, multi_class="ovr", average="micro")
    yield "multiclass", "", "ovr_micro", "", score


def write() -> None:
    lines = ["data,x1,x2,quantity,setting,value,mc_error"]
    lines += [f"{name},{x1},,{quantity},{setting},{value:.17g}," for name, x1, quantity, setting, value in rows()]
    (HERE / "sklearn.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
