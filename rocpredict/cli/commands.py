"""Options and functions of the commands paper, predict, compare, diagnose, sample-size, power, report and teach."""

import argparse
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from rocpredict.base.files import HTML_SUFFIXES, check_suffix, check_writable, is_stream, make_directory, write_atomic
from rocpredict.base.formatting import format_level, pluralize, to_json
from rocpredict.base.rates import Rates
from rocpredict.base.results import FLAG_DESCRIPTIONS, Flags, omitted_notes
from rocpredict.base.tables import Table
from rocpredict.base.validation import RocPredictError, check_probability
from rocpredict.cli import common
from rocpredict.cli.common import Data
from rocpredict.datasets import DATASET_NAMES
from rocpredict.diagnostics.comparison import Comparison, compare
from rocpredict.diagnostics.diagnose import diagnose
from rocpredict.distributions.estimators import MOMENT_ESTIMATORS
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.inference.auc_tests import TWO_SAMPLE_METHODS, auc_test
from rocpredict.inference.hypotheses import ALTERNATIVES, AucTest
from rocpredict.inference.multiple_aucs import AucTestMany, auc_test_many
from rocpredict.planning import CURVE_DEFAULT, DEFAULT, METHODS, POWER_ALTERNATIVES, power, sample_size
from rocpredict.roc.empirical import EmpiricalRoc, empirical_roc
from rocpredict.roc.predicted import PredictedRoc, predict_roc
from rocpredict.solvers.thresholds import AMEANS_ALIASES, CRITERIA, PREVALENCE_FREE_CRITERIA, BestThreshold
from rocpredict.sources.blocks import INDEX_NAMES
from rocpredict.sources.csv_reader import CsvTable
from rocpredict.teaching.assets import languages
from rocpredict.teaching.page import TeachingPage


def add_paper_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``paper``."""
    seed = "seed for the simulated experiments in Table I (default: 0)"
    command.add_argument("--seed", type=int, default=0, help=seed)
    command.add_argument("--out", type=Path, metavar="DIR", help="write tables and figures to this folder")


def run_paper(options: argparse.Namespace) -> None:
    """Reproduce the tables and figures of the paper that introduced the method (Kristianti T., 2013).

      rocpredict paper
      rocpredict paper --out paper     tables as CSV and JSON, figures as PNG and SVG

    Tables I to IV show the published and the recomputed values. --out also writes Figures 1 to 5.
    """
    from rocpredict.paper import TABLES, save_figures, table_1

    if options.seed < 0:
        raise RocPredictError(f"--seed {options.seed} is negative; pass a nonnegative integer")
    tables = {name: make(options.seed) if make is table_1 else make() for name, make in TABLES.items()}
    if options.out is not None:
        make_directory(options.out)
        for name, table in tables.items():
            write_atomic(options.out / f"{name}.csv", table.to_csv())
            write_atomic(options.out / f"{name}.json", to_json(table.to_dict()) + "\n")
        figures = save_figures(options.out, rng=options.seed)
    common.print_result(options, {name: table.to_dict() for name, table in tables.items()}, *tables.values())
    if options.out is not None and not options.json:
        print(f"\n{2 * len(tables)} table files and {len(figures)} figure files in {options.out}")


def add_predict_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``predict``."""
    add = command.add_argument
    common.add_pair_option(command, "--mean", "class means, in the unit of the feature")
    common.add_pair_option(command, "--std", "class standard deviations")
    common.add_pair_option(command, "--sem", "standard errors of the means, instead of --std; needs --count")
    common.add_pair_option(command, "--median", "class medians, instead of --mean; needs --iqr")
    widths = "two widths, or four quartiles (q1 and q3 of the negative class, then of the positive class)"
    add("--iqr", nargs="+", type=float, metavar="Q", help=f"interquartile ranges, instead of --std: {widths}")
    effect_size = "Cohen's d, instead of --std; without --mean, the means are 0 and D"
    add("--effect-size", type=float, metavar="D", help=effect_size)
    sizes = "class sizes; used to compute the prevalence and, for two Gaussians, the confidence intervals"
    common.add_pair_option(command, "--count", sizes)
    others = ", ".join(MOMENT_ESTIMATORS)
    families = f"distribution of each class: gaussian (default); with --mean and either --std or --sem, also {others}"
    choices = ["gaussian", *MOMENT_ESTIMATORS]
    add("--family", choices=choices, default=choices[0], metavar="NAME", help=families)
    common.add_level(command)
    command.set_defaults(level=None)
    common.add_direction(command)
    threshold = "show the rates at this threshold instead of the rates at the best threshold"
    add("--threshold", type=float, metavar="T", help=threshold)
    names = ", ".join(list(CRITERIA)[1:])
    criteria = f"criterion by which the best threshold is chosen: ameans (balanced accuracy, default), {names}"
    add("--criterion", default="ameans", metavar="NAME", help=criteria)
    add("--prevalence", type=float, metavar="P", help="fraction of positives in the population where the rule is used")
    add("--cost-fp", type=float, default=1.0, metavar="C", help="cost of a false positive (default: 1)")
    add("--cost-fn", type=float, default=1.0, metavar="C", help="cost of a false negative (default: 1)")
    add("--beta", type=float, metavar="B", help="weight of recall (TPR) relative to precision, for --criterion f_beta")
    add("--value", type=float, metavar="V", help="limit for --criterion min_tpr, min_tnr or max_fpr")
    common.add_plot(command, "the densities and the curve (.svg, .png or .pdf)")


