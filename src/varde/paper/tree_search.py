"""What the studies of tree search share: worlds with the paper's settings, and the value of what is recommended."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..planning import Search
from ..planning.measure import Worth, policy_worth, search_block
from ..studies.bandit_cells import describe
from ..studies.figure import Figure
from ..studies.rows import Rows
from ..studies.statements import FEW, IN_PART, STATED, Answer, ahead, compared, ranked
from ..studies.study import Cell, Study
from ..worlds.solve import best_values, uniform_values
from ..worlds.table import Table
from .reading import COMBINATIONS, LEADING, LITERAL, PRINTED, Reading

STEPS = tuple(range(1000, 30_001, 1000))
SPARSE = (1000, 2000, 3000, 5000, 10_000, 15_000, 20_000, 30_000)
OWN, AS_PRINTED = "VarDE", "VarDE as printed"
ROLLOUT = ", rollout"  # rivals that expand one node a trial
RIVALS = ("UCT", "MENTS", "RENTS", "TENTS", "DENTS", "BTS")
VALUE = "value: exact value of the recommended policy, random play outside the tree (the paper: 200 rollouts of it)"


class Outlook(NamedTuple):
    """A world, how far ahead to plan in it, and the settings that the paper prints for it."""

    name: str
    make: Callable[[], Table]
    horizon: int
    rivals: Mapping[str, Any]
    temperature: float
    floor: float
    pessimistic: float  # a value of untried actions below all others

    def varde(self, reading: Reading) -> Any:
        return reading.varde(self.temperature, self.floor)


def policy_values(
    algorithm: Any,
    outlook: Outlook,
    keep: bool,
    threads: int,
    steps: Sequence[int],
    key: np.ndarray,
    first: int,
    runs: int,
) -> np.ndarray:
    """[runs, steps] value of the recommended policy after each number of trials."""
    search, measure = held_search(algorithm, outlook, keep, threads)
    return search_block(search, np.array(steps), key, first, runs, measure)


_held = threading.local()


def held_search(algorithm: Any, outlook: Outlook, keep: bool, threads: int = 1) -> tuple[Search, Worth]:
    """The search this thread used last, if it was of this kind: the first touch of new memory costs more than a run."""
    kind = type(algorithm), algorithm, outlook.name, keep, threads
    if getattr(_held, "kind", None) != kind:
        _held.kind = _held.search = None  # let go of the old one first
        world = outlook.make()
        search = Search(algorithm, world.model, world.start, outlook.horizon, keep=keep, lanes=threads)
        _held.kind, _held.search = kind, (search, policy_worth(search))
    return _held.search


def cell(outlook: Outlook, name: str, algorithm: Any, reading: Reading, steps: Sequence[int]) -> Cell:
    setting = f"{describe(algorithm)}, horizon={outlook.horizon}, keep={reading.keep}, threads={reading.threads}"
    measure = partial(policy_values, algorithm, outlook, reading.keep, reading.threads, steps)
    return Cell(outlook.name, name, f"{setting}, graph=False", tuple(steps), measure)


def rival_cells(outlook: Outlook, reading: Reading, steps: Sequence[int], ending: str = "") -> list[Cell]:
    """The six rivals under a reading."""
    return [
        cell(outlook, f"{name}{ending}", reading.of(rival), reading, steps) for name, rival in outlook.rivals.items()
    ]


def levels(outlook: Outlook) -> tuple[float, str]:
    """V*, and a note of it."""
    world = outlook.make()
    best = float(best_values(world.model, outlook.horizon).values[0, world.start])
    random = float(uniform_values(world.model, outlook.horizon).values[0, world.start])
    return best, f"V* = {best:.6g}, random play {random:.6g}"


def figure_study(name: str, title: str, outlook: Outlook, place: str, runs: int, quick: int) -> Study:
    """The paper's figure: VarDE and its rivals under the reading that leads, and VarDE as printed."""
    best, note = levels(outlook)
    return Study(
        name,
        f"{title}: value of the recommended policy",
        [
            *rival_cells(outlook, LEADING, STEPS),
            cell(outlook, OWN, outlook.varde(LEADING), LEADING, STEPS),
            cell(outlook, AS_PRINTED, outlook.varde(PRINTED), PRINTED, STEPS),
        ],
        runs,
        block=2,
        notes=(
            note,
            VALUE,
            f"{OWN} and its rivals: sampled rewards, whole trajectories join the tree; {OWN} with plain weights, mean "
            "returns, M2/(N-1) and two samples of an action before scores compare",
            f"{AS_PRINTED}: squared weights, values backed up by the maximum, M2/N, one node a trial",
            "UCT recommends the action taken most often, all others that of highest value; ties at random",
        ),
        figure=Figure(across="simulations", up="value of the recommended policy", best=best),
        place=f"Figure, {place} world (fig:mcts)",
        quick=quick,
    )


