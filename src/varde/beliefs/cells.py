"""Cells, an option in a context each, as points of one space: two cells are near if options and contexts are.

Options are a category, any two 1 apart; contexts lie where their features say, or are a category too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .features import Parameter, Row, Space, space_of


def category(name: str, size: int) -> Space:
    """So many that have nothing in common: any two are 1 apart."""
    return Space(np.eye(size) * math.sqrt(0.5), np.zeros(size, int), (Parameter(name, "category", tuple(range(size))),))


def space_of_cells(options: int, contexts: int, features: list[Row] | None) -> Space:
    """All cells, context by context; ``features`` has a row for each context."""
    what = category("option", options)
    where = category("context", contexts) if features is None or contexts == 1 else space_of(features)
    points = np.hstack([np.tile(what.points, (contexts, 1)), np.repeat(where.points, options, axis=0)])
    return Space(points, np.append(what.owners, where.owners + 1), what.parameters + where.parameters)


def features_of(rows: Sequence[Any], contexts: int) -> list[Any] | None:
    """The row of each context, from those of the cells; None if they have nothing in common."""
    found = [row["features"] for row in rows[:: len(rows) // contexts]]
    return None if found[0] is None else found
