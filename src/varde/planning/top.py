"""The top of a search tree, copied out: the nodes with a share of the simulations worth showing.

The pool of a search is reused by the next one, so what a ``Move`` shows later must be copied before.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..worlds.table import side
from .certainty import Choice
from .loop import hoped_value, known_share, recommend, return_variance, value_variance
from .tree import CHILD, COUNT, EDGES, NEXT, NONE, OUTCOMES, STATE, SUCCESSOR, TIMES, TRIED, VISITS, Q, Tree

NODES, PER_NODE = 40, 100  # nodes shown at most, and one more for every so many simulations
SHARE = 0.01  # least share of all simulations of a node or action that is shown
ACTIONS = 12  # of a node, those with most simulations
SHOWN, READ = 6, 64  # outcomes of an action


class Names(NamedTuple):
    """The names of the states of a search and their actions, by state number."""

    state: Callable[[int], Any]
    actions: Callable[[int], Sequence[Any]]


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


Top = list[Node]  # the root first, every node before those that it leads to


def top_of(search: Any, names: Names, rng: np.ndarray) -> Top:
    """The most visited nodes, from the root on; a node reached by several paths is shown on the busiest."""
    tree = search.tree
    top: Top = []
    spent = int(tree.node[0, VISITS])
    least, most = max(SHARE * spent, 2.0), min(NODES, 8 + spent // PER_NODE)
    waiting: list[Any] = [(0, 0, 0, None, 0)]  # -times, order, node, the outcomes of the action that led there, which
    met = {0}
    while waiting and len(top) < most:
        _, _, node, siblings, i = heapq.heappop(waiting)
        if siblings is not None:
            siblings[i] = siblings[i]._replace(node=len(top))
        seen, led = look(search, node, names, rng, least)
        top.append(seen)
        for outcomes, i, child in led:
            if child not in met and tree.node[child, TRIED] > 0:
                met.add(child)
                heapq.heappush(waiting, (-outcomes[i].times, len(met), child, outcomes, i))
    return top


def choice_at(search: Any, node: int, rng: np.ndarray) -> Choice:
    """What the search knows of the actions of ``node``."""
    algorithm, tree, rows = search.algorithm, search.tree, search.edges(node)
    counts = tree.edge[rows, COUNT].astype(np.int64)
    values = np.where(counts > 0, tree.scores[rows, Q], np.nan)
    edges = range(rows.start, rows.stop)
    variances = np.array([float(value_variance(algorithm, tree, edge)) for edge in edges])
    hopes = np.array([float(hoped_value(algorithm, tree, edge)) for edge in edges])
    spread = float(return_variance(algorithm, tree, node))
    drawn = tree.drawn[rows, 0].astype(np.int64) if tree.wide else counts
    taken, known = int(recommend(algorithm, tree, node, rng)), float(known_share(algorithm, search.memory, tree))
    return Choice(values, variances, hopes, counts, drawn, spread, taken, known)


def look(
    search: Any, node: int, names: Names, rng: np.ndarray, least: float
) -> tuple[Node, list[tuple[list[Outcome], int, int]]]:
    """One node; and the nodes that at least so many simulations led to, each with the place of its outcome."""
    tree, choice = search.tree, choice_at(search, node, rng)
    row = tree.node[node].tolist()
    legal, counts = names.actions(row[STATE]), choice.counts.tolist()
    order = sorted((place for place in range(len(counts)) if counts[place]), key=lambda place: -counts[place])
    actions, led = [], []
    for place in order[:ACTIONS]:
        outcomes: list[Outcome] = []
        more = False
        if counts[place] >= least:
            met, more = followed(tree, row[EDGES] + place)
            outcomes = [Outcome(names.state(to[SUCCESSOR]), to[TIMES]) for to in met]
            led += [
                (outcomes, i, to[CHILD]) for i, to in enumerate(met) if outcomes[i].times >= least and to[CHILD] >= 0
            ]
        actions.append(Action(legal[place], place, outcomes, more))
    rest = len(order) - len(actions), len(counts) - len(order)
    player = float(side(search.problem, row[STATE]))
    return Node(names.state(row[STATE]), row[VISITS], player, choice, actions, *rest), led


def followed(tree: Tree, edge: int) -> tuple[list[list[int]], bool]:
    """The frequent outcomes of an edge, and whether there are others; only the first of very many are read."""
    met: list[list[int]] = []
    outcome = int(tree.edge[edge, OUTCOMES])
    while outcome != NONE and len(met) < READ:
        met.append(tree.outcome[outcome].tolist())
        outcome = met[-1][NEXT]
    if tree.wide and tree.drawn[edge, 0] < tree.edge[edge, COUNT]:  # followed again: the visits of where they lead
        for row in met:
            row[TIMES] = int(tree.node[row[CHILD], VISITS]) if row[TIMES] > 0 else 0
    known = [row for row in met if row[TIMES] > 0 and row[SUCCESSOR] >= 0]  # the others are pending or pruned
    forgotten = any(row[SUCCESSOR] < 0 for row in met)
    known.sort(key=lambda row: -row[TIMES])
    return known[:SHOWN], len(known) > SHOWN or outcome != NONE or forgotten
