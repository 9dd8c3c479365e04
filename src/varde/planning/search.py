"""A search that one can hold: make it, let it run, look at it, let it go on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .._compile import Kernel, is_record
from ..check import problem_with
from ..protocols import Algorithm
from ..worlds.table import MDP, num_actions, num_states
from .loop import columns, grow, prepare, select
from .tree import EDGES, VISITS, WIDTH, Path, Settings, Tree, make_path, make_tree

ROOM = 1 << 12  # nodes to begin with


class Search:
    """A tree over ``problem`` from the state numbered ``start``, grown by ``algorithm``.

    ``keep`` lets every trajectory join the tree whole, otherwise each trial adds one node and ends in random play.
    ``graph`` shares nodes between the ways that lead to a state at a depth.  The pool of nodes doubles when it is
    nearly full, which changes no result, and is kept for the next search.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        problem: Any,
        start: int,
        horizon: int,
        discount: float = 1.0,
        *,
        keep: bool = True,
        graph: bool = False,
        engine: str = "compiled",
        lanes: int = 1,
    ):
        check(algorithm, problem, start, horizon, discount)
        if engine not in ("compiled", "python"):
            raise ValueError(f'engine is {engine!r}: write "compiled" or "python"')
        self.algorithm, self.problem, self.start, self.engine = algorithm, problem, int(start), engine
        widest, labels = widths(problem)
        self.settings = Settings(int(horizon), float(discount), bool(keep), bool(graph), widest, labels, lanes)
        steps = int(horizon) + 1
        table = (steps, num_states(problem) + steps) if graph else (1, 1)
        room = max(ROOM, 2 * steps)
        per_node, per_edge = map(len, columns(algorithm))
        self.tree: Tree = make_tree(room, max(4 * room, 2 * steps * widest), (per_node, per_edge), table, lanes)
        self.path: Path = make_path(lanes, int(horizon))
        self.memory = prepare(algorithm, self.settings)
        self._fresh = True

    @property
    def trials(self) -> int:
        """Simulations so far, a failed one not counted."""
        return 0 if self._fresh else int(self.tree.node[0, VISITS])

    def call(self, kernel: Kernel, *args: Any) -> Any:
        """Run a kernel in the engine of this search."""
        return (kernel if self.engine == "compiled" else kernel.python)(*args)

    def restart(self) -> None:
        """Forget the tree, keep the memory."""
        self._fresh = True

    def run(self, trials: int, rng: np.ndarray, deadline: float = math.inf) -> None:
        """Add ``trials`` simulations, fewer if ``time.monotonic`` comes to ``deadline``."""
        if self._fresh:
            self._grow(rng, self.start, 0)
            self._fresh = False
        in_slices(lambda trials: self._grow(rng, -1, trials), trials, deadline)

    def _grow(self, rng: np.ndarray, root: int, trials: int) -> None:
        """Add ``trials`` simulations, making room for them."""
        done = 0
        while True:
            state = self.algorithm, self.memory, self.problem, self.tree, self.path, self.settings
            done += self.call(grow, *state, rng, root, trials - done)
            if done == trials:
                return
            self._enlarge(self.settings.horizon + 1)

    def _enlarge(self, steps: int) -> None:
        """Double whatever may be too small for so many more transitions."""
        tree = self.tree
        while tree.used[0] + steps > tree.node.shape[0]:
            tree = tree._replace(node=longer(tree.node), values=longer(tree.values))
        while tree.used[1] + steps * self.settings.widest > tree.edge.shape[0]:
            tree = tree._replace(edge=longer(tree.edge), scores=longer(tree.scores))
        while tree.used[2] + steps > tree.outcome.shape[0]:
            tree = tree._replace(outcome=longer(tree.outcome))
        states = num_states(self.problem) + steps
        if self.settings.graph and states > tree.table.shape[1]:  # only a world that is asked finds new ones
            wider = np.full((tree.table.shape[0], 2 * states), -1, np.int32)
            wider[:, : tree.table.shape[1]] = tree.table
            tree = tree._replace(table=wider)
        self.tree = tree

    def edges(self, node: int = 0) -> slice:
        """The rows of ``tree.edge`` and ``tree.scores`` that belong to a node."""
        first, width = self.tree.node[node, [EDGES, WIDTH]]
        return slice(int(first), int(first + width))

    @property
    def bytes(self) -> int:
        """Memory in use by nodes, edges and outcomes."""
        tree, (nodes, edges, outcomes) = self.tree, self.tree.used
        rows = {"node": nodes, "values": nodes, "edge": edges, "scores": edges, "outcome": outcomes}
        return int(sum(used * getattr(tree, name)[0].nbytes for name, used in rows.items()))


SLICE = 0.02  # seconds that a kernel may run before Python looks up


def in_slices(call: Callable[[int], None], total: int, deadline: float) -> None:
    """``call(n)`` in pieces of about SLICE that make up ``total``; between them Ctrl-C is heard."""
    size = 1
    while total > 0:
        began = time.monotonic()
        call(min(size, total))
        total -= size
        now = time.monotonic()
        if now >= deadline:
            return
        size = max(1, min(2 * size, int(size * SLICE / max(now - began, 1e-9))))


def longer(array: np.ndarray) -> np.ndarray:
    """Twice the rows, the old ones in front."""
    twice = np.empty((2 * array.shape[0], array.shape[1]), array.dtype)
    twice[: array.shape[0]] = array
    return twice


def widths(problem: Any) -> tuple[int, int]:
    """The most actions of a state, and how many labels actions have."""
    if isinstance(problem, MDP):
        return int(np.diff(problem.pairs).max()), int(problem.labels.max(initial=0)) + 1
    widest = int(num_actions(problem, 0))
    return widest, widest


def check(algorithm: Algorithm, problem: Any, start: int, horizon: int, discount: float) -> None:
    """Refuse what cannot be searched, saying why."""
    if not is_record(algorithm):
        raise TypeError(f"{algorithm!r} is a {type(algorithm).__name__}: write a record such as varde.AutoTree()")
    select.find(type(algorithm))
    num_actions.find(type(problem))
    for what in (algorithm, problem):
        wrong = problem_with(what)
        if wrong:
            raise ValueError(f"{type(what).__name__}: {wrong}")
    if horizon < 1:
        raise ValueError(f"horizon is {horizon}: write the number of steps to look ahead, 1 or more")
    if not 0.0 < discount <= 1.0:
        raise ValueError(f"discount is {discount}: write a number above 0 and at most 1")
    states = num_states(problem)
    if not 0 <= start < states:
        raise ValueError(f"start is {start}, which is not a state: write 0 to {states - 1}")
    if num_actions(problem, start) == 0:
        raise ValueError(f"state {start} has no actions: there is nothing to plan where the episode is over")