def run_predict(options: argparse.Namespace) -> None:
    """Predict a ROC curve from means and standard deviations.

      rocpredict predict --mean 4 8 --std 3 2
      rocpredict predict --mean 5.1 6.4 --sem 0.08 0.13 --count 120 80
      rocpredict predict --mean 4 8 --std 3 5 --family gamma
      rocpredict predict --mean 4 8 --std 3 2 --prevalence 0.1 --criterion cost --cost-fn 5

    Both classes are assumed to be Gaussian unless --family names another distribution. If an option has two values, as
    in --mean 4 8, the first is for the negative class and the second for the positive class.
    """
    common.check_plot(options.plot)
    if options.level is not None and options.count is None:
        raise RocPredictError(
            "--level needs --count, because confidence intervals depend on the class sizes; pass both"
        )
    level = check_probability("level", 0.95 if options.level is None else options.level, ends=False)
    iqr = options.iqr
    quartiles = (iqr[:2], iqr[2:]) if iqr is not None and len(iqr) == 4 else iqr
    stats = common.pick(options, "mean", "std", "sem", "median", "effect_size", "count", "family", "direction")
    roc = PredictedRoc.from_stats(**stats, iqr=quartiles)
    prevalence = None if options.criterion in PREVALENCE_FREE_CRITERIA else options.prevalence
    costs = common.pick(options, "criterion", "cost_fp", "cost_fn", "beta", "value")
    best = roc.best_threshold(**costs, prevalence=prevalence)
    threshold = best.threshold if options.threshold is None else options.threshold
    rates = roc.rates(threshold, prevalence=options.prevalence)
    if options.plot is not None:
        common.save_plot(options.plot, {"x": roc})
    areas = {"auc": roc.auc(), "auc_complement": roc.auc_complement(), "proper_auc": roc.proper().auc()}
    values: dict[str, Any] = {"direction": roc.direction or "higher", **areas}
    tables = [_summary(roc, best), _rates_table(threshold, rates)]
    if roc.count is not None and isinstance(roc.negative, Gaussian):
        intervals = {"auc": roc.auc_interval(level)}
        intervals |= {"threshold": best.threshold_interval(level), "ameans": best.ameans_interval(level)}
        values["intervals"] = {name: interval.to_dict() for name, interval in intervals.items()}
        labels = ("AUC", "best threshold", "Ameans at this threshold")
        rows = [[label, *each, each.method] for label, each in zip(labels, intervals.values(), strict=True)]
        title = f"{format_level(level)} confidence intervals"
        tables.insert(1, Table(title, ["quantity", "low", "high", "method"], rows))
    at_threshold = {"threshold": threshold, "rates": rates.to_dict(), "undefined": rates.undefined}
    common.print_result(options, values | {"best_threshold": best.to_dict(), "at": at_threshold}, *tables)


_MAXIMIZED_RATES = {"min_tpr": "TNR", "min_tnr": "TPR", "max_fpr": "TPR"}


