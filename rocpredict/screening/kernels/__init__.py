"""Kernels for moments and counts of many features, in numpy and numba."""
