"""Draw the pictures of the gallery by running the code of its page: ``python docs/gallery_pictures.py``."""

import hashlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image, PngImagePlugin

from rocpredict.base.files import write_atomic
from rocpredict.plots.style import figure_to_bytes

HERE = Path(__file__).parent
PAGE = HERE / "gallery.md"
WIDTH = 800
"""Of a picture, in pixels; of one with several panels as many as its text needs."""
_LEAST = 96
"""Dots per inch at which text can be read."""
_PARTS = re.compile(r"```python\n(?P<code>.*?)```|!\[(?P<words>[^\]]*)\]\((?P<path>images/[^)]*)\)", re.DOTALL)


def parts(page: str) -> Iterator[tuple[str, str]]:
    """Return each picture's path with all the code up to it."""
    code = ""
    for found in _PARTS.finditer(page):
        if found["code"]:
            code += found["code"]
        else:
            yield found["path"], code


def mark_of(code: str) -> str:
    """Return the stored digest of the code that drew a picture."""
    return hashlib.sha256(code.encode()).hexdigest()[:16]


def drawn(page: str) -> Iterator[tuple[str, str, Any]]:
    """Run the code of a page; give path, code and figure of each picture."""
    names: dict[str, Any] = {}
    done = ""
    for path, code in parts(page):
        exec(compile(code.removeprefix(done), str(PAGE), "exec"), names)
        done = code
        picture = names.pop("picture")
        yield path, code, picture if hasattr(picture, "savefig") else picture.figure


def as_small_png(figure: Any, mark: str) -> bytes:
    """Return a figure as a PNG of few colors, with the digest of its code."""
    large = figure_to_bytes(figure, "png", dots_per_inch=max(_LEAST, WIDTH / figure.get_figwidth()))
    small = (
        Image.open(io.BytesIO(large)).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )
    said = PngImagePlugin.PngInfo()
    said.add_text("Code", mark)
    file = io.BytesIO()
    small.save(file, format="PNG", optimize=True, pnginfo=said)
    return file.getvalue()


if __name__ == "__main__":
    for path, code, figure in drawn(PAGE.read_text(encoding="utf-8")):
        write_atomic(HERE / path, as_small_png(figure, mark_of(code)))
