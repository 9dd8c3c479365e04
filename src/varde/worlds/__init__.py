"""Worlds: states, actions, transitions and rewards, for planning and learning alike."""

from .function import SimulationError
from .gymnasium import from_gymnasium
from .solve import best_policy, policy_values
from .table import Table
from .tabulate import tabulate
from .world import as_world

__all__ = ["SimulationError", "Table", "as_world", "best_policy", "from_gymnasium", "policy_values", "tabulate"]
