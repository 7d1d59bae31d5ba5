"""Print tables, save pictures, and ask for a number of each class."""

import argparse
import sys
from pathlib import Path

from rocpredict.empirical import EmpiricalRoc
from rocpredict.roc import Roc
from rocpredict.tables import Table

_WIDE = 200  # columns where the output is not a terminal: nothing is wrapped


def add_pair(command: argparse.ArgumentParser, name: str, what: str) -> None:
    """Add an option that takes a number of each class."""
    command.add_argument(name, nargs=2, type=float, metavar=("NEGATIVE", "POSITIVE"), help=what)


def show(*tables: Table) -> None:
    """Print tables, as wide as the terminal."""
    width = _WIDE
    if sys.stdout.isatty():
        from shutil import get_terminal_size

        width = get_terminal_size().columns
    print("\n\n".join(table.to_text(width) for table in tables))


def save_plot(path: Path, predicted: Roc, empirical: EmpiricalRoc | None = None, feature: str = "x") -> None:
    """Draw densities and curves into a file."""
    from rocpredict.plots import save_figure, side_by_side

    save_figure(side_by_side(predicted, empirical, feature=feature), path)
