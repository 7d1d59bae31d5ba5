"""Data, options, tables and messages of the commands."""

import argparse
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rocpredict.base.labels import unique_labels
from rocpredict.base.results import Table, format_list, label_to_text
from rocpredict.base.validation import AssumptionWarning, FloatArray, RocPredictError
from rocpredict.datasets import DATASET_NAMES, load_dataset, load_pima
from rocpredict.distributions.fitting import FAMILIES
from rocpredict.roc.base import Roc
from rocpredict.roc.empirical import EmpiricalRoc
from rocpredict.sources.csv_reader import CsvTable, read_csv

_ARGUMENTS = (
    *("mean", "std", "sem", "median", "iqr", "effect_size", "count", "prevalence", "criterion", "beta", "value"),
    *("positive", "negative", "cost_fp", "cost_fn"),
    *("family", "auc", "width", "power", "against", "against_mean", "against_std", "correlation", "tpr_at_fpr"),
    *("level", "alternative", "ratio", "method", "margin", "direction", "n_top", "engine", "label", "exclude"),
    *("port", "date", "feature"),
)
"""What the library calls ``name=`` and the command line ``--name``."""
_OPTION_NAMES = {
    "n_resamples": "resamples",
    "rng": "seed",
    "n_jobs": "jobs",
    "by": "sort",
    "k": "top",
    "usecols": "feature",
}
"""What the command line calls otherwise."""


def translate_to_options(message: str) -> str:
    """Say the library's words as the command line's: ``sem= needs count=`` as ``--sem needs --count``."""
    message = message.replace("nan_policy='omit' leaves", "--nan omit leaves")
    message = message.replace("rp.empirical_roc", "the empirical curve")
    names = rf"\b({'|'.join([*_ARGUMENTS, *_OPTION_NAMES])})"
    named = re.sub(names + r"=(?=[\s,;)]|$)", lambda found: _option(found[1]), message)
    return re.sub(names + r"=", lambda found: f"{_option(found[1])} ", named)


def _option(argument: str) -> str:
    return f"--{_OPTION_NAMES.get(argument, argument).replace('_', '-')}"


@contextmanager
def print_warnings(command: str) -> Iterator[None]:
    """Print each AssumptionWarning as one line, in the words of options; other warnings are shown as ever."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", AssumptionWarning)
        as_ever = warnings.showwarning

        def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, AssumptionWarning):
                line = " ".join(translate_to_options(str(message)).split())
                print(f"rocpredict {command}: warning: {line}", file=sys.stderr)
            else:
                as_ever(message, category, *place, **more)

        warnings.showwarning = show
        yield


@contextmanager
def prefix_warnings(name: str) -> Iterator[None]:
    """Name the feature that a warning is about."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AssumptionWarning)
        yield
    for one in caught:
        words = f"{name}: {one.message}" if issubclass(one.category, AssumptionWarning) else one.message
        warnings.warn_explicit(words, one.category, one.filename, one.lineno)


_DEFAULT_POSITIVE = {"pima": "pos", "breast_cancer": "malignant"}


class Data(NamedTuple):
    """The chosen features by name, the labels, and which of them are the classes."""

    features: dict[str, FloatArray]
    labels: Any
    positive: Any
    negative: Any
    notes: tuple[str, ...] = ()

    @property
    def classes(self) -> dict[str, Any]:
        """Give the classes as the library's functions take them."""
        return {"positive": self.positive, "negative": self.negative}


def add_data(command: argparse.ArgumentParser) -> None:
    """Add the options that name data."""
    command.add_argument("data", metavar="DATA", help=f"a CSV file, or built-in data: {', '.join(DATASET_NAMES)}")
    command.add_argument("--label", metavar="COLUMN", help="the column with the classes (built-in data know theirs)")
    command.add_argument("--positive", metavar="LABEL", help="the positive class (pima: pos, breast_cancer: malignant)")
    command.add_argument("--negative", metavar="LABEL", help="the negative class (default: every other label)")
    command.add_argument(
        "--feature", action="append", metavar="COLUMN", help="may be repeated (default: all of built-in data)"
    )
    command.add_argument(
        "--nan", choices=["raise", "omit"], default="raise", help="refuse rows without a value, or leave them out"
    )


def add_family(command: argparse.ArgumentParser) -> None:
    """Add the option that names what is fitted to each class."""
    names = ", ".join(name for name in FAMILIES if name != "gaussian")
    command.add_argument(
        "--family", choices=list(FAMILIES), default="gaussian", metavar="NAME", help=f"gaussian (default), {names}"
    )


def with_feature_name(name: str, make: Callable[..., Any], *values: Any, **arguments: Any) -> Any:
    """Make something of a feature; an error or a warning about x is about the feature of this name."""
    try:
        with prefix_warnings(name):
            return make(*values, **arguments)
    except RocPredictError as error:
        message = re.sub(r"^x\b", lambda _: repr(name), str(error))
        raise RocPredictError(f"{name}: {message}" if message.startswith(("family=", "the ")) else message) from None


