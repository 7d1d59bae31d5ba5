"""The words of the page, one file a language."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from rocpredict.arguments import one_of, shown
from rocpredict.errors import RocPredictError

Words = dict[str, Any]
_NOT_ON_THE_PAGE = ("python", "worksheet")
_TEXT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def languages() -> list[str]:
    """Give the languages that there are words in, such as "en"."""
    files = resources.files("rocpredict.teach").joinpath("words").iterdir()
    return sorted(file.name.removesuffix(".json") for file in files if file.name.endswith(".json"))


def all_words(lang: str) -> Words:
    """Give every word of a language, in sections.

    Raises
    ------
    RocPredictError
        A language without words.
    """
    return _read(one_of("lang", lang, languages()))


def page_words(lang: str) -> Words:
    """Give the sections that the page itself shows."""
    return {name: section for name, section in all_words(lang).items() if name not in _NOT_ON_THE_PAGE}


def python_words(lang: str) -> dict[str, str]:
    """Give the section that Python writes with: titles, notes and the reasons why something is not shown."""
    section: dict[str, str] = all_words(lang)["python"]
    return section


def as_text(name: Any) -> str:
    """Give a name as text that any file can hold: lone surrogates become question marks."""
    return str(name).encode("utf-8", "replace").decode("utf-8")


def text_or_none(name: str, value: Any) -> str | None:
    """Give text that any file can hold, or None as it is.

    Raises
    ------
    RocPredictError
        What is neither.
    """
    if value is not None and not isinstance(value, str):
        raise RocPredictError(f"{name}={shown(value)} is not text; give a str, or None")
    return None if value is None else as_text(value)


def as_script(value: Any) -> str:
    r"""Write JSON that cannot end the script element that holds it.

    Examples
    --------
    >>> print(as_script({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    # Outside of strings JSON has none of these three.
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).translate(_TEXT)


@cache
def _read(lang: str) -> Words:
    found: Words = json.loads(resources.files("rocpredict.teach").joinpath("words", f"{lang}.json").read_text("utf-8"))
    return found
