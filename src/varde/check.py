"""Checks of user input: numbers, counts, flags, records.

Every check returns its input, converted to the type that the rest of the package works with, or raises an error that
says what was given and what to write instead: TypeError for a wrong type, ValueError for a number out of range.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ._compile import field_kinds, is_record, verb

LARGEST = 1e150  # in size: the square of anything larger may overflow
MOST = 2**62  # the largest count; twice as much still fits into a machine word
SEEDS = 2**128
FINITE = f"a finite number, at most {LARGEST:g} in size"
NO_RESULT = "where there is none, raise an exception, or write fail(draw, reason) in a loop of your own"


def shown(given: Any, most: int = 100) -> str:
    """Its repr, shortened; works even if repr fails."""
    try:
        text = repr(given)
    except Exception:
        text = f"a {type(given).__name__} that cannot be printed"
    return text if len(text) <= most else f"{text[: most - 3]}..."


def without_numpy(given: Any) -> Any:
    """Numbers of NumPy as numbers, also in tuples and lists, so that they print as 0.5 and not as np.float64(0.5)."""
    if isinstance(given, np.generic):
        return given.item()
    if type(given) in (tuple, list):
        return type(given)(map(without_numpy, given))
    return given


def as_float(given: Any) -> float | None:
    """Something as a float: any real number, True as 1; infinite if too large, None if it is not a number."""
    if isinstance(given, (float, bool, np.bool_)):
        return float(given)
    if isinstance(given, (str, bytes, np.datetime64, np.timedelta64)):
        return None
    try:
        return float(given) if np.ndim(given) == 0 else None
    except OverflowError:
        return math.inf if given > 0 else -math.inf
    except Exception:  # whatever a foreign __float__ raises
        return None


def setting(given: Any) -> float | None:
    """The same for settings, where True is not a number."""
    return None if isinstance(given, (bool, np.bool_)) else as_float(given)


def refuse(name: str, given: Any, wanted: str, kind: type[Exception] = ValueError) -> Any:
    raise kind(f"{name} is {shown(given)}: write {wanted}")


def real(name: str, given: Any, wanted: str, allowed: Callable[[float], bool] = math.isfinite) -> float:
    """A number for which ``allowed`` holds."""
    number = setting(given)
    if number is None:
        refuse(name, given, wanted, TypeError)
    elif not allowed(number):
        refuse(name, given, wanted)
    return number  # type: ignore[return-value]


def whole(name: str, given: Any, wanted: str, low: int = 1, high: int = MOST) -> int:
    """A whole number from ``low`` to ``high``; 1e4 is one."""
    if type(given) is int and low <= given <= high:
        return given
    number = setting(given)
    if number is None:
        refuse(name, given, wanted, TypeError)
    elif not math.isfinite(number) or number != math.floor(number) or not low <= int(given) <= high:
        unsaid = high < number < math.inf and str(high) not in wanted
        refuse(name, given, f"{wanted}, at most {high:,}" if unsaid else wanted)
    return int(given)


def seed_number(given: Any) -> int:
    return whole("seed", given, "a whole number, 0 or more", 0, SEEDS - 1)


def flag(name: str, given: Any) -> bool:
    if isinstance(given, (bool, np.bool_)) or (type(given) is int and given in (0, 1)):
        return bool(given)
    return bool(refuse(name, given, "True or False", TypeError))


def positive(name: str, given: Any, wanted: str) -> float:
    """A number above 0, which may be infinite."""
    return real(name, given, wanted, lambda number: number > 0.0)


DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def decimal(text: str) -> float | None:
    """The number that a text spells in plain decimals, such as -3.5 or 1e-3; None for all else that Python would read
    (1_000, nan, inf, 1e999, digits of other scripts), which in the output of a program is hardly meant.
    """
    number = float(text) if DECIMAL.fullmatch(text.strip(" \t\r\n")) else math.inf
    return number if math.isfinite(number) else None


def engine_name(given: Any) -> str:
    if not isinstance(given, str) or given not in ("auto", "compiled", "python"):
        refuse("engine", given, '"auto", "compiled" or "python"')
    return str(given)


def some_numbers(name: str, given: Any) -> np.ndarray:
    """[n] one or more numbers that are finite and can be squared."""
    try:
        array = np.asarray(given)
        array = array.astype(np.float64) if array.dtype.kind in "biufO" else np.asarray(None)
    except (TypeError, ValueError, OverflowError):
        refuse(name, given, "a list of numbers", TypeError)
    if array.ndim != 1 or array.size == 0:
        refuse(name, given, "a list of one or more numbers", ValueError if array.dtype.kind == "f" else TypeError)
    sound = np.abs(array) <= LARGEST
    if not sound.all():
        i = int(np.argmin(sound))
        raise ValueError(f"{name}[{i}] is {array[i]}: write finite numbers, at most {LARGEST:g} in size")
    return array


# -- records -------------------------------------------------------------------------------------


@verb(fallback=True)
def problem_with(record):
    """What is wrong with the parameters of ``record``, as a sentence; empty when nothing is.

    By then, fields annotated as numbers are numbers.
    """
    return ""


def field_problem(record: Any) -> str:
    """What is wrong with the types of the fields: numbers must be numbers, also within arrays."""
    cls: Any = type(record)
    for name, kind, given in zip(cls._fields, field_kinds(cls), record, strict=True):
        usual = cls._field_defaults.get(name)
        example = "" if usual is None or is_record(usual) else f", such as {usual!r}"
        if hasattr(kind, "_fields") and not isinstance(given, kind):
            return f"{name} is {shown(given)}: write a record, {kind.__name__}(...)"
        if is_record(given) and (inner := wrong_with(given)):
            return f"{type(given).__name__}: {inner}"
        number = setting(given) if kind in (int, float) else 0.0
        most = MOST if kind is int else LARGEST
        if number is None or not abs(number) <= most or (kind is int and number != math.floor(number)):
            what = "a whole number" if kind is int else "a number" if number is None else FINITE
            return f"{name} is {shown(given)}: write {what}{example}"
        if kind is bool and not (isinstance(given, (bool, np.bool_)) or (type(given) is int and given in (0, 1))):
            return f"{name} is {shown(given)}: write True or False"
        if kind is np.ndarray and not holds_numbers(given):
            return f"{name} is {shown(given)}: write a list or an array of numbers"
    return ""


def holds_numbers(given: Any) -> bool:
    try:
        array = np.asarray(given)
        if array.dtype.kind == "O":
            array.astype(np.float64)
        return array.ndim > 0 and array.dtype.kind in "biufO"
    except (TypeError, ValueError, OverflowError):
        return False


def wrong_with(record: Any) -> str:
    """What is wrong with a record: with one of its fields, or with their combination."""
    if not is_record(record):
        return ""
    return field_problem(record) or problem_with(record)


def refuse_problem(record: Any) -> None:
    """Raise ValueError if the parameters of ``record`` are invalid."""
    problem = wrong_with(record)
    if problem:
        raise ValueError(f"{type(record).__name__}: {problem}")


def check_algorithm(algorithm: Any, verb: Any, example: str) -> None:
    """Refuse what is not an algorithm, has no case of the ``verb`` of its family, or has invalid settings."""
    if not is_record(algorithm):
        raise TypeError(f"algorithm is {shown(algorithm)}: write a record such as varde.VarDE() or {example}")
    verb.find(type(algorithm))
    refuse_problem(algorithm)


def unless_positive(name: str, given: float, example: str) -> str:
    return "" if 1.0 / LARGEST <= given <= LARGEST else f"{name} is {given}: write a positive number, such as {example}"
