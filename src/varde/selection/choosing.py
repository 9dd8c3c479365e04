"""The chooser of an algorithm, and its warm start."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..decisions import Gaps
from ..rule import VarDE, first_samples
from .by_alike import AlikeChooser
from .by_gaps import GapChooser
from .by_pairs import PairChooser
from .by_rule import RuleChooser
from .by_verbs import ArmChooser
from .chooser import Chooser
from .goals import Goal, Mean


def warm_start_of(algorithm: Any, draws: int, size: int) -> int:
    """Initial draws of every option; ``draws`` is how many the budget pays for, 0 without a budget."""
    if isinstance(algorithm, VarDE):
        return int(first_samples(algorithm, draws, size))
    return max(int(getattr(algorithm, "warm_start", 1)), 1)


def with_its_goal(algorithm: Any, goal: Goal) -> tuple[Any, Goal]:
    """``VarDE(Top(5))`` for the best mean is ``VarDE()`` for the goal ``Top(5)``."""
    decision = getattr(algorithm, "decision", None)
    if not isinstance(algorithm, VarDE) or not isinstance(decision, Goal):
        return algorithm, goal
    if goal not in (Mean(), decision):
        raise ValueError(f"algorithm is VarDE({decision}), and the goal is {goal}: leave one of them out")
    return algorithm._replace(decision=Gaps()), decision


def make_chooser(
    algorithm: Any,
    size: int,
    warm_start: int,
    costs: np.ndarray | None,
    seed: int,
    goal: Goal,
    pairs: bool = False,
    items: int = 0,
    alike: int | None = None,
) -> Chooser:
    """The chooser of ``algorithm`` for ``size`` options, with or without ``pairs`` and ``items``.

    ``alike``, for options that resemble each other, is how many draws the budget pays for.
    """
    if alike is not None:
        return AlikeChooser(algorithm, size, warm_start, costs, goal, alike)
    if isinstance(algorithm, VarDE) and (isinstance(algorithm.decision, Gaps) or not isinstance(goal, Mean)):
        if pairs and isinstance(goal, Mean):
            return PairChooser(algorithm, size, warm_start, costs, goal, items)
        return (GapChooser if isinstance(goal, Mean) else RuleChooser)(algorithm, size, warm_start, costs, goal)
    return ArmChooser(algorithm, size, warm_start, seed)
