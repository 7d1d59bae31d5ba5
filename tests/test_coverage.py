"""The coverage page's simulation, in small: what it draws is what it says, and the promises hold within its error."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.coverage.intervals import DEFAULT, Draws, cover, mc_error
from benchmarks.coverage.levels import ALPHA, Runs, one, paired
from benchmarks.coverage.page import Measured, written
from benchmarks.coverage.settings import Pair, exponential, gaussian, pairs, zeros
from rocpredict import empirical_roc

ERRORS = 5  # Monte-Carlo standard errors: a true share lies further off with probability 6e-7
DRAWS = Draws(default=2_000, peers=20, resampled=5, resamples=50)


def _drawn(pair: Pair, count: tuple[int, int], draws: Draws, seed: int = 0):
    return list(cover(pair, count, draws, np.random.default_rng(seed)))


def test_pairs_have_the_auc_that_they_say():
    """The AUC of 40,000 cases lies within 5 standard errors, by DeLong; falsely outside: 2e-5 over all pairs."""
    for index, pair in enumerate(pairs()):
        ((negative, positive),) = pair.draw(np.random.default_rng([7, index]), 1, (20_000, 20_000))
        roc = empirical_roc(np.concatenate([negative, positive]), np.repeat([0, 1], 20_000))
        assert abs(roc.auc() - pair.auc) < ERRORS * roc.auc_std_error(), pair


def test_default_interval_covers_as_required():
    """The share lies in the required band or 5 Monte-Carlo standard errors beyond; falsely outside: below 2e-6."""
    for pair, count, low, high in (
        (gaussian(0.85, 2), (20, 20), 0.945, 0.97),
        (exponential(0.75), (50, 50), 0.945, 0.965),
        (zeros(0.95), (10, 50), 0.94, 0.98),
    ):
        default = next(cover(pair, count, DRAWS, np.random.default_rng(0)))  # the first of the methods
        assert default.method == DEFAULT
        assert low - ERRORS * default.error < default.coverage < high + ERRORS * default.error, pair


def test_tests_keep_their_level():
    """At most 5.7 % are rejected (exact: 5 %), and not far too few, 5 standard errors aside; falsely: 2e-6."""
    for trial, n, low in ((paired("delong", 0.7), 100, 0.043), (one("exact", 0.5), 15, 0.03)):
        result = trial.level(np.random.default_rng(3), n, 500)
        slack = ERRORS * mc_error(result.runs, ALPHA)
        highest = 0.05 if "exact" in trial.test else 0.057
        assert max(low - slack, 0) < result.rejected < highest + slack, trial.test


def test_counts_are_those_of_the_intervals_that_a_user_gets():
    """Misses and mean width of the default, counted anew on the same data sets from ``auc_interval``."""
    pair, count, draws = gaussian(0.95, 1), (10, 20), replace(DRAWS, default=200)
    default = next(c for c in _drawn(pair, count, draws) if c.method == DEFAULT)
    y = np.repeat([0, 1], count)
    samples = pair.draw(np.random.default_rng(0), draws.default, count)
    intervals = [empirical_roc(np.concatenate(classes), y).auc_interval() for classes in samples]
    assert default.above == np.mean([interval.low > pair.auc for interval in intervals])
    assert default.below == np.mean([interval.high < pair.auc for interval in intervals]) > 0
    assert default.width == pytest.approx(np.mean([interval.width for interval in intervals]))


def test_page_holds_every_table():
    """A page of a few data sets has all its headings, the settings drawn, and the failing ones by name."""
    small = replace(DRAWS, default=20)
    areas = [c for count in ((10, 10), (50, 50), (2, 2)) for c in _drawn(gaussian(0.75, 1), count, small)]
    areas = [replace(c, above=0.5) if c.count == (50, 50) else c for c in areas]
    level = paired("delong", 0.7).level(np.random.default_rng(0), 20, 30)
    page = written(Measured(5, small, Runs(large=30), 10, areas, [], [level]))
    for heading in ("## The AUC", "## Thresholds, partial areas, rates", "## Tests"):
        assert heading in page
    assert "Gaussian, SD ratio 1, AUC 0.75, n = 50 + 50" in page
    assert "| paired, delong | AUC 0.7, correlation 0.5 |" in page
    assert "Seed 5;" in page
    assert all(f"| {c.method} |" in page for c in areas)
