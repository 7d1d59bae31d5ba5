"""Many cases in one test: each case is checked, and all failures are reported together."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from itertools import product
from typing import Any, TypeVar

import pytest

from rocpredict import RocPredictError

T = TypeVar("T")
CORE = "ROCPREDICT_CORE" in os.environ
"""True if optional libraries are left out, as in ``make test-core``."""
ENGINES = ("numpy",) if CORE else ("numpy", "numba")
"""Engines of a screening; numba is an extra."""


def optional(name: str) -> Any:
    """Return an optional library, or None in ``make test-core``, which has no cases for the library."""
    return None if CORE else import_module(name)


def check_each(cases: Mapping[str, T], check: Callable[[T], None]) -> None:
    """Check every case, and raise one AssertionError that names all cases that failed."""
    failures = {}
    for name, case in cases.items():
        try:
            check(case)
        except (AssertionError, pytest.fail.Exception) as error:
            failures[name] = error
        except Exception as error:
            error.add_note(f"in case {name}")
            raise
    if failures:
        words = [f"{len(failures)} of {len(cases)} cases failed", *(f"{name}: {e}" for name, e in failures.items())]
        raise AssertionError("\n".join(words)) from next(iter(failures.values()))


def for_each(*axes: Mapping[str, object] | Iterable[object]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Make one test from a check of one case; the items of tuples, and of several axes, are its arguments in order."""
    named = []
    for axis in axes:
        names = {f"[{i}] {str(case)[:80]}": case for i, case in enumerate(axis)}
        named.append((axis if isinstance(axis, Mapping) else names).items())
    cases = {}
    for combination in product(*named):
        parts = [case if isinstance(case, tuple) else (case,) for _, case in combination]
        cases[", ".join(name for name, _ in combination)] = sum(parts, ())
    assert cases

    def decorate(check):
        def test():
            check_each(cases, lambda case: check(*case))

        test.__name__, test.__qualname__, test.__doc__ = check.__name__, check.__qualname__, check.__doc__
        return test

    return decorate


def refusal(call: Callable[..., object], /, *arguments: object, **options: object) -> str:
    """Return the message of the RocPredictError that a call raises, which is a ValueError and has one line."""
    with pytest.raises(RocPredictError) as raised:
        call(*arguments, **options)
    assert isinstance(raised.value, ValueError)
    message = str(raised.value)
    assert "\n" not in message
    return message


def refuses(pattern: str, call: Callable[..., object], /, *arguments: object, **options: object) -> None:
    """Check that a call raises a RocPredictError that the pattern matches."""
    message = refusal(call, *arguments, **options)
    assert re.search(pattern, message), message


def check_refusals(refusals: Iterable[tuple[Callable[..., object], tuple[object, ...], str]]) -> None:
    """Check for each (function, arguments, pattern) that the call raises a RocPredictError that the pattern matches."""

    def check(case):
        function, arguments, pattern = case
        refuses(pattern, function, *arguments)

    check_each({f"[{i}] {case[2]}": case for i, case in enumerate(refusals)}, check)


def check_refused(table: Iterable[tuple[Callable[[], object], str]]) -> None:
    """Check for each (call, words) that the call raises a RocPredictError that contains the words."""
    check_refusals((call, (), words) for call, words in table)


def check_starts(calls: Mapping[str, Callable[[], object]]) -> None:
    """Check that the message of each refused call starts with its words."""
    check_refusals((call, (), f"^{re.escape(words)}") for words, call in calls.items())
