"""What a paper says in words, sentence by sentence, and what the runs answer.

A ``Statement`` keeps four things apart: the sentence as the paper prints it, its place, what is measured, and our own
threshold.  Its ``kind`` decides which grades an answer may have:

    law       holds on every path       holds; false as printed (with a counter-example); cannot be tested
    limit     of more and more samples  shown at these sizes, in part, or not: runs of finite length refute no limit
    table     about printed numbers     as stated; in part; contradicted
    picture   about curves              the same, though there is no number to compare with
    summary   sums up other sentences   not graded
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

from .rows import Rows

HOLDS, FALSE, UNTESTABLE = "holds", "false as printed", "cannot be tested"
SHOWN, SHOWN_IN_PART, NOT_SHOWN = "shown at these sizes", "shown in part", "not shown at these sizes"
STATED, IN_PART, CONTRADICTED = "as stated", "in part", "contradicted"
UNGRADED, FEW, UNTESTED = "not graded", "too few runs", "not tested"
GRADES = {
    "law": (HOLDS, FALSE, UNTESTABLE),
    "limit": (SHOWN, SHOWN_IN_PART, NOT_SHOWN, UNTESTABLE),
    "table": (STATED, IN_PART, CONTRADICTED),
    "picture": (STATED, IN_PART, CONTRADICTED),
    "summary": (UNGRADED,),
}
RED = (FALSE, CONTRADICTED, UNTESTED)
CLEARLY = 3.0  # standard errors behind: more than chance does to one of many comparisons
SURELY = 1.645  # standard errors ahead: each part of "all" is proved by itself, at 5 %
FIELDS = ("number", "sentence", "kind", "place", "measured", "covers", "threshold", "grade", "words")


class Answer(NamedTuple):
    """What the runs answer: a grade of the statement's kind, and the numbers behind it in words."""

    grade: str
    words: str


Ask = Callable[[Rows], Answer]


@dataclass(frozen=True)
class Statement:
    """A sentence of a paper, and how its answer is found.

    Args:
        sentence: word for word.
        kind: "law", "limit", "table", "picture" or "summary".
        answers: by name of a study, a function of its rows that returns an ``Answer``; ``lowest``, ``highest``,
            ``below`` and ``above`` make such functions.
        place: where it stands.
        measured: what is measured.
        covers: the instances that its assumptions cover.
        threshold: ours, not the paper's: from where on the words are taken to be true.
    """

    sentence: str
    kind: str
    answers: Mapping[str, Ask] = field(default_factory=dict)
    place: str = ""
    measured: str = ""
    covers: str = ""
    threshold: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.sentence, str) or not self.sentence.strip():
            raise ValueError(f"sentence is {self.sentence!r}: write the paper's sentence")
        if self.kind not in GRADES:
            raise ValueError(f"kind is {self.kind!r}: write one of {', '.join(GRADES)}")
        if not isinstance(self.answers, Mapping) or not all(map(callable, self.answers.values())):
            raise TypeError(f"answers of {self.sentence!r} is {self.answers!r}: write {{study: lowest('Ours')}}")

    def on(self, study: str, rows: Rows, number: int) -> Answered:
        """The answer of one study; an exception on the way to it is an answer too."""
        error = None
        try:
            said = self.answers[study](rows)
            if not isinstance(said, Answer):
                raise TypeError(f"it returns {said!r}: return varde.studies.Answer(grade, words)")
            if said.grade not in (*GRADES[self.kind], FEW):
                raise ValueError(f"the grade is {said.grade!r}: write one of {', '.join(GRADES[self.kind])}")
        except Exception as problem:
            error, said = problem, Answer(UNTESTED, " ".join(f"{type(problem).__name__}: {problem}".split()))
        told = (number, self.sentence, self.kind, self.place, self.measured, self.covers, self.threshold)
        return Answered(*told, *said, error=error)


class Answered(str):
    """A line about a statement, and its parts."""

    __slots__ = (*FIELDS, "error")

    number: int
    sentence: str
    kind: str
    place: str
    measured: str
    covers: str
    threshold: str
    grade: str
    words: str
    error: Exception | None

    def __new__(cls, *parts: Any, error: Exception | None = None, **named: Any) -> Self:
        given = {**dict(zip(FIELDS, parts, strict=False)), **named}
        line = super().__new__(cls, f'"{given["sentence"]}": {given["grade"]} ({given["words"]})')
        for name in FIELDS:
            setattr(line, name, given[name])
        line.error = error
        return line

    @property
    def parts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in FIELDS}

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self.parts.values())


