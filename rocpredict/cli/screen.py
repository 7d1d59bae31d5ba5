"""Options and functions of the commands screen, summarize and merge."""

import argparse
import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from glob import glob
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from rocpredict.base.files import HTML_SUFFIXES, check_suffix, check_writable, is_stream, write_atomic
from rocpredict.base.formatting import format_list, label_to_text, pluralize
from rocpredict.base.labels import check_labels, count_labels, is_unlabelled
from rocpredict.base.results import describe_rest, omitted_notes
from rocpredict.base.tables import Table
from rocpredict.base.validation import NanPolicy, RocPredictError
from rocpredict.cli import common
from rocpredict.cli.commands import notes_for_report
from rocpredict.datasets import DATASET_NAMES
from rocpredict.inference.hypotheses import ADJUSTMENTS
from rocpredict.screening.class_summary import ClassSummary
from rocpredict.screening.result import ScreeningResult
from rocpredict.screening.screen import screen
from rocpredict.screening.summary import POOLED_NOTE, TwoClassSummary, describe_difference, read_summary, summarize
from rocpredict.sources.blocks import INDEX_NAMES
from rocpredict.sources.table import column_index

FORMATS = ("table", "csv", "json", "markdown")
_FORMAT_BY_SUFFIX = {".csv": "csv", ".json": "json", ".md": "markdown", ".parquet": "parquet", ".txt": "table"}
_DEFAULT_ROWS = 20
_EMPIRICAL_CHOICES: dict[str, bool | str] = {"yes": True, "no": False, "top": "top", "histogram": "histogram"}


