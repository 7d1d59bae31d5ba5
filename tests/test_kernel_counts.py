"""Exact counts of both engines, for every form of a table, against brute force and the empirical ROC curve."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats

import rocpredict as rp
from rocpredict.distributions.ecdf import COMPARISON_FPR, N_FPR
from rocpredict.screening.kernels import numpy_engine
from rocpredict.screening.kernels.counts import ClassPair, RankStatistics, SortPlan, count_blocks
from tests.cases import ENGINES, check_each, optional

numba_engine = optional("rocpredict.screening.kernels.numba_engine")

engines = pytest.mark.parametrize("engine", ENGINES)
CLASS_PAIRS = (
    ClassPair((0,), 1),
    ClassPair((1,), 0),
    ClassPair((0, 1, 2), 3),
    ClassPair((0, 1, 3), 2),
    ClassPair((1, 2), 0),
    ClassPair((3,), 0),
)
FORMS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "other byte order": lambda X: X.astype(">f8"),
    "CSC": sp.csc_array,
    "CSR": sp.csr_matrix,
    "CSC with zeros and duplicates": lambda X: _untidy(sp.csc_matrix, X),
    "CSR with zeros and duplicates": lambda X: _untidy(sp.csr_array, X),
    "CSC with long indices": lambda X: _untidy(sp.csc_array, X, np.int64),
    "CSR that is read-only": lambda X: _untidy(sp.csr_array, X, writeable=False),
}


def count(X, codes, class_pairs=CLASS_PAIRS, thresholds=None, **options):
    classes = max((*codes, *(code for c in class_pairs for code in (*c.negative, c.positive)))) + 1
    blocks = count_blocks(X, codes, classes, class_pairs, thresholds, callback=lambda _, counts: counts, **options)
    return RankStatistics(*(np.concatenate(column, axis=1) for column in zip(*blocks, strict=True)))


def _untidy(form, X, dtype=np.int32, *, writeable=True):
    """Return the table with explicit zeros, every value in two halves and indices out of order."""
    tidy = form(X)
    outer, inner = tidy.shape if tidy.format == "csr" else tidy.shape[::-1]
    lines = []
    for line in range(outer):
        inside = slice(tidy.indptr[line], tidy.indptr[line + 1])
        indices = np.concatenate([tidy.indices[inside][::-1], tidy.indices[inside], [line % inner]])
        halves = np.concatenate([tidy.data[inside][::-1] / 2, tidy.data[inside] / 2, [0.0]])
        lines.append((indices, halves))
    indptr = np.cumsum([0, *(len(indices) for indices, _ in lines)])
    indices, data = (np.concatenate(parts) for parts in zip(*lines, strict=True))
    table = form((data, indices, indptr), shape=tidy.shape)
    table.indices, table.indptr = table.indices.astype(dtype), table.indptr.astype(dtype)
    for array in (table.data, table.indices, table.indptr):
        array.flags.writeable = writeable
    return table


def table(rows=240):
    """Return features of many kinds, codes of four classes and of none, and thresholds that are values of the table."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 26))
    codes = rng.integers(-1, 4, rows)
    X[:, 4:8] = np.round(X[:, 4:8])  # ties
    X[:, 8] = 3.0
    X[:, 9] = np.nan
    X[:, 10][rng.random(rows) < 0.3] = np.nan
    X[:, 11] = np.where(rng.random(rows) < 0.3, np.inf, X[:, 11])
    X[:30, 11] = -np.inf
    X[:, 12] = np.where(rng.random(rows) < 0.5, -0.0, 0.0)
    X[codes == 1, 13] = np.nan  # missing in a class
    X[codes == 0, 14] -= 100  # separated
    X[:, 15] = np.where(codes == 2, 5.0, 1.0)  # each class at one place
    X[:, 16:26] *= rng.random((rows, 10)) < 0.2
    X[:, 20:23] = np.abs(np.round(3 * X[:, 20:23]))
    X[rng.random(rows) < 0.1, 23] = np.nan
    X[:, 24] = 0.0
    thresholds = X[rng.integers(0, rows, (len(CLASS_PAIRS), 26)), np.arange(26)]
    return X, codes, thresholds


