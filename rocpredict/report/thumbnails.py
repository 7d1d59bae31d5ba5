"""Pictures of the first features of a screening, from its data or from its means and standard deviations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from rocpredict.arguments import FloatArray, shown
from rocpredict.assumptions import without_doubt
from rocpredict.distributions import Gaussian
from rocpredict.empirical import EmpiricalRoc, empirical_roc
from rocpredict.errors import RocPredictError
from rocpredict.features import Features, table_and_labels
from rocpredict.labels import as_weights, label_names
from rocpredict.plots import side_by_side
from rocpredict.predictor import PredictedRoc, predict_roc
from rocpredict.report.pictures import Image, as_image
from rocpredict.report.provenance import as_columns
from rocpredict.report.rows import rule_of
from rocpredict.report.wording import alone, named, number, p_value, share
from rocpredict.screening import Screening
from rocpredict.tables import as_text


class Given(NamedTuple):
    """Hold the data of a table, checked."""

    table: Features
    labels: NDArray[Any]
    weights: FloatArray | None


class Drawn(NamedTuple):
    """Hold what a report says of one feature."""

    heading: Markup
    sentence: Markup
    image: Image | None


def same_data(table: Screening, data: Any) -> Given:
    """Take the data that a table is said to come from."""
    if not isinstance(data, (tuple, list)) or len(data) not in {2, 3}:
        raise RocPredictError(f"data={shown(data)} is not (X, y) or (X, y, weights); give what was screened")
    features, labels = table_and_labels(data[0], data[1])
    if features.n_rows != table.n_rows:
        raise RocPredictError(
            f"data= has {features.n_rows} rows and the table was made of {table.n_rows}; give what was screened"
        )
    weights = as_weights(data[2], features.n_rows) if len(data) == 3 else None
    return Given(features, labels, weights)


def draw_features(table: Screening, given: Given | None) -> list[Drawn]:
    """Draw each row of a table."""
    columns = [None] * len(table) if given is None else _columns(table, given)
    held = table.to_dict()
    rows = [dict(zip(held, cells, strict=True)) for cells in zip(*held.values(), strict=True)]
    contrasts = _contrasts(table)
    return [
        _drawn(table, row, contrast, column, given)
        for row, contrast, column in zip(rows, contrasts, columns, strict=True)
    ]


def _contrasts(table: Screening) -> list[tuple[Any, Any]]:
    if len(table.contrasts) == 1:
        return [table.contrasts[0]] * len(table)
    return list(zip(table["negative"].tolist(), table["positive"].tolist(), strict=True))


def _columns(table: Screening, given: Given) -> list[FloatArray]:
    """Fetch the column of each row: by its name, or by its place where the data have other names."""
    names = {name: place for place, name in enumerate(given.table.names.tolist())}
    wanted = [
        names.get(str(name), int(place % len(names)))
        for name, place in zip(table["feature"], table.places, strict=True)
    ]
    places = np.unique(np.array(wanted, dtype=np.intp))
    fetched: dict[int, FloatArray] = {}
    for part, matrix in given.table.matrices(places):
        fetched |= dict(zip(places[part].tolist(), as_columns(matrix), strict=True))
    return [fetched[place] for place in wanted]


def _drawn(
    table: Screening, row: dict[str, Any], contrast: Any, column: FloatArray | None, given: Given | None
) -> Drawn:
    heading = named(row["feature"])
    if len(table.contrasts) > 1:
        heading += Markup(": {} against {}").format(named(contrast[1]), named(contrast[0]))
    predicted, empirical = _rocs(table, row, contrast, column, given)
    image = None
    if predicted is not None:
        names = [as_text(label) for label in contrast]
        picture = side_by_side(predicted, empirical, feature=str(row["feature"]), classes=names)
        image = as_image(picture, _alt(row, predicted, empirical))
    return Drawn(heading, _sentence(row, drawn=image is not None), image)


def _rocs(
    table: Screening, row: dict[str, Any], contrast: Any, column: FloatArray | None, given: Given | None
) -> tuple[PredictedRoc | None, EmpiricalRoc | None]:
    if not row["direction"] or np.isnan(row["auc"]):
        return None, None
    pair = (Gaussian(row[f"{side}_mean"], row[f"{side}_std"]) for side in ("negative", "positive"))
    count = row["n_negative"], row["n_positive"]
    predicted = PredictedRoc(*pair, count=count, direction=row["direction"])
    if column is None or given is None:
        return predicted, None
    rest = isinstance(contrast[0], str) and contrast[0] == "rest" and "rest" not in label_names(given.labels)
    asked = {"positive": contrast[1], "negative": None if rest else contrast[0], "nan_policy": "omit"}
    empirical = empirical_roc(column, given.labels, direction=row["direction"], weights=given.weights, **asked)
    _check_same(row, empirical)
    if row.get("family") == "auto":
        side = "auto" if table.direction == "auto" else row["direction"]
        with without_doubt():
            predicted = predict_roc(column, given.labels, family="auto", direction=side, weights=given.weights, **asked)
    return predicted, empirical


def _check_same(row: dict[str, Any], empirical: EmpiricalRoc) -> None:
    for side in ("negative", "positive"):
        sample, mean, std = getattr(empirical, side), row[f"{side}_mean"], row[f"{side}_std"]
        there = float(np.average(sample.sample, weights=sample.weights))
        same = np.isclose(there, mean, rtol=1e-6, atol=1e-6 * std + 1e-300)
        if not same or not np.isclose(sample.total, row[f"n_{side}"]):
            raise RocPredictError(
                f"data= is not what the table was made of: {shown(row['feature'])} has the {side} mean {there:.6g} "
                f"there and {mean:.6g} in the table"
            )


def _sentence(row: dict[str, Any], *, drawn: bool) -> Markup:
    if not drawn:
        return Markup("No picture: {}.").format(row["flags"].replace(" ", ", ") or "nothing was predicted")
    counted = row["empirical_auc"]
    said = f"AUC {share(row['auc'])} predicted" + (f", {share(counted)} counted" if not np.isnan(counted) else "")
    said += f"; q = {p_value(row['q_value'])}. Positive when x {rule_of(row['threshold'], row['direction'])}"
    said = said.replace("x always", "always")
    said += (
        f": TPR {share(row['tpr'])}, FPR {share(row['fpr'])} (predicted), honest Ameans {share(row['ameans_honest'])}."
    )
    flags = Markup(" <strong>Flags: {}.</strong>").format(row["flags"].replace(" ", ", ")) if row["flags"] else ""
    return Markup("{}").format(said) + flags


def _alt(row: dict[str, Any], predicted: PredictedRoc, empirical: EmpiricalRoc | None) -> str:
    said = (
        f"Densities of {alone(row['feature'])}: negative class with mean {number(row['negative_mean'])} and standard "
        f"deviation {number(row['negative_std'])}, positive class with {number(row['positive_mean'])} and "
        f"{number(row['positive_std'])}; the best threshold is "
        f"{number(predicted.best_threshold().threshold)}. Beside them the "
        f"ROC curve of the rule that {row['direction']} values are "
        f"positive, predicted with AUC {share(predicted.auc())}"
    )
    return said + (f", over the empirical one with AUC {share(empirical.auc())}." if empirical is not None else ".")
