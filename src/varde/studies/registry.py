"""Studies that come with the package, by name: the one place where the machinery looks for them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from .study import Study


@functools.cache  # a worker asks for a study once for each of its cells
def shipped() -> Mapping[str, Callable[[], Study]]:
    """Every study a worker may be asked for by name, or a report may find."""
    from ..paper import ALL

    return {name: functools.cache(make) for name, make in ALL.items()}
