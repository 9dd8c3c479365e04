"""Random numbers that worlds are drawn with."""

from __future__ import annotations

import numpy as np

from ..check import seed_number


def generator(seed: int | np.random.Generator) -> np.random.Generator:
    """A generator from a seed, which always gives the same world, or a generator as it is."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed_number(seed))
