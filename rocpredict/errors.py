"""What can go wrong with an input, and what may be wrong with an assumption."""


class RocPredictError(ValueError):
    """Refuse an input: the message names the argument, what came and what is allowed."""


class MissingExtraError(RocPredictError, ImportError):
    """Refuse what an optional library is needed for: the message names the extra."""


class AssumptionWarning(UserWarning):
    """Warn that an answer rests on an assumption that the input puts in doubt."""
