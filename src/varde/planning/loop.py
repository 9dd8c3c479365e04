"""Monte Carlo tree search: the trial that every algorithm shares, and its verbs.

A trial goes from the root to a leaf: ``choose`` picks an action, a transition is sampled, ``enter`` goes to the
successor; then ``finish`` backs up the return, calling ``back_up`` for every edge from the last to the first.  A model
is sampled inside the kernel (``trial``, here); a world stepped from Python uses the same three functions
(``varde.planning.lanes``).  Counts change on the way back: a trial that fails on the way down leaves no trace.

Your own algorithm is a record with cases of ``columns``, ``select`` and ``back_up``, and of the other verbs where the
defaults do not fit.  ``prepare`` runs in Python and makes the arrays; the others run compiled.
"""

from __future__ import annotations

import math

import numpy as np

from .._compile import contents, helper, kernel, verb, whole_number
from ..random import below
from ..worlds.table import (
    credited,
    ends_noisily,
    expected_reward,
    final_reward,
    num_actions,
    num_states,
    side,
    step,
    suggestion,
    worth,
)
from .tree import (
    ALIKE,
    BEST,
    CHILD,
    COMPARED,
    COUNT,
    EDGES,
    NONE,
    NOWHERE,
    ONLY,
    PENDING,
    STATE,
    SUCCESSOR,
    TIMES,
    TRIALS,
    TRIED,
    VALUE,
    VISITS,
    WIDTH,
    Q,
    add_edges,
    add_lazily,
    add_node,
    add_outcome,
    best_action,
    clear_node,
    count_draw,
    drawn_at_random,
    edge_of,
    never_repeats,
    seen_before,
    spread_out,
    untried,
    width_at,
)

CHOSEN, LED, WIDE, CREDITED = 1, 2, 3, 4  # faults: which number is invalid
WRONG = -3  # what a kernel returns then
WIDENING = 0.75  # of N trials through an edge whose outcomes never repeat, N to this power see a new one


@helper
def fault(path, what, state, number, bound):
    """Record a fault."""
    path.fault[0], path.fault[1], path.fault[2], path.fault[3] = what, state, number, bound


@verb
def columns(algorithm):
    """What the algorithm keeps: the numbered columns of a node, V(n) first, and those of an edge, Q(e) first."""


@verb(fallback=True)
def prepare(algorithm, settings):
    """What the algorithm remembers besides the tree: arrays or a record of arrays."""
    return np.empty(0)


@verb(fallback=True)
def begin(algorithm, memory):
    """Make ``memory`` ready for a new search."""


@verb(fallback=True)
def expect(algorithm, memory, now, due):
    """After ``now`` simulations: an answer is due after ``due`` of them.  Runs in Python."""


@verb(fallback=True)
def welcome(algorithm, memory, tree, node, depth):
    """Initialise what the algorithm keeps about a new node and its edges; all 0 by default."""


@verb(algorithm="searches trees: write varde.plan(...) or varde.planning.measure(...)")
def select(algorithm, memory, problem, tree, lane, node, depth, rng):
    """The action to take at ``node``, whose visits do not include this trial yet.  ``lane`` numbers pending trials."""


