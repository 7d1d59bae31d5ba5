"""Self-contained HTML reports on a screening or on one feature."""

from rocpredict.reports.feature import feature_report
from rocpredict.reports.screening import screening_report

__all__ = ["feature_report", "screening_report"]
