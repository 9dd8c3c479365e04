"""A search that can be run, inspected and continued: the records of one tree, and room for them."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._compile import Door, Kernel, canonical, in_python, in_slices, is_record, rehearse, uninterrupted
from .._one_thread import Use, alone
from ..arrays import arrays_of, refill
from ..check import engine_name, flag, real, refuse, refuse_problem, whole
from ..decisions import Regret
from ..protocols import Algorithm
from ..random import key as named_key
from ..random import stream
from ..rule import VarDE
from ..worlds.record import World, ends_noisily, world_of
from .certainty import attainable
from .default import GapTree
from .graph import GapGraph
from .paper_tree import PaperTree
from .pending import ASKING, CHOSEN, CREDITED, IDLE, LEAVING, LED, NO_ROOM, WRONG, Settings, Trials, make_trials
from .room import memory_left
from .subtree import keep_subtree
from .tree import (
    ALIKE,
    ALONE,
    COMPARED,
    FULL,
    NONE,
    NOWHERE,
    ORDERED,
    TRIALS,
    UNUSED,
    WANTED,
    Tree,
    add_node,
    close_untaken,
    edge_for,
    make_index,
    make_tree,
    node_at,
    seen_before,
    widened,
)
from .trial import (
    columns,
    expect,
    memory,
    moved_on,
    on_new_edge,
    on_new_node,
    pools,
    run_table,
    select,
)

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
    """A tree over ``model`` from the state numbered ``start``, grown by ``algorithm``.

    ``model`` is a table, the record of one, or a user's record.  ``keep`` adds whole trajectories to the tree,
    otherwise each trial adds one node and ends in random play.  ``graph`` shares nodes between the paths to a state at
    a depth (transpositions).  ``pending`` trials are under way at once.  Room doubles when it is nearly full, which
    changes no result, and is kept for the next search.  Beyond a ``limit`` in bytes, or what the machine has left, no
    nodes are added: trials that would need one end in random play.
    """

    kernel: Kernel = run_table
    asks = False  # whether transitions come from Python

    def __init__(
        self,
        algorithm: Algorithm,
        model: Any,
        start: int,
        horizon: int,
        discount: float = 1.0,
        *,
        keep: bool = True,
        graph: bool = False,
        engine: str = "auto",
        pending: int = 1,
        limit: int | None = None,
        players: int | None = None,
        informed: bool = False,
        ordered: bool = False,
        sampled: bool = False,
        follows: bool = True,
    ):
        keep, graph = flag("keep", keep), flag("graph", graph)
        self.world: World = canonical(world_of(model))
        if players is None:
            players = 2 if (self.world.states["sign"] < 0).any() else 1
        algorithm = in_trees(algorithm, graph and keep and players == 1)
        check(algorithm, horizon, discount)
        check_start(self.world, start)
        self.algorithm: Any = canonical(algorithm)
        self.start: int = int(start)
        self.engine: str = engine_name(engine)
        self.limit = limit
        self.bounds: tuple[float, float] | None = None  # of the returns, if somebody gave them
        widest = max(int(self.world.states["width"].max()), 1)
        labels = int(self.world.pairs["label"].max(initial=0)) + 1
        exact = not self.asks and bool((self.world.pairs["outcomes"] > 0).all())
        noisy = not self.asks and not exact and ends_noisily(self.world)
        eager = ordered or on_new_edge.find(type(algorithm)) is not on_new_edge.body
        pooled = bool(pools(algorithm))
        if pooled and not (graph and keep and players == 1):
            kind = type(algorithm).__name__
            raise ValueError(
                f"{kind} shares states in worlds of one player: write graph=True and keep=True, or VarDE()"
            )
        self.settings: Settings = Settings(
            int(horizon), float(discount), keep, graph, pooled, pending, widest, labels, self.asks, exact, noisy,
            informed, players, eager, sampled, follows,
        )  # fmt: skip
        self.columns = columns(self.algorithm)
        room = max(ROOM, 2 * (int(horizon) + 1))
        rows = room, max(4 * room, room * min(widest, 2)) + 2, room + 1, 4 * room if pooled else 1
        try:
            self.tree: Tree = make_tree(rows, self.columns, graph)
            self.trials_now: Trials = make_trials(pending, int(horizon))
            self.memory: Any = memory(self.algorithm, self.settings, room)
        except MemoryError:
            at_once = f", {pending:,} simulations at once" if pending > 1 else ""
            fewer = ", or fewer at once with tree=varde.planning.Growth(batch=1)" if pending > 1 else ""
            raise ValueError(
                f"a search {horizon:,} steps ahead{at_once}, does not fit into memory: write a shorter horizon{fewer}"
            ) from None
        self.tree.facts[ORDERED], self.tree.facts[ALONE] = ordered, not graph and pending == 1 and not eager
        self.rng: np.ndarray = np.zeros(4, np.uint64)
        self.names: Names = Names(int, lambda state: range(int(self.world.states["width"][state])))
        self.use: Use = Use()
        self._door: Any = None  # a Door, from ``_hold`` on
        self._fresh: bool = True
        self._share: Callable[[], float] | None = None  # how much of the work at hand is done

    @property
    def trials(self) -> int:
        """Simulations so far, a failed one not counted."""
        return 0 if self._fresh else int(self.tree.facts[TRIALS])

    @functools.cached_property
    def attainable(self) -> tuple[np.ndarray, np.ndarray] | None:
        """[P] between which returns of a table every action lies; None if that is not known."""
        return attainable(self.world, self.settings.horizon, self.settings.discount)

    @property
    def ends(self) -> tuple[np.ndarray, np.ndarray] | None:
        """[K] between which returns every action of the root lies: those of ``bounds``, of the table, or of both."""
        row, found = self.world.states[self.start], self.attainable
        width = int(self.tree.nodes["width"][0]) if self.settings.sampled else int(row["width"])
        rows = slice(int(row["first"]), int(row["first"]) + width)
        ends = None if found is None else (found[0][rows], found[1][rows])
        if self.bounds is None:
            return ends
        low, high = (np.full(width, float(end)) for end in self.bounds)
        return (low, high) if ends is None else (np.maximum(low, ends[0]), np.minimum(high, ends[1]))

    @property
    def cut_off(self) -> bool:
        """Whether no simulation had ended by the horizon."""
        nodes = self.tree.nodes[: self.tree.used[0]]
        over = self.world.states["width"][nodes["state"]] == 0
        return self.settings.keep and not self.full and not bool((over & (nodes["visits"] > 0)).any())

    @property
    def full(self) -> bool:
        """Whether there was no room for more nodes."""
        return bool(self.tree.facts[FULL])

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
        """Drop the tree, keep its room: rows that are not in use are zero."""
        for rows, used in zip(self.rows, self.in_use, strict=True):
            rows[:used] = np.zeros((), rows.dtype)
        self.tree.used[:] = 0
        self._fresh = True

    @uninterrupted()
    def _plant(self) -> None:
        """The tree is just the root."""
        tree = self.tree
        tree.used[:] = UNUSED
        tree.facts[[FULL, COMPARED, ALIKE, TRIALS, WANTED]] = 0
        tree.hashed[:] = self.trials_now.fault[:] = 0
        self.trials_now.now["phase"] = IDLE
        self.memory = memory(self.algorithm, self.settings, len(tree.nodes))
        self._fresh = False
        row = self.world.states[self.start]
        node = add_node(in_python(tree), self.start, 0, int(row["width"]), int(row["sign"]))
        on_new_node(self.algorithm, in_python(self.memory), in_python(tree), node, 0, float(row["value"]))
        self._hold()

    def aim(self, budget: int, known: bool = True, runs: int = 1) -> None:
        """Tell the algorithm that the answer is due after so many more simulations, unless that is not ``known``.

        So many ``runs`` of them help to decide whether to compile.
        """
        if self._fresh:
            self._plant()
        expect(self.algorithm, self.memory, self.trials, self.trials + (budget if known else 0))
        first = self.trials
        self._share = lambda: (self.trials - first) / (budget * runs)
        self._door.expect(self._share)

    @alone()
    def run(self, trials: int, rng: np.ndarray, seconds: float = math.inf) -> str:
        """Add ``trials`` simulations; returns what ended it: "budget", "seconds" or "interrupted"."""
        if rng is not self.rng:
            self.rng = rng
            if not self._fresh:
                self._hold()
        if self._fresh:
            self._plant()
        return in_slices(self._grow, trials, seconds)

    def _grow(self, trials: int) -> int:
        """Add ``trials`` simulations, making room for them and for their counts."""
        self._widen(self._most(trials))
        self.trials_now.left[0] = trials
        while self._refuse(self._door.call(0, -1, 0.0)) == NO_ROOM:
            self._enlarge()
        return trials

    @alone()
    def advance(self, action: int, successor: int) -> int:
        """Move the root: ``action`` was taken and led to ``successor``; what was found below it is kept.

        Returns how many simulations are kept; 0 if the state was not in the tree, and the search starts afresh.  The
        horizon is as far from the new root as it was from the old one, so that nodes at the old horizon may grow.
        """
        check_start(self.world, successor)
        node, times = (NOWHERE, 0) if self._fresh else self._after(action, successor)
        self.start = successor
        if node == NOWHERE or self.tree.nodes["tried"][node] == 0:
            self.restart()
            return 0
        self._keep_subtree(node)
        # A state at whatever depth was visited more often than simulations can have begun there.
        self.tree.facts[TRIALS] = min(self.trials, times) if self.settings.pooled else self.tree.nodes["visits"][0]
        return self.trials

    def _after(self, action: int, successor: int) -> tuple[int, int]:
        """The node of a state one step from the root, or NOWHERE, and how often the action led there."""
        tree, pooled = self.view, self.settings.pooled
        edge = edge_for(tree, 0, action)
        outcome = seen_before(tree, edge, successor) if edge != NONE else NONE
        times = int(tree.outcomes.times[outcome]) if outcome != NONE else 0
        if self.settings.graph:
            return int(node_at(tree, successor, 0 if pooled else 1)), times
        return int(tree.outcomes.child[outcome]) if outcome != NONE else NOWHERE, times

    @uninterrupted()
    def _keep_subtree(self, root: int) -> None:
        settings, room = self.settings, len(self.tree.nodes)
        widths = None if settings.pooled else self.world.states["width"]
        kept = keep_subtree(self.tree, root, settings.horizon, widths, self.call)
        for array in arrays_of(self.memory):
            if len(array) % room == 0:  # it has a row for each node
                rows = array.reshape(room, -1)
                rows[: len(kept)] = rows[kept]
                rows[len(kept) :] = np.zeros((), array.dtype)
        self.tree.facts[[FULL, WANTED]] = 0
        moved_on(self.algorithm, self.memory, self.tree, settings)

    def _refuse(self, found: int) -> int:
        """What a kernel returned; an error if a user's verb returned an invalid number."""
        if found != WRONG:
            return found
        what, state, number, bound = self.trials_now.fault.tolist()
        self.trials_now.fault[0] = 0
        algorithm, model, most = type(self.algorithm).__name__, type(self.world.model).__name__, bound - 1
        raise ValueError(
            {
                CHOSEN: f"{algorithm} chose edge {number} in state {state}, which is none of its {bound} that were "
                "tried: return what open_edge gives, or one of nodes.first[node] + 0 to tried - 1",
                LED: f"{model} led from state {state} to state {number} of {bound}: return 0 to {most}",
                CREDITED: f"{model} credited action {number} of {bound} in state {state}: return 0 to {most}",
            }.get(what, f"{model} paid a reward in state {state} that is not a finite number")
        )

    def _hold(self) -> None:
        """Point the kernel to the current records."""
        records = self.algorithm, self.memory, self.world, self.tree, self.trials_now, self.settings, self.rng
        if self._door is not None:
            self._door.hold(records)
            return
        if self.engine != "python":
            rehearse(records, self._rehearsal)
        self._door = Door(self.kernel, records, int, int, float, choice=self.engine)
        self._door.expect(self._share)

    def _rehearsal(self) -> None:
        """A few simulations in Python, in a search of the same kind."""
        settings = self.settings
        options: dict[str, Any] = {"keep": settings.keep, "graph": settings.graph, "engine": "python"}
        search = Search(self.algorithm, self.world, self.start, settings.horizon, settings.discount, **options)
        search.run(3, stream(named_key(0, "rehearsal")))

    def _most(self, trials: int) -> int:
        """How often anything can have been met after so many more: a state of a graph once a step."""
        return (self.trials + trials) * (self.settings.horizon if self.settings.pooled else 1)

    def _widen(self, most: int) -> None:
        """Widen the integers of the tree to hold ``most``: counts, rows."""
        if most > SHORT and self.tree.nodes.dtype["visits"] == np.int32:
            self.tree = widened(self.tree, self.columns)
            self._hold()

    @uninterrupted()
    def _enlarge(self) -> None:
        """Make room for another trial of each that may be under way, doubling what is too small; or it is full."""
        steps = self.settings.pending * (self.settings.horizon + 1)
        depths = steps + int(self.tree.facts[WANTED]) if self.settings.pooled else 0
        needed = (np.array(self.in_use) + np.array([steps, steps * self.settings.widest, steps, depths])).tolist()
        self.tree.facts[WANTED] = 0
        rows = [len(array) for array in self.rows]
        wanted = [n if n >= need else max(2 * n, need) for n, need in zip(rows, needed, strict=True)]
        if self._size(wanted) > SMALL or self.limit is not None:
            most = self._size(rows) + LEFT * memory_left() if self.limit is None else self.limit - self._aside()
            if self._size(wanted) > most:  # the last rows that fit, if they suffice for a trial
                share = (most - self._size(rows)) / max(self._size(wanted) - self._size(rows), 1)
                wanted = [n + max(int(share * (more - n)), 0) for n, more in zip(rows, wanted, strict=True)]
                if share <= 0.0 or any(n < need for n, need in zip(wanted, needed, strict=True)):
                    wanted = rows
                    self.tree.facts[FULL] = 1
        before = len(self.tree.nodes)
        try:
            self._resize(wanted)
        except MemoryError:  # the machine gives less than it said
            self.tree = self.tree._replace(nodes=self.tree.nodes[:before])
            self.tree.facts[FULL] = 1
        self._widen(max(wanted))
        self._hold()

    @property
    def rows(self) -> tuple[np.ndarray, ...]:
        """The arrays of the tree that grow."""
        return self.tree.nodes, self.tree.edges, self.tree.outcomes, self.tree.depths

    @property
    def in_use(self) -> list[int]:
        """How many rows of each are in use."""
        return self.tree.used[[0, 1, 2, 4]].tolist()

    def _resize(self, rows: Sequence[int]) -> None:
        before = len(self.tree.nodes)
        for name, wanted, used in zip(("nodes", "edges", "outcomes", "depths"), rows, self.in_use, strict=True):
            array = getattr(self.tree, name)
            if len(array) != wanted:
                fresh = np.zeros(wanted, array.dtype)
                fresh[:used] = array[:used]
                self.tree = self.tree._replace(**{name: fresh})
                del array, fresh  # free the old one before making the next
        if len(self.tree.nodes) != before:
            self.memory = refill(memory(self.algorithm, self.settings, len(self.tree.nodes)), self.memory)
            if self.settings.graph:
                self.tree = self.tree._replace(hashed=make_index(len(self.tree.nodes)).astype(self.tree.hashed.dtype))
                self.tree.used[3] = 0

    def _size(self, rows: Any) -> int:
        """Bytes of so many nodes, edges, outcomes and values by depth, and of their index."""
        total = sum(int(n) * array.itemsize for n, array in zip(rows, self.rows, strict=True))
        return total + int(rows[0]) * self.tree.hashed.itemsize * 2 * self.settings.graph

    def _aside(self) -> int:
        """Bytes of what grows besides."""
        return 0

    @contextlib.contextmanager
    def _adding(self, trials: int) -> Iterator[list[str]]:
        """Allow ``trials`` to begin; whatever is pending at the end, however it comes, is undone.

        Gives a list whose last entry says what ended it.
        """
        self._widen(self._most(trials))
        self.trials_now.left[0] = trials
        ended = ["budget"]
        try:
            yield ended
        except KeyboardInterrupt:
            ended.append("interrupted")
        finally:
            self.undo()

    def undo(self) -> None:
        """Trials under way leave no trace but the nodes they made; edges without samples are untried again."""
        tree, now, steps = self.view, self.trials_now.now, self.settings.horizon + 1
        met = set()
        for t in np.flatnonzero(now["phase"] != IDLE).tolist():
            made = int(now["depth"][t]) + int(now["phase"][t] in (ASKING, LEAVING))
            for step in self.trials_now.path[t * steps : t * steps + made].tolist():
                tree.edges.pending[step[1]] -= int(self.settings.pending > 1)
                met.add(step[0])
            now["phase"][t] = IDLE
        for node in met:
            close_untaken(tree, node)

    def edges(self, node: int = 0) -> slice:
        """The rows of ``tree.edges`` that belong to the tried actions of a node."""
        first, tried = self.tree.nodes[node][["first", "tried"]].tolist()
        return slice(first, first + tried)

    @property
    def bytes(self) -> int:
        """Memory in use by nodes, edges and outcomes."""
        return self._size(self.in_use)


