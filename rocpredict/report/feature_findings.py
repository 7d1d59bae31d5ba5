"""What a report says of one feature, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from markupsafe import Markup

from rocpredict.report.asked import Asked
from rocpredict.report.wording import alone, between, in_prose, many, named, number, p_value, percent, share

BY_COUNT = "The ROC curve is that of the rows; the threshold with the highest Ameans was chosen on them."


def feature_findings(asked: Asked) -> Iterator[Any]:
    """Give the headlines."""
    interval = asked.empirical.auc_interval(asked.level)
    ends = between(interval.low, interval.high)
    said = Markup("<strong>Empirical AUC {}</strong> ({} interval {})").format(
        share(asked.empirical.auc()), percent(asked.level), ends
    )
    beside = f"; predicted by {asked.by_what} {share(asked.predicted.auc())}" if asked.modelled else ""
    yield said + beside + "."
    p = asked.empirical.auc_test(level=asked.level).p_value
    yield f"Against the hypothesis that the AUC is 0.5: p = {p_value(p)}, two-sided."
    achieved = asked.empirical.rates(asked.best.threshold)
    yield (
        f"The {'predicted' if asked.modelled else 'empirical'} best threshold calls positive what is {asked.rule}; of "
        f"these cases it finds {share(achieved.tpr)} of the positives and {share(achieved.tnr)} of the negatives."
    )
    if asked.modelled:
        yield verdict(asked)


def verdict(asked: Asked) -> str:
    """Say whether to believe the prediction; that an estimate agrees with its own rows is no reason."""
    found, trust = asked.diagnosis, asked.trust
    if found is None or trust is None:
        return BY_COUNT
    if not asked.shrunk or not found.verdict.startswith("Nothing speaks against"):
        return in_prose(found.verdict)
    alone_off = "; its model alone lies farther off than chance" if trust.excess > 1 else ""
    few = found.verdict.partition(", but ")[2].partition(";")[0].rstrip(".")
    beside = f"; {few}" if few else ""
    return (
        f"The shrunk estimate agrees with the rows it was drawn towards, which is little evidence{alone_off}{beside}."
    )


def share_of_model(asked: Asked) -> str:
    """Say how much of a shrunk estimate is its model; how far the model lies off is the diagnosis's to say."""
    if asked.trust is None or not asked.shrunk:
        return ""
    part = asked.trust.model_share
    if part == 1:
        return "All of this estimate is the model's."
    return f"The share of the model in this estimate is {share(part)}; the rest is the sample's own."


def what_was_asked(asked: Asked) -> Iterator[tuple[str, Any]]:
    """Give what was asked, by name."""
    negative, positive = map(named, asked.labels)
    yield "Feature", named(asked.feature) + (Markup(" [{}]").format(named(asked.unit)) if asked.unit else "")
    yield "Classes", Markup("{} is positive, {} is negative").format(positive, negative)
    yield "Left out", f"{many(asked.missing, 'row')} without a value"
    side = f"positive when x {'≤' if asked.lower else '≥'} threshold"
    yield "Direction", side + (", chosen by these data" if asked.predicted.auto_direction else "")
    yield ("Predicted by", asked.by_what) if asked.modelled else ("Curve", "that of the rows (family empirical)")
    yield "Intervals", percent(asked.level)
    source = "that of the rows with a value" if asked.missing else "that of the sample"
    yield "Prevalence", f"{share(asked.prevalence)}, {source if asked.natural else 'as stated'}"


def test_sentences(test: Any) -> Iterator[str]:
    """Say what was tested, and what a small p does not say."""
    yield f"Null hypothesis: {test.null}. Alternative: {test.alternative.replace('!=', '≠')}."
    yield (
        f"Test by the method {test.method}: z = {number(test.statistic)}, p = "
        f"{p_value(test.p_value)}. The estimate is the empirical AUC."
    )
    yield (
        "A small p says that the AUC is not 0.5, not how far it is from it: for that read the interval. A feature may "
        "tell something at an AUC of 0.5, where the spreads differ."
    )


def choice_sentences(asked: Asked) -> Iterator[str]:
    """Say what the thresholds do not show."""
    honest = asked.counted.ameans_honest
    yield (
        f"On the rows that chose it the empirical threshold has an Ameans of {share(float(asked.counted.ameans))}, "
        "which is too good; thresholds chosen so have "
        f"{share(float(honest or np.nan))} on rows that did not choose them (out of bag)."
    )
    yield from _crossings(asked)
    if asked.modelled and not asked.gaussian:
        yield ("Of the predicted threshold no interval is given: each resample would have to be fitted anew.")


def _crossings(asked: Asked) -> Iterator[str]:
    """Name the crossings among the data, where to use them would show; a shrunk pair has no density to compare."""
    if asked.shrunk or not asked.modelled or len(asked.best.crossings) < 2:
        return
    single, proper = share(asked.predicted.auc()), share(float(asked.predicted.proper().auc()))
    if single == proper:
        return
    sides = asked.empirical.negative.ordered, asked.empirical.positive.ordered
    low, high = min(x[0] for x in sides), max(x[-1] for x in sides)
    inside = [number(float(place)) for place in asked.best.crossings if low <= place <= high]
    places = f"among the values of these data at {', '.join(inside)}" if inside else "none of it among these values"
    yield (
        f"The densities cross more than once, {places}; the rule by their ratio, which uses all crossings, would have "
        f"the AUC {proper} instead of {single}."
    )


def caveats(asked: Asked) -> Iterator[str]:
    """Say what the rates do not show."""
    cells = asked.empirical.rates(asked.best.threshold).counts
    if cells is not None:
        tp, fp, fn, tn = (f"{cell:,.10g}" for cell in (cells.tp, cells.fp, cells.fn, cells.tn))
        yield f"In cases: {tp} true positives, {fn} false negatives, {tn} true negatives, {fp} false positives."
    yield (
        f"The intervals are those of a threshold fixed beforehand. This one was {_made(asked)} the "
        "same rows, so that the counted rates are a little too good."
    )
    if asked.natural:
        yield (
            "Precision, NPV and accuracy go with the shares of the classes in this sample; elsewhere state the "
            "prevalence."
        )
    else:
        yield (
            "Precision, NPV and accuracy are those that the rates give at the "
            "stated prevalence; no interval is given of them."
        )


def _made(asked: Asked) -> str:
    return "fitted to" if asked.modelled else "chosen on"


def picture_alt(asked: Asked) -> str:
    """Say what the picture of densities and curves shows."""
    if not asked.modelled:
        return (
            f"Values of {alone(asked.feature)} in both classes with the best threshold "
            f"{number(float(asked.best.threshold))}, and beside them the empirical ROC curve, AUC "
            f"{share(asked.empirical.auc())}."
        )
    return (
        f"Densities of {alone(asked.feature)} in both classes with the predicted best threshold "
        f"{number(float(asked.best.threshold))}, and beside them the ROC curve predicted by {asked.by_what}, AUC "
        f"{share(asked.predicted.auc())}, over the empirical one, AUC {share(asked.empirical.auc())}."
    )


def diagnosis_alt(found: Any) -> str:
    """Say what the picture of a diagnosis shows."""
    return (
        f"Predicted and counted curve, normal scores of each class and densities over histograms. The curves lie "
        f"{share(found.l1)} of TPR apart on average (by chance {share(found.l1_by_chance)}); the largest gap is "
        f"{found.max_tpr_gap:+.3f} at FPR {share(found.max_tpr_gap_fpr)}."
    )
