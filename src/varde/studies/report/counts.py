"""The paper's numbers and sentences, counted: deviations in standard errors, verdicts, grades."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..judging.intervals import FEW
from ..judging.quantiles import normal_tail
from ..judging.verdict import DIFFERENT, VERDICTS
from ..papers import Outline
from ..statements import Answered, together
from ..study import Outcome
from .load import Result

NAMED = 4  # in a sentence


class Miss(NamedTuple):
    """Published numbers of one study that were not reproduced, with the same likely reason."""

    result: Result
    rows: list[Outcome]
    reason: str


class Deviation(NamedTuple):
    """A measured share less the printed one, in standard errors of both."""

    result: Result
    row: Outcome
    z: float


def counted(results: Sequence[Result]) -> list[Result]:
    """Those whose published numbers and statements are in the headline."""
    return [result for result in results if result.counts]


def papers(results: Sequence[Result]) -> dict[str, Outline]:
    """The papers that these studies are of, by title; what any of their files says is in it."""
    found: dict[str, Outline] = {}
    for paper in (result.paper for result in results if result.paper is not None):
        known = found.setdefault(paper.title, paper)
        parts = {part: (*known.parts.get(part, ()), *names) for part, names in paper.parts.items()}
        merged = {part: tuple(dict.fromkeys(names)) for part, names in {**known.parts, **parts}.items()}
        found[paper.title] = known._replace(parts=merged)
    return found


def verdicts(results: Sequence[Result]) -> dict[str, int]:
    """How many published numbers are the same, different, or open."""
    words = Counter(row.verdict for result in results for row in result.published)
    return {word: words[word] for word in VERDICTS}


def statements(results: Sequence[Result]) -> list[Answered]:
    """The statements of the papers, one line each."""
    return together(line for result in results for line in result.answers)


def grades(lines: Sequence[Answered]) -> Counter[str]:
    return Counter(line.grade for line in lines)


def deviations(results: Sequence[Result]) -> list[Deviation]:
    """Of every published share whose number of runs is known."""
    found = []
    for result in results:
        study = result.study
        for row in result.published if study.percent and study.published_runs else ():
            printed = float(row.published or 0.0)
            variance = printed * (100.0 - printed) * (1.0 / row.runs + 1.0 / (study.published_runs or 1))
            if variance > 0.0 and math.isfinite(row.value):
                found.append(Deviation(result, row, (row.value - printed) / math.sqrt(variance)))
    return found


def chi_square(zs: Sequence[float]) -> tuple[float, float]:
    """Chi-square, and the chance of one as large (Wilson and Hilferty's approximation)."""
    total, n = sum(z * z for z in zs), len(zs)
    return total, normal_tail(((total / n) ** (1 / 3) - 1.0 + 2.0 / (9.0 * n)) / math.sqrt(2.0 / (9.0 * n)))


def in_numbers(results: Sequence[Result]) -> str:
    """The published numbers in a sentence."""
    found, told = deviations(results), []
    if found:
        total, p = chi_square([one.z for one in found])
        largest = max(found, key=lambda one: abs(one.z))
        told.append(
            f"{len(found)} printed shares: chi-square {total:.1f} on {len(found)} (p = {p:.2g}), the largest deviation "
            f"{abs(largest.z):.1f} standard errors ({largest.row.algorithm} on {largest.row.problem})"
        )
    ids = {(id(one.result), id(one.row)) for one in found}
    rest = [(r, row) for r in results for row in r.published if (id(r), id(row)) not in ids and row.published]
    if rest:
        apart = sorted(abs(row.value / float(row.published or 1.0) - 1.0) for _, row in rest)
        worst = max(rest, key=lambda pair: abs(pair[1].value / float(pair[1].published or 1.0) - 1.0))[1]
        error = 100.0 * worst.stderr / abs(float(worst.published or 1.0))
        what = f"{len(rest)} {'other ' if found else ''}printed number{'s' * (len(rest) > 1)}"
        told.append(
            f"{what}: {100.0 * apart[len(apart) // 2]:.2g} % apart at the median, {100.0 * apart[-1]:.2g} % at most "
            f"({worst.algorithm}, step {worst.step:,}, ± {error:.2g} %)"
        )
    if different := verdicts(results)[DIFFERENT]:
        told.append(f"{different} outside of the margin")
    return "; ".join(told)


def misses(results: Sequence[Result], word: str) -> list[Miss]:
    """The numbers of one verdict, grouped by study and reason."""
    found: dict[tuple[str, str], Miss] = {}
    for result in results:
        for row in result.published if result.counts else ():
            if row.verdict == word:
                found.setdefault((result.name, row.reason), Miss(result, [], row.reason)).rows.append(row)
    return list(found.values())


def cautions(results: Sequence[Result]) -> list[str]:
    """What a reader should know before reading further."""
    lines = []
    few = [result for result in counted(results) if result.runs < FEW]
    if few:
        lines.append(f"Too few runs to tell much: {', '.join(f'{r.name} {r.runs:,}' for r in few)}.")
    quick = [r for r in results if r.study.in_a_paper and FEW <= r.runs < r.study.runs]
    if quick:
        parts = [f"{r.name} {r.runs:,} of {r.study.runs:,}" for r in quick]
        more = f" and {len(parts) - NAMED} other studies" if len(parts) > NAMED else ""
        lines.append(f"Fewer runs than by default, so less is decided: {', '.join(parts[:NAMED])}{more}.")
    for paper in papers(results).values():
        absent = [name for name in paper.studies if name not in {r.name for r in results}]
        if absent and len(absent) < len(paper.studies):
            lines.append(f"Not in this folder: {', '.join(absent)}.")
    return lines
