"""Everything that was measured, as findings: in sentences, each with a remedy, and one sentence for all of them."""

from __future__ import annotations

from collections.abc import Iterator

from rocpredict.assumptions import OTHER_REMEDY, SKEWED_REMEDY
from rocpredict.diagnosis.along import Along, auc_finding, curve_finding, threshold_finding, where_finding
from rocpredict.diagnosis.judging import (
    ENOUGH_ROWS,
    EVIDENCE,
    FEW,
    FEW_VALUES,
    HARM,
    KURTOSIS,
    OUTLIERS,
    SHARE,
    SKEWNESS,
    SMALLEST_GROUP,
    STD_RATIO,
    VERY_FEW,
    VERY_UNLIKELY,
    Finding,
    lower,
    of_shape,
    p_words,
    percent,
    remedy_for,
    signed,
    z_words,
)
from rocpredict.diagnosis.shape import ClassShape
from rocpredict.interval import Interval


def find(family: str, negative: ClassShape, positive: ClassShape, ratio: Interval, along: Along) -> list[Finding]:
    """Judge everything that was measured."""
    findings = [_cases(negative.count, positive.count)]
    for word, shape in (("negative", negative), ("positive", positive)):
        findings += _of_class(family, word, shape)
    findings.append(_std_ratio(family, ratio))
    findings += [
        curve_finding(family, along),
        where_finding(along),
        auc_finding(family, along),
        threshold_finding(family, along),
    ]
    return findings


def verdict(family: str, findings: list[Finding], counts: tuple[int, int]) -> str:
    """Say in one sentence whether to believe the prediction."""
    level = {item.name: item.level for item in findings}
    harmed = [name for name in HARM if level[name] == "warn"]
    if harmed:
        named = " and ".join(filter(None, [", ".join(harmed[:-1]), harmed[-1]]))
        return f"Do not rely on the {named} of family='{family}' here: {remedy_for(family)}."
    shape = [name for name in level if level[name] == "warn" and name not in {"cases", "SD ratio"}]
    few = min(counts) < FEW
    if shape:
        held = "so few rows could not show harm to the curve" if few else "harm to the curve is not seen"
        return f"The classes are not as family='{family}' has them ({', '.join(shape)}); {held}."
    suspected = [name for name in HARM if level[name] == "note"]
    if suspected:
        return f"There is some doubt about the {' and '.join(suspected)} of family='{family}': {remedy_for(family)}."
    two = "; two thresholds may do better than one: see roc.proper()" if level["SD ratio"] == "warn" else ""
    if few:
        said = f"{counts[0]} negatives and {counts[1]} positives could hardly tell: no check is decisive here"
        return f"Nothing speaks against family='{family}', but {said}{two}."
    return f"Nothing speaks against family='{family}' here{two}."


# ---- rows and classes
def _cases(*counts: int) -> Finding:
    fewest = min(counts)
    said = f"{counts[0]} negatives and {counts[1]} positives"
    if fewest >= FEW:
        return Finding("cases", fewest, "ok", f"{said}: gross misfits would be seen", "")
    level = "warn" if fewest < VERY_FEW else "note"
    sentence = f"{said}: no check is decisive with so few; what is not found here may be there all the same"
    return Finding("cases", fewest, level, sentence, "lean on the rows by family='auto', or collect more")


def _of_class(family: str, word: str, shape: ClassShape) -> Iterator[Finding]:
    if shape.constant:
        sentence = f"{word} class: all {shape.count} values equal {shape.mode:.6g}, so nothing of its shape is seen"
        yield Finding(f"{word} spread", 0.0, "warn", sentence, "check how the feature was measured")
        return
    yield _skewness(family, word, shape)
    yield _kurtosis(family, word, shape)
    yield _ties(family, word, shape)
    yield _boundary(family, word, shape)
    yield _outliers(family, word, shape)
    yield _class_fit(family, word, shape)


