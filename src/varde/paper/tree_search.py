"""What the studies of tree search share: worlds with the paper's settings, and the value of what is recommended."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import correlation
from typing import Any, NamedTuple

import numpy as np

from ..planning import UCT, Search
from ..planning.measure import Worth, policy_worth, search_block
from ..studies.bandit_cells import describe
from ..studies.figure import Figure
from ..studies.study import Cell, Study, find
from ..worlds.solve import best_values, uniform_values
from ..worlds.table import Table
from .answers import FEW, Answer, Lead, Rows, counted, lead, leads, problems_of, steps_of
from .reading import COMBINATIONS, LEADING, LITERAL, PRINTED, Reading

STEPS = (1000, 2000, 3000, 4000, 5000, 7000, 10_000, 15_000, 20_000, 30_000)  # ten of the paper's thirty
SHORTER = STEPS[:7]
OWN, AS_PRINTED = "VarDE", "VarDE as printed"
ROLLOUT = ", rollout"  # rivals that expand one node a trial
BY_VALUE, WIDER = "UCT, by value", "UCT, wider constant"
AGAIN = ", again"
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
    wider: UCT | None = None  # with a constant beyond those that the paper searched

    def varde(self, reading: Reading) -> Any:
        return reading.varde(self.temperature, self.floor)


def policy_values(
    algorithm: Any, outlook: Outlook, keep: bool, steps: Sequence[int], key: np.ndarray, first: int, runs: int
) -> np.ndarray:
    """[runs, steps] value of the recommended policy after each number of trials."""
    search, measure = held_search(algorithm, outlook, keep)
    return search_block(search, np.array(steps), key, first, runs, measure)


_held = threading.local()


def held_search(algorithm: Any, outlook: Outlook, keep: bool) -> tuple[Search, Worth]:
    """The search this thread used last, if it was of this kind: the first touch of new memory costs more than a run."""
    kind = type(algorithm), algorithm, outlook.name, keep
    if getattr(_held, "kind", None) != kind:
        _held.kind = _held.search = None  # let go of the old one first
        world = outlook.make()
        search = Search(algorithm, world.model, world.start, outlook.horizon, keep=keep)
        _held.kind, _held.search = kind, (search, policy_worth(search))
    return _held.search


def cell(outlook: Outlook, name: str, algorithm: Any, keep: bool, steps: Sequence[int], ending: str = "") -> Cell:
    setting = f"{describe(algorithm)}, horizon={outlook.horizon}, keep={keep}, graph=False"
    measure = partial(policy_values, algorithm, outlook, keep, steps)
    return Cell(f"{outlook.name}{ending}", name, setting, tuple(steps), measure)


def rival_cells(outlook: Outlook, reading: Reading, ending: str = "") -> list[Cell]:
    """The six rivals under a reading."""
    return [
        cell(outlook, f"{name}{ending}", reading.of(rival), reading.keep, STEPS)
        for name, rival in outlook.rivals.items()
    ]


def levels(outlook: Outlook) -> tuple[float, str]:
    """V*, and a note of it."""
    world = outlook.make()
    best = float(best_values(world.model, outlook.horizon).values[0, world.start])
    random = float(uniform_values(world.model, outlook.horizon).values[0, world.start])
    return best, f"V* = {best:.6g}, random play {random:.6g}"


def figure_study(name: str, title: str, outlook: Outlook, place: str, runs: int = 100, quick: int = 2) -> Study:
    """The paper's figure under two readings, the one that leads and the printed one, for VarDE and its rivals alike."""
    best, note = levels(outlook)
    by_value = LEADING._replace(visits=False)
    cells = [
        *rival_cells(outlook, LEADING),
        cell(outlook, OWN, outlook.varde(LEADING), LEADING.keep, STEPS),
        *rival_cells(outlook, PRINTED, ROLLOUT),
        cell(outlook, AS_PRINTED, outlook.varde(PRINTED), PRINTED.keep, STEPS),
        cell(outlook, BY_VALUE, by_value.of(outlook.rivals["UCT"]), LEADING.keep, STEPS),
    ]
    if outlook.wider is not None:
        cells.append(cell(outlook, WIDER, by_value.of(outlook.wider), LEADING.keep, STEPS))
    wider = (f"{WIDER}: {describe(outlook.wider)}, ours, recommends by value",) if outlook.wider else ()
    return Study(
        name,
        f"{title}: value of the recommended policy",
        cells,
        runs,
        block=2,
        notes=(
            note,
            VALUE,
            f"{OWN} and its rivals: sampled rewards, whole trajectories join the tree; {OWN} with plain weights, mean "
            "returns, M2/(N-1) and two samples of an action before scores compare",
            f"{AS_PRINTED} and rivals{ROLLOUT}: one node a trial and random play; {OWN} with squared weights, values "
            "backed up by the maximum, M2/N",
            "UCT recommends the action taken most often unless 'by value', all others that of highest value; ties at "
            "random",
            *wider,
        ),
        figure=Figure(across="simulations", up="value of the recommended policy", best=best, shown=(OWN, *RIVALS)),
        place=f"Figure, {place} world (fig:mcts)",
        quick=quick,
    )


