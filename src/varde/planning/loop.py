"""Monte Carlo tree search: the trial that every algorithm shares, and its verbs.

A trial goes from the root to a leaf.  At a node it asks for a transition (``ask``), hears where it led and what it paid
(``hear``), and at the end backs up the return, from the last edge to the first (``finish``).  A model answers inside
the kernel (``grow``), a world stepped from Python outside of it (``lanes.advance``), for one trial or for many under
way; the trial is the same.  Counts change on the way back: a trial that fails on the way down leaves no trace.

Your own algorithm is a record with cases of ``columns``, ``select`` and ``back_up``, and of the other verbs where the
defaults do not fit.  ``prepare`` runs in Python and makes the arrays; the others run compiled.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import contents, helper, kernel, verb, whole_number
from ..moments import joined
from ..random import below
from ..worlds.games import Turns
from ..worlds.table import (
    MDP,
    credited,
    ends_noisily,
    expected_reward,
    final_reward,
    num_actions,
    num_states,
    side,
    step,
    worth,
)
from .tree import (
    BEYOND,
    NEW,
    NONE,
    NOWHERE,
    add_edges,
    add_node,
    add_outcome,
    best_action,
    edge_of,
    open_up,
    seen_before,
    untried,
    width_at,
)

CHOSEN, LED, WIDE, CREDITED = 1, 2, 3, 4  # faults: which number is invalid
WRONG = -3  # what a kernel returns then
IDLE, READY, ASKED, LEAVING, LEFT = 0, 1, 2, 3, 4  # phases of a walk; LEFT: it waits for the return of what follows


class Walks(NamedTuple):
    """The pending trials, one per lane."""

    # [B] where the trial is: its node and depth; its phase; the state and the action it asks for; beyond the tree the
    # last reward; the chance to repeat an action
    lane: np.ndarray
    remaining: np.ndarray  # [1] trials still to begin


WALK = np.dtype([(name, np.int64) for name in ("node", "depth", "phase", "state", "action")] + [
    (name, np.float64) for name in ("reward", "hold")
], align=True)  # fmt: skip


def make_walks(lanes: int) -> Walks:
    return Walks(np.zeros(lanes, WALK), np.zeros(1, np.int64))


# -- the verbs of an algorithm ---------------------------------------------------------------------


@verb
def columns(algorithm):
    """What the algorithm keeps: the names of its numbers about a node, "value" first, and about an edge, "q" first."""


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
    tree.nodes.value[node] += (gain - tree.nodes.value[node]) / tree.nodes.visits[node]


@verb(fallback=True)
def lazy(algorithm):
    """Whether a node may have one edge until it is visited again: ``width`` is 1 then, and ``only`` says which action.

    Before its first action is chosen such a node has no edges at all.
    """
    return False


@verb(fallback=True)
def moved_on(algorithm, memory, tree, depths, discount):
    """The root is one step further on, and so is what ``memory`` has by depth.  Runs in Python.

    ``depths`` are those of the nodes, which were renumbered; those at the old horizon have no edges and no visits yet.
    """


@verb(fallback=True)
def recommend(algorithm, tree, node, rng):
    """The action to return: the highest Q among those tried, ties at random; -1 if none was."""
    return best_action(tree, node, tree.edges.q, rng)


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
    return tree.nodes.value[0]


# -- what depends on the kind of problem: a table, a model, a game, a world discovered step by step ------------------


@verb(fallback=True)
def pick(model, algorithm, memory, problem, tree, path, walks, settings, lane, rng):
    """The action that a trial takes at its node, and whether it leaves the tree by it; -1 at a fault.

    ``model`` is the problem, or what a game is played in.
    """
    node, depth = walks.lane.node[lane], walks.lane.depth[lane]
    return choose(algorithm, memory, problem, tree, path, settings, lane, node, depth, rng)


@verb(fallback=True)
def seen_again(problem, tree, path, walks, lane, action, rng):
    """The node of an outcome that the trial follows without asking the world; NOWHERE if the world is asked."""
    return NOWHERE


@verb(fallback=True)
def ends_here(problem, tree, node):
    """Whether a trial ends at a node that has actions, because its value is given."""
    return False


@verb(fallback=True)
def first_reward(problem, state, action, successor):
    """The reward with a new outcome, where it is known before it was seen."""
    return 0.0


@verb(fallback=True)
def count_draw(problem, tree, edge, outcome, reward):
    """The problem led to ``outcome`` and paid ``reward``."""
    tree.outcomes.times[outcome] += 1
    enter_reward(tree, outcome, reward)


@verb(fallback=True)
def reward_squares(problem, tree, outcome):
    """M2 of the rewards with an outcome."""
    return tree.outcomes.squares[outcome]


@verb(fallback=True)
def draws(problem, tree, edge):
    """How often the problem was asked: the sum of N(e, k), equal to N(e) unless outcomes were followed again."""
    return tree.edges.count[edge]


@helper
def enter_reward(tree, outcome, reward):
    """Enter a reward at its outcome, which was counted."""
    mean, squares = tree.outcomes.reward[outcome], tree.outcomes.squares[outcome]
    mean, squares = joined(mean, squares, reward, tree.outcomes.times[outcome])
    tree.outcomes.reward[outcome], tree.outcomes.squares[outcome] = mean, squares


@first_reward.of(MDP)
def listed_reward(problem, state, action, successor):
    """E[r | state, action, successor], exactly the reward where there is but one."""
    pair, chance, mean = problem.pairs[state] + action, 0.0, 0.0
    for outcome in range(problem.outcomes[pair], problem.outcomes[pair + 1]):
        share = problem.probabilities[outcome]
        if problem.successors[outcome] == successor and share > 0.0:
            chance += share
            mean += share / chance * (problem.rewards[outcome] - mean)
    return mean


@count_draw.of(MDP)
def count_listed(problem, tree, edge, outcome, reward):
    tree.outcomes.times[outcome] += 1


@reward_squares.of(MDP)
def no_squares(problem, tree, outcome):
    return 0.0


@verb(fallback=True)
def ascend(problem, algorithm, memory, tree, path, settings, lane, depth, gain):
    """Back up the return ``gain`` along the path of a trial."""
    for i in range(depth - 1, -1, -1):
        gain = path.rewards[lane, i] + settings.discount * gain
        count_step(problem, tree, path, lane, i)
        node, edge = path.nodes[lane, i], path.edges[lane, i]
        back_up(algorithm, memory, problem, tree, lane, node, edge, i, gain, settings.discount)


@ascend.of(Turns)
def ascend_in_turn(problem, algorithm, memory, tree, path, settings, lane, depth, gain):
    """Rewards and ``gain`` are the first player's; a node enters their value for the player who moves there."""
    for i in range(depth - 1, -1, -1):
        gain = path.rewards[lane, i] + settings.discount * gain
        count_step(problem, tree, path, lane, i)
        node, edge = path.nodes[lane, i], path.edges[lane, i]
        own = side(problem, tree.nodes.state[node]) * gain
        back_up(algorithm, memory, problem, tree, lane, node, edge, i, own, settings.discount)


