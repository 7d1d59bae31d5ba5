"""How near a predicted ROC curve comes to that of new cases: ``python -m benchmarks.fidelity``."""