def _summary(roc: PredictedRoc, best: BestThreshold) -> Table:
    weighted = "" if best.criterion in PREVALENCE_FREE_CRITERIA else "weighted "
    auc, complement = roc.auc(), roc.auc_complement()
    rows: list[list[Any]] = [
        ["negative class", repr(roc.negative)],
        ["positive class", repr(roc.positive)],
        ["predicted positive if", "x <= threshold" if roc.direction == "lower" else "x >= threshold"],
        ["AUC", f"1 - {complement:.3g}" if f"{auc:.6g}" == "1" and complement > 0 else f"{auc:.6g}"],
        [f"best threshold ({best.criterion})", f"{best.threshold:.6g}"],
        ["Ameans at this threshold", f"{best.ameans:.6g}"],
        [f"{weighted}densities cross at", ", ".join(f"{x:.6g}" for x in best.crossings) or "no value"],
    ]
    if best.criterion not in AMEANS_ALIASES:
        name = _MAXIMIZED_RATES.get(best.criterion, best.criterion)
        rows.insert(5, [f"{name} at this threshold", f"{best.criterion_value:.6g}"])
    hook = roc.hook()
    low, high = f"{hook.fpr_low:.4g}", f"{hook.fpr_high:.4g}"
    if low != high:
        rows.append(["curve below the chance line", f"FPR {low} to {high}, area {hook.area:.3g}"])
    rows += [["flag", flag] for flag in best.flags]
    notes = []
    if auc < 0.5:
        other_side = "higher" if roc.direction == "lower" else "lower"
        notes.append(
            f"The AUC is below 1/2; use --direction {other_side} if {other_side} values indicate the positive class."
        )
    if roc.count is not None and not isinstance(roc.negative, Gaussian):
        notes.append("Confidence intervals from means and SDs are available for two Gaussians only.")
    return Table("Predicted ROC", ["quantity", "value"], rows, notes=notes)


def _rates_table(threshold: float, rates: Rates) -> Table:
    notes = [f"Undefined (0/0): {', '.join(rates.undefined)}"] if rates.undefined else []
    if rates.prevalence is None:
        notes.append("Precision, accuracy and other measures that depend on prevalence need --prevalence or --count.")
    return replace(rates.table(), title=f"Rates at threshold {threshold:.6g}", notes=notes)


def add_diagnose_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``diagnose``."""
    common.add_data(command)
    common.add_direction(command)
    common.add_resampling(command)
    common.add_plot(command, "curves, normal scores and densities (.svg, .png or .pdf)")


def run_diagnose(options: argparse.Namespace) -> None:
    """Diagnose how well the predicted ROC curve of one feature fits its data.

      rocpredict diagnose pima --feature glucose
      rocpredict diagnose data.csv --label outcome --positive sick --feature glucose --plot glucose.svg
      rocpredict diagnose pima --feature age --family boxcox

    DATA is a CSV file with a header line, or the name of a built-in data set (iris, pima, breast_cancer).
    """
    common.check_plot(options.plot)
    data = common.load(options)
    name, values = data.only_feature("diagnose needs one feature")
    arguments = common.pick(options, "family", "direction") | {"nan_policy": options.nan, **data.classes}
    arguments |= {"n_resamples": options.resamples, "rng": options.seed}
    diagnosis = common.with_feature_name(name, diagnose, values, data.labels, **arguments)
    if options.plot is not None:
        from rocpredict.plots.style import save_figure

        save_figure(diagnosis.plot(feature=name), options.plot)
    title = f"Diagnosis of {name}, --family {diagnosis.family}"
    table = common.reword(diagnosis.table(), title, common.translate_to_options, data.notes)
    common.print_result(options, {"feature": name} | diagnosis.to_dict(), table)


def _add_curve_options(command: argparse.ArgumentParser, default: str) -> None:
    """Add the options for the expected curve and the null hypothesis."""
    add = command.add_argument
    common.add_pair_option(command, "--mean", "expected class means, in the unit of the feature")
    common.add_pair_option(command, "--std", "expected class standard deviations")
    auc = "expected AUC, instead of --mean and --std; assumes two Gaussians with equal SDs"
    add("--auc", type=float, metavar="A", help=auc)
    add("--against", type=float, metavar="A", help="AUC under the null hypothesis")
    second = "class means of a second feature, whose AUC is compared with the AUC of the first feature"
    common.add_pair_option(command, "--against-mean", second)
    common.add_pair_option(command, "--against-std", "class standard deviations of the second feature")
    correlation = (
        "correlation of the two features within a class, if they are measured on the same subjects: one number for "
        "both classes, or one number for each class. Without this option, different subjects are assumed"
    )
    add("--correlation", nargs="+", type=float, metavar="R", help=correlation)
    alternatives = "alternative hypothesis (default: two-sided)"
    add("--alternative", choices=POWER_ALTERNATIVES, default="two-sided", help=alternatives)
    common.add_level(command, "confidence level; tests use a significance level of 1 - L")
    add("--method", choices=METHODS, help=f"method of the interval or test (default: {default})")


def _curve_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments that the commands sample-size and power share."""
    if (options.mean is None) == (options.auc is None):
        came = "neither --mean nor --auc is passed" if options.auc is None else "both --mean and --auc are passed"
        raise RocPredictError(f"{came}; pass --mean with --std, or --auc")
    against, correlation = _parse_null(options), options.correlation
    if correlation is not None and len(correlation) == 1:
        correlation = correlation[0]
    arguments = common.pick(options, "mean", "std", "auc", "alternative", "level", "method")
    return {**arguments, "against": against, "correlation": correlation}


