"""Interactive teaching page on densities, thresholds and ROC curves, for a browser, a file or a notebook.

For results that you publish, use ``rocpredict.plots`` and ``rocpredict.reports``.
"""

from rocpredict.teaching.page import TeachingPage
from rocpredict.teaching.server import TeachingServer

__all__ = ["TeachingPage", "TeachingServer"]
