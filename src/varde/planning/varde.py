"""``VarDE`` as a tree search: which algorithm a rule becomes in a tree."""

from __future__ import annotations

from typing import Any

from ..decisions import Gaps
from ..rule import VarDE
from ..worlds.games import is_game
from .gap_game import GapGame
from .gap_tree import GapTree
from .paper_tree import PaperTree


def in_trees(algorithm: Any, problem: Any = None) -> Any:
    """``VarDE()`` as ``GapTree``, ``VarDE(LogSumExp(tau))`` as ``PaperTree``; what is a tree search already, as it is.

    In a game of two players ``GapTree`` becomes ``GapGame``.
    """
    if isinstance(algorithm, VarDE):
        algorithm = GapTree(algorithm.decision.focus) if isinstance(algorithm.decision, Gaps) else PaperTree(algorithm)
    if isinstance(algorithm, GapTree) and problem is not None and is_game(problem):
        shared = {name: value for name, value in algorithm._asdict().items() if name in GapGame._fields}
        return GapGame(**{**shared, "bias": GapGame().bias})
    return algorithm