def add_sample_size_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``sample-size``."""
    add = command.add_argument
    _add_curve_options(command, f"{DEFAULT} for an AUC, {CURVE_DEFAULT} for a TPR or partial AUC")
    rate = "plan a study that estimates the TPR at this FPR instead of the AUC"
    add("--tpr-at-fpr", type=float, metavar="F", help=rate)
    for axis in ("fpr", "tpr"):
        text = f"plan a study that estimates the partial AUC over this {axis.upper()} range instead of the AUC"
        add(f"--{axis}", nargs=2, type=float, metavar=("LOW", "HIGH"), help=text)
    add("--ratio", type=float, default=1.0, metavar="R", help="number of negatives per positive (default: 1)")
    add("--width", type=float, metavar="W", help="full width of the confidence interval")
    goal = "power of the test, instead of --width; needs --against or --against-mean"
    add("--power", type=float, metavar="P", help=goal)


def run_sample_size(options: argparse.Namespace) -> None:
    """Compute the sample size of a ROC study from the expected class distributions.

      rocpredict sample-size --mean 4 8 --std 3 2 --width 0.05       full width of the confidence interval of the AUC
      rocpredict sample-size --auc 0.7 --power 0.9 --against 0.5     test of the AUC against a value
      rocpredict sample-size --mean 4 8 --std 3 2 --power 0.8 --against-mean 4 7 --against-std 3 2 --correlation 0.5
      rocpredict sample-size --mean 4 8 --std 3 2 --width 0.1 --tpr-at-fpr 0.1
      rocpredict sample-size --mean 4 8 --std 3 2 --width 0.02 --fpr 0 0.1

    The table shows the sample size for --method and, if available, for other methods. Each sample size is
    compared with the sample size for the default method (the reference).
    """
    goal = common.pick(options, "width", "power", "fpr", "tpr", "tpr_at_fpr", "ratio")
    planned = sample_size(**_curve_arguments(options), **goal)
    common.print_result(options, planned.to_dict(), planned.table())


def add_power_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``power``."""
    command.add_argument("--count", nargs=2, type=int, required=True, metavar=("NEG", "POS"), help="class sizes")
    _add_curve_options(command, DEFAULT)


def run_power(options: argparse.Namespace) -> None:
    """Compute the power of a test of one AUC or of a comparison of two AUCs, for given class sizes.

    rocpredict power --mean 4 8 --std 3 2 --count 50 50 --against 0.8     test of the AUC against a value
    rocpredict power --auc 0.7 --count 40 80 --against 0.5 --alternative greater
    rocpredict power --mean 4 8 --std 3 2 --count 60 60 --against-mean 4 7 --against-std 3 2 --correlation 0.5
    """
    result = power(**_curve_arguments(options), count=options.count)
    common.print_result(options, result.to_dict(), result.table())


def _parse_null(options: argparse.Namespace) -> Any:
    """Return the AUC under the null hypothesis, or the curve of the second feature if the options describe one."""
    mean, std = options.against_mean, options.against_std
    if options.against is not None and (mean is not None or std is not None):
        raise RocPredictError(
            "--against is a value, but --against-mean and --against-std describe a second curve; pass either the value "
            "or the curve"
        )
    if (mean is None) != (std is None):
        missing = "mean" if mean is None else "std"
        raise RocPredictError(f"--against-{missing} is missing; pass --against-mean and --against-std together")
    if mean is None:
        if options.correlation is not None:
            raise RocPredictError("--correlation needs a second feature; pass --against-mean and --against-std")
        return options.against
    try:
        return PredictedRoc.from_stats(mean=mean, std=std)
    except RocPredictError as error:
        raise RocPredictError(re.sub(r"\b(mean|std)=", r"against_\1=", str(error))) from None


