"""``Goal``: what to look for among the options; the best mean by default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...certainty import assess, pair
from ...certainty.alike import assess_alike
from ...check import refuse
from ...decisions.decision import unfit, usual_noise, usual_warm_start
from ...decisions.regret import few, pooled_noise
from ...show.words import WIDEST, listed
from ..reasons import about_the_best, about_the_others, labels
from .judged import Compared, Judged

if TYPE_CHECKING:
    from ...certainty.assumptions import Note
    from ...certainty.stopping import Results, Stop
    from ..result import Selection

SENSES = ("max", "min")


class Goal:
    """What to look for: a decision (``varde.decisions``) that also judges the evidence and has words for the answer.

    A record, kept in files as [name, field, ...].  One file has it all: the record, its cases of ``weigh`` and
    ``weigh_arrays``, ``judge`` and the words; and then a line in ``__init__.py``.
    """

    ordered = False  # compared by an estimate from the ordered results, not by means

    sense: str = "max"  # whether larger or smaller is better
    least: int = 2  # the fewest options among which there is a question
    limits: tuple[Any, ...] = ()  # (a Limit each) on numbers in a result
    names: tuple[str, ...] = ()  # names of the numbers in a result; empty: a result is one number
    measure: str = "mean"  # what is compared
    chance: str = "P(best)"  # the name of the chance of an option
    several = False  # the answer is a list of options
    singly = False  # single results are needed: counts and summaries are not enough
    promised = False  # whether ``sure`` has a proof

    @property
    def wanted(self) -> str:
        """The goal in words."""
        return f"the {'lowest' if self.sense == 'min' else 'highest'} {self.measure}"

    @property
    def meaning(self) -> dict[str, str]:
        """The texts that explain the columns of a page."""
        return {
            "measure": self.measure.capitalize(),
            "average": "what an option gives on average",
            "chance": self.chance,
            "meaning": "the chance that no other option is better",
            "answer": "the best one",
            "be": "be it",
        }

    @property
    def sign(self) -> float:
        """The sign that makes larger results better."""
        return -1.0 if self.sense == "min" else 1.0

    @property
    def shown(self) -> Any:
        """As a user writes it."""
        return self

    def saved(self) -> Any:
        """As a file keeps it."""
        return [type(self).__name__, *self]  # type: ignore[misc]  # a tuple

    def question(self, size: int) -> None:
        """Refuse if there is no question among ``size`` options."""

    def facing(self, value: float, others: tuple[float, ...] = ()) -> Any:
        """A result for the rule, larger being better."""
        return self.sign * value

    def measured_from(self, origin: float, unit: float) -> Any:
        """The decision on results, larger being better, that are measured from an origin in some unit."""
        return self

    def estimate(self, results: list[float]) -> tuple[float, float]:
        """What is compared, from ordered results, and its standard error."""
        raise NotImplementedError

    def judge(self, evidence: Compared) -> Judged:
        """The answer, and how sure it is."""
        raise NotImplementedError

    def sure(self, stop: Stop, results: Results) -> bool:
        """Whether the guarantee of ``stop`` holds for the answer."""
        raise NotImplementedError

    def level(self, found: Selection[Any]) -> float | None:
        """Where a picture draws a reference line: at the best option's estimate."""
        return found.value if found.chosen else None

    def headline(self, found: Selection[Any], most: int = WIDEST) -> str:
        """The recommendation in a few words, with names that are at most so wide."""
        called = [labels(found, most)[name] for name in found.chosen]
        return f"Take {listed(called, 8 if most == WIDEST else 3)}" if called else "Take none"

    def slack(self, found: Selection[Any]) -> dict[str, float]:
        """By how much the answer is right, by number, "" for the result; empty: rare results cannot change it."""
        return {} if found.gap is None else {"": found.gap[1]}

    def why(self, found: Selection[Any], most: int) -> list[str]:
        """How sure that is, in one sentence: the fullest first, then shorter ones; names are at most so wide."""
        return about_the_best(found, most)

    def details(self, found: Selection[Any]) -> list[Note]:
        """What else is to be said: why the chance is not higher, what it may cost, what is still open."""
        return about_the_others(found)


def decides(*classes: Any) -> None:
    """Let the rule take these goals as decisions, with the same defaults as the best mean."""
    usual_noise.of(*classes)(pooled_noise)
    usual_warm_start.of(*classes)(few)
    unfit.of(*classes)(beyond_moments)


def beyond_moments(goal: Any) -> str:
    if goal.names or goal.ordered:
        return f"needs more than the moments of rewards: write varde.select(..., goal={goal})"
    if "sense" in goal._fields and goal.sense == "min":
        return "looks for low means, and larger rewards are better: take a bandit of negative rewards"
    return ""


class Sense(NamedTuple):
    sense: str = "max"


class Mean(Sense, Goal):
    """The best mean: "max" or "min"."""

    promised = True

    @property
    def shown(self) -> str:
        return self.sense

    def sure(self, stop: Stop, results: Results) -> bool:
        return stop.satisfied(results)

    def saved(self) -> str:
        return self.sense

    def judge(self, evidence: Compared) -> Judged:
        sample, pairs = evidence.sample(), None
        if evidence.replicates is not None:
            pairs = pair(sample, evidence.values, evidence.replicates, evidence.items)
        alike = None if evidence.alike is None else assess_alike(sample, *evidence.alike)
        sure = assess(sample, pairs=pairs) if alike is None else alike.sure
        right = float(sure.chances[sure.best])
        estimates = sample.means if alike is None else alike.estimates
        ends, by = (estimates, sure.lows, sure.highs), None if pairs is None else pairs.sample
        stated = (sure.best,), sure.chances, right, sure.regret
        return Judged(*stated, *ends, sure.verdicts, sure.gap, sample, by, watched=sure.watched, alike=alike)


def check_sense(sense: Any) -> None:
    if not isinstance(sense, str) or sense not in SENSES:
        refuse("sense", sense, '"max" or "min"')
