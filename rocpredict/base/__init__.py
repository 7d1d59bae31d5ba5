"""Results, validation, labels, rates and files: the parts that all other subpackages use."""
