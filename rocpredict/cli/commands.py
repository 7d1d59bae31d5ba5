"""Commands paper, predict, diagnose, sample-size, report and teach."""

import argparse
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from rocpredict.base.files import check_writable, is_stream, make_directory, write_atomic
from rocpredict.base.rates import Rates
from rocpredict.base.results import Interval, Table, to_json
from rocpredict.base.validation import RocPredictError
from rocpredict.cli.data import (
    add_data,
    add_family,
    add_pair_option,
    check_unique,
    load,
    parse_label,
    print_tables,
    save_plot,
    translate_to_options,
    with_feature_name,
)
from rocpredict.datasets import DATASET_NAMES
from rocpredict.diagnostics.diagnose import Diagnosis, diagnose
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.distributions.likelihoods import MOMENT_ESTIMATORS
from rocpredict.planning import METHODS, POWER_ALTERNATIVES, sample_size
from rocpredict.roc.predicted import PredictedRoc
from rocpredict.solvers.thresholds import AMEANS_ALIASES, PREVALENCE_FREE_CRITERIA, BestThreshold
from rocpredict.sources.csv_reader import CsvTable, read_csv
from rocpredict.teaching.assets import languages
from rocpredict.teaching.page import TeachingPage

PAPER_DESCRIPTION = """\
Print Tables I to IV of the founding paper, ours beside the printed ones, and draw its Figures 1 to 5.

  rocpredict paper
  rocpredict paper --out paper     tables as CSV and JSON, figures as PNG and SVG
"""


def add_paper_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    command.add_argument("--seed", type=int, default=0, help="of the redrawn experiments of Table I (default 0)")
    command.add_argument("--out", type=Path, metavar="DIR", help="write tables and figures into this folder")


def run_paper(options: argparse.Namespace) -> None:
    """Make the tables, and the figures where a folder is named."""
    from rocpredict.paper import TABLES, table_1

    if options.seed < 0:
        raise RocPredictError(f"--seed {options.seed} is negative; give 0 or more")
    tables = {name: make(options.seed) if make is table_1 else make() for name, make in TABLES.items()}
    if options.out is not None:
        from rocpredict.paper import save_figures

        make_directory(options.out)
        for name, table in tables.items():
            write_atomic(options.out / f"{name}.csv", table.to_csv())
            write_atomic(options.out / f"{name}.json", to_json(table.to_dict()) + "\n")
        figures = save_figures(options.out, seed=options.seed)
    if options.json:
        print(to_json({name: table.to_dict() for name, table in tables.items()}))
        return
    print_tables(*tables.values())
    if options.out is not None:
        print(f"\n{2 * len(tables)} table files and {len(figures)} figure files in {options.out}")


PREDICT_DESCRIPTION = """\
Predict from published means and standard deviations, taking each class as Gaussian, or of another --family.

  rocpredict predict --mean 4 8 --std 3 2
  rocpredict predict --mean 5.1 6.4 --sem 0.08 0.13 --count 120 80
  rocpredict predict --mean 4 8 --std 3 5 --family gamma
  rocpredict predict --mean 4 8 --std 3 2 --prevalence 0.1 --criterion cost --cost-fn 5
"""


