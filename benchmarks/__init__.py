"""Benchmarks of speed, relative to named references that are timed in the same run: ``make bench``."""
