"""A search that can be run, inspected and continued."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path as File
from typing import Any, NamedTuple

import numpy as np

from .._compile import Door, Kernel, canonical, in_python, in_slices, is_record, rehearse, uninterrupted
from .._one_thread import Use, alone
from ..check import engine_name, flag, real, refuse, refuse_problem, whole
from ..decisions import Regret
from ..protocols import Algorithm
from ..random import key as named_key
from ..random import stream
from ..rule import VarDE
from ..worlds.games import Turns, in_turn, is_game
from ..worlds.table import LISTED, MDP, ends_noisily, label, most_actions, num_actions, num_states
from ..worlds.visited import Visited
from .certainty import attainable
from .gap_game import GapGame
from .gap_tree import GapTree
from .loop import begin, columns, expect, lazy, moved_on, prepare, select
from .paper_tree import PaperTree
from .subtree import keep_below
from .tree import (
    CHOSEN,
    CREDITED,
    IDLE,
    LED,
    NEW,
    NONE,
    NOWHERE,
    WIDE,
    WRONG,
    Path,
    Settings,
    Tree,
    make_path,
    make_tree,
    seen_before,
    widened,
)
from .trial import grow, make_node

ROOM = 1 << 12  # nodes to begin with
SHORT = 2**31 - 1  # the largest number that a short integer holds
LEFT = 0.8  # of the memory that the machine has left: the rest is for others
SMALL = 1 << 28  # bytes that are always allowed
FURTHEST = 1_000_000  # longest horizon: beyond, not even the path fits into memory


class Names(NamedTuple):
    """The names of states and of their actions, by the number of a state."""

    state: Callable[[int], Any]
    actions: Callable[[int], Sequence[Any]]


class Search:
    """A tree over ``problem`` from the state numbered ``start``, grown by ``algorithm``.

    ``keep`` adds whole trajectories to the tree, otherwise each trial adds one node and ends in random play.  ``graph``
    shares nodes between the paths to a state at a depth (transpositions).  The pool of nodes doubles when it is nearly
    full, which changes no result, and is kept for the next search.  Beyond a ``limit`` in bytes, or what the machine
    has left, no nodes are added: trials that would need one end in random play.  ``outside`` if transitions come from
    Python: in a world that never leads to the same state twice trials then follow outcomes seen before.
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
        engine: str = "auto",
        lanes: int = 1,
        limit: int | None = None,
        outside: bool = False,
    ):
        algorithm = in_trees(algorithm, problem)
        check(algorithm, problem, horizon, discount)
        check_start(problem, start)
        engine, keep, graph = engine_name(engine), flag("keep", keep), flag("graph", graph)
        algorithm, problem = canonical(algorithm), canonical(in_turn(problem))
        self.algorithm: Any = algorithm
        self.problem: Any = problem
        self.start: int = int(start)
        self.engine: str = engine
        self.limit = limit
        widest, labels = widths(problem)
        one_edge = keep and not graph and lanes == 1 and not outside and bool(lazy(algorithm))
        ways = one_edge, bool(ends_noisily(problem)), outside
        self.settings: Settings = Settings(
            int(horizon), float(discount), bool(keep), bool(graph), widest, labels, lanes, *ways
        )
        steps = int(horizon) + 1
        table = (steps, num_states(problem) + steps) if graph else (1, 1)
        room = max(ROOM, 2 * steps)
        exact = isinstance(problem.model if isinstance(problem, Turns) else problem, MDP)
        self.tree: Tree = make_tree(
            room, max(4 * room, 2 * steps * widest), columns(algorithm), table, lanes, outside, exact
        )
        if num_states(problem) > SHORT:
            self.tree = widened(self.tree)
        self._door: Any = None  # a Door, from ``_hold`` on
        self.path: Path = make_path(lanes, int(horizon))
        self.memory: Any = prepare(algorithm, self.settings)
        self.rng: np.ndarray = np.zeros(4, np.uint64)
        self._fresh: bool = True
        self._share: Callable[[], float] | None = None  # how much of the work at hand is done
        self.names: Names = Names(int, lambda state: range(num_actions(self.problem, state)))
        self.use: Use = Use()

    @property
    def trials(self) -> int:
        """Simulations so far, a failed one not counted."""
        return 0 if self._fresh else int(self.tree.nodes["visits"][0])

    @functools.cached_property
    def attainable(self) -> tuple[np.ndarray, np.ndarray] | None:
        """[P] between which returns of a table every action lies; None if that is not known."""
        return attainable(self.problem, self.settings.horizon, self.settings.discount)

    @property
    def full(self) -> bool:
        """Whether there was no room for more nodes."""
        return bool(self.tree.full[0])

    @property
    def view(self) -> Any:
        """The tree as Python reads it: ``view.nodes.visits[0]``."""
        return in_python(self.tree)

    def call(self, kernel: Kernel, *args: Any) -> Any:
        """Run a kernel over the tree in the engine of this search."""
        if self.engine == "auto":
            return kernel.sized(10.0 * float(self.tree.used.sum()), *args)
        return kernel(*args) if self.engine == "compiled" else kernel.interpret(*args)

    @alone()
    def restart(self) -> None:
        """Drop the tree, keep the memory: rows that are not in use are zero."""
        for rows, used in zip(self._arrays(), self.tree.used.tolist(), strict=True):
            rows[:used] = np.zeros((), rows.dtype)
        self.tree.used[:] = 0
        self._fresh = True

    @uninterrupted()
    def _plant(self) -> None:
        """The tree is just the root."""
        tree = self.tree
        tree.used[:] = 0, 0, 1
        tree.repeats[:] = np.zeros((), tree.repeats.dtype)
        tree.full[:] = self.path.fault[:] = 0
        tree.table[:] = NOWHERE
        self.path.lane["phase"] = IDLE
        records = in_python((self.algorithm, self.memory, self.problem, tree, self.path))
        begin(*records[:2])
        make_node(*records, self.start, 0, self.settings)
        if self.path.fault[0]:
            self._refuse(WRONG)
        self._fresh = False

    def aim(self, budget: int, known: bool = True, runs: int = 1) -> None:
        """Tell the algorithm that the answer is due after so many more simulations, unless that is not ``known``.

        So many ``runs`` of them help to decide whether to compile.
        """
        expect(self.algorithm, self.memory, self.trials, self.trials + (budget if known else 0))
        first = self.trials
        self._share = lambda: (self.trials - first) / (budget * runs)
        if self._door is not None:
            self._door.expect(self._share)

    @alone()
    def run(self, trials: int, rng: np.ndarray, seconds: float = math.inf) -> str:
        """Add ``trials`` simulations; returns what ended it: "budget", "seconds" or "interrupted"."""
        if rng is not self.rng or self._door is None:
            self.rng = rng
            self._hold()
        if self._fresh:
            self._plant()
        if self.settings.lanes > 1:  # the ends of slices would be ends of trials that are under way with later ones
            self._grow(trials)
            return "budget"
        return in_slices(self._grow, trials, seconds)

    @alone()
    def advance(self, action: int, successor: int) -> int:
        """Move the root: ``action`` was taken and led to ``successor``; what was found below it is kept.

        Returns how many simulations are kept; 0 if the state was not in the tree, and the search starts afresh.  The
        horizon is as far from the new root as it was from the old one, so that nodes at the old horizon may grow.
        """
        check_start(self.problem, successor)
        node = NOWHERE if self._fresh else self._after(action, successor)
        self.start = successor
        row = self.tree.nodes[node]
        if node == NOWHERE or row["width"] == 0 or row["only"] > 0 or row["first"] == NEW:
            self.restart()
            return 0
        self._keep_below(node)
        return self.trials

    def _after(self, action: int, successor: int) -> int:
        """The node of a state one step from the root, or NOWHERE."""
        if self.settings.graph:
            return int(self.tree.table[1, successor])
        view = self.view
        outcome = seen_before(view, self.edges().start + action, successor)
        return int(view.outcomes.child[outcome]) if outcome != NONE else NOWHERE

    @uninterrupted()
    def _keep_below(self, root: int) -> None:
        depths = keep_below(self.tree, self.problem, root, self.settings.horizon - 1, self.call)
        self.tree.full[:] = 0
        moved_on(self.algorithm, self.memory, self.tree, depths, self.settings.discount)

    def _refuse(self, done: int) -> int:
        """What a kernel returned; an error if a user's verb returned an invalid number."""
        if done != WRONG:
            return done
        what, state, number, bound = self.path.fault.tolist()
        algorithm, model, most = type(self.algorithm).__name__, type(self.problem).__name__, bound - 1
        raise ValueError(
            {
                CHOSEN: f"{algorithm} chose action {number} of {bound} in state {state}: return 0 to {most}",
                LED: f"{model} led from state {state} to state {number} of {bound}: return 0 to {most}",
                WIDE: f"{model} has {number} actions in state {state}: return 0 to {bound}, as most_actions says",
                CREDITED: f"{model} credited action {number} of {bound} in state {state}: return 0 to {most}",
            }[what]
        )

    def _grow(self, trials: int) -> int:
        """Add ``trials`` simulations, making room for them and for their counts."""
        self._widen(self.trials + trials)
        done = self._refuse(self._door.call(trials))
        while done < trials:
            self._enlarge(self.settings.lanes * (self.settings.horizon + 1))
            done += self._refuse(self._door.call(trials - done))
        return trials

    def _hold(self) -> None:
        """Point the kernel to the current records."""
        kernel, records, scalars = self._inside()
        if self._door is not None:
            self._door.hold(records)
            return
        if self.engine != "python":
            rehearse(records, self._rehearsal)
        self._door = Door(kernel, records, *scalars, choice=self.engine)
        self._door.expect(self._share)

    def _inside(self) -> tuple[Kernel, tuple[Any, ...], tuple[type, ...]]:
        """The kernel, its records, and the types of its other arguments."""
        records = self.algorithm, self.memory, self.problem, self.tree, self.path, self.settings, self.rng
        return grow, records, (int,)

    def _rehearsal(self) -> None:
        """A few simulations in Python, in a search of the same kind."""
        settings = self.settings
        options: dict[str, Any] = {"keep": settings.keep, "graph": settings.graph, "engine": "python"}
        search = Search(self.algorithm, self.problem, self.start, settings.horizon, settings.discount, **options)
        search.run(3, stream(named_key(0, "rehearsal")))

    def _widen(self, most: int) -> None:
        """Widen the integers of the tree to hold ``most``: counts, states, rows."""
        if most > SHORT and self.tree.nodes.dtype["visits"] == np.int32:
            self.tree = widened(self.tree)
            self._hold()

    @uninterrupted()
    def _enlarge(self, steps: int) -> None:
        """Make room for so many more transitions, doubling what is too small; or decide that the tree is full."""
        states = int(num_states(self.problem))
        if self.settings.graph and states > self.tree.table.shape[1]:  # only a world stepped from Python finds new ones
            wider = np.full((self.tree.table.shape[0], 2 * states), NOWHERE, self.tree.table.dtype)
            wider[:, : self.tree.table.shape[1]] = self.tree.table
            self.tree = self.tree._replace(table=wider)
        needed = (self.tree.used + np.array([steps, steps * self.settings.widest, steps])).tolist()
        rows = [len(array) for array in self._arrays()]
        wanted = [n if n >= need else max(2 * n, need) for n, need in zip(rows, needed, strict=True)]
        if self._size(wanted) > SMALL or self.limit is not None:
            most = self._size(rows) + LEFT * memory_left() if self.limit is None else self.limit - self._aside()
            if self._size(wanted) > most:  # the last rows that fit, if they suffice for a trial
                share = (most - self._size(rows)) / max(self._size(wanted) - self._size(rows), 1)
                wanted = [n + max(int(share * (more - n)), 0) for n, more in zip(rows, wanted, strict=True)]
                if share <= 0.0 or any(n < need for n, need in zip(wanted, needed, strict=True)):
                    wanted = rows
                    self.tree.full[0] = 1
        self._resize(wanted)
        self._widen(max(states, *wanted))
        self._hold()

    def _arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.tree.nodes, self.tree.edges, self.tree.outcomes

    def _resize(self, rows: Sequence[int]) -> None:
        for name, wanted, used in zip(("nodes", "edges", "outcomes"), rows, self.tree.used.tolist(), strict=True):
            array = getattr(self.tree, name)
            if len(array) != wanted:
                fresh = np.zeros(wanted, array.dtype)
                fresh[:used] = array[:used]
                self.tree = self.tree._replace(**{name: fresh})  # type: ignore[arg-type]
                del array, fresh  # free the old one before making the next

    def _size(self, rows: Any) -> int:
        """Bytes of so many nodes, edges and outcomes."""
        return sum(int(n) * array.itemsize for n, array in zip(rows, self._arrays(), strict=True))

    def _aside(self) -> int:
        """Bytes of what grows besides."""
        return int(self.tree.table.nbytes)

    def edges(self, node: int = 0) -> slice:
        """The rows of ``tree.edges`` that belong to a node."""
        first, width = self.tree.nodes[node][["first", "width"]].tolist()
        return slice(first, first + width) if first >= 0 else slice(0, 0)

    @property
    def bytes(self) -> int:
        """Memory in use by nodes, edges and outcomes."""
        return self._size(self.tree.used)


