"""Which policy?  ``learn`` drives a world; ``Learner`` says what to do in a world that you drive yourself."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._alone import BRIEFLY, Use, alone
from .._compile import in_slices
from ..check import FINITE, LARGEST, as_float, flag, positive, seed_number, shown
from ..protocols import Algorithm
from ..random import key as named_key
from ..random import stream
from ..rule import VarDE
from ..worlds.met import Atlas
from ..worlds.solve import check_discount
from ..worlds.table import Table
from ..worlds.world import Actions, Function, WorldLike, as_world, draw_start
from .checks import check_algorithm, check_budget, check_report, check_table
from .loop import STEP, WRONG, Run
from .policy import Policy, policy_of
from .run import THINK, Course, Tour, own_choices, task_of
from .seen import seen_of

STREAM = "identify-policy"


class Places(Atlas):
    """The states met; where an episode is over is one place, whatever was seen there: it leads to a start."""

    end = -1

    def meet(self, state: Any, over: bool = False) -> int:
        if not over:
            return super().meet(state)
        if self.end < 0:
            self.end = super().meet(state, True)
        return self.end


class Learner:
    """Learns a policy in a world that you step yourself: simulated, real, or recorded.

    >>> import varde
    >>> learner = varde.Learner(actions=["left", "right"], discount=0.9)
    >>> place = 0
    >>> for _ in range(300):
    ...     action = learner.ask(place)
    ...     there = max(place - 1, 0) if action == "left" else min(place + 1, 3)
    ...     learner.tell(place, action, float(there == 3), there)
    ...     place = there
    >>> policy = learner.recommend()
    >>> policy[0], round(policy.values[3])
    ('right', 10)

    States are hashable and are named as they are met; ``actions`` is a list, or a function of the state.  After
    ``over=True`` an episode is over; asking from a state that is not the last ``next_state`` begins another.
    Transitions that it did not ask for, such as those of a log, may be passed to ``tell`` as well.
    """

    def __init__(
        self,
        actions: Actions,
        discount: float = 0.99,
        *,
        algorithm: Algorithm = VarDE(),  # noqa: B008
        seed: int = 0,
        key: Callable[[Any], Hashable] | None = None,
    ):
        check_discount(discount)
        self.algorithm = check_algorithm(algorithm)
        self.atlas = Places(actions, key)
        self.course = Course(self.algorithm, float(discount), stream(named_key(seed_number(seed), STREAM)))
        self.use = Use()
        self._last: tuple[int, int, Any] = (-1, -1, None)  # the last answer: a state, an action, its name

    @alone(BRIEFLY)
    def ask(self, state: Any) -> Any:
        """The action to take in ``state``."""
        s = self._number(state)
        legal = self.atlas.legal[s]
        if not legal:
            raise ValueError(f"state {state!r} has no actions, the episode is over: ask from where the next one begins")
        action = self.course.turn(s, -1, 0.0, 0, 1)
        self._last = s, action, legal[action]
        return legal[action]

    @alone(BRIEFLY)
    def tell(self, state: Any, action: Any, reward: float, next_state: Any, over: bool = False) -> None:
        """The result of ``action`` in ``state``; ``over`` says that the episode ended there."""
        s = self._number(state)
        place, number, name = self._last
        if s != place or action != name:
            number = self._action(s, action)
        reward = self._reward(reward, s, number)
        after = self._number(next_state, flag("over", over))
        self.course.turn(s, number, reward, after, 0)

    @alone(BRIEFLY)
    def recommend(self, report: str = "model") -> Policy:
        """The best policy of the model of the data, or with ``report="own"`` what the algorithm itself would do."""
        return self._policy(report, "not yet")

    def _policy(self, report: str, stopped: str) -> Policy:
        check_report(report)
        policy = as_policy(self.algorithm, self.course.run, self.atlas.names, self.atlas.legal, report, stopped)
        return replace(policy, key=self.atlas.key)

    @alone()
    def drive(self, world: Function, budget: int, seconds: float, generator: np.random.Generator) -> str:
        """Step ``world`` until the budget or the time is spent, or Ctrl-C; returns which."""
        course, legal, step = self.course, self.atlas.legal, self.atlas.steps(world.step, generator)
        clock, limited, known = time.perf_counter, seconds < math.inf, 0
        end = clock() + seconds
        try:
            s, a = self._start(world, generator)
            for _ in range(budget):
                if limited and clock() >= end:
                    return "seconds"
                after, reward, cut = step(s, a)
                if len(legal) > known:
                    course.admit(legal)
                    turn, known = course.turn_door.call, len(legal)
                cut = cut or not legal[after]
                a = turn(s, a, reward, after, 0 if cut else 1)
                if a == THINK:
                    a = course.think(after, 0 if cut else 1)
                elif a == WRONG:
                    course.refuse_fault(a)
                s = after
                if cut:
                    s, a = self._start(world, generator)
        except KeyboardInterrupt:
            return "interrupted"
        return "budget"

    def _start(self, world: Function, generator: np.random.Generator) -> tuple[int, int]:
        """Begin an episode: where, and with what action."""
        state = draw_start(world, generator)
        self.ask(state)
        return self._last[:2]

    def _number(self, state: Any, over: bool = False) -> int:
        """The number of a state, for which there is room from now on."""
        number = self.atlas.meet(state, over)
        if number >= self.course.run.task.met[0]:
            self.course.admit(self.atlas.legal)
        return number

    def _action(self, s: int, action: Any) -> int:
        legal = self.atlas.legal[s]
        if action not in legal:
            raise ValueError(f"{action!r} is not an action of state {self.atlas.states[s]!r}: write one of {legal}")
        return legal.index(action)

    def _reward(self, reward: Any, s: int, action: int) -> float:
        number = as_float(reward)
        if number is not None and abs(number) <= LARGEST:
            return number
        where = f"in state {self.atlas.states[s]!r}, action {self.atlas.legal[s][action]!r}"
        raise ValueError(f"the reward is {shown(reward)} {where}: write {FINITE}")


def as_policy(
    algorithm: Algorithm, run: Run, states: Sequence[Any], legal: Sequence[Sequence[Any]], report: str, stopped: str
) -> Policy:
    """What was learned, by name; the states in which an episode is over are left out."""
    if run.at[STEP] == 0:
        raise ValueError("there is no policy yet, not a single step was made: tell a transition, or give it more time")
    own = own_choices(algorithm, run) if report == "own" else None
    return policy_of(seen_of(run), run.task.discount, states, legal, own, stopped)


# -- one call ------------------------------------------------------------------------------------


def learn(
    world: WorldLike,
    budget: int,
    *,
    discount: float = 0.99,
    seconds: float = math.inf,
    algorithm: Algorithm = VarDE(),  # noqa: B008
    actions: Actions | None = None,
    start: Any = None,
    seed: int = 0,
    report: str = "model",
    key: Callable[[Any], Hashable] | None = None,
) -> Policy:
    """Learn a good policy from ``budget`` steps, ``seconds`` at most, and say where it may be wrong.

    >>> import varde
    >>> policy = varde.learn(varde.environments.river_swim(5), 10_000, discount=0.99)
    >>> policy[0], policy.uncertain
    ('right', [])

    ``world`` is a table (``varde.tabulate``), a Gymnasium environment with discrete actions, an object with
    ``step(state, action, rng)`` and ``actions(state)``, or such a step function with ``actions=``; it returns
    ``(state, reward)`` or ``(state, reward, over)``.  Episodes begin at the world's start, or at ``start``.

    ``report="model"`` returns the best policy of the model of the data, ``"own"`` what the algorithm itself would do.
    On Ctrl-C the policy so far is returned, ``stopped="interrupted"``.
    """
    algorithm = check_algorithm(algorithm)
    budget, seed = check_budget(budget), seed_number(seed)
    seconds = positive("seconds", seconds, "how long it may take, more than 0, or leave it out")
    check_report(report)
    found = as_world(world, actions, start=start, key=key, replay=False)
    if isinstance(found, Table):
        check_discount(discount)
        table = check_table(algorithm, found)
        tour = Tour(algorithm, table.model, task_of(table, discount, budget), stream(named_key(seed, STREAM)))
        stopped = in_slices(tour.go, budget, seconds)
        legal = [table.legal(s) for s in range(len(table.states))]
        return as_policy(algorithm, tour.run, table.states, legal, report, stopped)
    learner = Learner(found.actions, discount, algorithm=algorithm, seed=seed, key=found.key)
    learner.course = Course(algorithm, discount, stream(named_key(seed, STREAM)), budget)  # some want to know it
    generator = np.random.default_rng([int(word) for word in named_key(seed, STREAM)])
    stopped = learner.drive(found, budget, seconds, generator)
    return learner._policy(report, stopped)