def load(options: argparse.Namespace) -> Data:
    """Read the chosen features and the labels."""
    check_unique("feature", options.feature)
    if options.data in DATASET_NAMES:
        return built_in(options.data, options)
    if not Path(options.data).suffix and not Path(options.data).exists():
        raise RocPredictError(f"{options.data} is neither a file nor a built-in data set ({', '.join(DATASET_NAMES)})")
    table = read_csv(options.data)
    for name, column in (("--label", options.label), ("--feature", options.feature)):
        if not column:
            raise RocPredictError(f"{name} is needed; columns of {table.name} are {', '.join(table.header)}")
    features = {name: _numbers(table, name, options.nan) for name in options.feature}
    labels = table.labels(options.label)
    return Data(features, labels, parse_label(options.positive, labels), parse_label(options.negative, labels))


def built_in(name: str, options: argparse.Namespace, exclude: Sequence[str] = ()) -> Data:
    """Give built-in data, or some of its features; with ``--nan omit`` what stands for missing values is missing."""
    if options.label is not None:
        raise RocPredictError(f"--label {options.label!r} is for files; {name} knows its labels")
    data = load_pima(zeros_as_missing=options.nan == "omit") if name == "pima" else load_dataset(name)
    unknown = [feature for feature in (*(options.feature or ()), *exclude) if feature not in data.feature_names]
    if unknown:
        raise RocPredictError(f"{name} has no feature {unknown[0]!r}; features are {', '.join(data.feature_names)}")
    chosen = options.feature or [feature for feature in data.feature_names if feature not in exclude]
    positive = options.positive or _DEFAULT_POSITIVE.get(name)
    notes = _handle_pima_zeros(chosen, options.nan) if name == "pima" else ()
    return Data({feature: data.column(feature) for feature in chosen}, data.y, positive, options.negative, notes)


def _handle_pima_zeros(features: Iterable[str], policy: str) -> tuple[str, ...]:
    """Say in which features of pima zeros stand for missing values, and what becomes of them."""
    marked = load_pima(zeros_as_missing=True)
    held = [feature for feature in features if np.isnan(marked.column(feature)).any()]
    then = {
        "raise": "--nan omit leaves these rows out",
        "omit": "they are left out (--nan raise takes them as they are)",
    }
    return (f"pima: zeros in {', '.join(held)} stand for missing values; {then[policy]}.",) if held else ()


def check_unique(option: str, names: Sequence[str] | None) -> None:
    """Refuse an option that names a column twice."""
    twice = [name for name in names or () if names and names.count(name) > 1]
    if twice:
        raise RocPredictError(f"--{option} {twice[0]} is given twice; name different ones")


def _numbers(table: CsvTable, name: str, policy: str) -> FloatArray:
    values = table.numbers(name)
    missing = np.flatnonzero(np.isnan(values))
    if policy == "raise" and missing.size:
        listed = format_list(map(table.line, missing.tolist()), 5)
        raise RocPredictError(
            f"{table.name}: column {name!r} has {missing.size} missing of {len(values)}, at lines {listed}; "
            "--nan omit leaves these rows out"
        )
    return values


def parse_label(word: str | None, labels: Any) -> Any:
    """Give the label that a word calls: the number 1 by "1", False by "False", a date by "2020-01-31"."""
    if word is None or labels.dtype.kind == "U":
        return word
    return next((label for label in unique_labels(labels) if _label_matches(label, word)), word)


def _label_matches(label: Any, word: str) -> bool:
    if label_to_text(label) == word:
        return True
    if isinstance(label, bool):
        return word.lower() in (str(label).lower(), str(int(label)))
    try:
        return isinstance(label, (int, float)) and label == (float if isinstance(label, float) else Decimal)(word)
    except (ValueError, ArithmeticError):
        return False


_DEFAULT_WIDTH = 200  # columns where the output is not a terminal: nothing is wrapped


def add_pair_option(command: argparse.ArgumentParser, name: str, what: str) -> None:
    """Add an option that takes a number of each class."""
    command.add_argument(name, nargs=2, type=float, metavar=("NEGATIVE", "POSITIVE"), help=what)


def print_tables(*tables: Table) -> None:
    """Print tables, as wide as the terminal."""
    width = _DEFAULT_WIDTH
    if sys.stdout.isatty():
        from shutil import get_terminal_size

        width = get_terminal_size().columns
    print("\n\n".join(table.to_text(width) for table in tables))


def save_plot(path: Path, predicted: Roc, empirical: EmpiricalRoc | None = None, feature: str = "x") -> None:
    """Draw densities and curves into a file."""
    from rocpredict.plots.curves import plot_side_by_side
    from rocpredict.plots.style import save_figure

    save_figure(plot_side_by_side(predicted, empirical, feature=feature), path)
