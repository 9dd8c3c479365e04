"""Choose the best of one's own noisy options: ask and tell, a store, and one call that does it all."""

from .draws import Draw
from .events import StoreError
from .result import Row, Selection
from .select import SelectionInterrupted, select
from .selector import AlreadyToldError, Selector
from .stopping import Stop

__all__ = [
    "AlreadyToldError",
    "Draw",
    "Row",
    "Selection",
    "SelectionInterrupted",
    "Selector",
    "Stop",
    "StoreError",
    "select",
]
