"""Choose the best of one's own noisy options."""

from .result import Row, Selection

__all__ = ["Row", "Selection"]
