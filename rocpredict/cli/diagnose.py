"""``rocpredict diagnose``: whether to believe the prediction of one feature."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rocpredict.cli.data import add_data, add_family, load, named
from rocpredict.cli.showing import show
from rocpredict.cli.wording import in_options
from rocpredict.diagnosis import Diagnosis, diagnose
from rocpredict.errors import RocPredictError
from rocpredict.tables import Table, to_json

ABOUT = """\
Say whether the predicted ROC curve of one feature can be believed, and where it fails.

  rocpredict diagnose pima --feature glucose
  rocpredict diagnose data.csv --label outcome --positive sick --feature glucose --plot glucose.svg
  rocpredict diagnose pima --feature age --family boxcox

DATA is a CSV file with a header line, or the name of a built-in data set (iris, pima, breast_cancer).
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_data(command)
    add_family(command)
    command.add_argument(
        "--direction", choices=["higher", "lower", "auto"], help="where the positives lie (default: higher)"
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of the samples that are drawn (default 0)")
    command.add_argument("--resamples", type=int, default=500, metavar="N", help="how many are drawn (default 500)")
    command.add_argument("--plot", type=Path, metavar="FILE", help="draw curves, quantiles and densities (.svg, .png)")


def run(options: argparse.Namespace) -> None:
    """Diagnose and print."""
    data = load(options)
    if len(data.features) != 1:
        raise RocPredictError(
            f"one feature is diagnosed at a time, here are {len(data.features)}; name it by --feature"
        )
    ((name, values),) = data.features.items()
    asked = {"family": options.family, "direction": options.direction, "nan_policy": options.nan, **data.classes}
    found = named(name, diagnose, values, data.labels, n_resamples=options.resamples, rng=options.seed, **asked)
    if options.plot is not None:
        from rocpredict.plots import save_figure

        save_figure(found.plot(feature=name), options.plot)
    if options.json:
        print(to_json({"feature": name} | found.to_dict()))
        return
    show(_table(found, name, data.notes))


def _table(found: Diagnosis, name: str, notes: Sequence[str]) -> Table:
    """Say the diagnosis' own table in the words of options."""
    told = found.table()
    rows = [[in_options(cell) if isinstance(cell, str) else cell for cell in row] for row in told.rows]
    title = f"Diagnosis of {name}, --family {found.family}"
    return Table(title, told.columns, rows, told.formats, [*map(in_options, told.notes), *notes])
