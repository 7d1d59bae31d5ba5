"""A small version of the benchmark of the fidelity page: draws, estimates and comparisons are as the page states."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from benchmarks.fidelity.agreeing import EXACT, agreements
from benchmarks.fidelity.cases import Case, chosen
from benchmarks.fidelity.comparing import compared, flag_auc, interval, losses
from benchmarks.fidelity.counted import GRID, Answer, best_counted, counted
from benchmarks.fidelity.drawing import auc, draw
from benchmarks.fidelity.others import aicc, best_family, chosen_by_aic, probit_line
from benchmarks.fidelity.page import Measured, written
from benchmarks.fidelity.scoring import ALSO, EVERY, Misfit, Plan, Score, judged, misfit, try_case
from benchmarks.fidelity.sources import Problem, parsed
from rocpredict import EmpiricalRoc, Gaussian, predict_roc
from rocpredict.distributions.families import fit_family

SMALL = Plan(repeats=2, sampled=1, asked=1)


def _case(seed: int = 0, rows: int = 150, shift: float = 1.0, *, coarse: bool = False) -> Case:
    rng = np.random.default_rng(seed)
    negative, positive = rng.gamma(3, 1, rows), rng.gamma(3, 1, rows) + shift
    if coarse:
        negative, positive = np.round(negative), np.round(positive)
    return Case(f"made {seed}", seed, negative, positive, EmpiricalRoc(negative=negative, positive=positive).auc())


# ---- the features
def test_tables_are_read_without_columns_that_are_no_numbers():
    """Numbers of any notation are kept, names and question marks are not, the last column is the class."""
    table = parsed("made", "1,a,2e1,?,yes\n-3.5,b,0,4,no\n")
    assert table.X.tolist() == [[1, 20], [-3.5, 0]]
    assert table.labels.tolist() == ["yes", "no"]


def test_features_are_chosen_by_the_rules():
    """Coarse, nearly constant and trivial columns and small classes go; the two most frequent labels stay, turned."""
    rng = np.random.default_rng(1)
    labels = np.repeat(["a", "b", "c"], [60, 80, 55])
    columns = {
        "good": rng.normal(labels == "a", 1),
        "coarse": rng.integers(0, 7, 195),
        "same": np.where(rng.uniform(size=195) < 0.9, 0, rng.normal(size=195)),
        "easy": (labels == "b") * 100 + rng.normal(size=195),
        "turned": rng.normal(1.5 * (labels == "b"), 1),
    }
    table = Problem("made", np.column_stack(list(columns.values())), labels)
    result = chosen([table])
    assert [case.feature for case in result] == [0, 4]
    assert all(auc(case.negative[None], case.positive[None])[0] == pytest.approx(case.auc) for case in result)
    assert [(len(case.negative), len(case.positive)) for case in result] == [(80, 60), (60, 80)]
    assert chosen([table._replace(labels=np.repeat(["a", "b", "c", "d"], [49, 49, 49, 48]))]) == []


def test_large_tables_are_thinned_in_one_way():
    """At most 2,000 rows per class and 36 features, with at most 15% weak ones; a second run gives the same."""
    rng = np.random.default_rng(2)
    labels = np.repeat(["0", "1"], [2_500, 300])
    X = rng.normal(np.outer(labels == "1", np.repeat([0.8, 0.0], [20, 30])))
    first, again = chosen([Problem("made", X, labels)]), chosen([Problem("made", X, labels)])
    assert {len(case.negative) + len(case.positive) for case in first} == {2_300}
    assert [case.auc < 0.55 for case in first] == [False] * 20 + [True] * 3
    assert all(np.array_equal(a.negative, b.negative) for a, b in zip(first, again, strict=True))
    assert len(chosen([Problem("made", rng.normal(np.outer(labels == "1", np.ones(40))), labels)])) == 36


# ---- the draws
def test_draws_part_the_rows():
    """Training and test data are all rows, once each; fewer repeats are the first of more."""
    case = _case()
    draws, fewer = draw(case, 20, 5), draw(case, 20, 2)
    assert draws.negative.shape == (5, 20)
    for one, rows in ((0, case.negative), (1, case.positive)):
        for i in range(5):
            assert np.array_equal(np.sort(np.concatenate([draws[one][i], draws[one + 2][i]])), np.sort(rows))
    assert all(np.array_equal(a[:2], b) for a, b in zip(draws, fewer, strict=True))
    assert not np.array_equal(draws.negative[0], draws.negative[1])
    other = draw(replace(case, feature=7), 20, 2)
    assert not np.array_equal(other.negative, fewer.negative)


def test_classes_are_exchanged_if_the_positives_are_lower_in_the_sample():
    """No training AUC is below 1/2, and an exchanged truth is the curve read from the other side."""
    draws = draw(_case(3, shift=0.1), 10, 30)
    parts = list(draws.as_they_lie())
    assert [len(part.negative) for part in parts] == [np.sum(auc(*draws[:2]) >= 0.5), np.sum(auc(*draws[:2]) < 0.5)]
    assert min(auc(part.negative, part.positive).min() for part in parts) >= 0.5
    lower = auc(*draws[:2]) < 0.5
    assert parts[1].truth().mean(axis=1) == pytest.approx(1 - draws.truth()[lower].mean(axis=1), abs=3e-3)


@pytest.mark.parametrize("coarse", [False, True])
def test_counted_answers_are_those_of_empirical_roc(coarse):
    draws = draw(_case(4, shift=0.5, coarse=coarse), 15, 12)
    threshold, ameans = best_counted(draws.negative, draws.positive)
    achieved, areas = draws.achieved(threshold), auc(draws.negative, draws.positive)
    for i in range(12):
        roc = EmpiricalRoc(negative=draws.negative[i], positive=draws.positive[i])
        rest = EmpiricalRoc(negative=draws.rest_negative[i], positive=draws.rest_positive[i])
        best = roc.best_threshold()
        assert threshold[i] == best.threshold
        assert ameans[i] == pytest.approx(best.ameans, abs=1e-14)
        assert achieved[i] == pytest.approx(rest.rates(threshold[i]).ameans, abs=1e-14)
        assert areas[i] == pytest.approx(roc.auc(), abs=1e-14)


def test_judging_knows_the_truth():
    """An estimator that returns the curve of the test data and its best threshold has no error, regret or bias."""
    draws = draw(_case(5), 20, 3)
    best, ameans = best_counted(draws.rest_negative, draws.rest_positive)
    result = judged(draws, {"seer": lambda *_: Answer(draws.truth(), ameans, best), "blind": lambda *_: _flat(3)})
    assert np.abs(np.array(result["seer"])).max() < 1e-14
    assert np.isnan(result["blind"][1]).all()
    assert result["blind"][0] == pytest.approx(np.abs(draws.truth() - 0.5).mean(axis=1))


def _flat(draws: int) -> Answer:
    return Answer(np.full((draws, len(GRID)), 0.5), np.full(draws, 0.5), None)


# ---- the estimators
def test_vectorized_answers_are_those_of_predict_roc():
    """Curves to 2e-3, Ameans to 1e-4; thresholds to 1e-9 where they are the library's own."""
    for coarse in (False, True):
        for one in agreements(draw(_case(6, coarse=coarse), 20, 3), EVERY):
            assert one.height < 2e-3, one
            assert one.ameans < 1e-4, one
            assert one.threshold < 1e-9 or one.estimator not in EXACT, one