def readings_study(name: str, title: str, outlook: Outlook, quick: int, again: bool = True) -> Study:
    """VarDE under every combination of four factors; ``again`` from other streams.  Rivals are those of the figure."""
    parts = {"": STEPS, **({AGAIN: SHORTER} if again else {})}
    return Study(
        name,
        f"Readings on {title}: the factors of the tree search",
        [
            cell(outlook, one.label, outlook.varde(one), one.keep, steps, ending)
            for ending, steps in parts.items()
            for one in COMBINATIONS
        ],
        50,
        block=1,
        notes=(
            VALUE,
            "w or w^2: power of the weight; mean or max: the value in weights and recommendations; kept or rollout: "
            "whole trajectories join the tree, or one node a trial and random play; N or N-1: divisor of the variance",
            f"'{PRINTED.label}' is the printed combination, '{LITERAL.label}' counts as the listing does",
            *[f"'{outlook.name}{AGAIN}' repeats it from other streams: how much of the order is chance"] * again,
        ),
        place="Figure (fig:mcts), reading by reading",
        quick=quick,
    )


# -- what the runs say -----------------------------------------------------------------------------------


def first_from(found: Sequence[Lead], steps: Sequence[int]) -> int | None:
    """The step from which on every lead, [steps x rivals], is positive to the end."""
    since = None
    rivals = len(found) // len(steps)
    for i in reversed(range(len(steps))):
        if any(one.mean <= 0.0 for one in found[i * rivals : (i + 1) * rivals]):
            break
        since = steps[i]
    return since


def against_rivals(rows: Rows, problem: str, own: str, ending: str = "") -> tuple[list[Lead], int | None]:
    """Leads over the six rivals under the same reading at every checkpoint, and from where on all are positive."""
    steps = steps_of(rows, problem, own)
    found = leads(rows, own, [f"{rival}{ending}" for rival in RIVALS], problem, 1.0, steps)
    return found, first_from(found, steps)


def from_where(first: int | None) -> str:
    return "not of all at the end" if first is None else f"of all from {first:,} on"


def highest_throughout(rows: Rows) -> Answer:
    """Statement 32 on one world: as printed, and under the reading that leads, each against rivals under the same."""
    problem = rows[0].problem
    printed, _ = against_rivals(rows, problem, AS_PRINTED, ROLLOUT)
    led, first = against_rivals(rows, problem, OWN)
    if min(row.runs for row in rows) < 2:
        return Answer(FEW, "one run")
    under = counted(led)
    extra = leads(rows, OWN, [name for name in (BY_VALUE, WIDER) if problems_of(rows, name)], problem)
    more = ", ".join(one.told() for one in extra)
    return Answer(
        counted(printed).grade,
        f"{problem}: as printed ahead in {sum(one.mean > 0.0 for one in printed)} of {len(printed)} comparisons; "
        f"under the "
        f"reading '{LEADING.label}' {under.words.replace('ahead in', 'in', 1)}, {from_where(first)}; at the end "
        f"against {more}",
        under.grade,
    )


def readings_of(rows: Rows, figure: Rows, ending: str = "") -> dict[str, tuple[int, int, int | None, float]]:
    """By reading: comparisons won against the figure's rivals that expand alike, all, from where on, the last value."""
    problem = figure[0].problem
    found = {}
    for one in COMBINATIONS:
        steps = steps_of(rows, problem + ending, one.label)
        some = []
        for step in steps:
            own = find(rows, problem + ending, one.label, step)
            rivals = [find(figure, problem, rival + (ROLLOUT, "")[one.keep], step) for rival in RIVALS]
            some += [lead(rival.algorithm, own, rival) for rival in rivals]
        last = find(rows, problem + ending, one.label).value
        found[one.label] = sum(each.mean > 0.0 for each in some), len(some), first_from(some, steps), last
    return found


def rank_correlations(rows: Rows, figure: Rows) -> tuple[float, float]:
    """Of the order of the readings up to the last step of the repetition, with that of other streams.

    By the value there, and by the comparisons won until then.
    """
    own, rivals = ([row for row in some if row.step <= SHORTER[-1]] for some in (rows, figure))
    first, again = (readings_of(own, rivals, ending) for ending in ("", AGAIN))
    return (
        spearman(*([value for *_, value in some.values()] for some in (first, again))),
        spearman(*([won for won, *_ in some.values()] for some in (first, again))),
    )


def spearman(x: Sequence[float], y: Sequence[float]) -> float:
    """The correlation of ranks, of which equal values share the mean."""
    ranks = [[sum(b < a for b in some) + 0.5 * sum(b == a for b in some) for a in some] for some in (x, y)]
    return correlation(*ranks)
