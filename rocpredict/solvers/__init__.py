"""Solvers that compute the ROC curve of two distributions."""
