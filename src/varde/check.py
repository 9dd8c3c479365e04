"""What is wrong with a record, in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._compile import verb


@verb(fallback=True)
def problem_with(record):
    """What is wrong with the parameters of ``record``, in words; empty when nothing is."""
    return ""


def refuse_problem(record: Any) -> None:
    """Raise ValueError if the parameters of ``record`` make no sense."""
    problem = problem_with(record)
    if problem:
        raise ValueError(f"{type(record).__name__}: {problem}")


def unless_positive(name: str, given: float, example: str) -> str:
    return "" if 0.0 < given < np.inf else f"{name} is {given}: write a positive number, such as {example}"
