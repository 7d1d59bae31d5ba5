"""The page of tables: what was measured, in words that stay and numbers that are new each time."""

import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy

import rocpredict
from benchmarks.coverage import words
from benchmarks.coverage.intervals import DEFAULT, PEERS, RESAMPLED, Covered, Draws, mc_error
from benchmarks.coverage.levels import ALPHA, Level, Runs
from benchmarks.coverage.others import OtherCovered
from benchmarks.coverage.settings import EQUAL, FEW, UNEQUAL
from rocpredict.base.tables import Table

_SHARE = ".1%"
_SLACK = 0.003
_BANDS = (
    ("every setting", lambda count: True, 0.94, 0.98),
    ("as many negatives as positives, 20 or more", lambda count: count[0] == count[1] >= 20, 0.945, 0.97),
    ("as many negatives as positives, 50 or more", lambda count: count[0] == count[1] >= 50, 0.945, 0.965),
)
"""Where the default has to cover, and between which shares."""


@dataclass(frozen=True)
class Measured:
    """Everything that a run found."""

    seed: int
    draws: Draws
    runs: Runs
    other_draws: int
    areas: list[Covered] = field(default_factory=list)
    others: list[OtherCovered] = field(default_factory=list)
    levels: list[Level] = field(default_factory=list)


def is_outside(covered: Covered) -> bool:
    """Tell whether the default lies outside of what is required somewhere, by more than the slack."""
    if covered.method != DEFAULT or covered.count in FEW:
        return False
    wanted = [(low, high) for _, holds, low, high in _BANDS if holds(covered.count)]
    return any(not low - _SLACK <= covered.coverage <= high + _SLACK for low, high in wanted)


def written(measured: Measured) -> str:
    """Write the page."""
    m = measured
    parts = [
        words.OPENING.format(default=m.draws.default, again=m.draws.again, error=mc_error(m.draws.default)),
        "## The AUC\n\n" + words.OF_AREAS,
        *(table.to_markdown() for table in _area_tables(m)),
        "## Thresholds, partial areas, rates\n\n" + words.OF_OTHERS,
        _other_table(m).to_markdown(),
        "## Tests\n\n" + words.OF_TESTS.format(large=m.runs.large, error=mc_error(m.runs.large, ALPHA)),
        *(table.to_markdown() for table in _level_tables(m)),
        "## How to make this page anew\n\n" + words.CLOSING.format(versions=_versions(), seed=m.seed),
    ]
    return "\n".join(parts)


def _area_tables(m: Measured) -> list[Table]:
    tuned = [c for c in m.areas if c.method == DEFAULT and c.pair.tuned]
    unseen = [c for c in m.areas if c.method == DEFAULT and not c.pair.tuned]
    return [
        _verdict(m.areas),
        _by_method(m),
        _by_pair("Coverage of the default, pairs that its constant was chosen on", tuned),
        _by_pair("Coverage of the default, pairs that it never met before", unseen),
        _few(m.areas),
    ]


def _verdict(areas: Iterable[Covered]) -> Table:
    tried = [c for c in areas if c.method == DEFAULT and c.count not in FEW]
    rows = []
    for where, holds, low, high in _BANDS:
        found = [c for c in tried if holds(c.count)]
        shares = [c.coverage for c in found]
        outside = [c for c in found if not low - _SLACK <= c.coverage <= high + _SLACK]
        named = "; ".join(f"{_pair(c.pair)}, n = {_counts(c.count)}: {c.coverage:.1%}" for c in outside)
        rows.append([where, f"{low:.1%} to {high:.1%}", len(found), min(shares), max(shares), named or "none"])
    columns = ["where", "required", "settings", "lowest", "highest", "outside by more than 0.3 %"]
    return Table(
        "The default against what is required of it",
        columns,
        rows,
        {"lowest": _SHARE, "highest": _SHARE},
        [words.UNDER_VERDICT],
    )


def _by_method(m: Measured) -> Table:
    methods = (DEFAULT, *PEERS, *RESAMPLED, "delta", "reiser-guttman")
    rows = []
    for count in _tried(m.areas):
        some = [c for c in m.areas if c.count == count]
        rows += [_method_row(method, count, some) for method in methods if any(c.method == method for c in some)]
    columns = ["n", "method", "lowest", "mean", "highest", "above", "below", "width", "fallbacks", "MC error"]
    shares = dict.fromkeys(columns[2:7], _SHARE) | {"width": ".2f", "fallbacks": ".2%", "MC error": ".2%"}
    return Table("Intervals of the AUC, every method", columns, rows, shares, [words.UNDER_METHODS])


