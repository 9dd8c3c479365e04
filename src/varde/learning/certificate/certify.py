"""How sure a learned policy is, from the data, the discount, and the rewards that there are if those are known.

The model of the data is solved (``model``), the error of every pair estimated (``noise``), and the best policy computed
again in K worlds that differ by such errors (``draws``).  From these:

doubt      the chance that another action is better by more than .1 % of the span of all values: in each of the draws
           the error of the two actions themselves is integrated out, Phi(-(Q(pi s) - Q(a) + t)/sd), with an outcome
           never seen as often as there may be one, the rest is drawn
value      the 95 % interval reaches from V - (usual luck) - 1.96 sd(luck) to V + 1.96 sd: luck is how much of the value
           of the policy found in a draw is due to noise, and so how much the policy of the data may owe to its own; a
           policy is chosen because it looks good
loss       what the policy loses from the starts against the best one, in each draw
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...beliefs.student import DEVIATE, log_phi
from ...rows import Rows
from ..within import Within
from .draws import Draws, Limits, draw
from .model import Model, Solved, model_of, solve
from .noise import Noise, errors

ROUNDING = 1e-9  # of a value: where every step paid the same, values differ by less
MATTERS = 0.001  # of the range of all values: by how much an action must be better
GOOD = 0.01  # of the range: what a good policy may lose from the starts
LEVELS = (0.95, 0.99)  # of the chance of a good policy, that forecasts are for
FURTHEST = 1000.0  # times what was spent: the limit of a forecast
FORECAST = 40_000  # states times draws of a forecast
ONE_DEVIATION = (0.1587, 0.5, 0.8413)  # quantiles: a few odd draws do not make the interval wide


class Decisions(NamedTuple):
    """Actions tried and not taken: J pairs, against the pairs that are taken."""

    pairs: np.ndarray  # [J]
    taken: np.ndarray  # [J]
    states: np.ndarray  # [J]


@dataclass(frozen=True)
class Certified:
    """The states with actions, S of them; pairs and states by their numbers in the data."""

    seen: Rows
    solved: Solved
    noise: Noise  # of the mean backup of each pair of the model
    starts: np.ndarray  # [S] shares
    bounds: tuple[float, float] | None = None  # of all rewards, 0 included if episodes end, as far as known beforehand

    @property
    def model(self) -> Model:
        return self.solved.model

    @cached_property
    def visits(self) -> np.ndarray:
        """[S] discounted visits from the starts."""
        return np.maximum(self.solved.chain.visits(self.starts), 0.0)

    @cached_property
    def choices(self) -> np.ndarray:
        """[S] the action of each state by its number; the first where none was tried."""
        pairs = self.model.pairs[self.solved.policy]
        return np.where(pairs >= 0, pairs - self.seen.first[self.model.states], 0)

    @cached_property
    def span(self) -> float:
        """The range of the values of actions that were tried; 0 where they differ by rounding alone."""
        worth = self.solved.worth[self.model.tried > 0]
        span = float(np.ptp(worth)) if worth.size else 0.0
        return span if span > ROUNDING * float(np.abs(worth).max(initial=0.0)) else 0.0

    @cached_property
    def draws(self) -> Draws:
        return draw(self.solved, self.noise, float(self.visits.sum()), self.limits)

    @cached_property
    def paid(self) -> tuple[float, float]:
        """The lowest and the highest reward that there are; without bounds, that were seen."""
        means = self.seen.means
        return self.bounds or (float(means.min()), float(means.max()))

    @property
    def limits(self) -> Limits:
        """What values may be, if the rewards are known."""
        if self.bounds is None:
            return Limits()
        low, high = (end / (1.0 - self.model.discount) for end in self.bounds)
        more = self.bounds[1] > self.seen.means.max() + ROUNDING * np.ptp(self.bounds)
        return Limits(low, high, self.highest if more else None)

    @cached_property
    def highest(self) -> float:
        """What an action never tried may be worth: the highest reward there is, and then the best state visited."""
        visited = np.bincount(self.model.owners, self.model.tried, self.model.states.size) > 0
        best = float(self.solved.values[visited].max(initial=-math.inf)) + float(np.ptp(self.paid))
        return best if self.bounds is None else min(best, self.bounds[1] / (1.0 - self.model.discount))

    @cached_property
    def decisions(self) -> Decisions:
        taken = np.zeros(self.model.tried.size, bool)
        taken[self.solved.policy] = True
        pairs = np.flatnonzero((self.model.tried > 0) & ~taken)
        states = self.model.owners[pairs]
        return Decisions(pairs, self.solved.policy[states], states)

    @cached_property
    def scores(self) -> tuple[np.ndarray, np.ndarray]:
        """[J, K] by how much the action taken is better, without their own errors; [J] the deviation of these."""
        pairs, taken, _ = self.decisions
        worth, after = self.solved.worth, self.draws.after
        leads = (worth[taken] - worth[pairs])[:, None] + after[taken] - after[pairs]
        return leads, np.sqrt(self.noise.total[taken] + self.noise.total[pairs])

    @cached_property
    def wrong(self) -> np.ndarray:
        """[J, K] the chance that the other action is better by more than what matters."""
        leads, (pairs, taken, _), noise = self.scores[0], self.decisions, self.noise
        if self.span == 0.0:  # only rounding tells the actions apart: each has the same chance
            rivals = np.bincount(self.decisions.states, minlength=1)[self.decisions.states]
            return np.broadcast_to((1.0 - (1.0 + rivals) ** (-1.0 / rivals))[:, None], leads.shape)
        ahead = leads + MATTERS * self.span
        both, chances = noise.variances[taken] + noise.variances[pairs], noise.unseen[taken] + noise.unseen[pairs]
        jumps = noise.unseen[taken] * noise.jumps[taken] + noise.unseen[pairs] * noise.jumps[pairs]
        jumps, chances = both + jumps / np.maximum(chances, 1e-300), np.minimum(chances, 1.0)[:, None]
        return (1.0 - chances) * below(ahead, both) + chances * below(ahead, jumps)

    @cached_property
    def doubts(self) -> np.ndarray:
        """[S] the chance that another action is better by more than what matters; 1 if one was never tried.

        Where there is a choice it is never below half a draw of K + 1: so many draws cannot tell less.
        """
        size, draws = self.model.states.size, self.wrong.shape[1]
        right = np.zeros((size, draws))
        np.add.at(right, self.decisions.states, np.log1p(-np.minimum(self.wrong, 1.0 - 1e-15)))
        doubts = np.clip(-np.expm1(right).mean(1), 0.5 / (draws + 1.0), 1.0)
        chosen = np.bincount(self.decisions.states, minlength=size) > 0
        return np.where(self.model.untried > 0, 1.0, np.where(chosen, doubts, 0.0))

    @cached_property
    def chances(self) -> np.ndarray:
        """[pairs of ``seen``] the chance of being the best action of the state; actions never tried share evenly."""
        model, size = self.model, self.model.states.size
        widths = np.diff(self.seen.first)[model.states]
        tried = np.maximum(widths - model.untried, 0) / widths
        rivals = np.zeros(model.tried.size)
        rivals[self.decisions.pairs] = self.wrong.mean(1)
        total = np.bincount(model.owners, rivals, size)
        doubts = np.where(model.untried > 0, -np.expm1(-total), self.doubts)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(total[model.owners] > 0.0, rivals / total[model.owners], 0.0) * doubts[model.owners]
        share[self.solved.policy] = 1.0 - doubts
        chances = np.repeat(1.0 / np.maximum(np.diff(self.seen.first), 1), np.diff(self.seen.first))
        known = model.pairs >= 0
        chances[model.pairs[known]] = (share * tried[model.owners])[known]
        return chances

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
        error, (lower, usual, upper) = DEVIATE * own.std(1), np.quantile(luck, ONE_DEVIATION, axis=1)
        low = values - np.maximum(np.maximum(usual, 0.0) + DEVIATE * (upper - lower) / 2.0, error)
        high = values + error
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

    def chance_within(self, loss: float) -> float:
        """The chance that the policy loses at most ``loss`` from the starts; untried actions are like the others.

        Smoothed, since K draws cannot distinguish 0 or 1 from half a draw more or less.
        """
        return (float((self.losses <= loss).sum()) + 0.5) / (self.losses.size + 1.0)

    @property
    def p_good(self) -> float:
        """The chance that it loses at most 1 % of the range of all values from the starts."""
        return self.chance_within(GOOD * self.span) if self.span > 0.0 else 0.0

    def settled(self, within: Within) -> bool:
        """Whether the policy meets ``within``: its loss, with its chance."""
        return (
            self.untested_gain <= within.loss and self.span > 0.0 and self.chance_within(within.loss) >= within.chance
        )

    @cached_property
    def untested_gain(self) -> float:
        """What an untried action might add from the starts: the probability of getting there times what it may gain.

        At best it leads to the best state, with the highest reward on top.  Nothing shows that a known state that was
        never visited is hard to reach.
        """
        model = self.model
        never = model.untried > 0
        if not never.any():
            return 0.0
        visited = np.bincount(model.owners, model.tried, never.size) > 0
        missing = self.highest - self.solved.values if visited.any() else np.full(never.size, math.inf)
        access = np.where(visited | (self.access > 0.0), self.access, 1.0)
        return float((access * missing)[never].max())

    @cached_property
    def access(self) -> np.ndarray:
        """[S] the best discounted probability of reaching a state from the starts along one path, with retries."""
        model = self.model
        owners = np.repeat(model.owners, np.diff(model.rows))
        along = model.discount * model.chances / (1.0 - model.discount**2 * (1.0 - np.minimum(model.chances, 1.0)))
        found = np.append(self.starts / self.starts.max(), 0.0)
        for _ in range(found.size):
            farther = found.copy()
            np.maximum.at(farther, model.to, found[owners] * along)
            if (farther[:-1] <= 1.001 * found[:-1]).all():
                break
            found = farther
        return np.minimum(found[:-1], 1.0)

    def forecast(self, level: float) -> float:
        """``more_steps``, which takes long, computed once."""
        if level not in self.forecasts:
            self.forecasts[level] = self.more_steps(level)
        return self.forecasts[level]

    @cached_property
    def forecasts(self) -> dict[float, float]:
        return {}

    def more_steps(self, level: float = 0.95, loss: float | None = None) -> float:
        """About how many more steps a chance of ``level`` of a good policy takes; infinite beyond 1000 times.

        Assumes that every pair gets its share of them and the estimates stay as they are.
        """
        spent, allowed = float(self.seen.counts.sum()), GOOD * self.span if loss is None else loss
        if self.span == 0.0:
            return math.inf

        few = min(self.draws.best.shape[1], max(FORECAST // self.starts.size, 16))

        def reached(factor: float) -> bool:
            drawn = draw(self.solved, self.noise.after(factor), float(self.visits.sum()), Limits(), few)
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
        """[pairs of ``seen``] by how much one more sample lowers the expected loss from the starts, to first order.

        A decision j costs r E[(Q(a) - Q(pi s))+], r = access, which grows with the variance of the lead at the rate
        r phi(z)/(2 sd); one more sample of a pair takes v/(n + 1) off that variance if it is one of the two, and off
        decisions upstream as far as these lead there.  An untried pair counts as much as the best of all others.
        """
        model, (pairs, _, states) = self.model, self.decisions
        gains = np.zeros(model.tried.size)
        leads, own = self.scores
        if pairs.size:
            deviation = np.sqrt(own**2 + leads.var(1))
            with np.errstate(divide="ignore", invalid="ignore"):
                z = (self.solved.values[states] - self.solved.worth[pairs]) / deviation
                rate = self.access[states] * np.exp(-0.5 * z * z) / (2.0 * deviation)
            gains[pairs] = rate = np.nan_to_num(rate, posinf=0.0)
            gains[self.solved.policy] = self.solved.chain.visits(np.bincount(states, rate, model.states.size))
        gains *= np.where(model.open, 0.0, self.noise.total) / (model.tried + 1.0)
        everything = np.full(self.seen.rows.size - 1, gains.max() if gains.size else 0.0)
        known = model.pairs >= 0
        everything[model.pairs[known]] = gains[known]
        return everything


def below(ahead: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """[J, K] the chance that something with these ``variances [J]`` is at least as far below its mean."""
    deviations = np.sqrt(variances)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = -ahead / deviations
    known = np.where(ahead == 0.0, 0.5, np.where(ahead < 0.0, 1.0, 0.0))
    return np.where(deviations > 0.0, np.exp(log_phi(np.nan_to_num(z))), known)


def lost(starts: np.ndarray, draws: Draws) -> np.ndarray:
    return np.maximum(np.einsum("s,sk->k", starts, draws.best - draws.own), 0.0)


def certificate(
    seen: Rows, discount: float, choices: np.ndarray | None = None, bounds: tuple[float, float] | None = None
) -> Certified:
    """How sure the best policy of the model is, or the one of ``choices``, an action for each state.

    If that action was never tried, the best one of the model is used instead.  ``bounds`` of the rewards, if known.
    """
    model = model_of(seen, discount)
    solved = solve(model)
    if choices is not None:
        place = np.full(seen.rows.size, -1)
        place[model.pairs[model.pairs >= 0]] = np.flatnonzero(model.pairs >= 0)
        wanted = place[seen.first[model.states] + choices[model.states]]
        solved = solve(model, np.where(wanted >= 0, wanted, solved.policy))
    begun = seen.starts[model.states].astype(float)
    starts = begun / begun.sum() if begun.sum() > 0 else np.full(begun.size, 1.0 / begun.size)
    return Certified(seen, solved, errors(solved), starts, bounds)
