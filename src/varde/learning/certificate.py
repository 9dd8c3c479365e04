"""How sure a learned policy is: from the data and the discount only, by the draws of ``possible.py``.

doubt     the chance that another action is better by more than .1 % of the span of all values: in each draw the normal
          errors of the two are integrated out, Phi(-(Q(pi s) - Q(a) + t)/sd), the rest is drawn
value     95 %: from V - (mean luck) - 1.96 sd to V + 1.96 sd; luck is what the best policy of a draw owes to its normal
          errors, and so what the policy of the data may owe to its own: it was chosen because it looks good
loss      what the policy loses from the starts against the best one, in each draw

K draws cannot tell 0 from 1/K: every chance p is stated as (K p + 1/2)/(K + 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..beliefs.student import DEVIATE, log_phi
from ..rows import some_rows
from .possible import HOPE, Draws, Errors, Solved, draw, errors_of, model_of, solve, uniform
from .seen import Seen
from .within import Within

ROUNDING = 1e-9  # of a value: where every step paid the same, values differ by less
MATTERS = 0.001  # of the range of all values: by how much an action must be better
GOOD = 0.01  # of the range: what a good policy may lose from the starts
SCALE = 20.0  # who asks about a loss supposes that values may differ by so many times that
LEVELS = (0.95, 0.99)  # of the chance of a good policy, that forecasts are for
FURTHEST = 1000.0  # times what was spent: the limit of a forecast
FORECAST = 40_000  # states times draws of a forecast
SIGNS = 32  # sign vectors to find where more data would help


class Decisions(NamedTuple):
    """Actions tried and not taken: J pairs, against the pairs that are taken."""

    pairs: np.ndarray  # [J]
    taken: np.ndarray  # [J]
    states: np.ndarray  # [J]


@dataclass(frozen=True)
class Certified:
    seen: Seen
    solved: Solved
    errors: Errors
    starts: np.ndarray  # [S] shares

    @property
    def untried(self) -> np.ndarray:
        """[S] how many actions were never tried."""
        return self.solved.model.untried

    @cached_property
    def visits(self) -> np.ndarray:
        """[S] discounted visits from the starts."""
        return np.maximum(self.solved.chain.visits(self.starts), 0.0)

    @cached_property
    def choices(self) -> np.ndarray:
        """[S] the action of each state by its number; the first where none was tried."""
        return self.solved.policy - self.seen.first[:-1]

    @cached_property
    def span(self) -> float:
        """The range of the values of actions that were tried; 0 where they differ by rounding alone."""
        worth = self.solved.worth[self.solved.model.tried > 0]
        span = float(np.ptp(worth)) if worth.size else 0.0
        return span if span > ROUNDING * float(np.abs(worth).max(initial=0.0)) else 0.0

    @cached_property
    def draws(self) -> Draws:
        return draw(self.solved, self.errors, float(self.visits.sum()))

    @cached_property
    def decisions(self) -> Decisions:
        model, taken = self.solved.model, np.zeros(self.solved.worth.size, bool)
        taken[self.solved.policy] = True
        pairs = np.flatnonzero((model.tried > 0) & ~taken)
        states = model.owners[pairs]
        return Decisions(pairs, self.solved.policy[states], states)

    @cached_property
    def scores(self) -> tuple[np.ndarray, np.ndarray]:
        """[J, K] by how much the action taken is better, without their normal errors; [J] the deviation of these."""
        pairs, taken, _ = self.decisions
        worth, shifts, variances = self.solved.worth, self.draws.shifts, self.errors.variances
        leads = (worth[taken] - worth[pairs])[:, None] + shifts[taken] - shifts[pairs]
        return leads, np.sqrt(variances[taken] + variances[pairs])

    @cached_property
    def wrong(self) -> np.ndarray:
        """[J, K] the chance that the other action is better by more than what matters."""
        leads, deviations = self.scores
        if self.span == 0.0:  # only rounding tells the actions apart: each has the same chance
            rivals = np.bincount(self.decisions.states, minlength=1)[self.decisions.states]
            return np.broadcast_to((1.0 - (1.0 + rivals) ** (-1.0 / rivals))[:, None], leads.shape)
        ahead = leads + MATTERS * self.span
        with np.errstate(divide="ignore", invalid="ignore"):
            z = -ahead / deviations[:, None]
        known = np.where(ahead == 0.0, 0.5, np.where(ahead < 0.0, 1.0, 0.0))
        return np.where(deviations[:, None] > 0.0, np.exp(log_phi(np.nan_to_num(z))), known)

    @cached_property
    def doubts(self) -> np.ndarray:
        """[S] the chance that another action is better by more than what matters; 1 if one was never tried."""
        right = np.zeros((self.starts.size, self.wrong.shape[1]))
        np.add.at(right, self.decisions.states, np.log1p(-np.minimum(self.wrong, 1.0 - 1e-15)))
        doubts = np.clip(-np.expm1(right).mean(1), 0.0, 1.0)
        rivals = np.bincount(self.decisions.states, minlength=self.starts.size) > 0
        doubts = np.where(rivals, stated(doubts, right.shape[1]) if self.span > 0.0 else doubts, 0.0)
        return np.where(self.untried > 0, 1.0, doubts)

    @cached_property
    def chances(self) -> np.ndarray:
        """[P] the chance of being the best action of the state; actions never tried share evenly."""
        size, owners, first = self.starts.size, self.solved.model.owners, self.seen.first
        rivals = np.zeros(owners.size)
        rivals[self.decisions.pairs] = self.wrong.mean(1) + 1e-12  # where no draw told them apart, alike
        total = np.bincount(owners, rivals, size)
        doubts = np.where(self.untried > 0, -np.expm1(-total), self.doubts)
        share = rivals / np.maximum(total, 1e-300)[owners] * doubts[owners]
        share[self.solved.policy] = 1.0 - doubts
        tried = (1.0 - self.untried / np.diff(first))[owners]
        return np.where(self.solved.model.tried > 0, share * tried, (1.0 / np.diff(first))[owners])

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
        rewards, horizon = self.seen.means, 1.0 / (1.0 - self.solved.model.discount)
        least, most = horizon * min(rewards.min(), 0.0), horizon * max(rewards.max(), 0.0)
        low = values - np.maximum(luck.mean(1), 0.0) - DEVIATE * np.maximum(luck.std(1), own.std(1))
        high = values + DEVIATE * own.std(1)
        return np.minimum(np.maximum(low, least), values), np.maximum(np.minimum(high, most), values)

    # -- what it may lose --------------------------------------------------------------------------

    @cached_property
    def losses(self) -> np.ndarray:
        """[K] what the policy loses from the starts against the best one of each draw."""
        return lost(self.starts, self.draws)

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

    @property
    def p_good(self) -> float:
        """The chance that it loses at most 1 % of the range of all values from the starts."""
        return chance_within(self.losses, GOOD * self.span) if self.span > 0.0 else 0.0

    def settled(self, within: Within) -> bool:
        """Whether the policy meets ``within``, with values supposed to differ by twenty times its loss at least."""
        if self.span == 0.0 or self.untested_gain > within.loss:
            return False
        if chance_within(self.losses, within.loss) < within.chance:
            return False
        top = max(self.errors.top, self.errors.low + SCALE * within.loss)
        wider = draw(self.solved, self.errors._replace(top=top), float(self.visits.sum()))
        return chance_within(lost(self.starts, wider), within.loss) >= within.chance

    @cached_property
    def untested_gain(self) -> float:
        """What an untried action might add from the starts: the probability of getting there times what it may gain.

        Nothing shows that a known state that was never visited is hard to reach.
        """
        never, model = self.untried > 0, self.solved.model
        if not never.any():
            return 0.0
        missing = self.errors.top - self.solved.values if model.visited.any() else np.full(never.size, math.inf)
        access = np.where(model.visited | (self.access > 0.0), self.access, 1.0)
        return float((access * missing)[never].max())

    @cached_property
    def access(self) -> np.ndarray:
        """[S] the best discounted probability of reaching a state from the starts along one path, with retries."""
        model = self.solved.model
        owners = model.owners[model.pairs]
        along = model.discount * model.chances / (1.0 - model.discount**2 * (1.0 - np.minimum(model.chances, 1.0)))
        found = np.append(self.starts / self.starts.max(), 0.0)
        for _ in range(found.size):
            farther = found.copy()
            np.maximum.at(farther, model.to, found[owners] * along)
            if (farther[:-1] <= 1.001 * found[:-1]).all():
                break
            found = farther
        return np.minimum(found[:-1], 1.0)

    @cached_property
    def reach(self) -> np.ndarray:
        """[S] discounted visits from the starts if every action is taken as often as it is the best in the draws."""
        model, policies = self.solved.model, self.draws.policies
        often = np.bincount(policies.ravel(), minlength=model.tried.size) / policies.shape[1]
        weights = model.discount * model.chances * often[model.pairs]
        owners, size = model.owners[model.pairs], self.starts.size
        reach = self.starts.copy()
        for _ in range(1000):
            grown = self.starts + np.bincount(model.to, weights * reach[owners], size + 1)[:-1]
            if np.abs(grown - reach).max() <= 1e-3 * grown.max():
                break
            reach = grown
        return reach

    # -- what more data would do -------------------------------------------------------------------

    def forecast(self, level: float) -> float:
        """``more_steps``, which takes long, computed once."""
        if level not in self.forecasts:
            self.forecasts[level] = self.more_steps(level)
        return self.forecasts[level]

    @cached_property
    def forecasts(self) -> dict[float, float]:
        return {}

    def more_steps(self, level: float = 0.95) -> float:
        """About how many more steps a chance of ``level`` of a good policy takes; infinite beyond 1000 times.

        Assumes that every pair gets its share of them and the estimates stay as they are.
        """
        spent, allowed = float(self.seen.counts.sum()), GOOD * self.span
        if self.span == 0.0:
            return math.inf
        few = min(self.draws.best.shape[1], max(FORECAST // self.starts.size, 16))

        def reached(factor: float) -> bool:
            drawn = draw(self.solved, self.errors, float(self.visits.sum()), few, factor)
            return bool((lost(self.starts, drawn) <= allowed).mean() >= level)

        if (self.losses <= allowed).mean() >= level:
            return 0.0
        low, high = 1.0, 2.0
        while not reached(high):
            low, high = high, 4.0 * high
            if low >= FURTHEST:
                return math.inf
        for _ in range(2):
            middle = math.sqrt(low * high)
            low, high = (low, middle) if reached(middle) else (middle, high)
        return math.ceil((math.sqrt(low * high) - 1.0) * spent)

    @cached_property
    def helps(self) -> np.ndarray:
        """[P] by how much one more sample lowers the expected loss from the starts, to first order.

        A decision j costs r E[(Q(a) - Q(pi s))+], r = its reach, which grows with the variance of the lead at the rate
        r phi(z)/(2 sd); one more sample of a pair takes I^2 v/(n + 1) off that variance, I being its influence on the
        lead.  Sums over decisions use random sign vectors; an untried pair counts as much as the best of all others.
        """
        model, (pairs, taken, states), errors = self.solved.model, self.decisions, self.errors
        n, gains = model.tried.astype(float), np.zeros(model.tried.size)
        variances = errors.variances + errors.unseen * (errors.top - errors.low) ** 2 / 1.5 / ((n + 1.0) * (n + 2.0))
        if pairs.size:
            deviation = np.sqrt(variances[pairs] + variances[taken] + self.scores[0].var(1))
            with np.errstate(divide="ignore", invalid="ignore"):
                z = (self.solved.values[states] - self.solved.worth[pairs]) / deviation
                rate = np.minimum(self.reach, 1.0)[states] * np.exp(-0.5 * z * z) / (2.0 * deviation)
            rate = np.nan_to_num(rate, posinf=0.0)
            gains[pairs] = rate
            heads, entries = some_rows(self.seen.rows, pairs)
            signs = np.sqrt(rate)[:, None] * np.where(uniform(HOPE, pairs.size, SIGNS) < 0.5, 1.0, -1.0)
            flows = np.zeros((self.starts.size + 1, SIGNS))
            np.add.at(flows, states, signs)
            weights = (model.discount * model.chances[entries])[:, None]
            np.add.at(flows, model.to[entries], -weights * np.repeat(signs, np.diff(heads), axis=0))
            gains[self.solved.policy] = (self.solved.chain.visits(flows[:-1]) ** 2).mean(1)
        gains *= variances / (n + 1.0)
        return np.where(n > 0, gains, gains.max(initial=0.0))


def stated(chance: np.ndarray, draws: int) -> np.ndarray:
    """What K draws can tell of a chance: never 0 or 1."""
    return (draws * chance + 0.5) / (draws + 1.0)


def lost(starts: np.ndarray, draws: Draws) -> np.ndarray:
    """[K] from the starts, against the best policy of each draw."""
    return np.maximum(np.einsum("s,sk->k", starts, draws.best - draws.own), 0.0)


def chance_within(losses: np.ndarray, loss: float) -> float:
    """The chance that the policy loses at most ``loss`` from the starts."""
    return float(stated((losses <= loss).mean(), losses.size))


def certificate(
    seen: Seen, discount: float, choices: np.ndarray | None = None, rewards: tuple[float, float] | None = None
) -> Certified:
    """How sure the best policy of the model is, or the one of ``choices``, an action for each state.

    If that action was never tried, the best one of the model is used instead.  ``rewards``: the lowest and the highest
    that the world has, if that is known.
    """
    model = model_of(seen, discount)
    solved = solve(model)
    if choices is not None:
        wanted = seen.first[:-1] + choices
        solved = solve(model, np.where(model.tried[wanted] > 0, wanted, solved.policy))
    begun = seen.starts.astype(float)
    starts = begun / begun.sum() if begun.sum() > 0 else np.full(begun.size, 1.0 / begun.size)
    return Certified(seen, solved, errors_of(solved, rewards), starts)
