"""Numbers and names as a report shows them."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup

from rocpredict.plots.style import rate, rule
from rocpredict.rich_results import visible
from rocpredict.tables import as_text

__all__ = ["alone", "between", "in_prose", "listed", "many", "named", "number", "p_value", "percent", "rule", "share"]

_MODELS = {
    "gaussian": "Gaussian model",
    "boxcox": "Box-Cox model",
    "yeojohnson": "Yeo-Johnson model",
    "kde": "kernel density model",
    "auto": "model shrunk to the rows (auto)",
    "blend": "model shrunk to the rows (blend)",
}
_PROSE = (
    ("direction='auto' was resolved here", "the direction was chosen here"),
    (" and its best_rule()", ""),
    ("two thresholds may do better than one: see roc.proper()", "two thresholds may do better than one"),
    ("see roc.proper()", "consider two thresholds, by the ratio of the densities"),
    ("rp.empirical_roc", "the empirical curve"),
)
UNKNOWN = "–"
"""What stands where nothing is known."""


def in_prose(message: str) -> str:
    """Say the library's words without code: ``use family='boxcox'`` as ``use a Box-Cox model``."""
    for code, prose in _PROSE:
        message = message.replace(code, prose)
    message = re.sub(r"\b(use|by|or|else) family='([^']*)'", lambda found: f"{found[1]} a {_model(found[2])}", message)
    return re.sub(r"\bfamily='([^']*)'", lambda found: f"the {_model(found[1])}", message)


def _model(family: str) -> str:
    return _MODELS.get(family, f"{family} model")


def named(name: object) -> Markup:
    """Give a name as HTML, kept apart from the text around it whichever way it is written."""
    return Markup("<bdi>{}</bdi>").format(visible(as_text(name)))


def alone(name: object) -> str:
    """Give a name for plain text, such as an alt text, kept apart by the invisible marks that do so."""
    return f"\u2068{visible(as_text(name))}\u2069"


def number(value: float, digits: int = 4) -> str:
    """Show a number with some significant digits."""
    return UNKNOWN if value != value else f"{value:.{digits}g}".replace("-", "−")  # noqa: PLR0124


def share(value: float) -> str:
    """Show a share or an area with three decimals, never rounded to a false 0 or 1."""
    return UNKNOWN if value != value else rate(value).replace("-", "−")  # noqa: PLR0124


def p_value(p: float) -> str:
    """Show a p-value with two digits."""
    if p != p:  # noqa: PLR0124
        return UNKNOWN
    return "<1e-300" if p < 1e-300 else f"{p:.2g}"


def between(low: float, high: float, form: Any = share) -> str:
    """Show an interval."""
    return UNKNOWN if low != low or high != high else f"{form(low)} to {form(high)}"  # noqa: PLR0124


def percent(level: float) -> str:
    """Show a level."""
    return f"{100 * level:g} %"


def many(count: float, what: str) -> str:
    """Say how many there are of something."""
    return f"{count:,.10g} {what}" + ("" if count == 1 else "s")


def listed(items: list[Any]) -> Markup:
    """Join words or HTML by commas and an "and"."""
    if len(items) < 2:
        return Markup().join(items)
    return Markup("{} and {}").format(Markup(", ").join(items[:-1]), items[-1])
