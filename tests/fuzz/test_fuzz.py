"""A short run of the fuzzers; ``make fuzz`` runs 10,000 of each."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import rocpredict as rp
from tests.cases import refuses
from tests.fuzz import api, cli, sweep
from tests.fuzz.outcomes import failures

pytestmark = pytest.mark.extra("pandas", "polars")


def test_a_call_returns_or_raises_a_one_line_error():
    assert not failures(api.run(600, seed=0))


def test_an_odd_value_of_one_argument_returns_or_raises_a_one_line_error():
    assert not failures(sweep.run(800, seed=0))


def test_a_command_prints_a_result_or_a_one_line_error():
    assert not failures(cli.run(80, seed=0))


BLOCKS = sparse.bsr_array(np.eye(4))
X, Y, RAGGED = np.arange(10.0), np.arange(10) % 2, [[1], [1, 2]]
NESTED: list[object] = []
NESTED.append(NESTED)
BATCH = rp.PredictedRoc.from_stats(mean=([4, 5], [8, 7]), std=(3, 2), count=(50, 50))
FOREIGN = {
    "is not a label in y": lambda: rp.auc_estimate(X, Y, positive=RAGGED),
    "is not an AUC, a PredictedRoc": lambda: rp.sample_size(auc=0.8, power=0.9, against=RAGGED),
    "scores is ragged": lambda: rp.multiclass_auc(RAGGED, [0, 1, 2]),
    "is not an array": lambda: rp.multiclass_auc(np, [0, 1, 2]),
    "is not a list of labels": lambda: rp.EmpiricalRoc(X, X, negative_labels=np.zeros((1, 2))),
    "is not a PairFit": lambda: rp.PredictedRoc(
        rp.Gaussian(0, 1), rp.Gaussian(1, 1), pair_fit=pl.LazyFrame({"a": [1]})
    ),
    "is not allowed; choose one of 'gaussian', 'gamma'": lambda: rp.PredictedRoc.from_stats(
        mean=(4, 8), std=(3, 2), family=[0.1, 0.9]
    ),
    "does not match the number of features, 1": lambda: rp.TeachingPage(X, Y, unit=RAGGED),
    "is not a feature of this table": lambda: rp.screen(X[:, None], Y).feature(np.zeros(3, dtype="f8,i8")),
    "shapes cannot be broadcast: prevalence": lambda: rp.predict_roc(X, Y).crossings(
        cost_fp=(1, 2.5), cost_fn=range(3), prevalence=0.5
    ),
    "criterion=<Series of 2 values> is not allowed": lambda: rp.empirical_roc(X, Y).best_threshold(
        pd.Series([1, 2]), prevalence=0.01, value=0.9
    ),
    "x is a sparse matrix of shape": lambda: rp.predict_roc(BLOCKS.tocoo(), Y),
    "y is a sparse matrix of shape": lambda: rp.empirical_roc(X, BLOCKS.tocoo()),
    "scores is a sparse matrix of shape": lambda: rp.multiclass_auc(BLOCKS, [0, 1, 2, 0]),
    "x1=<Block Sparse Row": lambda: rp.auc_test(BLOCKS, Y),
    "folds=array.* is not a list of folds": lambda: rp.mean_roc(np.array(0.5)),
    "folds=<Block Sparse Row": lambda: rp.mean_roc(BLOCKS),
    "summaries contains <Block Sparse Row.*, which is not": lambda: rp.pool(BLOCKS),
    "histogram_edges= has invalid edges .*<Block Sparse Row": lambda: rp.summarize(
        X[:, None], Y, histogram_edges={"x0": BLOCKS}
    ),
    "histogram_edges=.* is not an array of real": lambda: rp.summarize(X[:, None], Y, histogram_edges=RAGGED),
    "a column is ragged": lambda: rp.multiclass_auc(RAGGED, [0, 1], weights=[1, 1]),
    "is not a valid index into 1 items": lambda: rp.summarize(X[:, None], Y).select(2**63),
    "max_fnr=.* is not a real number": lambda: rp.predict_roc(X, Y).grey_zone(max_fnr=RAGGED),
    "negative=array.* is not a label": lambda: rp.TwoClassSummary.from_stats(
        mean=(1, 2), std=(1, 1), count=(5, 5), negative=np.zeros(3)
    ),
    "method=array.* is not allowed": lambda: rp.predict_roc(X, Y, family="boxcox").auc_interval(method=np.zeros(3)),
    "where=.* is not a real number": lambda: rp.Gaussian([0, 1], 1).reflect(RAGGED),
    "is an empty range": lambda: rp.sample_size(auc=0.8, power=0.9, against=0.6, fpr=np.zeros((2, 2, 2))),
    "title=5 is not text": lambda: rp.screen(X[:, None], Y).report("report.html", title=5),
    "X is a list of summaries": lambda: rp.screen([rp.summarize(X[:, None], Y)] * 2),
    "rng=.* is not a valid seed": lambda: rp.empirical_roc(X, Y).tpr_at_fpr_interval(0.2, rng=NESTED),
    "X=.* is not a table": lambda: rp.screen(NESTED, Y),
    "contains an invalid file name": lambda: rp.screen("\ud800", Y),
    "a b: No such file": lambda: rp.screen("a\nb", Y),
    "fpr= contains arrays": lambda: rp.predict_roc(X, Y).partial_auc_interval(fpr=[[0.1], [0.2]]),
    "has shape .3,.; pass one number": lambda: BATCH.tpr_at_fpr_interval([0.2, 0.4, 0.6]),
    "descending=<NA> is not allowed": lambda: rp.screen(X[:, None], Y).sort("auc", descending=pd.NA),
    "<LazyFrame": lambda: rp.TwoClassSummary.from_stats(mean=(0, 1), std=(1, 1), count=(9, 9), positive=pl.LazyFrame()),
    "x=.* is not a real number": lambda: rp.Ecdf(X).weight_below(RAGGED),
    "is not a SourceRows": lambda: rp.EmpiricalRoc(X, X, source_rows=len),
    "criterion raised TypeError": lambda: rp.empirical_roc(X, Y).best_threshold(len),
}


def test_decimals_and_huge_integers_are_numbers():
    roc = rp.predict_roc(X, Y)
    exact = roc.best_threshold("cost", prevalence=0.3, cost_fn=Decimal("0.5"))
    assert exact.threshold == roc.best_threshold("cost", prevalence=0.3, cost_fn=0.5).threshold
    assert (
        roc.grey_zone(max_fnr=0.1, prevalence=Decimal("0.5")).undecided
        == roc.grey_zone(max_fnr=0.1, prevalence=0.5).undecided
    )
    assert rp.summarize(X[:, None], Y, memory=10**400) == rp.summarize(X[:, None], Y)


@pytest.mark.parametrize("words", FOREIGN)
def test_inputs_that_once_raised_another_error_are_refused(words):
    refuses(words, FOREIGN[words])
