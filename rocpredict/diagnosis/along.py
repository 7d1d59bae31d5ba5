"""What is found along the curve: how far it is off, where, and what its AUC and its threshold lose."""

from __future__ import annotations

from typing import NamedTuple

from rocpredict.diagnosis.judging import AUC_ERROR, DISTANCE, LOST, Finding, by_p, p_words, remedy_for, signed


class Along(NamedTuple):
    """Where and how far the predicted curve is off the counted one; TPR predicted - TPR counted."""

    distance: float
    by_chance: float
    p_value: float
    auc_error: float
    auc_p_value: float
    max_tpr_gap: float
    max_tpr_gap_fpr: float
    max_tpr_gap_threshold: float
    low_fpr: float
    middle_fpr: float
    high_fpr: float
    threshold: float
    lost: float
    threshold_p_value: float


def curve_finding(family: str, along: Along) -> Finding:
    """Judge the distance of both curves."""
    level = by_p(along.p_value, along.distance, DISTANCE)
    sentence = (
        f"the predicted curve lies {along.distance:.3f} of TPR off the counted one on the average; chance makes it "
        f"{along.by_chance:.3f} (p {p_words(along.p_value)})"
    )
    return Finding("curve", along.distance, level, sentence, "" if level == "ok" else remedy_for(family))


def where_finding(along: Along) -> Finding:
    """Say where the curves part."""
    low, middle, high, most = (
        signed(gap, "+.3f") for gap in (along.low_fpr, along.middle_fpr, along.high_fpr, along.max_tpr_gap)
    )
    sentence = (
        f"the largest gap of TPR (predicted − counted) is {most} at FPR {along.max_tpr_gap_fpr:.3f}, "
        f"threshold {along.max_tpr_gap_threshold:.6g}; on the average {low} at low, {middle} at middle, "
        f"{high} at high FPR"
    )
    return Finding("largest gap", along.max_tpr_gap, "ok", sentence, "")


def auc_finding(family: str, along: Along) -> Finding:
    """Judge the error of the AUC."""
    level = by_p(along.auc_p_value, abs(along.auc_error), AUC_ERROR, note=AUC_ERROR.note)
    sentence = f"AUC predicted − counted {signed(along.auc_error, '.3f')} (p {p_words(along.auc_p_value)})"
    return Finding("AUC", along.auc_error, level, sentence, "" if level == "ok" else remedy_for(family))


def threshold_finding(family: str, along: Along) -> Finding:
    """Judge what the predicted threshold loses."""
    level = by_p(along.threshold_p_value, along.lost, LOST, note=LOST.note)
    sentence = (
        f"the predicted threshold {along.threshold:.6g} loses {along.lost:.3f} of Ameans against the best one on these "
        f"very rows (p {p_words(along.threshold_p_value)})"
    )
    return Finding("threshold", along.lost, level, sentence, "" if level == "ok" else remedy_for(family))
