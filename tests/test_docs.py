"""The documentation is correct: its Python code runs, its numbers are those of the library, its files exist."""

import ast
import re
import shlex
import textwrap
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import rocpredict as rp
import rocpredict.solvers.shrinkage
from rocpredict import distributions, solvers
from rocpredict.base.results import FLAG_DESCRIPTIONS
from rocpredict.cli import main
from rocpredict.cli.parser import make_parser
from rocpredict.distributions.estimators import MOMENT_ESTIMATORS
from rocpredict.distributions.fitting import FAMILIES
from tests.cases import check_each

ROOT = Path(__file__).parents[1]
# Of each page with Python: how many figures in comments are the library's at least.
PAGES = {
    "README.md": 2,
    "docs/index.md": 3,
    "docs/quickstart.md": 15,
    "docs/api.md": 0,
    "docs/intervals.md": 2,
    "docs/bands.md": 5,
    "docs/classifiers.md": 0,
    "docs/planning.md": 0,
    "docs/screening.md": 0,
    "docs/sites.md": 0,
    "docs/large-tables.md": 0,
    "docs/multivariate.md": 2,
    "docs/scikit-learn.md": 2,
    "docs/reports.md": 0,
    "docs/teaching.md": 0,
    "docs/families.md": 5,
    "docs/trust.md": 5,
    "docs/two-thresholds.md": 5,
}
PRINTED = ("docs/quickstart.md", "docs/intervals.md", "docs/families.md", "docs/trust.md", "docs/two-thresholds.md")
"""Pages that show what their blocks print."""
RUN_ELSEWHERE = {"docs/gallery.md"}  # tests/test_plot_gallery.py


def _blocks(page, language):
    return re.findall(
        rf"^ *```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )


def _figures(value):
    """Return the numbers of a result in their order; of an interval, its bounds."""
    if isinstance(value, (tuple, list, np.ndarray, rp.Interval)):
        return [figure for item in value for figure in _figures(item)]
    return [float(value)] if isinstance(value, float | int | np.number) else []


def _as_shown(value, figure):
    """A number in the form of another: with as many decimals, and an exponent where that has one."""
    mantissa, exponent, _ = figure.partition("e")
    digits = len(mantissa.partition(".")[2])
    return format(value, f".{digits}e" if exponent else f".{digits}f")


def _is_expression(code):
    try:
        ast.parse(code.strip(), mode="eval")
    except SyntaxError:
        return False
    return bool(code.strip())


PAGES_OF_EXTRAS = {
    "README.md",
    *(f"docs/{name}.md" for name in ("classifiers", "large-tables", "screening", "scikit-learn", "sites", "teaching")),
}
"""Pages with data frames, a database or scikit-learn."""


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.extra("pandas", "sklearn")] * (page in PAGES_OF_EXTRAS)) for page in PAGES],
)
def test_python_blocks_run_and_their_figures_are_the_librarys(page, tmp_path, monkeypatch, capsys):
    """Every Python block runs in its order, in an empty folder, without a warning.

    A comment that begins with a figure is the answer of its line, to the digits shown; the text block after a block is
    what it prints.
    """
    monkeypatch.chdir(tmp_path)
    names, checked = {}, 0
    text = textwrap.dedent((ROOT / page).read_text("utf-8"))
    for block, shown in re.findall(r"^ *```python\n(.*?)```(?:\n```text\n(.*?)```)?", text, re.DOTALL | re.MULTILINE):
        source = textwrap.dedent(block)
        exec(compile(source, page, "exec"), names)
        assert capsys.readouterr().out == shown or page not in PRINTED
        for line in source.splitlines():
            code, _, comment = line.partition("  # ")
            figures = re.findall(r"\d+\.\d+(?:e-?\d+)?", re.split("[:;]", comment)[0])
            if not (comment[:1].isdigit() and _is_expression(code)):
                continue
            values = _figures(eval(code, names))
            if len(values) != len(figures):  # whole numbers may be shown as such
                values = [value for value in values if value % 1]
            if values:
                assert [_as_shown(value, figure) for value, figure in zip(values, figures, strict=True)] == figures, (
                    line
                )
                checked += len(figures)
    if page == "docs/bands.md":
        assert [round(float(end[20]), 3) for end in (names["whole"].low, names["whole"].high)] == [0.241, 0.804]
        assert not names["whole"].contains(lambda fpr: fpr)
    assert checked >= PAGES[page]


