"""The command line: parse, call, print."""

import argparse
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from rocpredict import __version__, datasets
from rocpredict.arguments import FloatArray
from rocpredict.comparison import Comparison, compare
from rocpredict.empirical import EmpiricalRoc, empirical_roc
from rocpredict.errors import RocPredictError
from rocpredict.files import make_folder, write_whole
from rocpredict.flags import MEANINGS
from rocpredict.predictor import PredictedRoc, predict_roc
from rocpredict.roc import Roc
from rocpredict.sources import CsvTable, read_csv
from rocpredict.tables import Table, to_json
from rocpredict.thresholds import AMEANS, UNWEIGHTED

_DONE, _OUR_FAULT, _WRONG_INPUT = 0, 1, 2
_WIDE = 200  # columns where the output is not a terminal: nothing is wrapped

_ABOUT = """\
Predict a ROC curve, its area (AUC) and its best threshold from the distributions of two classes.

The rule is: positive when x >= threshold. Classes are named in the order negative, positive.
"""

_PREDICT = """\
Predict from published means and standard deviations, taking each class as Gaussian.

  rocpredict predict --mean 4 8 --std 3 2
  rocpredict predict --mean 5.1 6.4 --sem 0.08 0.13 --count 120 80
  rocpredict predict --mean 4 8 --std 3 2 --prevalence 0.1 --criterion cost --cost-fn 5
"""

_COMPARE = """\
Lay the prediction beside the curve that the data show, feature by feature.

  rocpredict compare iris --positive virginica --negative versicolor
  rocpredict compare data.csv --label outcome --positive sick --feature glucose --plot roc.svg

DATA is a CSV file with a header line, or the name of a built-in data set (iris).
"""

_PAPER = """\
Print Tables I to IV of the founding paper, ours beside the printed ones, and draw its Figures 1 to 5.

  rocpredict paper
  rocpredict paper --out paper     tables as CSV and JSON, figures as PNG and SVG
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns
    -------
    int
        0 done, 2 the input is wrong (one line on stderr), 1 our fault.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter still gets its line
    try:
        options = _parser().parse_args(argv)
        options.run(options)
    except RocPredictError as error:
        print(f"rocpredict: {_in_options(str(error))}", file=sys.stderr)
        return _WRONG_INPUT
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has had enough
        return _DONE
    except KeyboardInterrupt:
        return 130
    except Exception:
        traceback.print_exc()
        print(f"rocpredict: this is a fault of rocpredict {__version__}, not of your input", file=sys.stderr)
        return _OUR_FAULT
    return _DONE


def _in_options(message: str) -> str:
    """Say the library's words as the command line's: ``sem= needs count=`` as ``--sem needs --count``."""
    message = message.replace("nan_policy='omit' leaves", "--nan omit leaves")
    names = (
        r"\b(mean|std|sem|median|iqr|effect_size|count|prevalence|criterion|beta|value|positive|negative|cost_f[pn])"
    )
    named = re.sub(names + r"=(?=[\s,;)]|$)", lambda found: f"--{found[1].replace('_', '-')}", message)
    return re.sub(names + r"=", lambda found: f"--{found[1].replace('_', '-')} ", named)


class _Parser(argparse.ArgumentParser):
    """An argument parser that says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise RocPredictError(f"{message} (see {self.prog} --help)")