@verb
def back_up(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    """Enter the return ``gain`` of ``edge``, then refresh V(node); the counts include this trial already.

    Values at a node and its edges are those of the player who moves there.
    """


@verb(fallback=True)
def settle(algorithm, memory, problem, tree, node, depth, gain):
    """Enter the return of a node at which the trial left the tree: V(node) is their mean."""
    tree.values[node, VALUE] += (gain - tree.values[node, VALUE]) / tree.node[node, VISITS]


@verb(fallback=True)
def sparse(algorithm):
    """Whether a node may have one edge until it is visited again: ``WIDTH`` is 1 then, and ``ONLY`` says which action.

    Before its first action is chosen such a node has no edges at all.
    """
    return False


@verb(fallback=True)
def resumes(algorithm):
    """Whether there is a case of ``resume``; otherwise dropped nodes start afresh."""
    return False


@verb(fallback=True)
def resume(algorithm, problem, tree, node, edge, child, discount):
    """Set what is kept about ``edge`` and ``child`` such that the estimates of ``node`` stay what they are.

    The node was dropped except for its own row, and grows again.  ``edge`` is that of the best action, and counts all
    visits of the node; its only successor, ``child``, is not a state and stands for everything that came after.
    Q(edge) and V(child) are set already; ``left_for`` does the same for other values.
    """


@verb(fallback=True)
def tidy(algorithm, memory, tree, depths, moved, discount):
    """Rows were dropped and renumbered; ``depths`` are those of the nodes.  Runs in Python.

    If the root ``moved``, it is one step further on, and so is what ``memory`` has by depth; nodes at the old horizon
    have no edges yet (``EDGES`` is ``NEW``) and no visits.
    """


@verb(fallback=True)
def recommend(algorithm, tree, node, rng):
    """The action to return: the highest Q among those tried, ties at random; -1 if none was."""
    return best_action(tree, node, 0, rng)


@verb(fallback=True)
def value_variance(algorithm, tree, edge):
    """The variance of the estimate Q(edge), which has samples; nan if the algorithm does not know it."""
    return np.nan


@verb(fallback=True)
def hoped_value(algorithm, tree, edge):
    """The optimistic value of ``edge``, which has samples; nan if the algorithm has none."""
    return np.nan


@verb(fallback=True)
def known_share(algorithm, memory, tree):
    """The share of steps so far that led to an existing node, 0 to 1, for algorithms with optimistic values."""
    return 0.6


@verb(fallback=True)
def return_variance(algorithm, tree, node):
    """The variance of the returns from ``node``; nan if the algorithm does not know it."""
    return np.nan


@verb(fallback=True)
def reported_value(algorithm, tree):
    """The value of the root that the algorithm reports."""
    return tree.values[0, VALUE]


# -- a trial in three parts ----------------------------------------------------------------------


@helper
def choose(algorithm, memory, problem, tree, path, settings, lane, node, depth, rng):
    """The action to sample at ``node``, and whether the trial leaves the tree by it; -1 at a fault."""
    if tree.node[node, TRIED] == 0:
        first = suggestion(problem, tree.node[node, STATE])
        if first >= 0 and tree.edge[tree.node[node, EDGES] + first, PENDING] == 0:
            return first, not settings.keep
    if not settings.keep and tree.node[node, TRIED] < tree.node[node, WIDTH]:
        return untried(problem, tree, node, rng), True
    action = whole_number(algorithm, select(algorithm, memory, problem, tree, lane, node, depth, rng))
    if not 0 <= action < tree.node[node, WIDTH]:
        fault(path, CHOSEN, tree.node[node, STATE], action, tree.node[node, WIDTH])
        return -1, False
    return action, False


@helper
def enter(algorithm, memory, problem, tree, path, settings, lane, node, depth, action, successor, reward):
    """The node that a known transition leads to, made if it is new; NOWHERE at a fault."""
    state = np.int64(tree.node[node, STATE])
    if not 0 <= successor < num_states(problem):
        fault(path, LED, state, successor, num_states(problem))
        return NOWHERE
    entered = whole_number(problem, credited(problem, state, action, successor))
    if not 0 <= entered < tree.node[node, WIDTH]:
        fault(path, CREDITED, state, entered, tree.node[node, WIDTH])
        return NOWHERE
    edge = edge_of(tree, node, entered) if settings.sparse else tree.node[node, EDGES] + entered
    known = tree.used[0]
    outcome = follow(algorithm, memory, problem, tree, path, edge, successor, depth + 1, settings)
    if outcome == NONE:
        return NOWHERE
    path.nodes[lane, depth], path.edges[lane, depth] = node, edge
    path.outcomes[lane, depth], path.rewards[lane, depth] = outcome, reward
    child = tree.outcome[outcome, CHILD]
    if child >= known:
        return child
    if tree.node[child, EDGES] < 0 and not unfold(algorithm, memory, problem, tree, path, child, depth + 1, settings):
        return NOWHERE
    if settings.sparse and tree.node[child, ONLY] > 0:
        spread_out(tree, child, whole_number(problem, num_actions(problem, successor)))
    return child


@helper
def enter_again(tree, path, lane, node, depth, action, rng):
    """The node of an outcome seen before, without asking the world; NOWHERE if the world should be asked.

    It always is where outcomes repeat.  Where they do not, every new outcome would be visited only once: of N trials
    through an edge N^(3/4) see a new one, and the others revisit old ones (progressive widening).
    """
    edge = tree.node[node, EDGES] + action
    drawn, under_way = tree.drawn[edge, 0], tree.edge[edge, PENDING]
    wanted = (tree.edge[edge, COUNT] + under_way) ** WIDENING
    if drawn < 2 or drawn + under_way <= wanted or not never_repeats(tree):
        return NOWHERE
    outcome = drawn_at_random(tree, edge, rng)
    child = tree.outcome[outcome, CHILD]
    if tree.outcome[outcome, SUCCESSOR] < 0 or tree.node[child, EDGES] < 0:
        return NOWHERE  # dropped nodes cannot be followed
    path.nodes[lane, depth], path.edges[lane, depth] = node, edge
    path.outcomes[lane, depth], path.rewards[lane, depth] = -outcome, tree.paid[outcome, 0]
    return child


@helper
def finish(algorithm, memory, problem, tree, path, settings, lane, node, depth, expanded, gain):
    """Back up the return from the last node; from here on the trial counts.

    Rewards and ``gain`` are the first player's; a node enters their value for the player who moves there.
    """
    tree.node[node, VISITS] += 1
    tree.pairs[TRIALS] += 1
    said = not math.isnan(worth(problem, tree.node[node, STATE]))
    if ends_noisily(problem) or (expanded and tree.node[node, TRIED] == 0 and (said or tree.node[node, WIDTH] > 0)):
        settle(algorithm, memory, problem, tree, node, depth, side(problem, tree.node[node, STATE]) * gain)
    for i in range(depth - 1, -1, -1):
        node, edge = path.nodes[lane, i], path.edges[lane, i]
        gain = path.rewards[lane, i] + settings.discount * gain
        tree.node[node, VISITS] += 1
        tree.node[node, TRIED] += 1 if tree.edge[edge, COUNT] == 0 else 0
        tree.edge[edge, COUNT] += 1
        if path.outcomes[lane, i] > 0:
            count_draw(tree, edge, path.outcomes[lane, i], path.rewards[lane, i])
        own = side(problem, tree.node[node, STATE]) * gain
        back_up(algorithm, memory, problem, tree, lane, node, edge, i, own, settings.discount)


@helper
def follow(algorithm, memory, problem, tree, path, edge, successor, depth, settings):
    """The outcome of ``edge`` that leads to ``successor``, made if it is new; NONE at a fault."""
    outcome = seen_before(tree, edge, successor)
    if outcome == NONE:
        node = tree.table[depth, successor] if settings.graph else NOWHERE
        if node == NOWHERE:
            node = make_node(algorithm, memory, problem, tree, path, successor, depth, settings)
        if node == NOWHERE:
            return NONE
        outcome = add_outcome(tree, edge, successor, node)
    return outcome


@helper
def make_node(algorithm, memory, problem, tree, path, state, depth, settings):
    """A new node, known to the table of transpositions; NOWHERE at a fault."""
    width = whole_number(problem, width_at(problem, state, depth, settings.horizon))
    if not 0 <= width <= settings.widest:
        fault(path, WIDE, state, width, settings.widest)
        return NOWHERE
    lazily = settings.sparse and depth > 0 and width > 1
    node = add_lazily(tree, state, width) if lazily else add_node(tree, state, width)
    welcome(algorithm, memory, tree, node, depth)
    if settings.graph:
        tree.table[depth, state] = node
    return node


@helper
def unfold(algorithm, memory, problem, tree, path, node, depth, settings):
    """Give a node its edges again, or those that a nearer horizon did not allow; False at a fault."""
    best, state = BEST - tree.node[node, EDGES], np.int64(tree.node[node, STATE])
    width = whole_number(problem, width_at(problem, state, depth, settings.horizon))
    if not 0 <= width <= settings.widest:
        fault(path, WIDE, state, width, settings.widest)
        return False
    add_edges(tree, node, width)
    known = best >= 0 and resumes(algorithm)
    if best >= 0 and not known:
        clear_node(tree, node)
    welcome(algorithm, memory, tree, node, depth)
    if known:
        edge, child = tree.node[node, EDGES] + best, add_node(tree, NOWHERE, 0)
        outcome = add_outcome(tree, edge, NOWHERE, child)
        tree.outcome[outcome, TIMES] = tree.edge[edge, COUNT] = tree.node[node, VISITS]
        tree.node[node, TRIED] = 1
        if tree.wide:
            tree.drawn[edge, 0] = tree.node[node, VISITS]
            tree.paid[outcome, 0] = expected_reward(problem, state, best)
        tree.scores[edge, Q] = tree.values[node, VALUE]
        tree.values[child, VALUE] = left_for(problem, state, best, tree.values[node, VALUE], settings.discount)
        resume(algorithm, problem, tree, node, edge, child, settings.discount)
    return True


@helper
def left_for(problem, state, action, value, discount):
    """The value the stand-in successor must have for ``action`` to have ``value``."""
    return side(problem, 0) * (side(problem, state) * value - expected_reward(problem, state, action)) / discount


@helper
def plant(algorithm, memory, problem, tree, path, root, settings):
    """Drop the last search; the tree is just the root."""
    path.fault[0] = 0
    tree.used[0], tree.used[1], tree.used[2] = 0, 0, 1
    tree.pairs[COMPARED], tree.pairs[ALIKE], tree.pairs[TRIALS] = 0, 0, 0
    begin(algorithm, memory)
    for i in range(tree.table.shape[0]):
        for j in range(tree.table.shape[1]):
            tree.table[i, j] = NOWHERE
    make_node(algorithm, memory, problem, tree, path, root, 0, settings)


@helper
def has_room(problem, tree, settings, steps):
    """Whether the pool certainly has room for so many transitions."""
    return (
        tree.used[0] + steps <= tree.node.shape[0]
        and tree.used[1] + steps * settings.widest <= tree.edge.shape[0]
        and tree.used[2] + 2 * steps <= tree.outcome.shape[0]  # a new one may lead to a node that grows again
        and (not settings.graph or num_states(problem) <= tree.table.shape[1])
    )


# -- trials in a model ---------------------------------------------------------------------------


@helper
def random_play(problem, path, state, steps, discount, rng):
    """The return of uniformly random actions from ``state``; nothing at a fault."""
    gain, factor, states = 0.0, 1.0, num_states(problem)
    for _ in range(steps):
        actions = num_actions(problem, state)
        if actions == 0:
            break
        before = state
        state, reward = step(problem, state, below(actions, rng), rng)
        state = whole_number(problem, state)
        if not 0 <= state < states:
            fault(path, LED, before, state, states)
            return 0.0
        gain += factor * reward
        factor *= discount
    if ends_noisily(problem) and num_actions(problem, state) == 0:
        gain += factor * final_reward(problem, state, rng)
    return gain


@helper
def trial(algorithm, memory, problem, tree, path, settings, rng):
    """One simulation; False at a fault."""
    node, depth, expanded = 0, 0, False
    while tree.node[node, WIDTH] > 0 and not expanded:
        action, expanded = choose(algorithm, memory, problem, tree, path, settings, 0, node, depth, rng)
        if action < 0:
            return False
        successor, reward = step(problem, np.int64(tree.node[node, STATE]), action, rng)
        successor = whole_number(problem, successor)
        node = enter(algorithm, memory, problem, tree, path, settings, 0, node, depth, action, successor, reward)
        if node == NOWHERE:
            return False
        depth += 1
    # Where the tree ends: at the end of the episode, at the horizon, or where an untried action led, whose value is
    # the return of random play until it has tried actions of its own.
    gain = 0.0
    if expanded or ends_noisily(problem):
        steps = settings.horizon - depth
        gain = random_play(problem, path, np.int64(tree.node[node, STATE]), steps, settings.discount, rng)
        if path.fault[0] != 0:
            return False
    finish(algorithm, memory, problem, tree, path, settings, 0, node, depth, expanded, gain)
    return True


@kernel
def grow(held, root, trials):
    """Add ``trials`` simulations, or as many as there is certainly room for; returns how many, or WRONG.

    ``root`` is the state to start a new search from; if negative, the search in ``tree`` continues.
    """
    algorithm, memory, problem, tree, path, settings, rng = contents(held)
    if root >= 0:
        plant(algorithm, memory, problem, tree, path, root, settings)
    if path.fault[0] != 0:
        return WRONG
    for done in range(trials):
        if not has_room(problem, tree, settings, settings.horizon + 1):
            return done
        if not trial(algorithm, memory, problem, tree, path, settings, rng):
            return WRONG
    return trials
