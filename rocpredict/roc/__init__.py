"""Predicted and empirical ROC curves, and curves derived from them."""
