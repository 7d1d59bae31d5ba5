"""Functions shared by the HTML reports: text formatting, templates, images and provenance."""

from __future__ import annotations

import datetime
import hashlib
import io
import math
import platform
import re
from base64 import b64encode
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure
from numpy.typing import NDArray

from rocpredict.base import formatting
from rocpredict.base.files import write_atomic
from rocpredict.base.validation import RocPredictError, short_repr
from rocpredict.sources.table import FeatureTable

_MODELS = {
    "gaussian": "Gaussian model",
    "boxcox": "Box-Cox model",
    "yeojohnson": "Yeo-Johnson model",
    "kde": "kernel density model",
    "auto": "weighted mean of empirical and model distributions (auto)",
}
_PROSE = (
    (" (direction='auto')", ""),
    (" and its best_rule()", ""),
    ("two thresholds may do better than one: see roc.proper()", "two thresholds may do better than one"),
    ("see roc.proper()", "consider a rule with two thresholds, based on the likelihood ratio"),
    ("rp.empirical_roc", "the empirical curve"),
    (" or family='auto'", ", or family='auto'"),
    ("family='auto' or ", "family='auto', or "),
    ("; see `best_threshold().equal_thresholds` in Python", ""),
)


def message_to_prose(message: str) -> str:
    """Rewrite a message in prose; for example, ``use family='boxcox'`` becomes ``use a Box-Cox model``."""
    for code, prose in _PROSE:
        message = message.replace(code, prose)

    def model(match: re.Match[str]) -> str:
        name = _MODELS.get(match[2], f"{match[2]} model")
        return f"{match[1]}a {name}" if match[1] else f"the {name}"

    return re.sub(r"\b((?:use|by|or|else) )?family='([^']*)'", model, message)


def html_name(name: object) -> Markup:
    """Return a name as HTML, with its writing direction isolated from the surrounding text."""
    return Markup("<bdi>{}</bdi>").format(formatting.escape_control_characters(formatting.label_to_text(name)))


def plain_name(name: object) -> str:
    """Return a name for plain text, such as alternative text, with Unicode marks that isolate its writing direction."""
    return f"\u2068{formatting.escape_control_characters(formatting.label_to_text(name))}\u2069"


def format_numeral(value: float) -> str:
    """Format a number with four significant digits."""
    return formatting.format_number(value, 4)


def format_count(value: float) -> str:
    """Format a number of observations or a sum of weights, which may be fractional."""
    return f"{value:,.10g}"


_FILTERS = {
    "name": html_name,
    "plain_name": plain_name,
    "number": format_numeral,
    "thousands": format_count,
    "plural": formatting.pluralize,
    "rate": formatting.format_rate,
    "estimate": formatting.format_estimate,
    "percent": formatting.format_level,
    "p_value": formatting.format_p_value,
    "p_statement": formatting.format_p_statement,
}


def write_report(path: str | PathLike[str], template: str, **context: Any) -> Path:
    """Render a template, adding the software versions, and write the report atomically."""
    title = context.get("title")
    if not isinstance(title, str | None):
        raise RocPredictError(f"title={short_repr(title)} is not text; pass a string, or None for the default title")
    return write_atomic(path, render(template, versions=software_versions(), **context))


def render(template: str, **context: Any) -> str:
    """Render a template from the folder ``templates``; an undefined name raises an error."""
    return _environment().get_template(template).render(**context)


@cache
def _environment() -> Any:
    """Return the Jinja2 environment, which caches compiled templates."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    layout: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True}
    loader = PackageLoader("rocpredict.reports")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, **layout)
    environment.filters |= _FILTERS
    environment.tests["nan"] = math.isnan
    return environment


def check_date(date: object) -> datetime.date:
    """Return the date of a report (by default, today); raise RocPredictError for an invalid date."""
    if date is None:
        return datetime.date.today()
    try:
        return date if isinstance(date, datetime.date) else datetime.date.fromisoformat(date)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise RocPredictError(
            f"date={short_repr(date)} is not a date; pass a datetime.date or text such as '2026-11-21'"
        ) from None


_DOTS_PER_INCH = 110
_MAX_COLORS = 96
"""Maximum number of colors of an image; this number suffices for lines on white and shrinks the file to a third."""


class Image(NamedTuple):
    """Image that is embedded in an HTML page: a data URI, and the width and height of the image in pixels."""

    source: str
    width: int
    height: int


def figure_to_image(figure: Any) -> Image:
    """Convert a figure, or the figure that contains the given axes, to an image.

    Identical figures give identical images.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image as Pixels

    if not isinstance(figure, Figure):
        figure = figure.get_figure(root=True)
    figure.set_dpi(_DOTS_PER_INCH)
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()  # savefig would draw twice, first without pixels
    pixels = Pixels.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    png = io.BytesIO()
    pixels.quantize(_MAX_COLORS, dither=Pixels.Dither.NONE).save(png, "png", compress_level=9)
    return Image(f"data:image/png;base64,{b64encode(png.getvalue()).decode()}", *pixels.size)


_CHUNK_SIZE = 64  # number of features that are converted at a time


def software_versions() -> tuple[tuple[str, str], ...]:
    """Return the name and version of rocpredict, numpy, scipy and Python."""
    import scipy

    from rocpredict._version import __version__

    python = ("Python", platform.python_version())
    return ("rocpredict", __version__), ("numpy", np.__version__), ("scipy", scipy.__version__), python


def data_hash(table: FeatureTable, labels: NDArray[Any]) -> str:
    """Return the SHA-256 hash of the data.

    The hashed bytes contain, for each feature in order, its name in UTF-8, a line feed, and its values as little-endian
    float64; all missing values are encoded as the same NaN. The bytes end with the labels in UTF-8, each followed by a
    line feed.
    """
    digest = hashlib.sha256()
    for part, matrix in table.iter_blocks():
        for start in range(part.start, part.stop, _CHUNK_SIZE):
            stop = min(start + _CHUNK_SIZE, part.stop)
            columns = to_feature_rows(matrix[:, start - part.start : stop - part.start])
            for name, values in zip(table.names[start:stop].tolist(), columns, strict=True):
                digest.update(name.encode("utf-8", "surrogatepass") + b"\n")
                digest.update(np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes())
    lines = "".join(f"{formatting.label_to_text(label)}\n" for label in labels.tolist())
    digest.update(lines.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def to_feature_rows(matrix: Any) -> NDArray[np.float64]:
    """Return the features of an array or a sparse matrix as rows of float64."""
    dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return np.ascontiguousarray(np.asarray(dense, dtype=np.float64).T)
