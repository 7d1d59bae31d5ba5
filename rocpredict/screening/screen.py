"""Ranking of table features by predicted and empirical AUC."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import starmap
from operator import itemgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.base.formatting import pluralize
from rocpredict.base.labels import (
    EncodedLabels,
    check_index,
    check_sample_weight,
    count_labels,
    encode_labels,
    is_unlabelled,
)
from rocpredict.base.progress import ProgressCallback, report_progress, use_progress
from rocpredict.base.rates import check_confidence_level
from rocpredict.base.results import Flags, describe_rest
from rocpredict.base.validation import (
    Direction,
    FloatArray,
    Label,
    NanPolicy,
    Pairs,
    RocPredictError,
    check_int,
    check_option,
    short_repr,
)
from rocpredict.distributions.ecdf import MAX_HARMLESS_AREA
from rocpredict.inference.hypotheses import ADJUSTMENTS, Adjustment, adjust_p_values
from rocpredict.screening.class_summary import MomentsByLabel, read_moments
from rocpredict.screening.columns import (
    AMEANS_AT_THRESHOLD,
    GAUSSIAN_ONLY_FLAGS,
    PREDICTED_ROWS,
    GaussianPairs,
    Prediction,
    ShrinkageBlock,
    check_integer_weights,
    class_rows,
    count_weighted,
    empirical_columns,
    gaussian_pairs,
    mann_whitney_p_value,
    predict,
    shrinkage_columns,
    smoothed_areas,
)
from rocpredict.screening.histograms import DEFAULT_EDGES, FeatureHistograms, RowSample
from rocpredict.screening.kernels.base import Classes, Engine, Moments, effective_n_jobs, select_engine
from rocpredict.screening.kernels.counts import ClassPair, RankStatistics, SortPlan, count_blocks
from rocpredict.screening.kernels.moments import moments as moments_of_classes
from rocpredict.screening.result import ScreeningResult
from rocpredict.screening.summary import (
    TwoClassSummary,
    open_dask,
    open_summary,
    summaries_by_class_pair,
    summarize,
    summarize_table,
)
from rocpredict.sources.blocks import DenseSource, MemoryBudget, block_slices, parse_memory
from rocpredict.sources.files import check_batches, is_path, read_batches, read_table_and_labels
from rocpredict.sources.table import FeatureTable, check_not_dataset, check_row_order

_COLUMNS = (
    *("negative_mean", "negative_std", "positive_mean", "positive_std", "effect_size", "direction"),
    *("auc", "auc_low", "auc_high", "empirical_auc", "empirical_se", "empirical_low", "empirical_high"),
    *("p_value", "q_value", "threshold", "ameans", "ameans_corrected", "tpr", "fpr", "misfit"),
)
_AUTO_COLUMNS = ("family", "model_weight")
"""Additional columns if ``family="auto"``."""
_BOUND_COLUMNS = ("empirical_auc_min", "empirical_auc_max")
"""Additional columns if ``empirical="histogram"``."""
_COUNTS = ("n_negative", "n_positive", "n_missing")
_HIGHER_MOMENT_COLUMNS = tuple(
    f"{side}_{what}" for side in ("negative", "positive") for what in ("skewness", "kurtosis", "minimum", "maximum")
)
_MAX_BIAS = 0.2
"""Estimated bias of an AUC from a histogram, divided by its standard error, above which the interval is widened.

