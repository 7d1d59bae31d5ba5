"""Parser, exit codes and error messages of the command line."""

import argparse
import errno
import io
import os
import re
import sys
import traceback
from collections.abc import Iterable, Sequence
from contextlib import suppress
from inspect import getdoc
from typing import Any, NoReturn

from rocpredict._version import __version__
from rocpredict.base.validation import RocPredictError, suggest
from rocpredict.cli import commands, screen
from rocpredict.cli.common import print_message, print_warnings, show_progress, translate_to_options

EXIT_OK, EXIT_FAILURE, EXIT_USAGE = 0, 1, 2
DESCRIPTION = """\
Predict a ROC curve, its area (AUC) and its best threshold from the distributions of two classes.

By default, an observation is predicted positive if its value is at or above the threshold. If an option has two
values, as in --mean 4 8, the first is for the negative class and the second for the positive class. Terms are defined
in the glossary of the rocpredict documentation (docs/glossary.md).
"""
_OUTPUT_ERRORS = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
_NEGATIVE_NUMBER = re.compile(r"-((\d[\d_]*\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity|nan)$", re.IGNORECASE)


def run_command(argv: Sequence[str] | None = None) -> int:
    """Parse the arguments, run the command, and return the exit code of ``main``."""
    _prepare_streams()
    try:
        _parse_and_run(argv)
        sys.stdout.flush()
    except RocPredictError as error:
        cause: BaseException | None = error
        while cause is not None and not (isinstance(cause, OSError) and cause.errno in _OUTPUT_ERRORS):
            cause = cause.__context__
        if cause is not None:
            return _report_failed_output(cause, str(error))
        print_message(translate_to_options(str(error)))
        return EXIT_USAGE
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _OUTPUT_ERRORS:
            return _report_failed_output(error, f"the output cannot be written: {error.strerror}")
        message = "not enough memory for these data"
        if not isinstance(error, MemoryError):
            message = f"internal error of rocpredict {__version__}; please report it"
            with suppress(OSError, ValueError):
                traceback.print_exc()
        print_message(message)
        return EXIT_FAILURE
    return EXIT_OK


def _prepare_streams() -> None:
    """Make stdout and stderr accept all characters, and replace streams that are closed."""
    if sys.stdout is None:
        sys.stdout = _ClosedStream()
    if sys.stderr is None:
        sys.stderr = io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # characters that the encoding lacks are escaped


class _ClosedStream(io.StringIO):
    """Replacement for a standard output that was closed before the command began."""

    def write(self, text: str) -> int:
        del text
        raise OSError(errno.EBADF, "stdout is closed")


def _report_failed_output(error: Any, message: str) -> int:
    """Report that the output cannot be written, and return the exit code.

    The exit code is 0, and nothing is reported, if the output is a pipe that its reader has closed.
    """
    with suppress(OSError, ValueError):  # writing the rest of the buffer would fail again when Python exits
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:
        return EXIT_OK
    print_message(message)
    return EXIT_FAILURE


def _parse_and_run(argv: Sequence[str] | None) -> None:
    parser = make_parser()
    words = sys.argv[1:] if argv is None else argv
    if not words:
        parser.print_help(sys.stderr)
        raise RocPredictError("no command was passed; pass one of the commands above")
    try:
        options = parser.parse_args(words)
    except SystemExit:  # help and version
        sys.stdout.flush()
        raise
    with print_warnings(options.command), show_progress():
        options.run(options)


class _Parser(argparse.ArgumentParser):
    """Parser that reports an error on one line and suggests the nearest option or choice."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._negative_number_matcher = _NEGATIVE_NUMBER

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; report an unknown option before a missing argument."""
        self._check_options(args or ())
        return super().parse_known_args(args, namespace)

    def _check_options(self, words: Iterable[str]) -> None:
        names = list(self._option_string_actions)
        for word in words:
            if word == "--" or (self._subparsers is not None and not word.startswith("-")):
                return
            option = word.partition("=")[0]
            if word.startswith("--") and " " not in option and not any(name.startswith(option) for name in names):
                hint = suggest(option[2:], [name[2:] for name in names]).replace("mean '", "mean '--")
                self.error(f"unrecognized option: {option}{hint}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            hint = suggest(value, choices)
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}; choose from {', '.join(choices)}{hint}")

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)  # argparse would ignore a full disk

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments"):
            message += "; repeat an option to pass several values, such as --feature A --feature B"
        if comma := re.search(r"invalid (?:float|int) value: '(-?\d+),(\d+)'$", message):
            message += f"; pass {comma[1]}.{comma[2]} for one number, or {comma[1]} {comma[2]} for two"
        raise RocPredictError(f"{message} (see {self.prog} --help)")


COMMANDS = {
    "paper": (commands.add_paper_options, commands.run_paper),
    "predict": (commands.add_predict_options, commands.run_predict),
    "compare": (commands.add_compare_options, commands.run_compare),
    "diagnose": (commands.add_diagnose_options, commands.run_diagnose),
    "screen": (screen.add_options, screen.run),
    "summarize": (screen.add_summarize_options, screen.run_summarize),
    "merge": (screen.add_merge_options, screen.run_merge),
    "sample-size": (commands.add_sample_size_options, commands.run_sample_size),
    "power": (commands.add_power_options, commands.run_power),
    "report": (commands.add_report_options, commands.run_report),
    "teach": (commands.add_teach_options, commands.run_teach),
}
"""For each command, the function that adds its options, and the function that runs it (its docstring is the help)."""


def make_parser() -> argparse.ArgumentParser:
    """Return the parser for all commands, which is also used by tools for shell completion."""
    layout: dict[str, Any] = {"formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = _Parser(prog="rocpredict", description=DESCRIPTION, **layout)
    parser.add_argument("--version", action="version", version=__version__)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    for name, (add_options, run) in COMMANDS.items():
        text = getdoc(run) or ""
        command = subparsers.add_parser(name, help=text.partition("\n")[0], description=text, **layout)
        command.add_argument("--json", action="store_true", help="print JSON with full precision instead of tables")
        add_options(command)
        command.set_defaults(run=run, command=name)
    return parser
