"""The command line: parse, call, print."""

import argparse
import re
import sys
import traceback
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NoReturn

from rocpredict import __version__
from rocpredict.cli import compare, paper, plan, predict, screen
from rocpredict.errors import RocPredictError

_DONE, _OUR_FAULT, _WRONG_INPUT = 0, 1, 2

_ABOUT = """\
Predict a ROC curve, its area (AUC) and its best threshold from the distributions of two classes.

The rule is: positive when x >= threshold. Classes are named in the order negative, positive.
"""


_ARGUMENTS = (
    *("mean", "std", "sem", "median", "iqr", "effect_size", "count", "prevalence", "criterion", "beta", "value"),
    *("positive", "negative", "cost_fp", "cost_fn"),
    *("auc", "width", "power", "against", "against_mean", "against_std", "correlation", "tpr_at_fpr"),
    *("level", "alternative", "ratio", "method", "margin", "direction", "n_top", "engine", "label", "exclude"),
)
"""What the library calls ``name=`` and the command line ``--name``."""
_RENAMED = {"n_resamples": "resamples", "rng": "seed", "n_jobs": "jobs", "by": "sort", "k": "top", "only": "feature"}
"""What the command line calls otherwise."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns
    -------
    int
        0 done, 2 the input is wrong (one line on stderr), 1 our fault.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter still gets its line
    try:
        options = _parser().parse_args(argv)
        options.run(options)
    except RocPredictError as error:
        print(f"rocpredict: {_in_options(str(error))}", file=sys.stderr)
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


def _in_options(message: str) -> str:
    """Say the library's words as the command line's: ``sem= needs count=`` as ``--sem needs --count``."""
    message = message.replace("nan_policy='omit' leaves", "--nan omit leaves")
    names = rf"\b({'|'.join([*_ARGUMENTS, *_RENAMED])})"
    named = re.sub(names + r"=(?=[\s,;)]|$)", lambda found: _option(found[1]), message)
    return re.sub(names + r"=", lambda found: f"{_option(found[1])} ", named)


def _option(argument: str) -> str:
    return f"--{_RENAMED.get(argument, argument).replace('_', '-')}"


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
        ("screen", screen, "every feature of a table, ranked"),
        ("plan", plan, "how many cases a study needs"),
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
    parser.set_defaults(run=command.run)
