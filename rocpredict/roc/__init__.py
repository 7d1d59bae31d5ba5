"""Predicted and empirical ROC curves, and other curves that are computed from them."""
