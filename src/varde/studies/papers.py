"""A paper to reproduce: its studies by part, and what it claims in words.

>>> from varde.studies import Cell, Paper, Study, lowest
>>> table = Study("table-1", "Table 1: time to sort (ms)", [Cell("reversed", "Ours", "", (1,), abs)], runs=100)
>>> paper = Paper(
...     "Sorting in a hurry",
...     tables={"Sorting": [table]},
...     claims={"table-1": [lowest("Ours", "'the fastest on every input'")]},
... )
>>> paper.outline.parts
{'Sorting': ('table-1',)}
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from .claims import Claim, lines_of
from .rows import Rows
from .study import Study

Maker = Callable[[], Study]
Statement = Callable[[Rows], Claim | str | Sequence[str]]  # tests what the paper says on the rows of a study
Studies = Sequence[Study | Maker] | Mapping[str, Study | Maker]  # by name, where they are made when needed
Tables = Studies | Mapping[str, Studies]

LAMBDA = "<lambda>"  # the name of a function without one


class Outline(NamedTuple):
    """What a report needs to know about a paper; kept in every results file of the paper."""

    title: str
    parts: Mapping[str, Sequence[str]]  # names of studies, by part of the paper, in its order
    further: Sequence[str] = ()  # studies that are not in the paper and do not count in its headline

    @property
    def studies(self) -> list[str]:
        return [name for names in self.parts.values() for name in names]

    def part_of(self, study: str) -> str | None:
        return next((part for part, names in self.parts.items() if study in names), None)


@dataclass(frozen=True)
class Paper:
    """A paper to reproduce: its studies, its claims, and its title in reports.

    Args:
        title: the title of the paper.
        tables: a study for each table or figure: a list, or lists by part of the paper, ``{"Sorting": [...]}``.
            Instead of a study, a function without arguments that returns one will do, in a dict of names and functions.
        claims: by name of a study, what the paper says about it in words: ``lowest``, ``highest``, ``below`` and
            ``above`` make such tests, and so does any function that takes the rows and returns a ``Claim``.
        method: the algorithm the paper is about; it is drawn heavier than the others.
        further: studies that are not in the paper: reported, but not counted.
    """

    title: str
    tables: Tables
    claims: Mapping[str, Sequence[Statement]] = field(default_factory=dict)
    method: str = ""
    further: Studies = ()

    def __post_init__(self) -> None:
        if not isinstance(self.title, str) or not self.title.strip():
            raise ValueError(f"title is {self.title!r}: write the title of the paper")
        names = [*self.outline.studies, *self.outline.further]
        if not names:
            raise ValueError(f"{self.title} has no studies: write tables=[Study(...), ...]")
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{self.title} has two studies called {name!r}: give each a name of its own")
        for name, statements in self.claims.items():
            if name not in names:
                raise ValueError(f"claims are about {name!r}, which is not a study: write one of {', '.join(names)}")
            if isinstance(statements, str) or not (isinstance(statements, Sequence) and all(map(callable, statements))):
                raise TypeError(f"claims of {name!r} are {statements!r}: write a list of lowest(...), or of functions")

    @property
    def parts(self) -> dict[str, dict[str, Study | Maker]]:
        """Studies by part and name; without parts, all are in one that has the paper's title."""
        if isinstance(self.tables, Mapping) and is_parts(self.tables):
            return {part: by_name(some) for part, some in self.tables.items()}
        return {self.title: by_name(self.tables)}

    @property
    def outline(self) -> Outline:
        return Outline(
            self.title, {part: tuple(some) for part, some in self.parts.items()}, tuple(by_name(self.further))
        )

    @property
    def studies(self) -> dict[str, Maker]:
        """How to make each study, by name; each knows its paper and has its claims among its findings."""
        known = {name: one for some in [*self.parts.values(), by_name(self.further)] for name, one in some.items()}
        return {name: self.makes(one) for name, one in known.items()}

    def makes(self, one: Study | Maker) -> Maker:
        def make() -> Study:
            study = one if isinstance(one, Study) else one()
            return replace(
                study,
                paper=self.outline,
                method=study.method or self.method,
                findings=with_claims(study.findings, self.claims.get(study.name, ())),
            )

        return make


def with_claims(findings: Callable[[Rows], list[str]], statements: Sequence[Statement]) -> Callable[[Rows], list[str]]:
    if not statements:
        return findings

    def all_findings(rows: Rows) -> list[str]:
        found: list[str] = []
        for number, statement in enumerate(statements, 1):
            name = getattr(statement, "says", "") or getattr(statement, "__name__", LAMBDA)
            name = f"claim {number}" if name == LAMBDA else name
            found += lines_of(statement, rows, name, by=getattr(statement, "by", ""))
        return found + findings_of(findings, rows)

    return all_findings


def findings_of(findings: Callable[[Rows], list[str]], rows: Rows) -> list[str]:
    """The findings of a study; if they fail, that is no claim of the paper."""
    return lines_of(findings, rows, "findings", beyond=True)


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
    from ..paper import ALL

    return {name: functools.cache(make) for name, make in ALL.items()}
