"""Moments of each class and feature, against fractions, for both engines and every form of a table."""

from fractions import Fraction
from functools import cache
from math import lcm

import numpy as np
import pytest
from scipy import sparse

from rocpredict.screening.kernels.base import Moments, merge, rows_by_class
from rocpredict.screening.kernels.moments import moments
from tests.cases import ENGINES, check_each, refuses

engines = pytest.mark.parametrize("engine", ENGINES)
orders = pytest.mark.parametrize("order", [2, 4])
LAYOUTS = {"C": np.ascontiguousarray, "F": np.asfortranarray}
VIEWS = {
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=1), 2, axis=0)[::2, ::2],
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "big-endian": lambda X: X.astype(">f8"),
}


@cache
def exact(values):
    """Count, missing, mean, the sums M2, M3, M4, and those of absolute values as their scales, in fractions."""
    values = np.frombuffer(values)
    there = [Fraction(value) for value in values[~np.isnan(values)].tolist()]
    count, missing = len(there), len(values) - len(there)
    if not there:
        return count, missing, np.nan, [0.0] * 3, [1.0] * 3
    # over one denominator, a power of 2, whole numbers are quicker than fractions
    whole = lcm(*(value.denominator for value in there)) * count
    parts = [int(value * whole) for value in there]
    mean = sum(parts) // count
    terms = [[(part - mean) ** k for part in parts] for k in (2, 3, 4)]
    powers = [_as_float(Fraction(sum(term), whole**k)) for k, term in zip((2, 3, 4), terms, strict=True)]
    scales = [_as_float(Fraction(sum(map(abs, term)), whole**k)) for k, term in zip((2, 3, 4), terms, strict=True)]
    return count, missing, float(Fraction(mean, whole)), powers, scales


def _as_float(value):
    try:
        return float(value)
    except OverflowError:
        return np.inf


def check(X, codes, classes, result, *, rel=1e-12, features=None):
    """Compare with fractions: the mean to ``rel`` of its size and the SD, M2 to M4 to ``rel`` of their scale."""
    for k in range(classes):
        for j in range(X.shape[1]) if features is None else features:
            count, missing, mean, powers, scales = exact(X[codes == k, j].tobytes())
            assert (result.count[k, j], result.n_missing[k, j]) == (count, missing)
            spread = np.sqrt(powers[0] / max(count, 1))
            assert result.mean[k, j] == pytest.approx(mean, rel=rel / 100, abs=rel * spread, nan_ok=True)
            for name, power, scale in zip(("m2", "m3", "m4"), powers, scales, strict=True):
                if getattr(result, name) is not None:
                    assert abs(getattr(result, name)[k, j] - power) <= rel * scale, (name, k, j)
            if result.minimum is not None:
                present = X[codes == k, j][~np.isnan(X[codes == k, j])]
                ends = (present.min(), present.max()) if count else (np.nan, np.nan)
                assert np.array_equal((result.minimum[k, j], result.maximum[k, j]), ends, equal_nan=True)


def same(a, b):
    return all(x is y is None or np.array_equal(x, y, equal_nan=True) for x, y in zip(a, b, strict=True))


def hard_table():
    """Offsets, trends, outliers, unlike spreads, missing and constant features: 900 rows, 12 features, 3 classes."""
    rng = np.random.default_rng(7)
    n = 900
    codes = rng.integers(-1, 3, n)
    X = rng.normal(size=(n, 12))
    X[:, 0] += 1e8
    X[:, 1] += np.linspace(0, 1e3, n)
    X[rng.integers(0, n, 9), 2] = 1e9
    X[:, 3] *= np.array([1.0, 1e6, 1e-3, 1.0])[codes]
    X[::3, 4] = np.nan
    X[codes == 1, 5] = np.nan
    X[:, 6] = np.nan
    X[:, 7] = 0.1
    X[:, 8] = np.round(X[:, 8])
    X[:, 9] *= 1e-100
    X[[np.flatnonzero(codes == 0)[i] for i in (0, -1)], 10] = 1e7  # two of the first three values that are read
    X[:-3, 11] = np.nan
    return X, codes


@engines
@orders
def test_hard_features_in_every_form(engine, order):
    """Mean, M2, M3, M4 to 1e-12 of their scale for hard features, in any memory layout."""
    X, codes = hard_table()
    scaled = X * np.where(np.arange(12) == 9, 1e60, 1)  # fourth powers of 1e-100 have no float64

    def check_form(form):
        check(X, codes, 3, moments(form(X), codes, 3, order=order, engine=engine), features=range(9))
        check(scaled, codes, 3, moments(form(scaled), codes, 3, order=order, engine=engine), features=(9, 10, 11))

    check_each(LAYOUTS | VIEWS, check_form)


