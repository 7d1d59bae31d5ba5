"""Valid and hostile values for the arguments of public functions."""

import datetime
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse, stats

import rocpredict as rp

N = 24
_RNG = np.random.default_rng(0)
X = np.round(_RNG.normal(size=N) + np.repeat([0.0, 1.0], N // 2), 2)
Y = np.repeat([0, 1], N // 2)
TABLE = np.column_stack([X, _RNG.normal(size=N), np.round(X), np.ones(N)])
TEXT = np.where(Y, "sick", "well")
NUMBERS: tuple[Callable[[], Any], ...] = (
    *(lambda v=v: v for v in (0, -1, 1, 2, 3, 0.5, 0.05, 0.95, 7.5, -0.0, 100, 1e-300, 5e-324, 1e300, 1e308, 2**63)),
    *(lambda v=v: v for v in (np.nan, np.inf, -np.inf, 10**400, -(10**400), True, False, 1j, Decimal("0.5"))),
    *(lambda v=v: v for v in (Decimal("sNaN"), Fraction(1, 3), np.float32(0.3), np.int8(3), np.float64(0.2))),
    *(lambda v=v: v for v in ([0.1, 0.9], (0.2, 0.1), [0.5], (0, 0.5), [4, 8], (3, 2), [0.1, np.nan], [[0.1], [0.2]])),
    lambda: np.array(0.5),
    lambda: np.array([0.2, 0.4, 0.6]),
    lambda: np.array([[0.1, 0.9]]),
    lambda: np.empty(0),
    lambda: np.empty((0, 3)),
    lambda: np.linspace(0, 1, 300),
)
JUNK: tuple[Callable[[], Any], ...] = (
    *(lambda v=v: v for v in (None, "", "x", "0.5", "auto", "nan", "a\0", "\ud800", b"x", "é" * 300, "<b>", object())),
    *(lambda v=v: v for v in (range(3), slice(None), Ellipsis, NotImplemented, int, np, len, {1}, frozenset({0}))),
    list,
    dict,
    tuple,
    lambda: {"a": 1},
    lambda: [[1], [1, 2]],
    lambda: [None, None],
    lambda: ["a", 1, None],
    lambda: iter([1, 2]),
    lambda: (value for value in (1, 2, 3)),
    lambda: np.array(["a", "b"]),
    lambda: np.array([object(), None]),
    lambda: np.ma.masked_array([1.0, 2.0], [True, False]),
    lambda: np.datetime64("2026-01-01"),
    lambda: datetime.date(2026, 1, 1),
    lambda: pd.NA,
    lambda: pd.NaT,
    lambda: pd.Series([1.0, 2.0], index=["a", "b"]),
    lambda: pd.DataFrame({"a": [1.0, 2.0]}),
    lambda: pl.Series([1.0, 2.0]),
    lambda: pl.DataFrame({"a": [1.0, 2.0]}),
    lambda: pl.LazyFrame({"a": [1.0, 2.0]}),
    lambda: sparse.csr_array(np.eye(3)),
    lambda: np.zeros((2, 2, 2)),
    lambda: np.zeros(3, dtype=[("a", float), ("b", int)]),
    lambda: memoryview(b"abc"),
)
SAMPLES: tuple[Callable[[], Any], ...] = (
    *(lambda k=k: X.astype(k) for k in ("f4", "f2", "i4", "O", "c16", "U8", "M8[s]", "longdouble", ">f8")),
    X.copy,
    X.tolist,
    lambda: tuple(X),
    lambda: X[:, None],
    lambda: X[::-1],
    lambda: X[: N // 2],
    lambda: X[:0],
    lambda: X[:1],
    lambda: np.where(X > 1.5, np.nan, X),
    lambda: np.where(X > 1.5, np.inf, X),
    lambda: np.full(N, 3.0),
    lambda: np.full(N, np.nan),
    lambda: X * 1e300,
    lambda: X * 1e-310,
    lambda: X > 0.5,
    lambda: Y.astype(float),
    lambda: np.where(X > 1, None, X),
    lambda: [str(value) for value in X],
    lambda: [Decimal(str(value)) for value in X],
    lambda: pd.Series(X),
    lambda: pd.Series(X, index=range(N, 0, -1)),
    lambda: pd.Series(X).astype("Float64").mask(X > 1.5),
    lambda: pd.Series(TEXT).astype("category"),
    lambda: pl.Series(X),
    lambda: pl.Series("x", np.where(X > 1.5, np.nan, X)),
    lambda: pd.DataFrame({"x": X}),
    lambda: np.ma.masked_greater(X, 1.5),
    lambda: (value for value in X),
    lambda: iter(X),
    lambda: sparse.csr_array(X[None]),
    lambda: sparse.coo_matrix(X[:, None]),
    lambda: np.broadcast_to(1.0, N),
    lambda: X.reshape(2, -1),
    lambda: set(X),
    lambda: dict(enumerate(X)),
)
LABELS: tuple[Callable[[], Any], ...] = (
    *(lambda k=k: Y.astype(k) for k in ("f8", "O", "?", "U1", "S1", "i8", "u1", "c16")),
    lambda: Y,
    lambda: Y * 2 - 1,
    lambda: Y + 5,
    lambda: Y * 2**53 + 1,
    lambda: TEXT,
    lambda: TEXT.astype(object),
    TEXT.tolist,
    lambda: np.where(Y, "a\0", "a").astype(object),
    lambda: np.arange(N) % 3,
    lambda: np.zeros(N),
    lambda: np.arange(N),
    lambda: np.where(Y, np.nan, 0.0),
    lambda: np.where(np.arange(N) == 4, np.nan, Y),
    lambda: [None if i == 4 else int(v) for i, v in enumerate(Y)],
    lambda: [("a", 1) if v else ("b", 2) for v in Y],
    lambda: [[v] for v in Y],
    lambda: Y[: N // 2],
    lambda: Y[:0],
    lambda: Y[:, None],
    lambda: pd.Series(Y),
    lambda: pd.Series(Y, index=range(N, 0, -1)),
    lambda: pd.Series(TEXT, dtype="category"),
    lambda: pd.Series(TEXT, dtype="string"),
    lambda: pl.Series(TEXT),
    lambda: pl.Series(TEXT, dtype=pl.Categorical),
    lambda: pd.to_datetime(Y, unit="D"),
    lambda: (value for value in Y),
    lambda: np.ma.masked_array(Y, Y > 5),
    lambda: {0: 1},
)
TABLES: tuple[Callable[[], Any], ...] = (
    TABLE.copy,
    TABLE.tolist,
    lambda: TABLE[:, :1],
    lambda: TABLE[:, :0],
    lambda: TABLE.astype("f4"),
    lambda: TABLE.astype(object),
    lambda: np.where(TABLE > 1.5, np.nan, TABLE),
    lambda: sparse.csr_array(TABLE),
    lambda: sparse.coo_matrix(TABLE),
    lambda: pd.DataFrame(TABLE, columns=list("abcd")),
    lambda: pd.DataFrame(TABLE, columns=list("aabc")),
    lambda: pd.DataFrame({"a": X, "text": TEXT}),
    lambda: pl.DataFrame(TABLE),
    lambda: pl.DataFrame(TABLE).lazy(),
    lambda: {"a": X, "b": -X},
    lambda: {"a": X, "b": X[:3]},
    lambda: ((TABLE[i : i + 6], Y[i : i + 6]) for i in range(0, N, 6)),
    lambda: np.asfortranarray(TABLE),
    lambda: TABLE[:, None],
)
DISTRIBUTIONS: tuple[Callable[[], Any], ...] = (
    lambda: rp.Gaussian(0, 1),
    lambda: rp.Gaussian(1.5, 2),
    lambda: rp.Gaussian(1, 0),
    lambda: rp.Gaussian(mean=[0.0, 1.0, 2.0], std=[1.0, 2.0, 0.0]),
    lambda: rp.Gaussian(-1e300, 1e300),
    lambda: rp.Ecdf(X),
    lambda: rp.Ecdf([1.0]),
    lambda: rp.GaussianKde(X),
    lambda: rp.GaussianMixture([0.3, 0.7], [0.0, 2.0], [1.0, 0.3]),
    lambda: rp.Histogram([0.0, 1.0, 2.0], [3, 4]),
    stats.norm,
    lambda: stats.norm(1, 2),
    lambda: stats.gamma(2.5),
    lambda: stats.t(2),
    lambda: stats.uniform(0, 2),
    stats.expon,
    lambda: stats.poisson(3),
    lambda: stats.norm([0, 1], 1),
    lambda: stats.norm(np.nan, 1),
)
WORDS: tuple[Callable[[], Any], ...] = tuple(
    lambda w=w: w
    for w in (
        *("raise", "omit", "higher", "lower", "auto", "rest", "all", "top", "delong", "bootstrap", "bca", "delta"),
        *("newcombe", "logit", "smoothed-logit", "hanley-mcneil", "reiser-guttman", "venkatraman"),
        *("ameans", "youden", "balanced_accuracy", "cost", "accuracy", "f1", "f_beta", "closest_topleft", "min_tpr"),
        *(
            "min_tnr",
            "max_fpr",
            "gaussian",
            "boxcox",
            "yeojohnson",
            "kde",
            "empirical",
            "histogram",
            "mixture",
            "gamma",
        ),
        *("lognormal", "logistic", "laplace", "exponential", "weibull", "beta", "student_t", "skew_normal", "mcclish"),
        *("two-sided", "greater", "less", "noninferior", "equivalent", "pointwise", "simultaneous", "numpy", "numba"),
        *("tpr", "fpr", "precision", "pandas", "polars", "pyarrow", "exact", "hilgers", "clopper-pearson", "wilson"),
    )
)


def draw(rng: np.random.Generator, *pools: tuple[Callable[[], Any], ...]) -> Any:
    """Return a new value of one of the pools."""
    pool = pools[rng.integers(len(pools))]
    return pool[rng.integers(len(pool))]()


def walk(value: Any) -> Iterator[Any]:
    """Return a value and, of a sequence, its items."""
    yield value
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from walk(item)
