"""Teaching page with two densities, a threshold and the ROC curve, in a browser, a file or a notebook.

Use ``rocpredict.plots`` and ``rocpredict.reports`` for results to publish.
"""

from rocpredict.teaching.page import TeachingPage
from rocpredict.teaching.server import TeachingServer

__all__ = ["TeachingPage", "TeachingServer"]