@engines
def test_every_real_type(engine):
    rng = np.random.default_rng(3)
    values, codes = rng.normal(size=(300, 7)) * 40, rng.integers(0, 2, 300)
    for dtype in (np.float32, np.float16, np.int8, np.int64, np.uint16, np.bool_, np.longdouble):
        for layout in "CF":
            X = values.astype(dtype, order=layout)
            check(X.astype(float), codes, 2, moments(X, codes, 2, order=4, engine=engine))


@engines
@orders
def test_an_offset_of_a_hundred_million_sds(engine, order):
    rng = np.random.default_rng(5)
    for n in (1, 2, 3, 4, 5, 17, 8_200):
        X = rng.normal(size=(n, 2)) + 1e8
        check(X, np.zeros(n, int), 1, moments(X, np.zeros(n, int), 1, order=order, engine=engine))


@engines
@orders
def test_a_constant_class(engine, order):
    """Its mean is its value and its sums are exactly 0, with missing values too."""
    codes = np.arange(1_001) % 2
    for value in (0.1, -7.3, 1e300, 1e-300, 5e-324, 0.0):
        X = np.full((1_001, 3), value)
        X[::5, 1] = np.nan
        X[codes == 1, 2] = np.arange(500)
        for form in LAYOUTS.values():
            result = moments(form(X), codes, 2, order=order, engine=engine)
            assert (result.mean[:, :2] == value).all()
            assert result.mean[0, 2] == value
            for sums in result[3:6]:
                assert sums is None or (not sums[:, :2].any() and sums[0, 2] == 0)


@engines
@orders
@pytest.mark.parametrize("layout", LAYOUTS)
def test_infinities(engine, order, layout):
    rng = np.random.default_rng(9)
    X, codes = rng.normal(size=(400, 6)), rng.integers(0, 2, 400)
    first = np.flatnonzero(codes == 0)
    clean = moments(np.array(X, order=layout), codes, 2, order=order, engine=engine)
    X[first[3], 1], X[first[5], 2] = np.inf, -np.inf
    X[first[:2], 3] = np.inf, -np.inf
    X[first[4], 1] = np.nan
    result = moments(np.array(X, order=layout), codes, 2, order=order, engine=engine)
    assert np.array_equal(result.mean[0, 1:4], [np.inf, -np.inf, np.nan], equal_nan=True)
    assert np.isnan(result.m2[0, 1:4]).all()
    assert np.array_equal(result.count[0], len(first) - np.array([0, 1, 0, 0, 0, 0]))
    assert same(*(one.map(lambda part: part[:, [0, 4, 5]]) for one in (result, clean)))
    check(X[codes == 1], codes[codes == 1] - 1, 1, Moments(*(part if part is None else part[[1]] for part in result)))
    if order == 4:
        assert (result.maximum[0, [1, 3]] == np.inf).all()
        assert (result.minimum[0, [2, 3]] == -np.inf).all()
        assert result.minimum[0, 1] == np.nanmin(X[first, 1])


@engines
def test_one_value_far_from_the_others_near_the_ends_of_float64(engine):
    """The sums are taken about the mean: about the other end of the range they would lose four digits."""
    rng = np.random.default_rng(12)
    X, codes = rng.uniform(0, 1e-5, size=(40_000, 2)), np.arange(40_000) % 2
    X[0] = [1, -1]
    X *= [1e153, 1e-153]
    check(X, codes, 2, moments(X, codes, 2, engine=engine), rel=1e-13)


@engines
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_ends_of_float64(engine, layout):
    """Means near the ends of float64 neither overflow nor vanish, nor do sums of squares that have a float64."""
    rng = np.random.default_rng(11)
    codes = np.arange(200) % 2
    X = rng.uniform(0.5, 1, size=(200, 6)) * [1e308, 1e153, 1e-153, 1e-300, 1e150, 1e-155]
    X[::3, 0] *= -1
    X[:, 4] += 1e160
    X = np.array(X, order=layout)
    result = moments(X, codes, 2, engine=engine)
    assert np.isinf(result.m2[:, 0]).all()
    assert (result.m2[:, 3] == 5e-324).all()  # 0 would mean equal values
    check(X, codes, 2, result, features=(1, 2, 4), rel=1e-12)
    for k in range(2):
        truth = [exact(X[codes == k, j].tobytes()) for j in range(6)]
        assert result.mean[k] == pytest.approx([mean for _, _, mean, *_ in truth], rel=1e-14)
        # of about 1e-308, where digits end
        assert result.m2[k, 5] == pytest.approx(truth[5][3][0], rel=1e-12, abs=5e-324)


