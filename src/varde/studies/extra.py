"""What studies need and ``import varde`` does not: joblib and scipy, imported where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def needed(name: str) -> Any:
    """A module of the extra ``paper``."""
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name.split(".", maxsplit=1)[0]:
            raise
        raise ImportError(
            f"studies need joblib and scipy, and {missing.name} is missing: pip install 'varde[paper]'"
        ) from None
