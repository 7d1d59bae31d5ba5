"""Functions that find artists and texts on matplotlib axes."""


def artist(ax, gid):
    """Return the only artist with this gid."""
    (drawn,) = [item for item in ax.get_children() if item.get_gid() == gid]
    return drawn


def has(ax, gid):
    return any(item.get_gid() == gid for item in ax.get_children())


def legend(ax):
    """Return the texts of the legend."""
    return [] if ax.get_legend() is None else [text.get_text() for text in ax.get_legend().get_texts()]


def words(ax):
    """Return the texts on the axes and in the legend."""
    return [*(text.get_text() for text in ax.texts), *legend(ax)]
