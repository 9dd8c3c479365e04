"""``learn``: learn a policy in a world, stepped inside the kernel (a table), as a function, or as an environment."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._compile import slices, working_time
from .._keywords import helpful
from ..certainty.stopping import Stop, check_delta
from ..check import MOST, positive, seed_number, shown
from ..protocols import Algorithm
from ..random import key as named_key
from ..random import stream
from ..rule import VarDE
from ..show.progress import Watch, watching
from ..worlds.diagnosis import look_for_mistakes
from ..worlds.function import Actions, Function, failed, timed
from ..worlds.gymnasium import has_table
from ..worlds.spaces import is_environment
from ..worlds.stepping import Walk
from ..worlds.table import Table
from ..worlds.world import WorldLike, as_world, draw_start, made, stepped
from .checks import check_algorithm, check_budget, check_discount, check_table, refuse_endless
from .learner import STREAM, Learner, as_policy
from .loop import NOWHERE
from .policy import Policy
from .run import Driver, known_bounds, seen_of, task_of
from .within import Good, Within

FIRST, LATER = 100, 2.0  # when ``stop`` is asked: after so many steps, and whenever there are so many times as many
AGAIN = 1.25  # likewise after a yes, which has to come twice
BRIEF = 0.001  # seconds between two looks at the clock, at most
FEW = 50  # steps after which mistakes in the world are looked for


@helpful(
    workers="it learns from one step after the other",
    objective="write varde.Learner(..., objective={}), or leave it out",
    state="write start=..., where episodes begin",
    discretise="write key=function, which gives an observation its name",
    episodes="write budget=..., a number of steps",
    observe="learning takes what step returns for the state; write varde.plan(..., observe={})",
    goal="rewards are to be high; write the negative of what is to be low",
)
def learn(
    world: WorldLike | str,
    budget: int,
    *,
    discount: float = 0.99,
    horizon: int | None = None,
    seconds: float = math.inf,
    stop: float | Stop | Callable[[Policy], bool] | None = None,
    algorithm: Algorithm = VarDE(),  # noqa: B008
    actions: Actions | None = None,
    start: Any = None,
    seed: int = 0,
    key: Callable[[Any], Hashable] | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[int], object] | None = None,
) -> Policy:
    """Learn a policy from ``budget`` steps, and say how good it is and where it may be wrong.

    >>> import varde
    >>> policy = varde.learn(varde.environments.river_swim(5), 10_000, discount=0.99)
    >>> policy[0], policy.uncertain
    ('right', [])

    Args:
        world: a table (``varde.tabulate``), a Gymnasium environment with discrete actions or the name
            of one, an object with ``step(state, action, rng)`` and ``actions(state)``, or such a step function
            with ``actions=``.  A step returns ``(state, reward)`` or ``(state, reward, over)``.
        start: a state or a function of a Generator where episodes begin, instead of the world's own start.
        seconds: time limit.  At Ctrl-C, too, the policy so far is returned, with ``stopped="interrupted"``.
        key: a function that gives a state or an observation its name.
        discount: the discount factor per step; 1 is for worlds in which every episode ends.
        horizon: the maximum length of an episode in steps, as in ``Learner``.
        store: a file; the same call continues from it, until there are ``budget`` steps in total.
        stop: ``stop=0.05`` ends before the budget is spent, as soon as ``p_right`` is 95 %, and no action that was
            never tried might make a difference; ``varde.Stop(0.05, margin=1)`` or ``varde.Within(1, 0.95)`` if a loss
            of 1 does not matter; or a function that is asked from time to time whether the policy so far will do.
    """
    algorithm = check_algorithm(algorithm)
    budget, seed = check_budget(budget), seed_number(seed)
    seconds = positive("seconds", seconds, "how long it may take, more than 0, or leave it out")
    check_discount(discount)
    rule = check_stop(stop)
    given = made(world) if isinstance(world, str) else world
    if key is not None and not callable(key):
        raise TypeError(f"key is {shown(key)}: write a function that gives a state or an observation its name")
    with watching(progress, budget) as watch:
        ends = Ends(budget, seconds, rule, watch)
        how: dict[str, Any] = {
            "horizon": horizon,
            "algorithm": algorithm,
            "seed": seed,
            "store": store,
            "budget": budget,
        }
        if is_environment(given) and not (has_table(given) and key is None and store is None and horizon is None):
            if actions is not None or start is not None:
                name = "actions" if actions is not None else "start"
                raise TypeError(f"{given} knows its actions and where it starts: leave out {name}=")
            walk = Walk(given, key)
            with Learner((), discount, key=walk.key, **how) as learner:
                rng = generator(learner)
                stopped = drive(learner, in_environment(learner, walk, rng), rng, ends)
                return ends.promised(learner._policy(stopped))
        found = as_world(given, actions, start=start, key=key)
        if not isinstance(found, Table) and found.player is not None:
            raise TypeError(
                f"{given!r:.200} has two players: write varde.plan(...) for every move, learning is for one"
            )
        if not isinstance(found, Table) and found.forward is not None:
            raise TypeError(
                "observe hides the state, and learning needs it: let step return what is to be taken for it"
            )
        bounds = None
        if isinstance(found, Table):
            table = check_table(algorithm, found)
            bounds = known_bounds(table.model)
            goes_on = start is None and len(table.starts) == 1 and all(map(table.legal, range(len(table.states))))
            how["objective"] = "all" if goes_on else "start"
            if store is None and horizon is None:
                return ends.promised(in_table(table, discount, how["objective"], algorithm, seed, ends))
            found = stepped(table)
            found.start = lambda rng: draw_start(table, rng)
        with Learner(found.actions, discount, key=found.key, **how) as learner:
            learner.bounds = bounds
            rng = generator(learner)
            stopped = drive(learner, in_function(learner, found, rng), rng, ends)
            return ends.promised(learner._policy(stopped))


def check_stop(stop: Any) -> Callable[[Policy], bool] | None:
    """The rule that ends learning, from the probability of a worse policy, a ``Stop``, or a rule of the user's."""
    if isinstance(stop, Stop):
        if stop.bounds is not None:
            raise ValueError(f"stop has the bounds {stop.bounds}, which learning cannot use: write Stop(delta, margin)")
        return Good(stop.delta) if stop.margin == 0.0 else Within(stop.margin, 1.0 - stop.delta)
    if stop is None or callable(stop):
        return stop
    if isinstance(stop, (str, bytes)):
        raise TypeError(f"stop is {stop!r:.100}: write 0.05, varde.Within(0.05, 0.95), or a function of the policy")
    return Good(check_delta("stop", stop))


