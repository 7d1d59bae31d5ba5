"""Random calls of the library and of the command line: an answer, one clear error, or Python's own signature error."""