def together(lines: Iterable[Answered]) -> list[Answered]:
    """One line for each statement, however many studies answer it."""
    found: dict[int, list[Answered]] = {}
    for line in lines:
        found.setdefault(line.number, []).append(line)
    merged = []
    for number in sorted(found):
        some = found[number]
        words = "; ".join(dict.fromkeys(line.words for line in some))
        merged.append(Answered(**{**some[0].parts, "grade": in_all(some), "words": words}))
    return merged


def in_all(lines: Sequence[Answered]) -> str:
    """The grade of several answers to one statement."""
    grades = list(dict.fromkeys(line.grade for line in lines))
    for first in (UNTESTED, FALSE):
        if first in grades:
            return first
    known = [grade for grade in grades if grade != FEW] or grades
    if len(known) == 1:
        return known[0]
    return SHOWN_IN_PART if lines[0].kind == "limit" else IN_PART


def grade(kind: str, met: Sequence[bool]) -> str:
    """Of a statement of which each part is met or not: the best of its kind if all are, the worst if none is."""
    best, between, worst = GRADES[kind][:3]
    return best if all(met) else between if any(met) else worst


# -- comparisons -------------------------------------------------------------------------------------

Parts = Mapping[str, np.ndarray]  # by name, [runs] or [runs, steps]: by how much each run is ahead


class Comparison(NamedTuple):
    """How many comparisons are won on average, which are lost, and by how much the least."""

    names: list[str]
    leads: np.ndarray  # mean, by name
    errors: np.ndarray  # standard errors

    @property
    def won(self) -> int:
        return int((self.leads > 0.0).sum())

    @property
    def lost(self) -> list[int]:
        """Those not won, the most clearly lost first."""
        order = np.argsort(self.leads / np.maximum(self.errors, 1e-300), kind="stable")
        return [int(i) for i in order if self.leads[i] <= 0.0]

    def told(self, i: int, unit: str = "") -> str:
        return f"{self.names[i]} {self.leads[i]:+.2g} ± {self.errors[i]:.1g}{unit}"


def compared(parts: Parts, steps: Sequence[int] = ()) -> Comparison:
    """Mean and error of every lead, over the runs that all parts have."""
    names, leads, errors = [], [], []
    for name, some in parts.items():
        columns = np.asarray(some if some.ndim > 1 else some[:, None], float)
        names += [f"{name} at {steps[i]:,}" if columns.shape[1] > 1 else name for i in range(columns.shape[1])]
        leads.append(columns.mean(axis=0))
        errors.append(columns.std(axis=0, ddof=1) / len(columns) ** 0.5 if len(columns) > 1 else 0.0 * columns[0])
    if not names:
        raise ValueError("there is nothing to compare: write {name: by how much each run is ahead}")
    return Comparison(names, np.concatenate(leads), np.concatenate(errors))


SHOWN_LOST = 3  # comparisons named where some are lost


def ahead(parts: Parts, steps: Sequence[int] = (), unit: str = "") -> Answer:
    """In how many comparisons the runs are ahead, where not, and by how much the least.

    As stated if in all, the least lead beyond chance; contradicted if in fewer than half and clearly behind in one; in
    part otherwise.
    """
    if min(len(some) for some in parts.values()) < 2:
        return Answer(FEW, "one run")
    found = compared(parts, steps)
    total, lost = len(found.names), found.lost
    if not np.isfinite(found.leads).all():
        return Answer(IN_PART, f"{found.names[int(np.argmin(np.isfinite(found.leads)))]} is not a finite number")
    counts = f"ahead in {found.won} of {total} comparison{'s' * (total > 1)}"
    if not lost:
        least = int(np.argmin(found.leads / np.maximum(found.errors, 1e-300)))
        sure = found.leads[least] >= SURELY * found.errors[least]
        chance = "" if sure else ", within chance"
        return Answer(STATED if sure else IN_PART, f"{counts}; the least lead: {found.told(least, unit)}{chance}")
    named = ", ".join(found.told(i, unit) for i in lost[:SHOWN_LOST]) + " ..." * (len(lost) > SHOWN_LOST)
    clearly = any(found.leads[i] < -CLEARLY * found.errors[i] for i in lost)
    grade = CONTRADICTED if 2 * found.won < total and clearly else IN_PART
    return Answer(grade, f"{counts}; behind: {named}")


