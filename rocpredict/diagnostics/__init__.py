"""Goodness of fit of predicted ROC curves and of class distributions."""
