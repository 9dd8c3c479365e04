"""A planner for one's own world: what to do now, and how sure is that?"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..random import key as named_key
from ..random import stream
from ..worlds.gymnasium import from_gymnasium
from ..worlds.table import MDP, Table
from .auto import EDGE, AutoTree
from .loop import recommend, reported_value
from .search import Search
from .simulator import Simulator
from .tree import COUNT, VISITS, Q


class Move(NamedTuple):
    """What a search recommends, and why: one entry per legal action in ``q``, ``visits`` and ``p_best``."""

    action: Hashable
    q: dict[Hashable, float]  # estimated value; nan where never tried
    visits: dict[Hashable, int]
    p_best: dict[Hashable, float]  # probability of being the best action; empty unless the algorithm is AutoTree
    value: float  # of the state
    simulations: int

    def __str__(self) -> str:
        lines = [f"take {self.action!r} after {self.simulations:,} simulations; the state is worth {self.value:.4g}"]
        for action in sorted(self.q, key=lambda a: -math.inf if math.isnan(self.q[a]) else self.q[a], reverse=True):
            sure = f"  P(best) {self.p_best[action]:.3f}" if self.p_best else ""
            lines.append(f"  {action!r:>12}  value {self.q[action]:10.4g}  taken {self.visits[action]:>8,}{sure}")
        return "\n".join(lines)


class Planner:
    """Plans from any state of ``world``.

    >>> import varde
    >>> from varde.environments import taxi
    >>> planner = varde.Planner(taxi(), horizon=20)
    >>> planner((0, 0, "R", "Y"), simulations=2000).action
    'pickup'

    ``world`` is a model (``tabulate``, ``varde.environments``), a Gymnasium environment with a transition table, or
    a simulator of your own: an object with ``step(state, action, rng)`` and ``actions(state)``, or a step function
    with ``actions=``.  A simulator needs hashable states and is searched uncompiled.  If it fails, the error names
    state and action, and ``planner.move`` is what was found until then.
    """

    def __init__(
        self,
        world: Any,
        horizon: int,
        discount: float = 1.0,
        algorithm: Any = AutoTree(),  # noqa: B008 (a record: nothing can change it)
        *,
        actions: Callable[[Any], Sequence[Hashable]] | Sequence[Hashable] | None = None,
        graph: bool = True,
        keep: bool = True,
        rng: int = 0,
    ):
        self.world = as_world(world, actions, rng)
        self.algorithm, self.horizon, self.discount = algorithm, horizon, discount
        self.graph, self.keep, self.seed = graph, keep, rng
        self.search: Search | None = None
        self._moves = 0

    def __call__(self, state: Hashable, simulations: int = 1000) -> Move:
        """Search from ``state`` and recommend."""
        self.begin(state)
        return self.think(simulations)

    def begin(self, state: Hashable) -> None:
        """Plan from ``state`` from now on, forgetting the last search."""
        number = self.world.state(state) if isinstance(self.world, Table) else self.world.number(state)
        problem = self.world.model if isinstance(self.world, Table) else self.world
        if self.search is None or isinstance(problem, Simulator):
            self.search = Search(
                self.algorithm, problem, number, self.horizon, self.discount, keep=self.keep, graph=self.graph
            )
        self.search.start = number
        self.search.restart()
        self._rng = stream(named_key(self.seed, "planner"), self._moves)
        self._moves += 1

    def think(self, simulations: int) -> Move:
        """Add simulations to the search begun, and recommend."""
        if self.search is None:
            raise ValueError("there is no state to plan from: write planner.begin(state) first")
        if simulations < 1:
            raise ValueError(f"simulations is {simulations}: write 1 or more")
        self.search.run(simulations, self._rng)
        return self.move

    @property
    def move(self) -> Move:
        """What the search so far recommends."""
        search = self.search
        if search is None or search.tree.used[0] == 0 or search.tree.node[0, VISITS] == 0:
            raise ValueError("nothing was searched yet: write planner(state, simulations=1000)")
        names = self.world.legal(search.start) if isinstance(self.world, Table) else self.world.legal[search.start]
        rows = search.edges()
        counts, scores = search.tree.edge[rows, COUNT], search.tree.scores[rows]
        q = np.where(counts > 0, scores[:, Q], np.nan)
        chosen = recommend(self.algorithm, search.tree, 0, stream(named_key(self.seed, "ties")))
        sure: dict[Hashable, float] = {}
        if isinstance(self.algorithm, AutoTree):
            tried = counts > 0
            chances = np.zeros(len(names))
            chances[tried] = chance_of_best(scores[tried, Q], scores[tried, EDGE.variance])
            sure = dict(zip(names, chances.tolist(), strict=True))
        return Move(
            names[chosen],
            dict(zip(names, q.tolist(), strict=True)),
            dict(zip(names, counts.tolist(), strict=True)),
            sure,
            float(reported_value(self.algorithm, search.tree)),
            search.trials,
        )


def as_world(world: Any, actions: Any, seed: int) -> Any:
    """A Table or a Simulator, from whatever was given."""
    if isinstance(world, Table):
        return world
    if isinstance(world, MDP):
        states = list(range(world.pairs.size - 1))
        return Table(world, states, list(range(int(world.labels.max()) + 1)), 0, {i: i for i in states})
    if getattr(getattr(world, "unwrapped", None), "P", None):
        return from_gymnasium(world)
    if hasattr(world, "unwrapped"):
        raise TypeError(
            f"{world} has no transition table, and its step changes it instead of taking a state: write a function "
            "step(state, action, rng) that returns (state, reward, over), and give it with actions=..."
        )
    step = world if callable(world) and not hasattr(world, "step") else getattr(world, "step", None)
    legal = actions if actions is not None else getattr(world, "actions", None)
    if step is None or legal is None:
        raise TypeError(
            f"{world!r} is not a world: write a model, or an object with step(state, action, rng) and actions(state)"
        )
    return Simulator(step, legal, seed)


def chance_of_best(means: np.ndarray, variances: np.ndarray, points: int = 400) -> np.ndarray:
    """P(each is the largest) of independent normal estimates, by quadrature over the range that matters."""
    deviations = np.sqrt(np.maximum(variances, 1e-12 * max(np.ptp(means), 1e-300) ** 2 + 1e-300))
    low, high = (means - 6.0 * deviations).max(), (means + 6.0 * deviations).max()
    x = np.linspace(low, high, points)[:, None]
    z = (x - means) / deviations
    below = 0.5 * (1.0 + np.vectorize(math.erf)(z / math.sqrt(2.0)))
    edges = np.diff(np.vstack([np.zeros_like(means), below, np.ones_like(means)]), axis=0)
    # The chance that option i falls into a slice, and that all the others are below its end.
    ends = np.vstack([below, np.ones_like(means)])
    others = np.stack([np.delete(ends, i, axis=1).prod(axis=1) for i in range(means.size)], axis=1)
    chances = (edges * others).sum(axis=0)
    return chances / chances.sum()
