"""Worlds to plan and learn in: one function per file, each returning a ``Table``."""

from .combination_lock import combination_lock
from .deep_sea import deep_sea
from .distracted_river import distracted_river
from .forked_river_swim import forked_river_swim
from .four_rooms import four_rooms
from .frozen_lake import frozen_lake
from .garnet import garnet
from .river_swim import river_swim
from .sailing import sailing
from .synthetic_tree import SyntheticTree, synthetic_tree
from .taxi import taxi

__all__ = [
    "SyntheticTree",
    "combination_lock",
    "deep_sea",
    "distracted_river",
    "forked_river_swim",
    "four_rooms",
    "frozen_lake",
    "garnet",
    "river_swim",
    "sailing",
    "synthetic_tree",
    "taxi",
]