def add_report_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``report``."""
    add = command.add_argument
    common.add_data(command)
    add("--out", type=Path, required=True, metavar="FILE", help="file to write (.html)")
    common.add_direction(command)
    common.add_level(command)
    add("--prevalence", type=float, metavar="P", help="fraction of positives in the population where the rule is used")
    add("--unit", metavar="UNIT", help="unit of the feature")
    add("--title", metavar="TEXT", help="heading of the page")
    add("--date", metavar="DAY", help="date of the report, such as 2026-11-21 (default: today)")
    common.add_resampling(command)


def run_report(options: argparse.Namespace) -> None:
    """Write a report on one feature as a single HTML file.

    The report contains curves, confidence intervals, a test, the best threshold, rates, a diagnosis and a methods
    paragraph.

      rocpredict report pima --feature glucose --out glucose.html
      rocpredict report data.csv --label outcome --positive sick --feature glucose --out glucose.html
      rocpredict report pima --feature age --family auto --prevalence 0.1 --out age.html

    DATA is a CSV file with a header line, or the name of a built-in data set (iris, pima, breast_cancer).
    """
    check_writable(options.out)
    check_suffix("--out ", options.out, *HTML_SUFFIXES)
    data = common.load(options)
    name, values = data.only_feature("report needs one feature")
    from rocpredict.reports.feature import feature_report

    arguments = common.pick(options, "family", "direction", "level", "prevalence", "unit", "title", "date")
    arguments |= {"nan_policy": options.nan, "n_resamples": options.resamples, "rng": options.seed, **data.classes}
    arguments["feature"] = name
    notes = notes_for_report(data.notes)
    common.with_feature_name(name, feature_report, values, data.labels, options.out, notes=notes, **arguments)
    if is_stream(options.out):
        return
    if options.json:
        print(to_json({"feature": name, "report": str(options.out)}))
    else:
        print("\n".join([f"{options.out}: a report on {name}", *data.notes]))


def notes_for_report(notes: Iterable[str]) -> tuple[str, ...]:
    """Return the data notes of a report, without hints about command-line options."""
    return tuple(note.replace(common.NAN_RAISE_HINT, "").replace(common.NAN_KEEP_HINT, "") for note in notes)


def add_teach_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``teach``."""
    add = command.add_argument
    add("data", nargs="?", metavar="DATA", help=f"CSV file, or one of {', '.join(DATASET_NAMES)}")
    common.add_classes(command, hint="")
    common.add_feature(command, "all numeric columns")
    common.add_pair_option(command, "--mean", "initial class means, for example from a published table; needs --std")
    common.add_pair_option(command, "--std", "initial class standard deviations")
    add("--unit", metavar="UNIT", help="unit of the features (not for built-in data)")
    add("--prevalence", type=float, metavar="P", help="initial fraction of positives")
    add("--title", metavar="TEXT", help="heading of the page")
    add("--save", type=Path, metavar="FILE", help="write the page to a file and exit")
    site = "write the page to a folder that can be copied to a web server, and exit"
    add("--site", type=Path, metavar="DIR", help=site)
    add("--url", metavar="URL", help="address at which the page will be published")
    add("--worksheet", type=Path, metavar="FILE", help="write a printable worksheet with answers")
    add("--port", type=int, default=0, metavar="N", help="port of the server (default: any free port)")
    add("--no-browser", action="store_true", help="do not open the browser")
    add("--lang", choices=languages(), default="en", help="language of the page (default: en)")
    add("--no-lesson", action="store_true", help="omit the guided lesson")
    add("--lecture", action="store_true", help="start in lecture mode: large text for a projector")


