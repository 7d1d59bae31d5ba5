"""Scripts, styles and translated texts of the teaching page."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from functools import cache
from importlib import resources
from typing import Any

from rocpredict.base.validation import RocPredictError, check_option, short_repr

Words = dict[str, Any]
_NOT_ON_THE_PAGE = ("python", "worksheet")
_TEXT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def languages() -> list[str]:
    """Give the languages that there are words in, such as "en"."""
    files = resources.files("rocpredict.teaching").joinpath("words").iterdir()
    return sorted(file.name.removesuffix(".json") for file in files if file.name.endswith(".json"))


def load_translations(lang: str) -> Words:
    """Give every word of a language, in sections.

    Raises
    ------
    RocPredictError
        A language without words.
    """
    return _read(check_option("lang", lang, languages()))


def page_strings(lang: str) -> Words:
    """Give the sections that the page itself shows."""
    return {name: section for name, section in load_translations(lang).items() if name not in _NOT_ON_THE_PAGE}


def python_strings(lang: str) -> dict[str, str]:
    """Give the section that Python writes with: titles, notes and the reasons why something is not shown."""
    section: dict[str, str] = load_translations(lang)["python"]
    return section


def to_encodable_text(name: Any) -> str:
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
        raise RocPredictError(f"{name}={short_repr(value)} is not text; give a str, or None")
    return None if value is None else to_encodable_text(value)


def to_script_json(value: Any) -> str:
    r"""Write JSON that cannot end the script element that holds it.

    Examples
    --------
    >>> print(to_script_json({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    # Outside of strings JSON has none of these three.
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).translate(_TEXT)


@cache
def _read(lang: str) -> Words:
    found: Words = json.loads(
        resources.files("rocpredict.teaching").joinpath("words", f"{lang}.json").read_text("utf-8")
    )
    return found


MODULES = (
    *("format.js", "model.js", "view_model.js", "sampling.js", "state.js"),  # pure
    *("elements.js", "svg.js", "area_labels.js", "density_plot.js", "roc_plot.js", "measures_plot.js"),
    *("confusion_table.js", "templates.js", "sampling_panel.js", "lesson.js", "readouts.js"),
    *("export.js", "controls.js", "actions.js", "update.js", "page.js"),
)
_STANDALONE_CSP = "null"
_SERVED_CSP = (
    "async (state) => { const reply = await fetch(`model?${new URLSearchParams(state)}`); "
    "if (!reply.ok) throw new Error(await reply.text()); return reply.json(); }"
)


@cache
def script() -> str:
    """Give the modules as the text of one, without imports, comments on lines of their own and indentation."""
    lines = (line.strip() for name in MODULES for line in _static(name).splitlines())
    kept = (line for line in lines if line and not line.startswith(("//", "import ", "/** ")))
    return "\n".join(line.removeprefix("export ") for line in kept)


@cache
def compressed_script() -> str:
    """Give the script deflated, in base64: less than half as long, for a file to share."""
    return b64encode(zlib.compress(script().encode(), 9)).decode()


@cache
def style() -> str:
    """Return the style sheet without comments and dispensable white space."""
    text = re.sub(r"/\*.*?\*/", "", _static("page.css"), flags=re.DOTALL)
    text = re.sub(r" ?([{};,]) ?", r"\1", " ".join(text.split()))
    return text.replace(": ", ":").replace(";}", "}")


def build_html(payload: dict[str, Any], *, served: bool = False) -> str:
    """Give the page as one file that fetches nothing.

    Parameters
    ----------
    payload : dict
    served : bool
        Whether a server answers for ``model`` beside the page. Such a page holds its script to be read; a file to be
        sent around or kept in a notebook holds it packed.
    """
    words = python_strings(payload["lang"])
    text: str = _template().render(
        lang=payload["lang"],
        title=payload.get("title") or words["title"],
        words=words,
        style=style(),
        script=script() if served else None,
        packed=compressed_script(),
        data=to_script_json(payload),
        ask=_SERVED_CSP if served else _STANDALONE_CSP,
        connect="'self'" if served else "'none'",
    )
    return text


def _static(name: str) -> str:
    return resources.files("rocpredict.teaching").joinpath("static", name).read_text("utf-8")


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("rocpredict.teaching", "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined).get_template("page.html")
