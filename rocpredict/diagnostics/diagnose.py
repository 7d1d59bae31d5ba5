"""Diagnosis of a predicted ROC curve, with its findings and their severity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from rocpredict.base.accessors import plot_result
from rocpredict.base.labels import as_rereadable, split_classes
from rocpredict.base.results import Interval, Result
from rocpredict.base.tables import CurvePlot, Table, thin_curve
from rocpredict.base.validation import Direction, FloatArray, Label, NanPolicy, RocPredictError, Seed
from rocpredict.diagnostics.comparison import max_tpr_gap
from rocpredict.diagnostics.fit import (
    ClassDescription,
    SortedSamples,
    describe_classes,
    goodness_of_fit,
    normal_scores,
    oriented_distributions,
    p_values,
    parametric_bootstrap,
    plot_ranks,
    sort_by_direction,
    std_ratio,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.families import FamilyName, ScipyFamily
from rocpredict.distributions.misfit import COMPARISON_FPR, area_between, empirical_tpr
from rocpredict.distributions.normality import OTHER_SUGGESTION, SKEWED_SUGGESTION, suppress_normality_warning
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.roc.empirical import EmpiricalRoc
from rocpredict.roc.predicted import PredictedRoc, predict_roc
from rocpredict.solvers.base import RocCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SEVERITIES = ("ok", "note", "warn")
_SYMBOLS = {"ok": "", "note": "note", "warn": "WARN"}


@dataclass(frozen=True, eq=False, repr=False)
class DiagnosticFinding(Result):
    """One thing that a diagnosis looked at.

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


class QuantilePlotData(NamedTuple):
    """Normal scores of one class: those expected, those by the fitted distribution, and a band."""

    expected: FloatArray
    fitted: FloatArray
    low: FloatArray
    high: FloatArray


class DensityPlotData(NamedTuple):
    """Density of one class at ``x``, and a histogram of its rows between ``edges``."""

    x: FloatArray
    density: FloatArray
    edges: FloatArray
    histogram_density: FloatArray


class DiagnosisPlotData(NamedTuple):
    """Data of the picture."""

    predicted: RocCurve
    empirical: RocCurve
    rates: tuple[FloatArray, FloatArray, FloatArray]
    """FPRs, and the predicted and the counted TPR there."""
    quantiles: tuple[QuantilePlotData, QuantilePlotData]
    densities: tuple[DensityPlotData, DensityPlotData]


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Result):
    """Result of ``diagnose``: whether the distributions behind a predicted ROC curve can be believed.

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
    predicted_auc, empirical_auc, auc_error, auc_p_value : float
        Error = predicted - empirical. p-values are those of the parametric bootstrap; see ``diagnose``.
    area_between, area_between_expected, area_between_p_value : float
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
    plot_data : DiagnosisPlotData
        Data of ``plot``.
    """

    family: str
    direction: str
    predicted_auc: float
    empirical_auc: float
    auc_error: float
    auc_p_value: float
    area_between: float
    area_between_expected: float
    area_between_p_value: float
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
    verdict: str
    negative: ClassDescription
    positive: ClassDescription
    std_ratio: Interval
    findings: tuple[DiagnosticFinding, ...]
    plot_data: DiagnosisPlotData = field(metadata={"hidden": True})
    _text = (
        "family={family!r}, n_negative={negative.count}, n_positive={positive.count}, "
        "area_between={area_between:.4g} (p {area_between_p_value:.2g}), auc_error={auc_error:+.4g}, "
        "warn={_n_findings[warn]}, note={_n_findings[note]}"
    )

    def _columns(self) -> dict[str, Any]:
        names = ("name", "severity", "value", "message", "suggestion")
        return {name: [getattr(item, name) for item in self.findings] for name in names}

    def table(self) -> Table:
        """Return the findings."""
        findings = self.findings
        rows = [[item.name, item.value, _SYMBOLS[item.severity], item.message, item.suggestion] for item in findings]
        lines = [thin_curve(curve.fpr, curve.tpr) for curve in (self.plot_data.predicted, self.plot_data.empirical)]
        plot = CurvePlot("Predicted ROC curve; dashed: the empirical one", lines)
        columns = ["finding", "value", "severity", "what was seen", "suggestion"]
        return Table(f"Diagnosis of family={self.family!r}", columns, rows, {"value": ".3g"}, [self.verdict], plot=plot)

    @property
    def severity(self) -> str:
        """The worst level of all findings but the number of cases: "ok", "note" or "warn"."""
        return max((item.severity for item in self.findings if item.name != "cases"), key=SEVERITIES.index)

    def finding(self, name: str) -> DiagnosticFinding | None:
        """Return the finding of this name, such as "curve" or "positive skewness", if there is one."""
        return next((item for item in self.findings if item.name == name), None)

    def plot(self, **options: object) -> Axes:
        """Draw both curves, the quantiles of each class and the densities; see ``plots.plot_diagnosis``."""
        return plot_result("plot_diagnosis", (self,), options)

    def __str__(self) -> str:
        return str(self.table().to_text())

    @property
    def _n_findings(self) -> Counter[str]:
        return Counter(item.severity for item in self.findings)


