"""Teaching page that shows two densities, a threshold and the ROC curve in a browser, a file or a notebook.

For results that you publish, use ``rocpredict.plots`` and ``rocpredict.reports``.
"""

from rocpredict.teaching.page import TeachingPage
from rocpredict.teaching.server import TeachingServer

__all__ = ["TeachingPage", "TeachingServer"]
