"""White pictures of the right size, for tests that do not examine pictures: drawing is the slowest part of a page."""


def leave_blank(monkeypatch):
    """Make all figures of matplotlib white until the patch is undone."""
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", _white)


def _white(figure, file, *, format, dpi):  # noqa: A002
    """Write the pixels of a white picture in the requested size."""
    assert format == "raw"
    width, height = (round(inches * dpi - 1e-6) for inches in figure.get_size_inches())
    file.write(b"\xff" * 4 * width * height)
