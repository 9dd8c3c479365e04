"""A paper to reproduce: its studies by part, and what it says in words.

>>> from varde.studies import Cell, Paper, Statement, Study, lowest
>>> table = Study("table-1", "Table 1: time to sort (ms)", [Cell("reversed", "Ours", "", (1,), abs)], runs=100)
>>> paper = Paper(
...     "Sorting in a hurry",
...     tables={"Sorting": [table]},
...     statements=[Statement("the fastest on every input", "table", {"table-1": lowest("Ours")})],
... )
>>> paper.outline.parts
{'Sorting': ('table-1',)}
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from .rows import Rows
from .statements import FEW, Answer, Statement, text_lines
from .study import Study

Maker = Callable[[], Study]
Studies = Sequence[Study | Maker] | Mapping[str, Study | Maker]  # by name, where they are made when needed
Tables = Studies | Mapping[str, Studies]


class Outline(NamedTuple):
    """What a report needs to know about a paper; kept in every results file of the paper."""

    title: str
    parts: Mapping[str, Sequence[str]]  # names of studies, by part of the paper, in its order
    further: Sequence[str] = ()  # studies that are not in the paper and do not count in its headline
    first: Sequence[str] = ()  # studies whose first finding and picture belong on the first screen
    fitted: Sequence[Sequence[str]] = ()  # settings that were chosen to fit printed numbers: what, chosen, fitted on

    @property
    def studies(self) -> list[str]:
        return [name for names in self.parts.values() for name in names]

    def part_of(self, study: str) -> str | None:
        return next((part for part, names in self.parts.items() if study in names), None)


@dataclass(frozen=True)
class Paper:
    """A paper to reproduce: its studies, its statements, and its title in reports.

    Args:
        title: the title of the paper.
        tables: a study for each table or figure: a list, or lists by part of the paper, ``{"Sorting": [...]}``.
            Instead of a study, a function without arguments that returns one will do, in a dict of names and functions.
        statements: what the paper says in words, a ``Statement`` for each sentence.
        method: the algorithm the paper is about; it is drawn heavier than the others.
        further: studies that are not in the paper: reported, but not counted.
        first: names of studies whose first finding and picture a report shows first.
        fitted: settings chosen to fit printed numbers: lines of what, chosen, and fitted on what.
    """

    title: str
    tables: Tables
    statements: Sequence[Statement] = ()
    method: str = ""
    further: Studies = ()
    first: Sequence[str] = ()
    fitted: Sequence[Sequence[str]] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.title, str) or not self.title.strip():
            raise ValueError(f"title is {self.title!r}: write the title of the paper")
        names = [*self.outline.studies, *self.outline.further]
        if not names:
            raise ValueError(f"{self.title} has no studies: write tables=[Study(...), ...]")
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{self.title} has two studies called {name!r}: give each a name of its own")
        if isinstance(self.statements, Statement) or not all(isinstance(one, Statement) for one in self.statements):
            raise TypeError(
                f"statements is {self.statements!r}: write a list, [Statement(sentence, kind, answers), ...]"
            )
        for statement in self.statements:
            for name in statement.answers:
                if name not in names:
                    raise ValueError(
                        f"{statement.sentence!r} is answered by {name!r}, which is not a study: write one of "
                        f"{', '.join(names)}"
                    )

    @property
    def parts(self) -> dict[str, dict[str, Study | Maker]]:
        """Studies by part and name; without parts, all are in one that has the paper's title."""
        if isinstance(self.tables, Mapping) and is_parts(self.tables):
            return {part: by_name(some) for part, some in self.tables.items()}
        return {self.title: by_name(self.tables)}

    @property
    def outline(self) -> Outline:
        return Outline(
            self.title,
            {part: tuple(some) for part, some in self.parts.items()},
            tuple(by_name(self.further)),
            tuple(self.first),
            tuple(map(tuple, self.fitted)),
        )

    @property
    def studies(self) -> dict[str, Maker]:
        """How to make each study, by name; each knows its paper and answers its statements."""
        known = {name: one for some in [*self.parts.values(), by_name(self.further)] for name, one in some.items()}
        return {name: self.makes(one) for name, one in known.items()}

    def makes(self, one: Study | Maker) -> Maker:
        def make() -> Study:
            study = one if isinstance(one, Study) else one()
            return replace(
                study,
                paper=self.outline,
                method=study.method or self.method,
                findings=self.answering(study),
            )

        return make

    def answering(self, study: Study) -> Callable[[Rows], list[str]]:
        """The findings of a study, after its answers to the statements of the paper; some problems answer none."""
        asked = {number: one for number, one in enumerate(self.statements, 1) if study.name in one.answers}
        problems = {cell.problem for cell in study.cells}

        def findings(rows: Rows) -> list[str]:
            found = {row.problem for row in rows}
            part = Answer(FEW, f"measured on {len(found)} of {len(problems)} problems only")
            given = {study.name: lambda rows: part}
            some = [one if problems <= found else replace(one, answers=given) for one in asked.values()]
            answers: list[str] = [one.on(study.name, rows, number) for number, one in zip(asked, some, strict=True)]
            return answers + text_lines(study.findings, rows)

        return findings


def is_parts(tables: Mapping[str, Any]) -> bool:
    """Whether these are studies by part of the paper, not studies by name."""
    return not any(isinstance(one, Study) or callable(one) for one in tables.values())


def by_name(some: Any) -> dict[str, Study | Maker]:
    if isinstance(some, Mapping):
        return dict(some)
    if isinstance(some, Study) or callable(some):
        some = [some]
    if not isinstance(some, Sequence) or isinstance(some, str):
        raise TypeError(f"tables has {some!r}: write a list of studies, or lists by part of the paper")
    made = [one if isinstance(one, Study) else one() if callable(one) else one for one in some]
    for one in made:
        if not isinstance(one, Study):
            raise TypeError(f"tables has {one!r}, a {type(one).__name__}: write varde.studies.Study(...)")
    names = [one.name for one in made]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ValueError(f"two studies are called {twice!r}: give each a name of its own")
    return {one.name: one for one in made}


@functools.cache  # a worker asks for a study once for each of its cells
def shipped() -> Mapping[str, Maker]:
    """The studies that come with the package: those a worker may be asked for by name, or a report may find."""
    from ..paper import STUDIES

    return {name: functools.cache(make) for name, make in STUDIES.items()}
