"""CSV and Parquet files as tables of features, read in parts: a file may be larger than memory.

Do not use it for small files of which each cell is wanted as text: ``sources.read_csv`` gives that.
"""

from rocpredict.table_files.scanning import TableFiles, scan_files

__all__ = ["TableFiles", "scan_files"]
