"""Data, options, tables and messages of the commands."""

import argparse
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from decimal import Decimal
from glob import has_magic
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, NamedTuple
from unicodedata import category

import numpy as np

from rocpredict.base.files import check_suffix, check_writable
from rocpredict.base.formatting import format_list, label_to_text, to_json
from rocpredict.base.labels import unique_labels
from rocpredict.base.progress import use_progress
from rocpredict.base.tables import Table
from rocpredict.base.validation import AssumptionWarning, FloatArray, RocPredictError, short_repr, suggest
from rocpredict.datasets import DATASET_NAMES, PIMA_ZERO_MISSING, load_dataset, load_pima
from rocpredict.distributions.fitting import FAMILIES
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc
from rocpredict.sources.csv_reader import CsvTable, read_csv

_ARGUMENTS = (
    "mean|std|unit|url|sem|median|iqr|effect_size|count|prevalence|criterion|beta|value|positive|negative|cost_fp|cost_fn|family|"
    "auc|width|power|against|against_mean|against_std|correlation|fpr|tpr|tpr_at_fpr|level|alternative|ratio|method|margin|"
    "direction|n_top|engine|label|exclude|port|date|feature|memory|layer"
)
"""Library arguments ``name=`` that correspond to options ``--name``."""
_OPTION_NAMES = {"n_resamples": "resamples", "rng": "seed", "n_jobs": "jobs", "by": "sort", "k": "top"}
_OPTION_NAMES |= {"usecols": "feature", "min_count": "min-count", "units": "unit"}
"""Names of the options that differ from the names of the corresponding arguments, keyed by argument."""
_EMPIRICAL = {"True": "yes", "False": "no", "'top'": "top", "'histogram'": "histogram"}
"""Values of ``empirical=`` as they appear in messages, and the corresponding values of --empirical."""
_DATA_NAMES = {
    r"\b(labels?) in y\b": r"\1 in the data",
    r"\bx and y exchanged": "--feature and --label exchanged",
    r"^y (?=has|is|contains)": "the label column ",
    r"^X (?=has|is|contains)": "the table ",
    r"^y=(.*) of X\.obs": r"--label \1 of obs",
    r"\blayer of X\b": "layer of the file",
}
"""Patterns that match the data arguments X, x and y in messages, and the replacements on the command line."""
_PYTHON_WORDS = {
    "nan_policy='omit'": "--nan omit",
    "histogram_edges= ": "--edges ",
    "rp.empirical_roc": "the empirical curve",
    "X.raw is None; omit use_raw=True": "the file has no matrix raw.X; omit --use-raw",
    "pass a table without this column": "leave the column out with --exclude",
    ", or a numpy Generator": "",
    "a datetime.date or text such as": "a date such as",
}
"""Phrases in messages for Python users, and their replacements on the command line."""


def translate_to_options(message: str) -> str:
    """Rewrite a message for the command line; for example, ``sem= needs count=`` becomes ``--sem needs --count``."""

    def option(match: re.Match[str]) -> str:
        return f"--{_OPTION_NAMES.get(match[1], match[1]).replace('_', '-')}"

    message = re.sub(r"\bempirical=(True|False|'\w+')", lambda match: f"--empirical {_EMPIRICAL[match[1]]}", message)
    for words, replacement in _PYTHON_WORDS.items():
        message = message.replace(words, replacement)
    for pattern, words in _DATA_NAMES.items():
        message = re.sub(pattern, words, message)
    name = rf"\b({'|'.join([_ARGUMENTS, *_OPTION_NAMES])})="
    translated = re.sub(rf"{name}(?=[\s,;)]|$)", option, message)
    return re.sub(name, lambda match: f"{option(match)} ", translated)


_PROGRESS_DELAY = 2.0  # seconds from the start of the command until a progress bar can be shown
_LOOP_DELAY = 0.3  # seconds from the start of a loop until its progress bar can be shown


