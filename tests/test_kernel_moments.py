"""Moments of every class and feature: exact against fractions, alike for both engines and every form of a table."""

import warnings
from fractions import Fraction
from functools import cache
from math import lcm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import rocpredict as rp
from rocpredict.screening.kernels import moments_numpy as tables
from rocpredict.screening.kernels.base import Moments, merge, rows_by_class
from rocpredict.screening.kernels.moments import moments

ENGINES = ("numpy", "numba")
FORMS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=1), 2, axis=0)[::2, ::2],
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "big-endian": lambda X: X.astype(">f8"),
}
engines = pytest.mark.parametrize("engine", ENGINES)
orders = pytest.mark.parametrize("order", [2, 4])


def exact(values):
    """Count, missing, mean, the sums M2, M3, M4, and those of absolute values as their scales, in fractions."""
    return _exact(np.asarray(values, dtype=float).tobytes())


@cache
def _exact(values):
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


def check(X, codes, classes, found, *, rel=1e-12, features=None):
    """Compare with fractions: the mean to ``rel`` of its size and the SD, M2 to M4 to ``rel`` of their scale."""
    for k in range(classes):
        for j in range(X.shape[1]) if features is None else features:
            count, missing, mean, powers, scales = exact(X[codes == k, j])
            assert (found.count[k, j], found.n_missing[k, j]) == (count, missing)
            spread = np.sqrt(powers[0] / max(count, 1))
            assert found.mean[k, j] == pytest.approx(mean, rel=rel / 100, abs=rel * spread, nan_ok=True)
            for name, power, scale in zip(("m2", "m3", "m4"), powers, scales, strict=True):
                if getattr(found, name) is not None:
                    assert abs(getattr(found, name)[k, j] - power) <= rel * scale, (name, k, j)
            if found.minimum is not None:
                kept = X[codes == k, j][~np.isnan(X[codes == k, j])]
                ends = (kept.min(), kept.max()) if count else (np.nan, np.nan)
                assert np.array_equal((found.minimum[k, j], found.maximum[k, j]), ends, equal_nan=True)


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
    X[[np.flatnonzero(codes == 0)[i] for i in (0, -1)], 10] = 1e7  # two of the three values asked first
    X[:-3, 11] = np.nan
    return X, codes


@engines
@orders
@pytest.mark.parametrize("form", FORMS)
def test_hard_features_in_every_form(engine, order, form):
    """Proves mean, M2, M3, M4 right to 1e-12 of their scale for hard features, however the table lies in memory."""
    X, codes = hard_table()
    check(X, codes, 3, moments(FORMS[form](X), codes, 3, order=order, engine=engine), features=range(9))
    X[:, 9] *= 1e60  # fourth powers of 1e-100 have no float64
    check(X, codes, 3, moments(FORMS[form](X), codes, 3, order=order, engine=engine), features=(9, 10, 11))


@engines
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.int64, np.uint16, np.bool_, np.longdouble])
@pytest.mark.parametrize("layout", "CF")
def test_every_real_type(engine, dtype, layout):
    """Proves that values of any real type are summed as the float64 they are."""
    rng = np.random.default_rng(3)
    X = (rng.normal(size=(300, 7)) * 40).astype(dtype, order=layout)
    codes = rng.integers(0, 2, 300)
    check(X.astype(float), codes, 2, moments(X, codes, 2, order=4, engine=engine))


@engines
def test_integers_that_float64_cannot_tell_apart(engine):
    """Proves that integers beyond 2**53 are refused in words."""
    X = np.array([[2**53 + 1], [5], [7]])
    with pytest.raises(rp.RocPredictError, match=r"2\*\*53"):
        moments(X, np.array([0, 0, 1]), 2, engine=engine)


@engines
@orders
def test_an_offset_of_a_hundred_million_spreads(engine, order):
    """Proves no loss of digits to an offset of 1e8 SDs, for 1 to 8,200 rows, against fractions of the data."""
    rng = np.random.default_rng(5)
    for n in (1, 2, 3, 4, 5, 17, 8_200):
        X = rng.normal(size=(n, 2)) + 1e8
        check(X, np.zeros(n, int), 1, moments(X, np.zeros(n, int), 1, order=order, engine=engine))


@engines
@orders
@pytest.mark.parametrize("value", [0.1, -7.3, 1e300, 1e-300, 5e-324, 0.0])
def test_a_constant_class(engine, order, value):
    """Proves that a constant class has its value as its mean, and a spread of exactly 0, beside missing values too."""
    X = np.full((1_001, 3), value)
    X[::5, 1] = np.nan
    codes = np.arange(1_001) % 2
    X[codes == 1, 2] = np.arange(500)
    for table in (X, np.asfortranarray(X)):
        found = moments(table, codes, 2, order=order, engine=engine)
        assert (found.mean[:, :2] == value).all()
        assert found.mean[0, 2] == value
        for sums in found[3:6]:
            assert sums is None or (not sums[:, :2].any() and sums[0, 2] == 0)


