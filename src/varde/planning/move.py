"""``Move``: the action a search recommends, and why."""

from __future__ import annotations

import functools
import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np

from ..certainty import Certificate
from ..certainty.stopping import Stop, check_delta
from ..check import shown
from ..random import key as named_key
from ..random import stream
from ..worlds.games import is_game
from ..worlds.sampled import Slots
from ..worlds.table import side
from .certainty import Choice, how_sure, more_simulations
from .loop import reported_value
from .search import Search
from .top import Names, Top, choice_at, top_of

Interval = tuple[float, float]


class Estimate(NamedTuple):
    """What is known of one action: ``move[action]``."""

    action: Hashable
    visits: int  # simulations
    value: float  # expected return with good play afterwards; nan if untried
    interval: Interval  # 95 %; infinite where nothing is known
    p_best: float  # the chance that it is the best; nan if the algorithm does not estimate errors


@dataclass(frozen=True, repr=False)
class Move:
    """The recommended action, and how sure it is that it is the best; dicts have one entry per legal action.

    ``move[action]`` is all that is known of one action.

    >>> import varde
    >>> step = lambda state, action, rng: (state, action * rng.random())
    >>> move = varde.plan(step, 0, 500, horizon=2, actions=[1, 2])
    >>> move
    <Move: 2 of 2 actions, the best with a chance of 99.7 %>
    """

    action: Hashable
    values: dict[Hashable, float]  # expected return of the action with good play afterwards; nan if untried
    intervals: dict[Hashable, Interval]  # 95 %; infinite where nothing is known
    visits: dict[Hashable, int]  # simulations
    value: float  # of the state
    interval: Interval  # 95 % of that
    certificate: Certificate  # without chances (nan) if the algorithm does not estimate errors
    gap: tuple[Hashable, float, float] | None  # the strongest rival, the lead over it, and its 95 % margin
    choice: Choice = field(compare=False)  # the data behind all this
    top: Top = field(compare=False)  # of the tree, for pictures
    player: int | None = None  # who moves, in a game

    def __getitem__(self, action: Hashable) -> Estimate:
        if action not in self.values:
            raise KeyError(f"{action!r} is not one of the actions {shown(list(self.values))}")
        chance = self.chances.get(action, math.nan)
        return Estimate(action, self.visits[action], self.values[action], self.intervals[action], chance)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.values)

    @property
    def p_right(self) -> float:
        """The chance that the recommended action is the best."""
        return self.certificate.p_right

    @property
    def chances(self) -> dict[Hashable, float]:
        """By action: the chance that it is the best; empty if the algorithm does not estimate errors."""
        return self.certificate.chances

    @property
    def expected_regret(self) -> float:
        """A bound of the expected loss against the best action, usually several times too high; nan if unknown."""
        return self.certificate.loss

    @property
    def stopped(self) -> str:
        """What ended the search: "budget", "seconds", "sure", "interrupted", or "not yet"."""
        return self.certificate.stopped

    @property
    def spent(self) -> int:
        """The number of simulations made."""
        return int(self.certificate.spent)

    @functools.cached_property
    def more_budget(self) -> dict[float, float]:
        """About how many more simulations a chance of 95 and 99 % would take; infinite beyond 1000 times ``spent``."""
        return more_simulations(self.choice, self.spent)

    @property
    def sentence(self) -> str:
        """The recommendation in a sentence: what to take, why, and what would settle it."""
        from .text import sentence

        return sentence(self)

    def __repr__(self) -> str:
        from .text import brief

        return brief(self)

    def __str__(self) -> str:
        from .text import as_text

        return as_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON types, actions by name; infinite or missing numbers are None."""
        from .text import as_json

        return as_json(self)

    @overload
    def to_html(self) -> str: ...
    @overload
    def to_html(self, path: str | Path) -> None: ...
    def to_html(self, path: str | Path | None = None) -> str | None:
        """Write a page to ``path``, or return it without one: the top of the tree, to be opened node by node."""
        from .picture import whole_page

        page = whole_page(self)
        if path is None:
            return page
        Path(path).write_text(page, encoding="utf-8")
        return None

    def _repr_html_(self) -> str:
        from .picture import fragment

        return fragment(self)


def move_of(search: Search, names: Names, seed: int, stopped: str) -> Move:
    """The recommendation of ``search`` at its root."""
    top = top_of(search, names, stream(named_key(seed, "ties")))
    choice, actions = top[0].choice, names.actions(search.start)
    if isinstance(actions, Slots):
        actions = [actions[slot] for slot in np.flatnonzero(choice.counts).tolist()]
        choice = choice.of_tried()
    sure = how_sure(choice)
    spans = [(-math.inf, math.inf)] * len(actions)
    gap, certificate = None, Certificate({}, math.nan, math.nan, stopped, search.trials)
    if sure is not None:
        spans = within(search, list(zip(sure.lows.tolist(), sure.highs.tolist(), strict=True)))
        gap = sure.gap and (actions[sure.gap[0]], *sure.gap[1:])
        chances = dict(zip(actions, sure.chances.tolist(), strict=True))
        certificate = certificate._replace(chances=chances, p_right=chances[actions[choice.taken]], loss=sure.regret)
    value, (low, high) = float(reported_value(search.algorithm, search.view)), spans[choice.taken]
    return Move(
        actions[choice.taken],
        dict(zip(actions, choice.values.tolist(), strict=True)),
        dict(zip(actions, spans, strict=True)),
        dict(zip(actions, choice.counts.tolist(), strict=True)),
        value,
        (min(low, value), max(high, value)),
        certificate,
        gap,
        choice,
        top,
        int(side(search.problem, search.start) < 0.0) if is_game(search.problem) else None,
    )


def within(search: Search, spans: list[Interval]) -> list[Interval]:
    """The intervals, as far as the world can pay that."""
    ends = search.attainable
    if ends is None:
        return spans
    first = int(search.problem.pairs[search.start])
    low, high = (end[first : first + len(spans)].tolist() for end in ends)
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
