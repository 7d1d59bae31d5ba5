"""Error classes and argument validation."""

import re
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice
from numbers import Number
from operator import index
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray


class RocPredictError(ValueError):
    """Error for an invalid argument; the message names the argument and states its value and the accepted values."""

    def __init__(self, message: object = "") -> None:
        super().__init__(" ".join(str(message).splitlines()))  # a file name can contain a new line


class MissingExtraError(RocPredictError, ImportError):
    """Error for a missing optional dependency, with the name of the extra to install."""


class AssumptionWarning(UserWarning):
    """Warning that a result relies on an assumption that the data contradict."""


FloatArray: TypeAlias = NDArray[np.float64]
if TYPE_CHECKING:  # ``Interval`` means ``Interval[float]``; at run time, such a default needs Python 3.13
    from typing_extensions import TypeVar

    Value = TypeVar("Value", bound=float | FloatArray, covariant=True, default=float)
else:
    from typing import TypeVar

    Value = TypeVar("Value", bound=float | FloatArray, covariant=True)
"""A float for one feature, or a float64 array of shape F for a batch of features."""
ArrayOrFloat: TypeAlias = Any
"""A float or an array; used inside the package for functions that accept both."""
Label: TypeAlias = Hashable
"""A class label: a string, a number, a boolean or a date."""
Seed: TypeAlias = int | Sequence[int] | np.random.SeedSequence | np.random.BitGenerator | np.random.Generator | None
"""Seed or generator that ``numpy.random.default_rng`` accepts."""
Direction: TypeAlias = Literal["higher", "lower", "auto"] | None
"""Side of the threshold on which observations are classified as positive."""
Directions: TypeAlias = Direction | Sequence[Literal["higher", "lower"]]
"""One direction for all curves, or one for each curve."""
Correction: TypeAlias = Literal["mcclish"] | None
"""Scale of a partial area: unchanged, or standardized by the method of McClish (1989)."""
Pairs: TypeAlias = Literal["rest", "all"]
"""Comparisons of several classes: each class against the rest, or every pair of classes."""
NanPolicy: TypeAlias = Literal["raise", "omit"]
"""Handling of missing values."""


def to_scalar(values: ArrayLike) -> ArrayOrFloat:
    """Convert a 0-d array to a Python scalar, and return other arrays unchanged."""
    array = np.asarray(values)
    return array.item() if array.ndim == 0 else array


def readonly_array(values: ArrayLike) -> FloatArray:
    """Return a read-only float64 copy."""
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


_NUMBER_TYPES = {int, float, str, NoneType, np.float64, np.int64}


def to_numbers(values: Any) -> FloatArray:
    """Convert a list of numbers to an array, with NaN for None and infinity for "inf"; raise TypeError for others."""
    texts = {item for item in values if isinstance(item, str)}
    if not {*map(type, values)} <= _NUMBER_TYPES or not texts <= {"inf", "-inf"}:
        raise TypeError
    return np.array([np.nan if item is None else item for item in values], dtype=np.float64)


def check_real(name: str, value: ArrayLike) -> FloatArray:
    """Return ``value`` as float64, or raise RocPredictError if it is not real or contains NaN."""
    try:
        array = np.asarray(value)
        single = array.dtype == object and array.ndim == 0
        if array.dtype.kind not in "biufO" or (single and not isinstance(value, Number)):
            raise TypeError
    except (TypeError, ValueError):
        raise RocPredictError(f"{name}={short_repr(value)} is not a real number or an array of real numbers") from None
    array = as_float_array(name, array)
    if np.isnan(array).any() or np.ma.is_masked(value):
        raise RocPredictError(f"{name}={short_repr(value)} contains NaN; real numbers are needed")
    return array


def check_result(name: str, value: object, kind: type, maker: str) -> None:
    """Raise an error if ``value`` is not an instance of the class ``kind``.

    The error message recommends ``maker``, the name of a function that returns such objects.
    """
    if not isinstance(value, kind):
        raise RocPredictError(f"{name}={short_repr(value)} is not a {kind.__name__}; pass the result of {maker}")


def as_float_array(name: str, array: NDArray[Any]) -> FloatArray:
    """Convert numbers to float64, with NaN for missing values; raise an error if float64 cannot represent a number."""
    if array.dtype == np.float64:
        return array
    if array.dtype.kind == "O":
        return _object_array_to_float(name, array)
    if array.dtype.kind in "iu":
        check_exact_integers(name, array[np.abs(array) >= 2**53].tolist())
    try:
        with np.errstate(over="raise"):
            return array.astype(np.float64, copy=False)
    except FloatingPointError:
        raise RocPredictError(f"{name} contains numbers beyond the range of float64; pass smaller numbers") from None


def _object_array_to_float(name: str, array: NDArray[Any]) -> FloatArray:
    check_exact_integers(name, [item for item in array.flat if isinstance(item, (int, np.integer))])
    try:
        if any(isinstance(item, (str, bytes)) for item in array.flat):
            raise TypeError
        floats = [np.nan if is_missing(item) else float(item) for item in array.flat]
    except (TypeError, ValueError, ArithmeticError):
        type_names = ", ".join(sorted({type(item).__name__ for item in array.flat}))
        raise RocPredictError(
            f"{name} contains objects ({type_names}) that cannot all be converted to float; pass numbers"
        ) from None
    return np.array(floats, dtype=np.float64).reshape(array.shape)


