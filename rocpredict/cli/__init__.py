"""Command line: parse, call, print."""

import argparse
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from rocpredict._version import __version__
from rocpredict.base.validation import RocPredictError
from rocpredict.cli.commands import (
    DIAGNOSE_DESCRIPTION,
    PAPER_DESCRIPTION,
    PREDICT_DESCRIPTION,
    REPORT_DESCRIPTION,
    SAMPLE_SIZE_DESCRIPTION,
    TEACH_DESCRIPTION,
    add_diagnose_options,
    add_paper_options,
    add_predict_options,
    add_report_options,
    add_sample_size_options,
    add_teach_options,
    run_diagnose,
    run_paper,
    run_predict,
    run_report,
    run_sample_size,
    run_teach,
)
from rocpredict.cli.compare import COMPARE_DESCRIPTION, add_compare_options, run_compare
from rocpredict.cli.data import print_warnings, translate_to_options
from rocpredict.cli.screen import SCREEN_DESCRIPTION, add_screen_options, run_screen

EXIT_OK, EXIT_BUG, EXIT_USAGE = 0, 1, 2
DESCRIPTION = """\
Predict a ROC curve, its area (AUC) and its best threshold from the distributions of two classes.

The rule is: positive when x >= threshold. Classes are named in the order negative, positive.
"""


class _Command(NamedTuple):
    """A command: its name, its help and the functions that define its options and run it."""

    name: str
    summary: str
    description: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], None]


_COMMANDS = (
    _Command(
        "paper", "the founding paper's tables and figures beside ours", PAPER_DESCRIPTION, add_paper_options, run_paper
    ),
    _Command("predict", "a ROC curve from means and SDs", PREDICT_DESCRIPTION, add_predict_options, run_predict),
    _Command(
        "compare",
        "predicted against empirical, and features against each other, from data",
        COMPARE_DESCRIPTION,
        add_compare_options,
        run_compare,
    ),
    _Command(
        "diagnose",
        "whether to believe the prediction of a feature, from data",
        DIAGNOSE_DESCRIPTION,
        add_diagnose_options,
        run_diagnose,
    ),
    _Command("screen", "every feature of a table, ranked", SCREEN_DESCRIPTION, add_screen_options, run_screen),
    _Command(
        "sample-size", "how many cases a study needs", SAMPLE_SIZE_DESCRIPTION, add_sample_size_options, run_sample_size
    ),
    _Command(
        "report", "all about one feature, as one file to hand over", REPORT_DESCRIPTION, add_report_options, run_report
    ),
    _Command("teach", "the teaching page, served or saved", TEACH_DESCRIPTION, add_teach_options, run_teach),
)


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
        with print_warnings(options.command):
            options.run(options)
    except RocPredictError as error:
        print(f"rocpredict: {translate_to_options(str(error))}", file=sys.stderr)
        return EXIT_USAGE
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has had enough
        return EXIT_OK
    except KeyboardInterrupt:
        return 130
    except Exception:
        traceback.print_exc()
        print(f"rocpredict: this is a fault of rocpredict {__version__}, not of your input", file=sys.stderr)
        return EXIT_BUG
    return EXIT_OK


class _Parser(argparse.ArgumentParser):
    """An argument parser that says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise RocPredictError(f"{message} (see {self.prog} --help)")


def _parser() -> _Parser:
    parser = _Parser(prog="rocpredict", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    for command in _COMMANDS:
        _add_command(commands, command)
    return parser


def _add_command(commands: Any, command: _Command) -> None:
    """Add the parser of a command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        command.name,
        help=command.summary,
        description=command.description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print JSON with every digit instead of tables")
    command.add_options(parser)
    parser.set_defaults(run=command.run, command=command.name)
