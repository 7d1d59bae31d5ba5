"""The methods of a screening, as the options made them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from markupsafe import Markup

from rocpredict.report.findings import cases, examined, is_whole, rows_word
from rocpredict.report.methods import (
    AMEANS,
    AUTO_AREA,
    COUNTED_AREA,
    DELTA,
    NOT_MISSING_BY_VALUE,
    Methods,
    gaussian_area,
    methods,
    software,
)
from rocpredict.report.wording import named, percent
from rocpredict.screening import Screening

_ADJUSTED = {
    "benjamini-hochberg": "adjusted for their number after Benjamini and Hochberg (q-values, false discovery rate)",
    "benjamini-yekutieli": "adjusted for their number after Benjamini and Yekutieli (q-values, false discovery rate)",
    "holm": "adjusted for their number after Holm (family-wise error rate)",
    "bonferroni": "adjusted for their number after Bonferroni (family-wise error rate)",
    "none": "not adjusted for their number",
}


def screening_methods(table: Screening, versions: tuple[tuple[str, str], ...]) -> Methods:
    """Give the methods of a screening."""
    return methods(list(_assumptions(table)), [*_paragraph(table), software(versions)], list(_cited(table)))


def _paragraph(table: Screening) -> Iterator[Any]:
    level = percent(table.level)
    yield _subject(table)
    if np.any(table["n_missing"]):
        yield "Missing values were left out feature by feature."
    yield f"{gaussian_area()}; {DELTA.format(level=level)}."
    if table.family == "auto":
        yield (
            f"For the features that were counted it was taken instead from "
            f"{AUTO_AREA}; these have no interval of their own."
        )
    if table.empirical:
        which = "" if table.empirical is True else "This was done for the features with the best predictions only."
        yield f"{COUNTED_AREA.format(level=level)} {which}".strip()
    yield _tested(table)
    yield f"For each feature {_chosen(table)} was taken from the same distributions. {_direction(table)}"
    yield _honest(table)
    if _weighed(table):
        yield "Rows were weighted by the number of cases that each stands for."


def _weighed(table: Screening) -> bool:
    return bool(table["n_negative"].dtype.kind == "f")


def _subject(table: Screening) -> Markup:
    part = "" if is_whole(table) else f"; this report shows {len(table):,}"
    if len(table.contrasts) > 1:
        return Markup("In {} ({}) it was examined how well the feature separates the two classes{}.").format(
            examined(table), _contrasts(table), part
        )
    negative, positive = table.contrasts[0]
    one = table.n_screened == 1
    return Markup("{} {} examined for how well {} {} (positive{}) from {} (negative{}){}.").format(
        examined(table),
        "was" if one else "were",
        "it separates" if one else "they separate",
        named(positive),
        _size(table, "n_positive"),
        _other(negative),
        _size(table, "n_negative"),
        part,
    )


def _size(table: Screening, name: str) -> str:
    return f", n = {cases(table, name)}" if len(table) else ""


def _contrasts(table: Screening) -> Markup:
    """Name the contrasts in few words where each class stands against all others."""
    if all(_is_rest(negative) for negative, _ in table.contrasts):
        positives = Markup(", ").join(named(positive) for _, positive in table.contrasts)
        return positives + ", each against the other classes"
    return Markup(", ").join(
        Markup("{} against {}").format(named(positive), _other(negative)) for negative, positive in table.contrasts
    )


def _other(negative: Any) -> Markup:
    return Markup("the other classes") if _is_rest(negative) else named(negative)


def _is_rest(label: Any) -> bool:
    return isinstance(label, str) and label == "rest"


def _tested(table: Screening) -> str:
    ranks = (
        "are of the hypothesis that both classes have the same distribution, by the Mann-Whitney test (normal "
        "approximation, corrected for ties, without continuity correction)"
    )
    means = "are of the hypothesis that the class means are equal, by Welch's t-test"
    both = f"{ranks}, for features that were counted, and for others {means}"
    said = means if not table.empirical else both if _some_uncounted(table) else ranks
    of = "" if is_whole(table) else f", over all {table.n_tested:,} that were tested"
    return f"p-values are two-sided; they {said}, and were {_ADJUSTED[table.adjust]}{of}."


def _some_uncounted(table: Screening) -> bool:
    """Tell whether a row may have the test of means: a part may lack it, though the screening had it."""
    return table.empirical == "top" and bool(np.isnan(table["empirical_auc"]).any() or not is_whole(table))


def _chosen(table: Screening) -> str:
    return AMEANS + (", which lies where the two densities cross," if table.family == "gaussian" else "")


def _direction(table: Screening) -> str:
    if table.direction == "auto":
        return (
            "On which side of it a case is called positive was decided for "
            "each feature by the class means of these data; "
            "both AUCs are those of the rule that higher values are positive, so that an AUC below 1/2 says that "
            "positives lie lower."
        )
    side = "at or below it" if table.direction == "lower" else "at or above it"
    said = f"A case was called positive {side} for all features, as declared beforehand"
    return said + (
        "; both AUCs are those of the rule that higher values are positive." if table.direction == "lower" else "."
    )


def _honest(table: Screening) -> str:
    if table.family == "auto":
        return (
            "The Ameans called honest was counted on cases that were held out, a fifth of each class in turn, the rule "
            "chosen by the others (for those predicted by two Gaussians: "
            "counted at the threshold, less the mean optimism)."
        )
    start = (
        "counted" if table.empirical is True else "predicted" if table.empirical is False else "counted or predicted"
    )
    return (
        f"The Ameans called honest is the {start} one at that threshold "
        f"less its optimism, the mean excess of samples of "
        "these sizes from two Gaussians that differ as much as the classes do beyond chance."
    )


def _assumptions(table: Screening) -> Iterator[str]:
    yield (
        "Each row of the data is one case, independent of the others; "
        "several readings of one case are not several cases."
    )
    yield "The cases of each class stand for the cases on which the feature is to be used."
    if np.any(table["n_missing"]):
        yield f"{NOT_MISSING_BY_VALUE}, so features are compared on different cases."
    if _weighed(table):
        yield (
            "Weights are numbers of like, independent cases; with sampling or inverse-probability weights neither the "
            "intervals nor the p-values hold."
        )
    if table.family == "gaussian":
        yield (
            "Predicted columns take both classes as Gaussian. A nearly normal "
            "feature is described well by this, a skewed "
            "one may not be" + ("; the flag misfit tells." if table.empirical else ", and nothing was counted to tell.")
        )
    else:
        yield (
            "Predicted columns of counted features lie between model and "
            "cases; misfit says how far the model alone is off."
        )
    yield "Features are looked at one by one: what two of them do together is not seen here."
    yield (
        "Neither the honest Ameans nor an interval knows of how many "
        + rows_word(table)
        + " this one is the best: they hold on "
        "average over all features, not for those that were picked from the top."
    )


def _cited(table: Screening) -> Iterator[str]:
    yield from ("green", "youden")
    if table.adjust != "none":
        yield table.adjust
    if table.empirical:
        yield from ("delong", "mann")
    if not table.empirical or _some_uncounted(table):
        yield "welch"
    if table.family == "auto":
        yield from ("box", "yeo")
