"""Whether to believe a predicted ROC curve: what the rows say about the distributions behind it.

Do not use it to choose a family by its p-values: a check that finds nothing on 20 rows has seen little, and one that
finds something on 20,000 may have found what does no harm. ``family="auto"`` leans on the rows as far as they speak.
"""

from rocpredict.diagnosis.judging import Finding
from rocpredict.diagnosis.results import Diagnosis
from rocpredict.diagnosis.running import diagnose
from rocpredict.diagnosis.shape import ClassShape

__all__ = ["ClassShape", "Diagnosis", "Finding", "diagnose"]
