"""The best line of a search: the root, and where the recommended actions most often led.

The pool of a search is reused by the next one, so what a ``Move`` shows later is copied out.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._compile import in_python
from .certainty import Choice, how_sure, never_came
from .search import Search
from .tree import NONE, edge_for
from .trial import beliefs, recommend, turn_to

LEAST = 0.01  # of all simulations: a state with fewer is not shown
LONGEST = 20  # states
READ = 64  # outcomes of an action that are looked at


class Taken(NamedTuple):
    """The recommended action of a state, as a row of a table."""

    n: int  # its simulations
    estimate: float
    low: float  # infinite where nothing is known
    high: float
    p_best: float  # nan if the algorithm does not estimate errors


class Step(NamedTuple):
    """A state, and the recommended action there."""

    state: Any
    share: float  # of the action before: how often it led here
    visits: int
    side: float  # 1, or -1 where the opponent of the player at the root moves
    action: Any  # None if none was tried
    choice: Choice

    def taken(self) -> Taken:
        """How sure it is, which takes a while: nobody asks unless the line is shown."""
        choice, at = self.choice, self.choice.taken
        about, sure = (int(choice.counts[at]), float(choice.values[at])), how_sure(choice)
        if sure is None:
            return Taken(*about, -math.inf, math.inf, math.nan)
        return Taken(*about, float(sure.lows[at]), float(sure.highs[at]), float(sure.chances[at]))


def best_line(search: Search, rng: np.ndarray) -> list[Step]:
    """The steps from the root on, as long as there are simulations enough."""
    views = in_python((search.tree, search.memory))
    tree, line, node, share, met = views[0], list[Step](), 0, 1.0, set[int]()
    least = max(LEAST * float(tree.nodes.visits[0]), 2.0)
    longest = min(LONGEST, int(search.settings.horizon))  # a node of a graph may be met at any depth, to the last
    while len(line) < longest and node not in met:
        met.add(node)
        choice = choice_at(search, node, rng, views, len(line))
        line.append(step_of(search, tree, node, share, choice))
        if line[-1].action is None:
            break
        node, share = most_frequent(tree, edge_for(tree, node, choice.taken))
        if node == NONE or tree.nodes.visits[node] < least or not tree.nodes.tried[node]:
            break
    return line


def step_of(search: Search, tree: Any, node: int, share: float, choice: Choice) -> Step:
    state, taken = tree.nodes.state[node], choice.taken
    action = None if taken < 0 or not choice.counts[taken] else search.names.actions(state)[taken]
    return Step(
        search.names.state(state), share, int(tree.nodes.visits[node]), float(tree.nodes.sign[node]), action, choice
    )


def most_frequent(tree: Any, edge: int) -> tuple[int, float]:
    """The node that an edge most often led to, and how often; only the first of very many outcomes are read."""
    best, often, total, outcome = NONE, 0, 0, tree.edges.outcome[edge]
    again = tree.edges.drawn[edge] < tree.edges.count[edge]
    for _ in range(READ):
        if outcome == NONE:
            break
        child, times = int(tree.outcomes.child[outcome]), int(tree.outcomes.times[outcome])
        if times > 0:  # the others are pending
            # Where outcomes were followed again, the visits of where they lead.
            times = int(tree.nodes.visits[child]) if again else times
            best, often = (child, times) if times > often else (best, often)
            total += times
        outcome = tree.outcomes.next[outcome]
    return best, often / max(total, 1)


def choice_at(search: Search, node: int, rng: np.ndarray, views: Any = None, depth: int = 0) -> Choice:
    """What the search knows of the actions of ``node``; ``views`` are those of its tree and memory in Python."""
    algorithm, size, kept = search.algorithm, int(search.tree.nodes["width"][node]), search.tree.nodes[node].copy()
    edges = search.tree.edges[search.edges(node)]
    tree, memory = views or in_python((search.tree, search.memory))
    before = edges.copy()
    turn_to(algorithm, memory, tree, node, depth)
    found, rows = beliefs(algorithm, memory, tree, node), edges.copy()
    chosen = int(recommend(algorithm, tree, node, rng))
    search.tree.nodes[node], edges[:] = kept, before  # looking at a search does not change it
    at = rows["action"]
    values, variances, optimistic, own = np.full((4, size), np.nan)
    counts, drawn = np.zeros((2, size), np.int64)
    counts[at], drawn[at], values[at] = rows["count"], rows["drawn"], np.where(rows["count"] > 0, rows["q"], np.nan)
    variances[at], optimistic[at] = found.variances, found.optimistic
    own[at] = np.nan if found.own is None else found.own
    taken = -1 if chosen == NONE else int(tree.edges.action[chosen])
    unseen = never_came(values, drawn, search.ends if node == 0 else None)
    about = float(found.spread), taken, float(found.known), unseen, None if found.own is None else own
    return Choice(values, variances, optimistic, counts, drawn, *about)
