"""Page of tables, with fixed text and measured numbers."""

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy

import rocpredict
from benchmarks.fidelity import words
from benchmarks.fidelity.agreeing import EXACT, Agreement
from benchmarks.fidelity.cases import TUNED, Case
from benchmarks.fidelity.comparing import BINS, WORSE, Compared, Scores, flag_auc, in_bin, losses
from benchmarks.fidelity.goals import AT, GOALS, MISFIT, TRUST, Goal
from benchmarks.fidelity.ideas import ideas
from benchmarks.fidelity.scoring import BETWEEN, CHOSEN, COUNTED, DECLARED, SAMPLED, Misfit, Plan, Score, Tried
from rocpredict.base.tables import Table

_NAMED = 8
_COLUMNS = [
    "n",
    "estimator",
    "features",
    "L1 error",
    "ratio",
    "95% interval",
    "win",
    "worse",
    "regret",
    "bias",
    "of the best",
]
_FORMATS = {
    "L1 error": ".4f",
    "ratio": ".3f",
    "win": ".2f",
    "worse": ".2f",
    "regret": ".3f",
    "bias": "+.4f",
    "of the best": "+.4f",
}


@dataclass
class Measured:
    """All results of a run; ``seconds`` is the wall time, and ``worked`` the processor time."""

    plan: Plan
    cases: int = 0
    scores: list[Score] = field(default_factory=list)
    misfits: list[Misfit] = field(default_factory=list)
    agreements: list[Agreement] = field(default_factory=list)
    seconds: float = 0.0
    worked: float = 0.0
    processes: int = 1

    def add(self, tried: Tried) -> None:
        """Add the results of one feature."""
        self.cases += 1
        self.scores.extend(tried.scores)
        self.misfits.extend(tried.misfits)
        self.agreements.extend(tried.agreements)


def is_tuned(case: Case) -> bool:
    return case.data in TUNED


def is_rest(case: Case) -> bool:
    return case.data not in TUNED


def written(m: Measured) -> str:
    """Write the page."""
    scores = Scores(m.scores)
    sets = {score.case.data for score in m.scores}
    opening = words.OPENING.format(
        cases=m.cases, sets=len(sets), repeats=m.plan.repeats, asked=f"{len(m.agreements):,}"
    )
    parts = [
        opening,
        "## `auto` against its requirements\n",
        _verdict(scores).to_markdown(),
        _effective(scores),
        _missed(scores).to_markdown(),
        "## Every estimator, direction declared\n",
        _all_sizes(scores, DECLARED, "All features").to_markdown(),
        _all_sizes(scores, DECLARED, f"The tuning part: {', '.join(TUNED)}", is_tuned).to_markdown(),
        _all_sizes(scores, DECLARED, "The rest: features from which no constant was chosen", is_rest).to_markdown(),
        "## Direction chosen from the sample\n\n" + words.OF_CHOSEN,
        _all_sizes(scores, CHOSEN, "All features").to_markdown(),
        "## Choosing a family, and fitting a line\n\n" + words.OF_SAMPLED.format(draws=m.plan.sampled),
        _all_sizes(scores, SAMPLED, "One feature in twenty").to_markdown(),
        "## Features won and lost\n\n" + words.OF_SETS,
        _by_auc(scores).to_markdown(),
        _by_set(scores).to_markdown(),
        _worst(scores).to_markdown(),
        _trust_section(m.misfits),
        "## Every idea tried\n\n" + ideas(),
        "## How to regenerate this page\n",
        words.CLOSING.format(minutes=m.seconds / 60, worked=m.worked / 60, processes=m.processes, versions=_versions()),
        words.OF_AGREEMENT.format(exact=", ".join(f"`{name}`" for name in EXACT)),
        _agreement(m.agreements).to_markdown(),
    ]
    return "\n".join(parts)


def value_of(key: str, found: Compared) -> float:
    """Return the quantity of a goal."""
    named = {"open": found.ratio, "bias": abs(found.bias or 0.0), "open_bias": abs(found.bias or 0.0)}
    return named[key] if key in named else getattr(found, key)


def _verdict(scores: Scores) -> Table:
    rows = [row for key, goal in GOALS.items() for n in AT for row in _verdict_row(scores, key, goal, n)]
    columns = ["what", "n", "measured", "required", "met", "tuning part", "the rest"]
    formats = dict.fromkeys(("measured", "tuning part", "the rest"), ".4f")
    notes = [words.UNDER_VERDICT.format(tuned=", ".join(TUNED))]
    return Table("Required and measured", columns, rows, formats, notes)


def _verdict_row(scores: Scores, key: str, goal: Goal, n: int) -> Iterator[list[Any]]:
    parts = [scores.compared(n, goal.mode, "auto", among) for among in (None, is_tuned, is_rest)]
    values = [None if part is None else value_of(key, part) for part in parts]
    if values[0] is not None:
        met = "yes" if goal.met(values[0], n) else "NO"
        yield [goal.name, n, values[0], goal.floor[AT.index(n)], met, *values[1:]]


def _missed(scores: Scores) -> Table:
    """Return, for each missed goal, the data sets with the largest loss."""
    rows = []
    for key, goal, n in ((key, goal, n) for key, goal in GOALS.items() for n in AT):
        found = scores.compared(n, goal.mode, "auto")
        if found is not None and not goal.met(value_of(key, found), n):
            lost = losses(key, scores.pairs(n, goal.mode, "auto"), goal.floor[AT.index(n)])
            named = ", ".join(f"{_starred(data)} {share:.0%}" for data, share in lost[:_NAMED])
            rows.append([goal.name, n, named])
    notes = [words.UNDER_MISSED] if rows else ["None is missed."]
    return Table("Requirements missed, and where", ["what", "n", "data sets"], rows, notes=notes)


