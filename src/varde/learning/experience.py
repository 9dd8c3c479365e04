"""The experience of a run: visits, starts, rewards and successors of every pair (s, a), and the model of these data.

The outcomes of a pair, its successors in order of appearance, are contiguous in one pool: memory grows with what was
seen.  A pair has room for a power of two; when that is full it moves to the end of the pool.  Kernels do not allocate:
a run pauses when the pool may be too short for the next step, and ``lengthened`` makes a longer one.

All terminal states are one successor, the first one reached.

``Known`` is the model of the data with given rewards, for policy iteration on full matrices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..moments import Moments, make_moments, observe
from ..worlds.solve import backup, equation, iterate_policy

ROUNDING = 1e-9  # of a backup: what differs by less does not differ


class Totals(NamedTuple):
    """Numbers of the whole experience; each an array of one number."""

    met: np.ndarray  # states visited
    steps: np.ndarray
    starts: np.ndarray
    filled: np.ndarray  # entries of the pool in use
    widest: np.ndarray  # the most outcomes that a pair has
    end: np.ndarray  # 1 + the state that stands for every end of an episode; 0 if none has ended
    fresh: np.ndarray  # 1 if the last outcome was new for its pair


class Residuals(NamedTuple):
    """What differed from the model, by pair: are observations states? (``lookout.py``)"""

    backups: np.ndarray  # [S, A] the mean of r + g V(s'), with V of the last plan
    last: np.ndarray  # [S, A] e of the last sample
    squares: np.ndarray  # [S, A] sum e^2
    products: np.ndarray  # [S, A] sum e e' of successive samples
    spread: np.ndarray  # [S, A] sum (e e')^2


class Experience(NamedTuple):
    visits: np.ndarray  # [S] N(s), the visit in progress included
    starts: np.ndarray  # [S] how many episodes began there
    order: np.ndarray  # [S] the states with actions, in the order of their first visit
    rewards: Moments  # [S, A] N(s, a), mean and squared deviations of the reward
    within: np.ndarray  # [S, A] squared deviations of the reward from the means of the outcomes
    rows: np.ndarray  # [S, A] where the outcomes of a pair begin in the pool
    kinds: np.ndarray  # [S, A] how many those are
    to: np.ndarray  # [E] the successor
    counts: np.ndarray  # [E] how often it came
    means: np.ndarray  # [E] the mean reward when it came
    totals: Totals
    range: np.ndarray  # [2] the lowest and the highest reward
    last: np.ndarray  # [S] the step of the last visit
    worth: np.ndarray  # [S] g V of the last plan; 0 without one
    residuals: Residuals


def make_experience(num_states: int, num_actions: int, room: int) -> Experience:
    pairs = (num_states, num_actions)
    return Experience(
        np.zeros(num_states, np.int64),
        np.zeros(num_states, np.int64),
        np.zeros(num_states, np.int64),
        make_moments(pairs),
        np.zeros(pairs),
        np.zeros(pairs, np.int64),
        np.zeros(pairs, np.int64),
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.zeros(room),
        Totals(*np.zeros((7, 1), np.int64)),
        np.array([np.inf, -np.inf]),
        np.zeros(num_states, np.int64),
        np.zeros(num_states),
        Residuals(*np.zeros((5, *pairs))),
    )


@helper
def arrive(seen, s):
    """Count a visit of ``s``; returns whether it is the first."""
    seen.visits[s] += 1
    seen.last[s] = seen.totals.steps[0]
    if seen.visits[s] > 1:
        return False
    seen.order[seen.totals.met[0]] = s
    seen.totals.met[0] += 1
    return True


@helper
def begin_episode(seen, s):
    """Count a start in ``s``; returns whether the state is new."""
    seen.starts[s] += 1
    seen.totals.starts[0] += 1
    return arrive(seen, s)


@helper
def notice(seen, step, over, keep):
    """Count a transition; with ``keep`` its reward and successor enter the model.  Returns whether a state is new."""
    s, a, after = step.state, step.action, step.after
    seen.totals.steps[0] += 1
    new = False if over else arrive(seen, after)
    if not keep:
        seen.rewards.counts[s, a] += 1
        return new
    compare(seen, step, seen.rewards.counts[s, a])
    observe(seen.rewards, (s, a), step.reward)
    if over:
        if seen.totals.end[0] == 0:
            seen.totals.end[0] = 1 + after
        after = seen.totals.end[0] - 1
    k, last = seen.rows[s, a], seen.rows[s, a] + seen.kinds[s, a]
    while k < last and seen.to[k] != after:
        k += 1
    seen.totals.fresh[0] = 1 if k == last else 0
    if k == last:
        k = add_outcome(seen, s, a, after)
    seen.counts[k] += 1
    off = step.reward - seen.means[k]
    seen.means[k] += off / seen.counts[k]
    seen.within[s, a] += off * (step.reward - seen.means[k])
    return new


@helper
def compare(seen, step, n):
    """Enter how far a transition is from what ``n`` others of its pair let expect."""
    past, s, a, backup = seen.residuals, step.state, step.action, step.reward + seen.worth[step.after]
    off = backup - past.backups[s, a]
    past.backups[s, a] += off / (n + 1.0)
    if n > 0:
        off = off if abs(off) > ROUNDING * (abs(backup) + abs(past.backups[s, a])) else 0.0
        product = off * past.last[s, a]
        past.products[s, a] += product
        past.spread[s, a] += product * product
        past.squares[s, a] += off * off
        past.last[s, a] = off


@helper(apart=True)
def add_outcome(seen, s, a, after):
    """Room for another outcome of a pair; returns its place."""
    totals, kinds, row = seen.totals, seen.kinds[s, a], seen.rows[s, a]
    if kinds & (kinds - 1) == 0:  # 0, 1, 2, 4, ...: full
        moved = totals.filled[0]
        for k in range(kinds):
            seen.to[moved + k] = seen.to[row + k]
            seen.counts[moved + k] = seen.counts[row + k]
            seen.means[moved + k] = seen.means[row + k]
        seen.rows[s, a] = row = moved
        totals.filled[0] = moved + (2 * kinds if kinds > 0 else 1)
    seen.kinds[s, a] = kinds + 1
    totals.widest[0] = kinds + 1 if kinds + 1 > totals.widest[0] else totals.widest[0]
    k = row + kinds
    seen.to[k], seen.counts[k], seen.means[k] = after, 0, 0.0
    return k


@helper
def is_full(seen):
    """Whether the pool may be too short for another outcome."""
    return seen.totals.filled[0] + 2 * seen.totals.widest[0] + 1 > seen.to.size


def tidied(seen: Experience) -> None:
    """The outcomes of all pairs in order, without the gaps left by those that moved."""
    kinds = seen.kinds.ravel()
    room = np.where(kinds > 0, 1 << np.ceil(np.log2(np.maximum(kinds, 1))).astype(np.int64), 0)
    rows = np.cumsum(room) - room
    inner = np.arange(kinds.sum()) - np.repeat(np.cumsum(kinds) - kinds, kinds)
    old, new = np.repeat(seen.rows.ravel(), kinds) + inner, np.repeat(rows, kinds) + inner
    for column in (seen.to, seen.counts, seen.means):
        column[new] = column[old]
    seen.rows[...] = rows.reshape(seen.rows.shape)
    seen.totals.filled[0] = room.sum()


@helper
def share(seen, s, a, k):
    """Successor number ``k`` of a pair, and how often it came."""
    place = seen.rows[s, a] + k
    return seen.to[place], seen.counts[place] / seen.rewards.counts[s, a]


@helper
def expectation(seen, s, a, values):
    """sum_s' P(s'|s, a) values(s') over the successors seen."""
    total, row = 0.0, seen.rows[s, a]
    for k in range(row, row + seen.kinds[s, a]):
        total += seen.counts[k] * values[seen.to[k]]
    return total / seen.rewards.counts[s, a]


@helper
def count_successors(seen, s, a, counts):
    """Fill ``counts [S]`` with how often each successor of a pair came."""
    for t in range(counts.size):
        counts[t] = 0.0
    row = seen.rows[s, a]
    for k in range(row, row + seen.kinds[s, a]):
        counts[seen.to[k]] = seen.counts[k]


# -- the model of the data -----------------------------------------------------------------------


class Known(NamedTuple):
    """Maximum likelihood on the pairs tried; the others must not be taken."""

    seen: Experience
    rewards: np.ndarray  # [S, A]


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
        return -np.inf
    return known.rewards[state, action] + discount * expectation(known.seen, state, action, values)


@helper(apart=True)
def take_means(known):
    """The rewards seen; 0 at END; a state without any trial stays where it is at the lowest mean of all."""
    seen, low = known.seen, np.inf
    for s in range(seen.kinds.shape[0]):
        for a in range(seen.kinds.shape[1]):
            if seen.kinds[s, a] > 0 and seen.rewards.means[s, a] < low:
                low = seen.rewards.means[s, a]
    for s in range(seen.kinds.shape[0]):
        for a in range(seen.kinds.shape[1]):
            known.rewards[s, a] = seen.rewards.means[s, a] if seen.kinds[s, a] > 0 else low if low < np.inf else 0.0
    for a in range(seen.kinds.shape[1]):
        if seen.totals.end[0] > 0:
            known.rewards[seen.totals.end[0] - 1, a] = 0.0


@helper(apart=True)
def model_report(known, task, solution):
    """The best policy of the model of the data, computed from scratch: ties do not depend on earlier reports."""
    for s in range(solution.policy.size):
        solution.policy[s] = 0
    take_means(known)
    iterate_policy(known, task.discounts, task.num_actions, solution)
