"""Coverage of the intervals and levels of the tests: ``python -m benchmarks.coverage``."""
