"""Structure of the notebooks, their stored outputs, and the comparison that fails if outputs change.

Whether their outputs are the library's is seen where they run: ``pytest --nbmake notebooks`` compares each fresh run
with what is stored (``notebooks/conftest.py``). Here is what can be seen without a kernel, and that this comparison
finds what it must.
"""

import ast
import re
import shutil
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from notebooks.stored import code_cells, differences, kinds, same, shown, tidy, visible
from tests.cases import check_each, for_each

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
STORIES = [
    "01_paper",
    "02_iris_discriminability",
    "03_when_the_gaussian_fails",
    "04_plan_a_study_from_a_published_table",
    "05_screen_many_features",
    "06_compare_two_classifiers",
    "07_teaching",
]
_WIDEST = 100  # characters that a page shows without a scroll bar
_DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+")
STORED = {path.stem: nbformat.read(path, 4) for path in NOTEBOOKS}


def _shows(source):
    """Return whether a cell should show output: it ends with an expression, or prints outside a function."""
    body = ast.parse(source).body
    texts = [ast.unparse(part) for part in body if not isinstance(part, ast.FunctionDef)]
    return isinstance(body[-1], ast.Expr) or any("print(" in text for text in texts)


def test_every_notebook_is_present():
    assert list(STORED) == STORIES


@for_each(STORED)
def test_outputs_are_stored(notebook):
    """All code cells ran once, in their order; none failed or wrote to stderr; what shows something shows it here.

    No times, versions, warnings or paths: storing again changes only the shown results.
    """
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert "error" not in kinds(cell)
        assert all(output.get("name") != "stderr" for output in cell.outputs)
        assert cell.outputs or not _shows(cell.source), cell.source
    assert tidy(deepcopy(notebook)) == notebook
    nbformat.validate(notebook)
    text = " ".join(shown(cell) for cell in cells)
    assert not re.search(r"Warning|Traceback|(?<![\w<.])/(?:home|tmp|usr|root|work|Users)/|[A-Z]:\\", text)


@for_each(STORED)
def test_each_notebook_names_its_reader_and_conclusions(notebook):
    """The first cell names the reader, the last what to take away and where to read on; every link leads to a file."""
    cells = notebook.cells
    assert cells[0].source.startswith("# ")
    assert "\n**For** " in cells[0].source
    assert cells[-1].source.startswith("## What to take away\n")
    assert "**Read on:**" in cells[-1].source
    links = re.findall(r"\]\((?!https?:)([^)#]+)", "\n".join(cell.source for cell in cells))
    assert links
    assert [target for target in links if not (ROOT / "notebooks" / target).exists()] == []


def test_notebooks_are_short():
    """Some ten cells of code, prose between them, no line that must be scrolled, and no file of a megabyte."""

    def check(notebook):
        sources = [cell.source for cell in code_cells(notebook)]
        assert 6 <= len(sources) <= 16
        assert len(notebook.cells) - len(sources) >= len(sources) / 2
        assert max(len(line) for source in sources for line in source.splitlines()) <= _WIDEST
        assert max(len(source.splitlines()) for source in sources) <= 30

    check_each(STORED, check)
    assert max(path.stat().st_size for path in NOTEBOOKS) < 750_000