def _add_table(command: argparse.ArgumentParser, more: str = "") -> None:
    """Add the options for files, classes and columns."""
    add = command.add_argument
    files = "CSV, Parquet, Feather or h5ad file; folder; file name pattern such as 'part*.csv'"
    sources = f"{files}{more}; or built-in data set ({', '.join(DATASET_NAMES)})"
    add("data", nargs="+", metavar="FILE", help=sources)
    common.add_classes(command)
    columns = command.add_mutually_exclusive_group()
    features = "feature to use; may be repeated (default: all numeric columns)"
    columns.add_argument("--feature", action="append", metavar="COLUMN", help=features)
    columns.add_argument("--exclude", action="append", metavar="COLUMN", help="column to exclude; may be repeated")
    memory = "memory budget for the blocks in which the table is read, such as 500MB (default: 1GB)"
    add("--memory", default="1GB", metavar="SIZE", help=memory)
    matrix = command.add_mutually_exclusive_group()
    matrix.add_argument("--layer", metavar="NAME", help="layer of an h5ad file to read (default: X)")
    matrix.add_argument("--use-raw", action="store_true", help="read the raw matrix of an h5ad file (adata.raw)")


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``screen``."""
    add = command.add_argument
    _add_table(command, "; summary (.json)")
    pairs = "with three or more labels: rest = each class against all others (default), all = each pair of classes"
    add("--pairs", choices=["rest", "all"], default="rest", help=pairs)
    empirical = (
        "features for which empirical results are computed. yes: all features (default for tables); no: no feature "
        "(default for summaries); top: the --n-top features whose predicted AUC is farthest from 1/2; histogram: all "
        "features, with an AUC that is estimated from histograms, and with the smallest and the largest AUC that are "
        "consistent with these histograms"
    )
    add("--empirical", choices=list(_EMPIRICAL_CHOICES), help=empirical)
    n_top = "number of features for which --empirical top computes empirical results (default: 100)"
    add("--n-top", type=int, default=100, metavar="N", help=n_top)
    family = (
        "gaussian (default): predict with two Gaussians; auto: predict with a weighted mean of the empirical "
        "distributions and the distributions of a model"
    )
    add("--family", choices=["gaussian", "auto"], default="gaussian", help=family)
    direction = f"{common.DIRECTION_HELP}; auto (default): chosen for each feature from its class means"
    add("--direction", choices=["auto", "higher", "lower"], default="auto", help=direction)
    common.add_level(command)
    adjustments = (
        "method that adjusts the p-values for multiple testing; the q-values are the adjusted p-values "
        f"(default: {ADJUSTMENTS[0]})"
    )
    add("--adjust", choices=ADJUSTMENTS, default=ADJUSTMENTS[0], help=adjustments)
    missing = (
        "missing values (separately for each feature) and rows without a label: omit them (default), or raise an error"
    )
    add("--nan", choices=["raise", "omit"], default="omit", help=missing)
    engine = "library that computes empirical results; auto (default) uses numba for large tables if it is installed"
    add("--engine", choices=["auto", "numpy", "numba"], default="auto", help=engine)
    add("--jobs", type=int, default=1, metavar="N", help="number of threads (default: 1; -1: one for each processor)")
    column = (
        "column by which the ranking is sorted (default: distance of the empirical AUC from 1/2, or of the predicted "
        "AUC if there is no empirical AUC)"
    )
    add("--sort", metavar="COLUMN", help=column)
    top = f"number of top-ranked features to print or write (default: {_DEFAULT_ROWS} in the terminal, all in files)"
    add("--top", type=int, metavar="N", help=top)
    add("--format", choices=FORMATS, help="output format (default: table)")
    add("--out", type=Path, metavar="FILE", help="file to write; without --format, its suffix sets the format")
    report = "also write an HTML report on all features of the ranking, with figures"
    add("--report", type=Path, metavar="FILE", help=report)


def run(options: argparse.Namespace) -> None:
    """Rank the features of a table by their predicted and empirical AUC.

    The predicted AUC is computed from means and standard deviations.

      rocpredict screen iris --positive virginica --negative versicolor
      rocpredict screen study.csv --label outcome --positive sick --top 10
      rocpredict screen january.parquet february.parquet --label outcome --positive sick --out ranking.csv
      rocpredict screen study.csv --label outcome --positive sick --report study.html
      rocpredict screen all.json

    FILE is a CSV, Parquet, Feather or h5ad file, several files with the same columns, a folder, a pattern such as
    "2024-*.csv", or a built-in data set (iris, pima, breast_cancer). FILE may also be a summary from "rocpredict
    summarize" or "rocpredict merge". A summary contains no individual values, so an empirical
    AUC can be computed only from histograms: if the summary contains them, pass --empirical histogram. With three or
    more labels and neither --positive nor --negative, each label is compared with the rest.
    """
    form = _format(options)
    is_summary = any(Path(name).suffix.lower() == ".json" for name in options.data)
    if is_summary and options.family == "auto":
        raise RocPredictError("--family auto applies to tables only; omit it if the input is a summary")
    options.empirical = options.empirical or ("no" if is_summary else "yes")
    _check(options, form)
    features, labels, notes = _read_one_summary(options) if is_summary else _read_data(options, options.nan)
    arguments = common.parse_classes(options, labels) | _screen_options(options)
    labels = None if is_summary else labels
    result = screen(features, labels, **arguments)
    lost = (*filter(None, [result.rest_note]), *omitted_notes(result))
    _write(_select_rows(result, options, form), result, options, form, (*notes, *lost))
    if options.report is None:
        return
    from rocpredict.reports.screening import screening_report

    ordered = result if options.sort is None else result.sort(options.sort)
    screening_report(
        ordered, options.report, data=None if is_summary else (features, labels), notes=notes_for_report(notes)
    )
    if form == "table" or (options.out is not None and not is_stream(options.out) and not options.json):
        noun = "feature" if len(result.class_pairs) == 1 else "row"
        print(f"{options.report}: a report on {pluralize(len(result), noun)}")


def _screen_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options as arguments of the function ``screen``."""
    return common.pick(options, "pairs", "n_top", "family", "direction", "level", "adjust", "engine", "memory") | {
        "empirical": _EMPIRICAL_CHOICES[options.empirical],
        "nan_policy": options.nan,
        "n_jobs": options.jobs,
    }


def _check(options: argparse.Namespace, form: str) -> None:
    """Check the options before the computation by screening a table of three rows."""
    common.check_unique("feature", options.feature)
    common.check_unique("exclude", options.exclude)
    engine = "numpy" if options.engine == "auto" else options.engine  # avoids compilation for three rows
    labels = [0, 1, 1] if options.empirical == "histogram" else [0, 1, 2]
    small = screen({"x": [0.0, 1.0, 2.0]}, labels, **_screen_options(options) | {"engine": engine})
    _select_rows(small, options, form)
    if options.report is not None:
        check_suffix("--report ", check_writable(options.report), *HTML_SUFFIXES)


