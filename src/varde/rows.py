"""Transitions by rows: the layout, the chain of a policy, one sparse solve and one round of policy iteration.

State s has the pairs ``first[s] .. first[s + 1] - 1``, one per action, none where an episode is over; pair p has the
outcomes ``rows[p] .. rows[p + 1] - 1``, none if it was never tried.  What was seen is gathered in this layout, planned
with, certified and saved; a table (``worlds.record.World``) lies in memory in the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._compile import helper

SWEEPS = 200  # of plain iteration, where BiCGSTAB breaks down

END = -1  # the successor where an episode is over; or it is a state that has no pairs


class Rows(NamedTuple):
    """What was seen of S states, P pairs and E outcomes.  Rewards are kept per outcome: they may depend on it."""

    first: np.ndarray  # [S + 1] the pairs of a state
    rows: np.ndarray  # [P + 1] the outcomes of a pair
    to: np.ndarray  # [E] successor
    counts: np.ndarray  # [E] how often it came
    means: np.ndarray  # [E] mean reward when it came
    squares: np.ndarray  # [P] squared deviations of the reward from the means of its outcomes
    starts: np.ndarray  # [S] how often an episode began there

    @property
    def tried(self) -> np.ndarray:
        """[P] how often each pair was sampled."""
        return added(self.counts, self.rows)

    @property
    def owners(self) -> np.ndarray:
        """[P] the state of each pair."""
        return np.repeat(np.arange(self.first.size - 1), np.diff(self.first))

    @property
    def pairs(self) -> np.ndarray:
        """[E] the pair of each outcome."""
        return np.repeat(np.arange(self.rows.size - 1), np.diff(self.rows))


def make_rows(states: int, pairs: int, outcomes: int) -> Rows:
    sizes = {"first": states + 1, "rows": pairs + 1, "to": outcomes, "counts": outcomes}
    whole = {name: np.zeros(size, np.int64) for name, size in sizes.items()}
    return Rows(**whole, means=np.zeros(outcomes), squares=np.zeros(pairs), starts=np.zeros(states, np.int64))


def added(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The sum of ``values`` over each of the ``rows``; 0 where one is empty."""
    sums, full = np.zeros(rows.size - 1, values.dtype), np.flatnonzero(np.diff(rows) > 0)
    if full.size:
        sums[full] = np.add.reduceat(values, rows[full])
    return sums