def add_predict_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_pair_option(command, "--mean", "means, in the unit of the feature")
    add_pair_option(command, "--std", "standard deviations")
    add_pair_option(command, "--sem", "standard errors of the means, in place of --std; needs --count")
    add_pair_option(command, "--median", "medians, in place of --mean; needs --iqr")
    command.add_argument(
        "--iqr",
        nargs="+",
        type=float,
        metavar="Q",
        help="interquartile ranges, in place of --std: two widths, or four quartiles (negative q1 q3, positive q1 q3)",
    )
    command.add_argument("--effect-size", type=float, metavar="D", help="Cohen's d, in place of --std")
    add_pair_option(command, "--count", "cases; they set the prevalence, and for two Gaussians give intervals")
    others = ", ".join(MOMENT_ESTIMATORS)
    command.add_argument(
        "--family",
        choices=["gaussian", *MOMENT_ESTIMATORS],
        default="gaussian",
        metavar="NAME",
        help=f"gaussian (default); with --mean and --std or --sem also {others}",
    )
    command.add_argument("--level", type=float, default=0.95, metavar="L", help="of the intervals (default 0.95)")
    command.add_argument(
        "--direction", choices=["higher", "lower", "auto"], help="where the positives lie (default: higher)"
    )
    command.add_argument("--threshold", type=float, metavar="T", help="show the rates at this threshold, not the best")
    command.add_argument("--criterion", default="ameans", help="what the best threshold is best for (default: ameans)")
    command.add_argument("--prevalence", type=float, metavar="P", help="share of positives where the rule is used")
    command.add_argument("--cost-fp", type=float, default=1.0, metavar="C", help="cost of a false positive")
    command.add_argument("--cost-fn", type=float, default=1.0, metavar="C", help="cost of a false negative")
    command.add_argument("--beta", type=float, metavar="B", help="for --criterion f_beta")
    command.add_argument("--value", type=float, metavar="V", help="the limit of min_tpr, min_tnr, max_fpr")
    command.add_argument("--plot", type=Path, metavar="FILE", help="draw densities and curve (.svg, .png or .pdf)")


def run_predict(options: argparse.Namespace) -> None:
    """Predict from the named statistics and print."""
    given = ("mean", "std", "sem", "median", "effect_size", "count", "family", "direction")
    stats = {name: getattr(options, name) for name in given}
    roc = PredictedRoc.from_stats(**stats, iqr=_quartiles(options.iqr))
    prevalence = None if options.criterion in PREVALENCE_FREE_CRITERIA else options.prevalence
    names = ("criterion", "cost_fp", "cost_fn", "beta", "value")
    best = roc.best_threshold(**{name: getattr(options, name) for name in names}, prevalence=prevalence)
    threshold = best.threshold if options.threshold is None else options.threshold
    rates = roc.rates(threshold, prevalence=options.prevalence)
    if options.plot is not None:
        save_plot(options.plot, roc)
    if options.json:
        area: dict[str, Any] = {
            "direction": roc.direction or "higher",
            "auc": roc.auc(),
            "auc_complement": roc.auc_complement(),
            "proper_auc": roc.proper().auc(),
        }
        if _has_intervals(roc):
            area["intervals"] = {name: found.to_dict() for name, found in _intervals(roc, best, options.level).items()}
        at = {"threshold": threshold, "rates": rates.to_dict(), "undefined": rates.undefined}
        print(to_json(area | {"best_threshold": best.to_dict(), "at": at}))
        return
    tables = [_summary(roc, best), _rates_table(threshold, rates)]
    if _has_intervals(roc):
        tables.insert(1, _intervals_table(_intervals(roc, best, options.level), options.level))
    print_tables(*tables)


def _has_intervals(roc: PredictedRoc) -> bool:
    return roc.count is not None and isinstance(roc.negative, Gaussian)


def _intervals(roc: PredictedRoc, best: BestThreshold, level: float) -> dict[str, Interval]:
    return {
        "auc": roc.auc_interval(level),
        "threshold": best.threshold_interval(level),
        "ameans": best.ameans_interval(level),
    }


def _intervals_table(intervals: dict[str, Interval], level: float) -> Table:
    shown = {"auc": "AUC", "threshold": "best threshold", "ameans": "Ameans there"}
    rows = [[shown[name], found.low, found.high] for name, found in intervals.items()]
    return Table(f"{level:.4g} confidence intervals, by the delta method", ["of", "low", "high"], rows)


def _quartiles(numbers: list[float] | None) -> Any:
    """Give two widths as they are, four quartiles class by class."""
    return (numbers[:2], numbers[2:]) if numbers is not None and len(numbers) == 4 else numbers


