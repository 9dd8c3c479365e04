"""The settings of a selection in one record: how they are checked, kept in a log, and met again when it goes on.

A setting is a line in ``SETTINGS``, an attribute of ``Settings``, and a parameter of ``Selector``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, Self

from .._compile import is_record
from .._files import StoreError
from ..bandits.loop import select as choose
from ..beliefs.noise import own_variance
from ..check import flag, refuse, seed_number, whole
from ..decisions.decision import influence, weigh
from .alike import check_alike
from .calls import USUAL, Calls, check_calls
from .checks import (
    check_askable,
    check_budget,
    check_stop,
    is_returned,
)
from .choosing import with_its_goal
from .events import plain
from .goals import Goal, goal_from, goal_of

# -- records as JSON ---------------------------------------------------------------------------------


def algorithm_to(algorithm: Any) -> Any:
    """A record as [name, field, ...]; a user's record is named after its module too."""
    if is_record(algorithm):
        kind = type(algorithm)
        name = kind.__name__ if is_ours(kind) else f"{kind.__module__}.{kind.__name__}"
        return [name, *map(algorithm_to, algorithm)]
    return algorithm.tolist() if hasattr(algorithm, "tolist") else algorithm


def algorithm_from(saved: Any) -> Any:
    """The record that was ``saved``, if it is one of ours."""
    if isinstance(saved, (bool, int, float)):
        return saved
    name = str(saved[0]) if isinstance(saved, list) and saved else repr(saved)
    kind = records().get(name)
    if kind is None:
        own = name.split(".")[-1]
        raise ValueError(f"the file was made with the algorithm {name}: write algorithm={own}(...)")
    if len(saved) - 1 != len(kind._fields):
        raise StoreError(f"the file has {written(saved)}, but {name} has {len(kind._fields)} settings: it is damaged")
    return kind(*(algorithm_from(field) for field in saved[1:]))


def records() -> dict[str, Any]:
    """The records a file may name: algorithms, decisions and noise models of this package, nothing else."""
    served = (choose, influence, weigh, own_variance)
    return {kind.__name__: kind for verb in served for kind in verb.cases if is_ours(kind)}


def is_ours(kind: Any) -> bool:
    return bool(kind.__module__.split(".")[0] == __name__.split(".")[0])


def written(setting: Any) -> str:
    """A setting as a user writes it."""
    if isinstance(setting, list):
        return f"{setting[0]}({', '.join(map(written, setting[1:]))})"
    return repr(setting)


# -- the settings ---------------------------------------------------------------------------------


def as_given(value: Any) -> Any:
    return value


class Setting(NamedTuple):
    """One setting: its default, its check, whether it is kept in the log and must then be the same again, and how."""

    default: Any
    check: Callable[[Any], Any] = as_given
    kept: bool = True
    fixed: bool = False
    write: Callable[[Any], Any] = as_given
    read: Callable[[Any], Any] | None = None  # None: the check


SETTINGS: dict[str, Setting] = {
    "algorithm": Setting(None, fixed=True, write=algorithm_to),  # checked with the goal
    "goal": Setting("max", goal_of, fixed=True, write=lambda goal: goal.saved(), read=goal_from),
    "seed": Setting(0, seed_number, fixed=True),
    "crn": Setting(False, lambda crn: flag("crn", crn), fixed=True),
    "alike": Setting(False, lambda alike: flag("alike", alike), fixed=True),
    "calls": Setting(USUAL, check_calls, write=Calls.saved, read=Calls.read),
    "stop": Setting(None, kept=False),  # checked with the goal and the bounds
}
FIXED = [name for name, setting in SETTINGS.items() if setting.fixed]


