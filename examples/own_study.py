"""A study of your own, with your bandit and your algorithm: varde reproduce examples/own_study.py

It is measured block by block, goes on after an interruption, and runs on threads, processes or a cluster.
"""

import math
from typing import NamedTuple

import numpy as np

import varde
from varde.bandits.loop import select
from varde.bandits.problems import pull
from varde.random import integer, uniform
from varde.studies import bandit_study, run


class Exponential(NamedTuple):
    """Waiting times: the longer, the noisier."""

    means: np.ndarray


@pull.of(Exponential)
def exponential_reward(bandit, arm, rng):
    return -bandit.means[arm] * math.log(1.0 - uniform(rng))


class EpsilonGreedy(NamedTuple):
    """Mostly the arm that looks best, sometimes any."""

    epsilon: float = 0.3


@select.of(EpsilonGreedy)
def mostly_greedy(algorithm, memory, arms, t, rng):
    size = arms.counts.size
    if t < size:
        return t
    return integer(size, rng) if uniform(rng) < algorithm.epsilon else np.argmax(arms.means)


study = bandit_study(
    "waiting-times",
    problems={"five queues": (Exponential(np.array([1.0, 0.7, 0.6, 0.5, 0.4])), 300)},  # a bandit and a budget
    algorithms={
        "eps-greedy 0.5": EpsilonGreedy(0.5),
        "SR": varde.bandits.SuccessiveRejects(),
        "VarDE": varde.VarDE(varde.decisions.LogSumExp(0.2), warm_start=10),
    },
    title="Which queue is the slowest? Error probability (%)",
    points=30,
    method="VarDE",
)

if __name__ == "__main__":  # without the command line: a first look at few runs
    for row in run(study, runs=1_000):
        if row.step == 300:
            print(f"{row.algorithm}: {row.value:.1f} ± {1.96 * row.stderr:.1f} % wrong after {row.step} pulls")