def widths(problem: Any) -> tuple[int, int]:
    """The most actions of a state, and how many labels actions have."""
    if isinstance(problem, MDP):
        return int(most_actions(problem)), int(problem.labels.max(initial=0)) + 1
    widest = whole("most_actions", most_actions(problem), "the most actions of a state, 1 or more", 1, LISTED)
    if isinstance(problem.model if isinstance(problem, Turns) else problem, Visited):
        return widest, widest
    if label.find(type(problem)) is label.body:
        return widest, widest
    wanted = f"which action of the whole model it is, 0 to {LISTED - 1}"
    return widest, 1 + max(
        whole(f"label of state {s}, action {a}", label(problem, s, a), wanted, 0, LISTED - 1)
        for s in range(num_states(problem))
        for a in range(num_actions(problem, s))
    )


def check(algorithm: Algorithm, problem: Any, horizon: int, discount: float) -> None:
    """Refuse what cannot be searched, saying why."""
    if not is_record(algorithm):
        refuse("algorithm", algorithm, "a record such as varde.VarDE()", TypeError)
    select.find(type(algorithm))
    num_actions.find(type(problem))
    refuse_problem(algorithm)
    refuse_problem(problem)
    whole("horizon", horizon, "the number of steps to look ahead, 1 or more", 1, FURTHEST)
    real("discount", discount, "a number above 0 and at most 1", lambda share: 0.0 < share <= 1.0)


