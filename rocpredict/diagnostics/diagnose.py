"""Diagnosis of a predicted ROC curve."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from rocpredict.base.accessors import plot_result
from rocpredict.base.labels import split_classes
from rocpredict.base.results import CurvePlot, Interval, Result, Table, thin_curve
from rocpredict.base.validation import FloatArray, RocPredictError
from rocpredict.diagnostics.comparison import max_tpr_gap
from rocpredict.diagnostics.findings import LEVELS, CurveMisfit, DiagnosticFinding, collect_findings, summarize_findings
from rocpredict.diagnostics.fit import (
    ClassDescription,
    GoodnessOfFit,
    SortedSamples,
    describe,
    goodness_of_fit,
    kolmogorov_smirnov,
    normal_scores,
    oriented_distributions,
    p_values,
    parametric_bootstrap,
    plot_ranks,
    sort_by_direction,
    std_ratio,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.misfit import FPR, area_between, empirical_tpr
from rocpredict.distributions.normality import suppress_normality_warning
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.roc.empirical import EmpiricalRoc
from rocpredict.roc.predicted import PredictedRoc, predict_roc
from rocpredict.solvers.base import RocCurve

_SYMBOLS = {"ok": "", "note": "note", "warn": "WARN"}


class QuantilePlotData(NamedTuple):
    """The normal scores of one class: those expected, those that the fitted distribution gives, and a band."""

    expected: FloatArray
    fitted: FloatArray
    low: FloatArray
    high: FloatArray


class DensityPlotData(NamedTuple):
    """One class as it is drawn: its density at ``x``, and its rows in bins between ``edges``."""

    x: FloatArray
    density: FloatArray
    edges: FloatArray
    heights: FloatArray


class DiagnosisPlotData(NamedTuple):
    """All that the picture shows."""

    predicted: RocCurve
    empirical: RocCurve
    heights: tuple[FloatArray, FloatArray, FloatArray]
    """FPRs, and the predicted and the counted TPR there."""
    quantiles: tuple[QuantilePlotData, QuantilePlotData]
    densities: tuple[DensityPlotData, DensityPlotData]


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Result):
    """Say whether the distributions behind a predicted ROC curve can be believed.

    ``print(diagnosis)`` shows all findings, ``diagnosis.plot()`` the picture.

    Attributes
    ----------
    family : str
    direction : str
        "higher" or "lower".
    negative, positive : ClassDescription
        Counts, moments, ties, ends, outliers and fit of each class.
    std_ratio : Interval
        Standard deviation of the positive over that of the negative class.
    auc_predicted, auc_empirical, auc_error, auc_p_value : float
        Error = predicted - empirical. p-values are those of the parametric bootstrap; see ``diagnose``.
    area_between, area_between_expected, l1_p_value : float
        Mean abs(TPR predicted - TPR empirical) over all FPR, and the mean of the same in draws from the fitted pair.
    max_tpr_gap, max_tpr_gap_fpr, max_tpr_gap_threshold : float
        Largest difference of TPR with its sign, predicted - empirical, between FPR 1/n and 1 - 1/n of n negatives
        (from 3 on), where it is, and the predicted threshold there.
    gap_low_fpr, gap_middle_fpr, gap_high_fpr : float
        Mean of TPR predicted - TPR empirical in each third of the FPR axis.
    threshold : float
        The predicted best threshold, for Ameans.
    threshold_regret, threshold_p_value : float
        What it loses on these rows against the best one of these rows.
    n_resamples, n_failed : int
        Draws, and those to which the family could not be fitted.
    findings : tuple of DiagnosticFinding
        Each with a level "ok", "note" or "warn", a sentence and a remedy.
    verdict : str
        One sentence.
    plot_data : Drawn
        What ``plot`` shows.
    """

    family: str
    direction: str
    negative: ClassDescription
    positive: ClassDescription
    std_ratio: Interval
    auc_predicted: float
    auc_empirical: float
    auc_error: float
    auc_p_value: float
    area_between: float
    area_between_expected: float
    l1_p_value: float
    max_tpr_gap: float
    max_tpr_gap_fpr: float
    max_tpr_gap_threshold: float
    gap_low_fpr: float
    gap_middle_fpr: float
    gap_high_fpr: float
    threshold: float
    threshold_regret: float
    threshold_p_value: float
    n_resamples: int
    n_failed: int
    findings: tuple[DiagnosticFinding, ...]
    verdict: str
    plot_data: DiagnosisPlotData = field(metadata={"hidden": True})

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers and the words by name, without what is only drawn."""
        held = super().to_dict()
        return held | {name: held.pop(name) for name in ("negative", "positive", "std_ratio", "findings")}

    def _columns(self) -> dict[str, Any]:
        names = ("name", "severity", "value", "message", "suggestion")
        return {name: [getattr(item, name) for item in self.findings] for name in names}

    def table(self) -> Table:
        """Return the findings."""
        found = self.findings
        rows = [[item.name, item.value, _SYMBOLS[item.severity], item.message, item.suggestion] for item in found]
        lines = [thin_curve(curve.fpr, curve.tpr) for curve in (self.plot_data.predicted, self.plot_data.empirical)]
        plot = CurvePlot("Predicted ROC curve; dashed: the empirical one", lines)
        columns = ["finding", "value", "severity", "what was seen", "suggestion"]
        return Table(f"Diagnosis of family={self.family!r}", columns, rows, {"value": ".3g"}, [self.verdict], plot=plot)

    @property
    def severity(self) -> str:
        """The worst level of all findings but the number of cases: "ok", "note" or "warn"."""
        return max((item.severity for item in self.findings if item.name != "cases"), key=LEVELS.index)

    def finding(self, name: str) -> DiagnosticFinding | None:
        """Give the finding of this name, such as "curve" or "positive skewness", if there is one."""
        return next((item for item in self.findings if item.name == name), None)

    def plot(self, **options: Any) -> Any:
        """Draw both curves, the quantiles of each class and the densities; see ``plots.plot_diagnosis``."""
        return plot_result("plot_diagnosis", self, **options)

    def __str__(self) -> str:
        return str(self.table().to_text())

    def __repr__(self) -> str:
        levels = [item.severity for item in self.findings]
        counts = ", ".join(f"{level}={levels.count(level)}" for level in ("warn", "note"))
        return (
            f"Diagnosis(family={self.family!r}, n_negative={self.negative.count}, n_positive={self.positive.count}, "
            f"area_between={self.area_between:.4g} (p {self.l1_p_value:.2g}), "
            f"auc_error={self.auc_error:+.4g}, {counts})"
        )


