"""A search that one can hold: make it, let it run, ask it, let it go on."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._jit import is_record
from ..decisions import problem_with
from ..mdp import MDP, World, num_actions, num_states
from .search import columns, grow, recommend, reported_value, select
from .tree import COUNT, EDGES, Path, Q, Settings, Tree, VISITS, WIDTH, make_path, make_tree

ROOM = 1 << 12  # nodes to begin with


class Search:
    """A tree over ``problem`` from ``start``, grown by ``algorithm``.

    ``keep`` lets every trajectory join the tree whole, otherwise each trial adds one node and ends in random play.
    ``graph`` shares nodes between the ways that lead to a state at a depth.  The pool of nodes doubles when it is
    nearly full, which changes no result, and is kept for the next search.
    """

    def __init__(
        self,
        algorithm: Any,
        problem: Any,
        start: int,
        horizon: int,
        discount: float = 1.0,
        *,
        keep: bool = True,
        graph: bool = False,
        engine: str = "compiled",
    ):
        check(algorithm, problem, horizon, discount)
        self.algorithm, self.problem, self.start = algorithm, problem, int(start)
        widths, labels = _widths(problem)
        self.settings = Settings(int(horizon), float(discount), bool(keep), bool(graph), widths)
        states = num_states(problem)
        if not 0 <= start < states:
            raise ValueError(f"start is {start}, which is not a state: write 0 to {states - 1}")
        steps = int(horizon) + 1
        table = (steps, states + steps) if graph else (1, 1)
        room = max(ROOM, 2 * steps)
        self.tree: Tree = make_tree(room, max(room * min(widths, 4), 2 * steps * widths), columns(algorithm), table)
        self.path: Path = make_path(int(horizon), labels)
        self._grow = grow if engine == "compiled" else grow.python
        self._fresh = True

    def restart(self) -> None:
        """Forget the tree, keep the memory."""
        self._fresh = True

    def run(self, trials: int, rng: np.ndarray) -> None:
        """Add ``trials`` simulations."""
        done = 0
        while done < trials or self._fresh:
            root = self.start if self._fresh else -1
            self._fresh = False
            done += self._grow(
                self.algorithm, self.problem, self.tree, self.path, self.settings, root, trials - done, rng
            )
            if done < trials:
                self._enlarge()

    def _enlarge(self) -> None:
        """Double whatever may be too small for one more trial."""
        tree, steps = self.tree, self.settings.horizon + 1
        if tree.used[0] + steps > tree.node.shape[0]:
            tree = tree._replace(node=_longer(tree.node), values=_longer(tree.values))
        if tree.used[1] + steps * self.settings.widest > tree.edge.shape[0]:
            tree = tree._replace(edge=_longer(tree.edge), scores=_longer(tree.scores))
        if tree.used[2] + steps > tree.outcome.shape[0]:
            tree = tree._replace(outcome=_longer(tree.outcome))
        self.tree = tree

    @property
    def bytes(self) -> int:
        """Memory in use by nodes, edges and outcomes."""
        nodes, edges, outcomes = self.tree.used
        tree = self.tree
        rows = ((tree.node, nodes), (tree.values, nodes), (tree.edge, edges), (tree.scores, edges), (tree.outcome, outcomes))
        return int(sum(used * array.itemsize * array.shape[1] for array, used in rows))


def _longer(array: np.ndarray) -> np.ndarray:
    longer = np.empty((2 * array.shape[0], array.shape[1]), array.dtype)
    longer[: array.shape[0]] = array
    return longer


def _widths(problem: Any) -> tuple[int, int]:
    """The most actions of a state, and the number of labels."""
    if isinstance(problem, MDP):
        widest = int(np.diff(problem.pairs).max())
        return widest, int(problem.labels.max()) + 1 if problem.labels.size else 1
    widest = int(num_actions(problem, 0))
    return widest, widest


def check(algorithm: Any, problem: Any, horizon: int, discount: float) -> None:
    """Refuse what cannot be searched, saying why."""
    if not is_record(algorithm):
        raise TypeError(f"{algorithm!r} is a {type(algorithm).__name__}: write a record such as varde.UCT()")
    select.find(type(algorithm))
    wrong = problem_with(algorithm)
    if wrong:
        raise ValueError(f"{type(algorithm).__name__}: {wrong}")
    if horizon < 1:
        raise ValueError(f"horizon is {horizon}: write the number of steps to look ahead, 1 or more")
    if not 0.0 < discount <= 1.0:
        raise ValueError(f"discount is {discount}: write a number above 0 and at most 1")
