"""White pictures of the right size, for tests that look at none: drawing is the slow part of a page."""


def leave_blank(monkeypatch):
    """Let matplotlib's figures be white, until the patch is undone."""
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", _white)


def _white(figure, file, *, format, dpi):  # noqa: A002
    """Write the pixels of a white picture, as a report asks for them."""
    assert format == "raw"
    width, height = (round(inches * dpi - 1e-6) for inches in figure.get_size_inches())
    file.write(b"\xff" * 4 * width * height)