def _format(options: argparse.Namespace) -> str:
    """Return the output format from the options or from the suffix of the output file ("table" by default)."""
    if options.json and options.format not in {None, "json"}:
        raise RocPredictError(f"--json cannot be combined with --format {options.format}; pass one of them")
    form = "json" if options.json else options.format
    if options.out is None:
        return form or "table"
    check_writable(options.out)
    if form is not None:
        suffixes = [suffix for suffix, name in _FORMAT_BY_SUFFIX.items() if name == form]
        check_suffix("--out ", options.out, *dict.fromkeys([*suffixes, ".txt"]), "")
        return str(form)
    suffix = options.out.suffix.lower()
    if suffix not in _FORMAT_BY_SUFFIX:
        raise RocPredictError(
            f"--out {options.out}: the suffix does not name a format; pass --format with one of {', '.join(FORMATS)}"
        )
    return _FORMAT_BY_SUFFIX[suffix]


def _read_data(options: argparse.Namespace, nan_policy: NanPolicy | None = None) -> tuple[Any, Any, tuple[str, ...]]:
    """Return the features, the labels and notes on the data."""
    builtin_names = [name for name in options.data if name in DATASET_NAMES and not Path(name).exists()]
    if builtin_names:
        if len(options.data) > 1:
            raise RocPredictError(
                f"the built-in data set {builtin_names[0]} cannot be combined with other data; screen it separately"
            )
        data = common.built_in(builtin_names[0], options, options.exclude or ())
        options.positive = data.classes["positive"]
        return data.features, data.labels, data.notes
    from rocpredict.sources.files import find_files, is_h5ad, open_tables, read_table_and_labels

    labels: Any
    notes: tuple[str, ...] = ()
    for name in options.data:
        common.check_file(name)
    paths = find_files(options.data)
    if any(map(is_h5ad, paths)):
        if options.label is None:
            raise RocPredictError("--label is needed; pass the name of a column in obs")
        matrix = common.pick(options, "layer", "use_raw")
        features, labels = read_table_and_labels(paths, options.label, nan_policy=nan_policy, **matrix)
        names = _feature_columns(options, features.names.tolist())
        if names is not None:
            argument = {"argument": "feature", "source_name": Path(paths[0]).name}
            features = features.select(np.array([column_index(features.names, name, **argument) for name in names]))
    else:
        if options.layer is not None or options.use_raw:
            option = "--use-raw" if options.layer is None else "--layer"
            raise RocPredictError(f"{option} applies to h5ad files only; omit it when reading {paths[0]}")
        files = open_tables(paths)
        if options.label is None:
            listed = format_list(filter(None, files.names), 10)
            raise RocPredictError(f"--label is needed; pass one of these columns: {listed}")
        features, labels = files.features(
            label=options.label, usecols=_feature_columns(options, files.names), nan_policy=nan_policy
        )
        if options.feature is None and set(files.names) & {*INDEX_NAMES} - {*(options.exclude or ())}:
            notes += ("The column without a name was not screened, because it is a row index.",)
    if features.not_numeric.any():
        notes += (features.describe_not_numeric(),)
    return features, labels, notes


def _feature_columns(options: argparse.Namespace, names: Sequence[str]) -> list[str] | None:
    """Return the names of the selected columns, or None for all columns."""
    if not options.exclude:
        return options.feature
    for name in options.exclude:
        column_index(np.array(names), name, argument="exclude", source_name=Path(options.data[0]).name)
    return [name for name in names if name not in {options.label, *options.exclude, *INDEX_NAMES}]


def _read_one_summary(options: argparse.Namespace) -> tuple[TwoClassSummary, Any, tuple[str, ...]]:
    """Return the selected features of a summary, its two class labels, and notes on the summary."""
    if len(options.data) > 1:
        raise RocPredictError(
            f"a summary (.json) must be screened alone, but {len(options.data)} files were passed; to combine "
            "summaries, use rocpredict merge"
        )
    if options.label is not None:
        raise RocPredictError(f"--label {options.label!r} applies to tables only; omit it if the input is a summary")
    if options.empirical in ("yes", "top"):
        raise RocPredictError(
            f"--empirical {options.empirical} applies to tables only, because a summary contains no observations; pass "
            "--empirical no, or --empirical histogram if the summary contains histograms"
        )
    summary = read_summary(options.data[0])
    names = _feature_columns(options, summary.feature_names)
    if names is not None:
        columns, source = np.array(summary.feature_names), Path(options.data[0]).name
        summary = summary.select(
            [column_index(columns, name, argument="feature", source_name=source) for name in names]
        )
    labels = np.array([summary.negative_label, summary.positive_label])
    return summary, labels, (POOLED_NOTE,) if len(summary.file_checksums) > 1 else ()


