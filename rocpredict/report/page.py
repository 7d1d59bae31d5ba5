"""A report as one HTML file: templates of this folder, filled in with everything escaped."""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import Any

from rocpredict.arguments import shown
from rocpredict.errors import RocPredictError
from rocpredict.files import write_whole
from rocpredict.report.wording import alone, named, number, p_value, percent, share


def write_page(path: str | os.PathLike[str], template: str, **told: Any) -> Path:
    """Fill in a template and write it whole or not at all."""
    return write_whole(path, render(template, **told))


def render(template: str, **told: Any) -> str:
    """Fill in a template of this folder; what it asks for and nobody told is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("rocpredict.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"named": named, "alone": alone, "share": share, "number": number}
    environment.filters |= {"p_value": p_value, "percent": percent}
    return environment.get_template(template).render(**told)


def as_date(date: object) -> datetime.date:
    """Return the day that a report is of: today where nobody said."""
    if date is None:
        return datetime.date.today()
    try:
        return date if isinstance(date, datetime.date) else datetime.date.fromisoformat(date)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise RocPredictError(
            f"date={shown(date)} is no day; give a datetime.date or text such as '2026-11-21'"
        ) from None
