"""Standard errors, confidence intervals and tests."""