@helper
def count_step(problem, tree, path, lane, i):
    """A step of a trial counts."""
    node, edge, outcome = path.nodes[lane, i], path.edges[lane, i], path.outcomes[lane, i]
    tree.nodes.visits[node] += 1
    if tree.edges.count[edge] == 0:
        tree.nodes.tried[node] += 1
    tree.edges.count[edge] += 1
    if outcome > 0:
        count_draw(problem, tree, edge, outcome, path.rewards[lane, i])


@verb(fallback=True)
def edge_value(problem, tree, node, edge, discount):
    """Expected reward + discount * sum_k N(e, k) / N(e) V(child k)."""
    total, outcome, action = 0.0, tree.edges.outcome[edge], edge - tree.nodes.first[node]
    while outcome != NONE:
        total += tree.outcomes.times[outcome] * tree.nodes.value[tree.outcomes.child[outcome]]
        outcome = tree.outcomes.next[outcome]
    return expected_reward(problem, tree.nodes.state[node], action) + discount * (total / draws(problem, tree, edge))


@edge_value.of(Turns)
def edge_value_in_turn(problem, tree, node, edge, discount):
    """The same for the player who moves at ``node``."""
    state, action = tree.nodes.state[node], edge - tree.nodes.first[node]
    total, outcome = 0.0, tree.edges.outcome[edge]
    while outcome != NONE:
        value = side(problem, tree.outcomes.successor[outcome]) * tree.nodes.value[tree.outcomes.child[outcome]]
        total += tree.outcomes.times[outcome] * value
        outcome = tree.outcomes.next[outcome]
    reward = expected_reward(problem, state, action)
    return side(problem, state) * (reward + discount * (total / draws(problem, tree, edge)))


