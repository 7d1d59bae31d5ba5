"""The comparison of family="auto" with the empirical curve on simulated pairs."""

import numpy as np
import pytest

from benchmarks.robust import DRAWS, PAIRS, Draws, Population, measure, quantiles, sample, tables
from rocpredict import EmpiricalRoc


def test_populations_have_the_shares_and_the_area_of_their_pair():
    """Quantiles of each class; binary .2 / .5 has an AUC of .65, N(0,1) / N(1.5,1) one of .8556."""
    for name, area in (("binary .2 / .5", 0.65), ("N(0,1) / N(1.5,1)", 0.85558), ("N(0,1) / bimodal", 0.5)):
        negative, positive = map(quantiles, PAIRS[name])
        assert EmpiricalRoc(negative=negative, positive=positive).auc() == pytest.approx(area, abs=1e-4)
    assert len(PAIRS) == 21
    assert min(DRAWS.values()) >= 30


def test_samples_come_from_all_components():
    values = sample(PAIRS["90% / 60% zeros"][0], np.random.default_rng(1), (50, 400))
    assert np.mean(values == 0) == pytest.approx(0.9, abs=0.01)


def test_cells_and_tables_have_every_estimator():
    """A tied pair at 10 a class: the ratio of two errors, coverage, and a shift by ties."""
    cells = measure("five ratings", (10, 10), 30)
    directions = [f"auto, direction{which}" for which in (" declared", "=None", " chosen")]
    assert [cell.estimator for cell in cells] == [*directions, "gaussian", "kde"]
    for cell in cells[:3]:
        assert 0.6 < cell.ratio < 1.1
        assert abs(cell.tie_shift) < 0.02
        assert min(cell.ameans_coverage, cell.auc_coverage) > 0.75
        assert cell.is_met
    texts = [table.to_markdown() for table in tables(cells)]
    assert "| five ratings |" in texts[1]


def test_a_chosen_direction_reverses_the_samples_and_their_population():
    """N(0,1) / N(.5,1) at 5 a class: some samples are reversed, and their truth is the mirrored curve."""
    cells = {cell.estimator: cell for cell in measure("N(0,1) / N(.5,1)", (5, 5), 200)}
    chosen, fixed = cells["auto, direction chosen"], cells["auto, direction=None"]
    assert chosen.ratio == pytest.approx(fixed.ratio, rel=1e-3)
    whole = [quantiles(part) for part in PAIRS["N(0,1) / N(.5,1)"]]
    populations = Population(*whole), Population(*(-part for part in whole))
    low, high = [0.0, 1.0], [2.0, 3.0]
    draws = Draws(np.array([low, high]), np.array([high, low]), populations, np.zeros(2, bool))
    turned = draws.with_chosen_direction()
    assert turned.is_reversed.tolist() == [False, True]
    assert turned.positive[1].tolist() == [0, -1]
    assert turned.truth("area") == pytest.approx([populations[0].area, 1 - populations[0].area])
    assert turned.achieved(np.array([0.25, -0.25])).sum() == pytest.approx(1, abs=1e-3)
