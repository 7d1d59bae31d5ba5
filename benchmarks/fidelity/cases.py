"""Features on which predictions are tested; features that are too coarse, nearly constant or too easy are omitted."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from benchmarks.fidelity.sources import Array, Problem, problems
from rocpredict import EmpiricalRoc

TUNED = ("breast_cancer", "heart", "letter", "magic", "sonar", "yeast1", "vowel")
"""Data sets on which the constants of the estimator were chosen; the other data sets were used only afterwards."""

_FEWEST, _MOST = 50, 2_000  # rows per class
_DISTINCT = 8
_SAME = 0.8  # largest proportion of equal values in a class
_EASY = 0.995
_WEAK = 0.55
_FEATURES = 36
_SHARE_OF_WEAK = 0.15


@dataclass(frozen=True, eq=False)
class Case:
    """One feature of two classes; the positives have the larger values in all of its rows together."""

    data: str
    feature: int
    negative: Array
    positive: Array
    auc: float

    @property
    def seed(self) -> int:
        """Seed of its draws, independent of the other cases."""
        return crc32(f"{self.data} {self.feature}".encode())


def cases() -> list[Case]:
    """Return every case in a fixed order."""
    return chosen(problems())


def chosen(tables: Iterable[Problem]) -> list[Case]:
    """Choose the features of tables."""
    return [case for table in tables for case in _of_table(table)]


def _of_table(table: Problem) -> list[Case]:
    rng = np.random.default_rng(crc32(table.name.encode()))
    rows = [_at_most(rows, rng) for rows in _two_classes(table.labels)]
    found = list(_fit_for_use(table, *rows))
    clear, weak = ([case for case in found if (case.auc < _WEAK) == low] for low in (False, True))
    if len(clear) > _FEATURES:
        clear = [clear[i] for i in rng.permutation(len(clear))[:_FEATURES]]
    room = min(_FEATURES - len(clear), int(_SHARE_OF_WEAK / (1 - _SHARE_OF_WEAK) * len(clear)))
    return sorted(clear + weak[:room], key=lambda case: case.feature)


def _two_classes(labels: Array) -> list[Array]:
    """Return the rows of the two most frequent classes in the order of their names, or None if one is too small."""
    names, counts = np.unique(labels, return_counts=True)
    two = np.sort(np.argsort(-counts, kind="stable")[:2])
    return [np.flatnonzero(labels == names[k]) if counts[two].min() >= _FEWEST else np.arange(0) for k in two]


def _at_most(rows: Array, rng: np.random.Generator) -> Array:
    return np.sort(rng.choice(rows, _MOST, replace=False)) if len(rows) > _MOST else rows


def _fit_for_use(table: Problem, negatives: Array, positives: Array) -> Iterator[Case]:
    for feature, column in enumerate(table.X.T):
        negative, positive = column[negatives], column[positives]
        if not len(negative) or _is_coarse(negative, positive):
            continue
        auc = float(EmpiricalRoc(negative=negative, positive=positive).auc())
        if auc < 0.5:
            negative, positive, auc = positive, negative, 1 - auc
        if auc <= _EASY:
            yield Case(table.name, feature, negative, positive, auc)


def _is_coarse(negative: Array, positive: Array) -> bool:
    most = max(np.unique(part, return_counts=True)[1].max() / len(part) for part in (negative, positive))
    return most > _SAME or len(np.unique(np.concatenate([negative, positive]))) < _DISTINCT
