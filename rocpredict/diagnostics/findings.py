"""Findings of a diagnosis and their severity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rocpredict.base.results import Interval, Result
from rocpredict.diagnostics.fit import ClassDescription
from rocpredict.distributions.normality import OTHER_SUGGESTION, SKEWED_SUGGESTION

LEVELS = ("ok", "note", "warn")
GAUSSIAN = "gaussian"
CURVE_FINDINGS = ("curve", "AUC", "threshold")
SMALLEST_GROUP = 3  # equal rows: fewer are no ties


class SeverityLimits(NamedTuple):
    """Above which a measure is a note, and above which a warning."""

    note: float
    warn: float

    def severity(self, value: float) -> str:
        """Judge a measure; NaN is none."""
        return "warn" if value > self.warn else "note" if value > self.note else "ok"


SKEWNESS, KURTOSIS = SeverityLimits(1.0, 2.0), SeverityLimits(1.0, 3.0)
Z_LIMITS = SeverityLimits(2.6, 3.3)
"""How many standard errors of a skewness or kurtosis make a note or a warning; the lower level counts."""
SHARE = SeverityLimits(0.05, 0.10)
OUTLIERS = SeverityLimits(0.001, 0.02)
STD_RATIO = SeverityLimits(1.5, 2.0)
AUC_ERROR, L1_LIMITS, AMEANS_LOSS_LIMITS = (
    SeverityLimits(0.01, 0.02),
    SeverityLimits(0.0, 0.02),
    SeverityLimits(0.02, 0.03),
)
FEW_VALUES, ENOUGH_ROWS = 15, 30
SMALL_SAMPLE, VERY_SMALL_SAMPLE = 50, 20
P_NOTE, P_WARN = 0.05, 0.01


@dataclass(frozen=True, eq=False, repr=False)
class DiagnosticFinding(Result):
    """Say one thing about a prediction.

    Attributes
    ----------
    name : str
        Such as "positive skewness".
    value : float
        What was measured; NaN where it is undefined.
    severity : {"ok", "note", "warn"}
    message : str
    suggestion : str
        What to do; empty where nothing needs to be done.
    """

    name: str
    value: float
    severity: str
    message: str = field(metadata={"label": "what was seen"})
    suggestion: str
    _text = "{name!r}, {severity}, value={value:.4g}: {message:.120}"
    _heading = "{name}"
    _tabled = ("value", "severity", "message", "suggestion")


def shape_finding(family: str, name: str, value: float, level: str, words: tuple[str, str]) -> DiagnosticFinding:
    """Weaken a warning where the family need not be harmed by it."""
    sentence, remedy = words
    level = "note" if level == "warn" and family != GAUSSIAN else level
    if family != GAUSSIAN and "family=" in remedy:
        remedy = "none where the curve holds"
    elif remedy.startswith("family="):
        remedy = f"use {remedy}"
    return DiagnosticFinding(name, value, level, sentence, "" if level == "ok" else remedy)


def severity_from_p_value(p: float, size: float, limits: SeverityLimits, note: float = 0.0) -> str:
    """Judge a measure that chance makes, too."""
    if p <= P_WARN and size > limits.warn:
        return "warn"
    return "note" if p <= P_NOTE and size > note else "ok"


def min_severity(*levels: str) -> str:
    """Give the lower of some levels."""
    return min(levels, key=LEVELS.index)


def suggest_family(family: str) -> str:
    """Say what to do where a family does not hold."""
    if family == "auto":
        return "use rp.empirical_roc"
    return f"use {SKEWED_SUGGESTION if family == GAUSSIAN else OTHER_SUGGESTION}"


def p_words(value: float) -> str:
    """Show a p-value."""
    return f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def format_z(value: float) -> str:
    """Show a normal score, or that there are too few rows for one."""
    return f"z {format_signed(value)}" if value == value else "too few rows for a z"  # noqa: PLR0124


def format_signed(value: float, shown: str = ".1f") -> str:
    """Show a number with a true minus."""
    return format(value, shown).replace("-", "−")


def format_percent(share: float) -> str:
    """Show a share in percent, a small one with one digit."""
    return f"{100 * share:.0f} %" if share == 0 or share >= 0.01 else f"{100 * share:.1g} %"


class CurveMisfit(NamedTuple):
    """Where and how far the predicted curve is off the counted one; TPR predicted - TPR counted."""

    area_between: float
    area_between_expected: float
    l1_p_value: float
    auc_error: float
    auc_p_value: float
    max_tpr_gap: float
    max_tpr_gap_fpr: float
    max_tpr_gap_threshold: float
    gap_low_fpr: float
    gap_middle_fpr: float
    gap_high_fpr: float
    threshold: float
    threshold_regret: float
    threshold_p_value: float


def check_curve(family: str, along: CurveMisfit) -> DiagnosticFinding:
    """Judge the distance of both curves."""
    level = severity_from_p_value(along.l1_p_value, along.area_between, L1_LIMITS)
    sentence = (
        f"the predicted curve lies {along.area_between:.3f} of TPR off the counted one on the average; chance makes it "
        f"{along.area_between_expected:.3f} (p {p_words(along.l1_p_value)})"
    )
    return DiagnosticFinding(
        "curve", along.area_between, level, sentence, "" if level == "ok" else suggest_family(family)
    )


def check_largest_gap(along: CurveMisfit) -> DiagnosticFinding:
    """Say where the curves part."""
    low, middle, high, most = (
        format_signed(gap, "+.3f")
        for gap in (along.gap_low_fpr, along.gap_middle_fpr, along.gap_high_fpr, along.max_tpr_gap)
    )
    sentence = (
        f"the largest gap of TPR (predicted − counted) is {most} at FPR {along.max_tpr_gap_fpr:.3f}, "
        f"threshold {along.max_tpr_gap_threshold:.6g}; on the average {low} at low, {middle} at middle, "
        f"{high} at high FPR"
    )
    return DiagnosticFinding("largest gap", along.max_tpr_gap, "ok", sentence, "")


def check_auc(family: str, along: CurveMisfit) -> DiagnosticFinding:
    """Judge the error of the AUC."""
    level = severity_from_p_value(along.auc_p_value, abs(along.auc_error), AUC_ERROR, note=AUC_ERROR.note)
    sentence = f"AUC predicted − counted {format_signed(along.auc_error, '.3f')} (p {p_words(along.auc_p_value)})"
    return DiagnosticFinding("AUC", along.auc_error, level, sentence, "" if level == "ok" else suggest_family(family))


def check_threshold(family: str, along: CurveMisfit) -> DiagnosticFinding:
    """Judge what the predicted threshold loses."""
    level = severity_from_p_value(
        along.threshold_p_value, along.threshold_regret, AMEANS_LOSS_LIMITS, note=AMEANS_LOSS_LIMITS.note
    )
    sentence = (
        f"the predicted threshold {along.threshold:.6g} loses {along.threshold_regret:.3f} of Ameans against "
        "the best one on these "
        f"very rows (p {p_words(along.threshold_p_value)})"
    )
    return DiagnosticFinding(
        "threshold", along.threshold_regret, level, sentence, "" if level == "ok" else suggest_family(family)
    )


def collect_findings(
    family: str, negative: ClassDescription, positive: ClassDescription, ratio: Interval, along: CurveMisfit
) -> list[DiagnosticFinding]:
    """Judge everything that was measured."""
    findings = [_check_sample_size(negative.count, positive.count)]
    for word, shape in (("negative", negative), ("positive", positive)):
        findings += _class_findings(family, word, shape)
    findings.append(_std_ratio(family, ratio))
    findings += [
        check_curve(family, along),
        check_largest_gap(along),
        check_auc(family, along),
        check_threshold(family, along),
    ]
    return findings


def summarize_findings(family: str, findings: list[DiagnosticFinding], counts: tuple[int, int]) -> str:
    """Say in one sentence whether to believe the prediction."""
    level = {item.name: item.severity for item in findings}
    harmed = [name for name in CURVE_FINDINGS if level[name] == "warn"]
    if harmed:
        named = " and ".join(filter(None, [", ".join(harmed[:-1]), harmed[-1]]))
        return f"Do not rely on the {named} of family='{family}' here: {suggest_family(family)}."
    shape = [name for name in level if level[name] == "warn" and name not in {"cases", "SD ratio"}]
    few = min(counts) < SMALL_SAMPLE
    if shape:
        held = "so few rows could not show harm to the curve" if few else "harm to the curve is not seen"
        return f"The classes are not as family='{family}' has them ({', '.join(shape)}); {held}."
    suspected = [name for name in CURVE_FINDINGS if level[name] == "note"]
    if suspected:
        return (
            f"There is some doubt about the {' and '.join(suspected)} of family='{family}': {suggest_family(family)}."
        )
    two = "; two thresholds may do better than one: see roc.proper()" if level["SD ratio"] == "warn" else ""
    if few:
        said = f"{counts[0]} negatives and {counts[1]} positives could hardly tell: no check is decisive here"
        return f"Nothing speaks against family='{family}', but {said}{two}."
    return f"Nothing speaks against family='{family}' here{two}."


# ---- rows and classes
def _check_sample_size(*counts: int) -> DiagnosticFinding:
    fewest = min(counts)
    said = f"{counts[0]} negatives and {counts[1]} positives"
    if fewest >= SMALL_SAMPLE:
        return DiagnosticFinding("cases", fewest, "ok", f"{said}: gross misfits would be seen", "")
    level = "warn" if fewest < VERY_SMALL_SAMPLE else "note"
    sentence = f"{said}: no check is decisive with so few; what is not found here may be there all the same"
    return DiagnosticFinding("cases", fewest, level, sentence, "lean on the rows by family='auto', or collect more")


def _class_findings(family: str, word: str, shape: ClassDescription) -> Iterator[DiagnosticFinding]:
    if shape.constant:
        sentence = f"{word} class: all {shape.count} values equal {shape.mode:.6g}, so nothing of its shape is seen"
        yield DiagnosticFinding(f"{word} spread", 0.0, "warn", sentence, "check how the feature was measured")
        return
    yield _skewness(family, word, shape)
    yield _kurtosis(family, word, shape)
    yield _ties(family, word, shape)
    yield _boundary(family, word, shape)
    yield _outliers(family, word, shape)
    yield _class_fit(family, word, shape)


def _skewness(family: str, word: str, shape: ClassDescription) -> DiagnosticFinding:
    level = min_severity(SKEWNESS.severity(abs(shape.skewness)), Z_LIMITS.severity(abs(shape.skewness_z)))
    sentence = f"{word} class: skewness {format_signed(shape.skewness)} ({format_z(shape.skewness_z)})"
    return shape_finding(family, f"{word} skewness", shape.skewness, level, (sentence, SKEWED_SUGGESTION))


def _kurtosis(family: str, word: str, shape: ClassDescription) -> DiagnosticFinding:
    level = min_severity(KURTOSIS.severity(shape.kurtosis), Z_LIMITS.severity(shape.kurtosis_z))
    tails = "" if level == "ok" else ", heavy tails"
    sentence = f"{word} class: excess kurtosis {format_signed(shape.kurtosis)} ({format_z(shape.kurtosis_z)}){tails}"
    return shape_finding(family, f"{word} kurtosis", shape.kurtosis, level, (sentence, OTHER_SUGGESTION))


def _ties(family: str, word: str, shape: ClassDescription) -> DiagnosticFinding:
    name, remedy = f"{word} ties", OTHER_SUGGESTION
    if shape.mode_count >= SMALLEST_GROUP and shape.mode_share > SHARE.note:
        sentence = f"{word} class: {format_percent(shape.mode_share)} of its rows equal {shape.mode:.6g}"
        return shape_finding(family, name, shape.mode_share, SHARE.severity(shape.mode_share), (sentence, remedy))
    values = f"{word} class: {shape.n_unique} different values in {shape.count} rows"
    coarse = shape.n_unique < FEW_VALUES and shape.count >= ENOUGH_ROWS
    return shape_finding(family, name, shape.mode_share, "note" if coarse else "ok", (values, remedy))


def _boundary(family: str, word: str, shape: ClassDescription) -> DiagnosticFinding:
    ends = [("minimum", shape.minimum, shape.share_at_minimum), ("maximum", shape.maximum, shape.share_at_maximum)]
    if shape.minimum >= 0:
        ends.append(("boundary", 0.0, shape.share_at_zero))
    end, at, share = max(ends, key=lambda item: item[2])
    counted = share * shape.count > SMALLEST_GROUP - 0.5
    sentence = f"{word} class: {format_percent(share)} of its rows lie at the {end} {at:.6g}"
    level = SHARE.severity(share) if counted else "ok"
    return shape_finding(family, f"{word} boundary", share, level, (sentence, OTHER_SUGGESTION))


def _outliers(family: str, word: str, shape: ClassDescription) -> DiagnosticFinding:
    sentence = f"{word} class: {format_percent(shape.outliers)} of its rows lie more than 3 IQR beyond the quartiles"
    several = "warn" if shape.outliers * shape.count > SMALLEST_GROUP - 0.5 else "note"
    level, remedy = (
        min_severity(OUTLIERS.severity(shape.outliers), several),
        f"check these rows; else {OTHER_SUGGESTION}",
    )
    return shape_finding(family, f"{word} outliers", shape.outliers, level, (sentence, remedy))


def _class_fit(family: str, word: str, shape: ClassDescription) -> DiagnosticFinding:
    level = "note" if shape.p_value <= P_WARN else "ok"
    sentence = (
        f"{word} class: A² {shape.anderson_darling:.3g} (p {p_words(shape.p_value)}), largest difference of the cdfs "
        f"{shape.ks:.3f}"
    )
    return DiagnosticFinding(
        f"{word} fit", shape.p_value, level, sentence, suggest_family(family) if level != "ok" else ""
    )


def _std_ratio(family: str, ratio: Interval) -> DiagnosticFinding:
    low, high = ratio
    value = float(ratio.estimate)
    apart = low > 1 or high < 1
    size = max(value, 1 / value) if value else float("inf")
    level = STD_RATIO.severity(size) if apart else "ok"
    sentence = f"SD ratio (positive/negative) {value:.2f} ({low:.2f} to {high:.2f})"
    if level != "ok":
        sentence += ": two thresholds may do better than one"
    return shape_finding(family, "SD ratio", value, level, (sentence, "see roc.proper() and its best_rule()"))