@first_reward.of(Turns)
def first_in_turn(problem, state, action, successor):
    return first_reward(problem.model, state, action, successor)


@count_draw.of(Turns)
def count_in_turn(problem, tree, edge, outcome, reward):
    count_draw(problem.model, tree, edge, outcome, reward)


@reward_squares.of(Turns)
def squares_in_turn(problem, tree, outcome):
    return reward_squares(problem.model, tree, outcome)


@draws.of(Turns)
def draws_in_turn(problem, tree, edge):
    return draws(problem.model, tree, edge)


@pick.of(Turns)
def pick_in_turn(model, algorithm, memory, problem, tree, path, walks, settings, lane, rng):
    return pick(model.model, algorithm, memory, problem, tree, path, walks, settings, lane, rng)


@seen_again.of(Turns)
def seen_in_turn(problem, tree, path, walks, lane, action, rng):
    return seen_again(problem.model, tree, path, walks, lane, action, rng)


@ends_here.of(Turns)
def ends_in_turn(problem, tree, node):
    return ends_here(problem.model, tree, node)


# -- a trial: ask, hear, finish ----------------------------------------------------------------------


@helper
def fault(path, what, state, number, bound):
    """Record a fault."""
    path.fault[0], path.fault[1], path.fault[2], path.fault[3] = what, state, number, bound


@helper
def ask(algorithm, memory, problem, tree, path, walks, settings, lane, rng):
    """Take a lane to the next transition that it needs, of a new trial if it is idle.

    False if there is none to begin, or at a fault.
    """
    lanes = walks.lane
    while True:
        if lanes.phase[lane] == IDLE:
            if walks.remaining[0] == 0:
                return False
            walks.remaining[0] -= 1
            lanes.node[lane] = lanes.depth[lane] = 0
        node = lanes.node[lane]
        action, leaves = pick(problem, algorithm, memory, problem, tree, path, walks, settings, lane, rng)
        if action < 0:
            return False
        child = seen_again(problem, tree, path, walks, lane, action, rng)
        if tree.lanes > 1:
            tree.edges.pending[tree.nodes.first[node] + action] += 1
        if child == NOWHERE:
            lanes.phase[lane] = LEAVING if leaves else ASKED
            lanes.state[lane], lanes.action[lane] = tree.nodes.state[node], action
            return True
        arrive(algorithm, memory, problem, tree, path, walks, settings, lane, child, False)
        if lanes.phase[lane] == LEFT:
            return False


@helper
def hear(algorithm, memory, problem, tree, path, walks, settings, lane, successor, reward):
    """The transition that a lane asked for; if the trial ends there, it counts."""
    lanes = walks.lane
    leaves, known = lanes.phase[lane] == LEAVING, tree.used[0]
    child = enter(algorithm, memory, problem, tree, path, walks, settings, lane, successor, reward)
    if child == BEYOND:
        # The edge does not count this trial: it has no row for where it led.
        lanes.phase[lane], lanes.state[lane], lanes.reward[lane] = LEFT, successor, reward
        if tree.lanes > 1:
            tree.edges.pending[tree.nodes.first[lanes.node[lane]] + lanes.action[lane]] -= 1
    elif child != NOWHERE:
        lacks_edges = child < known and not make_edges(
            algorithm, memory, problem, tree, path, child, lanes.depth[lane] + 1, settings
        )
        arrive(algorithm, memory, problem, tree, path, walks, settings, lane, child, leaves or lacks_edges)


