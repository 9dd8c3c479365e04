"""What measured rows answer to a sentence: a grade, and the numbers behind it in words.

The kind of a sentence decides which grades it may get:

    law       holds on every path       holds; false as printed (with a counter-example); cannot be tested
    limit     of more and more samples  shown at these sizes, in part, or not: runs of finite length refute no limit
    table     about printed numbers     as stated; in part; contradicted
    picture   about curves              the same, though there is no number to compare with
    summary   sums up other sentences   not graded

Answers are made of means and standard errors alone, which is what results files keep: whoever has the file can grade
again.  Errors of differences are those of independent runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ..studies.study import Outcome, find

HOLDS, FALSE, UNTESTABLE = "holds", "false as printed", "cannot be tested"
SHOWN, SHOWN_IN_PART, NOT_SHOWN = "shown at these sizes", "shown in part", "not shown at these sizes"
STATED, IN_PART, CONTRADICTED = "as stated", "in part", "contradicted"
UNGRADED, FEW, MISSING = "not graded", "too few runs", "not measured"
GRADES = {
    "law": (HOLDS, FALSE, UNTESTABLE),
    "limit": (SHOWN, SHOWN_IN_PART, NOT_SHOWN, UNTESTABLE),
    "table": (STATED, IN_PART, CONTRADICTED),
    "picture": (STATED, IN_PART, CONTRADICTED),
    "summary": (UNGRADED,),
}
CLEARLY = 3.0  # standard errors behind: more than chance does to one of many comparisons
SURELY = 1.645  # standard errors ahead: each part of "all" is proved by itself, at 5 %
NAMED = 3  # comparisons named where some are lost

Rows = Sequence[Outcome]


class Answer(NamedTuple):
    """The grade as printed; under fitted choices, where they decide, another one."""

    grade: str
    words: str
    fitted: str = ""


class Lead(NamedTuple):
    """By how much one row is ahead of another, on average, with the standard error."""

    name: str
    mean: float
    error: float

    @property
    def z(self) -> float:
        return self.mean / max(self.error, 1e-300)

    def told(self, unit: str = "") -> str:
        return f"{self.name} {self.mean:+.2g} ± {self.error:.1g}{unit}"


def lead(name: str, own: Outcome, other: Outcome, sign: float = 1.0, margin: float = 0.0) -> Lead:
    """``sign`` is 1 where higher is better, and -1 where lower is."""
    return Lead(name, sign * (own.value - other.value) + margin, math.hypot(own.stderr, other.stderr))


def leads(
    rows: Rows, own: str, rivals: Sequence[str], problem: str, sign: float = 1.0, steps: Sequence[int | None] = (None,)
) -> list[Lead]:
    """Of one row against some others, at the last step or at several."""
    found = []
    for step in steps:
        at = "" if step is None else f" at {step:,}"
        mine = find(rows, problem, own, step)
        found += [lead(f"{rival}{at}", mine, find(rows, problem, rival, step), sign) for rival in rivals]
    return found


def counted(found: Sequence[Lead], unit: str = "") -> Answer:
    """As stated if all are won, the least beyond chance; contradicted if most are lost and one clearly."""
    lost = sorted((one for one in found if one.mean <= 0.0), key=lambda one: one.z)
    words = f"ahead in {len(found) - len(lost)} of {len(found)} comparison{'s' * (len(found) > 1)}"
    if not lost:
        least = min(found, key=lambda one: one.z)
        sure = least.z >= SURELY
        told = f"{words}; the least lead: {least.told(unit)}{'' if sure else ', within chance'}"
        return Answer(STATED if sure else IN_PART, told)
    behind = ", ".join(one.told(unit) for one in lost[:NAMED]) + " ..." * (len(lost) > NAMED)
    clearly = any(one.z < -CLEARLY for one in lost)
    grade = CONTRADICTED if 2 * len(lost) > len(found) and clearly else IN_PART
    return Answer(grade, f"{words}; behind: {behind}")


def of_parts(kind: str, met: Sequence[bool]) -> str:
    """The best grade of its kind if every part is met, the worst if none is."""
    best, between, worst = GRADES[kind][:3]
    return best if all(met) else between if any(met) else worst


def problems_of(rows: Rows, name: str) -> list[str]:
    """Where an algorithm was measured, in the order of the study."""
    return list(dict.fromkeys(row.problem for row in rows if row.algorithm == name))


def steps_of(rows: Rows, problem: str, name: str) -> list[int]:
    return sorted({row.step for row in rows if (row.problem, row.algorithm) == (problem, name)})
