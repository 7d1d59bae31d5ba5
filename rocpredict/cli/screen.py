"""``rocpredict screen``: every feature of a table, ranked."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rocpredict.cli.data import as_label, built_in, check_twice
from rocpredict.cli.report import on_page
from rocpredict.cli.showing import show
from rocpredict.datasets import BUILT_IN
from rocpredict.errors import RocPredictError
from rocpredict.features.table import column_of
from rocpredict.files import check_place, is_stream, write_whole
from rocpredict.screening import ADJUSTMENTS, Screening, screen
from rocpredict.tables import Table, as_text, to_json

ABOUT = """\
Rank the features of a table by how well each tells two classes apart: predicted from means and
standard deviations, and counted.

  rocpredict screen iris --positive virginica --negative versicolor
  rocpredict screen study.csv --label outcome --positive sick --top 10
  rocpredict screen january.parquet february.parquet --label outcome --positive sick --out ranking.csv
  rocpredict screen study.csv --label outcome --positive sick --report study.html

FILE is a CSV or Parquet file, several with the same columns, or a built-in data set (iris, pima, breast_cancer).
With three or more labels and no --positive each label is set against the rest.
"""

FORMATS = ("table", "csv", "json", "markdown")
_BY_SUFFIX = {".csv": "csv", ".json": "json", ".md": "markdown", ".parquet": "parquet", ".txt": "table"}
_ROWS_SHOWN = 20
_FORMATS = {"q_value": ".2g", "misfit": ".3f", "model_share": ".2f"}
_COUNTED: dict[str, bool | str] = {"yes": True, "no": False, "top": "top"}


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    command.add_argument("data", nargs="+", metavar="FILE", help=f"CSV or Parquet, or one of {', '.join(BUILT_IN)}")
    command.add_argument("--label", metavar="COLUMN", help="the column with the classes (built-in data know theirs)")
    command.add_argument("--positive", metavar="LABEL", help="the positive class (pima: pos, breast_cancer: malignant)")
    command.add_argument("--negative", metavar="LABEL", help="the negative class (default: every other label)")
    command.add_argument("--pairs", choices=["rest", "all"], default="rest", help="several labels: against the rest")
    columns = command.add_mutually_exclusive_group()
    columns.add_argument("--feature", action="append", metavar="COLUMN", help="may be repeated (default: all columns)")
    columns.add_argument("--exclude", action="append", metavar="COLUMN", help="leave it out; may be repeated")
    command.add_argument("--empirical", choices=list(_COUNTED), default="yes", help="count the exact AUC of all (yes)")
    command.add_argument("--n-top", type=int, default=100, metavar="N", help="features counted with --empirical top")
    command.add_argument("--family", choices=["gaussian", "auto"], default="gaussian", help="auto: shrunk estimates")
    command.add_argument("--direction", choices=["auto", "higher", "lower"], default="auto", help="of each rule (auto)")
    command.add_argument("--level", type=float, default=0.95, metavar="L", help="confidence (default 0.95)")
    command.add_argument("--adjust", choices=ADJUSTMENTS, default=ADJUSTMENTS[0], help="how q-values are made")
    command.add_argument("--nan", choices=["raise", "omit"], default="omit", help="leave missing values out (default)")
    command.add_argument("--engine", choices=["auto", "numpy", "numba"], default="auto", help="who counts")
    command.add_argument("--jobs", type=int, default=1, metavar="N", help="threads; -1: one on each processor")
    command.add_argument(
        "--sort", metavar="COLUMN", help="order of the rows (default: by distance of the AUC from 1/2)"
    )
    command.add_argument("--top", type=int, metavar="N", help=f"rows (default: {_ROWS_SHOWN} on screen, all in files)")
    command.add_argument("--format", choices=FORMATS, help="of what is printed or written (default: table)")
    command.add_argument("--out", type=Path, metavar="FILE", help="write there; its suffix may tell the format")
    command.add_argument(
        "--report", type=Path, metavar="FILE", help="write all rows as an HTML page, with pictures too"
    )


def run(options: argparse.Namespace) -> None:
    """Screen, and print or write."""
    form = _format(options)
    _check(options, form)
    features, labels, notes = _read(options)
    classes = {"positive": as_label(options.positive, labels), "negative": as_label(options.negative, labels)}
    with _progress() as progress:
        whole = screen(features, labels, **classes, **_asked(options), progress=progress)
    _write(_chosen(whole, options, form), whole, options, form, notes)
    if options.report is not None:
        _report(whole, (features, labels), options, notes)
        if form == "table" or (options.out is not None and not is_stream(options.out)):
            print(f"{options.report}: a report of {_many(len(whole), _word(whole))}")


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    """Give the options as the library takes them."""
    return {
        "pairs": options.pairs,
        "empirical": _COUNTED[options.empirical],
        "n_top": options.n_top,
        "family": options.family,
        "direction": options.direction,
        "level": options.level,
        "adjust": options.adjust,
        "nan_policy": options.nan,
        "engine": options.engine,
        "n_jobs": options.jobs,
    }


def _check(options: argparse.Namespace, form: str) -> None:
    """Find what is wrong with the options before the work: a table of three rows is screened with them."""
    check_twice("feature", options.feature)
    check_twice("exclude", options.exclude)
    engine = "numpy" if options.engine == "auto" else options.engine  # nothing is compiled for three rows
    small = screen({"x": [0.0, 1.0, 2.0]}, [0, 1, 2], **_asked(options) | {"engine": engine})
    _chosen(small, options, form)
    for path in (options.out, options.report):
        if path is not None:
            check_place(path)


def _format(options: argparse.Namespace) -> str:
    """Give the format asked for, that of the file's suffix, or a table."""
    if options.json:
        if options.format not in {None, "json"}:
            raise RocPredictError(f"--json and --format {options.format} are two formats; choose one")
        return "json"
    if options.format is not None:
        return str(options.format)
    if options.out is None:
        return "table"
    suffix = options.out.suffix.lower()
    if suffix not in _BY_SUFFIX:
        raise RocPredictError(f"--out {options.out}: its suffix tells no format; add --format {', '.join(FORMATS)}")
    return _BY_SUFFIX[suffix]