@engines
@orders
@pytest.mark.parametrize("layout", "CF")
def test_infinities(engine, order, layout):
    """Proves that infinities are counted, have their own mean, no M2, and leave other features and stderr alone."""
    rng = np.random.default_rng(9)
    X, codes = rng.normal(size=(400, 6)), rng.integers(0, 2, 400)
    first = np.flatnonzero(codes == 0)
    clean = moments(np.array(X, order=layout), codes, 2, order=order, engine=engine)
    X[first[3], 1], X[first[5], 2] = np.inf, -np.inf
    X[first[:2], 3] = np.inf, -np.inf
    X[first[4], 1] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = moments(np.array(X, order=layout), codes, 2, order=order, engine=engine)
    assert np.array_equal(found.mean[0, 1:4], [np.inf, -np.inf, np.nan], equal_nan=True)
    assert np.isnan(found.m2[0, 1:4]).all()
    assert np.array_equal(found.count[0], len(first) - np.array([0, 1, 0, 0, 0, 0]))
    assert same([part if part is None else part[:, [0, 4, 5]] for part in found], clean.of_features([0, 4, 5]))
    check(X[codes == 1], codes[codes == 1] - 1, 1, found_of_class(found, 1))
    if order == 4:
        assert (found.maximum[0, [1, 3]] == np.inf).all()
        assert (found.minimum[0, [2, 3]] == -np.inf).all()
        assert found.minimum[0, 1] == np.nanmin(X[first, 1])


def found_of_class(found, k):
    return Moments(*(part if part is None else part[[k]] for part in found))


@engines
@pytest.mark.parametrize("layout", "CF")
def test_the_ends_of_float64(engine, layout):
    """Proves that means near the ends of float64 neither overflow nor vanish, and spreads that have a float64."""
    rng = np.random.default_rng(11)
    codes = np.arange(200) % 2
    X = rng.uniform(0.5, 1, size=(200, 6)) * [1e308, 1e153, 1e-153, 1e-300, 1e150, 1e-155]
    X[::3, 0] *= -1
    X[:, 4] += 1e160
    X = np.array(X, order=layout)
    found = moments(X, codes, 2, engine=engine)
    assert np.isinf(found.m2[:, 0]).all()
    assert (found.m2[:, 3] == 5e-324).all()  # not 0, which would say that all values are equal
    for k in range(2):
        for j in range(6):
            _, _, mean, *_ = exact(X[codes == k, j])
            assert found.mean[k, j] == pytest.approx(mean, rel=1e-14)
    check(X, codes, 2, found, features=(1, 2, 4), rel=1e-12)
    for k in range(2):  # of about 1e-308, where digits end
        assert found.m2[k, 5] == pytest.approx(exact(X[codes == k, 5])[3][0], rel=1e-12, abs=5e-324)


@engines
@orders
def test_the_same_for_any_number_of_threads(engine, order, monkeypatch):
    """Proves bitwise equal moments for 1, 2 and 5 threads, over many pieces, with features that are read again."""
    monkeypatch.setattr(tables, "_PIECE_SIZE", 4_000)
    monkeypatch.setattr(tables, "_COPY_SIZE", 1_000)
    monkeypatch.setattr(tables, "_PIECE_ROWS", 200)
    monkeypatch.setattr(tables, "_COPY_ROWS", 100)
    monkeypatch.setattr(tables, "_PIECE_ROWS_FORTRAN", 500)
    monkeypatch.setattr(tables, "_COPY_ROWS_FORTRAN", 300)
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
@pytest.mark.parametrize("layout", "CF")
def test_wide_tables(engine, order, layout):
    """Proves moments right in features on both sides of every seam of a wide table, with and without missing values."""
    rng = np.random.default_rng(12)
    X, codes = rng.normal(size=(60, 4_500)), rng.integers(-1, 2, 60)
    X[7, 1_000:3_000] = np.nan
    table = np.array(X, order=layout)
    seams = [0, 449, 450, 511, 512, 999, 1_000, 1_001, 1_500, 2_047, 2_048, 2_250, 2_999, 3_000, 4_096, 4_499]
    check(X, codes, 2, moments(table, codes, 2, order=order, engine=engine), features=seams)


@engines
def test_shapes_at_the_edge(engine):
    """Proves an answer for no rows, no features, a class without rows, and more classes than a few."""
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


@engines
def test_the_input_is_left_alone(engine):
    """Proves that a table that cannot be written to is read, and one that can is not written to."""
    X, codes = hard_table()
    before = X.copy()
    X.flags.writeable = False
    check(X, codes, 3, moments(X, codes, 3, engine=engine), features=[0, 4])
    X.flags.writeable = True
    moments(X, codes, 3, engine=engine)
    assert np.array_equal(X, before, equal_nan=True)


columns = st.lists(
    st.one_of(st.floats(-1e6, 1e6), st.just(np.nan), st.sampled_from([0.0, 1.0, -3.5])), min_size=0, max_size=12
)


