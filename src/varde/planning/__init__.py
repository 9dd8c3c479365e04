"""Monte Carlo tree search: one loop, one file per algorithm."""

from .auto import AutoTree
from .bts import BTS
from .dents import DENTS
from .measure import measure
from .ments import MENTS
from .move import Move
from .planner import Planner, Request, plan
from .rents import RENTS
from .search import Search
from .tents import TENTS
from .uct import UCT
from .varde import TreeVarDE

__all__ = [
    "BTS",
    "DENTS",
    "MENTS",
    "RENTS",
    "TENTS",
    "UCT",
    "AutoTree",
    "Move",
    "Planner",
    "Request",
    "Search",
    "TreeVarDE",
    "measure",
    "plan",
]