@engines
@orders
def test_the_same_for_any_number_of_threads(engine, order, monkeypatch):
    """Bitwise equal moments for 1, 2 and 5 threads, over many pieces, with features that are read again."""
    sizes = {"_TILE_SIZE": 4_000, "_COPY_SIZE": 1_000, "_TILE_ROWS": 200, "_COPY_ROWS": 100}
    for name, size in {**sizes, "_TILE_ROWS_FORTRAN": 500, "_COPY_ROWS_FORTRAN": 300}.items():
        monkeypatch.setattr(f"rocpredict.screening.kernels.moments.{name}", size)
    X, codes = hard_table()
    X[5, 8] = np.inf
    whole = np.round(np.nan_to_num(X, posinf=0)).astype(np.int64)
    for table in (X, np.asfortranarray(X), X.astype(np.float32), whole, np.asfortranarray(whole)):
        for classes in (3, 2):
            some = np.where(codes < classes, codes, -1)
            one, two, five = (moments(table, some, classes, order=order, engine=engine, n_jobs=j) for j in (1, 2, 5))
            assert same(one, two)
            assert same(one, five)
            features = [0, 1, 2, 3, 4, 5, 6, 7, 10, 11]
            check(np.asarray(table, float), some, classes, one, features=features)


@engines
@orders
def test_wide_tables(engine, order):
    rng = np.random.default_rng(12)
    X, codes = rng.normal(size=(60, 4_500)), rng.integers(-1, 2, 60)
    X[7, 1_000:3_000] = np.nan
    seams = [0, 449, 450, 511, 512, 999, 1_000, 1_001, 1_500, 2_047, 2_048, 2_250, 2_999, 3_000, 4_096, 4_499]
    for form in LAYOUTS.values():
        check(X, codes, 2, moments(form(X), codes, 2, order=order, engine=engine), features=seams)


@engines
def test_shapes_at_the_edge(engine):
    empty = moments(np.empty((0, 3)), np.empty(0, int), 2, order=4, engine=engine)
    assert not empty.count.any()
    assert not empty.m2.any()
    for part in (empty.mean, empty.minimum, empty.maximum):
        assert np.isnan(part).all()
    assert moments(np.empty((5, 0)), np.zeros(5, int), 2, engine=engine).mean.shape == (2, 0)
    rng = np.random.default_rng(2)
    X, codes = rng.normal(size=(500, 2)), rng.integers(-1, 30, 500)
    codes[codes == 4] = 5
    check(X, codes, 30, moments(X, codes, 30, engine=engine))
    rows = list(rows_by_class(codes, 30))
    assert all(np.array_equal(part, np.flatnonzero(codes == k)) for k, part in enumerate(rows))


def test_merging_with_nothing_and_with_fewer_moments():
    rng = np.random.default_rng(4)
    X, codes = rng.normal(size=(50, 4)), np.arange(50) % 2
    full = moments(X, codes, 2, order=4)
    nothing = moments(X[:0], codes[:0], 2, order=4)
    assert same(merge(full, nothing), full)
    assert same(merge(nothing, full), full)
    gone = moments(np.full((3, 4), np.nan), np.zeros(3, int), 2, order=4)
    merged = merge(full, gone)
    assert same(merged._replace(n_missing=full.n_missing), full)
    assert (merged.n_missing == [[3] * 4, [0] * 4]).all()
    two = merge(full, moments(X, codes, 2))
    assert (two.order, two.m3, two.maximum) == (2, None, None)
    high, low, one = (moments(np.array([[x], [1.0]]), np.zeros(2, int), 1) for x in (np.inf, -np.inf, 2.0))
    for a, b, mean in ((high, one, np.inf), (one, high, np.inf), (high, high, np.inf), (high, low, np.nan)):
        np.testing.assert_equal(merge(a, b).mean[0, 0], mean)
        assert np.isnan(merge(a, b).m2[0, 0])


