"""Runs of commands until it is clear which is the fastest: a selection with the lowest time as its goal.

Commands are compared by the logarithms of their times, so that a margin is a share, on common random numbers: the r-th
runs of all commands that may still be the fastest are made one after the other, and what slows the machine down for a
while affects them alike.  A run that is far from the others of its command is usually due to another program: it is
reported, and made again for the comparison, unless there are so many that they must be due to the command itself.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import IO, Any

import numpy as np

from ..beliefs.student import DEVIATE, student_score
from ..selection import Selection, Selector, Stop
from ..selection.select import drive
from .command import Command, TimingError, last_line

FAR = 5.0  # robust standard deviations from the median: such a run stands out
FEW = 5  # runs, of which none can stand out
OWN = 0.2  # share of the runs: if more stand out, they belong to the command


class Timing:
    """The runs of one command."""

    def __init__(self, command: Command):
        self.command, self.name = command, command.name
        self.warm_up: list[float] = []
        self.runs: list[float] = []  # seconds
        self.round_of: list[int | None] = []  # runs with the same are compared; None: made again

    @property
    def seconds(self) -> np.ndarray:
        return np.array(self.runs)

    @property
    def counted(self) -> np.ndarray:
        """Which runs are compared."""
        return np.array([round is not None for round in self.round_of], bool)

    @property
    def mean(self) -> float:
        """The mean of the runs that are compared."""
        return float(self.seconds[self.counted].mean()) if self.runs else math.nan

    @property
    def first_slow(self) -> float | None:
        """The time of the very first run, if it is much longer than the others."""
        if len(self.runs) < 3:
            return None
        every = np.array([*self.warm_up, *self.runs])
        typical, spread = middle(every[1:])
        slow = every[0] > every[1:].max() or standing_out(every)[0]
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

    After ``run()``, ``print(bench)`` shows the answer.

    With ``runs`` every command has that many.  Two commands are called equal once the difference is certain to be
    within ``margin``, a share of the time.
    """

    def __init__(
        self,
        commands: Sequence[Command],
        warm_up: int = 1,
        runs: int | None = None,
        seconds: float = 60.0,
        sure: float = 0.95,
        margin: float = 0.01,
        prepare: Command | None = None,
    ):
        names = [command.name for command in commands]
        if len(names) < 2:
            raise ValueError(f"there are {len(names)} commands to compare: write two or more, 'sleep 0.1' 'sleep 0.2'")
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"{twice!r} comes twice: write each command once")
        self.timings: list[Timing] = [Timing(command) for command in commands]
        self.warm_up, self.runs, self.seconds, self.prepare = warm_up, runs, seconds, prepare
        self.sure, self.margin = sure, margin
        self.stopped: str | None = None  # "sure", "runs", "seconds" or "interrupted"
        self.found: Selection | None = None  # the comparison

    def __str__(self) -> str:
        from .text import as_text

        return as_text(self)

    def run(self, tick: Callable[[Selector], Any] = lambda selector: None) -> None:
        """Run it all; ``tick`` is called after every run.  Ctrl-C ends it with the result so far."""
        by_name = {timing.name: timing for timing in self.timings}
        until = time.monotonic() + self.seconds
        how: dict[str, Any] = {"stop": Stop(1.0 - self.sure, math.log1p(self.margin))}
        if self.runs is not None:
            how, until = {"budget": self.runs * len(by_name), "warm_start": self.runs}, math.inf
        selector, problem = Selector(list(by_name), goal="min", crn=True, **how), None
        with tempfile.TemporaryFile() as errors:

            def timed(name: str, seed: int) -> float:
                nonlocal problem
                try:
                    return self.measure(by_name[name], seed, errors)
                except TimingError as error:  # which no further run would mend
                    problem = error
                    raise KeyboardInterrupt from error

            try:
                for timing in self.timings * self.warm_up:
                    timing.warm_up.append(self.once(timing.command, errors))
                seconds = max(until - time.monotonic(), 1e-3)
                ended = drive(selector, timed, progress=tick, seconds=seconds).stopped
            except KeyboardInterrupt:
                ended = "interrupted"
        if problem is not None:
            raise problem
        self.stopped = ended or ("runs" if self.runs is not None else "sure")
        if all(any(timing.counted) for timing in self.timings):
            self.found = selector.recommend(ended)

    def measure(self, timing: Timing, round: int, errors: IO[bytes]) -> float:
        """The logarithm of the time of one run; of another if it stands out."""
        while True:
            timing.runs.append(self.once(timing.command, errors))
            every = timing.seconds
            far = standing_out(every) if len(every) > FEW else np.zeros(1, bool)
            counts = not far[-1] or far.mean() > OWN
            timing.round_of.append(round if counts else None)
            if counts:
                return math.log(max(float(every[-1]), 1e-9))

    def once(self, command: Command, errors: IO[bytes]) -> float:
        if self.prepare is not None:
            _, code = self.prepare.run(errors)
            if code != 0:
                raise TimingError(f"--prepare ended with code {code}{last_line(errors)}")
        taken, code = command.run(errors)
        if code != 0:
            how = f"ended with code {code}" if code > 0 else f"was killed by signal {-code}"
            raise TimingError(f"{command.name!r} {how}{last_line(errors)}: fix it, or write '{command.name}; true'")
        return taken

    @property
    def best(self) -> Timing:
        if self.found is None:
            return min(self.timings, key=lambda timing: timing.mean)
        return next(timing for timing in self.timings if timing.name == self.found.best_name)

    @property
    def decided(self) -> bool:
        """Whether the fastest is known, or the difference does not matter."""
        return self.found is not None and (self.stopped == "sure" or self.found.p_right >= self.sure)

    def ratio(self, timing: Timing) -> tuple[float, float]:
        """How many times as long it takes as the fastest, with the 95 % margin, on the rounds they share."""
        best = self.best
        if timing is best:
            return 1.0, 0.0
        fast, slow = (dict(zip(each.round_of, each.runs, strict=True)) for each in (best, timing))
        shared = [round for round in fast if round is not None and round in slow]
        if len(shared) < 2 or best.mean <= 0.0:
            return math.inf, math.inf
        differences = np.array([slow[round] - fast[round] for round in shared])
        deviate = float(student_score(np.array(DEVIATE), np.array(len(shared) - 1.0)))
        error = float(differences.std(ddof=1)) / math.sqrt(len(shared))
        return 1.0 + float(differences.mean()) / best.mean, deviate * error / best.mean
