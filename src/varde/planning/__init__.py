"""Monte Carlo tree search: one loop, one file per algorithm."""
from .uct import UCT
from .varde import TreeVarDE
from .planner import Search
