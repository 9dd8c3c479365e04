"""Studies that come with the package, by name: the one place where the machinery looks for the paper's."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .study import Study


def shipped() -> Mapping[str, Callable[[], Study]]:
    """Whatever a worker may be asked for by name, or a report may find."""
    from ..paper import ALL

    return ALL


def of_the_paper() -> tuple[str, ...]:
    """Names of the studies that are in the paper, in its order."""
    from ..paper import GROUPS

    return GROUPS["all"]


def parts_of_the_paper() -> Mapping[str, tuple[str, ...]]:
    """Names of its studies, by the part of the paper they are about."""
    from ..paper import PARTS

    return PARTS
