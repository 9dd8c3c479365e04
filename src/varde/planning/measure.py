"""``measure``: many runs on a known model, and the value of what each recommends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .._compile import kernel, slices
from .._pool import in_blocks
from ..check import seed_number, shown, whole
from ..measured import Measured, check_runs, checkpoints, complete
from ..protocols import Algorithm
from ..random import integer, stream, uniform
from ..random import key as named_key
from ..worlds.solve import best_values, uniform_values
from ..worlds.table import Table
from .search import Search
from .tree import NONE, seen_before
from .trial import recommend, turn_to


def measure(
    algorithm: Algorithm,
    world: Table,
    budget: int,
    *,
    horizon: int,
    discount: float = 1.0,
    keep: bool = True,
    graph: bool = False,
    runs: int = 100,
    at: Sequence[int] | None = None,
    seed: int = 0,
    workers: int | None = None,
    engine: str = "auto",
    rollouts: int = 0,
) -> Measured:
    """Search ``world`` from its start with ``budget`` simulations, ``runs`` times over.

    >>> import varde
    >>> from varde.environments import sailing
    >>> from varde.planning import measure
    >>> result = measure(varde.VarDE(), sailing(), 3000, horizon=50, graph=True, runs=4)
    >>> result.values.shape, bool(result.regret[-1] < 10)
    ((4, 1), True)

    A value is that of the policy that follows the recommendations through the tree and plays at random below it;
    ``best`` is the value of the best policy.  ``at`` asks for values after these numbers of simulations too, from the
    same runs.  Run r depends on ``seed`` and r only.  At Ctrl-C the complete runs are returned, with
    ``stopped="interrupted"``.  The value is exact, or the mean of so many ``rollouts`` of the policy, as in the paper's
    protocol (200): the same on average, with noise.
    """
    if not isinstance(world, Table):
        raise TypeError(f"world is {shown(world)}: write a Table, from tabulate or varde.environments")
    steps, runs = checkpoints(budget, at), check_runs(runs)
    rollouts = whole("rollouts", rollouts, "how many episodes to play, 0 for the exact value", 0)
    key = named_key(seed_number(seed), "assess")
    values = np.full((runs, steps.size), np.nan)

    def block(first: int, stop: int) -> Iterator[Any]:
        search = Search(algorithm, world, world.start, horizon, discount, keep=keep, graph=graph, engine=engine)
        worth = rollout_worth(search, rollouts) if rollouts else policy_worth(search)
        return in_turn(search, steps, key, first, values[first:stop], worth, runs - first)

    stopped = in_blocks(block, runs, workers, pieces=4)
    best = float(best_values(world.model, horizon, discount).values[0, world.start])
    return complete(Measured(values, steps, best, None, stopped))


Worth = Callable[[np.ndarray], float]  # of a search at a checkpoint, with a stream of its own


def in_turn(
    search: Search, at: np.ndarray, key: np.ndarray, first: int, values: np.ndarray, worth: Worth, ahead: int
) -> Iterator[Any]:
    """Fill ``values [runs, at]``: runs ``first`` onwards, one after the other in the same pool; yields now and then.

    There are ``ahead`` runs to make, these among them.

    Measuring draws from a stream of its own: it does not disturb the search, however often it happens.
    """
    for row in range(len(values)):
        search.restart()
        search.aim(int(at[-1]), runs=ahead - row)
        rng = stream(key, first + row)

        def grow(trials: int, rng: np.ndarray = rng) -> int:
            search.run(trials, rng)
            return trials

        for column, trials in enumerate(at):
            yield from slices(grow, int(trials) - search.trials)
            values[row, column] = worth(stream(key ^ np.uint64(trials), first + row))


def search_block(search: Search, at: np.ndarray, key: np.ndarray, first: int, runs: int, worth: Worth) -> np.ndarray:
    """All of ``in_turn``."""
    values = np.empty((runs, len(at)))
    for _ in in_turn(search, at, key, first, values, worth, runs):
        pass
    return values


@kernel
def policy_value(
    algorithm: Any, memory: Any, world: Any, tree: Any, settings: Any, random_values: Any, reached: Any, queue: Any,
    rng: Any,
) -> float:  # fmt: skip
    """The exact value.  ``random_values [H + 1, S]`` are those of random play; ``reached [2, N]`` must be all 0.

    Depth by depth: a node reached by several paths is complete in time, one that is a state at whatever depth may be
    reached again.
    """
    queue[0, 0], reached[0, 0] = 0, 1.0
    many, depth, factor, total = 1, 0, 1.0, 0.0
    while many > 0:
        here, there, more = depth % 2, (depth + 1) % 2, 0
        for i in range(many):
            node = queue[here, i]
            chance_of_node, reached[here, node] = reached[here, node], 0.0
            share, state, edge = chance_of_node * factor, tree.nodes.state[node], NONE
            if tree.nodes.tried[node] > 0 and depth < settings.horizon:
                turn_to(algorithm, memory, tree, node, depth)
                edge = recommend(algorithm, tree, node, rng)
            if edge == NONE:  # nothing known here: the end of the episode, or random play
                total += share * random_values[depth, state]
                continue
            pair = world.states.first[state] + tree.edges.action[edge]
            total += share * world.pairs.expected[pair]
            first = world.pairs.first[pair]
            for k in range(first, first + world.pairs.outcomes[pair]):
                successor, chance = world.outcomes.successor[k], world.outcomes.chance[k]
                outcome = seen_before(tree, edge, successor)
                if outcome == NONE:
                    total += share * chance * settings.discount * random_values[depth + 1, successor]
                    continue
                child = tree.outcomes.child[outcome]
                if reached[there, child] == 0.0:
                    queue[there, more] = child
                    more += 1
                reached[there, child] += chance_of_node * chance
        many = more
        depth += 1
        factor *= settings.discount
    return total


def policy_worth(search: Search) -> Worth:
    """The value of the recommended policy."""
    settings = search.settings
    random = uniform_values(search.world, settings.horizon, settings.discount).values

    def value(rng: np.ndarray) -> float:
        nodes = len(search.tree.nodes)
        work = np.zeros((2, nodes)), np.empty((2, nodes), np.int64)
        known = search.algorithm, search.memory, search.world, search.tree
        return search.call(policy_value, *known, settings, random, *work, rng)

    return value


@kernel
def rollout_mean(algorithm: Any, memory: Any, world: Any, tree: Any, settings: Any, rollouts: int, rng: Any) -> float:
    """The mean return of so many episodes: recommendations through the tree, random play below it."""
    total = 0.0
    for _ in range(rollouts):
        node, inside, state, factor = 0, True, tree.nodes.state[0], 1.0
        for depth in range(settings.horizon):
            width, edge = world.states.width[state], NONE
            if width == 0:
                break
            if inside and tree.nodes.tried[node] > 0:
                turn_to(algorithm, memory, tree, node, depth)
                edge = recommend(algorithm, tree, node, rng)
            action = integer(width, rng) if edge == NONE else tree.edges.action[edge]
            pair = world.states.first[state] + action
            k, left = world.pairs.first[pair], uniform(rng)
            last = k + world.pairs.outcomes[pair] - 1
            while k < last and left >= world.outcomes.chance[k]:
                left -= world.outcomes.chance[k]
                k += 1
            total += factor * world.outcomes.reward[k]
            state = world.outcomes.successor[k]
            outcome = NONE if edge == NONE else seen_before(tree, edge, state)
            inside = outcome != NONE
            node = tree.outcomes.child[outcome] if inside else 0
            factor *= settings.discount
    return total / rollouts


def rollout_worth(search: Search, rollouts: int) -> Worth:
    """The value of the recommended policy, estimated."""
    return lambda rng: search.call(
        rollout_mean, search.algorithm, search.memory, search.world, search.tree, search.settings, rollouts, rng
    )
