"""Linear combination of features that discriminates best between two Gaussian classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh, inv
from scipy.optimize import brentq
from scipy.spatial import distance as spatial_distance  # importing the package first avoids an import deadlock

from rocpredict.base.formatting import format_number, pluralize
from rocpredict.base.labels import (
    check_feature,
    check_index,
    check_label,
    check_labels,
    equal_labels,
    split_rows,
    unique_labels,
)
from rocpredict.base.results import Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    FloatArray,
    Label,
    NanPolicy,
    RocPredictError,
    Seed,
    check_finite,
    check_int,
    check_nonnegative,
    check_option,
    check_pair,
    check_single,
    check_whole_counts,
    readonly_array,
    short_repr,
)
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.inference.bootstrap import BootstrapOptions
from rocpredict.roc.empirical import EmpiricalRoc
from rocpredict.roc.predicted import PredictedRoc
from rocpredict.solvers.binormal import BinormalSolver
from rocpredict.sources.blocks import check_feature_names
from rocpredict.sources.table import check_row_order, format_names, read_table

SINGULAR_TOL = 1e-10  # a covariance matrix of standardized features with a smaller eigenvalue is treated as singular
_LOADING_TOL = 1e-6
_SYMMETRY_TOL = 1e-8


class MultivariateMoments(NamedTuple):
    """Means and covariances of several features in the negative and in the positive class.

    Attributes
    ----------
    names : tuple of str
        Names of the features.
    mean : pair of arrays of shape (p,)
        Means of the features in each class, in the units of the features.
    scale : array of shape (p,)
        Unit of each feature in the covariance matrices. The unit is the square root of the sum of the two class
        variances, or 1 for a feature that is constant in both classes.
    covariance : pair of arrays of shape (p, p)
        Covariance matrices of the negatives and of the positives, in units of ``scale``.
    """

    names: tuple[str, ...]
    mean: tuple[FloatArray, FloatArray]
    scale: FloatArray
    covariance: tuple[FloatArray, FloatArray]

    @classmethod
    def of_samples(cls, samples: tuple[FloatArray, ...], names: tuple[str, ...]) -> Self:
        """Compute the moments (with ddof=1) of two samples of shapes (n0, p) and (n1, p) with n0, n1 >= 2."""
        fits: list[Gaussian[Any]] = [Gaussian.fit(sample) for sample in samples]
        scale = np.hypot(*(fit.std for fit in fits))
        scale[scale == 0] = 1
        deviations = [(sample - fit.mean) / scale for sample, fit in zip(samples, fits, strict=True)]
        negative, positive = (part.T @ part / (len(part) - 1) for part in deviations)
        return cls(names, (fits[0].mean, fits[1].mean), scale, (negative, positive))

    @classmethod
    def of_stats(cls, mean: Any, covariance: Any, names: Iterable[str] | None) -> Self:
        """Return the moments from pairs (negative, positive) of published means and covariance matrices."""
        means = [check_finite("mean", vector) for vector in check_pair("mean", mean)]
        for vector in means:
            if vector.ndim != 1 or not vector.size:
                allowed = "pass an array of shape (p,) for each class, with one mean for each feature"
                raise RocPredictError(f"mean has an entry of shape {vector.shape}; {allowed}")
        size = len(means[0])
        if len(means[1]) != size:
            sizes = f"{size} features in the negative and {len(means[1])} in the positive class"
            raise RocPredictError(f"mean has {sizes}; pass the means of the same features for both classes")
        matrices = [_as_covariance(c, size) for c in check_pair("covariance", covariance)]
        scale = np.hypot(*(np.sqrt(np.diag(matrix)) for matrix in matrices))
        scale[scale == 0] = 1
        negative, positive = (matrix / scale / scale[:, None] for matrix in matrices)
        for which, part in (("negative", negative), ("positive", positive)):
            if float(eigh(part, eigvals_only=True)[0]) < -_SYMMETRY_TOL:
                raise RocPredictError(
                    f"the covariance matrix of the {which} class has a negative eigenvalue (perhaps because "
                    "the published numbers are rounded); pass a positive semidefinite matrix"
                )
        feature_names = tuple(check_feature_names(names, size, "mean").tolist())
        return cls(feature_names, (means[0], means[1]), scale, (negative, positive))

    @property
    def difference(self) -> FloatArray:
        """Difference between the class means (positive - negative) of each feature, in units of ``scale``."""
        return np.asarray((self.mean[1] - self.mean[0]) / self.scale)

    @property
    def total(self) -> FloatArray:
        """Sum of the two covariance matrices. Each diagonal element is 1, or 0 for a constant feature."""
        return np.asarray(self.covariance[0] + self.covariance[1])

    def score_moments(self, weights: FloatArray) -> tuple[Gaussian, Gaussian]:
        """Return the Gaussian distribution of a weighted sum of the features in each class."""
        inner = weights * self.scale
        variances = [max(float(inner @ part @ inner), 0.0) for part in self.covariance]
        means = [float(weights @ mean) for mean in self.mean]
        negative, positive = (Gaussian(m, np.sqrt(v)) for m, v in zip(means, variances, strict=True))
        return negative, positive


def _check_not_constant(names: tuple[str, ...], stds: FloatArray, problem: str) -> None:
    if constant := [name for name, std in zip(names, stds, strict=True) if std == 0]:
        raise RocPredictError(f"{problem}: {format_names(constant)}; remove constant features")


def check_nonsingular(total: FloatArray, names: tuple[str, ...], subject: str, remedy: str) -> None:
    """Raise RocPredictError if a covariance matrix with a diagonal of ones is singular."""
    values, vectors = eigh(total, driver="evd")
    if n_redundant := int((values < SINGULAR_TOL).sum()):
        loadings = (vectors[:, :n_redundant] ** 2).sum(axis=1)
        involved = [name for name, loading in zip(names, loadings, strict=True) if loading > _LOADING_TOL]
        redundant = f"{n_redundant} of the features {format_names(involved)} can be computed from the others"
        raise RocPredictError(f"{subject} singular: {redundant}; remove {n_redundant} of them{remedy}")


def _as_covariance(covariance: Any, size: int) -> FloatArray:
    matrix = check_finite("covariance", covariance)
    if matrix.shape != (size, size):
        allowed = f"pass an array of shape ({size}, {size}) for each class, because mean has {size} features"
        raise RocPredictError(f"covariance has an entry of shape {matrix.shape}; {allowed}")
    variances = np.diag(matrix)
    if (variances < 0).any():
        raise RocPredictError(
            f"covariance={short_repr(covariance)} has a negative diagonal element; pass variances >= 0"
        )
    unit = np.sqrt(variances)
    if (np.abs(matrix - matrix.T) > _SYMMETRY_TOL * unit * unit[:, None]).any():
        raise RocPredictError(f"covariance={short_repr(covariance)} is not symmetric; pass a symmetric matrix")
    return (matrix + matrix.T) / 2


Criterion: TypeAlias = Literal["auc", "ameans"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
_ROUNDING = 1e-14
_EPS = 1e-8  # small change of a mean, in standard deviations
_MIN_GAIN = 1e-6
_SEARCH_RADIUS = 36.0  # exp(-36) is the rounding error of 1
_GRID = np.array(sorted(np.linspace(-1, 1, 145), key=abs))  # by distance from 0: argmin selects small values
_N_REFINEMENTS = 7
_BRACKET = 1e-4  # far beyond the error of the last grid, in log odds


def optimal_weights(moments: MultivariateMoments, criterion: str, ridge: float = 0.0) -> tuple[FloatArray, float]:
    """Return the weights of the best linear combination, and its ``mixing_weight`` (see ``LinearCombination``).

    If ``ridge`` is positive, the two class variances of each feature are both increased by ``ridge`` times their mean.
    The weights are scaled so that the variances of the score in the two classes have a mean of 1. A constant feature
    has weight 0. If all class means are equal, RocPredictError is raised.
    """
    if ridge:
        more = ridge / 2 * np.eye(len(moments.scale))
        moments = moments._replace(covariance=(moments.covariance[0] + more, moments.covariance[1] + more))
    values, vectors = eigh(moments.total, driver="evd")
    varies = values >= SINGULAR_TOL
    basis = np.asarray(vectors[:, varies] / np.sqrt(values[varies]))  # basis.T @ total @ basis is the identity matrix
    if not basis.size:
        raise RocPredictError("all features are constant within both classes; pass features that vary")
    mixing = 0.5
    v = basis.T @ moments.difference
    if criterion == "ameans":
        tau, turn = eigh(basis.T @ moments.covariance[1] @ basis, driver="evd")
        basis = basis @ turn
        v, mixing = _anderson_bahadur(turn.T @ v, np.clip(tau, 0.0, 1.0))
    length = float(np.linalg.norm(v))
    if length <= _ROUNDING:
        problem = "both classes have the same mean in every feature, so every combination has an AUC of 1/2"
        raise RocPredictError(f"{problem}; pass at least one feature whose class means differ")
    return np.asarray(basis @ v * (np.sqrt(2) / length) / moments.scale), mixing


def _anderson_bahadur(d: FloatArray, tau: FloatArray) -> tuple[FloatArray, float]:
    """Return the weights v = d/((1 - l)(1 - tau) + l tau) with the highest Ameans, and the parameter l.

    The coordinates are uncorrelated in both classes. In these coordinates, d is the difference between the class means,
    and the variances are tau for the positives and 1 - tau for the negatives. At the optimum, no coordinate has a
    negative denominator. If a coordinate had one, changing the sign of v in this coordinate would increase the
    difference between the mean scores without changing the standard deviations of the scores. The denominator of a
    coordinate can be 0 if the class means are equal in this coordinate and only the standard deviations differ. In this
    case, d is changed slightly, so that v is finite.
    """
    v, mixing, errors = _grid_search(d, tau)
    extremes = [np.argmin(tau), np.argmax(tau)]
    nudged = d.copy()
    nudged[extremes] = np.where(np.abs(d[extremes]) < _EPS, _EPS, d[extremes])
    if (nudged != d).any():
        other = _grid_search(nudged, tau)
        if other[2] < errors * (1 - _MIN_GAIN):
            return other[0], other[1]
    return v, mixing


def _grid_search(d: FloatArray, tau: FloatArray) -> tuple[FloatArray, float, float]:
    """Return the weights v with the lowest FPR + FNR, their parameter l, and the lowest FPR + FNR.

    The search uses successively finer grids. Close to the minimum, FPR + FNR changes by less than its rounding error,
    so the grids determine v only to about 1e-8. The last step therefore solves the equation ``excess`` = 0.
    """
    limits = min(tau.min(), 0.5), max(tau.max(), 0.5)
    centre, width = 0.0, _SEARCH_RADIUS
    for _ in range(_N_REFINEMENTS):
        log_odds = centre + width * _GRID
        v, mixing = _family(log_odds, d, tau, limits)
        errors = _errors(v, d, tau)
        best = int(np.argmin(errors))
        centre, width = log_odds[best], width / 36

    def excess(log_odds: float) -> float:
        """Return the value of l implied by the best threshold, minus the value used for the weights.

        This difference is 0 at the optimum.
        """
        v, mixing = _family(np.array([log_odds]), d, tau, limits)
        solver = _solver(v, d, tau)
        _, negative_std, mean, positive_std = solver.parameters
        threshold = solver.optimal(np.zeros(1)).threshold
        negative, positive = threshold / negative_std**2, (mean - threshold) / positive_std**2
        return float((positive / (negative + positive) - mixing)[0])

    bracket = centre - _BRACKET, centre + _BRACKET
    with np.errstate(all="ignore"):
        if excess(bracket[0]) * excess(bracket[1]) < 0:
            v, mixing = _family(np.array([brentq(excess, *bracket, xtol=1e-15, rtol=1e-15)]), d, tau, limits)
            errors, best = _errors(v, d, tau), 0
    return v[best], float(mixing[best]), float(errors[best])


def _family(
    log_odds: FloatArray, d: FloatArray, tau: FloatArray, limits: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return the weights v (one row) and the parameter l for each entry of ``log_odds``.

    Each v is d divided by a linear function of tau that is nonnegative between the two ``limits``. Every such function
    is proportional to a weighted mean of two lines: one is 0 at the lower limit, and the other is 0 at the upper limit.
    ``log_odds`` contains the log odds of the weight of the first line. The best v has the denominator (1 - tau) zN/sN -
    tau zP/sP. Here zN and zP are the z-scores of the threshold in the negatives and in the positives, and sN and sP are
    the standard deviations of the score in these classes.
    """
    low, high = limits
    if high - low <= _ROUNDING:
        return np.tile(d, (len(log_odds), 1)), np.full(len(log_odds), 0.5)
    weight = 1 / (1 + np.exp(-log_odds))[:, None]
    complement = 1 / (1 + np.exp(log_odds))[:, None]
    line = complement * (high - tau) + weight * (tau - low)
    smallest = np.finfo(float).tiny
    v = d / np.maximum(line, smallest)
    with_negative, with_positive = complement * high - weight * low, complement * (high - 1) + weight * (1 - low)
    mixing = with_positive / np.maximum(with_negative + with_positive, smallest)
    return v / np.maximum(np.abs(v).max(axis=1, keepdims=True), smallest), mixing[:, 0]


