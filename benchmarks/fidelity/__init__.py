"""Distance of predicted ROC curves from those of test data: ``python -m benchmarks.fidelity``."""
