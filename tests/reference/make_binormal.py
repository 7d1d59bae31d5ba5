"""Write binormal.json, searches and integrals in high precision: ``python -m tests.reference.make_binormal``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product

import mpmath as mp

from tests.oracle import CURVES, Truth, pair_of
from tests.reference.data import HERE

BANDS = ((0, 0.1), (0.2, 0.4), (0, 1e-6), (0, 1e-200), (1 - 1e-9, 1), (0.3, 0.3 + 1e-12), (1e-300, 1e-299))
FOUR = ((4.0, 3.0, 8.0, 2.0), (0.0, 1.0, 1.0, 1.0), (0.0, 1.0, 1.0, 2.0), (5.0, 0.5, 7.0, 1.5))
FAR = (pair_of(1 + 1e-12, 12), pair_of(3, 30), pair_of(1, 30))


def rows() -> Iterator[tuple]:
    """Yield a quantity, the two Gaussians, the arguments and the exact values."""
    for case, band in product(CURVES[::5], BANDS):
        for quantity in ("partial_auc_fpr", "partial_auc_tpr"):
            yield quantity, case, band, (getattr(Truth(*case), quantity)(*band),)
    for case in CURVES[::3]:
        yield "area_below_chance", case, (), (Truth(*case).area_below_chance(),)
    for case in (*CURVES[::3], *FAR):
        yield "proper_auc_complement", case, (), (Truth(*case).proper_auc_complement(),)
    for case, (prevalence, beta) in product(FOUR, ((0.1, 1.0), (0.5, 2.0), (0.9, 0.5))):
        yield "best_f_beta", case, (prevalence, beta), Truth(*case).best_f_beta(prevalence, beta)


if __name__ == "__main__":
    lines = [json.dumps([*row[:3], [mp.nstr(value, 25) for value in row[3]]]) for row in rows()]
    (HERE / "binormal.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