class Ends:
    """What ends learning before the budget is spent: the time limit, or ``stop``; and the progress display."""

    def __init__(self, budget: int, seconds: float, stop: Callable[[Policy], bool] | None, watch: Watch):
        self.sure = False  # whether ``stop`` ended it
        self.budget, self.stop, self.watch = budget, stop, watch
        self.end = working_time() + seconds
        self.asked = FIRST if stop is not None else MOST  # the step at which to ask next
        self.met = False  # what the answer was
        self.look, self.looked, self.apart = 0, 0.0, 1  # the step at which to look at the clock; when that was; steps

    def reached(self, steps: int, policy: Callable[[], Policy]) -> str:
        """The reason to end now, if there is one; ask again after step ``look``."""
        now = working_time()
        if now >= self.end:
            return "seconds"
        self.watch.tick(steps, now)
        if steps >= self.asked and self.stop is not None:
            before, self.met = self.met, bool(self.stop(policy()))
            self.asked = max(FIRST, int((AGAIN if self.met else LATER) * steps))
            if self.met and (before or not isinstance(self.stop, Within | Good)):  # frequent looks give false alarms
                self.sure = True
                return "sure"
        self.apart = min(2 * self.apart, 64) if now - self.looked < BRIEF else 1
        self.look, self.looked = min(steps + self.apart, self.asked), now
        return ""

    def promised(self, policy: Policy) -> Policy:
        """The policy with what the rule that ended learning promises."""
        rule = self.stop.delta if isinstance(self.stop, Good) else self.stop
        return replace(policy, promise=rule) if self.sure and isinstance(rule, float | Within) else policy


def in_table(table: Table, discount: float, objective: str, algorithm: Any, seed: int, ends: Ends) -> Policy:
    """A table answers inside the kernel."""
    task = task_of(table, check_discount(discount), ends.budget, objective)
    walk = Driver(algorithm, task, stream(named_key(seed, STREAM)), table.model)
    legal = [table.legal(s) for s in range(len(table.states))]

    def policy(stopped: str = "not yet") -> Policy:
        return as_policy(walk.run, table.states, legal, stopped, None, known_bounds(table.model))

    stopped, done = "", 0
    try:
        while not stopped:
            stopped = (ends.reached(done, policy) if done else "") or ("budget" if done == ends.budget else "")
            until = min(ends.budget, ends.asked)
            end = max(ends.end, working_time() + BRIEF)  # of the first step, if there was no time for anything
            for some, now in slices(walk.go, 0 if stopped else until - done, end=end):
                if now >= ends.end and done + some < ends.budget:
                    stopped = "seconds"
                    break
                ends.watch.tick(done + some, now)
            done = int(walk.run.now.step[0])
    except KeyboardInterrupt:
        stopped = "interrupted"
    found = policy(stopped)
    if discount == 1.0:
        refuse_endless(seen_of(walk.run), found, {name: s for s, name in enumerate(table.states)})
    return found