def _read(options: argparse.Namespace) -> tuple[Any, Any, tuple[str, ...]]:
    """Give the features, the labels, and what is to be said of them."""
    named = [name for name in options.data if name in BUILT_IN and not Path(name).exists()]
    if named:
        if len(options.data) > 1:
            raise RocPredictError(f"{named[0]} is built-in data; screen it by itself")
        data = built_in(named[0], options, options.exclude or ())
        options.positive = data.positive
        return data.features, data.labels, data.notes
    from rocpredict.table_files import scan_files

    for name in options.data:
        if not Path(name).suffix and not Path(name).exists():
            raise RocPredictError(f"{name} is neither a file nor a built-in data set ({', '.join(BUILT_IN)})")
    files = scan_files(options.data)
    if options.label is None:
        raise RocPredictError(f"--label is needed; columns are {_listed(files.names)}")
    features, labels = files.features(label=options.label, only=_only(options, files.names))
    words = features.names[features.not_numeric]
    return features, labels, (f"Not numeric, and not screened: {_listed(words)}.",) if len(words) else ()


def _only(options: argparse.Namespace, names: Sequence[str]) -> list[str] | None:
    """Name the columns to take as features, or None for all."""
    if not options.exclude:
        named: list[str] | None = options.feature
        return named
    for name in options.exclude:
        column_of(np.array(names), name, what="exclude", holder=Path(options.data[0]).name)
    return [name for name in names if name not in {options.label, *options.exclude}]