def run_teach(options: argparse.Namespace) -> None:
    """Show two densities, a threshold and the ROC curve in the browser, with a guided lesson.

      rocpredict teach
      rocpredict teach iris --positive virginica --negative versicolor --feature petal_length
      rocpredict teach data.csv --label outcome --positive sick
      rocpredict teach --mean 5.1 6.4 --std 0.9 1.2 --negative healthy --positive ill --feature glucose --unit mmol/L
      rocpredict teach --save teach.html
      rocpredict teach --worksheet worksheet.html
      rocpredict teach --site public --url https://example.org/roc/

    If you move the threshold, its point on the curve and its rates change. If you change a density, the curve and all
    numbers change, too. By default, the command keeps running to compute the numbers shown on the page; press Ctrl-C to
    stop it. A page written by --save or --site needs only a browser. DATA is a CSV file with a header line, or the
    name of a built-in data set (iris, pima, breast_cancer). With --mean and --std, the options --negative, --positive
    and --feature set the names of the classes and of the feature.
    """

    def say(name: str, text: str) -> None:
        print(to_json({name: text}) if options.json else text, flush=True)

    for name in ("save", "worksheet"):
        if getattr(options, name) is not None:
            check_suffix(f"--{name} ", check_writable(getattr(options, name)), *HTML_SUFFIXES)
    is_worksheet_only = options.worksheet is not None and options.save is None and options.site is None
    page = None if is_worksheet_only else _page(options)
    site = None
    if page is not None and options.site is not None:  # first: if it fails, no other file is written
        site = page.save_site(options.site)
    if options.worksheet is not None:
        from rocpredict.teaching.worksheet import worksheet_html

        say("worksheet", str(write_atomic(options.worksheet, worksheet_html(options.lang))))
    if page is None:
        return
    if options.save is not None:
        say("saved", str(page.save(options.save)))
    if site is not None:
        say("site", str(site))
    if options.save is not None or site is not None:
        return
    with suppress(KeyboardInterrupt), page.serve(options.port) as server:
        say("url", server.url if options.json else f"{server.url}  (press Ctrl-C to stop)")
        if not options.no_browser:
            server.open_browser()
        server.wait()


def _page(options: argparse.Namespace) -> TeachingPage:
    common.check_unique("feature", options.feature)
    shared: dict[str, Any] = {"lang": options.lang, "lesson": not options.no_lesson, "lecture": options.lecture}
    shared |= common.pick(options, "prevalence", "title", "url")
    if options.data is None:
        named = common.pick(options, "positive", "negative", "feature", "unit")
        is_named = options.mean is not None
        for name, value in ({"label": options.label} | ({} if is_named else named)).items():
            if value is not None:
                raise RocPredictError(
                    f"--{name} needs data; pass DATA{'' if name == 'label' else ', or --mean and --std'}"
                )
        if options.feature is not None:
            named["feature"] = _only_name(options.feature)
        return TeachingPage(mean=options.mean, std=options.std, **named, **shared)
    if options.mean is not None or options.std is not None:
        raise RocPredictError(
            "--mean and --std describe two Gaussians and cannot be combined with DATA; pass DATA, or --mean and --std"
        )
    if options.data in DATASET_NAMES:
        common.check_no_label(options.data, options)
        feature = options.feature and _only_name(options.feature)
        classes = common.pick(options, "positive", "negative", "unit")
        return TeachingPage(options.data, feature=feature, **classes, **shared)
    table = common.read_table(options, "label")
    labels = table.labels(options.label)
    classes = common.parse_classes(options, labels)
    return TeachingPage(_columns(table, options), labels, unit=options.unit, **classes, **shared)


def _only_name(names: list[str]) -> str:
    if len(names) > 1:
        raise RocPredictError(
            f"--feature is passed {len(names)} times; pass it once (to use several features, pass a CSV file)"
        )
    return names[0]


def _columns(table: CsvTable, options: argparse.Namespace) -> dict[str, Any]:
    """Return the selected columns, by default all numeric columns."""
    if options.feature:
        return {name: table.numbers(name) for name in options.feature}
    columns: dict[str, Any] = {}
    trouble = RocPredictError(f"{table.name} has no column other than the labels; pass a table with a numeric column")
    for name in table.header:
        try:
            columns |= {} if name in (options.label, *INDEX_NAMES) else {name: table.numbers(name)}
        except RocPredictError as error:  # a text column is not a feature
            trouble = error
    if not columns:
        raise trouble
    return columns


_TWO_SAMPLE_OPTIONS = ("method", "alternative", "margin", "seed", "resamples")
_AUC_METHODS = tuple(name for name in TWO_SAMPLE_METHODS if name != "dirichlet")  # for whole areas


def _check_tests(options: argparse.Namespace) -> None:
    """Check that the options of a test apply to the number of selected features and to the method."""
    n_features = len(options.feature or ())
    test_options = [name for name, value in common.pick(options, *_TWO_SAMPLE_OPTIONS).items() if value is not None]
    if test_options and n_features != 2:
        remedy = (
            "; omit it (three or more features are tested by the method of Krishnamoorthy and Yu)"
            if n_features > 2
            else "; select two with --feature"
        )
        raise RocPredictError(
            f"--{test_options[0]} applies to a test of two features, but {n_features or 'none'} "
            f"{'is' if n_features == 1 else 'are'} selected{remedy}"
        )
    random_options = [name for name in test_options if name in {"seed", "resamples"}]
    if random_options and options.method in {None, "smoothed-logit", "delong"}:
        others = ", ".join(_AUC_METHODS[2:])
        raise RocPredictError(f"--{random_options[0]} needs a --method that uses random numbers; pass one of {others}")


