"""Results, validation, labels, rates and files: code that is used by all other subpackages."""
