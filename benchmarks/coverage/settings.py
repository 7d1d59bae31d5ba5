"""Pairs of classes of known AUC, and numbers of cases, to try intervals and tests on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from scipy.stats import laplace, lognorm, t, weibull_min

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]

AUCS = (0.6, 0.75, 0.85, 0.95)
EQUAL = ((10, 10), (20, 20), (50, 50), (200, 200))
UNEQUAL = ((10, 50), (50, 10), (20, 100), (100, 20))
FEW = ((1, 1), (1, 10), (10, 1), (2, 2))
_NODES = 20_000


@dataclass(frozen=True)
class Pair:
    """Two classes: how to draw from each, the true AUC, and whether the default interval was tuned on them."""

    name: str
    auc: float
    negative: Draw
    positive: Draw
    tuned: bool = False

    def draw(
        self, rng: np.random.Generator, draws: int, count: tuple[int, int]
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Give pairs of samples, negative and positive."""
        samples = (draw(rng, (draws, n)) for draw, n in zip((self.negative, self.positive), count, strict=True))
        return zip(*samples, strict=True)


def gaussian(auc: float, ratio: float) -> Pair:
    """Give Gaussians, the positives' standard deviation being ``ratio`` times the negatives'."""
    shift = ndtri(auc) * np.hypot(1, ratio)
    name = f"Gaussian, SD ratio {ratio:g}"
    return Pair(name, auc, _normal, lambda rng, shape: rng.normal(shift, ratio, shape), tuned=True)


def pairs() -> list[Pair]:
    """Give every pair, those that the default interval was tuned on first.

    A standard deviation ratio of 1/2 is the mirror image of 2: the same with the classes in each other's place.
    """
    found = [gaussian(auc, ratio) for ratio, auc in product((1, 2), AUCS)]
    for make in (exponential, _lognormal, _five_levels):
        found += [make(auc) for auc in AUCS]
    for make in (_student, _bimodal, _weibull, _laplace, _beta, _three_levels):
        found += [make(auc) for auc in (0.75, 0.95)]
    return found + [zeros(auc) for auc in (0.6, 0.75, 0.95)]


def _normal(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return rng.normal(size=shape)


def exponential(auc: float) -> Pair:
    mean = auc / (1 - auc)
    draws = (lambda rng, shape: rng.exponential(1, shape)), (lambda rng, shape: rng.exponential(mean, shape))
    return Pair("exponential", auc, *draws, tuned=True)


def _lognormal(auc: float) -> Pair:
    return _moved("lognormal, shifted", auc, lognorm(0.8), lognorm(0.8), tuned=True)


def _student(auc: float) -> Pair:
    return _moved("Student t, 3 df", auc, t(3), t(3))


def _laplace(auc: float) -> Pair:
    return _moved("Laplace", auc, laplace(), laplace())


def _weibull(auc: float) -> Pair:
    return _moved("Weibull, shapes 3 and 0.8", auc, weibull_min(3), weibull_min(0.8))


def _moved(name: str, auc: float, negative: object, positive: object, *, tuned: bool = False) -> Pair:
    """Give two scipy distributions, the positive one moved to where the AUC is (to 1e-7, by the midpoint rule)."""
    values = positive.ppf((np.arange(_NODES) + 0.5) / _NODES)
    shift = brentq(lambda s: negative.cdf(values + s).mean() - auc, -20, 40, xtol=1e-9)

    def draw_negative(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        return negative.rvs(size=shape, random_state=rng)

    def draw_positive(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        return positive.rvs(size=shape, random_state=rng) + shift

    return Pair(name, auc, draw_negative, draw_positive, tuned)


def _bimodal(auc: float) -> Pair:
    """Give positives of two kinds, 3 apart, of which the one may lie among the negatives."""
    spread = np.hypot(1, 0.5)
    middle = brentq(lambda m: ndtr((m + np.array([-1.5, 1.5])) / spread).mean() - auc, -10, 10, xtol=1e-12)

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        return middle + rng.choice([-1.5, 1.5], shape) + rng.normal(0, 0.5, shape)

    return Pair("Gaussian against bimodal", auc, _normal, draw)


def _beta(auc: float) -> Pair:
    """Give uniform negatives: the AUC is the mean of the positives."""
    return Pair(
        "uniform against beta",
        auc,
        lambda rng, shape: rng.uniform(size=shape),
        lambda rng, shape: rng.beta(2, 2 * (1 - auc) / auc, shape),
    )


def _five_levels(auc: float) -> Pair:
    return _graded("5 levels", auc, np.array([-1.2, -0.4, 0.4, 1.2]), tuned=True)


def _three_levels(auc: float) -> Pair:
    return _graded("3 levels", auc, np.array([-0.5, 0.5]))


def _graded(name: str, auc: float, cuts: np.ndarray, *, tuned: bool = False) -> Pair:
    """Give Gaussians of which only grades are seen: how many of the cuts, set about their middle, lie below."""

    def area(shift: float) -> float:
        negative, positive = (np.diff(ndtr(cuts - m), prepend=0, append=1) for m in (-shift / 2, shift / 2))
        return float(positive @ (np.cumsum(negative) - negative / 2))

    shift = brentq(lambda s: area(s) - auc, 0, 20, xtol=1e-12)

    def drawn(mean: float) -> Draw:
        return lambda rng, shape: np.searchsorted(cuts, rng.normal(mean, 1, shape)).astype(float)

    return Pair(name, auc, drawn(-shift / 2), drawn(shift / 2), tuned)


def zeros(auc: float) -> Pair:
    """Give exponential amounts of means 1 and 4 among zeros: 9 in 10 of the negatives, fewer of the positives."""
    none = 0.9
    of_positives = (none + 0.8 * (1 - none) - auc) / (none / 2 + 0.8 * (1 - none))

    def drawn(share: float, mean: float) -> Draw:
        return lambda rng, shape: np.where(rng.uniform(size=shape) < share, 0, rng.exponential(mean, shape))

    return Pair("zero-inflated exponential", auc, drawn(none, 1), drawn(of_positives, 4))
