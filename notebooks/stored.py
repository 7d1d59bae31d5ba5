"""Outputs of a notebook: stored without traces of the run, compared with those of a new run."""

import re
from html.parser import HTMLParser
from math import isclose

from nbformat import NotebookNode

_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_ADDRESS = re.compile(r"\b0x[0-9a-f]+\b")
_NEAR = 1e-6
_TEXTS = ("text/plain", "text/markdown")


class _Visible(HTMLParser):
    """Collect what a page says: its text, its words for pictures, its data, and so the pages within it."""

    def __init__(self):
        super().__init__()
        self.found, self.silent = [], False

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.silent = tag == "style" or (tag == "script" and named.get("type") != "application/json")
        self.found += [named[name] for name in ("alt", "aria-label") if named.get(name)]
        if named.get("srcdoc"):
            self.found.append(visible(named["srcdoc"]))

    def handle_endtag(self, tag):
        self.silent = False

    def handle_data(self, data):
        self.found += [] if self.silent else [data]


def visible(html):
    """Return the texts of a page without their style."""
    page = _Visible()
    page.feed(html)
    page.close()
    return " ".join(page.found)


def _texts(output):
    if output.output_type == "stream":
        return [output.text]
    if output.output_type == "error":
        return [f"{output.ename}: {output.evalue}"]
    return [output.data[kind] for kind in _TEXTS if kind in output.data] + [visible(output.data.get("text/html", ""))]


def shown(cell):
    """Return the texts and numbers that a code cell shows, with normalized whitespace."""
    text = " ".join(part for output in _joined(cell.outputs) for part in _texts(output))
    return " ".join(_ADDRESS.sub("0x", text).split())


def kinds(cell):
    """Return the types of the outputs of a code cell in their order."""
    return [kind for output in _joined(cell.outputs) for kind in sorted(output.get("data", [output.output_type]))]


def _same_number(a, b):
    if {"." in a or "e" in a, "." in b or "e" in b} == {False}:
        return a == b
    return isclose(float(a), float(b), rel_tol=_NEAR)


def same(stored, fresh):
    """Return whether two texts agree: their words exactly, their decimals to a relative 1e-6."""
    numbers = [_NUMBER.findall(text) for text in (stored, fresh)]
    return _NUMBER.sub("#", stored) == _NUMBER.sub("#", fresh) and all(map(_same_number, *numbers))


def code_cells(notebook):
    """Return the code cells."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def differences(stored, fresh):
    """Return the index, the stored and the new text of each code cell whose output has changed."""
    pairs = enumerate(zip(stored.cells, fresh.cells, strict=True))
    return [
        (index, f"{kinds(old)} {shown(old)}", f"{kinds(new)} {shown(new)}")
        for index, (old, new) in pairs
        if new.cell_type == "code" and (kinds(old) != kinds(new) or not same(shown(old), shown(new)))
    ]


def _joined(outputs):
    """Join what was printed in several pieces: where it is cut is chance."""
    joined = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output.output_type == "stream" and last.get("name") == output.name:
            joined[-1] = NotebookNode(last | {"text": last["text"] + output.text})
        else:
            joined.append(output)
    return joined


def tidy(notebook):
    """Remove what the next run would change from an executed notebook: times, versions, counters."""
    for number, cell in enumerate(code_cells(notebook), 1):
        cell.metadata, cell.execution_count, cell.outputs = {}, number, _joined(cell.outputs)
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = number
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook
