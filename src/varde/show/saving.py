"""An answer as a JSON file, and whether two answers are the same.

Records become {"record": name, "fields": [...]}, arrays {"array": [...], "type": ...}; a file can name only the records
that the answer lists, so reading one runs nothing.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._files import StoreError
from ..check import shown

FORMAT = 3
PLAIN: dict[str, Callable[[Any], Any]] = {
    "float": float,
    "complex": complex,
    "bytes": bytes.fromhex,
}  # what JSON has no numbers or texts for


def write(kind: str, state: Mapping[str, Any], path: Path) -> None:
    """Write the ``state`` of an answer; an older file stays until the new one is complete."""
    record = {"varde": kind.lower(), "format": FORMAT, "state": {name: encode(value) for name, value in state.items()}}
    text = json.dumps(record, separators=(",", ":"), allow_nan=False)
    write_text(text, path)


def write_text(text: str, path: str | Path) -> None:
    """Write a file whole, or not at all."""
    path = Path(path).resolve()  # what a link leads to is replaced, not the link
    if path.exists() and not path.is_file():  # a device, or a folder, which is refused
        path.write_text(text, encoding="utf-8", newline="")
        return
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        beside.write_text(text, encoding="utf-8", newline="")
        beside.replace(path)
    except OSError as error:  # which names the other file
        raise type(error)(error.errno, error.strerror, str(path)) from None
    finally:
        beside.unlink(missing_ok=True)


def read(kind: str, path: Path, records: Sequence[type]) -> dict[str, Any]:
    """The state that ``write`` wrote."""
    what = kind.lower()
    wanted = f"write the path of what {what}.save wrote"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise StoreError(f"{path} is not a {what}: it is not JSON ({error}): {wanted}") from error
    found = record.get("varde") if isinstance(record, dict) else None
    if found != what:
        raise StoreError(f"{path} is not a {what}{f' but a {found}' if isinstance(found, str) else ''}: {wanted}")
    if record.get("format") != FORMAT:
        other = shown(record.get("format"))
        raise StoreError(f"{path} has format {other}, and this version reads {FORMAT}: use the version that wrote it")
    known = {each.__name__: each for each in records}
    try:
        return {str(name): decode(value, known) for name, value in record["state"].items()}
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise StoreError(f"{path} is damaged ({type(error).__name__}: {error}): use a copy, or run it again") from error


def encode(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, bytes | complex):
        return {"bytes": value.hex()} if isinstance(value, bytes) else {"complex": repr(value)}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        plain = value.dtype.kind != "f" or bool(np.isfinite(value).all())
        flat = value.ravel().tolist()
        return {"array": flat if plain else [*map(encode, flat)], "type": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, list):
        return [*map(encode, value)]
    if is_ours(value):
        return {"record": type(value).__name__, "fields": [encode(part) for part in parts_of(value)]}
    if isinstance(value, tuple):
        return {"tuple": [*map(encode, value)]}
    if isinstance(value, frozenset):
        return {"set": sorted(map(encode, value), key=repr)}
    if isinstance(value, Mapping):
        return {"dict": [[encode(key), encode(one)] for key, one in value.items()]}
    raise TypeError(
        f"{shown(value)} cannot be written to a file: let options, states and actions be texts, numbers, or lists, "
        "tuples and dicts of them, or pickle the answer; to_json writes all that is known, with their names"
    )


def decode(value: Any, records: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [decode(one, records) for one in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        flat, kind = [decode(one, records) for one in value["array"]], np.dtype(value["type"])
        if kind.kind not in "biuf":
            raise ValueError("an array has another type")
        return np.array(flat, kind).reshape(value["shape"])
    if "tuple" in value:
        return tuple(decode(one, records) for one in value["tuple"])
    if "dict" in value:
        return {decode(key, records): decode(one, records) for key, one in value["dict"]}
    if "set" in value:
        return frozenset(decode(one, records) for one in value["set"])
    for name, made in PLAIN.items():
        if name in value:
            return made(value[name])
    kind = records[value["record"]]
    parts = [decode(one, records) for one in value["fields"]]
    if not hasattr(kind, "_make"):
        return kind(*parts)
    if len(parts) != len(kind._fields):
        raise ValueError(f"a {value['record']} has {len(kind._fields)} fields, not {len(parts)}")
    return kind._make(parts)  # as it was: the checks of a constructor are for users


def is_ours(value: Any) -> bool:
    """Whether it is a record of this package."""
    record = hasattr(value, "_fields") or hasattr(value, "_parts") or is_dataclass(value)
    return record and type(value).__module__.split(".")[0] == __name__.split(".")[0]


def parts_of(value: Any) -> list[Any]:
    """What a record is made of: the fields of a tuple or dataclass, or what ``_parts`` names."""
    names = getattr(value, "_fields", None) or getattr(value, "_parts", None) or [field.name for field in fields(value)]
    return [getattr(value, name) for name in names]


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, arrays by their elements, and nan to nan."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
            return False
        return one.shape == other.shape and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (math.isnan(one) and math.isnan(other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return len(one) == len(other) and all(key in other and same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is type(other) and is_ours(one):
        return same(parts_of(one), parts_of(other))
    return bool(one == other)
