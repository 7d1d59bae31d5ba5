"""Features on the same rows, checked and split by class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.labels import (
    MAX_EXPANDED_ROWS,
    ClassRows,
    SourceRows,
    check_index,
    check_sample_weight,
    encode_groups,
    omit_rows,
    split_rows,
)
from rocpredict.base.results import Flags
from rocpredict.base.validation import FloatArray, Label, NanPolicy, RocPredictError, check_option, short_repr
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.inference.placements import (
    MIN_CLUSTERS,
    STRATUM_WEIGHTS,
    AnyPlacements,
    ClassPlacements,
    Placements,
    RateRange,
    StratifiedPlacements,
    compute_placements,
    partial_placements,
    placements_in_row_order,
    wins_within_clusters,
)
from rocpredict.solvers.empirical import EmpiricalSolver

_DIRECTIONS = (None, "higher", "lower", "auto")


class RowOptions(NamedTuple):
    """Options that say how rows become the samples of two classes, in the words of ``auc_test``."""

    positive: Label = None
    negative: Label = None
    nan_policy: NanPolicy = "raise"
    direction: Any = None
    weights: Any = None
    """Of the rows, shape (n,), as clusters and strata are; or None."""
    clusters: Any = None
    strata: Any = None
    stratum_weights: str = "pairs"
    strata_name: str = "strata"
    """The argument that an error about strata names."""


class ClassColumns(NamedTuple):
    """Rows of one class."""

    values: FloatArray
    """Shape (rows, K), of K features."""
    weights: Any = None
    """Cases that each row stands for; None where it is one."""
    clusters: Any = None
    """Number of the group that each row belongs to, from 0 on alike in both classes, or None."""
    strata: Any = None
    """The stratum of each row, or None."""

    @property
    def total(self) -> float:
        """Cases."""
        return len(self.values) if self.weights is None else float(self.weights.sum())

    def rows(self, rows: NDArray[Any]) -> ClassColumns:
        """Return some of the rows; each feature stays in one piece."""
        columns: Any = (None if part is None else part.T[..., rows].T for part in self)
        return ClassColumns(*columns)

    def distribution(self, curve: int) -> Ecdf:
        """Return the distribution of one feature."""
        return Ecdf(self.values[:, curve], self.weights)


@dataclass(frozen=True)
class CurveSample:
    """K features on the same rows, by class; positives to the higher side.

    ``directions`` tell whether the positives of each feature lay "higher" or "lower", and ``omitted`` how many rows of
    each class have no value.
    """

    classes: tuple[ClassColumns, ClassColumns]
    names: tuple[str, ...]
    directions: tuple[str, ...]
    omitted: tuple[int, int]
    stratum_weights: str
    flags: Flags

    @classmethod
    def from_rows(cls, features: Mapping[str, ArrayLike], y: ArrayLike, options: RowOptions) -> CurveSample:
        """Split rows by class; drop those that lack a value in any column; turn features whose positives lie lower."""
        check_option("stratum_weights", options.stratum_weights, STRATUM_WEIGHTS)
        if options.clusters is not None and options.strata is not None:
            raise RocPredictError("clusters= and strata= do not go together; give one of them")
        labels: dict[str, Any] = {name: getattr(options, name) for name in ("positive", "negative", "nan_policy")}
        columns = {"weights": options.weights, "clusters": options.clusters, options.strata_name: options.strata}
        check_index({"y": y, **columns})
        values, rows = split_rows(features, y, **labels)
        table, names = np.array(list(values.values())).T, tuple(values)
        weights = check_sample_weight(options.weights, len(table))
        clusters, strata = (
            None if columns[name] is None else encode_groups(name, columns[name], len(table))[0]
            for name in ("clusters", options.strata_name)
        )
        for name, codes in (("clusters", clusters), (options.strata_name, strata)):
            if codes is not None:
                rows = omit_rows(rows, codes < 0, name, options.nan_policy)
        parts, weights = _apply_weights(rows, weights)
        if clusters is not None:
            _check_clusters(clusters, parts)
        negative, positive = (ClassColumns(table, weights, clusters, strata).rows(part) for part in parts)
        auto = isinstance(options.direction, str) and options.direction == "auto"
        directions = (
            _find_directions((negative, positive), names) if auto else _check_directions(options.direction, len(names))
        )
        signs = np.where(np.array(directions) == "lower", -1.0, 1.0)
        classes = negative._replace(values=negative.values * signs), positive._replace(values=positive.values * signs)
        return cls(classes, names, directions, rows.omitted, options.stratum_weights, Flags(auto_direction=auto))

    @property
    def n(self) -> tuple[float, float]:
        """Cases of each class."""
        return self.classes[0].total, self.classes[1].total

    def fields(self) -> dict[str, Any]:
        """Return the fields of a result that tell of the rows."""
        return {"n": self.n, "omitted": self.omitted, "direction": self.directions, "flags": self.flags}

    @property
    def design(self) -> str:
        """Dependence of the rows in words, behind the name of a method; empty for independent cases."""
        if self.classes[0].clusters is not None:
            return ", clustered"
        return "" if self.classes[0].strata is None else ", stratified"

    def pair(self, curve: int) -> tuple[Ecdf, Ecdf]:
        """Return the two classes of one feature."""
        return self.classes[0].distribution(curve), self.classes[1].distribution(curve)

    def stratum(self, code: int) -> CurveSample:
        """Return the rows of one stratum."""
        negative, positive = (part.rows(part.strata == code)._replace(strata=None) for part in self.classes)
        return replace(self, classes=(negative, positive))

    def placements(self, rate_range: RateRange | None = None) -> AnyPlacements:
        """Return the placements of all K curves, row by row, and stratum by stratum where there are strata."""
        if self.classes[0].strata is None:
            return self._placements(rate_range)
        codes = np.intersect1d(*(part.strata for part in self.classes))
        if not codes.size:
            raise RocPredictError("strata= has no stratum with rows of both classes; nothing can be compared")
        parts = tuple(self.stratum(code)._placements(rate_range) for code in codes)
        return StratifiedPlacements.from_strata(parts, self.stratum_weights)

    def _placements(self, rate_range: RateRange | None) -> Placements:
        pairs = [self.pair(curve) for curve in range(len(self.names))]
        parts = [
            compute_placements(*pair) if rate_range is None else partial_placements(*pair, rate_range) for pair in pairs
        ]
        classes, clusters = [], [rows.clusters for rows in self.classes]
        if clusters[0] is not None and len(np.unique(codes := np.concatenate(clusters))) == len(codes):
            clusters = [None, None]  # clusters of one row are independent
        for index, rows in enumerate(self.classes):
            columns = [
                placements_in_row_order(
                    part.classes[index],
                    pair[index].sorted_sample if rate_range is None else pair[index].unique_values,
                    values,
                )
                for part, pair, values in zip(parts, pairs, rows.values.T, strict=True)
            ]
            total = pairs[0][index].total
            classes.append(ClassPlacements(np.column_stack(columns), rows.weights, total, clusters[index]))
        is_partial = rate_range is not None
        within = None
        if clusters[0] is not None and not is_partial:
            samples = [(rows.values, rows.weights, rows.clusters) for rows in self.classes]
            within = wins_within_clusters(*samples)
        return Placements(
            np.array([part.estimate for part in parts]),
            classes[0],
            classes[1],
            parts[0].null_value,
            is_partial=is_partial,
            wins_within_clusters=within,
        )


def _check_clusters(clusters: NDArray[np.intp], parts: list[NDArray[np.intp]]) -> None:
    """Refuse fewer clusters than show the variance between them."""
    counts = [len(np.unique(clusters[part])) for part in parts]
    if min(counts) < MIN_CLUSTERS:
        raise RocPredictError(
            f"clusters= has {counts[0]} clusters with negatives and {counts[1]} with positives; {MIN_CLUSTERS} or more "
            "of each are needed to estimate the variance between clusters"
        )


def _apply_weights(rows: ClassRows, weights: FloatArray | None) -> tuple[list[NDArray[np.intp]], FloatArray | None]:
    """Return the rows of both classes, repeated where weights are whole; else the weights, and rows above 0."""
    parts = [rows.negative, rows.positive]
    if weights is None:
        return parts, None
    for name, part in zip(("negative", "positive"), parts, strict=True):
        if weights[part].sum() < 1:
            raise RocPredictError(
                f"weights of the {name} class sum to {weights[part].sum():g}; they say how many cases each row stands "
                "for: 1 or more in all"
            )
    if (weights == np.round(weights)).all() and weights.sum() <= MAX_EXPANDED_ROWS:
        times = weights.astype(np.intp)
        return [np.repeat(part, times[part]) for part in parts], None
    return [part[weights[part] > 0] for part in parts], weights


def _find_directions(classes: tuple[ClassColumns, ClassColumns], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the direction that the area of each feature suggests."""
    pairs = [[part.distribution(curve) for part in classes] for curve in range(len(names))]
    directions = tuple("lower" if EmpiricalSolver(*pair).auc() < 0.5 else "higher" for pair in pairs)
    if len(set(directions)) > 1:
        listing = ", ".join(f"{name} {direction!r}" for name, direction in zip(names, directions, strict=True))
        raise RocPredictError(
            f"direction='auto' finds opposite directions ({listing}); if that is meant, say direction={directions}"
        )
    return directions


