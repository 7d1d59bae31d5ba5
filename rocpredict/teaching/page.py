"""Teaching page as a file, a notebook view or a server."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from html import escape
from itertools import product
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rocpredict._version import __version__
from rocpredict.base.files import write_atomic
from rocpredict.base.validation import Label, RocPredictError, check_option, check_pair, short_repr, to_scalar
from rocpredict.datasets import DATASET_NAMES
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.teaching.assets import build_html, languages, page_strings, python_strings, text_or_none
from rocpredict.teaching.data import (
    USER_KEY,
    PageDataset,
    builtin_dataset,
    builtin_payload,
    dataset_payload,
    pair_index,
    unusable_message,
    user_dataset,
)
from rocpredict.teaching.model import PAGE_FAMILIES, PageModel, parse_state

if TYPE_CHECKING:
    from rocpredict.teaching.server import TeachingServer
    from rocpredict.teaching.widget import TeachingWidget


_STEP, _MAX_Z = 0.0625, 8.5
PRESETS: dict[str, dict[str, Any]] = {
    "paper": {"mean0": 4.0, "mean1": 8.0, "std0": 3.0, "std1": 2.0},
    "equal": {"mean0": 4.0, "mean1": 8.0, "std0": 2.5, "std1": 2.5},
    "unequal": {"mean0": 5.0, "mean1": 6.0, "std0": 1.0, "std1": 3.0},
    "same_mean": {"mean0": 6.0, "mean1": 6.0, "std0": 1.0, "std1": 3.0},
    "perfect": {"mean0": 2.0, "mean1": 12.0, "std0": 1.0, "std1": 1.0},
    "reversed": {"mean0": 8.0, "mean1": 4.0, "std0": 2.0, "std1": 3.0, "direction": "lower"},
    "rare": {"prevalence": 0.01, "weighted": True},
}
"""States to begin from, by the key of their words; what a state leaves out is the founding paper's example."""


def normal_table() -> dict[str, Any]:
    """Return the upper tail of the standard normal, exact at each step."""
    z = np.arange(0, _MAX_Z + _STEP / 2, _STEP)
    return {"step": _STEP, "upper": np.asarray(Gaussian(0, 1).sf(z)).tolist()}


def _check_datasets(datasets: Any) -> list[str]:
    """Return the names of the built-in data, each once."""
    is_sequence = isinstance(datasets, Iterable) and not isinstance(datasets, (str, bytes))
    if not is_sequence or (isinstance(datasets, np.ndarray) and datasets.ndim == 0):
        raise RocPredictError(
            f"datasets={short_repr(datasets)} is not a list of names; give some of {list(DATASET_NAMES)}"
        )
    return list(dict.fromkeys(check_option("datasets", key, DATASET_NAMES) for key in datasets))


def _check_absent(needs: str, **arguments: Any) -> None:
    """Refuse a description of data that are not there."""
    for name, value in arguments.items():
        if value is not None:
            raise RocPredictError(f"{name}={short_repr(value)} goes with {needs}, which is not there")


def _builtin_start(name: str, *, positive: Any, negative: Any, feature: Any) -> dict[str, Any]:
    """Return the state that shows a feature of built-in data."""
    rows = builtin_dataset(name)
    name_of_feature = to_scalar(feature) if isinstance(feature, np.ndarray) else feature
    name_of_feature = rows.features[0] if name_of_feature is None else name_of_feature
    index = rows.features.index(check_option("feature", name_of_feature, rows.features))
    return {"data": name, "pair": pair_index(rows, positive, negative), "feature": index}


def _user_start(rows: PageDataset, lang: str) -> dict[str, Any]:
    """Return the state that shows the first feature that can be shown, or refuse data without any."""
    words = python_strings(lang)
    for pair, feature in product(range(len(rows.pairs)), range(len(rows.features))):
        if unusable_message(rows, pair, feature, words) is None:
            return {"data": USER_KEY} | ({"pair": pair, "feature": feature} if pair or feature else {})
    raise RocPredictError(f"x has no feature to show: {unusable_message(rows, 0, 0, words)}")


def _number_start(mean: Any, std: Any, **numbers: Any) -> dict[str, float]:
    """Return the numbers that the page begins with, checked as its state; an error names the argument."""
    if (mean is None) != (std is None):
        raise RocPredictError("mean= and std= go together: a pair (negative, positive) of each")
    pairs = {} if mean is None else {"mean": check_pair("mean", mean), "std": check_pair("std", std)}
    moments = {f"{name}{index}": value for name, pair in pairs.items() for index, value in enumerate(pair)}
    state = moments | {name: value for name, value in numbers.items() if value is not None}
    try:
        parsed = parse_state(state)
    except RocPredictError as error:
        message = re.sub(r"^(mean|std)[01]\b", r"\1", str(error))
        raise RocPredictError(re.sub(r"^cost\b", "cost_fp", message)) from None
    return {name: getattr(parsed, name) for name in state}


