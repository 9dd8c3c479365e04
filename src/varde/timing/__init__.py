"""``varde time``: which command is fastest, and how sure that is."""

from .bench import Bench, Timing
from .command import Command, Run, TimingError, parameters

__all__ = ["Bench", "Command", "Run", "Timing", "TimingError", "parameters"]
