"""Features: what two options have in common, read from the options themselves or given by the user.

A row is what a log keeps of an option: its parameters by name, or for an embedding a list of numbers.  A ``Space`` is
all rows as columns in comparable units, where a distance of 1 is from one end of a parameter to the other:

    numbers              one column in [0, 1], linear or logarithmic, whichever has the middle value nearer the middle
    booleans             one column, 0 or 1
    texts, mixed types   a category: any two are 1 apart
    embeddings           all columns together, divided by the median distance of two options
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..check import as_float, decimal, shown

FEW = 8  # columns of an array that are parameters of their own; more are an embedding
SOME = 300  # options whose distances give the unit of an embedding
REMEDY = "write alike=, a row of numbers or texts for each option"

Row = dict[str, Any] | list[float]


class Parameter(NamedTuple):
    """One thing options differ in."""

    name: str
    kind: str  # "linear", "log", "category" or "embedding"
    values: tuple[Any, ...]  # of a category, in the order of its columns; the two ends of a number


class Space(NamedTuple):
    """Where each option is."""

    points: np.ndarray  # [K, D]
    owners: np.ndarray  # [D] the parameter of each column
    parameters: tuple[Parameter, ...]

    def squares(self, a: Any, b: Any) -> np.ndarray:
        """[G, n, m] the squared distances between options, by parameter."""
        found = [apart(self.points[a][:, self.owners == g], self.points[b][:, self.owners == g]) for g in self.groups]
        return np.array(found).reshape(len(found), len(self.points[a]), len(self.points[b]))

    @property
    def groups(self) -> range:
        return range(len(self.parameters))

    def column(self, g: int) -> np.ndarray:
        """[K] the options along one parameter, for pictures: the place of a category among its values."""
        own = self.points[:, self.owners == g]
        return own[:, 0] if own.shape[1] == 1 else own.argmax(axis=1).astype(float)


def apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """[n, m] squared distances."""
    if a.shape[1] == 1:
        return (a - b.T) ** 2
    return np.maximum((a * a).sum(1)[:, None] + (b * b).sum(1) - 2.0 * (a @ b.T), 0.0)


# -- rows ------------------------------------------------------------------------------------------


def rows_of(names: Sequence[str], options: Sequence[Any], features: Any = None) -> list[Row]:
    """The row of every option; an error says what to write if they cannot be compared."""
    if len(options) < 2:
        raise ValueError(f"alike=True with {len(options)} option: write two or more, which may resemble each other")
    rows = [row_of(name, x) for name, x in zip(names, listed(names, options, features), strict=True)]
    for name, row in zip(names, rows, strict=True):
        check_same_parameters(names[0], rows[0], name, row)
    space_of(rows)
    return rows


def listed(names: Sequence[str], options: Sequence[Any], features: Any) -> Sequence[Any]:
    """What to read the row of every option from."""
    if features is None:
        return options
    if callable(features):
        return [features(option) for option in options]
    if hasattr(features, "columns"):  # a data frame
        features = {str(name): list(features[name]) for name in features.columns}
    if isinstance(features, Mapping):
        if features.keys() == set(names):
            return [features[name] for name in names]
        columns = {str(name): check_length(list(column), names, f" in {name}") for name, column in features.items()}
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return check_length(features, names)


def check_length(features: Any, names: Sequence[str], where: str = "") -> Any:
    many = len(features) if hasattr(features, "__len__") else 0
    if many != len(names):
        raise ValueError(f"alike= has {many:,} rows{where}, for {len(names):,} options: write one for each")
    return features


def row_of(name: str, given: Any) -> Row:
    """The parameters of one option."""
    if isinstance(given, Mapping):
        return {str(key): cell(name, str(key), value) for key, value in given.items()}
    if dataclasses.is_dataclass(given) and not isinstance(given, type):
        return {each.name: cell(name, each.name, getattr(given, each.name)) for each in dataclasses.fields(given)}
    if isinstance(given, np.ndarray) or type(given).__module__.split(".")[0] in ("torch", "jax", "jaxlib"):
        given = np.asarray(given).ravel().tolist()
        if len(given) > FEW:
            return [number(name, f"[{place}]", value) for place, value in enumerate(given)]
    if isinstance(given, (tuple, list)):
        keys = getattr(given, "_fields", None) or [f"[{place}]" for place in range(len(given))]
        if type(given) is list and len(given) > FEW and all(as_float(value) is not None for value in given):
            return [number(name, key, value) for key, value in zip(keys, given, strict=True)]
        return {key: cell(name, key, value) for key, value in zip(keys, given, strict=True)}
    if isinstance(given, (str, bool, int, float, np.generic)):
        return {"option": cell(name, "option", given)}
    raise TypeError(f"{name!r} is {shown(given)}, a {type(given).__name__}: {REMEDY}")


def cell(name: str, key: str, value: Any) -> Any:
    """A value of a parameter: a finite number, True or False, or a text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, str)):
        return value
    return number(name, key, value) if isinstance(value, (int, float)) else repr(value)


