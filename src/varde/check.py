"""What is wrong with a record, in words."""

from __future__ import annotations

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


def check_algorithm(algorithm: Any, verb: Any, example: str) -> None:
    """Refuse what is no algorithm, has no case of the ``verb`` of its family, or has settings that make no sense."""
    if not is_record(algorithm):
        raise TypeError(f"algorithm is {algorithm!r}: write a record such as varde.VarDE() or {example}")
    verb.find(type(algorithm))
    refuse_problem(algorithm)


def unless_positive(name: str, given: float, example: str) -> str:
    return "" if 0.0 < given < np.inf else f"{name} is {given}: write a positive number, such as {example}"