def _summary(roc: PredictedRoc, best: BestThreshold) -> Table:
    weighted = "" if best.criterion in PREVALENCE_FREE_CRITERIA else "weighted "
    rows: list[list[Any]] = [
        ["negative class", repr(roc.negative)],
        ["positive class", repr(roc.positive)],
        ["positive when", "x <= threshold" if roc.direction == "lower" else "x >= threshold"],
        ["AUC", _format_auc(roc.auc(), roc.auc_complement())],
        [f"best threshold ({best.criterion})", f"{best.threshold:.6g}"],
        ["Ameans there", f"{best.ameans:.6g}"],
        [f"{weighted}densities cross at", ", ".join(f"{x:.6g}" for x in best.crossings) or "no threshold"],
    ]
    if best.criterion not in AMEANS_ALIASES:
        rows.insert(5, [f"{best.criterion} there", f"{best.criterion_value:.6g}"])
    hook = roc.hook()
    ends = f"{hook.fpr_low:.4g}", f"{hook.fpr_high:.4g}"
    if ends[0] != ends[1]:
        rows.append(["below the chance line", f"FPR {ends[0]} to {ends[1]}, area {hook.area:.3g}"])
    rows += [["flag", flag] for flag in best.flags]
    notes = _apply_direction(roc.auc(), roc.direction)
    if roc.count is not None and not _has_intervals(roc):
        notes.append("Intervals from means and SDs alone are for two Gaussians.")
    return Table("Predicted ROC", ["question", "answer"], rows, notes=notes)


def _format_auc(auc: float, complement: float) -> str:
    """Show an AUC, and never a false 1."""
    return f"1 - {complement:.3g}" if f"{auc:.6g}" == "1" and complement > 0 else f"{auc:.6g}"


def _apply_direction(auc: float, direction: str | None) -> list[str]:
    turned = "higher" if direction == "lower" else "lower"
    return [f"The AUC is below 1/2: positives lie {turned}; see --direction."] if auc < 0.5 else []


def _rates_table(threshold: float, rates: Rates) -> Table:
    notes = [f"undefined (0/0): {', '.join(rates.undefined)}"] if rates.undefined else []
    if rates.prevalence is None:
        notes.append("precision, accuracy and their like need --prevalence or --count.")
    return replace(rates.table(), title=f"Rates at threshold {threshold:.6g}", notes=notes)


DIAGNOSE_DESCRIPTION = """\
Say whether the predicted ROC curve of one feature can be believed, and where it fails.

  rocpredict diagnose pima --feature glucose
  rocpredict diagnose data.csv --label outcome --positive sick --feature glucose --plot glucose.svg
  rocpredict diagnose pima --feature age --family boxcox

DATA is a CSV file with a header line, or the name of a built-in data set (iris, pima, breast_cancer).
"""


