"""The default of learning: explorer.py (one step), plan.py (a plan), gains.py (what samples are worth)."""

from .explorer import Explorer

__all__ = ["Explorer"]