def check_start(problem: Any, start: int) -> None:
    states = int(num_states(problem))
    whole("start", start, f"the number of a state, 0 to {states - 1}", 0, states - 1)
    if num_actions(problem, start) == 0:
        raise ValueError(f"state {start} has no actions, the episode is over there: write a state to plan from")


def in_trees(algorithm: Any, problem: Any = None) -> Any:
    """``VarDE()`` as ``GapTree``, ``VarDE(LogSumExp(tau))`` as ``PaperTree``; what is a tree search already, as it is.

    In a game of two players ``GapTree`` becomes ``GapGame``.
    """
    if isinstance(algorithm, VarDE):
        algorithm = GapTree() if isinstance(algorithm.decision, Regret) else PaperTree(algorithm)
    if isinstance(algorithm, GapTree) and problem is not None and is_game(problem):
        shared = {name: value for name, value in algorithm._asdict().items() if name in GapGame._fields}
        return GapGame(**{**shared, "bias": GapGame().bias})
    return algorithm


def memory_left() -> float:
    """Bytes this process may still use before the machine swaps or kills it; inf if unknown."""
    machine = number_in("/proc/meminfo", r"MemAvailable:\s+(\d+) kB") * 1024.0
    group = "/sys/fs/cgroup/memory"
    container = number_in(f"{group}.max", r"(\d+)")
    if container < math.inf:
        container -= number_in(f"{group}.current", r"(\d+)")
    return max(min(machine, container), 0.0)


def number_in(path: str, pattern: str) -> float:
    try:
        match = re.search(pattern, File(path).read_text(encoding="ascii"))
    except (OSError, ValueError):
        match = None
    return float(match[1]) if match else math.inf
