"""Choose the best of your own noisy options: ask and tell, a store, and one call that does it all."""

from .._files import StoreError, StoreWarning
from ..certainty.stopping import Stop
from .draws import Draw
from .log import Event, EventLog
from .result import Selection, Standing
from .select import select
from .selector import AlreadyToldError, Selector

__all__ = [
    "AlreadyToldError",
    "Draw",
    "Event",
    "EventLog",
    "Selection",
    "Selector",
    "Standing",
    "Stop",
    "StoreError",
    "StoreWarning",
    "select",
]