@for_each(list(STORED))
def test_only_public_names_are_used(story):
    """Of rocpredict the package itself and its rooms for pictures, and for the paper's own notebook those results."""
    allowed = {"rocpredict", "rocpredict.plots"} | ({"rocpredict.paper"} if story == "01_paper" else set())
    trees = [ast.parse(cell.source) for cell in code_cells(STORED[story])]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    modules = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    modules |= {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    assert {name for name in modules if name.startswith("rocpredict")} <= allowed
    assert not [node.attr for node in nodes if isinstance(node, ast.Attribute) and node.attr.startswith("_")]


@for_each(STORED)
def test_numbers_in_the_prose_are_shown(notebook):
    """Every decimal number in the prose stands in the code or in an output, to the digits that the prose has."""
    cells = code_cells(notebook)
    values = [float(figure) for cell in cells for figure in _DECIMAL.findall(f"{shown(cell)} {cell.source}")]
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    for figure in _DECIMAL.findall(prose):
        digits = len(figure.split(".")[1])
        assert any(f"{value:.{digits}f}" == figure for value in values), figure


def test_numbers_agree_to_a_millionth():
    """Decimals may differ by rounding errors; whole numbers, signs, words and how many there are may not."""
    for stored, fresh, agree in (
        ("AUC 0.8663712534", "AUC 0.8663712535", True),
        ("AUC 0.866371", "AUC 0.866372", False),
        ("AUC 0.866", "Auc 0.866", False),
        ("p 1.9e-16", "p 1.9e-15", False),
        ("n 1000001", "n 1000000", False),
        ("-0.5", "0.5", False),
        ("1, 2", "1, 2, 3", False),
    ):
        assert same(stored, fresh) is agree, stored


def _cell(*outputs):
    return new_notebook(cells=[new_code_cell("x", outputs=list(outputs))])


def _result(**data):
    kinds = {"html": "text/html", "plain": "text/plain", "png": "image/png"}
    return new_output("execute_result", {kinds[name]: value for name, value in data.items()})


def _said(text):
    return new_output("stream", name="stdout", text=text)


_PAGE = "<iframe srcdoc='&lt;p>{p}&lt;/p>&lt;script type=\"application/json\">{data}&lt;/script>'></iframe>"


def test_changes_that_make_an_output_stale():
    """Words and numbers count, in pages within pages too; the bytes of pictures and the look of a table do not."""
    for stored, fresh, count in (
        ([_said("0.5")], [_said("0.5")], 0),
        ([_said("0.5")], [], 1),
        ([_result(plain="Roc(0.5)", png="one")], [_result(plain="Roc(0.5)", png="two")], 0),
        ([_result(plain="Roc(0.5)", png="one")], [_result(plain="Roc(0.5)")], 1),
        ([_result(plain="Roc", png="one")], [_result(png="one", plain="Roc")], 0),
        ([_result(plain="<X at 0x7f01>")], [_result(plain="<X at 0x8a02>")], 0),
        ([_result(html="<b>0.5</b>", plain="x")], [_result(html="<i>0.5</i>", plain="x")], 0),
        ([_result(html="<b>0.5</b>", plain="x")], [_result(html="<b>0.6</b>", plain="x")], 1),
        ([_result(html="<style>b {}</style>a")], [_result(html="<style>i {}</style>a")], 0),
        ([_result(html="<svg aria-label='AUC 0.5'/>")], [_result(html="<svg aria-label='AUC 0.6'/>")], 1),
        ([_result(html=_PAGE.format(p=1, data=0.5))], [_result(html=_PAGE.format(p=1, data=0.6))], 1),
        ([_said("auc "), _said("0.5")], [_said("auc 0.5\n")], 0),
    ):
        assert len(differences(_cell(*stored), _cell(*fresh))) == count, (stored, fresh)


def test_the_visible_text_of_a_page_is_read():
    page = "<style>b</style><b>one</b><img alt='two'><script>three()</script><p>four &amp; five</p>"
    assert visible(page).split() == ["one", "two", "four", "&", "five"]


@pytest.mark.extra("nbmake")
def test_a_stale_notebook_fails_under_nbmake(tmp_path):
    """The hook is connected: of two notebooks that run without an error the one with another output stored fails."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    for name in ("__init__.py", "conftest.py", "stored.py"):
        shutil.copy(ROOT / "notebooks" / name, folder)
    for name, stored in {"fresh": "0.5", "stale": "0.6"}.items():
        cell = new_code_cell("1 / 2", outputs=[new_output("execute_result", {"text/plain": stored}, execution_count=1)])
        nbformat.write(tidy(new_notebook(cells=[cell])), folder / f"{name}.ipynb")
    call = [sys.executable, "-m", "pytest", "--nbmake", "-q", "-p", "no:cacheprovider", "notebooks"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "make notebooks" in done.stdout
    assert "FAILED notebooks/stale.ipynb" in done.stdout
