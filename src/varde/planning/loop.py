"""Monte Carlo tree search: the verbs of an algorithm, and what differs between kinds of problems.

The trial that calls them is in ``trial.py``.
Your own algorithm is a record with cases of ``columns``, ``select`` and ``back_up``, and of the other verbs where the
defaults do not fit.  ``prepare`` runs in Python and makes the arrays; the others run compiled.
"""

from __future__ import annotations

import numpy as np

from .._compile import helper, verb, whole_number
from ..moments import joined
from ..random import below
from ..worlds.games import Turns, as_inside
from ..worlds.table import MDP, expected_reward, side
from .tree import CHOSEN, LEFT, NONE, NOWHERE, best_action, fault, most_visited, untried

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


@helper
def best_or_most_visited(algorithm, tree, node, rng):
    """A case of ``recommend``, for algorithms with the setting ``recommend_visits``."""
    return most_visited(tree, node, rng) if algorithm.recommend_visits else best_action(tree, node, tree.edges.q, rng)


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


# -- what depends on the kind of problem: a table, a model, a game, a world discovered step by step ------------------


@verb(fallback=True)
def pick(model, algorithm, memory, problem, tree, path, settings, lane, rng):
    """The action that a trial takes at its node, and whether it leaves the tree by it; -1 at a fault.

    ``model`` is the problem, or what a game is played in.
    """
    node, depth = path.lane.node[lane], path.lane.depth[lane]
    return choose(algorithm, memory, problem, tree, path, settings, lane, node, depth, rng)


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


@verb(fallback=True)
def seen_again(problem, tree, path, lane, action, rng):
    """The node of an outcome that the trial follows without asking the world; NOWHERE if the world is asked."""
    return NOWHERE


@verb(fallback=True)
def random_action(problem, state, actions, rng):
    """One of so many actions of a state, in random play."""
    return below(actions, rng)


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
def ascend(problem, algorithm, memory, tree, path, settings, lane, gain):
    """Back up the return ``gain`` of what follows the path of a trial."""
    node, depth = path.lane.node[lane], path.lane.depth[lane]
    if path.lane.phase[lane] == LEFT and tree.nodes.tried[node] == 0:
        settle(algorithm, memory, problem, tree, node, depth, gain)
    for i in range(depth - 1, -1, -1):
        gain = path.rewards[lane, i] + settings.discount * gain
        count_step(problem, tree, path, lane, i)
        node, edge = path.nodes[lane, i], path.edges[lane, i]
        back_up(algorithm, memory, problem, tree, lane, node, edge, i, gain, settings.discount)


@ascend.of(Turns)
def ascend_in_turn(problem, algorithm, memory, tree, path, settings, lane, gain):
    """Rewards and ``gain`` are the first player's; a node enters their value for the player who moves there."""
    node, depth = path.lane.node[lane], path.lane.depth[lane]
    if path.lane.phase[lane] == LEFT and tree.nodes.tried[node] == 0:
        settle(algorithm, memory, problem, tree, node, depth, side(problem, tree.nodes.state[node]) * gain)
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
def mean_reward(problem, tree, node, edge):
    """The expected reward of an edge; a world that does not know it goes by those seen."""
    return expected_reward(problem, tree.nodes.state[node], edge - tree.nodes.first[node])


@verb(fallback=True)
def edge_value(problem, sampled, tree, node, edge, discount):
    """E[r] + discount sum_k N(e, k) / N(e) V(child k), for the player who moves at ``node``.

    The expected reward is the model's, or with ``sampled`` the mean of those seen.  A table knows the reward with each
    successor, so that what is sampled there is the successor.
    """
    total, outcome = 0.0, tree.edges.outcome[edge]
    while outcome != NONE:
        value = tree.nodes.value[tree.outcomes.child[outcome]]
        value = tree.outcomes.reward[outcome] + discount * value if sampled else value
        total += tree.outcomes.times[outcome] * value
        outcome = tree.outcomes.next[outcome]
    total /= draws(problem, tree, edge)
    return total if sampled else mean_reward(problem, tree, node, edge) + discount * total


@edge_value.of(Turns)
def edge_value_in_turn(problem, sampled, tree, node, edge, discount):
    """A value is that of the player who moves where an outcome led."""
    total, outcome = 0.0, tree.edges.outcome[edge]
    while outcome != NONE:
        value = side(problem, tree.outcomes.successor[outcome]) * tree.nodes.value[tree.outcomes.child[outcome]]
        value = tree.outcomes.reward[outcome] + discount * value if sampled else value
        total += tree.outcomes.times[outcome] * value
        outcome = tree.outcomes.next[outcome]
    total /= draws(problem, tree, edge)
    total = total if sampled else mean_reward(problem, tree, node, edge) + discount * total
    return side(problem, tree.nodes.state[node]) * total


as_inside(first_reward, count_draw, reward_squares, draws, pick, random_action, seen_again, mean_reward)
