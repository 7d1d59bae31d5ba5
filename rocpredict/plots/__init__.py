"""Pictures: each function takes ``ax`` and returns it."""
