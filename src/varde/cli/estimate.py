"""How long it will take: blocks differ by orders of magnitude, so they are weighed, not counted."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from statistics import fmean, median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..studies.measuring import Portion
    from ..studies.running import Plan
    from ..studies.store import Block, Blocks, KeptCell

Kind = tuple[str, str]  # study, algorithm


class Estimate:
    """Seconds of computing left.

    The cost of a block is taken to be its runs times the last step of its cell times a rate: the median of what the
    latest blocks of the same algorithm took (a median: a machine may be busy for a while); of an algorithm not yet
    seen, the mean rate of its study; of a study not yet seen, the rough one that it names, in relation to those seen.
    """

    def __init__(self, plans: Sequence[Plan]):
        self.rough = {plan.study.name: plan.study.rate for plan in plans if plan.study.rate}
        self.remaining: dict[Kind, float] = defaultdict(float)
        self.rates: dict[Kind, deque[float]] = defaultdict(lambda: deque(maxlen=9))
        self.sizes: dict[str, float] = {}
        for plan in plans:
            for portion in plan.portions:
                self.sizes[portion.fingerprint] = size(plan, portion)
                if portion.fingerprint not in plan.done:
                    self.remaining[kind(plan, portion)] += size(plan, portion)
            for block in plan.done.values():
                self.seen(block)

    def seen(self, block: Block) -> None:
        self.rates[block.study, block.algorithm].append(block.seconds / self.sizes[block.fingerprint])

    def recall(self, study: str, cells: Sequence[KeptCell], store: Blocks) -> None:
        """Go by the earlier blocks of these cells, for algorithms of which none is done."""
        known = {of for of, took in self.rates.items() if took}
        for cell in cells:
            if (study, cell.algorithm) not in known and (block := store.get(next(cell.blocks()), again=True)):
                work = min(cell.block, cell.runs) * max(cell.steps[-1], 1)
                self.rates[study, cell.algorithm].append(block.seconds / work)

    def add(self, block: Block) -> None:
        """A block is done."""
        self.seen(block)
        self.remaining[block.study, block.algorithm] -= self.sizes[block.fingerprint]

    def seconds(self, study: str | None = None) -> float | None:
        """Of one study or all; None if there is nothing to go by."""
        rates = {of: median(took) for of, took in self.rates.items()}
        means: dict[str, float] = {}
        for name in {of for of, _ in rates}:
            means[name] = fmean(rate for (of, _), rate in rates.items() if of == name)
        known = means.keys() & self.rough.keys()
        speed = fmean(means[name] / self.rough[name] for name in known) if known else 1.0
        total = 0.0
        for (of, algorithm), work in self.remaining.items():
            if study not in (None, of) or work <= 0.0:
                continue
            rate = rates.get((of, algorithm)) or means.get(of) or speed * self.rough.get(of, 0.0)
            if not rate:
                return None
            total += rate * work
        return total


def kind(plan: Plan, portion: Portion) -> Kind:
    return plan.study.name, plan.study.cells[portion.cell].algorithm


def size(plan: Plan, portion: Portion) -> float:
    return float(portion.runs * max(plan.study.cells[portion.cell].steps[-1], 1))


def words(seconds: float | None) -> str:
    """1:02:03, 4:05, or a mark for unknown."""
    if seconds is None:
        return "-:--"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
