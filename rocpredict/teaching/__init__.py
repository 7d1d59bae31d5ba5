"""The teaching page: two densities, a threshold and the ROC curve, in a browser, a file or a notebook.

Do not use it for results to publish: ``rocpredict.plots`` draws those, and ``rocpredict.reports`` writes them up.
"""

from rocpredict.teaching.page import TeachingPage
from rocpredict.teaching.server import TeachingServer

__all__ = ["TeachingPage", "TeachingServer"]
