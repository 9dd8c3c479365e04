"""The search tree: a pool of nodes, edges and outcomes in flat arrays, reused between runs.

A node is a state at a depth.  Its edges, one per legal action, lie side by side.  An edge has a chain of the
outcomes seen so far, each with its count and the node it leads to.  Integers and floats of the same thing share a
row, hence a cache line.  Nothing is cleared between runs: a new node clears its own rows.

Where a world may lead somewhere new at every step (``wide``), a trial may follow an outcome seen before instead of
asking the world; N(e, k) counts how often the world led to k, however often it was followed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..random import below
from ..worlds.table import expected_reward, num_actions, prior, side

# Columns of Tree.node.
STATE, EDGES, WIDTH, TRIED, VISITS = 0, 1, 2, 3, 4  # model state, first edge, edges, edges tried, N(n)
LINK = 5  # another node of the same depth, for an algorithm that goes through them
ONLY = 6  # 1 + the action of its only edge, where the others are not made yet; 0 where all are
# Columns of Tree.edge.
COUNT, OUTCOMES, PENDING = 0, 1, 2  # N(e), first outcome, pending trials through the edge
# Columns of Tree.outcome.
SUCCESSOR, CHILD, TIMES, NEXT = 0, 1, 2, 3  # model state, node, N(e, k), next outcome of the edge
# First columns of Tree.values and Tree.scores; an algorithm names the others itself.
VALUE = 0  # V(n)
Q = 0  # Q(e)

COMPARED, ALIKE, TRIALS = 0, 1, 2  # of Tree.pairs
FEW = 4  # an outcome is rare that came up in at most a quarter of as many draws or more
RARE = 200  # rare outcomes do not repeat if of so many pairs of draws not one is alike
EARLY, APART = 8, 50  # trials that say nothing yet; nodes for each one that was reached by two paths

NONE = 0  # no outcome: outcome 0 is never used
NOWHERE = -1  # no node
# In place of a first edge, if edges were dropped or never made: NEW, or BEST - b with b the best action then.
NEW, BEST = -1, -2


class Node(NamedTuple):
    """Columns of a node about which an algorithm keeps nothing but its value."""

    value: int = VALUE


class Tree(NamedTuple):
    """Node 0 is the root.  Which columns ``values`` and ``scores`` have is up to the algorithm."""

    node: np.ndarray  # [N, 7]
    values: np.ndarray  # [N, columns] V(n) and what else the algorithm knows about a node
    edge: np.ndarray  # [E, 3]
    scores: np.ndarray  # [E, columns] Q(e) and what else the algorithm knows about an edge
    outcome: np.ndarray  # [O, 4]
    table: np.ndarray  # [H + 1, S] the node of a state at a depth, where transpositions are shared
    drawn: np.ndarray  # [E, 1] samples of the world through an edge; N(e) has those that followed an outcome too
    paid: np.ndarray  # [O, 1] mean reward with an outcome
    pairs: np.ndarray  # [3] draws compared with earlier ones through the same edge, how many led to the same state;
    # trials, including those pruned since
    used: np.ndarray  # [3] nodes, edges and outcomes in use
    wide: bool  # outcomes may be followed again; otherwise ``drawn`` and ``paid`` are empty
    lanes: int  # trials that may be pending at once; with one, nothing is pending when an action is chosen


class Path(NamedTuple):
    """The paths of the pending trials, by lane and depth."""

    nodes: np.ndarray  # [B, H + 1]
    edges: np.ndarray  # [B, H + 1]
    outcomes: np.ndarray  # [B, H + 1]
    rewards: np.ndarray  # [B, H + 1]
    fault: (
        np.ndarray
    )  # [4] an invalid number that a verb returned: which fault (0: none), the state, the number, its bound


class Settings(NamedTuple):
    """How to search, whatever the algorithm."""

    horizon: int
    discount: float
    keep: bool  # the whole trajectory joins the tree; otherwise one node does, and random play finishes the trial
    graph: bool  # a state at a depth is one node, however it was reached
    widest: int  # the most actions of a state
    labels: int  # actions of the whole problem, however many are legal in a state
    lanes: int  # pending trials at most
    sparse: bool = False  # a node has one edge until it is visited again


def make_tree(nodes: int, edges: int, columns: tuple[int, int], table: tuple[int, int], lanes: int, wide: bool) -> Tree:
    """An empty pool.

    Its integers are short, which keeps a node in a cache line and makes a search some 10 % faster; ``widened`` makes
    them long before a count can overflow.
    """
    return Tree(
        np.empty((nodes, 7), np.int32),
        np.empty((nodes, columns[0])),
        np.empty((edges, 3), np.int32),
        np.empty((edges, columns[1])),
        np.empty((nodes + 1, 4), np.int32),
        np.full(table, NOWHERE, np.int32),
        np.empty((edges if wide else 1, 1), np.int32),
        np.empty((nodes + 1 if wide else 1, 1)),
        np.zeros(3, np.int64),
        np.zeros(3, np.int64),
        wide,
        lanes,
    )


def widened(tree: Tree) -> Tree:
    """The same tree, its integers wide enough for whatever can be counted."""
    long = {name: getattr(tree, name).astype(np.int64) for name in ("node", "edge", "outcome", "table", "drawn")}
    return tree._replace(**long)


def make_path(lanes: int, horizon: int) -> Path:
    """Room for ``lanes`` walks of ``horizon`` steps."""
    size = lanes, horizon + 1
    nodes, edges, outcomes = np.zeros((3, *size), np.int64)
    return Path(nodes, edges, outcomes, np.zeros(size), np.zeros(4, np.int64))


@helper
def add_node(tree, state, width):
    """A new node with ``width`` untried edges."""
    node = tree.used[0]
    tree.used[0] += 1
    tree.node[node, STATE] = state
    clear_node(tree, node)
    add_edges(tree, node, width)
    return node


@helper
def clear_node(tree, node):
    """A node that was never visited."""
    tree.node[node, VISITS] = 0
    tree.node[node, LINK] = NOWHERE
    for i in range(tree.values.shape[1]):
        tree.values[node, i] = 0.0


@helper
def add_edges(tree, node, width):
    """Give a node ``width`` untried edges."""
    tree.node[node, EDGES] = tree.used[1]
    tree.node[node, WIDTH] = width
    tree.node[node, TRIED] = tree.node[node, ONLY] = 0
    blank_edges(tree, width)


@helper
def blank_edges(tree, number):
    """So many new edges."""
    first = tree.used[1]
    tree.used[1] += number
    for edge in range(first, first + number):
        tree.edge[edge, COUNT] = 0
        tree.edge[edge, OUTCOMES] = NONE
        tree.edge[edge, PENDING] = 0
        if tree.wide:
            tree.drawn[edge, 0] = 0
        for i in range(tree.scores.shape[1]):
            tree.scores[edge, i] = 0.0


@helper
def add_lazily(tree, state, width):
    """A new node that has no edges yet, and will have ``width``: most nodes of a tree are visited once."""
    node = tree.used[0]
    tree.used[0] += 1
    tree.node[node, STATE], tree.node[node, EDGES], tree.node[node, WIDTH] = state, NEW, width
    tree.node[node, TRIED] = tree.node[node, ONLY] = 0
    clear_node(tree, node)
    return node


@helper
def edge_of(tree, node, action):
    """The edge of an action; of a node that has none yet, its only one for now."""
    if tree.node[node, EDGES] == NEW:
        tree.node[node, EDGES], tree.node[node, WIDTH], tree.node[node, ONLY] = tree.used[1], 1, action + 1
        blank_edges(tree, 1)
    return tree.node[node, EDGES] + action - first_action(tree, node)


@helper
def first_action(tree, node):
    """The action of the first edge."""
    return max(tree.node[node, ONLY] - 1, 0)


@helper
def has_untried(tree, node):
    """Whether an action was never taken."""
    return tree.node[node, TRIED] < tree.node[node, WIDTH] or tree.node[node, ONLY] > 0


@helper
def spread_out(tree, node, width):
    """Make the other edges of a node that has one; the row of that one is not reused."""
    old, action, tried = tree.node[node, EDGES], first_action(tree, node), tree.node[node, TRIED]
    add_edges(tree, node, width)
    tree.node[node, TRIED] = tried
    edge = tree.node[node, EDGES] + action
    copy_edge(tree, old, edge)


@helper
def copy_edge(tree, old, new):
    """Copy one row to another."""
    for i in range(tree.edge.shape[1]):
        tree.edge[new, i] = tree.edge[old, i]
    for i in range(tree.scores.shape[1]):
        tree.scores[new, i] = tree.scores[old, i]
    if tree.wide:
        tree.drawn[new, 0] = tree.drawn[old, 0]


@helper
def widen(problem, tree, node):
    """Give a node with W actions those its state has gained, after W^2 visits and if there is room (widening)."""
    old, width = tree.node[node, EDGES], tree.node[node, WIDTH]
    if width == 0 or tree.node[node, TRIED] < width or tree.node[node, VISITS] < width * width:
        return
    more = num_actions(problem, np.int64(tree.node[node, STATE]))
    if more <= width or tree.used[1] + more > tree.edge.shape[0]:
        return
    for edge in range(old, old + width):
        if tree.edge[edge, PENDING] > 0:  # a pending trial will come back to it
            return
    new = tree.used[1]
    blank_edges(tree, more)
    tree.node[node, EDGES], tree.node[node, WIDTH] = new, more
    for i in range(width):
        copy_edge(tree, old + i, new + i)


@helper
def seen_before(tree, edge, successor):
    """The outcome of ``edge`` that leads to ``successor``, or NONE."""
    outcome = tree.edge[edge, OUTCOMES]
    while outcome != NONE and tree.outcome[outcome, SUCCESSOR] != successor:
        outcome = tree.outcome[outcome, NEXT]
    return outcome


@helper
def add_outcome(tree, edge, successor, node):
    """A new outcome of ``edge``, last in its chain: the likely ones tend to come first."""
    outcome = tree.used[2]
    tree.used[2] += 1
    tree.outcome[outcome, SUCCESSOR] = successor
    tree.outcome[outcome, CHILD] = node
    tree.outcome[outcome, TIMES] = 0
    tree.outcome[outcome, NEXT] = NONE
    if tree.wide:
        tree.paid[outcome, 0] = 0.0
    last = tree.edge[edge, OUTCOMES]
    if last == NONE:
        tree.edge[edge, OUTCOMES] = outcome
        return outcome
    while tree.outcome[last, NEXT] != NONE:
        last = tree.outcome[last, NEXT]
    tree.outcome[last, NEXT] = outcome
    return outcome


@helper
def draws(tree, edge):
    """How often the world was asked: the sum of N(e, k), equal to N(e) unless outcomes were followed again."""
    return tree.drawn[edge, 0] if tree.wide else tree.edge[edge, COUNT]


@helper
def count_draw(tree, edge, outcome, reward):
    """The world led to ``outcome`` and paid ``reward``."""
    times = tree.outcome[outcome, TIMES]
    if tree.wide:
        drawn = tree.drawn[edge, 0]
        if drawn >= FEW and FEW * times <= drawn and tree.node[tree.outcome[outcome, CHILD], WIDTH] > 0:
            tree.pairs[COMPARED] += rare_draws(tree, edge)
            tree.pairs[ALIKE] += times
        tree.drawn[edge, 0] = drawn + 1
        tree.paid[outcome, 0] += (reward - tree.paid[outcome, 0]) / (times + 1)
    tree.outcome[outcome, TIMES] = times + 1


@helper
def rare_draws(tree, edge):
    """How many draws led to rare states that are not terminal.

    A world may have outcomes that repeat, such as a wall or an empty store, besides those that do not.
    """
    total, outcome = 0, tree.edge[edge, OUTCOMES]
    while outcome != NONE:
        times = tree.outcome[outcome, TIMES]
        if FEW * times <= tree.drawn[edge, 0] and tree.node[tree.outcome[outcome, CHILD], WIDTH] > 0:
            total += times
        outcome = tree.outcome[outcome, NEXT]
    return total


@helper
def never_repeats(tree):
    """Whether the world nearly always leads to a new state, apart from a few frequent ones."""
    return RARE * (tree.pairs[ALIKE] + 1) <= tree.pairs[COMPARED]


@helper
def ways_part(tree):
    """Whether paths never meet: transpositions are looked for, and there are almost none."""
    met_again = tree.used[2] - tree.used[0]  # every node but the root has one outcome that made it
    looked = tree.wide and tree.table.shape[0] > 1 and tree.pairs[TRIALS] >= EARLY
    return looked and APART * (met_again + 1) <= tree.used[0]


@helper
def drawn_at_random(tree, edge, rng):
    """One of the outcomes of ``edge``, by N(e, k)."""
    left, outcome = below(tree.drawn[edge, 0], rng), tree.edge[edge, OUTCOMES]
    while left >= tree.outcome[outcome, TIMES]:
        left -= tree.outcome[outcome, TIMES]
        outcome = tree.outcome[outcome, NEXT]
    return outcome


@helper
def edge_value(problem, tree, node, edge, discount):
    """Expected reward + discount * sum_k N(e, k) / N(e) V(child k), for the player who moves at ``node``."""
    state, action = np.int64(tree.node[node, STATE]), edge - tree.node[node, EDGES]
    total, outcome = 0.0, tree.edge[edge, OUTCOMES]
    while outcome != NONE:
        value = side(problem, tree.outcome[outcome, SUCCESSOR]) * tree.values[tree.outcome[outcome, CHILD], VALUE]
        total += tree.outcome[outcome, TIMES] * value
        outcome = tree.outcome[outcome, NEXT]
    reward = expected_reward(problem, state, action)
    return side(problem, state) * (reward + discount * (total / draws(tree, edge)))


@helper
def untried(problem, tree, node, rng):
    """One of the untried actions of ``node``, uniform unless there is a prior; there must be one.

    With pending trials, one that the fewest are trying.
    """
    first, least, alike = tree.node[node, EDGES], 0, tree.node[node, WIDTH] - tree.node[node, TRIED]
    if tree.lanes > 1:
        least, alike = fewest_under_way(tree, node)
    if has_prior(problem, tree, node):
        return most_thought_of(problem, tree, node, least, rng)[0]
    left = below(alike, rng)
    if tree.lanes == 1 and tree.node[node, TRIED] == 0:
        return left
    for action in range(tree.node[node, WIDTH]):
        if tree.edge[first + action, COUNT] == 0 and tree.edge[first + action, PENDING] == least:
            if left == 0:
                return action
            left -= 1
    return 0


@helper
def has_prior(problem, tree, node):
    """Whether the actions of the node have a prior."""
    return prior(problem, tree.node[node, STATE], 0) > 0.0


@helper
def most_thought_of(problem, tree, node, under_way, rng):
    """The untried action of highest prior among those with so many pending trials, ties at random; its prior."""
    first, state = tree.node[node, EDGES], tree.node[node, STATE]
    best, chosen, ties = 0.0, 0, 1
    for action in range(tree.node[node, WIDTH]):
        if tree.edge[first + action, COUNT] == 0 and tree.edge[first + action, PENDING] == under_way:
            weight = prior(problem, state, action)
            if weight > best:
                best, chosen, ties = weight, action, 1
            elif weight == best:
                ties += 1
                chosen = action if below(ties, rng) == 0 else chosen
    return chosen, best


@helper
def fewest_under_way(tree, node):
    """The fewest pending trials of any untried edge, and how many edges have so few."""
    first, least, alike = tree.node[node, EDGES], 1 << 30, 0
    for edge in range(first, first + tree.node[node, WIDTH]):
        under_way = tree.edge[edge, PENDING]
        if tree.edge[edge, COUNT] == 0 and under_way <= least:
            alike = alike + 1 if under_way == least else 1
            least = under_way
    return least, alike


@helper
def samples_soon(tree, edge):
    """N(e) with pending samples."""
    return tree.edge[edge, COUNT] + tree.edge[edge, PENDING]


@helper
def best_action(tree, node, column, rng):
    """The tried action with the highest score in ``column``, ties at random; -1 if none was tried."""
    first = tree.node[node, EDGES]
    best, chosen, ties = -np.inf, -1, 1
    for action in range(tree.node[node, WIDTH]):
        if tree.edge[first + action, COUNT] == 0:
            continue
        score = tree.scores[first + action, column]
        if score > best or chosen < 0:
            best, chosen, ties = score, action, 1
        elif score == best:
            ties += 1
            chosen = action if below(ties, rng) == 0 else chosen
    return chosen


@helper
def most_visited(tree, node, rng):
    """The action taken most often, ties at random; -1 if none was."""
    first = tree.node[node, EDGES]
    best, chosen, ties = 0, -1, 1
    for action in range(tree.node[node, WIDTH]):
        count = tree.edge[first + action, COUNT]
        if count > best:
            best, chosen, ties = count, action, 1
        elif count == best and count > 0:
            ties += 1
            chosen = action if below(ties, rng) == 0 else chosen
    return chosen


@helper
def raise_value(tree, node, old, new, first_time):
    """V(node) = max over tried actions of Q, of which one went from ``old`` to ``new``."""
    value = tree.values[node, VALUE]
    if new >= value or (first_time and tree.node[node, TRIED] == 1):
        tree.values[node, VALUE] = new
    elif not first_time and old == value:  # the leader fell: look for the next
        tree.values[node, VALUE] = highest_q(tree, node)


@helper
def highest_q(tree, node):
    """max over tried actions of Q."""
    first, best = tree.node[node, EDGES], -np.inf
    for edge in range(first, first + tree.node[node, WIDTH]):
        q = tree.scores[edge, Q]
        best = q if (tree.edge[edge, COUNT] > 0) & (q > best) else best
    return best


@helper
def width_at(problem, state, depth, horizon):
    """How many actions a node has: none at the horizon."""
    return num_actions(problem, state) if depth < horizon else 0