def number(name: str, key: str, value: Any) -> float:
    found = as_float(value)
    if found is None or not math.isfinite(found):
        raise ValueError(f"{name!r} has {key} = {shown(value)}: write a finite number, or alike= without it")
    return found


def check_same_parameters(first: str, row: Row, name: str, other: Row) -> None:
    if type(row) is not type(other) or (isinstance(row, list) and len(row) != len(other)):
        raise ValueError(f"{first!r} and {name!r} have {len(row)} and {len(other)} features: write as many for each")
    if isinstance(row, dict) and isinstance(other, dict) and row.keys() != other.keys():
        odd = sorted(row.keys() ^ other.keys())
        raise ValueError(
            f"{first!r} and {name!r} have different parameters ({', '.join(odd[:3])}): write the same keys for all "
            "options, or alike="
        )


# -- columns ---------------------------------------------------------------------------------------


def space_of(rows: Sequence[Row]) -> Space:
    """The space of all options; a parameter that never differs, or a text that always does, is left out."""
    if isinstance(rows[0], list):
        parts = [embedding(np.array(rows, dtype=float))]
    else:
        parts = [parameter(key, [row[key] for row in rows]) for key in rows[0]]  # type: ignore[call-overload]
    found = [(each, columns) for each, columns in parts if columns.size and float(np.ptp(columns, axis=0).max()) > 0.0]
    if not found:
        raise ValueError(
            "all options have the same features, or texts that differ in all of them: write alike= that says which "
            "options are similar, or alike=False"
        )
    owners = np.repeat(np.arange(len(found)), [columns.shape[1] for _, columns in found])
    return Space(np.hstack([columns for _, columns in found]), owners, tuple(each for each, _ in found))


def parameter(name: str, values: list[Any]) -> tuple[Parameter, np.ndarray]:
    """A parameter and its columns [K, D]."""
    numbers = [decimal(x) if isinstance(x, str) else None if isinstance(x, bool) else as_float(x) for x in values]
    if all(isinstance(value, bool) for value in values):
        return Parameter(name, "linear", (False, True)), np.array(values, dtype=float)[:, None]
    if None not in numbers:
        return scaled(name, np.array(numbers, dtype=float))
    kinds = sorted({str(value) for value in values})
    if len(kinds) == len(values):
        return Parameter(name, "category", ()), np.zeros((len(values), 0))
    place = {kind: k for k, kind in enumerate(kinds)}
    columns = np.zeros((len(values), len(kinds)))
    columns[np.arange(len(values)), [place[str(value)] for value in values]] = math.sqrt(0.5)
    return Parameter(name, "category", tuple(kinds)), columns


def scaled(name: str, x: np.ndarray) -> tuple[Parameter, np.ndarray]:
    ends = float(x.min()), float(x.max())
    scales: list[tuple[str, Callable[[Any], Any]]] = [("linear", np.asarray)] + [("log", np.log)] * (ends[0] > 0.0)
    found = []
    for kind, scale in scales:
        y = scale(x) / 2.0  # halves: the range of the largest numbers is finite
        y = (y - y.min()) / (np.ptp(y) or 1.0)
        found.append((abs(float(np.median(np.unique(y))) - 0.5), kind, y))
    _, kind, y = min(found, key=lambda each: each[0])
    return Parameter(name, kind, ends), y[:, None]


def embedding(x: np.ndarray) -> tuple[Parameter, np.ndarray]:
    x = x - x.mean(axis=0)
    some = x[:: max(1, len(x) // SOME)]
    distances = np.sqrt(apart(some, some))
    unit = float(np.median(distances[distances > 0.0])) if distances.any() else 1.0
    return Parameter("embedding", "embedding", ()), x / unit