@engines
@orders
@pytest.mark.parametrize("form", [*LAYOUTS.values(), sparse.csr_array, sparse.csc_array])
def test_whole_weights_are_repeated_rows(engine, order, form):
    """To 1e-12; rows of weight 0 do not count."""
    X, codes = hard_table()
    X = X[:, :9]
    weights = np.random.default_rng(6).integers(0, 4, len(X))
    X[weights == 0] = np.inf
    table = form(X)
    result = moments(table, codes, 3, order=order, engine=engine, weights=weights)
    again = np.repeat(np.arange(len(X)), weights)
    check(X[again], codes[again], 3, result._replace(n_missing=_missing(X[again], codes[again])))
    assert (result.n_missing == _missing(X[weights > 0], codes[weights > 0])).all()
    assert result.count.dtype == np.float64
    half = moments(table, codes, 3, order=order, engine=engine, weights=weights / 2)
    assert np.allclose(half.m2, result.m2 / 2, rtol=1e-12, atol=0)


def _missing(X, codes):
    return np.array([np.isnan(X[codes == k]).sum(axis=0) for k in range(3)])


def thin_table():
    """Mostly zeros: negative and positive values, missing ones, an infinity, full, constant and empty features."""
    rng = np.random.default_rng(8)
    X, codes = rng.normal(size=(600, 9)) + 3, rng.integers(-1, 3, 600)
    X[rng.random(X.shape) < 0.8] = 0
    X[:, 1] = 0
    X[:, 2] = 4.4
    X[::9, 3] = np.nan
    X[:, 4] = rng.normal(size=600) + 1e8
    X[7:, 5] = 0
    X[:, 6] *= 1e-160
    return X, codes


@engines
@orders
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_sparse_tables(engine, order, kind, monkeypatch):
    """Sparse tables have the moments of the dense ones, for any number of threads and pieces."""
    X, codes = thin_table()
    table = kind(X)
    features = [0, 1, 2, 3, 4, 5, 7, 8] + [6] * (order == 2)
    check(X, codes, 3, moments(table, codes, 3, order=order, engine=engine), features=features[:8])
    monkeypatch.setattr("rocpredict.screening.kernels.moments._SPAN_VALUES", 100)
    one, two = (moments(table, codes, 3, order=order, engine=engine, n_jobs=jobs) for jobs in (1, 2))
    assert same(one, two)
    # merged from parts of rows, means at 1e8 SDs have lost digits for good
    check(X, codes, 3, one, features=[j for j in features[:8] if j != 4])
    assert (one.mean[:, 2] == 4.4).all()
    assert not one.m2[:, 1:3].any()
    X[3, 0] = np.inf
    assert moments(kind(X), np.zeros(600, int), 1, order=order, engine=engine).mean[0, 0] == np.inf


@engines
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_sparse_tables_with_duplicates(engine, kind):
    rng = np.random.default_rng(10)
    rows, cols = rng.integers(0, 40, 300), rng.integers(0, 5, 300)
    values = rng.integers(-2, 3, 300).astype(np.int8) * 60
    loose = sparse.coo_array((values, (rows, cols)), shape=(40, 5))
    starts, minor = (rows, cols) if kind is sparse.csr_array else (cols, rows)
    order = np.argsort(starts, kind="stable")
    size = 40 if kind is sparse.csr_array else 5
    indptr = np.searchsorted(starts[order], np.arange(size + 1))
    table = kind((values[order], minor[order], indptr), shape=(40, 5))
    copies = [table.data.copy(), table.indices.copy(), table.indptr.copy()]
    codes = np.arange(40) % 2
    X = loose.astype(float).toarray()
    check(X, codes, 2, moments(table, codes, 2, order=4, engine=engine))
    assert all(np.array_equal(a, b) for a, b in zip(copies, (table.data, table.indices, table.indptr), strict=True))


def test_arguments_that_are_refused():
    X, codes = np.ones((4, 2)), np.array([0, 0, 1, 1])
    for options, words in (
        ({"engine": "fortran"}, "engine='fortran'"),
        ({"order": 3}, "order=3"),
        ({"weights": [1, 2]}, "weights has shape"),
        ({"weights": [1, 2, -1, 1]}, "weights=.* negative"),
    ):
        refuses(words, moments, X, codes, 2, **options)
    refuses(r"'coo' format; pass X.tocsc\(\) or X.tocsr\(\)", lambda: moments(sparse.coo_array(X), codes, 2))
    for engine in ENGINES:
        refuses(r"2\*\*53", moments, np.array([[2**53 + 1], [5], [7]]), np.array([0, 0, 1]), 2, engine=engine)
