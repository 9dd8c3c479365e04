"""The figure that compares decision functions on BAI.5 and BAI.6 (fig:bai2)."""

from __future__ import annotations

from ..bandits import INSTANCES
from ..beliefs.noise import Floor
from ..decisions import EntMax, LogSumExp, Nesterov, PairwiseSoftplus, PowerMean
from ..rule import VarDE
from ..studies.bandit_cells import ERROR, bandit_cell
from ..studies.study import Study, find
from .answers import Answer, Rows, of_parts
from .bandits import FLOOR

PROBLEMS = ("BAI.5", "BAI.6")
DECISIONS = {
    "LogSumExp": LogSumExp(0.05),
    "Nesterov": Nesterov(0.5),
    "EntMax": EntMax(2.0, 0.1),
    "EntMax as printed": EntMax(2.0, 0.1, printed=True),
    "Pairwise Softplus": PairwiseSoftplus(0.1),
    "Pairwise Softplus as printed": PairwiseSoftplus(0.1, printed=True),
    "Power Mean": PowerMean(5.0),
}
FUNCTIONS = [name for name in DECISIONS if "printed" not in name]
TWICE = 2.0  # how "competitively" is read


def study() -> Study:
    cells = []
    for problem in PROBLEMS:
        budget = INSTANCES[problem].budget
        for name, decision in DECISIONS.items():
            steps = range(budget // 20, budget + 1, budget // 20)
            at = [step for step in steps if step >= 2 * INSTANCES[problem].num_arms]
            cells.append(bandit_cell(problem, name, VarDE(decision, Floor(FLOOR), 2), at))
    return Study(
        "decision-functions",
        "VarDE-BAI with five decision functions: error probability over time (%)",
        cells,
        10_000,
        percent=True,
        notes=(
            "warm start 2, variance floor 0.01, variance M2/(N-1) (not stated)",
            "EntMax and Pairwise Softplus: the true gradient, and the form printed in the paper, which is not the "
            "gradient of the printed potential",
            "Power Mean: true gradient and printed weights differ by a common factor, so they choose alike",
        ),
        findings=stalls,
        figure=ERROR,
        place="Figure (fig:bai2)",
        quick=500,
    )


def stalls(rows: Rows) -> list[str]:
    """Which curves stop falling: the second half brings less than a tenth."""
    findings: list[str] = []
    for problem in PROBLEMS:
        budget = INSTANCES[problem].budget
        for name in DECISIONS:
            half, end = find(rows, problem, name, budget // 2), find(rows, problem, name)
            if end.value > 0.9 * half.value and end.value > 4.0 * end.stderr:
                findings.append(
                    f"{problem}: {name} stalls at {end.value:.1f} % (at half the budget {half.value:.1f} %)"
                )
    return findings


def competitive(rows: Rows) -> Answer:
    """'Various', read as two or more beside the best, like 'several' and 'multiple'; in the better of its forms."""
    told, met = [], []
    for problem in PROBLEMS:
        ends = {name: find(rows, problem, name).value for name in DECISIONS}
        best = {name: min(end for form, end in ends.items() if form.startswith(name)) for name in FUNCTIONS}
        near = sum(end <= TWICE * min(best.values()) for end in best.values()) - 1
        met.append(near >= 2)
        listed = ", ".join(f"{name} {end:.1f}" for name, end in ends.items())
        told.append(f"{problem}: {near} of {len(best) - 1} others at most twice the lowest error ({listed} %)")
    return Answer(of_parts("picture", met), f"{'; '.join(told)}; Nesterov and EntMax have weights of 0")
