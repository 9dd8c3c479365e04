"""What the paper says about best-policy identification, tested on the measured numbers, and what it does not say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..studies.claims import FAILS, OPEN, Claim, all_of, find, some_of
from ..studies.judging.quantiles import student_quantile
from ..studies.rows import Rows
from ..studies.study import Outcome
from .best_policy_agents import BASELINES, MODEL, NAV, VARDE

NEAR_OPTIMAL, TIGHT = 0.95, 0.05  # how "near-optimal" and "tight intervals" are read
LEVEL_WITH = 0.02  # how "matches" is read
RUNS = 10  # of the paper

ALWAYS_RIGHT = (
    "at 50 states 'always right' is not the best policy, which goes left in the first 14 states; it is worth exactly "
    "0.8835 by this measure, and VarDE-Q reports it or something like it (from solving the model)"
)
SHORTCUT = (
    "the paper's words and the program of the baselines' authors differ in one row: there, slipping back from the "
    "first state of the second branch leads to the rewarding end of the first; the paper may have run that program, "
    "as the study forked-river-swim-shortcut does"
)


def with_error(row: Outcome) -> str:
    ends = "" if row.low is None or row.high is None else f" ({row.low:.3f} … {row.high:.3f})"
    return f"{row.value:.3f}{ends}"


def listed(rows: Iterable[Outcome]) -> str:
    return ", ".join(f"{row.problem} {with_error(row)}" for row in rows)


def bpi_findings(rows: Rows, budgets: dict[str, int], forked: bool = False) -> list[str]:
    """The paper's claims, then what it does not claim; ``forked``: whether the shortcut may explain a failure."""
    problems = [p for p in budgets if (p, VARDE) in rows.runs]
    return [
        near_optimal(rows, problems),
        tight(rows, problems),
        matches(rows, problems, SHORTCUT if forked else ""),
        deteriorate(rows, problems),
        *beyond_the_paper(rows, problems, budgets),
    ]


def near_optimal(rows: Rows, problems: Sequence[str]) -> Claim:
    runs = rows.paired([(problem, VARDE) for problem in problems])
    word, numbers = all_of({problem: some - NEAR_OPTIMAL for (problem, _), some in runs.items()})
    short = [problem for (problem, _), some in runs.items() if some.mean() < NEAR_OPTIMAL]
    claim = f"'{VARDE} stays near-optimal at all sizes' (mean {NEAR_OPTIMAL} or more)"
    return Claim(claim, word, numbers, ALWAYS_RIGHT if short == ["RiverSwim(50)"] else "")


def tight(rows: Rows, problems: Sequence[str]) -> Claim:
    """Half the squared difference of two runs has the variance of a run as its mean: pairs take the place of runs."""
    sigma = TIGHT * RUNS**0.5 / student_quantile(0.975, RUNS - 1)
    parts = {}
    for (problem, _), some in rows.paired([(problem, VARDE) for problem in problems]).items():
        pairs = some[: len(some) // 2 * 2].reshape(-1, 2)
        parts[problem] = sigma**2 - (pairs[:, 0] - pairs[:, 1]) ** 2 / 2.0
    word, numbers = all_of(parts)
    return Claim(
        f"'tight confidence intervals' (± {TIGHT} or less from {RUNS} runs: a deviation of {sigma:.3f} or less)",
        word,
        f"pairs of runs, in squares: {numbers}",
    )


def matches(rows: Rows, problems: Sequence[str], reason: str) -> Claim:
    parts = {}
    for problem in problems:
        runs = rows.paired([(problem, name) for name in (VARDE, *BASELINES)])
        for name in BASELINES:
            parts[f"{problem} against {name}"] = runs[problem, VARDE] - runs[problem, name] + LEVEL_WITH
    word, numbers = all_of(parts)
    claim = f"'{VARDE} matches or exceeds the best baseline' (no more than {LEVEL_WITH} below any)"
    return Claim(claim, word, numbers, reason if word == FAILS else "")


def deteriorate(rows: Rows, problems: Sequence[str]) -> Claim:
    """'Multiple', read as two or more; 'rapidly', as to half of the score or less."""
    small, large = problems[0], problems[-1]
    claim = f"'multiple baselines deteriorate with size' (two or more halve from {small} to {large})"
    if small == large:
        return Claim(claim, OPEN, "one size")
    runs = rows.paired([(problem, name) for problem in (small, large) for name in BASELINES])
    word, numbers = some_of(2, {name: runs[small, name] / 2.0 - runs[large, name] for name in BASELINES})
    ends = {name: (float(runs[small, name].mean()), float(runs[large, name].mean())) for name in BASELINES}
    fallen = [f"{name} {first:.2f} -> {last:.2f}" for name, (first, last) in ends.items() if last <= 0.5 * first]
    return Claim(claim, word, f"{len(fallen)} of {len(ends)}{': ' if fallen else ''}{', '.join(fallen)}; {numbers}")


def beyond_the_paper(rows: Sequence[Outcome], problems: Sequence[str], budgets: dict[str, int]) -> list[str]:
    last = problems[-1]
    better = [
        f"{name} {find(rows, last, name, budgets[last]).value:.3f} -> "
        f"{find(rows, last, f'{name}: {MODEL}', budgets[last]).value:.3f}"
        for name in (VARDE, *BASELINES)
    ]
    return [
        f"the model of the same data, on {last}: {', '.join(better)}",
        f"{NAV}: {listed(find(rows, p, NAV, budgets[p]) for p in problems)}",
        f"{NAV} at a tenth of the budget: {listed(find(rows, p, NAV, budgets[p] // 10) for p in problems)}",
    ]