@contextmanager
def show_progress() -> Iterator[None]:
    """Show a progress bar with the remaining time during long loops if stderr is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    display = _ProgressDisplay()
    try:
        with use_progress(display.update):
            yield
    finally:
        display.stop()


class _ProgressDisplay:
    """Progress bar on stderr for successive loops."""

    def __init__(self) -> None:
        self._command_start = self._loop_start = time.monotonic()
        self._bar: Any = None
        self._n_done = 0

    def update(self, n_done: int, total: int) -> None:
        """Show the progress if the command and the loop have run for long enough."""
        now = time.monotonic()
        if n_done < self._n_done:  # a new loop
            self.stop()
        self._n_done = n_done
        if 0 < total <= n_done:
            self.stop()
        elif self._bar is not None:
            self._bar.update(self._task, completed=n_done)
        elif now - self._command_start >= _PROGRESS_DELAY and now - self._loop_start >= _LOOP_DELAY:
            self._start(n_done, total)

    def _start(self, n_done: int, total: int) -> None:
        from rich.console import Console
        from rich.progress import Progress, ProgressColumn, Task
        from rich.text import Text

        class Rate(ProgressColumn):
            def render(self, task: Task) -> Text:
                return Text("" if task.speed is None else f"{task.speed:.3g} per second")

        # without these settings, the bar would redirect stdout, which may be a file
        streams: dict[str, Any] = {"redirect_stdout": False, "redirect_stderr": False}
        columns = *Progress.get_default_columns(), Rate()
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True, **streams)
        self._task = self._bar.add_task("working", total=total or None, completed=n_done)
        self._bar.start()

    def stop(self) -> None:
        """Erase the bar; the next loop gets a new bar."""
        if self._bar is not None:
            self._bar.stop()
        self._bar, self._n_done, self._loop_start = None, 0, time.monotonic()


_UNPRINTABLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories of characters that control a terminal or the direction of text."""


def print_message(text: str, source: str = "rocpredict") -> None:
    """Print one line on stderr, with control characters escaped.

    Errors while writing to stderr are ignored.
    """
    escaped = [c.encode("unicode_escape").decode() if category(c) in _UNPRINTABLE else c for c in text]
    with suppress(OSError, ValueError):
        print(f"{source}: {''.join(escaped)}", file=sys.stderr, flush=True)


@contextmanager
def print_warnings(command: str) -> Iterator[None]:
    """Print each AssumptionWarning on one line, rewritten for the command line; show other warnings as usual."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", AssumptionWarning)
        show_default = warnings.showwarning

        def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, AssumptionWarning):
                line = " ".join(translate_to_options(str(message)).split())
                print_message(f"warning: {line}", f"rocpredict {command}")
            else:
                show_default(message, category, *place, **more)

        warnings.showwarning = show
        yield


def with_feature_name(name: str, make: Callable[..., Any], *values: Any, **arguments: Any) -> Any:
    """Return the result of ``make(*values, **arguments)``; add the name of the feature to errors and warnings."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", AssumptionWarning)
            result = make(*values, **arguments)
    except RocPredictError as error:
        message = re.sub(r"^x\b", lambda _: repr(name), str(error))
        raise RocPredictError(
            f"{name}: {message}" if message.startswith(("family=", "the ", "all values")) else message
        ) from None
    for warning in caught:
        words = f"{name}: {warning.message}" if issubclass(warning.category, AssumptionWarning) else warning.message
        warnings.warn_explicit(words, warning.category, warning.filename, warning.lineno)
    return result


NAN_OMIT_HINT = "use --nan omit to omit these observations"
NAN_RAISE_HINT = ". To keep them as values, use --nan raise (zeros are not NaN, so no error is raised)"
NAN_KEEP_HINT = f" ({NAN_OMIT_HINT})"
_DEFAULT_POSITIVE = {"pima": "pos", "breast_cancer": "malignant"}


class Data(NamedTuple):
    """Values of the selected features, the labels, the arguments that define the classes, and notes on the data."""

    features: dict[str, FloatArray]
    labels: Any
    classes: dict[str, Any]
    notes: tuple[str, ...] = ()

    def only_feature(self, purpose: str) -> tuple[str, FloatArray]:
        """Return the name and the values of the only feature; raise RocPredictError if several are selected."""
        if len(self.features) != 1:
            raise RocPredictError(f"{purpose}, but {len(self.features)} are selected; select one with --feature")
        return next(iter(self.features.items()))


# ---- options that commands share
def add_pair_option(command: argparse.ArgumentParser, name: str, quantity: str) -> None:
    """Add an option that takes one number for each class."""
    command.add_argument(name, nargs=2, type=float, metavar=("NEGATIVE", "POSITIVE"), help=quantity)


def add_classes(
    command: argparse.ArgumentParser, hint: str = " (default for pima: pos, for breast_cancer: malignant)"
) -> None:
    """Add the options that name the labels and the classes."""
    command.add_argument("--label", metavar="COLUMN", help="column with the class labels (not for built-in data)")
    command.add_argument("--positive", metavar="LABEL", help=f"label of the positive class{hint}")
    command.add_argument("--negative", metavar="LABEL", help="label of the negative class (default: all other labels)")