def _effective(scores: Scores) -> str:
    held = {score.case: score for score, _ in scores.pairs(20, DECLARED, "auto")}
    counted = [mine for mine, _ in scores.pairs(BETWEEN, DECLARED, COUNTED)]
    if not counted:
        return ""
    small = float(np.mean([held[score.case].error for score in counted]))
    large = float(np.mean([score.error for score in counted]))
    better = "as accurate" if small <= large else "not as accurate"
    verdict = f"`auto` with 20 observations per class is {better} as the empirical curve with 30."
    return words.EFFECTIVE.format(small=small, large=large, features=len(counted), verdict=verdict)


def _all_sizes(scores: Scores, mode: str, title: str, among: Callable[[Case], bool] | None = None) -> Table:
    rows = [
        [n, name, found.features, found.error, *_numbers(name, found)]
        for n in sorted({*AT, BETWEEN})
        for name in scores.estimators(n, mode)
        if (found := scores.compared(n, mode, name, among)) is not None
    ]
    return Table(title, _COLUMNS, rows, _FORMATS)


def _numbers(name: str, found: Compared) -> list[Any]:
    """Return the other cells of a row, without comparisons of the empirical curve with itself."""
    spread = f"{found.low:.3f} to {found.high:.3f}"
    comparison = [None] * 3 if name == COUNTED else [spread, found.win, found.worse]
    return [found.ratio, *comparison, found.regret, found.bias, found.bias_of_best]


def _by_auc(scores: Scores) -> Table:
    rows = []
    for k in range(len(BINS) - 1):
        found = [scores.compared(n, DECLARED, "auto", in_bin(k)) for n in AT]
        some = next((one.features for one in found if one), 0)
        rows.append([f"{BINS[k]:g} to {BINS[k + 1]:g}", some, *(one and one.ratio for one in found)])
    return Table("Ratio of `auto` by the AUC of the feature", *_ratios("AUC", rows))


def _by_set(scores: Scores) -> Table:
    rows = []
    for data in _sets(scores, AT[0], DECLARED):
        found = [scores.compared(n, DECLARED, "auto", lambda case, data=data: case.data == data) for n in AT]
        rows.append([_starred(data), next(one.features for one in found if one), *(one and one.ratio for one in found)])
    return Table("Ratio of `auto` by data set", *_ratios("data", rows))


def _ratios(what: str, rows: Sequence[Sequence[Any]]) -> tuple[list[str], Sequence[Sequence[Any]], dict[str, str]]:
    sizes = [f"n = {n}" for n in AT]
    return [what, "features", *sizes], rows, dict.fromkeys(sizes, ".3f")


def _worst(scores: Scores) -> Table:
    rows = [
        [
            n,
            f"{_starred(mine.case.data)}, column {mine.case.feature}",
            mine.case.auc,
            mine.error,
            mine.error / counted.error,
        ]
        for n in AT
        for mine, counted in sorted(scores.pairs(n, DECLARED, "auto"), key=lambda pair: -pair[0].error / pair[1].error)
        if mine.error > WORSE * counted.error
    ]
    formats = {"AUC": ".3f", "L1 error": ".4f", "ratio": ".3f"}
    return Table(
        "Every feature on which `auto` is more than 5% worse",
        ["n", "feature", "AUC", "L1 error", "ratio"],
        rows,
        formats,
    )


def _trust_section(misfits: Sequence[Misfit]) -> str:
    rows, share = [], 0.0
    for n, floor in TRUST.items():
        some = [one for one in misfits if one.n == n]
        if len({one.of_all > MISFIT for one in some}) == 2:
            auc, share = flag_auc(some)
            rows.append([n, len(some), auc, floor, "yes" if auc >= floor else "NO"])
    table = Table("AUC of the distance as a flag", ["n", "features", "AUC", "required", "met"], rows, {"AUC": ".3f"})
    text = words.OF_TRUST.format(misfit=MISFIT, share=share)
    return f"## Detecting features that two Gaussians do not describe\n\n{text}\n{table.to_markdown()}"


def _agreement(found: Sequence[Agreement]) -> Table:
    rows = []
    for name in dict.fromkeys(one.estimator for one in found):
        mine = [one for one in found if one.estimator == name]
        rows.append(
            [name, len(mine), *(max(getattr(one, what) for one in mine) for what in ("height", "ameans", "threshold"))]
        )
    columns = ["estimator", "compared", "curve", "Ameans", "threshold, relative"]
    formats = dict.fromkeys(columns[2:], ".1e")
    return Table("Largest differences from `predict_roc` and `best_threshold`", columns, rows, formats)


def _sets(scores: Scores, n: int, mode: str) -> list[str]:
    return list(dict.fromkeys(mine.case.data for mine, _ in scores.pairs(n, mode, "auto")))


def _starred(data: str) -> str:
    return f"{data} *" if data in TUNED else data


def _versions() -> str:
    return (
        f"rocpredict {rocpredict.__version__}, Python {platform.python_version()}, numpy {np.__version__}, "
        f"scipy {scipy.__version__}"
    )