# -- sentences that papers usually have ----------------------------------------------------------------


def lowest(algorithm: str, problems: Sequence[str] = (), throughout: bool = False) -> Ask:
    """Whether the algorithm has a lower mean than every other one, on all problems or on these.

    At the last step, or ``throughout``: at every one.
    """
    return lambda rows: ahead(*ranked(rows, -1.0, algorithm, problems, throughout), rows.unit and f" {rows.unit}")


def highest(algorithm: str, problems: Sequence[str] = (), throughout: bool = False) -> Ask:
    """Whether the algorithm has a higher mean than every other one; arguments as in ``lowest``."""
    return lambda rows: ahead(*ranked(rows, 1.0, algorithm, problems, throughout), rows.unit and f" {rows.unit}")


def below(algorithm: str, level: float, problems: Sequence[str] = (), throughout: bool = False) -> Ask:
    """Whether the mean of the algorithm is below a level; arguments as in ``lowest``."""
    return lambda rows: ahead(*bounded(rows, -1.0, algorithm, level, problems, throughout))


def above(algorithm: str, level: float, problems: Sequence[str] = (), throughout: bool = False) -> Ask:
    """Whether the mean of the algorithm is above a level; arguments as in ``lowest``."""
    return lambda rows: ahead(*bounded(rows, 1.0, algorithm, level, problems, throughout))


def ranked(
    rows: Rows, sign: float, algorithm: str, problems: Sequence[str], throughout: bool, rivals: Sequence[str] = ()
) -> tuple[dict[str, np.ndarray], list[int]]:
    """By how much the algorithm is ahead of each rival, and at which steps."""
    met: dict[str, np.ndarray] = {}
    quantity = algorithm.partition(": ")[2]
    for problem in problems_of(rows, algorithm, problems):
        others = [
            name
            for where, name in rows.runs
            if where == problem and name != algorithm and name.partition(": ")[2] == quantity
            and (not rivals or name in rivals)
        ]  # fmt: skip
        found = rows.curves([(problem, name) for name in (algorithm, *others)])
        for rival in others:
            lead = sign * (scaled(rows, found[problem, algorithm]) - scaled(rows, found[problem, rival]))
            met[f"{problem}, against {rival}"] = lead if throughout else lead[:, -1:]
    if not met:
        raise ValueError(f"there is nothing to compare {algorithm!r} with: add another algorithm to the study")
    return met, steps_of(rows, algorithm, throughout)


def bounded(
    rows: Rows, sign: float, algorithm: str, level: float, problems: Sequence[str], throughout: bool
) -> tuple[dict[str, np.ndarray], list[int]]:
    met = {}
    for problem in problems_of(rows, algorithm, problems):
        beyond = sign * (scaled(rows, rows.curves([(problem, algorithm)])[problem, algorithm]) - level)
        met[problem] = beyond if throughout else beyond[:, -1:]
    return met, steps_of(rows, algorithm, throughout)


def scaled(rows: Rows, values: np.ndarray) -> np.ndarray:
    """As they are shown."""
    return (100.0 if rows.percent else 1.0) * np.asarray(values, float)


def problems_of(rows: Rows, algorithm: str, problems: Sequence[str]) -> list[str]:
    known = [problem for problem, name in rows.runs if name == algorithm]
    if not known:
        names = ", ".join(dict.fromkeys(name for _, name in rows.runs))
        raise ValueError(f"there is no algorithm {algorithm!r} in the study: write one of {names}")
    strange = [problem for problem in problems if problem not in known]
    if strange:
        raise ValueError(f"{algorithm} is not measured on {strange[0]!r}: write some of {', '.join(known)}")
    return list(problems) or known


def steps_of(rows: Rows, algorithm: str, throughout: bool) -> list[int]:
    return sorted({row.step for row in rows if row.algorithm == algorithm}) if throughout else []


def text_lines(findings: Callable[[Rows], Any], rows: Rows) -> list[str]:
    """What a study says of its rows, line by line; should that raise an exception, it is the last line."""
    try:
        said = findings(rows)
        lines = [said] if isinstance(said, str) else list(said)
        strange = next((line for line in lines if not isinstance(line, str)), None)
        if strange is not None:
            raise TypeError(f"it returns {strange!r}: return texts")
    except Exception as error:
        failed = " ".join(f"{type(error).__name__}: {error}".split())
        return [Answered(0, "findings", "summary", "", "", "", "", UNTESTED, failed, error=error)]
    return lines