def add_data(command: argparse.ArgumentParser, default_features: str = "") -> None:
    """Add the options for data, classes, features, missing values and the family of distributions."""
    command.add_argument("data", metavar="DATA", help=f"CSV file, or built-in data: {', '.join(DATASET_NAMES)}")
    add_classes(command)
    add_feature(command, default_features)
    missing = (
        "observations with missing values: raise an error (default) or omit them. In pima, zeros that stand for "
        "missing values are kept as values by default, and a note is printed; with omit, they are treated as missing"
    )
    command.add_argument("--nan", choices=["raise", "omit"], default="raise", help=missing)
    others = ", ".join(name for name in FAMILIES if name != "gaussian")
    families = f"family of the class distributions: gaussian (default), {others}"
    command.add_argument("--family", choices=list(FAMILIES), default="gaussian", metavar="NAME", help=families)


def add_feature(command: argparse.ArgumentParser, default: str = "") -> None:
    """Add the option that selects a feature; the option may be repeated if the command has a ``default`` selection."""
    hint = f"; may be repeated (default: {default})" if default else ""
    command.add_argument("--feature", action="append", metavar="COLUMN", help=f"feature to use{hint}")


DIRECTION_HELP = "whether higher or lower values indicate the positive class"


def add_direction(command: argparse.ArgumentParser, action: str = "store", hint: str = "") -> None:
    """Add the option for the direction of the rule."""
    text = f"{DIRECTION_HELP} (default: higher); auto: the direction with an AUC of at least 1/2{hint}"
    command.add_argument("--direction", choices=["higher", "lower", "auto"], action=action, help=text)


def add_level(command: argparse.ArgumentParser, what: str = "confidence level of the intervals") -> None:
    """Add the option for the confidence level."""
    command.add_argument("--level", type=float, default=0.95, metavar="L", help=f"{what} (default: 0.95)")


def add_plot(command: argparse.ArgumentParser, picture: str) -> None:
    """Add the option that names the file to which a plot is written."""
    command.add_argument("--plot", type=Path, metavar="FILE", help=f"write a plot of {picture}")


def add_resampling(command: argparse.ArgumentParser) -> None:
    """Add the options that control the simulated samples."""
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed for the simulated samples (default: 0)")
    resamples = "number of simulated samples (default: 500)"
    command.add_argument("--resamples", type=int, default=500, metavar="N", help=resamples)