# -- worlds stepped from Python --------------------------------------------------------------------


class Steps(NamedTuple):
    """How a world is stepped, by the numbers of a learner."""

    begin: Callable[[], int]  # begins an episode; returns where
    step: Callable[[int, int], tuple[int, float, bool]]  # the successor, the reward, whether it is cut short there
    left: tuple[int, int] = (NOWHERE, -1)  # where the file ended, and the action to take there
    look: Callable[[bool], None] = lambda last: None  # for mistakes that no single step shows


def in_function(learner: Learner, world: Function, rng: np.random.Generator) -> Steps:
    """A function, which may be called for any state."""
    atlas, looked = learner.atlas, False
    world = world if learner.horizon is None else timed(world, learner.horizon)
    forwards = callable(world.start)  # which may reset an environment that the step continues

    def begin() -> int:
        s = learner._number(draw_start(world, rng))
        if not atlas.legal[s]:
            raise ValueError(f"the start {atlas.called[s]!r} has no actions: write start=..., a state that has some")
        return s

    def look(last: bool) -> None:
        nonlocal looked
        if not looked and (last or not forwards):
            looked = True
            look_for_mistakes(world, atlas, again=not forwards, refused=True)

    left = (NOWHERE, -1) if atlas.recalled else learner.left  # of the other states only names are known
    return Steps(begin, atlas.steps(world.step, rng), left, look)


def in_environment(learner: Learner, walk: Walk, rng: np.random.Generator) -> Steps:
    """An environment, which only goes forwards; what is seen has numbers."""
    atlas, horizon, clock = learner.atlas, learner.horizon, 0

    def number(name: Hashable, legal: tuple[Any, ...]) -> int:
        return learner._admit(name if horizon is None else (name, clock), legal)

    def begin() -> int:
        nonlocal clock
        name, legal = walk.begin(rng)
        if not legal:
            raise ValueError(f"no action is legal at the start {name!r:.100}: leave at least one unmasked")
        clock = 0
        return number(name, legal)

    def step(s: int, a: int) -> tuple[int, float, bool]:
        nonlocal clock
        action = atlas.legal[s][a]
        try:
            reward, over, cut = walk.take(action)
            name, legal = walk.spot
        except Exception as error:
            raise failed(error, atlas.called[s], action) from error
        clock += 1
        over = over or clock == horizon
        return learner._number(None, True) if over else number(name, legal), reward, cut

    return Steps(begin, step)


def drive(learner: Learner, world: Steps, rng: np.random.Generator, ends: Ends) -> str:
    """Step a world until there is a reason to end; returns the reason."""
    driver, legal, store, step = learner.driver, learner.atlas.legal, learner.store, world.step
    known, stopped, made = 0, "", learner.steps
    soon = made + FEW
    ends.look = 0 if made else 1  # some answer must be given, even if there was no time for anything

    def begin() -> tuple[int, int]:
        s = world.begin()
        driver.run.now.state[0] = NOWHERE
        return s, learner._ask(s)

    try:
        s, a = world.left
        if (a < 0 or driver.stuck) and made < ends.budget:
            s, a = begin()
        while made < ends.budget:
            if made >= ends.look:
                keep(learner, rng)
                stopped = ends.reached(made, learner._so_far)
                if stopped:
                    break
                if made >= soon:
                    world.look(False)
            after, reward, ended = step(s, a)
            if len(legal) > known:
                driver.admit(legal)
                told, known = driver.told, len(legal)
            goes_on = not ended and bool(legal[after])
            if store is not None:
                store.turns.append((known, s, s, a, after, int(goes_on), reward))
            a = told.call(s, a, reward, after, goes_on)
            made += 1
            if a < 0:
                a = driver.settled(after, goes_on)
            s = after
            if (not goes_on or driver.stuck) and made < ends.budget:
                s, a = begin()
    except KeyboardInterrupt:
        stopped = "interrupted"
        learner.atlas.mend()
    finally:  # what was seen before the world failed is kept, too
        keep(learner, rng, at_once=True)
    world.look(True)
    return stopped or "budget"


def generator(learner: Learner) -> np.random.Generator:
    """The random numbers of the world, continued from the file if there is one."""
    rng = np.random.default_rng([int(word) for word in named_key(learner.seed, STREAM)])
    if learner.world is not None:
        rng.bit_generator.state = learner.world
    return rng


def keep(learner: Learner, rng: np.random.Generator, at_once: bool = False) -> None:
    """Write to the file how far learning is, and the state of the random numbers."""
    if learner.store is not None and (at_once or time.monotonic() >= learner.store.due):
        learner.world = rng.bit_generator.state
        learner.save()
