"""Monte Carlo tree search: one loop, one file per algorithm."""

from .assess import Assessment, assess
from .auto import AutoTree
from .bts import BTS
from .dents import DENTS
from .engine import Search
from .ments import MENTS
from .rents import RENTS
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
    "Search",
    "TreeVarDE",
    "assess",
]
