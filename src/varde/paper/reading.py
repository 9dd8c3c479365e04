"""A reading of the paper's tree search: what its text leaves open, as data, the same for every algorithm compared."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..beliefs.noise import Floor
from ..decisions import LogSumExp
from ..planning import BTS, DENTS, MENTS, RENTS, TENTS, UCT, PaperTree
from ..rule import VarDE

SOFT = (MENTS, RENTS, TENTS, DENTS, BTS)


class Reading(NamedTuple):
    """One value for each factor; the defaults are the printed ones."""

    power: float = 2.0  # of the weight: 2 or 1
    mean: bool = False  # the value in weights and recommendations: the mean return, or the maximum backed up
    sampled: bool = True  # rewards in back-ups: means of samples, or the model's expectations
    keep: bool = False  # expansion: the whole trajectory joins the tree, or one action does and random play follows
    ddof: int = 0  # divisor of the variance: N, or N - 1 with two samples of an action before scores compare
    literal: bool = False  # counts as in the listing: an expansion counts in N(s, a) and nowhere else
    visits: bool | None = None  # recommendation: most visited, or highest value; None: UCT by visits, others by value

    def varde(self, temperature: float, floor: float) -> PaperTree:
        """VarDE-MCTS under this reading."""
        rule = VarDE(LogSumExp(temperature), Floor(floor, self.ddof), 1 + self.ddof)
        return PaperTree(rule, self.power, self.mean, bool(self.visits), self.sampled, self.literal)

    def of(self, algorithm: Any) -> Any:
        """A rival under this reading: the factors that it has, and its own settings."""
        if isinstance(algorithm, UCT):
            return algorithm._replace(recommend_visits=self.visits is not False)
        if isinstance(algorithm, SOFT):
            return algorithm._replace(sampled=self.sampled, recommend_visits=bool(self.visits))
        raise TypeError(f"{algorithm} has no readings: write UCT, MENTS, RENTS, TENTS, DENTS or BTS")

    @property
    def label(self) -> str:
        """The factors of VarDE in a few words."""
        words = ["w" if self.power == 1.0 else f"w^{self.power:g}", "mean" if self.mean else "max"]
        words += ["kept" if self.keep else "rollout", "N-1" if self.ddof else "N"]
        words += ["literal counts"] * self.literal + ["expected rewards"] * (not self.sampled)
        return ", ".join(words)


PRINTED = Reading()
LITERAL = Reading(literal=True)
LEADING = Reading(power=1.0, mean=True, keep=True, ddof=1)  # the combination under which VarDE leads
# The sixteen combinations of four factors, and the printed one with the listing's counts.
COMBINATIONS = (
    *(
        Reading(power, mean, keep=keep, ddof=ddof)
        for mean in (True, False)
        for power in (1.0, 2.0)
        for keep in (True, False)
        for ddof in (1, 0)
    ),
    LITERAL,
)