def add_summarize_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``summarize``."""
    add = command.add_argument
    _add_table(command)
    least = (
        "minimum number of values of a feature in each class (default: 5); a feature with fewer values in a class is "
        "blanked: its counts are set to 0, and its other statistics are omitted"
    )
    add("--min-count", type=int, default=5, metavar="N", help=least)
    edges = (
        'JSON file with the histogram edges of each feature, such as {"glucose": [90, 100, 110]}; all sites must use '
        "the same edges. The summary then contains histograms, in which adjacent cells (intervals between edges) are "
        "merged until each cell has at least --min-count values of each class, or no values"
    )
    add("--edges", type=Path, metavar="FILE.json", help=edges)
    missing = "rows without a label: raise an error (default), or omit them; missing values of features are omitted"
    add("--nan", choices=["raise", "omit"], default="raise", help=missing)
    unit = "unit of a feature, such as glucose=mg/dL; may be repeated; files are merged only if their units agree"
    add("--unit", action="append", metavar="COLUMN=UNIT", default=[], help=unit)
    add("--out", type=Path, metavar="FILE.json", help="file to write (default: print a table)")


def run_summarize(options: argparse.Namespace) -> None:
    """Reduce a table to statistics that a site can share: counts, means and sums of squares.

      rocpredict summarize study.csv --label outcome --positive sick --out site-a.json
      rocpredict merge site-*.json --out all.json
      rocpredict screen all.json

    The file does not contain individual observations, minima or maxima. It also omits the statistics of features with
    fewer than --min-count values in a class. With --edges, the file also contains histograms, which are needed for
    "rocpredict screen all.json --empirical histogram". The entry "contents" of the file describes in words what the
    file reveals about the data.
    """
    _check_json_out(options)
    pairs = [word.partition("=") for word in options.unit]
    for word, (name, _, unit) in zip(options.unit, pairs, strict=True):
        if not name or not unit:
            raise RocPredictError(
                f"--unit {word} does not have the form COLUMN=UNIT; pass --unit glucose=mg/dL, for example"
            )
    nan_policy, options.nan = options.nan, "omit"
    features, labels, notes = _read_data(options, nan_policy)
    if hasattr(features, "items"):  # built-in data
        features = dict(features)
    classes = common.parse_classes(options, labels)
    units = {name: unit for name, _, unit in pairs}
    edges = None if options.edges is None else _read_edges(options.edges)
    arguments = {"units": units, "histogram_edges": edges, "memory": options.memory, "nan_policy": nan_policy}
    summary = summarize(features, labels, **classes, **arguments)
    labels = check_labels(labels, ((),), nan_policy=nan_policy)
    rest = filter(None, [describe_rest(count_labels(labels), (summary.negative_label, summary.positive_label))])
    unlabelled = omitted_notes(SimpleNamespace(n_unlabelled=int(is_unlabelled(labels).sum())))
    numeric = summary.select(~getattr(features, "not_numeric", np.zeros(len(summary), dtype=bool)))
    shared = numeric.suppress_small_counts(options.min_count, histograms=edges is not None)
    is_blank = (shared.negative.count == 0) & (numeric.negative.count + numeric.positive.count > 0)
    blanked = [name for name, blank in zip(shared.feature_names, is_blank, strict=True) if blank]
    words = f"Features blanked because a class has fewer than {options.min_count} values: {format_list(blanked, 10)}."
    notes = (*rest, *unlabelled, *notes, *([words] if blanked else []), json.loads(shared.to_json())["contents"])
    _write_summary(shared, options, notes)


def _read_edges(path: Path) -> dict[str, Any]:
    """Read the histogram edges of features."""

    def check(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
        if twice:
            raise RocPredictError(f"--edges {path} contains {twice[0]!r} twice; list the edges of each feature once")
        return dict(pairs)

    try:
        edges = json.loads(path.read_text("utf-8-sig"), object_pairs_hook=check)
    except OSError as error:
        raise RocPredictError(f"{path}: {error.strerror}") from None
    except RocPredictError:
        raise
    except ValueError:
        edges = None
    if not isinstance(edges, dict):
        raise RocPredictError(f'--edges {path} is not a JSON file of edges such as {{"glucose": [90, 100, 110]}}')
    return edges


def add_merge_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``merge``."""
    command.add_argument("data", nargs="+", metavar="FILE.json", help="summaries from rocpredict summarize")
    command.add_argument("--out", type=Path, metavar="FILE.json", help="file to write (default: print a table)")


