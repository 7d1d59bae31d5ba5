"""What all comparisons share: how methods and estimates are named, chosen and scaled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rocpredict.arguments import one_of
from rocpredict.auc_tests.rows import Prepared
from rocpredict.errors import RocPredictError
from rocpredict.flags import Flags
from rocpredict.inference.differences import Found, Quantity
from rocpredict.inference.permutation import Exchange
from rocpredict.inference.results import METHOD_NAMES, AucTest, Claim
from rocpredict.inference.strata import Areas
from rocpredict.interval import Interval

EXCHANGES = {"permutation": "area", "venkatraman": "errors"}
"""Methods that exchange cases, and the statistic of each."""


def choose(method: str | None, allowed: tuple[str, ...], quantity: Quantity, claim: Claim) -> str:
    """Return the method asked for, or the default, or refuse one that cannot answer this."""
    one_of("method", method, (None, *allowed))
    of_height = quantity.fpr is not None
    chosen = method or ("bootstrap" if of_height else allowed[0])
    if of_height and chosen != "bootstrap":
        raise RocPredictError(f"tpr_at_fpr= is compared by method='bootstrap', not {chosen!r}")
    if chosen in EXCHANGES:
        if quantity != Quantity():
            raise RocPredictError(f"method={chosen!r} compares whole curves; leave fpr= and tpr= out")
        possible = ("two-sided", "greater", "less") if chosen == "permutation" else ("two-sided",)
        if claim.alternative not in possible:
            raise RocPredictError(
                f"method={chosen!r} has alternative {' or '.join(map(repr, possible))}, not {claim.alternative!r}"
            )
    return chosen


def estimates_of(rows: Prepared, areas: Areas, quantity: Quantity) -> tuple[float, ...]:
    """Give what is compared, for each curve."""
    if quantity.fpr is not None:
        return tuple(quantity.of(*rows.columns.pair(curve)) for curve in range(len(rows.names)))
    return tuple(float(area) * quantity.scale for area in np.atleast_1d(areas.estimate))


def difference_test(
    found: Found,
    names: tuple[str, ...],
    estimates: tuple[float, ...],
    *,
    claim: Claim,
    quantity: Quantity,
    method: str,
    design: str,
    **rows: Any,
) -> AucTest:
    """Give the result of a test of two curves; ``rows`` are what it says of the rows behind them."""
    null, alternative = claim.in_words(*(f"{quantity.name} of {name}" for name in names))
    if method in EXCHANGES:
        null = f"{' and '.join(names)} have the same ROC curve"
    if method == "venkatraman":
        alternative = "their ROC curves differ somewhere"
    return AucTest(
        null=null,
        alternative=alternative,
        method=f"{METHOD_NAMES[method]}, {design}",
        estimator=estimator_of(quantity),
        estimates=estimates,
        difference=estimates[0] - estimates[1],
        interval=scaled(found.interval, quantity.scale),
        statistic=found.statistic,
        p_value=found.p_value,
        **rows,
    )


def judged(found: Found, exchange: Exchange, method: str, claim: Claim) -> Found:
    """Give p by random exchanges, of areas or, Venkatraman's, of errors; the interval stays as it was found."""
    claimed = claim if method == "permutation" else Claim("greater")
    p_value = claimed.by_counting(exchange.replicates, exchange.observed)
    return found._replace(statistic=exchange.observed, p_value=p_value)


def check_design(method: str, quantity: Quantity, *samples: Prepared) -> None:
    """Refuse clusters, strata and weights for what draws or exchanges cases one by one."""
    plain = all(sample.plain for sample in samples)
    if quantity.fpr is not None and not plain:
        raise RocPredictError("tpr_at_fpr= takes no clusters= or strata=; the AUC and fpr=(low, high) do")
    if method != "delong" and not plain:
        raise RocPredictError(f"method={method!r} takes no clusters= or strata=; give 'delong'")
    if method in EXCHANGES and any(sample.columns.weights[0] is not None for sample in samples):
        raise RocPredictError(f"method={method!r} takes whole weights only: what is exchanged is a case")


def estimator_of(quantity: Quantity) -> str:
    """Say how it is estimated."""
    if quantity.fpr is not None:
        return "empirical TPR, the top of a vertical piece"
    return "Mann-Whitney, ties half" if quantity.band is None else "area under the empirical curve in the band, raw"


def in_shares(claim: Claim, quantity: Quantity) -> Claim:
    """Give the claim about areas as shares of the band's width."""
    return claim if claim.margin is None else replace(claim, margin=min(claim.margin / quantity.scale, 1 - 1e-12))


def scaled(interval: Interval, factor: float) -> Interval:
    """Give an interval of shares as one of areas."""
    low, high, estimate = (end * factor for end in (interval.low, interval.high, interval.estimate))
    return replace(interval, low=low, high=high, estimate=estimate)


def opposite_sides(areas: Any, chance: float = 0.5) -> Flags:
    """Flag areas on both sides of what a feature that tells nothing has."""
    return Flags(opposite_sides=np.min(areas) < chance < np.max(areas))
