"""Blank figures of the right size, for tests that do not examine figures, because drawing is slow."""


def leave_blank(monkeypatch):
    """Make all matplotlib figures blank until the patch is undone."""
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", _white)


def _white(figure, file, *, format, dpi):  # noqa: A002
    """Write the pixels of a white picture in the requested size."""
    assert format == "raw"
    width, height = (round(inches * dpi - 1e-6) for inches in figure.get_size_inches())
    file.write(b"\xff" * 4 * width * height)
