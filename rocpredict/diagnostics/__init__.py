"""Goodness of fit of a predicted ROC curve."""
