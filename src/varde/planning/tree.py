"""The search tree: nodes, edges and outcomes, three structured arrays that grow.

A node is a state at a depth, or a state at whatever depth where the algorithm pools them.  Its edges lie side by side:
first the actions that were tried, in the order in which they were, behind them those that were not.  An edge has a
chain of the outcomes seen so far, each with its count, its reward and the node it leads to.  Everything about a node
lies in a cache line or two, and has its name: ``tree.nodes.visits[node] += 1``.  Rows that are not in use are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._compile import copy_row, helper
from ..random import integer

# What every algorithm needs, with its bits; ``columns`` adds numbers of its own, V(n) and Q(e) first.  An edge of the
# default is one cache line.
LONG, BRIEF = ("state", "depth", "first", "visits", "link"), ("width", "tried", "made", "sign")
NODE = dict.fromkeys(LONG, 32) | dict.fromkeys(BRIEF, 16)
EDGE = {"action": 16, "pending": 16, "count": 32, "drawn": 32, "outcome": 32}
OUTCOME = {"successor": 32, "child": 32, "times": 32, "next": 32}
DEPTH = np.dtype([(name, np.float64) for name in ("value", "error", "optimistic")], align=True)

NONE = 0  # row 0 of edges and outcomes is never used: no edge, no outcome
SPARE = 1  # a row of edges for changing places
NOWHERE = -1  # no node
UNUSED = (0, SPARE + 1, 1, 0, 1)  # rows of an empty tree that are in use
EARLY, APART = 8, 50  # trials that say nothing yet; nodes for each one that was reached by two paths


class Tree(NamedTuple):
    """Node 0 is the root."""

    # [N] state; depth; first edge; N(n); another node, for an algorithm that goes through them; actions, none at the
    # horizon; how many of them were tried, how many have edges; 1, or -1 where the second player moves; value, ...
    nodes: np.ndarray
    # [E] which action of the state; pending trials; N(e); how often the world was asked, less than N(e) where trials
    # follow old outcomes; first outcome; q, ...
    edges: np.ndarray
    outcomes: np.ndarray  # [O] state and node it leads to; N(e, k); next one of the edge; mean reward with it, its M2
    hashed: np.ndarray  # [2^k] 1 + the node of (state, depth), by open addressing; of size 1 where paths share no nodes
    used: np.ndarray  # [5] nodes, edges, outcomes; nodes that the index has; rows of ``depths``
    # [7] whether there is no room for more; whether edges come in the order of a prior; whether the first edge of a
    # node lies alone; draws compared with earlier ones, how many were alike (``widen.py``); simulations; rows of
    # ``depths`` for which there was no room
    facts: np.ndarray
    depths: np.ndarray  # values of nodes by depth, where nodes are states at whatever depth; of size 1 elsewhere


FULL, ORDERED, ALONE, COMPARED, ALIKE, TRIALS, WANTED = 0, 1, 2, 3, 4, 5, 6  # of ``facts``


def kinds(columns: Sequence[Sequence[str]], long: bool = False) -> list[np.dtype]:
    """The types of the three arrays; ``long`` if 32 bits might not hold a count."""
    found = []
    for integers, numbers in ((NODE, columns[0]), (EDGE, columns[1]), (OUTCOME, ("reward", "squares"))):
        fields: Any = [(name, f"i{8 if long and bits == 32 else bits // 8}") for name, bits in integers.items()]
        found.append(np.dtype([*fields, *((name, np.float64) for name in numbers)], align=True))
    return found


def make_tree(room: Sequence[int], columns: Sequence[Sequence[str]], shared: bool) -> Tree:
    """An empty tree with room for so many nodes, edges, outcomes and rows by depth.

    Nodes may be ``shared`` by several paths.
    """
    nodes, edges, outcomes = (np.zeros(n, kind) for n, kind in zip(room, kinds(columns), strict=False))
    index, used, facts = make_index(room[0] if shared else 0), np.array(UNUSED), np.zeros(7, np.int64)
    return Tree(nodes, edges, outcomes, index, used, facts, np.zeros(room[3], DEPTH))


def make_index(nodes: int) -> np.ndarray:
    """An empty index for so many nodes, at most two thirds full."""
    return np.zeros(1 << (3 * nodes // 2).bit_length() if nodes else 1, np.int32)


def widened(tree: Tree, columns: Sequence[Sequence[str]]) -> Tree:
    """The same tree, its integers wide enough for whatever can be counted."""
    nodes, edges, outcomes = (a.astype(kind) for a, kind in zip(tree[:3], kinds(columns, True), strict=True))
    return tree._replace(nodes=nodes, edges=edges, outcomes=outcomes, hashed=tree.hashed.astype(np.int64))


# -- nodes -----------------------------------------------------------------------------------------


@helper
def add_node(tree, state, depth, width, sign):
    node, nodes = tree.used[0], tree.nodes
    tree.used[0] += 1
    nodes.state[node], nodes.depth[node], nodes.width[node], nodes.sign[node] = state, depth, width, sign
    return node


@helper
def slot_of(tree, state, depth):
    """Where the index has the node of a state at a depth, or would have it."""
    last = tree.hashed.size - 1
    at = ((state * 40503 + depth) * 40503) & last
    while tree.hashed[at] > 0:
        node = tree.hashed[at] - 1
        if tree.nodes.state[node] == state and tree.nodes.depth[node] == depth:
            break
        at = (at + 1) & last
    return at


@helper
def node_at(tree, state, depth):
    """The node of a state at a depth, or NOWHERE; of shared nodes only."""
    if tree.hashed.size == 1:
        return NOWHERE
    while tree.used[3] < tree.used[0]:  # the last one, or all in a longer index
        node = tree.used[3]
        tree.hashed[slot_of(tree, tree.nodes.state[node], tree.nodes.depth[node])] = node + 1
        tree.used[3] += 1
    return tree.hashed[slot_of(tree, state, depth)] - 1


# -- edges -----------------------------------------------------------------------------------------


@helper
def make_edges(tree, node, count):
    """Give a node so many untried edges."""
    first = tree.used[1]
    tree.nodes.first[node] = first
    tree.nodes.made[node] = count
    tree.used[1] += count
    for action in range(count):
        tree.edges.action[first + action] = action


@helper
def more_edges(tree, node, has, wanted):
    """The block of a node moves to where there is room for more actions; the old rows are not used again."""
    old = tree.nodes.first[node]
    make_edges(tree, node, wanted)
    new = tree.nodes.first[node]
    for i in range(has):
        action = tree.edges.action[old + i]
        for other in range(i, wanted):  # the rows of other actions are empty: only names change places
            if tree.edges.action[new + other] == action:
                tree.edges.action[new + other] = tree.edges.action[new + i]
        copy_row(tree.edges, old + i, new + i)


@helper
def open_edge(tree, node, rng):
    """An edge for an action that was never tried: any of them, or the next one where a prior gives the order.

    In a tree most nodes are visited once: there the first edge lies alone, and the others come at the second visit.
    """
    nodes, tried, width = tree.nodes, tree.nodes.tried[node], tree.nodes.width[node]
    if nodes.made[node] == 0 and tree.facts[ALONE] == 1:
        make_edges(tree, node, 1)
        tree.edges.action[nodes.first[node]] = integer(width, rng)
    elif nodes.made[node] == 0:
        make_edges(tree, node, width)
    elif tried == nodes.made[node]:
        more_edges(tree, node, tried, width)
    left = nodes.made[node] - tried
    at = 0 if left == 1 or tree.facts[ORDERED] == 1 else integer(left, rng)
    return open_row(tree, node, nodes.first[node] + tried + at)


@helper
def open_row(tree, node, row):
    """Try the action of an untried row: it changes places with the first of the untried ones."""
    edge = tree.nodes.first[node] + tree.nodes.tried[node]
    tree.nodes.tried[node] += 1
    change_places(tree, row, edge)
    return edge


@helper
def close_edge(tree, node, edge):
    """An edge without samples is untried again; the last of the tried ones takes its place."""
    tree.nodes.tried[node] -= 1
    change_places(tree, edge, tree.nodes.first[node] + tree.nodes.tried[node])


@helper
def change_places(tree, one, other):
    if one != other:
        copy_row(tree.edges, one, SPARE)
        copy_row(tree.edges, other, one)
        copy_row(tree.edges, SPARE, other)


@helper
def open_action(tree, node, action):
    """Try this action, which must be one of those that have an edge and were not tried; NONE otherwise."""
    first = tree.nodes.first[node]
    for row in range(first + tree.nodes.tried[node], first + tree.nodes.made[node]):
        if tree.edges.action[row] == action:
            return open_row(tree, node, row)
    return NONE


def edge_for(tree: Any, node: int, action: int) -> int:
    """The edge of an action that was tried, or NONE; in Python."""
    first = tree.nodes.first[node]
    tried = range(first, first + tree.nodes.tried[node])
    return next((edge for edge in tried if tree.edges.action[edge] == action), NONE)


def close_untaken(tree: Any, node: int) -> None:
    """Edges that no sample came back from are untried again; in Python, when no trial is under way."""
    first = tree.nodes.first[node]
    for edge in range(first + tree.nodes.tried[node] - 1, first - 1, -1):
        if tree.edges.count[edge] == 0:
            close_edge(tree, node, edge)


# -- outcomes --------------------------------------------------------------------------------------


@helper
def seen_before(tree, edge, successor):
    """The outcome of ``edge`` that leads to ``successor``, or NONE."""
    outcome = tree.edges.outcome[edge]
    while outcome != NONE and tree.outcomes.successor[outcome] != successor:
        outcome = tree.outcomes.next[outcome]
    return outcome


@helper
def add_outcome(tree, edge, successor, node):
    """A new outcome of ``edge``, last in its chain: the likely ones tend to come first."""
    outcome, outcomes = tree.used[2], tree.outcomes
    tree.used[2] += 1
    outcomes.successor[outcome], outcomes.child[outcome] = successor, node
    last = tree.edges.outcome[edge]
    if last == NONE:
        tree.edges.outcome[edge] = outcome
        return outcome
    while outcomes.next[last] != NONE:
        last = outcomes.next[last]
    outcomes.next[last] = outcome
    return outcome


@helper
def paths_meet(tree):
    """Whether nodes are shared by several paths: they are looked for, and there are not almost none."""
    again = tree.used[2] - tree.used[0]  # every node but the root has one outcome that made it
    return tree.hashed.size > 1 and (tree.nodes.visits[0] < EARLY or APART * (again + 1) > tree.used[0])


# -- which action ----------------------------------------------------------------------------------


@helper
def samples_soon(tree, edge):
    """N(e) with pending samples."""
    return tree.edges.count[edge] + tree.edges.pending[edge]


@helper
def best_edge(tree, node, scores, rng):
    """The edge with the highest of ``scores``, a column of the edges, ties at random; NONE if none has samples."""
    first, counts = tree.nodes.first[node], tree.edges.count
    best, chosen, ties = -np.inf, NONE, 1
    for edge in range(first, first + tree.nodes.tried[node]):
        if counts[edge] == 0:
            continue
        score = scores[edge]
        if score > best or chosen == NONE:
            best, chosen, ties = score, edge, 1
        elif score == best:
            ties += 1
            chosen = edge if integer(ties, rng) == 0 else chosen
    return chosen


@helper
def fewest_pending(tree, node):
    """The edge with the fewest pending trials, where none has a sample yet."""
    first = tree.nodes.first[node]
    chosen = first
    for edge in range(first, first + tree.nodes.tried[node]):
        if tree.edges.pending[edge] < tree.edges.pending[chosen]:
            chosen = edge
    return chosen


# -- values ----------------------------------------------------------------------------------------


@helper
def raise_value(tree, node, old, new, first_time):
    """V(node) = max over tried actions of Q, of which one went from ``old`` to ``new``."""
    value = tree.nodes.value[node]
    if first_time or (old == value and new < value):  # it was something else before, or the leader fell
        tree.nodes.value[node] = highest_q(tree, node)
    else:
        tree.nodes.value[node] = max(value, new)


@helper
def highest_q(tree, node):
    """max over tried actions of Q."""
    first, best = tree.nodes.first[node], -np.inf
    for edge in range(first, first + tree.nodes.tried[node]):
        q = tree.edges.q[edge]
        best = q if (tree.edges.count[edge] > 0) & (q > best) else best
    return best
