"""Replace each argument of each public call by each odd value in turn: ``python -m tests.fuzz.sweep --count 10000``."""

import inspect
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from rocpredict.base.validation import AssumptionWarning
from tests.fuzz.api import CALLS, NOT_CALLED, RESULTS, VALID_OF_METHOD, _outcome
from tests.fuzz.outcomes import Outcome, empty_folder, main
from tests.fuzz.values import JUNK, NUMBERS


def _recursive() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


ODD: tuple[Callable[[], Any], ...] = (
    *NUMBERS,
    *JUNK,
    *(lambda make=make: make(np.eye(2)) for make in (sparse.bsr_array, sparse.coo_array)),
    *(
        lambda v=v: v
        for v in (2**62, -(2**63), np.uint64(2**63), np.float16(0.5), np.longdouble(0.5), "a\nb", Path("a"))
    ),
    lambda: [10**400],
    lambda: lambda: 0,
    _recursive,
)
"""Values that replace each argument."""


def _functions() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Return the public functions and the methods of their results, each with valid arguments."""
    for name, (function, valid) in CALLS.items():
        yield name, function, valid
        if name in RESULTS:
            result = function(**valid)
            for member in sorted(m for m in dir(type(result)) if m[0] != "_" and m not in NOT_CALLED):
                if callable(method := getattr(result, member)):
                    required = [p.name for p in inspect.signature(method).parameters.values() if p.default is p.empty]
                    yield f"{name}.{member}", method, VALID_OF_METHOD.get(member, dict.fromkeys(required, 0.5))


def _calls() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any], str, int]]:
    for name, function, valid in _functions():
        for p in inspect.signature(function).parameters.values():
            if p.kind not in {p.VAR_KEYWORD, p.VAR_POSITIONAL} and p.name not in {"self", "path", "progress"}:
                yield from ((name, function, valid, p.name, number) for number in range(len(ODD)))


def run(count: int, seed: int) -> list[Outcome]:
    """Make a random share of all calls, or all of them where there are fewer than ``count``."""
    with empty_folder(), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", AssumptionWarning)
        calls = list(_calls())
        chosen = np.sort(np.random.default_rng(seed).permutation(len(calls))[:count])
        return [
            _outcome(name, function, valid | {argument: ODD[number]()})
            for name, function, valid, argument, number in (calls[place] for place in chosen)
        ]


if __name__ == "__main__":
    main(run)
