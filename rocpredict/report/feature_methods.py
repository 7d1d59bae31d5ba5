"""The methods of the report of one feature, as the options made them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from rocpredict.fitting import FAMILIES
from rocpredict.report.methods import AMEANS, AUTO_AREA, COUNTED_AREA, DELTA, GAUSSIAN_AREA, Methods, methods, software
from rocpredict.report.wording import named, percent


def feature_methods(asked: Any, versions: tuple[tuple[str, str], ...]) -> Methods:
    """Give the methods of one feature's report."""
    return methods(list(_assumptions(asked)), [*_paragraph(asked), software(versions)], list(_cited(asked)))


def _paragraph(asked: Any) -> Iterator[Any]:
    level = percent(asked.level)
    n0, n1 = (f"{count:,.10g}" for count in asked.empirical.count)
    negative, positive = ("the other classes" if label == "rest" else named(label) for label in asked.labels)
    yield Markup("It was examined how well {} separates {} (positive, n = {}) from {} (negative, n = {}).").format(
        named(asked.feature), positive, n1, negative, n0
    )
    lost = sum(asked.empirical.omitted)
    if lost:
        yield f"{lost:,} rows without a value were left out."
    yield _direction(asked)
    yield COUNTED_AREA.format(level=level)
    yield "It was tested, two-sided, against 0.5 on the same scale."
    yield _prediction(asked, level)
    yield (
        f"From the predicted distributions {AMEANS} was chosen; rates there were counted, those "
        f"of each class and their like with Clopper-Pearson intervals."
    )
    if asked.diagnosis is not None:
        yield (
            f"The fit was judged by a parametric bootstrap of "
            f"{asked.diagnosis.n_resamples} samples, the distributions fitted anew "
            f"to each (seed {asked.seed})."
        )


def _direction(asked: Any) -> str:
    side = "at or below" if asked.predicted.direction == "lower" else "at or above"
    how = "; the side was chosen by these data" if asked.predicted.auto_direction else ""
    return f"A case is called positive {side} the threshold{how}."


def _prediction(asked: Any, level: str) -> str:
    if asked.gaussian:
        return f"{GAUSSIAN_AREA}; {DELTA.format(level=level)}; so is that of the threshold, in its own unit."
    if asked.family == "auto":
        return f"The ROC curve was predicted by {AUTO_AREA}."
    return (
        f"The ROC curve was predicted by the family {asked.family} "
        f"({FAMILIES.get(asked.family, 'by maximum likelihood')})."
    )


def _assumptions(asked: Any) -> Iterator[str]:
    yield (
        "Each row of the data is one case, independent of the others; "
        "several readings of one case are not several cases."
    )
    yield "The cases of each class stand for the cases on which the feature is to be used."
    yield "Empirical answers assume no distribution." + (
        " Predicted ones take both classes as Gaussian, which the diagnosis puts to the test." if asked.gaussian else ""
    )
    yield "Prediction and count come from the same rows: that they agree is no test on new cases."
    if asked.predicted.auto_direction:
        yield (
            "The direction was chosen by the data, which makes the AUC a little too high where there is little to find."
        )


def _cited(asked: Any) -> Iterator[str]:
    yield from ("delong", "youden", "clopper", "efron")
    if asked.gaussian:
        yield "green"
    if asked.family in {"auto", "boxcox", "kde", "blend"}:
        yield "box"
    if asked.diagnosis is not None:
        yield "stute"
