"""The command line: parse, call, print."""

import argparse
import sys
import traceback
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NoReturn

from rocpredict.cli import compare, diagnose, paper, plan, predict, report, screen, teach
from rocpredict.cli.warned import as_lines
from rocpredict.cli.wording import in_options
from rocpredict.errors import RocPredictError
from rocpredict.version import __version__

_DONE, _OUR_FAULT, _WRONG_INPUT = 0, 1, 2

_ABOUT = """\
Predict a ROC curve, its area (AUC) and its best threshold from the distributions of two classes.

The rule is: positive when x >= threshold. Classes are named in the order negative, positive.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns
    -------
    int
        0 done (also with a warning: one line on stderr), 2 the input is wrong (one line on stderr), 1 our fault.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter still gets its line
    try:
        options = _parser().parse_args(argv)
        with as_lines(options.command):
            options.run(options)
    except RocPredictError as error:
        print(f"rocpredict: {in_options(str(error))}", file=sys.stderr)
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


class _Parser(argparse.ArgumentParser):
    """An argument parser that says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise RocPredictError(f"{message} (see {self.prog} --help)")


def _parser() -> _Parser:
    parser = _Parser(prog="rocpredict", description=_ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    for name, command, summary in (
        ("paper", paper, "the founding paper's tables and figures beside ours"),
        ("predict", predict, "a ROC curve from means and SDs"),
        ("compare", compare, "predicted against empirical, and features against each other, from data"),
        ("diagnose", diagnose, "whether to believe the prediction of a feature, from data"),
        ("screen", screen, "every feature of a table, ranked"),
        ("plan", plan, "how many cases a study needs"),
        ("report", report, "all about one feature, as one file to hand over"),
        ("teach", teach, "the teaching page, served or saved"),
    ):
        _add(commands, name, command, summary)
    return parser


def _add(commands: Any, name: str, command: ModuleType, summary: str) -> None:
    """Add a command that a module of this folder describes (ABOUT), asks about (add_options) and runs (run)."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=command.ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON with every digit instead of tables")
    command.add_options(parser)
    parser.set_defaults(run=command.run, command=name)