def run_merge(options: argparse.Namespace) -> None:
    """Combine the summaries of several sites.

      rocpredict merge site-*.json --out all.json

    The files must have the same features, units and labels. The result describes one pooled sample, as if all
    observations came from one site. If the values of one site are systematically higher than the values of another
    site, the AUC of the pooled sample is misleading. The Python function rocpredict.pool computes the AUC of each site
    and the mean of these AUCs.
    """
    _check_json_out(options)
    names = [
        path for name in options.data for path in ([name] if Path(name).exists() else sorted(glob(name)) or [name])
    ]
    if options.out is not None and not is_stream(options.out) and options.out.exists():
        for name in names:
            if Path(name).exists() and options.out.samefile(name):
                raise RocPredictError(f"--out {options.out} is one of the files to merge; pass another name")
    total, origins, notes, summaries = read_summary(names[0]), dict[str, str](), list[str](), list[TwoClassSummary]()
    for k, name in enumerate(names):
        summary = read_summary(name) if k else total
        for checksum in json.loads(summary.to_json())["file_checksums"]:
            if checksum in origins:
                raise RocPredictError(f"{name} contains the same data as {origins[checksum]}; pass each file once")
            origins[checksum] = name
        problem = describe_difference(total, summary)
        if problem:
            raise RocPredictError(f"{names[0]} and {name} cannot be merged: {problem}")
        summaries.append(summary)
        if k:
            notes += _lost_edges(total, summary, name, is_second=k == 1)
            total = total + summary
    if len(names) > 1:
        notes = [POOLED_NOTE, *_offsets([part.negative for part in summaries], total), *notes]
        notes += _empty_features(summaries, names)
    else:
        notes = [f"{names[0]} is the only file, so nothing was merged."]
    _write_summary(total, options, tuple(notes))


def _lost_edges(total: TwoClassSummary, summary: TwoClassSummary, file: str, *, is_second: bool) -> Iterator[str]:
    """Yield a sentence that names the features without a common edge of a file and the files before it."""
    first, second = total.histograms, summary.histograms
    if first is not None and second is not None:
        has_edges, has_other, has_common = (
            ~np.isnan(part.edges).all(axis=1) for part in (first, second, first + second)
        )
        is_lost = ((has_edges | has_other) if is_second else has_edges) & ~has_common
        if is_lost.any():
            listed = format_list(np.array(total.feature_names)[is_lost], 10)
            yield f"{file} and the files before it have no common edge of {listed}, so no empirical AUC is known."


def _empty_features(summaries: list[TwoClassSummary], files: list[str]) -> Iterator[str]:
    """Yield a sentence for each file that has no values of some features, although another file has such values."""
    counts = np.array([np.minimum(part.negative.count, part.positive.count) for part in summaries])
    for own, file in zip(counts, files, strict=True):
        is_empty = (own == 0) & (counts > 0).any(axis=0)
        if is_empty.any():
            listed = format_list(np.array(summaries[0].feature_names)[is_empty], 10)
            yield f"{file} has no values of {listed}; the result describes the other files."
    without = [file for part, file in zip(summaries, files, strict=True) if part.histograms is None]
    if 0 < len(without) < len(files):
        yield f"The result has no histograms, because there are none in {format_list(without, 10)}."


_MIN_OFFSET = 1e-150
"""Smallest offset that is compared with the standard deviation; squares of smaller numbers have rounding errors."""


def _offsets(classes: list[ClassSummary], total: TwoClassSummary) -> Iterator[str]:
    """Yield a sentence that names the features whose negatives differ between the files by more than 1 SD."""
    means, stds = (np.array([getattr(part, name) for part in classes]) for name in ("mean", "std"))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a feature without values
        ranges = np.nanmax(means, axis=0) - np.nanmin(means, axis=0)
        shifts = ranges / np.sqrt(np.nanmean(stds**2, axis=0))
        shifts[ranges < _MIN_OFFSET] = 0.0
    largest = [k for k in np.argsort(-np.nan_to_num(shifts))[:5] if shifts[k] > 1]
    if largest:
        listed = ", ".join(f"{total.feature_names[k]} ({shifts[k]:.2f} SD)" for k in largest)
        label = total.negative_label
        yield f"The means of the negatives ({label}) differ between the files by more than 1 SD in {listed}."


