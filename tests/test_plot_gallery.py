"""The gallery is correct: its code runs without a warning, and each picture was drawn by the code shown."""

import importlib.util
import re
from pathlib import Path

import pytest
from PIL import Image

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "gallery.md").read_text(encoding="utf-8")
MOST = 900_000
"""Bytes of all pictures."""


@pytest.fixture(scope="module")
def gallery():
    spec = importlib.util.spec_from_file_location("gallery_pictures", DOCS / "gallery_pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_picture_was_drawn_by_the_code_of_the_page(gallery):
    """After a change of the code run ``docs/gallery_pictures.py``."""
    shown = dict(gallery.parts(PAGE))
    assert len(shown) == PAGE.count("![")
    assert {Path(path).name for path in shown} == {path.name for path in (DOCS / "images").glob("gallery_*.png")}
    for path, code in shown.items():
        with Image.open(DOCS / path) as picture:
            assert picture.info["Code"] == gallery.mark_of(code), path
            assert 790 <= picture.width <= 1400
    assert sum((DOCS / path).stat().st_size for path in shown) < MOST


def test_the_code_runs_and_draws(gallery):
    for path, _, figure in gallery.drawn(PAGE):
        assert figure.axes, path
        assert all(ax.lines or ax.collections for ax in figure.axes), path


def test_pictures_have_words_and_each_door_its_picture(gallery):
    assert all(len(words) > 30 for words in re.findall(r"!\[([^\]]*)\]", PAGE))
    for kind in ("densities", "simultaneous_band", "measures", "stability"):
        assert f'plot("{kind}"' in PAGE
    for name in ("plot_probit", "plot_cost", "plot_precision_recall", "plot_decision", "plot_side_by_side"):
        assert f"plots.{name}(" in PAGE
