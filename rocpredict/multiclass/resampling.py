"""The bootstrap of areas that share rows: the rows of each class resampled among themselves."""

from __future__ import annotations

import numpy as np

from rocpredict.arguments import FloatArray
from rocpredict.empirical import EmpiricalRoc
from rocpredict.inference.bootstrap import Resampling, areas_maker, drawn
from rocpredict.multiclass.parts import Groups, Part, mixed


def resampled_means(
    mixing: FloatArray,
    layout: list[Part],
    rocs: list[EmpiricalRoc],
    columns: FloatArray,
    *,
    groups: Groups,
    resampling: Resampling,
) -> FloatArray:
    """Give the weighted means of areas in each resample, shape (n_resamples, answers): all parts on the same rows."""
    makers = [areas_maker(roc.negative, roc.positive) for roc in rocs]
    orders = [
        [rows[np.argsort(columns[rows, part.column])] for rows in (part.rows(side, groups) for side in _SIDES)]
        for part in layout
    ]
    streams = [np.random.default_rng(seed) for seed in resampling.generator().integers(0, 2**63, len(groups))]
    chunks = []
    for size in resampling.chunks(6 * len(columns)):
        times = np.empty((size, len(columns)))
        for rows, stream in zip(groups, streams, strict=True):
            times[:, rows] = drawn(stream, size, None, len(rows))
        areas = [make(times[:, order[0]], times[:, order[1]]) for make, order in zip(makers, orders, strict=True)]
        chunks.append(mixed(mixing, np.column_stack(areas)))
    return np.concatenate(chunks)


_SIDES = ("negative", "positive")
