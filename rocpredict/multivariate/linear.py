"""A linear combination of features, and what it predicts for itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rocpredict.arguments import FloatArray, as_not_negative, frozen, one_of
from rocpredict.distributions import Gaussian
from rocpredict.errors import RocPredictError
from rocpredict.labels import as_values
from rocpredict.multivariate.columns import in_order
from rocpredict.multivariate.directions import CRITERIA, best_weights
from rocpredict.multivariate.moments import Moments, refuse_constant, refuse_singular
from rocpredict.predictor import PredictedRoc
from rocpredict.rich_results import MOST_ROWS, Rich, Shown, number


@dataclass(frozen=True, eq=False, repr=False)
class LinearCombination(Rich):
    """Hold the weights of a linear combination of features, and what it predicts for itself.

    The rule is "positive when score(X) >= threshold". ``auc``, ``ameans`` and everything that ``roc`` says are
    those of the rows (or published moments) that chose the weights, and too high for others: by about p/n for p
    features and n rows (see Notes of ``best_combination``). ``auc_honest`` and ``ameans_honest`` are not.

    Attributes
    ----------
    feature_names : tuple of str
    weights : array of shape (p,)
        One for each feature, in 1/(its unit): scaled so that the score's variance, averaged over both classes,
        is 1.
    criterion : {"auc", "ameans"}
        What the weights are best for.
    mixing : float
        l of the direction (l S1 + (1 - l) S0)^-1 (m1 - m0), with S0, S1 the covariances: 0.5 for "auc".
    negative, positive : Gaussian
        Of the score.
    roc : PredictedRoc
        Of the score. Its intervals take the weights as given.
    auc, ameans : float
        Predicted; ``ameans`` at ``threshold``.
    threshold : float
        Of the score, with the best Ameans.
    auc_honest, ameans_honest : float or None
        Counted on rows that had no part in weights and threshold, by cross-fitting. None from published moments,
        and with ``folds=None``.
    folds : int or None
        Of the cross-fitting.
    """

    feature_names: tuple[str, ...]
    weights: FloatArray
    criterion: str
    mixing: float
    negative: Gaussian
    positive: Gaussian
    roc: PredictedRoc
    auc: float
    ameans: float
    threshold: float
    auc_honest: float | None = None
    ameans_honest: float | None = None
    folds: int | None = None

    @classmethod
    def from_stats(
        cls,
        *,
        mean: Any,
        covariance: Any,
        count: Any = None,
        criterion: str = "auc",
        ridge: float | None = None,
        feature_names: Iterable[str] | None = None,
    ) -> Self:
        """Combine features whose means and covariances were published, taking each class as Gaussian.

        Parameters
        ----------
        mean : pair (negative, positive) of arrays of shape (p,)
        covariance : pair (negative, positive) of arrays of shape (p, p)
            With variances, not standard deviations, on the diagonal.
        count : pair of float, optional
            Cases of the (negative, positive) class.
        criterion, ridge
            As in ``best_combination``.
        feature_names : list of str, optional
            "x0", "x1", ... if left out.

        Raises
        ------
        RocPredictError
            Shapes that do not fit, what is no covariance matrix, and what ``best_combination`` refuses.

        Examples
        --------
        >>> classes = {"mean": ([0, 0], [1, 1]), "covariance": ([[1, 0], [0, 1]], [[4, 0], [0, 1]])}
        >>> LinearCombination.from_stats(**classes)
        LinearCombination(auc=0.798608 (of the moments that chose it), ameans=0.725747, threshold=0.68175,
                          criterion='auc', features=2)
        >>> LinearCombination.from_stats(**classes, criterion="ameans").ameans
        0.72...
        """
        moments = Moments.of_stats(mean, covariance, feature_names)
        return cls.of_moments(moments, criterion, as_ridge(ridge), count)

    @classmethod
    def of_moments(cls, moments: Moments, criterion: str, ridge: float, count: Any, omitted: Any = (0, 0)) -> Self:
        """Combine features of which these moments are known."""
        one_of("criterion", criterion, CRITERIA)
        refuse_constant(moments)
        if not ridge:
            refuse_singular(
                moments.total, moments.names, "within each class the covariances are", ", or give ridge= (such as 0.01)"
            )
        weights, mixing = best_weights(moments, criterion, ridge)
        negative, positive = moments.of_score(weights)
        roc = PredictedRoc(negative, positive, count=count, omitted=omitted)
        best = roc.best_threshold()
        return cls(
            feature_names=moments.names,
            weights=frozen(weights),
            criterion=criterion,
            mixing=mixing,
            negative=negative,
            positive=positive,
            roc=roc,
            auc=roc.auc(),
            ameans=best.ameans,
            threshold=best.threshold,
        )

    def score(self, X: Any) -> FloatArray:
        """Give the weighted sum of the features of each row.

        Parameters
        ----------
        X : array or frame of shape (n, p)
            An array's columns are taken by their place, a frame's by ``feature_names``.

        Returns
        -------
        array of shape (n,)

        Raises
        ------
        RocPredictError
            Another number of columns, a column that is not there, values that are missing or no numbers.
        """
        columns = in_order(X, self.feature_names)
        values = np.column_stack([as_values(x, name) for x, name in zip(columns, self.feature_names, strict=True)])
        missing = np.flatnonzero(np.isnan(values).any(axis=1))
        if missing.size:
            raise RocPredictError(f"X has missing values (NaN) in {missing.size} rows; leave these rows out")
        return np.asarray(values @ self.weights)

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers by name."""
        classes = {"negative": self.negative, "positive": self.positive}
        names = ("criterion", "mixing", "auc", "auc_honest", "ameans", "ameans_honest", "threshold", "folds")
        return {
            "weights": dict(zip(self.feature_names, self.weights.tolist(), strict=True)),
            **{name: getattr(self, name) for name in names},
            **{name: {"mean": held.mean, "std": held.std} for name, held in classes.items()},
        }

    def _shown(self) -> Shown:
        order = np.argsort(-np.abs(self.weights), kind="stable")[:MOST_ROWS]
        rows = [[self.feature_names[place], self.weights[place]] for place in order]
        cut = [f"The {MOST_ROWS} largest of {len(self.weights)} weights."] if len(self.weights) > MOST_ROWS else []
        held = f"AUC {number(self.auc)}, Ameans {number(self.ameans)} at the threshold {number(self.threshold)}"
        honest = (
            f"On rows that had no part: AUC {number(self.auc_honest)}, Ameans {number(self.ameans_honest)}."
            if self.auc_honest is not None
            else "These are of the moments that chose the weights: optimistic."
        )
        notes = [*cut, f"{held} (criterion {self.criterion}).", honest]
        return Shown("Linear combination of features", rows, ["feature", "weight"], notes=notes)

    def __repr__(self) -> str:
        auc = "of the moments that chose it" if self.auc_honest is None else f"{self.auc_honest:.4g} cross-fitted"
        ameans = "" if self.ameans_honest is None else f" ({self.ameans_honest:.4g} cross-fitted)"
        return (
            f"LinearCombination(auc={self.auc:.6g} ({auc}), ameans={self.ameans:.6g}{ameans}, "
            f"threshold={self.threshold:.6g}, criterion={self.criterion!r}, features={len(self.weights)})"
        )


def as_ridge(ridge: Any) -> float:
    """Return a ridge of 0 or more, 0 for None."""
    if ridge is None:
        return 0.0
    checked = as_not_negative("ridge", ridge)
    if checked.ndim:
        raise RocPredictError(f"ridge has shape {checked.shape}; give one number")
    return float(checked)
