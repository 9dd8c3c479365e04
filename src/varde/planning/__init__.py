"""Monte Carlo tree search: one loop, one file per algorithm."""

from .bts import BTS
from .dents import DENTS
from .ments import MENTS
from .planner import Search
from .rents import RENTS
from .tents import TENTS
from .uct import UCT
from .varde import TreeVarDE

__all__ = ["BTS", "DENTS", "MENTS", "RENTS", "TENTS", "UCT", "Search", "TreeVarDE"]
