"""Scores over all problems of a study, kept in its results file, so that a page can show them without the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .aggregates import DRAWS, Aggregate, improvement, of_problems, profile, scores_of
from .figure import family
from .rows import Rows
from .study import Study

LEVELS = 41  # of a performance profile
MANY = 50  # runs: beyond, fewer draws do
FEWER = 400
LEAST = 2  # problems, algorithms, runs


class Standing(NamedTuple):
    """The scores of an algorithm over all problems."""

    algorithm: str
    middle: Aggregate  # interquartile mean
    behind: Aggregate | None  # probability that a run of the study's method is better than one of this
    shares: list[float]  # of runs above each level


class Pooled(NamedTuple):
    method: str  # which ``behind`` is about; may be empty
    levels: list[float]
    standings: list[Standing]

    def as_data(self) -> dict[str, Any]:
        return self._asdict() | {"standings": [standing._asdict() for standing in self.standings]}


def pooled(study: Study, rows: Sequence[Any]) -> Pooled | None:
    """Every algorithm that was run on all problems, at the last step; None if the study does not ask for it."""
    if not study.pooled or not isinstance(rows, Rows) or not rows.runs:
        return None
    problems = list(dict.fromkeys(problem for problem, _ in rows.runs))
    wanted = study.figure.shown if study.figure is not None and study.figure.shown else [n for _, n in rows.runs]
    names = [n for n in dict.fromkeys(wanted) if ": " not in n and all((p, n) in rows.runs for p in problems)]
    if min(len(problems), len(names)) < LEAST:
        return None
    sign = -1.0 if study.pooled == "lower" else 1.0
    scores = {name: scores_of(rows, name, problems) for name in names}
    if min(len(some) for by in scores.values() for some in by.values()) < LEAST:
        return None  # drawing one run again tells nothing of its error
    draws = DRAWS if max(len(some) for by in scores.values() for some in by.values()) <= MANY else FEWER
    method = next((name for name in names if study.method and family(name) == family(study.method)), "")
    everything = np.concatenate([some for by in scores.values() for some in by.values()])
    levels = [float(f"{x:.4g}") for x in np.linspace(everything.min(), everything.max(), LEVELS)]
    standings = []
    for name in names:
        behind = None
        if method and name != method:
            better = [{p: sign * some for p, some in scores[one].items()} for one in (method, name)]
            behind = improvement(better[0], better[1], draws)
        shares = [round(at.value, 4) for at in profile(scores[name], levels, draws=1)]
        standings.append(Standing(name, of_problems(scores[name], draws=draws), behind, shares))
    return Pooled(method, levels, standings)


def pooled_from(given: Any) -> Pooled | None:
    """From a results file; None if it is invalid there."""
    try:
        standings = [
            Standing(
                str(one["algorithm"]),
                aggregate_from(one["middle"]),
                None if one["behind"] is None else aggregate_from(one["behind"]),
                [float(x) for x in one["shares"]],
            )
            for one in given["standings"]
        ]
        found = Pooled(str(given["method"]), [float(x) for x in given["levels"]], standings)
    except (TypeError, KeyError, ValueError):
        return None
    fits = found.levels and all(len(one.shares) == len(found.levels) for one in found.standings)
    return found if fits and found.standings else None


def aggregate_from(given: Sequence[Any] | Mapping[str, Any]) -> Aggregate:
    value, low, high = (float(x) for x in given)
    return Aggregate(value, low, high)
