"""The page of tables, written from the cells and from the text in ``words``."""

import platform
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import scipy

import rocpredict
from benchmarks.coverage import words
from benchmarks.coverage.measures import CONVENTIONAL, SEED, Cell, Figures
from benchmarks.coverage.settings import KINDS

COVERAGE, MAX_LEVEL, MAX_PLAN_ERROR = (0.93, 0.985), 0.065, 0.02


def outside(cell: Cell) -> str | None:
    """Return the limit that a default does not meet, "below", "above" or "level", or None."""
    kind, coverage = words.QUANTITIES[cell.quantity].kind, 1 - cell.default.error
    if kind == "interval" and coverage < COVERAGE[0]:
        return "below"
    if kind in {"test", "both"} and cell.default.error > MAX_LEVEL:
        return "level"
    if kind == "plan":
        return "plan" if cell.default.error > MAX_PLAN_ERROR + 2 * _power_error(cell) else None
    return "above" if kind != "test" and coverage > COVERAGE[1] else None


def write_page(cells: Iterable[Cell]) -> str:
    """Return the page."""
    groups: dict[str, list[Cell]] = {name: [] for name in (*words.QUANTITIES, CONVENTIONAL)}
    for cell in sorted(cells, key=lambda one: (KINDS.index(one.setting.kind), *one.setting[1:])):
        groups[cell.quantity].append(cell)
    resampled = {cell.setting: cell.conventional for cell in groups.pop(CONVENTIONAL)}
    groups["threshold"] = [one._replace(conventional=resampled.get(one.setting)) for one in groups["threshold"]]
    groups = {name: some for name, some in groups.items() if some}
    parts = [words.OPENING, "## Summary\n\n" + words.SUMMARY, *_summaries(groups)]
    section = ""
    for name, some in groups.items():
        if words.QUANTITIES[name].section != section:
            section = words.QUANTITIES[name].section
            parts.append(f"{section}\n")
        parts += _topic(name, some)
    versions = {"rocpredict": rocpredict, "numpy": np, "scipy": scipy}
    named = ", ".join(f"{name} {module.__version__}" for name, module in versions.items())
    parts.append(words.CLOSING.format(seed=SEED, versions=f"Python {platform.python_version()}, {named}"))
    return "\n".join(parts)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _number(value: float | None) -> str:
    """Format a proportion or a width with three decimals, or a large width with one decimal."""
    if value is None:
        return ""
    if np.isinf(value):
        return "∞"
    return f"{value:.1f}" if value >= 10 else f"{value:.3f}"


def _columns(kind: str, cells: Sequence[Cell]) -> dict[str, Callable[[Figures], float | None]]:
    """Return the columns of a table, each with the figure that it shows."""
    columns: dict[str, Callable[[Figures], float | None]] = {}
    if kind != "plan":
        columns = (
            {"coverage": lambda part: 1 - part.error} if kind == "interval" else {"level": lambda part: part.error}
        )
    if kind in {"interval", "both"} and any(cell.default.width is not None for cell in cells):
        columns["width"] = lambda part: part.width
    if any(cell.default.power is not None for cell in cells):
        columns["power"] = lambda part: part.power
    return columns


def _power_error(cell: Cell) -> float:
    observed = cell.conventional.power if cell.conventional and cell.conventional.power else 0.0
    return float(np.sqrt(observed * (1 - observed) / cell.n_sets))


def _topic(name: str, cells: Sequence[Cell]) -> list[str]:
    """Return the heading, the text, the table and the advice of one quantity."""
    quantity = words.QUANTITIES[name]
    columns, is_plan = _columns(quantity.kind, cells), quantity.kind == "plan"
    methods = ["planned" if is_plan else "default", quantity.conventional]
    header = [f"{column}, {method}" for method in methods for column in columns]
    rows, sides = [], {}
    for cell in cells:
        default, other = (
            ["" if part is None else _number(figure(part)) for figure in columns.values()]
            for part in (cell.default, cell.conventional)
        )
        side = outside(cell)
        if side:
            sides[side] = sides.get(side, 0) + 1
            default[0] = f"**{default[0]}**"
        counts = " + ".join(f"{count:,}" for count in cell.setting.counts)
        error = _power_error(cell) if is_plan else cell.std_error
        sets = f"{cell.n_sets:,}"
        rows.append([cell.setting.kind, f"{cell.setting.auc:g}", counts, *default, *other, f"{error:.4f}", sets])
    limits = {
        "below": f"Coverage below {COVERAGE[0]:g}",
        "above": f"Coverage above {COVERAGE[1]:g}",
        "level": f"Level above {MAX_LEVEL:g}",
        "plan": "Powers that differ",
    }
    if quantity.kind == "both":
        limits["above"] = f"Level below {1 - COVERAGE[1]:.3g}"
    advice = [
        f"- {limits[side]} ({count} of {len(cells)}): {words.advise(name, side)}\n" for side, count in sides.items()
    ]
    return [
        f"### {quantity.title}\n\n{quantity.text}\n",
        _table(["classes", "AUC", "n", *header, "SE", "data sets"], rows),
        "".join(advice) or "No cell is outside of its limits.\n",
    ]


def _summaries(groups: dict[str, list[Cell]]) -> list[str]:
    """Return a table of intervals and one of tests."""
    intervals, tests = [], []
    for name, cells in groups.items():
        title, kind = words.QUANTITIES[name][1:3]
        sides = [outside(cell) for cell in cells]
        pairs = [(cell.default, cell.conventional) for cell in cells if cell.conventional]
        errors = [cell.default.error for cell in cells]
        others = [other.error for _, other in pairs]
        ratios = [one.width / other.width for one, other in pairs if one.width and other.width and one.width < np.inf]
        powers = [(one.power, other.power) for one, other in pairs if one.power is not None]
        power = [_number(part) for part in np.mean(powers, axis=0)] if powers else ["", ""]
        ratio = f"{np.median(ratios):.2f}" if ratios and kind != "test" else ""
        if kind == "interval":
            extremes = [_number(1 - end(shares)) for shares in (errors, others) if shares for end in (max, min)]
            extremes += [""] * (4 - len(extremes))
            counts = [str(sides.count(side)) for side in ("below", "above")]
            intervals.append([title, str(len(cells)), *extremes[:2], *counts, *extremes[2:], ratio])
        elif kind != "plan":
            highest = [_number(max(errors)), str(sides.count("level")), _number(max(others, default=None))]
            tests.append([title, str(len(cells)), *highest, *power, ratio])
    return [
        _table(text.split(" | "), rows)
        for text, rows in ((words.INTERVAL_SUMMARY, intervals), (words.TEST_SUMMARY, tests))
    ]
