"""Read a whole table once and count: moments of each class, and where its values lie among the other's.

Two engines with one contract: ``numpy`` is always there, ``numba`` comes with the extra ``fast``.
"""