def selected(rows: np.ndarray, some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The entries of ``some`` of the ``rows``, and where each begins among them."""
    sizes = rows[some + 1] - rows[some]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return starts, np.arange(starts[-1]) + np.repeat(rows[some] - starts[:-1], sizes)


@helper
def is_tried(rows, p):
    return rows.rows[p] < rows.rows[p + 1]


@helper
def expected(rows, p, values):
    """sum_t P(t|p) values(t), for a pair that was tried."""
    total, n = 0.0, 0
    for k in range(rows.rows[p], rows.rows[p + 1]):
        total += rows.counts[k] * values[rows.to[k]]
        n += rows.counts[k]
    return total / n


@helper
def backed_up(rows, p, discount, values):
    """Q of a pair that was tried."""
    total, n = 0.0, 0
    for k in range(rows.rows[p], rows.rows[p + 1]):
        total += rows.counts[k] * (rows.means[k] + discount * values[rows.to[k]])
        n += rows.counts[k]
    return total / n


# -- the chain of a policy -------------------------------------------------------------------------


class Chain(NamedTuple):
    """P of a policy, a sparse matrix by rows."""

    first: np.ndarray  # [S + 1]
    to: np.ndarray  # [E] columns
    share: np.ndarray  # [E]


def make_chain(states: int, entries: int) -> Chain:
    return Chain(np.zeros(states + 1, np.int64), np.zeros(entries, np.int64), np.zeros(entries))


@helper
def add_entry(chain, k, to, share):
    chain.to[k], chain.share[k] = to, share
    return k + 1


@helper
def add_pair(chain, k, rows, p):
    n = 0
    for o in range(rows.rows[p], rows.rows[p + 1]):
        n += rows.counts[o]
    for o in range(rows.rows[p], rows.rows[p + 1]):
        k = add_entry(chain, k, rows.to[o], rows.counts[o] / n)
    return k


@helper(apart=True)
def fill_chain(rows, size, policy, chain):
    """P of a policy of the first ``size`` states; a state of which nothing was tried stays where it is."""
    k = 0
    for s in range(size):
        chain.first[s] = k
        if rows.first[s] < rows.first[s + 1]:
            p = rows.first[s] + policy[s]
            k = add_pair(chain, k, rows, p) if is_tried(rows, p) else add_entry(chain, k, s, 1.0)
    chain.first[size] = k


@helper(apart=True)
def transpose(chain, size, turned):
    """``turned`` = P'."""
    for s in range(size + 2):
        turned.first[s] = 0
    for k in range(chain.first[size]):
        turned.first[chain.to[k] + 2] += 1
    for s in range(size):
        turned.first[s + 2] += turned.first[s + 1]
    for s in range(size):
        for k in range(chain.first[s], chain.first[s + 1]):
            t = chain.to[k] + 1  # the next row's beginning moves to this row's end, where it belongs
            turned.to[turned.first[t]], turned.share[turned.first[t]] = s, chain.share[k]
            turned.first[t] += 1


# -- policy iteration ------------------------------------------------------------------------------


@helper(apart=True)
def improve(rows, size, discount, policy, values, margin):
    """Make a policy greedy in ``values`` where that is better by ``margin``; returns whether it changed."""
    changed = False
    for s in range(size):
        first, last = rows.first[s], rows.first[s + 1]
        if first == last or not is_tried(rows, first + policy[s]):
            continue
        own = first + policy[s]
        best, chosen = backed_up(rows, own, discount, values) + margin, own
        for p in range(first, last):
            if p != own and is_tried(rows, p):
                value = backed_up(rows, p, discount, values)
                if value > best:
                    best, chosen = value, p
        changed = changed or chosen != own
        policy[s] = chosen - first
    return changed


# -- (I - g P) x = b -------------------------------------------------------------------------------


@helper(apart=True)
def multiply(chain, size, discount, x, y):
    """y = (I - g P) x."""
    for s in range(size):
        total = 0.0
        for k in range(chain.first[s], chain.first[s + 1]):
            total += chain.share[k] * x[chain.to[k]]
        y[s] = x[s] - discount * total


@helper(apart=True)
def product(x, y, size):
    """x'y in four partial sums, so that additions do not wait for each other."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = size - size % 4
    for i in range(0, whole, 4):
        a += x[i] * y[i]
        b += x[i + 1] * y[i + 1]
        c += x[i + 2] * y[i + 2]
        d += x[i + 3] * y[i + 3]
    for i in range(whole, size):
        a += x[i] * y[i]
    return (a + b) + (c + d)


@helper(apart=True)
def largest_size(x, size):
    """max |x|; infinite if one of them is not a number."""
    top, sound = 0.0, True
    for i in range(size):
        top = abs(x[i]) if abs(x[i]) > top else top
        sound = sound and x[i] == x[i]
    return top if sound else np.inf


def eliminate_by_loops(a, size, last):
    """What is zero changes nothing."""
    for i in range(size):
        pivot = a[i, i]
        for k in range(i + 1, last):
            a[i, k] /= pivot
        for j in range(i + 1, size):
            factor = a[j, i]
            if factor != 0.0:
                for k in range(i + 1, last):
                    a[j, k] -= factor * a[i, k]
    for i in range(size - 1, 0, -1):
        for j in range(i):
            factor = a[j, i]
            if factor != 0.0:
                for k in range(size, last):
                    a[j, k] -= factor * a[i, k]


@helper(apart=True, loops=eliminate_by_loops)
def eliminate(a, size, last):
    """Turn the right sides, the columns from ``size`` to ``last``, into solutions; without pivots, since g P < 1."""
    for i in range(size):
        a[i, i + 1 : last] /= a[i, i]
        a[i + 1 : size, i + 1 : last] -= a[i + 1 : size, i : i + 1] * a[i, i + 1 : last]
    for i in range(size - 1, 0, -1):
        a[:i, size:last] -= a[:i, i : i + 1] * a[i, size:last]


@helper(apart=True)
def solve(chain, size, discount, x, b, tolerance, most, room):
    """x with (I - g P) x = b to a residual of ``tolerance``, by ``most`` iterations from the x given.

    By BiCGSTAB (van der Vorst 1992), and where that breaks down plain sweeps; ``room`` is [5, S].  Returns passes over
    the matrix.
    """
    r, p, v, shadow, t = room[0], room[1], room[2], room[3], room[4]
    multiply(chain, size, discount, x, r)
    for i in range(size):
        r[i] = b[i] - r[i]
        shadow[i] = r[i]
        p[i] = v[i] = 0.0
    if largest_size(r, size) <= tolerance:
        return 1.0
    rho, alpha, omega, done = 1.0, 1.0, 1.0, 0
    while done < most:
        new = product(shadow, r, size)
        if new == 0.0 or omega == 0.0:
            break
        beta = (new / rho) * (alpha / omega) if done > 0 else 0.0
        rho = new
        for i in range(size):
            p[i] = r[i] + beta * (p[i] - omega * v[i])
        multiply(chain, size, discount, p, v)
        below = product(shadow, v, size)
        if below == 0.0:
            break
        alpha = rho / below
        for i in range(size):
            r[i] -= alpha * v[i]
        multiply(chain, size, discount, r, t)
        square = product(t, t, size)
        omega = product(t, r, size) / square if square > 0.0 else 0.0
        for i in range(size):
            x[i] += alpha * p[i] + omega * r[i]
            r[i] -= omega * t[i]
        done += 1
        left = largest_size(r, size)
        if left <= tolerance or square == 0.0:
            return 2.0 * done + 1.0
        if not left < 1e100:
            break
    if done == most:
        return 2.0 * done + 1.0
    return 2.0 * done + sweep(chain, size, discount, x, b, tolerance, r)


@helper(apart=True)
def sweep(chain, size, discount, x, b, tolerance, r):
    """x <- b + g P x, some times."""
    if not largest_size(x, size) < 1e200:
        for i in range(size):
            x[i] = 0.0
    for done in range(SWEEPS):
        multiply(chain, size, discount, x, r)
        for i in range(size):
            r[i] = b[i] - r[i]
            x[i] += r[i]
        if largest_size(r, size) <= tolerance:
            return done + 2.0
    return SWEEPS + 1.0
