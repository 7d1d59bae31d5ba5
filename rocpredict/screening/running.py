"""One pass over a table: every feature's row of answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.arguments import FloatArray, as_whole, one_of, shown
from rocpredict.errors import RocPredictError
from rocpredict.features import Features, table_and_labels
from rocpredict.flags import Flags
from rocpredict.interval import as_level
from rocpredict.kernels.counts import Block, Contrast, Counts, count_blocks
from rocpredict.kernels.engines import chosen
from rocpredict.kernels.moments import Moments
from rocpredict.kernels.threads import as_jobs
from rocpredict.labels import Coded, as_codes, as_weights
from rocpredict.screening.adjust import ADJUSTMENTS
from rocpredict.screening.answers import Answers
from rocpredict.screening.counted import counted_columns
from rocpredict.screening.estimated import estimates, refuse_parts_of_cases, rows_of
from rocpredict.screening.misfit import GRID
from rocpredict.screening.predicted import Prediction, pair_of, predict, thresholds
from rocpredict.screening.table import Screening
from rocpredict.screening.weighed import WeighedBlock, count_weighed
from rocpredict.summary import TwoClassSummary, contrasted, read_moments, summarize

_DIRECTIONS = ("auto", None, "higher", "lower")
_FAMILIES = ("gaussian", "auto")

Progress = Callable[[int, int], None]
"""Told how many features are done, and of how many."""
Counted = tuple[Moments, list[tuple[dict[str, Any], Flags]]]
"""The moments of a block of features, and for each contrast the columns that were counted."""


def screen(
    X: Any,
    y: Any = None,
    *,
    positive: Any = None,
    negative: Any = None,
    pairs: str = "rest",
    empirical: bool | str = True,
    n_top: int = 100,
    family: str = "gaussian",
    moments: int = 2,
    direction: str | None = "auto",
    weights: ArrayLike | None = None,
    level: float = 0.95,
    adjust: str = "benjamini-hochberg",
    feature_names: Any = None,
    engine: str = "auto",
    n_jobs: int = 1,
    nan_policy: str = "omit",
    progress: Progress | None = None,
) -> Screening:
    """Tell for every feature of a table how well it separates two classes, predicted and counted.

    Parameters
    ----------
    X : array of shape (n, features), or another table
        A numpy array of numbers (a memory map stays one), a scipy sparse matrix (never made dense), a pandas, polars
        or pyarrow frame, an object with ``X`` and ``var_names`` such as AnnData. It is neither changed nor copied
        whole. Or, without ``y``: a ``TwoClassSummary``, or an iterable of (X, y) batches, both with
        ``empirical=False``.
    y : array of shape (n,), or the name of a column of a frame
        Labels.
    positive, negative : label, optional
        ``positive`` may be left out for labels {0, 1}, {-1, 1} or booleans. ``negative=None`` means every other
        label; a named one drops the rows of a third. With three or more labels and neither of them, each label is
        positive in turn.
    pairs : {"rest", "all"}
        With three or more labels: each against the rest, or every two against each other (with ``positive`` that one
        against each other).
    empirical : {True, False, "top"}
        Whether to count the exact AUC, for all features, none, or the ``n_top`` of each contrast whose prediction is
        best. Counting sorts each feature; the prediction only reads it.
    n_top : int
        How many with "top".
    family : {"gaussian", "auto"}
        What the classes are taken for. "auto": of the rows that are counted (all, or with ``empirical="top"`` the
        ``n_top`` of each contrast) auc, threshold, ameans, tpr and fpr are those of the shrunk estimate, as
        ``predict_roc(..., family="auto")`` makes it; columns ``family`` and ``model_share`` say of which. Needs rows.
    moments : {2, 4}
        With 4 the table also has skewness, excess kurtosis, minimum and maximum of both classes.
    direction : {"auto", None, "higher", "lower"}
        "auto": each feature's own, by the means: "higher" where the positives' mean is the higher one. It decides
        threshold, ameans, tpr and fpr, and biases neither AUC, which are always those of "higher". None and "higher"
        are the rule "positive when x >= threshold" for all features.
    weights : array of shape (n,), optional
        How many cases each row stands for: 0 or more; whole numbers for family "auto".
    level : float
        Of the intervals.
    adjust : {"benjamini-hochberg", "benjamini-yekutieli", "holm", "bonferroni", "none"}
        How q-values are made, over all rows of the result.
    feature_names : sequence of str, optional
        One for each feature (beside the column that ``y`` names), in place of those that X has.
    engine : {"auto", "numpy", "numba"}
        "auto": numba where it is installed (extra ``fast``) and the table has a million cells or more; compiled code
        takes some seconds to be made, once, and a moment to be loaded.
    n_jobs : int
        Threads; -1: one on each processor. The result is the same for any number of them.
    nan_policy : {"omit", "raise"}
        Missing values are left out feature by feature, or refused.
    progress : function, optional
        Called as ``progress(done, total)`` as features are counted.

    Returns
    -------
    Screening
        A row for each feature and contrast, the most telling first.

    Raises
    ------
    RocPredictError
        A table or labels that are none, or of different lengths; labels that are unknown or ambiguous; duplicate
        names; batches or a summary where counting or family "auto" is asked for; family "auto" where nothing is
        counted, or with weights that are not whole; options out of range. A feature that cannot be
        answered has a row with flags instead, and NaN for what is unknown.

    Notes
    -----
    ``p_value`` is that of Mann and Whitney's test, two-sided, corrected for ties, without continuity correction, where
    the exact AUC is counted, and that of Welch's t-test where it is not: for two Gaussians the AUC is 1/2 where the
    means are equal.

    ``ameans_honest``: counted at the predicted threshold where counting is asked for, and predicted where it is not,
    less its optimism. The optimism is what samples of these sizes would have on average if the classes were two
    Gaussians that differ as much as these do beyond chance. It is NaN where nothing was counted and a class shows no
    spread. It is right on the average over features: the best of many rows are still too good, as are their AUCs and
    intervals; judge features that were chosen here on new rows.

    Of rows with family "auto" ``ameans_honest`` is counted on rows that were held out, a fifth of each class in turn:
    it moves a little with the order of the rows, and is NaN where a class has two values only. These rows have no
    interval of their own, as theirs would be that of the counted AUC; ``misfit`` is how far the model lies from the
    counted curve, and no flag: the estimate takes it into account. With direction "auto" the sample chose the sides,
    so that the prior that positives lie on theirs is not used; ``direction="higher"`` and ``"lower"`` declare it.

    Flag ``misfit``: the counted curve lies further from the predicted one than chance allows (and than .02 on the
    average); then trust the empirical columns.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, 837-845. Benjamini and Hochberg (1995), J. R. Stat. Soc. B
    57, 289-300. Welch (1947), Biometrika 34, 28-35.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> table = screen(iris.X, iris.y, positive="virginica", negative="versicolor", feature_names=iris.feature_names)
    >>> table
    Screening(4 rows, negative 'versicolor', positive 'virginica',
              first 'petal_length': auc=0.9627, empirical 0.9822, q=1.9e-16)
    >>> table["feature"].tolist()
    ['petal_length', 'petal_width', 'sepal_length', 'sepal_width']
    """
    asked = _Asked(
        empirical=empirical,
        n_top=n_top,
        family=family,
        moments=moments,
        direction=direction,
        level=level,
        adjust=adjust,
        engine=engine,
        n_jobs=n_jobs,
        nan_policy=nan_policy,
        progress=progress,
    )
    one_of("pairs", pairs, ("rest", "all"))
    if y is None:
        for name, given in (("weights", weights), ("feature_names", feature_names)):
            if given is not None:
                raise RocPredictError(f"{name}= goes with a table X and its labels y, not with a summary or batches")
        return _from_summary(_summary_of(X, asked, positive=positive, negative=negative), asked)
    table, labels = table_and_labels(X, y, names=feature_names)
    coded = as_codes(labels, positive=positive, negative=negative, pairs=pairs)
    weighed = as_weights(weights, table.n_rows)
    _refuse_shares(weighed, coded)
    if family == "auto":
        refuse_parts_of_cases(weighed)
    return _Run(asked, table, coded, weighed).screened()


@dataclass
class Progressing:
    """Tell somebody how many features are done."""

    told: Progress | None
    total: int
    done: int = 0

    def advance(self, features: int) -> None:
        """Count further features."""
        self.done += features
        if self.told is not None:
            self.told(self.done, self.total)


@dataclass(frozen=True)
class _Asked:
    """Hold the options, checked."""

    empirical: bool | str
    n_top: int
    family: Any
    moments: int
    direction: str | None
    level: float
    adjust: str
    engine: str
    n_jobs: int
    nan_policy: str
    progress: Progress | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "empirical", one_of("empirical", self.empirical, (True, False, "top")))
        object.__setattr__(self, "moments", one_of("moments", self.moments, (2, 4)))
        if not isinstance(self.family, str) or self.family not in _FAMILIES:
            raise RocPredictError(
                f"family={shown(self.family)} is not available; a screening takes 'gaussian' or 'auto'"
            )
        if self.family == "auto" and self.empirical is False:
            raise RocPredictError(
                "family='auto' is estimated from rows, of features that are counted: it needs X, y and empirical=True "
                "or 'top'; a summary or batches go with family='gaussian'"
            )
        one_of("direction", self.direction, _DIRECTIONS)
        one_of("adjust", self.adjust, ADJUSTMENTS)
        one_of("nan_policy", self.nan_policy, ("omit", "raise"))
        if self.progress is not None and not callable(self.progress):
            raise RocPredictError(f"progress={shown(self.progress)} is not a function of (done, total)")
        if as_whole("n_top", self.n_top) < 1:
            raise RocPredictError(f"n_top={self.n_top} is below 1")
        object.__setattr__(self, "level", as_level(self.level))
        chosen(self.engine)
        object.__setattr__(self, "n_jobs", as_jobs(self.n_jobs))

    def threads(self, cells: int) -> dict[str, Any]:
        """Who counts a table of so many cells, as the kernels take it."""
        return {"engine": chosen(self.engine, cells), "n_jobs": self.n_jobs}

    def predict(self, summary: TwoClassSummary) -> Prediction:
        """Predict from moments."""
        return predict(pair_of(summary, self.direction), level=self.level, free=self.direction == "auto")


@dataclass
class _Run:
    """Read a table part by part, and gather the answers."""

    asked: _Asked
    table: Features
    coded: Coded
    weights: FloatArray | None
    threads: dict[str, Any] = field(init=False)
    answers: Answers = field(init=False)
    missing: NDArray[np.int64] = field(init=False)
    progress: Progressing = field(init=False)

    def __post_init__(self) -> None:
        self.threads = self.asked.threads(self.table.n_rows * len(self.table))
        self.progress = Progressing(self.asked.progress, len(self.table))
        self.missing = np.zeros(len(self.table.names), dtype=np.int64)
        self.answers = Answers(
            self.table.names,
            self.coded.names,
            annotations=self.table.annotations,
            n_rows=self.table.n_rows,
            weighed=self.weights is not None,
            auto=self.asked.family == "auto",
        )

    def screened(self) -> Screening:
        """Give the table of answers."""
        for part, matrix in self.table.matrices():
            features = np.arange(part.start, part.stop)
            counted = self._count(matrix) if self.asked.empirical is True else []
            self._predict(features, Moments.beside([m for m, _ in counted]) if counted else self._moments(matrix))
            self._take_in(features, counted)
            self._estimate(features, matrix if counted else None)
        if self.asked.nan_policy == "raise":
            _refuse_missing(np.where(self.table.not_numeric, 0, self.missing), self.table.names)
        if self.asked.empirical == "top":
            best = self.answers.best_predicted(self.asked.n_top)
            self.progress = Progressing(self.asked.progress, len(best))
            for part, matrix in self.table.matrices(best):
                self._take_in(best[part], self._count(matrix))
                self._estimate(best[part], matrix)
        self.answers.mark(Flags(not_numeric=self.table.not_numeric))
        return self.answers.table(self.asked)

    def _moments(self, matrix: Any) -> Moments:
        return read_moments(matrix, self.coded, self.weights, {"order": self.asked.moments, **self.threads})

    def _predict(self, features: NDArray[np.intp], held: Moments) -> None:
        names = self.table.names[features]
        self.missing[features] = held.missing.sum(axis=0)
        for contrast, summary in enumerate(self._summaries(held, names)):
            self.answers.predicted(contrast, features, summary, self.asked.predict(summary))

    def _summaries(self, held: Moments, names: Iterable[str] = ()) -> list[TwoClassSummary]:
        return contrasted(held, self.coded, names)

    def _count(self, matrix: Any) -> list[Counted]:
        """Give moments and counted columns of the features of a matrix, block by block."""
        found = []
        for held, columns in self._blocks(matrix, self._counted):
            found.append((held, columns))
            if self.asked.family != "auto":
                self.progress.advance(held.mean.shape[1])
        return found

    def _counted(self, block: Block | WeighedBlock) -> Counted:
        """Give moments and counted columns of one block; asked in the thread that sorted it."""
        held = block.moments(self.asked.moments)
        pairs = [pair_of(summary, self.asked.direction) for summary in self._summaries(held)]
        counts = block.counts(np.stack([thresholds(pair) for pair in pairs]), grid=GRID)
        columns = [
            counted_columns(Counts(*(values[k] for values in counts)), pair, self.asked.level)
            for k, pair in enumerate(pairs)
        ]
        return held, columns

    def _blocks(self, matrix: Any, finish: Callable[[Any], Counted]) -> Iterator[Counted]:
        contrasts = [Contrast(*contrast) for contrast in self.coded.contrasts]
        cases = self.coded.codes, self.coded.classes, contrasts
        if self.weights is not None:
            return count_weighed(matrix, *cases, self.weights, finish=finish)
        return count_blocks(matrix, *cases, finish=finish, **self.threads)

    def _take_in(self, features: NDArray[np.intp], counted: list[Counted]) -> None:
        start = 0
        for held, by_contrast in counted:
            block = features[start : start + held.mean.shape[1]]
            start += len(block)
            for contrast, (columns, flags) in enumerate(by_contrast):
                self.answers.counted(contrast, block, columns, flags)

    def _estimate(self, features: NDArray[np.intp], matrix: Any) -> None:
        """Ask the rows of features that were counted for the shrunk estimate, if it is wanted."""
        if matrix is None or self.asked.family != "auto":
            return
        left = len(features)
        for contrast, classes in enumerate(self.coded.contrasts):
            known = self.answers.known(contrast, features)
            rows = rows_of(self.coded.codes, Contrast(*classes), self.weights)
            for found in estimates(matrix, known, rows, self.asked.direction, self.asked.n_jobs):
                self.answers.estimated(contrast, features, found)
                if contrast == len(self.coded.contrasts) - 1:
                    left -= len(found.places)
                    self.progress.advance(len(found.places))
        if left:
            self.progress.advance(left)


def _refuse_shares(weights: FloatArray | None, coded: Coded) -> None:
    """Refuse weights that are shares of something, and no numbers of cases."""
    if weights is None:
        return
    totals = np.bincount(coded.codes[coded.codes >= 0], weights[coded.codes >= 0], minlength=coded.classes)
    small = np.flatnonzero((totals > 0) & (totals < 1))
    if small.size:
        raise RocPredictError(
            f"weights of a class sum to {totals[small[0]]:g}; give numbers of cases for which each row stands, "
            "1 or more in all"
        )


def _summary_of(X: Any, asked: _Asked, **classes: Any) -> TwoClassSummary:
    """Give the summary that X is, or the sum of those of its batches."""
    if asked.empirical is not False:
        raise RocPredictError(
            "y is needed to count the exact AUC; a summary, or batches (X, y), go with empirical=False"
        )
    if isinstance(X, TwoClassSummary):
        for name, label in classes.items():
            if label is not None and label != getattr(X, f"{name}_label"):
                raise RocPredictError(f"{name}={shown(label)} is not that of the summary, {X}")
        if asked.moments > X.order:
            raise RocPredictError(f"moments={asked.moments} is more than the summary has: {X}")
        return X
    return summarize(X, **classes, moments=asked.moments, engine=asked.engine, n_jobs=asked.n_jobs)


def _from_summary(summary: TwoClassSummary, asked: _Asked) -> Screening:
    weighed = summary.negative.count.dtype.kind == "f"
    sides = summary.negative, summary.positive
    rows = sum(int((side.count + side.missing).max(initial=0)) for side in sides)
    if asked.nan_policy == "raise":
        _refuse_missing(summary.negative.missing + summary.positive.missing, np.asarray(summary.feature_names))
    contrast = summary.negative_label, summary.positive_label
    answers = Answers(summary.feature_names, (contrast,), n_rows=rows, weighed=weighed)
    answers.predicted(0, slice(0, len(summary)), summary, asked.predict(summary))
    return answers.table(asked)


def _refuse_missing(missing: NDArray[np.int64], names: NDArray[Any]) -> None:
    lacking = np.flatnonzero(missing)
    if lacking.size:
        listed = ", ".join(map(str, names[lacking[:5]])) + (", ..." if lacking.size > 5 else "")
        raise RocPredictError(
            f"X has {int(missing.sum())} missing values (NaN) in {lacking.size} features: {listed}; "
            "nan_policy='omit' leaves them out"
        )