_POINTS = 301
_BINS = (5, 40)
_MAX_Z = 5
"""How many interquartile ranges beyond its quartiles a class is drawn at most."""
_MARGIN = 0.04


def make_plot_data(
    roc: PredictedRoc, empirical: EmpiricalRoc, samples: SortedSamples, bands: tuple[FloatArray, FloatArray]
) -> DiagnosisPlotData:
    """Gather the curves, the quantiles and the densities."""
    mirrored = roc.direction == "lower"
    pair = zip(oriented_distributions(roc), samples, bands, strict=True)
    quantiles = [_quantiles(d, values, band, mirrored=mirrored) for d, values, band in pair]
    edges, x = _axis_limits((empirical.negative.sorted_sample, empirical.positive.sorted_sample))
    sides = (roc.negative, empirical.negative.sorted_sample), (roc.positive, empirical.positive.sorted_sample)
    densities = [_densities(d, values, edges, x) for d, values in sides]
    heights = FPR, np.asarray(roc.tpr_at_fpr(FPR)), empirical_tpr(*samples)
    return DiagnosisPlotData(
        roc.curve(), empirical.curve(), heights, (quantiles[0], quantiles[1]), (densities[0], densities[1])
    )


def _quantiles(distribution: Distribution, values: FloatArray, band: FloatArray, *, mirrored: bool) -> QuantilePlotData:
    """Give normal scores in the order of the feature: of a mirrored rule they were in the other."""
    ranks = plot_ranks(len(values))
    expected = ndtri((ranks + 0.5) / len(values))
    fitted = normal_scores(distribution, values[ranks])
    if mirrored:
        return QuantilePlotData(-expected[::-1], -fitted[::-1], -band[1][::-1], -band[0][::-1])
    return QuantilePlotData(expected, fitted, band[0], band[1])


