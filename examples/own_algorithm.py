"""An algorithm of your own for finding the best arm, compiled and measured beside all the baselines.

A record holds its settings, a function chooses the next arm.  Run r meets the same rewards whoever plays.
"""

import math
from typing import NamedTuple

import numpy as np

import varde.testing
from varde.bandits import (
    EBTCI,
    KG,
    OCBA,
    UCBE,
    ContinuousRejects,
    SequentialHalving,
    SuccessiveRejects,
    TopTwoThompson,
    UGapE,
    Uniform,
)
from varde.bandits.loop import select
from varde.random import uniform

RUNS = 5_000


class TopTwo(NamedTuple):
    """Each time one of the two best-looking arms: the best with probability ``beta``."""

    beta: float = 0.5


@select.of(TopTwo)
def top_two(algorithm, memory, arms, t, rng):
    size = arms.counts.size
    if t < 2 * size:
        return t % size  # every arm twice
    best = np.argmax(arms.means)
    second, highest = 0, -math.inf
    for arm in range(size):
        if arm != best and arms.means[arm] > highest:
            second, highest = arm, arms.means[arm]
    return best if uniform(rng) < algorithm.beta else second


if __name__ == "__main__":
    varde.testing.check_algorithm(TopTwo())  # the contract that ours keep, too
    bandit = varde.bandits.Gaussian([0.30, 0.26, 0.20, 0.15, 0.10], [0.15, 0.22, 0.20, 0.30, 0.30])
    algorithms = [TopTwo(0.5), varde.VarDE(), Uniform(), SuccessiveRejects(), SequentialHalving(), ContinuousRejects()]
    algorithms += [UCBE(1.0), UGapE(1.0), OCBA(), TopTwoThompson(), EBTCI(), KG()]
    measured = [(varde.bandits.measure(each, bandit, budget=300, runs=RUNS).error[-1], each) for each in algorithms]
    for error, algorithm in sorted(measured):
        margin = 1.96 * math.sqrt(error * (1 - error) / RUNS)
        print(f"{100 * error:5.2f} ± {100 * margin:.2f} % wrong  {type(algorithm).__name__}")
