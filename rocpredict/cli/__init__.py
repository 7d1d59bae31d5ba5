"""Command line of rocpredict."""

from collections.abc import Sequence

EXIT_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns
    -------
    int
        Exit code.

        - 0: success. Each warning is printed as one line on stderr.
        - 1: an internal error, or a failure to write the output, for example because the disk is full.
        - 2: invalid input, such as an output folder that does not exist. The error is printed as one line on stderr.
        - 130: the command was interrupted by Ctrl-C.
    """
    try:
        from rocpredict.cli.parser import run_command  # the imports take most of the time of a short command

        return run_command(argv)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
