"""Pictures inside a page: PNG as data, each with its numbers in words."""

from __future__ import annotations

import io
from base64 import b64encode
from typing import Any, NamedTuple

from matplotlib.figure import Figure

_DOTS_PER_INCH = 110
_COLOURS = 96
"""So many are enough for lines on white, and a third of the bytes."""


class Image(NamedTuple):
    """Hold a picture as a page shows it."""

    source: str
    alt: str
    width: int
    height: int


def as_image(figure: Any, alt: str) -> Image:
    """Give a figure, or the axes on one, as data that a page holds; the same picture, the same bytes."""
    from PIL import Image as Pixels

    if not isinstance(figure, Figure):
        figure = figure.get_figure(root=True)
    raw = io.BytesIO()
    figure.savefig(raw, format="raw", dpi=_DOTS_PER_INCH)
    width, height = (round(inches * _DOTS_PER_INCH - 1e-6) for inches in figure.get_size_inches())
    width, height = _fitting(len(raw.getvalue()) // 4, width, height)
    pixels = Pixels.frombytes("RGBA", (width, height), raw.getvalue()).convert("RGB")
    png = io.BytesIO()
    pixels.quantize(_COLOURS, dither=Pixels.Dither.NONE).save(png, "png", compress_level=9)
    return Image(f"data:image/png;base64,{b64encode(png.getvalue()).decode()}", alt, width, height)


def _fitting(pixels: int, width: int, height: int) -> tuple[int, int]:
    """Give the size that holds so many pixels: whoever draws may round an edge the other way."""
    for wide in (width, width - 1, width + 1):
        if pixels % wide == 0 and abs(pixels // wide - height) <= 1:
            return wide, pixels // wide
    raise AssertionError(f"{pixels} pixels are not {width} by {height}")
