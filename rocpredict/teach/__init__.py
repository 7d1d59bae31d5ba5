"""The teaching page: two densities, a threshold and the ROC curve, in a browser, a file or a notebook.

Do not use it for results to publish: ``rocpredict.plots`` draws those, and ``rocpredict.report`` writes them up.
"""

from rocpredict.teach.page import TeachingPage
from rocpredict.teach.server import TeachingServer

__all__ = ["TeachingPage", "TeachingServer"]
