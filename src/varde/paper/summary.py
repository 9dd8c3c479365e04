"""What the recorded rows come to, in sentences: the page, docs/paper.md and README are filled from these."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..studies.results import Result
from ..studies.study import Outcome, find
from . import PAPER_RUNS, READINGS, STUDIES
from .answers import HOLDS, Answer, Lead, Rows, leads, problems_of
from .bandits import TEMPERATURES, warm_start
from .best_policy import BASELINES, VARDE, falls, sizes_of
from .reading import COMBINATIONS
from .statements import PARTS, Statement, graded
from .table_1 import SHORT, short
from .tree_search import (
    AGAIN,
    OWN,
    ROLLOUT,
    SHORTER,
    WIDER,
    against_rivals,
    from_where,
    rank_correlations,
    readings_of,
)
from .tree_search import AS_PRINTED as TREE_AS_PRINTED

Results = Mapping[str, Result]
WORLDS = {"frozen-lake": "FrozenLake", "sailing": "Sailing"}  # those that the paper's sentence names
LEADING_WORDS = (
    "plain weights, mean returns, whole trajectories kept and M2/(N-1) where squared weights, maxima, one node a trial "
    "and M2/N are printed"
)
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


def chi_square(found: Sequence[Deviation]) -> float:
    return sum(one.z**2 for one in found)


def numbers(results: Results) -> str:
    """The printed error rates in a sentence.

    Without a p-value: cells of a table share arms and seeds, and settings were fitted to them.
    """
    found = deviations(results)
    if not found:
        return "No printed share was measured"
    worst = max(found, key=lambda one: abs(one.z))
    table = [one for one in found if one.study == "table-1"]
    words = Counter(one.row.verdict for one in table)
    same = ", ".join(f"{n} {word}" for word, n in words.most_common())
    of_table = f"Error rates of Table 1: {same}; chi-square {chi_square(table):.1f} on {len(table)}, and "
    return (
        f"{of_table if table else 'Chi-square '}{chi_square(found):.1f} on all {len(found)} printed shares, which are "
        f"correlated and partly fitted; the largest deviation is {abs(worst.z):.1f} standard errors "
        f"({worst.row.algorithm} on {worst.row.problem})"
    )


def warm_starts(results: Results) -> str:
    """What the largest of the fitted settings of bandits is worth."""
    name, problem = f"VarDE {TEMPERATURES[0]}", "BAI.1"
    rows = results["table-1"].rows
    fitted, cold = (find(rows, problem, one).value for one in (name, short(TEMPERATURES[0])))
    return (
        f"the fitted warm start of {warm_start(problem)} pulls of each arm matters most: with {SHORT}, {name} errs in "
        f"{cold:.1f} % on {problem} instead of {fitted:.1f}"
    )


class World(NamedTuple):
    """Comparisons won in a grid world, against six rivals under the same reading at every checkpoint."""

    printed: int
    led: int
    of: int
    first: int | None  # from where on all are won under the leading reading
    wider: Lead | None  # over a UCT with a constant beyond the paper's, at the end


def planned(results: Results) -> dict[str, World]:
    """The worlds that the paper's sentence names."""
    found = {}
    for name, world in WORLDS.items():
        if name in results:
            rows = results[name].rows
            printed, _ = against_rivals(rows, world, TREE_AS_PRINTED, ROLLOUT)
            led, first = against_rivals(rows, world, OWN)
            wider = leads(rows, OWN, [WIDER], world)[0] if problems_of(rows, WIDER) else None
            won = [sum(one.mean > 0.0 for one in some) for some in (printed, led)]
            found[world] = World(won[0], won[1], len(led), first, wider)
    return found


def planning(results: Results) -> list[str]:
    """A sentence for each world: as printed, and under the leading reading."""
    return [
        f"{world}: as printed ahead in {one.printed} of {one.of} comparisons, under the leading reading in {one.led}, "
        f"{from_where(one.first)}"
        for world, one in planned(results).items()
    ]


def kept_scores(results: Results) -> dict[str, tuple[int, str]]:
    """By river: how many rivals lose more of their score than VarDE-Q from the smallest to the largest; in words."""
    found = {}
    for name in ("river-swim", "forked-river-swim"):
        if name in results:
            rows = results[name].rows
            sizes = sizes_of(rows)
            fall = falls(rows, sizes)
            near = min(BASELINES, key=lambda rival: fall[rival])
            told = f"from {sizes[0]} to {sizes[-1]} by {fall[VARDE]:.3f} ({near} {fall[near]:.3f})"
            found[sizes[0].partition("(")[0]] = sum(fall[rival] > fall[VARDE] for rival in BASELINES), told
    return found


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
    verb = {HOLDS: "hold"}  # of several
    told = ", ".join(f"{n} {verb.get(grade, grade) if n > 1 else grade}" for grade, n in found.most_common())
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


def leading(results: Results) -> list[str]:
    """The readings ahead of all rivals under the same one at the end, on both worlds; none if not all is measured."""
    found = [world for name, world in readings(results).items() if name in WORLDS.values()]
    whole = len(found) == len(WORLDS)
    return [one.label for one in COMBINATIONS if whole and all(world[one.label][2] is not None for world in found)]


def order(results: Results) -> str:
    """The rank correlation of readings between streams, by value and by comparisons won, where both were measured."""
    told = []
    for name in READINGS:
        if name in results and any(row.problem.endswith(AGAIN) for row in results[name].rows):
            rows, figure = results[name].rows, results[name.removesuffix("-readings")].rows
            by_value, by_wins = rank_correlations(rows, figure)
            told.append(f"{rows[0].problem} {by_value:.2f} by value, {by_wins:.2f} by comparisons won")
    what = f"rank correlation of the readings at {SHORTER[-1]:,} simulations with those of other streams"
    return f"{what}: {'; '.join(told)}" if told else ""


def headlines(results: Results) -> list[tuple[str, str]]:
    """What a reader learns in half a minute: what it comes to, and the numbers."""
    lines = []
    if "table-1" in results:
        away = [one for one in deviations(results) if one.study == "table-1" and one.row.verdict == "different"]
        title = "Table 1 does not reproduce in every cell" if away else "Table 1 reproduces, with fitted settings"
        lines.append((title, f"{numbers(results)}; {warm_starts(results)}"))
    if found := planned(results):
        whole = sum(one.of for one in found.values())
        behind = 2 * sum(one.printed for one in found.values()) < whole
        ahead = 2 * sum(one.led for one in found.values()) > whole
        title = f"As printed the tree search {'loses' if behind else 'wins'} most comparisons, "
        best = leading(results)
        title += f"{'but' if ahead == behind else 'and'} under {len(best) or 'one'} of {len(COMBINATIONS)} readings it "
        title += "leads" if ahead else "does not lead"
        told = f"{'. '.join(planning(results))}. The leading reading, chosen by us, has {LEADING_WORDS}"
        if over := [f"{one.wider.mean:+.2g} ± {one.wider.error:.1g} on {w}" for w, one in found.items() if one.wider]:
            told += f"; its value at the end less that of a UCT with a constant beyond the paper's: {', '.join(over)}"
        if best:
            told += f". Ahead of all rivals at the end on both worlds: {'; '.join(best)}"
        lines.append((title, told))
    if kept := kept_scores(results):
        title = ", ".join(f"{less} of {len(BASELINES)} rivals on {river}" for river, (less, _) in kept.items())
        told = f"It falls {'; '.join(told for _, told in kept.values())}; in brackets the best rival"
        lines.append((f"As worlds grow VarDE-Q keeps more of its score than {title}", told))
    return lines
