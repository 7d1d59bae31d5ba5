"""The documentation is true: its Python runs, its numbers are the library's, its files are there."""

import re
import shlex
import textwrap
from pathlib import Path

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.base.results import FLAG_DESCRIPTIONS
from rocpredict.cli import main
from rocpredict.distributions.fitting import FAMILIES
from rocpredict.distributions.likelihoods import MOMENT_ESTIMATORS
from rocpredict.distributions.shrinkage import (
    MAX_SLOPE,
    NOISE_FACTOR,
    PRIOR_LOG_RATIO_VARIANCE,
    PRIOR_SCALE,
    PRIOR_SCALE_KNOWN_DIRECTION,
)

ROOT = Path(__file__).parents[1]
PAGES = [
    "README.md",
    "docs/quickstart.md",
    "docs/api.md",
    "docs/intervals.md",
    "docs/bands.md",
    "docs/classifiers.md",
    "docs/planning.md",
    "docs/screening.md",
    "docs/multivariate.md",
    "docs/scikit-learn.md",
    "docs/gallery.md",
    "docs/reports.md",
    "docs/teaching.md",
    "docs/families.md",
    "docs/trust.md",
    "docs/two-thresholds.md",
]
PRINTED = PAGES[-3:]
"""Pages that show what their blocks print."""

_UNCERTAIN = re.compile(r"interval|p_value|adjusted_p_values|_cv|corrected|strata")


def _blocks(page, language):
    return re.findall(
        rf"^ *```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )


def _names():
    """What blocks may take as given."""
    rng = np.random.default_rng(0)
    return {"means_n": rng.normal(size=5), "means_p": rng.normal(size=5), "stds_n": np.ones(5), "stds_p": np.ones(5)}


@pytest.mark.parametrize("page", [page for page in PAGES if page not in PRINTED])
def test_python_blocks_run_in_their_order(page, tmp_path, monkeypatch):
    """Every Python block of a page, one after the other, in an empty folder, without a warning."""
    monkeypatch.chdir(tmp_path)
    names = _names()
    blocks = _blocks(page, "python")
    assert blocks
    for block in blocks:
        exec(compile(textwrap.dedent(block), page, "exec"), names)


def test_the_numbers_of_the_readme_are_the_librarys():
    """The comments of the README's first example: every figure in them, to the digits it shows."""
    block = _blocks("README.md", "python")[0]
    roc = rp.PredictedRoc.from_stats(mean=(4, 8), std=(3, 2))
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
        assert [round(v, len(f.split(".")[1])) for v, f in zip(values, figures, strict=True)] == [*map(float, figures)]


def _figures(value):
    """The numbers of an answer, in their order; of an interval its ends."""
    if isinstance(value, (tuple, list, np.ndarray)):
        return [figure for item in value for figure in _figures(item)]
    return list(value) if isinstance(value, rp.Interval) else [float(value)]


def _as_shown(value, figure):
    """A number in the form of another: with as many decimals, and an exponent where that has one."""
    mantissa, exponent, _ = figure.partition("e")
    digits = len(mantissa.partition(".")[2])
    return format(value, f".{digits}e" if exponent else f".{digits}f")


@pytest.mark.parametrize(
    "page", ["README.md", "docs/quickstart.md", "docs/intervals.md", "docs/multivariate.md", "docs/scikit-learn.md"]
)
def test_figures_in_comments_are_the_librarys(page, tmp_path, monkeypatch):
    """Intervals, p-values and their like whose comment begins with a figure: every figure, to the digits it shows."""
    monkeypatch.chdir(tmp_path)
    names = _names()
    checked = 0
    for block in _blocks(page, "python"):
        exec(compile(textwrap.dedent(block), page, "exec"), names)
        for line in textwrap.dedent(block).splitlines():
            code, _, comment = line.partition("  # ")
            if not (_UNCERTAIN.search(code) and comment[:1].isdigit()):
                continue
            shown = re.findall(r"\d+\.\d+(?:e-?\d+)?", comment.partition(":")[0])
            held = _figures(eval(code, names))
            assert [_as_shown(value, figure) for value, figure in zip(held, shown, strict=True)] == shown, line
            checked += 1
    assert checked >= 2


@pytest.mark.parametrize("page", PRINTED)
def test_pages_show_what_their_blocks_print(page, tmp_path, monkeypatch, capsys):
    """Every Python block runs in its order, in an empty folder, without a warning; the text block after it is what it
    prints, and a comment that begins with a figure is the answer of its line, to the digits shown."""
    monkeypatch.chdir(tmp_path)
    names, checked = {}, 0
    blocks = re.findall(r"```python\n(.*?)```(?:\n```text\n(.*?)```)?", (ROOT / page).read_text("utf-8"), re.DOTALL)
    for block, shown in blocks:
        exec(compile(block, page, "exec"), names)
        assert capsys.readouterr().out == shown
        for line in block.splitlines():
            code, _, comment = line.partition("  # ")
            if not comment[:1].isdigit():
                continue
            figures = re.findall(r"\d+\.\d+", comment.partition(":")[0])
            held = _figures(eval(code, names))
            assert [_as_shown(value, figure) for value, figure in zip(held, figures, strict=True)] == figures, line
            checked += 1
    assert checked >= 5


def test_the_page_on_families_has_every_family():
    """A row for each family that can be named, and none for another; "yes" where two moments make one."""
    rows = re.findall(r'^\| `"(\w+)"` \|.*\| (yes|-) \|$', (ROOT / "docs/families.md").read_text("utf-8"), re.MULTILINE)
    assert [name for name, _ in rows] == list(FAMILIES)
    assert {name for name, made in rows if made == "yes"} == {"gaussian", *MOMENT_ESTIMATORS}


def test_the_formulas_of_the_shrunk_estimate_have_its_constants():
    """The figures in the rows on variance ratio, weight and prior are those that the code has."""
    text = (ROOT / "docs/formulas.md").read_text("utf-8")
    rows = {
        name: re.findall(r"\d+\.\d+", row) for name, row in re.findall(r"^\| ([\w ]+) \| (.*)$", text, re.MULTILINE)
    }
    assert rows["variance ratio"] == [f"{PRIOR_LOG_RATIO_VARIANCE:g}"] * 2
    assert rows["weight of the sample"] == [f"{NOISE_FACTOR:g}"]
    assert rows["prior"] == [f"{PRIOR_SCALE_KNOWN_DIRECTION:g}", f"{PRIOR_SCALE:g}"]
    assert f"up to {MAX_SLOPE:g}" in text


def test_every_page_with_python_is_run():
    """No page of the documentation has Python blocks that nothing runs, or is missing from the table of contents."""
    pages = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} - {"docs/index.md"}
    assert {page for page in pages if _blocks(page, "python")} <= set(PAGES)
    listed = (ROOT / "docs/index.md").read_text(encoding="utf-8").split("```{toctree}")[1].split()
    assert {f"docs/{name}.md" for name in listed if name.isidentifier() or "-" in name} >= pages


