"""``varde time``: which command is fastest, and how sure that is."""

from .bench import Bench, Timing
from .command import Command, TimingError, combinations

__all__ = ["Bench", "Command", "Timing", "TimingError", "combinations"]
