"""The search tree: a pool of nodes, edges and outcomes, reused between runs.

A node is a state at a depth.  Its edges, one per legal action, lie side by side.  An edge has a chain of the
outcomes seen so far, each with its count, its reward and the node it leads to.  Each of the three is one structured
array, so that everything about a node lies in a cache line or two, and has its name: ``tree.nodes.visits[node] += 1``.
Rows that are not in use are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._compile import copy_row, helper, verb
from ..random import below
from ..worlds.games import as_inside
from ..worlds.table import prior
from ..worlds.visited import Visited

# What every algorithm needs; ``columns`` adds numbers of its own, V(n) and Q(e) first.
NODE = ("state", "first", "width", "tried", "visits", "link", "only")
EDGE = ("count", "outcome", "pending")
OUTCOME = ("successor", "child", "times", "next")

NONE = 0  # no outcome: outcome 0 is never used
NOWHERE = -1  # no node
NEW = -1  # in place of a first edge: the edges are not made yet
CHOSEN, LED, WIDE, CREDITED = 1, 2, 3, 4  # faults: which number is invalid
WRONG = -3  # what a kernel returns then
# Phases of a lane: between trials; at a node; waiting for a transition, after which it leaves the tree (LEAVING), or of
# random play (PLAYING); beyond the tree.
IDLE, READY, ASKED, LEAVING, PLAYING, LEFT = 0, 1, 2, 3, 4, 5


class Tree(NamedTuple):
    """Node 0 is the root."""

    # [N] state; first edge, number of edges, how many were tried; N(n); another node of the same depth, for an
    # algorithm that goes through them; 1 + the action of its only edge where the others are not made yet; value, ...
    nodes: np.ndarray
    # [E] N(e); first outcome; pending trials through the edge; how often the world was asked (drawn), where trials may
    # follow old outcomes instead; q, ...
    edges: np.ndarray
    # [O] the state and the node it leads to; N(e, k); next outcome of the edge; mean reward with it, and where rewards
    # are not known exactly the sum of its squared deviations (squares)
    outcomes: np.ndarray
    table: np.ndarray  # [H + 1, S] the node of a state at a depth, where transpositions are shared
    repeats: np.ndarray  # [1] draws compared with earlier ones, how many were alike: see ``discovered``
    used: np.ndarray  # [3] nodes, edges and outcomes in use
    full: np.ndarray  # [1] whether there is no room for more nodes
    lanes: int  # trials that may be pending at once; with one, nothing is pending when an action is chosen


class Path(NamedTuple):
    """The trials under way: where each lane is, and by lane and depth how it got there."""

    # [B] node, depth, phase; the state and the action it asks for; beyond the tree the reward of the step that led
    # there (nan: the node is in the tree), steps of random play left, what they paid, the discount so far; the chance
    # to repeat an action
    lane: np.ndarray
    nodes: np.ndarray  # [B, H + 1]
    edges: np.ndarray  # [B, H + 1]
    outcomes: np.ndarray  # [B, H + 1] negative where one was followed again without asking the world
    rewards: np.ndarray  # [B, H + 1]
    remaining: np.ndarray  # [1] trials still to begin
    fault: np.ndarray  # [4] an invalid number that a verb returned: which fault, the state, the number, its bound


class Settings(NamedTuple):
    """How to search, whatever the algorithm."""

    horizon: int
    discount: float
    keep: bool  # the whole trajectory joins the tree; otherwise one node does, and random play finishes the trial
    graph: bool  # a state at a depth is one node, however it was reached
    widest: int  # the most actions of a state
    labels: int  # actions of the whole problem, however many are legal in a state
    lanes: int  # pending trials at most
    lazy: bool = False  # a node has one edge until it is visited again
    noisy: bool = False  # the problem pays a final reward
    outside: bool = False  # transitions come from Python


def kinds(names: Sequence[str], numbers: Sequence[str], integer: Any = np.int32) -> np.dtype:
    """The type of a row: integers, then floats.

    Integers are short, which keeps a node in a cache line; ``widened`` makes them long before a count can overflow.
    """
    fields: Any = [(name, integer) for name in names] + [(name, np.float64) for name in numbers]
    return np.dtype(fields, align=True)


LANE = kinds(("node", "depth", "phase", "state", "action", "steps"), ("reward", "gain", "factor", "hold"), np.int64)


def make_tree(
    nodes: int,
    edges: int,
    columns: Sequence[Sequence[str]],
    table: tuple[int, int],
    lanes: int,
    wide: bool,
    exact: bool,
) -> Tree:
    """An empty pool; ``exact`` if rewards are known, ``wide`` if outcomes may be followed again."""
    return Tree(
        np.zeros(nodes, kinds(NODE, columns[0])),
        np.zeros(edges, kinds((*EDGE, "drawn") if wide else EDGE, columns[1])),
        np.zeros(nodes + 1, kinds(OUTCOME, ("reward",) if exact else ("reward", "squares"))),
        np.full(table, NOWHERE, np.int32),
        np.zeros(1, kinds(("compared", "alike"), (), np.int64)),
        np.zeros(3, np.int64),
        np.zeros(1, np.int64),
        lanes,
    )


def widened(tree: Tree) -> Tree:
    """The same tree, its integers wide enough for whatever can be counted."""
    longer = {}
    for name in ("nodes", "edges", "outcomes"):
        array = getattr(tree, name)
        long = [(field, np.int64 if kind == np.int32 else kind) for field, (kind, *_) in array.dtype.fields.items()]
        longer[name] = array.astype(np.dtype(long, align=True))
    return tree._replace(table=tree.table.astype(np.int64), **longer)


def make_path(lanes: int, horizon: int) -> Path:
    """Room for ``lanes`` trials of ``horizon`` steps."""
    size = lanes, horizon + 1
    nodes, edges, outcomes = np.zeros((3, *size), np.int64)
    return Path(
        np.zeros(lanes, LANE), nodes, edges, outcomes, np.zeros(size), np.zeros(1, np.int64), np.zeros(4, np.int64)
    )


@helper
def fault(path, what, state, number, bound):
    """Record a fault."""
    path.fault[0], path.fault[1], path.fault[2], path.fault[3] = what, state, number, bound


# -- nodes and edges -------------------------------------------------------------------------------


@helper
def add_node(tree, state, width, lazily):
    """A new node with ``width`` untried edges; ``lazily`` they come later: most nodes of a tree are visited once."""
    node, nodes = tree.used[0], tree.nodes
    tree.used[0] += 1
    nodes.state[node], nodes.first[node], nodes.width[node], nodes.link[node] = state, NEW, width, NOWHERE
    if not lazily:
        add_edges(tree, node, width)
    return node


@helper
def add_edges(tree, node, width):
    """Give a node ``width`` untried edges."""
    tree.nodes.first[node], tree.nodes.width[node], tree.nodes.only[node] = tree.used[1], width, 0
    tree.used[1] += width


@helper
def edge_of(tree, node, action):
    """The edge of an action; of a node that has none yet, its only one for now."""
    nodes = tree.nodes
    if nodes.first[node] == NEW:
        add_edges(tree, node, 1)
        nodes.only[node] = action + 1
    return nodes.first[node] + action - first_action(tree, node)


@helper
def first_action(tree, node):
    """The action of the first edge."""
    return max(tree.nodes.only[node] - 1, 0)


@helper
def has_untried(tree, node):
    """Whether an action was never taken."""
    return tree.nodes.tried[node] < tree.nodes.width[node] or tree.nodes.only[node] > 0


@helper
def open_up(tree, node, width):
    """Make the other edges of a node that has one; the row of that one is not used again."""
    old, action = tree.nodes.first[node], first_action(tree, node)
    add_edges(tree, node, width)
    copy_row(tree.edges, old, tree.nodes.first[node] + action)


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


# -- which action ----------------------------------------------------------------------------------


@verb(fallback=True)
def untried(problem, tree, node, rng):
    """One of the untried actions of ``node``, uniform unless there is a prior; there must be one.

    With pending trials, one that the fewest are trying.
    """
    return any_untried(tree, node, rng)


@untried.of(Visited)
def likely_untried(problem, tree, node, rng):
    return likeliest(problem, tree, node, rng) if has_prior(problem, tree, node) else any_untried(tree, node, rng)


as_inside(untried)


@helper
def any_untried(tree, node, rng):
    nodes, edges = tree.nodes, tree.edges
    first, width, tried = nodes.first[node], nodes.width[node], nodes.tried[node]
    least, alike = 0, width - tried
    if tree.lanes > 1:
        least, alike = fewest_pending(tree, node)
    left = below(alike, rng)
    if tree.lanes == 1 and tried == 0:
        return left
    for action in range(width):
        if edges.count[first + action] == 0 and edges.pending[first + action] == least:
            if left == 0:
                return action
            left -= 1
    return 0


@helper
def has_prior(problem, tree, node):
    """Whether the actions of the node have a prior."""
    return prior(problem, tree.nodes.state[node], 0) > 0.0


@helper
def likeliest(problem, tree, node, rng):
    """The untried action of highest prior among those with the fewest pending trials, ties at random."""
    first, state, pending = tree.nodes.first[node], tree.nodes.state[node], fewest_pending(tree, node)[0]
    best, chosen, ties = 0.0, 0, 1
    for action in range(tree.nodes.width[node]):
        if tree.edges.count[first + action] == 0 and tree.edges.pending[first + action] == pending:
            weight = prior(problem, state, action)
            if weight > best:
                best, chosen, ties = weight, action, 1
            elif weight == best:
                ties += 1
                chosen = action if below(ties, rng) == 0 else chosen
    return chosen


@helper
def fewest_pending(tree, node):
    """The fewest pending trials of any untried edge, and how many edges have so few."""
    first, least, alike = tree.nodes.first[node], 1 << 30, 0
    for edge in range(first, first + tree.nodes.width[node]):
        pending = tree.edges.pending[edge]
        if tree.edges.count[edge] == 0 and pending <= least:
            alike = alike + 1 if pending == least else 1
            least = pending
    return least, alike


@helper
def samples_soon(tree, edge):
    """N(e) with pending samples."""
    return tree.edges.count[edge] + tree.edges.pending[edge]


@helper
def best_action(tree, node, scores, rng):
    """The tried action with the highest of ``scores``, a column of the edges, ties at random; -1 if none was tried."""
    first, counts = tree.nodes.first[node], tree.edges.count
    best, chosen, ties = -np.inf, -1, 1
    for action in range(tree.nodes.width[node]):
        if counts[first + action] == 0:
            continue
        score = scores[first + action]
        if score > best or chosen < 0:
            best, chosen, ties = score, action, 1
        elif score == best:
            ties += 1
            chosen = action if below(ties, rng) == 0 else chosen
    return chosen


@helper
def most_visited(tree, node, rng):
    """The action taken most often, ties at random; -1 if none was."""
    return best_action(tree, node, tree.edges.count, rng)


# -- values ----------------------------------------------------------------------------------------


@helper
def raise_value(tree, node, old, new, first_time):
    """V(node) = max over tried actions of Q, of which one went from ``old`` to ``new``."""
    value = tree.nodes.value[node]
    if new >= value or (first_time and tree.nodes.tried[node] == 1):
        tree.nodes.value[node] = new
    elif not first_time and old == value:  # the leader fell: look for the next
        tree.nodes.value[node] = highest_q(tree, node)


@helper
def highest_q(tree, node):
    """max over tried actions of Q."""
    first, best = tree.nodes.first[node], -np.inf
    for edge in range(first, first + tree.nodes.width[node]):
        q = tree.edges.q[edge]
        best = q if (tree.edges.count[edge] > 0) & (q > best) else best
    return best
