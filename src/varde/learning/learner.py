"""``Learner``: learn a policy in a world that you step yourself, simulated or real."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Self

from .._compile import uninterrupted
from .._keywords import helpful
from .._one_thread import BRIEFLY, Use, alone
from ..check import FINITE, LARGEST, as_float, flag, seed_number, shown, whole
from ..protocols import Algorithm
from ..random import key as named_key
from ..random import stream
from ..rows import Rows
from ..rule import VarDE
from ..worlds.diagnosis import twins, warn
from ..worlds.function import Actions, listing
from .checks import check_algorithm, check_discount, check_objective, refuse_endless
from .lookout import noticed
from .loop import NOWHERE, OBJECTIVES, Run
from .policy import Policy, policy_of
from .run import Driver, empty_task, seen_of
from .states import Places

if TYPE_CHECKING:
    from .store import Store

STREAM = "identify-policy"
ELSEWHERE = object()
NEW, MANY = 0.9, 500  # so many states, for so large a share of the steps, look like continuous numbers


class Learner:
    """Learns a policy by ask and tell, in a world that you step yourself, simulated or real.

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

    Args:
        actions: a list, or a function of the state.
        key: a function that makes a hashable name from a state; without it, states must be hashable.
        discount: the discount factor per step; 1 is for worlds in which every episode ends.
        horizon: the maximum length of an episode in steps.  What is best then depends on how many are left:
            ``policy[state, step]``, steps counted from 0.
        objective: "start" for the best value where episodes begin, or "all" for the best value in every state.
        store: a file that keeps everything; the same call continues from it.

    After ``over=True`` an episode is over.  Asking from a state that is not the last ``next_state`` begins another
    episode; that costs nothing, and the learner learns where episodes begin.  An episode that was cut short
    (truncated) is not over.  Transitions that were not asked for, such as those of a log, may be told as well.
    """

    @helpful(
        world="ask and tell are yours to call; write varde.learn(world, budget) to have it done",
        stop="ask and tell are yours to call; look at recommend().p_right, or write varde.learn(..., stop=0.05)",
        seconds="ask and tell are yours to call, and so is the time they take",
        workers="ask and tell are yours to call",
        progress="print the learner, or its recommend(), whenever you like",
    )
    def __init__(
        self,
        actions: Actions,
        discount: float = 0.99,
        *,
        objective: str = "start",
        horizon: int | None = None,
        algorithm: Algorithm = VarDE(),  # noqa: B008
        seed: int = 0,
        key: Callable[[Any], Hashable] | None = None,
        store: str | os.PathLike[str] | None = None,
        budget: int = 0,  # total steps, if known: some algorithms need it
    ):
        self.undiscounted: bool = discount == 1.0
        self.discount: float = check_discount(discount)
        self.objective: str = check_objective(objective)
        if horizon is not None:
            horizon = whole("horizon", horizon, "the maximum length of an episode in steps, 1 or more")
        self.horizon: int | None = horizon
        self.algorithm: Any = check_algorithm(algorithm)
        self.seed: int = seed_number(seed)
        listed = listing(actions)
        self.key = key
        timeless = self.horizon is None
        self.atlas: Places = Places(listed, key) if timeless else Places(lambda timed: listed(timed[0]), timed(key))
        rng = stream(named_key(self.seed, STREAM))
        task = empty_task(self.discount, budget, OBJECTIVES[self.objective])
        self.driver: Driver = Driver(self.algorithm, task, rng)
        self.use: Use = Use()
        self._last: tuple[int, int, Any] = (-1, -1, None)  # the last answer: a state, an action, its name
        self._stands: tuple[Any, int] = (ELSEWHERE, 0)  # with a horizon: where, and after how many steps
        self.left: tuple[int, int] = (NOWHERE, -1)  # where the file ended, and the action that was to be taken there
        self.bounds: tuple[float, float] | None = None  # of all rewards, if ``learn`` steps a table that says so
        self.world: Any = None  # the random numbers of a world that ``learn`` steps, as the file has them
        self.store: Store | None = None
        if store is not None:
            from .store import Store  # sqlite is imported only where there is a file

            self._go_on_with(Store(store))

    @property
    def steps(self) -> int:
        """The number of steps so far, including those told from elsewhere."""
        return int(self.driver.run.now.step[0])

    @property
    def seen(self) -> Rows:
        """Everything observed, states and actions by number."""
        return seen_of(self.driver.run)

    @uninterrupted()
    @alone(BRIEFLY)
    def ask(self, state: Any, step: int | None = None) -> Any:
        """Return the action to take in ``state``; with a horizon, give ``step`` if it does not follow the last one."""
        if self.horizon is not None or step is not None:
            state = self._timed(state, step)
        s = self._number(state)
        legal = self.atlas.legal[s]
        if not legal:
            raise ValueError(f"state {state!r} has no actions, the episode is over: ask from where the next one begins")
        action = self._ask(s)
        self._last = s, action, legal[action]
        return legal[action]

    @uninterrupted()
    @alone(BRIEFLY)
    def tell(
        self, state: Any, action: Any, reward: float, next_state: Any, over: bool = False, step: int | None = None
    ) -> None:
        """Record the outcome of ``action`` in ``state``; ``over`` says that the episode ended there."""
        over = flag("over", over)
        if self.horizon is not None or step is not None:
            state = self._timed(state, step)
        s = self._number(state)
        place, number, name = self._last
        if s != place or action is not name:
            number = self._action(s, action)
        worth = self._reward(reward, s, number)
        if self.horizon is not None:
            step = state[1] + 1
            over = over or step == self.horizon
            next_state = next_state, step
            self._stands = (ELSEWHERE if over else self._named(next_state[0])), step
        after = self._number(next_state, over)
        self._note(s, number, after, 0, worth)
        self.driver.tell(s, number, worth, after)
        self.save()

    @alone(BRIEFLY)
    def recommend(self) -> Policy:
        """Return the best policy of the model of the data."""
        return self._policy("not yet")

    def _so_far(self, stopped: str = "not yet") -> Policy:
        """The policy so far, without warnings."""
        run, names, timed = self.driver.run, self.atlas.called, self.horizon is not None
        return as_policy(run, names, self.atlas.legal, stopped, self.key, self.bounds, timed)

    def _policy(self, stopped: str) -> Policy:
        """The final policy; warns if something makes it worthless."""
        policy = self._so_far(stopped)
        if self.undiscounted and self.horizon is None:
            refuse_endless(self.seen, policy, self.atlas.numbers)
        if alike := twins(self.atlas):
            warn(alike)
        elif len(policy) > max(MANY, NEW * self.steps):
            warnings.warn(
                f"{self.steps:,} steps visited {len(policy):,} states, most of them only once: nothing can be learned "
                "unless states come up again. Write key=function, which gives similar states the same name",
                stacklevel=4,
            )
        return policy

    # -- by number ---------------------------------------------------------------------------------

    def _ask(self, s: int) -> int:
        self._note(s, -1, 0, 1, 0.0)
        return self.driver.ask(s)

    def _note(self, s: int, action: int, after: int, go_on: int, reward: float) -> None:
        """Enter a row of the file: an outcome, or that an action was asked for."""
        if self.store is not None:
            now, met = self.driver.run.now, self.driver.run.task.met
            stood = int(now.state[0]) if now.begun[0] else NOWHERE
            self.store.turns.append((int(met[0]), stood, s, action, after, go_on, reward))

    def _number(self, state: Any, over: bool = False) -> int:
        """The number of a state; makes room for it."""
        number = self.atlas.meet(state, over)
        if number >= self.driver.run.task.met[0]:
            self.driver.admit(self.atlas.legal)
        return number

    def _admit(self, name: Hashable, actions: Sequence[Hashable]) -> int:
        """The number of a state by its name, with the actions that it has."""
        atlas = self.atlas
        number = atlas.numbers.get(name, NOWHERE)
        if number >= 0 and atlas.legal[number] is actions and not atlas.recalled:
            return number
        number = atlas.recall(name, actions)
        if number >= self.driver.run.task.met[0]:
            self.driver.admit(self.atlas.legal)
        legal = self.atlas.legal[number]
        if legal is not actions and set(legal) != set(actions):
            raise ValueError(
                f"state {name!r:.100} had the actions {shown(legal)} and now has {shown(actions)}: its name leaves "
                "out something that matters; make that part of the name"
            )
        return number

    def _reward(self, reward: Any, s: int, action: int) -> float:
        if type(reward) is float and -LARGEST <= reward <= LARGEST:
            return reward
        number = as_float(reward)
        if number is not None and abs(number) <= LARGEST:
            return number
        where = f"in state {self.atlas.called[s]!r}, action {self.atlas.legal[s][action]!r}"
        raise ValueError(f"the reward is {shown(reward)} {where}: write {FINITE}")

    def _action(self, s: int, action: Any) -> int:
        legal = self.atlas.legal[s]
        try:
            return legal.index(action)
        except ValueError:
            name = self.atlas.called[s]
            raise ValueError(f"{action!r} is not an action of state {name!r}: write one of {legal}") from None

    def _named(self, state: Any) -> Any:
        return state if self.key is None else self.key(state)

    def _timed(self, state: Any, step: int | None) -> tuple[Any, int]:
        """A state and how many steps of the episode were made before it."""
        if self.horizon is None:
            raise TypeError(
                f"step is {shown(step)}, which only matters with a horizon: leave it out, or write horizon="
            )
        name = self._named(state)
        if step is None:
            step = self._stands[1] if self._stands[0] is not ELSEWHERE and self._stands[0] == name else 0
        step = whole(
            "step", step, f"how many steps of the episode came before it, 0 to {self.horizon - 1}", 0, self.horizon - 1
        )
        self._stands = name, step
        return state, step

    # -- in a file ---------------------------------------------------------------------------------

    def save(self) -> None:
        """Write everything so far to the file."""
        if self.store is not None:
            self.store.write(self.atlas.called, self.atlas.legal, self.atlas.end, self.world)

    def close(self) -> None:
        """Close the file."""
        if self.store is not None:
            self.store.close()

    def __repr__(self) -> str:
        seen = f"{self.steps:,} steps, {len(self.atlas.states):,} states"
        return f"<Learner: {seen}; recommend() gives the policy>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a Learner is not copied or pickled: write store=file, which another process can open later")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _go_on_with(self, store: Store) -> None:
        """Replay what is in the file."""
        try:
            mine, known = self.settings, store.settings()
            for what in mine if known else ():
                if known[what] != mine[what]:
                    raise ValueError(
                        f"{store.path} was made with {what}={known[what]!r} and now it is {mine[what]!r}: write the "
                        "same, or another name for store="
                    )
            if not known:
                store.begin_with(mine)
            for name, actions, end in store.states():
                self.atlas.recall(name, actions) if not end else self.atlas.meet(None, True)
            turns, self.world = store.history()
            driver, room = self.driver, 0
            for met, at, s, action, after, go_on, reward in turns.tolist():
                if met > room:
                    driver.admit(self.atlas.legal[:met])
                    room = met
                driver.run.now.state[0] = at
                answer = driver.ask(s) if action < 0 else driver.tell(s, action, reward, after, bool(go_on))
            if len(turns):
                self.left = (after if action >= 0 else s), (answer if go_on else -1)
        except BaseException:
            store.close()
            raise
        self.store = store

    @property
    def settings(self) -> dict[str, Any]:
        """The settings two learners must share to be the same, as the file keeps them."""
        return {
            "discount": 1.0 if self.undiscounted else self.discount,
            "objective": self.objective,
            "horizon": self.horizon,
            "algorithm": repr(self.algorithm),
            "seed": self.seed,
        }


def as_policy(
    run: Run,
    states: Sequence[Any],
    legal: Sequence[Sequence[Any]],
    stopped: str,
    key: Callable[[Any], Hashable] | None = None,
    bounds: tuple[float, float] | None = None,
    timed: bool = False,
) -> Policy:
    """The policy by names; states in which an episode is over are left out."""
    if run.now.step[0] == 0:
        raise ValueError("there is no policy yet, since no step was made: tell a transition, or give it more time")
    return policy_of(seen_of(run), run.task.discount, states, legal, stopped, key, bounds, timed, noticed(run))


def timed(key: Callable[[Any], Hashable] | None) -> Callable[[Any], Hashable] | None:
    """The key of a state together with its step."""
    return None if key is None else lambda state: (key(state[0]), state[1])