def _method_row(method: str, count: tuple[int, int], some: Sequence[Covered]) -> list[Any]:
    mine = [c for c in some if c.method == method]
    pairs = {(c.pair.name, c.pair.auc) for c in mine}
    newcombe = [c.width for c in some if c.method == "newcombe" and (c.pair.name, c.pair.auc) in pairs]
    shares = [c.coverage for c in mine]
    means = [_mean(mine, name) for name in ("above", "below")]
    width = _mean(mine, "width") / float(np.mean(newcombe))
    spread = [min(shares), float(np.mean(shares)), max(shares)]
    return [_counts(count), method, *spread, *means, width, _mean(mine, "fallbacks"), mine[0].error]


def _by_pair(title: str, found: Sequence[Covered]) -> Table:
    counts = _tried(found)
    held = {(_pair(c.pair), c.count): c.coverage for c in found}
    pairs = list(dict.fromkeys(_pair(c.pair) for c in found))
    rows = [[pair, *(held[pair, count] for count in counts)] for pair in pairs]
    columns = ["pair", *map(_counts, counts)]
    return Table(title, columns, rows, dict.fromkeys(columns[1:], _SHARE))


def _few(areas: Sequence[Covered]) -> Table:
    rows = []
    for count, method in ((count, method) for count in FEW for method in (DEFAULT, *PEERS)):
        some = [c for c in areas if c.count == count]
        if mine := [c for c in some if c.method == method]:
            worst = min(mine, key=lambda c: c.coverage)
            mean = float(np.mean([c.coverage for c in mine]))
            widths = _mean(mine, "width"), _mean(mine, "fallbacks")
            rows.append([_counts(count), method, worst.coverage, _pair(worst.pair), mean, *widths])
    columns = ["n", "method", "lowest", "of the pair", "mean", "width", "fallbacks"]
    notes = ["Width: high - low, in shares of the AUC."]
    formats = {"lowest": _SHARE, "mean": _SHARE, "width": ".3f", "fallbacks": ".1%"}
    return Table("One case in a class, or two", columns, rows, formats, notes)


def _other_table(m: Measured) -> Table:
    rows = [
        [o.question.answer, o.question.method, _pair(o.pair), o.n, o.coverage, o.above, o.below, o.width]
        for o in sorted(m.others, key=lambda o: (o.question.answer, o.question.method, o.pair.name, o.n))
    ]
    columns = ["answer", "method", "pair", "n a class", "coverage", "above", "below", "width"]
    notes = [f"{m.other_draws} data sets a row: Monte-Carlo standard error {mc_error(m.other_draws):.1%}."]
    shares = dict.fromkeys(columns[4:7], _SHARE) | {"width": ".3f"}
    return Table("Other intervals, 95 % stated", columns, rows, shares, notes)


def _level_tables(m: Measured) -> list[Table]:
    titles = {
        m.runs.large: "many cases, and the exact test",
        m.runs.small: "few cases",
        m.runs.resampled: f"tests that resample, {m.runs.resamples} times",
    }
    return [_level_table(title, [level for level in m.levels if level.runs == runs]) for runs, title in titles.items()]


def _level_table(title: str, found: Sequence[Level]) -> Table:
    sizes = sorted({level.n for level in found})
    held = {(level.test, level.setting, level.n): level.rejected for level in found}
    tests = list(dict.fromkeys((level.test, level.setting) for level in found))
    rows = [[*test, *(held.get((*test, n)) for n in sizes)] for test in tests]
    columns = ["test", "setting", *(f"n = {n}" for n in sizes)]
    notes = [f"{found[0].runs} data sets a cell: Monte-Carlo standard error {found[0].error:.2%}."] if found else []
    return Table(
        f"Rejections of a true hypothesis at 5 %: {title}", columns, rows, dict.fromkeys(columns[2:], ".2%"), notes
    )


def _tried(found: Iterable[Covered]) -> list[tuple[int, int]]:
    """Give the numbers of cases that were tried, without the very few, in their order."""
    counts = {c.count for c in found}
    return [count for count in (*EQUAL, *UNEQUAL) if count in counts]


def _mean(found: Sequence[Any], name: str) -> float:
    return float(np.mean([getattr(c, name) for c in found]))


def _pair(pair: Any) -> str:
    return f"{pair.name}, AUC {pair.auc:g}"


def _counts(count: tuple[int, int]) -> str:
    return f"{count[0]} + {count[1]}"


def _versions() -> str:
    return (
        f"rocpredict {rocpredict.__version__}, Python {platform.python_version()}, numpy {np.__version__}, "
        f"scipy {scipy.__version__}"
    )
