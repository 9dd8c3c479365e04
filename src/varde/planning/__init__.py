"""Monte Carlo tree search: one loop, one file per algorithm or family of algorithms."""

from .boltzmann import BTS, DENTS, MENTS, RENTS, TENTS
from .default import GapTree
from .graph import GapGraph
from .measure import measure
from .move import Estimate, Move
from .options import Growth, Hints
from .paper_tree import PaperTree
from .planner import Planner, plan
from .search import Search
from .uct import UCT

__all__ = [
    "BTS",
    "DENTS",
    "MENTS",
    "RENTS",
    "TENTS",
    "UCT",
    "Estimate",
    "GapGraph",
    "GapTree",
    "Growth",
    "Hints",
    "Move",
    "PaperTree",
    "Planner",
    "Search",
    "measure",
    "plan",
]
