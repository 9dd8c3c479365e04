"""Worlds to plan and learn in: one function per file, each returning a model."""

from .forked_river_swim import forked_river_swim
from .frozen_lake import frozen_lake
from .river_swim import river_swim
from .sailing import sailing
from .synthetic_tree import SyntheticTree, synthetic_tree
from .taxi import taxi

__all__ = [
    "SyntheticTree",
    "forked_river_swim",
    "frozen_lake",
    "river_swim",
    "sailing",
    "synthetic_tree",
    "taxi",
]
