"""Search in a world stepped from Python: one step at a time, in batches, by workers, or by ``ask`` and ``tell``."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._compile import Kernel, in_python, working_time
from ..arrays import refill
from ..random import key, stream
from ..worlds.function import SimulationError, failed, finite
from ..worlds.games import Turns
from ..worlds.tabulate import tabulate
from ..worlds.visited import Atlas
from .answers import Batches, LaneRequest, Reply, Workers
from .loop import prepare
from .playout import Random
from .search import Names, Search
from .tree import make_path
from .trial import ACTIONS, DONE, FULL, MASK, UNSOUND, Mail, advance, make_mail, order_of, take_back

ENDLESS = 1 << 62  # trials to begin, where there is no limit
NEXT = order_of(1, 1)  # a reply, and the next request
SEVERAL = 2  # lanes at least where requests are exchanged in ``mail``; with one, they are plain numbers


class ExternalSearch(Search):
    """A search from ``state`` of the world whose states ``atlas`` numbers; ``rng`` is the stream of its choices.

    ``lanes`` trials may be pending at once, ``ask`` makes room for more.  If the world fails, or at Ctrl-C, they are
    undone: the search is as it was after the last complete trial, and can continue.
    """

    def __init__(
        self, algorithm: Any, atlas: Atlas, state: Any, horizon: int, discount: float, rng: np.ndarray, **options: Any
    ):
        start = atlas.meet(state)
        if atlas.fresh:
            atlas.appraise()
        super().__init__(algorithm, numbered(atlas), start, horizon, discount, outside=True, **options)
        self.atlas, self.rng, self.sampled = atlas, rng, atlas.slots is not None
        self.names = Names(atlas.states.__getitem__, atlas.legal.__getitem__)
        self.most: int = self.settings.lanes  # trials that ``drive`` has under way
        self.mail: Mail = make_mail(self.most)
        self.random = Random(atlas)
        self._fit()
        self._plant()

    def _inside(self) -> tuple[Kernel, tuple[Any, ...], tuple[type, ...]]:
        records = self.algorithm, self.memory, self.problem, self.tree, self.path, self.mail, self.settings, self.rng
        return advance, records, (int, int, float)

    def _rehearsal(self) -> None:
        """A rehearsal on a small table, since the world itself should not be stepped for nothing."""
        table = tabulate({0: {"on": [(1.0, 1, 1.0)], "stay": [(0.5, 0, 0.0), (0.5, 1, 0.0)]}, 1: {}}).model
        Search(self.algorithm, table, 0, 3, engine="python").run(3, stream(key(0, "rehearsal")))

    def _fit(self, lanes: int = 1) -> None:
        """Take over arrays the atlas has replaced, with room for all its actions and ``lanes`` pending trials."""
        atlas, old = self.atlas, self.settings
        self.problem, atlas.moved = numbered(atlas), False
        new = old._replace(
            widest=room_for(atlas.widest, old.widest),
            labels=room_for(len(atlas.labels), old.labels),
            lanes=room_for(lanes, old.lanes),
        )
        if new != old:
            self.memory = refill(prepare(self.algorithm, new), self.memory)
            self.path = refill(make_path(new.lanes, new.horizon), self.path)
            self.mail = refill(make_mail(new.lanes), self.mail)
            self.tree = self.tree._replace(lanes=new.lanes)
            self.settings = new  # last: at Ctrl-C in between the arrays are larger than they need be
        self._hold()

    def _advance(self, order: int, state: int = 0, reward: float = 0.0) -> int:
        """``advance``, making room for what the replies bring."""
        if self.atlas.moved:
            self._fit()
        return self._resume(self._door.call(order, state, reward), order, state, reward)

    def _resume(self, found: int, order: int, state: int, reward: float) -> int:
        """What the kernel found, once more if there was no room."""
        if found == FULL:
            self._enlarge(self.settings.lanes)
            found = self._door.call(order, state, reward)
        return self._refuse(found)

    def asked(self, lane: int) -> tuple[int, int]:
        """The state and the action that a lane waits for."""
        waits = self.path.lane[lane]
        return int(waits["state"]), int(waits["action"])

    def _exchange(self, replies: list[Reply], wanted: int) -> list[LaneRequest]:
        """At most ``wanted`` requests after replies."""
        mail = self.mail
        for i, reply in enumerate(replies):
            mail.lanes[i], mail.successors[i], mail.rewards[i] = reply
        if self.atlas.fresh:
            self.atlas.appraise()
        found = self._advance(order_of(len(replies), wanted))
        return [(lane, state, action) for lane, state, action in self.mail.requests[:found].tolist()]

    def take_back(self, lane: int = -1) -> None:
        """Undo the trial of a lane, or all pending ones."""
        tree, path = in_python((self.tree, self.path))
        for each in range(self.settings.lanes) if lane < 0 else [lane]:
            take_back(tree, path, each)

    def advance(self, action: int, successor: int) -> int:
        """As for a table; pending trials are undone."""
        self.take_back()
        if self.atlas.moved:
            self._fit()
        if successor >= self.tree.table.shape[1] > 1:
            self._enlarge(1)  # the table has no room for it yet
        kept = super().advance(action, successor)
        if kept == 0:
            self._plant()
        if len(self.atlas.numbers) > 2 * self.tree.used[0]:  # otherwise an episode would keep every state ever visited
            self.atlas.forget(self._referred(successor))
        return kept

    @contextlib.contextmanager
    def _adding(self, trials: int) -> Iterator[list[str]]:
        """Allow ``trials`` to begin; whatever is pending at the end, however it comes, is undone.

        Gives a list whose last entry says what ended it.
        """
        self._widen(self.trials + trials)
        self.path.remaining[0] = trials
        ended = ["budget"]
        try:
            yield ended
        except KeyboardInterrupt:
            self.atlas.mend()
            self._fit()
            ended.append("interrupted")
        finally:
            self.take_back()

    def _aside(self) -> int:
        return super()._aside() + self.atlas.bytes

    def _referred(self, told: int) -> np.ndarray:
        """The states still needed."""
        needed = np.zeros(len(self.atlas.states), np.bool_)
        needed[self.tree.nodes["state"][: self.tree.used[0]]] = True
        needed[self.tree.outcomes["successor"][1 : self.tree.used[2]]] = True
        needed[[0, self.start, told]] = True
        return needed

    def run_steps(self, trials: int, step: Callable[..., Any], rng: Any, seconds: float = math.inf) -> str:
        """Add ``trials`` simulations, one step of the world at a time; returns what ended it, as ``run`` does.

        The loop is performance-critical: the common case is handled here, the rest by ``atlas.take``.
        """
        atlas, clock, timed = self.atlas, working_time, seconds < math.inf
        informed = atlas.knowledge is not None
        states, legal, number_of, key = atlas.states, atlas.legal, atlas.numbers.get, atlas.key
        end = clock() + seconds
        with self._adding(trials) as ended:
            request, door = self._advance(order_of(0, 1)), self._door
            while request >= 0:
                s, a, number = request >> ACTIONS, request & MASK, None
                try:
                    given = states[s]
                    if a == MASK:  # random play beyond the tree
                        steps = int(self.path.lane["steps"][0])
                        number, reward = s, self.random.play(step, given, steps, self.settings.discount, rng)
                    else:
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
                                self._fit()
                except SimulationError:
                    raise
                except Exception as error:
                    raise failed(error, *atlas.pair(s, a)) from error
                if informed and atlas.fresh:
                    atlas.appraise()
                request = door.call(NEXT, number, reward)
                if request < DONE:
                    if request == UNSOUND:
                        finite(reward, *atlas.pair(s, a))
                    request = self._resume(request, NEXT, number, reward)
                if timed and clock() >= end and self.trials > 0:
                    ended.append("seconds")
                    break
        return ended[-1]

    def drive(self, trials: int, world: Batches | Workers, seconds: float = math.inf) -> str:
        """The same with ``most`` trials under way: requests go to ``world``, and new ones follow its replies."""
        end, most = working_time() + seconds, self.most
        self._fit(max(most, SEVERAL))
        with self._adding(trials) as ended:
            try:
                world.ask(self._exchange([], most))
                while world.pending:
                    replies = world.replies(end if self.trials > 0 else math.inf)
                    if not replies:
                        ended.append("seconds")
                        break
                    if self.atlas.moved:
                        self._fit()
                    world.ask(self._exchange(replies, most - len(world.pending)))
            finally:
                world.dismiss()
        return ended[-1]

    def ask(self, count: int, replies: list[tuple[int, int, float]], waiting: int) -> list[LaneRequest]:
        """Enter replies (lane, state, reward) and return ``count`` more requests, besides those ``waiting``."""
        lanes = max(waiting + count, SEVERAL)
        if lanes > self.settings.lanes or self.atlas.moved:
            self._fit(lanes)
        self._widen(self.trials + self.settings.lanes)
        self.path.remaining[0] = ENDLESS
        return self._exchange(replies, count)


def numbered(atlas: Atlas) -> Any:
    """The world of an atlas as kernels see it, with its players if there are two."""
    return atlas.visited if atlas.player is None else Turns(atlas.visited, atlas.visited.movers)


def room_for(wanted: int, has: int) -> int:
    """Enough, at least twice as much as before if that is not."""
    return has if wanted <= has else max(wanted, 2 * has)
