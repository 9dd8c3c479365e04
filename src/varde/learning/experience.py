"""What one trajectory has shown: visits, successors and rewards of every pair (s, a), and the model that they make.

``Known`` is that model with rewards of one's choice: the mean rewards seen for the values of policies, what a sample is
worth for planning where to travel.  One record for both, so that policy iteration is compiled once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..moments import Moments, make_moments, observe
from ..worlds.solve import backup, equation, iterate_policy


class Experience(NamedTuple):
    visits: np.ndarray  # [S] N(s), the visit in progress included
    starts: np.ndarray  # [S] how many episodes began there
    rewards: Moments  # [S, A] N(s, a), mean and squared deviations of the reward
    counts: np.ndarray  # [S, A, S] N(s, a, s')
    successors: np.ndarray  # [S, A, S] the successors seen, in order of appearance
    kinds: np.ndarray  # [S, A] how many those are
    range: np.ndarray  # [2] the lowest and the highest reward


def make_experience(num_states: int, num_actions: int) -> Experience:
    pairs = (num_states, num_actions)
    triples = (num_states, num_actions, num_states)
    return Experience(
        np.zeros(num_states, np.int64),
        np.zeros(num_states, np.int64),
        make_moments(pairs),
        np.zeros(triples, np.int64),
        np.zeros(triples, np.int64),
        np.zeros(pairs, np.int64),
        np.array([np.inf, -np.inf]),
    )


@helper
def notice(seen, step, keep):
    """Count a transition; with ``keep`` its reward and successor enter the model."""
    s, a, after = step.state, step.action, step.after
    seen.visits[after] += 1
    if not keep:
        seen.rewards.counts[s, a] += 1
        return
    observe(seen.rewards, (s, a), step.reward)
    if seen.counts[s, a, after] == 0:
        seen.successors[s, a, seen.kinds[s, a]] = after
        seen.kinds[s, a] += 1
    seen.counts[s, a, after] += 1


@helper
def share(seen, s, a, k):
    """Successor number ``k`` of a pair, and how often it came."""
    after = seen.successors[s, a, k]
    return after, seen.counts[s, a, after] / seen.rewards.counts[s, a]


@helper
def expectation(seen, s, a, values):
    """sum_s' P(s'|s, a) values(s') over the successors seen."""
    total = 0.0
    for k in range(seen.kinds[s, a]):
        after = seen.successors[s, a, k]
        total += seen.counts[s, a, after] * values[after]
    return total / seen.rewards.counts[s, a]


# -- the model seen ------------------------------------------------------------------------------


class Known(NamedTuple):
    """Maximum likelihood on the pairs tried; the others stay where they are."""

    seen: Experience
    rewards: np.ndarray  # [S, A]
    open: np.ndarray  # [1] whether pairs never tried may be taken


@equation.of(Known)
def known_equation(known, state, action, discount, row):
    if known.seen.kinds[state, action] == 0:
        row[state] -= discount
    for k in range(known.seen.kinds[state, action]):
        after, probability = share(known.seen, state, action, k)
        row[after] -= discount * probability
    return known.rewards[state, action]


@backup.of(Known)
def known_backup(known, state, action, discount, values):
    if known.seen.kinds[state, action] == 0:
        return known.rewards[state, action] + discount * values[state] if known.open[0] else -np.inf
    return known.rewards[state, action] + discount * expectation(known.seen, state, action, values)


@helper(apart=True)
def take_means(known):
    """The rewards seen; a state without any trial stays where it is at the lowest mean of all."""
    seen, low = known.seen, np.inf
    for s in range(seen.kinds.shape[0]):
        for a in range(seen.kinds.shape[1]):
            if seen.kinds[s, a] > 0 and seen.rewards.means[s, a] < low:
                low = seen.rewards.means[s, a]
    for s in range(seen.kinds.shape[0]):
        for a in range(seen.kinds.shape[1]):
            known.rewards[s, a] = seen.rewards.means[s, a] if seen.kinds[s, a] > 0 else low if low < np.inf else 0.0
    known.open[0] = 0


@helper(apart=True)
def model_report(known, task, solution):
    """The best policy of the model seen, found afresh: ties do not depend on earlier reports."""
    for s in range(solution.policy.size):
        solution.policy[s] = 0
    take_means(known)
    iterate_policy(known, task.discounts, task.num_actions, solution)
