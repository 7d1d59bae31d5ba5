"""Under ``--nbmake`` a notebook fails, too, if a fresh run shows other words or numbers than are stored."""

import nbformat
import pytest
from nbmake.nb_result import NotebookError
from nbmake.nb_run import NB_VERSION, NotebookRun
from nbmake.pytest_items import NotebookFailedException, NotebookFile, NotebookItem

from notebooks.stored import differences, tidy


class StoredNotebookItem(NotebookItem):
    """Run a notebook once, and compare; with ``--overwrite`` store what it shows instead."""

    def runtest(self):
        option = self.config.option
        stored = nbformat.read(self.path, NB_VERSION)
        result = NotebookRun(self.path, option.nbmake_timeout, kernel=option.nbmake_kernel).execute()
        if result.error is None and option.overwrite:
            nbformat.write(tidy(result.nb), self.path)
        elif result.error is None:
            result.error = _stale(differences(stored, result.nb))
        if result.error is not None:
            raise NotebookFailedException(result)


class StoredNotebookFile(NotebookFile):
    """One notebook."""

    def collect(self):
        yield StoredNotebookItem.from_parent(self, filename=str(self.path))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(parent):
    """Replace each item that nbmake collects with ours."""
    collected = yield
    ours = StoredNotebookFile.from_parent
    return [ours(parent, path=found.path) if isinstance(found, NotebookFile) else found for found in collected]


def _stale(found):
    if not found:
        return None
    lines = [f"cell {index}\n{_side_by_side(old, new)}" for index, old, new in found]
    summary = f"{len(found)} stored outputs differ from what the library shows: make notebooks stores the new ones"
    return NotebookError(summary=summary, trace="\n".join([summary, *lines]), failing_cell_index=found[0][0])


def _side_by_side(old, new):
    differ = (at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
    start = max(0, next(differ, min(len(old), len(new))) - 60)
    return f"  stored: ... {old[start : start + 300]}\n  now:    ... {new[start : start + 300]}"
