"""A worksheet to print: the questions of the lesson and a few sums, with the answers on pages of their own.

For a class without screens, or before it looks at one: the teaching page asks the same questions, and shows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from rocpredict.arguments import FloatArray
from rocpredict.teach.exercises import curve, densities, normal_table, solved
from rocpredict.teach.wording import Words, all_words

Box = tuple[tuple[float, float], tuple[float, float], float, float]
_DENSITIES: Box = ((-6, 16), (0, 0.21), 440, 150)  # ends of x and of y, width, height
_SQUARE: Box = ((0, 1), (0, 1), 200, 200)
_POINT = re.compile(r"(?<= \d)\.(?=\d)")
_PLACE = re.compile(r"\{([\w.]+)(?::(\d))?\}")


@dataclass(frozen=True)
class Shown:
    """Hold a number as a sentence shows it, and the number itself."""

    text: str
    value: float


def worksheet_html(lang: str = "en", *, answers: bool = True) -> str:
    """Write the worksheet as one HTML file for A4 or Letter paper.

    Every number in it is calculated when it is written.

    Parameters
    ----------
    lang : str
        A language of the teaching page.
    answers : bool
        Whether the answers follow, from a new page on.

    Returns
    -------
    str
        A whole file: it fetches nothing and runs no script.

    Raises
    ------
    RocPredictError
        A language without words.

    Examples
    --------
    >>> page = worksheet_html(answers=False)
    >>> page.startswith("<!DOCTYPE html>"), "<script" in page
    (True, False)
    """
    words = all_words(lang)
    decimal = words["page"]["decimal"]
    page = _template().render(
        lang=lang,
        words=words["worksheet"],
        questions=_questions(words),
        sums=solved()["sums"],
        table=normal_table(),
        answers=answers,
        say=lambda sentence, about: spoken(sentence, solved()[about], decimal),
        show=lambda value, digits: [shown(value, digits, decimal)],
        densities=[_path(*side, box=_DENSITIES) for side in densities()],
        curve=_path(*curve(), box=_SQUARE),
        place=lambda x, y: _placed(x, y, _SQUARE),
    )
    return str(page)


def shown(value: float, digits: int, decimal: str) -> Shown:
    """Write a number with so many decimals, as a language does."""
    return Shown(f"{value:.{digits}f}".replace("-", "−").replace(".", decimal), float(value))


def spoken(sentence: str, facts: dict[str, Any], decimal: str) -> list[str | Shown]:
    """Give a sentence in parts: words, and the numbers that stand for places such as ``{best.ameans:3}``.

    Examples
    --------
    >>> spoken("At {best.threshold:1}.", {"best": {"threshold": 5.826}}, ",")
    ['At ', Shown(text='5,8', value=5.826), '.']
    """
    parts: list[str | Shown] = []
    end = 0
    sentence = _POINT.sub(decimal, sentence)
    for place in _PLACE.finditer(sentence):
        parts += [sentence[end : place.start()], shown(_at(facts, place[1]), int(place[2] or 0), decimal)]
        end = place.end()
    return [*parts, sentence[end:]]


def _at(facts: Any, path: str) -> float:
    for name in path.split("."):
        facts = facts[int(name)] if isinstance(facts, (list, tuple)) else facts[name]
    return float(facts)


def _questions(words: Words) -> list[dict[str, Any]]:
    """Give the lesson's questions; what only a screen can show is told in other words."""
    sheet = words["worksheet"]
    return [
        {"key": key, "options": [], **step, **sheet["instead"].get(key, {}), "why": sheet["why"][key]}
        for key, step in words["lesson"]["steps"].items()
    ]


def _path(xs: FloatArray, ys: FloatArray, box: Box) -> str:
    return " ".join(",".join(_placed(x, y, box)) for x, y in zip(xs, ys, strict=True))


def _placed(x: float, y: float, box: Box) -> tuple[str, str]:
    (left, right), (low, high), width, height = box
    return f"{width * (x - left) / (right - left):.2f}", f"{height * (high - y) / (high - low):.2f}"


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("rocpredict.teach", "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined).get_template("worksheet.html")
