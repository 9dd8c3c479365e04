"""The chooser of an algorithm, and its warm start."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..beliefs.noise import Pooled
from ..decisions import Gaps
from ..rule import VarDE, first_samples
from .by_gaps import GapChooser
from .by_goal import CHOOSERS
from .by_pairs import PairChooser
from .by_verbs import ArmChooser, IndexChooser, goes_by_index
from .chooser import Chooser
from .goals import Goal, Mean


def warm_start_of(algorithm: Any, draws: int, size: int) -> int:
    """Initial draws of every option; ``draws`` is how many the budget pays for, 0 without a budget."""
    if isinstance(algorithm, VarDE):
        return int(first_samples(algorithm, draws, size))
    return max(int(getattr(algorithm, "warm_start", 1)), 1)


def has_automatic_warm_start(algorithm: Any) -> bool:
    return isinstance(algorithm, VarDE) and algorithm.warm_start == 0


def make_chooser(
    algorithm: Any,
    size: int,
    warm_start: int,
    costs: np.ndarray | None,
    seed: int,
    goal: Goal,
    pairs: bool = False,
    items: int = 0,
) -> Chooser:
    """The chooser of ``algorithm`` for ``size`` options, with or without ``pairs`` and ``items``."""
    if goal.names or (isinstance(algorithm, VarDE) and not isinstance(goal, Mean)):
        return CHOOSERS[type(goal)](algorithm, size, warm_start, costs, goal)
    gaps = isinstance(algorithm, VarDE) and isinstance(algorithm.decision, Gaps)
    if gaps and isinstance(algorithm.noise, Pooled):
        if pairs:
            return PairChooser(algorithm, size, warm_start, costs, items)
        return GapChooser(algorithm, size, warm_start, costs)
    return (IndexChooser if goes_by_index(algorithm) else ArmChooser)(algorithm, size, warm_start, seed)
