"""Checks of what a user passes as options, costs, budget and results."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType
from typing import Any

from ..certainty.stopping import Stop, check_delta
from ..check import (
    FINITE,
    LARGEST,
    NO_RESULT,
    as_float,
    real,
    refuse,
    shown,
    without_numpy,
)
from .batches import Batch, Counts
from .draws import Draw
from .events import check_writable, exactly
from .failures import EvaluationError
from .goals import Goal

MOST_COUNTED = 10**7  # trials at once, if a stopping rule sees every result
SHORT = 80  # letters of an item's text that may be its name


def entries_of(what: str, given: Any, name: Callable[[list[Any]], Iterable[str]]) -> list[tuple[str, Any]]:
    """(name, object) of all options or items; ``name`` names those of a list."""
    if isinstance(given, (str, bytes, type)) or not isinstance(given, Iterable) or getattr(given, "ndim", 1) == 0:
        refuse(what, given, f"a list of {what}, or a dict of names and {what}", TypeError)
    if not isinstance(given, Mapping):
        listed = list(given)
        return list(zip(name(listed), listed, strict=True))
    for key in given:
        if not isinstance(key, str):
            raise TypeError(f"the name {shown(key)} is not a string: write a dict whose keys are strings")
        if not key:
            raise ValueError(f"one of the {what} has no name: write a dict of names and {what}")
    return [(exactly(key), each) for key, each in given.items()]


def named(options: Any) -> list[tuple[str, Any]]:
    """(name, option) of every option, names distinct."""
    if isinstance(options, set | frozenset):
        raise TypeError("options is a set, whose order differs between processes: write a list, such as sorted(...)")
    entries = entries_of("options", options, lambda listed: map(name_of, listed))
    if len(entries) == 1 and isinstance(options, Mapping) and isinstance(entries[0][1], (list, tuple)):
        name, inside = entries[0][0], shown(list(entries[0][1]))
        raise ValueError(
            f"the only option is {inside}, by the name of {name!r}: write options={inside}, or a dict with a name for "
            "each of them"
        )
    if len(entries) < 2:
        raise ValueError(f"there are {len(entries)} option(s): write two or more, there is nothing to choose from")
    names = {name for name, _ in entries}
    if "" in names:
        raise ValueError("an option has no name: write a dict of names and options")
    if len(names) < len(entries):
        twice = next(name for name, count in Counter(name for name, _ in entries).items() if count > 1)
        raise ValueError(f"two options are called {twice!r}: write a dict of names and options")
    return entries


def named_items(items: Any) -> list[tuple[str, Any]]:
    """(name, item) of every item of a fixed test set.

    Items of a list are named by their text if all are short and different, else by their position, from 0.
    """

    def name(listed: list[Any]) -> Iterable[str]:
        names = [str(item) if isinstance(item, (str, int, float)) else "" for item in listed]
        short = all(0 < len(name) <= SHORT and name.isprintable() for name in names)
        return names if short and len(set(names)) == len(names) else map(str, range(len(listed)))

    entries = entries_of("items", items, name)
    if not entries:
        raise ValueError("there are no items: write one or more, or leave items out")
    return entries


def name_of(option: Any) -> str:
    """Text names itself, a dict reads s=10, S=40, functions and classes have names, the rest is named by its text."""
    if isinstance(option, (type, FunctionType, BuiltinFunctionType)) and option.__name__ != "<lambda>":
        return option.__name__
    if isinstance(option, Mapping):
        return ", ".join(f"{key}={value}" for key, value in option.items())
    try:
        return exactly(str(without_numpy(option)))
    except Exception as error:
        raise ValueError(f"{shown(option)} has no name: write a dict of names and options") from error


def check_lasting(names: Iterable[str]) -> None:
    """Refuse names that differ the next time the program runs."""
    for name in names:
        check_writable("the name", name)
        if re.search(r" at 0x[0-9a-fA-F]+>", name):
            raise ValueError(f"the name {name!r} differs between processes: write a dict of names and options")


def price_list(costs: Any, names: Sequence[str]) -> list[float]:
    """What each option costs, 1 by default."""
    if costs is None:
        return [1.0] * len(names)
    if isinstance(costs, Mapping):
        unknown = costs.keys() - set(names)
        if unknown:
            raise ValueError(f"costs has {shown(unknown.pop())}, which is not an option: write one of {some(names)}")
        missing = next((name for name in names if name not in costs), None)
        if missing is not None:
            raise ValueError(f"costs has nothing for {missing!r}: write the cost of every option")
        costs = [costs[name] for name in names]
    if isinstance(costs, (str, bytes, type)) or not isinstance(costs, Iterable) or getattr(costs, "ndim", 1) == 0:
        refuse("costs", costs, "a list of costs, or a dict of names and costs", TypeError)
    costs = list(costs)
    if len(costs) != len(names):
        raise ValueError(f"there are {len(costs)} costs for {len(names)} options: write one for each")
    return [check_cost(cost, name) for cost, name in zip(costs, names, strict=True)]


def price_of_new(cost: float | None, name: str, priced: bool) -> float:
    """The cost of an option that is added, or 1; whether it needs one depends on those of the others."""
    if priced and cost is None:
        raise ValueError(f"the options have costs: write cost=... for {name!r} too")
    if cost is not None and not priced:
        raise ValueError(f"the options have no costs: leave cost={cost} out")
    return 1.0 if cost is None else check_cost(cost, name)


def check_cost(cost: Any, name: str) -> float:
    return real(f"the cost of {name!r}", cost, f"{FINITE}, above 0", lambda cost: 1.0 / LARGEST <= cost <= LARGEST)


def check_budget(budget: Any) -> float | None:
    """A finite number, or None for no limit."""
    if budget is None:
        return None
    wanted = "the number of evaluations, or None for no limit"
    return number_of(real("budget", budget, wanted, lambda budget: 0.0 < budget <= LARGEST))


def check_text(name: str, given: Any) -> str:
    return exactly(given) if isinstance(given, str) and given else str(refuse(name, given, "a text", TypeError))


def check_bounds(bounds: Any) -> tuple[float, float] | None:
    """The bounds of all results, or None."""
    if bounds is None:
        return None
    wanted = "the lowest and the highest possible result, such as (0, 1), or leave it out"
    pair = list(bounds) if isinstance(bounds, Iterable) and not isinstance(bounds, (str, bytes, Mapping)) else []
    ends = [as_float(end) for end in pair]
    if len(ends) != 2 or None in ends:
        refuse("bounds", bounds, wanted, TypeError)
    low, high = (float(end) for end in ends if end is not None)
    if not -LARGEST <= low < high <= LARGEST:
        refuse("bounds", bounds, wanted)
    return low, high


def check_stop(stop: Any, goal: Goal, bounds: tuple[float, float] | None = None) -> Any:
    """The stopping rule, or None."""
    own = getattr(stop, "satisfied", None) is not None and not isinstance(stop, type)
    if isinstance(stop, str) and stop != "watched":
        refuse("stop", stop, 'the chance of a wrong answer, such as 0.05, or a varde.Stop, or "watched"')
    if not (stop is None or stop == "watched" or own):
        stop = Stop(check_delta("stop", stop))
    if not isinstance(stop, Stop):
        return stop
    if not goal.promised:
        raise ValueError(f"stop is a guarantee for means, and the goal is {goal}: leave stop out, or write your own")
    return replace(stop, bounds=bounds) if stop.bounds is None else stop


def check_promise(what: str, batch: Batch, stop: Any) -> None:
    """Refuse results that the guarantee of a stopping rule does not cover: it needs single values, or 0 and 1."""
    if stop is not None and isinstance(batch, Counts) and batch.trials > MOST_COUNTED:
        raise ValueError(
            f"trials of {what} is {batch.trials:,}, and stop looks at single results: write at most {MOST_COUNTED:,}"
        )
    if not isinstance(stop, Stop) or usable(batch, stop):
        return
    if isinstance(batch, Counts):
        raise ValueError(
            f"the results of {what} are counts, and stop has no bounds: write varde.Stop(..., bounds=(0, 1))"
        )
    raise ValueError(
        f"the results of {what} are a mean and its error, and stop is a guarantee for single results: "
        "tell those, or counts, or leave stop out"
    )


def usable(batch: Batch, stop: Stop) -> bool:
    return isinstance(batch, Counts) and stop.bounds is not None


def all_usable(batches: Iterable[Iterable[Batch]], stop: Stop) -> bool:
    """Whether the guarantee covers all results that came without their values."""
    return all(usable(batch, stop) for each in batches for batch in each)


def some(names: Sequence[str], most: int = 6) -> str:
    """The names, or the first few of them."""
    shown = ", ".join(repr(shorten(name)) for name in list(names)[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def shorten(name: str, most: int = 40) -> str:
    return name if len(name) <= most else name[: most - 3] + "..."


def check_value(draw: Any, value: Any, bounds: tuple[float, float] | None = None) -> float:
    """The result as a float, or an error."""
    low, high = (-LARGEST, LARGEST) if bounds is None else bounds
    if type(value) is float and low <= value <= high:
        return value
    what = called(draw)
    number = as_float(value)
    if isinstance(value, Mapping):
        raise TypeError(
            f"the result of {what} is several numbers, {shown(value)}: write goal=varde.Best(...) with the name of one"
        )
    if number is None:
        raise TypeError(f"the result of {what} is {shown(value, 60)}: expected a number; {instead_of(value)}")
    if not abs(number) <= LARGEST:
        wanted = FINITE if math.isfinite(number) else "a finite number"
        raise ValueError(f"the result of {what} is {shown(value)}: expected {wanted}; {NO_RESULT}")
    if not low <= number <= high:
        raise ValueError(f"the result of {what} is {shown(value)}, outside bounds={(low, high)}: write wider bounds")
    return number


def instead_of(value: Any) -> str:
    """What to return instead of something that is not a number."""
    if value is None:
        return f"is a return missing? {NO_RESULT[0].upper()}{NO_RESULT[1:]}"
    if isinstance(value, (str, bytes)):
        return f"write float(...) if the text is one; {NO_RESULT}"
    if getattr(value, "size", 0) == 1:
        return "add .item() to return the one that it holds"
    if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 0:
        return "write one of them, or their mean: float(numpy.mean(...))"
    return NO_RESULT


def called(draw: Any) -> str:
    """How error messages name a draw."""
    return shorten(draw.name if isinstance(draw, Draw) else f"draw {draw}" if not isinstance(draw, str) else draw)


def in_plain_text(reason: object) -> str:
    """Its text, even if str() fails, as for some exceptions."""
    try:
        return exactly(str(reason))
    except Exception:
        return f"a {type(reason).__name__} that cannot be printed"


def why(reason: object) -> str:
    """Why a draw failed: a text, or an exception with its name."""
    named = isinstance(reason, BaseException) and not isinstance(reason, EvaluationError)
    return f"{type(reason).__name__}: {in_plain_text(reason)}" if named else in_plain_text(reason)


def number_of(amount: float) -> float:
    """Whole amounts as integers: 300 rather than 300.0."""
    return int(amount) if math.isfinite(amount) and amount == int(amount) else float(amount)
