"""Parquet files as one table, read by columns through polars."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from rocpredict.errors import RocPredictError
from rocpredict.features.frames import Frame
from rocpredict.features.naming import as_names
from rocpredict.features.table import Features, some_number
from rocpredict.labels import as_labels
from rocpredict.table_files.choosing import chosen_columns, same_columns


class ParquetFiles:
    """Hold Parquet files with the same columns."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._scans = [_scan(path) for path in paths]
        self._schemas = [_schema(*it) for it in zip(self._scans, paths, strict=True)]
        self.names = tuple(self._schemas[0])
        if not self.names:
            raise RocPredictError(f"{paths[0].name} has no columns")
        for path, schema in zip(paths[1:], self._schemas[1:], strict=True):
            self._compare(path, schema)

    def features(
        self, *, label: str | None = None, only: Sequence[str] | None = None
    ) -> tuple[Features, NDArray[Any] | None]:
        """Read the features and the labels, as ``TableFiles`` says."""
        import narwhals
        import polars

        first = self._paths[0].name
        names, label = chosen_columns(self.names, first, label=label, only=only)
        wanted = [*names, *([label] if label else [])]
        whole = polars.concat([scan.select(wanted) for scan in self._scans], how="vertical_relaxed")
        source = _Scanned(narwhals.from_native(whole), ", ".join(path.name for path in self._paths[:3]))
        if not source.shape[0]:
            raise RocPredictError(f"{first} has columns and no rows")
        table = Features(as_names(wanted, len(wanted)), source.shape[0], source, source.not_numeric)
        if label is None:
            return some_number(table), None
        labels = as_labels(table.labels(len(names)), ((),))
        return some_number(table.select(slice(0, len(names)))), labels

    def __repr__(self) -> str:
        return f"ParquetFiles({[path.name for path in self._paths]}, {len(self.names)} columns)"

    def _compare(self, path: Path, schema: Any) -> None:
        first = self._paths[0].name
        same_columns(first, self.names, path.name, list(schema))
        for name, kind in self._schemas[0].items():
            if _family(kind) != _family(schema[name]):
                raise RocPredictError(
                    f"{path.name}: column {name!r} holds {schema[name]} where {first} has {kind}; "
                    "columns must be of one kind"
                )


class _Scanned(Frame):
    """Hold Parquet files as a lazy frame; a file that cannot be read further is said in our own words."""

    def __init__(self, frame: Any, name: str) -> None:
        self._name = name
        super().__init__(frame)

    def collected(self, query: Any) -> Any:
        return _or_refuse(query.collect, self._name)


def _scan(path: Path) -> Any:
    try:
        import narwhals  # noqa: F401
        import polars
    except ImportError:
        raise RocPredictError(f"{path.name} is Parquet, which needs polars: pip install 'rocpredict[frames]'") from None
    return polars.scan_parquet(path, glob=False)


def _schema(scan: Any, path: Path) -> Any:
    return _or_refuse(scan.collect_schema, path.name)


def _or_refuse(work: Any, name: str) -> Any:
    import narwhals
    import polars

    try:
        return work()
    except (
        polars.exceptions.PolarsError,
        polars.exceptions.PanicException,
        narwhals.exceptions.NarwhalsError,
        OSError,
    ) as error:
        reason = next(iter(str(error).splitlines()), "").strip()
        raise RocPredictError(f"{name} cannot be read as Parquet: {reason}") from None


def _family(kind: Any) -> str:
    """Give what kinds can stand in one column: all numbers and booleans, else each its own."""
    if kind.is_numeric() or str(kind) in ("Boolean", "Null"):
        return "number"
    return type(kind).__name__