def check_exact_integers(name: str, integers: list[Any]) -> None:
    """Raise RocPredictError if float64 cannot represent one of the integers."""
    if any(abs(item) > sys.float_info.max or int(float(item)) != item for item in integers):
        raise RocPredictError(
            f"{name} contains integers beyond 2**53 that float64 cannot distinguish; subtract an offset first"
        )


def is_missing(item: Any) -> bool:
    """Return whether a value is None, NaN, ``pandas.NA`` or ``pandas.NaT``."""
    if item is None or type(item).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(item != item)  # noqa: PLR0124
    except (TypeError, ValueError, ArithmeticError):  # no truth value, or a signaling NaN
        return False


def is_scalar(value: object) -> bool:
    """Return whether a value is a scalar; nested lists of unequal lengths are not scalars."""
    try:
        return np.ndim(value) == 0  # type: ignore[arg-type]
    except ValueError:
        return False


def check_finite(name: str, value: ArrayLike) -> FloatArray:
    """Return ``value`` as float64, or raise RocPredictError if it is not finite."""
    array = check_real(name, value)
    if np.isinf(array).any():
        raise RocPredictError(f"{name}={short_repr(value)} contains infinite values; finite numbers are needed")
    return array


def check_whole_counts(count: ArrayLike) -> None:
    """Raise RocPredictError if a number of observations is not a whole number; 60.0 is accepted."""
    numbers = check_finite("count", count)
    broken = numbers[numbers != np.round(numbers)]
    if broken.size:
        raise RocPredictError(f"count={short_repr(broken[0])} is not a whole number; pass a whole number")


def check_probabilities(name: str, value: ArrayLike, *, inclusive: bool = True) -> FloatArray:
    """Return ``value`` as float64, or raise RocPredictError if a number is outside [0, 1].

    With ``inclusive=False``, 0 and 1 are not accepted either.
    """
    array = check_real(name, value)
    inside = (array >= 0) & (array <= 1) if inclusive else (array > 0) & (array < 1)
    if not inside.all():
        allowed = "[0, 1]" if inclusive else "the open interval (0, 1)"
        hint = "; pass fractions, not percentages" if (array > 1).any() else ""
        raise RocPredictError(f"{name}={short_repr(value)} is outside {allowed}{hint}")
    return array


def check_probability(name: str, value: ArrayLike, *, ends: bool = True) -> float:
    """Return ``value`` as a float, or raise RocPredictError if it is not one number in [0, 1].

    With ``ends=False``, 0 and 1 are not accepted either.
    """
    return check_single(name, check_probabilities(name, value, inclusive=ends))


def check_single(name: str, checked: FloatArray) -> float:
    """Return a checked array as a float, or raise RocPredictError if it is not one number."""
    if checked.ndim:
        raise RocPredictError(f"{name}={short_repr(checked.tolist())} has shape {checked.shape}; pass one number")
    return float(checked)


def check_nonnegative(name: str, value: ArrayLike) -> FloatArray:
    """Return ``value`` as float64, or raise RocPredictError if it is negative or not finite."""
    array = check_finite(name, value)
    if (array < 0).any():
        raise RocPredictError(f"{name}={short_repr(value)} is negative; it must be 0 or more")
    return array


def is_list(value: object) -> bool:
    """Return whether a value is an iterable other than text, a mapping, a set, a 0-d array or a sparse matrix."""
    has_items = bool(getattr(value, "ndim", 1)) and not hasattr(value, "tocsc")
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping, set, frozenset)) and has_items


def check_pair(name: str, value: object, expected: str = "(negative, positive)") -> tuple[Any, Any]:
    """Return ``value`` as a tuple of two items, or raise RocPredictError if it is not an ordered pair."""
    items = tuple(value) if is_list(value) else ()  # type: ignore[arg-type]
    if len(items) != 2:
        raise RocPredictError(f"{name}={short_repr(value)} is not a pair; pass {expected}")
    return items