@pytest.mark.parametrize("page", ["README.md", "docs/command-line.md", "docs/planning.md", "docs/screening.md"])
def test_commands_run(page, capsys, tmp_path, monkeypatch):
    """Every command of a page that needs no file of one's own: it runs and prints, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    lines = [line for block in _blocks(page, "console") for line in block.splitlines()]
    words = [shlex.split(line, comments=True)[2:] for line in lines if line.startswith("$ rocpredict")]
    own = (".csv", ".parquet")
    quick = [call for call in words if not any(word.endswith(own) for word in call) and call[0] != "paper"]
    assert quick
    for call in quick:
        assert main(call) == 0, call
        assert capsys.readouterr().out


@pytest.mark.parametrize(
    "page", [*PAGES, "docs/index.md", "docs/command-line.md", "docs/errors.md", "docs/notebooks.md", "CONTRIBUTING.md"]
)
def test_links_lead_somewhere(page):
    """Every relative link and picture of a page is a file."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert ((ROOT / page).parent / target).exists(), target


@pytest.mark.parametrize(
    "message", re.findall(r"\| `([^`]+)` \|$", (ROOT / "docs/errors.md").read_text(), re.MULTILINE)
)
def test_messages_of_the_error_page_are_the_librarys(message):
    """The page on errors: each message comes, word for word, from the input that it is listed for."""
    nan = float("nan")
    asked = [
        lambda: rp.empirical_roc([1, 2], ["healthy", "ill"], positive="sick"),
        lambda: rp.empirical_roc([1, 2], ["a", "b"]),
        lambda: rp.empirical_roc([1, nan, 2, 3, nan], [0, 1, 0, 1, 1]),
        lambda: rp.EmpiricalRoc([1], [2]).tpr_at_fpr(50),
        lambda: rp.Gaussian(0, -1),
    ]
    said = set()
    for ask in asked:
        with pytest.raises(rp.RocPredictError) as caught:
            ask()
        said.add(str(caught.value))
    assert message in said


def test_every_flag_is_explained():
    """The page on flags has a row for each flag, and none for what is no flag."""
    rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/flags.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert sorted(rows) == sorted(FLAG_DESCRIPTIONS)
