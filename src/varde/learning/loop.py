"""Best-policy identification from one trajectory: the loop that every algorithm shares, and its verbs.

Your own algorithm is a record with a case of ``act``, and of the other verbs where the default does not fit; the best
policy of the model of its data is reported in any case.  ``prepare`` runs in Python and makes the arrays; the others
run compiled and reuse them.

What happens at every step (``act``, ``learn``, ``due``) is separate from what happens from time to time (``think``):
the latter can be compiled separately, and called between two steps of a world stepped from Python.

A state in which the episode is over has discount 0 and value 0.  The next episode begins at once: that costs no step
and is not a transition, but starts are counted, so that the same loop serves continuing and episodic tasks.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._compile import helper, verb, whole_number
from ..check import MOST
from ..random import roulette
from ..worlds.record import final_reward, transition
from .experience import Experience, begin_episode, is_full, notice
from .lookout import RESTARTS, SINCE, Lookout, look_around
from .scale import is_new, scale_of, widen

CHOSEN, LED, REPORTED = 1, 2, 3  # faults: an action or a state that does not exist
GOES, PAUSES, WRONG = 0, 1, -3  # what ``advance`` returns
NOWHERE = -1  # Now.state before the first episode
ALL, START = 0, 1  # Task.objective: all states alike, or where episodes begin
OBJECTIVES = {"all": ALL, "start": START}


class Task(NamedTuple):
    """What an algorithm has to learn."""

    discounts: np.ndarray  # [S] gamma, or 0 where the episode is over
    widths: np.ndarray  # [S] how many actions a state has, 1 where the episode is over
    met: np.ndarray  # [1] how many of the S states there are so far; there is room for the others
    starts: np.ndarray  # [n] where episodes begin
    shares: np.ndarray  # [n] how often
    discount: float  # gamma
    num_actions: int  # the most that a state has
    budget: int  # steps in all; 0 if unknown
    room: int  # for outcomes
    objective: int = ALL  # which values count
    least: float = math.inf  # the rewards that there are lie between these,
    most: float = -math.inf  # if that is known beforehand


class Now(NamedTuple):
    """How far a trajectory has come; each an array of one number."""

    state: np.ndarray  # where the last step led
    step: np.ndarray  # how many were made
    begun: np.ndarray  # 1 after ``begin``
    due: np.ndarray  # 1 if it is time to think
    fault: np.ndarray  # CHOSEN, LED or REPORTED,
    number: np.ndarray  # what was chosen, led to or reported,
    bound: np.ndarray  # and how many of those there are


class Run(NamedTuple):
    """One trajectory, as far as it has come."""

    task: Task
    seen: Experience
    memory: Any  # what ``prepare`` made
    now: Now
    rng: np.ndarray
    lookout: Lookout


class Transition(NamedTuple):
    state: int
    action: int
    reward: float
    after: int  # the state it led to
    t: int  # steps before it


@verb(fallback=True)
def prepare(algorithm, task):
    """What the algorithm remembers besides its experience, ready for a run: an array or a record of arrays."""
    return np.empty(0)


@verb(fallback=True)
def begin(algorithm, memory, task, rng):
    """The part of getting ready that needs random numbers."""


@verb(algorithm="learns policies: write varde.learn(...) or varde.learning.measure(...)")
def act(algorithm, memory, task, seen, s, t, rng):
    """The action to take in state ``s`` at step ``t``, counted from 0."""


@verb(fallback=True)
def learn(algorithm, memory, task, seen, step, rng):
    """Learn from a transition, which is already counted in ``seen``."""


@verb(fallback=True)
def due(algorithm, memory, task, seen, step):
    """Whether to ``think`` now, after a transition."""
    return False


@verb(fallback=True)
def think(algorithm, memory, task, seen, rng):
    """Do what takes long, such as solving the model of the data and planning in it."""


@verb(fallback=True)
def started(algorithm, memory, task, seen, s):
    """Learn that an episode begins in ``s``, which is already counted in ``seen``."""


@verb(fallback=True)
def report(algorithm, memory, task, seen, policy, rng):
    """Fill ``policy [S]`` with the actions that the algorithm would take now; action 0 for one that only explores."""
    for s in range(policy.size):
        policy[s] = 0


@verb(fallback=True)
def needs_model(algorithm):
    """Whether the algorithm uses rewards and successors in ``seen``; visits are always counted."""
    return True


@verb(fallback=True)
def rescale(algorithm, memory, task, seen, before, now):
    """The range of the rewards seen has become wider: convert optimistic values to the new unit (``scale.py``)."""


@verb(fallback=True)
def continuing_only(algorithm):
    """Whether the algorithm needs a continuing task, without terminal states."""
    return False


def name_of(algorithm: Any) -> str:
    """The name of an algorithm; a rule keeps its own name."""
    return type(getattr(algorithm, "rule", algorithm)).__name__


def settings_problem(algorithm, *positive):
    """What is wrong with the exploration of an algorithm, or with the settings that have to be positive."""
    for name in positive:
        given = getattr(algorithm, name)
        most = {"moment": 5, "redraws": 10_000}.get(name, MOST)  # moments of order 2^k; draws until a policy differs
        if not 0 < given <= most:
            usual = getattr(type(algorithm)(), name)
            return f"{name} is {given}: write a positive number, at most {most:,}, such as {usual}"
    if not 0.0 <= algorithm.least <= 1.0:
        return f"least is {algorithm.least}: write a probability, such as 0.001"
    return ""


@helper
def draw_start(task, rng):
    """A state in which an episode begins."""
    return task.starts[0] if task.starts.size == 1 else task.starts[roulette(task.shares, 1.0, rng)]


@helper
def be_at(algorithm, run, s):
    """The next step starts in ``s``; if the last one did not lead there, an episode begins."""
    now = run.now
    if now.begun[0] == 0:
        begin(algorithm, run.memory, run.task, run.rng)
        now.begun[0], now.state[0] = 1, NOWHERE
    if now.state[0] != s:
        run.lookout.found[RESTARTS] += 1 if run.lookout.found[SINCE] > 0 else 0
        run.lookout.found[SINCE] = 0
        begin_episode(run.seen, s)
        started(algorithm, run.memory, run.task, run.seen, s)
        now.state[0] = s


@helper
def enter(algorithm, run, step, keep):
    """Enter a transition; it may then be time to think."""
    task, seen, over = run.task, run.seen, run.task.discounts[step.after] == 0.0
    if is_new(seen, step.reward) or (over and is_new(seen, 0.0)):
        before = scale_of(task, seen)
        widen(seen, step.reward)
        if over:
            widen(seen, 0.0)
        if task.most < task.least:
            rescale(algorithm, run.memory, task, seen, before, scale_of(task, seen))
    notice(seen, step, over, keep)
    run.now.state[0] = step.after
    learn(algorithm, run.memory, task, seen, step, run.rng)
    run.now.due[0] = 1 if due(algorithm, run.memory, task, seen, step) else 0


@helper
def must_pause(run):
    """Whether it is time to think, or to make room for what will be seen."""
    return run.now.due[0] == 1 or is_full(run.seen)


@helper
def think_on(algorithm, run):
    think(algorithm, run.memory, run.task, run.seen, run.rng)
    run.now.due[0] = 0


@helper
def look_out(run):
    """Notice whether learning is stuck."""
    if run.now.state[0] >= 0:
        look_around(run.task, run.seen, run.now.state[0], run.lookout)


@helper
def chosen(algorithm, run, s, t):
    """The action that the algorithm takes in state ``s``; negative at a fault."""
    task = run.task
    a = whole_number(algorithm, act(algorithm, run.memory, task, run.seen, s, t, run.rng))
    if not 0 <= a < task.widths[s]:
        run.now.state[0], run.now.step[0] = s, t
        run.now.fault[0], run.now.number[0], run.now.bound[0] = CHOSEN, a, task.widths[s]
        return -1
    return a


@helper
def is_policy(run, policy):
    """Whether a reported policy takes actions that exist; records a fault if not."""
    task = run.task
    for s in range(task.met[0]):
        if task.discounts[s] > 0.0 and not 0 <= policy[s] < task.widths[s]:
            run.now.state[0] = s
            run.now.fault[0], run.now.number[0], run.now.bound[0] = REPORTED, policy[s], task.widths[s]
            return False
    return True


@helper
def advance(algorithm, model, run, until, keep):
    """Continue to step ``until``, or return PAUSES earlier (``must_pause``); WRONG at a fault."""
    task, now, rng = run.task, run.now, run.rng
    if now.begun[0] == 0 or run.lookout.found[SINCE] > 0:  # the world is a table, which can be begun anew
        now.state[0] = NOWHERE
        be_at(algorithm, run, draw_start(task, rng))
    s, t = now.state[0], now.step[0]
    while t < until and not must_pause(run):
        if task.discounts[s] == 0.0:
            s = draw_start(task, rng)
            be_at(algorithm, run, s)
        a = chosen(algorithm, run, s, t)
        if a < 0:
            return WRONG
        after, reward = transition(model, s, a, rng)
        after = whole_number(model.model, after)
        if not 0 <= after < task.discounts.size:
            now.state[0], now.step[0] = s, t
            now.fault[0], now.number[0], now.bound[0] = LED, after, task.discounts.size
            return WRONG
        if task.discounts[after] == 0.0:
            reward += task.discounts[s] * final_reward(model.model, after, rng)
        enter(algorithm, run, Transition(s, a, reward, after, t), keep)
        s = after
        t += 1
    now.step[0] = t
    return PAUSES if must_pause(run) else GOES
