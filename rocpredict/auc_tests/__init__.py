"""Whether curves differ: two on the same cases, two on different ones, several, or one from a value."""

from rocpredict.auc_tests.many import AucTestMany, auc_covariance, auc_test_many
from rocpredict.auc_tests.paired import auc_test
from rocpredict.auc_tests.unpaired import auc_test_unpaired

__all__ = ["AucTestMany", "auc_covariance", "auc_test", "auc_test_many", "auc_test_unpaired"]
