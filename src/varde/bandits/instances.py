"""The six instances of the paper, BAI.1 to BAI.6; arm 0 is the best in each.

"sigma_i is shuffled from mu_i" is read as Python's ``random.Random(42).shuffle`` of the means, a fresh
generator per instance: the reading under which the published numbers come out.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np

from .problems import Bernoulli, Gaussian


class Instance(NamedTuple):
    """A bandit and the number of pulls allowed on it."""

    bandit: Any  # Bernoulli, Gaussian, or a record of your own
    budget: int

    @property
    def num_arms(self) -> int:
        return np.size(self.bandit.means)


def _gaussian(*means: float) -> Gaussian:
    stds = list(means)
    random.Random(42).shuffle(stds)
    return Gaussian(np.array(means), np.array(stds))


INSTANCES = {
    # One group of bad arms.
    "BAI.1": Instance(Bernoulli(np.array([0.2] + 19 * [0.1])), 1200),
    # Two groups of bad arms.
    "BAI.2": Instance(Bernoulli(np.array([0.2] + 5 * [0.12] + 14 * [0.08])), 1000),
    # Geometric progression.
    "BAI.3": Instance(_gaussian(0.4, *(0.4 - 0.9 ** (i + 9) for i in range(1, 14))), 200),
    # Three groups.
    "BAI.4": Instance(_gaussian(0.3, *3 * [0.22], *3 * [0.2], *3 * [0.15]), 150),
    # Arithmetic progression.
    "BAI.5": Instance(_gaussian(*(0.4 - 0.025 * i for i in range(15))), 2000),
    # Two good arms and many bad ones.
    "BAI.6": Instance(_gaussian(0.3, 0.28, *18 * [0.17]), 2000),
}