def _skewness(family: str, word: str, shape: ClassShape) -> Finding:
    level = lower(SKEWNESS.level(abs(shape.skewness)), EVIDENCE.level(abs(shape.skewness_z)))
    sentence = f"{word} class: skewness {signed(shape.skewness)} ({z_words(shape.skewness_z)})"
    return of_shape(family, f"{word} skewness", shape.skewness, level, (sentence, SKEWED_REMEDY))


def _kurtosis(family: str, word: str, shape: ClassShape) -> Finding:
    level = lower(KURTOSIS.level(shape.kurtosis), EVIDENCE.level(shape.kurtosis_z))
    tails = "" if level == "ok" else ", heavy tails"
    sentence = f"{word} class: excess kurtosis {signed(shape.kurtosis)} ({z_words(shape.kurtosis_z)}){tails}"
    return of_shape(family, f"{word} kurtosis", shape.kurtosis, level, (sentence, OTHER_REMEDY))


def _ties(family: str, word: str, shape: ClassShape) -> Finding:
    name, remedy = f"{word} ties", OTHER_REMEDY
    if shape.mode_count >= SMALLEST_GROUP and shape.mode_share > SHARE.note:
        sentence = f"{word} class: {percent(shape.mode_share)} of its rows equal {shape.mode:.6g}"
        return of_shape(family, name, shape.mode_share, SHARE.level(shape.mode_share), (sentence, remedy))
    values = f"{word} class: {shape.distinct} different values in {shape.count} rows"
    coarse = shape.distinct < FEW_VALUES and shape.count >= ENOUGH_ROWS
    return of_shape(family, name, shape.mode_share, "note" if coarse else "ok", (values, remedy))


def _boundary(family: str, word: str, shape: ClassShape) -> Finding:
    ends = [("minimum", shape.minimum, shape.share_at_minimum), ("maximum", shape.maximum, shape.share_at_maximum)]
    if shape.minimum >= 0:
        ends.append(("boundary", 0.0, shape.share_at_zero))
    end, at, share = max(ends, key=lambda item: item[2])
    counted = share * shape.count > SMALLEST_GROUP - 0.5
    sentence = f"{word} class: {percent(share)} of its rows lie at the {end} {at:.6g}"
    level = SHARE.level(share) if counted else "ok"
    return of_shape(family, f"{word} boundary", share, level, (sentence, OTHER_REMEDY))


def _outliers(family: str, word: str, shape: ClassShape) -> Finding:
    sentence = f"{word} class: {percent(shape.outliers)} of its rows lie more than 3 IQR beyond the quartiles"
    several = "warn" if shape.outliers * shape.count > SMALLEST_GROUP - 0.5 else "note"
    level, remedy = lower(OUTLIERS.level(shape.outliers), several), f"check these rows; else {OTHER_REMEDY}"
    return of_shape(family, f"{word} outliers", shape.outliers, level, (sentence, remedy))


def _class_fit(family: str, word: str, shape: ClassShape) -> Finding:
    level = "note" if shape.p_value <= VERY_UNLIKELY else "ok"
    sentence = (
        f"{word} class: A² {shape.anderson_darling:.3g} (p {p_words(shape.p_value)}), largest difference of the cdfs "
        f"{shape.ks:.3f}"
    )
    return Finding(f"{word} fit", shape.p_value, level, sentence, remedy_for(family) if level != "ok" else "")


def _std_ratio(family: str, ratio: Interval) -> Finding:
    low, high = ratio
    value = float(ratio.estimate)
    apart = low > 1 or high < 1
    size = max(value, 1 / value) if value else float("inf")
    level = STD_RATIO.level(size) if apart else "ok"
    sentence = f"SD ratio (positive/negative) {value:.2f} ({low:.2f} to {high:.2f})"
    if level != "ok":
        sentence += ": two thresholds may do better than one"
    return of_shape(family, "SD ratio", value, level, (sentence, "see roc.proper() and its best_rule()"))
