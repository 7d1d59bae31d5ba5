"""Solvers: every quantity of the ROC curve of two distributions."""
