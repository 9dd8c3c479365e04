"""Worlds to plan and learn in: one function per file, each returning a model."""

from .frozen_lake import frozen_lake
from .sailing import sailing
from .synthetic_tree import SyntheticTree, synthetic_tree
from .taxi import taxi

__all__ = ["SyntheticTree", "frozen_lake", "sailing", "synthetic_tree", "taxi"]
