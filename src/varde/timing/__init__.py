"""Which command is fastest?  Runs in rounds, a decision, and how sure it is: ``varde time``."""

from .bench import Bench, Timing
from .command import Command, Run, TimingError, parameters

__all__ = ["Bench", "Command", "Run", "Timing", "TimingError", "parameters"]
