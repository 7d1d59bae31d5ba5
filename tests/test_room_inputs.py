"""Forms of input: diagnosis, several classes, combinations, reports, pages."""

import copy
import pickle

import numpy as np
import pytest

import rocpredict as rp
from tests.cases import refuses

X = [1.0, 2, 3, 4, 5, 6, 2.5, 3.5, 2.2, 4.4]
X2 = [1.0, 5, 2, 7, 3, 8, 1, 2, 9, 4]
Y = [0, 0, 0, 1, 1, 1, 1, 0, 0, 1]
SCORES = [[0.2, 0.3, 0.5], [0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.4, 0.3, 0.3], [0.2, 0.2, 0.6]]
LABELS = [0, 1, 2, 1, 0]


def test_iterators_are_read_once():
    assert rp.multiclass_auc(iter(SCORES), LABELS).to_dict() == rp.multiclass_auc(SCORES, LABELS).to_dict()


def test_a_wrong_unit_or_path_is_one_sentence(tmp_path):
    for wrong in (np.array([1, 2]), {"a": 1}, 1.5, b"mm"):
        refuses(r"unit=.* is not text", rp.feature_report, X, Y, tmp_path / "a.html", unit=wrong)
    with pytest.raises(rp.RocPredictError, match=r"path=.* is not a file name") as caught:
        rp.feature_report(X, Y, np.zeros((40, 40)))
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_model_of_a_page_can_be_copied():
    model = rp.TeachingPage(X, Y).model()
    state = {"data": "own", "threshold": "2"}
    expected = model.evaluate(state)
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert again.evaluate(state) == expected


def test_the_folds_of_every_mean_are_drawn():
    mean = rp.mean_roc([(X, Y), (X2, Y)])
    other = rp.mean_roc([(X2, Y), (X, Y), (X, Y)])
    ax = rp.plots.plot_mean_roc(mean, other, show_folds=True)
    folds = sorted(line.get_gid() for line in ax.get_lines() if (line.get_gid() or "").startswith("fold"))
    assert folds == ["fold-0", "fold-1", "fold-of-1-0", "fold-of-1-1", "fold-of-1-2"]
    assert [text.get_text() for text in ax.get_legend().get_texts()].count("one fold") == 1


def test_two_axes_take_a_feature():
    from matplotlib.figure import Figure

    roc, figure = rp.predict_roc(X, Y), Figure()
    assert rp.plots.plot_side_by_side(roc, ax=figure.subplots(1, 2)) is figure
    for wrong in (figure.axes[0], [figure.axes[0]] * 3, [1, 2], "ab"):
        refuses("is not a list of two matplotlib Axes", rp.plots.plot_side_by_side, roc, ax=wrong)
