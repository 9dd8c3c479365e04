"""``Move``: the action a search recommends, and why."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..certainty import Certificate
from ..certainty.assumptions import Note
from ..certainty.stopping import Stop, check_delta
from ..certainty.unseen import unseen
from ..check import shown
from ..random import key as named_key
from ..random import stream
from ..show import Answer
from ..show.answer import T_co, finite
from ..show.page.text import HTML, join
from ..show.sentence import ASSUMPTION, DETAIL, Promise, after, how_it_ended
from ..show.sheet import Entry
from ..show.words import (
    NOTHING,
    WIDEST,
    Interval,
    allowing,
    amount,
    between,
    called,
    counted,
    digits,
    distinct,
    estimate,
    lead_in_words,
    named,
    number,
    percent,
    short,
)
from ..worlds.sampled import Slots
from .certainty import Choice, how_sure
from .line import Step, best_line, choice_at
from .search import Search

LEVEL = 0.01  # of the range of returns: a smaller difference is level


class Estimate(NamedTuple):
    """What is known of one action: ``move[action]``."""

    action: Hashable
    n: int  # its samples; where paths meet, from whatever depth
    estimate: float  # of its value, the expected return with good play afterwards; nan if untried
    low: float  # the lower end of the 95 % interval; infinite where nothing is known
    high: float  # the upper end
    p_best: float  # the chance that it is the best; nan if the algorithm does not estimate errors
    verdict: str  # best, possible, rejected or untried

    @property
    def name(self) -> str:
        return named(self.action)

    @property
    def interval(self) -> Interval:
        return self.low, self.high


@dataclass(frozen=True, repr=False, eq=False)
class Move(Answer[T_co]):
    """The recommended action, and how sure it is that it is the best.

    ``move[action]`` is all that is known of one action; the rows are in the order of the legal actions.

    >>> import varde
    >>> step = lambda state, action, rng: (state, action * rng.random())
    >>> move = varde.plan(step, 0, 500, horizon=2, actions=[1, 2])
    >>> move.best, move[1].p_best < 0.01
    (2, True)
    """

    _kind: ClassVar[str] = "Move"
    _texts: ClassVar[Sequence[str]] = ("action", "verdict")
    _records: ClassVar[Sequence[type]] = (Certificate, Estimate, Choice, Step)
    _unit: ClassVar[str] = "simulations"

    best: T_co  # the action to take
    rows: tuple[Estimate, ...]  # of the legal actions
    value: float  # of the state
    interval: Interval  # 95 % of that
    certificate: Certificate  # without chances (nan) if the algorithm does not estimate errors
    gap: tuple[Hashable, float, float] | None  # the strongest rival, the lead over it, and its 95 % margin
    choice: Choice  # the data behind all this
    line: Sequence[Step]  # the root, and where the recommended actions most often led
    player: int | None = None  # who moves, in a game
    promise: tuple[float, float] | None = None  # delta and margin of the rule that ended the search
    cut_off: int | None = None  # the horizon, if no simulation had ended by then
    ranged: bool = False  # whether it is known between which numbers returns lie
    level: float = 0.0  # 1 % of that, if the strongest rival is nearer: then the chance is that of the best or level
    hidden: bool = False  # whether the state was hidden, from the player and the search

    @property
    def best_name(self) -> str:
        """The action as text."""
        return named(self.best)

    def __getitem__(self, action: Hashable) -> Estimate:
        for row in self.rows:
            if row.action == action:
                return row
        raise KeyError(f"{action!r} is not one of the actions {shown(list(self))}")

    def __iter__(self) -> Iterator[Hashable]:
        return (row.action for row in self.rows)

    @property
    def values(self) -> dict[Hashable, float]:
        """By action: the expected return with good play afterwards; nan if untried."""
        return {row.action: row.estimate for row in self.rows}

    @property
    def visits(self) -> dict[Hashable, int]:
        """By action: its samples; where paths meet, from whatever depth."""
        return {row.action: row.n for row in self.rows}

    @property
    def intervals(self) -> dict[Hashable, Interval]:
        """By action: the 95 % interval of its value; infinite where nothing is known."""
        return {row.action: row.interval for row in self.rows}

    @property
    def p_right(self) -> float:
        """The chance that the recommended action is the best; nan if the algorithm does not estimate errors."""
        return self.certificate.p_right

    @property
    def chances(self) -> dict[Hashable, float]:
        """By action: the chance that it is the best; empty if the algorithm does not estimate errors."""
        return self.certificate.chances

    @property
    def expected_regret(self) -> float:
        """The expected loss against the best action; nan if unknown."""
        return self.certificate.loss

    @property
    def stopped(self) -> str:
        """What ended the search: "budget", "seconds", "sure", "interrupted", or "not yet"."""
        return self.certificate.stopped

    @property
    def spent(self) -> int:
        """The number of simulations made."""
        return int(self.certificate.spent)

    @property
    def notes(self) -> Sequence[Note]:
        """What else is to be said of the move, and what it assumes."""
        worth = estimate(self.value, self.interval, scale_of(self))
        texts = [("worth", f"The state is worth {worth}."), ("chance", why_no_more(self)), *how_it_ended(self)]
        notes = [Note(code, (), 0.0, text, DETAIL) for code, text in texts if text]
        if self.cut_off is not None:
            text = f"None of {counted(self.spent, 'simulations')} had ended after {counted(self.cut_off, 'steps')}"
            notes.append(Note("horizon", (), float(self.cut_off), f"{text}: what comes later does not count.", DETAIL))
        if not self.chances or math.isnan(self.p_right):
            return notes
        if self.hidden:
            text = "Where the state is hidden, how reliable chances and intervals are was not measured."
            notes.append(Note("hidden", (), 0.0, text, ASSUMPTION))
        if self.ranged:
            text = "An outcome that never came is allowed for, within the returns that are possible."
            return [*notes, Note("unseen", (self.best_name,), float(self.spent), text, ASSUMPTION)]
        rare = self._rare()
        return notes if rare is None else [*notes, rare]

    def _rare(self) -> Note | None:
        """What may not have shown yet, where nobody said what is possible."""
        if self.gap is None:
            return None
        best, rival = self.ranked[0], self[self.gap[0]]
        fewer, effect = (rival, "adds") if rival.n < best.n else (best, "costs")
        of = f"the {counted(fewer.n, 'simulations')} of {short(fewer.name)}"
        return unseen((best.name, rival.name), fewer.n, of, {"": self.gap[1]}, effect)

    @property
    def ranked(self) -> Sequence[Estimate]:
        """The actions: the one to take, then the highest values, those never tried last."""
        return sorted(self.rows, key=lambda row: (row.verdict != "best", -row.estimate if row.n else math.inf))

    # -- how it is shown -----------------------------------------------------------------------------

    def _headline(self, most: int = WIDEST) -> str:
        who = "Take" if self.player is None else f"Player {self.player} takes"
        return f"{who} {names_of(self, most)[0]}"

    def _reasons(self, most: int) -> Sequence[str]:
        return ahead_of(self, most)

    def _promise(self) -> Promise | None:
        """What ``stop`` promises, if it ended the search."""
        if self.promise is None:
            return None
        delta, margin = self.promise
        wrong = f"another action is better{f' by more than {amount(margin)}' if margin else ''}"
        written = f"stop={amount(delta)}" if not margin else f"varde.Stop({amount(delta)}, {amount(margin)})"
        known = "not measured where the state is hidden" if self.hidden else "measured and not proved"
        return Promise(written, wrong, delta, f"by the search's own estimate, whose errors were {known}")

    def _entries(self, row: Estimate, decimals: int | None) -> dict[str, Entry]:
        entries: dict[str, Entry] = {"action": row.name, "n": f"{row.n:,}", "value": number(row.estimate, decimals)}
        if self.chances:
            entries |= {"95 % interval": between(row.interval, decimals), "P(best)": percent(row.p_best)}
            entries["verdict"] = row.verdict
        return entries

    def _drawn(self, brief: bool) -> HTML:
        from ..show.document import styled
        from ..show.tree import MEANING, tree

        return join([styled("tree"), tree(self), *([] if brief else [MEANING])], "\n")

    def _axes(self) -> tuple[str, str, str, float | None]:
        return "value", "simulations", "P(best)", self[self.best].estimate

    def _state(self) -> dict[str, Any]:
        """States are only shown, and may be anything: their text is kept."""
        return super()._state() | {"line": [step._replace(state=named(step.state)) for step in self.line]}

    def _about(self) -> dict[str, Any]:
        gap = self.gap and {"rival": named(self.gap[0]), "lead": self.gap[1], "margin": finite(self.gap[2])}
        return {"player": self.player, "value": finite(self.value), "gap": gap}


def move_of(search: Search, seed: int, stopped: str) -> Move[Any]:
    """The recommendation of ``search`` at its root."""
    ties = named_key(seed, "ties")
    line, choice = best_line(search, stream(ties)), choice_at(search, 0, stream(ties))
    actions = search.names.actions(search.start)
    if isinstance(actions, Slots):
        actions = [actions[slot] for slot in np.flatnonzero(choice.counts).tolist()]
        choice = choice.of_tried()
    refuse_outside(search.bounds, choice, actions)
    sure, level = how_sure(choice), smallest_lead(search)
    near = sure is not None and sure.gap is not None and abs(sure.gap[1]) < level
    sure = how_sure(choice, level) if near else sure
    counts, values = choice.counts.tolist(), choice.values.tolist()
    spans, chances = [(-math.inf, math.inf)] * len(actions), [math.nan] * len(actions)
    verdicts = ["possible"] * len(actions)
    gap, certificate = None, Certificate({}, math.nan, math.nan, stopped, search.trials)
    if sure is not None:
        spans = within(search, list(zip(sure.lows.tolist(), sure.highs.tolist(), strict=True)))
        gap = sure.gap and (actions[sure.gap[0]], *sure.gap[1:])
        chances, verdicts = sure.chances.tolist(), list(sure.verdicts)
        by_action = dict(zip(actions, chances, strict=True))
        certificate = certificate._replace(chances=by_action, p_right=chances[choice.taken], loss=sure.regret)
    verdicts = [verdict if n else "untried" for verdict, n in zip(verdicts, counts, strict=True)]
    verdicts[choice.taken] = "best"
    lows, highs = zip(*spans, strict=True)
    columns = (actions, counts, values, lows, highs, chances, verdicts)
    value = float(search.tree.nodes["value"][0])
    low, high = lows[choice.taken], max(highs)  # the best action may be another
    return Move(
        actions[choice.taken],
        tuple(Estimate(*row) for row in zip(*columns, strict=True)),
        value,
        (min(low, value), max(high, value)),
        certificate,
        gap,
        choice,
        line,
        int(search.tree.nodes["sign"][0] < 0) if search.settings.players == 2 else None,
        cut_off=search.settings.horizon if search.cut_off else None,
        ranged=search.ends is not None,
        level=level if near else 0.0,
    )


def smallest_lead(search: Search) -> float:
    """1 % of the range of returns, 0 where that is not known: a smaller lead is none that matters."""
    ends = search.ends
    return 0.0 if ends is None else LEVEL * float(ends[1].max() - ends[0].min())


def refuse_outside(bounds: Any, choice: Choice, actions: Sequence[Hashable]) -> None:
    """Refuse bounds that a mean of returns does not keep."""
    if bounds is None:
        return
    slack = 1e-9 * (bounds[1] - bounds[0])  # values are rounded
    wrong = np.flatnonzero((choice.values < bounds[0] - slack) | (choice.values > bounds[1] + slack))
    if wrong.size:
        name, value = named(actions[int(wrong[0])]), float(choice.values[wrong[0]])
        raise ValueError(
            f"bounds are {bounds}, but {called(name)} is worth {value:g}: write the lowest and the highest return, "
            "which is the sum of all rewards up to the horizon"
        )


def within(search: Search, spans: list[Interval]) -> list[Interval]:
    """The intervals, as far as the world can pay that."""
    ends = search.ends
    if ends is None:
        return spans
    low, high = (end[: len(spans)].tolist() for end in ends)
    return [(max(a, b), min(c, d)) for (a, c), b, d in zip(spans, low, high, strict=True)]


def check_stop(stop: Any) -> Stop | None:
    """The stopping rule, from the probability of a wrong move or from a ``Stop``."""
    if isinstance(stop, Stop) and stop.bounds is not None:
        raise ValueError(f"stop has the bounds {stop.bounds}, which a search cannot use: write Stop(delta, margin)")
    return stop if stop is None or isinstance(stop, Stop) else Stop(check_delta("stop", stop))


def clear_choice(search: Search, seed: int, stop: Stop) -> int | None:
    """The recommended action, if another is unlikely to be better by more than the margin."""
    choice = choice_at(search, 0, stream(named_key(seed, "ties")))
    taken = choice.taken
    if getattr(search, "sampled", False):
        choice = choice.of_tried()
    sure = how_sure(choice, stop.margin)
    return taken if sure is not None and 1.0 - float(sure.chances[choice.taken]) <= stop.delta else None


# -- why ---------------------------------------------------------------------------------------------


def names_of(move: Move, most: int) -> list[str]:
    """What the best action and its rival are called, which look different even where they are cut."""
    return distinct([named(move.best), *([] if move.gap is None else [named(move.gap[0])])], most)


def ahead_of(move: Move, most: int) -> list[str]:
    """Which rival it is ahead of and by how much, and how sure that is; then only how sure."""
    others = [row for row in move.rows if row.verdict != "best"]
    tried = [row for row in others if row.n]
    if not others:
        return ["it is the only legal action"]
    if not tried:
        return [f"nothing else was tried in {counted(move.spent, 'simulations')}"]
    if not move.chances:
        second = max(tried, key=lambda row: row.estimate)
        lead = move[move.best].estimate - second.estimate
        by = number(lead, digits([lead / 10.0])) if lead > 0.0 else ""
        rival, unknown = called(second.action, most), "this algorithm does not say how sure that is"
        return [f"{after(move)} it is {compared(rival, by)}; {unknown}", unknown]
    if move.gap is None or math.isnan(move.expected_regret):
        return [f"nothing told the actions apart in {counted(move.spent, 'simulations')}"]
    _, lead, margin = move.gap
    rival, scale = names_of(move, most)[1], scale_of(move)
    known = margin <= NOTHING * scale
    words = compared(rival, lead_in_words(lead, margin, scale))
    if lead <= 0.0 or (known and lead < 0.05 * margin):
        words = compared(rival, "")
    elif lead < 0.05 * margin:
        words = f"level with {rival}, give or take {number(margin, digits([margin]))}"
    best = "the best, or level with it," if move.level else "the best"
    chance = f"the chance that it is {best} is {percent(move.p_right)}"
    return [f"{after(move)} it is {words}; {chance}", chance]


def compared(rival: str, lead: str) -> str:
    return f"ahead of {rival} by {lead}" if lead else f"level with {rival}"


def why_no_more(move: Move) -> str:
    """Why the chance is lower than the lead over the strongest rival suggests."""
    draws = float(move.choice.draws.sum())
    most = (draws + 1.0) / (draws + len(move.rows))
    if move.p_right > most - 0.0005 and most < 0.999:
        return f"The chance is the most that {counted(draws, 'simulations')} can show."
    return "" if move.gap is None else allowing(move.gap, move.p_right, "what was not searched")


def scale_of(move: Move) -> float:
    """The size of values and returns; much smaller differences are rounding errors."""
    sizes = [abs(row.estimate) for row in move.rows if math.isfinite(row.estimate)]
    return max([*sizes, math.sqrt(move.choice.spread) if move.choice.spread > 0.0 else 0.0])
