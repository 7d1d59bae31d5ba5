"""How intervals cover, and how tests keep their level: ``python -m benchmarks.coverage``."""
