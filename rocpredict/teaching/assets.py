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
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def languages() -> list[str]:
    """Return the languages of the page, such as "en"."""
    files = resources.files("rocpredict.teaching").joinpath("words").iterdir()
    return sorted(file.name.removesuffix(".json") for file in files if file.name.endswith(".json"))


def load_translations(lang: str) -> Words:
    """Return all texts of a language, in sections.

    Raises
    ------
    RocPredictError
        If ``lang`` is not an available language.
    """
    words: Words = json.loads(_text("words", f"{check_option('lang', lang, languages())}.json"))
    return words


def page_strings(lang: str) -> Words:
    """Return the sections that the page shows."""
    return {name: section for name, section in load_translations(lang).items() if name not in _NOT_ON_THE_PAGE}


def python_strings(lang: str) -> dict[str, str]:
    """Return the section for Python, with titles, notes and reasons why a feature cannot be shown."""
    section: dict[str, str] = load_translations(lang)["python"]
    return section


def to_encodable_text(name: Any) -> str:
    """Convert a name to text that can be encoded.

    Lone surrogates become question marks.
    """
    return str(name).encode("utf-8", "replace").decode("utf-8")


def text_or_none(name: str, value: Any) -> str | None:
    """Convert text to text that can be encoded, and return None unchanged.

    Raises
    ------
    RocPredictError
        If ``value`` is neither text nor None.
    """
    if value is not None and not isinstance(value, str):
        raise RocPredictError(f"{name}={short_repr(value)} is not text; pass a str or None")
    return None if value is None else to_encodable_text(value)


def to_script_json(value: Any) -> str:
    r"""Convert a value to JSON that cannot end its script element.

    Examples
    --------
    >>> print(to_script_json({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    # JSON has these three characters only in strings.
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).translate(_ESCAPES)


MODULES = (
    *("format.js", "model.js", "view_model.js", "sampling.js", "state.js"),  # pure
    *("elements.js", "svg.js", "area_labels.js", "density_plot.js", "roc_plot.js", "measures_plot.js"),
    *("confusion_table.js", "templates.js", "sampling_panel.js", "lesson.js", "readouts.js"),
    *("export.js", "controls.js", "actions.js", "update.js", "page.js"),
)
_STANDALONE_EVALUATE_JS = "null"
_SERVED_EVALUATE_JS = (
    "async (state) => { const reply = await fetch(`model?${new URLSearchParams(state)}`); "
    "if (!reply.ok) throw new Error(await reply.text()); return reply.json(); }"
)


@cache
def script() -> str:
    """Return all modules as one script, without imports, comment lines and indentation."""
    lines = (line.strip() for name in MODULES for line in _text("static", name).splitlines())
    retained = (line for line in lines if line and not line.startswith(("//", "import ", "/** ")))
    return "\n".join(line.removeprefix("export ") for line in retained)


@cache
def compressed_script() -> str:
    """Return the compressed script in base64, which makes a saved file smaller."""
    return b64encode(zlib.compress(script().encode(), 9)).decode()


@cache
def style() -> str:
    """Return the style sheet without comments and unneeded white space."""
    text = re.sub(r"/\*.*?\*/", "", _text("static", "page.css"), flags=re.DOTALL)
    text = re.sub(r" ?([{};,]) ?", r"\1", " ".join(text.split()))
    return text.replace(": ", ":").replace(";}", "}")


def build_html(payload: dict[str, Any], *, served: bool = False) -> str:
    """Return the page as one HTML file without external resources.

    Parameters
    ----------
    payload : dict
        Data, texts and options of the page.
    served : bool, default=False
        Whether a server computes ``model`` requests. A served page has a readable script, a saved page a compressed
        one.
    """
    words = python_strings(payload["lang"])
    text: str = load_template("page.html").render(
        lang=payload["lang"],
        title=payload.get("title") or words["title"],
        words=words,
        style=style(),
        script=script() if served else None,
        packed=compressed_script(),
        data=to_script_json(payload),
        ask=_SERVED_EVALUATE_JS if served else _STANDALONE_EVALUATE_JS,
        connect="'self'" if served else "'none'",
    )
    return text


@cache
def _text(*path: str) -> str:
    return resources.files("rocpredict.teaching").joinpath(*path).read_text("utf-8")


@cache
def load_template(name: str) -> Any:
    """Return a template, in which an undefined name raises an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("rocpredict.teaching", "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined).get_template(name)
