"""Checks of the arguments of learning."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .._compile import canonical, is_record
from ..check import real, refuse, refuse_problem, shown, whole
from ..decisions import Regret
from ..protocols import Algorithm
from ..rows import END, Rows
from ..rule import VarDE
from ..worlds.record import in_order, is_listed
from ..worlds.table import Table
from .explorer import Explorer
from .loop import OBJECTIVES, act, continuing_only, name_of
from .varde_q import QLearning

UNDISCOUNTED = 1.0 - 1e-7


def check_algorithm(algorithm: Algorithm) -> Any:
    """The algorithm in the form the loop takes; a rule becomes a learning algorithm."""
    if not is_record(algorithm):
        raise TypeError(f"algorithm is {shown(algorithm)}: write a record such as varde.VarDE()")
    refuse_problem(algorithm)
    if not isinstance(algorithm, VarDE):
        act.find(type(algorithm))
        return canonical(algorithm)
    if not isinstance(algorithm.decision, Regret):
        return canonical(QLearning(algorithm))
    if algorithm != VarDE():
        raise ValueError(
            f"{algorithm}: in learning VarDE() has nothing to tune: write VarDE(), or VarDE(LogSumExp(0.1))"
        )
    return Explorer()


def check_budget(budget: int) -> int:
    return whole("budget", budget, "a whole number of steps, 1 or more")


def check_discount(discount: float) -> float:
    """The discount; 1, for worlds in which every episode ends, is computed as slightly less."""
    wanted = "a number above 0, at most 1, such as 0.99"
    return min(real("discount", discount, wanted, lambda share: 0.0 < share <= 1.0), UNDISCOUNTED)


def check_report(report: str) -> None:
    if not isinstance(report, str) or report not in ("model", "own"):
        refuse("report", report, '"model" or "own"')


def check_objective(objective: str) -> str:
    if not isinstance(objective, str) or objective not in OBJECTIVES:
        refuse("objective", objective, '"start", where episodes begin, or "all", every state alike')
    return objective


def check_table(algorithm: Algorithm, world: Table) -> Table:
    """The reachable part of a table; refused if it cannot be learned from one trajectory."""
    ended = [world.states[s] for s in world.starts if world.model.states["width"][s] == 0]
    if ended:
        raise ValueError(f"the start {ended[0]!r} has no actions: write start=..., a state that has some")
    if is_listed(world.model):
        world = restrict(world)
    shown, legal = name_of(algorithm), world.model.states["width"]
    going, over = np.flatnonzero(legal > 0), np.flatnonzero(legal == 0)
    if not going.size or legal.max() < 2:
        raise ValueError("no state has two or more actions: write a world in which there is something to choose")
    if over.size and continuing_only(algorithm):
        raise ValueError(
            f"{shown} needs a continuing task, but the episode ends in state {world.states[over[0]]!r}: let it lead "
            "to the start, or use VarDE()"
        )
    return world


def reachable(world: Table) -> np.ndarray:
    """[S] whether a state can be reached from a start."""
    model, found = world.model, np.zeros(len(world.states), bool)
    ends = np.append(model.pairs["first"], len(model.outcomes))
    queue = list(world.starts)
    found[queue] = True
    for s in queue:  # grows while it is read
        first, width = model.states[s][["first", "width"]].tolist()
        for after in np.unique(model.outcomes["successor"][ends[first] : ends[first + width]]):
            if not found[after]:
                found[after] = True
                queue.append(int(after))
    return found


def restrict(world: Table) -> Table:
    """The part of a table that can be reached from its starts: nothing can be learned about the rest."""
    model, kept = world.model, reachable(world)
    if kept.all():
        return world
    number = np.cumsum(kept) - 1
    pairs = np.repeat(kept, model.states["width"])
    outcomes = model.outcomes[np.repeat(pairs, model.pairs["outcomes"])]
    outcomes["successor"] = number[outcomes["successor"]]
    smaller = in_order(model.states[kept], model.pairs[pairs], outcomes, model.noise)
    names = [name for name, keep in zip(world.states, kept, strict=True) if keep]
    return replace(
        world,
        model=smaller,
        states=names,
        start=int(number[world.start]),
        index={name: i for i, name in enumerate(names)},
        starts={int(number[s]): share for s, share in world.starts.items()},
    )


def refuse_endless(seen: Rows, policy: Any, numbers: Mapping[Hashable, int]) -> None:
    """Refuse a discount of 1 if no episode has ended."""
    if not (seen.to == END).any():
        raise ValueError(
            "discount is 1, and no episode has ended yet: write a discount below 1, horizon=, or give it more steps"
        )
    choices = np.zeros(seen.starts.size, np.int64)
    choices[[numbers[name] for name in policy.states]] = policy.choices
    acting = np.flatnonzero(np.diff(seen.first) > 0)
    taken = np.zeros(seen.rows.size - 1, bool)
    taken[seen.first[acting] + choices[acting]] = True
    rows = taken[seen.pairs]
    source, to = seen.owners[seen.pairs[rows]], seen.to[rows]
    ends = np.zeros(seen.starts.size + 1, bool)
    ends[END] = True
    while True:
        more = np.zeros_like(ends)
        more[source[ends[to]]] = True
        if not (more & ~ends).any():
            break
        ends |= more
    endless = [name for name in policy.states if not ends[numbers[name]]]
    if endless:
        others = (
            f" and {len(endless) - 1} other states" if len(endless) > 2 else " and another state" * len(endless[1:])
        )
        warnings.warn(
            f"discount is 1, and from {endless[0]!r:.50}{others} no episode ends under this policy as far as was seen: "
            "such values mean nothing. Give it more steps, a discount below 1, or horizon=",
            stacklevel=5,
        )
