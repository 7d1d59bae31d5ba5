"""Self-contained HTML reports of a screening or of one feature."""

from rocpredict.reports.feature import feature_report
from rocpredict.reports.screening import screening_report

__all__ = ["feature_report", "screening_report"]