def _check_directions(direction: Any, count: int) -> tuple[str, ...]:
    if direction is None or isinstance(direction, str):
        check_option("direction", direction, _DIRECTIONS)
        return (direction or "higher",) * count
    directions = tuple(direction) if isinstance(direction, Sequence) else (direction,)
    if len(directions) != count:
        raise RocPredictError(
            f"direction={short_repr(direction)} has {len(directions)} items; give one for each of {count} curves"
        )
    for item in directions:
        check_option("direction", item, _DIRECTIONS[1:3])
    return directions


def join_rocs(rocs: Mapping[str, Any]) -> CurveSample:
    """Return the sample of empirical curves of the same cases, without those that one of the curves lacks."""
    curves = list(rocs.values())
    row_numbers: list[Any] = [getattr(roc, "source_rows", None) for roc in curves]
    sizes = [(len(roc.negative.sample), len(roc.positive.sample)) for roc in curves]
    if any(rows is None for rows in row_numbers):  # the cases correspond in their order within the classes
        row_numbers = [SourceRows(np.arange(n), np.arange(n, n + m), None) for n, m in sizes]
    tables = np.array([_row_table(roc, rows, row_numbers) for roc, rows in zip(curves, row_numbers, strict=True)])
    values, codes, weights = tables[..., ~np.isnan(tables[:, 1]).all(axis=0)].swapaxes(0, 1)
    totals = [tuple(np.add(size, roc.omitted).tolist()) for size, roc in zip(sizes, curves, strict=True)]
    shared = ~np.isnan(codes).any(axis=0)
    if len(set(totals)) > 1 or (codes[0] != codes[-1])[shared].any():
        raise RocPredictError(
            f"the curves are not of the same cases in the same order, here {totals[0]} and {totals[-1]} (negative, "
            "positive); give paired=False if no case is in both"
        )
    if (weights[0] != weights[-1])[shared].any():
        raise RocPredictError("curves of the same cases need the same weights; give paired=False if no case is in both")
    directions = tuple(roc.direction or "higher" for roc in curves)
    weighed = np.nanmax(weights, axis=0) if any(roc.negative.weights is not None for roc in curves) else None
    options = RowOptions(positive=1, nan_policy="omit", direction=directions, weights=weighed)
    sample = CurveSample.from_rows(dict(zip(rocs, values, strict=True)), np.nanmax(codes, axis=0), options)
    n_shared = [int(np.count_nonzero(codes[0][shared] == code)) for code in (0, 1)]
    auto = Flags(auto_direction=any(roc.auto_direction for roc in curves))
    return replace(sample, omitted=(totals[0][0] - n_shared[0], totals[0][1] - n_shared[1]), flags=auto)


def _row_table(roc: Any, rows: SourceRows, row_numbers: Sequence[SourceRows]) -> FloatArray:
    """Return value, class (0, 1) and weight of every row of the labels, shape (3, rows); NaN outside the classes."""
    table = np.full((3, 1 + max(int(part.max()) for each in row_numbers for part in each[:2])), np.nan)
    for code, (sample, part) in enumerate(((roc.negative, rows.negative), (roc.positive, rows.positive))):
        table[0, part], table[1, part], table[2, part] = sample.sample, code, 1.0
        if sample.weights is not None:
            table[2, part] = sample.weights
    return table
