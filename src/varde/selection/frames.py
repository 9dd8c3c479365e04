"""A selection as a data frame, of pandas or of polars."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from .standing import cells_of

if TYPE_CHECKING:
    from .result import Selection


def as_pandas(found: Selection, values: bool) -> Any:
    frame = library("pandas").DataFrame(columns(found, values))
    return frame if values else frame.set_index("option")


def as_polars(found: Selection, values: bool) -> Any:
    return library("polars").DataFrame(columns(found, values))


def columns(found: Selection, values: bool) -> dict[str, Any]:
    """A line per option as in ``found.rows``, or a line per raw result, in the order they came."""
    if not values:
        rows = cells_of(found.rows)
        return {"option" if head == "name" else head: [row[head] for row in rows] for head in rows[0]}
    names, results = list(found.values), list(found.values.values())
    counts = [len(one) for one in results]
    items = {"item": [item for name in names for item in found.judged_on[name]]} if found.items else {}
    return {
        "option": [name for name, count in zip(names, counts, strict=True) for _ in range(count)],
        "number": np.concatenate([np.arange(count) for count in counts]),
        **items,
        "value": np.concatenate(results),
    }


def library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(f"to_{name} needs {name}: pip install 'varde[{name}]'") from None
