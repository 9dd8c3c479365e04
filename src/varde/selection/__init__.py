"""Choose the best of your own noisy options: ``select`` in one call, or ask and tell; stores and goals."""

import logging

from .._files import StoreError, StoreWarning
from ..certainty.stopping import Stop
from .calls import Calls
from .contexts import Choice, Choices
from .draws import Draw
from .events import Event
from .goals import Best, Quantile, Top
from .judging import judge
from .log import EventLog
from .result import Selection
from .select import select
from .selector import Selector
from .standing import Standing
from .telling import AlreadyToldError, Told

logging.getLogger("varde").addHandler(logging.NullHandler())

__all__ = [
    "AlreadyToldError",
    "Best",
    "Calls",
    "Choice",
    "Choices",
    "Draw",
    "Event",
    "EventLog",
    "Quantile",
    "Selection",
    "Selector",
    "Standing",
    "Stop",
    "StoreError",
    "StoreWarning",
    "Told",
    "Top",
    "judge",
    "select",
]
