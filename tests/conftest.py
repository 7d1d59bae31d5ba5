"""What all tests share: examples of Hypothesis, the command line in this process, and tests of the core alone."""

import ast
import os
import shlex
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from rocpredict.cli import main

if find_spec("hypothesis"):
    from hypothesis import settings

    settings.register_profile("quick", derandomize=True, deadline=None, max_examples=25)
    settings.register_profile("thorough", derandomize=True, deadline=None, max_examples=400)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

OPTIONAL = (
    *("numba", "narwhals", "polars", "sklearn", "dask", "anywidget"),  # of the package's extras
    *("anndata", "duckdb", "hatchling", "hypothesis", "mpmath", "nbformat", "pandas", "PIL", "pyarrow", "selenium"),
)
MISSING = frozenset(name for name in OPTIONAL if "ROCPREDICT_CORE" in os.environ and find_spec(name) is None)
"""What may be missing: nothing but in ``make test-core``."""
ROOT = Path(__file__).parents[1]


@cache
def missing_imports(path: Path) -> frozenset[str]:
    """Return the missing libraries that a file imports at its top, or that modules of tests it imports do."""
    names: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    modules = (ROOT / f"{name.replace('.', '/')}.py" for name in names if name.startswith("tests."))
    files = [file for file in modules if file.exists() and file != path]
    libraries = {name.removeprefix("rocpredict.").partition(".")[0] for name in names}
    return frozenset(libraries & MISSING).union(*map(missing_imports, files))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out a file that needs a missing library."""
    return True if MISSING and collection_path.suffix == ".py" and missing_imports(collection_path) else None


def pytest_report_header() -> list[str]:
    """Name the files that are left out."""
    left_out = {path.name: missing_imports(path) for path in sorted(Path(__file__).parent.glob("test_*.py"))}
    return [f"left out: {name}, without {', '.join(sorted(why))}" for name, why in left_out.items() if why]


def _skip_without_library(error: BaseException) -> None:
    """Skip a test whose error comes from the import of a missing library."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ImportError) and (cause.name or "").partition(".")[0] in MISSING:
            pytest.skip(f"{cause.name} is not installed")
        if "pip install" in str(cause) and any(name in str(cause) for name in MISSING):
            pytest.skip(str(cause))
        cause = cause.__cause__ or cause.__context__


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    """Skip a test whose fixtures need a missing library."""
    try:
        return (yield)
    except Exception as error:
        _skip_without_library(error)
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Skip a test that needs a missing library."""
    try:
        return (yield)
    except Exception as error:
        _skip_without_library(error)
        raise


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a line of the command line in this process, with further words: exit code, output, errors."""

    def call(line: str, *words: object) -> tuple[int, str, str]:
        code = main([*shlex.split(line), *map(str, words)])
        out, err = capsys.readouterr()
        return code, out, err

    return call