def diagnose(
    x: ArrayLike,
    y: ArrayLike,
    *,
    positive: Label = None,
    negative: Label = None,
    family: FamilyName | ScipyFamily = "gaussian",
    direction: Direction = None,
    nan_policy: NanPolicy = "raise",
    n_resamples: int = 500,
    rng: Seed = 0,
) -> Diagnosis:
    """Diagnose whether a predicted ROC curve can be believed, and where it fails.

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
    x, y = as_rereadable(x), as_rereadable(y)
    labels: dict[str, Any] = {"positive": positive, "negative": negative, "nan_policy": nan_policy}
    with suppress_normality_warning():  # the findings say it at length
        roc = predict_roc(x, y, family=family, direction=direction, **labels)
    classes = split_classes(x, y, **labels)
    rows = classes.negative, classes.positive
    samples, counts = sort_by_direction(roc, *rows), (len(rows[0]), len(rows[1]))
    observed, simulated = goodness_of_fit(roc, samples), parametric_bootstrap(roc, counts, resampling)
    p = p_values(observed, simulated.misfit)
    negative_shape, positive_shape = describe_classes(roc, rows, observed, p)
    empirical = EmpiricalRoc(*rows, direction=roc.direction)
    predicted_tpr, sample_tpr = np.asarray(roc.tpr_at_fpr(COMPARISON_FPR)), empirical_tpr(*samples)
    low, middle, high = (float(part.mean()) for part in np.array_split(predicted_tpr - sample_tpr, 3))
    gap, gap_fpr = max_tpr_gap(roc, empirical)
    threshold = roc.best_threshold().threshold
    diagnosis = Diagnosis(
        family=family if isinstance(family, str) else str(getattr(family, "name", family)),
        direction="lower" if roc.direction == "lower" else "higher",
        negative=negative_shape,
        positive=positive_shape,
        std_ratio=std_ratio(negative_shape, positive_shape),
        predicted_auc=roc.auc(),
        empirical_auc=empirical.auc(),
        auc_error=roc.auc() - empirical.auc(),
        auc_p_value=p.auc_error,
        area_between=float(area_between(predicted_tpr, sample_tpr)),
        area_between_expected=float(simulated.misfit.area_between.mean()),
        area_between_p_value=p.area_between,
        max_tpr_gap=gap,
        max_tpr_gap_fpr=gap_fpr,
        max_tpr_gap_threshold=float(roc.threshold_at_fpr(gap_fpr)),
        gap_low_fpr=low,
        gap_middle_fpr=middle,
        gap_high_fpr=high,
        threshold=threshold,
        threshold_regret=float(empirical.best_threshold().ameans - empirical.rates(threshold).ameans),
        threshold_p_value=p.threshold_regret,
        n_resamples=resampling.n_resamples,
        n_failed=simulated.n_failed,
        findings=(),
        verdict="",
        plot_data=_make_plot_data(roc, empirical, samples, simulated.bands),
    )
    diagnosis = replace(diagnosis, findings=tuple(_find(diagnosis)))
    return replace(diagnosis, verdict=_summarize(diagnosis))


# ---- findings
class _Limits(NamedTuple):
    """Size of a measure above which it is a note, and above which it is a warning."""

    note: float
    warn: float

    def severity(self, value: float) -> str:
        """Return the severity of a measure; that of NaN is "ok"."""
        return "warn" if value > self.warn else "note" if value > self.note else "ok"

    def severity_by_p_value(self, p: float, value: float) -> str:
        """Return the severity of a measure that sampling variation makes, too."""
        if p <= _P_WARN and value > self.warn:
            return "warn"
        return "note" if p <= _P_NOTE and value > self.note else "ok"


_SKEWNESS, _KURTOSIS = _Limits(1.0, 2.0), _Limits(1.0, 3.0)
_Z = _Limits(2.6, 3.3)
"""Standard errors of a skewness or kurtosis; the lower severity counts."""
_SHARE, _OUTLIERS = _Limits(0.05, 0.10), _Limits(0.001, 0.02)
_STD_RATIO = _Limits(1.5, 2.0)
_AREA, _AUC_ERROR, _REGRET = _Limits(0.0, 0.02), _Limits(0.01, 0.02), _Limits(0.02, 0.03)
_P_NOTE, _P_WARN = 0.05, 0.01
_MIN_GROUP_SIZE = 3  # equal rows: fewer are no ties
_FEW_VALUES, _ENOUGH_ROWS = 15, 30
_SMALL_SAMPLE, _VERY_SMALL_SAMPLE = 50, 20
_CURVE_FINDINGS = ("curve", "AUC", "threshold")

_ShapeCheck = tuple[str, float, str, str, str]
"""The name, value, severity, message and suggestion of a check, whatever the family is."""


def _find(d: Diagnosis) -> Iterator[DiagnosticFinding]:
    """Yield the findings of a diagnosis from its numbers."""
    yield _check_sample_size(d.negative.count, d.positive.count)
    for name in ("negative", "positive"):
        yield from _check_class(d.family, name, getattr(d, name))
    yield _shape_finding(d.family, _check_std_ratio(d.std_ratio))
    yield from _check_curve(d)


def _finding(name: str, value: float, severity: str, message: str, suggestion: str) -> DiagnosticFinding:
    return DiagnosticFinding(name, value, severity, message, "" if severity == "ok" else suggestion)


def _shape_finding(family: str, check: _ShapeCheck, word: str = "") -> DiagnosticFinding:
    """Return a finding about the shape of classes; another family than Gaussians need not be harmed by it."""
    name, value, severity, message, remedy = check
    if word:
        name, message = f"{word} {name}", f"{word} class: {message}"
    if family != "gaussian":
        severity = "note" if severity == "warn" else severity
        remedy = "none where the curve holds" if "family=" in remedy else remedy
    return _finding(name, value, severity, message, f"use {remedy}" if remedy.startswith("family=") else remedy)


def _suggest_family(family: str) -> str:
    if family == "auto":
        return "use rp.empirical_roc"
    return f"use {SKEWED_SUGGESTION if family == 'gaussian' else OTHER_SUGGESTION}"


def _format_p(value: float) -> str:
    return f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def _format_signed(value: float, form: str = ".1f") -> str:
    """Return a number with a true minus."""
    return format(value, form).replace("-", "−")


def _format_z(value: float) -> str:
    return "too few rows for a z" if np.isnan(value) else f"z {_format_signed(value)}"


def _format_percent(fraction: float) -> str:
    """Return a share in percent, a small one with one digit."""
    return f"{100 * fraction:.0f} %" if fraction == 0 or fraction >= 0.01 else f"{100 * fraction:.1g} %"


def _check_curve(d: Diagnosis) -> Iterator[DiagnosticFinding]:
    remedy = _suggest_family(d.family)
    message = (
        f"the predicted curve lies {d.area_between:.3f} of TPR off the counted one on the average; chance makes it "
        f"{d.area_between_expected:.3f} (p {_format_p(d.area_between_p_value)})"
    )
    severity = _AREA.severity_by_p_value(d.area_between_p_value, d.area_between)
    yield _finding("curve", d.area_between, severity, message, remedy)
    low, middle, high, most = (
        _format_signed(gap, "+.3f") for gap in (d.gap_low_fpr, d.gap_middle_fpr, d.gap_high_fpr, d.max_tpr_gap)
    )
    message = (
        f"the largest gap of TPR (predicted − counted) is {most} at FPR {d.max_tpr_gap_fpr:.3f}, threshold "
        f"{d.max_tpr_gap_threshold:.6g}; on the average {low} at low, {middle} at middle, {high} at high FPR"
    )
    yield _finding("largest gap", d.max_tpr_gap, "ok", message, "")
    message = f"AUC predicted − counted {_format_signed(d.auc_error, '.3f')} (p {_format_p(d.auc_p_value)})"
    severity = _AUC_ERROR.severity_by_p_value(d.auc_p_value, abs(d.auc_error))
    yield _finding("AUC", d.auc_error, severity, message, remedy)
    message = (
        f"the predicted threshold {d.threshold:.6g} loses {d.threshold_regret:.3f} of Ameans against the best one on "
        f"these very rows (p {_format_p(d.threshold_p_value)})"
    )
    severity = _REGRET.severity_by_p_value(d.threshold_p_value, d.threshold_regret)
    yield _finding("threshold", d.threshold_regret, severity, message, remedy)


def _check_sample_size(*counts: int) -> DiagnosticFinding:
    fewest = min(counts)
    counts_text = f"{counts[0]} negatives and {counts[1]} positives"
    if fewest >= _SMALL_SAMPLE:
        return _finding("cases", fewest, "ok", f"{counts_text}: gross misfits would be seen", "")
    severity = "warn" if fewest < _VERY_SMALL_SAMPLE else "note"
    message = f"{counts_text}: no check is decisive with so few; what is not found here may be there all the same"
    return _finding("cases", fewest, severity, message, "lean on the rows by family='auto', or collect more")


def _check_class(family: str, word: str, shape: ClassDescription) -> Iterator[DiagnosticFinding]:
    if shape.constant:
        message = f"{word} class: all {shape.count} values equal {shape.mode:.6g}, so nothing of its shape is seen"
        yield _finding(f"{word} spread", 0.0, "warn", message, "check how the feature was measured")
        return
    for check in _check_shape(shape):
        yield _shape_finding(family, check, word)
    message = (
        f"{word} class: A² {shape.anderson_darling:.3g} (p {_format_p(shape.p_value)}), largest difference of the cdfs "
        f"{shape.ks:.3f}"
    )
    severity = "note" if shape.p_value <= _P_WARN else "ok"
    yield _finding(f"{word} fit", shape.p_value, severity, message, _suggest_family(family))


def _check_shape(shape: ClassDescription) -> Iterator[_ShapeCheck]:
    """Yield the checks of moments, ties, limits and outliers."""
    severities = _SKEWNESS.severity(abs(shape.skewness)), _Z.severity(abs(shape.skewness_z))
    message = f"skewness {_format_signed(shape.skewness)} ({_format_z(shape.skewness_z)})"
    yield "skewness", shape.skewness, _milder(*severities), message, SKEWED_SUGGESTION

    severity = _milder(_KURTOSIS.severity(shape.kurtosis), _Z.severity(shape.kurtosis_z))
    tails = "" if severity == "ok" else ", heavy tails"
    message = f"excess kurtosis {_format_signed(shape.kurtosis)} ({_format_z(shape.kurtosis_z)}){tails}"
    yield "kurtosis", shape.kurtosis, severity, message, OTHER_SUGGESTION

    if shape.mode_count >= _MIN_GROUP_SIZE and shape.mode_fraction > _SHARE.note:
        severity = _SHARE.severity(shape.mode_fraction)
        message = f"{_format_percent(shape.mode_fraction)} of its rows equal {shape.mode:.6g}"
    else:
        severity = "note" if shape.n_unique < _FEW_VALUES and shape.count >= _ENOUGH_ROWS else "ok"
        message = f"{shape.n_unique} different values in {shape.count} rows"
    yield "ties", shape.mode_fraction, severity, message, OTHER_SUGGESTION

    limits = [(shape.fraction_at_minimum, "minimum", shape.minimum)]
    limits += [(shape.fraction_at_maximum, "maximum", shape.maximum)]
    limits += [(shape.fraction_at_zero, "boundary", 0.0)] if shape.minimum >= 0 else []
    fraction, limit, value = max(limits, key=lambda item: item[0])
    severity = _SHARE.severity(fraction) if fraction * shape.count > _MIN_GROUP_SIZE - 0.5 else "ok"
    message = f"{_format_percent(fraction)} of its rows lie at the {limit} {value:.6g}"
    yield "boundary", fraction, severity, message, OTHER_SUGGESTION

    several = "warn" if shape.outliers * shape.count > _MIN_GROUP_SIZE - 0.5 else "note"
    message = f"{_format_percent(shape.outliers)} of its rows lie more than 3 IQR beyond the quartiles"
    remedy = f"check these rows; else {OTHER_SUGGESTION}"
    yield "outliers", shape.outliers, _milder(_OUTLIERS.severity(shape.outliers), several), message, remedy


def _milder(*severities: str) -> str:
    return min(severities, key=SEVERITIES.index)


def _check_std_ratio(interval: Interval) -> _ShapeCheck:
    (low, high), ratio = interval, float(interval.estimate)
    size = max(ratio, 1 / ratio) if ratio else float("inf")
    severity = _STD_RATIO.severity(size) if low > 1 or high < 1 else "ok"
    two = "" if severity == "ok" else ": two thresholds may do better than one"
    message = f"SD ratio (positive/negative) {ratio:.2f} ({low:.2f} to {high:.2f}){two}"
    return "SD ratio", ratio, severity, message, "see roc.proper() and its best_rule()"


def _summarize(d: Diagnosis) -> str:
    """Return one sentence on whether to believe the prediction."""
    severity = {item.name: item.severity for item in d.findings}
    harmed = [name for name in _CURVE_FINDINGS if severity[name] == "warn"]
    if harmed:
        harmed_text = " and ".join(filter(None, [", ".join(harmed[:-1]), harmed[-1]]))
        return f"Do not rely on the {harmed_text} of family='{d.family}' here: {_suggest_family(d.family)}."
    shape = [name for name in severity if severity[name] == "warn" and name not in {"cases", "SD ratio"}]
    is_small = min(d.negative.count, d.positive.count) < _SMALL_SAMPLE
    if shape:
        consequence = "so few rows could not show harm to the curve" if is_small else "harm to the curve is not seen"
        return f"The classes are not as family='{d.family}' has them ({', '.join(shape)}); {consequence}."
    suspected = " and ".join(name for name in _CURVE_FINDINGS if severity[name] == "note")
    if suspected:
        return f"There is some doubt about the {suspected} of family='{d.family}': {_suggest_family(d.family)}."
    two = "; two thresholds may do better than one: see roc.proper()" if severity["SD ratio"] == "warn" else ""
    if is_small:
        counts = f"{d.negative.count} negatives and {d.positive.count} positives could hardly tell"
        return f"Nothing speaks against family='{d.family}', but {counts}: no check is decisive here{two}."
    return f"Nothing speaks against family='{d.family}' here{two}."


# ---- picture
_POINTS = 301
_BINS = (5, 40)
_MAX_IQR = 5
"""How many interquartile ranges beyond its quartiles a class is drawn at most."""
_MARGIN = 0.04


def _make_plot_data(
    roc: PredictedRoc, empirical: EmpiricalRoc, samples: SortedSamples, bands: tuple[FloatArray, FloatArray]
) -> DiagnosisPlotData:
    mirrored = roc.direction == "lower"
    pair = zip(oriented_distributions(roc), samples, bands, strict=True)
    quantiles = [_quantiles(d, values, band, mirrored=mirrored) for d, values, band in pair]
    edges, x = _axis_limits((empirical.negative.sorted_sample, empirical.positive.sorted_sample))
    densities = []
    for distribution, sample in ((roc.negative, empirical.negative), (roc.positive, empirical.positive)):
        values = sample.sorted_sample
        with np.errstate(over="ignore"):
            density = np.asarray(distribution.pdf(x))
            histogram = np.histogram(values, edges)[0] / len(values) / np.diff(edges)
        densities.append(DensityPlotData(x, np.where(np.isfinite(density), density, 0.0), edges, histogram))
    rates = COMPARISON_FPR, np.asarray(roc.tpr_at_fpr(COMPARISON_FPR)), empirical_tpr(*samples)
    pairs = (quantiles[0], quantiles[1]), (densities[0], densities[1])
    return DiagnosisPlotData(roc.curve(), empirical.curve(), rates, *pairs)


def _quantiles(distribution: Distribution, values: FloatArray, band: FloatArray, *, mirrored: bool) -> QuantilePlotData:
    """Return normal scores in the order of the feature, the opposite one of a mirrored rule."""
    ranks = plot_ranks(len(values))
    expected = ndtri((ranks + 0.5) / len(values))
    fitted = normal_scores(distribution, values[ranks])
    if mirrored:
        return QuantilePlotData(-expected[::-1], -fitted[::-1], -band[1][::-1], -band[0][::-1])
    return QuantilePlotData(expected, fitted, band[0], band[1])


def _axis_limits(samples: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return the edges of bins, and the values at which densities are drawn.

    Bins are as narrow as the narrower class needs. Rows far beyond the quartiles of both classes are in one wide bin on
    either side, most of it outside the picture: else a few of them would leave all others no room.
    """
    first, last = min(x[0] for x in samples), max(x[-1] for x in samples)
    exponent = int(np.frexp(max(abs(first), abs(last)))[1])
    lowest, highest, *scaled = (np.ldexp(x, -exponent) for x in (first, last, *samples))  # no difference overflows
    quartiles = np.array([np.quantile(x, (0.25, 0.75)) for x in scaled])
    spreads = quartiles[:, 1] - quartiles[:, 0]
    low, high = lowest, highest
    if (spreads > 0).all():
        reach = quartiles + _MAX_IQR * spreads[:, None] * [-1, 1]
        low, high = np.clip([reach[:, 0].min(), reach[:, 1].max()], lowest, highest)
    pad = float(_MARGIN * (high - low)) or 0.1 * abs(low) or 1.0
    high = high if high > low else low + pad
    edges = np.linspace(low, high, _n_bins(scaled, spreads, float(high - low)) + 1)
    x = np.linspace(low - pad, high + pad, _POINTS)
    with np.errstate(over="ignore"):
        edges, x = np.nan_to_num(np.ldexp(edges, exponent)), np.nan_to_num(np.ldexp(x, exponent))
    edges = np.clip(edges, first, last) if first < last else edges
    return np.unique(np.concatenate([[first], edges, [last]])), x


def _n_bins(samples: list[FloatArray], spreads: FloatArray, span: float) -> int:
    """Return the bins that a span needs for the narrower class, by Freedman and Diaconis (1981), within bounds."""
    counts = np.array([len(x) for x in samples])
    with np.errstate(divide="ignore", over="ignore"):
        needed = span * np.cbrt(counts) / (2 * spreads)
    by_count = 2 * counts.max() ** (1 / 3)
    return int(np.clip(np.ceil(max(by_count, needed.max(where=spreads > 0, initial=0))), *_BINS))
