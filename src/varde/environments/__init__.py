"""Worlds to try things on, one per file."""

from .forked_river_swim import forked_river_swim
from .river_swim import river_swim

__all__ = ["forked_river_swim", "river_swim"]
