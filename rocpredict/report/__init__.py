"""Reports to hand over: one self-contained HTML file of a screening, or of one feature."""

from rocpredict.report.feature import feature_report
from rocpredict.report.screening import screening_report

__all__ = ["feature_report", "screening_report"]
