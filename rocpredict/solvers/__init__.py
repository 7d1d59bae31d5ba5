"""Solvers of the ROC curve of two distributions."""
