"""The documentation is true: its Python runs, its numbers are the library's, its files are there."""

import re
from pathlib import Path

import numpy as np
import pytest

import rocpredict as rp
from rocpredict.flags import MEANINGS

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", "docs/quickstart.md"]


def _blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_python_blocks_run_in_their_order(page, tmp_path, monkeypatch):
    """Every Python block of a page, one after the other, in an empty folder, without a warning."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    names = {"means_n": rng.normal(size=5), "means_p": rng.normal(size=5), "stds_n": np.ones(5), "stds_p": np.ones(5)}
    blocks = _blocks(page, "python")
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), names)


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


@pytest.mark.parametrize("page", [*PAGES, "docs/index.md", "CONTRIBUTING.md"])
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
    assert sorted(rows) == sorted(MEANINGS)
