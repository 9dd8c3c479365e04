"""``--until-decided``: run a study until its published numbers and its claims are decided.

What can be decided next is a cell with published numbers, or a claim with all the cells it is about.  The one most
likely to be decided for its cost is run to its next look; once decided, it gets no more runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeGuard

from .claims import OPEN, UNTESTED, Claim
from .judging.levels import claim_level, claim_runs, claim_worth, look_level, look_runs, worth
from .judging.verdict import CANNOT_TELL, OWN_ERRORS, margin, run_sigma, verdict
from .papers import findings_of
from .running import Plan
from .store import Blocks
from .study import Outcome

SHARE = 0.95  # of numbers and claims: the last few may be at the edge of their margin, where no number of runs decides
TIMES = 3  # the default budget, in multiples of the runs of the study
EVEN = 0.5  # the chance that a claim is decided, before anything is known


@dataclass
class OpenCell:
    """The progress of a cell with published numbers."""

    index: int
    printed: int = 0  # numbers
    look: int = 0  # the next one
    at: int = 0  # runs at the last one
    sigmas: dict[int, float] = field(default_factory=dict)  # of the printed columns, at look 0
    rows: list[Outcome] = field(default_factory=list)  # the printed ones, at the last look
    words: dict[tuple[str, int], str] = field(default_factory=dict)  # decided: by algorithm and step

    @property
    def decided(self) -> bool:
        return self.look > 0 and len(self.words) == len(self.rows)


@dataclass
class OpenClaim:
    """The progress of a claim, and the cells it is about."""

    claim: Claim  # at the last look
    cells: list[int]
    look: int = 0
    at: int = 0

    @property
    def decided(self) -> bool:
        return self.look > 0 and self.claim.holds != OPEN


@dataclass
class Deciding:
    """A study that is run until it is decided."""

    plan: Plan
    measure: Callable[[Plan], None]  # whatever is missing
    store: Blocks | None = None
    budget: int | None = None  # runs, over all cells
    say: Callable[[str], None] = lambda line: None

    def __post_init__(self) -> None:
        study = self.plan.study
        self.most = self.budget or TIMES * study.runs * len(study.cells)
        printed = {(problem, name, step) for problem, name, step in study.published}
        counts = [sum((cell.problem, *column) in printed for column in cell.columns) for cell in study.cells]
        self.cells = [OpenCell(i, count) for i, count in enumerate(counts) if count]
        self.claims: dict[str, OpenClaim] = {}

    def run(self) -> list[str]:
        """Run until decided or the budget is spent; returns the findings, each tested at the level it has left."""
        self.begin()
        if not self.number():  # a study without published numbers and claims has its usual runs
            share = self.most // len(self.plan.study.cells) // self.plan.study.block * self.plan.study.block
            self.raise_to(list(range(len(self.plan.study.cells))), min(self.plan.study.runs, share))
        while self.left() > (1.0 - SHARE) * self.number() and (best := self.likeliest()):
            self.raise_to(*best)
            self.look_around()
        return self.end()

    def begin(self) -> None:
        """A first look at every cell with published numbers, a block of the others: enough to know the claims."""
        first = {cell.index: self.next_runs(cell) for cell in self.cells}
        block = self.plan.study.block
        runs = [first.get(i, block) for i in range(len(self.plan.study.cells))]
        if sum(runs) > self.most:
            runs = [block] * len(runs)
        for i, wanted in enumerate(runs):
            self.plan.extend(i, wanted, self.store)
        self.measure(self.plan)
        for claim in self.tested(None, 0):
            about = claim.basis.of if claim.basis else ()
            self.claims[claim.claim] = OpenClaim(claim, self.cells_of(about))
        self.look_around()

    def cells_of(self, keys: Iterable[tuple[str, str]]) -> list[int]:
        """The cells that have these rows; all cells if unknown."""
        wanted, every = set(keys), list(enumerate(self.plan.study.cells))
        found = [i for i, cell in every if any((cell.problem, name) in wanted for name, _ in cell.columns)]
        return found or [i for i, _ in every]

    def end(self) -> list[str]:
        """A last look at what is open, with all runs; then every claim as it was decided."""
        for cell in self.cells:
            if not cell.decided and self.plan.runs_of[cell.index] > cell.at:
                self.look_at(cell, self.plan.runs_of[cell.index])
            if cell.look:
                still = {(row.algorithm, row.step): CANNOT_TELL for row in cell.rows}
                self.plan.words[cell.index] = {**still, **cell.words}
        for claim in self.claims.values():
            runs = self.has(claim)
            if not claim.decided and (claim.look == 0 or runs > claim.at):
                self.look_at_claims([claim], claim.look, runs)
        known = {text: claim.claim for text, claim in self.claims.items()}
        lines = findings_of(self.plan.study.findings, self.plan.rows())
        return [known.get(line.claim, line) if is_tested(line) else line for line in lines]

    # -- progress --------------------------------------------------------------------------------

    def number(self) -> int:
        return sum(cell.printed for cell in self.cells) + len(self.claims)

    def left(self) -> int:
        numbers = sum(cell.printed - len(cell.words) for cell in self.cells)
        return numbers + sum(not claim.decided for claim in self.claims.values())

    def has(self, claim: OpenClaim) -> int:
        """Runs that all of its cells have."""
        return min(self.plan.runs_of[i] for i in claim.cells)

    # -- what to run -----------------------------------------------------------------------------

    def likeliest(self) -> tuple[list[int], int] | None:
        """Which cells to run, and to how many runs; None if nothing is worth it within the budget."""
        found: list[tuple[float, list[int], int]] = []
        for cell in self.cells:
            if not cell.decided and (runs := self.next_runs(cell)):
                found.append((self.worth(cell), [cell.index], runs))
        for claim in self.claims.values():
            if not claim.decided:
                found.append((self.claim_worth(claim), claim.cells, self.next_look(claim)))
        able = [(value, cells, runs) for value, cells, runs in found if value > 0.0 and self.affordable(cells, runs)]
        return max(able, key=lambda one: one[0])[1:] if able else None

    def affordable(self, cells: list[int], runs: int) -> bool:
        now = self.plan.runs_of
        return sum(now) + sum(max(runs - now[i], 0) for i in cells) <= self.most

    def next_runs(self, cell: OpenCell) -> int:
        """Of its next look, in whole blocks: the first of its open numbers; 0 if no number of runs would decide."""
        study = self.plan.study
        if cell.look == 0:
            return self.blocks(look_runs(0, 1.0, 1.0, study.percent))
        least = []
        for i, row in enumerate(cell.rows):
            if (row.algorithm, row.step) not in cell.words:
                sigma = cell.sigmas[i]
                delta = margin(study, row, study.relative, OWN_ERRORS, sigma)
                if math.isfinite(sigma) and delta > 0.0:
                    least.append(look_runs(cell.look, sigma, delta, study.percent))
        return max(self.blocks(min(least)), cell.at + study.block) if least else 0

    def next_look(self, claim: OpenClaim) -> int:
        return self.blocks(claim_runs(claim.look, self.plan.study.runs))

    def blocks(self, runs: int) -> int:
        """So many runs or more, in whole blocks."""
        return self.plan.study.block * -(-runs // self.plan.study.block)

    def worth(self, cell: OpenCell) -> float:
        study, best = self.plan.study, 0.0
        if cell.look == 0:  # nothing is known of it yet
            runs = self.next_runs(cell) - self.plan.runs_of[cell.index]
            return EVEN / max(float(study.cells[cell.index].steps[-1] * runs), 1.0)
        for i, row in enumerate(cell.rows):
            if (row.algorithm, row.step) not in cell.words and math.isfinite(cell.sigmas[i]):
                delta = margin(study, row, study.relative, OWN_ERRORS, cell.sigmas[i])
                apart = row.value - float(row.published or 0.0)
                cost = float(study.cells[cell.index].steps[-1])  # seconds differ from one machine to the next
                best = max(best, worth(apart, row.runs, cell.sigmas[i], delta, cell.look, study.percent, cost))
        return best

    def claim_worth(self, claim: OpenClaim) -> float:
        """Runs that its cells have already cost nothing."""
        study, now, basis = self.plan.study, self.plan.runs_of, claim.claim.basis

        def cost(runs: int) -> float:
            return float(sum(study.cells[i].steps[-1] * max(runs - now[i], 0) for i in claim.cells))

        if claim.look == 0 or basis is None:
            return EVEN / max(cost(self.next_look(claim)), 1.0)
        return claim_worth(basis.t, claim.at, basis.parts, claim.look, study.runs, cost)

    def raise_to(self, cells: list[int], runs: int) -> None:
        """So many runs for every one of these cells that has fewer."""
        for index in cells:
            if self.plan.runs_of[index] < runs:
                self.plan.extend(index, runs, self.store)
        self.measure(self.plan)

    # -- looking ---------------------------------------------------------------------------------

    def look_around(self) -> None:
        """Look at all that have the runs of their next look, with exactly those: looks must not depend on results."""
        for cell in self.cells:
            while not cell.decided and 0 < (runs := self.next_runs(cell)) <= self.plan.runs_of[cell.index]:
                self.look_at(cell, runs)
        while due := [one for one in self.claims.values() if not one.decided and self.next_look(one) <= self.has(one)]:
            look = min(one.look for one in due)
            some = [one for one in due if one.look == look]
            self.look_at_claims(some, look, self.next_look(some[0]))
        done = f"{self.number() - self.left()} of {self.number()} numbers and claims decided"
        done = done if self.number() else "nothing to decide: it gets its usual runs"
        self.say(f"{self.plan.study.name}: {sum(self.plan.runs_of):,} runs, {done}")

    def look_at(self, cell: OpenCell, runs: int) -> None:
        plan, study = self.plan, self.plan.study
        plan.levels[cell.index] = look_level(cell.look)
        cell.rows = [row for row in plan.rows_of(cell.index, runs) if row.published is not None]
        if cell.look == 0:
            cell.sigmas = {i: run_sigma(study, row) for i, row in enumerate(cell.rows)}
        for row in cell.rows:
            word = verdict(study, row).word
            if word != CANNOT_TELL:
                cell.words.setdefault((row.algorithm, row.step), word)
        cell.look, cell.at = cell.look + 1, runs

    def look_at_claims(self, some: list[OpenClaim], look: int, runs: int) -> None:
        found = {claim.claim: claim for claim in self.tested(runs, look)}
        for one in some:
            one.claim = found.get(one.claim.claim, one.claim)
            one.look, one.at = look + 1, runs

    def tested(self, runs: int | None, look: int) -> list[Claim]:
        """All claims on the first so many runs, at the level of a look."""
        rows = self.plan.rows()
        rows.level, rows.most = claim_level(look), runs
        return [line for line in findings_of(self.plan.study.findings, rows) if is_tested(line)]


def is_tested(line: str) -> TypeGuard[Claim]:
    """Whether it is a claim; those whose test fails are not decided by more runs."""
    return isinstance(line, Claim) and line.holds != UNTESTED
