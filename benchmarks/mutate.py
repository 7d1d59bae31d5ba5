"""Test the tests: change one operator, constant or name of the package at a time, and see whether a test fails.

``make mutate`` records which test runs which line, and then changes a seeded sample of places, each in a copy of the
project. The tests that run the changed line are tried, beginning with the tests that run the fewest lines. A mutant
that no test reveals is printed with its line.
"""

import argparse
import ast
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from coverage import CoverageData

TOP = Path(__file__).parent.parent
ROOMS = ("solvers", "distributions", "inference", "screening", "base/labels.py", "base/rates.py", "roc")
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not", "is not": "is"}
OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*", "and": "or", "or": "and", "&": "|", "|": "&"}
NAMES = {
    "minimum": "maximum",
    "min": "max",
    "argmin": "argmax",
    "any": "all",
    "floor": "ceil",
    "left": "right",
    "cdf": "sf",
    "cdf_strict": "cdf",
    "sf_inclusive": "sf",
    "sorted_sample": "sample",
    "low": "high",
    "fpr": "tpr",
    "negative": "positive",
    "log1p": "log",
    "expm1": "exp",
}
NAMES |= {
    new: old for old, new in NAMES.items() if new in {"maximum", "max", "argmax", "all", "high", "tpr", "positive"}
}


@dataclass(frozen=True)
class Mutant:
    """One change: in ``path``, the text from ``start`` to ``end`` becomes ``new``."""

    path: str
    line: int
    start: int
    end: int
    old: str
    new: str


def find_mutants(path: Path) -> Iterator[Mutant]:
    """Return all possible changes of a file, except changes of annotations, decorators and messages."""
    source = path.read_text("utf-8")
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    data = source.encode()

    def mutant(begin: int, end: int, new: str, line: int) -> Mutant:
        return Mutant(str(path.relative_to(TOP)), line, begin, end, data[begin:end].decode(), new)

    def span(node: ast.expr) -> tuple[int, int]:
        return starts[node.lineno - 1] + node.col_offset, starts[(node.end_lineno or 1) - 1] + (
            node.end_col_offset or 0
        )

    for node in _code(ast.parse(source)):
        if isinstance(node, (ast.Compare, ast.BinOp, ast.BoolOp)):
            parts = [node.left, *node.comparators] if isinstance(node, ast.Compare) else None
            parts = parts or ([node.left, node.right] if isinstance(node, ast.BinOp) else node.values)
            table = COMPARISONS if isinstance(node, ast.Compare) else OPERATORS
            for left, right in itertools.pairwise(parts):
                begin, end = span(left)[1], span(right)[0]
                between = data[begin:end].decode()
                symbol = between.strip(" ()\n")
                if symbol in table:
                    at = begin + between.index(symbol)
                    yield mutant(at, at + len(symbol), table[symbol], left.end_lineno or 0)
        elif isinstance(node, ast.Constant) and type(node.value) in {int, float, bool}:
            begin, end = span(node)
            value = node.value
            new = (
                str(not value)
                if isinstance(value, bool)
                else repr(value + 1 if isinstance(value, int) else value * 1.25)
            )
            yield mutant(begin, end, new if new != data[begin:end].decode() else "1.0", node.lineno)
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            end = span(node)[1]
            yield mutant(end - len(node.attr), end, NAMES[node.attr], node.end_lineno or 0)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
            begin, end = span(node)[0], span(node.operand)[0]
            yield mutant(begin, end, "", node.lineno)


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Return the nodes that compute something."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "bases", "type_params"} or isinstance(
            node, ast.JoinedStr
        ):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, (ast.Raise, ast.Import, ast.ImportFrom)) or _is_for_checkers(child):
                continue
            if isinstance(child, ast.AST):
                yield child
                yield from _code(child)


