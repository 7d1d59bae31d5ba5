"""Results, validation, labels, rates and files: shared by all other rooms."""
