"""``varde time``: which command is fastest, and how sure that is."""

from .bench import Bench, Timing
from .command import Command, TimingError

__all__ = ["Bench", "Command", "Timing", "TimingError"]
