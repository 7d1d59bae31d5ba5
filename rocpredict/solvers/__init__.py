"""Solvers, which compute the ROC curve of two distributions."""
