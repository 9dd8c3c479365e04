"""``varde time``: which command is fastest, and how sure that is."""

from .bench import Bench, Timing
from .command import Command, Run, TimingError, combinations

__all__ = ["Bench", "Command", "Run", "Timing", "TimingError", "combinations"]
