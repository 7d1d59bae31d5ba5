"""Scripts, styles and translated texts of the teaching page."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b85encode
from functools import cache
from importlib import resources
from string import ascii_letters, digits
from typing import Any

from rocpredict.base.validation import RocPredictError, check_option, short_repr

Words = dict[str, Any]
_NOT_ON_THE_PAGE = ("picture", "python", "site", "worksheet")
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def languages() -> list[str]:
    """Return the languages of the page, such as "en"."""
    files = resources.files("rocpredict.teaching").joinpath("words").iterdir()
    return sorted(file.name.removesuffix(".json") for file in files if file.name.endswith(".json"))


def load_translations(lang: str) -> Words:
    """Return all texts of a language, grouped by section.

    Raises
    ------
    RocPredictError
        If ``lang`` is not an available language.
    """
    return json.loads(_text("words", f"{check_option('lang', lang, languages())}.json"))


def page_strings(lang: str) -> Words:
    """Return the texts that the page shows, grouped by section."""
    return {name: section for name, section in load_translations(lang).items() if name not in _NOT_ON_THE_PAGE}


def python_strings(lang: str) -> dict[str, str]:
    """Return the texts that Python uses, such as titles, notes and reasons why a feature cannot be shown."""
    return load_translations(lang)["python"]


def to_encodable_text(name: Any) -> str:
    """Convert a name to text that UTF-8 can encode; lone surrogates become question marks."""
    return str(name).encode("utf-8", "replace").decode("utf-8")


def text_or_none(name: str, value: Any) -> str | None:
    """Convert text to a form that UTF-8 can encode; return None unchanged.

    Raises
    ------
    RocPredictError
        If ``value`` is neither text nor None.
    """
    if value is not None and not isinstance(value, str):
        raise RocPredictError(f"{name}={short_repr(value)} is not text; pass a str or None")
    return None if value is None else to_encodable_text(value)


def to_script_json(value: Any) -> str:
    r"""Convert a value to JSON that is safe within a script element.

    Examples
    --------
    >>> print(to_script_json({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    # In JSON, these three characters occur only in strings.
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).translate(_ESCAPES)


MODULES = (
    *("format.js", "model.js", "fitted.js", "csv.js", "own_data.js"),  # pure
    *("dots.js", "view_model.js", "sampling.js", "state.js", "description.js"),  # pure
    *("elements.js", "frame.js", "svg.js", "overlays.js", "dot_marks.js"),
    *("density_plot.js", "roc_plot.js", "measures_plot.js"),
    *("terms.js", "confusion_table.js", "templates.js", "sampling_panel.js", "lesson.js", "readouts.js", "sentence.js"),
    *("dialog.js", "qr.js", "data_dialog.js"),
    *("export.js", "controls.js", "actions.js", "update.js", "panel.js", "page.js"),
)
_CONSTANTS = ("words", "normal", "presets")
"""Parts of the payload, equal for all pages of a language, that a saved page contains in its compressed script."""
_VENDORED = ("vendor", "lean_qr.js")
_STANDALONE_EVALUATE_JS = "null"
_SERVED_EVALUATE_JS = (
    "async (state) => { const reply = await fetch(`model?${new URLSearchParams(state)}`); "
    "if (!reply.ok) throw new Error(await reply.text()); return reply.json(); }"
)


@cache
def script() -> str:
    """Return all JavaScript modules as one script, without imports, comment lines or indentation."""
    files = [_VENDORED, *((name,) for name in MODULES)]
    lines = (line.strip() for path in files for line in _text("static", *path).splitlines())
    retained = (line for line in lines if line and not line.startswith(("//", "import ", "/** ")))
    return "\n".join(line.removeprefix("export ") for line in retained)


@cache
def style() -> str:
    """Return the style sheet without comments or unneeded white space."""
    text = "\n".join(_text("static", name) for name in ("page.css", "dialogs.css"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r" ?([{};,]) ?", r"\1", " ".join(text.split()))
    return text.replace(": ", ":").replace(";}", "}")


_STRING = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)""")
_REGEX = re.compile(r"/(?! )|(?<! )/")
_SPACES = re.compile(r" ?([{}()\[\],;:?=<>!&|*%]|(?<![+-] )[+-](?! [+-])) ?")
_TO_TEXT_SAFE = str.maketrans({"&": ",", "<": ".", ">": "/"})
"""Characters of base 85 that HTML would escape, and their replacements, which base 85 does not use."""


def _compact(line: str) -> str:
    """Remove the spaces around punctuation, except in strings and in lines with regular expressions."""
    parts = _STRING.split(line)
    if line.count("`") not in (0, 2) or any(_REGEX.search(code) for code in parts[::2]):
        return line
    return "".join(part if index % 2 else _SPACES.sub(r"\1", part) for index, part in enumerate(parts))


_DECLARED = re.compile(r"(?:^(?:export )?(?:async )?(?:function|const) |, (?=[A-Z_]+ =))(\w{4,})", re.MULTILINE)
_DIGITS = ascii_letters + digits


def shorten_names(text: str) -> str:
    """Shorten the names declared in the modules, except names that also occur as properties or strings."""
    declared = {name for path in MODULES for name in _DECLARED.findall(_text("static", path))}
    used = {*re.findall(r"(?<!\.)\.(\w+)|[\"'`](\w+)[\"'`]", text), ("mount", "")}
    names = sorted(declared - {name for pair in used for name in pair})
    short = {name: f"_{_DIGITS[i // len(_DIGITS)]}{_DIGITS[i % len(_DIGITS)]}" for i, name in enumerate(names)}
    return re.sub(r"(?<![\w$])\w+", lambda match: short.get(match[0], match[0]), text)


@cache
def packed_script(constants: str) -> str:
    """Return the script, the style sheet and the constants as one script, compressed and then encoded in base 85."""
    additions = (
        '\nconst sheet = document.createElement("style");\n'
        f"sheet.textContent = {to_script_json(style())};\n"
        f"document.head.append(sheet);\nconst CONSTANTS = {constants};"
    )
    compact = re.sub(r"([{(,;])\n", r"\1", shorten_names("\n".join(map(_compact, script().splitlines()))))
    deflate = zlib.compressobj(9, memLevel=6)  # smaller blocks compress this text best
    packed = deflate.compress((compact + additions).encode()) + deflate.flush()
    return b85encode(packed).decode().translate(_TO_TEXT_SAFE)


def build_html(payload: dict[str, Any], *, served: bool = False, is_site: bool = False) -> str:
    """Return the page as one HTML file without external resources.

    Parameters
    ----------
    payload : dict
        Data, texts and options of the page.
    served : bool, default=False
        Whether the page requests its results from a server. Scripts, styles and texts are readable in a served page,
        and compressed in a saved page.
    is_site : bool, default=False
        Whether the page links to a worksheet and a preview image in the same folder.
    """
    translations = load_translations(payload["lang"])
    words = translations["python"]
    return load_template("page.html").render(
        lang=payload["lang"],
        title=payload.get("title") or words["title"],
        words=words,
        style=style() if served else None,
        script=script() if served else None,
        packed=packed_script(to_script_json({name: payload[name] for name in _CONSTANTS})),
        data=to_script_json({name: part for name, part in payload.items() if served or name not in _CONSTANTS}),
        ask=_SERVED_EVALUATE_JS if served else _STANDALONE_EVALUATE_JS,
        site=translations["site"] if is_site else None,
        steps=translations["lesson"]["steps"].values() if payload["lesson"] else [],
        url=payload.get("url"),
        version=payload["version"],
        connect="'self'" if served else "'none'",
    )


@cache
def _text(*path: str) -> str:
    return resources.files("rocpredict.teaching").joinpath(*path).read_text("utf-8")


@cache
def load_template(name: str) -> Any:
    """Return a template that raises an error for undefined names."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("rocpredict.teaching", "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined).get_template(name)