@helper
def arrive(algorithm, memory, problem, tree, path, walks, settings, lane, child, leaves):
    """A trial is at a node, which ends it, or lets it leave the tree, or lets it go on."""
    lanes = walks.lane
    lanes.node[lane], lanes.phase[lane], lanes.reward[lane] = child, READY, np.nan
    lanes.state[lane] = tree.nodes.state[child]
    lanes.depth[lane] += 1
    if leaves or tree.nodes.width[child] == 0 or ends_here(problem, tree, child):
        given = worth(problem, tree.nodes.state[child])
        if tree.nodes.width[child] > 0 or ends_noisily(problem) or not math.isnan(given):
            lanes.phase[lane] = LEFT
        if lanes.phase[lane] == READY or not math.isnan(given):
            gain = 0.0 if math.isnan(given) else given
            finish(algorithm, memory, problem, tree, path, walks, settings, lane, gain)


@helper
def finish(algorithm, memory, problem, tree, path, walks, settings, lane, gain):
    """The trial of a lane ends, with return ``gain`` beyond the tree; from here on it counts."""
    lanes = walks.lane
    node, depth = lanes.node[lane], lanes.depth[lane]
    if tree.lanes > 1:
        for i in range(depth):
            tree.edges.pending[path.edges[lane, i]] -= 1
    if lanes.phase[lane] == LEFT and not math.isnan(lanes.reward[lane]):  # beyond the last node
        gain = lanes.reward[lane] + settings.discount * gain
    tree.nodes.visits[node] += 1
    if lanes.phase[lane] == LEFT and tree.nodes.tried[node] == 0:
        settle(algorithm, memory, problem, tree, node, depth, side(problem, tree.nodes.state[node]) * gain)
    ascend(problem, algorithm, memory, tree, path, settings, lane, depth, gain)
    lanes.phase[lane] = IDLE


@helper
def take_back(tree, path, walks, lane):
    """Undo the trial of a lane: only its pending counts have to be removed."""
    lanes = walks.lane
    phase = lanes.phase[lane]
    if tree.lanes > 1 and phase != IDLE:
        for i in range(lanes.depth[lane]):
            tree.edges.pending[path.edges[lane, i]] -= 1
        if phase == ASKED or phase == LEAVING:  # noqa: PLR1714, SIM109 (compiled code has no tuples to look in)
            tree.edges.pending[tree.nodes.first[lanes.node[lane]] + lanes.action[lane]] -= 1
    lanes.phase[lane] = IDLE


@helper
def choose(algorithm, memory, problem, tree, path, settings, lane, node, depth, rng):
    """The action that the algorithm takes at ``node``, and whether the trial leaves the tree by it; -1 at a fault."""
    if not settings.keep and tree.nodes.tried[node] < tree.nodes.width[node]:
        return untried(problem, tree, node, rng), True
    action = whole_number(algorithm, select(algorithm, memory, problem, tree, lane, node, depth, rng))
    if not 0 <= action < tree.nodes.width[node]:
        fault(path, CHOSEN, tree.nodes.state[node], action, tree.nodes.width[node])
        return -1, False
    return action, False


@helper
def enter(algorithm, memory, problem, tree, path, walks, settings, lane, successor, reward):
    """The node that a transition leads to, made if it is new; NOWHERE at a fault, BEYOND if there is no room."""
    node, depth, states = walks.lane.node[lane], walks.lane.depth[lane], num_states(problem)
    state, action = tree.nodes.state[node], walks.lane.action[lane]
    if not 0 <= successor < states:
        fault(path, LED, state, successor, states)
        return NOWHERE
    action = whole_number(problem, credited(problem, state, action, successor))
    if not 0 <= action < tree.nodes.width[node]:
        fault(path, CREDITED, state, action, tree.nodes.width[node])
        return NOWHERE
    edge = edge_of(tree, node, action) if settings.lazy else tree.nodes.first[node] + action
    outcome = seen_before(tree, edge, successor)
    if outcome == NONE:
        if tree.full[0] == 1:
            return BEYOND
        child = tree.table[depth + 1, successor] if settings.graph else NOWHERE
        if child == NOWHERE:
            child = make_node(algorithm, memory, problem, tree, path, successor, depth + 1, settings)
        if child == NOWHERE:
            return NOWHERE
        outcome = add_outcome(tree, edge, successor, child)
        tree.outcomes.reward[outcome] = first_reward(problem, state, action, successor)
    path.nodes[lane, depth], path.edges[lane, depth] = node, edge
    path.outcomes[lane, depth], path.rewards[lane, depth] = outcome, reward
    return tree.outcomes.child[outcome]


