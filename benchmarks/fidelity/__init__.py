"""Distance between predicted ROC curves and the empirical curves of test data: ``python -m benchmarks.fidelity``."""
