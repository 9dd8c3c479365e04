"""Which records can be a rule here, and who chooses by them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._compile import canonical, is_record
from ..bandits.loop import select
from ..check import problem_with
from ..decisions import Gaps
from ..noise import Pooled
from ..rule import VarDE, first_samples
from .chooser import Chooser
from .gap_chooser import GapChooser
from .verb_chooser import REJECTING, VerbChooser


def check_rule(rule: Any) -> Any:
    """The record to work with, or an error that says what to write."""
    rule = VarDE() if rule is None else rule
    if not is_record(rule):
        raise TypeError(f"rule is {rule!r}: write a record such as varde.VarDE() or varde.UCBE(2.0)")
    select.find(type(rule))
    problem = problem_with(rule)
    if problem:
        raise ValueError(f"{type(rule).__name__}: {problem}")
    return canonical(rule)


def warm_start_of(rule: Any, draws: int, size: int) -> int:
    """Draws of every option to begin with; ``draws`` is what the budget pays for, 0 where there is none."""
    if isinstance(rule, VarDE):
        return int(first_samples(rule, draws, size))
    return max(int(getattr(rule, "warm_start", 1)), 1)


def make_chooser(rule: Any, costs: np.ndarray | None, size: int, warm: int, draws: int, seed: int) -> Chooser:
    """Whoever chooses among ``size`` options by ``rule``."""
    if isinstance(rule, VarDE) and isinstance(rule.decision, Gaps) and isinstance(rule.noise, Pooled):
        return GapChooser(rule, size, warm, costs)
    return VerbChooser(rule, size, warm, draws, seed)


def fixed_problem(rule: Any, budget: float | None, costs: Any) -> str:
    """Why a rule that plans its rejections at the start cannot work here, or nothing."""
    if isinstance(rule, REJECTING):
        name = type(rule).__name__
        if budget is None or not math.isfinite(budget):
            return f"{name} plans its rejections over the whole budget: write budget=..., or take another rule"
        if costs is not None:
            return f"{name} counts draws and cannot weigh costs: leave costs out, or take another rule"
    return ""
