"""Command line of rocpredict."""

from collections.abc import Sequence

EXIT_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns
    -------
    int
        Exit code: 0 for success, also with warnings (one line each on stderr); 2 for invalid input, also
        an output folder that does not exist (one line on stderr); 1 for an output that fails while it is written (such
        as a full disk) or an internal error; 130 for Ctrl-C.
    """
    try:
        from rocpredict.cli.parser import run_command  # the imports take most of the time of a short command

        return run_command(argv)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
