"""How often intervals of the AUC hold its true value."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.coverage.settings import FEW, Pair
from rocpredict.distributions.ecdf import Ecdf
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.inference.empirical import EmpiricalUncertainty
from rocpredict.inference.intervals import AUC_METHODS, auc_interval
from rocpredict.inference.parametric import ParametricUncertainty
from rocpredict.inference.placements import compute_placements

LEVEL = 0.95
DEFAULT, *PEERS = AUC_METHODS[:5]
RESAMPLED = AUC_METHODS[5:]
RESAMPLED_COUNTS, RESAMPLED_AUCS = ((10, 10), (20, 20), (50, 50)), (0.75, 0.95)
EXACTLY_COUNTS = ((10, 10), (50, 50), (10, 50), (50, 10))  # where the noncentral t, slow, is tried as well


@dataclass(frozen=True)
class Draws:
    """How many data sets are drawn in each setting: for the default, its peers, and what resamples."""

    default: int = 8_000
    peers: int = 600
    resampled: int = 200
    resamples: int = 1_000
    again: int = 40_000
    """For the default where it seems to lie outside of what is required: fresh ones, which alone count."""


@dataclass(frozen=True)
class Covered:
    """What one method did in one setting."""

    pair: Pair
    count: tuple[int, int]
    method: str
    draws: int
    above: float
    """Share of the intervals that lie above the true value."""
    below: float
    """Share of those that lie below it."""
    width: float
    fallbacks: float

    @property
    def coverage(self) -> float:
        return 1 - self.above - self.below

    @property
    def error(self) -> float:
        """Give the Monte-Carlo standard error of a coverage that is as stated."""
        return mc_error(self.draws)


def mc_error(draws: int, share: float = LEVEL) -> float:
    """Give the Monte-Carlo standard error of a share."""
    return float(np.sqrt(share * (1 - share) / draws))


def summed_up(truth: float, low: Any, high: Any, fallback: Any = 0.0) -> dict[str, Any]:
    """Give the shares of intervals above and below the truth, the mean width and the share of fallbacks."""
    low, high = np.asarray(low), np.asarray(high)
    slack = 1e-9  # an end that is the true value holds it
    return {
        "draws": len(low),
        "above": float(np.mean(low > truth + slack)),
        "below": float(np.mean(high < truth - slack)),
        "width": float(np.mean(high - low)),
        "fallbacks": float(np.mean(fallback)),
    }


def cover(pair: Pair, count: tuple[int, int], draws: Draws, rng: np.random.Generator) -> Iterator[Covered]:
    """Try every method in one setting, all on the same data sets, the dearer ones on the first of them."""
    samples = list(pair.draw(rng, draws.peers if count in FEW else draws.default, count))
    placed = [compute_placements(Ecdf(negative), Ecdf(positive)) for negative, positive in samples]
    for method in (DEFAULT, *PEERS):
        some = placed if method == DEFAULT else placed[: draws.peers]
        yield _covered(pair, count, method, [auc_interval(p, LEVEL, method) for p in some])
    if count in RESAMPLED_COUNTS and pair.tuned and pair.auc in RESAMPLED_AUCS:
        yield from _resampled(pair, count, samples[: draws.resampled], draws.resamples)
    if pair.name.startswith("Gaussian, ") and count not in FEW:
        yield from _predicted(pair, count, samples, draws.resampled)


def cover_again(seen: Covered, draws: Draws, rng: np.random.Generator) -> Covered:
    """Try the default anew in one setting."""
    samples = seen.pair.draw(rng, draws.again, seen.count)
    intervals = [
        auc_interval(compute_placements(Ecdf(negative), Ecdf(positive)), LEVEL, DEFAULT)
        for negative, positive in samples
    ]
    return _covered(seen.pair, seen.count, DEFAULT, intervals)


def _covered(pair: Pair, count: tuple[int, int], method: str, intervals: list[Any]) -> Covered:
    low, high = np.array([tuple(interval) for interval in intervals]).T
    stood_in = "point_mass" if method == DEFAULT else "fallback"  # the default's only fallback: all values tied
    fallback = [stood_in in interval.flags for interval in intervals]
    return Covered(pair, count, method, **summed_up(pair.auc, low, high, fallback))


def _resampled(pair: Pair, count: tuple[int, int], samples: list[Any], resamples: int) -> Iterator[Covered]:
    for method in RESAMPLED:
        intervals = [
            EmpiricalUncertainty(Ecdf(negative), Ecdf(positive), BootstrapOptions(resamples, seed)).area_interval(
                None, LEVEL, method
            )
            for seed, (negative, positive) in enumerate(samples)
        ]
        yield _covered(pair, count, method, intervals)


def _predicted(pair: Pair, count: tuple[int, int], samples: list[Any], few: int) -> Iterator[Covered]:
    """Try the intervals from means and standard deviations alone."""
    for method in ("delta", "reiser-guttman"):
        if method == "reiser-guttman" and count not in EXACTLY_COUNTS:
            continue
        some = samples if method == "delta" else samples[:few]
        classes = [np.array(part) for part in zip(*some, strict=True)]
        fitted = [Gaussian(x.mean(axis=1), x.std(axis=1, ddof=1)) for x in classes]
        found = ParametricUncertainty(fitted[0], fitted[1], count, BootstrapOptions()).area_interval(
            None, LEVEL, method
        )
        yield Covered(pair, count, method, **summed_up(pair.auc, found.low, found.high))