def test_misfit_is_the_distance_of_trust():
    case = _case(7, coarse=True)
    draws = draw(case, 20, 3)
    result = misfit(case, 20, draws)
    for i, rows in enumerate(zip(draws.negative, draws.positive, strict=True)):
        pair = predict_roc(np.concatenate(rows), np.repeat([0, 1], 20), family="boxcox")
        own = type(pair)(*map(Gaussian.fit, rows), pair_fit=pair.pair_fit)
        assert result.of_draws[i] == pytest.approx(own.model_fit().area_between, abs=1e-12)
    assert result.of_all > 0


def test_line_on_probit_axes_is_least_squares():
    """The line is that of ``numpy.polyfit`` through the empirical points, and no increasing transform moves it."""
    draws = draw(_case(8), 12, 1)
    roc = EmpiricalRoc(negative=draws.negative[0], positive=draws.positive[0]).curve()
    inside = (roc.tpr > 0) & (roc.tpr < 1) & (roc.fpr > 0) & (roc.fpr < 1)
    slope, intercept = np.polyfit(ndtri(roc.tpr[inside]), ndtri(1 - roc.fpr[inside]), 1)
    heights = probit_line(draws.negative, draws.positive).heights
    assert heights[0] == pytest.approx(ndtr((ndtri(1 - GRID) - intercept) / slope), abs=1e-10)
    assert np.array_equal(heights, probit_line(np.exp(draws.negative), np.exp(draws.positive)).heights)