@cache
def by_brute_force(negative, positive, threshold, grid):
    """Compare all pairs of two samples, as bytes, in fractions where sums must be exact."""
    negative, positive, nothing = np.frombuffer(negative), np.frombuffer(positive), np.nan
    tied = np.unique_counts(np.concatenate([negative, positive])).counts.astype(object)
    counted = [sum(tied**3 - tied), *((side < threshold).sum() for side in (negative, positive))]
    counted += [(side == threshold).sum() for side in (negative, positive)]
    if not (len(negative) and len(positive)):
        return [len(negative), len(positive), nothing, nothing, nothing, *counted], np.full(grid, nothing)
    twice = 2 * (positive[:, None] > negative) + (positive[:, None] == negative)
    area = Fraction(int(twice.sum()), 2 * twice.size)
    scatters = [
        sum((Fraction(int(total), 2 * other) - area) ** 2 for total in twice.sum(axis=axis))
        for axis, other in ((0, len(positive)), (1, len(negative)))
    ]
    heights = rp.EmpiricalRoc(negative=negative, positive=positive).tpr_at_fpr((np.arange(grid) + 0.5) / grid)
    return [len(negative), len(positive), float(area), *map(float, scatters), *counted], heights


def assert_agrees(counts, X, codes, thresholds, class_pairs=CLASS_PAIRS):
    for t, class_pair in enumerate(class_pairs):
        for f in range(X.shape[1]):
            sides = (X[np.isin(codes, classes), f] for classes in (class_pair.negative, [class_pair.positive]))
            negative, positive = (side[~np.isnan(side)].tobytes() for side in sides)
            expected, heights = by_brute_force(negative, positive, thresholds[t, f], counts.tpr_grid.shape[2])
            names = ["negatives", "positives", "area", "negative_sum_squares", "positive_sum_squares", "ties"]
            names += ["negatives_below", "positives_below", "negatives_tied", "positives_tied"]
            got = [getattr(counts, name)[t, f] for name in names]
            np.testing.assert_allclose(got, expected, rtol=1e-13, atol=0, err_msg=f"{class_pair} {f}")
            np.testing.assert_allclose(counts.tpr_grid[t, f], heights, rtol=0, atol=1e-13)


def arrays_of(values):
    return [values.data, values.indices, values.indptr] if sp.issparse(values) else [values]


@engines
def test_every_form_of_a_table_agrees_with_all_pairs(engine):
    """Tied, infinite, missing, constant and separated features; the table is not written to."""
    X, codes, thresholds = table()

    def check(form):
        values = form(X)
        before = [array.copy() for array in arrays_of(values)]
        assert_agrees(count(values, codes, thresholds=thresholds, engine=engine), X, codes, thresholds)
        np.testing.assert_equal(arrays_of(values), before)

    check_each(FORMS, check)


@engines
@pytest.mark.parametrize("form", [np.asarray, sp.csc_array, sp.csr_array])
def test_every_dtype(engine, form):
    """Values are compared exactly in their own dtype, and thresholds as float64."""
    for dtype in ["f4", "f2", "i1", "u2", "i4", "i8", "u8", "?", "g"]:
        rng = np.random.default_rng(2)
        X, codes = rng.poisson(1.0, (120, 6)).astype(dtype), rng.integers(0, 2, 120)
        if dtype in {"f4", "f2"}:
            X[:, 3:] += rng.normal(size=(120, 3)).astype(dtype)
        if dtype == "f2" and form is not np.asarray:
            X = X.astype("f4")  # scipy has no sparse float16
        near = X[5].astype(float) * (1 + np.array([[0, 1e-12, -1e-12, 0, 1e-12, -1e-12]]))
        class_pair = (ClassPair((0,), 1),)
        counts = count(form(X), codes, class_pair, thresholds=near, engine=engine)
        assert_agrees(counts, X.astype(float), codes, near, class_pair)


