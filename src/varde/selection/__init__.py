"""Choose the best of one's own noisy options: ask and tell, a store, and one call that does it all."""

from .draws import Draw
from .events import StoreError
from .result import Row, Selection
from .selector import AlreadyTold, Selector

__all__ = ["AlreadyTold", "Draw", "Row", "Selection", "Selector", "StoreError"]