def _is_for_checkers(node: object) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def sample_mutants(rooms: list[str], count: int, seed: int) -> list[Mutant]:
    """Return mutants drawn at random from all mutants of the files."""
    paths = [TOP / "rocpredict" / room for room in rooms]
    files = sorted(file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py")))
    mutants = [one for file in files if "numba" not in file.name for one in find_mutants(file)]
    return random.Random(seed).sample(mutants, min(count, len(mutants)))


def is_global(mutant: Mutant) -> bool:
    """Return whether a mutant lies outside of all functions."""
    functions = [
        node
        for node in ast.walk(ast.parse((TOP / mutant.path).read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]
    return not any(node.lineno <= mutant.line <= (node.end_lineno or 0) for node in functions)


class TestIndex:
    """The tests that run each line, from the data of ``coverage run`` with ``dynamic_context = test_function``."""

    def __init__(self, data_file: Path) -> None:
        data = CoverageData(str(data_file))
        data.read()
        self._tests: dict[tuple[str, int], set[str]] = {}
        for file in data.measured_files():
            name = "rocpredict" + file.split("/rocpredict")[-1]
            for line, contexts in data.contexts_by_lineno(file).items():
                self._tests[name, line] = {context.rpartition(".")[2] for context in contexts if context}
        self._n_lines = Counter(test for tests in self._tests.values() for test in tests)
        self._files: dict[str, set[str]] = {}
        for path in sorted((TOP / "tests").rglob("test_*.py")):
            text = path.read_text("utf-8")
            tests = re.findall(r"^def (test_\w+)", text, re.MULTILINE)
            for test in [*tests, *(["test_function"] if "hypothesis" in text else [])]:
                self._files.setdefault(test, set()).add(str(path.relative_to(TOP)))

    def find(self, mutant: Mutant) -> list[str]:
        """Return pytest's names of the tests of a mutant, sorted by the number of lines that they run."""
        # A line inside a long expression has no record; the preceding line has one.
        lines = (self._tests.get((mutant.path, mutant.line - back), set()) for back in range(8))
        found = next(filter(None, lines), set())
        if is_global(mutant):  # the line runs only at import: use every test of the file
            found = set().union(*(tests for (path, _), tests in self._tests.items() if path == mutant.path))
        tests = sorted(found, key=lambda test: self._n_lines[test])
        # Hypothesis runs all properties under one name; all files with properties are then added.
        return [
            file if test == "test_function" else f"{file}::{test}"
            for test in sorted(tests, key=lambda test: test == "test_function")
            for file in sorted(self._files.get(test, ()))
        ]


def is_killed(mutant: Mutant, copy: Path, arguments: list[str]) -> bool:
    """Return whether a test fails with this mutant."""
    file = copy / mutant.path
    original = file.read_bytes()
    try:
        file.write_bytes(original[: mutant.start] + mutant.new.encode() + original[mutant.end :])
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *arguments]
        environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            finished = subprocess.run(
                command, cwd=copy, env=environment, capture_output=True, timeout=1200, check=False
            )
        except subprocess.TimeoutExpired:
            return True
        return finished.returncode != 0
    finally:
        file.write_bytes(original)


def main() -> None:
    """Test a sample of mutants, and print the mutants that survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", nargs="+", default=list(ROOMS))
    parser.add_argument("--only", type=int, nargs="+", help="positions of the mutants to test in the sample")
    parser.add_argument("--out", type=Path, help="JSON file to write the results to")
    parser.add_argument("--coverage", type=Path, required=True, help="data file of coverage, with one context per test")
    options = parser.parse_args()
    index, results = TestIndex(options.coverage), []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        listed = subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=True).stdout.split(
            "\n"
        )
        for name in filter(None, listed):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, copy / name)
        for place, mutant in enumerate(sample_mutants(options.rooms, options.count, options.seed)):
            if options.only and place not in options.only:
                continue
            tests = index.find(mutant)
            killed = is_killed(mutant, copy, tests or ["--ignore", "tests/browser", "-n", "2", "tests"])
            results.append(asdict(mutant) | {"place": place, "killed": killed, "n_tests": len(tests)})
            word = "killed  " if killed else "SURVIVED"
            change = f"{mutant.path}:{mutant.line} {mutant.old!r} -> {mutant.new!r}"
            print(f"{place:3} {word} {change} ({len(tests)} tests)", flush=True)
            if options.out is not None:
                options.out.parent.mkdir(parents=True, exist_ok=True)
                options.out.write_text(json.dumps(results, indent=1), "utf-8")
    print(f"{sum(one['killed'] for one in results)} of {len(results)} mutants were killed")


if __name__ == "__main__":
    main()