@engines
def test_thresholds_beyond_float32(engine):
    """A threshold that float32 rounds to infinity is compared as float64, without a warning."""
    X = np.array([[1.0], [np.inf], [-np.inf], [3e38]], dtype=np.float32)
    counts = [
        count(X, np.array([0, 0, 1, 1]), [ClassPair((0,), 1)], thresholds=np.array([[value]]), engine=engine)
        for value in (1e300, -1e300, np.inf, -np.inf, np.nan)
    ]
    below = [(int(c.negatives_below[0, 0]), int(c.positives_below[0, 0])) for c in counts]
    at = [(int(c.negatives_tied[0, 0]), int(c.positives_tied[0, 0])) for c in counts]
    assert below == [(1, 2), (0, 1), (1, 2), (0, 0), (0, 0)]
    assert at == [(0, 0), (0, 0), (1, 0), (0, 1), (0, 0)]


@engines
@pytest.mark.parametrize("form", ["C", "CSC", "CSR"])
def test_threads_and_order_of_features(engine, form, monkeypatch):
    """Threads change no bit, and features are in their order, in small blocks too."""
    X, codes, thresholds = table()
    monkeypatch.setattr("rocpredict.screening.kernels.counts.BLOCK_BYTES", 4_000)
    monkeypatch.setattr("rocpredict.screening.kernels.counts.PANEL_BYTES", (9_000, 9_000))
    one, two = (count(FORMS[form](X), codes, thresholds=thresholds, engine=engine, n_jobs=jobs) for jobs in (1, 2))
    for first, second in zip(one, two, strict=True):
        np.testing.assert_array_equal(first, second)
    assert_agrees(one, X, codes, thresholds)