def _run_tests(
    data: Data, options: argparse.Namespace, directions: Sequence[str]
) -> tuple[dict[str, Any], list[Table]]:
    """Test two or more selected features against each other, and return the results as values and as tables.

    ``directions`` contains "higher" or "lower" for each feature, even with ``--direction auto``.
    """
    names = options.feature or []
    if len(names) < 2:
        return {}, []
    columns = list(data.features.values())
    if options.direction == ["auto"] and len(set(directions)) > 1:
        resolved = ", ".join(f"{name} {direction}" for name, direction in zip(names, directions, strict=True))
        words = " ".join(f"--direction {direction}" for direction in directions)
        raise RocPredictError(
            f"--direction auto selects opposite directions for the features ({resolved}); to test the features "
            f"in these directions, pass {words}"
        )
    arguments = data.classes | {"direction": tuple(directions), "nan_policy": options.nan, "level": options.level}
    test: AucTest | AucTestMany
    if len(names) > 2:
        test = auc_test_many(columns, data.labels, **arguments)
    else:
        optional = common.pick(options, "method", "margin", "alternative")
        optional |= {"n_resamples": options.resamples, "rng": options.seed}
        arguments |= {name: value for name, value in optional.items() if value is not None}
        test = auc_test(columns[0], columns[1], data.labels, **arguments)
    test = replace(test, flags=test.flags | Flags(auto_direction=options.direction == ["auto"]))
    values = {"features": list(names)} | _rename_features(test.to_dict(), names)
    if isinstance(test, AucTestMany):
        contrasts = zip(values["contrasts"], test.adjusted_p_values, strict=True)
        values["contrasts"] = [_rename_features(contrast, names) | {"adjusted_p_value": p} for contrast, p in contrasts]
    notes = omitted_notes(test)
    if "opposite_directions" in test.flags:
        opposite = {"higher": "lower", "lower": "higher"}
        best = (now if auc >= 0.5 else opposite[now] for auc, now in zip(test.estimates, directions, strict=True))
        remedy = f"pass the direction of each feature, such as {' '.join(f'--direction {side}' for side in best)}"
        notes.append(f"If the features have opposite directions, {remedy}.")
    title = f"{', '.join(names)} on the same observations"
    table = common.reword(test.table(), title, lambda words: _substitute_names(words, names), notes)
    return {"auc_test": values}, [table]