def check(algorithm: Algorithm, horizon: int, discount: float) -> None:
    """Refuse what cannot be searched, saying why."""
    if not is_record(algorithm):
        refuse("algorithm", algorithm, "a record such as varde.VarDE()", TypeError)
    select.find(type(algorithm))
    refuse_problem(algorithm)
    whole("horizon", horizon, "the number of steps to look ahead, 1 or more", 1, FURTHEST)
    real("discount", discount, "a number above 0 and at most 1", lambda share: 0.0 < share <= 1.0)


def check_start(world: World, start: int) -> None:
    states = len(world.states)
    whole("start", start, f"the number of a state, 0 to {states - 1}", 0, states - 1)
    if world.states["width"][start] == 0:
        raise ValueError(f"state {start} has no actions, the episode is over there: write a state to plan from")


def in_trees(algorithm: Any, meet: bool = False) -> Any:
    """``VarDE()`` as ``GapTree``, or ``GapGraph`` where paths may ``meet``; ``VarDE(LogSumExp(tau))`` as ``PaperTree``.

    A tree search already stays as it is.
    """
    if not isinstance(algorithm, VarDE):
        return algorithm
    default = GapGraph() if meet else GapTree()
    return default if isinstance(algorithm.decision, Regret) else PaperTree(algorithm)
