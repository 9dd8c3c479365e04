"""How sure a learned policy is, from the data, the discount, and the rewards that there are if those are known.

The best policy is computed again in K worlds that the data leave possible (``possible_worlds.py``).  From these:

doubt      the chance that another action is better by more than .1 % of the span of all values: in each of the draws
           the noise of the two actions themselves is integrated out, Phi(-(Q(pi s) - Q(a) + t)/sd), the rest is drawn
value      the 95 % interval reaches from V - (usual luck) - 1.96 sd to V + 1.96 sd, with a deviation for each side: an
           outcome never seen is mostly a worse one.  Luck is how much of the value of the policy found in a draw is due
           to noise, and so how much the policy of the data may owe to its own; it was chosen because it looks good, and
           the lower deviation is at least that of luck
loss       what the policy loses from the starts against the best one, in each draw
state      where what follows an action was seen to depend on more than the state (``lookout.py``), it is at most .5
ceiling    draws repeat what was seen: what no sample has shown limits the chance of a good policy as a whole
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..beliefs.student import DEVIATE, log_phi
from ..certainty.unseen import unseen_chance
from ..rows import Rows, selected
from .lookout import NOTHING, Noticed
from .possible_worlds import Draws, Limits, Model, Solved, draw, model_of, solved
from .within import Within

ROUNDING = 1e-9  # of a value: where every step paid the same, values differ by less
MATTERS = 0.001  # of the range of all values: by how much an action must be better
GOOD = 0.01  # of the range: what a good policy may lose from the starts
ONE_DEVIATION = (0.1587, 0.5, 0.8413)  # quantiles: a few odd draws do not make the interval wide
SWEEPS = 1000  # of what flows through a chain


class Decisions(NamedTuple):
    """Actions tried and not taken: J pairs, against the pairs that are taken."""

    pairs: np.ndarray  # [J]
    taken: np.ndarray  # [J]
    states: np.ndarray  # [J]


@dataclass(frozen=True)
class Certified:
    """A policy for S states that have actions."""

    seen: Rows
    model: Model
    solved: Solved
    starts: np.ndarray  # [S] shares
    bounds: tuple[float, float] | None = None  # of all rewards, 0 included if episodes end, as far as known beforehand
    noticed: Noticed = NOTHING  # of the world

    @property
    def choices(self) -> np.ndarray:
        """[S] the action of each state by its number; the first where none was tried."""
        return self.solved.policy - self.model.first[:-1]

    @cached_property
    def visited(self) -> np.ndarray:
        """[S] whether any action was tried."""
        return self.model.untried < np.diff(self.model.first)

    @cached_property
    def span(self) -> float:
        """The range of the values of actions that were tried; 0 where they differ by rounding alone."""
        worth = self.solved.worth[self.model.tried > 0]
        span = float(np.ptp(worth)) if worth.size else 0.0
        return span if span > ROUNDING * float(np.abs(worth).max(initial=0.0)) else 0.0

    @cached_property
    def draws(self) -> Draws:
        return draw(self.seen, self.model, self.solved, self.starts, self.limits)

    @cached_property
    def seen_range(self) -> tuple[float, float]:
        """The lowest and the highest reward seen; an episode that is over pays 0 from then on."""
        means = np.append(self.seen.means, 0.0) if (self.seen.to < 0).any() else self.seen.means
        return float(means.min()), float(means.max())

    @property
    def paid(self) -> tuple[float, float]:
        """The lowest and the highest reward that there are; without bounds, that were seen."""
        return self.bounds or self.seen_range

    @property
    def limits(self) -> Limits:
        """What values may be, if the rewards are known; one that was not seen yet is somewhere."""
        if self.bounds is None:
            return Limits()
        (low, high), short = self.bounds, ROUNDING * (self.bounds[1] - self.bounds[0])
        hidden = [self.highest] if high > self.seen_range[1] + short else []
        hidden += [self.lowest] if low < self.seen_range[0] - short else []
        return Limits(low / (1.0 - self.model.discount), high / (1.0 - self.model.discount), tuple(hidden))

    @cached_property
    def highest(self) -> float:
        """What an action never tried may be worth: the highest reward there is, and then the best state visited."""
        best = float(self.solved.values[self.visited].max(initial=-math.inf)) + float(np.ptp(self.paid))
        return best if self.bounds is None else min(best, self.bounds[1] / (1.0 - self.model.discount))

    @property
    def lowest(self) -> float:
        """Likewise the lowest reward, if rewards are known, and then the worst state visited."""
        worst = float(self.solved.values[self.visited].min(initial=math.inf)) - float(np.ptp(self.paid))
        return max(worst, self.paid[0] / (1.0 - self.model.discount))

    @cached_property
    def decisions(self) -> Decisions:
        taken = np.zeros(self.model.tried.size, bool)
        taken[self.solved.policy] = True
        pairs = np.flatnonzero((self.model.tried > 0) & ~taken)
        states = self.model.owners[pairs]
        return Decisions(pairs, self.solved.policy[states], states)

    @cached_property
    def scores(self) -> tuple[np.ndarray, np.ndarray]:
        """[J, K] by how much the action taken is better, without their own noise; [J] the deviation of these."""
        pairs, taken, _ = self.decisions
        drawn = self.solved.worth[:, None] + self.draws.unseen + self.draws.after
        return drawn[taken] - drawn[pairs], np.sqrt(self.draws.noise[taken] + self.draws.noise[pairs])

    @cached_property
    def wrong(self) -> np.ndarray:
        """[J, K] the chance that the other action is better by more than what matters."""
        leads, deviations = self.scores
        if self.span == 0.0:  # only rounding tells the actions apart: each has the same chance
            rivals = np.bincount(self.decisions.states, minlength=1)[self.decisions.states]
            return np.broadcast_to((1.0 - (1.0 + rivals) ** (-1.0 / rivals))[:, None], leads.shape)
        ahead, deviations = leads + MATTERS * self.span, deviations[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            noisy = np.exp(log_phi(np.nan_to_num(-ahead / deviations)))
        return np.where(deviations > 0.0, noisy, np.where(ahead == 0.0, 0.5, np.where(ahead < 0.0, 1.0, 0.0)))

    @cached_property
    def doubts(self) -> np.ndarray:
        """[S] the chance that another action is better by more than what matters; 1 if one was never tried.

        Where there is a choice it is never below half a draw of K + 1: so many draws cannot tell less.
        """
        size, draws = self.model.size, self.wrong.shape[1]
        right = np.zeros((size, draws))
        np.add.at(right, self.decisions.states, np.log1p(-np.minimum(self.wrong, 1.0 - 1e-15)))
        doubts = np.clip(-np.expm1(right).mean(1), 0.5 / (draws + 1.0), 1.0)
        chosen = np.bincount(self.decisions.states, minlength=size) > 0
        return np.where(self.model.untried > 0, 1.0, np.where(chosen, doubts, 0.0))

    @cached_property
    def chances(self) -> np.ndarray:
        """[P] the chance of being the best action of the state; actions never tried share evenly."""
        model, widths = self.model, np.diff(self.model.first)
        rivals = np.zeros(model.tried.size)
        rivals[self.decisions.pairs] = self.wrong.mean(1) + 1e-300  # no draw showed any ahead: they share the doubt
        total = np.bincount(model.owners, rivals, model.size)
        doubts = np.where(model.untried > 0, -np.expm1(-total), self.doubts)
        with np.errstate(invalid="ignore", divide="ignore"):
            chances = np.where(total[model.owners] > 0.0, rivals / total[model.owners], 0.0) * doubts[model.owners]
        chances[self.solved.policy] = 1.0 - doubts
        shares = (1.0 - model.untried / widths)[model.owners]
        return np.where(model.tried > 0, chances * shares, 1.0 / widths[model.owners])

    # -- its value ---------------------------------------------------------------------------------

    @cached_property
    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """[S] 95 % of the value of following the policy from each state."""
        return self._interval(self.solved.values, self.draws.luck, self.draws.own)

    @cached_property
    def value(self) -> tuple[float, float, float]:
        """The value from the starts, and its interval."""
        middle = float(self.starts @ self.solved.values)
        both = (np.einsum("s,sk->k", self.starts, x)[None] for x in (self.draws.luck, self.draws.own))
        low, high = self._interval(np.array([middle]), *both)
        return middle, float(low[0]), float(high[0])

    def _interval(self, values: np.ndarray, luck: np.ndarray, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """At least the lowest reward for ever, and at least 0 if no reward was negative; likewise above."""
        low, high = self.paid
        least, most = (end / (1.0 - self.model.discount) for end in (min(low, 0.0), max(high, 0.0)))
        if self.noticed.alarm:  # these are values of another world: any that rewards allow is possible
            ends = [end / (1.0 - self.model.discount) for end in (self.noticed.low, self.noticed.high)]
            return np.minimum(values, ends[0]), np.maximum(values, ends[1])
        lower, usual, upper = np.quantile(luck, ONE_DEVIATION, axis=1)
        down, up = (np.sqrt(2.0 * (np.maximum(sign * own, 0.0) ** 2).mean(1)) for sign in (-1.0, 1.0))
        low = values - np.maximum(usual, 0.0) - DEVIATE * np.maximum((upper - lower) / 2.0, down)
        high = values + DEVIATE * up
        return np.minimum(np.maximum(low, least), values), np.maximum(np.minimum(high, most), values)

    # -- what it may lose --------------------------------------------------------------------------

    @cached_property
    def losses(self) -> np.ndarray:
        """[K] what the policy loses from the starts against the best one of each draw."""
        draws = self.draws
        return np.maximum(np.einsum("s,sk->k", self.starts, draws.best - draws.own), 0.0)

    @property
    def loss(self) -> float:
        """The expected loss."""
        return float(self.losses.mean())

    def regret(self, s: int) -> float:
        """The expected loss of the action of state number ``s`` against the best of the others."""
        leads, deviations = self.scores
        mine = np.flatnonzero(self.decisions.states == s)
        if not mine.size:
            return 0.0
        scale = np.maximum(deviations[mine, None], 1e-300)
        z = np.clip(leads[mine] / scale, -1e100, 1e100)  # squared below
        density = np.exp(-0.5 * np.minimum(z * z, 1400.0)) / math.sqrt(2.0 * math.pi)
        return float(np.maximum(scale * (density - z * np.exp(log_phi(-z))), 0.0).mean(1).max())

    def chance_within(self, loss: float) -> float:
        """The chance that the policy loses at most ``loss`` from the starts; untried actions are like the others.

        Smoothed, since K draws cannot distinguish 0 or 1 from half a draw more or less; and at most ``ceiling``.
        """
        return min((float((self.losses <= loss).sum()) + 0.5) / (self.losses.size + 1.0), self.ceiling(loss))

    def ceiling(self, loss: float) -> float:
        """What the chance of losing at most ``loss`` may be at most, in view of outcomes that were never seen."""
        most = 1.0 - float(self.missed(loss).max(initial=0.0))
        return min(most, 0.5) if self.noticed.alarm else most

    def missed(self, loss: float) -> np.ndarray:
        """[P] the chance that the next sample of a pair tried n times shows something new that costs ``loss``.

        It is new with the chance 1/(n + 2) (Laplace).  An outcome of share x, Beta(1, n), worth at most ``highest``,
        matters if x room > need: room = highest - Q, and need is the gap of the action and what ``loss`` is worth
        there, loss/access.  That has the chance (1 - need/room)^n.
        """
        model, worth = self.model, self.solved.worth
        access, room = self.access[model.owners], self.highest - worth
        need = self.solved.values[model.owners] - worth + loss / np.maximum(access, 1e-300)
        chances = access * unseen_chance(model.tried, need, room, 1.0 / (model.tried + 2.0))
        return np.where(model.tried > 0, chances, 0.0)

    @property
    def p_good(self) -> float:
        """The chance that it loses at most 1 % of the range of all values from the starts."""
        return self.chance_within(GOOD * self.span) if self.span > 0.0 else 0.0

    def settled(self, within: Within) -> bool:
        """Whether the policy meets ``within``: its loss, with its chance."""
        known = not self.noticed.alarm and self.span > 0.0 and self.untested_gain <= within.loss
        return known and self.chance_within(within.loss) >= within.chance

    @cached_property
    def untested_gain(self) -> float:
        """What an untried action might add from the starts: the probability of getting there times what it may gain.

        At best it leads to the best state, with the highest reward on top.  Nothing shows that a known state that was
        never visited is hard to reach.
        """
        never = self.model.untried > 0
        if not never.any():
            return 0.0
        missing = self.highest - self.solved.values if self.visited.any() else np.full(never.size, math.inf)
        access = np.where(self.visited | (self.access > 0.0), self.access, 1.0)
        return float((access * missing)[never].max())

    @cached_property
    def access(self) -> np.ndarray:
        """[S] the best discounted probability of reaching a state from the starts along one path, with retries."""
        model = self.model
        owners = np.repeat(model.owners, np.diff(model.rows))
        along = model.discount * model.shares / (1.0 - model.discount**2 * (1.0 - model.shares))
        found = np.append(self.starts / self.starts.max(), 0.0)
        for _ in range(found.size):
            farther = found.copy()
            np.maximum.at(farther, model.to, found[owners] * along)
            if (farther[:-1] <= 1.001 * found[:-1]).all():
                break
            found = farther
        return np.minimum(found[:-1], 1.0)

    @cached_property
    def helps(self) -> np.ndarray:
        """[P] by how much one more sample lowers the expected loss from the starts, to first order.

        A decision j costs r E[(Q(a) - Q(pi s))+], r = access, which grows with the variance of the lead at the rate
        r phi(z)/(2 sd); one more sample of a pair takes v/(n + 1) off that variance if it is one of the two, and off
        decisions upstream as far as these lead there.  An untried pair counts as much as the best of all others.
        """
        model, (pairs, _, states) = self.model, self.decisions
        gains = np.zeros(model.tried.size)
        leads, noise = self.scores
        if pairs.size:
            deviation = np.sqrt(noise**2 + leads.var(1))
            with np.errstate(divide="ignore", invalid="ignore"):
                z = (self.solved.values[states] - self.solved.worth[pairs]) / deviation
                rate = self.access[states] * np.exp(-0.5 * z * z) / (2.0 * deviation)
            gains[pairs] = rate = np.nan_to_num(rate, posinf=0.0)
            gains[self.solved.policy] = self._flow(np.bincount(states, rate, model.size))
        gains *= (self.draws.noise + (self.draws.unseen**2).mean(1)) / (model.tried + 1.0)
        gains[model.tried == 0] = gains[model.tried > 0].max(initial=0.0)
        return gains

    def _flow(self, begun: np.ndarray) -> np.ndarray:
        """[S] y = b + gamma P' y: discounted visits of the policy if so much begins in each state."""
        model = self.model
        _, entries = selected(model.rows, self.solved.policy)
        owners = np.repeat(np.arange(model.size), np.diff(model.rows)[self.solved.policy])
        weights, flow = model.discount * model.shares[entries], begun
        for _ in range(SWEEPS):
            before = flow
            flow = begun + np.bincount(model.to[entries], weights * flow[owners], model.size + 1)[:-1]
            if np.abs(flow - before).max() <= 1e-6 * flow.max():
                break
        return flow


def certificate(
    seen: Rows,
    discount: float,
    choices: np.ndarray | None = None,
    bounds: tuple[float, float] | None = None,
    noticed: Noticed = NOTHING,
) -> Certified:
    """How sure the best policy of the model is, or the one of ``choices``, an action for each state.

    If that action was never tried, the best one of the model is used instead.  All states have actions.  ``bounds`` of
    the rewards, if known.
    """
    model = model_of(seen, discount)
    begun = seen.starts.astype(float)
    starts = begun / begun.sum() if begun.sum() > 0 else np.full(begun.size, 1.0 / begun.size)
    return Certified(seen, model, solved(model, choices), starts, bounds, noticed)
