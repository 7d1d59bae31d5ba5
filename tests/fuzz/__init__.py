"""Random calls of the library and the command line: each returns a result, or raises one clear error or a TypeError."""
