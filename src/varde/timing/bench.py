"""Rounds of runs until it is clear which command is fastest.

A round runs every command that may still be the fastest once, in shuffled order, so that anything that slows the
machine down for a while affects all of them alike; commands are compared on the rounds they share.  A run that is far
from the others of its command is usually due to another program: it is reported and left out of the comparison,
unless there are so many that they must be due to the command itself.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from typing import IO, Any

import numpy as np

from ..beliefs.student import DEVIATE, student_score
from ..certainty.stopping import Results, Stop
from ..selection.result import Selection
from .command import Command, Run, TimingError, complaints, last_line

LEAST, AWHILE = 10, 1.0  # rounds, and seconds (or three times as many rounds), before anything is decided
FAR = 5.0  # robust standard deviations from the median: such a run stands out
OWN = 0.2  # share of the runs: if more stand out, they belong to the command
HOPELESS = 0.002  # a command with a lower chance of being the fastest is not run any more
EMPTY = 30  # runs of an empty command: what the shell takes


class Timing:
    """The runs of one command."""

    def __init__(self, command: Command):
        self.command = command
        self.runs: list[Run] = []
        self.rounds: list[int] = []
        self.warm_up: list[float] = []
        self.overhead: float = 0.0  # seconds of the shell in each

    @property
    def name(self) -> str:
        return self.command.name

    @property
    def seconds(self) -> np.ndarray:
        """The time of the command itself in each run."""
        return np.maximum(np.array([run.seconds for run in self.runs]) - self.overhead, 0.0)

    @property
    def far(self) -> np.ndarray:
        """Which runs stand out."""
        return standing_out(np.array([run.seconds for run in self.runs]))

    @property
    def counted(self) -> np.ndarray:
        """Which runs are compared."""
        far = self.far
        return ~far if far.mean() <= OWN else np.ones(far.size, bool)

    @property
    def first_slow(self) -> float | None:
        """The time of the very first run, if it is much longer than the others."""
        if len(self.runs) < 3:
            return None
        every = np.array([*self.warm_up, *(run.seconds for run in self.runs)])
        slow = every[0] > every[1:].max() or standing_out(every)[0]
        typical, spread = middle(every[1:])
        return float(every[0]) if slow and every[0] > typical + FAR * max(spread, 0.02 * typical) else None


def middle(times: np.ndarray) -> tuple[float, float]:
    """The median, and the spread about it as a standard deviation, by the median of the distances."""
    typical = float(np.median(times))
    return typical, 1.4826 * float(np.median(np.abs(times - typical)))


def standing_out(times: np.ndarray) -> np.ndarray:
    typical, spread = middle(times)
    # A clock of whole ticks shows no spread at all: half a percent is always possible.
    return np.abs(times - typical) > FAR * max(spread, 0.005 * typical)


class Bench:
    """Times commands until one is the fastest with probability ``sure``, or ``seconds`` or ``runs`` are used up.

    A command is a text for the shell, or a ``Command``.  After ``run()``, ``print(bench)`` shows the answer.

    With ``runs`` every command has that many, and all are kept to the end.  Two commands are called equal once the
    difference is certain to be within ``margin``, a share of the time.
    """

    def __init__(
        self,
        commands: Sequence[str | Command],
        *,
        warm_up: int = 1,
        runs: int | None = None,
        seconds: float = 60.0,
        sure: float = 0.95,
        margin: float = 0.01,
        prepare: Command | None = None,
        ignore: bool = False,
        seed: int = 0,
    ):
        if isinstance(commands, str):
            raise TypeError(
                f"commands is {commands!r}: write a list of commands, such as ['sort a.txt', 'sort -u a.txt']"
            )
        every = [Command(command) if isinstance(command, str) else command for command in commands]
        names = [command.name for command in every]
        if not every:
            raise ValueError("there is no command: write what to run, such as 'sleep 0.1' 'sleep 0.2'")
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"{twice!r} comes twice: write each command once")
        self.timings: list[Timing] = [Timing(command) for command in every]
        self.warm_up: int = warm_up
        self.runs: int | None = runs
        self.seconds: float = seconds
        self.sure: float = sure
        self.margin: float = margin
        self.prepare: Command | None = prepare
        self.ignore: bool = ignore
        self.shuffle: Callable[[list[Timing]], None] = random.Random(seed).shuffle
        self.round: int = 0
        self.due: int = LEAST
        self.stopped: str = ""
        self.found: Selection | None = None  # the comparison so far; None for a single command
        self.failures: dict[str, int] = {}  # ignored exit codes

    def __str__(self) -> str:
        from .text import as_text

        return as_text(self)

    # -- running ---------------------------------------------------------------------------------

    def run(self, tick: Callable[[Bench], Any] = lambda bench: None) -> None:
        """Run it all; ``tick`` is called after every round.  Ctrl-C ends it with the result so far."""
        began = time.monotonic()
        try:
            with complaints() as errors:
                self.begin(errors)
                while not self.stopped:
                    self.one_round(errors)
                    self.decide(time.monotonic() - began)
                    tick(self)
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        for timing in self.timings:  # the last round may not be complete
            if timing.rounds and timing.rounds[-1] == self.round:
                del timing.rounds[-1], timing.runs[-1]
        if self.stopped == "interrupted" and self.round >= 3:
            self.found = self.judged()

    def begin(self, errors: IO[bytes]) -> None:
        """Time the shell, and make the warm-up runs."""
        shells = {timing.command.shell for timing in self.timings if timing.command.shell is not None}
        for shell in shells:
            empty = Command(":", shell=shell)
            taken = [empty.run(errors)[0].seconds for _ in range(EMPTY)]
            for timing in self.timings:
                if timing.command.shell == shell:
                    timing.overhead = float(np.median(taken))
        for _ in range(self.warm_up):
            for timing in self.timings:
                timing.warm_up.append(self.timed(timing.command, errors).seconds)

    def one_round(self, errors: IO[bytes]) -> None:
        turn = self.contenders()
        self.shuffle(turn)
        for timing in turn:
            taken = self.timed(timing.command, errors)
            timing.runs.append(taken)
            timing.rounds.append(self.round)
        self.round += 1

    def timed(self, command: Command, errors: IO[bytes]) -> Run:
        if self.prepare is not None:
            _, code = self.prepare.run(errors)
            if code != 0:
                raise TimingError(f"--prepare ended with code {code}{last_line(errors)}")
        taken, code = command.run(errors)
        if code != 0 and not self.ignore:
            how = f"ended with code {code}" if code > 0 else f"was killed by signal {-code}"
            raise TimingError(
                f"{command.name!r} {how}{last_line(errors)}: fix it, or write --ignore-failure to time it anyway"
            )
        if code != 0:
            self.failures[command.name] = code
        return taken

    # -- deciding --------------------------------------------------------------------------------

    def contenders(self) -> list[Timing]:
        """The commands that may be the fastest, two at least: the last rival is needed to the end."""
        if self.found is None or self.runs is not None or self.round < LEAST:
            return list(self.timings)
        chances = self.found.certificate.chances
        ranked = sorted(self.timings, key=lambda timing: -chances[timing.name])
        return ranked[:2] + [timing for timing in ranked[2:] if chances[timing.name] >= HOPELESS]

    def decide(self, taken: float) -> None:
        """Whether to end, and why."""
        enough = self.round >= LEAST and (taken >= AWHILE or self.round >= 3 * LEAST)
        last = taken >= self.seconds or self.round == self.runs
        if not last and self.round < self.due:
            return
        self.due = self.round + 1 + self.round // 20  # a look every 5 % is often enough
        if self.round >= 3:
            self.found = self.judged()
        if self.runs is not None:
            self.stopped = "runs" if self.round >= self.runs else ""
        elif taken >= self.seconds:
            self.stopped = "seconds"
        elif enough and (self.found is None or self.promised()):
            self.stopped = "sure"
        elif enough and self.all_equal():
            self.stopped = "equal"

    def promised(self) -> bool:
        """Whether the fastest is certain, by a test that stays valid when it is checked after every round."""
        turned = [-timing.seconds[timing.counted] for timing in self.timings]
        rounds = [np.array(timing.rounds)[timing.counted] for timing in self.timings]
        return Stop(1.0 - self.sure).satisfied(Results.of(turned, rounds))

    def judged(self) -> Selection | None:
        """The comparison on the rounds that commands share."""
        if len(self.timings) == 1:
            return None
        names = [timing.name for timing in self.timings]
        return Selection.of(
            names,
            names,
            [timing.seconds[timing.counted] for timing in self.timings],
            goal="min",
            crn=True,
            replicates=[np.array(timing.rounds)[timing.counted] for timing in self.timings],
        )

    def all_equal(self) -> bool:
        """Whether all that may be the fastest are within the margin of it."""
        return all(
            abs(ratio - 1.0) + spread <= self.margin
            for timing in self.contenders()
            for ratio, spread in [self.ratio(timing)]
        )

    @property
    def best(self) -> Timing:
        if self.found is None:
            return min(self.timings, key=mean_of)
        return next(timing for timing in self.timings if timing.name == self.found.best)

    def ratio(self, timing: Timing) -> tuple[float, float]:
        """How many times as long it takes as the fastest, with the 95 % margin, on the rounds they share."""
        best = self.best
        if timing is best:
            return 1.0, 0.0
        fast, slow = (
            dict(zip(np.array(t.rounds)[t.counted].tolist(), t.seconds[t.counted], strict=True)) for t in (best, timing)
        )
        shared = sorted(fast.keys() & slow.keys())
        if len(shared) < 2:
            return math.nan, math.inf
        base = mean_of(best)
        if base <= 0.0:
            return math.inf, math.inf
        differences = np.array([slow[r] - fast[r] for r in shared])
        deviate = float(student_score(np.array(DEVIATE), np.array(len(shared) - 1.0)))
        error = float(differences.std(ddof=1)) / math.sqrt(len(shared))
        return 1.0 + float(differences.mean()) / base, deviate * error / base


def mean_of(timing: Timing) -> float:
    """The mean of the runs that are compared."""
    return float(timing.seconds[timing.counted].mean()) if timing.runs else math.nan
