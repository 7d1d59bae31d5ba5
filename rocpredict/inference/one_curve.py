"""One curve against a value."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from rocpredict.arguments import as_fraction, one_of
from rocpredict.distributions import Ecdf
from rocpredict.errors import RocPredictError
from rocpredict.flags import Flags
from rocpredict.inference.areas import area_interval
from rocpredict.inference.differences import Found, against_value
from rocpredict.inference.moments import Spread
from rocpredict.inference.permutation import exact_area_tails, null_variance
from rocpredict.inference.results import METHOD_NAMES, AucTest, Claim
from rocpredict.inference.strata import Areas
from rocpredict.interval import Interval

ONE_METHODS = ("smoothed-logit", "delong", "mann-whitney", "exact")
"""Tests of one empirical curve against a value; the first is the default."""
_ONE_SIDED = ("two-sided", "greater", "less")


class OneCurve(NamedTuple):
    """An empirical curve, and what a result says of it."""

    areas: Areas
    pair: tuple[Ecdf, Ecdf] | None
    """Its classes, where rows are independent cases of one stratum."""
    n: tuple[float, float]
    direction: str
    omitted: tuple[int, int] = (0, 0)
    design: str = ""
    flags: Flags = Flags()


def compare_counted(curve: OneCurve, null: Any, method: str | None, claim: Claim, level: float) -> AucTest:
    """Test the AUC of an empirical curve against a value."""
    one_of("method", method, (None, *ONE_METHODS))
    chosen = ONE_METHODS[0] if method is None else method
    value = as_fraction("null", null)
    interval = area_interval(curve.areas, level, "delong" if chosen == "delong" else ONE_METHODS[0])
    hypotheses = claim.in_words("AUC", f"{value:g}")
    if chosen in {"mann-whitney", "exact"}:
        if value != 0.5 or claim.alternative not in _ONE_SIDED or curve.pair is None:
            raise RocPredictError(
                f"method={chosen!r} tests for equal distributions: null=0.5, alternative one of "
                f"{', '.join(_ONE_SIDED)}, no clusters= or strata=; see 'smoothed-logit'"
            )
        found = _by_labels(*curve.pair, chosen == "exact", claim, interval)
        hypotheses = "both classes have the same distribution", hypotheses[1]
    else:
        found = against_value(curve.areas, value, claim, interval, chosen)
    return AucTest(
        null=hypotheses[0],
        alternative=hypotheses[1],
        method=f"{METHOD_NAMES[chosen]}{curve.design}",
        estimator="Mann-Whitney, ties half",
        estimates=(float(curve.areas.estimate),),
        difference=float(curve.areas.estimate) - value,
        interval=interval,
        statistic=found.statistic,
        p_value=found.p_value,
        n=curve.n,
        omitted=curve.omitted,
        direction=(curve.direction,),
        flags=curve.flags | found.flags,
    )


def compare_modelled(
    spread: Spread, interval: Interval, null: Any, claim: Claim, *, n: tuple[float, float], direction: str
) -> AucTest:
    """Test the AUC of two Gaussians, known by means, standard deviations and counts, on the probit scale."""
    value = as_fraction("null", null)
    margin = 0.0 if claim.margin is None else float(claim.margin)
    std_error, estimate = float(spread.std_error), float(ndtr(spread.z))
    hypotheses = claim.in_words("AUC", f"{value:g}")
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = ((spread.z - ndtri(np.clip(at, 0, 1))) / std_error for at in (value - margin, value + margin))
    z = float(min(low, -high) if claim.alternative == "equivalent" else low)
    z = 0.0 if np.isnan(z) else z
    return AucTest(
        null=hypotheses[0],
        alternative=hypotheses[1],
        method="delta, on the probit scale",
        estimator="two Gaussians, Phi of the standardised mean difference",
        estimates=(estimate,),
        difference=estimate - value,
        interval=interval,
        statistic=z,
        p_value=claim.tail(z),
        n=n,
        direction=(direction,),
        flags=interval.flags,
    )


def _by_labels(negative: Ecdf, positive: Ecdf, exact: bool, claim: Claim, interval: Interval) -> Found:
    """Test whether labels could be exchanged: by the normal law of the rank sum, or by counting all ways."""
    area = float(interval.estimate)
    if exact:
        if negative.weights is not None:
            raise RocPredictError("method='exact' takes whole weights only: it counts cases")
        low, high, far = exact_area_tails(negative.sample, positive.sample)
        p_value = {"two-sided": far, "greater": high, "less": low}[claim.alternative]
        return Found(area, min(p_value, 1.0), interval, interval.flags)
    variance = null_variance(negative, positive)
    if variance == 0:
        return Found(0.0, 1.0, interval, interval.flags)
    z = (area - 0.5) / np.sqrt(variance)
    return Found(float(z), claim.tail(z), interval, interval.flags)
