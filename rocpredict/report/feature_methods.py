"""The methods of the report of one feature, as the options made them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from rocpredict.fitting import FAMILIES
from rocpredict.report.asked import Asked
from rocpredict.report.feature_findings import BY_COUNT
from rocpredict.report.methods import (
    AMEANS,
    COUNTED_AREA,
    DELTA,
    NOT_MISSING_BY_VALUE,
    POWERS,
    WITH_BOX_COX,
    Methods,
    gaussian_area,
    methods,
    software,
)
from rocpredict.report.wording import named, percent, share


def feature_methods(asked: Asked, versions: tuple[tuple[str, str], ...]) -> Methods:
    """Give the methods of one feature's report."""
    return methods(list(_assumptions(asked)), [*_paragraph(asked), software(versions)], list(_cited(asked)))


def _paragraph(asked: Asked) -> Iterator[Any]:
    level = percent(asked.level)
    yield from _cases(asked)
    yield _direction(asked)
    yield COUNTED_AREA.format(level=level)
    yield "It was tested, two-sided, against 0.5 on the same scale."
    yield _prediction(asked, level)
    if asked.modelled and not asked.gaussian:
        yield "No interval is given for the AUC of this prediction."
    if asked.modelled:
        yield f"From the predicted distributions {AMEANS} was chosen, and beside it by counting alone."
    else:
        yield "Ameans is the mean of TPR and TNR (balanced accuracy; (1 + J)/2 with Youden's index J)."
    yield from _rates(asked)
    yield (
        "The interval of the threshold that was chosen by counting is that of the thresholds chosen in 2,000 bootstrap "
        "resamples of each class (Efron and Tibshirani); its Ameans out of bag is the mean over resamples of what such "
        "thresholds have on the rows that were not drawn."
    )
    yield from _fit(asked)


def _cases(asked: Asked) -> Iterator[Any]:
    n0, n1 = (f"{count:,.10g}" for count in (asked.empirical.negative.total, asked.empirical.positive.total))
    negative, positive = ("the other classes" if label == "rest" else named(label) for label in asked.labels)
    yield Markup("It was examined how well {} separates {} (positive, n = {}) from {} (negative, n = {}).").format(
        named(asked.feature), positive, n1, negative, n0
    )
    if asked.missing:
        yield f"{asked.missing:,} rows without a value were left out."


def _direction(asked: Asked) -> str:
    side = "at or below" if asked.lower else "at or above"
    how = "; the side was chosen by these data" if asked.predicted.auto_direction else ""
    return f"A case is called positive {side} the threshold{how}."


def _prediction(asked: Asked, level: str) -> str:
    if not asked.modelled:
        return BY_COUNT
    if asked.gaussian:
        return (
            f"{gaussian_area(lower=asked.lower)}; {DELTA.format(level=level)}; the interval of the threshold is by the "
            "delta method on the threshold's own scale."
        )
    if asked.family in POWERS:
        joint = ", " if POWERS[asked.family].startswith("taking") else " by "
        return f"The ROC curve was predicted{joint}{POWERS[asked.family]}."
    return (
        f"The ROC curve was predicted by the family {asked.family} "
        f"({FAMILIES.get(asked.family, 'by maximum likelihood')})."
    )


def _rates(asked: Asked) -> Iterator[str]:
    """Name the intervals of the rates that were counted."""
    also = ", PPV, NPV and accuracy (at the prevalence of the sample)" if asked.natural else ""
    yield (
        f"The rates there were counted: TPR, TNR{also} with Clopper-Pearson intervals, Ameans with Newcombe's "
        "combination of the Wilson intervals of both rates; all of them take the threshold as fixed."
    )
    if not asked.natural:
        yield (
            f"PPV, NPV and accuracy were computed from the rates for a prevalence of {share(asked.prevalence)}, "
            "without intervals."
        )


def _fit(asked: Asked) -> Iterator[str]:
    if asked.diagnosis is None:
        return
    drawn = " drawn from the shrunk estimate (in part the sample itself)" if asked.shrunk else ""
    yield (
        f"The fit was judged by a parametric bootstrap (Stute et al.) of {asked.diagnosis.n_resamples} samples{drawn}, "
        f"the distributions fitted anew to each (seed {asked.seed})."
    )


def _assumptions(asked: Asked) -> Iterator[str]:
    yield (
        "Each row of the data is one case, independent of the others; "
        "several readings of one case are not several cases."
    )
    yield "The cases of each class stand for the cases on which the feature is to be used."
    if asked.missing:
        yield f"{NOT_MISSING_BY_VALUE}."
    yield "Empirical answers assume no distribution." + (
        " Predicted ones take both classes as Gaussian, which the diagnosis puts to the test." if asked.gaussian else ""
    )
    if asked.modelled:
        yield "Prediction and count come from the same rows: that they agree is no test on new cases."
    if asked.predicted.auto_direction:
        yield (
            "The direction was chosen by the data, which makes the AUC a little too high where there is little to find."
        )


def _cited(asked: Asked) -> Iterator[str]:
    yield from ("delong", "mann", "youden", "clopper", "newcombe", "wilson", "efron")
    if asked.gaussian:
        yield "green"
    if asked.family in WITH_BOX_COX:
        yield "box"
    if asked.family in POWERS:
        yield "yeo"
    if asked.modelled:
        yield "stute"
