"""The chooser of a selection."""

from __future__ import annotations

from typing import Any

import numpy as np

from .by_alike import AlikeChooser
from .by_context import ContextChooser
from .by_gaps import GapChooser
from .by_pairs import PairChooser
from .by_rule import RuleChooser
from .chooser import Chooser
from .goals import Goal, Mean


def make_chooser(
    algorithm: Any,
    size: int,
    warm_start: int,
    costs: np.ndarray | None,
    goal: Goal,
    pairs: bool = False,
    items: int = 0,
    alike: int | None = None,
    contexts: int = 0,
) -> Chooser:
    """The chooser by the rule ``algorithm`` for ``size`` options, with or without ``pairs`` and ``items``.

    ``alike``, for options that resemble each other, is how many draws the budget pays for; with ``contexts`` they are
    cells, an option in a context each.
    """
    if alike is not None and contexts:
        return ContextChooser(algorithm, size, warm_start, costs, goal, alike, contexts)
    if alike is not None:
        return AlikeChooser(algorithm, size, warm_start, costs, goal, alike)
    if pairs and isinstance(goal, Mean):
        return PairChooser(algorithm, size, warm_start, costs, goal, items)
    return (GapChooser if isinstance(goal, Mean) else RuleChooser)(algorithm, size, warm_start, costs, goal)
