"""What cannot be learned, said at the door: which state, which number, and what to write instead."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._compile import is_record
from ..check import problem_with
from ..worlds.solve import check_discount
from ..worlds.table import MDP, NORMAL, Table
from .loop import act, continuing_only, unit_rewards


def check_algorithm(agent: Any, steps: int, discount: float) -> None:
    if not is_record(agent):
        raise TypeError(f"{agent!r} is a {type(agent).__name__}: write a record such as varde.VarDENav()")
    act.find(type(agent))
    problem = problem_with(agent)
    if problem:
        raise ValueError(f"{type(agent).__name__}: {problem}")
    if isinstance(steps, bool) or steps != int(steps) or steps < 1:
        raise ValueError(f"steps is {steps}: write a whole number of interactions, 1 or more")
    check_discount(discount)


def reachable(model: MDP, start: int) -> np.ndarray:
    """[S] whether a state can be come to from ``start``."""
    found = np.zeros(model.pairs.size - 1, bool)
    found[start] = True
    queue = [start]
    for s in queue:
        outcomes = slice(model.outcomes[model.pairs[s]], model.outcomes[model.pairs[s + 1]])
        for after in np.unique(model.successors[outcomes]):
            if not found[after]:
                found[after] = True
                queue.append(int(after))
    return found


def restrict(world: Table) -> Table:
    """The part of a world that can be come to from its start."""
    model, kept = world.model, reachable(world.model, world.start)
    number = np.cumsum(kept) - 1
    pairs = np.repeat(kept, np.diff(model.pairs))
    outcomes = np.repeat(pairs, np.diff(model.outcomes))
    smaller = MDP(
        np.concatenate([[0], np.cumsum(np.diff(model.pairs)[kept])]),
        np.concatenate([[0], np.cumsum(np.diff(model.outcomes)[pairs])]),
        model.labels[pairs],
        model.means[pairs],
        number[model.successors[outcomes]],
        model.probabilities[outcomes],
        model.cumulative[outcomes],
        model.rewards[outcomes],
        model.deviations[outcomes],
        model.noise,
    )
    names = [name for name, keep in zip(world.states, kept, strict=True) if keep]
    return Table(smaller, names, world.actions, int(number[world.start]), {name: i for i, name in enumerate(names)})


def check_world(agent: Any, world: Table) -> int:
    """Refuse a model that cannot be learned from one trajectory; returns the number of actions."""
    model, shown = world.model, type(agent).__name__
    if not np.isfinite(model.probabilities).all() or model.probabilities.min() < 0.0:
        wrong = int(np.argmin(np.where(np.isfinite(model.probabilities), model.probabilities, -1.0)))
        raise ValueError(f"probability {model.probabilities[wrong]} of outcome {wrong}: write numbers from 0 to 1")
    totals = np.add.reduceat(model.probabilities, model.outcomes[:-1])
    bad = np.flatnonzero(np.abs(totals - 1.0) > 1e-9)
    if bad.size:
        state = int(np.searchsorted(model.pairs, bad[0], side="right")) - 1
        raise ValueError(
            f"state {world.states[state]!r}, action {int(bad[0] - model.pairs[state])}: the probabilities sum to "
            f"{totals[bad[0]]:.12g}: write outcomes that sum to 1"
        )
    missing = np.flatnonzero(~reachable(model, world.start))
    if missing.size:
        names = ", ".join(repr(world.states[s]) for s in missing[:5]) + (", ..." if missing.size > 5 else "")
        raise ValueError(
            f"{missing.size} state(s) cannot be reached from the start {world.states[world.start]!r}: {names}. "
            'Nothing can be learned about them: start elsewhere, leave them out, or write unreachable="drop"'
        )
    legal = np.diff(model.pairs)
    going = np.flatnonzero(legal > 0)
    if not going.size:
        raise ValueError("no state has an action: there is nothing to learn")
    odd = going[legal[going] != legal[going[0]]]
    if odd.size:
        raise ValueError(
            f"state {world.states[odd[0]]!r} has {legal[odd[0]]} actions and state {world.states[going[0]]!r} has "
            f"{legal[going[0]]}: give every state the same number, an illegal action repeating a legal one"
        )
    if legal[going[0]] < 2:
        raise ValueError("every state has a single action: there is nothing to choose")
    if continuing_only(agent) and going.size < legal.size:
        over = world.states[int(np.flatnonzero(legal == 0)[0])]
        raise ValueError(
            f"{shown} needs a task that goes on, but the episode ends in state {over!r}: let it lead to the start, "
            "or use VarDENav()"
        )
    if unit_rewards(agent) and (model.rewards.min() < 0.0 or model.rewards.max() > 1.0 or model.noise == NORMAL):
        low, high = model.rewards.min(), model.rewards.max()
        noisy = " with normal noise" if model.noise == NORMAL else ""
        raise ValueError(
            f"{shown} needs rewards from 0 to 1, and this model has {low:g} to {high:g}{noisy}: rescale them, "
            "or use VarDENav(), which does not care"
        )
    return int(legal[going[0]])
