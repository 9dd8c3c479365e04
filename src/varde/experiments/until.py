"""Runs where verdicts are open: a study is measured until its published numbers and its claims are decided.

A cell with published numbers is run to its next look, the one first whose verdict is likeliest for its cost; decided,
it is left alone.  Then all cells together, twice as many runs each time, while claims are open.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from .claims import OPEN, Claim
from .judging.looks import claim_level, look_level, look_runs, worth
from .judging.verdict import CANNOT_TELL, margin, run_sigma, verdict
from .running import Plan
from .store import Blocks
from .study import Outcome

SHARE = 0.95  # of the verdicts: the last few may be at the edge of their margin, which no number of runs decides
TIMES = 3  # the budget, unless another is given: as often the runs of the study


@dataclass
class Open:
    """A cell with published numbers, and how far it is."""

    index: int
    look: int = 0
    sigmas: dict[int, float] = field(default_factory=dict)  # of the printed columns, at look 0
    rows: list[Outcome] = field(default_factory=list)  # the printed ones, at the last look
    words: dict[tuple[str, int], str] = field(default_factory=dict)  # decided: by algorithm and step

    @property
    def decided(self) -> bool:
        return self.look > 0 and len(self.words) == len(self.rows)


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
        self.cells = [
            Open(i)
            for i, cell in enumerate(study.cells)
            if any((cell.problem, *column) in printed for column in cell.columns)
        ]

    def run(self) -> list[str]:
        """Run until decided or the budget is spent; returns the findings, each tested at the level it has left."""
        self.verdicts()
        return self.claims()

    # -- published numbers -----------------------------------------------------------------------

    def verdicts(self) -> None:
        for cell in self.cells:
            if not self.go(cell):
                return
        while (left := self.undecided()) > (1.0 - SHARE) * self.printed() and left:
            going = [cell for cell in self.cells if not cell.decided]
            going.sort(key=lambda cell: (-self.worth(cell), cell.index))
            if not going or self.worth(going[0]) <= 0.0 or not self.go(going[0]):
                return

    def printed(self) -> int:
        return sum(len(cell.rows) for cell in self.cells)

    def undecided(self) -> int:
        return sum(len(cell.rows) - len(cell.words) for cell in self.cells)

    def next_runs(self, cell: Open) -> int:
        """Of its next look: the first of its open numbers."""
        study = self.plan.study
        if cell.look == 0:
            return look_runs(0, 1.0, 1.0, study.percent)
        least = []
        for row in cell.rows:
            if (row.algorithm, row.step) not in cell.words:
                sigma = cell.sigmas[cell.rows.index(row)]
                delta = margin(study, row, study.relative, 3.0, sigma)
                if math.isfinite(sigma) and delta > 0.0:
                    least.append(look_runs(cell.look, sigma, delta, study.percent))
        return max(min(least, default=0), 0)

    def go(self, cell: Open) -> bool:
        """Run a cell to its next look, and look; False if that is beyond the budget."""
        wanted = self.next_runs(cell)
        plan, study = self.plan, self.plan.study
        now = plan.runs_of[cell.index]
        runs = max(study.block * -(-wanted // study.block), now + study.block if cell.look else 0)
        if wanted == 0 or sum(plan.runs_of) - now + runs > self.most:
            return False
        plan.extend(cell.index, runs, self.store)
        self.measure(plan)
        self.look(cell)
        done = f"{self.printed() - self.undecided()} of {self.printed()} decided"
        self.say(f"{study.name}: {sum(plan.runs_of):,} runs, {done}")
        return True

    def look(self, cell: Open) -> None:
        plan, study = self.plan, self.plan.study
        plan.levels[cell.index] = look_level(cell.look)
        cell.rows = [row for row in plan.rows_of(cell.index) if row.published is not None]
        if cell.look == 0:
            cell.sigmas = {i: run_sigma(study, row) for i, row in enumerate(cell.rows)}
        for row in cell.rows:
            word = verdict(study, row).word
            if word != CANNOT_TELL:
                cell.words.setdefault((row.algorithm, row.step), word)
        cell.look += 1

    def worth(self, cell: Open) -> float:
        study, best = self.plan.study, 0.0
        for i, row in enumerate(cell.rows):
            if (row.algorithm, row.step) not in cell.words and math.isfinite(cell.sigmas[i]):
                delta = margin(study, row, study.relative, 3.0, cell.sigmas[i])
                apart = row.value - float(row.published or 0.0)
                cost = float(study.cells[cell.index].steps[-1])  # seconds differ from one machine to the next
                best = max(best, worth(apart, row.runs, cell.sigmas[i], delta, cell.look, study.percent, cost))
        return best

    # -- claims ----------------------------------------------------------------------------------

    def claims(self) -> list[str]:
        """Findings with every claim as it was decided first, or as it is at last."""
        plan, study = self.plan, self.plan.study
        decided: dict[str, Claim] = {}
        look, last = 0, False
        while True:
            runs = study.runs * 2**look
            if self.spent(runs) > self.most:  # the last look: as many as can be had, a block at least
                last = True
                while runs > study.block and self.spent(runs) > self.most:
                    runs -= study.block
            self.raise_to(study.block * max(runs // study.block, 1))
            rows = plan.rows()
            rows.level = claim_level(look)
            found = list(study.findings(rows))
            for claim in found:
                if isinstance(claim, Claim) and claim.holds != OPEN:
                    decided.setdefault(claim.claim, claim)
            left = sum(isinstance(claim, Claim) and claim.claim not in decided for claim in found)
            self.say(f"{study.name}: {sum(plan.runs_of):,} runs, {left} claims undecided")
            if not left or last:
                return [decided.get(line.claim, line) if isinstance(line, Claim) else line for line in found]
            look += 1

    def spent(self, runs: int) -> int:
        """Runs in all, were every cell to have so many."""
        return sum(max(now, runs) for now in self.plan.runs_of)

    def raise_to(self, runs: int) -> None:
        """So many runs for every cell that has fewer; whose verdict is open is looked at again."""
        before = list(self.plan.runs_of)
        for index, now in enumerate(before):
            if now < runs:
                self.plan.extend(index, runs, self.store)
        self.measure(self.plan)
        for cell in self.cells:
            if self.plan.runs_of[cell.index] > before[cell.index] and not cell.decided:
                self.look(cell)
