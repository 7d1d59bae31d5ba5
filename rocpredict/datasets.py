"""Built-in data sets and simulated data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocpredict.base.formatting import format_list
from rocpredict.base.results import Result
from rocpredict.base.tables import Table
from rocpredict.base.validation import (
    FloatArray,
    RocPredictError,
    Seed,
    check_finite,
    check_int,
    check_nonnegative,
    check_option,
    check_pair,
    check_seed,
    short_repr,
)
from rocpredict.sources.csv_reader import read_csv

__all__ = ["Dataset", "load_breast_cancer", "load_iris", "load_pima", "simulate_two_gaussians"]

_PIMA_UNITS = ("count", "mg/dl", "mm Hg", "mm", "mu U/ml", "kg/m^2", "1", "years")
"""Units of the columns pregnant, glucose, pressure, triceps, insulin, mass, pedigree and age."""
_CANCER_UNITS = {"radius": "a.u.", "perimeter": "a.u.", "area": "a.u.^2", "texture": "grey levels"}
"""Unit of each kind of feature; features of other kinds are dimensionless."""
PIMA_ZERO_MISSING = ("glucose", "pressure", "triceps", "insulin", "mass")
"""Features of the Pima data in which a zero stands for a missing value."""
_MAX_NAMES_REPR = 10


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(Result):
    """Data set with feature values and a class label for each observation.

    Attributes
    ----------
    X : array of shape (n, n_features)
        Feature values.
    y : array of shape (n,)
        Class labels.
    feature_names : tuple of str
        Names of the features.
    units : tuple of str
        Unit of each feature; "1" for a dimensionless feature.
    description, source, license : str
        Description, source and license of the data.
    """

    X: FloatArray
    y: NDArray[Any]
    feature_names: tuple[str, ...]
    units: tuple[str, ...]
    description: str
    source: str
    license: str

    def _columns(self) -> dict[str, Any]:
        return dict(zip(self.feature_names, self.X.T, strict=True)) | {"label": self.y}

    def column(self, name: str) -> FloatArray:
        """Return the values of one feature.

        Parameters
        ----------
        name : str
            Name of the feature.

        Returns
        -------
        array of shape (n,)

        Raises
        ------
        RocPredictError
            If there is no feature with this name.
        """
        return self.X[:, self.feature_names.index(check_option("name", name, self.feature_names))]

    def unit(self, name: str) -> str:
        """Return the unit of one feature.

        Parameters
        ----------
        name : str
            Name of the feature.

        Returns
        -------
        str
            Unit; "1" for a dimensionless feature.

        Raises
        ------
        RocPredictError
            If there is no feature with this name.
        """
        return self.units[self.feature_names.index(check_option("name", name, self.feature_names))]

    def table(self) -> Table:
        """Return a table of the features with their units and ranges."""
        rows = []
        for name, unit, values in zip(self.feature_names, self.units, self.X.T, strict=True):
            valid = values[~np.isnan(values)]
            summary = [valid.min(), valid.mean(), valid.max()] if valid.size else [None] * 3
            rows.append([name, unit, valid.size, *summary])
        labels, counts = np.unique(self.y, return_counts=True)
        label_counts = [f"{label} {count}" for label, count in zip(labels.tolist(), counts.tolist(), strict=True)]
        source = f"Source: {self.source}. License: {self.license}."
        notes = [f"Labels: {format_list(label_counts)}.", self.description, source]
        columns = ["feature", "unit", "values", "minimum", "mean", "maximum"]
        return Table(f"Dataset of {len(self.y)} rows", columns, rows, notes=notes)

    def __repr__(self) -> str:
        features, labels = _abbreviate(self.feature_names), _abbreviate(np.unique(self.y).tolist())
        return f"Dataset({len(self.y)} rows, feature_names={features}, labels {labels})"


def _abbreviate(names: Any) -> str:
    """Format a list on one line; a long list is shortened to its first entries and the number of all entries."""
    items = list(names)
    more = f", ... {len(items)} in all" if len(items) > _MAX_NAMES_REPR else ""
    text = short_repr(items[:_MAX_NAMES_REPR], 120)
    return f"{text[:-1]}{more}]" if text.endswith("]") else text


def _read_table(file: str) -> dict[str, Any]:
    """Read a data file with the labels in its last column.

    In an installed wheel, the folder ``data`` is inside the package.
    """
    installed = Path(str(resources.files("rocpredict"))) / "data" / file
    table = read_csv(installed if installed.exists() else Path(__file__).parents[1] / "data" / file)
    *names, label = table.header
    columns = [table.numbers(name) for name in names]
    return {"X": np.column_stack(columns), "y": table.text(label), "feature_names": tuple(names)}


def load_iris() -> Dataset:
    """Load Fisher's Iris data: four lengths in cm, measured on 50 flowers from each of three species.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> load_iris()
    Dataset(150 rows, feature_names=['sepal_length', 'sepal_width', 'petal_length', 'petal_width'],
            labels ['setosa', 'versicolor', 'virginica'])
    """
    return Dataset(
        **_read_table("iris.csv"),
        units=("cm",) * 4,
        description="Iris: sepal and petal length and width of 150 flowers, 50 of each of three species.",
        source="R. A. Fisher (1936), The use of multiple measurements in taxonomic problems, "
        "Annals of Eugenics 7, 179-188; as distributed with scikit-learn",
        license="BSD-3-Clause (scikit-learn's copy)",
    )


def load_pima(*, zeros_as_missing: bool = False) -> Dataset:
    """Load the diabetes data of 768 women of Pima heritage, with eight features and the labels "neg" and "pos".

    Parameters
    ----------
    zeros_as_missing : bool, default=False
        Whether to replace the zeros in glucose, pressure, triceps, insulin and mass with NaN. These zeros are
        impossible for a living person and represent missing values. By default, these zeros are unchanged.

    Returns
    -------
    Dataset
        Units: plasma glucose 2 h into an oral glucose tolerance test, mg/dl; diastolic blood pressure, mm Hg; triceps
        skin fold, mm; serum insulin at 2 h, mu U/ml; body mass index, kg/m^2; age, years. The number of pregnancies is
        a count, and the pedigree function is dimensionless.

    Raises
    ------
    RocPredictError
        If ``zeros_as_missing`` is neither True nor False.

    Notes
    -----
    Zeros stand for missing values in 5 of the 768 observations of glucose, 35 of pressure, 227 of triceps, 374 of
    insulin, and 11 of mass. These zeros reduce the means of both classes. If they are kept, a Gaussian fits insulin and
    triceps poorly.

    Examples
    --------
    >>> pima = load_pima()
    >>> pima
    Dataset(768 rows,
            feature_names=['pregnant', 'glucose', 'pressure', 'triceps', 'insulin', 'mass', 'pedigree', 'age'],
            labels ['neg', 'pos'])
    >>> int(np.isnan(load_pima(zeros_as_missing=True).column("insulin")).sum())
    374
    """
    check_option("zeros_as_missing", zeros_as_missing, (True, False))
    table = _read_table("pima.csv")
    if zeros_as_missing:
        is_zero_missing = np.isin(table["feature_names"], PIMA_ZERO_MISSING)
        table["X"][is_zero_missing & (table["X"] == 0)] = np.nan
    return Dataset(
        **table,
        units=_PIMA_UNITS,
        description="Pima: diabetes within five years, and eight features, of 768 women of 21 years or more. Zeros "
        f"in {', '.join(PIMA_ZERO_MISSING)} are missing values" + (" and are NaN here." if zeros_as_missing else "."),
        source="National Institute of Diabetes and Digestive and Kidney Diseases; donated to the UCI repository by "
        "V. Sigillito (1990); as PimaIndiansDiabetes of the R package mlbench 2.1",
        license="none stated; donated to UCI for public use",
    )


def load_breast_cancer() -> Dataset:
    """Load the Wisconsin data of 569 breast masses, with thirty features and the labels "benign" and "malignant".

    Returns
    -------
    Dataset
        The features describe ten properties of the cell nuclei in a digitized image of a fine needle aspirate. Each
        property is described by three features: the mean over the nuclei ("mean"), the standard error of this mean
        ("error"), and the mean of the three largest values ("worst"). The source states no unit of length: radius and
        perimeter are in arbitrary units ("a.u."), area in a.u.^2. Texture is in grey levels; the other features are
        dimensionless.

    Notes
    -----
    A concavity of 0 (13 observations) is a valid value: the outline has no indentations.

    Examples
    --------
    >>> cancer = load_breast_cancer()
    >>> cancer.X.shape, cancer.feature_names[:2], cancer.unit("mean_radius")
    ((569, 30), ('mean_radius', 'mean_texture'), 'a.u.')
    """
    table = _read_table("breast_cancer.csv")
    kinds = _CANCER_UNITS.items()
    return Dataset(
        **table,
        units=tuple(next((unit for kind, unit in kinds if kind in name), "1") for name in table["feature_names"]),
        description="Breast cancer (Wisconsin, diagnostic): thirty features of the cell nuclei in images of 569 breast "
        "masses, benign or malignant. The source states no unit of length.",
        source="W. H. Wolberg, W. N. Street and O. L. Mangasarian (1995), Breast Cancer Wisconsin (Diagnostic), UCI "
        "repository; as distributed with scikit-learn",
        license="BSD-3-Clause (scikit-learn's copy)",
    )


_LOADERS: dict[str, Callable[[], Dataset]] = {"iris": load_iris, "pima": load_pima, "breast_cancer": load_breast_cancer}
DATASET_NAMES = tuple(_LOADERS)
"""Names of the built-in data sets."""


def load_dataset(name: str) -> Dataset:
    """Load a built-in data set by its name.

    Parameters
    ----------
    name : {"iris", "pima", "breast_cancer"}
        Name of the data set.

    Returns
    -------
    Dataset

    Raises
    ------
    RocPredictError
        If there is no data set with this name.

    Examples
    --------
    >>> load_dataset("iris").unit("petal_width")
    'cm'
    """
    return _LOADERS[check_option("name", name, DATASET_NAMES)]()


def simulate_two_gaussians(
    *,
    mean: tuple[float, float] = (4.0, 8.0),
    std: tuple[float, float] = (3.0, 2.0),
    count: tuple[int, int] = (1000, 1000),
    rng: Seed = 0,
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Simulate a sample of two Gaussian classes.

    Parameters
    ----------
    mean : pair of float, default=(4.0, 8.0)
        Class means, (negative, positive). The default means and standard deviations are taken from the example in the
        founding paper.
    std : pair of float, default=(3.0, 2.0)
        Standard deviation of each class, (negative, positive).
    count : pair of int, default=(1000, 1000)
        Number of observations in each class, (negative, positive); each at least 1.
    rng : int or numpy.random.Generator, default=0
        Seed or random number generator.

    Returns
    -------
    x : array of shape (n,)
        Feature values, negatives first.
    y : array of shape (n,)
        Labels 0 and 1.

    Raises
    ------
    RocPredictError
        If an argument is not a pair, if a standard deviation is negative, if the seed is negative, or if a count is
        below 1.

    Examples
    --------
    >>> x, y = simulate_two_gaussians(count=(3, 2), rng=1)
    >>> y
    array([0, 0, 0, 1, 1])
    """
    generator = check_seed("rng", rng)
    means, stds = check_finite("mean", check_pair("mean", mean)), check_nonnegative("std", check_pair("std", std))
    counts = [check_int("count", n) for n in check_pair("count", count)]
    if min(counts) < 1:
        raise RocPredictError(
            f"count={short_repr(count)} has a class without observations; pass 1 or more for each class"
        )
    x = np.concatenate([generator.normal(m, s, n) for m, s, n in zip(means, stds, counts, strict=True)])
    return x, np.repeat([0, 1], counts)
