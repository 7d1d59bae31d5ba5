"""``rocpredict paper``: the founding paper's tables and figures beside ours."""

import argparse
from pathlib import Path

from rocpredict.cli.showing import show
from rocpredict.errors import RocPredictError
from rocpredict.files import make_folder, write_whole
from rocpredict.tables import to_json

ABOUT = """\
Print Tables I to IV of the founding paper, ours beside the printed ones, and draw its Figures 1 to 5.

  rocpredict paper
  rocpredict paper --out paper     tables as CSV and JSON, figures as PNG and SVG
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    command.add_argument("--seed", type=int, default=0, help="of the redrawn experiments of Table I (default 0)")
    command.add_argument("--out", type=Path, metavar="DIR", help="write tables and figures into this folder")


def run(options: argparse.Namespace) -> None:
    """Make the tables, and the figures where a folder is named."""
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
    show(*tables.values())
    if options.out is not None:
        print(f"\n{2 * len(tables)} table files and {len(figures)} figure files in {options.out}")
