"""What can happen in a selection, as a row of its journal."""

from __future__ import annotations

from typing import NamedTuple


class Event(NamedTuple):
    """One thing that happened; see ``store`` for the kinds."""

    kind: str
    draw: int | None = None
    option: int | None = None
    replicate: int | None = None
    seed: int | None = None
    value: float | None = None
    text: str | None = None
    time: float = 0.0
    worker: str = ""


class StoreError(ValueError):
    """A file that cannot be used, and why; it was left as it is."""


class EvaluationError(RuntimeError):
    """An evaluation that failed, in words that need no name of an exception before them."""
