"""Choosing the best of one's own noisy options: ask and tell, a store, and one call that does it all."""

from .draws import Draw
from .selector import AlreadyTold, Selector
from .store import StoreError

__all__ = ["AlreadyTold", "Draw", "Selector", "StoreError"]
