"""Uncertainty: what an estimate from a sample may be off by, and whether two of them differ."""
