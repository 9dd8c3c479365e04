"""Fixed-budget best-arm identification: the loop that every algorithm shares, and its verbs.

Your own algorithm is a record with a case of ``select``, and of the other verbs where the default does not
fit.  ``prepare`` runs in Python and makes the arrays; the others run compiled and reuse them.
"""

from __future__ import annotations

import numpy as np

from .._compile import contents, helper, kernel, verb, whole_number
from ..arrays import first_largest
from ..moments import clear, observe
from ..random import shuffle, start
from .problems import pull

ROW, PULLS, FAULT, NUMBER = 0, 1, 2, 3  # places in ``at`` of ``many_runs``
CHOSEN, RECOMMENDED = 1, 2  # faults: an arm that does not exist, and who named it


@verb(fallback=True)
def prepare(algorithm, num_arms):
    """What the algorithm remembers besides the moments of the arms: arrays or a record of arrays."""
    return np.empty(0)


@verb(fallback=True)
def begin(algorithm, memory, num_arms, budget):
    """Make ``memory`` ready for a new run of ``budget`` pulls."""


@verb(algorithm="chooses among options: write varde.select(...) or varde.bandits.measure(...)")
def select(algorithm, memory, arms, t, rng):
    """The arm to pull at step ``t``, counted from 0."""


@verb(fallback=True)
def update(algorithm, memory, arms, arm, reward):
    """Learn from ``reward``, which is already counted in the moments ``arms``."""


@verb(fallback=True)
def recommend(algorithm, memory, arms):
    """The arm to return: the highest mean over all samples and all arms, the lowest index on ties."""
    return first_largest(arms.means)


@verb(fallback=True)
def width(algorithm, num_arms):
    """How many arms the answer can have; runs in Python."""
    return 1


@verb(fallback=True)
def answer(algorithm, memory, arms, chosen):
    """Fill ``chosen`` with the arms to return, and then with -1."""
    chosen[0] = whole_number(algorithm, recommend(algorithm, memory, arms))


@helper
def advance(algorithm, bandit, memory, arms, order, t, until, rng):
    """Pulls ``t`` up to ``until``; the algorithm's arm i is arm ``order[i]`` of the bandit.

    Returns ``until`` and the last arm, or the step at which it chose an arm that does not exist, and that arm.
    """
    arm = 0
    while t < until:
        arm = whole_number(algorithm, select(algorithm, memory, arms, t, rng))
        if not 0 <= arm < order.size:
            break
        reward = pull(bandit, order[arm], rng)
        observe(arms, arm, reward)
        update(algorithm, memory, arms, arm, reward)
        t += 1
    return t, arm


@kernel
def many_runs(held, pulls):
    """Fill ``chosen [R, C, W]``: the arms that runs ``first``, ... recommend at each of C checkpoints.

    Stops after ``pulls`` pulls and continues from there when called again: ``at`` is the row and the pulls done in it,
    then a fault, if any, and its number.
    """
    algorithm, bandit, memory, arms, order, shuffled, checkpoints, key, rng, first, chosen, at = contents(held)
    while at[ROW] < chosen.shape[0] and pulls > 0:
        if at[PULLS] == 0:
            start(rng, key, first + at[ROW])
            clear(arms)
            for i in range(order.size):
                order[i] = i
            if shuffled:
                shuffle(order, order.size, rng)
            begin(algorithm, memory, order.size, checkpoints[-1])
        for c in range(checkpoints.size):
            if at[PULLS] < checkpoints[c] and pulls > 0:
                until = min(checkpoints[c], at[PULLS] + pulls)
                done, arm = advance(algorithm, bandit, memory, arms, order, at[PULLS], until, rng)
                pulls -= until - at[PULLS]
                at[PULLS] = done
                if done < until:
                    at[FAULT], at[NUMBER] = CHOSEN, arm
                    return
                if until == checkpoints[c]:
                    row = chosen[at[ROW], c]
                    answer(algorithm, memory, arms, row)
                    for w in range(row.size):
                        if not (0 if w == 0 and row.size == 1 else -1) <= row[w] < order.size:
                            at[FAULT], at[NUMBER] = RECOMMENDED, row[w]
                            return
                        row[w] = order[row[w]] if row[w] >= 0 else -1
        if at[PULLS] == checkpoints[-1]:
            at[ROW], at[PULLS] = at[ROW] + 1, 0