_LENGTH = re.compile(r"\d+(\.\d+)?(%|px|em|rem|vw|vh)?", re.ASCII)
_MAX_PIXELS = 1e9
_SANDBOX = "allow-scripts allow-downloads allow-popups allow-modals"


class TeachingPage:
    """Page with two densities, a threshold and the ROC curve, all of which move in step.

    The page is one file that fetches nothing. Its numbers are the library's: written into the file, or asked of Python
    where it is served or a widget.

    Parameters
    ----------
    x : array of shape (n,) or (n, features), a data frame or a mapping, optional
        Your own data, shown first; or the name of a built-in data set to begin with: "iris", "pima", "breast_cancer".
        Left out, the page begins with two Gaussians. A page holds 500,000 values and 400 features
        (times the pairs of labels) at most.
    y : array of shape (n,) or str, optional
        Labels, or the name of the column of x that holds them.
    positive, negative : label, optional
        As in ``rocpredict.predict_roc``. Of three labels or more both may be left out: then every pair is there to be
        chosen, the later label as the positive one.
    feature : str or list of str, optional
        Which columns of a frame, in this order (of a built-in set: which one to begin with); or how the columns of
        an array are called.
    unit : str, list of str or mapping of feature to str, optional
        In which the features are measured.
    mean, std : pair of float, optional
        (negative, positive): begin with these two Gaussians, such as from a published table, in place of x.
    threshold, prevalence, cost_fp : float, optional
        Where to begin: in the unit of the feature; the share of positives, inside (0, 1); the cost of a false
        positive in that of a false negative, above 0.
    datasets : sequence of {"iris", "pima", "breast_cancer"}
        The built-in data to choose from; fewer make a smaller file. Pima holds its zeros, which a lesson shows.
    lang : str
        Language of every word: "en" and others that are shipped.
    lesson : bool
        Whether the guided lesson is shown.
    lecture : bool
        Begin in lecture mode: large, without sliders and numbers.
    title : str, optional
        A heading in place of the page's own.

    Raises
    ------
    RocPredictError
        Data as ``predict_roc`` refuses them, or too many for a page; both data and means; numbers out of range; a
        feature, data set or language that is not there.

    Examples
    --------
    >>> TeachingPage(mean=(4, 8), std=(3, 2), datasets=())
    TeachingPage(two Gaussians, datasets=[], lang='en')
    >>> page = TeachingPage("iris", positive="virginica", negative="versicolor", feature="petal_length")
    >>> page.start
    {'data': 'iris', 'pair': 2, 'feature': 2}
    """

    def __init__(
        self,
        x: object = None,
        y: ArrayLike | None = None,
        *,
        positive: Label = None,
        negative: Label = None,
        feature: str | Sequence[str] | None = None,
        unit: str | Sequence[str] | None = None,
        mean: Sequence[float] | None = None,
        std: Sequence[float] | None = None,
        threshold: float | None = None,
        prevalence: float | None = None,
        cost_fp: float | None = None,
        datasets: Iterable[str] = DATASET_NAMES,
        lang: str = "en",
        lesson: bool = True,
        lecture: bool = False,
        title: str | None = None,
    ) -> None:
        self.lang: str = check_option("lang", lang, languages())
        self.lesson = bool(check_option("lesson", lesson, (True, False)))
        self.title = text_or_none("title", title)
        lecture = bool(check_option("lecture", lecture, (True, False)))
        names = _check_datasets(datasets)
        user_data, start = [], {}
        if isinstance(x, str):
            check_option("x", x, DATASET_NAMES)
            _check_absent("data of your own", y=y, unit=unit)
            start = _builtin_start(x, positive=positive, negative=negative, feature=feature)
            names = list(dict.fromkeys([x, *names]))
        elif x is not None:
            user_data = [user_dataset(x, y, positive=positive, negative=negative, feature=feature, unit=unit)]
        else:
            _check_absent("x", y=y, positive=positive, negative=negative, feature=feature, unit=unit)
        if x is not None and (mean is not None or std is not None):
            raise RocPredictError("mean= and std= begin with two Gaussians in place of x; give one or the other")
        numbers = _number_start(mean, std, threshold=threshold, prevalence=prevalence, cost=cost_fp)
        start |= _user_start(user_data[0], self.lang) if user_data else {}
        self.data: list[PageDataset] = user_data + [builtin_dataset(key) for key in names]
        self.start: dict[str, Any] = start | numbers | ({"lecture": True} if lecture else {})

    def payload(self, *, live: bool = False) -> dict[str, Any]:
        """Return everything that Python writes into the page; ``live`` for a page that asks Python again."""
        return {
            "version": __version__,
            "lang": self.lang,
            "words": page_strings(self.lang),
            "normal": normal_table(),
            "datasets": self._dataset_payloads,
            "start": self.start,
            "presets": [{"key": key, "state": state} for key, state in PRESETS.items()],
            "lesson": self.lesson,
            "live": live,
            "families": list(PAGE_FAMILIES) if live else [],
        } | ({} if self.title is None else {"title": self.title})

    def to_html(self) -> str:
        """Return the page as one HTML file that fetches nothing."""
        return build_html(self.payload())

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page into a file, to be opened by a double click.

        Raises
        ------
        RocPredictError
            A place that cannot be written to.
        """
        return write_atomic(path, self.to_html())

    def serve(self, port: int = 0, *, open_browser: bool = False) -> TeachingServer:
        """Serve the page to this machine alone; every number is then the library's, asked for as it is needed.

        Parameters
        ----------
        port : int
            0: any free one.
        open_browser : bool
            Show the page at once.

        Returns
        -------
        TeachingServer
            With ``url``, ``wait()`` and ``close()``; use it in a ``with``.

        Raises
        ------
        RocPredictError
            A port that is in use, or may not be used.
        """
        from rocpredict.teaching.server import TeachingServer

        check_option("open_browser", open_browser, (True, False))
        html = build_html(self.payload(live=True), served=True)
        server = TeachingServer(html, self.model().evaluate, port)
        if open_browser:
            server.open_browser()
        return server

    def widget(self) -> TeachingWidget:
        """Return the page as a widget for notebooks; ``widget.state`` is the state of the page.

        The kernel computes every number.

        Raises
        ------
        RocPredictError
            anywidget is not installed.
        """
        try:
            from rocpredict.teaching.widget import TeachingWidget
        except ImportError:
            raise RocPredictError(
                'a widget needs anywidget: pip install "rocpredict[notebook]"; without it, show the page itself'
            ) from None
        return TeachingWidget(self.payload(live=True), self.model().evaluate)

    def to_iframe(self, width: str | float = "100%", height: str | float = 900) -> str:
        """Return the page as one ``<iframe>`` to paste into slides or a web page.

        Parameters
        ----------
        width, height : number of pixels, or str
            A length such as "100%", "60vh" or "40rem".

        Raises
        ------
        RocPredictError
            What is no length.
        """
        title = escape(self.title or python_strings(self.lang)["title"])
        style = f"width:{_length('width', width)};height:{_length('height', height)};border:0"
        return (
            f'<iframe title="{title}" style="{style}" sandbox="{_SANDBOX}" srcdoc="{escape(self.to_html())}"></iframe>'
        )

    def model(self) -> PageModel:
        """Return the model that computes the numbers of this page."""
        return PageModel(self.data, self.lang)

    @cached_property
    def _dataset_payloads(self) -> list[dict[str, Any]]:
        """Return the data with the library's numbers, which take a while: computed when a page is first wanted."""
        return [
            dataset_payload(rows, self.lang) if rows.key == USER_KEY else builtin_payload(rows.key, self.lang)
            for rows in self.data
        ]

    def _repr_html_(self) -> str:
        return f"{self.to_iframe()}\n<p>{escape(python_strings(self.lang)['notebook'])}</p>"

    def __repr__(self) -> str:
        keys = [rows.key for rows in self.data if rows.key != USER_KEY]
        begins = self.start.get("data", "two Gaussians")
        if begins == USER_KEY:
            begins = f"{len(self.data[0].features)} features of {len(self.data[0].labels)} classes"
        return f"TeachingPage({begins}, datasets={keys}, lang={self.lang!r})"


def _length(name: str, value: Any) -> str:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    pixels = number and 0 <= value < _MAX_PIXELS
    text = f"{float(value):.12g}px" if pixels else value
    if not isinstance(text, str) or not _LENGTH.fullmatch(text):
        raise RocPredictError(f"{name}={short_repr(value)} is not a length; give pixels, or such as '100%' or '60vh'")
    return text if text[-1].isalpha() or text.endswith("%") else f"{text}px"
