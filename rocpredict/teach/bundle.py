"""One file of all there is: the modules become one, the style and the data go inside."""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from functools import cache
from importlib import resources
from typing import Any

from rocpredict.teach.wording import as_script, python_words

MODULES = (
    *("numbers.js", "model.js", "scene.js", "chance.js", "state.js"),  # pure
    *("drawing.js", "areas.js", "densities.js", "roc.js", "strip.js", "table.js"),
    *("told.js", "playing.js", "lesson.js", "readouts.js", "handing.js", "controls.js", "moving.js"),
    *("asking.js", "page.js"),
)
"""In the order in which one needs the other."""
_ALONE = "null"
_SERVED = (
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
def packed() -> str:
    """Give the script deflated, in base64: less than half as long, for a file to share."""
    return b64encode(zlib.compress(script().encode(), 9)).decode()


@cache
def style() -> str:
    """Give the style sheet, without comments and indentation."""
    text = re.sub(r"/\*.*?\*/", "", _static("page.css"), flags=re.DOTALL)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def html_of(payload: dict[str, Any], *, served: bool = False) -> str:
    """Give the page as one file that fetches nothing.

    Parameters
    ----------
    payload : dict
    served : bool
        Whether a server answers for ``model`` beside the page. Such a page holds its script to be read; a file to be
        sent around or kept in a notebook holds it packed.
    """
    words = python_words(payload["lang"])
    text: str = _template().render(
        lang=payload["lang"],
        title=payload.get("title") or words["title"],
        words=words,
        style=style(),
        script=script() if served else None,
        packed=packed(),
        data=as_script(payload),
        ask=_SERVED if served else _ALONE,
        connect="'self'" if served else "'none'",
    )
    return text


def _static(name: str) -> str:
    return resources.files("rocpredict.teach").joinpath("static", name).read_text("utf-8")


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("rocpredict.teach", "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined).get_template("page.html")
