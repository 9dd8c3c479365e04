"""``Best``: the best option within limits, where a result is several numbers.

The leader b has the best objective among those whose slacks are all positive.  Another option j is excluded because its
objective is z_j0 standard errors behind that of b, or because it breaks a limit c by z_jc of them.  For j to be the
answer all of that must be wrong: its pairs (b, j), (line_c, j) are one group,

    g_j = g(sqrt(sum_c z_jc^2)),       w_jc^2 = g_j z_jc^2 / sum_c z_jc^2

and b serves every rival's objective, w_b0^2 = sum_j w_j0^2, and is in a pair with the line of each of its own limits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...certainty import Ragged, believe
from ...certainty.certificate import lead
from ...certainty.chances import intervals, judge, most, stated, telling, watched
from ...certainty.largest import largest_allowed
from ...certainty.members import exceeding
from ...check import LARGEST, NO_RESULT, as_float, refuse, shown
from ...decisions.decision import weigh_numbers
from ...decisions.pairs import steepness, weights
from ...show.sentence import after
from ...show.words import WIDEST, percent, short
from ..reasons import about_the_best, detail
from .goal import Goal, check_sense, decides
from .judged import Compared, Judged, unit_of

if TYPE_CHECKING:
    from ...certainty.assumptions import Note
    from ..result import Selection

FURTHEST = 1e100  # in units of x: what is known exactly is no further away
LIMIT = re.compile(r"\s*(<=|>=|<|>)\s*(\S.*?)\s*")


class Limit(NamedTuple):
    """A limit on the mean of a number: ``latency <= 200``."""

    name: str
    sign: str  # <= or >=
    bound: float

    def slack(self, value: Any) -> Any:
        """How far within the limit a number is; negative beyond it."""
        return self.bound - value if self.sign == "<=" else value - self.bound

    def judge(self, evidence: Compared) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]:
        """[K] the mean slack, the chance that it is one, and mean and interval of the number itself."""
        values = evidence.numbers[self.name]
        unit, counts = unit_of(values), bool(np.isin(values.flat, (0.0, 1.0)).all())
        bounds = None
        if counts:  # such as errors
            low, high = sorted((self.slack(0.0) / unit, self.slack(1.0) / unit))
            bounds = low, high
        sample = evidence.sample(Ragged(self.slack(values.flat) / unit, values.sizes), bounds)._replace(line=0.0)
        known = believe(sample)
        turn = -unit if self.sign == "<=" else unit
        mean, one, other = (self.bound + turn * x for x in (sample.means, *intervals(sample, known)))
        shown = np.where(sample.counts > 0, mean, np.nan), np.minimum(one, other), np.maximum(one, other)
        chances = exceeding(sample, known, 0.0) * most(telling(sample))
        if counts and 0.0 < self.bound < 1.0 and not evidence.items:
            n, events = np.rint(sample.counts), np.rint(sample.counts * mean)
            keeps = np.array([at_most(*pair, self.bound) for pair in zip(n.tolist(), events.tolist(), strict=True)])
            chances = np.where(n > 0, keeps if self.sign == "<=" else 1.0 - keeps, 0.5)
        return sample.means, chances, shown

    def __str__(self) -> str:
        return f"{self.sign} {self.bound:g}"


class BestFields(NamedTuple):
    name: str
    sense: str
    limits: tuple[Limit, ...]


class Best(BestFields, Goal):
    """The best mean of the number ``name`` among the options whose means meet every limit.

    >>> Best("profit", "max", latency="<= 200", error="< 0.01")
    Best('profit', 'max', latency='<= 200', error='<= 0.01')

    A result is then a dict of numbers, ``{"profit": 3.1, "latency": 140.0, "error": 0.0}``.
    """

    least = 1
    singly = True

    def __new__(cls, name: str, sense: str = "max", /, **limits: str) -> Best:
        if not isinstance(name, str) or not name:
            refuse("name", name, 'the name of the number to look at, such as "profit"', TypeError)
        check_sense(sense)
        return super().__new__(cls, name, sense, tuple(limit_of(number, text) for number, text in limits.items()))

    def __getnewargs_ex__(self) -> Any:
        return (self.name, self.sense), {limit.name: str(limit) for limit in self.limits}

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(dict.fromkeys((self.name, *(limit.name for limit in self.limits))))

    @property
    def measure(self) -> str:  # type: ignore[override]
        return self.name

    @property
    def wanted(self) -> str:
        limits = " and ".join(f"{limit.name} {limit}" for limit in self.limits)
        best = f"the {'lowest' if self.sense == 'min' else 'highest'} mean {self.name}"
        return f"{best} with {limits}" if limits else best

    @property
    def meaning(self) -> dict[str, str]:
        if not self.limits:
            return super().meaning
        best = "the chance that it meets all limits and no other that does is better"
        return {**super().meaning, "meaning": best}

    def saved(self) -> Any:
        return ["Best", self.name, self.sense, {limit.name: f"{limit.sign} {limit.bound!r}" for limit in self.limits}]

    def facing(self, value: float, others: tuple[float, ...] = ()) -> Any:
        numbers = dict(zip(self.names, (value, *others), strict=True))
        return (self.sign * value, *(limit.slack(numbers[limit.name]) for limit in self.limits))

    def judge(self, evidence: Compared) -> Judged:
        sample = evidence.sample()
        keeps, allowed, numbers = sample.counts > 0, np.ones(sample.counts.size), {}
        for limit in self.limits:
            slack, chances, numbers[limit.name] = limit.judge(evidence)
            keeps, allowed = keeps & (slack >= 0.0), allowed * chances
        best = int(np.where(keeps, sample.means, -np.inf).argmax()) if keeps.any() else None
        line = float(sample.means[sample.leader if best is None else best])  # options near that matter
        known = believe(sample._replace(line=line))
        plain, none, loss = largest_allowed(known.compared, allowed, best)
        loss = math.nan if known.blank else loss
        count = 0.0 if best is None else float(telling(sample)[best])
        chances = stated(plain, best, count, np.where(keeps, sample.means, -np.inf))
        right = none if best is None else float(chances[best])
        stop = min(watched(none if best is None else float(plain[best])), right)
        chosen = () if best is None else (best,)
        ends = sample.means, *intervals(sample._replace(line=line), known)
        gap = lead(sample.means, keeps, chances, best, ends[1:])
        judged = Judged(chosen, chances, right, loss, *ends, judge(chances, chosen), gap, sample)
        return judged._replace(allowed=allowed, numbers=numbers, watched=stop)

    def headline(self, found: Selection[Any], most: int = WIDEST) -> str:
        return super().headline(found, most) if found.chosen else "No option meets the limits"

    def slack(self, found: Selection[Any]) -> dict[str, float]:
        if not found.chosen:
            return {}
        mine = found[found.chosen[0]].numbers
        return super().slack(found) | {limit.name: limit.slack(mine[limit.name][0]) for limit in self.limits}

    def why(self, found: Selection[Any], most: int) -> list[str]:
        if found.chosen:
            return about_the_best(found, most, self.name, "seems to meet the limits")
        none = f"the chance that none meets {self.kept} is {percent(found.p_right)}"
        return [f"{after(found)} {none}", f"the chance of that is {percent(found.p_right)}"]

    def details(self, found: Selection[Any]) -> list[Note]:
        if found.chosen:
            mine = found[found.chosen[0]]
            meets = f"It meets {self.kept} with a chance of {percent(mine.p_allowed)}."
            limits = [detail("limits", meets, mine.p_allowed, found.chosen)] if self.kept else []
            return [*super().details(found), *limits]
        row = max(found.rows, key=lambda row: row.p_allowed)
        meets = f"The likeliest to meet {self.kept} is {short(row.name)}, with a chance of {percent(row.p_allowed)}."
        return [detail("limits", meets, row.p_allowed, (row.name,))]

    @property
    def kept(self) -> str:
        return ", ".join(f"{limit.name} {limit}" for limit in self.limits)

    def __repr__(self) -> str:
        limits = "".join(f", {limit.name}='{limit}'" for limit in self.limits)
        return f"Best({self.name!r}, {self.sense!r}{limits})"


decides(Best)


@weigh_numbers.of(Best)
def weigh_limits(goal, beliefs):
    objective, *slacks = beliefs
    keeps = np.all([objective.estimates > -np.inf, *(slack.estimates >= 0.0 for slack in slacks)], axis=0)
    leader = int(np.where(keeps, objective.estimates, -np.inf).argmax()) if keeps.any() else None
    x = np.array([np.zeros(keeps.size), *(steepness(-slack.expected, slack.errors) for slack in slacks)])
    own = np.zeros(0)
    if leader is not None:
        lead = objective.expected[leader] - objective.expected
        x[0] = steepness(lead, objective.errors[leader] + objective.errors)
        own = np.array([steepness(slack.expected[leader], slack.errors[leader]) for slack in slacks])
    if np.isnan(x.item(x.argmax())):  # nothing is expected of some yet: level with the rest
        x[:, np.isnan(x).any(axis=0)] = 0.0
    np.clip(x, 0.0, FURTHEST, out=x)
    x *= x
    total = x.sum(axis=0)
    away, shares = np.sqrt(total), x
    if not total.min() > 0.0:  # level in everything: all numbers alike
        x[:, total == 0.0] = 1.0
        total = x.sum(axis=0)
    shares /= total
    if leader is not None:
        away[leader] = np.inf
    found = weights(np.append(away, own))
    square = found[: keeps.size] * shares
    if leader is not None:
        square[:, leader] = square[0].sum(), *found[keeps.size :]
    return (square * np.array([belief.noise for belief in beliefs])).sum(axis=0)


def at_most(n: float, events: float, rate: float) -> float:
    """The chance that the true rate is at most ``rate``: P(Bin(n, rate) > events), and half of a tie (mid-p)."""
    logs = [
        math.lgamma(n + 1.0)
        - math.lgamma(k + 1.0)
        - math.lgamma(n - k + 1.0)
        + k * math.log(rate)
        + (n - k) * math.log1p(-rate)
        for k in range(int(events) + 1)
    ]
    terms = [math.exp(x) for x in logs]
    return min(max(1.0 - math.fsum(terms) + terms[-1] / 2.0, 0.0), 1.0)


def limit_of(name: str, text: Any) -> Limit:
    match = LIMIT.fullmatch(text) if isinstance(text, str) else None
    try:
        bound = float(match.group(2)) if match else None
    except ValueError:
        bound = None
    if match is None or bound is None or not -LARGEST <= bound <= LARGEST:
        refuse(f"the limit of {name}", text, 'one such as "<= 200" or ">= 0.5"')
    return Limit(name, match.group(1)[0] + "=", bound)  # type: ignore[union-attr, arg-type]


def numbers_of(what: str, value: Any, names: tuple[str, ...]) -> dict[str, float]:
    """The numbers of a result by name: all that are needed, and others that came with them."""
    if not isinstance(value, Mapping):
        wanted = ", ".join(f'"{name}": ...' for name in names)
        raise TypeError(f"the result of {what} is {shown(value)}, not several numbers by name: write {{{wanted}}}")
    found = {str(name): as_float(number) for name, number in value.items()}
    for name in names:
        if name not in found:
            has = ", ".join(map(repr, found)) or "nothing"
            raise ValueError(f"the result of {what} has no {name!r}, only {has}: write all that the goal names")
        number = found[name]
        if number is None or not abs(number) <= LARGEST:
            kind = TypeError if number is None else ValueError
            came = f"{name} of {what} is {shown(value[name])}"
            raise kind(f"{came}: expected a finite number; {NO_RESULT}")
    return {name: number for name, number in found.items() if number is not None and abs(number) <= LARGEST}
