"""Gymnasium environments with a transition table; others are ``stepping``, or in planning ``environment``."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..check import some_numbers
from .spaces import PLAIN_WRAPPERS, without
from .table import Table
from .tabulate import Outcome, tabulate

# Defaults for planning in an environment.  Without a discount there is no reason to reach a goal now rather than
# later, and a planner that searches afresh at every move may never go there.
AHEAD, DISCOUNT = 50, 0.99
FURTHER = 200  # steps without a table: most of what a discount of 0.99 leaves, or whole episodes
TRIED = 50  # steps that show whether the environment follows its table


def has_table(env: Any) -> bool:
    """Whether the environment is what its table says: a wrapper may change observations, rewards or actions."""
    core = getattr(env, "unwrapped", env)
    table = getattr(core, "P", None)
    return isinstance(table, Mapping) and bool(table) and without(env, PLAIN_WRAPPERS) is core and goes_by_it(core)


def goes_by_it(core: Any) -> bool:
    """Whether steps follow the table: not if a class changes ``step``, nor with Taxi's fickle passenger."""
    if getattr(core, "fickle_passenger", False):
        return False
    try:
        tried = copy.deepcopy(core, {id(core.P): core.P})
        tried.render_mode, rng = None, np.random.default_rng(0)
        state, _ = tried.reset(seed=0)
        actions = list(core.P[int(state)])
        for _ in range(TRIED):
            action = actions[int(rng.integers(len(actions)))]
            to, reward, over, _, _ = tried.step(action)
            outcomes = core.P[int(state)][action]
            if not any((int(o[1]), float(o[2]), bool(o[3])) == (int(to), float(reward), bool(over)) for o in outcomes):
                return False
            state = tried.reset()[0] if over else to
    except Exception:  # it cannot be tried; its table is its word
        return True
    return True


def from_gymnasium(env: Any, start: int | None = None) -> Table:
    """Make a table from a Gymnasium environment that has a transition table ``env.unwrapped.P``.

    >>> import gymnasium
    >>> world = from_gymnasium(gymnasium.make("CliffWalking-v1"))
    >>> len(world.states), world.start
    (49, 36)

    A transition marked as terminated leads to an extra state, ``(state, "end")``, since tables such as Taxi's let the
    episode end in a state that is not terminal by itself.  All states in which the environment may start are kept in
    ``starts``.  ``start`` is the number of a state; by default the present state of the environment, or the one in
    which it starts most often.
    """
    if not has_table(env):
        wrapped = "has no transition table env.unwrapped.P"
        if getattr(getattr(env, "unwrapped", env), "P", None):
            wrapped = "has a transition table that ignores its wrappers"
        raise TypeError(f"{env} {wrapped}: give it to varde.plan or varde.learn as it is")
    core = env.unwrapped
    try:
        moves = moves_of(core.P)
        shares = getattr(core, "initial_state_distrib", None)
        shares = None if shares is None else some_numbers("initial_state_distrib", shares)
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        wanted = "P = {state: {action: [(probability, state, reward, over)]}} and initial_state_distrib = [...]"
        raise TypeError(f"{env} has a table that cannot be read ({error}): write {wanted}") from error
    ends = {
        o[1] for actions in moves.values() for outcomes in actions.values() for o in outcomes if isinstance(o[1], tuple)
    }
    moves.update({end: {} for end in sorted(ends)})
    starts: Mapping[Any, float] = {}
    if start is None:
        now = getattr(core, "s", None)
        start = int(now if now is not None else 0 if shares is None else np.argmax(shares))
        starts = {} if shares is None else {int(s): float(shares[s]) for s in np.flatnonzero(shares)}
    return replace(tabulate(moves, start, starts=starts), horizon=AHEAD, discount=DISCOUNT)


def moves_of(table: Any) -> dict[Hashable, dict[Hashable, list[Outcome]]]:
    """A Gymnasium table in the form ``tabulate`` takes."""
    return {
        int(state): {
            int(action): [(p, (int(to), "end") if over else int(to), reward) for p, to, reward, over in outcomes]
            for action, outcomes in actions.items()
        }
        for state, actions in table.items()
    }


def ahead_in(env: Any) -> int:
    """The horizon for an environment without a table: no longer than its episodes."""
    limit = getattr(getattr(env, "spec", None), "max_episode_steps", None)
    return AHEAD if limit is None else min(limit, FURTHER)


# -- where an environment is now -------------------------------------------------------------------


def present_state(env: Any) -> int | None:
    """The state in which an environment with a table is now; None before its first episode."""
    now = getattr(getattr(env, "unwrapped", env), "s", None)
    return None if now is None else int(now)


def steps_taken(env: Any) -> int | None:
    """The steps of the episode so far, if a wrapper counts them."""
    while env is not env.unwrapped and not hasattr(env, "_elapsed_steps"):
        env = env.env
    return getattr(env, "_elapsed_steps", None)
