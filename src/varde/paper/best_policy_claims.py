"""What the paper says about best-policy identification, tested on the measured numbers, and what it does not say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..experiments.claims import FAILS, HOLDS, OPEN, Claim, find
from ..experiments.judging.quantiles import student_quantile
from ..experiments.study import Outcome
from .best_policy_agents import BASELINES, MODEL, NAV, VARDE

NEAR_OPTIMAL, TIGHT = 0.95, 0.05  # how "near-optimal" and "tight intervals" are read
RUNS = 10  # of the paper: an interval from fewer runs is wider for that reason alone

ALWAYS_RIGHT = (
    "at 50 states 'always right' is not the best policy, which goes left in the first 14 states; it is worth exactly "
    "0.8835 by this measure, and VarDE-Q reports it or something like it (from solving the model)"
)
SHORTCUT = (
    "the paper's words and the program of the baselines' authors differ in one row: there, slipping back from the "
    "first state of the second branch leads to the rewarding end of the first; the paper may have run that program, "
    "as the study forked-river-swim-shortcut does"
)


def half_width(row: Outcome) -> float:
    return student_quantile(0.975, row.runs - 1) * row.stderr if row.runs > 1 else float("inf")


def with_error(row: Outcome) -> str:
    return f"{row.value:.3f} ± {half_width(row):.3f}"


def listed(rows: Iterable[Outcome]) -> str:
    return ", ".join(f"{row.problem} {with_error(row)}" for row in rows)


def bpi_findings(rows: Sequence[Outcome], budgets: dict[str, int], forked: bool = False) -> list[str]:
    """The paper's claims, then what it does not claim; ``forked``: whether the shortcut may explain a failure."""
    problems = [p for p in budgets if any(row.problem == p for row in rows)]
    mine = [find(rows, p, VARDE, budgets[p]) for p in problems]
    return [
        near_optimal(mine),
        tight(mine),
        matches(rows, mine, SHORTCUT if forked else ""),
        deteriorate(rows, problems, budgets),
        *beyond_the_paper(rows, problems, budgets),
    ]


def near_optimal(mine: Sequence[Outcome]) -> Claim:
    claim = f"'{VARDE} stays near-optimal at all sizes' (mean {NEAR_OPTIMAL} or more)"
    short = [row for row in mine if row.value < NEAR_OPTIMAL]
    clearly = [row for row in short if row.value + half_width(row) < NEAR_OPTIMAL]
    reason = ALWAYS_RIGHT if [row.problem for row in short] == ["RiverSwim(50)"] else ""
    return Claim(claim, FAILS if clearly else OPEN if short else HOLDS, listed(short), reason)


def tight(mine: Sequence[Outcome]) -> Claim:
    wide = [row for row in mine if half_width(row) > TIGHT]
    few = any(row.runs < RUNS for row in wide)
    numbers = listed(wide) + (f"; the paper has {RUNS} runs" if few else "")
    return Claim(
        f"'tight confidence intervals' (± {TIGHT} or less)", OPEN if few else FAILS if wide else HOLDS, numbers
    )


def matches(rows: Sequence[Outcome], mine: Sequence[Outcome], reason: str) -> Claim:
    ahead = []
    for row in mine:
        best = max((find(rows, row.problem, name, row.step) for name in BASELINES), key=lambda rival: rival.value)
        if best.value - row.value > (half_width(row) ** 2 + half_width(best) ** 2) ** 0.5:
            ahead.append(f"{row.problem}: {best.algorithm} {with_error(best)}, {VARDE} {with_error(row)}")
    numbers = "; ".join(ahead) or "no baseline is ahead by more than the intervals"
    claim = f"'{VARDE} matches or exceeds the best baseline'"
    return Claim(claim, FAILS if ahead else HOLDS, numbers, reason if ahead else "")


def deteriorate(rows: Sequence[Outcome], problems: Sequence[str], budgets: dict[str, int]) -> Claim:
    """'Multiple', read as two or more; 'rapidly', as to half of the score or less."""
    small, large = problems[0], problems[-1]
    ends = {name: [find(rows, p, name, budgets[p]).value for p in (small, large)] for name in BASELINES}
    fallen = [f"{name} {first:.2f} -> {last:.2f}" for name, (first, last) in ends.items() if last <= 0.5 * first]
    claim = f"'multiple baselines deteriorate with size' (two or more halve from {small} to {large})"
    numbers = f"{len(fallen)} of {len(BASELINES)}" + (f": {', '.join(fallen)}" if fallen else "")
    return Claim(claim, OPEN if small == large else HOLDS if len(fallen) >= 2 else FAILS, numbers)


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