def readings_study(name: str, title: str, outlook: Outlook, runs: int, quick: int, chance: bool = False) -> Study:
    """VarDE under every combination of four factors, and what else the rivals' readings change.

    Expected rewards are a reading of their own where rewards are of ``chance``, not fixed by state and action.
    """
    low = LEADING._replace(untried=outlook.pessimistic)
    rollout = LEADING._replace(keep=False)
    expected, four = LEADING._replace(sampled=False), LEADING._replace(threads=4)
    cells = [
        *(cell(outlook, one.label, outlook.varde(one), one, SPARSE) for one in COMBINATIONS),
        *rival_cells(outlook, LEADING, SPARSE),
        *rival_cells(outlook, rollout, SPARSE, ROLLOUT),
        cell(outlook, "UCT, by value", LEADING._replace(visits=False).of(outlook.rivals["UCT"]), LEADING, SPARSE),
        cell(outlook, f"{LEADING.label}, four threads", outlook.varde(four), four, SPARSE),
        *(
            cell(outlook, f"{soft}, untried {low.untried:g}", low.of(outlook.rivals[soft]), LEADING, SPARSE)
            for soft in ("MENTS", "RENTS", "TENTS")
        ),
        *(
            cell(outlook, f"{soft}, expected rewards", expected.of(outlook.rivals[soft]), LEADING, SPARSE)
            for soft in RIVALS[1:]
            if chance
        ),
    ]  # fmt: skip
    return Study(
        name,
        f"Readings on {title}: the factors of the tree search",
        cells,
        runs,
        block=1,
        notes=(
            VALUE,
            "w or w^2: power of the weight; mean or max: the value in weights and recommendations; kept or rollout: "
            "whole trajectories join the tree, or one node a trial and random play; N or N-1: divisor of the variance",
            f"'{PRINTED.label}' is the printed combination, '{LITERAL.label}' counts as the listing does",
            f"compared with six rivals at {len(SPARSE)} numbers of simulations; rivals keep trajectories",
        ),
        findings=partial(factor_lines, outlook.name),
        figure=Figure(across="simulations", up="value of the recommended policy", heat=RIVALS),
        place="Figure (fig:mcts), reading by reading",
        quick=quick,
    )


# -- what the runs say -----------------------------------------------------------------------------------


def first_from(leads: np.ndarray, steps: Sequence[int]) -> int | None:
    """The step from which on every mean lead [rivals, steps] is positive to the end."""
    ahead_of_all = np.asarray((leads > 0.0).all(axis=0))
    if not ahead_of_all[-1]:
        return None
    last = int(np.flatnonzero(~ahead_of_all)[-1]) + 1 if not ahead_of_all.all() else 0
    return steps[last]


def counted(rows: Rows, problem: str, name: str, ending: str = "") -> tuple[int, int, int | None]:
    """Comparisons won, all comparisons, and from where on it is ahead of all rivals, of those with this ending."""
    steps = sorted({row.step for row in rows if row.algorithm == name})
    value = {(row.algorithm, row.step): row.value for row in rows if row.problem == problem}
    rivals = [f"{rival}{ending}" for rival in RIVALS if (f"{rival}{ending}", steps[0]) in value]
    leads = np.array([[value[name, step] - value[rival, step] for step in steps] for rival in rivals])
    return int((leads > 0.0).sum()), leads.size, first_from(leads, steps)


def from_where(first: int | None) -> str:
    return "not of all at the end" if first is None else f"of all from {first:,} on"


def factor_lines(problem: str, rows: Rows) -> list[str]:
    names = [one.label for one in COMBINATIONS if (problem, one.label) in rows.runs]
    found = {name: counted(rows, problem, name) for name in names}
    lead = max(found, key=lambda name: found[name][0])
    told = [
        f"{name} {won}{'' if first is None else f' (first from {first:,})'}" for name, (won, _, first) in found.items()
    ]
    won, total, first = found[lead]
    rollout = [one.label for one in COMBINATIONS if not one.keep and (problem, one.label) in rows.runs]
    alike = [f"{name} {counted(rows, problem, name, ROLLOUT)[0]}" for name in rollout]
    return [
        f"{problem}: '{lead}' is ahead in {won} of {total} comparisons, {from_where(first)}; as printed in "
        f"{found[PRINTED.label][0]}, with literal counts in {found[LITERAL.label][0]}",
        f"ahead, of {total}: {', '.join(told)}",
        f"against rivals that expand one node a trial as well: {', '.join(alike)}",
    ]


def highest_throughout(rows: Rows) -> Answer:
    """Statement 32 on one world: counted over rivals and checkpoints, under the two readings."""
    problem = next(iter(rows.runs))[0]
    parts, steps = ranked(rows, 1.0, OWN, (), True, RIVALS)
    if min(len(some) for some in parts.values()) < 2:
        return Answer(FEW, "one run")
    grade, _ = ahead(parts, steps)
    found = compared(parts, steps)
    won, total, first = counted(rows, problem, OWN)
    printed, *_ = counted(rows, problem, AS_PRINTED)
    behind = [found.told(i).removeprefix(f"{problem}, ") for i in found.lost[:3]]
    told = f"; behind: {', '.join(behind)}" if behind else ""
    words = (
        f"{problem}: ahead in {won} of {total} comparisons with plain weights, mean returns and sampled rewards, "
        f"{from_where(first)}{told}; as printed in {printed}"
    )
    return Answer(grade if grade != STATED or printed == total else IN_PART, words)  # as stated under either reading