def _parser() -> _Parser:
    parser = _Parser(prog="rocpredict", description=_ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    _add_paper(_command(commands, "paper", "the founding paper's tables and figures beside ours", _PAPER, _paper))
    _add_predict(_command(commands, "predict", "a ROC curve from means and SDs", _PREDICT, _predict))
    _add_compare(_command(commands, "compare", "predicted against empirical, from data", _COMPARE, _compare))
    return parser


def _command(commands: Any, name: str, summary: str, about: str, run: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.add_argument("--json", action="store_true", help="print JSON with every digit instead of tables")
    command.set_defaults(run=run)
    return command


# ---- paper
def _add_paper(command: argparse.ArgumentParser) -> None:
    command.add_argument("--seed", type=int, default=0, help="of the redrawn experiments of Table I (default 0)")
    command.add_argument("--out", type=Path, metavar="DIR", help="write tables and figures into this folder")


def _paper(options: argparse.Namespace) -> None:
    from rocpredict.paper.results import TABLES, table_1

    if options.seed < 0:
        raise RocPredictError(f"--seed {options.seed} is negative; give 0 or more")
    tables = {name: make(options.seed) if make is table_1 else make() for name, make in TABLES.items()}
    if options.out is not None:
        from rocpredict.paper.figures import save_figures

        make_folder(options.out)
        for name, table in tables.items():
            write_whole(options.out / f"{name}.csv", table.to_csv())
            write_whole(options.out / f"{name}.json", to_json(table.to_dict()) + "\n")
        figures = save_figures(options.out, seed=options.seed)
    if options.json:
        print(to_json({name: table.to_dict() for name, table in tables.items()}))
        return
    _show(*tables.values())
    if options.out is not None:
        print(f"\n{2 * len(tables)} table files and {len(figures)} figure files in {options.out}")


# ---- predict
def _add_predict(command: argparse.ArgumentParser) -> None:
    _add_pair(command, "--mean", "means, in the unit of the feature")
    _add_pair(command, "--std", "standard deviations")
    _add_pair(command, "--sem", "standard errors of the means, in place of --std; needs --count")
    _add_pair(command, "--median", "medians, in place of --mean; needs --iqr")
    command.add_argument(
        "--iqr",
        nargs="+",
        type=float,
        metavar="Q",
        help="interquartile ranges, in place of --std: two widths, or four quartiles (negative q1 q3, positive q1 q3)",
    )
    command.add_argument("--effect-size", type=float, metavar="D", help="Cohen's d, in place of --std")
    _add_pair(command, "--count", "cases; they set the prevalence")
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


def _add_pair(command: argparse.ArgumentParser, name: str, what: str) -> None:
    command.add_argument(name, nargs=2, type=float, metavar=("NEGATIVE", "POSITIVE"), help=what)


def _predict(options: argparse.Namespace) -> None:
    given = ("mean", "std", "sem", "median", "effect_size", "count", "direction")
    stats = {name: getattr(options, name) for name in given}
    roc = PredictedRoc.from_stats(**stats, iqr=_quartiles(options.iqr))
    prevalence = None if options.criterion in UNWEIGHTED else options.prevalence
    names = ("criterion", "cost_fp", "cost_fn", "beta", "value")
    best = roc.best_threshold(**{name: getattr(options, name) for name in names}, prevalence=prevalence)
    threshold = best.threshold if options.threshold is None else options.threshold
    rates = roc.rates(threshold, prevalence=options.prevalence)
    if options.plot is not None:
        _save_plot(options.plot, roc)
    if options.json:
        area = {
            "direction": roc.direction or "higher",
            "auc": roc.auc(),
            "auc_complement": roc.auc_complement(),
            "proper_auc": roc.proper().auc(),
        }
        at = {"threshold": threshold, "rates": rates.to_dict(), "undefined": rates.undefined}
        print(to_json(area | {"best_threshold": best.to_dict(), "at": at}))
        return
    _show(_summary(roc, best), _rates_table(threshold, rates))


def _quartiles(numbers: list[float] | None) -> Any:
    """Give two widths as they are, four quartiles class by class."""
    return (numbers[:2], numbers[2:]) if numbers is not None and len(numbers) == 4 else numbers


def _summary(roc: PredictedRoc, best: Any) -> Table:
    weighted = "" if best.criterion in UNWEIGHTED else "weighted "
    rows: list[list[Any]] = [
        ["negative class", repr(roc.negative)],
        ["positive class", repr(roc.positive)],
        ["positive when", "x <= threshold" if roc.direction == "lower" else "x >= threshold"],
        ["AUC", _area(roc.auc(), roc.auc_complement())],
        [f"best threshold ({best.criterion})", f"{best.threshold:.6g}"],
        ["Ameans there", f"{best.ameans:.6g}"],
        [f"{weighted}densities cross at", ", ".join(f"{x:.6g}" for x in best.crossings) or "no threshold"],
    ]
    if best.criterion not in AMEANS:
        rows.insert(5, [f"{best.criterion} there", f"{best.value:.6g}"])
    hook = roc.hook()
    ends = f"{hook.low:.4g}", f"{hook.high:.4g}"
    if ends[0] != ends[1]:
        rows.append(["below the chance line", f"FPR {ends[0]} to {ends[1]}, area {hook.area:.3g}"])
    rows += [["flag", flag] for flag in best.flags]
    return Table("Predicted ROC", ["question", "answer"], rows, notes=_turned(roc.auc(), roc.direction))


def _area(auc: float, complement: float) -> str:
    """Show an AUC, and never a false 1."""
    return f"1 - {complement:.3g}" if f"{auc:.6g}" == "1" and complement > 0 else f"{auc:.6g}"


def _turned(auc: float, direction: str | None) -> list[str]:
    turned = "higher" if direction == "lower" else "lower"
    return [f"The AUC is below 1/2: positives lie {turned}; see --direction."] if auc < 0.5 else []


def _rates_table(threshold: float, rates: Any) -> Table:
    rows = [[name, value] for name, value in rates.to_dict().items()]
    notes = [f"undefined (0/0): {', '.join(rates.undefined)}"] if rates.undefined else []
    if rates.prevalence is None:
        notes.append("precision, accuracy and their like need --prevalence or --count.")
    return Table(f"Rates at threshold {threshold:.6g}", ["measure", "value"], rows, notes=notes)


# ---- compare
def _add_compare(command: argparse.ArgumentParser) -> None:
    command.add_argument("data", metavar="DATA", help="a CSV file, or the name of a built-in data set")
    command.add_argument("--label", metavar="COLUMN", help="the column with the classes (built-in data know theirs)")
    command.add_argument("--positive", metavar="LABEL", help="the positive class")
    command.add_argument("--negative", metavar="LABEL", help="the negative class (default: every other label)")
    command.add_argument(
        "--feature", action="append", metavar="COLUMN", help="may be repeated (default: all of a built-in data set)"
    )
    command.add_argument("--direction", choices=["higher", "lower", "auto"], help="where the positives lie")
    command.add_argument(
        "--nan", choices=["raise", "omit"], default="raise", help="refuse rows without a value, or leave them out"
    )
    command.add_argument("--plot", type=Path, metavar="FILE", help="draw both curves (.svg, .png or .pdf); one feature")


def _compare(options: argparse.Namespace) -> None:
    features, labels = _load(options)
    if options.plot is not None and len(features) != 1:
        raise RocPredictError(f"--plot draws one feature, here are {len(features)}; choose it with --feature")
    classes = {"positive": _label(options.positive, labels), "negative": _label(options.negative, labels)}
    compared: dict[str, Comparison] = {}
    notes = []
    for name, values in features.items():
        arguments = classes | {"nan_policy": options.nan}
        empirical = empirical_roc(values, labels, direction=options.direction, **arguments)
        predicted = predict_roc(values, labels, direction=empirical.direction, **arguments)
        compared[name] = compare(predicted, empirical)
        if any(empirical.omitted):
            notes.append(f"{name}: rows without a value, left out: {sum(empirical.omitted)}.")
        notes += [f"{name}: {MEANINGS[flag]}." for flag in empirical.best_threshold().flags]
        if options.plot is not None:
            _save_plot(options.plot, predicted, empirical, name)
    if options.json:
        print(to_json({name: comparison.to_dict() for name, comparison in compared.items()}))
        return
    names = list(next(iter(compared.values())).to_dict())
    rows = [[quantity, *(getattr(comparison, quantity) for comparison in compared.values())] for quantity in names]
    negative = "every other label" if options.negative is None else options.negative
    positive = options.positive if options.positive is not None else "the larger label"
    title = f"Predicted (Gaussian) against empirical; positive: {positive}, negative: {negative}"
    _show(Table(title, ["quantity", *compared], rows, notes=notes))


def _load(options: argparse.Namespace) -> tuple[dict[str, FloatArray], Any]:
    """Give the chosen features by name, and the labels."""
    if options.data == "iris":
        iris = datasets.load_iris()
        unknown = [name for name in options.feature or () if name not in iris.feature_names]
        if unknown:
            raise RocPredictError(f"iris has no feature {unknown[0]!r}; features are {', '.join(iris.feature_names)}")
        return {name: iris.column(name) for name in options.feature or iris.feature_names}, iris.y
    if not Path(options.data).suffix and not Path(options.data).exists():
        raise RocPredictError(f"{options.data} is neither a file nor a built-in data set (iris)")
    table = read_csv(options.data)
    for name, column in (("--label", options.label), ("--feature", options.feature)):
        if not column:
            raise RocPredictError(f"{name} is needed; columns of {table.name} are {', '.join(table.header)}")
    return {name: _numbers(table, name, options.nan) for name in options.feature}, table.labels(options.label)


def _numbers(table: CsvTable, name: str, policy: str) -> FloatArray:
    values = table.numbers(name)
    missing = np.flatnonzero(np.isnan(values))
    if policy == "raise" and missing.size:
        listed = ", ".join(str(table.line(row)) for row in missing[:5]) + (", ..." if missing.size > 5 else "")
        raise RocPredictError(
            f"{table.name}: column {name!r} has {missing.size} missing of {len(values)}, at lines {listed}; "
            "--nan omit leaves these rows out"
        )
    return values


def _label(word: str | None, labels: Any) -> Any:
    """Give a label as the data have it: the number 1 for the word "1" where labels are numbers."""
    if word is None or labels.dtype.kind == "U":
        return word
    try:
        return labels.dtype.type(word)
    except ValueError:
        return word


# ---- showing
def _show(*tables: Table) -> None:
    width = _WIDE
    if sys.stdout.isatty():
        from shutil import get_terminal_size

        width = get_terminal_size().columns
    print("\n\n".join(table.to_text(width) for table in tables))


def _save_plot(path: Path, predicted: Roc, empirical: EmpiricalRoc | None = None, feature: str = "x") -> None:
    from rocpredict.plots import save_figure, side_by_side

    save_figure(side_by_side(predicted, empirical, feature=feature), path)
