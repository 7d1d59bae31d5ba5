"""Many features at once: which of them tells the classes apart, how well, and how sure is that."""

from rocpredict.screening.adjust import ADJUSTMENTS, adjusted
from rocpredict.screening.running import screen
from rocpredict.screening.table import Screening

__all__ = ["ADJUSTMENTS", "Screening", "adjusted", "screen"]
