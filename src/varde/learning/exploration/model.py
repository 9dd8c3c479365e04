"""The model of the data, by rows, as of the start of the plan.  States are numbered as visited, from 1; END is 0."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._compile import helper
from ..experience import MET
from .solver import add_entry

STATES, PAIRS, OUTCOMES = range(3)  # places in Model.size
OVER = 0  # the number of END


class Model(NamedTuple):
    number: np.ndarray  # [S] of the states of the world
    first: np.ndarray  # [N + 1] the pairs of a state
    rows: np.ndarray  # [P + 1] the outcomes of a pair
    counts: np.ndarray  # [P] n
    means: np.ndarray  # [P] mean reward
    within: np.ndarray  # [P] squared deviations of the reward from the means of its outcomes
    to: np.ndarray  # [E] successor
    share: np.ndarray  # [E] its probability
    rewards: np.ndarray  # [E] mean reward when it came
    size: np.ndarray  # [3] states and END, pairs, outcomes


def make_model(states: int, actions: int, room: int) -> Model:
    pairs = states * actions
    return Model(
        np.zeros(states, np.int64),
        np.zeros(states + 2, np.int64),
        np.zeros(pairs + 1, np.int64),
        np.zeros(pairs, np.int64),
        np.zeros(pairs),
        np.zeros(pairs),
        np.zeros(room, np.int64),
        np.zeros(room),
        np.zeros(room),
        np.zeros(3, np.int64),
    )


@helper(apart=True)
def copy_model(model, task, seen):
    met, pair, k = seen.at[MET], 0, 0
    for i in range(met):
        model.number[seen.order[i]] = i + 1
    for i in range(met):
        s = seen.order[i]
        model.first[i + 1] = pair
        for a in range(task.widths[s]):
            n, row = seen.rewards.counts[s, a], seen.rows[s, a]
            model.rows[pair], model.counts[pair], model.means[pair] = k, n, seen.rewards.means[s, a]
            model.within[pair] = seen.within[s, a]
            inverse = 1.0 / n if n > 0 else 0.0
            for o in range(row, row + seen.kinds[s, a]):
                model.to[k] = model.number[seen.to[o]]
                model.share[k] = seen.counts[o] * inverse
                model.rewards[k] = seen.means[o]
                k += 1
            pair += 1
    model.first[met + 1], model.rows[pair] = pair, k
    model.size[STATES], model.size[PAIRS], model.size[OUTCOMES] = met + 1, pair, k


@helper
def ahead(model, p, values):
    """sum_t P(t|p) values(t)."""
    total = 0.0
    for k in range(model.rows[p], model.rows[p + 1]):
        total += model.share[k] * values[model.to[k]]
    return total


@helper(apart=True)
def policy_rows(model, policy, rows):
    """P of a policy; a state without tried actions stays where it is, END leads nowhere."""
    k = 0
    rows.first[0] = rows.first[1] = 0
    for s in range(1, model.size[STATES]):
        p = model.first[s] + policy[s]
        if model.counts[p] == 0:
            k = add_entry(rows, k, s, 1.0)
        for o in range(model.rows[p], model.rows[p + 1]):
            k = add_entry(rows, k, model.to[o], model.share[o])
        rows.first[s + 1] = k
