"""Cells of best-arm identification, and ``bandit_study`` to make your own study from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..bandits import INSTANCES, Instance
from ..bandits.measure import check, run_block
from ..bandits.problems import true_means
from ..check import refuse
from .figure import Figure
from .study import Cell, Study

ERROR = Figure(across="pulls", up="error probability (%)", log=True)


def errors(
    algorithm: Any, bandit: Any, steps: Sequence[int], shuffle: bool, key: np.ndarray, first: int, runs: int
) -> np.ndarray:
    """[runs, steps] 1 if the recommended arm is not the best one."""
    chosen = np.empty((runs, len(steps)), np.int32)
    run_block(algorithm, bandit, np.array(steps, np.int64), shuffle, key, first, chosen)
    return (chosen != int(np.argmax(true_means(bandit)))).astype(np.int64)


def bandit_cell(
    problem: str,
    name: str,
    algorithm: Any,
    steps: Iterable[int] | None = None,
    shuffle: bool = False,
    instance: Instance | None = None,
) -> Cell:
    """A cell: an algorithm on one of the six instances, or on ``instance``, measured after each of ``steps`` pulls."""
    instance = instance or INSTANCES[problem]
    at = tuple(steps) if steps is not None else (instance.budget,)
    measure = partial(errors, algorithm, instance.bandit, at, shuffle)
    return Cell(problem, name, f"{describe(algorithm)}, shuffle={shuffle}", at, measure)


def bandit_study(
    name: str,
    problems: Mapping[str, tuple[Any, int]],
    algorithms: Mapping[str, Any],
    *,
    title: str = "",
    runs: int = 10_000,
    points: int = 1,
    shuffle: bool = True,
    **words: Any,
) -> Study:
    """Make your own study: every algorithm on every problem, a problem being a bandit and a budget.

    >>> import varde
    >>> from varde.studies import bandit_study, run
    >>> study = bandit_study(
    ...     "mine",
    ...     problems={"three arms": (varde.bandits.Gaussian([0.3, 0.2, 0.1], [0.2, 0.2, 0.2]), 60)},
    ...     algorithms={"SR": varde.bandits.SuccessiveRejects(), "VarDE": varde.VarDE()},
    ... )
    >>> [(row.algorithm, row.value < 20.0) for row in run(study, runs=500)]
    [('SR', True), ('VarDE', True)]

    The error is measured at ``points`` steps, of which the last is the budget; with more than one, a figure is drawn.
    Whatever else ``Study`` takes may be given by name: ``published``, ``place``, ``notes``, ``findings``, ``figure``.
    """
    pairs = problems.values() if isinstance(problems, Mapping) else [problems]
    if any(type(pair) is not tuple or len(pair) != 2 for pair in pairs):
        refuse("problems", problems, 'names with a bandit and a budget each: {"three arms": (bandit, 300)}', TypeError)
    if not isinstance(algorithms, Mapping):
        refuse("algorithms", algorithms, 'names and algorithms: {"VarDE": varde.VarDE()}', TypeError)
    cells = []
    for problem, (bandit, budget) in problems.items():
        for label, algorithm in algorithms.items():
            check(algorithm, bandit, budget)
            steps = sorted({-(-budget * (i + 1) // points) for i in range(points)})
            cells.append(bandit_cell(problem, label, algorithm, steps, shuffle, Instance(bandit, budget)))
    title = title or f"{name}: error probability (%)"
    return Study(name, title, cells, runs, percent=True, **{"figure": ERROR if points > 1 else None, **words})


def describe(algorithm: Any) -> str:
    """The record as Python code with short numbers: VarDE(decision=LogSumExp(temperature=0.05), ...)."""
    parts = []
    for name, field in zip(algorithm._fields, algorithm, strict=True):
        shown = describe(field) if hasattr(field, "_fields") else f"{field:.6g}" if type(field) is float else str(field)
        parts.append(f"{name}={shown}")
    return f"{type(algorithm).__name__}({', '.join(parts)})"
