"""How sure a move is: the chances and intervals of its actions.

The propagated variance v of a value Q is that of its samples.  A search has another error that no sample shows: below
an action it has not searched everywhere, and what it has not found is not in Q.  The optimistic value bounds
how much that may be, and less of it is realistic the larger the share f of steps that led to known states.  So with
h = |optimistic value - Q|, n simulations, K actions,

    tried:    normal, mean Q, variance e = v / 3 + (1.1 - f) h^2 / 25 + x    (3 v without an optimistic value)
    untried:  normal, mean of the tried Q, variance of the tried Q among each other + mean of their e
    P         of being the largest of these (certainty.largest); stated: (n P + 1) / (n + K), that of the action taken
              being level with any that is higher: less is known of those

x is the price of an outcome that never came (``certainty/unseen.py``): it lies at the farther end of the returns that
are possible, known from a table or from ``bounds``, and is 0 where neither is.

How much h overstates depends on the world, equally for all actions.  So P is the mean of three: with a quarter of these
standard deviations, with them, and with sixteen times as much.  The expected loss is that of a quarter of them.

A longer search finds better continuations, so that values rise: the 95 % interval reaches from
Q - 2 sqrt(3 v + h^2 / 25 + x) to Q + (h + 2 sqrt(9 v + h^2 / 25 + x)) (1 + 6 / n), or the other way round if it is
below Q, as in games.  That of the state reaches up to the highest of any action, since the best may be another than the
one recommended.  One simulation tells nothing: 1 / K each.  docs/planning.md has the calibration.

Where paths meet (``graph.py``) errors add up, v = e^2, with o of it from the step itself, and the optimistic value is
an upper bound: P is that of the variances max(o, v / 3) + x, the interval reaches from Q - 2 sqrt(v + x) to the
optimistic value + 2 sqrt(x), and the expected loss is that of o + x: the errors of later steps are mostly common to all
actions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..beliefs.student import DEVIATE
from ..certainty import Beliefs, Confidence, judge, largest
from ..certainty.chances import level_with_the_best
from ..certainty.unseen import unseen_variance
from ..worlds.record import BERNOULLI, NORMAL, World, is_listed

SAMPLES = 1.0 / 3.0  # factor of v in the variance for P(best)
SOME = 1.1  # the factor of h^2 at f = 0; a tenth where all is known
UNSEARCHED = 1.0 / 25.0  # factor of h^2 in a variance
CAUTION = 3.0  # times v, without an optimistic value
LOW, HIGH = 3.0, 9.0  # times v in an interval: towards lower values, and towards the optimistic value
SCALES = (0.25, 1.0, 16.0)  # of all errors of a tree together, equally likely
VOTE = 1.0  # pseudo-simulations that vote for every action
ERRORS = 2.0  # errors below the value of an action where samples of all depths count
WIDER = 2.0  # the 95 % margin of a lead is wider than a normal one by this factor
LEAST = 1e-18  # of the variance of values and returns is left where a value is known exactly
EARLY = 6.0  # simulations up to which the optimistic value itself is too low
SMALLEST = 1e-140  # of values: the squares of smaller ones are 0, and nothing is known of their noise
LONGEST = 5_000_000  # outcomes times steps: a range of returns that takes longer than some 50 ms is not computed


class Choice(NamedTuple):
    """The actions of a node as the search knows them, one entry per legal action."""

    values: np.ndarray  # [K] Q; nan where never tried
    variances: np.ndarray  # [K] of Q, as propagated; nan where the algorithm does not know it
    optimistic: np.ndarray  # [K] optimistic values; nan if the algorithm has none
    counts: np.ndarray  # [K] simulations
    draws: np.ndarray  # [K] of them, those that drew a new outcome of the action
    spread: float  # the variance of the returns; nan where the algorithm does not know it
    taken: int  # the recommended one, -1 if there is none
    known: float = 0.6  # f, the share of steps that led to a known state
    unseen: np.ndarray | float = 0.0  # [K] the variance from outcomes that never came; 0 where no range is known
    own: np.ndarray | None = None  # [K] of the variances, what is of this step, where errors add up; else None

    @property
    def silent(self) -> bool:
        """Whether nothing can be said: the algorithm keeps no variances, or the values are too small."""
        tried = self.counts > 0
        top = float(np.abs(self.values[tried]).max(initial=0.0))
        return bool(np.isnan(self.variances[tried]).any() or 0.0 < top < SMALLEST)

    def of_tried(self) -> Choice:
        """The same among the tried actions only, where actions are sampled."""
        tried = np.flatnonzero(self.counts)
        values, variances, optimistic, counts, draws = (part[tried] for part in self[:5])
        taken = int(np.searchsorted(tried, self.taken))
        unseen = self.unseen[tried] if isinstance(self.unseen, np.ndarray) else self.unseen
        own = None if self.own is None else self.own[tried]
        return Choice(values, variances, optimistic, counts, draws, self.spread, taken, self.known, unseen, own)


def how_sure(choice: Choice, margin: float = 0.0) -> Confidence | None:
    """Chances, intervals and expected loss; None if nothing can be said.

    With a ``margin`` the recommended action is also the best if it is worse by less.
    """
    if choice.silent or choice.taken < 0:
        return None
    tried, size, spent = choice.counts > 0, choice.counts.size, float(choice.draws.sum())
    q = np.where(tried, choice.values, 0.0)
    away = np.where(tried & np.isfinite(choice.optimistic), choice.optimistic - q, 0.0)
    lows, highs = intervals(choice, q, away, spent)
    between = float(q[tried].var(ddof=1)) if tried.sum() > 1 else 0.0
    spread = choice.spread if math.isfinite(choice.spread) else 0.0
    if size == 1:
        chances, loss, errors = np.ones(1), 0.0, np.zeros(1)
    elif spent < 2 or not (between > 0.0 or spread > 0.0 or choice.variances[tried].max() > 0.0):
        chances, loss, errors = np.full(size, 1.0 / size), math.nan, np.zeros(size)
        lows, highs = np.full(size, -math.inf), np.full(size, math.inf)
    else:
        errors = error_variance(choice, away)
        errors = np.maximum(errors, LEAST * (between + spread + errors.max()))  # nothing is known without an error
        centers = np.where(tried, q, q[tried].mean())
        centers[choice.taken] += margin
        normal = np.full(size, math.inf)
        scales = SCALES if choice.own is None else (1.0,)
        found = [largest(Beliefs.students(centers, s * np.sqrt(errors), normal), choice.taken) for s in scales]
        loss = found[0][1]  # larger scales tell how likely something better is, not how much better
        if choice.own is not None:
            apart = for_untried(choice, choice.own + choice.unseen)
            apart = np.maximum(apart, LEAST * (between + spread + errors.max()))
            loss = largest(Beliefs.students(centers, np.sqrt(apart), normal), choice.taken)[1]
        chances = (spent * np.mean([p for p, _ in found], axis=0) + VOTE) / (spent + VOTE * size)
        chances = level_with_the_best(chances, choice.taken)
    gap = lead(choice, chances, errors)
    return Confidence(choice.taken, chances, loss, lows, highs, judge(chances, choice.taken), gap)


def error_variance(choice: Choice, away: np.ndarray) -> np.ndarray:
    """[K] of the values, for comparing them; an untried action is another like the tried ones."""
    if choice.own is not None:
        return for_untried(choice, np.maximum(SAMPLES * choice.variances, choice.own) + choice.unseen)
    missed = UNSEARCHED * (SOME - choice.known) * away * away + choice.unseen
    factors = np.where(np.isfinite(choice.optimistic), SAMPLES, CAUTION)
    return for_untried(choice, factors * choice.variances + missed)


def for_untried(choice: Choice, own: np.ndarray) -> np.ndarray:
    """[K] the same, and for an untried action what goes for another like the tried ones."""
    tried = choice.counts > 0
    between = choice.values[tried].var(ddof=1) if tried.sum() > 1 else 0.0
    return np.where(tried, own, between + own[tried].mean())


def intervals(choice: Choice, q: np.ndarray, away: np.ndarray, spent: float) -> tuple[np.ndarray, np.ndarray]:
    """[K] both ends; infinite for an action that was never tried."""
    tried = choice.counts > 0
    if choice.own is not None:
        margin = ERRORS * np.sqrt(np.where(tried, choice.variances, math.inf) + choice.unseen)
        return q - margin, np.where(tried, q + away + ERRORS * np.sqrt(choice.unseen), math.inf)
    v, missed = np.where(tried, choice.variances, math.inf), UNSEARCHED * away * away + choice.unseen
    near = DEVIATE * np.sqrt(LOW * v + missed)
    far = (np.abs(away) + DEVIATE * np.sqrt(HIGH * v + missed)) * (1.0 + EARLY / spent)
    up = away >= 0.0
    return q - np.where(up, near, far), q + np.where(up, far, near)


def never_came(values: np.ndarray, draws: np.ndarray, ends: tuple[np.ndarray, np.ndarray] | None) -> np.ndarray:
    """[K] the variance of values from outcomes that never came; ``ends`` are the returns that are possible."""
    if ends is None:
        return np.zeros(values.size)
    q = np.where(draws > 0, values, 0.0)
    return np.where(draws > 0, unseen_variance(draws, q, np.where(q - ends[0] > ends[1] - q, *ends)), 0.0)


def attainable(world: World, horizon: int, discount: float) -> tuple[np.ndarray, np.ndarray] | None:
    """[P] the unluckiest and the luckiest return of every pair of a table; None if unknown, or too long to compute.

    An interval that reaches beyond them would promise what the world cannot pay.
    """
    outcomes, pairs = world.outcomes, world.pairs
    if not is_listed(world) or not (pairs["outcomes"] > 0).all() or world.noise == NORMAL:
        return None
    if horizon * len(outcomes) > LONGEST:
        return None
    paid = outcomes["reward"], outcomes["reward"]
    if world.noise == BERNOULLI:
        paid = np.zeros(len(outcomes)), np.where(outcomes["reward"] > 0.0, 1.0, 0.0)
    alive, ends = world.states["width"] > 0, []
    for rewards, gather in zip(paid, (np.minimum, np.maximum), strict=True):
        values, found = np.zeros(alive.size), np.zeros(len(pairs))
        for _ in range(horizon):
            found = gather.reduceat(rewards + discount * values[outcomes["successor"]], pairs["first"])
            values = np.zeros(alive.size)
            values[alive] = gather.reduceat(found, world.states["first"][alive])
        ends.append(found)
    return ends[0], ends[1]


def lead(choice: Choice, chances: np.ndarray, errors: np.ndarray) -> tuple[int, float, float] | None:
    """The strongest rival among those tried, the lead over it, and its 95 % margin."""
    best = choice.taken
    rivals = np.where(choice.counts > 0, np.round(chances, 3), -1.0)
    rivals[best] = -1.0
    if rivals.max() < 0.0:
        return None
    j = int(np.argmax(np.where(rivals == rivals.max(), choice.values, -math.inf)))
    ahead = float(choice.values[best] - choice.values[j])
    return j, ahead, WIDER * DEVIATE * math.sqrt(errors[best] + errors[j])