def _solver(v: FloatArray, d: FloatArray, tau: FloatArray) -> BinormalSolver:
    """Return the solver for the class distributions of the scores; each row of ``v`` defines one score."""
    squares = v * v
    negative = Gaussian(np.zeros(len(v)), np.sqrt(squares @ (1 - tau)))
    return BinormalSolver(negative, Gaussian(v @ d, np.sqrt(squares @ tau)))


def _errors(v: FloatArray, d: FloatArray, tau: FloatArray) -> FloatArray:
    """Return FPR + FNR at the best threshold of each score; each row of ``v`` defines one score."""
    best = _solver(v, d, tau).optimal(np.zeros(len(v)))
    return np.asarray(best.fpr + best.fnr)


@dataclass(frozen=True, eq=False, repr=False)
class LinearCombination(Result):
    """Linear combination of features (a score), with the predicted ROC curve of this score.

    An observation is classified as positive when score(X) >= threshold.

    Attributes
    ----------
    feature_names : tuple of str
        Names of the features.
    coefficients : array of shape (p,)
        Weights of the features. The unit of each weight is 1/(unit of the feature). The weights are scaled so that the
        variances of the score in the two classes have a mean of 1.
    criterion : {"auc", "ameans"}
        Criterion that the coefficients maximize.
    mixing_weight : float
        Parameter l: the coefficients are proportional to (l S1 + (1 - l) S0)^-1 (m1 - m0). Here m0 and S0 are the mean
        and the covariance matrix of the negatives, and m1 and S1 are the mean and the covariance matrix of the
        positives. For "auc", l is 0.5.
    negative, positive : Gaussian
        Gaussian distribution of the score in each class.
    roc : PredictedRoc
        Predicted ROC curve of the score. The confidence intervals of this curve are computed as if the coefficients
        were known.
    auc, ameans : float
        Predicted AUC, and predicted Ameans (balanced accuracy) at ``threshold``.
    threshold : float
        Score threshold with the highest predicted Ameans.
    auc_cv, ameans_cv : float or None
        Empirical AUC and empirical Ameans on held-out observations, computed by cross-validation. Both are None for
        published moments, or if ``n_folds=None`` was passed.
    n_folds : int or None
        Number of cross-validation folds.

    Notes
    -----
    ``auc``, ``ameans`` and ``roc`` describe the data (or the published moments) from which the coefficients are
    estimated. For new data, the predicted AUC and the predicted Ameans are too high by about p/n, for p features and n
    observations; see the Notes of ``fit_linear_combination``. ``auc_cv`` and ``ameans_cv`` do not have this bias.
    """

    feature_names: tuple[str, ...]
    coefficients: FloatArray
    criterion: str
    mixing_weight: float
    negative: Gaussian[float]
    positive: Gaussian[float]
    roc: PredictedRoc[float]
    auc: float
    ameans: float
    threshold: float
    auc_cv: float | None = None
    ameans_cv: float | None = None
    n_folds: int | None = None

    _listed = (
        *("coefficients", "criterion", "mixing_weight", "auc", "auc_cv", "ameans", "ameans_cv", "threshold", "n_folds"),
        *("negative", "positive"),
    )

    @classmethod
    def from_stats(
        cls,
        *,
        mean: Sequence[ArrayLike],
        covariance: Sequence[ArrayLike],
        count: Sequence[float] | None = None,
        criterion: Criterion = "auc",
        ridge: float | None = None,
        feature_names: Iterable[str] | None = None,
    ) -> Self:
        """Fit the best linear combination to published means and covariance matrices of Gaussian classes.

        Parameters
        ----------
        mean : pair of array-like of shape (p,)
            Means of the features in the negative and in the positive class.
        covariance : pair of array-like of shape (p, p)
            Covariance matrices of the negative and of the positive class, with variances on the diagonal.
        count : pair of int, optional
            Numbers of observations in the negative and in the positive class.
        criterion : {"auc", "ameans"}, default="auc"
            Criterion to maximize; see ``fit_linear_combination``.
        ridge : float, optional
            Ridge parameter; see ``fit_linear_combination``.
        feature_names : iterable of str, optional
            Names of the features. By default, "x0", "x1", ...

        Returns
        -------
        LinearCombination

        Raises
        ------
        RocPredictError
            If shapes do not match, if a matrix is not a covariance matrix, if features are redundant or constant, or if
            the class means are equal.

        Examples
        --------
        >>> classes = {"mean": ([0, 0], [1, 1]), "covariance": ([[1, 0], [0, 1]], [[4, 0], [0, 1]])}
        >>> LinearCombination.from_stats(**classes)
        LinearCombination(auc=0.798608 (not cross-validated), ameans=0.725747, threshold=0.68175,
                          criterion='auc', 2 features)
        >>> LinearCombination.from_stats(**classes, criterion="ameans").ameans
        0.72...
        """
        for class_size in () if count is None else check_pair("count", count):
            check_whole_counts(class_size)
        moments = MultivariateMoments.of_stats(mean, covariance, feature_names)
        return cls.from_moments(moments, criterion, check_ridge(ridge), count)

    @classmethod
    def from_moments(
        cls,
        moments: MultivariateMoments,
        criterion: Criterion,
        ridge: float,
        count: Sequence[float] | None,
    ) -> Self:
        """Fit the best linear combination to the moments of both classes.

        Parameters
        ----------
        moments : MultivariateMoments
            Means and covariance matrices of both classes.
        criterion : {"auc", "ameans"}
            Criterion to maximize.
        ridge : float
            Ridge parameter; 0 if no ridge is used.
        count : pair of float or None
            Numbers of negatives and of positives, or None if the numbers are unknown.

        Returns
        -------
        LinearCombination
        """
        check_option("criterion", criterion, CRITERIA)
        _check_not_constant(moments.names, np.diag(moments.total), "constant within each class")
        if not ridge:
            remedy = ", or pass ridge=0.01, for example"
            check_nonsingular(moments.total, moments.names, "the covariance matrices of the classes are", remedy)
        weights, mixing = optimal_weights(moments, criterion, ridge)
        negative, positive = moments.score_moments(weights)
        roc = PredictedRoc(negative, positive, count=count)
        best = roc.best_threshold()
        return cls(
            feature_names=moments.names,
            coefficients=readonly_array(weights),
            criterion=criterion,
            mixing_weight=mixing,
            negative=negative,
            positive=positive,
            roc=roc,
            auc=roc.auc(),
            ameans=best.ameans,
            threshold=best.threshold,
        )

    def score(self, X: object) -> FloatArray:
        """Compute the score of each observation: the weighted sum of its features.

        Parameters
        ----------
        X : array-like or data frame of shape (n, p)
            Feature values. Columns of a data frame are selected by name; columns of an array must be in the order of
            ``feature_names``.

        Returns
        -------
        score : array of shape (n,)
            Score of each observation.

        Raises
        ------
        RocPredictError
            If a column is missing, if the number of columns is wrong, or if values are missing or not numeric.
        """
        columns, names = _columns_by_name(X), list(self.feature_names)
        if hasattr(X, "columns") or isinstance(X, Mapping):
            if absent := [name for name in names if name not in columns]:
                problem = f"X has no column {short_repr(absent[0])}"
                raise RocPredictError(f"{problem}; pass the columns {short_repr(names)}")
        elif len(columns) != len(names):
            required = f"{pluralize(len(names), 'column')}: {short_repr(names)}"
            raise RocPredictError(f"X has {pluralize(len(columns), 'column')}; pass {required}")
        else:
            columns = dict(zip(names, columns.values(), strict=True))
        values = np.column_stack([check_feature(columns[name], name) for name in names])
        if n_missing := int(np.isnan(values).any(axis=1).sum()):
            raise RocPredictError(f"X has missing values (NaN) in {pluralize(n_missing, 'row')}; pass complete rows")
        return np.asarray(values @ self.coefficients)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dictionary; the coefficients are keyed by feature name."""
        coefficients = dict(zip(self.feature_names, self.coefficients.tolist(), strict=True))
        return super().to_dict() | {"coefficients": coefficients}

    def table(self) -> Table:
        """Return the coefficients as a table, sorted by decreasing absolute value."""
        order = np.argsort(-np.abs(self.coefficients), kind="stable")
        rows = [[self.feature_names[place], self.coefficients[place]] for place in order]
        ameans = f"Ameans {format_number(self.ameans)} at the threshold {format_number(self.threshold)}"
        notes = [f"AUC {format_number(self.auc)}, {ameans} (criterion {self.criterion})."]
        if self.auc_cv is None:
            notes.append("Both values are optimistic: the coefficients are estimated from the same data.")
        else:
            cross_validated = f"AUC {format_number(self.auc_cv)}, Ameans {format_number(self.ameans_cv)}"
            notes.append(f"Cross-validated: {cross_validated}.")
        return Table("Linear combination of features", ("feature", "coefficient"), rows, notes=notes)

    def _columns(self) -> dict[str, Any]:
        return {"feature": list(self.feature_names), "coefficient": self.coefficients}

    def __repr__(self) -> str:
        auc = "not cross-validated" if self.auc_cv is None else f"{self.auc_cv:.4g} cross-validated"
        ameans = "" if self.ameans_cv is None else f" ({self.ameans_cv:.4g} cross-validated)"
        return (
            f"LinearCombination(auc={self.auc:.6g} ({auc}), ameans={self.ameans:.6g}{ameans}, "
            f"threshold={self.threshold:.6g}, criterion={self.criterion!r}, "
            f"{pluralize(len(self.coefficients), 'feature')})"
        )


def check_ridge(ridge: Any) -> float:
    """Return a ridge parameter as a float, or 0 if it is None."""
    return check_single("ridge", check_nonnegative("ridge", 0.0 if ridge is None else ridge))


#: Samples of the negative and of the positive class, with shapes (n0, p) and (n1, p).
Samples = tuple[FloatArray, ...]
_MIN_ROWS = 2


def _columns_by_name(
    X: object, names: Iterable[str] | None = None, *, with_labels: bool = False
) -> dict[str, NDArray[Any]]:
    table = read_table(X, names)
    if with_labels:
        check_row_order(table, "y")
    return {name: table.column(place) for place, name in enumerate(table.names.tolist())}


def cross_validate(
    samples: Samples, names: tuple[str, ...], *, criterion: str, ridge: float, n_folds: Any, rng: Seed
) -> dict[str, Any]:
    """Cross-validate the best linear combination.

    The result is a dictionary with three keys. ``auc_cv`` is the mean empirical AUC over the folds. ``ameans_cv`` is
    the Ameans over all observations; each observation is classified with the weights and the threshold that were fitted
    to the folds without this observation. ``n_folds`` is the number of folds.
    """
    count = _number_of_folds(n_folds, samples)
    generator = BootstrapOptions(rng=rng).generator()
    folds = [generator.permutation(len(sample)) % count for sample in samples]  # stratified by class
    aucs, correct = [], []
    for fold in range(count):
        train = tuple(sample[fold_of_row != fold] for sample, fold_of_row in zip(samples, folds, strict=True))
        moments = MultivariateMoments.of_samples(train, names)
        try:
            weights, _ = optimal_weights(moments, criterion, ridge)
        except RocPredictError:  # the class means of the training data are equal; with weights of 0, every score is 0
            weights = np.zeros(len(names))
        threshold = PredictedRoc(*moments.score_moments(weights)).best_threshold().threshold
        negative, positive = (sample[part == fold] @ weights for sample, part in zip(samples, folds, strict=True))
        aucs.append(EmpiricalRoc(negative, positive).auc())
        correct.append((np.sum(negative < threshold), np.sum(positive >= threshold)))
    rates = np.sum(correct, axis=0) / [len(sample) for sample in samples]
    return {"auc_cv": float(np.mean(aucs)), "ameans_cv": float(rates.mean()), "n_folds": count}


def _number_of_folds(n_folds: Any, samples: Samples) -> int:
    requested = check_int("n_folds", n_folds)
    if requested < 2:
        raise RocPredictError(f"n_folds={requested} is too small; use 2 or more, or None to skip cross-validation")
    count = min(requested, *(len(sample) for sample in samples))
    classes = zip(("negative", "positive"), samples, strict=True)
    for name, sample in sorted(classes, key=lambda pair: len(pair[1])):
        n_train = len(sample) - -(-len(sample) // count)
        if n_train < _MIN_ROWS:
            raise RocPredictError(
                f"the {name} class has {pluralize(len(sample), 'observation')}, and n_folds={requested} "
                f"leaves {n_train} of them for training; pass at least 3 observations of each class, or n_folds=None "
                "to skip cross-validation"
            )
    return count


def fit_linear_combination(
    X: object,
    y: ArrayLike,
    *,
    positive: Label = None,
    negative: Label = None,
    criterion: Criterion = "auc",
    ridge: float | None = None,
    nan_policy: NanPolicy = "raise",
    feature_names: Iterable[str] | None = None,
    n_folds: int | None = 10,
    rng: Seed = 0,
) -> LinearCombination:
    """Fit the linear combination of features that discriminates best between two Gaussian classes.

    Parameters
    ----------
    X : array-like or data frame of shape (n, p)
        Feature values, with one column for each feature. The number of features should be at most about n/10.
    y : array-like of shape (n,)
        Class labels.
    positive : label, optional
        Label of the positive class. ``positive`` may be omitted if the labels are {0, 1}, {-1, 1} or booleans.
    negative : label, optional
        Label of the negative class. By default, all labels except ``positive`` are negative. If ``negative`` is passed,
        observations with neither of the two labels are ignored.
    criterion : {"auc", "ameans"}, default="auc"
        Criterion to maximize:

        * "auc": the AUC [1]_.
        * "ameans": the Ameans (balanced accuracy) at the best threshold [2]_. The coefficients are the same as for
          "auc" if the covariance matrices of the classes are equal or proportional.
    ridge : float, optional
        Ridge parameter. A ridge parameter is needed if features are redundant, or if p >= n - 1 for p features and n
        observations. Before the weights are computed, the two class variances of each feature are both increased by
        ``ridge`` times their mean. The predicted curve is computed with the original variances.
    nan_policy : {"raise", "omit"}, default="raise"
        How to handle observations with missing values: "raise" raises an error; "omit" omits each observation with a
        missing value, and stores the number of omitted observations.
    feature_names : iterable of str, optional
        Names of the features. By default, the column names of the data frame, or "x0", "x1", ...
    n_folds : int or None, default=10
        Number of cross-validation folds. If ``n_folds`` exceeds the size of the smaller class, this size is used
        instead. If None, no cross-validation is performed.
    rng : None, int or numpy.random.Generator, default=0
        Seed or generator for the random assignment of observations to folds.

    Returns
    -------
    LinearCombination

    Raises
    ------
    RocPredictError
        If the data or labels are invalid, if a feature is constant or has infinite values, if ``ridge`` is needed but
        not passed, if a class has fewer than three observations (two with ``n_folds=None``), or if the class means are
        equal.

    Notes
    -----
    Let m0 and m1 be the mean vectors of the negatives and the positives, S0 and S1 the covariance matrices (with
    ddof=1), and delta = m1 - m0. For "auc", the weights are w = (S0 + S1)^-1 delta, and the AUC is Phi(sqrt(delta' w)).
    For "ameans", the weights are w = (l S1 + (1 - l) S0)^-1 delta. Of all numbers l for which l S1 + (1 - l) S0 has no
    negative eigenvalue, the one that maximizes the Ameans at the best threshold is chosen. The chosen l lies outside
    the interval [0, 1] if the TPR or the TNR at the best threshold is below 1/2. If the covariance matrices are equal,
    both criteria result in Fisher's linear discriminant.

    The predicted AUC and the predicted Ameans are computed from the n observations to which the weights are fitted. For
    new data, they are therefore too high by about p/n. The size of this bias was estimated by simulation, for two
    Gaussian classes with equal covariance matrices and n/2 observations each (300 samples). For p = 10 and a best
    possible AUC of 0.8, the predicted AUC exceeded the AUC for new data by 0.038 (n = 200) and by 0.077 (n = 100). For
    a best possible AUC of 0.95, the predicted AUC exceeded the AUC for new data by 0.026 (n = 100). For 20
    uninformative features and 200 observations, the predicted AUC was 0.68.

    ``auc_cv`` and ``ameans_cv`` avoid this bias by cross-validation, with folds that are stratified by class. The
    weights and the threshold are fitted to all folds except one and evaluated on the remaining fold; this is repeated
    for each fold. The AUC is computed in each fold and averaged over the folds, because scores that are computed with
    different weights are not comparable. In the same simulations, the mean of ``auc_cv`` differed from the true AUC by
    at most 0.003. The only exception was the setting with n = 40 and p = 4, in which the mean of ``auc_cv`` was 0.007
    too low. A formula for the bias would be an alternative to cross-validation, but it would be valid only for Gaussian
    classes. ``auc_cv`` depends on one random partition into folds. On average, ``auc_cv`` is slightly too low, because
    each fit uses fewer observations. ``auc_cv`` is too high if the observations are not independent, for example if
    each patient has several observations. If features are redundant in the training data of a fold, the weights with
    the smallest norm are used.

    The weights are computed by an eigendecomposition of S0 + S1 for standardized features. This eigendecomposition also
    identifies redundant features. A combination of the standardized features (with coefficients of unit norm) is
    treated as constant if its variance is below 1e-10 times the variance of a single feature.

    References
    ----------
    .. [1] J. Q. Su, J. S. Liu (1993), Linear combinations of multiple diagnostic markers, Journal of the American
       Statistical Association 88, 1350-1355.
    .. [2] T. W. Anderson, R. R. Bahadur (1962), Classification into two multivariate normal distributions with
       different covariance matrices, Annals of Mathematical Statistics 33, 420-431.

    Examples
    --------
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> result = fit_linear_combination(
    ...     iris.X, iris.y, positive="virginica", negative="versicolor", feature_names=iris.feature_names
    ... )
    >>> result
    LinearCombination(auc=0.996166 (0.992 cross-validated), ameans=0.970447 (0.96 cross-validated),
                      threshold=4.36362, criterion='auc', 4 features)
    """
    check_option("criterion", criterion, CRITERIA)
    shrink = check_ridge(ridge)
    check_index({"X": X, "y": y})
    columns = _columns_by_name(X, feature_names, with_labels=True)
    values, rows = split_rows(columns, y, positive=positive, negative=negative, nan_policy=nan_policy)
    names, table = tuple(columns), np.column_stack(list(values.values()))
    samples = table[rows.negative], table[rows.positive]
    _check_samples(samples, names, ridged=shrink > 0)
    moments = MultivariateMoments.of_samples(samples, names)
    result = LinearCombination.from_moments(moments, criterion, shrink, (len(samples[0]), len(samples[1])))
    roc = replace(result.roc, omitted=rows.omitted, n_unlabelled=rows.n_unlabelled)
    if n_folds is None:
        return replace(result, roc=roc)
    cross_validated = cross_validate(samples, names, criterion=criterion, ridge=shrink, n_folds=n_folds, rng=rng)
    return replace(result, roc=roc, **cross_validated)


def _check_samples(samples: Samples, names: tuple[str, ...], *, ridged: bool) -> None:
    n, p = len(samples[0]) + len(samples[1]), len(names)
    for which, sample in zip(("negative", "positive"), samples, strict=True):
        if len(sample) < 2:
            raise RocPredictError(
                f"the {which} class has {len(sample)} observation; pass at least 2 observations of each class"
            )
        infinite = np.flatnonzero(np.isinf(sample).any(axis=0))
        if infinite.size:
            problem = f"{names[infinite[0]]} has infinite values in the {which} class"
            raise RocPredictError(f"{problem}; pass finite values")
    if not ridged and p >= n - 1:
        raise RocPredictError(
            f"X has {p} features and {n} observations, but without ridge= at most {n - 2} features are allowed (at "
            "most n/10 are recommended); pass fewer features, or pass ridge=0.1, for example"
        )


_LEAVE_ONE_OUT_TOL = 1e-9


def class_mean_distance(
    X: object,
    y: ArrayLike,
    *,
    class_label: Label,
    metric: Literal["euclidean", "mahalanobis"] = "euclidean",
    leave_one_out: bool = False,
    nan_policy: NanPolicy = "raise",
) -> FloatArray:
    """Compute the distance between each observation and the mean of a class.

    Observations of this class tend to have small distances. If ``class_label`` is the positive label, positives
    therefore tend to have **smaller** distances: pass ``direction="lower"`` to ``predict_roc`` or ``empirical_roc``. If
    ``class_label`` is the negative label, positives tend to have larger distances, and ``direction`` may be omitted.

    Parameters
    ----------
    X : array-like or data frame of shape (n, p)
        Feature values.
    y : array-like of shape (n,)
        Class labels.
    class_label : label
        Label of the class whose mean is used.
    metric : {"euclidean", "mahalanobis"}, default="euclidean"
        Metric of the distance:

        * "euclidean": Euclidean distance, as in the founding paper (see the glossary); all features must have the same
          unit.
        * "mahalanobis": Mahalanobis distance with the covariance matrix of the class, for features in any units.
    leave_one_out : bool, default=False
        If True, each observation of the class is excluded from the mean (and the covariance matrix) with which its own
        distance is computed. If False, each observation of the class shifts the mean towards itself, so its distance is
        smaller on average than the distance of a new observation.
    nan_policy : {"raise", "omit"}, default="raise"
        How to handle observations with missing values: "raise" raises an error; "omit" computes the mean without these
        observations, and their distances are NaN.

    Returns
    -------
    distance : array of shape (n,)
        Distance between each observation and the class mean.

    Raises
    ------
    RocPredictError
        If ``class_label`` is not in ``y``, if an option is invalid, if values are infinite, if values are missing and
        ``nan_policy`` is "raise", or if the class has too few observations. With "mahalanobis", an error is also raised
        if features are constant or redundant in the class.

    Notes
    -----
    With ``leave_one_out``, the Euclidean distances of observations of the class are multiplied by n/(n - 1), where n is
    the size of the class. The squared Mahalanobis distance d² of each of these observations is replaced by (n/(n - 1))²
    (n - 2)/(n - 1) d²/(1 - n d²/(n - 1)²). This expression follows from the Sherman-Morrison formula.

    Distances are never negative and therefore not Gaussian. If you predict a ROC curve from distances, compare the
    prediction with the empirical curve.

    Examples
    --------
    The mean distances are the values 0.71 and 1.74 in Table III of the founding paper:

    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> distance = class_mean_distance(iris.X, iris.y, class_label="versicolor")
    >>> [round(float(distance[iris.y == name].mean()), 2) for name in ("versicolor", "virginica")]
    [0.71, 1.74]
    """
    check_option("metric", metric, ("euclidean", "mahalanobis"))
    check_option("leave_one_out", leave_one_out, (True, False))
    check_option("nan_policy", nan_policy, ("raise", "omit"))
    columns = {name: check_feature(column, name) for name, column in _columns_by_name(X, with_labels=True).items()}
    for name, column in columns.items():
        if n_infinite := int(np.isinf(column).sum()):
            raise RocPredictError(f"{name} has {pluralize(n_infinite, 'infinite value')}; pass finite values")
    values = np.column_stack(list(columns.values()))
    check_index({"X": X, "y": y})
    labels = check_labels(y, values)
    if len(labels) != len(values):
        raise RocPredictError(
            f"X has {pluralize(len(values), 'row')}, but y has {len(labels)}; pass one label for each row"
        )
    check_label("class_label", class_label, unique_labels(labels))
    complete = ~np.isnan(values).any(axis=1)
    if nan_policy == "raise" and not complete.all():
        lacking = pluralize(int((~complete).sum()), "row")
        raise RocPredictError(f"X has missing values (NaN) in {lacking}; pass nan_policy='omit' to omit them")
    members = equal_labels(labels, class_label) & complete
    rows, needed = int(members.sum()), 2 if leave_one_out else 1
    if rows < needed:
        problem = f"class_label={short_repr(class_label)} has {pluralize(rows, 'observation')} without missing values"
        raise RocPredictError(f"{problem}; at least {needed} are needed")
    if metric == "mahalanobis":
        return _mahalanobis(values, members, tuple(columns), leave_one_out)
    distance = np.hypot.reduce(values - values[members].mean(axis=0), axis=1)
    return np.where(members, distance * (rows / (rows - 1)), distance) if leave_one_out else np.asarray(distance)


def _mahalanobis(
    values: FloatArray, members: NDArray[np.bool_], names: tuple[str, ...], leave_one_out: bool
) -> FloatArray:
    """Return the Mahalanobis distances to a class mean, or raise an error if the covariance matrix is singular."""
    sample = values[members]
    n, p = sample.shape
    if n <= p:
        problem = f"the class has {pluralize(n, 'observation')} without missing values, and X has {p} features"
        raise RocPredictError(f"{problem}; at least {p + 1} observations are needed")
    fit: Gaussian[Any] = Gaussian.fit(sample)
    _check_not_constant(names, fit.std, "constant in the class")
    deviation = (values - fit.mean) / fit.std
    correlation = deviation[members].T @ deviation[members] / (n - 1)
    check_nonsingular(correlation, names, "the covariance matrix of the class is", ", or use metric='euclidean'")
    distance = spatial_distance.cdist(deviation, np.zeros((1, p)), metric="mahalanobis", VI=inv(correlation))[:, 0]
    if leave_one_out:
        squared = distance[members] ** 2
        remainder = 1 - n * squared / (n - 1) ** 2
        if (remainder < _LEAVE_ONE_OUT_TOL).any():
            row = np.flatnonzero(members)[np.argmin(remainder)]
            raise RocPredictError(
                f"the covariance matrix of the class becomes singular if row {row} is left out; "
                "use leave_one_out=False, metric='euclidean' or fewer features"
            )
        distance[members] = np.sqrt((n / (n - 1)) ** 2 * ((n - 2) / (n - 1)) * squared / remainder)
    return np.asarray(distance)
