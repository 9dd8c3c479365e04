"""Rules of the package behind ask and tell.

A chooser keeps what a rule needs to know and answers one question: which option next?  Draws that were handed out and
have no result yet count in N and in nothing else.  The gap rule scores all options at once with numpy; every
other record of the bandit engine runs through its own verbs (prepare, begin, select, update), uncompiled.

Those verbs see ``arms`` in which a pending draw is a sample like those before it: N grows, mean and variance stay.  What
was put in is taken out again when the result comes, so ``update`` is called once when a draw is handed out and
once when it is answered, and ``reward`` is then the difference to what had been assumed.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import numpy as np

from .._jit import canonical, is_record
from ..bandits.continuous import ContinuousRejects, let_go
from ..bandits.halving import SequentialHalving
from ..bandits.loop import begin, prepare, select, update
from ..bandits.rejects import SuccessiveRejects, drop
from ..decisions import problem_with
from ..gaps import GapVarDE, automatic_warm_start, gap_noise
from ..moments import Moments, make_moments, observe
from ..random import key, start
from ..rule import shrinkage

REJECTING = (SuccessiveRejects, SequentialHalving, ContinuousRejects)


def check_rule(rule: Any) -> Any:
    """The record to work with, or an error that says what to write."""
    rule = GapVarDE() if rule is None else rule
    if not is_record(rule):
        raise TypeError(f"rule is {rule!r}: write a record such as varde.GapVarDE() or varde.UCBE(2.0)")
    select.find(type(rule))
    problem = problem_with(rule)
    if problem:
        raise ValueError(f"{type(rule).__name__}: {problem}")
    return canonical(rule)


def warm_start_of(rule: Any, draws: int, size: int) -> int:
    """Draws of every option to begin with; ``draws`` is what the budget pays for, 0 where there is none."""
    asked = getattr(rule, "warm_start", 1)
    if isinstance(rule, GapVarDE) and asked == 0:
        return automatic_warm_start(draws, size)
    return max(int(asked), 1)


def make_chooser(rule: Any, costs: np.ndarray | None, size: int, warm: int, draws: int, seed: int) -> Chooser:
    """Whoever chooses among ``size`` options by ``rule``."""
    if isinstance(rule, GapVarDE):
        return GapChooser(rule, size, warm, costs)
    return VerbChooser(rule, size, warm, draws, seed)


class Chooser:
    """The moments of the results, the pending draws, and the warm start in turns."""

    remembers = False  # whether choosing changes more than ``handed`` does, so that a resumed file must choose again
    fixed = False  # whether options and budget are settled at the start

    def __init__(self, rule: Any, size: int, warm: int):
        self.rule, self.warm = rule, warm
        self.moments: Moments = make_moments(size)
        self.pending = np.zeros(size, np.int64)
        self.out: set[int] = set()  # options that fail
        self.cold = deque(range(size))  # whose warm start is not complete, in order of their turn
        self.origin, self.unit = 0.0, 1.0  # a result is origin + unit times what the moments hold

    def settled(self, i: int) -> bool:
        return i in self.out or self.moments.counts[i] + self.pending[i] >= self.warm

    def next_cold(self, allowed: np.ndarray | None) -> int | None:
        """Whose turn it is in the warm start, or None when that is over."""
        while self.cold and self.settled(self.cold[0]):
            self.cold.popleft()
        for i in self.cold:
            if not self.settled(i) and (allowed is None or allowed[i]):
                return i
        return None

    def choose(self, allowed: np.ndarray | None) -> int:
        """The option to draw next, warm start over; ``allowed`` [K] leaves some out."""
        raise NotImplementedError

    def handed(self, i: int) -> None:
        """A draw of option ``i`` is under way."""
        self.pending[i] += 1
        if self.cold and self.cold[0] == i:
            self.cold.popleft()
            if not self.settled(i):
                self.cold.append(i)

    def told(self, i: int, value: float, expected: bool) -> None:
        """A result of option ``i``, larger being better; ``expected`` if it ends a pending draw."""
        observe(self.moments, i, value)
        if expected:
            self.pending[i] -= 1

    def withdrawn(self, i: int) -> None:
        """A pending draw of ``i`` will have no result."""
        self.pending[i] -= 1

    def left(self, i: int) -> None:
        """Option ``i`` fails: it is not chosen any more."""
        self.out.add(i)

    def back(self, i: int) -> None:
        """Option ``i`` works after all."""
        self.out.discard(i)
        self.cold.append(i)

    def added(self, cost: float) -> None:
        """One more option."""
        self.cold.append(self.pending.size)
        self.pending = np.append(self.pending, 0)
        self.moments = Moments(*(np.append(column, column.dtype.type(0)) for column in self.moments))

    def summary(self) -> Moments:
        """Counts, means and squares in the unit of the results, larger being better."""
        counts, means, squares = self.moments
        return Moments(counts, self.origin + self.unit * means, squares * self.unit**2)


class GapChooser(Chooser):
    """The gap rule.

    Results are measured from the first one, in units of the first difference: rounding then does not depend on their
    zero and scale either, and 0/1 results give the same bits as 1e6/1e6+1000.
    """

    def __init__(self, rule: GapVarDE, size: int, warm: int, costs: np.ndarray | None):
        super().__init__(rule, size, warm)
        self.costs = costs
        self.noise: np.ndarray | None = None  # [playing] the score but for the counts; None after a result
        self.scores = np.empty(0)
        self.playing: np.ndarray | None = None  # who takes part, None: everybody
        self.begun = self.scaled = False

    def rescore(self) -> None:
        if self.out and self.playing is None:
            self.playing = np.array([i for i in range(self.pending.size) if i not in self.out])
        who = slice(None) if self.playing is None else self.playing
        counts, means, squares = self.moments
        self.noise = gap_noise(self.rule, counts[who], means[who], squares[who])
        self.scores = self.noise * shrinkage(counts[who] + self.pending[who])
        if self.costs is not None:
            self.scores /= self.costs[who]

    def choose(self, allowed: np.ndarray | None) -> int:
        if self.noise is None:
            self.rescore()
        scores = self.scores
        if allowed is not None:
            scores = np.where(allowed if self.playing is None else allowed[self.playing], scores, -np.inf)
        best = int(scores.argmax())
        return best if self.playing is None else int(self.playing[best])

    def handed(self, i: int) -> None:
        super().handed(i)
        if self.noise is not None and self.playing is None:
            score = self.noise[i] * shrinkage(float(self.moments.counts[i] + self.pending[i]))
            self.scores[i] = score if self.costs is None else score / self.costs[i]
        else:
            self.noise = None

    def told(self, i: int, value: float, expected: bool) -> None:
        if not self.scaled:
            self.measure(value)
        super().told(i, (value - self.origin) / self.unit, expected)
        self.noise = None

    def measure(self, value: float) -> None:
        """Settle origin and unit; until two results differ all are zero, whatever the unit."""
        if not self.begun:
            self.begun, self.origin = True, value
        elif value != self.origin:
            self.scaled, self.unit = True, abs(value - self.origin)

    def withdrawn(self, i: int) -> None:
        super().withdrawn(i)
        self.noise = None

    def left(self, i: int) -> None:
        super().left(i)
        self.noise = self.playing = None

    def back(self, i: int) -> None:
        super().back(i)
        self.noise = self.playing = None

    def added(self, cost: float) -> None:
        super().added(cost)
        self.noise = self.playing = None
        if self.costs is not None:
            self.costs = np.append(self.costs, cost)


class Stream:
    """The stream of one choice, begun only if the rule draws from it."""

    __slots__ = ("key", "run", "words")

    def __init__(self, words: np.ndarray, run: int):
        self.key, self.run = words, run
        self.words: np.ndarray | None = None

    def begun(self) -> Any:
        if self.words is None:
            self.words = np.empty(4, np.uint64)
            start(self.words, self.key, self.run)
        return self.words

    def __getitem__(self, i: int) -> Any:
        return self.begun()[i]

    def __setitem__(self, i: int, word: int) -> None:
        self.begun()[i] = word


class VerbChooser(Chooser):
    """Any record of the bandit engine, by its verbs."""

    def __init__(self, rule: Any, size: int, warm: int, draws: int, seed: int):
        super().__init__(rule, size, warm)
        self.fixed = isinstance(rule, REJECTING)
        self.remembers = self.fixed or type(rule).__module__.split(".")[0] != __name__.split(".")[0]
        self.draws, self.key = draws, key(seed, "select", "rule")
        self.assumed = np.zeros(size)  # [K] sum of the rewards that pending draws were taken to have
        self.total, self.results, self.t = 0.0, 0, 0
        self.memory: Any = None  # made before the first choice, and again when an option comes or goes
        self.players = list(range(size))
        self.slots = self.players

    def build(self) -> None:
        self.players = [i for i in range(self.pending.size) if i not in self.out or self.fixed]
        self.slots = [-1] * self.pending.size
        for slot, i in enumerate(self.players):
            self.slots[i] = slot
        self.arms = make_moments(len(self.players))
        self.memory = prepare(self.rule, len(self.players))
        begin(self.rule, self.memory, len(self.players), self.draws)
        for i in self.players:
            mean, pending = self.expected(i), int(self.pending[i])
            self.assumed[i] = mean * pending
            self.refresh(i, mean * (int(self.moments.counts[i]) + pending))
        if self.fixed:
            for i in self.out:
                self.reject(i)

    def refresh(self, i: int, reward: float) -> None:
        """Let the rule see what is known and pending of option ``i``."""
        slot = self.slots[i]
        if slot < 0:
            return
        known, counts = int(self.moments.counts[i]), int(self.moments.counts[i] + self.pending[i])
        self.arms.counts[slot] = counts
        self.arms.means[slot] = self.expected(i)
        self.arms.squares[slot] = self.moments.squares[i] * (counts - 1) / (known - 1) if known > 1 else 0.0
        if counts > 0 and (not self.fixed or self.survives(slot)):
            update(self.rule, self.memory, self.arms, slot, reward)

    def survives(self, slot: int) -> bool:
        """Whether a rejecting rule still counts this option; what comes late for another is for the record only."""
        survivors = self.memory.survivors
        return bool((survivors.alive[: survivors.left[0]] == slot).any())

    def expected(self, i: int) -> float:
        """The mean of an option, or before its first result that of all results."""
        if self.moments.counts[i] > 0:
            return float(self.moments.means[i])
        return self.total / self.results if self.results else 0.0

    def choose(self, allowed: np.ndarray | None) -> int:
        if self.memory is None:
            self.build()
            first = self.warm * len(self.players)  # the step at which index rules enter their scores
            self.t, t = max(self.t, first), first
        else:
            t = self.t
        i = self.players[int(select(self.rule, self.memory, self.arms, t, Stream(self.key, self.t)))]
        if i in self.out or (allowed is not None and not allowed[i]):
            possible = np.ones(self.pending.size, bool) if allowed is None else allowed.copy()
            possible[list(self.out)] = False
            return int(np.where(possible, self.moments.counts + self.pending, np.iinfo(np.int64).max).argmin())
        return i

    def handed(self, i: int) -> None:
        super().handed(i)
        self.t += 1
        reward = self.expected(i)
        self.assumed[i] += reward
        if self.memory is not None:
            self.refresh(i, reward)

    def told(self, i: int, value: float, expected: bool) -> None:
        reward = value - self.forget(i) if expected else value
        super().told(i, value, expected)
        self.total += value
        self.results += 1
        if self.memory is not None:
            self.refresh(i, reward)

    def forget(self, i: int) -> float:
        """Take back what one pending draw of ``i`` was assumed to bring."""
        share = float(self.assumed[i]) / int(self.pending[i])
        self.assumed[i] -= share
        return share

    def withdrawn(self, i: int) -> None:
        share = self.forget(i)
        super().withdrawn(i)
        if self.memory is not None:
            self.refresh(i, -share)

    def left(self, i: int) -> None:
        super().left(i)
        if self.fixed and self.memory is not None:
            self.reject(i)
        else:
            self.memory = None

    def reject(self, i: int) -> None:
        """An option that fails leaves a rejecting rule as one that was rejected."""
        survivors = self.memory.survivors
        for position in range(int(survivors.left[0])):
            if survivors.alive[position] == i and survivors.left[0] > 1:
                if isinstance(self.rule, ContinuousRejects):
                    let_go(self.memory, self.arms, position)
                else:
                    drop(survivors, position)
                break

    def back(self, i: int) -> None:
        super().back(i)
        self.memory = self.memory if self.fixed else None

    def added(self, cost: float) -> None:
        super().added(cost)
        self.assumed = np.append(self.assumed, 0.0)
        self.memory = None


def fixed_problem(rule: Any, budget: float | None, costs: Any) -> str:
    """Why a rule that plans its rejections at the start cannot work here, or nothing."""
    if isinstance(rule, REJECTING):
        name = type(rule).__name__
        if budget is None or not math.isfinite(budget):
            return f"{name} plans its rejections over the whole budget: write budget=..., or take another rule"
        if costs is not None:
            return f"{name} counts draws and cannot weigh costs: leave costs out, or take another rule"
    return ""
