"""The top of a search tree, copied out: the nodes with a share of the simulations worth showing.

The pool of a search is reused by the next one, so what a ``Move`` shows later must be copied before.
"""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np

from .._compile import in_python
from ..certainty import Confidence
from ..worlds.table import side
from .certainty import Choice, how_sure
from .loop import hoped_value, known_share, recommend, return_variance, value_variance
from .search import Search
from .tree import NONE

NODES, PER_NODE = 40, 100  # nodes shown at most, and one more for every so many simulations
SHARE = 0.01  # least share of all simulations of a node or action that is shown
ACTIONS = 12  # of a node, those with most simulations
SHOWN, READ = 6, 64  # outcomes of an action


class Outcome(NamedTuple):
    """Where an action led."""

    state: Any
    times: int
    node: int = -1  # which of Top, -1 if it is not among them


class Action(NamedTuple):
    name: Any
    place: int  # among the legal actions
    outcomes: list[Outcome]  # the frequent ones
    more: bool  # whether there are others


class Node(NamedTuple):
    """A state at a depth."""

    state: Any
    visits: int
    side: float  # 1, or -1 where the opponent of the player at the root moves
    choice: Choice
    actions: list[Action]  # tried ones, those with most simulations first
    more: int  # tried ones that are not among them
    untried: int

    @property
    def sure(self) -> Confidence | None:
        """How sure its recommended action is."""
        return how_sure(self.choice)


Top = list[Node]  # the root first, every node before those that it leads to


def top_of(search: Search, rng: np.ndarray) -> Top:
    """The most visited nodes, from the root on; a node reached by several paths is shown on the busiest."""
    views = in_python((search.tree, search.memory))
    tree = views[0]
    top: Top = []
    spent = tree.nodes.visits[0]
    least, most = max(SHARE * spent, 2.0), min(NODES, 8 + spent // PER_NODE)
    waiting: list[Any] = [(0, 0, 0, None, 0)]  # -times, order, node, the outcomes of the action that led there, which
    met = {0}
    while waiting and len(top) < most:
        _, _, node, siblings, i = heapq.heappop(waiting)
        if siblings is not None:
            siblings[i] = siblings[i]._replace(node=len(top))
        seen, led = look(search, views, node, rng, least)
        top.append(seen)
        for outcomes, i, child in led:
            if child not in met and tree.nodes.tried[child] > 0:
                met.add(child)
                heapq.heappush(waiting, (-outcomes[i].times, len(met), child, outcomes, i))
    return top


def choice_at(search: Search, node: int, rng: np.ndarray, views: Any = None) -> Choice:
    """What the search knows of the actions of ``node``; ``views`` are those of its tree and memory in Python."""
    algorithm, rows = search.algorithm, search.edges(node)
    tree, memory = views or in_python((search.tree, search.memory))
    table = search.tree.edges[rows]
    counts = table["count"].astype(np.int64)
    values = np.where(counts > 0, table["q"], np.nan)
    edges = range(rows.start, rows.stop)
    variances = np.array([float(value_variance(algorithm, tree, edge)) for edge in edges])
    hopes = np.array([float(hoped_value(algorithm, tree, edge)) for edge in edges])
    spread = float(return_variance(algorithm, tree, node))
    drawn = table["drawn"].astype(np.int64) if "drawn" in (table.dtype.names or ()) else counts
    taken = int(recommend(algorithm, tree, node, rng))
    known = float(known_share(algorithm, memory, tree))
    return Choice(values, variances, hopes, counts, drawn, spread, taken, known)


def look(
    search: Search, views: Any, node: int, rng: np.ndarray, least: float
) -> tuple[Node, list[tuple[list[Outcome], int, int]]]:
    """One node; and the nodes that at least so many simulations led to, each with the place of its outcome."""
    tree, choice, names = views[0], choice_at(search, node, rng, views), search.names
    state, first = tree.nodes.state[node], tree.nodes.first[node]
    legal, counts = names.actions(state), choice.counts.tolist()
    order = sorted((place for place in range(len(counts)) if counts[place]), key=lambda place: -counts[place])
    actions, led = [], []
    for place in order[:ACTIONS]:
        outcomes: list[Outcome] = []
        more = False
        if counts[place] >= least:
            met, more = followed(tree, first + place)
            outcomes = [Outcome(names.state(successor), times) for times, successor, _ in met]
            led += [(outcomes, i, child) for i, (times, _, child) in enumerate(met) if times >= least]
        actions.append(Action(legal[place], place, outcomes, more))
    rest = len(order) - len(actions), len(counts) - len(order)
    player = float(side(search.problem, state))
    return Node(names.state(state), tree.nodes.visits[node], player, choice, actions, *rest), led


def followed(tree: Any, edge: int) -> tuple[list[tuple[int, int, int]], bool]:
    """The frequent outcomes of an edge: how often, state and node; and whether there are others.

    Only the first of very many are read.
    """
    met: list[tuple[int, int, int]] = []
    outcome, outcomes = tree.edges.outcome[edge], tree.outcomes
    again = hasattr(tree.edges, "drawn") and tree.edges.drawn[edge] < tree.edges.count[edge]
    while outcome != NONE and len(met) < READ:
        child, times = outcomes.child[outcome], outcomes.times[outcome]
        if times > 0:  # the others are pending
            # Where outcomes were followed again, the visits of where they lead.
            met.append((tree.nodes.visits[child] if again else times, outcomes.successor[outcome], child))
        outcome = outcomes.next[outcome]
    met.sort(key=lambda row: -row[0])
    return met[:SHOWN], len(met) > SHOWN or outcome != NONE
