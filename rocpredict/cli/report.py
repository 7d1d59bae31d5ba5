"""``rocpredict report``: one feature as a page to hand over."""

import argparse
from collections.abc import Iterable
from pathlib import Path

from rocpredict.cli.data import add_data, add_family, load, named
from rocpredict.errors import RocPredictError
from rocpredict.files import check_place, is_stream
from rocpredict.tables import to_json

ABOUT = """\
Write all there is to say of one feature as one HTML file: curves, intervals, a test, the best
threshold, rates, trust, and a methods paragraph.

  rocpredict report pima --feature glucose --out glucose.html
  rocpredict report data.csv --label outcome --positive sick --feature glucose --out glucose.html
  rocpredict report pima --feature age --family auto --prevalence 0.1 --out age.html

DATA is a CSV file with a header line, or the name of a built-in data set (iris, pima, breast_cancer).
"""


def add_options(command: argparse.ArgumentParser) -> None:
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


def run(options: argparse.Namespace) -> None:
    """Write the page and say where."""
    check_place(options.out)
    data = load(options)
    if len(data.features) != 1:
        raise RocPredictError(f"a report is of one feature, here are {len(data.features)}; name it by --feature")
    ((name, values),) = data.features.items()
    from rocpredict.report import feature_report

    asked = ("family", "direction", "level", "prevalence", "unit", "title", "date", "seed")
    given = {option: getattr(options, option) for option in asked} | {"nan_policy": options.nan, **data.classes}
    given |= {"feature": name, "n_resamples": options.resamples, "notes": on_page(data.notes)}
    named(name, feature_report, values, data.labels, options.out, **given)
    if is_stream(options.out):
        return
    if options.json:
        print(to_json({"feature": name, "report": str(options.out)}))
        return
    print("\n".join([f"{options.out}: a report of {name}", *data.notes]))


def on_page(notes: Iterable[str]) -> tuple[str, ...]:
    """Say of the data, to who reads the page and gave no options, what became of them."""
    said = (note.replace(" (--nan raise takes them as they are)", "") for note in notes)
    return tuple(note.replace("--nan omit leaves these rows out", "here they are taken as they are") for note in said)
