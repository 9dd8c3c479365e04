"""``plan`` and ``Planner``: which action to take now."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, Concatenate, TypedDict, TypeVar, Unpack, overload

import numpy as np

from .._compile import uninterrupted, working_time
from .._keywords import helpful
from .._one_thread import BRIEFLY, Use, alone
from ..certainty.stopping import Stop
from ..check import LARGEST, as_float, flag, positive, real, refuse, seed_number, shown, whole
from ..protocols import Algorithm
from ..random import key as named_key
from ..random import stream
from ..rule import VarDE
from ..show.progress import observing
from ..worlds.diagnosis import TIMES, look_for_mistakes
from ..worlds.discovered import Discovered
from ..worlds.function import Actions, Sample
from ..worlds.knowledge import Knowledge
from ..worlds.table import Table
from ..worlds.world import WorldLike, as_world, stepped
from .asking import AskingSearch
from .move import Move, check_stop, clear_choice, move_of
from .options import CALLED, FROM, GROW, HINT, MEMORY, NOT_KEPT, PLANNERS, Growth, Hints
from .present import Present, first_known, sampled_slots
from .search import Names, Search, check_start, in_trees
from .workers import QUEUED, Workers, at_once, is_async

A = TypeVar("A")

AHEAD = 20  # steps to look ahead, if nobody says
ACTIONS = 10**7 + 1  # of the generator of sampled actions
LOOKS, FIRST_LOOK = 4, 16  # a quarter more simulations before looking again whether the move is clear, and the least


class Planner:
    """Plans by tree search: recommends an action for any state of ``world``.

    >>> import varde
    >>> from varde.environments import taxi
    >>> planner = varde.Planner(taxi(), horizon=20)
    >>> planner((0, 0, "R", "Y"), budget=2000).best
    'pickup'

    Args:
        world: a table (``tabulate``, ``varde.environments``), a Gymnasium environment, an object with
            ``step(state, action, rng)`` and ``actions(state)``, or a step function with ``actions=``.  A table is
            sampled inside the compiled search; any other world is called for each step.
        horizon: how many steps to look ahead.
        discount: the discount factor per step.
        workers: take steps in parallel: a number of threads, an executor such as ``ProcessPoolExecutor(4)``, or a
            Dask client.
        tree: ``varde.planning.Growth(...)``: how the tree grows, its memory, and how many simulations are pending.
        sample_action: ``sample_action(state, rng)`` draws actions that are continuous or too many to list; a
            Gymnasium ``Box`` as ``actions`` does the same.
        observe: what is seen of a state, a function; the state itself stays hidden.  Planning begins from a belief:
            ``draw(rng)``, which draws a state, or a list of states; ``advance`` takes what was seen.
        hints: ``varde.planning.Hints(...)``: what you know of values of states, and of good actions.
        bounds: the lowest and the highest return, which is the sum of the rewards up to the horizon: (0, 1) in a game
            that is lost or won.  With them chances and intervals allow for outcomes that never came.

    If the world fails, the error names state and action, and ``planner.recommend()`` gives the result so far.
    """

    @helpful(
        **dict.fromkeys(("value", "prior"), HINT),
        **dict.fromkeys(("batch", "graph", "keep", "memory"), GROW),
        **dict.fromkeys(("budget", "seconds", "stop", "state", "progress"), CALLED),
        store=NOT_KEPT,
        start=FROM,
    )
    def __init__(
        self,
        world: WorldLike,
        horizon: int | None = None,
        discount: float | None = None,
        *,
        algorithm: Algorithm = VarDE(),  # noqa: B008 (a record: nothing can change it)
        actions: Actions | None = None,
        key: Callable[[Any], Hashable] | None = None,
        player: Callable[[Any], int] | None = None,
        sample_action: Sample | None = None,
        observe: Callable[[Any], Hashable] | None = None,
        hints: Hints | None = None,
        bounds: tuple[float, float] | None = None,
        workers: int | Executor | None = None,
        tree: Growth = Growth(),  # noqa: B008
        seed: int = 0,
    ):
        if hints is not None and not isinstance(hints, Hints):
            raise TypeError(f"hints is {shown(hints)}: write varde.planning.Hints(value=...)")
        if not isinstance(tree, Growth):
            raise TypeError(f"tree is {shown(tree)}: write varde.planning.Growth(memory=...)")
        value, prior = hints or Hints()
        graph, keep, memory, batch = tree
        self.world = as_world(world, actions, key=key, player=player, sample_action=sample_action, observe=observe)
        self._present = Present(self.world, world)
        forward = getattr(self.world, "forward", None)
        is_hidden = self._present.hidden is not None
        self.knowledge: Knowledge | None = None
        if value is not None or prior is not None:
            if is_hidden:
                raise TypeError("hints are about states, which observe= hides: leave out hints=")
            if prior is not None and getattr(self.world, "sample", None) is not None:
                raise TypeError("actions are sampled: leave out prior=, and let good ones be drawn more often")
            self.knowledge = Knowledge(value, prior)
            self.world = stepped(self.world) if isinstance(self.world, Table) else self.world
        step = getattr(self.world, "step", None)
        hands = at_once(workers, step)
        if batch is not None:
            batch = whole("batch", batch, "how many steps to take at a time, 1 or more", 1, 10_000)
        if keep is None:  # a game is long, and most of what a random end of it passes through is never met again
            keep = isinstance(self.world, Table) or (self.world.player is None and not is_hidden)
        graph, keep, seed = flag("graph", graph), flag("keep", keep), seed_number(seed)
        self.horizon: int = first_known(horizon, self.world.horizon, AHEAD)
        self.discount: float = first_known(discount, self.world.discount, 1.0)
        limit = None if memory is None else int(real("memory", memory, MEMORY, lambda size: 1e7 <= size < math.inf))
        # Without a key, what looks the same in an environment need not be: a node is then a history of observations.
        graph = graph and (forward is None or key is not None)
        if isinstance(self.world, Table):
            game = bool((self.world.model.states["sign"] < 0).any())
        else:
            game = self.world.player is not None
        self.algorithm: Any = in_trees(algorithm, graph and keep and not game)
        self.options: dict[str, Any] = {"graph": graph, "keep": keep, "limit": limit}
        self.bounds = None if bounds is None else check_bounds(bounds)
        self.workers: int | Executor | None = workers
        self.seed: int = seed
        self.by_itself: bool = hands == 1 and isinstance(workers, (int, type(None))) and not is_async(step)
        self.batch: int = batch or (1 if self.by_itself else QUEUED * hands)
        if forward is not None and (not self.by_itself or self.batch > 1):
            raise TypeError(f"{world!r:.200} is planned in by one simulation at a time: leave out workers= and batch=")
        self.use: Use = Use()
        self.search: Any = None  # a Search, whose room is used again, or an AskingSearch
        self._moves = 0
        self._answering = 0.0  # seconds it took to make the last recommendation
        self._checked = False  # whether a mistake in the world was looked for

    def __repr__(self) -> str:
        ahead = f"{self.horizon:,} steps ahead, discount {self.discount:g}"
        return f"<Planner: {type(self.algorithm).__name__}, {ahead}; call it with a state and a budget>"

    # -- running it ------------------------------------------------------------------------------

    @helpful(store=NOT_KEPT)
    @alone()
    def __call__(
        self,
        state: Hashable = None,
        budget: int = 1000,
        *,
        seconds: float = math.inf,
        stop: float | Stop | None = None,
        progress: bool | Callable[[int], object] | None = None,
    ) -> Move:
        """Search from ``state`` and recommend a move; without one, from where an environment is now, or the start."""
        self.begin(state)
        return self.think(budget, seconds=seconds, stop=stop, progress=progress)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            "a Planner is not copied or pickled: make one in each process, from the same world; moves can be pickled"
        )

    @uninterrupted()
    @alone()
    def begin(self, state: Hashable = None) -> None:
        """Plan from ``state`` from now on; the last search is dropped."""
        self._renew()
        self._plant(self._present.state(state, self._rng))

    def _renew(self) -> None:
        """Fresh random numbers by move, or by steps of an environment: with the same ones a wrong move is repeated."""
        move = first_known(self._present.steps, self._moves)
        self._moves += 1
        self._names_of_draws = (self.seed, move)
        self._stream = stream(named_key(self.seed, "planner"), move)
        self._rng = np.random.default_rng([self.seed, move, 0])  # of the world
        self._workers: Workers | None = None
        self._drawing = np.random.default_rng([self.seed, move, ACTIONS])  # of sampled actions

    def _plant(self, state: Any) -> None:
        """Begin a search at a state of the world."""
        world, limits = self.world, (self.horizon, self.discount)
        if isinstance(world, Table):
            start = world.state(state)
            if self.search is None:
                self.search = Search(self.algorithm, world, start, *limits, **self.options)
                self.search.names = Names(world.states.__getitem__, world.legal)
            check_start(self.search.world, start)
            self.search.start, self.search.bounds = start, self.bounds
            self.search.restart()
            return
        slots = None if world.sample is None else sampled_slots(world.sample, self._drawing)
        known = Discovered(world.actions, world.key, world.player, self.knowledge, slots)
        self.search = AskingSearch(
            self.algorithm, known, state, *limits, self._stream, pending=self.batch, follows=world.forward is None,
            **self.options,
        )  # fmt: skip
        self.search.bounds = self.bounds

    @uninterrupted()
    @alone()
    def advance(self, action: Hashable, state: Any = None) -> int:
        """Move on: ``action`` was taken and led to ``state``.  Plan from there, keeping that part of the tree.

        The horizon moves on with the state.  Returns how many simulations were kept and need not be made again; 0 if
        the state was not in the tree, and the search starts afresh.  For a
        Gymnasium environment ``state`` is what was observed; without it the search starts afresh.  With ``observe=``
        it is what was seen, and the belief is filtered by it.

        >>> import varde
        >>> from varde.environments import taxi
        >>> planner = varde.Planner(taxi(), horizon=20)
        >>> move = planner((0, 0, "R", "Y"), budget=2000)
        >>> kept = planner.advance(move.best, (0, 0, "taxi", "Y"))
        >>> move = planner.think(2000 - kept)
        >>> kept > 500, planner.trials
        (True, 2000)
        """
        search: Any = self._begun()
        legal = search.names.actions(search.start)
        if action not in legal:
            wanted = f"write one of {shown(list(legal))}, or begin(state) to plan from elsewhere"
            raise ValueError(f"action is {shown(action)}, which is not legal where the planner is: {wanted}")
        state = self._present.state(state, self._rng, (action,))
        world = self.world
        number = world.state(state) if isinstance(world, Table) else search.known.meet(state, by=action)
        kept: int = search.advance(legal.index(action), number)
        if kept == 0:
            self._renew()
            self._plant(state)
        elif not isinstance(world, Table):
            search.known.states[number] = state  # the unobserved part may differ from what it was in the search
        return kept

    @alone()
    def think(
        self,
        budget: int,
        *,
        seconds: float = math.inf,
        stop: float | Stop | None = None,
        progress: bool | Callable[[int], object] | None = None,
    ) -> Move:
        """Add ``budget`` simulations to the current search and recommend a move.

        It ends earlier after ``seconds``, at Ctrl-C, or when the probability of a wrong move is at most ``stop``;
        with ``stop=varde.Stop(0.05, margin=0.1)`` a move that loses 0.1 or less is not wrong.  ``progress`` is True,
        False, or a function of the number of simulations, called from another thread; by default a line on a terminal
        or in a notebook after two seconds.
        """
        budget = whole("budget", budget, "the number of simulations, 1 or more")
        seconds = positive("seconds", seconds, "how long it may take, more than 0, or leave it out")
        stop = check_stop(stop)
        until, stopped, done, search = self.trials + budget, "budget", self.trials, self.search
        clear: int | None = None
        self._begun().aim(budget, known=stop is None and seconds == math.inf)
        world: Any = self.world
        careful = self.by_itself and not isinstance(world, Table)
        with observing(progress, until, lambda: int(search.trials)), self._runner() as run:
            end = working_time() + seconds - min(self._answering, seconds / 2.0)
            try:
                while stopped == "budget" and done < until:
                    more = until - done if stop is None else min(until - done, max(FIRST_LOOK, done // LOOKS))
                    stopped, done = run(more, end - working_time()), self.trials
                    if stopped == "budget" and stop is not None:
                        before, clear = clear, clear_choice(search, self.seed, stop)
                        if clear is not None and clear == before:  # twice in a row: frequent looks give false alarms
                            stopped = "sure"
            except KeyboardInterrupt:
                stopped, done = "interrupted", self.trials
            if done == 0:
                if stopped == "interrupted":
                    raise KeyboardInterrupt
                run(1, math.inf)  # there was no time for anything, but some answer must be given
        began = time.perf_counter()
        move = self.recommend(stopped)
        if stop is not None and stopped == "sure":
            move = replace(move, promise=(stop.delta, stop.margin))
        if careful and not self._checked:
            look_for_mistakes(world, search.known, min(max(budget // 10, 2), TIMES))
        self._checked = True
        self._answering = time.perf_counter() - began
        return move

    @contextlib.contextmanager
    def _runner(self) -> Iterator[Callable[[int, float], str]]:
        """A function run(how many, seconds) that adds simulations and returns what ended it."""
        search, world = self._begun(), self.world
        if isinstance(world, Table):
            yield lambda trials, seconds: search.run(trials, self._stream, seconds)
        elif world.forward is not None:
            with world.forward.simulating():
                steps = world.step, self._rng
                yield lambda trials, seconds: search.run_steps(trials, *steps, seconds, world.forward.simulation)
        elif self.by_itself and search.settings.pending == 1:
            yield lambda trials, seconds: search.run_steps(trials, world.step, self._rng, seconds)
        else:
            self._workers = self._workers or Workers(world.step, search.known, self.workers, self._names_of_draws)
            with self._workers as workers:
                yield lambda trials, seconds: search.drive(trials, workers, seconds)

    # -- the answer ------------------------------------------------------------------------------

    def _begun(self) -> Any:
        if self.search is None:
            raise ValueError("there is no state to plan from: write planner.begin(state) first")
        return self.search

    @property
    @alone(BRIEFLY)
    def trials(self) -> int:
        """Simulations of the current search."""
        trials: int = self._begun().trials
        return trials

    @alone(BRIEFLY)
    def recommend(self, stopped: str = "not yet") -> Move:
        """Recommend a move from the search so far; the search can continue, so its ``stopped`` is "not yet"."""
        search: Any = self.search
        if search is None or self.trials == 0:
            raise ValueError("nothing has been searched yet: write planner(state, budget=1000)")
        move = move_of(search, self.seed, stopped)
        return replace(move, hidden=True) if self._present.hidden else move


def check_bounds(bounds: Any) -> tuple[float, float]:
    """The lowest and the highest return."""
    pair = isinstance(bounds, (tuple, list, np.ndarray)) and np.shape(bounds) == (2,)
    low, high = (as_float(end) for end in bounds) if pair else (None, None)
    if low is None or high is None or not -LARGEST <= low < high <= LARGEST:
        refuse("bounds", bounds, "the lowest and the highest return, such as (0, 1)")
    return float(low), float(high)  # type: ignore[arg-type]


class Settings(TypedDict, total=False):
    """What ``plan`` takes beside the question."""

    horizon: int | None
    discount: float | None
    seconds: float
    workers: int | Executor | None
    algorithm: Algorithm
    bounds: tuple[float, float] | None
    observe: Callable[[Any], Hashable] | None
    seed: int
    stop: float | Stop | None
    progress: bool | Callable[[int], object] | None


@overload
def plan(
    world: Callable[Concatenate[Any, A, ...], Any],
    state: Any = None,
    budget: int = 1000,
    *,
    actions: Sequence[A],
    **settings: Unpack[Settings],
) -> Move[A]: ...
@overload
def plan(
    world: WorldLike,
    state: Hashable = None,
    budget: int = 1000,
    *,
    actions: Actions | None = None,
    **settings: Unpack[Settings],
) -> Move: ...
@helpful(
    **{name: PLANNERS.format(name) for name in ("key", "player", "sample_action", "hints", "tree")},
    **dict.fromkeys(("value", "prior"), PLANNERS.format("hints")),
    **dict.fromkeys(("batch", "graph", "keep", "memory"), PLANNERS.format("tree")),
    start=FROM,
    store=NOT_KEPT,
)
def plan(
    world: WorldLike,
    state: Hashable = None,
    budget: int = 1000,
    *,
    horizon: int | None = None,
    discount: float | None = None,
    seconds: float = math.inf,
    workers: int | Executor | None = None,
    algorithm: Algorithm = VarDE(),  # noqa: B008 (a record: nothing can change it)
    actions: Actions | None = None,
    bounds: tuple[float, float] | None = None,
    observe: Callable[[Any], Hashable] | None = None,
    seed: int = 0,
    stop: float | Stop | None = None,
    progress: bool | Callable[[int], object] | None = None,
) -> Move:
    """Find the best action in ``state`` by a search of ``budget`` simulations of at most ``horizon`` steps.

    >>> import varde
    >>> def step(stock, order, rng):
    ...     left = max(stock + order - int(rng.poisson(3)), 0)
    ...     return min(left, 10), 5.0 * (stock + order - left) - 2.0 * order - 0.3 * left
    >>> move = varde.plan(step, 0, 2000, horizon=3, actions=[0, 4, 20])
    >>> move.best
    4

    It ends earlier after ``seconds``, at Ctrl-C, or when the probability of a wrong move is at most ``stop``;
    ``move.stopped`` says which.  The other arguments are those of ``Planner``.
    """
    options: Any = {"actions": actions, "observe": observe, "bounds": bounds, "workers": workers, "seed": seed}
    planner = Planner(world, horizon, discount, algorithm=algorithm, **options)
    if horizon is None and planner.world.horizon is None:
        raise TypeError("the world does not say how long it lasts: write horizon=20, the number of steps to look ahead")
    return planner(state, budget, seconds=seconds, stop=stop, progress=progress)