@helper
def make_node(algorithm, memory, problem, tree, path, state, depth, settings):
    """A new node, known to the table of transpositions; NOWHERE at a fault."""
    width = whole_number(problem, width_at(problem, state, depth, settings.horizon))
    if not 0 <= width <= settings.widest:
        fault(path, WIDE, state, width, settings.widest)
        return NOWHERE
    node = add_node(tree, state, width, settings.lazy and depth > 0 and width > 1)
    welcome(algorithm, memory, tree, node, depth)
    if settings.graph:
        tree.table[depth, state] = node
    return node


@helper
def make_edges(algorithm, memory, problem, tree, path, node, depth, settings):
    """Make the edges that a node lacks: it had one, or was at a nearer horizon.  False without room, or at a fault."""
    unmade = tree.nodes.first[node] == NEW
    opens = unmade and tree.nodes.width[node] == 0
    if not opens and tree.nodes.only[node] == 0:
        return not unmade or tree.full[0] == 0
    if tree.full[0] == 1:
        return False
    width = whole_number(problem, width_at(problem, tree.nodes.state[node], depth, settings.horizon))
    if not 0 <= width <= settings.widest:
        fault(path, WIDE, tree.nodes.state[node], width, settings.widest)
        return False
    if opens:
        add_edges(tree, node, width)
        welcome(algorithm, memory, tree, node, depth)
    else:
        open_up(tree, node, width)
    return True


@helper
def plant(algorithm, memory, problem, tree, path, root, settings):
    """The tree is just the root; rows are zero already."""
    path.fault[0] = 0
    tree.used[0], tree.used[1], tree.used[2] = 0, 0, 1
    tree.repeats.compared[0] = tree.repeats.alike[0] = tree.full[0] = 0
    begin(algorithm, memory)
    for i in range(tree.table.shape[0]):
        for j in range(tree.table.shape[1]):
            tree.table[i, j] = NOWHERE
    make_node(algorithm, memory, problem, tree, path, root, 0, settings)


@helper
def has_room(problem, tree, settings, steps):
    """Whether the pool certainly has room for so many transitions, or needs none."""
    known = not settings.graph or num_states(problem) <= tree.table.shape[1]
    return known and (
        tree.full[0] == 1
        or (
            tree.used[0] + steps <= tree.nodes.state.shape[0]
            and tree.used[1] + steps * settings.widest <= tree.edges.count.shape[0]
            and tree.used[2] + steps <= tree.outcomes.times.shape[0]
        )
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


@kernel
def grow(held, root, trials):
    """Add ``trials`` simulations, or as many as there is certainly room for; returns how many, or WRONG.

    ``root`` is the state to start a new search from; if negative, the search in ``tree`` continues.
    """
    algorithm, memory, problem, tree, path, walks, settings, rng = contents(held)
    if root >= 0:
        plant(algorithm, memory, problem, tree, path, root, settings)
    lanes = walks.lane
    lanes.phase[0] = IDLE
    for done in range(trials):
        if not has_room(problem, tree, settings, settings.horizon + 1):
            return done
        walks.remaining[0] = 1
        while ask(algorithm, memory, problem, tree, path, walks, settings, 0, rng):
            successor, reward = step(problem, lanes.state[0], lanes.action[0], rng)
            successor = whole_number(problem, successor)
            hear(algorithm, memory, problem, tree, path, walks, settings, 0, successor, reward)
            if lanes.phase[0] == LEFT:
                steps = settings.horizon - lanes.depth[0] - (0 if math.isnan(lanes.reward[0]) else 1)
                gain = random_play(problem, path, lanes.state[0], steps, settings.discount, rng)
                finish(algorithm, memory, problem, tree, path, walks, settings, 0, gain)
            if path.fault[0] != 0:
                return WRONG
        if path.fault[0] != 0:
            return WRONG
    return WRONG if path.fault[0] != 0 else trials
