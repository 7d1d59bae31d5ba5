"""Two curves on the same cases, or one curve against a value."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.arguments import as_fraction
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
from rocpredict.inference.differences import (
    Quantity,
    alike,
    by_placements,
    by_resamples,
    is_same,
    resampled,
)
from rocpredict.inference.one_curve import OneCurve, compare_counted
from rocpredict.inference.permutation import Exchange, exchange_ranks
from rocpredict.inference.placements import as_band, place
from rocpredict.inference.results import AucTest, Claim
from rocpredict.interval import as_level

PAIRED_METHODS = ("delong", "bootstrap", "permutation", "venkatraman")
"""Tests of two curves on the same cases; the first is the default."""
_DIFFERENCE = np.array([1.0, -1.0])


def auc_test(
    x1: ArrayLike,
    x2: ArrayLike | None,
    y: ArrayLike,
    *,
    positive: Any = None,
    negative: Any = None,
    null: float | None = None,
    method: str | None = None,
    alternative: str = "two-sided",
    margin: float | None = None,
    fpr: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    tpr_at_fpr: float | None = None,
    direction: Any = None,
    level: float = 0.95,
    nan_policy: str = "raise",
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    n_resamples: int = 2000,
    rng: Any = 0,
) -> AucTest:
    """Test two features on the same cases against each other, or one against a value.

    Parameters
    ----------
    x1, x2 : array of shape (n,)
        Values of both features on the same rows; ``x2=None`` tests ``x1`` against ``null``.
    y : array of shape (n,)
        Labels.
    positive, negative : label, optional
        As in ``empirical_roc``.
    null : float, optional
        The AUC that one curve is tested against (1/2 when left out).
    method : str, optional
        Two curves: "delong" (default), "bootstrap", "permutation" (of ranks between the curves of each case;
        Bandos, Rockette and Gur 2005), "venkatraman" (equality of the whole curves, not of their areas). One
        curve: "smoothed-logit" (default; agrees with the default interval), "delong", "mann-whitney" (equal
        distributions; tie-corrected normal), "exact" (the same, counting all ways to label up to 200 cases).
    alternative : {"two-sided", "greater", "less", "noninferior", "equivalent"}
        What is claimed of the first curve. The last two need ``margin``: not worse by as much, not other by as much.
    margin : float
        A difference of areas (or of TPRs), above 0.
    fpr, tpr : (low, high), optional
        Compare the raw partial areas over this band in place of the AUC.
    tpr_at_fpr : float, optional
        Compare the TPRs at this FPR, by the bootstrap.
    direction : {None, "higher", "lower", "auto"} or a pair of "higher", "lower"
        Where the positives lie, for both or each. "auto" is resolved once, before anything is resampled; it
        makes both AUCs optimistic, and opposite answers are refused.
    level : float
        Of the interval.
    nan_policy : {"raise", "omit"}
        "omit" leaves out rows that lack a value of either feature, so that pairs stay pairs.
    weights : array of shape (n,), optional
        How many cases each row stands for.
    clusters : array of shape (n,), optional
        Which rows belong together, such as readings of one patient: variances by Obuchowski (1997).
    strata : array of shape (n,), optional
        Only rows of one stratum are compared; strata count by their pairs of a negative and a positive.
    n_resamples, rng
        Of "bootstrap", "permutation" and "venkatraman".

    Returns
    -------
    AucTest

    Raises
    ------
    RocPredictError
        As ``empirical_roc``; methods and options that do not go together; opposite directions under "auto".

    Notes
    -----
    "delong" refers the difference over its standard error to the normal law (DeLong, DeLong and Clarke-Pearson
    1988); of partial areas with their own variance. A curve against itself has p = 1, with the flag ``same_curve``.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> x1, x2 = iris.column("sepal_length"), iris.column("sepal_width")
    >>> auc_test(x1, x2, iris.y, positive="virginica", negative="versicolor")
    AucTest(null='AUC of x1 = AUC of x2', method='DeLong, paired', estimates=(0.7896, 0.6636), difference=+0.126,
            interval=0.02828 to 0.2237, statistic=2.52723, p_value=0.0114966, n=(50, 50))
    >>> auc_test(x2, None, iris.y, positive="virginica", negative="versicolor").p_value
    0.0050620...
    """
    claim, level = Claim(alternative, margin), as_level(level)
    features = {"x1": x1} if x2 is None else {"x1": x1, "x2": x2}
    rows = prepare(
        features,
        y,
        positive=positive,
        negative=negative,
        direction=direction,
        nan_policy=nan_policy,
        weights=weights,
        clusters=clusters,
        strata=strata,
    )
    quantity = as_quantity(fpr, tpr, tpr_at_fpr)
    if x2 is None:
        if quantity != Quantity():
            raise RocPredictError("one curve is tested by its AUC; leave fpr=, tpr= and tpr_at_fpr= out")
        return compare_counted(_curve(rows), 0.5 if null is None else null, method, claim, level)
    if null is not None:
        raise RocPredictError("null= is for one curve (x2=None); two curves are tested for equality, or with margin=")
    return _two(rows, quantity, method, Asked(claim, level, Resampling(n_resamples, rng)))


def as_quantity(fpr: Any, tpr: Any, tpr_at_fpr: Any) -> Quantity:
    """Return what is compared, or refuse two things at once."""
    given = [name for name, value in (("fpr", fpr), ("tpr", tpr), ("tpr_at_fpr", tpr_at_fpr)) if value is not None]
    if len(given) > 1:
        raise RocPredictError(f"{' and '.join(f'{name}=' for name in given)} do not go together; give one of them")
    if tpr_at_fpr is not None:
        return Quantity(fpr=as_fraction("tpr_at_fpr", tpr_at_fpr))
    return Quantity(as_band(fpr, tpr)) if given else Quantity()


class Asked(NamedTuple):
    """What is claimed, the level of the interval, and how resamples are drawn."""

    claim: Claim
    level: float
    resampling: Resampling


def _two(rows: Prepared, quantity: Quantity, method: str | None, asked: Asked) -> AucTest:
    claim, level, resampling = asked
    chosen = choose(method, PAIRED_METHODS, quantity, claim)
    check_design(chosen, quantity, rows)
    areas = rows.areas(quantity)
    difference = areas.select(_DIFFERENCE)
    estimates = estimates_of(rows, areas, quantity)
    apart = (estimates[0] - estimates[1]) / quantity.scale
    claimed = in_shares(claim, quantity)
    if is_same(difference):
        found = alike(0.0, difference.units, claimed, level, same=True)
    elif chosen == "delong":
        found = by_placements(difference, claimed, level)
    elif chosen == "bootstrap":
        drawn = resampled(rows.columns, quantity, resampling) @ _DIFFERENCE / quantity.scale
        found = by_resamples(drawn, apart, difference.units, claimed, level)
    else:
        exchange = _exchanged(rows, chosen, resampling)
        found = judged(by_placements(difference, claimed, level), exchange, chosen, claim)
    return difference_test(
        found,
        rows.names,
        estimates,
        claim=claim,
        quantity=quantity,
        method=chosen,
        design=f"paired{rows.design}",
        n=rows.n,
        omitted=rows.omitted,
        direction=rows.directions,
        flags=rows.flags | found.flags | opposite_sides(areas.estimate, areas.chance),
    )


def _exchanged(rows: Prepared, method: str, resampling: Resampling) -> Exchange:
    """Exchange ranks between the curves of each case."""
    from scipy.stats import rankdata

    columns = rows.columns
    ranks = rankdata(np.concatenate([columns.negative, columns.positive]), axis=0)
    is_positive = np.repeat([False, True], [len(columns.negative), len(columns.positive)])
    return exchange_ranks(is_positive, ranks, EXCHANGES[method], resampling)


def _curve(rows: Prepared) -> OneCurve:
    return OneCurve(
        areas=place(*rows.columns.pair(0)) if rows.plain else rows.areas(Quantity()).select(np.ones(1)),
        pair=rows.columns.pair(0) if rows.plain else None,
        n=rows.n,
        direction=rows.directions[0],
        omitted=rows.omitted,
        design=rows.design,
        flags=rows.flags,
    )