A 95% interval that is biased by this amount covers 94.5%."""
_RESERVED_NAMES = frozenset(
    ("feature", "negative", "positive", "flags", *_COUNTS, *_COLUMNS, *_BOUND_COLUMNS, *_HIGHER_MOMENT_COLUMNS)
)
"""Column names that annotations of features must not have; "_annotation" is appended to such a name."""


class ResultCollector:
    """Arrays of shape (class pairs, features) from which the table of a screening result is assembled."""

    def __init__(
        self,
        options: _ScreenOptions,
        names: Sequence[str] | NDArray[Any],
        class_pairs: tuple[tuple[Any, Any], ...],
        *,
        annotations: Mapping[str, NDArray[Any]] | None = None,
        n_observations: int = 0,
        weighted: bool = False,
    ) -> None:
        self._options, self._class_pairs, self._n_observations = options, class_pairs, n_observations
        self._names, self._annotations = np.asarray(names, dtype=object), annotations or {}
        self._shape = len(class_pairs), len(names)
        self._number = np.float64 if weighted else np.int64
        self._estimated = np.zeros(self._shape, dtype=bool)
        self._excess = np.zeros((2, *self._shape))
        self._flags: dict[str, NDArray[np.bool_]] = {}
        self._model_columns: tuple[str, ...] = ()
        self.columns: dict[str, NDArray[Any]] = {}

    def add_predicted(self, class_pair: int, features: Any, summary: TwoClassSummary, prediction: Prediction) -> None:
        """Add the predictions for a set of features."""
        classes = {"negative": summary.negative, "positive": summary.positive}
        columns = {f"n_{name}": class_summary.count for name, class_summary in classes.items()}
        columns["n_missing"] = summary.negative.n_missing + summary.positive.n_missing
        stored = ("mean", "std", "skewness", "kurtosis", "minimum", "maximum")[: 2 if summary.order == 2 else None]
        for name, class_summary in classes.items():
            columns |= {f"{name}_{what}": getattr(class_summary, what) for what in stored}
        direction = np.where(prediction.pair.lower, "lower", "higher")
        columns["direction"] = np.where(prediction.pair.is_valid, direction, "")
        self._set_columns(class_pair, features, columns | prediction.columns | prediction.model_columns)
        self._model_columns = tuple(prediction.model_columns)
        self._excess[:, class_pair, features] = prediction.optimism, prediction.empirical_optimism
        self._mark(class_pair, features, prediction.flags | _degenerate_flags(summary))

    def add_empirical(self, class_pair: Any, features: NDArray[np.intp], columns: dict[str, Any], flags: Flags) -> None:
        """Add the empirical results for a set of features and class pairs; call ``add_predicted`` first."""
        achieved, (excess, empirical_excess) = columns.pop(AMEANS_AT_THRESHOLD), self._excess[:, class_pair, features]
        # Subtract the optimism of the predicted Ameans or of the best empirical Ameans, whichever is larger.
        ameans = achieved - np.maximum(excess, np.minimum(empirical_excess, np.abs(achieved - 0.5)))
        is_one_class = np.isinf(self.columns["threshold"][class_pair, features])
        ameans = np.where(is_one_class, 0.5, ameans)
        self._set_columns(class_pair, features, columns | {"ameans_corrected": ameans})
        product = (self.columns["auc"][class_pair, features] - 0.5) * (columns["empirical_auc"] - 0.5)
        is_significant = (columns["empirical_low"] > 0.5) | (columns["empirical_high"] < 0.5)
        self._mark(class_pair, features, flags | Flags(opposite_directions=is_significant & (product < 0)))

    def add_shrinkage(self, class_pair: int, features: NDArray[np.intp], block: ShrinkageBlock) -> None:
        """Replace the Gaussian predictions of a set of features with their shrunk estimates."""
        features = features[block.columns_index]
        unknown = np.full(len(features), np.nan)
        self._set_columns(class_pair, features, dict.fromkeys(self._model_columns, unknown) | block.columns)
        self._estimated[class_pair, features] = True
        for name in set(GAUSSIAN_ONLY_FLAGS) & self._flags.keys():
            self._flags[name][class_pair, features] = False
        self._mark(class_pair, features, block.flags)

    def best_predicted(self, count: int) -> NDArray[np.intp]:
        """Return the indices of the features whose predicted AUC is farthest from 1/2.

        For each class pair, ``count`` features are selected. The indices of all selected features are returned in
        ascending order, without duplicates.
        """
        keys = np.nan_to_num(np.abs(self.columns["auc"] - 0.5), nan=-1.0)
        order = np.argsort(-keys, axis=1, kind="stable")[:, :count]
        return np.unique(order)

    def insert(self, features: NDArray[np.intp], other: ResultCollector) -> None:
        """Copy the columns and flags of a set of features from another ``ResultCollector``."""
        self._set_columns(slice(None), features, other.columns)
        self._mark(slice(None), features, Flags(**other._flags))
        self._estimated[:, features] = other._estimated

    def to_result(self, not_numeric: NDArray[np.bool_] | None = None) -> ScreeningResult:
        """Return the screening result, sorted by discrimination; non-numeric features are flagged."""
        options = self._options
        if not_numeric is not None and not_numeric.any():
            self._mark(slice(None), slice(None), Flags(not_numeric=not_numeric))
            if "no_values" in self._flags:
                self._flags["no_values"][:, not_numeric] = False
            self.columns["n_missing"][:, not_numeric] = 0
        columns = self._ordered_columns()
        columns["q_value"] = adjust_p_values(columns["p_value"], options.adjust)
        rows = self._shape[0] * self._shape[1]
        table = ScreeningResult(
            columns=columns,
            flags=Flags(**self._flags).reshape((-1,)),
            class_pairs=self._class_pairs,
            level=options.level,
            adjust=options.adjust,
            direction=options.direction,
            empirical=options.empirical,
            family=options.family,
            n_observations=self._n_observations,
            n_screened=rows,
            n_tested=int(np.sum(~np.isnan(columns["p_value"]))),
            row_index=np.arange(rows),
        )
        return table.sort("discrimination")

    def _set_columns(self, class_pair: Any, features: Any, columns: dict[str, Any]) -> None:
        for name, values in columns.items():
            if name not in self.columns:
                self.columns[name] = self._empty_column(values)
            self.columns[name][class_pair, features] = values

    def _empty_column(self, values: NDArray[Any]) -> NDArray[Any]:
        if values.dtype.kind in "iu":
            return np.zeros(self._shape, dtype=self._number)
        if values.dtype.kind == "U":
            return np.full(self._shape, "higher")
        return np.full(self._shape, np.nan)

    def _mark(self, class_pair: Any, features: Any, flags: Flags) -> None:
        for name in flags:
            if name not in self._flags:
                self._flags[name] = np.zeros(self._shape, dtype=bool)
            self._flags[name][class_pair, features] |= flags[name]

    def _ordered_columns(self) -> dict[str, NDArray[Any]]:
        """Return all columns in the order of the table, with one row for each class pair and feature."""
        class_pairs, features = self._shape
        columns: dict[str, NDArray[Any]] = {"feature": np.tile(self._names, class_pairs)}
        is_auto = self._options.family == "auto"
        reserved = _RESERVED_NAMES | set(_AUTO_COLUMNS) if is_auto else _RESERVED_NAMES
        for name, values in self._annotations.items():
            columns[f"{name}_annotation" if name in reserved else name] = np.tile(values, class_pairs)
        if class_pairs > 1:
            for place, name in enumerate(("negative", "positive")):
                labels = np.array([class_pair[place] for class_pair in self._class_pairs], dtype=object)
                columns[name] = np.repeat(labels, features)
        if is_auto:
            family = np.where(self._estimated, "auto", "gaussian")
            self.columns["family"] = np.where(self.columns["direction"] == "", "", family)
        extra = [name for name in (*_BOUND_COLUMNS, *_HIGHER_MOMENT_COLUMNS) if name in self.columns]
        for name in (*_COUNTS, *_COLUMNS, *(_AUTO_COLUMNS if is_auto else ()), *extra):
            columns[name] = self.columns.get(name, self._empty_column(np.zeros(0))).ravel()
        return columns


def _degenerate_flags(summary: TwoClassSummary) -> Flags:
    """Return flags that mark features without a predicted curve, and features that are constant within each class."""
    negative, positive = summary.negative, summary.positive
    least = np.minimum(negative.count, positive.count)
    finite = (negative.is_valid | (negative.count <= 1)) & (positive.is_valid | (positive.count <= 1))
    constant, apart = (negative.m2 == 0) & (positive.m2 == 0), negative.mean != positive.mean
    return Flags(
        no_values=least <= 0,
        single_observation=(least > 0) & (least <= 1),
        infinite=(least > 0) & ~finite,
        label_leakage=constant & apart & (least > 1) & finite,
        constant=constant & ~apart & (least > 0),
    )


def screen(
    X: object,
    y: ArrayLike | None = None,
    *,
    positive: Label = None,
    negative: Label = None,
    pairs: Pairs = "rest",
    empirical: bool | Literal["top", "histogram"] = True,
    n_top: int = 100,
    family: Literal["gaussian", "auto"] = "gaussian",
    moments: int = 2,
    direction: Direction = "auto",
    weights: ArrayLike | None = None,
    level: float = 0.95,
    adjust: Adjustment = "benjamini-hochberg",
    feature_names: Iterable[str] | None = None,
    engine: Engine = "auto",
    n_jobs: int = 1,
    nan_policy: NanPolicy = "omit",
    layer: str | None = None,
    use_raw: bool = False,
    memory: float | str = "1GB",
    progress: ProgressCallback | None = None,
) -> ScreeningResult:
    """Rank the features of a table by predicted and empirical AUC.

    Parameters
    ----------
    X : array-like of shape (n, features), or another table
        NumPy array of numbers, SciPy sparse matrix, data frame (pandas, polars or pyarrow), mapping of names to
        columns, lazy query (polars or DuckDB), pyarrow Dataset or reader, Dask array or DataFrame, or an object that
        has the attributes ``X`` and ``var_names``, such as an AnnData object. Memory maps are read in blocks, and
        sparse matrices are never converted to dense arrays as a whole. The table is not changed, and it is never copied
        as a whole. A path may be passed instead: a CSV, Parquet, Feather or h5ad file, a folder of files, a pattern
        such as ``"data/*.csv"``, or a list of paths. If there are several files, they must have the same columns. In a
        data frame or file, a column named "", "Unnamed: 0" or "__index_level_0__" contains the row index and is not
        used as a feature. Without ``y``, pass a ``TwoClassSummary``, the path of its JSON file, or an iterable of (X,
        y) batches; all require ``empirical=False`` or ``empirical="histogram"``. With ``empirical=False``, batches may
        have three or more classes.
    y : array-like of shape (n,), or str, optional
        Class labels, or the name of the column that contains them. For AnnData, this is a column of ``obs``.
    positive : label, optional
        Label of the positive class. May be omitted for labels {0, 1}, {-1, 1} and booleans. If there are three or more
        labels and neither ``positive`` nor ``negative`` is passed, each label is compared with all others.
    negative : label, optional
        Label of the negative class. By default, all labels other than the positive one are negative. If ``negative`` is
        passed, observations with labels other than ``positive`` and ``negative`` are omitted.
    pairs : {"rest", "all"}, default="rest"
        How pairs of classes are formed from three or more labels.

        - "rest": each label against all others.
        - "all": every pair of labels. If ``positive`` is passed, only the pairs with this label as the positive class
          are formed.
    empirical : {True, False, "top", "histogram"}, default=True
        Features whose empirical AUC is computed. An exact empirical AUC takes longer than a prediction, because the
        values of the feature are sorted.

        - True: all features.
        - False: no feature; all results are computed from the class moments.
        - "top": for each class pair, the ``n_top`` features whose predicted AUC is farthest from 1/2.
        - "histogram": all features. The empirical AUC is estimated from histograms, and the columns
          ``empirical_auc_min`` and ``empirical_auc_max`` contain bounds for the exact AUC. ``X`` may also be an
          iterable of batches, or a summary that contains histograms. Available for two classes only.
    n_top : int, default=100
        Number of features whose empirical AUC is computed for each class pair if ``empirical="top"``.
    family : {"gaussian", "auto"}, default="gaussian"
        Family of the class-conditional distributions.

        - "gaussian": one Gaussian for each class.
        - "auto": for features with an empirical AUC, the columns auc, threshold, ameans, tpr and fpr contain the shrunk
          estimates of ``predict_roc(..., family="auto")``. Other features keep the Gaussian prediction. The column
          ``family`` contains the family of each row. Requires ``X`` and ``y``.
    moments : {2, 4}, default=2
        With ``moments=4``, the result also contains the skewness, excess kurtosis, minimum and maximum of both classes.
    direction : {"auto", None, "higher", "lower"}, default="auto"
        Direction of the classification rule. The columns threshold, ameans, tpr and fpr depend on the direction. An AUC
        above 1/2 means that positives have larger values, for every direction, so that the choice of the direction does
        not bias the AUCs. With ``family="auto"``, "higher" and "lower" also restrict the estimated AUC.

        - "auto": "higher" for features whose mean is larger in the positive class, else "lower".
        - None or "higher": classify as positive when x >= threshold.
        - "lower": classify as positive when x <= threshold.
    weights : array-like of shape (n,), optional
        Nonnegative frequency weights. ``family="auto"`` requires whole numbers.
    level : float, default=0.95
        Confidence level, in (0, 1).
    adjust : {"benjamini-hochberg", "benjamini-yekutieli", "holm", "bonferroni", "none"}, default="benjamini-hochberg"
        Method that adjusts the p-values of all rows of the result for multiple testing. The first two control the false
        discovery rate (the second for tests with any dependence), the next two the probability of any false rejection.
    feature_names : sequence of str, optional
        Names of the features. If ``y`` is the name of a column, this name must not be included. By default, the names
        in ``X``.
    engine : {"auto", "numpy", "numba"}, default="auto"
        Computing engine.

        - "auto": numba if it is installed (extra ``fast``) and the table has a million cells or more, else NumPy.
        - "numpy": NumPy.
        - "numba": compiled code. Compilation takes 10 to 30 seconds on first use; afterwards, the compiled code is
          loaded from a cache.
    n_jobs : int, default=1
        Number of threads; -1 for one thread per processor. The result does not depend on this number.
    nan_policy : {"raise", "omit"}, default="omit"
        How missing values and missing labels are handled.

        - "raise": a missing value or a missing label raises an error.
        - "omit": missing values of a feature are omitted, and the column ``n_missing`` contains their number. Rows
          without a label are omitted and counted in ``n_unlabelled``. In batches, a missing label raises an error.
    layer : str, optional
        Layer of an AnnData object or h5ad file to screen. By default, the main matrix ``X`` is screened.
    use_raw : bool, default=False
        Whether to screen the matrix ``raw.X`` of an AnnData object or h5ad file.
    memory : float or str, default="1GB"
        Memory budget for tables that are read from files, lazy queries or batch readers: a number of bytes, or a string
        such as "500MB". The budget limits the size of the blocks in which the table is read. If one column and the
        copies for processing it exceed the budget, an error states the required budget. The budget does not include the
        memory for labels and results.
    progress : callable, optional
        Function that is called as ``progress(done, total)``, where ``done`` and ``total`` are numbers of features. If
        the table is read twice, as for histograms, ``done`` starts again from 0. For batches and for Arrow scanners and
        readers, ``done`` is the number of rows read so far, and ``total`` is 0 (unknown).

    Returns
    -------
    ScreeningResult
        One row for each feature and class pair. The rows are sorted by the distance of the empirical AUC from 1/2,
        largest distance first; if a row has no empirical AUC, its predicted AUC is used.

    Raises
    ------
    RocPredictError
        If ``X`` is not a table, if ``y`` has the wrong length or unknown labels, if names are not unique, or if an
        option is out of range. If ``empirical=True``, ``empirical="top"`` or ``family="auto"`` is combined with a
        summary or with batches. If ``family="auto"`` is combined with ``empirical=False``, with
        ``empirical="histogram"`` or with weights that are not whole numbers. A feature that cannot be predicted raises
        no error: undefined values in its row are NaN, and flags indicate the reason.

    See Also
    --------
    predict_roc : Predict the ROC curve of one feature.
    summarize : Reduce a table to moments, from which it can be screened.

    Notes
    -----
    ``p_value`` is two-sided. For features with an empirical AUC, ``p_value`` is from the Mann-Whitney test with tie
    correction and without continuity correction. For a feature with two distinct values, this p-value is exact if an
    expected count in the 2 x 2 table of classes and values is below 5. The null hypothesis of this test is that both
    classes have the same distribution. The test may reject this hypothesis for classes that differ only in variability,
    even if the interval from ``empirical_low`` to ``empirical_high`` contains 1/2. For features without an empirical
    AUC, ``p_value`` is from Welch's t-test [3]_, since the AUC of two Gaussians is 1/2 if their means are equal. The
    standard error of the empirical AUC is computed by the method of DeLong et al. [1]_. By default, p-values are
    adjusted by the method of Benjamini and Hochberg [2]_.

    ``ameans_corrected`` is the Ameans (balanced accuracy) at the predicted threshold, corrected for optimism. The
    expected optimism is subtracted from the empirical Ameans at this threshold or, for features without an empirical
    AUC, from the predicted Ameans. The expected optimism is computed for samples from two Gaussians, with the class
    sizes of the data. These Gaussians differ less than the classes in the data, because the difference that is expected
    from sampling variation alone is subtracted from the observed difference. ``ameans_corrected`` is NaN if there is no
    empirical AUC and a class has zero variance. The correction is accurate on average over features. The correction
    does not account for selecting the best of many features. The Ameans, AUCs and intervals of selected features remain
    optimistic; validate these features on new data.

    In rows with family "auto", ``ameans`` and ``ameans_corrected`` are equal: both contain the Ameans expected on new
    data. This expected Ameans is less than the Ameans computed from ``tpr`` and ``fpr``. If the direction is chosen
    from the data, the expected Ameans is too high for uninformative features: by 0.06 with 10 observations per class,
    by 0.05 with 20, by 0.03 with 50, and by 0.02 with 100. The columns ``auc_low`` and ``auc_high`` are NaN in rows
    with family "auto"; use the interval of the empirical AUC instead. In these rows, ``misfit`` is the mean absolute
    difference in TPR between the curve of the fitted model and the empirical curve. A large difference is not flagged,
    since the shrunk estimate takes the difference into account. With ``direction="auto"``, the direction is chosen from
    the same data, and the estimate does not assume in advance which class has larger values. To assume that positives
    have larger values, pass ``direction="higher"``; to assume that they have smaller values, pass
    ``direction="lower"``.

    The flag ``misfit`` indicates that the empirical curve differs from the predicted curve by more than sampling
    variation can explain, and that the mean absolute difference in TPR exceeds 0.02. For such features, use the
    empirical columns.

    References
    ----------
    .. [1] DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, 837-845.
    .. [2] Benjamini and Hochberg (1995), J. R. Stat. Soc. B 57, 289-300.
    .. [3] Welch (1947), Biometrika 34, 28-35.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> table = screen(iris.X, iris.y, positive="virginica", negative="versicolor", feature_names=iris.feature_names)
    >>> table
    ScreeningResult(4 rows, negative 'versicolor', positive 'virginica',
                    first 'petal_length': auc=0.9627, empirical 0.9822, q_value=1.9e-16)
    >>> table["feature"].tolist()
    ['petal_length', 'petal_width', 'sepal_length', 'sepal_width']
    """
    options = _ScreenOptions(
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
        memory=parse_memory(memory),
    )
    check_option("pairs", pairs, ("rest", "all"))
    if progress is not None and not callable(progress):
        raise RocPredictError(
            f"progress={short_repr(progress)} is not callable; pass a function that accepts (done, total)"
        )
    with nullcontext() if progress is None else use_progress(progress):
        classes = {"positive": positive, "negative": negative, "pairs": pairs}
        source = {"feature_names": feature_names, "layer": layer, "use_raw": use_raw}
        return _screen(X, y, options, weights=weights, **classes, **source)


def _screen(
    X: Any,
    y: Any,
    options: _ScreenOptions,
    *,
    positive: Any,
    negative: Any,
    pairs: Any,
    weights: Any,
    feature_names: Any,
    layer: Any,
    use_raw: Any,
) -> ScreeningResult:
    """Screen a table, a summary or batches with validated options."""
    kernel: dict[str, Any] = {"order": options.moments, "engine": options.engine, "n_jobs": options.n_jobs}
    if y is None:
        X = open_summary(X)
        for name, value in (("weights", weights), ("feature_names", feature_names)):
            if value is not None:
                raise RocPredictError(
                    f"{name}= needs a table X and labels y; it is not available for a summary or batches"
                )
        has_pairs = negative is None and (positive is None or pairs == "all") and not isinstance(X, TwoClassSummary)
        if has_pairs and options.empirical is False:
            of_batches = MomentsByLabel.of(read_batches(X), **kernel)
            return _screen_moments(of_batches, options, positive=positive, pairs=pairs)
        return _from_summary(_as_summary(X, options, positive=positive, negative=negative), options)
    if isinstance(X, TwoClassSummary):
        raise RocPredictError(
            f"y={short_repr(y)} cannot be combined with a summary, which already contains the labels; omit y"
        )
    check_index({"X" if isinstance(y, str) else "y": X if isinstance(y, str) else y, "weights": weights})
    budget = MemoryBudget(options.memory, options.n_jobs)
    needs_order = options.empirical is not False or weights is not None
    lazy = open_dask(X, y, feature_names, needs_order=needs_order, nan_policy=options.nan_policy)
    if options.empirical == "histogram" and weights is not None:
        raise RocPredictError("empirical='histogram' is not available with weights=; use empirical=True")
    if lazy is not None:
        coded = encode_labels(lazy.labels, positive=positive, negative=negative, pairs=pairs)
        row_weights = check_sample_weight(weights, lazy.n_rows)
        if options.family == "auto":
            check_integer_weights(row_weights)
        _check_one_pair(options, coded, positive)
        result = _screen_dask(options, lazy, coded, row_weights, budget)
        return replace(result, n_unlabelled=lazy.n_unlabelled)
    is_one_pass = options.empirical is False and weights is None and layer is None and use_raw is False
    reading: dict[str, Any] = {"nan_policy": options.nan_policy, "budget": budget}
    parts = MomentsByLabel.read(X, y, names=feature_names, **reading, **kernel) if is_one_pass else None
    if parts is not None:
        return _screen_moments(parts, options, positive=positive, negative=negative, pairs=pairs)
    table, labels = read_table_and_labels(X, y, names=feature_names, layer=layer, use_raw=use_raw, **reading)
    if weights is not None:
        check_row_order(table, "weights")
    coded = encode_labels(labels, positive=positive, negative=negative, pairs=pairs)
    n_unlabelled = int(is_unlabelled(labels).sum())
    rest_note = describe_rest(count_labels(labels), coded.names[0]) if len(coded.names) == 1 else ""
    del labels  # text takes up to 30 bytes per row
    row_weights = check_sample_weight(weights, table.n_rows)
    _check_frequency_weights(row_weights, coded, options.family)
    if options.empirical == "histogram":
        _check_one_pair(options, coded, positive)
        edges = RowSample.of(table).edges(DEFAULT_EDGES)
        result = _from_summary(summarize_table(table, coded, None, kernel, edges), options, table)
    else:
        result = _ScreeningRun(options, table, coded, row_weights).run()
    not_numeric_note = table.describe_not_numeric()
    return replace(result, n_unlabelled=n_unlabelled, rest_note=rest_note, not_numeric_note=not_numeric_note)


def _check_one_pair(options: _ScreenOptions, coded: EncodedLabels, positive: Label) -> None:
    """Raise RocPredictError if histograms are requested for more than one class pair."""
    if options.empirical == "histogram" and len(coded.class_pairs) > 1:
        raise RocPredictError(
            f"empirical='histogram' needs two classes, but y has {coded.classes} classes; select the positive label "
            "with positive="
            if positive is None
            else "empirical='histogram' needs one pair of classes; pass negative= or pairs='rest'"
        )


@dataclass
class _ScreenOptions:
    """Validated options of a screening."""

    empirical: bool | str
    n_top: int
    family: Any
    moments: Any
    direction: Direction
    level: float
    adjust: str
    engine: Engine
    n_jobs: int
    nan_policy: NanPolicy
    memory: int

    def __post_init__(self) -> None:
        self.empirical = check_option("empirical", self.empirical, (True, False, "top", "histogram"))
        self.moments = check_option("moments", self.moments, (2, 4))
        if not isinstance(self.family, str) or self.family not in ("gaussian", "auto"):
            raise RocPredictError(
                f"family={short_repr(self.family)} is not available for screening; use 'gaussian' or 'auto'"
            )
        if self.family == "auto" and self.empirical in (False, "histogram"):
            raise RocPredictError(
                f"family='auto' is not available with empirical={self.empirical!r}; use empirical=True or "
                "empirical='top', or family='gaussian'"
            )
        check_option("direction", self.direction, ("auto", None, "higher", "lower"))
        check_option("adjust", self.adjust, ADJUSTMENTS)
        check_option("nan_policy", self.nan_policy, ("omit", "raise"))
        check_int("n_top", self.n_top, least=1)
        self.level = check_confidence_level(self.level)
        select_engine(self.engine)
        self.n_jobs = effective_n_jobs(self.n_jobs)


def _screen_dask(
    options: _ScreenOptions, lazy: Any, coded: EncodedLabels, weights: FloatArray | None, budget: MemoryBudget
) -> ScreeningResult:
    """Screen a Dask table.

    Dask computes the moments in a tree of tasks, and the empirical columns in one task for each block of columns.
    """
    placeholder = FeatureTable(lazy.names, lazy.n_rows, DenseSource(np.empty((0, 0))), lazy.not_numeric)
    run = _ScreeningRun(options, placeholder, coded, weights)
    features = np.arange(len(lazy.names))
    if options.empirical is not True:
        edges = DEFAULT_EDGES if options.empirical == "histogram" else None
        class_moments, histograms = lazy.moments(coded, weights, options.moments, options.engine, edges)
        if histograms is not None:
            summary = summaries_by_class_pair(class_moments, coded, lazy.names)[0]
            return _from_summary(replace(summary, histograms=histograms), options, placeholder)
        run.predict(features, class_moments)
        features = run.results.best_predicted(options.n_top) if options.empirical == "top" else features[:0]
    if len(features):
        n_done = 0
        block_options = replace(options, empirical=True, nan_policy="omit", n_jobs=1)
        work = partial(_screen_block, (block_options, lazy.names, coded._replace(codes=coded.codes[:0])))
        budget = budget._replace(copies=run._copies())
        for place, (results, missing) in lazy.map_blocks(work, coded, weights, features, budget):
            run.results.insert(place, results)
            run.missing[place] = missing
            n_done += len(place)
            report_progress(n_done, len(features))
    return run.finish()


def _screen_block(
    setting: tuple[_ScreenOptions, NDArray[np.str_], EncodedLabels],
    block: FloatArray,
    features: NDArray[np.intp],
    codes: NDArray[np.int16],
    weights: FloatArray | None,
) -> tuple[ResultCollector, NDArray[np.int64]]:
    """Screen a block of columns on a worker."""
    options, names, coded = setting
    if len(block) != len(codes):
        raise RocPredictError(
            "X and y had different numbers of rows when they were computed again; compute both before you pass them"
        )
    table = FeatureTable(names[features], len(block), DenseSource(block), np.zeros(len(features), dtype=bool))
    run = _ScreeningRun(options, table, coded._replace(codes=codes), weights)
    run.run()
    return run.results, run.missing


class _ScreeningRun:
    """Screening of a table that is read in blocks of columns."""

    def __init__(
        self, options: _ScreenOptions, table: FeatureTable, encoded_labels: EncodedLabels, weights: FloatArray | None
    ) -> None:
        self.options, self.encoded_labels, self.weights = options, encoded_labels, weights
        self.class_pairs = [ClassPair(*class_pair) for class_pair in encoded_labels.class_pairs]
        self.threads: dict[str, Any] = {
            "engine": select_engine(options.engine, table.n_rows * len(table)),
            "n_jobs": options.n_jobs,
        }
        self.table = replace(table, budget=table.budget._replace(copies=self._copies())) if options.empirical else table
        self.sort_plan = SortPlan()
        self.n_done, self.n_total = 0, len(table)
        self.missing = np.zeros(len(table), dtype=np.int64)
        self.results = ResultCollector(
            options,
            table.names,
            encoded_labels.names,
            annotations=table.annotations,
            n_observations=table.n_rows,
            weighted=weights is not None,
        )

    def run(self) -> ScreeningResult:
        """Screen the table."""
        codes, classes, *_ = self.encoded_labels
        kernel = {"order": self.options.moments, **self.threads}
        if self.options.empirical is True:
            kernel |= {"shared": Classes.of(codes, classes), "weights": self.weights}
            if self.table.source.is_streamed:
                kernel["n_jobs"] = 1  # the thread that reads a block also sums it, while other threads count
            compute = partial(moments_of_classes, codes=codes, classes=classes, **kernel)
            for place, class_moments, matrix in self.table.map_blocks(compute):
                features = np.arange(place.start, place.stop)
                self._count(features, matrix, self.predict(features, class_moments))
                del matrix  # its memory is needed for the next block
        else:
            class_moments = read_moments(self.table, self.encoded_labels, self.weights, **kernel)
            pairs = self.predict(np.arange(len(self.table)), class_moments)
        if self.options.empirical == "top":
            best = self.results.best_predicted(self.options.n_top)
            self.n_total = len(best)
            for place, matrix in self.table.iter_blocks(best):
                self._count(best[place], matrix, [pair.subset(best[place]) for pair in pairs])
                del matrix
        return self.finish()

    def _copies(self) -> int:
        """Return the memory that empirical results of a column need, divided by the size of the column."""
        if self.weights is not None or self.options.family == "auto":
            return 27
        are_joined = len(self.class_pairs) > 1 and any(len(class_pair.negative) > 1 for class_pair in self.class_pairs)
        return {"numba": (4, 9), "numpy": (6, 13)}[self.threads["engine"]][are_joined]

    def finish(self) -> ScreeningResult:
        """Return the result of the screening; missing values raise an error if ``nan_policy`` is "raise"."""
        if self.options.nan_policy == "raise":
            _check_no_missing(np.where(self.table.not_numeric, 0, self.missing), self.table.names)
        return self.results.to_result(self.table.not_numeric)

    def predict(self, features: NDArray[np.intp], class_moments: Moments) -> list[GaussianPairs]:
        """Add the predictions for a set of features to the result, and return the Gaussians of each class pair."""
        self.missing[features] = class_moments.n_missing.sum(axis=0)
        summaries = summaries_by_class_pair(class_moments, self.encoded_labels, self.table.names[features])
        pairs = [gaussian_pairs(summary, self.options.direction) for summary in summaries]
        rows = GaussianPairs(*map(np.concatenate, zip(*pairs, strict=True)))  # one row for each feature and class pair
        blocks = (rows.subset(block) for block in block_slices(max(1, len(rows.m0)), PREDICTED_ROWS))
        parts = (predict(block, self.options.direction, self.options.level) for block in blocks)
        whole = Prediction.combine(lambda *arrays: np.concatenate(arrays), *parts)
        for class_pair, summary in enumerate(summaries):
            own = slice(class_pair * len(features), (class_pair + 1) * len(features))
            self.results.add_predicted(class_pair, features, summary, Prediction.combine(itemgetter(own), whole))
        return pairs

    def _count(self, features: NDArray[np.intp], matrix: Any, pairs: list[GaussianPairs]) -> None:
        """Add the empirical results for a set of features and, with ``family="auto"``, their shrunk estimates."""
        gaussians = GaussianPairs(*map(np.stack, zip(*pairs, strict=True)))

        def to_columns(columns: slice, counts: RankStatistics) -> tuple[slice, dict[str, Any], Flags]:
            """Return the slice ``columns``, and the empirical results and flags of the features in this slice."""
            shape = counts.area.shape
            parts: Any = (part.reshape(-1, *part.shape[2:]) for part in counts)
            statistics = RankStatistics(*parts)
            classes: Any = (part[:, columns].ravel() for part in gaussians)
            pair = GaussianPairs(*classes)
            values, flags = empirical_columns(statistics, pair, self.options.level, self.threads["engine"])
            arrays = {name: part.reshape(shape) for name, part in values.items()}
            return columns, arrays, flags.reshape(shape)

        codes, classes = self.encoded_labels.codes, self.encoded_labels.classes
        thresholds = self.results.columns["threshold"][:, features]
        if self.weights is None:
            options = {"callback": to_columns, "plan": self.sort_plan, **self.threads}
            blocks = count_blocks(matrix, codes, classes, self.class_pairs, thresholds, **options)
        else:
            blocks = starmap(to_columns, count_weighted(matrix, codes, self.class_pairs, self.weights, thresholds))
        for columns, arrays, flags in blocks:
            self.results.add_empirical(slice(None), features[columns], arrays, flags)
            if self.options.family != "auto":
                self._report_progress(columns.stop - columns.start)
        if self.options.family == "auto":
            self._fit_shrinkage(features, matrix, pairs)

    def _fit_shrinkage(self, features: NDArray[np.intp], matrix: Any, pairs: list[GaussianPairs]) -> None:
        n_done = self.n_done + len(features)
        for k, (class_pair, pair) in enumerate(zip(self.class_pairs, pairs, strict=True)):
            rows = class_rows(self.encoded_labels.codes, class_pair, self.weights)
            for block in shrinkage_columns(matrix, pair, rows, self.options.direction, self.options.n_jobs):
                self.results.add_shrinkage(k, features, block)
                if k == len(pairs) - 1:
                    self._report_progress(len(block.columns_index))
        if self.n_done < n_done:
            self._report_progress(n_done - self.n_done)

    def _report_progress(self, n_features: int) -> None:
        self.n_done += n_features
        report_progress(self.n_done, self.n_total)


def _check_frequency_weights(weights: FloatArray | None, coded: EncodedLabels, family: str) -> None:
    """Raise RocPredictError if the weights are not frequency weights.

    The error is raised if the weights of a class sum to less than 1, because such weights have been normalized. With
    ``family="auto"``, fractional weights also raise the error.
    """
    if weights is None:
        return
    totals = np.bincount(coded.codes[coded.codes >= 0], weights[coded.codes >= 0], minlength=coded.classes)
    too_small = np.flatnonzero((totals > 0) & (totals < 1))
    if too_small.size:
        raise RocPredictError(
            f"weights of a class sum to {totals[too_small[0]]:g}; pass frequency weights that sum to "
            "1 or more in each class"
        )
    if family == "auto":
        check_integer_weights(weights)


def _as_summary(X: Any, options: _ScreenOptions, **classes: Any) -> TwoClassSummary:
    """Return X if it is a summary; otherwise, compute the summary of all batches in X."""
    check_not_dataset(X)
    if isinstance(X, (list, tuple)) and any(isinstance(part, TwoClassSummary) for part in X):
        raise RocPredictError(
            "X is a list of summaries; pass their sum, such as a + b, or compare the sites with rp.pool"
        )
    if options.empirical not in (False, "histogram"):
        if is_path(X):
            check_batches(X)
        if isinstance(X, TwoClassSummary):
            raise RocPredictError(
                f"empirical={options.empirical!r} needs observations, but X is a summary; pass empirical=False or, "
                "if the summary contains histograms, empirical='histogram'"
            )
        raise RocPredictError(
            "y is missing; pass one label for each row or, if X consists of (X, y) batches, pass empirical=False or "
            "empirical='histogram'"
        )
    edges = DEFAULT_EDGES if options.empirical == "histogram" else None
    if isinstance(X, TwoClassSummary):
        if edges is not None and X.histograms is None:
            raise RocPredictError(
                "empirical='histogram' needs histograms, which this summary lacks; compute them with "
                "rocpredict summarize --edges edges.json or, in Python, with summarize(path, y, histogram_edges=256)"
            )
        for name, label in classes.items():
            if label is not None and label != getattr(X, f"{name}_label"):
                problem = f"{name}={short_repr(label)} is not the {name} label of the summary, {X}"
                raise RocPredictError(f"{problem}; omit {name}=")
        if options.moments > X.order:
            problem = f"moments={options.moments} is not available: the summary has moments up to order {X.order}"
            raise RocPredictError(f"{problem}; pass moments={X.order}, or compute the summary with moments=4")
        return X
    classes |= {"moments": options.moments, "engine": options.engine, "n_jobs": options.n_jobs}
    return summarize(X, **classes, histogram_edges=edges)


def _screen_moments(parts: MomentsByLabel, options: _ScreenOptions, **classes: Any) -> ScreeningResult:
    """Screen a table from the moments of each label."""
    coded = encode_labels(parts.labels, **classes)
    no_rows = DenseSource(np.empty((0, 0)))
    run = _ScreeningRun(options, FeatureTable(parts.names, parts.n_rows, no_rows, parts.not_numeric), coded, None)
    run.predict(np.arange(len(parts.names)), parts.by_class(coded))
    rest_note = describe_rest(parts.sizes, coded.names[0]) if len(coded.names) == 1 else ""
    result, note = run.finish(), parts.not_numeric_note
    return replace(result, n_unlabelled=parts.n_unlabelled, rest_note=rest_note, not_numeric_note=note)


def _from_summary(
    summary: TwoClassSummary, options: _ScreenOptions, table: FeatureTable | None = None
) -> ScreeningResult:
    classes = summary.negative, summary.positive
    if options.nan_policy == "raise":
        _check_no_missing(summary.negative.n_missing + summary.positive.n_missing, np.asarray(summary.feature_names))
    results = ResultCollector(
        options,
        summary.feature_names,
        ((summary.negative_label, summary.positive_label),),
        annotations=None if table is None else table.annotations,
        n_observations=sum(int((part.count + part.n_missing).max(initial=0)) for part in classes)
        if table is None
        else table.n_rows,
        weighted=summary.negative.count.dtype.kind == "f",
    )
    prediction = predict(gaussian_pairs(summary, options.direction), options.direction, options.level)
    results.add_predicted(0, slice(0, len(summary)), summary, prediction)
    if options.empirical == "histogram" and summary.histograms is not None:
        low, high = summary.histograms.auc_bounds()
        for block, statistics in summary.histograms.rank_statistics(results.columns["threshold"][0]):
            columns, flags = empirical_columns(statistics, prediction.pair.subset(block), options.level)
            columns |= dict(zip(_BOUND_COLUMNS, (low[block], high[block]), strict=True))
            # The curve of the observations differs from the curve of the histogram by half of this width.
            width = high[block] - low[block]
            is_coarse, differs = width > MAX_HARMLESS_AREA, columns["misfit"] - width / 2 > MAX_HARMLESS_AREA
            bias = summary.histograms.select(block).order_bias()
            is_wide = is_coarse | (np.abs(bias) > _MAX_BIAS * columns["empirical_se"])
            rows = np.flatnonzero(is_wide)
            if rows.size:
                _widen(columns, rows, summary.histograms.select(block.start + rows), options.level)
            is_blind = width == 1  # nothing is known, as without common edges
            columns = {
                name: np.where(is_blind & (name not in _BOUND_COLUMNS), np.nan, columns[name]) for name in columns
            }
            features = np.arange(block.start, block.stop)
            row_flags = {name: flags[name] & ~is_blind & (differs | (name != "misfit")) for name in flags}
            row_flags |= {"point_mass": flags["point_mass"] & ~is_coarse} if "point_mass" in flags else {}
            results.add_empirical(0, features, columns, Flags(**row_flags, wide_bounds=is_wide))
    return results.to_result(None if table is None else table.not_numeric)


def _widen(columns: dict[str, Any], rows: NDArray[np.intp], histograms: FeatureHistograms, level: float) -> None:
    """Replace the standard error, confidence interval and p-value of AUCs whose bounds are far apart.

    The lower confidence limit is the limit for the smallest possible AUC, and the upper limit is the limit for the
    largest. The standard error is the largest of three: for the smallest possible AUC, for the largest, and for the
    estimate if the order of the values within cells is random.
    The p-value is the largest p-value of any AUC between the bounds.

    Parameters
    ----------
    columns : dict of str to array
        Empirical columns, which are changed.
    rows : array of int
        Indices of the features in the columns.
    histograms : FeatureHistograms
        Histograms of these features.
    level : float
        Confidence level, in (0, 1).
    """
    unknown = np.full(len(rows), np.nan)
    orders: tuple[Literal["min", "max", "random"], ...] = ("min", "max", "random")
    pairs = [part for area in orders for _, part in histograms.rank_statistics(unknown, area)]
    areas = [smoothed_areas(part) for part in pairs]
    limits = [area.interval(level) for area in areas]
    with np.errstate(invalid="ignore"):
        nearest = np.clip(0.5, pairs[0].area, pairs[1].area)
    values = {
        "empirical_se": np.max([columns["empirical_se"][rows], *(area.std_error for area in areas)], axis=0),
        "empirical_low": np.minimum(columns["empirical_low"][rows], limits[0][0]),
        "empirical_high": np.maximum(columns["empirical_high"][rows], limits[1][1]),
        "p_value": mann_whitney_p_value(pairs[0]._replace(area=nearest)),
    }
    for name, part in values.items():
        columns[name][rows] = part


def _check_no_missing(missing: NDArray[np.int64], names: NDArray[Any]) -> None:
    lacking = np.flatnonzero(missing)
    if lacking.size:
        names_text = ", ".join(map(str, names[lacking[:5]])) + (", ..." if lacking.size > 5 else "")
        raise RocPredictError(
            f"X has {pluralize(int(missing.sum()), 'missing value')} (NaN) in {pluralize(lacking.size, 'feature')}: "
            f"{names_text}; pass nan_policy='omit' to omit them"
        )
