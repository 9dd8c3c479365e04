"""The search of a world that Python steps: one step at a time, in batches, or by ``ask`` and ``tell``."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._compile import Kernel
from ..arrays import refill
from ..check import FINITE, LARGEST
from ..random import key, stream
from ..worlds.met import Atlas, SimulationError, failed, finite, unpack
from ..worlds.table import tabulate
from .lanes import ACTIONS, DONE, FULL, TAKE_BACK, Lanes, advance, make_lanes
from .loop import prepare
from .search import Search
from .tree import make_path

ENDLESS = 1 << 62  # trials to begin, where there is no limit
MASK = (1 << ACTIONS) - 1  # the action of a request that is one number

LaneRequest = tuple[int, int, int]  # lane, state, action
Answer = Callable[[list[LaneRequest]], tuple[Sequence[int], Any]]  # the successors and the rewards of a batch


class ExternalSearch(Search):
    """A search from ``state`` of the world whose states ``atlas`` numbers; ``rng`` is the stream of its choices.

    ``lanes`` trials may be under way at once.  If the world fails, or at Ctrl-C, they are taken back: the search is
    what it was after the last trial that was completed, and can go on.
    """

    def __init__(
        self, algorithm: Any, atlas: Atlas, state: Any, horizon: int, discount: float, rng: np.ndarray, **options: Any
    ):
        start = atlas.meet(state)
        super().__init__(algorithm, atlas.met, start, horizon, discount, **options)
        self.atlas, self.rng = atlas, rng
        self.lanes: Lanes = make_lanes(self.settings.lanes)
        self._fit()
        self._kernel(start, 0, 0, 0.0, 0)
        self._fresh = False

    def _inside(self) -> tuple[Kernel, tuple[Any, ...], tuple[type, ...]]:
        records = self.algorithm, self.memory, self.problem, self.tree, self.path, self.lanes, self.settings, self.rng
        return advance, records, (int, int, int, float, int)

    def _rehearsal(self) -> None:
        """On a small table: the world itself is not to be stepped for nothing."""
        table = tabulate({0: {"on": [(1.0, 1, 1.0)], "stay": [(0.5, 0, 0.0), (0.5, 1, 0.0)]}, 1: {}}).model
        Search(self.algorithm, table, 0, 3, engine="python").run(3, stream(key(0, "rehearsal")))

    def _fit(self, lanes: int = 1) -> None:
        """Hold what the atlas has replaced, with room for all its actions and for ``lanes`` trials under way."""
        atlas, old = self.atlas, self.settings
        self.problem, atlas.moved = atlas.met, False
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

    def _advance(self, replies: int, state: int, reward: float, wanted: int) -> int:
        """``advance``, with room made for what the replies bring."""
        if self.atlas.moved:
            self._fit()
        found = self._kernel(-1, replies, state, reward, wanted)
        if found == FULL:
            self._enlarge(self.settings.lanes)
            found = self._kernel(-1, replies, state, reward, wanted)
        return self._refuse(found)

    def _again(self, found: int, state: int, reward: float) -> int:
        """After FULL, once there is room."""
        return self._advance(1, state, reward, 1) if found == FULL else self._refuse(found)

    def _requests(self, replies: int, wanted: int) -> int:
        """How many requests there are, after replies that lie in ``lanes`` as the requests do."""
        found = self._advance(replies, int(self.lanes.successors[0]), float(self.lanes.rewards[0]), wanted)
        return found if self.settings.lanes > 1 else int(found != DONE)

    def take_back(self, lane: int = -1) -> None:
        """Forget the trial of a lane, or all that are under way."""
        self._kernel(-1, TAKE_BACK, lane, 0.0, 0)

    def restart(self) -> None:
        """Forget the tree, keep the states met and the memory."""
        self._kernel(self.start, 0, 0, 0.0, 0)

    def advance(self, action: int, successor: int) -> int:
        """As for a table; trials under way are taken back."""
        self.take_back()
        if self.atlas.moved:
            self._fit()
        if successor >= self.tree.table.shape[1] > 1:
            self._enlarge(1)  # the table has no room for it yet
        return super().advance(action, successor)

    def run_steps(self, trials: int, step: Callable[..., Any], rng: Any, seconds: float = math.inf) -> str:
        """Add ``trials`` simulations, one step of the world at a time; what ended that, as in ``run``."""
        atlas, clock = self.atlas, time.perf_counter
        go, end = atlas.steps(step, rng), clock() + seconds
        self._widen(self.trials + trials)
        self.lanes.remaining[0] = trials
        try:
            request = self._advance(0, 0, 0.0, 1)
            while request != DONE:
                state, reward, _ = go(request >> ACTIONS, request & MASK)
                if atlas.moved:
                    self._fit()
                request = self._kernel(-1, 1, state, reward, 1)
                if request < DONE:
                    request = self._again(request, state, reward)
                if clock() >= end and self.trials > 0:
                    return "seconds"
        except KeyboardInterrupt:
            self._fit()
            return "interrupted"
        finally:
            self.take_back()
        return "budget"

    def run_batches(self, trials: int, answer: Answer, seconds: float = math.inf) -> str:
        """The same, as many steps at a time as there are lanes."""
        end, size = time.perf_counter() + seconds, self.settings.lanes
        self._widen(self.trials + trials)
        self.lanes.remaining[0] = trials
        try:
            found = self._requests(0, size)
            while found > 0:
                states, rewards = answer(self.lanes.requests[:found].tolist())
                if self.atlas.moved:
                    self._fit()
                lanes = self.lanes
                lanes.lanes[:found] = lanes.requests[:found, 0]
                lanes.successors[:found], lanes.rewards[:found] = states, rewards
                found = self._requests(found, size)
                if time.perf_counter() >= end and self.trials > 0:
                    return "seconds"
        except KeyboardInterrupt:
            self._fit()
            return "interrupted"
        finally:
            self.take_back()
        return "budget"

    def ask(self, count: int, replies: list[tuple[int, int, float]], waiting: int) -> list[LaneRequest]:
        """Take (lane, state, reward) of what was replied; ``count`` requests more, besides those ``waiting``."""
        if waiting + count > self.settings.lanes or self.atlas.moved:
            self._fit(waiting + count)
        self._widen(self.trials + self.settings.lanes)
        lanes = self.lanes
        lanes.remaining[0] = ENDLESS
        for i, (lane, state, reward) in enumerate(replies):
            lanes.lanes[i], lanes.successors[i], lanes.rewards[i] = lane, state, reward
        found = self._requests(len(replies), count)
        return lanes.requests[:found].tolist()


def room_for(wanted: int, has: int) -> int:
    """Enough, at least twice as much as before if that is not."""
    return has if wanted <= has else max(wanted, 2 * has)


# -- who answers ---------------------------------------------------------------------------------


def batches(atlas: Atlas, step_many: Callable[..., Any], rng: Any) -> Answer:
    """Answers by a world that takes many steps at once: step_many(states, actions, rng)."""
    states, legal, numbers = atlas.states, atlas.legal, atlas.numbers

    def answer(requests: list[LaneRequest]) -> tuple[list[int], np.ndarray]:
        try:
            names = [states[s] for _, s, _ in requests]
            successors, rewards, *overs = step_many(names, [legal[s][a] for _, s, a in requests], rng)
            successors = successors.tolist() if isinstance(successors, np.ndarray) else successors
            paid = np.asarray(rewards, np.float64)
            if (
                len(successors) != len(requests)
                or paid.shape != (len(requests),)
                or (overs and len(overs[0]) != len(requests))
            ):
                many = f"{len(successors)} states and {paid.size} rewards"
                raise ValueError(f"it returned {many} for {len(requests)} steps: return one of each per step")
            sound = np.abs(paid) <= LARGEST
            if not sound.all():
                raise ValueError(f"the reward is {paid[~sound][0]}: return {FINITE}")
            if atlas.key is None and not overs:
                known = [numbers.get(state, -1) for state in successors]
                if -1 not in known:
                    return known, paid
            ends = overs[0] if overs else [False] * len(requests)
            return [atlas.meet(state, bool(over)) for state, over in zip(successors, ends, strict=True)], paid
        except Exception as error:
            raise SimulationError(f"the world failed in step_many: {type(error).__name__}: {error}") from error

    return answer


def in_threads(atlas: Atlas, step: Callable[..., Any], rngs: Sequence[Any], pool: Any) -> Answer:
    """Answers by a pool of threads; each lane has a Generator of its own, so that it does not matter who is first."""
    states, legal = atlas.states, atlas.legal

    def answer(requests: list[LaneRequest]) -> tuple[list[int], list[float]]:
        jobs = [pool.submit(step, states[s], legal[s][a], rngs[lane]) for lane, s, a in requests]
        found = []
        for (_, s, a), job in zip(requests, jobs, strict=True):
            try:
                successor, reward, over, _ = unpack(job.result())
                found.append((atlas.meet(successor, over), finite(reward, states[s], legal[s][a])))
            except SimulationError:
                raise
            except Exception as error:
                raise failed(error, states[s], legal[s][a]) from error
        return [number for number, _ in found], [reward for _, reward in found]

    return answer
