"""Files written whole or not at all."""

import os
import tempfile
from pathlib import Path

from rocpredict.errors import RocPredictError


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file, so that a reader finds the old one or the new one and never a part.

    Parameters
    ----------
    path : path
        In a folder that exists.
    content : str or bytes
        Text is written as UTF-8.

    Raises
    ------
    RocPredictError
        A place that cannot be written to.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(name, 0o666 & ~_umask())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise RocPredictError(f"{path} cannot be written: {error.strerror or error}") from None
    return path


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Make a folder where there is none.

    Raises
    ------
    RocPredictError
        A place where none can be made.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RocPredictError(f"{path} cannot be written: {error.strerror or error}") from None
    return Path(path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
