"""The settings of a selection in one record: how they are checked, kept in a log, and met again when it goes on.

A setting is a line in ``Settings`` and a parameter of ``Selector``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from .._compile import is_record
from .._files import StoreError
from ..bandits.loop import select as choose
from ..beliefs.noise import own_variance
from ..check import flag, seed_number, whole
from ..decisions.decision import influence, weigh
from .alike import check_alike
from .calls import USUAL, Calls, check_calls
from .checks import check_askable, check_budget, check_stop
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


def given(
    check: Callable[[Any], Any] = as_given,
    *,
    fixed: bool = False,
    write: Callable[[Any], Any] | None = as_given,
    read: Callable[[Any], Any] | None = None,
) -> dict[str, Any]:
    """A setting that a user gives: its check; how a log keeps it, or None; ``fixed``: a log has it once and for all."""
    return {"check": check, "fixed": fixed, "write": write, "read": read or check}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a selection was begun with, and what this process wants of it."""

    goal: Goal = field(  # type: ignore[assignment]
        default="max", metadata=given(goal_of, fixed=True, write=lambda goal: goal.saved(), read=goal_from)
    )
    algorithm: Any = field(default=None, metadata=given(fixed=True, write=algorithm_to))  # checked with the goal
    seed: int = field(default=0, metadata=given(seed_number, fixed=True))
    crn: bool = field(default=False, metadata=given(lambda crn: flag("crn", crn), fixed=True))
    alike: bool = field(default=False, metadata=given(lambda alike: flag("alike", alike), fixed=True))
    calls: Calls = field(default=USUAL, metadata=given(check_calls, write=Calls.saved, read=Calls.read))
    stop: Any = field(default=None, metadata=given(write=None))  # a rule, checked with the goal and the bounds
    budget: float | None = None
    priced: bool = False  # options have costs; else every draw costs 1
    warm_start: int = 0
    size: int = 0  # options at the start
    items: int = 0  # in the fixed test set

    @classmethod
    def of(cls, wanted: Mapping[str, Any], budget: Any = None, priced: bool = False) -> Settings:
        """The settings a user gave, checked."""
        found = {name: each["check"](wanted.get(name, default)) for name, default, each in given_ones()}
        found["algorithm"], found["goal"] = with_its_goal(found["algorithm"], found["goal"])
        found["algorithm"] = check_askable(found["algorithm"], found["goal"])
        return cls(**found, budget=check_budget(budget), priced=priced).with_stop()

    def with_stop(self) -> Self:
        if self.alike:
            check_alike(self.goal, self.algorithm, self.crn, self.stop)
        return replace(self, stop=check_stop(self.stop, self.goal, self.bounds))

    def reopened(self, wanted: Mapping[str, Any], budget: Any = None) -> Self:
        """The same as kept in a log, with what this process wants otherwise."""
        changed = {name: each["check"](wanted[name]) for name, _, each in given_ones() if name in wanted}
        changed["algorithm"] = check_askable(changed.get("algorithm", self.algorithm), self.goal)
        changed["calls"] = changed.get("calls", self.calls).within(self.bounds)
        return replace(self, **changed, budget=check_budget(budget)).with_stop()

    @property
    def bounds(self) -> tuple[float, float] | None:
        """No result lies outside, as far as it was given."""
        return self.calls.bounds

    # -- in a log ----------------------------------------------------------------------------------

    def saved(self) -> dict[str, Any]:
        """As a log keeps them."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        for name, _, each in given_ones():
            value = found.pop(name)
            if each["write"] is not None:
                found[name] = each["write"](value)
        return {name: plain(name, value) for name, value in found.items()}

    @classmethod
    def read(cls, saved: Any, algorithm: Any = None) -> Settings:
        """From a log; an ``algorithm`` of the user's own must be given."""
        try:
            found = dict(saved)
            found |= {name: each["read"](found[name]) for name, _, each in given_ones() if each["write"] is not None}
            found["priced"] = flag("priced", found["priced"])
            for name, least in (("warm_start", 1), ("size", 1), ("items", 0)):
                found[name] = whole(name, found[name], "a count", least)
            settings = cls(**found)
        except (TypeError, ValueError, LookupError) as error:
            raise StoreError(
                f"the log does not begin with the settings of a selection ({error}): write the file of one"
            ) from error
        if algorithm is None:
            return replace(settings, algorithm=algorithm_from(settings.algorithm))
        algorithm = check_askable(algorithm, settings.goal)
        refuse_other("algorithm", algorithm_to(algorithm), settings.algorithm)
        return replace(settings, algorithm=algorithm)

    def resumed(self, saved: Settings) -> Settings:
        """As ``saved``, with what this process wants otherwise; refuses what cannot differ."""
        mine, theirs = self.saved(), saved.saved()
        for name, _, each in given_ones():
            if each["fixed"]:
                refuse_other(name, mine[name], theirs[name])
        mine = {name: getattr(self, name) for name, _, _ in given_ones()}
        mine["calls"] = self.calls.within(saved.bounds)
        return replace(saved, **mine, budget=self.budget)


def given_ones() -> list[tuple[str, Any, Mapping[str, Any]]]:
    """Name, default and metadata of each setting that a user gives."""
    return [(each.name, each.default, each.metadata) for each in fields(Settings) if each.metadata]


def refuse_other(name: str, mine: Any, theirs: Any) -> None:
    if mine != theirs:
        raise ValueError(
            f"the store was made with {name}={written(theirs)}, this is {name}={written(mine)}: write what it has, or "
            "another store"
        )
