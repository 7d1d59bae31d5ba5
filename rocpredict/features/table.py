"""A table of features, whatever it lies in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.arguments import shown
from rocpredict.errors import RocPredictError
from rocpredict.features.parts import Parts, Source
from rocpredict.rich_results import MOST_ROWS, Rich, Shown


@dataclass(frozen=True, eq=False, repr=False)
class Features(Rich):
    """Hold a table of features that was checked, and give its numbers in parts.

    Attributes
    ----------
    names : array of str, shape (features,)
        "x0", "x1", ... where the table has none.
    n_rows : int
    source : object
        What the numbers come from.
    not_numeric : array of bool, shape (features,)
        Columns that hold text, dates or the like: as numbers they are NaN throughout.
    annotations : dict of str to array of shape (features,)
        What is known of each feature, such as the ``.var`` of AnnData.
    kept : array of int, shape (features,), optional
        Which columns of the source these are; None: all, in their order.

    Examples
    --------
    >>> from rocpredict.features import as_features
    >>> table = as_features([[1, 2], [3, 4], [5, 6]], names=["a", "b"])
    >>> table
    Features(3 rows, 2 features: 'a', 'b')
    >>> [part.shape for _, part in table.matrices()]
    [(3, 2)]
    """

    names: NDArray[np.str_]
    n_rows: int
    source: Source
    not_numeric: NDArray[np.bool_]
    annotations: dict[str, NDArray[Any]] = field(default_factory=dict)
    kept: NDArray[np.intp] | None = None

    def matrices(self, features: Any = None) -> Parts:
        """Give the table in parts of columns.

        Parameters
        ----------
        features : array of int, mask or slice, optional
            Some of the features, in that order.

        Yields
        ------
        place : slice
            Which of the features (of those chosen) the part holds.
        part : array or sparse matrix of shape (n_rows, features of the part)
            An array or a sparse matrix comes whole, neither copied nor converted. What has to be fetched
            comes in Fortran-ordered float64 (float32 where all columns are) of about 32 MB. It may be
            read only.
        """
        if features is None:
            return self.source.parts(self.kept)
        columns = np.arange(self.source.shape[1]) if self.kept is None else self.kept
        return self.source.parts(columns[features])

    def select(self, features: Any) -> Features:
        """Give the table of some features, by index, mask or slice."""
        columns = np.arange(self.source.shape[1]) if self.kept is None else self.kept
        return replace(
            self,
            names=self.names[features],
            not_numeric=self.not_numeric[features],
            annotations={name: column[features] for name, column in self.annotations.items()},
            kept=columns[features],
        )

    def labels(self, feature: int) -> NDArray[Any]:
        """Give one column as it stands, shape (n_rows,)."""
        return self.source.labels(feature if self.kept is None else int(self.kept[feature]))

    def __len__(self) -> int:
        return len(self.names)

    def _shown(self) -> Shown:
        kept = slice(MOST_ROWS)
        rows = [[str(n), not bad] for n, bad in zip(self.names[kept], self.not_numeric[kept].tolist(), strict=True)]
        cut = [f"The first {MOST_ROWS} of {len(self)} features."] if len(self) > MOST_ROWS else []
        return Shown(f"Table of {self.n_rows} rows and {len(self)} features", rows, ["feature", "numeric"], notes=cut)

    def __repr__(self) -> str:
        named = ", ".join(shown(name, 40) for name in self.names[:3].tolist()) + (", ..." if len(self) > 3 else "")
        words = int(self.not_numeric.sum())
        return f"Features({self.n_rows} rows, {len(self)} features: {named}{f'; {words} not numeric' if words else ''})"


def some_number(table: Features) -> Features:
    """Return the table, or refuse one without a column of numbers."""
    if not len(table):
        raise RocPredictError("X has no column beside the labels; give one feature or more")
    if table.not_numeric.all():
        raise RocPredictError(
            f"X has no column of numbers; {_all(len(table))} text, dates or other things: {_listed(table.names)}"
        )
    table.source.check(table.kept)
    return table


def column_of(names: NDArray[np.str_], wanted: object, *, what: str, holder: str) -> int:
    """Give the place of a column, or refuse a name that is none."""
    places = np.flatnonzero(names == str(wanted)) if isinstance(wanted, str) else np.empty(0, dtype=np.intp)
    if not len(places):
        raise RocPredictError(f"{what}={shown(wanted)} is not a column of {holder}; columns are {_listed(names)}")
    return int(places[0])


def _all(count: int) -> str:
    return "its one column holds" if count == 1 else f"all {count} hold"


def _listed(names: NDArray[np.str_]) -> str:
    listed = ", ".join(map(repr, names[:10].tolist()))
    return listed if len(names) <= 10 else f"{listed}, ... ({len(names)} in all)"
