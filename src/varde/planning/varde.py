"""``VarDE`` as a tree search: which algorithm a rule becomes in a tree."""

from __future__ import annotations

from typing import Any

from ..decisions import Gaps
from ..rule import VarDE
from ..worlds.games import is_game
from .gap_tree import GapTree
from .paper_tree import PaperTree


def in_trees(algorithm: Any, problem: Any = None) -> Any:
    """``VarDE()`` as ``GapTree``, ``VarDE(LogSumExp(tau))`` as ``PaperTree``; what is a tree search already, as it is.

    In a tree the best action counts as much as an equal rival: it need not serve all gaps at every node.
    """
    if isinstance(algorithm, GapTree) and problem is not None:
        return algorithm._replace(players=2 if is_game(problem) else 1)
    if not isinstance(algorithm, VarDE):
        return algorithm
    if isinstance(algorithm.decision, Gaps):
        return in_trees(GapTree(algorithm._replace(decision=algorithm.decision._replace(shared=False))), problem)
    return PaperTree(algorithm)
