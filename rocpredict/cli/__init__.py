"""Command line: parse, call, print."""

import argparse
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

from rocpredict._version import __version__
from rocpredict.base.validation import RocPredictError
from rocpredict.cli.commands import DIAGNOSE, PAPER, PREDICT, REPORT, SAMPLE_SIZE, TEACH
from rocpredict.cli.compare import COMPARE
from rocpredict.cli.data import print_warnings, translate_to_options
from rocpredict.cli.screen import SCREEN

EXIT_OK, EXIT_BUG, EXIT_USAGE = 0, 1, 2
DESCRIPTION = """\
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
    """Parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        raise RocPredictError(f"{message} (see {self.prog} --help)")


def _parser() -> _Parser:
    parser = _Parser(prog="rocpredict", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    for command in (PAPER, PREDICT, COMPARE, DIAGNOSE, SCREEN, SAMPLE_SIZE, REPORT, TEACH):
        options = commands.add_parser(
            command.name,
            help=command.summary,
            description=command.description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        options.add_argument("--json", action="store_true", help="print JSON with every digit instead of tables")
        command.add_options(options)
        options.set_defaults(run=command.run, command=command.name)
    return parser