@dataclass(frozen=True)
class Settings:
    """What a selection was begun with, and what this process wants of it."""

    goal: Goal
    algorithm: Any
    seed: int
    crn: bool
    alike: bool  # options resemble each other
    calls: Calls
    stop: Any  # a stopping rule
    costs: str | None  # "given", or "returned" with the results; None: every draw costs 1
    budget: float | None
    warm_start: int = 0
    size: int = 0  # options at the start
    items: int = 0  # in the fixed test set

    @classmethod
    def of(cls, given: Mapping[str, Any], budget: Any = None, costs: Any = None) -> Settings:
        """The settings a user gave, checked."""
        found = {name: setting.check(given.get(name, setting.default)) for name, setting in SETTINGS.items()}
        found["algorithm"], found["goal"] = with_its_goal(found["algorithm"], found["goal"])
        found["algorithm"] = check_askable(found["algorithm"], found["goal"])
        kind = None if costs is None else "returned" if is_returned(costs) else "given"
        return cls(**found, budget=check_budget(budget), costs=kind).with_stop()

    def with_stop(self) -> Self:
        if self.alike:
            check_alike(self.goal, self.algorithm, self.crn, self.stop)
        return replace(self, stop=check_stop(self.stop, self.goal, self.bounds))

    def reopened(self, given: Mapping[str, Any], budget: Any = None) -> Self:
        """The same as kept in a log, with what this process wants otherwise."""
        changed = {name: SETTINGS[name].check(value) for name, value in given.items() if value is not None}
        changed["algorithm"] = check_askable(changed.get("algorithm", self.algorithm), self.goal)
        changed["calls"] = changed.get("calls", self.calls).within(self.bounds)
        return replace(self, **changed, budget=check_budget(budget)).with_stop()

    @property
    def bounds(self) -> tuple[float, float] | None:
        """No result lies outside, as far as it was given."""
        return self.calls.bounds

    @property
    def returned(self) -> bool:
        """Whether costs come back with the results."""
        return self.costs == "returned"

    @property
    def more(self) -> bool:
        """Whether a result is more than one number."""
        return self.returned or bool(self.goal.names)

    # -- in a log ----------------------------------------------------------------------------------

    def saved(self) -> dict[str, Any]:
        """As a log keeps them."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        found = {name: value for name, value in found.items() if name not in SETTINGS or SETTINGS[name].kept}
        found |= {name: SETTINGS[name].write(value) for name, value in found.items() if name in SETTINGS}
        return {name: plain(name, value) for name, value in found.items()}

    @classmethod
    def read(cls, saved: Any) -> Settings:
        """From a log; the algorithm is still as it was saved."""
        try:
            found = {name: each.default for name, each in SETTINGS.items()} | dict(saved)
            found |= {name: (each.read or each.check)(found[name]) for name, each in SETTINGS.items() if each.kept}
            for name, least in (("warm_start", 1), ("size", 1), ("items", 0)):
                found[name] = whole(name, found[name], "a count", least)
            settings = cls(**found)
            if settings.costs not in (None, "given", "returned"):
                refuse("costs", settings.costs, "None, 'given' or 'returned'")
        except (TypeError, ValueError, LookupError) as error:
            raise StoreError(
                f"the log does not begin with the settings of a selection ({error}): write the file of one"
            ) from error
        return settings

    def with_algorithm(self, given: Any = None) -> Self:
        """The same with the algorithm that was saved; one of the user's own must be given."""
        if given is None:
            return replace(self, algorithm=algorithm_from(self.algorithm))
        algorithm = check_askable(given, self.goal)
        refuse_other("algorithm", algorithm_to(algorithm), self.algorithm)
        return replace(self, algorithm=algorithm)

    def resumed(self, saved: Settings) -> Settings:
        """As ``saved``, with what this process wants otherwise; refuses what cannot differ."""
        mine, theirs = self.saved(), saved.saved()
        for name in FIXED:
            refuse_other(name, mine[name], theirs[name])
        if self.returned != saved.returned:
            has = "" if saved.returned else "out"
            raise ValueError(f'the store was made with{has} costs="returned": write what it has, or another store')
        mine = {name: getattr(self, name) for name in (*SETTINGS, "budget")}
        mine["calls"] = self.calls.within(saved.bounds)
        return replace(saved, **mine)


def refuse_other(name: str, mine: Any, theirs: Any) -> None:
    if mine != theirs:
        raise ValueError(
            f"the store was made with {name}={written(theirs)}, this is {name}={written(mine)}: write what it has, or "
            "another store"
        )
