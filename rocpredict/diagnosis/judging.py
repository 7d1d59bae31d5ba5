"""From which size on a measure is a finding, and how it is said.

What a finding takes; its cost is the error of the Gaussians' curve over that of the counted one, measured with 50 rows
a class in a study that came before this project, on 691 real features (docs/fidelity.md has its own):

==================  ==========================  ==========================  ===========================================
finding             note                        warn                        cost
==================  ==========================  ==========================  ===========================================
skewness            above 1, z above 2.6        above 2, z above 3.3        0.99 to 1; 1.18 to 2; 1.80 above
kurtosis (excess)   above 1, z above 2.6        above 3, z above 3.3        1.59 above 3
ties                mode above 5 % of rows      above 10 %                  1.30 above 10 %
few values          below 15 values             -                           1.23
boundary            above 5 % of rows           above 10 %                  1.44 above 10 %
outliers            above 0.1 % of rows         above 2 %, 3 rows or more   with the kurtosis
SD ratio            above 1.5, interval off 1   above 2, interval off 1     1.94 above 2; 1.05 below 1.25
class fit           p up to .01                 -                           by itself none: see the curve
curve               p up to .05                 p up to .01, L1 above .02   what the others come to
AUC                 p up to .05, above .01      p up to .01, above .02
threshold           p up to .05, lost .02       p up to .01, lost .03       measured for the Ameans of its threshold
cases               below 50 in a class         below 20
==================  ==========================  ==========================  ===========================================

Shape warns of a Gaussian only: of another family it is a note, since that one may well have this shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from rocpredict.assumptions import OTHER_REMEDY, SKEWED_REMEDY
from rocpredict.rich_results import Rich, Shown, clipped

LEVELS = ("ok", "note", "warn")
GAUSSIAN = "gaussian"
HARM = ("curve", "AUC", "threshold")
SMALLEST_GROUP = 3  # equal rows: fewer are no ties


class Limits(NamedTuple):
    """Above which a measure is a note, and above which a warning."""

    note: float
    warn: float

    def level(self, value: float) -> str:
        """Judge a measure; NaN is none."""
        return "warn" if value > self.warn else "note" if value > self.note else "ok"


SKEWNESS, KURTOSIS = Limits(1.0, 2.0), Limits(1.0, 3.0)
EVIDENCE = Limits(2.6, 3.3)
"""How many standard errors of a skewness or kurtosis make a note or a warning; the lower level counts."""
SHARE = Limits(0.05, 0.10)
OUTLIERS = Limits(0.001, 0.02)
STD_RATIO = Limits(1.5, 2.0)
AUC_ERROR, DISTANCE, LOST = Limits(0.01, 0.02), Limits(0.0, 0.02), Limits(0.02, 0.03)
FEW_VALUES, ENOUGH_ROWS = 15, 30
FEW, VERY_FEW = 50, 20
UNLIKELY, VERY_UNLIKELY = 0.05, 0.01


@dataclass(frozen=True, repr=False)
class Finding(Rich):
    """Say one thing about a prediction.

    Attributes
    ----------
    name : str
        Such as "positive skewness".
    value : float
        What was measured; NaN where it is undefined.
    level : {"ok", "note", "warn"}
    sentence : str
    remedy : str
        What to do; empty where nothing needs to be done.
    """

    name: str
    value: float
    level: str
    sentence: str
    remedy: str

    def __repr__(self) -> str:
        return f"Finding({self.name!r}, {self.level}, value={self.value:.4g}: {clipped(self.sentence, 120)})"

    def _shown(self) -> Shown:
        rows: list[list[Any]] = [["value", self.value], ["level", self.level], ["what was seen", self.sentence]]
        return Shown(self.name, [*rows, *([["remedy", self.remedy]] if self.remedy else [])])


def of_shape(family: str, name: str, value: float, level: str, words: tuple[str, str]) -> Finding:
    """Weaken a warning where the family need not be harmed by it."""
    sentence, remedy = words
    level = "note" if level == "warn" and family != GAUSSIAN else level
    if family != GAUSSIAN and "family=" in remedy:
        remedy = "none where the curve holds"
    elif remedy.startswith("family="):
        remedy = f"use {remedy}"
    return Finding(name, value, level, sentence, "" if level == "ok" else remedy)


def by_p(p: float, size: float, limits: Limits, note: float = 0.0) -> str:
    """Judge a measure that chance makes, too."""
    if p <= VERY_UNLIKELY and size > limits.warn:
        return "warn"
    return "note" if p <= UNLIKELY and size > note else "ok"


def lower(*levels: str) -> str:
    """Give the lower of some levels."""
    return min(levels, key=LEVELS.index)


def remedy_for(family: str) -> str:
    """Say what to do where a family does not hold."""
    if family == "auto":
        return "use rp.empirical_roc"
    return f"use {SKEWED_REMEDY if family == GAUSSIAN else OTHER_REMEDY}"


def p_words(value: float) -> str:
    """Show a p-value."""
    return f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def z_words(value: float) -> str:
    """Show a normal score, or that there are too few rows for one."""
    return f"z {signed(value)}" if value == value else "too few rows for a z"  # noqa: PLR0124


def signed(value: float, shown: str = ".1f") -> str:
    """Show a number with a true minus."""
    return format(value, shown).replace("-", "−")


def percent(share: float) -> str:
    """Show a share in percent, a small one with one digit."""
    return f"{100 * share:.0f} %" if share == 0 or share >= 0.01 else f"{100 * share:.1g} %"
