"""Diagnose how well a predicted ROC curve fits its data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from rocpredict.base.formatting import format_level, format_p_statement, format_p_value, pluralize
from rocpredict.base.labels import as_rereadable, split_classes
from rocpredict.base.results import Interval, Result, omitted_notes, plot_result
from rocpredict.base.tables import CurvePlot, Table, thin_curve
from rocpredict.base.validation import Direction, FloatArray, Label, NanPolicy, RocPredictError, Seed
from rocpredict.diagnostics.comparison import max_tpr_gap
from rocpredict.diagnostics.goodness_of_fit import (
    ClassDescription,
    SortedSamples,
    describe_classes,
    goodness_of_fit,
    normal_scores,
    p_values,
    parametric_bootstrap,
    plot_ranks,
    sort_by_direction,
    std_ratio,
)
from rocpredict.distributions.base import Distribution
from rocpredict.distributions.ecdf import COMPARISON_FPR, area_between, empirical_tpr
from rocpredict.distributions.families import FamilyName, ScipyFamily
from rocpredict.distributions.normality import OTHER_SUGGESTION, SKEWED_SUGGESTION, suppress_misfit_warning
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.inference.expected import orient_classes
from rocpredict.roc.empirical import EmpiricalRoc
from rocpredict.roc.predicted import PredictedRoc, predict_roc
from rocpredict.solvers.base import RocCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SEVERITIES = ("ok", "note", "warn")
_SYMBOLS = {"ok": "", "note": "note", "warn": "WARN"}


@dataclass(frozen=True, eq=False, repr=False)
class DiagnosticFinding(Result):
    """Result of a single diagnostic check.

    Attributes
    ----------
    name : str
        Name of the check, such as "positive skewness".
    value : float
        Value of the measure that is checked; NaN if it is undefined.
    severity : {"ok", "note", "warn"}
        Severity of the result.
    message : str
        Description of the result.
    suggestion : str
        Recommended action; empty if no action is needed.
    """

    name: str
    value: float
    severity: str
    message: str = field(metadata={"label": "description"})
    suggestion: str
    _text = "{name!r}, {severity}, value={value:.4g}: {message:.120}"
    _heading = "{name}"
    _tabled = ("value", "severity", "message", "suggestion")

    @property
    def _title(self) -> str:
        """Name of the check as it is printed in tables, such as "skewness of positives"."""
        word, _, check = self.name.partition(" ")
        return f"{_TITLES.get(check, f'{check} of')} {word}s" if word in {"negative", "positive"} else self.name


class QuantilePlotData(NamedTuple):
    """Expected and fitted normal scores of one class, with a 95% band."""

    expected: FloatArray
    fitted: FloatArray
    low: FloatArray
    high: FloatArray


class DensityPlotData(NamedTuple):
    """Fitted density at ``x`` and histogram of the values of one class; ``edges`` contains the bin edges."""

    x: FloatArray
    density: FloatArray
    edges: FloatArray
    histogram_density: FloatArray


class DiagnosisPlotData(NamedTuple):
    """Data that ``Diagnosis.plot`` draws."""

    predicted: RocCurve
    empirical: RocCurve
    rates: tuple[FloatArray, FloatArray, FloatArray]
    """FPRs, and the predicted and empirical TPRs at these FPRs."""
    quantiles: tuple[QuantilePlotData, QuantilePlotData]
    densities: tuple[DensityPlotData, DensityPlotData]


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Result):
    """Diagnosis of a predicted ROC curve, with its findings and a verdict.

    ``print(diagnosis)`` shows all findings, and ``diagnosis.plot()`` plots the ROC curves, quantiles and densities.

    Attributes
    ----------
    family : str
        Name of the family.
    direction : str
        Direction of the rule, "higher" or "lower".
    negative, positive : ClassDescription
        Size, moments, ties, boundary values, outliers and goodness of fit of each class.
    std_ratio : Interval
        Ratio of the standard deviations (positives divided by negatives), with a confidence interval.
    predicted_auc, empirical_auc, auc_error, auc_p_value : float
        Predicted AUC and empirical AUC. ``auc_error`` is the predicted minus the empirical AUC, and ``auc_p_value`` is
        the p-value of ``auc_error``. All p-values are computed by a parametric bootstrap; see ``diagnose``.
    area_between, area_between_expected, area_between_p_value : float
        ``area_between`` is the absolute difference between the predicted and the empirical TPR, averaged over all FPRs.
        ``area_between_expected`` is the mean ``area_between`` of samples simulated from the fitted distributions, and
        ``area_between_p_value`` is the p-value of the observed ``area_between``.
    max_tpr_gap, max_tpr_gap_fpr, max_tpr_gap_threshold : float
        ``max_tpr_gap`` is the predicted minus the empirical TPR at the FPR where the absolute difference is largest.
        ``max_tpr_gap_fpr`` is this FPR, and ``max_tpr_gap_threshold`` is the predicted threshold at this FPR. If
        there are n >= 3 negatives, only FPRs from 1/n to 1 - 1/n are considered.
    gap_low_fpr, gap_middle_fpr, gap_high_fpr : float
        Mean difference between the predicted and the empirical TPR (predicted minus empirical) for FPRs in [0, 1/3],
        [1/3, 2/3] and [2/3, 1].
    threshold : float
        Threshold at which the predicted Ameans (balanced accuracy) is highest.
    threshold_regret, threshold_p_value : float
        Highest empirical Ameans minus the empirical Ameans at ``threshold``, and the p-value of this difference.
    n_resamples, n_failed : int
        Number of simulated samples, and number of simulated samples for which the fit of the family failed.
    findings : tuple of DiagnosticFinding
        Findings, each with a severity ("ok", "note" or "warn"), a description and a suggestion.
    verdict : str
        Conclusion in one sentence.
    plot_data : DiagnosisPlotData
        Data that ``plot`` draws.
    omitted : pair of int
        Number of observations in each class, (negative, positive), that were omitted because of missing values.
    n_unlabelled : int
        Number of rows that were omitted because they have no label.
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
    omitted: tuple[int, int] = (0, 0)
    n_unlabelled: int = 0
    _text = (
        "family={family!r}, {negative.count} negatives, {positive.count} positives, "
        "area_between={area_between:.4g} ({_p_statement}), auc_error={auc_error:+.4g}, "
        "{_severity_text}{omitted_text}"
    )

    @property
    def _p_statement(self) -> str:
        return format_p_statement(self.area_between_p_value)

    def _columns(self) -> dict[str, Any]:
        names = ("name", "severity", "value", "message", "suggestion")
        return {name: [getattr(item, name) for item in self.findings] for name in names}

    def table(self) -> Table:
        """Return a table of the findings."""
        findings = self.findings
        rows = [[item._title, item.value, _SYMBOLS[item.severity], item.message, item.suggestion] for item in findings]
        lines = [thin_curve(curve.fpr, curve.tpr) for curve in (self.plot_data.predicted, self.plot_data.empirical)]
        plot = CurvePlot("Predicted ROC curve; dashed: empirical ROC curve", lines)
        columns = ["finding", "value", "severity", "description", "suggestion"]
        notes = [self.verdict, *self._smallest_p_notes, *omitted_notes(self)]
        return Table(f"Diagnosis of family={self.family!r}", columns, rows, {"value": ".3g"}, notes, plot=plot)

    @property
    def _smallest_p_notes(self) -> list[str]:
        """Sentence on the smallest possible p-value, if any printed p-value is equal to it."""
        n_fits = self.n_resamples - self.n_failed
        smallest = 1 / (n_fits + 1)
        printed = self.area_between_p_value, self.auc_p_value, self.threshold_p_value
        if not any(p <= smallest * 1.001 for p in (*printed, self.negative.p_value, self.positive.p_value)):
            return []
        return [f"With {n_fits} simulated samples, the smallest possible p-value is {format_p_value(smallest)}."]

    @property
    def severity(self) -> str:
        """Highest severity ("ok", "note" or "warn") of all findings except the finding on the sample size."""
        return max((item.severity for item in self.findings if item.name != "sample size"), key=SEVERITIES.index)

    def finding(self, name: str) -> DiagnosticFinding | None:
        """Return the finding with a given name.

        Parameters
        ----------
        name : str
            Name of a finding, such as "curve" or "positive skewness". The name that the diagnosis prints, such as
            "skewness of positives", is also accepted.

        Returns
        -------
        DiagnosticFinding or None
            The finding, or None if the diagnosis has no finding with this name.
        """
        return next((item for item in self.findings if str(name) in {item.name, item._title}), None)

    def plot(self, **options: object) -> Axes:
        """Plot the two ROC curves, and the quantiles and the density of each class.

        Parameters
        ----------
        **options
            Options of ``rocpredict.plots.plot_diagnosis``.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return plot_result("plot_diagnosis", (self,), options)

    def __str__(self) -> str:
        return str(self.table().to_text())

    @property
    def _severity_text(self) -> str:
        numbers = Counter(item.severity for item in self.findings)
        return f"{pluralize(numbers['warn'], 'warning')}, {pluralize(numbers['note'], 'note')}"


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
    """Diagnose how well a predicted ROC curve fits the data from which it is predicted.

    Parameters
    ----------
    x : array-like of shape (n,)
        Feature values.
    y : array-like of shape (n,)
        Class labels.
    positive : label, optional
        Label of the positive class. May be omitted if the labels are {0, 1}, {-1, 1} or booleans.
    negative : label, optional
        Label of the negative class. By default, all other labels are negative.
    family : str or ScipyFamily, default="gaussian"
        Family of the class distributions; see ``predict_roc``. "empirical" is not allowed.
    direction : {"higher", "lower", "auto"}, optional
        Direction of the classification rule; see ``predict_roc``. By default, "higher".
    nan_policy : {"raise", "omit"}, default="raise"
        How to handle observations with missing values: "raise" raises an error; "omit" omits these observations and
        stores their number.
    n_resamples : int, default=500
        Number of samples that are simulated from the fitted distributions, 20 or more. Fewer samples take
        proportionally less time; the smallest possible p-value is 1/(n_resamples + 1).
    rng : None, int or numpy.random.Generator, default=0
        Seed or generator for resampling.

    Returns
    -------
    Diagnosis

    Raises
    ------
    RocPredictError
        If ``predict_roc`` raises an error (for example for infinite values or a class with one observation), if
        ``family`` is "empirical", or if ``n_resamples`` is too small.

    See Also
    --------
    rocpredict.compare : Measures of the difference between a predicted and an empirical curve.

    Notes
    -----
    p-values are computed by a parametric bootstrap [1]_: samples of the same sizes are simulated from the fitted
    distributions, the family is refitted to each simulated sample, and the measure of misfit is computed again. If b of
    n simulated values of a measure are at least as large as the observed value, the p-value is (b + 1)/(n + 1). The
    refit is necessary because the parameters are estimated from the data. The textbook p-value of the
    Kolmogorov-Smirnov test is valid only for known parameters. Families that are passed by name, except "auto" and
    "histogram", are fitted to all simulated samples at once. With 200 observations per class, the diagnosis takes
    about a second for most of these families, 8 s for "beta" and 25 s for "skew_normal". For any other family, the two
    classes of each simulated sample are fitted one at a time, which takes longer. The time is proportional to the
    number of observations. For "gaussian" and 200,000 observations, the diagnosis takes about 15 s; with
    ``n_resamples=100``, it takes about 3 s.

    A large p-value does not prove that the family is correct: with 20 observations per class, no check is decisive.
    With thousands of observations, a small p-value can result from a misfit that hardly affects the curve; see
    ``area_between``, ``auc_error`` and ``threshold_regret``.

    References
    ----------
    .. [1] W. Stute, W. Gonzalez Manteiga, M. Presedo Quindimil (1993), Bootstrap based goodness-of-fit-tests, Metrika
       40, 243-256.

    Examples
    --------
    >>> from rocpredict import datasets
    >>> iris = datasets.load_iris()
    >>> diagnosis = diagnose(iris.column("petal_width"), iris.y, positive="virginica", negative="versicolor")
    >>> diagnosis
    Diagnosis(family='gaussian', 50 negatives, 50 positives, area_between=0.005289 (p = 0.91),
              auc_error=+0.0002959, 3 warnings, 1 note)
    >>> print(diagnosis.finding("negative ties").message)
    negative class: 26% of the values equal 1.3
    """
    resampling = BootstrapOptions(n_resamples, rng)
    if isinstance(family, str) and family == "empirical":
        raise RocPredictError("family='empirical' fits no model, so there is nothing to diagnose; pass another family")
    x, y = as_rereadable(x), as_rereadable(y)
    labels: dict[str, Any] = {"positive": positive, "negative": negative, "nan_policy": nan_policy}
    with suppress_misfit_warning():  # the findings report it in detail
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
        omitted=roc.omitted,
        n_unlabelled=roc.n_unlabelled,
    )
    diagnosis = replace(diagnosis, findings=tuple(_find(diagnosis)))
    return replace(diagnosis, verdict=_summarize(diagnosis))


# ---- findings
class _Limits(NamedTuple):
    """Limits of a measure, above which the severity is "note" or "warn"."""

    note: float
    warn: float

    def severity(self, value: float) -> str:
        """Return the severity of a measure; the severity of NaN is "ok"."""
        return "warn" if value > self.warn else "note" if value > self.note else "ok"

    def severity_by_p_value(self, p: float, value: float) -> str:
        """Return the severity of a measure; "ok" if sampling variation can explain its value."""
        if p <= _P_WARN and value > self.warn:
            return "warn"
        return "note" if p <= _P_NOTE and value > self.note else "ok"


_SKEWNESS, _KURTOSIS = _Limits(1.0, 2.0), _Limits(1.0, 3.0)
_Z = _Limits(2.6, 3.3)
"""Limits for the z-scores of skewness and kurtosis. A finding on skewness has two severities, one from the skewness and
one from its z-score, and the lower of the two is reported. Kurtosis is treated in the same way."""
_SHARE, _OUTLIERS = _Limits(0.05, 0.10), _Limits(0.001, 0.02)
_STD_RATIO = _Limits(1.5, 2.0)
_AREA, _AUC_ERROR, _REGRET = _Limits(0.0, 0.02), _Limits(0.01, 0.02), _Limits(0.02, 0.03)
_P_NOTE, _P_WARN = 0.05, 0.01
_MIN_GROUP_SIZE = 3  # fewer equal values are not reported as ties
_FEW_VALUES, _ENOUGH_ROWS = 15, 30
_SMALL_SAMPLE, _VERY_SMALL_SAMPLE = 50, 20
CURVE_FINDINGS = {"curve": _AREA, "AUC": _AUC_ERROR, "threshold": _REGRET}
_AMOUNTS = {
    "curve": "on average the predicted TPR differs from the empirical TPR by {:.3f}",
    "AUC": "the predicted AUC differs from the empirical AUC by {:.3f}",
    "threshold": "the Ameans at the predicted threshold is {:.3f} below the best Ameans",
}
_TITLES = {"ties": "ties among", "outliers": "outliers among", "boundary": "boundary values of"}
"""First words of the printed names of findings on a class, for checks whose printed name is not "<check> of"."""

_ShapeCheck = tuple[str, float, str, str, str]
"""Name, value, severity, message and suggestion of a check, before they are adapted to the family."""


def _find(d: Diagnosis) -> Iterator[DiagnosticFinding]:
    """Yield the findings that are derived from the measures of a diagnosis."""
    yield _check_sample_size(d.negative.count, d.positive.count)
    for name in ("negative", "positive"):
        yield from _check_class(d, name, getattr(d, name))
    yield _shape_finding(d, _check_std_ratio(d.std_ratio))
    yield from _check_curve(d)


def _finding(name: str, value: float, severity: str, message: str, suggestion: str) -> DiagnosticFinding:
    return DiagnosticFinding(name, value, severity, message, "" if severity == "ok" else suggestion)


def _shape_finding(d: Diagnosis, check: _ShapeCheck, word: str = "") -> DiagnosticFinding:
    """Return a finding on a class; for families other than "gaussian", its severity is at most "note"."""
    name, value, severity, message, remedy = check
    if word:
        name, message = f"{word} {name}", f"{word} class: {message}"
    remedy = _suggest_for_skewness(d) if remedy == SKEWED_SUGGESTION else remedy
    if d.family != "gaussian":
        severity = "note" if severity == "warn" else severity
        remedy = "no action is needed if the curve fits" if "family=" in remedy else remedy
    return _finding(name, value, severity, message, f"use {remedy}" if remedy.startswith("family=") else remedy)


def _suggest_for_skewness(d: Diagnosis) -> str:
    """Return a suggestion for skewed classes; a smooth family is not suggested if many values are equal."""
    for shape in (d.negative, d.positive):
        checks = {} if shape.constant else {name: severity for name, _, severity, *_ in _check_shape(shape)}
        if shape.constant or "warn" in (checks["ties"], checks["boundary"]):
            return OTHER_SUGGESTION
    return SKEWED_SUGGESTION


def _suggest_family(d: Diagnosis) -> str:
    if d.family == "auto":
        return "use rp.empirical_roc"
    return f"use {_suggest_for_skewness(d) if d.family == 'gaussian' else OTHER_SUGGESTION}"


def _format_signed(value: float, form: str = ".1f") -> str:
    """Format a number with U+2212 as the minus sign."""
    return format(value, form).replace("-", "−")


def _format_z(value: float) -> str:
    return "too few observations for a z-score" if np.isnan(value) else f"z = {_format_signed(value)}"


def _format_percent(fraction: float) -> str:
    """Format a fraction in percent, with one significant digit below 1%."""
    return f"{100 * fraction:.0f}%" if fraction == 0 or fraction >= 0.01 else f"{100 * fraction:.1g}%"


def _check_curve(d: Diagnosis) -> Iterator[DiagnosticFinding]:
    remedy = _suggest_family(d)
    message = (
        f"the mean absolute difference in TPR between the predicted and the empirical curve is {d.area_between:.3f}; "
        f"{d.area_between_expected:.3f} is expected from sampling variation ({d._p_statement})"
    )
    severity = _AREA.severity_by_p_value(d.area_between_p_value, d.area_between)
    yield _finding("curve", d.area_between, severity, message, remedy)
    low, middle, high, most = (
        _format_signed(gap, "+.3f") for gap in (d.gap_low_fpr, d.gap_middle_fpr, d.gap_high_fpr, d.max_tpr_gap)
    )
    message = (
        f"the largest difference in TPR (predicted − empirical) is {most} at FPR {d.max_tpr_gap_fpr:.3f}, threshold "
        f"{d.max_tpr_gap_threshold:.6g}; the mean difference is {low} at FPRs from 0 to 1/3, {middle} from 1/3 to 2/3 "
        f"and {high} from 2/3 to 1"
    )
    yield _finding("largest gap", d.max_tpr_gap, "ok", message, "")
    message = (
        f"the difference in AUC (predicted − empirical) is {_format_signed(d.auc_error, '.3f')} "
        f"({format_p_statement(d.auc_p_value)})"
    )
    severity = _AUC_ERROR.severity_by_p_value(d.auc_p_value, abs(d.auc_error))
    yield _finding("AUC", d.auc_error, severity, message, remedy)
    message = (
        f"the Ameans at the predicted threshold {d.threshold:.6g} is {d.threshold_regret:.3f} lower than at the best "
        f"threshold for the same data ({format_p_statement(d.threshold_p_value)})"
    )
    severity = _REGRET.severity_by_p_value(d.threshold_p_value, d.threshold_regret)
    yield _finding("threshold", d.threshold_regret, severity, message, remedy)


def _check_sample_size(*counts: int) -> DiagnosticFinding:
    fewest = min(counts)
    counts_text = f"{counts[0]} negatives and {counts[1]} positives"
    if fewest >= _SMALL_SAMPLE:
        return _finding("sample size", fewest, "ok", f"{counts_text}: enough to detect gross misfits", "")
    severity = "warn" if fewest < _VERY_SMALL_SAMPLE else "note"
    message = f"{counts_text}: too few for a decisive check; a misfit may remain undetected"
    return _finding("sample size", fewest, severity, message, "use family='auto', or collect more data")


def _check_class(d: Diagnosis, word: str, shape: ClassDescription) -> Iterator[DiagnosticFinding]:
    if shape.constant:
        message = f"{word} class: all {shape.count} values equal {shape.mode:.6g}; its shape cannot be assessed"
        yield _finding(f"{word} variability", 0.0, "warn", message, "check how the feature was measured")
        return
    for check in _check_shape(shape):
        yield _shape_finding(d, check, word)
    message = (
        f"{word} class: A² = {shape.anderson_darling:.3g} ({format_p_statement(shape.p_value)}), largest difference "
        f"between the cdfs {shape.ks:.3f}"
    )
    severity = "note" if shape.p_value <= _P_WARN else "ok"
    yield _finding(f"{word} fit", shape.p_value, severity, message, _suggest_family(d))


def _check_shape(shape: ClassDescription) -> Iterator[_ShapeCheck]:
    """Yield the results of the checks of moments, ties, boundary values and outliers of a class."""
    severities = _SKEWNESS.severity(abs(shape.skewness)), _Z.severity(abs(shape.skewness_z))
    message = f"skewness {_format_signed(shape.skewness)} ({_format_z(shape.skewness_z)})"
    yield "skewness", shape.skewness, _milder(*severities), message, SKEWED_SUGGESTION

    severity = _milder(_KURTOSIS.severity(shape.kurtosis), _Z.severity(shape.kurtosis_z))
    tails = "" if severity == "ok" else ", heavy tails"
    kurtosis = "undefined" if np.isnan(shape.kurtosis) else _format_signed(shape.kurtosis)
    message = f"excess kurtosis {kurtosis} ({_format_z(shape.kurtosis_z)}){tails}"
    yield "kurtosis", shape.kurtosis, severity, message, OTHER_SUGGESTION

    if shape.mode_count >= _MIN_GROUP_SIZE and shape.mode_fraction > _SHARE.note:
        severity = _SHARE.severity(shape.mode_fraction)
        message = f"{_format_percent(shape.mode_fraction)} of the values equal {shape.mode:.6g}"
    else:
        severity = "note" if shape.n_unique < _FEW_VALUES and shape.count >= _ENOUGH_ROWS else "ok"
        message = f"{shape.n_unique} distinct values in {shape.count} observations"
    yield "ties", shape.mode_fraction, severity, message, OTHER_SUGGESTION

    limits = [(shape.fraction_at_minimum, "minimum", shape.minimum)]
    limits += [(shape.fraction_at_maximum, "maximum", shape.maximum)]
    limits += [(shape.fraction_at_zero, "boundary", 0.0)] if shape.minimum >= 0 else []
    fraction, limit, value = max(limits, key=lambda item: item[0])
    severity = _SHARE.severity(fraction) if fraction * shape.count > _MIN_GROUP_SIZE - 0.5 else "ok"
    message = f"{_format_percent(fraction)} of the values equal the {limit} ({value:.6g})"
    yield "boundary", fraction, severity, message, OTHER_SUGGESTION

    several = "warn" if shape.outliers * shape.count > _MIN_GROUP_SIZE - 0.5 else "note"
    message = f"{_format_percent(shape.outliers)} of the values lie more than 3 IQRs beyond the quartiles"
    remedy = f"check these observations; if they are correct, use {OTHER_SUGGESTION}"
    yield "outliers", shape.outliers, _milder(_OUTLIERS.severity(shape.outliers), several), message, remedy


def _milder(*severities: str) -> str:
    return min(severities, key=SEVERITIES.index)


def _check_std_ratio(interval: Interval) -> _ShapeCheck:
    (low, high), ratio = interval, float(interval.estimate)
    size = max(ratio, 1 / ratio) if ratio else float("inf")
    severity = _STD_RATIO.severity(size) if low > 1 or high < 1 else "ok"
    two = "" if severity == "ok" else ": two thresholds may do better than one"
    message = (
        f"SD ratio (positive/negative) {ratio:.2f} ({format_level(interval.level)} CI {low:.2f} to {high:.2f}){two}"
    )
    return "SD ratio", ratio, severity, message, "see roc.proper() and its best_rule()"


NO_EVIDENCE = "There is no evidence against"
"""Beginning of the verdict on a prediction that agrees with its data."""


def _join(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _summarize(d: Diagnosis) -> str:
    """Return the verdict on the prediction in one sentence."""
    severity = {item.name: item.severity for item in d.findings}
    harmed = [name for name in CURVE_FINDINGS if severity[name] == "warn"]
    if harmed:
        return f"Do not rely on the {_join(harmed)} of family='{d.family}' here: {_suggest_family(d)}."
    classes = [item for item in d.findings if item.name not in {"sample size", "SD ratio"}]
    shape = [item._title for item in classes if item.severity == "warn"]
    is_small = min(d.negative.count, d.positive.count) < _SMALL_SAMPLE
    if shape:
        effect = "with so few observations an effect on the curve could remain undetected"
        consequence = effect if is_small else "there is no strong evidence of an effect on the curve"
        return f"The class distributions deviate from family='{d.family}' ({', '.join(shape)}); {consequence}."
    noted = [name for name in CURVE_FINDINGS if severity[name] == "note"]
    if noted:
        sizes = {item.name: abs(item.value) for item in d.findings if item.name in noted}
        verb = "deviates" if len(noted) == 1 else "deviate"
        is_slight = all(size <= CURVE_FINDINGS[name].warn for name, size in sizes.items())
        how = f"{verb} slightly from the data, but" if is_slight else f"probably {verb} from the data"
        amounts = "; ".join(_AMOUNTS[name].format(size) for name, size in sizes.items())
        return (
            f"The {_join(noted)} of family='{d.family}' {how} by more than sampling variation explains ({amounts}): "
            f"{_suggest_family(d)}."
        )
    two = "; two thresholds may do better than one: see roc.proper()" if severity["SD ratio"] == "warn" else ""
    if is_small:
        counts = f"{d.negative.count} negatives and {d.positive.count} positives are too few for a decisive check"
        return f"{NO_EVIDENCE} family='{d.family}', but {counts}{two}."
    return f"{NO_EVIDENCE} family='{d.family}'{two}."


# ---- plot data
_POINTS = 301
_BINS = (5, 40)
_MAX_IQR = 5
"""Largest distance between a plotted value and the nearer quartile, in interquartile ranges."""
_MARGIN = 0.04


def _make_plot_data(
    roc: PredictedRoc, empirical: EmpiricalRoc, samples: SortedSamples, bands: tuple[FloatArray, FloatArray]
) -> DiagnosisPlotData:
    mirrored = roc.direction == "lower"
    pair = zip(orient_classes(roc), samples, bands, strict=True)
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
    """Return the normal scores in ascending order of the feature; ``values`` are -x if ``mirrored``."""
    ranks = plot_ranks(len(values))
    expected = ndtri((ranks + 0.5) / len(values))
    fitted = normal_scores(distribution, values[ranks])
    if mirrored:
        return QuantilePlotData(-expected[::-1], -fitted[::-1], -band[1][::-1], -band[0][::-1])
    return QuantilePlotData(expected, fitted, band[0], band[1])


def _axis_limits(samples: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return the bin edges of the histograms, and the values at which densities are drawn.

    The bin width is chosen for the class with the smaller interquartile range. Values far beyond the quartiles of both
    classes fall into one wide bin on each side of the histogram. These two bins are mostly outside of the plot, so that
    a few outliers do not compress the other values.
    """
    first, last = min(x[0] for x in samples), max(x[-1] for x in samples)
    exponent = int(np.frexp(max(abs(first), abs(last)))[1])
    lowest, highest, *scaled = (np.ldexp(x, -exponent) for x in (first, last, *samples))  # differences cannot overflow
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
    """Return the number of bins by the rule of Freedman and Diaconis (1981) for the class with the smaller IQR."""
    counts = np.array([len(x) for x in samples])
    with np.errstate(divide="ignore", over="ignore"):
        needed = span * np.cbrt(counts) / (2 * spreads)
    by_count = 2 * counts.max() ** (1 / 3)
    return int(np.clip(np.ceil(max(by_count, needed.max(where=spreads > 0, initial=0))), *_BINS))