def pick(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return a dictionary of the options with the given names."""
    return {name: getattr(options, name) for name in names}


def check_unique(option: str, names: Sequence[str] | None) -> None:
    """Raise RocPredictError if an option names the same column twice."""
    twice = [name for name in names or () if names and names.count(name) > 1]
    if twice:
        raise RocPredictError(f"--{option} {twice[0]} is passed twice; pass each column once")


# ---- data
def check_file(name: str) -> None:
    """Raise RocPredictError if the file ``name`` does not exist, unless the name has a suffix or is a pattern."""
    try:
        is_unknown = not Path(name).exists() and not Path(name).suffix and not has_magic(name)
    except OSError as error:
        raise RocPredictError(f"{short_repr(name)} is not a file: {error.strerror}") from None
    if is_unknown:
        raise RocPredictError(
            f"{name} is not a file, a folder or a built-in data set ({', '.join(DATASET_NAMES)})"
            f"{suggest(name, DATASET_NAMES)}"
        )


def check_no_label(name: str, options: argparse.Namespace) -> None:
    """Raise RocPredictError if --label is used with a built-in data set."""
    if options.label is not None:
        raise RocPredictError(
            f"--label {options.label!r} applies to files only; omit it when using built-in data ({name})"
        )


def read_table(options: argparse.Namespace, *needed: str) -> CsvTable:
    """Read a CSV file; raise RocPredictError if a required option is missing."""
    check_file(options.data)
    table = read_csv(options.data)
    for name in needed:
        if not getattr(options, name):
            raise RocPredictError(
                f"--{name} is needed; pass a column of {table.name}: {format_list(filter(None, table.header), 10)}"
            )
    return table


def parse_classes(options: argparse.Namespace, labels: Any) -> dict[str, Any]:
    """Return the labels of both classes in a dictionary with the keys "positive" and "negative"."""
    classes = pick(options, "positive", "negative")
    if labels.dtype.kind != "U":  # text such as "1", "False" or "2020-01-31" matches a number, a boolean or a date
        for name, word in classes.items():
            matching = [] if word is None else [label for label in unique_labels(labels) if _is_label(label, word)]
            classes[name] = matching[0] if matching else word
    return classes


def load(options: argparse.Namespace) -> Data:
    """Read the selected features and the labels."""
    check_unique("feature", options.feature)
    if options.data in DATASET_NAMES:
        return built_in(options.data, options)
    table = read_table(options, "label", "feature")
    features = {name: table.numbers(name) for name in options.feature}
    for name, values in features.items():
        missing = np.flatnonzero(np.isnan(values))
        if options.nan == "raise" and missing.size:
            lines = ", ".join(str(table.lines[row]) for row in missing[:5].tolist()) + ", ..." * (missing.size > 5)
            raise RocPredictError(
                f"{table.name}: column {name!r} has missing values in {missing.size} of {len(values)} rows "
                f"(line{'s' * (missing.size > 1)} {lines}); {NAN_OMIT_HINT}"
            )
    labels = table.labels(options.label, nan_policy=options.nan)
    return Data(features, labels, parse_classes(options, labels))


def built_in(name: str, options: argparse.Namespace, exclude: Sequence[str] = ()) -> Data:
    """Return the selected features of a built-in data set; with ``--nan omit``, zeros in pima become NaN."""
    check_no_label(name, options)
    data = load_pima(zeros_as_missing=options.nan == "omit") if name == "pima" else load_dataset(name)
    unknown = [feature for feature in (*(options.feature or ()), *exclude) if feature not in data.feature_names]
    if unknown:
        raise RocPredictError(
            f"{name} has no feature {short_repr(unknown[0])}; its features are {', '.join(data.feature_names)}"
            f"{suggest(unknown[0], data.feature_names)}"
        )
    names = options.feature or [feature for feature in data.feature_names if feature not in exclude]
    positive = options.positive or _DEFAULT_POSITIVE.get(name)
    affected = [feature for feature in names if name == "pima" and feature in PIMA_ZERO_MISSING]
    handling = f"treated as missing{NAN_RAISE_HINT}" if options.nan == "omit" else f"kept as values{NAN_KEEP_HINT}"
    zeros = f"pima: zeros in {', '.join(affected)} stand for missing values"
    notes = (f"{zeros}. These zeros are {handling}.",) if affected else ()
    classes = {"positive": positive, "negative": options.negative}
    return Data({feature: data.column(feature) for feature in names}, data.y, classes, notes)


def _is_label(label: Any, word: str) -> bool:
    if label_to_text(label) == word:
        return True
    if isinstance(label, bool):
        return word.lower() in (str(label).lower(), str(int(label)))
    try:
        return isinstance(label, (int, float)) and label == (float if isinstance(label, float) else Decimal)(word)
    except (ValueError, ArithmeticError):
        return False


# ---- output
_DEFAULT_WIDTH = 200  # characters per line if the output is not a terminal


def print_tables(*tables: Table) -> None:
    """Print tables that fit the width of the terminal."""
    width = get_terminal_size().columns if sys.stdout.isatty() else _DEFAULT_WIDTH
    print("\n\n".join(table.to_text(width) for table in tables))


def print_result(options: argparse.Namespace, values: dict[str, Any], *tables: Table) -> None:
    """Print the values as JSON if --json is passed; otherwise, print the tables."""
    if options.json:
        print(to_json(values))
    else:
        print_tables(*tables)


def reword(table: Table, title: str, translate: Callable[[str], str], notes: Iterable[str] = ()) -> Table:
    """Return a table with another title, translated cells and notes, and additional notes."""
    rows = [[translate(cell) if isinstance(cell, str) else cell for cell in row] for row in table.rows]
    return replace(table, title=title, rows=rows, notes=[*map(translate, table.notes), *notes])


_MAX_PLOTTED_FEATURES = 20  # largest number of features in one plot, each in its own row


def check_plot(path: Path | None, n_features: int = 1) -> None:
    """Raise RocPredictError if the plot cannot be drawn or written; commands call this before the computation."""
    if path is None:
        return
    check_suffix("--plot ", check_writable(path), ".svg", ".png", ".pdf")
    if n_features > _MAX_PLOTTED_FEATURES:
        raise RocPredictError(
            f"--plot supports at most {_MAX_PLOTTED_FEATURES} features, but {n_features} are selected; select "
            "fewer with --feature"
        )


def save_plot(path: Path, predicted: Mapping[str, Roc], empirical: Mapping[str, EmpiricalRoc] | None = None) -> None:
    """Write a plot of densities and curves to a file, with one row for each feature."""
    from rocpredict.plots.curves import SIDE_BY_SIDE_FIGSIZE, plot_side_by_side
    from rocpredict.plots.style import NotebookFigure, save_figure

    width, height = SIDE_BY_SIDE_FIGSIZE
    figure = NotebookFigure((width, height * len(predicted)))
    for (name, roc), axes in zip(predicted.items(), figure.subplots(len(predicted), 2, squeeze=False), strict=True):
        plot_side_by_side(roc, None if empirical is None else empirical[name], ax=axes, feature=name)
    save_figure(figure, path)
