"""Results, validation, labels, rates and files, which all other subpackages use."""
