"""The trials under way: where each is, how it got there, what was wrong with a number; random play beyond the tree."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..random import integer, uniform
from ..worlds.record import final_reward

DONE, NO_ROOM, WRONG, PLAY = -1, -2, -3, -4  # what ``run`` returns in place of a request
ACTIONS = 15  # bits of an action in a request: state << ACTIONS | action
# Phases of a trial: none; at a node; waiting for a transition, after which it leaves the tree (LEAVING), or of random
# play (PLAYING); beyond the tree; over, and where it left the tree its node gets the return (LEAF).
IDLE, GOING, ASKING, LEAVING, PLAYING, LEFT, OVER, LEAF = 0, 1, 2, 3, 4, 5, 6, 7
CHOSEN, LED, CREDITED, UNSOUND = 1, 2, 3, 4  # faults: which number is invalid


class Settings(NamedTuple):
    """How to search, whatever the algorithm."""

    horizon: int
    discount: float
    keep: bool  # the whole trajectory joins the tree; otherwise one node does, and random play finishes the trial
    graph: bool  # a state at a depth is one node, however it was reached
    pooled: bool  # and so is a state at whatever depth
    pending: int  # trials that may be under way at once
    widest: int  # the most actions of a state
    labels: int  # actions of the whole world, however many are legal in a state
    asks: bool  # transitions come from Python
    exact: bool  # rewards are those of a table
    noisy: bool  # the end of an episode pays
    informed: bool  # somebody gave values of states
    players: int
    eager: bool  # the edges of a node are made before its first choice, with ``on_new_edge``
    sampled: bool  # actions are sampled: the first of a state is the one that led there
    follows: bool  # trials may follow outcomes seen before, without asking: not in an environment that goes forward


class Trials(NamedTuple):
    """The trials under way."""

    # [B] phase, node, depth; the state and the action that are asked for; steps of random play left; the algorithm's;
    # the chance to repeat an action; return and discount of random play; the reward of the step that left the tree
    now: np.ndarray
    path: np.ndarray  # [B (H + 1)] how each got there; an outcome is negative where it was followed without asking
    left: np.ndarray  # [1] trials still to begin
    fault: np.ndarray  # [4] an invalid number: which fault, the state, the number, its bound


TRIAL = np.dtype(
    [(name, np.int64) for name in ("phase", "node", "depth", "state", "action", "steps", "flag")]
    + [(name, np.float64) for name in ("hold", "gain", "factor", "reward")],
    align=True,
)
STEP = np.dtype([("node", np.int64), ("edge", np.int64), ("outcome", np.int64), ("reward", np.float64)], align=True)


def make_trials(pending: int, horizon: int) -> Trials:
    path = np.zeros(pending * (horizon + 1), STEP)
    return Trials(np.zeros(pending, TRIAL), path, np.zeros(1, np.int64), np.zeros(4, np.int64))


@helper
def end_here(world, tree, trials, settings, t, rng):
    """A trial is where the episode is over, or at the horizon."""
    node, gain = trials.now.node[t], np.nan
    if settings.informed:
        gain = world.states.value[tree.nodes.state[node]]
    if settings.noisy and tree.nodes.width[node] == 0:
        gain = final_reward(world.model, tree.nodes.state[node], rng)
    trials.now.phase[t] = LEAF if settings.noisy or not math.isnan(gain) else OVER
    trials.now.gain[t] = 0.0 if math.isnan(gain) else gain


@helper
def leave(trials, t, steps):
    """A trial leaves the tree: random play follows, for so many steps at most."""
    trials.now.phase[t], trials.now.steps[t] = LEFT, steps
    trials.now.gain[t], trials.now.factor[t] = 0.0, 1.0


@helper
def play_on(world, trials, settings, t, rng):
    """The next step of random play; False if it is over, and the trial counts."""
    now, state = trials.now, trials.now.state[t]
    actions = world.states.width[state]
    if now.steps[t] > 0 and actions > 0:
        alone = settings.asks and settings.pending == 1  # then Python plays to the end
        now.phase[t], now.action[t] = PLAYING, PLAY if alone else random_action(world, state, actions, rng)
        return True
    if settings.noisy and actions == 0:
        now.gain[t] += now.factor[t] * final_reward(world.model, state, rng)
    now.phase[t] = LEAF
    return False


@helper
def random_action(world, state, actions, rng):
    """By the prior, 1 on average, if there is one."""
    first = world.states.first[state]
    if math.isnan(world.pairs.prior[first]):
        return integer(actions, rng)
    left = actions * uniform(rng)
    for action in range(actions - 1):
        left -= world.pairs.prior[first + action]
        if left < 0.0:
            return action
    return actions - 1


@helper
def fault(trials, what, state, number, bound):
    """Record an invalid number."""
    trials.fault[0], trials.fault[1], trials.fault[2], trials.fault[3] = what, state, number, bound
