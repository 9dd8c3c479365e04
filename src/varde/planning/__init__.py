"""Monte Carlo tree search: one loop, one file per algorithm."""

from .assess import Assessment, assess
from .auto import AutoTree
from .bts import BTS
from .dents import DENTS
from .ments import MENTS
from .planner import Move, Planner
from .rents import RENTS
from .search import Search
from .simulator import SimulationError, Simulator
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
    "Assessment",
    "AutoTree",
    "Move",
    "Planner",
    "Search",
    "SimulationError",
    "Simulator",
    "TreeVarDE",
    "assess",
]
