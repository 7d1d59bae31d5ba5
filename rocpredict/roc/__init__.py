"""ROC curves: predicted, empirical, and curves derived from them."""
