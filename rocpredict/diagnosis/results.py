"""What a diagnosis found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from rocpredict.arguments import FloatArray
from rocpredict.curve import RocCurve
from rocpredict.diagnosis.judging import LEVELS, Finding
from rocpredict.diagnosis.shape import ClassShape
from rocpredict.frames import to_frame
from rocpredict.interval import Interval
from rocpredict.rich_results import Picture, Rich, Shown, thinned

_UNSAID = ("findings", "drawn", "negative", "positive", "std_ratio")
_MARKS = {"ok": "", "note": "note", "warn": "WARN"}


class Quantiles(NamedTuple):
    """The normal scores of one class: those expected, those that the fitted distribution gives, and a band."""

    expected: FloatArray
    fitted: FloatArray
    low: FloatArray
    high: FloatArray


class Densities(NamedTuple):
    """One class as it is drawn: its density at ``x``, and its rows in bins between ``edges``."""

    x: FloatArray
    density: FloatArray
    edges: FloatArray
    heights: FloatArray


class Drawn(NamedTuple):
    """All that the picture shows."""

    predicted: RocCurve
    empirical: RocCurve
    heights: tuple[FloatArray, FloatArray, FloatArray]
    """FPRs, and the predicted and the counted TPR there."""
    quantiles: tuple[Quantiles, Quantiles]
    densities: tuple[Densities, Densities]


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Rich):
    """Say whether the distributions behind a predicted ROC curve can be believed.

    ``print(diagnosis)`` shows all findings, ``diagnosis.plot()`` the picture.

    Attributes
    ----------
    family : str
    direction : str
        "higher" or "lower".
    negative, positive : ClassShape
        Counts, moments, ties, ends, outliers and fit of each class.
    std_ratio : Interval
        Standard deviation of the positive over that of the negative class.
    auc_predicted, auc_empirical, auc_error, auc_p_value : float
        Error = predicted - empirical. p-values are those of the parametric bootstrap; see ``diagnose``.
    l1, l1_by_chance, l1_p_value : float
        Mean abs(TPR predicted - TPR empirical) over all FPR, and the mean of the same in draws from the fitted pair.
    max_tpr_gap, max_tpr_gap_fpr, max_tpr_gap_threshold : float
        Largest difference of TPR with its sign, predicted - empirical, between FPR 1/n and 1 - 1/n of n negatives
        (from 3 on), where it is, and the predicted threshold there.
    gap_low_fpr, gap_middle_fpr, gap_high_fpr : float
        Mean of TPR predicted - TPR empirical in each third of the FPR axis.
    threshold : float
        The predicted best threshold, for Ameans.
    ameans_lost, threshold_p_value : float
        What it loses on these rows against the best one of these rows.
    n_resamples, n_failed : int
        Draws, and those to which the family could not be fitted.
    findings : tuple of Finding
        Each with a level "ok", "note" or "warn", a sentence and a remedy.
    verdict : str
        One sentence.
    drawn : Drawn
        What ``plot`` shows.
    """

    family: str
    direction: str
    negative: ClassShape
    positive: ClassShape
    std_ratio: Interval
    auc_predicted: float
    auc_empirical: float
    auc_error: float
    auc_p_value: float
    l1: float
    l1_by_chance: float
    l1_p_value: float
    max_tpr_gap: float
    max_tpr_gap_fpr: float
    max_tpr_gap_threshold: float
    gap_low_fpr: float
    gap_middle_fpr: float
    gap_high_fpr: float
    threshold: float
    ameans_lost: float
    threshold_p_value: float
    n_resamples: int
    n_failed: int
    findings: tuple[Finding, ...]
    verdict: str
    drawn: Drawn

    @property
    def level(self) -> str:
        """The worst level of all findings but the number of cases: "ok", "note" or "warn"."""
        return max((item.level for item in self.findings if item.name != "cases"), key=LEVELS.index)

    def finding(self, name: str) -> Finding | None:
        """Give the finding of this name, such as "curve" or "positive skewness", if there is one."""
        return next((item for item in self.findings if item.name == name), None)

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers and the words by name, without what is only drawn."""
        said = {name: value for name, value in vars(self).items() if name not in _UNSAID}
        classes = {"negative": self.negative.to_dict(), "positive": self.positive.to_dict()}
        findings = [vars(item) for item in self.findings]
        return said | classes | {"std_ratio": self.std_ratio.to_dict(), "findings": findings}

    def to_frame(self, backend: str = "pandas") -> Any:
        """Give the findings as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
        """
        names = ("name", "level", "value", "sentence", "remedy")
        return to_frame({name: [getattr(item, name) for item in self.findings] for name in names}, backend)

    def table(self) -> Any:
        """Give the findings as a ``rocpredict.tables.Table``: text, Markdown, CSV."""
        from rocpredict import _show

        return _show.table(*self._titled(), formats={"value": ".3g"}, notes=[self.verdict])

    def plot(self, **options: Any) -> Any:
        """Draw both curves, the quantiles of each class and the densities; see ``plots.plot_diagnosis``."""
        from rocpredict import _show

        return _show.plot_diagnosis(self, **options)

    def _titled(self) -> tuple[str, list[str], list[list[Any]]]:
        rows = [[item.name, item.value, _MARKS[item.level], item.sentence, item.remedy] for item in self.findings]
        return f"Diagnosis of family={self.family!r}", ["finding", "value", "level", "what was seen", "remedy"], rows

    def __str__(self) -> str:
        return str(self.table().to_text())

    def __repr__(self) -> str:
        levels = [item.level for item in self.findings]
        counts = ", ".join(f"{level}={levels.count(level)}" for level in ("warn", "note"))
        return (
            f"Diagnosis(family={self.family!r}, n_negative={self.negative.count}, n_positive={self.positive.count}, "
            f"l1={self.l1:.4g} (p {self.l1_p_value:.2g}), auc_error={self.auc_error:+.4g}, {counts})"
        )

    def _shown(self) -> Shown:
        title, columns, rows = self._titled()
        lines = [thinned(curve.fpr, curve.tpr) for curve in (self.drawn.predicted, self.drawn.empirical)]
        picture = Picture("Predicted ROC curve; dashed: the empirical one", lines)
        return Shown(title, rows, columns, notes=[self.verdict], picture=picture)
