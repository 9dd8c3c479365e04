"""Studies that come with the package, by name: the one place where the machinery looks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .study import Study


def shipped() -> Mapping[str, Callable[[], Study]]:
    """Every study a worker may be asked for by name, or a report may find."""
    from ..paper import ALL

    return ALL