def _axis_limits(samples: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Give the edges of bins, and the values at which densities are drawn.

    Bins are as narrow as the narrower class needs. Rows far beyond the quartiles of both classes are in one wide bin on
    either side, most of it outside the picture: else a few of them would leave all others no room.
    """
    first, last = min(x[0] for x in samples), max(x[-1] for x in samples)
    exponent = int(np.frexp(max(abs(first), abs(last)))[1])
    edges, x = _axis_limits_scaled(tuple(np.ldexp(x, -exponent) for x in samples))
    with np.errstate(over="ignore"):
        edges, x = np.nan_to_num(np.ldexp(edges, exponent)), np.nan_to_num(np.ldexp(x, exponent))
    edges = np.clip(edges, first, last) if first < last else edges
    return np.unique(np.concatenate([[first], edges, [last]])), x


def _axis_limits_scaled(samples: tuple[FloatArray, ...]) -> tuple[FloatArray, FloatArray]:
    """Give the same of values within [-1, 1], where no difference overflows."""
    first, last = min(x[0] for x in samples), max(x[-1] for x in samples)
    quartiles = np.array([np.quantile(x, (0.25, 0.75)) for x in samples])
    spreads = quartiles[:, 1] - quartiles[:, 0]
    far = _MAX_Z * spreads[:, None] * [-1, 1]
    low, high = np.clip([(quartiles + far)[:, 0].min(), (quartiles + far)[:, 1].max()], first, last)
    if not (spreads > 0).all():
        low, high = first, last
    pad = float(_MARGIN * (high - low)) or 0.1 * abs(low) or 1.0
    high = high if high > low else low + pad
    return np.linspace(low, high, _n_bins(samples, spreads, high - low) + 1), np.linspace(
        low - pad, high + pad, _POINTS
    )


def _n_bins(samples: tuple[FloatArray, ...], spreads: FloatArray, span: float) -> int:
    """Give how many bins a span needs for the narrower class: by Freedman and Diaconis (1981), within bounds."""
    counts = np.array([len(x) for x in samples])
    with np.errstate(divide="ignore", over="ignore"):
        needed = span * np.cbrt(counts) / (2 * spreads)
    by_count = 2 * counts.max() ** (1 / 3)
    return int(np.clip(np.ceil(max(by_count, needed.max(where=spreads > 0, initial=0))), *_BINS))


def _densities(distribution: Distribution, values: FloatArray, edges: FloatArray, x: FloatArray) -> DensityPlotData:
    with np.errstate(over="ignore"):
        density = np.asarray(distribution.pdf(x))
        counted = np.histogram(values, edges)[0] / len(values) / np.diff(edges)
    return DensityPlotData(x, np.where(np.isfinite(density), density, 0.0), edges, counted)


def diagnose(
    x: ArrayLike,
    y: ArrayLike,
    *,
    positive: Any = None,
    negative: Any = None,
    family: Any = "gaussian",
    direction: str | None = None,
    nan_policy: str = "raise",
    n_resamples: int = 500,
    rng: Any = 0,
) -> Diagnosis:
    """Say whether a predicted ROC curve can be believed, and where it fails.

    Parameters
    ----------
    x : array of shape (n,)
        Values of one feature.
    y : array of shape (n,)
        Labels.
    positive, negative, family, direction, nan_policy
        As in ``predict_roc``; not family="empirical", which is the rows themselves.
    n_resamples : int
        Samples drawn from the fitted pair, 20 or more.
    rng : int or numpy Generator
        With a seed the same rows give the same result.

    Returns
    -------
    Diagnosis

    Raises
    ------
    RocPredictError
        As ``predict_roc``: infinite values, a class of one row; family="empirical"; too few resamples.

    Notes
    -----
    p-values are those of the parametric bootstrap (Stute, Gonzalez Manteiga and Presedo Quindimil 1993): samples of
    these sizes are drawn from the fitted pair, the family is fitted anew to each, and the same measure taken;
    p = (b + 1)/(n + 1) with b of n draws as far off. Fitting anew is what a textbook's Kolmogorov-Smirnov p-value
    omits. For two Gaussians 500 draws take a moment; a family that is fitted by iterations takes as long as 1000 of
    its fits.

    A large p is no proof of a family: at 20 rows a class no check is decisive. A small one with thousands of rows may
    come of a misfit that does no harm: see ``area_between``, ``auc_error`` and ``threshold_regret``.

    Examples
    --------
    >>> from rocpredict import datasets
    >>> iris = datasets.load_iris()
    >>> diagnosis = diagnose(iris.column("petal_width"), iris.y, positive="virginica", negative="versicolor")
    >>> diagnosis
    Diagnosis(family='gaussian', n_negative=50, n_positive=50, area_between=0.005289 (p 0.91),
              auc_error=+0.0002959, warn=3, note=1)
    >>> print(diagnosis.finding("negative ties").message)
    negative class: 26 % of its rows equal 1.3
    """
    resampling = BootstrapOptions(n_resamples, rng)
    if isinstance(family, str) and family == "empirical":
        raise RocPredictError(
            "family='empirical' is the rows themselves: there is nothing to diagnose; give another one"
        )
    labels = {"positive": positive, "negative": negative, "nan_policy": nan_policy}
    with suppress_normality_warning():  # the findings say it at length
        roc = predict_roc(x, y, family=family, direction=direction, **labels)
    classes = split_classes(x, y, **labels)
    return _make_diagnosis(roc, (classes.negative, classes.positive), _family_name(family), resampling)


def _make_diagnosis(
    roc: PredictedRoc, rows: tuple[FloatArray, FloatArray], family: str, resampling: BootstrapOptions
) -> Diagnosis:
    samples, counts = sort_by_direction(roc, *rows), (len(rows[0]), len(rows[1]))
    seen, simulated = goodness_of_fit(roc, samples), parametric_bootstrap(roc, counts, resampling)
    p = p_values(seen, simulated.misfit)
    shapes = _describe_classes(roc, rows, samples, seen, p)
    empirical = EmpiricalRoc(*rows, direction=roc.direction)
    ratio = std_ratio(*shapes)
    along = _curve_misfit(roc, empirical, samples, float(simulated.misfit.area_between.mean()), p)
    findings = collect_findings(family, *shapes, ratio, along)
    return Diagnosis(
        family=family,
        direction="lower" if roc.direction == "lower" else "higher",
        negative=shapes[0],
        positive=shapes[1],
        std_ratio=ratio,
        auc_predicted=roc.auc(),
        auc_empirical=empirical.auc(),
        **along._asdict(),
        n_resamples=resampling.n_resamples,
        n_failed=simulated.n_failed,
        findings=tuple(findings),
        verdict=summarize_findings(family, findings, counts),
        plot_data=make_plot_data(roc, empirical, samples, simulated.bands),
    )


def _family_name(family: Any) -> str:
    return family if isinstance(family, str) else str(getattr(family, "name", family))


def _describe_classes(
    roc: PredictedRoc,
    rows: tuple[FloatArray, FloatArray],
    samples: SortedSamples,
    seen: GoodnessOfFit,
    p: dict[str, float],
) -> tuple[ClassDescription, ClassDescription]:
    """Describe both classes; the fit is that of the mirrored values where the rule is, which is the same."""
    shapes = []
    for name, values, mirrored, distribution in zip(
        ("negative", "positive"), rows, samples, oriented_distributions(roc), strict=True
    ):
        constant = values.min() == values.max()
        shapes.append(
            describe(
                np.sort(values),
                ks=kolmogorov_smirnov(distribution, mirrored),
                anderson_darling=0.0 if constant else float(getattr(seen, name)),
                p_value=p[name],
            )
        )
    return shapes[0], shapes[1]


def _curve_misfit(
    roc: PredictedRoc, empirical: EmpiricalRoc, samples: SortedSamples, by_chance: float, p: dict[str, float]
) -> CurveMisfit:
    predicted, counted = np.asarray(roc.tpr_at_fpr(FPR)), empirical_tpr(*samples)
    low, middle, high = (float(part.mean()) for part in np.array_split(predicted - counted, 3))
    largest_gap, largest_gap_fpr = max_tpr_gap(roc, empirical)
    best = roc.best_threshold()
    return CurveMisfit(
        area_between=float(area_between(predicted, counted)),
        area_between_expected=by_chance,
        l1_p_value=p["area_between"],
        auc_error=roc.auc() - empirical.auc(),
        auc_p_value=p["bias"],
        max_tpr_gap=largest_gap,
        max_tpr_gap_fpr=largest_gap_fpr,
        max_tpr_gap_threshold=float(roc.threshold_at_fpr(largest_gap_fpr)),
        gap_low_fpr=low,
        gap_middle_fpr=middle,
        gap_high_fpr=high,
        threshold=best.threshold,
        threshold_regret=float(empirical.best_threshold().ameans - empirical.rates(best.threshold).ameans),
        threshold_p_value=p["threshold_regret"],
    )