def check_list(name: str, value: Any, expected: str, items: str = "names") -> list[Any]:
    """Return the items of an iterable as a list, or raise RocPredictError if ``value`` is text or not iterable."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) != 1:
        raise RocPredictError(f"{name}={short_repr(value)} is not a list of {items}; pass {expected}")
    return value.tolist() if isinstance(value, np.ndarray) else list(value)


def check_int(name: str, value: object, *, least: int | None = None) -> int:
    """Return ``value`` as an int, or raise RocPredictError if it is not an integer or is below ``least``."""
    try:
        number = index(value)  # type: ignore[arg-type]
    except TypeError:
        raise RocPredictError(f"{name}={short_repr(value)} is not an integer") from None
    if least is not None and number < least:
        raise RocPredictError(f"{name}={number} is below {least}; pass {least} or more")
    return number


def check_seed(name: str, seed: Seed) -> np.random.Generator:
    """Return a random generator for a seed, or the generator that was passed."""
    try:
        # NumPy crashes on a list that contains itself, unless the list is first converted to an array
        return np.random.default_rng(np.asarray(seed) if isinstance(seed, (list, tuple)) else seed)
    except (TypeError, ValueError, OverflowError):
        raise RocPredictError(
            f"{name}={short_repr(seed)} is not a valid seed; pass a nonnegative integer, or a numpy Generator"
        ) from None


def select_indices(name: str, item: Any, length: int) -> NDArray[np.intp]:
    """Return the indices that ``item`` selects, which must be an index, a slice, a list of indices or a mask."""
    try:
        key = item if isinstance(item, slice) else np.asarray(item)
        if isinstance(key, np.ndarray):
            key = key.astype(np.intp) if key.ndim == 1 and not key.size else key
            if key.dtype.kind not in "biu" or key.ndim > 1 or (key.dtype.kind == "b" and key.shape != (length,)):
                raise TypeError
        return np.atleast_1d(np.arange(length)[key])
    except (TypeError, ValueError, LookupError, OverflowError):
        raise RocPredictError(
            f"{name}={short_repr(item)} is not a valid index into {length} items; pass an index, a slice, a list of "
            f"indices or a mask of shape ({length},)"
        ) from None


def check_option(name: str, value: object, allowed: Iterable[object]) -> Any:
    """Return the allowed option that equals ``value``, or raise RocPredictError; ``value`` may be a NumPy scalar."""
    options = list(allowed)
    plain = value.item() if isinstance(value, np.generic) else value
    for option in options:
        if isinstance(plain, type(option)) and (plain is option or plain == option):
            return option
    choices = ", ".join(map(repr, options))
    raise RocPredictError(
        f"{name}={short_repr(value)} is not allowed; choose one of {choices}{suggest(plain, options)}"
    )


def first_line(error: BaseException) -> str:
    """Return the first line of an error message."""
    return next(iter(str(error).splitlines()), "").strip()


_MAX_SUGGESTIONS = 5_000  # largest number of names that are compared with a word


def suggest(word: object, names: Iterable[object]) -> str:
    """Return the suggestion "; did you mean 'name'?", or "" if no name is similar to ``word``.

    A name that differs from ``word`` only in its Python type is also suggested.

    Examples
    --------
    >>> suggest("glucse", ["glucose", "mass"])
    "; did you mean 'glucose'?"
    >>> suggest("1", [0, 1])
    '; did you mean 1?'
    """
    choices = [*islice(names, _MAX_SUGGESTIONS)]
    same = [name for name in choices if type(name) is not type(word) and _as_text(name) == _as_text(word) is not None]
    by_case = {name.casefold(): name for name in reversed(choices) if isinstance(name, str)}
    nearest = get_close_matches(word.casefold(), by_case, 1) if isinstance(word, str) and not same else []
    candidates = same or [by_case[name] for name in nearest]
    return f"; did you mean {short_repr(candidates[0])}?" if candidates else ""


def _as_text(value: object) -> str | None:
    """Convert text, a number or a boolean to text, so that 1 and "1" become equal; return None for other objects."""
    text = str(value).strip().casefold() if isinstance(value, (str, Number, np.generic)) else None
    with suppress(TypeError, ValueError):
        return repr(float(text))  # type: ignore[arg-type]
    return text


def broadcast_arrays(**arrays: FloatArray) -> tuple[FloatArray, ...]:
    """Return the arrays broadcast to a common shape, or raise RocPredictError if the shapes are incompatible."""
    try:
        return np.broadcast_arrays(*arrays.values())
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise RocPredictError(f"shapes cannot be broadcast: {shapes}; pass arrays with the same shape") from None


def is_number_text(text: Any) -> bool:
    """Return whether ``text`` can be converted to a float."""
    try:
        float(text)
    except (TypeError, ValueError):
        return False
    return True


def number_format_hint(text: object, mark: str = "point") -> str:
    """Return a hint on how to write numbers, or "".

    The hint is returned if ``text``, such as "7%", resembles a number but cannot be converted to a float.
    """
    is_wrong = isinstance(text, str) and re.match(r"\W*\d", text) and not is_number_text(text)
    return f" (write a decimal {mark}, no thousands separator and no unit)" if is_wrong else ""


def short_repr(value: object, width: int = 60) -> str:
    """Return the repr of a value, cut to ``width`` characters.

    For a series or data frame, return the type and the size instead.
    """
    shape = getattr(value, "shape", None)
    if type(value).__name__ in ("Series", "DataFrame") and isinstance(shape, tuple) and len(shape) in (1, 2):
        size = f"{shape[0]} values" if len(shape) == 1 else f"{shape[0]} rows and {shape[1]} columns"
        return f"<{type(value).__name__} of {size}>"
    is_plain = isinstance(value, np.generic) and value.dtype.kind not in "mM"
    text = repr(value.item() if is_plain else value)  # type: ignore[attr-defined]
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 3]}..."
