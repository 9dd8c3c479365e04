"""Goals: the best mean, the best m, the best quantile, the best within limits."""

from __future__ import annotations

from typing import Any

from ...check import refuse
from .goal import SENSES, Goal, Mean
from .limits import Best
from .quantile import Quantile
from .top import Top

__all__ = ["Best", "Goal", "Mean", "Quantile", "Top", "goal_from", "goal_of"]

RECORDS: dict[str, Any] = {kind.__name__: kind for kind in (Top, Quantile)}


def goal_of(given: Any) -> Goal:
    """The goal a user gave, as a record."""
    if isinstance(given, Goal):
        return given
    if not isinstance(given, str) or given not in SENSES:
        refuse("goal", given, '"max" or "min", or a goal such as varde.Top(5)')
    return Mean(given)


def goal_from(saved: Any) -> Goal:
    """The goal kept in a file; ValueError or TypeError if it is invalid."""
    if isinstance(saved, list) and len(saved) == 4 and saved[0] == "Best" and isinstance(saved[3], dict):
        return Best(saved[1], saved[2], **saved[3])
    if isinstance(saved, list) and saved and isinstance(saved[0], str) and saved[0] in RECORDS:
        goal: Goal = RECORDS[saved[0]](*saved[1:])
        return goal
    return goal_of(saved)
