"""Command line: parse, call, print."""

from collections.abc import Sequence

EXIT_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns
    -------
    int
        0 done (also with a warning: one line on stderr), 2 the input is wrong (one line on stderr), 1 a full disk or
        a closed output (one line) or our fault, 130 Ctrl-C.
    """
    try:
        from rocpredict.cli.parser import run_command  # imports take most of a short command

        return run_command(argv)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
