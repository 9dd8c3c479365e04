"""The component ablation: influence alone, variance alone, both (tab:bai-ablation)."""

from __future__ import annotations

from ..beliefs.noise import Equal, Floor
from ..decisions import Average, LogSumExp
from ..rule import VarDE
from ..studies.bandit_cells import bandit_cell
from ..studies.study import Study, find
from .answers import SURELY, Answer, Rows, counted, leads
from .bandits import FLOOR, RUNS

# tab:bai-ablation: error in percent after 500, 1000, 1500 and 2000 pulls.
ABLATION = {
    "Var-Only": (36.40, 24.83, 18.22, 13.09),
    "Weight-Only": (19.29, 9.37, 6.40, 5.07),
    "VarDE": (13.58, 5.21, 2.69, 1.84),
}

PROBLEM = "BAI.5"
STEPS = (500, 1000, 1500, 2000)
OURS = "Weight-Only, warm start 2"
RULES = {
    "Var-Only": VarDE(Average(), Floor(FLOOR), 2),
    "Weight-Only": VarDE(LogSumExp(0.05), Equal(), 1),
    OURS: VarDE(LogSumExp(0.05), Equal(), 2),
    "VarDE": VarDE(LogSumExp(0.05), Floor(FLOOR), 2),
}


def study() -> Study:
    return Study(
        "ablation",
        "Component ablation on BAI.5: error probability (%)",
        [bandit_cell(PROBLEM, name, rule, STEPS) for name, rule in RULES.items()],
        RUNS,
        published_runs=RUNS,
        percent=True,
        published={(PROBLEM, name, step): ABLATION[name][i] for name in ABLATION for i, step in enumerate(STEPS)},
        notes=(
            "the instance is not stated: BAI.5 fits",
            "temperature 0.05, floor 0.01; warm start 2 for VarDE and Var-Only, 1 for Weight-Only (not stated)",
            "'Weight-Only, warm start 2' is ours: the same warm start as VarDE",
        ),
        place="Table in the appendix (tab:bai-ablation)",
        quick=RUNS,  # which decides its numbers, and costs little
    )


def better_than_either(rows: Rows) -> Answer:
    """The printed rows; beside them Weight-Only with VarDE's own warm start."""
    grade, words, _ = counted(leads(rows, "VarDE", ("Var-Only", "Weight-Only"), PROBLEM, -1.0, STEPS), " points")
    equal = leads(rows, "VarDE", (OURS,), PROBLEM, -1.0, STEPS)
    same = ", ".join(
        f"{find(rows, PROBLEM, 'VarDE', step).value:.1f} against {find(rows, PROBLEM, OURS, step).value:.1f}"
        for step in STEPS
    )
    clear = sum(one.z >= SURELY for one in equal)
    return Answer(
        grade,
        f"{words}. It rests on Weight-Only's warm start of 1, fitted; with VarDE's own, VarDE is ahead by more than "
        f"chance in {clear} of {len(STEPS)} ({same} %)",
    )
