"""Two curves on different cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocpredict.arguments import as_pair, shown
from rocpredict.auc_tests.paired import as_quantity
from rocpredict.auc_tests.rows import Prepared, prepare
from rocpredict.auc_tests.words import (
    EXCHANGES,
    check_design,
    choose,
    difference_test,
    estimates_of,
    in_shares,
    judged,
    opposite_sides,
)
from rocpredict.errors import RocPredictError
from rocpredict.inference.bootstrap import Resampling
from rocpredict.inference.differences import Independent, by_placements, by_resamples, resampled
from rocpredict.inference.permutation import Exchange, exchange_groups
from rocpredict.inference.placements import ROUNDING
from rocpredict.inference.results import AucTest, Claim
from rocpredict.interval import as_level

UNPAIRED_METHODS = ("delong", "bootstrap", "permutation", "venkatraman")
"""Tests of two curves on different cases; the first is the default."""


def auc_test_unpaired(
    first: tuple[Any, Any],
    second: tuple[Any, Any],
    *,
    positive: Any = None,
    negative: Any = None,
    method: str | None = None,
    alternative: str = "two-sided",
    margin: float | None = None,
    fpr: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    tpr_at_fpr: float | None = None,
    direction: Any = None,
    level: float = 0.95,
    nan_policy: str = "raise",
    weights: tuple[Any, Any] | None = None,
    clusters: tuple[Any, Any] | None = None,
    strata: tuple[Any, Any] | None = None,
    n_resamples: int = 2000,
    rng: Any = 0,
) -> AucTest:
    """Test two curves on different cases against each other.

    Parameters
    ----------
    first, second : (x, y)
        Values and labels of each sample, of any length each; the features may have different units.
    positive, negative : label, optional
        As in ``empirical_roc``, for both samples.
    method : str, optional
        "delong" (default; the sum of both variances), "bootstrap", "permutation" and "venkatraman" (of places
        between the samples, class by class; the first of the difference of the areas, the second of the whole
        curves).
    alternative, margin, fpr, tpr, tpr_at_fpr, level, nan_policy, n_resamples, rng
        As in ``auc_test``.
    direction : {None, "higher", "lower", "auto"} or a pair of "higher", "lower"
        As in ``auc_test``; opposite answers under "auto" are refused.
    weights, clusters, strata : pair, optional
        One array (or None) for each sample, as in ``auc_test``; clusters do not span the samples.

    Returns
    -------
    AucTest
        ``n`` has a pair for each sample, ``omitted`` the rows left out of both.

    Raises
    ------
    RocPredictError
        As ``auc_test``.

    Examples
    --------
    >>> from rocpredict.datasets import simulate_two_gaussians
    >>> first, second = (simulate_two_gaussians(count=(80, 70), seed=seed) for seed in (1, 2))
    >>> auc_test_unpaired(first, second)
    AucTest(null='AUC of first = AUC of second', method='DeLong, unpaired', ...
    """
    claim, level = Claim(alternative, margin), as_level(level)
    quantity, resampling = as_quantity(fpr, tpr, tpr_at_fpr), Resampling(n_resamples, rng)
    chosen = choose(method, UNPAIRED_METHODS, quantity, claim)
    design = {"weights": weights, "clusters": clusters, "strata": strata}
    parts = {name: _for_each(name, pair) for name, pair in design.items()}
    samples = []
    for index, ((x, y), side) in enumerate(zip(_samples(first, second), _sides(direction), strict=True)):
        options: dict[str, Any] = {"positive": positive, "negative": negative, "nan_policy": nan_policy}
        options |= {name: pair[index] for name, pair in parts.items()}
        samples.append(prepare({"x": x}, y, direction=side, **options))
    _refuse_opposite(samples, direction)
    check_design(chosen, quantity, *samples)
    areas = [sample.areas(quantity) for sample in samples]
    difference = Independent(areas[0].select(np.ones(1)), areas[1].select(np.ones(1)))
    estimates = tuple(estimates_of(s, a, quantity)[0] for s, a in zip(samples, areas, strict=True))
    claimed = in_shares(claim, quantity)
    if chosen == "delong":
        found = by_placements(difference, claimed, level)
    elif chosen == "bootstrap":
        generator = resampling.generator()
        draws = [resampled(s.columns, quantity, Resampling(n_resamples, generator))[:, 0] for s in samples]
        drawn = (draws[0] - draws[1]) / quantity.scale
        apart = (estimates[0] - estimates[1]) / quantity.scale
        blind = min(float(np.std(part)) for part in draws) <= ROUNDING and quantity.fpr is None
        if blind:  # a sample that shows no spread is not known exactly
            found = by_placements(difference, claimed, level)
        else:
            found = by_resamples(drawn, apart, difference.units, claimed, level)
    else:
        exchange = _exchanged(samples, chosen, resampling)
        found = judged(by_placements(difference, claimed, level), exchange, chosen, claim)
    flags = samples[0].flags | samples[1].flags | found.flags
    return difference_test(
        found,
        ("first", "second"),
        estimates,
        claim=claim,
        quantity=quantity,
        method=chosen,
        design=f"unpaired{samples[0].design or samples[1].design}",
        n=tuple(sample.n for sample in samples),
        omitted=tuple(np.add(samples[0].omitted, samples[1].omitted).tolist()),
        direction=tuple(sample.directions[0] for sample in samples),
        flags=flags | opposite_sides([area.estimate for area in areas], areas[0].chance),
    )


def _for_each(name: str, pair: Any) -> tuple[Any, Any]:
    return (None, None) if pair is None else as_pair(name, pair, "one for each sample, or None")


def _samples(first: Any, second: Any) -> list[tuple[Any, Any]]:
    return [as_pair(name, sample, "(x, y)") for name, sample in (("first", first), ("second", second))]


def _sides(direction: Any) -> tuple[Any, Any]:
    if direction is None or isinstance(direction, str):
        return direction, direction
    return as_pair("direction", direction, "one for each sample")


def _refuse_opposite(samples: list[Prepared], direction: Any) -> None:
    found = tuple(sample.directions[0] for sample in samples)
    if isinstance(direction, str) and direction == "auto" and len(set(found)) > 1:
        raise RocPredictError(
            f"direction='auto' finds opposite directions {shown(found)}; if that is meant, say direction={found}"
        )


def _exchanged(samples: list[Prepared], method: str, resampling: Resampling) -> Exchange:
    """Exchange places between the samples, class by class."""
    first, second = ((s.columns.negative[:, 0], s.columns.positive[:, 0]) for s in samples)
    return exchange_groups(first, second, EXCHANGES[method], resampling)
