"""The component ablation: influence alone, variance alone, both (tab:bai-ablation)."""

from __future__ import annotations

from collections.abc import Sequence

from ..decisions import Average, LogSumExp
from ..rule import VarDE
from .bandit_cells import FLOOR, RUNS, bandit_cell, find, lower
from .published import ABLATION
from .study import Row, Study

PROBLEM = "BAI.5"
STEPS = (500, 1000, 1500, 2000)
RULES = {
    "Var-Only": VarDE(Average(), FLOOR, 2),
    "Weight-Only": VarDE(LogSumExp(0.05), FLOOR, 1, equal_noise=True),
    "Weight-Only, warm start 2": VarDE(LogSumExp(0.05), FLOOR, 2, equal_noise=True),
    "VarDE": VarDE(LogSumExp(0.05), FLOOR, 2),
}


def ablation() -> Study:
    return Study(
        "ablation",
        "Component ablation on BAI.5: error probability (%)",
        [bandit_cell(PROBLEM, name, rule, STEPS) for name, rule in RULES.items()],
        RUNS,
        published={(PROBLEM, name, step): ABLATION[name][i] for name in ABLATION for i, step in enumerate(STEPS)},
        notes=(
            "the instance is not stated: BAI.5 fits",
            "temperature 0.05, floor 0.01; warm start 2 for VarDE and Var-Only, 1 for Weight-Only (not stated)",
            "'Weight-Only, warm start 2' is ours: the same warm start as VarDE",
        ),
        findings=compare,
    )


def compare(rows: Sequence[Row]) -> list[str]:
    said = []
    for name in ("Var-Only", "Weight-Only", "Weight-Only, warm start 2"):
        words = {lower(find(rows, PROBLEM, "VarDE", s), find(rows, PROBLEM, name, s)) for s in STEPS}
        holds = "holds" if words == {"lower"} else "does not hold"
        said.append(f"'VarDE is better at every checkpoint' against {name}: {holds}")
    return said
