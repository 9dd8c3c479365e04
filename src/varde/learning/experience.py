"""What one trajectory has shown: visits, successors and rewards of every pair (s, a).

Experience is itself a model (a case of ``equation`` and ``backup``): maximum likelihood on the pairs tried, and
the others not to be taken.  A state without any trial stays where it is at the lowest mean reward seen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..moments import Moments, clear, make_moments
from ..worlds.solve import backup, equation


class Experience(NamedTuple):
    visits: np.ndarray  # [S] N(s), the visit in progress included
    rewards: Moments  # [S, A] N(s, a), mean and squared deviations of the reward
    counts: np.ndarray  # [S, A, S] N(s, a, s')
    successors: np.ndarray  # [S, A, S] the successors seen, in order of appearance
    kinds: np.ndarray  # [S, A] how many those are
    lowest: np.ndarray  # [1] the least mean reward of a pair, as of the last ``find_lowest``


def make_experience(num_states: int, num_actions: int) -> Experience:
    pairs = (num_states, num_actions)
    triples = (num_states, num_actions, num_states)
    return Experience(
        np.zeros(num_states, np.int64),
        make_moments(pairs),
        np.zeros(triples, np.int64),
        np.zeros(triples, np.int64),
        np.zeros(pairs, np.int64),
        np.zeros(1),
    )


@helper(apart=True)
def forget(seen):
    seen.visits.fill(0)
    clear(seen.rewards)
    seen.counts.fill(0)
    seen.kinds.fill(0)
    seen.lowest.fill(0.0)


@helper
def notice(seen, s, a, reward, after):
    """Add one transition to the model; N(s, a) itself is counted by the loop."""
    before = reward - seen.rewards.means[s, a]
    mean = seen.rewards.means[s, a] + before / seen.rewards.counts[s, a]
    seen.rewards.means[s, a] = mean
    seen.rewards.squares[s, a] += before * (reward - mean)
    if seen.counts[s, a, after] == 0:
        seen.successors[s, a, seen.kinds[s, a]] = after
        seen.kinds[s, a] += 1
    seen.counts[s, a, after] += 1


@helper
def find_lowest(seen):
    """Look up the least mean reward; to be called before the experience is solved as a model."""
    low = np.inf
    for s in range(seen.kinds.shape[0]):
        for a in range(seen.kinds.shape[1]):
            if seen.kinds[s, a] > 0:
                low = min(low, seen.rewards.means[s, a])
    seen.lowest[0] = low if low < np.inf else 0.0


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


@equation.of(Experience)
def seen_equation(seen, state, action, discount, row):
    if seen.kinds[state, action] == 0:
        row[state] -= discount
        return seen.lowest[0]
    for k in range(seen.kinds[state, action]):
        after, probability = share(seen, state, action, k)
        row[after] -= discount * probability
    return seen.rewards.means[state, action]


@backup.of(Experience)
def seen_backup(seen, state, action, discount, values):
    if seen.kinds[state, action] == 0:
        return -np.inf
    return seen.rewards.means[state, action] + discount * expectation(seen, state, action, values)
