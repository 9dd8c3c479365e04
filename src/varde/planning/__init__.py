"""Monte Carlo tree search: one loop, one file per algorithm."""

from .bts import BTS
from .dents import DENTS
from .gap_tree import GapTree
from .measure import measure
from .ments import MENTS
from .move import Estimate, Move
from .paper_tree import PaperTree
from .planner import Planner, Request, plan
from .rents import RENTS
from .search import Search
from .tents import TENTS
from .uct import UCT

__all__ = [
    "BTS",
    "DENTS",
    "MENTS",
    "RENTS",
    "TENTS",
    "UCT",
    "Estimate",
    "GapTree",
    "Move",
    "PaperTree",
    "Planner",
    "Request",
    "Search",
    "measure",
    "plan",
]