def test_the_numbers_of_the_readme_are_the_librarys():
    block = _blocks("README.md", "python")[0]
    roc = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2), count=(60, 40))
    best = roc.best_threshold()
    shown = {
        "roc.auc()": [roc.auc()],
        "best = ": [best.threshold],
        "best.ameans": [best.ameans, best.tpr, best.fpr],
        "roc.rates": [roc.rates(best.threshold, prevalence=0.1).precision],
    }
    for start, values in shown.items():
        comment = next(line for line in block.splitlines() if line.startswith(start)).split("#")[1]
        figures = re.findall(r"\d+\.\d+", comment)
        assert [_as_shown(value, figure) for value, figure in zip(values, figures, strict=True)] == figures


def test_the_page_on_families_has_every_family():
    """A row for each family that can be named, and none for another; "yes" where two moments make one."""
    rows = re.findall(r'^\| `"(\w+)"` \|.*\| (yes|-) \|$', (ROOT / "docs/families.md").read_text("utf-8"), re.MULTILINE)
    assert [name for name, _ in rows] == list(FAMILIES)
    assert {name for name, made in rows if made == "yes"} == {"gaussian", *MOMENT_ESTIMATORS}


def test_the_page_on_auto_has_the_constants_of_the_code():
    rows = re.findall(r"^\| `(_[A-Z_]+)` \| ([-\de./]+) \|", (ROOT / "docs/auto.md").read_text("utf-8"), re.MULTILINE)
    values = vars(distributions.shrinkage) | vars(solvers.shrinkage)
    numbers = {name: value for name, value in values.items() if isinstance(value, (int, float)) and name[0] == "_"}
    assert {name: pytest.approx(float(Fraction(value))) for name, value in rows} == numbers


def test_every_page_with_python_is_run():
    """No page of the documentation has Python blocks that nothing runs, or is missing from the table of contents."""
    pages = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} - {"docs/index.md"}
    assert {page for page in pages if _blocks(page, "python")} <= PAGES.keys() | RUN_ELSEWHERE
    listed = (ROOT / "docs/index.md").read_text(encoding="utf-8").split("```{toctree}", 1)[1].split()
    assert {f"docs/{name}.md" for name in listed if name.isidentifier() or "-" in name} >= pages


@pytest.mark.parametrize("page", ["README.md", "docs/command-line.md", "docs/planning.md", "docs/screening.md"])
def test_commands_of_the_pages_run(page, capsys, tmp_path, monkeypatch):
    """Every command of a page that needs no file of one's own: it runs and prints, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    lines = [line for block in _blocks(page, "console") for line in block.splitlines()]
    words = [shlex.split(line, comments=True)[2:] for line in lines if line.startswith("$ rocpredict")]
    own = (".csv", ".parquet", ".json")
    quick = [call for call in words if not any(word.endswith(own) for word in call) and call[0] != "paper"]
    assert quick
    for call in quick:
        assert main(call) == 0, call
        assert capsys.readouterr().out


def test_links_have_targets():
    def check(page):
        targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
        assert [target for target in targets if not (page.parent / target).exists()] == []

    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    check_each({page.name: page for page in pages}, check)


def test_messages_of_the_error_page_are_the_librarys():
    """The page on errors: each message comes, word for word, from the input that it is listed for."""
    nan = float("nan")
    wrong = [
        lambda: rp.empirical_roc([1, 2], ["healthy", "ill"], positive="sick"),
        lambda: rp.empirical_roc([1, 2], ["a", "b"]),
        lambda: rp.empirical_roc([1, nan, 2, 3, nan], [0, 1, 0, 1, 1]),
        lambda: rp.EmpiricalRoc([1], [2]).tpr_at_fpr(50),
        lambda: rp.Gaussian(0, -1),
    ]
    messages = set()
    for call in wrong:
        with pytest.raises(rp.RocPredictError) as caught:
            call()
        messages.add(str(caught.value))
    listed = re.findall(r"\| `([^`]+)` \|$", (ROOT / "docs/errors.md").read_text("utf-8"), re.MULTILINE)
    assert listed
    assert set(listed) <= messages


def test_every_flag_is_explained():
    rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/flags.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert sorted(rows) == sorted(FLAG_DESCRIPTIONS)


def test_the_glossary_has_every_method_of_the_command_line():
    glossary = (ROOT / "docs/glossary.md").read_text("utf-8").lower().replace("-", " ")
    parsers = next(action.choices for action in make_parser()._actions if isinstance(action.choices, dict)).values()
    options = {"--method", "--alternative", "--criterion", "--adjust"}
    actions = [action for parser in parsers for action in parser._actions if options & {*action.option_strings}]
    names = {name for action in actions for name in action.choices or ()}
    assert len(names) >= 20
    assert {name for name in names if re.sub("[-_]", " ", name) not in glossary.replace("_", " ")} <= {"none"}
