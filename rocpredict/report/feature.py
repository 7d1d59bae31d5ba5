"""One feature as a report: both curves, intervals, threshold, rates and trust."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markupsafe import Markup
from numpy.typing import ArrayLike

from rocpredict.arguments import as_fraction
from rocpredict.features import as_features
from rocpredict.files import check_place
from rocpredict.flags import MEANINGS
from rocpredict.interval import as_level
from rocpredict.labels import as_labels, as_values
from rocpredict.plots import plot_diagnosis, side_by_side
from rocpredict.report.asked import Asked, ask
from rocpredict.report.feature_findings import (
    caveats,
    choice_sentences,
    diagnosis_alt,
    feature_findings,
    picture_alt,
    share_of_model,
    test_sentences,
    verdict,
    what_was_asked,
)
from rocpredict.report.feature_grids import area_grid, class_grid, diagnosis_grid, rate_grid, threshold_grid
from rocpredict.report.feature_methods import feature_methods
from rocpredict.report.page import as_date, write_page
from rocpredict.report.pictures import Image, as_image
from rocpredict.report.provenance import data_hash, footer
from rocpredict.report.wording import alone, in_prose, named
from rocpredict.tables import as_text


def feature_report(
    x: ArrayLike,
    y: ArrayLike,
    path: str | os.PathLike[str],
    *,
    feature: str = "x",
    unit: str | None = None,
    positive: Any = None,
    negative: Any = None,
    family: Any = "gaussian",
    direction: str | None = None,
    nan_policy: str = "raise",
    level: float = 0.95,
    prevalence: float | None = None,
    title: str | None = None,
    date: Any = None,
    n_resamples: int = 500,
    seed: int = 0,
    notes: Sequence[str] = (),
) -> Path:
    """Write all there is to say of one feature as one HTML file that needs nothing else.

    Parameters
    ----------
    x : array of shape (n,)
        Values of the feature.
    y : array of shape (n,)
        Labels.
    path : path
        Where to write, in a folder that exists; written whole or not at all.
    feature, unit : str, optional
        Its name, and the unit of ``x``.
    positive, negative, family, direction, nan_policy
        As in ``predict_roc``.
    level : float
        Of the intervals.
    prevalence : float, optional
        Share of positives where the rule will be used, inside (0, 1): precision and its like go with it. Left out,
        that of the sample.
    title : str, optional
        The heading; left out, the name of the feature and the classes.
    date : datetime.date or str, optional
        The day that the report says it is of; left out, today.
    n_resamples : int
        Samples that the diagnosis draws, 20 or more.
    seed : int
        Of what is drawn at random: with it and a date the same data give the same bytes.

    notes : sequence of str
        Further sentences on what was asked.

    Returns
    -------
    Path

    Raises
    ------
    RocPredictError
        A place that cannot be written to, or an option out of range, before any work; as ``predict_roc``.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from rocpredict.datasets import load_iris
    >>> iris = load_iris()
    >>> classes = {"positive": "virginica", "negative": "versicolor"}
    >>> with TemporaryDirectory() as folder:
    ...     feature_report(iris.column("petal_width"), iris.y, f"{folder}/width.html", n_resamples=20, **classes).name
    'width.html'
    """
    check_place(path)
    day, level = as_date(date), as_level(level)
    share_there = None if prevalence is None else as_fraction("prevalence", prevalence, ends=False)
    asked = ask(
        x,
        y,
        feature=feature,
        unit=unit,
        positive=positive,
        negative=negative,
        family=family,
        direction=direction,
        nan_policy=nan_policy,
        level=level,
        prevalence=share_there,
        n_resamples=n_resamples,
        seed=seed,
    )
    values, labels = as_values(x), as_labels(y, x)
    hashed = data_hash(as_features(values[:, None], names=[feature]), labels)
    foot = footer(day, seed=f"{seed}, of the samples that were drawn", sha256=hashed)
    told = {
        "title": alone(title or f"{feature}: a report by rocpredict"),
        "heading": named(title) if title is not None else _heading(asked),
        "footer": foot,
        **words(asked, notes),
        **_pictures(asked),
        "methods": feature_methods(asked, foot.versions),
    }
    return write_page(path, "feature.html", **told)


def _heading(asked: Asked) -> Markup:
    negative, positive = map(named, asked.labels)
    return Markup("{}: {} against {}").format(named(asked.feature), positive, negative)


def words(asked: Asked, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Give what the template of one feature shows, but for the pictures."""
    found, area = asked.diagnosis, asked.empirical.auc_test(level=asked.level)
    return {
        "findings": list(feature_findings(asked)),
        "asked": [*what_was_asked(asked), *(("Note", note) for note in notes)],
        "classes": class_grid(asked),
        "areas": area_grid(asked),
        "test": list(test_sentences(area)),
        "thresholds": threshold_grid(asked),
        "choice": list(choice_sentences(asked)),
        "which": "predicted" if asked.modelled else "empirical",
        "rates": rate_grid(asked),
        "caveats": list(caveats(asked)),
        "rests_on": "Can the prediction be believed?" if asked.modelled else "What the curve rests on",
        "verdict": verdict(asked),
        "of_model": share_of_model(asked),
        "diagnosis": None if found is None else diagnosis_grid(found),
        "flags": [(name, in_prose(MEANINGS[name])) for name in _flags(asked, area)],
    }


def _pictures(asked: Asked) -> dict[str, Image | None]:
    rocs = (asked.predicted, asked.empirical) if asked.modelled else (asked.empirical,)
    names = [as_text(label) for label in asked.labels]
    both = side_by_side(*rocs, feature=asked.feature, unit=asked.unit, classes=names)
    drawn = {"picture": as_image(both, picture_alt(asked))}
    found, below = asked.diagnosis, None
    if found is not None:
        said = replace(found, verdict=verdict(asked))  # as it is said elsewhere on the page
        below = as_image(plot_diagnosis(said, feature=asked.feature, unit=asked.unit), diagnosis_alt(found))
    return drawn | {"diagnosis_picture": below}


def _flags(asked: Asked, area: Any) -> list[str]:
    interval = asked.empirical.auc_interval(asked.level)
    return list(dict.fromkeys([*asked.best.flags, *asked.counted.flags, *area.flags, *interval.flags]))