@settings(max_examples=150, deadline=None)
@given(columns, columns, st.sampled_from(ENGINES), st.sampled_from([2, 4]))
def test_merged_parts_are_the_whole(first, second, engine, order):
    """Proves that merge(a, b) agrees with a ++ b: counts and extremes exactly, moments to 1e-12 of their scale."""

    def found(values):
        return moments(np.array(values, float)[:, None], np.zeros(len(values), int), 1, order=order, engine=engine)

    a, b, whole = found(first), found(second), found(first + second)
    merged = merge(a, b)
    for name in ("count", "n_missing", "minimum", "maximum"):
        mine, theirs = getattr(merged, name), getattr(whole, name)
        assert mine is theirs is None or np.array_equal(mine, theirs, equal_nan=True)
    there = np.array([x for x in first + second if not np.isnan(x)])
    if not there.size:
        assert np.isnan(merged.mean).all()
        return
    size = np.abs(there).max()
    assert merged.mean[0, 0] == pytest.approx(whole.mean[0, 0], abs=1e-12 * size + 5e-324)
    for k, name in zip((2, 3, 4), ("m2", "m3", "m4"), strict=True):
        if getattr(merged, name) is not None:
            scale = (np.abs(there - there.mean()) ** k).sum() + len(there) * (1e-12 * size) ** k
            rounding = 1e-15 * size * (np.abs(there - there.mean()) ** (k - 1)).sum()
            assert abs(getattr(merged, name) - getattr(whole, name))[0, 0] <= 1e-12 * scale + rounding + 5e-324


def test_merging_with_nothing_and_with_fewer_moments():
    """Proves that merging with nothing gives the other side exactly, and orders 4 and 2 give 2."""
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
    infinite = moments(np.array([[np.inf], [1.0]]), np.zeros(2, int), 1)
    beside = merge(infinite, moments(np.array([[2.0], [1.0]]), np.zeros(2, int), 1))
    assert beside.mean[0, 0] == np.inf
    assert np.isnan(beside.m2[0, 0])


@engines
@orders
@pytest.mark.parametrize("form", ["C", "Fortran", "csr", "csc"])
def test_whole_weights_are_repeated_rows(engine, order, form):
    """Proves that whole weights give what repeated rows give, to 1e-12; rows of weight 0 are not there at all."""
    X, codes = hard_table()
    X = X[:, :9]
    weights = np.random.default_rng(6).integers(0, 4, len(X))
    X[weights == 0] = np.inf
    table = (FORMS | {"csr": sparse.csr_array, "csc": sparse.csc_array})[form](X)
    found = moments(table, codes, 3, order=order, engine=engine, weights=weights)
    again = np.repeat(np.arange(len(X)), weights)
    check(X[again], codes[again], 3, found._replace(n_missing=_missing(X[again], codes[again])))
    rows = weights > 0
    assert (found.n_missing == _missing(X[rows], codes[rows])).all()
    assert found.count.dtype == np.float64
    half = moments(table, codes, 3, order=order, engine=engine, weights=weights / 2)
    assert np.allclose(half.m2, found.m2 / 2, rtol=1e-12, atol=0)


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
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.csc_matrix])
def test_sparse_tables(engine, order, kind, monkeypatch):
    """Proves that sparse tables give what the dense ones give, for any number of threads and pieces."""
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
    """Proves that duplicates are summed, order and explicit zeros do not matter, and the table is left as it was."""
    rng = np.random.default_rng(10)
    rows, cols = rng.integers(0, 40, 300), rng.integers(0, 5, 300)
    values = rng.integers(-2, 3, 300).astype(np.int8) * 60
    loose = sparse.coo_array((values, (rows, cols)), shape=(40, 5))
    starts, minor = (rows, cols) if kind is sparse.csr_array else (cols, rows)
    order = np.argsort(starts, kind="stable")
    size = 40 if kind is sparse.csr_array else 5
    indptr = np.searchsorted(starts[order], np.arange(size + 1))
    table = kind((values[order], minor[order], indptr), shape=(40, 5))
    kept = [table.data.copy(), table.indices.copy(), table.indptr.copy()]
    codes = np.arange(40) % 2
    X = loose.astype(float).toarray()
    check(X, codes, 2, moments(table, codes, 2, order=4, engine=engine))
    assert all(np.array_equal(a, b) for a, b in zip(kept, (table.data, table.indices, table.indptr), strict=True))


def test_bad_input_is_named():
    """Proves that an unknown engine, order or sparse form and unfit weights are refused in words."""
    X, codes = np.ones((4, 2)), np.array([0, 0, 1, 1])
    for options, words in (
        ({"engine": "fortran"}, "engine='fortran'"),
        ({"order": 3}, "order=3"),
        ({"weights": [1, 2]}, "weights has shape"),
        ({"weights": [1, 2, -1, 1]}, "weights=.* negative"),
    ):
        with pytest.raises(rp.RocPredictError, match=words):
            moments(X, codes, 2, **options)
    with pytest.raises(rp.RocPredictError, match=r"'coo'.*'csc' and 'csr'"):
        moments(sparse.coo_array(X), codes, 2)
