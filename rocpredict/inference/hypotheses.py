"""Hypotheses and results of AUC tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from rocpredict.base.results import Flags, Interval, Result, Table, format_interval, format_p_value
from rocpredict.base.validation import FloatArray, RocPredictError, check_option, check_probability, short_repr

ALTERNATIVES = ("two-sided", "greater", "less", "noninferior", "equivalent")
"""What is claimed against the null hypothesis; the last two need a margin."""
METHOD_NAMES = {
    "delong": "DeLong",
    "bootstrap": "stratified bootstrap",
    "permutation": "permutation of ranks",
    "venkatraman": "Venkatraman",
    "smoothed-logit": "smoothed logit",
    "mann-whitney": "Mann-Whitney",
    "exact": "exact permutation of labels",
}
"""Each method as a result names it."""


@dataclass(frozen=True, eq=False, repr=False)
class AucTest(Result):
    """Hold a test of one curve against a value, or of two curves against each other.

    Attributes
    ----------
    null, alternative : str
        The hypotheses, in words.
    method : str
        Such as "DeLong, paired".
    estimator : str
        What the estimates are.
    estimates : tuple of float
        Of each curve.
    difference : float
        First minus second; for one curve, its estimate minus the value.
    interval : Interval
        Of the difference of two curves; of one curve's estimate.
    statistic : float
        What the method refers to its null distribution: z, an area, or a sum over ranks.
    p_value : float
    n : tuple
        Cases (negative, positive); of two samples one pair for each.
    omitted : tuple of int
        Rows (negative, positive) left out for want of a value in any of the columns.
    direction : tuple of str
        Of each curve.
    flags : Flags
    """

    null: str
    alternative: str
    method: str
    estimator: str
    estimates: tuple[float, ...]
    difference: float
    interval: Interval
    statistic: float
    p_value: float
    n: tuple[Any, ...]
    omitted: tuple[int, ...] = (0, 0)
    direction: tuple[str, ...] = ("higher", "higher")
    flags: Flags = field(default_factory=Flags)
    _listed = (
        *("null", "alternative", "method", "estimator", "estimates", "difference", "statistic", "p_value"),
        *("interval", "n", "omitted", "direction", "flags"),
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", _int_if_whole(self.n))

    def table(self) -> Table:
        """Return the estimates, their difference and the test."""
        rows = [[f"estimate {place}", value] for place, value in enumerate(self.estimates, start=1)]
        of = "difference" if len(self.estimates) > 1 else "estimate"
        rows += [
            ["difference", self.difference],
            [f"interval of the {of}, level {self.interval.level:g}", format_interval(*self.interval)],
            ["statistic", self.statistic],
            ["p", format_p_value(self.p_value)],
            ["cases (negative, positive)", str(self.n)],
            ["direction", ", ".join(self.direction)],
        ]
        if any(self.omitted):
            rows.append(["rows left out (negative, positive)", str(self.omitted)])
        notes = [f"Null hypothesis: {self.null}. Alternative: {self.alternative}.", f"Method: {self.method}."]
        return Table(f"Test of areas ({self.estimator})", ("quantity", "value"), rows, None, notes, self.flags)

    def __repr__(self) -> str:
        remarks = f", omitted={self.omitted}" if any(self.omitted) else ""
        remarks += f", flags={list(self.flags)}" if self.flags else ""
        areas = ", ".join(f"{estimate:.4g}" for estimate in self.estimates)
        return (
            f"AucTest(null={short_repr(self.null, 80)}, method={self.method!r}, estimates=({areas}), "
            f"difference={self.difference:+.6g}, interval={self.interval.low:.4g} to {self.interval.high:.4g}, "
            f"statistic={self.statistic:.6g}, p_value={self.p_value:.6g}, n={self.n}{remarks})"
        )


@dataclass(frozen=True)
class Hypothesis:
    """Say what is claimed of a difference.

    Attributes
    ----------
    alternative : str
        One of ``ALTERNATIVES``.
    margin : float or None
        How much worse (or other) still counts as as good, for "noninferior" and "equivalent".
    """

    alternative: str = "two-sided"
    margin: Any = None

    def __post_init__(self) -> None:
        check_option("alternative", self.alternative, ALTERNATIVES)
        needs = self.alternative in {"noninferior", "equivalent"}
        if needs != (self.margin is not None):
            raise RocPredictError(f"alternative={self.alternative!r} {'needs' if needs else 'takes no'} margin=")
        if needs:
            object.__setattr__(self, "margin", check_probability("margin", self.margin, ends=False))

    def describe(self, first: str, second: str) -> tuple[str, str]:
        """Give the null hypothesis and the alternative about two quantities."""
        margin = f"{self.margin:g}" if self.margin is not None else ""
        return {
            "two-sided": (f"{first} = {second}", f"{first} != {second}"),
            "greater": (f"{first} <= {second}", f"{first} > {second}"),
            "less": (f"{first} >= {second}", f"{first} < {second}"),
            "noninferior": (f"{first} <= {second} - {margin}", f"{first} > {second} - {margin}"),
            "equivalent": (f"|{first} - {second}| >= {margin}", f"|{first} - {second}| < {margin}"),
        }[self.alternative]

    def normal_test(self, difference: float, std_error: float, freedom: float = np.inf) -> tuple[float, float]:
        """Give z and p of a difference that is normal about its true value; with few degrees of freedom Student's t."""
        margin = 0.0 if self.margin is None else float(self.margin)
        z = (difference + margin) / std_error
        if self.alternative == "equivalent":  # two one-sided tests: the less certain of the two
            z = min(z, (margin - difference) / std_error)
        return z, self.p_value(z, freedom)

    def p_value(self, z: float, freedom: float = np.inf) -> float:
        """Give p of a standard normal z, or of Student's t."""
        p = {"two-sided": 2 * t_cdf(-abs(z), freedom), "less": t_cdf(z, freedom)}
        return p.get(self.alternative, t_cdf(-z, freedom))

    def bound_p_value(self, difference: float, cases: float) -> float:
        """Give p of a difference that is the same for every case: the level at which a bound on unlike cases gives way.

        If n cases show nothing else, others are at most a share 1 - p^(1/n) (Clopper and Pearson 1934), and the true
        difference is at least p^(1/n) (1 + difference) - 1. Two-sided p is twice the smaller one.
        """
        margin = 0.0 if self.margin is None else float(self.margin)
        above = min(1.0, (1 - margin) / (1 + difference)) ** cases if difference > -1 else 1.0
        below = min(1.0, (1 - margin) / (1 - difference)) ** cases if difference < 1 else 1.0
        combined = {"two-sided": min(1.0, 2 * min(above, below)), "less": below, "equivalent": max(above, below)}
        return combined.get(self.alternative, above)

    def permutation_p_value(self, replicates: FloatArray, observed: float) -> float:
        """Give p of a statistic among those of random permutations, itself counted in: never 0, and valid."""
        scale = 1e-12 * max(1.0, float(np.abs(replicates).max(initial=0.0)), abs(observed))
        if self.alternative == "two-sided":
            extreme = np.abs(replicates) >= abs(observed) - scale
        elif self.alternative == "less":
            extreme = replicates <= observed + scale
        else:
            extreme = replicates >= observed - scale
        return float((1 + np.count_nonzero(extreme)) / (1 + len(replicates)))


def _int_if_whole(counts: Any) -> Any:
    """Give counts as ints where they are whole."""
    if isinstance(counts, tuple):
        return tuple(_int_if_whole(count) for count in counts)
    return int(counts) if counts == int(counts) else float(counts)


def t_cdf(t: float, freedom: float) -> float:
    """Give P(T <= t) of Student's t, of the normal law for infinitely many degrees of freedom."""
    return float(ndtr(t) if np.isinf(freedom) else stdtr(freedom, t))


def t_ppf(share: float, freedom: float) -> float:
    """Give the t below which this share lies."""
    return float(ndtri(share) if np.isinf(freedom) else stdtrit(freedom, share))


"""Methods that exchange cases, and the statistic of each."""
