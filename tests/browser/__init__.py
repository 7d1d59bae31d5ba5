"""Tests that need a real browser: `make test-browser`, with the Chromium that `make system` installs."""
