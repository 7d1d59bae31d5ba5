"""Shared fixtures: Hypothesis profiles, the command line in this process, and the tests of the core alone."""

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from rocpredict.cli import main
from tests.cases import CORE

settings.register_profile("quick", derandomize=True, deadline=None, max_examples=25)
settings.register_profile("thorough", derandomize=True, deadline=None, max_examples=400)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
FILE_OF_AN_EXTRA = re.compile(r"^pytestmark = .*\.extra\(", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """In a run of the core, ignore files without tests, and files that import an extra at their top."""
    if not CORE or collection_path.suffix != ".py":
        return None
    is_core = collection_path.name.startswith("test_") and not FILE_OF_AN_EXTRA.search(
        collection_path.read_text("utf-8")
    )
    return None if is_core else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of an extra in a run of the core only; otherwise, a missing library is a failure."""
    for item in items:
        if CORE and (mark := item.get_closest_marker("extra")):
            item.add_marker(pytest.mark.skip(reason=f"needs {', '.join(mark.args)}"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command line, with further words, in this process; return exit code, output and errors."""

    def call(line: str, *words: object) -> tuple[int, str, str]:
        code = main([*shlex.split(line), *map(str, words)])
        out, err = capsys.readouterr()
        return code, out, err

    return call
