"""What is kept of a table that was read once: counts and moments of each class, which merge.

Do not use it where ranks are needed: an empirical AUC is not a function of moments.
"""

from rocpredict.summary.kept import ClassSummary, TwoClassSummary
from rocpredict.summary.reading import contrasted, read_moments, summarize

__all__ = ["ClassSummary", "TwoClassSummary", "contrasted", "read_moments", "summarize"]