def add_diagnose_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_data(command)
    add_family(command)
    command.add_argument(
        "--direction", choices=["higher", "lower", "auto"], help="where the positives lie (default: higher)"
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of the samples that are drawn (default 0)")
    command.add_argument("--resamples", type=int, default=500, metavar="N", help="how many are drawn (default 500)")
    command.add_argument("--plot", type=Path, metavar="FILE", help="draw curves, quantiles and densities (.svg, .png)")


def run_diagnose(options: argparse.Namespace) -> None:
    """Diagnose and print."""
    data = load(options)
    if len(data.features) != 1:
        raise RocPredictError(
            f"one feature is diagnosed at a time, here are {len(data.features)}; name it by --feature"
        )
    ((name, values),) = data.features.items()
    asked = {"family": options.family, "direction": options.direction, "nan_policy": options.nan, **data.classes}
    found = with_feature_name(
        name, diagnose, values, data.labels, n_resamples=options.resamples, rng=options.seed, **asked
    )
    if options.plot is not None:
        from rocpredict.plots.style import save_figure

        save_figure(found.plot(feature=name), options.plot)
    if options.json:
        print(to_json({"feature": name} | found.to_dict()))
        return
    print_tables(_diagnosis_table(found, name, data.notes))


def _diagnosis_table(found: Diagnosis, name: str, notes: Sequence[str]) -> Table:
    """Say the diagnosis' own table in the words of options."""
    told = found.table()
    rows = [[translate_to_options(cell) if isinstance(cell, str) else cell for cell in row] for row in told.rows]
    title = f"Diagnosis of {name}, --family {found.family}"
    return Table(title, told.columns, rows, told.formats, [*map(translate_to_options, told.notes), *notes])


SAMPLE_SIZE_DESCRIPTION = """\
Say how many cases a study needs, from the class distributions it expects.

  rocpredict sample-size --mean 4 8 --std 3 2 --width 0.05           the interval of the AUC, this wide from end to end
  rocpredict sample-size --auc 0.7 --power 0.9 --against 0.5         a test of the AUC against a value
  rocpredict sample-size --mean 4 8 --std 3 2 --power 0.8 --against-mean 4 7 --against-std 3 2 --correlation 0.5
  rocpredict sample-size --mean 4 8 --std 3 2 --width 0.1 --tpr-at-fpr 0.1

Beside the answer stands what other formulas would have said, and how far off they are.
"""


def add_sample_size_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_pair_option(command, "--mean", "expected means, in the unit of the feature")
    add_pair_option(command, "--std", "expected standard deviations")
    command.add_argument("--auc", type=float, metavar="A", help="in place of both: the AUC alone, of equal SDs")
    command.add_argument("--width", type=float, metavar="W", help="full width of the interval")
    command.add_argument("--power", type=float, metavar="P", help="in place of --width: power of a test --against")
    command.add_argument("--against", type=float, metavar="A", help="the AUC of the null hypothesis")
    add_pair_option(command, "--against-mean", "means of a second feature to compare with")
    add_pair_option(command, "--against-std", "its standard deviations")
    command.add_argument(
        "--correlation",
        nargs="+",
        type=float,
        metavar="R",
        help="of both features within a class, measured on the same cases: one number, or one of each class "
        "(default: the second feature has cases of its own)",
    )
    command.add_argument("--tpr-at-fpr", type=float, metavar="F", help="plan for the TPR at this FPR, not the AUC")
    command.add_argument("--alternative", choices=POWER_ALTERNATIVES, default="two-sided", help="of the test")
    command.add_argument("--level", type=float, default=0.95, metavar="L", help="confidence (default 0.95)")
    command.add_argument(
        "--ratio", type=float, default=1.0, metavar="R", help="negatives for each positive (default 1)"
    )
    command.add_argument("--method", choices=METHODS, help="the variance to plan with (default: the reference)")


def run_sample_size(options: argparse.Namespace) -> None:
    """Plan and print."""
    if (options.mean is None) == (options.auc is None):
        raise RocPredictError("give --mean with --std, or --auc")
    names = ("mean", "std", "auc", "width", "power", "tpr_at_fpr", "alternative", "level", "ratio", "method")
    given = {name: getattr(options, name) for name in names}
    found = sample_size(**given, against=_parse_null(options), correlation=_correlation(options.correlation))
    if options.json:
        print(to_json(found.to_dict()))
        return
    print_tables(found.table())


def _parse_null(options: argparse.Namespace) -> Any:
    """Give the null value, or the second curve."""
    mean, std = options.against_mean, options.against_std
    if options.against is not None and (mean is not None or std is not None):
        raise RocPredictError("--against is a value, --against-mean and --against-std a second curve; give one")
    if (mean is None) != (std is None):
        raise RocPredictError("--against-mean goes with --against-std")
    if mean is None:
        if options.correlation is not None:
            raise RocPredictError("--correlation needs a second feature: --against-mean and --against-std")
        return options.against
    try:
        return PredictedRoc.from_stats(mean=mean, std=std)
    except RocPredictError as error:
        raise RocPredictError(re.sub(r"\b(mean|std)=", r"against_\1=", str(error))) from None


def _correlation(numbers: list[float] | None) -> Any:
    return numbers[0] if numbers is not None and len(numbers) == 1 else numbers


REPORT_DESCRIPTION = """\
Write all there is to say of one feature as one HTML file: curves, intervals, a test, the best
threshold, rates, trust, and a methods paragraph.

  rocpredict report pima --feature glucose --out glucose.html
  rocpredict report data.csv --label outcome --positive sick --feature glucose --out glucose.html
  rocpredict report pima --feature age --family auto --prevalence 0.1 --out age.html

DATA is a CSV file with a header line, or the name of a built-in data set (iris, pima, breast_cancer).
"""


def add_report_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_data(command)
    add_family(command)
    command.add_argument("--out", type=Path, required=True, metavar="FILE", help="where to write the page (.html)")
    command.add_argument(
        "--direction", choices=["higher", "lower", "auto"], help="where the positives lie (default: higher)"
    )
    command.add_argument("--level", type=float, default=0.95, metavar="L", help="of the intervals (default 0.95)")
    command.add_argument("--prevalence", type=float, metavar="P", help="share of positives where the rule is used")
    command.add_argument("--unit", metavar="UNIT", help="of the feature")
    command.add_argument("--title", metavar="TEXT", help="the heading of the page")
    command.add_argument("--date", metavar="DAY", help="that the page says it is of, as 2026-11-21 (default: today)")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of the samples that are drawn (default 0)")
    command.add_argument("--resamples", type=int, default=500, metavar="N", help="how many are drawn (default 500)")


def run_report(options: argparse.Namespace) -> None:
    """Write the page and say where."""
    check_writable(options.out)
    data = load(options)
    if len(data.features) != 1:
        raise RocPredictError(f"a report is of one feature, here are {len(data.features)}; name it by --feature")
    ((name, values),) = data.features.items()
    from rocpredict.reports.feature import feature_report

    asked = ("family", "direction", "level", "prevalence", "unit", "title", "date")
    given = {option: getattr(options, option) for option in asked} | {"nan_policy": options.nan, **data.classes}
    given |= {
        "feature": name,
        "rng": options.seed,
        "n_resamples": options.resamples,
        "notes": notes_for_report(data.notes),
    }
    with_feature_name(name, feature_report, values, data.labels, options.out, **given)
    if is_stream(options.out):
        return
    if options.json:
        print(to_json({"feature": name, "report": str(options.out)}))
        return
    print("\n".join([f"{options.out}: a report of {name}", *data.notes]))


def notes_for_report(notes: Iterable[str]) -> tuple[str, ...]:
    """Say of the data, to who reads the page and gave no options, what became of them."""
    said = (note.replace(" (--nan raise takes them as they are)", "") for note in notes)
    return tuple(note.replace("--nan omit leaves these rows out", "here they are taken as they are") for note in said)


TEACH_DESCRIPTION = """\
Show two densities, a threshold and the ROC curve in the browser, moving in step, with a guided lesson.

  rocpredict teach
  rocpredict teach iris --positive virginica --negative versicolor --feature petal_length
  rocpredict teach data.csv --label outcome --positive sick
  rocpredict teach --mean 5.1 6.4 --std 0.9 1.2
  rocpredict teach --save teach.html
  rocpredict teach --worksheet worksheet.html

Without --save the page is served to this machine alone, and every number is computed as it is asked for. A saved page
needs nothing but a browser. DATA is a CSV file with a header line, or iris, pima or breast_cancer.
"""


def add_teach_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    command.add_argument("data", nargs="?", metavar="DATA", help=f"a CSV file, or one of {', '.join(DATASET_NAMES)}")
    command.add_argument("--label", metavar="COLUMN", help="the column with the classes (built-in data know theirs)")
    command.add_argument("--positive", metavar="LABEL", help="the positive class")
    command.add_argument("--negative", metavar="LABEL", help="the negative class (default: every other label)")
    command.add_argument(
        "--feature", action="append", metavar="COLUMN", help="may be repeated (default: every column of numbers)"
    )
    add_pair_option(command, "--mean", "means to begin with, such as from a published table; needs --std")
    add_pair_option(command, "--std", "standard deviations to begin with")
    command.add_argument("--save", type=Path, metavar="FILE", help="write the page into a file, and end")
    command.add_argument("--worksheet", type=Path, metavar="FILE", help="write a worksheet with answers, to be printed")
    command.add_argument("--port", type=int, default=0, metavar="N", help="where to serve (default: any free port)")
    command.add_argument("--no-browser", action="store_true", help="do not open the browser")
    command.add_argument("--lang", choices=languages(), default="en", help="language of the page (default: en)")
    command.add_argument("--no-lesson", action="store_true", help="leave the guided lesson out")
    command.add_argument("--lecture", action="store_true", help="begin in lecture mode: large, without sliders")


def run_teach(options: argparse.Namespace) -> None:
    """Save the page or its worksheet, or serve the page until Ctrl-C."""
    if options.worksheet is not None and options.save is None:
        _report_saved("worksheet", _worksheet(options), options)
        return
    page = _page(options)
    if options.worksheet is not None:
        _report_saved("worksheet", _worksheet(options), options)
    if options.save is not None:
        _report_saved("saved", str(page.save(options.save)), options)
        return
    with suppress(KeyboardInterrupt), page.serve(options.port) as server:
        _report_saved("url", server.url if options.json else f"{server.url}  (Ctrl-C ends)", options)
        if not options.no_browser:
            server.open_browser()
        server.wait()


def _worksheet(options: argparse.Namespace) -> str:
    from rocpredict.teaching.worksheet import worksheet_html

    return str(write_atomic(options.worksheet, worksheet_html(options.lang)))


def _report_saved(name: str, text: str, options: argparse.Namespace) -> None:
    print(to_json({name: text}) if options.json else text, flush=True)


def _page(options: argparse.Namespace) -> TeachingPage:
    check_unique("feature", options.feature)
    shared: dict[str, Any] = {"lang": options.lang, "lesson": not options.no_lesson, "lecture": options.lecture}
    if options.data is None:
        for name in ("label", "positive", "negative", "feature"):
            if getattr(options, name) is not None:
                raise RocPredictError(f"--{name} goes with DATA, which is not there")
        return TeachingPage(mean=options.mean, std=options.std, **shared)
    if options.mean is not None or options.std is not None:
        raise RocPredictError("--mean and --std begin with two Gaussians in place of DATA; give one or the other")
    if options.data in DATASET_NAMES:
        return _built_in(options, shared)
    return _from_file(options, shared)


def _built_in(options: argparse.Namespace, shared: dict[str, Any]) -> TeachingPage:
    if options.label is not None:
        raise RocPredictError(f"--label {options.label!r} is for files; {options.data} knows its labels")
    if options.feature is not None and len(options.feature) > 1:
        raise RocPredictError("--feature names the one to begin with of built-in data; all of them are on the page")
    feature = options.feature and options.feature[0]
    classes = {"positive": options.positive, "negative": options.negative}
    return TeachingPage(options.data, feature=feature, **classes, **shared)


def _from_file(options: argparse.Namespace, shared: dict[str, Any]) -> TeachingPage:
    if not Path(options.data).suffix and not Path(options.data).exists():
        raise RocPredictError(f"{options.data} is neither a file nor a built-in data set ({', '.join(DATASET_NAMES)})")
    table = read_csv(options.data)
    if options.label is None:
        raise RocPredictError(f"--label is needed; columns of {table.name} are {', '.join(table.header)}")
    labels = table.labels(options.label)
    classes = {name: parse_label(getattr(options, name), labels) for name in ("positive", "negative")}
    return TeachingPage(_columns(table, options), labels, **classes, **shared)


def _columns(table: CsvTable, options: argparse.Namespace) -> dict[str, Any]:
    """Give the columns that are named, or all that hold numbers."""
    if options.feature:
        return {name: table.numbers(name) for name in options.feature}
    found: dict[str, Any] = {}
    trouble = RocPredictError(f"{table.name} has no column beside its labels")
    for name in table.header:
        try:
            found |= {} if name == options.label else {name: table.numbers(name)}
        except RocPredictError as error:  # a column of words is no feature
            trouble = error
    if not found:
        raise trouble
    return found
