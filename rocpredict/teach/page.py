"""The teaching page as an object: a file, a server, a notebook's output."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cached_property
from html import escape
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rocpredict.arguments import one_of, shown
from rocpredict.datasets import BUILT_IN
from rocpredict.errors import RocPredictError
from rocpredict.files import write_whole
from rocpredict.teach import bundle
from rocpredict.teach.answering import FAMILIES, Answering
from rocpredict.teach.facts import reason_why_not, why_not
from rocpredict.teach.payload import dataset_of, payload_of
from rocpredict.teach.rows import OWN, Rows, built_in, own_rows
from rocpredict.teach.starting import begun, checked, gaussians, keys, refuse, refuse_pair
from rocpredict.teach.wording import languages, python_words, text_or_none

if TYPE_CHECKING:
    from rocpredict.teach.server import TeachingServer

_LENGTH = re.compile(r"\d+(\.\d+)?(%|px|em|rem|vw|vh)?", re.ASCII)
_MOST_PIXELS = 1e9
_SANDBOX = "allow-scripts allow-downloads allow-popups allow-modals"


class TeachingPage:
    """Show two densities, a threshold and the ROC curve, with everything that moves in step with them.

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
    threshold, prevalence, cost : float, optional
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
    {'data': 'iris', 'contrast': 2, 'feature': 2}
    """

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        *,
        positive: Any = None,
        negative: Any = None,
        feature: Any = None,
        unit: Any = None,
        mean: Any = None,
        std: Any = None,
        threshold: float | None = None,
        prevalence: float | None = None,
        cost: float | None = None,
        datasets: Iterable[str] = BUILT_IN,
        lang: str = "en",
        lesson: bool = True,
        lecture: bool = False,
        title: str | None = None,
    ) -> None:
        self.lang: str = one_of("lang", lang, languages())
        self.lesson = bool(one_of("lesson", lesson, (True, False)))
        self.title = text_or_none("title", title)
        lecture = bool(one_of("lecture", lecture, (True, False)))
        named = {"positive": positive, "negative": negative, "feature": feature, "unit": unit}
        chosen = keys(datasets)
        if isinstance(x, str):
            chosen, start = begun(x, y, named, chosen)
            own = []
        elif x is not None:
            own = [own_rows(x, y, **named)]
            start = {"data": OWN}
        else:
            refuse("x", {"y": y} | named)
            own, start = [], {}
        if x is not None:
            refuse_pair(mean, std)
        self.data: list[Rows] = own + [built_in(key) for key in chosen]
        moved = {"threshold": threshold, "prevalence": prevalence, "cost": cost}
        start |= gaussians(mean, std) | checked({name: value for name, value in moved.items() if value is not None})
        self.start: dict[str, Any] = start | ({"lecture": True} if lecture else {})
        self._choose_feature()

    def payload(self, *, live: bool = False) -> dict[str, Any]:
        """Give all that Python writes into the page; ``live`` for one that asks Python again."""
        families = FAMILIES if live else None
        options: dict[str, Any] = {"lang": self.lang, "lesson": self.lesson, "title": self.title}
        return payload_of(self._written, start=self.start, families=families, **options)

    def to_html(self) -> str:
        """Give the page as one HTML file that fetches nothing."""
        return bundle.html_of(self.payload())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page into a file, to be opened by a double click.

        Raises
        ------
        RocPredictError
            A place that cannot be written to.
        """
        return write_whole(path, self.to_html())

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
        from rocpredict.teach.server import TeachingServer

        one_of("open_browser", open_browser, (True, False))
        html = bundle.html_of(self.payload(live=True), served=True)
        server = TeachingServer(html, self.answering().answer, port)
        if open_browser:
            server.open_browser()
        return server

    def widget(self) -> Any:
        """Give the page as a widget for notebooks, where the kernel does the sums; ``widget.state`` is what it shows.

        Raises
        ------
        RocPredictError
            anywidget is not installed.
        """
        try:
            from rocpredict.teach.widget import TeachingWidget
        except ImportError:
            raise RocPredictError(
                'a widget needs anywidget: pip install "rocpredict[notebook]"; without it, show the page itself'
            ) from None
        return TeachingWidget(self.payload(live=True), self.answering().answer)

    def embed(self, width: str | float = "100%", height: str | float = 900) -> str:
        """Give the page as one ``<iframe>`` to paste into slides or a web page.

        Parameters
        ----------
        width, height : number of pixels, or str
            A length such as "100%", "60vh" or "40rem".

        Raises
        ------
        RocPredictError
            What is no length.
        """
        title = escape(self.title or python_words(self.lang)["title"])
        style = f"width:{_length('width', width)};height:{_length('height', height)};border:0"
        return (
            f'<iframe title="{title}" style="{style}" sandbox="{_SANDBOX}" srcdoc="{escape(self.to_html())}"></iframe>'
        )

    def answering(self) -> Answering:
        """Give what answers for a state of this page."""
        return Answering(self.data, self.lang)

    def _choose_feature(self) -> None:
        """Begin with the first feature of the user's data that can be shown, or refuse data without any."""
        if self.start.get("data") != OWN:
            return
        rows = self.data[0]
        places = product(range(len(rows.contrasts)), range(len(rows.features)))
        shows = next((place for place in places if why_not(*rows.pair(*place)) is None), None)
        if shows is None:
            reason = reason_why_not(rows, 0, 0, python_words(self.lang))
            raise RocPredictError(f"x has no feature to show: {reason}")
        if shows != (0, 0):
            self.start |= {"contrast": shows[0], "feature": shows[1]}

    @cached_property
    def _written(self) -> list[dict[str, Any]]:
        """Give the data with the library's numbers, which take a while: computed when a page is first wanted."""
        return [dataset_of(rows, self.lang) for rows in self.data]

    def _repr_html_(self) -> str:
        return f"{self.embed()}\n<p>{escape(python_words(self.lang)['notebook'])}</p>"

    def __repr__(self) -> str:
        keys = [rows.key for rows in self.data if rows.key != OWN]
        begins = self.start.get("data", "two Gaussians")
        if begins == OWN:
            begins = f"{len(self.data[0].features)} features of {len(self.data[0].labels)} classes"
        return f"TeachingPage({begins}, datasets={keys}, lang={self.lang!r})"


def _length(name: str, value: Any) -> str:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    pixels = number and 0 <= value < _MOST_PIXELS
    text = f"{float(value):.12g}px" if pixels else value
    if not isinstance(text, str) or not _LENGTH.fullmatch(text):
        raise RocPredictError(f"{name}={shown(value)} is not a length; give pixels, or such as '100%' or '60vh'")
    return text if text[-1].isalpha() or text.endswith("%") else f"{text}px"