@engines
def test_sums_beyond_64_bits(engine):
    rng = np.random.default_rng(4)
    n, stored = 7_000_000, 300
    codes = (np.arange(n) % 2).astype(np.int8)
    rows = np.sort(rng.choice(n, stored, replace=False)).astype(np.int32)
    X = sp.csc_array((np.round(rng.normal(size=stored), 1), rows, np.array([0, stored])), shape=(n, 1))
    counts = next(count_blocks(X, codes, 2, [ClassPair((0,), 1)], engine=engine, callback=lambda _, counts: counts))
    groups = [dict.fromkeys(np.unique([0.0, *X.data]), 0) for _ in range(2)]
    for row, value in zip(rows, X.data, strict=True):
        groups[codes[row]][value] += 1
    for group in groups:
        group[0.0] += n // 2 - sum(group.values())
    twice, squares, below = ([0, 0], [0, 0], [0, 0])
    for value in groups[0]:
        at = [group[value] for group in groups]
        for own, other in ((0, 1), (1, 0)):
            twice[own] += at[own] * (2 * below[other] + at[other])
            squares[own] += at[own] * (2 * below[other] + at[other]) ** 2
        below = [below[0] + at[0], below[1] + at[1]]
    assert min(squares) > 2**63
    exact = [float(Fraction(squares[k] - Fraction(twice[k] ** 2, n // 2)) / n**2) for k in (0, 1)]
    scatters = [counts.negative_sum_squares[0, 0], counts.positive_sum_squares[0, 0]]
    np.testing.assert_allclose(scatters, exact, rtol=1e-12)
    assert counts.area[0, 0] == twice[1] / (n**2 / 2)


@engines
def test_small_empty_and_refused_tables(engine):
    X, codes = np.array([[1.0, 2.0, 5.0], [2.0, 2.0, 4.0]]), np.array([0, 1])
    counts = count(X, codes, [ClassPair((0,), 1)], engine=engine)
    assert counts.area.tolist() == [[1.0, 0.5, 0.0]]
    assert counts.positive_sum_squares.tolist() == [[0.0, 0.0, 0.0]]
    for form in (np.asarray, sp.csc_array, sp.csr_array):
        lonely = count(form(X), np.array([0, -1]), [ClassPair((0,), 1)], engine=engine)
        assert np.isnan(lonely.area).all()
        assert (lonely.negatives.tolist(), lonely.positives.tolist()) == ([[1, 1, 1]], [[0, 0, 0]])
        none = count_blocks(
            form(X)[:, :0], codes, 2, [ClassPair((0,), 1)], engine=engine, callback=lambda _, counts: counts
        )
        assert list(none) == []
    with pytest.raises(rp.RocPredictError, match=r"X contains integers beyond 2\*\*53"):
        count(np.array([[2**53 + 1], [1]]), codes, [ClassPair((0,), 1)], engine=engine)
    with pytest.raises(rp.RocPredictError, match=r"thresholds has shape \(2, 1\).*\(1, 3\)"):
        count(X, codes, [ClassPair((0,), 1)], thresholds=np.zeros((2, 1)), engine=engine)


@engines
def test_blocks_with_a_shared_plan_have_the_same_counts(engine):
    """The second table uses the groups and rows of the first: several classes, one against the rest, rows left out."""
    rng = np.random.default_rng(8)
    codes = rng.integers(-1, 3, 60)
    pairs = [ClassPair(tuple({0, 1, 2} - {k}), k) for k in range(3)]
    plan = SortPlan()
    for X in (rng.normal(size=(60, 3)), rng.integers(0, 4, size=(60, 2)).astype(float)):
        options = {"engine": engine, "callback": lambda _, counts: counts}
        shared, alone = (next(count_blocks(X, codes, 3, pairs, **options, **more)) for more in ({"plan": plan}, {}))
        for one, other in zip(shared, alone, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.extra("numba")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("rows", "share"), [(24_001, 0.4), (66_001, 0.4), (66_001, 0.02)])
def test_long_features_with_few_ties_have_the_counts_of_runs(dtype, rows, share):
    """Separate, reversed, shifted and wide classes; ties, zero of both signs, infinities and NaN.

    With 66,001 rows, the values of both classes are sorted together.
    """
    rng = np.random.default_rng(0)
    codes = (np.arange(rows) * share % 1 < share).astype(int)
    X = np.column_stack([rng.permutation(len(codes)) + shift * codes for shift in (0, 1e6, -1e6, 0.5, 5000.5)])
    X = np.column_stack([X, X[:, 3], X[:, 3], X[:, 3], X[:, 3], rng.normal(size=len(codes)) * (1 + 9 * codes)])
    narrow = np.where(rng.random(len(codes)) < 0.5, 1 + 1e-12 * X[:, 9], X[:, 9])
    X = np.column_stack([X, np.round(X[:, 9], 4), np.round(X[:, 9], 1), narrow, np.where(X[:, 9] > 0, np.nan, X[:, 9])])
    X = np.column_stack([X, np.full(len(codes), np.nan)])
    X = np.asfortranarray(X.astype(dtype))
    X[0, 5], X[1, 5], X[7, 6], X[8, 6] = -np.inf, np.inf, X[2, 6], np.nan
    X[:, 7] = np.where(X[:, 7] == 0, -0.0, X[:, 7])
    X[1, 7], X[0, 8] = 0.0, X[4, 8]
    if dtype is np.float64:
        X.T.view(np.uint64)[5, 8] = 0x7FF00000000007A2  # R's NA, whose bits are next to those of infinity
        X.T.view(np.uint64)[6, 8] = 0xFFF0000000000001  # the same for negative infinity
        X.T.view(np.uint64)[14] = 2**64 - 1  # the NaN with the largest key, and no number
    pairs = [ClassPair((0,), 1)]
    alike = (np.full(X.shape[1], value) for value in (12_000.0, -np.inf, -0.0, np.nan))
    for thresholds in (*alike, X[9], X[10]):
        merged = count(X, codes, pairs, thresholds[None], engine="numba")
        both = np.stack([thresholds, thresholds])
        runs = count(X, codes, pairs * 2, both, engine="numba")  # features of several pairs are counted by runs
        for name in merged._fields:
            np.testing.assert_array_equal(getattr(merged, name), getattr(runs, name)[:1], err_msg=name)
    assert (merged.area[0, 1:3] == [1, 0]).all()


@pytest.mark.extra("numba")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_radix_sort_agrees_with_numpy(dtype):
    """Both signs of zero, NaN of both signs, infinities, ties, wide ranges, and values that differ in low bits only."""
    from rocpredict.screening.kernels.base import ThreadBuffer
    from rocpredict.screening.kernels.numba_engine import sort_parts

    rng = np.random.default_rng(6)
    normal = rng.normal(size=3_001)
    kinds = {
        "normal": normal,
        "wide": np.sign(normal) * np.exp(90 * normal),
        "ties": np.round(normal),
        "offset": 1e6 + normal,
        "two places": np.where(normal > 0, 1e6 + 1e-3 * normal, 0.0),  # NumPy sorts this part
        "constant": np.full(3_001, -2.0),
        "signed zeros": np.copysign(0.0, normal),
        "infinities": np.where(np.abs(normal) > 1, normal * np.inf, normal),
        "missing": np.where(normal > 1, np.copysign(np.nan, rng.normal(size=3_001)), normal),
        "only missing": np.full(3_001, np.nan),
        "short": normal[:700],
        "empty": normal[:0],
    }
    with np.errstate(over="ignore"):
        parts = [values.astype(dtype) for values in kinds.values()]
    values, last = np.concatenate(parts), np.cumsum([len(part) for part in parts])
    first = np.concatenate([[0], last[:-1]])
    sort_parts(values, first, last, ThreadBuffer())
    for name, start, stop, part in zip(kinds, first, last, parts, strict=True):
        np.testing.assert_array_equal(values[start:stop], np.sort(part), err_msg=name)


@pytest.mark.extra("numba")
@pytest.mark.parametrize("form", [np.asarray, sp.csc_array, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [12, 300, 5_000])
def test_classes_against_the_rest(form, dtype, n):
    """The numba engine sorts all classes together; NumPy sorts each class. Sums are integers, so they are equal."""
    rng = np.random.default_rng(7)
    codes = rng.integers(-1, 3, n)
    X = rng.normal(size=(n, 7))
    X[:, 1] = np.round(X[:, 1])
    X[:, 2] = np.where(X[:, 2] > 0, 1e6 + 1e-3 * X[:, 2], 0.0)  # most values differ in low bits only
    X[:, 3][rng.random(n) < 0.1] = np.nan
    X[:, 4:6] *= rng.random((n, 2)) < 0.3
    X[:5, 5] = np.inf
    X[:, 6] = np.copysign(0.0, X[:, 6])
    X = X.astype(dtype)
    pairs = [ClassPair(tuple({0, 1, 2} - {k}), k) for k in range(3)]
    thresholds = X[rng.integers(0, n, (3, 7)), np.arange(7)].astype(float)
    numba, numpy = (count(form(X), codes, pairs, thresholds, engine=engine) for engine in ("numba", "numpy"))
    for name in numba._fields:
        exact = "sum_squares" not in name and name != "tpr_grid"
        np.testing.assert_allclose(getattr(numba, name), getattr(numpy, name), rtol=0 if exact else 1e-12, err_msg=name)


@pytest.mark.extra("numba")
def test_both_engines_compare_curves_equally():
    """Also with point masses, which may be equal, and with curves that reach 0 or 1."""
    rng, n = np.random.default_rng(8), 700
    distance, s0, s1 = rng.normal(size=n) * 10.0 ** rng.integers(-3, 4, n), *rng.exponential(size=(2, n))
    s0[:40], s1[20:60], distance[30:50] = 0.0, 0.0, 0.0
    grids = np.sort(rng.random((n, N_FPR)), axis=1)
    grids[::7] = 1.0
    with np.errstate(all="ignore"):
        results = [engine.compare_curves(distance, s0, s1, grids) for engine in (numba_engine, numpy_engine)]
        z = (distance[:, None] + s0[:, None] * stats.norm.ppf(COMPARISON_FPR)) / s1[:, None]
    gap = np.where(np.isnan(z), COMPARISON_FPR, stats.norm.cdf(z)) - grids
    for area, square in results:
        np.testing.assert_allclose(area, np.mean(np.abs(gap), axis=1), rtol=1e-13)
        np.testing.assert_allclose(square, np.mean(gap**2, axis=1), rtol=1e-13)