def _chosen(table: Screening, options: argparse.Namespace, form: str) -> Screening:
    if options.sort is not None:
        table = table.sort(options.sort)
    rows = _ROWS_SHOWN if options.top is None and options.out is None and form in {"table", "markdown"} else options.top
    return table if rows is None else table.top(rows)


def _write(table: Screening, of: Screening, options: argparse.Namespace, form: str, notes: tuple[str, ...]) -> None:
    """Print a table, or write it to a file and say so."""
    out = options.out
    if out is None and form == "table":
        show(_as_table(table, of, notes))
    elif out is None:
        sys.stdout.write(_text(table, of, form, notes))
    elif form == "parquet":
        table.to_parquet(out)
    else:
        write_whole(out, _text(table, of, form, notes))
    if out is not None and not is_stream(out):
        print(f"{out}: {_many(len(table), 'row')}")


def _report(table: Screening, data: tuple[Any, Any], options: argparse.Namespace, notes: tuple[str, ...]) -> None:
    """Write the page of all rows, in the order that is asked for."""
    from rocpredict.report import screening_report

    ordered = table if options.sort is None else table.sort(options.sort)
    screening_report(ordered, options.report, data=data, notes=on_page(notes))


def _text(table: Screening, of: Screening, form: str, notes: tuple[str, ...]) -> str:
    if form == "csv":
        return str(table.to_csv())
    if form == "json":
        return to_json(_as_json(table)) + "\n"
    shown_table = _as_table(table, of, notes)
    return shown_table.to_markdown() if form == "markdown" else shown_table.to_text() + "\n"


def _as_json(table: Screening) -> dict[str, Any]:
    columns = table.to_dict()
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    return {
        "contrasts": [{"negative": negative, "positive": positive} for negative, positive in table.contrasts],
        "level": table.level,
        "adjust": table.adjust,
        "family": table.family,
        "n_rows": table.n_rows,
        "features": [row | {"flags": row["flags"].split()} for row in rows],
    }


def _as_table(table: Screening, of: Screening, notes: tuple[str, ...]) -> Table:
    names = table.shown_columns()
    rows = [[None if cell != cell else cell for cell in row] for row in zip(*(table[n] for n in names), strict=True)]  # noqa: PLR0124
    return Table(_title(table, of), names, rows, _FORMATS, (*notes, *_remarks(table)))


def _title(table: Screening, of: Screening) -> str:
    """Say how many rows there are, and of how many where some were left out."""
    cut = f"{len(table)} of " if len(table) < len(of) else ""
    if len(of.contrasts) > 1:
        return f"{cut}{_many(len(of), 'row')} of {len(of.contrasts)} contrasts"
    negative, positive = map(as_text, of.contrasts[0])
    return f"{cut}{_many(len(of), 'feature')}: {positive} (positive) against {negative}"


def _remarks(table: Screening) -> Iterator[str]:
    """Say what the columns do not."""
    kind = "auc is predicted by two Gaussians" + (" where family says so" if table.family == "auto" else "")
    yield kind + (", empirical_auc counted." if table.empirical else "; nothing was counted.")
    if table.family == "auto":
        yield (
            "family auto: auc, threshold and ameans are estimated between the rows and a transformed Gaussian; "
            "model_share is that of the latter."
        )
    yield (
        f"q_value: {table.adjust} over all features. ameans_honest is what the threshold is worth on other rows, "
        "on the average over all features; of the first of many it is too high."
    )
    if "misfit" in table.flags:
        yield "misfit: the Gaussians do not describe the feature; trust the empirical AUC."


def _word(table: Screening) -> str:
    return "feature" if len(table.contrasts) == 1 else "row"


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _listed(names: Any, most: int = 10) -> str:
    listed = ", ".join(str(name) for name in list(names)[:most])
    return listed if len(names) <= most else f"{listed}, ... ({len(names)} in all)"


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """Give what draws a bar on a terminal, and nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("features", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
