"""The layout of the package: rooms, the import contract, and the picture of it in CONTRIBUTING.md."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import rocpredict
from docs import rooms_picture

PACKAGE = Path(rocpredict.__file__).parent
TOP = PACKAGE.parent
CONTRACTS = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
NOT_ROOMS = {"__init__.py", "__init__.pyi", "__main__.py", "_version.py", "py.typed"}


def _module(path: Path) -> str:
    parts = path.relative_to(TOP).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def _imports(path: Path) -> Iterator[str]:
    """Return the modules of the package that a file imports, at the top, in functions or for types."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "rocpredict":
            for alias in node.names:
                module = f"{node.module}.{alias.name}"
                yield module if module in MODULES else str(node.module)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "rocpredict")


def _level(contract: dict[str, list[str]], module: str) -> tuple[int, str] | None:
    """Return the layer of a module, counted from the top, and its name in the contract."""
    (container,) = contract["containers"]
    if not module.startswith(container + "."):
        return None
    name = module.removeprefix(container + ".").split(".")[0]
    for level, line in enumerate(contract["layers"]):
        if name in [part.strip() for part in line.split("|")]:
            return level, name
    raise AssertionError(f"{module} has no place in the contract of {container}")


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract["containers"][0])
def test_no_module_imports_upwards(contract):
    upwards = []
    for module, path in MODULES.items():
        here = _level(contract, module)
        for target in _imports(path):
            there = _level(contract, target)
            if here and there and here[1] != there[1] and here[0] >= there[0]:
                upwards.append(f"{module} -> {target}")
    assert not upwards


def test_the_contract_names_every_room_with_several_modules():
    rooms = {_module(path.parent / "__init__.py") for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"}
    assert rooms == {contract["containers"][0] for contract in CONTRACTS}


def test_the_contract_has_no_exceptions():
    assert all(contract["exhaustive"] and "ignore_imports" not in contract for contract in CONTRACTS)


def test_there_are_at_most_18_rooms():
    rooms = {path.name for path in PACKAGE.iterdir() if path.name not in NOT_ROOMS | {"__pycache__"}}
    assert len(rooms) <= 18, rooms


def test_the_picture_of_the_rooms_is_that_of_the_imports():
    assert rooms_picture.PICTURE.read_text("utf-8") == rooms_picture.draw(), "run: python docs/rooms_picture.py"