def _rename_features(values: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return values | {key: _substitute_names(values[key], names) for key in ("null", "alternative") if key in values}


def _substitute_names(words: str, names: Sequence[str]) -> str:
    """Replace x1, x2, ... by the feature names, and estimate 1, estimate 2, ... by "AUC of" and the feature name."""
    words = re.sub(r"\bestimate (\d+)\b", r"AUC of x\1", words)
    return re.sub(r"\bx(\d+)\b", lambda match: names[int(match[1]) - 1], words)


_OOB_NOTE = (
    "empirical_ameans, the Ameans (balanced accuracy) on the data from which the threshold was chosen, is optimistic; "
    "empirical_ameans_corrected is corrected for this optimism."
)


def add_compare_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``compare``."""
    add = command.add_argument
    common.add_data(command, "all features of a built-in data set")
    common.add_direction(command, "append", ". Pass the option once for all features, or once for each --feature")
    methods = (
        "method of the test that compares two features (default: smoothed-logit); venkatraman compares whole curves"
    )
    add("--method", choices=_AUC_METHODS, help=methods)
    alternatives = (
        "alternative hypothesis about the AUC of the first feature minus the AUC of the second feature (default: "
        "two-sided)"
    )
    add("--alternative", choices=ALTERNATIVES, help=alternatives)
    margin = "largest difference in AUC that still counts as equivalent or noninferior"
    add("--margin", type=float, metavar="D", help=margin)
    common.add_level(command, "confidence level of all intervals")
    add("--seed", type=int, metavar="N", help="seed for tests that use random numbers (default: 0)")
    resamples = "number of resamples or permutations for tests that use random numbers (default: 2000)"
    add("--resamples", type=int, metavar="N", help=resamples)
    common.add_plot(command, "the curves of each feature (.svg, .png or .pdf)")


def run_compare(options: argparse.Namespace) -> None:
    """Compare the predicted and empirical curves of each feature, and test differences between features.

    If --feature selects two or more features, a test compares these features on the same observations. For two
    features, --method and --alternative select the test.

      rocpredict compare iris --positive virginica --negative versicolor
      rocpredict compare data.csv --label outcome --positive sick --feature glucose --plot roc.svg
      rocpredict compare pima --feature age --family auto
      rocpredict compare pima --feature glucose --feature mass
      rocpredict compare pima --feature mass --feature age --alternative noninferior --margin 0.05

    DATA is a CSV file with a header line, or the name of a built-in data set (iris, pima, breast_cancer).
    """
    _check_tests(options)
    data = common.load(options)
    common.check_plot(options.plot, len(data.features))
    empirical = _empirical(data, options)
    tests, test_tables = _run_tests(data, options, [roc.direction or "higher" for roc in empirical.values()])
    predicted = {name: _predicted(name, data, roc, options) for name, roc in empirical.items()}
    compared = {name: compare(predicted[name], roc, level=options.level) for name, roc in empirical.items()}
    if options.plot is not None:
        common.save_plot(options.plot, predicted, empirical)
    fits = {} if options.family == "gaussian" else {name: roc.model_fit() for name, roc in predicted.items()}
    features = {
        name: comparison.to_dict() | ({"model_fit": fits[name].to_dict()} if fits else {})
        for name, comparison in compared.items()
    }
    notes = _notes(data, empirical) + [f"{name}: {fit.summary}" for name, fit in fits.items()]
    table = _table(compared, data, options, notes)
    common.print_result(options, {"features": features} | tests, table, *test_tables)


def _empirical(data: Data, options: argparse.Namespace) -> dict[str, EmpiricalRoc]:
    """Return the empirical curve of each feature; "auto" is replaced by the direction that was chosen."""
    directions = _directions(options.direction or [None], len(data.features))
    return {
        name: common.with_feature_name(
            name, empirical_roc, values, data.labels, direction=direction, nan_policy=options.nan, **data.classes
        )
        for (name, values), direction in zip(data.features.items(), directions, strict=True)
    }


def _directions(directions: list[str | None], count: int) -> list[str | None]:
    if len(directions) == 1:
        return directions * count
    if len(directions) != count:
        raise RocPredictError(
            f"--direction is passed {len(directions)} times for {pluralize(count, 'feature')}; pass it once, or once "
            "for each feature"
        )
    if "auto" in directions:
        raise RocPredictError("--direction auto applies to all features; pass it once")
    return directions


def _predicted(name: str, data: Data, empirical: EmpiricalRoc, options: argparse.Namespace) -> PredictedRoc:
    """Predict the curve of a feature; with ``--direction auto``, it gets the direction of the empirical curve."""
    direction = "auto" if options.direction == ["auto"] else empirical.direction
    arguments = data.classes | {"direction": direction, "nan_policy": options.nan, "family": options.family}
    result: PredictedRoc = common.with_feature_name(name, predict_roc, data.features[name], data.labels, **arguments)
    return result if result.direction == empirical.direction else replace(result, direction=empirical.direction)


def _table(compared: dict[str, Comparison], data: Data, options: argparse.Namespace, notes: list[str]) -> Table:
    """Return a table of the comparisons, with one column for each feature."""
    quantities = [name for name in next(iter(compared.values())).to_dict() if name != "level"]
    rows = [[quantity, *(getattr(comparison, quantity) for comparison in compared.values())] for quantity in quantities]
    negative = "all other labels" if options.negative is None else options.negative
    positive = "the larger label" if data.classes["positive"] is None else data.classes["positive"]
    family = "Gaussian" if options.family == "gaussian" else options.family
    title = f"Predicted ({family}) and empirical curves; positive: {positive}, negative: {negative}"
    interval_note = (
        f"empirical_auc_low and empirical_auc_high are the bounds of the {format_level(options.level)} confidence "
        "interval of empirical_auc."
    )
    return Table(title, ["quantity", *compared], rows, notes=[interval_note, _OOB_NOTE, *notes])


def _notes(data: Data, empirical: dict[str, EmpiricalRoc]) -> list[str]:
    notes = list(data.notes)
    for name, roc in empirical.items():
        notes += [f"{name}: {note}" for note in omitted_notes(roc)]
        notes += [f"{name}: {FLAG_DESCRIPTIONS[flag]}." for flag in roc.best_threshold().flags]
    return notes
