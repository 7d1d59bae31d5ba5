"""Text that every picture can show: what the font lacks, or what would turn a line around, is not drawn."""

from functools import lru_cache
from unicodedata import bidirectional, category

from matplotlib.font_manager import FontProperties, findfont, get_font

_MISSING = "\N{WHITE SQUARE}"
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that say in which direction the rest of a line runs."""
_LEFT_TO_RIGHT = "\u200e"
_LEFTWARDS = ("R", "AL")
_UNSEEN = ("Cf", "Mn", "Me")
"""Categories of what has no width of its own: left out where the font has none, with no square for it."""
_UNWRITTEN = ("Cc", "Cs", "Cn")
"""Categories that no picture file may hold."""


def drawable(text: str) -> str:
    """Give a text with a square for each character that the font in use cannot draw.

    Characters without width, such as those that join emoji, and marks of direction are left out; a name that runs from
    right to left is set between marks of its own, so that what stands before and after it in a legend stays there.
    """
    fonts = tuple(findfont(FontProperties(family=[family])) for family in FontProperties().get_family())
    drawn = "".join(_as_drawn(character, fonts) for character in text)
    if _has(_LEFT_TO_RIGHT, fonts) and any(bidirectional(character) in _LEFTWARDS for character in drawn):
        return f"{_LEFT_TO_RIGHT}{drawn}{_LEFT_TO_RIGHT}"
    return drawn


@lru_cache(maxsize=4096)
def _as_drawn(character: str, fonts: tuple[str, ...]) -> str:
    if character in _TURNING:
        return ""
    kind = category(character)
    if kind not in _UNWRITTEN and _has(character, fonts):
        return character
    return "" if kind in _UNSEEN else _MISSING


def _has(character: str, fonts: tuple[str, ...]) -> bool:
    return any(get_font(font).get_char_index(ord(character)) for font in fonts)
