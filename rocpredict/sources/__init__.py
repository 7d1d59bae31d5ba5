"""Tables of features: arrays, sparse matrices, data frames and files."""
