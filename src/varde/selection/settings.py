"""The settings of a selection in one record: it checks itself, is kept in a log, and met again when that goes on.

A setting is a field of ``Settings`` and a parameter of ``Selector``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from .._files import StoreError
from ..check import flag, seed_number, whole
from .alike import check_alike
from .calls import USUAL, Calls, check_calls
from .checks import check_budget, check_stop
from .events import plain
from .goals import Goal, goal_from, goal_of

FIXED = ("goal", "seed", "crn", "alike", "contexts", "warm_start")  # a log has them once and for all
EACH = ("calls", "stop", "budget")  # what a process may want otherwise


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a selection was begun with, and what this process wants of it."""

    goal: Goal = "max"  # type: ignore[assignment]  # as users write it
    seed: int = 0
    crn: bool = False
    alike: bool = False
    contexts: int = 0  # how many; an option in one is an option to all that is kept
    warm_start: int | None = None  # draws of each option before the rule chooses; None: the rule says how many
    calls: Calls = USUAL
    stop: Any = None  # a rule
    budget: float | None = None
    priced: bool = False  # options have costs; else every draw costs 1
    size: int = 1  # options at the start
    items: int = 0  # in the fixed test set

    def __post_init__(self) -> None:
        def checked(**found: Any) -> None:
            vars(self).update(found)

        checked(goal=goal_of(self.goal), seed=seed_number(self.seed), calls=check_calls(self.calls))
        checked(**{name: flag(name, getattr(self, name)) for name in ("crn", "alike", "priced")})
        checked(size=whole("size", self.size, "a count"), items=whole("items", self.items, "a count", 0))
        checked(contexts=whole("contexts", self.contexts, "a count", 0))
        if self.warm_start is not None:
            wanted = "how often each option is drawn before the rule chooses, 1 or more"
            warm_start = whole("warm_start", self.warm_start, wanted)
            checked(warm_start=min(warm_start, self.items or warm_start))
        if self.alike:
            check_alike(self.goal, self.crn, self.stop)
        checked(budget=check_budget(self.budget), stop=check_stop(self.stop, self.goal, self.calls.bounds))

    @property
    def bounds(self) -> tuple[float, float] | None:
        """No result lies outside, as far as it was given."""
        return self.calls.bounds

    # -- in a log ----------------------------------------------------------------------------------

    def saved(self) -> dict[str, Any]:
        """As a log keeps them."""
        found = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "stop"}
        return dict(plain("settings", found | {"goal": self.goal.saved(), "calls": self.calls.saved()}))

    @classmethod
    def read(cls, saved: Any) -> Settings:
        """From a log."""
        try:
            found = {**saved, "goal": goal_from(saved["goal"]), "calls": Calls.read(saved["calls"])}
            return cls(**found)
        except (TypeError, ValueError, LookupError) as error:
            raise StoreError(
                f"the log does not begin with the settings of a selection ({error}): write the file of one"
            ) from error

    def reopened(self, wanted: dict[str, Any]) -> Settings:
        """As kept in a log, with what this process wants otherwise."""
        calls = wanted.get("calls", self.calls)
        return replace(self, **{"budget": None, **wanted, "calls": check_calls(calls).within(self.bounds)})

    def reopened_as(self, saved: Settings) -> Settings:
        """As ``saved``, with what this process wants otherwise; refuses what cannot differ."""
        mine, theirs = self.saved(), saved.saved()
        for name in FIXED:
            if mine[name] != theirs[name] and not (name == "warm_start" and mine[name] is None):
                raise ValueError(
                    f"the store was made with {name}={written(theirs[name])}, this is {name}={written(mine[name])}: "
                    "write what it has, or another store"
                )
        return saved.reopened({name: getattr(self, name) for name in EACH})


def written(setting: Any) -> str:
    """A setting as a user writes it."""
    if isinstance(setting, list):
        return f"{setting[0]}({', '.join(map(written, setting[1:]))})"
    return repr(setting)