def _check_json_out(options: argparse.Namespace) -> None:
    if options.out is not None:
        check_suffix("--out ", check_writable(options.out), ".json")


def _write_summary(summary: TwoClassSummary, options: argparse.Namespace, notes: tuple[str, ...]) -> None:
    """Write a summary to a file, or print it."""
    table = summary.table()
    if options.out is None:
        if options.json:
            print(summary.to_json())
        else:
            common.print_tables(replace(table, notes=[table.notes[0], *notes]))
        return
    write_atomic(options.out, f"{summary.to_json()}\n")
    if not is_stream(options.out) and not options.json:
        print("\n".join([f"{options.out}: {pluralize(len(summary), 'feature')}. {table.notes[0]}", *notes]))


def _select_rows(table: ScreeningResult, options: argparse.Namespace, form: str) -> ScreeningResult:
    if options.top is not None and options.top < 1:
        raise RocPredictError(f"--top {options.top} is below 1; pass 1 or more")
    if options.sort is not None:
        table = table.sort(options.sort)
    on_screen = options.out is None and form in {"table", "markdown"}
    rows = _DEFAULT_ROWS if on_screen and options.top is None else options.top
    return table if rows is None else table.top(rows)


def _write(
    table: ScreeningResult, result: ScreeningResult, options: argparse.Namespace, form: str, notes: tuple[str, ...]
) -> None:
    """Print a table, or write it to a file and print the number of rows."""
    out, text_table = options.out, partial(_as_table, table, result, notes)
    if out is None and form == "table":
        common.print_tables(text_table())
        return
    texts = {"csv": lambda: str(table.to_csv()), "json": lambda: f"{table.to_json()}\n"}
    texts |= {"markdown": lambda: text_table().to_markdown(), "table": lambda: f"{text_table().to_text()}\n"}
    if out is None:
        sys.stdout.write(texts[form]())
        return
    if form == "parquet":
        table.to_parquet(out)
    else:
        write_atomic(out, texts[form]())
    if not is_stream(out) and not options.json:
        print(f"{out}: {pluralize(len(table), 'row')}")


def _as_table(table: ScreeningResult, result: ScreeningResult, notes: tuple[str, ...]) -> Table:
    """Return a table whose title states the number of rows and, if some rows are left out, the total number of rows."""
    title = f"{len(table)} of " if len(table) < len(result) else ""
    n_numeric = len(result) - int(result.flag_mask("not_numeric").sum())
    numeric = f" ({n_numeric} numeric)" if n_numeric < len(result) else ""
    if len(result.class_pairs) > 1:
        title += f"{pluralize(len(result), 'row')}{numeric} for {len(result.class_pairs)} class pairs"
    else:
        negative, positive = map(label_to_text, result.class_pairs[0])
        title += f"{pluralize(len(result), 'feature')}{numeric}: {positive} (positive) against {negative}"
    return replace(table.table(None), title=title, notes=(*notes, *_footnotes(table)), flags=None)


def _footnotes(table: ScreeningResult) -> Iterator[str]:
    """Yield sentences that explain the columns of the table."""
    where = " for features with family 'gaussian'" if table.family == "auto" else ""
    source = "histograms" if table.empirical == "histogram" else "ranks"
    empirical = f"empirical_auc is computed from {source}" if table.empirical else "empirical results were not computed"
    yield f"auc is predicted from two Gaussians{where}; {empirical}."
    if table.empirical == "top":
        yield (
            "Empirical results were computed only for the features whose predicted AUC is farthest from 1/2 "
            "(--empirical top)."
        )
    if table.family == "auto":
        yield (
            "With family 'auto', auc, threshold and ameans come from a weighted mean of the empirical "
            "distributions and the distributions of a binormal model of the ranks; model_weight is the weight of this "
            "model."
        )
    accuracy = (
        "ameans_corrected is accurate on average over all features, but too high for the top-ranked features."
        if table.empirical
        else "Without empirical results, ameans_corrected is computed from two Gaussians, so its error is large for "
        "skewed features; p_value is from Welch's t-test."
    )
    yield (
        f"q_value is p_value adjusted for multiple testing of all numeric features ({table.adjust}). "
        f"ameans_corrected is the optimism-corrected Ameans (balanced accuracy). {accuracy}"
    )
    if "misfit" in table.flags:
        yield "Flag misfit: two Gaussians do not describe the feature well; use the empirical AUC."
