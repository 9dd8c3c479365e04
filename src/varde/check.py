"""What is wrong with a record, in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._compile import is_record, verb

FAMILIES = {
    "bandits": ("pulls arms", "varde.select(...) or varde.bandits.measure(...)"),
    "planning": ("searches trees", "varde.plan(...) or varde.planning.measure(...)"),
    "learning": ("learns policies", "varde.learn(...) or varde.learning.measure(...)"),
}


def check_family(algorithm: Any, family: str) -> None:
    """Send an algorithm of this package where it belongs; those of users go by the verbs they have."""
    home = type(algorithm).__module__.removeprefix(f"{__package__}.").split(".")[0]
    if home in FAMILIES and home != family:
        does, write = FAMILIES[home]
        raise TypeError(f"{type(algorithm).__name__}() {does}: write {write}")


@verb(fallback=True)
def problem_with(record):
    """What is wrong with the parameters of ``record``, in words; empty when nothing is."""
    return ""


def refuse_problem(record: Any) -> None:
    """Raise ValueError if the parameters of ``record`` make no sense."""
    problem = problem_with(record)
    if problem:
        raise ValueError(f"{type(record).__name__}: {problem}")


def check_algorithm(algorithm: Any, verb: Any, example: str) -> None:
    """Refuse what is no algorithm, has no case of the ``verb`` of its family, or has settings that make no sense."""
    if not is_record(algorithm):
        raise TypeError(f"algorithm is {algorithm!r}: write a record such as varde.VarDE() or {example}")
    verb.find(type(algorithm))
    refuse_problem(algorithm)


def unless_positive(name: str, given: float, example: str) -> str:
    return "" if 0.0 < given < np.inf else f"{name} is {given}: write a positive number, such as {example}"
