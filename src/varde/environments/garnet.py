"""Garnets (Archibald, McKinnon and Thomas 1995; Bhatnagar and others 2009): random worlds of a given size."""

from __future__ import annotations

import numpy as np

from ..check import LARGEST, real, whole
from ..worlds.table import Table
from ..worlds.tabulate import tabulate
from .seeds import generator


def garnet(
    states: int,
    actions: int,
    successors: int = 3,
    *,
    paying: float = 1.0,
    deviation: float = 0.0,
    shift: float = 0.0,
    seed: int | np.random.Generator = 0,
) -> Table:
    """A random world: states 0 .. ``states`` - 1, start 0; every action has ``successors`` successors drawn at random.

    Their probabilities are uniform on the simplex.  A share ``paying`` of the (state, action) pairs has a mean reward
    drawn from the standard normal distribution, the others pay nothing; ``shift`` is added to all, and every reward
    has normal noise of standard deviation ``deviation``.  Episodes never end, and there is no closed form for the best
    policy: see ``varde.worlds.best_policy``.

    >>> world = garnet(50, 4, successors=5, paying=0.1, seed=3)
    >>> len(world.states), world.legal(0)
    (50, [0, 1, 2, 3])
    """
    states = whole("states", states, "how many, 2 or more", 2, 10_000_000)
    actions = whole("actions", actions, "how many actions a state has, 1 or more", 1, 1_000_000)
    successors = whole("successors", successors, f"how many successors an action has, 1 to {states}", 1, states)
    paying = real("paying", paying, "a share of the actions, from 0 to 1", lambda share: 0.0 <= share <= 1.0)
    deviation = real("deviation", deviation, "a finite number, zero or more", lambda d: 0.0 <= d <= LARGEST)
    shift = real("shift", shift, "a finite number", lambda by: abs(by) <= LARGEST)
    rng = generator(seed)

    def outcomes() -> list[tuple[float, int, float, float]]:
        paid = rng.normal() * (rng.random() < paying) + shift
        shares, to = rng.dirichlet(np.ones(successors)), rng.choice(states, successors, replace=False)
        return [(p, s, paid, deviation) for p, s in zip(shares.tolist(), to.tolist(), strict=True)]

    return tabulate({s: {a: outcomes() for a in range(actions)} for s in range(states)}, 0)