def test_without_a_line_the_empirical_curve_stays():
    """Separate classes have no point inside; the best Ameans is that of the rows, and there is no threshold."""
    rows = np.arange(10.0)[None, :]
    result = probit_line(rows, rows + 20)
    assert np.array_equal(result.heights, counted(rows, rows + 20).heights)
    assert result.ameans.tolist() == [1.0]
    assert result.threshold is None


def test_families_are_chosen_by_aicc():
    """AICc is 2k - 2 log L + 2k(k + 1)/(n - k - 1); quantiles of an exponential and of a Gaussian choose their own."""
    q = (np.arange(200) + 0.5) / 200
    fitted = Gaussian(0, 1)
    assert aicc(fitted, ndtri(q), 2) == pytest.approx(4 - 2 * fitted.logpdf(ndtri(q)).sum() + 12 / 197)
    assert repr(best_family(-np.log(q))) == repr(fit_family("exponential", -np.log(q), "one"))
    assert best_family(ndtri(q) - 3) == Gaussian.fit(ndtri(q) - 3)
    assert best_family(np.ones(9)) == Gaussian(1, 0)


def test_curve_of_chosen_families_is_that_of_the_pair():
    """Heights are TPR at FPR of the two families, the promised Ameans that of the threshold given."""
    draws = draw(_case(9), 25, 1)
    result = chosen_by_aic(draws.negative, draws.positive)
    negative, positive = best_family(draws.negative[0]), best_family(draws.positive[0])
    assert result.heights[0] == pytest.approx(positive.sf(negative.isf(GRID)))
    assert result.ameans[0] == pytest.approx(
        (negative.cdf_strict(result.threshold[0]) + positive.sf(result.threshold[0])) / 2
    )


# ---- the comparisons
def _score(data: str, error: float, regret: float | None, bias: float = 0.0) -> Score:
    return Score(replace(_case(), data=data), 10, "declared", "any", error, regret, bias, bias)


def test_ratios_are_those_of_the_sums():
    """Two features, by hand: one won, one more than 5% worse."""
    pairs = [(_score("a", 1, 2, 0.3), _score("a", 2, 4)), (_score("b", 3, 6, -0.1), _score("b", 2, 4))]
    result = compared(pairs)
    assert (result.features, result.error, result.ratio, result.win, result.worse) == (2, 2, 1, 0.5, 0.5)
    assert (result.regret, result.bias) == (1, pytest.approx(0.1))
    assert (result.low, result.high) == (0.5, 1.5)
    assert compared([(_score("a", 1, None), _score("a", 2, 4))]).regret is None
    assert losses("win", pairs, 0.9) == [("b", 1.0)]
    assert losses("ratio", pairs, 0.25) == [("b", pytest.approx(2.5 / 3)), ("a", pytest.approx(0.5 / 3))]


def test_interval_draws_whole_data_sets():
    """Features of one data set move together: one set alone leaves nothing to chance."""
    assert interval(np.array([1.0, 3]), np.array([2.0, 2]), ["a", "a"]) == (1, 1)


def test_the_auc_of_the_flag_is_over_draws():
    """Distances of features beyond 0.03 against those of the others, every draw one of them."""
    case = _case()
    result = flag_auc([Misfit(case, 20, 0.05, np.array([2.0, 3.0])), Misfit(case, 20, 0.01, np.array([1.0, 2.5]))])
    assert result == (0.75, 0.5)


def test_page_contains_every_table_and_is_reproducible():
    """Two made features give a page with all headings and estimators; a second run of one gives the same scores."""
    cases, result = [_case(10, 60), _case(11, 25, 0.4)], Measured(SMALL)
    for case, index in zip(cases, (1, 0), strict=True):
        result.add(try_case(case, index, SMALL))
    assert [{score.n for score in result.scores if score.case is case} for case in cases] == [{10, 20, 30}, {10}]
    assert try_case(cases[1], 0, SMALL).scores == [score for score in result.scores if score.case is cases[1]]
    page = written(result)
    headings = ("requirements", "Every estimator", "chosen from", "fitting a line", "Detecting", "idea", "regenerate")
    assert [heading for heading in headings if heading not in page] == []
    assert all(f"| {name} |" in page for name in (*EVERY, *ALSO))
    assert not re.search(r"\bnan\b", page)
