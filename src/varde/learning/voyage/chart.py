"""The model of the data, by rows, as of the start of the plan.  States are numbered as visited, from 1; END is 0."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._compile import helper
from ..experience import MET
from .solver import add_entry

STATES, PAIRS, OUTCOMES = range(3)  # places in Chart.size
OVER = 0  # the number of END


class Chart(NamedTuple):
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


def make_chart(states: int, actions: int, room: int) -> Chart:
    pairs = states * actions
    return Chart(
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
def draw_chart(chart, task, seen):
    met, pair, k = seen.at[MET], 0, 0
    for i in range(met):
        chart.number[seen.order[i]] = i + 1
    for i in range(met):
        s = seen.order[i]
        chart.first[i + 1] = pair
        for a in range(task.widths[s]):
            n, row = seen.rewards.counts[s, a], seen.rows[s, a]
            chart.rows[pair], chart.counts[pair], chart.means[pair] = k, n, seen.rewards.means[s, a]
            chart.within[pair] = seen.within[s, a]
            inverse = 1.0 / n if n > 0 else 0.0
            for o in range(row, row + seen.kinds[s, a]):
                chart.to[k] = chart.number[seen.to[o]]
                chart.share[k] = seen.counts[o] * inverse
                chart.rewards[k] = seen.means[o]
                k += 1
            pair += 1
    chart.first[met + 1], chart.rows[pair] = pair, k
    chart.size[STATES], chart.size[PAIRS], chart.size[OUTCOMES] = met + 1, pair, k


@helper
def ahead(chart, p, values):
    """sum_t P(t|p) values(t)."""
    total = 0.0
    for k in range(chart.rows[p], chart.rows[p + 1]):
        total += chart.share[k] * values[chart.to[k]]
    return total


@helper(apart=True)
def policy_rows(chart, policy, rows):
    """P of a policy; a state without tried actions stays where it is, END leads nowhere."""
    k = 0
    rows.first[0] = rows.first[1] = 0
    for s in range(1, chart.size[STATES]):
        p = chart.first[s] + policy[s]
        if chart.counts[p] == 0:
            k = add_entry(rows, k, s, 1.0)
        for o in range(chart.rows[p], chart.rows[p + 1]):
            k = add_entry(rows, k, chart.to[o], chart.share[o])
        rows.first[s + 1] = k
