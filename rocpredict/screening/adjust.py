"""p-values adjusted for their number."""

from collections.abc import Callable

import numpy as np

from rocpredict.arguments import FloatArray, one_of

ADJUSTMENTS = ("benjamini-hochberg", "benjamini-yekutieli", "holm", "bonferroni", "none")
"""What ``adjust=`` may be; the first is the default."""


def adjusted(p_values: FloatArray, method: str = "benjamini-hochberg") -> FloatArray:
    """Adjust p-values for how many there are.

    Parameters
    ----------
    p_values : array of shape (m,)
        NaN where nothing was tested: these do not count.
    method : {"benjamini-hochberg", "benjamini-yekutieli", "holm", "bonferroni", "none"}
        The first two bound the false discovery rate, Benjamini and Yekutieli (2001) whatever the dependence of
        the tests, Benjamini and Hochberg (1995) if they are independent or positively dependent. The next two bound
        the chance of any false claim.

    Returns
    -------
    array of shape (m,)
        To be compared with the rate that is allowed; never smaller than the p-value, and no more than 1.

    Examples
    --------
    >>> adjusted(np.array([0.01, 0.02, np.nan, 0.9]))
    array([0.03, 0.03,  nan, 0.9 ])
    """
    one_of("adjust", method, ADJUSTMENTS)
    result = np.array(p_values, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(result))
    if tested.size:
        order = tested[np.argsort(result[tested], kind="stable")]
        result[order] = np.minimum(_METHODS[method](result[order]), 1)
    return result


def _step_up(ascending: FloatArray) -> FloatArray:
    count = len(ascending)
    scaled = ascending * (count / np.arange(1, count + 1))
    return np.minimum.accumulate(scaled[::-1])[::-1]


def _step_up_dependent(ascending: FloatArray) -> FloatArray:
    return np.asarray(_step_up(ascending) * np.sum(1 / np.arange(1, len(ascending) + 1)))


def _holm(ascending: FloatArray) -> FloatArray:
    return np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1))


_METHODS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "benjamini-hochberg": _step_up,
    "benjamini-yekutieli": _step_up_dependent,
    "holm": _holm,
    "bonferroni": lambda ascending: ascending * len(ascending),
    "none": lambda ascending: ascending,
}
