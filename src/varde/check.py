"""What is wrong with a record, in words."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ._compile import is_record, verb


@verb(fallback=True)
def problem_with(record):
    """What is wrong with the parameters of ``record``, in words; empty when nothing is."""
    return ""


def refuse_problem(record: Any) -> None:
    """Raise ValueError if the parameters of ``record`` make no sense."""
    problem = problem_with(record)
    if problem:
        raise ValueError(f"{type(record).__name__}: {problem}")


# What an algorithm is called on by the loop of its family, what it does, and who runs it.
FAMILIES = {
    "bandits": ("select", "chooses options", "varde.select(...) or varde.bandits.measure(...)", "varde.UCBE(2.0)"),
    "planning": ("select", "searches trees", "varde.plan(...) or varde.planning.measure(...)", "varde.UCT()"),
    "learning": ("act", "learns policies", "varde.learn(...) or varde.learning.measure(...)", "varde.PSRL()"),
}


def of_family(algorithm: Any, family: str) -> bool:
    """Whether the loop of a family can run ``algorithm``."""
    try:
        getattr(importlib.import_module(f"varde.{family}.loop"), FAMILIES[family][0]).find(type(algorithm))
    except TypeError:
        return False
    return True


def check_algorithm(algorithm: Any, family: str) -> None:
    """Refuse what is no algorithm, is one of another family, or has settings that make no sense; say what to write."""
    verb, _, _, example = FAMILIES[family]
    name = type(algorithm).__name__
    if not is_record(algorithm):
        raise TypeError(f"algorithm is {algorithm!r}, a {name}: write a record such as varde.VarDE() or {example}")
    if not of_family(algorithm, family):
        for other, (_, does, calls, _) in FAMILIES.items():
            if of_family(algorithm, other):
                raise TypeError(f"{name} {does}: write {calls}")
        raise TypeError(f"{verb} is not defined for {name}: write @varde.{family}.loop.{verb}.of({name})")
    refuse_problem(algorithm)


def unless_positive(name: str, given: float, example: str) -> str:
    return "" if 0.0 < given < np.inf else f"{name} is {given}: write a positive number, such as {example}"
