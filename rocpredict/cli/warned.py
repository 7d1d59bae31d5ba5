"""What the library warns of, as lines on stderr."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rocpredict.cli.wording import in_options
from rocpredict.errors import AssumptionWarning


@contextmanager
def as_lines(command: str) -> Iterator[None]:
    """Print each AssumptionWarning as one line, in the words of options; other warnings are shown as ever."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", AssumptionWarning)
        as_ever = warnings.showwarning

        def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, AssumptionWarning):
                line = " ".join(in_options(str(message)).split())
                print(f"rocpredict {command}: warning: {line}", file=sys.stderr)
            else:
                as_ever(message, category, *place, **more)

        warnings.showwarning = show
        yield


@contextmanager
def about(name: str) -> Iterator[None]:
    """Name the feature that a warning is about."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AssumptionWarning)
        yield
    for one in caught:
        words = f"{name}: {one.message}" if issubclass(one.category, AssumptionWarning) else one.message
        warnings.warn_explicit(words, one.category, one.filename, one.lineno)
