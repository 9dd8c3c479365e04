"""Search in a world stepped from Python: one step at a time, in batches, by workers, or by ``ask`` and ``tell``."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._compile import Kernel, uninterrupted
from ..arrays import refill
from ..random import key, stream
from ..worlds.table import tabulate
from ..worlds.visited import Atlas, SimulationError, failed, finite
from .lanes import (
    ACTION,
    ACTIONS,
    DEPTH,
    DONE,
    FULL,
    IDLE,
    NODE,
    PHASE,
    PLANT,
    TAKE_BACK,
    UNSOUND,
    WHERE,
    Lanes,
    advance,
    make_lanes,
    order_of,
)
from .loop import prepare
from .pruning import Kept
from .search import Search
from .tree import EDGES, STATE, SUCCESSOR, make_path
from .workers import LaneRequest, Workers

ENDLESS = 1 << 62  # trials to begin, where there is no limit
MASK = (1 << ACTIONS) - 1  # the action of a request that is one number
Answers = Callable[[np.ndarray], tuple[Any, Any]]  # the successors and the rewards of a batch of requests

NEXT = order_of(1, 1)  # a reply, and the next request


class ExternalSearch(Search):
    """A search from ``state`` of the world whose states ``atlas`` numbers; ``rng`` is the stream of its choices.

    ``lanes`` trials may be pending at once.  If the world fails, or at Ctrl-C, they are undone: the search is as it was
    after the last complete trial, and can continue.
    """

    def __init__(
        self, algorithm: Any, atlas: Atlas, state: Any, horizon: int, discount: float, rng: np.ndarray, **options: Any
    ):
        start = atlas.meet(state)
        if atlas.fresh:
            atlas.appraise()
        super().__init__(algorithm, atlas.visited, start, horizon, discount, wide=True, **options)
        self.atlas, self.rng, self.sampled = atlas, rng, atlas.slots is not None
        self.lanes: Lanes = make_lanes(self.settings.lanes)
        self.told = start  # a state that was reported and is not entered yet
        self._draws = not self.settings.keep and getattr(atlas.knowledge, "rollout", None) is not None
        self._fit()
        self._kernel(PLANT, start, 0.0)
        self._fresh = False

    def _inside(self) -> tuple[Kernel, tuple[Any, ...], tuple[type, ...]]:
        records = self.algorithm, self.memory, self.problem, self.tree, self.path, self.lanes, self.settings, self.rng
        return advance, records, (int, int, float)

    def _rehearsal(self) -> None:
        """A rehearsal on a small table, since the world itself should not be stepped for nothing."""
        table = tabulate({0: {"on": [(1.0, 1, 1.0)], "stay": [(0.5, 0, 0.0), (0.5, 1, 0.0)]}, 1: {}}).model
        Search(self.algorithm, table, 0, 3, engine="python").run(3, stream(key(0, "rehearsal")))

    def _fit(self, lanes: int = 1) -> None:
        """Take over arrays the atlas has replaced, with room for all its actions and ``lanes`` pending trials."""
        atlas, old = self.atlas, self.settings
        self.problem, atlas.moved = atlas.visited, False
        new = old._replace(
            widest=room_for(atlas.widest, old.widest),
            labels=room_for(len(atlas.labels), old.labels),
            lanes=room_for(lanes, old.lanes),
        )
        if new != old:
            self.memory = refill(prepare(self.algorithm, new), self.memory)
            self.path = refill(make_path(new.lanes, new.horizon), self.path)
            self.lanes = refill(make_lanes(new.lanes), self.lanes)
            self.tree = self.tree._replace(lanes=new.lanes)
            self.settings = new  # last: at Ctrl-C in between the arrays are larger than they need be
        self._hold()

    def _advance(self, order: int, state: int = 0, reward: float = 0.0) -> int:
        """``advance``, making room for what the replies bring."""
        self.told = state
        if self.atlas.moved:
            self._fit()
            self._let_go()
        found = self._kernel(order, state, reward)
        if found == FULL:
            self._enlarge(self.settings.lanes)
            found = self._kernel(order, state, reward)
        return self._refuse(found)

    def _requests(self, replies: int, wanted: int) -> int:
        """How many requests there are, after replies that lie in ``lanes``."""
        lanes, state, reward = self.lanes, 0, 0.0
        if self.settings.lanes == 1 and replies:
            state, reward = int(lanes.successors[0]), float(lanes.rewards[0])
        if self.atlas.knowledge is not None:
            self._inform(*lanes.at[lanes.lanes[:replies], WHERE].tolist())
        found = self._advance(order_of(replies, wanted), state, reward)
        if found == UNSOUND:
            for lane, reward in zip(lanes.lanes[:replies].tolist(), lanes.rewards[:replies].tolist(), strict=True):
                finite(reward, *self.atlas.pair(*lanes.at[lane, [WHERE, ACTION]].tolist()))
        return found if self.settings.lanes > 1 else int(found != DONE)

    def take_back(self, lane: int = -1) -> None:
        """Undo the trial of a lane, or all pending ones."""
        self._kernel(TAKE_BACK, lane, 0.0)

    def _inform(self, *left: int) -> None:
        """Ask for the values of new states and, where rollouts return to a state, for another action to try."""
        if self.atlas.fresh:
            self.atlas.appraise()
        if self._draws:
            for state in left:
                self.atlas.suggest_again(state)

    def restart(self) -> None:
        """Drop the tree; keep the states visited and the memory."""
        self._kernel(PLANT, self.start, 0.0)

    def advance(self, action: int, successor: int) -> int:
        """As for a table; pending trials are undone."""
        self.take_back()
        if self.atlas.moved:
            self._fit()
        if successor >= self.tree.table.shape[1] > 1:
            self._enlarge(1)  # the table has no room for it yet
        kept = super().advance(action, successor)
        if len(self.atlas.numbers) > 2 * self.tree.used[0]:  # otherwise an episode would keep every state ever visited
            self.told = successor
            self.atlas.forget(self._referred())
        return kept

    @contextlib.contextmanager
    def _adding(self, trials: int) -> Iterator[Ended]:
        """Allow ``trials`` to begin; whatever is pending at the end, however it comes, is undone."""
        self._widen(self.trials + trials)
        self.lanes.remaining[0] = trials
        ended = Ended("budget")
        try:
            yield ended
        except KeyboardInterrupt:
            self.atlas.mend()
            self._fit()
            ended.by = "interrupted"
        finally:
            self.take_back()

    def _aside(self) -> int:
        return super()._aside() + self.atlas.bytes

    @uninterrupted()
    def _compact(self, root: int, opened: int, inner: np.ndarray) -> Kept:
        """Pending trials stay, under new numbers; states that nothing refers to are dropped."""
        tree, path, at = self.tree, self.path, self.lanes.at
        walked = np.arange(path.nodes.shape[1]) < np.where(at[:, PHASE] == IDLE, 0, at[:, DEPTH])[:, None]
        nodes, active = path.nodes[walked], at[:, PHASE] != IDLE
        places = path.edges[walked] - tree.node[nodes, EDGES]
        inner[nodes] = inner[at[active, NODE]] = True
        kept = super()._compact(root, opened, inner)
        path.nodes[walked] = nodes = kept.nodes[nodes]
        path.edges[walked] = tree.node[nodes, EDGES] + places
        outcomes = path.outcomes[walked]  # negative where one was followed again
        path.outcomes[walked] = np.sign(outcomes) * kept.outcomes[np.abs(outcomes)]
        at[active, NODE] = kept.nodes[at[active, NODE]]
        if self.limit is not None:
            self.atlas.forget(self._referred())
        return kept

    def _let_go(self) -> None:
        """Drop states seen only in random play, if there are too many of them."""
        if self.limit is not None and self._size(self._rows()) + self._aside() > self.limit:
            self.atlas.forget(self._referred())

    def _referred(self) -> np.ndarray:
        """The states still needed; number 0 stands for those dropped from the tree."""
        tree, lanes = self.tree, self.lanes
        needed = np.zeros(len(self.atlas.states) + 1, np.bool_)  # the last one is for -1
        needed[tree.node[: tree.used[0], STATE]] = needed[tree.outcome[1 : tree.used[2], SUCCESSOR]] = True
        needed[lanes.at[:, WHERE]] = needed[lanes.successors] = needed[lanes.requests[:, 1]] = True
        needed[[0, self.start, self.told]] = True
        return needed

    def run_steps(self, trials: int, step: Callable[..., Any], rng: Any, seconds: float = math.inf) -> str:
        """Add ``trials`` simulations, one step of the world at a time; returns what ended it, as ``run`` does.

        The loop is performance-critical: the common case is handled here, the rest by ``atlas.take``.
        """
        atlas, clock, timed = self.atlas, time.perf_counter, seconds < math.inf
        informed = atlas.knowledge is not None
        states, legal, number_of, key = atlas.states, atlas.legal, atlas.numbers.get, atlas.key
        end = clock() + seconds
        with self._adding(trials) as ended:
            request, call = self._advance(order_of(0, 1)), self._kernel
            while request >= 0:
                s, a, number = request >> ACTIONS, request & MASK, None
                try:
                    given = states[s]
                    answer = step(given, legal[s][a], rng)
                    if type(answer) is tuple:
                        try:
                            if len(answer) == 2:
                                state, reward = answer
                                number = number_of(state if key is None else key(state))
                            elif len(answer) == 3:
                                state, reward, over = answer
                                number = number_of(state if key is None else key(state)) if over is False else None
                        except TypeError:  # cannot be hashed
                            number = None
                    if number is None or type(reward) is not float or state is given:
                        number, reward, _ = atlas.take(answer, s, a)
                        if atlas.moved:
                            self.told = number
                            self._fit()
                            self._let_go()
                            call = self._kernel
                except SimulationError:
                    raise
                except Exception as error:
                    raise failed(error, *atlas.pair(s, a)) from error
                if informed:
                    self._inform(s)
                request = call(NEXT, number, reward)
                if request < DONE:
                    request, call = self._again(request, number, reward, s, a), self._kernel
                if timed and clock() >= end and self.trials > 0:
                    ended.by = "seconds"
                    break
        return ended.by

    def _again(self, found: int, number: int, reward: float, s: int, a: int) -> int:
        """Continue after FULL, once there is room; raise for anything else."""
        if found == UNSOUND:
            finite(reward, *self.atlas.pair(s, a))
        return self._advance(NEXT, number, reward) if found == FULL else self._refuse(found)

    def run_batches(self, trials: int, answers: Answers, seconds: float = math.inf) -> str:
        """The same, as many steps at a time as there are lanes."""
        clock, timed, size = time.perf_counter, seconds < math.inf, self.settings.lanes
        end = clock() + seconds
        with self._adding(trials) as ended:
            found = self._requests(0, size)
            while found > 0:
                numbers, rewards = answers(self.lanes.requests[:found])
                if self.atlas.moved:
                    self._fit()
                lanes = self.lanes
                lanes.lanes[:found] = lanes.requests[:found, 0]
                lanes.successors[:found], lanes.rewards[:found] = numbers, rewards
                found = self._requests(found, size)
                if timed and clock() >= end and self.trials > 0:
                    ended.by = "seconds"
                    break
        return ended.by

    def run_workers(self, trials: int, workers: Workers, seconds: float = math.inf) -> str:
        """The same with workers: replies are taken in the order of the requests, each followed by a new request."""
        end, size = time.perf_counter() + seconds, self.settings.lanes
        with self._adding(trials) as ended:
            try:
                found = self._requests(0, size)
                workers.ask(self.lanes.requests[:found].tolist())
                while workers.line:
                    reply = workers.reply(end if self.trials > 0 else math.inf)
                    if reply is None:
                        ended.by = "seconds"
                        break
                    workers.ask(self.ask(1, [reply], len(workers.line), self.lanes.remaining[0]))
            finally:
                workers.dismiss()
        return ended.by

    def ask(
        self, count: int, replies: list[tuple[int, int, float]], waiting: int, remaining: int = ENDLESS
    ) -> list[LaneRequest]:
        """Enter replies (lane, state, reward) and return ``count`` more requests, besides those ``waiting``."""
        if waiting + count > self.settings.lanes or self.atlas.moved:
            self._fit(waiting + count)
        self._widen(self.trials + self.settings.lanes)
        lanes = self.lanes
        lanes.remaining[0] = remaining
        for i, (lane, state, reward) in enumerate(replies):
            lanes.lanes[i], lanes.successors[i], lanes.rewards[i] = lane, state, reward
        found = self._requests(len(replies), count)
        return lanes.requests[:found].tolist()


@dataclass
class Ended:
    by: str


def room_for(wanted: int, has: int) -> int:
    """Enough, at least twice as much as before if that is not."""
    return has if wanted <= has else max(wanted, 2 * has)
