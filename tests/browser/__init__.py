"""What only a real browser can show: `make test-browser`, with the Chromium that `make system` installs."""
