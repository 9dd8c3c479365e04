"""A search in a world that is asked for its transitions: a step function, an environment that goes on, or workers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .._compile import in_python, working_time
from ..arrays import refill
from ..check import FINITE, LARGEST, shown
from ..random import key, stream
from ..worlds.discovered import Discovered
from ..worlds.function import SimulationError, failed, finite, unpack
from ..worlds.tabulate import tabulate
from .pending import ACTIONS, DONE, NO_ROOM, PLAY, WRONG
from .search import Names, Search
from .trial import memory, run
from .workers import Reply, Workers

ACTION = (1 << ACTIONS) - 1  # of a request


class AskingSearch(Search):
    """A search from ``state`` of the world whose states ``known`` numbers; ``rng`` is the stream of its choices.

    If the world fails, or at Ctrl-C, trials under way are undone: the search is as it was after the last complete one,
    and can continue.
    """

    kernel, asks = run, True

    def __init__(
        self, algorithm: Any, known: Discovered, state: Any, horizon: int, discount: float, rng: np.ndarray, **how: Any
    ):
        start = known.meet(state)
        if known.fresh:
            known.appraise()
        knowledge, self.sampled = known.knowledge, known.slots is not None
        super().__init__(
            algorithm,
            known.record,
            start,
            horizon,
            discount,
            players=1 if known.player is None else 2,
            informed=knowledge is not None and knowledge.value is not None,
            ordered=knowledge is not None and knowledge.prior is not None,
            sampled=self.sampled,
            **how,
        )
        self.known, self.rng = known, rng
        self.names = Names(known.states.__getitem__, known.legal.__getitem__)
        self._fit()
        self._plant()

    def _rehearsal(self) -> None:
        """A rehearsal on a small table, since the world itself should not be stepped for nothing."""
        table = tabulate({0: {"on": [(1.0, 1, 1.0)], "stay": [(0.5, 0, 0.0), (0.5, 1, 0.0)]}, 1: {}})
        Search(self.algorithm, table, 0, 3, engine="python").run(3, stream(key(0, "rehearsal")))

    def _fit(self) -> None:
        """Take over the record of the world if it was replaced, with room for all its actions."""
        known, old = self.known, self.settings
        self.world, known.moved = known.record, False
        widest, labels = (room_for(*n) for n in ((known.widest, old.widest), (len(known.labels), old.labels)))
        if (widest, labels) != (old.widest, old.labels):
            new = old._replace(widest=widest, labels=labels)
            self.memory = refill(memory(self.algorithm, new, len(self.tree.nodes)), self.memory)
            self.settings = new  # last: at Ctrl-C in between the arrays are larger than they need be
            self._enlarge()
        else:
            self._hold()

    def _answer(self, t: int, successor: int, reward: float) -> int:
        """What trial ``t`` asks for after a transition (successor -1: none)."""
        if self.known.moved:
            self._fit()
        found: int = self._door.call(t, successor, reward)
        while found == NO_ROOM:
            self._enlarge()
            found = self._door.call(t, -1, 0.0)
        return self._refuse(found)

    def advance(self, action: int, successor: int) -> int:
        """As for a table."""
        if self.known.moved:
            self._fit()
        kept = super().advance(action, successor)
        if kept == 0:
            self._plant()
        if len(self.known.numbers) > 2 * self.tree.used[0]:  # otherwise an episode would keep every state ever visited
            self.known.forget(self._referred(successor))
        return kept

    def _aside(self) -> int:
        return self.known.bytes

    def _referred(self, told: int) -> np.ndarray:
        """The states still needed."""
        needed = np.zeros(len(self.known.states), np.bool_)
        needed[self.tree.nodes["state"][: self.tree.used[0]]] = True
        needed[[0, self.start, told]] = True
        return needed

    def run_steps(  # noqa: PLR0915 (what is called for every step would cost a tenth of it)
        self, trials: int, step: Callable[..., Any], rng: Any, seconds: float = math.inf, forward: Any = None
    ) -> str:
        """Add ``trials`` simulations, one step of the world at a time; returns what ended it, as ``run`` does.

        ``forward(rng)`` gives the step function of one simulation, if each needs its own.

        The loop is performance-critical: the common case is handled here, the rest by ``known.take``.
        """
        known, clock, timed = self.known, working_time, seconds < math.inf
        informed = known.knowledge is not None and known.knowledge.value is not None
        states, legal, number_of, name_of = known.states, known.legal, known.numbers.get, known.key
        depth = in_python(self.trials_now).now.depth
        end = clock() + seconds
        with self._adding(trials) as ended:
            request, door = self._answer(0, -1, 0.0), self._door
            while request != DONE:
                try:
                    if request == PLAY:
                        number, reward = 0, self._play(step, rng)
                    else:
                        s, a, number = request >> ACTIONS, request & ACTION, None
                        given = states[s]
                        if forward is not None and depth[0] == 0:  # a simulation begins
                            step = forward(rng)
                        answer = step(given, legal[s][a], rng)
                        if type(answer) is tuple:
                            try:
                                if len(answer) == 2:
                                    state, reward = answer
                                    number = number_of(state if name_of is None else name_of(state))
                                elif len(answer) == 3:
                                    state, reward, over = answer
                                    if over is False:
                                        number = number_of(state if name_of is None else name_of(state))
                            except TypeError:  # cannot be hashed
                                number = None
                        if number is None or type(reward) is not float or state is given:
                            number, reward, _ = known.take(answer, s, a)
                            if known.moved:
                                self._fit()
                except SimulationError:
                    raise
                except Exception as error:
                    raise failed(error, *known.pair(s, a)) from error
                if informed and known.fresh:
                    known.appraise()
                request = door.call(0, number, reward)
                if request < DONE and request != PLAY:
                    if request == WRONG:
                        finite(reward, *known.pair(s, a))
                    request = self._refuse(request)
                    if request == NO_ROOM:
                        self._enlarge()
                        request = self._answer(0, -1, 0.0)
                if timed and clock() >= end and self.trials > 0:
                    ended.append("seconds")
                    break
        if ended[-1] == "interrupted":
            known.mend()
            self._fit()
        return ended[-1]

    def _play(self, step: Callable[..., Any], rng: Any) -> float:
        """The return of random play from where the trial left the tree, nothing of which gets a number."""
        now = self.trials_now.now[0]
        known, state = self.known, self.known.states[int(now["state"])]
        gain, factor, began = 0.0, 1.0, state
        by_prior = known.knowledge is not None and known.knowledge.prior is not None
        for _ in range(int(now["steps"])):
            legal = known.listed(state)
            if not legal:
                break
            if by_prior:
                action = legal[drawn_by(known.weights(state, legal), rng.random())]
            else:
                action = legal[int(rng.integers(len(legal)))]
            try:
                successor, reward, over, _ = unpack(step(state, action, rng))
            except Exception as error:
                raise failed(error, state, action) from error
            gain += factor * finite(reward, state, action)
            factor *= self.settings.discount
            state = successor
            if over:
                break
        return bounded(gain, began)

    def drive(self, trials: int, workers: Workers, seconds: float = math.inf) -> str:
        """The same with several trials under way: requests go to ``workers``, and new ones follow their replies."""
        end = working_time() + seconds
        with self._adding(trials) as ended:
            try:
                self._exchange(workers, [(t, -1, 0.0) for t in range(self.settings.pending)])
                while workers.pending:
                    replies = workers.replies(end if self.trials > 0 else math.inf)
                    if not replies:
                        ended.append("seconds")
                        break
                    self._exchange(workers, replies)
            finally:
                workers.dismiss()
        if ended[-1] == "interrupted":
            self.known.mend()
            self._fit()
        return ended[-1]

    def _exchange(self, workers: Workers, replies: Iterable[Reply]) -> None:
        """Enter replies, and pass on what is asked for next."""
        for t, successor, reward in replies:
            if self.known.fresh:
                self.known.appraise()
            request = self._answer(t, successor, reward)
            if request != DONE:
                workers.ask([(t, request >> ACTIONS, request & ACTION)])


def room_for(wanted: int, has: int) -> int:
    """Enough, at least twice as much as before if that is not."""
    return has if wanted <= has else max(wanted, 2 * has)


def drawn_by(weights: Any, at: float) -> int:
    """The action of a uniform number, by weights that are 1 on average."""
    return min(int(np.searchsorted(np.cumsum(weights), at * len(weights), "right")), len(weights) - 1)


def bounded(gain: float, state: Any) -> float:
    """The return of random play from a state, if the search can calculate with it."""
    if not abs(gain) <= LARGEST:
        raise SimulationError(f"random play from state {shown(state)} brings {gain:g}: return {FINITE}, in total too")
    return gain
