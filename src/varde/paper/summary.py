"""What the recorded rows come to, in sentences: the page, docs/paper.md and README are filled from these."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..studies.extra import needed
from ..studies.results import Result
from ..studies.study import Outcome
from . import PAPER_RUNS, READINGS, STUDIES
from .answers import Answer, Rows
from .best_policy import BASELINES, VARDE, falls, sizes_of
from .reading import COMBINATIONS, LEADING, PRINTED
from .statements import PARTS, Statement, graded
from .table_1 import TABLE_1
from .tree_search import AGAIN, OWN, ROLLOUT, against_rivals, from_where, rank_correlation, readings_of
from .tree_search import AS_PRINTED as TREE_AS_PRINTED

Results = Mapping[str, Result]
WORLDS = {"frozen-lake": "FrozenLake", "sailing": "Sailing"}  # those that the paper's sentence names
AUXILIARY = 21  # Lemma C.1, of which nothing else needs the constant


def rows_of(results: Results) -> dict[str, Rows]:
    return {name: result.rows for name, result in results.items()}


class Deviation(NamedTuple):
    """A measured share less the printed one, in standard errors of both."""

    study: str
    row: Outcome
    z: float


def deviations(results: Results) -> list[Deviation]:
    """Of every printed share."""
    found = []
    for name, result in results.items():
        runs = PAPER_RUNS.get(name, 0) if result.study.percent else 0
        for row in result.rows if runs else ():
            if row.published is not None:
                variance = row.published * (100.0 - row.published) * (1.0 / row.runs + 1.0 / runs)
                found.append(Deviation(name, row, (row.value - row.published) / math.sqrt(variance)))
    return found


def chi_square(found: Sequence[Deviation]) -> tuple[float, float]:
    """The sum of squares, and the chance of one as large if all were independent."""
    total = sum(one.z**2 for one in found)
    return total, float(needed("scipy.stats").chi2.sf(total, len(found)))


def numbers(results: Results) -> str:
    """The printed error rates in a sentence."""
    found = deviations(results)
    if not found:
        return "No printed share was measured."
    total, chance = chi_square(found)
    worst = max(found, key=lambda one: abs(one.z))
    table = [one for one in found if one.study == "table-1"]
    at_first = chi_square(table)[0] if table else math.nan
    return (
        f"{len(found)} printed error rates: chi-square {total:.1f} (p = {chance:.2g} if cells were independent; those "
        f"of a "
        f"table share arms and seeds), Table 1 alone {at_first:.1f} on {len(table)}; the largest deviation is "
        f"{abs(worst.z):.1f} standard errors ({worst.row.algorithm} on {worst.row.problem})"
    )


def planning(results: Results) -> list[str]:
    """A sentence for each world: as printed, and under the leading reading."""
    told = []
    for name, world in WORLDS.items():
        if name not in results:
            continue
        rows = results[name].rows
        printed, _ = against_rivals(rows, world, TREE_AS_PRINTED, ROLLOUT)
        led, first = against_rivals(rows, world, OWN)
        told.append(
            f"{world}: as printed ahead in {sum(one.mean > 0.0 for one in printed)} of {len(printed)} comparisons, "
            f"under "
            f"the leading reading in {sum(one.mean > 0.0 for one in led)}, {from_where(first)}"
        )
    return told


def learning(results: Results) -> str:
    """How far scores fall from the smallest world to the largest."""
    told = []
    for name in ("river-swim", "forked-river-swim"):
        if name in results:
            rows = results[name].rows
            sizes = sizes_of(rows)
            fall = falls(rows, sizes)
            near = min(BASELINES, key=lambda rival: fall[rival])
            told.append(f"{sizes[0]} to {sizes[-1]} {fall[VARDE]:.3f} ({near} {fall[near]:.3f})")
    return f"the score of VarDE-Q falls from {'; from '.join(told)}" if told else ""


def short_of(results: Results) -> list[str]:
    """Studies with fewer runs than the paper, or than readings need, and those that were not measured."""
    wanted = {**PAPER_RUNS, **READINGS}
    few = [
        f"{name} has {results[name].runs:,} of {runs:,} runs"
        for name, runs in wanted.items()
        if name in results and results[name].runs < runs
    ]
    absent = [name for name in STUDIES if name not in results]
    return few + ([f"not measured: {', '.join(absent)}"] if absent else [])


def commits(results: Results) -> set[str]:
    """Those at which the results were made."""
    return {result.made.get("commit", "unknown") for result in results.values()}


def by_part(results: Results) -> dict[str, list[tuple[int, Statement, Answer]]]:
    """Statements with their number and answer, by part of the paper."""
    answers, number, found = graded(rows_of(results)), 0, {}
    for part, some in PARTS.items():
        found[part] = [(number + i, one, answers[number + i]) for i, one in enumerate(some, 1)]
        number += len(some)
    return found


def counts(lines: Sequence[tuple[int, Statement, Answer]]) -> str:
    """How many statements got which grade; one auxiliary lemma apart, since nothing rests on its constant."""
    found = Counter(answer.grade for number, _, answer in lines if number != AUXILIARY)
    told = ", ".join(f"{n} {grade}" for grade, n in found.most_common())
    apart = [answer.grade for number, _, answer in lines if number == AUXILIARY]
    return told + "".join(f", and one auxiliary lemma {grade}" for grade in apart)


def readings(results: Results) -> dict[str, dict[str, tuple[int, int, int | None, float]]]:
    """By world and reading: comparisons won, all, from where on it leads, and the value at the end."""
    found = {}
    for name in ("frozen-lake", "sailing", "taxi"):
        if name in results and f"{name}-readings" in results:
            rows = results[name].rows
            found[rows[0].problem] = readings_of(results[f"{name}-readings"].rows, rows)
    return found


def order(results: Results) -> str:
    """The rank correlation of readings between streams, where both were measured."""
    told = []
    for name in READINGS:
        if name in results and any(row.problem.endswith(AGAIN) for row in results[name].rows):
            rows = results[name].rows
            told.append(f"{rows[0].problem} {rank_correlation(rows, rows[0].problem):.2f}")
    return f"rank correlation of the readings with those of other streams: {', '.join(told)}" if told else ""


def headlines(results: Results) -> list[str]:
    """What a reader learns in half a minute."""
    lines = [numbers(results)]
    if told := planning(results):
        lines.append(
            f"The tree search as printed ('{PRINTED.label}'), and under the leading reading ('{LEADING.label}', one of "
            f"{len(COMBINATIONS)}, chosen by us), each against six rivals under the same. {'. '.join(told)}"
        )
    if told_of := learning(results):
        lines.append(f"As worlds grow {told_of}; in brackets the rival that falls least")
    return lines


def table_1_row(results: Results, name: str) -> list[tuple[Outcome, str]]:
    """Printed and measured at the end, on the four instances, with the verdict."""
    rows = [row for row in results["table-1"].rows if row.algorithm == name and row.published is not None]
    return [(row, row.verdict or "") for row in rows]


TABLE_NAMES = tuple(TABLE_1)
