"""Teaching page as a file, a notebook view or a server."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from html import escape
from itertools import product
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import ArrayLike

from rocpredict._version import __version__
from rocpredict.base.files import HTML_SUFFIXES, check_suffix, check_writable, write_atomic, write_folder
from rocpredict.base.formatting import pluralize
from rocpredict.base.validation import (
    Label,
    NanPolicy,
    RocPredictError,
    check_list,
    check_option,
    check_pair,
    short_repr,
    to_scalar,
)
from rocpredict.datasets import DATASET_NAMES
from rocpredict.distributions.gaussian import Gaussian
from rocpredict.teaching.assets import (
    build_html,
    languages,
    load_translations,
    page_strings,
    python_strings,
    text_or_none,
)
from rocpredict.teaching.data import (
    USER_KEY,
    PageDataset,
    builtin_dataset,
    builtin_payload,
    dataset_payload,
    feature_rocs,
    pair_index,
    unusable_message,
    user_dataset,
)
from rocpredict.teaching.model import PAGE_FAMILIES, PageModel, gaussian_roc, parse_state, quadrature_rule
from rocpredict.teaching.worksheet import worksheet_html

if TYPE_CHECKING:
    from rocpredict.teaching.server import TeachingServer
    from rocpredict.teaching.widget import TeachingWidget


_STEP, _MAX_Z = 0.25, 8.5
PRESETS: dict[str, dict[str, Any]] = {
    "paper": {"mean0": 4.0, "mean1": 8.0, "std0": 3.0, "std1": 2.0},
    "equal": {"mean0": 4.0, "mean1": 8.0, "std0": 2.5, "std1": 2.5},
    "unequal": {"mean0": 5.0, "mean1": 6.0, "std0": 1.0, "std1": 3.0},
    "same_mean": {"mean0": 6.0, "mean1": 6.0, "std0": 1.0, "std1": 3.0},
    "perfect": {"mean0": 2.0, "mean1": 12.0, "std0": 1.0, "std1": 1.0},
    "reversed": {"mean0": 8.0, "mean1": 4.0, "std0": 2.0, "std1": 3.0, "direction": "lower"},
    "rare": {"prevalence": 0.01, "weighted": True},
}
"""Preset states of the page, with the keys of their texts. Missing entries have the default values of a state."""


def normal_table() -> dict[str, Any]:
    """Return a table of the upper tail probability of the standard normal distribution."""
    z = np.arange(0, _MAX_Z + _STEP / 2, _STEP)
    return {"step": _STEP, "upper": np.asarray(Gaussian(0, 1).sf(z)).tolist()}


def _check_datasets(datasets: Any) -> list[str]:
    """Return the unique names of built-in data sets."""
    keys = check_list("datasets", datasets, f"names from {list(DATASET_NAMES)}")
    return list(dict.fromkeys(check_option("datasets", key, DATASET_NAMES) for key in keys))


def _check_absent(needs: str, **arguments: Any) -> None:
    """Raise RocPredictError if an argument is not None; ``needs`` names the arguments that this argument requires."""
    for name, value in arguments.items():
        if value is not None:
            raise RocPredictError(f"{name}={short_repr(value)} needs {needs}")


def _builtin_start(name: str, *, positive: Any, negative: Any, feature: Any) -> dict[str, Any]:
    """Return the page state that shows a feature of a built-in data set."""
    rows = builtin_dataset(name)
    name_of_feature = to_scalar(feature) if isinstance(feature, np.ndarray) else feature
    name_of_feature = rows.features[0] if name_of_feature is None else name_of_feature
    index = rows.features.index(check_option("feature", name_of_feature, rows.features))
    return {"data": name, "pair": pair_index(rows, positive, negative), "feature": index}


def _refuse_missing(rows: PageDataset) -> None:
    """Raise RocPredictError if a feature has missing values."""
    for name, values in zip(rows.features, rows.values, strict=True):
        n_missing = int(np.sum(~np.isfinite(values)))
        if n_missing:
            raise RocPredictError(
                f"x has missing values (NaN) in {n_missing} of {len(values)} rows of feature {name}; "
                "pass nan_policy='omit' to omit them"
            )


def _user_start(rows: PageDataset, lang: str) -> dict[str, Any]:
    """Return the state of the first feature that can be shown; raise RocPredictError if there is none."""
    words = python_strings(lang)
    for pair, feature in product(range(len(rows.pairs)), range(len(rows.features))):
        if unusable_message(rows, pair, feature, words) is None:
            return {"data": USER_KEY} | ({"pair": pair, "feature": feature} if pair or feature else {})
    raise RocPredictError(f"x has no feature to show: {unusable_message(rows, 0, 0, words)}")


def _gaussian_names(lang: str, **named: Any) -> dict[str, dict[str, str]]:
    """Return the names of the classes and the feature for two Gaussians; the default names are texts of the page."""
    texts = dict.fromkeys(["positive", "negative", "feature", "unit"])
    texts |= {name: text_or_none(name, value) for name, value in named.items()}
    words = page_strings(lang)["page"]
    pair = {name: texts[name] or words[name] for name in ("negative", "positive")}
    if pair["negative"] == pair["positive"]:
        raise RocPredictError(f"positive={pair['positive']!r} is also the negative class; pass different names")
    return {"pair": pair, "feature": {"name": texts["feature"] or words["x"], "unit": texts["unit"] or ""}}


def _number_start(mean: Any, std: Any, **numbers: Any) -> dict[str, float]:
    """Check the initial numbers of the page, and return them as entries of a state."""
    if (mean is None) != (std is None):
        missing = "mean" if mean is None else "std"
        raise RocPredictError(f"{missing}= is missing; mean= and std= must be passed together, as pairs of numbers")
    pairs = {} if mean is None else {"mean": check_pair("mean", mean), "std": check_pair("std", std)}
    moments = {f"{name}{index}": value for name, pair in pairs.items() for index, value in enumerate(pair)}
    state = moments | {name: value for name, value in numbers.items() if value is not None}
    try:
        parsed = parse_state(state)
    except RocPredictError as error:
        message = re.sub(r"^(mean|std)[01]\b", r"\1", str(error))
        raise RocPredictError(re.sub(r"^cost\b", "cost_fp", message)) from None
    return {name: getattr(parsed, name) for name in state}


def _check_glossary(glossary: Any) -> str:
    """Return ``glossary``; raise RocPredictError if it is neither an address nor a path such as "../glossary.html"."""
    is_text = isinstance(glossary, str) and re.fullmatch(r"[^\s#<>\"]+", glossary) is not None
    if not is_text or (":" in glossary and not glossary.startswith(("http://", "https://"))):
        raise RocPredictError(
            f"glossary={short_repr(glossary)} is neither an address nor a path such as '../glossary.html'"
        )
    return str(glossary)


def _check_url(url: Any) -> str | None:
    """Return the address of a page, with a slash after a folder; raise RocPredictError if it is not an address."""
    if url is None:
        return None
    try:
        parts = urlsplit(url if isinstance(url, str) else "")
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"[\s#?<>\"]", url)
    except ValueError:
        is_valid = False
    if not is_valid:
        raise RocPredictError(f"url={short_repr(url)} is not an address such as 'https://example.org/roc/'")
    return url if url.endswith("/") or "." in parts.path.rpartition("/")[2] else f"{url}/"


_LENGTH = re.compile(r"\d+(\.\d+)?(%|px|em|rem|vw|vh)?", re.ASCII)
_MAX_PIXELS = 1e9
_FRAME_HEIGHT, _WIDGET_DPI = 768, 60
_FRAME_SCRIPT = """<script>
(() => {
  const frame = document.currentScript?.previousElementSibling;
  addEventListener("message", ({ source, data }) => {
    if (source !== frame?.contentWindow || !(data?.rocpredictHeight > 0)) return;
    frame.style.height = `${data.rocpredictHeight}px`;
  });
})();
</script>"""
_SANDBOX = "allow-scripts allow-downloads allow-popups allow-modals"


class TeachingPage:
    """Teaching page with linked plots: two densities with a threshold, and the ROC curve.

    The page is one file without external resources. A saved page computes its numbers in the browser, from results that
    rocpredict has stored in the file. A served page or a widget requests its numbers from rocpredict.

    Parameters
    ----------
    x : array of shape (n,) or (n, n_features), data frame, mapping, path or str, optional
        Data to show first: your own data, a file that ``screen`` can read, or the name of a built-in data set ("iris",
        "pima" or "breast_cancer"). By default, the page starts with two Gaussians. A page can have at most 500,000
        values, and at most 400 combinations of one feature and one pair of labels.
    y : array-like of shape (n,) or str, optional
        Class labels, or the name of the label column of x.
    positive : label, optional
        Label of the positive class. May be omitted if the labels are {0, 1}, {-1, 1} or booleans, or if there are three
        or more labels. With three or more labels, the page offers every pair of labels; in each pair, the second label
        in sorted order is positive.
    negative : label, optional
        Label of the negative class. By default, all other labels are negative.
    feature : str or list of str, optional
        For a data frame, the columns to show, in this order. For built-in data, the feature to show first. For an
        array, the names of its columns.
    unit : str, list of str or mapping of feature to str, optional
        Units of the features.
    nan_policy : {"raise", "omit"}, default="omit"
        Missing values of x:

        - "raise" raises an error.
        - "omit" omits, for each feature separately, the observations with a missing value; the page states their
          number.
    mean, std : pair of float, optional
        Means and standard deviations (negative, positive) of two initial Gaussians, for example from a published table.
        ``mean`` and ``std`` cannot be combined with ``x``. With ``mean`` and ``std``, pass the class names as
        ``positive`` and ``negative``, and the name and unit of the feature as ``feature`` and ``unit``.
    threshold : float, optional
        Initial threshold, in the unit of the feature.
    prevalence : float, optional
        Initial fraction of positives, in (0, 1). By default, the fraction in the data, or 0.1 for two Gaussians.
    cost_fp : float, optional
        Initial cost of a false positive relative to the cost of a false negative, above 0.
    datasets : sequence of {"iris", "pima", "breast_cancer"}, default=("iris", "pima", "breast_cancer")
        Built-in data sets on the page; with fewer data sets, the file is smaller. The zeros in pima are kept as values;
        the lesson explains them.
    lang : str, default="en"
        Language of the page.
    lesson : bool, default=True
        Whether to show the guided lesson.
    lecture : bool, default=False
        Whether to start in lecture mode: large text, without menus or panels.
    title : str, optional
        Heading of the page.
    url : str, optional
        Address at which the page will be published: a file such as "https://example.org/roc/index.html", or a folder.
        The address is used for the embed code, the QR code and the link previews of the page.

    Raises
    ------
    RocPredictError
        If ``predict_roc`` would raise an error for the data, if there are too many values for a page, if both ``x`` and
        ``mean`` are passed, if a number is out of range, or if a feature, data set or language does not exist.

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
        nan_policy: NanPolicy = "omit",
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
        url: str | None = None,
    ) -> None:
        self.lang: str = check_option("lang", lang, languages())
        self.lesson = bool(check_option("lesson", lesson, (True, False)))
        self.title, self.url = text_or_none("title", title), _check_url(url)
        lecture = bool(check_option("lecture", lecture, (True, False)))
        names = _check_datasets(datasets)
        check_option("nan_policy", nan_policy, get_args(NanPolicy))
        user_data, start = [], {}
        if isinstance(x, str) and (x in DATASET_NAMES or (y is None and not Path(x).suffix)):
            check_option("x", x, DATASET_NAMES)
            _check_absent("your own data in x", y=y, unit=unit)
            start = _builtin_start(x, positive=positive, negative=negative, feature=feature)
            names = list(dict.fromkeys([x, *names]))
        elif x is not None:
            user_data = [user_dataset(x, y, positive=positive, negative=negative, feature=feature, unit=unit)]
            if nan_policy == "raise":
                _refuse_missing(user_data[0])
        else:
            _check_absent("x", y=y)
            if mean is None:
                _check_absent("x, or mean= and std=", positive=positive, negative=negative, feature=feature, unit=unit)
        named = {"positive": positive, "negative": negative, "feature": feature, "unit": unit}
        is_named = x is None and any(value is not None for value in named.values())
        self._names = _gaussian_names(self.lang, **named) if is_named else None
        if x is not None and (mean is not None or std is not None):
            raise RocPredictError(
                "x cannot be combined with mean= and std=, which describe two Gaussians; pass either x, or both mean= "
                "and std="
            )
        numbers = _number_start(mean, std, threshold=threshold, prevalence=prevalence, cost=cost_fp)
        start |= _user_start(user_data[0], self.lang) if user_data else {}
        self.data: list[PageDataset] = user_data + [builtin_dataset(key) for key in names]
        self.start: dict[str, Any] = start | numbers | ({"lecture": True} if lecture else {})

    def payload(self, *, live: bool = False) -> dict[str, Any]:
        """Return the data, texts and options of the page, ready for JSON.

        Parameters
        ----------
        live : bool, default=False
            Whether the page sends requests to Python.

        Returns
        -------
        dict
        """
        if not isinstance(live, (bool, np.bool_)):
            raise RocPredictError(f"live={short_repr(live)} is not allowed; pass True or False")
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
            **{name: text for name, text in (("title", self.title), ("url", self.url)) if text is not None},
            **({"names": self._names} if self._names else {}),
            **({} if live or not self._fits else {"fits": self._fits, "locked": python_strings(self.lang)["locked"]}),
        }

    def to_html(self) -> str:
        """Return the page as one HTML file without external resources."""
        return build_html(self.payload())

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to a file that opens in any browser.

        Parameters
        ----------
        path : path
            File to write, in an existing folder.

        Returns
        -------
        Path

        Raises
        ------
        RocPredictError
            If the file cannot be written, or its name does not end in .html or .htm.
        """
        check_suffix("path=", check_writable(path), *HTML_SUFFIXES)
        return write_atomic(path, self.to_html())

    def save_site(self, folder: str | PathLike[str], *, glossary: str | None = None) -> Path:
        """Write the page, a preview image and the worksheet to a folder that can be published on a web host.

        The page contains a citation, and links to the steps of the lesson and to the worksheet. If ``url`` was passed,
        the page also contains the tags for link previews.

        Parameters
        ----------
        folder : path
            Folder for the files index.html, preview.png and worksheet.html. The folder is created if it does not exist.
            Other files in the folder are kept.
        glossary : str, optional
            Address or relative path of a glossary, such as "../glossary.html". On the page, the definition of each term
            then links to this glossary; the anchor of the link is ``#term-`` followed by the name of the term. By
            default, definitions contain no links.

        Returns
        -------
        Path

        Raises
        ------
        RocPredictError
            If the files cannot be written, or ``glossary`` is neither an address nor a path. If an error is raised, no
            file is written.
        """
        payload = self.payload() | ({} if glossary is None else {"glossary": _check_glossary(glossary)})
        files: dict[str, str | bytes] = {"worksheet.html": worksheet_html(self.lang), "preview.png": self._picture()}
        files["index.html"] = build_html(payload, is_site=True)
        return write_folder(folder, files)

    def serve(self, port: int = 0, *, open_browser: bool = False) -> TeachingServer:
        """Serve the page on this machine; the server computes every number on request.

        Parameters
        ----------
        port : int, default=0
            Port of the server; 0 for any free port.
        open_browser : bool, default=False
            Whether to open the page in a browser.

        Returns
        -------
        TeachingServer
            Server with the attribute ``url`` and the methods ``wait`` and ``close``. The server is also a context
            manager.

        Raises
        ------
        RocPredictError
            If the port is in use or not permitted.
        """
        from rocpredict.teaching.server import TeachingServer

        check_option("open_browser", open_browser, (True, False))
        html = build_html(self.payload(live=True), served=True)
        server = TeachingServer(html, self.model().evaluate, port)
        if open_browser:
            server.open_browser()
        return server

    def widget(self) -> TeachingWidget:
        """Return the page as a notebook widget, for which the kernel computes every number.

        Returns
        -------
        TeachingWidget
            Widget; its attribute ``state`` contains the state of the page.

        Raises
        ------
        RocPredictError
            If anywidget is not installed.
        """
        try:
            from rocpredict.teaching.widget import TeachingWidget
        except ImportError:
            raise RocPredictError(
                'a widget needs anywidget: run pip install "rocpredict[notebook]", or show the page without a widget'
            ) from None
        return TeachingWidget(self.payload(live=True), self.model().evaluate, self._picture(_WIDGET_DPI))

    def to_iframe(self, width: str | float = "100%", height: str | float | None = None) -> str:
        """Return the page as one ``<iframe>`` to paste into slides or a web page.

        Parameters
        ----------
        width : float or str, default="100%"
            Width in pixels, or a length such as "100%", "60vh" or "40rem".
        height : float or str, optional
            Height in pixels, or a length such as "60vh". By default, a script after the frame adjusts the height to the
            page. Without scripts, the height is 768 pixels.

        Returns
        -------
        str

        Raises
        ------
        RocPredictError
            If a length is invalid.
        """
        title = escape(self.title or python_strings(self.lang)["title"])
        pixels = _length("height", _FRAME_HEIGHT if height is None else height)
        style = f"width:{_length('width', width)};height:{pixels};border:0"
        return (
            f'<iframe title="{title}" style="{style}" sandbox="{_SANDBOX}" srcdoc="{escape(self.to_html())}"></iframe>'
        ) + (_FRAME_SCRIPT if height is None else "")

    def model(self) -> PageModel:
        """Return the model that computes the numbers of this page."""
        return PageModel(self.data, self.lang)

    def _picture(self, dots_per_inch: float = 100) -> bytes:
        """Return the densities and the ROC curve of the initial state as a PNG file of 12 x 6.3 inches."""
        from rocpredict.plots.curves import plot_comparison, plot_roc
        from rocpredict.plots.densities import plot_densities
        from rocpredict.plots.style import NotebookFigure, figure_to_bytes

        left, right = NotebookFigure((12, 6.3)).subplots(1, 2)
        data, pair, feature = (self.start.get(name, 0) for name in ("data", "pair", "feature"))
        if data:
            rows = next(rows for rows in self.data if rows.key == data)
            rocs = feature_rocs(*rows.samples(pair, feature))
            plot_comparison(*rocs, ax=right)
            names = {
                "feature": rows.features[feature],
                "unit": rows.units[feature] or None,
                "classes": rows.pairs[pair],
            }
            predicted = rocs.predicted
        else:
            described = self._names or _gaussian_names(self.lang)
            feature, unit = described["feature"].values()
            names = {"feature": feature, "unit": unit or None, "classes": tuple(described["pair"].values())}
            predicted = gaussian_roc(parse_state(self.start))
            plot_roc(predicted, ax=right)
        plot_densities(predicted, ax=left, threshold=self.start.get("threshold"), **names)
        if self.lang != "en":  # plots are drawn in English
            _translate(left.figure, self.lang, {left.get_xlabel(), *names["classes"]})
        return figure_to_bytes(left.figure, "png", dots_per_inch=dots_per_inch)

    @cached_property
    def _dataset_payloads(self) -> list[dict[str, Any]]:
        """Return the data sets with their results, which are computed on first use."""
        return [
            dataset_payload(rows, self.lang) if rows.key == USER_KEY else builtin_payload(rows.key, self.lang)
            for rows in self.data
        ]

    @cached_property
    def _fits(self) -> dict[str, Any]:
        """Return the fitted families of the user's data for a page without Python."""
        if not any(rows.key == USER_KEY for rows in self.data):
            return {}
        return quadrature_rule() | {"views": self.model().fits(USER_KEY)}

    def _repr_html_(self) -> str:
        return f"{self.to_iframe()}\n<p>{escape(python_strings(self.lang)['notebook'])}</p>"

    def __repr__(self) -> str:
        keys = [rows.key for rows in self.data if rows.key != USER_KEY]
        begins = self.start.get("data", "two Gaussians")
        if begins == USER_KEY:
            begins = "{} of {} classes".format(
                pluralize(len(self.data[0].features), "feature"), len(self.data[0].labels)
            )
        return f"TeachingPage({begins}, datasets={keys}, lang={self.lang!r})"


def _translate(figure: Any, lang: str, names: set[str]) -> None:
    """Translate the texts and decimal marks of a figure, except names."""
    from matplotlib.text import Text

    sign = page_strings(lang)["page"]["decimal"]
    phrases = dict(zip(load_translations("en")["picture"], load_translations(lang)["picture"], strict=True))
    pattern = re.compile(rf"\b({'|'.join(phrases)})\b")
    for axis in [axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)]:
        axis.set_major_formatter(lambda value, _: f"{value:g}".replace("-", "−").replace(".", sign))
    for text in figure.findobj(Text):
        if text.get_text() not in names:
            translated = pattern.sub(lambda match: phrases[match[0]], text.get_text())
            text.set_text(re.sub(r"(?<=\d)\.(?=\d)", sign, translated))


def _length(name: str, value: Any) -> str:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    pixels = number and 0 <= value < _MAX_PIXELS
    text = f"{float(value):.12g}px" if pixels else value
    if not isinstance(text, str) or not _LENGTH.fullmatch(text):
        raise RocPredictError(
            f"{name}={short_repr(value)} is not a length; pass a number of pixels, or text such as '100%' or '60vh'"
        )
    return text if text[-1].isalpha() or text.endswith("%") else f"{text}px"
