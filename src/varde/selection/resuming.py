"""Whether a log is that of the program that opens it: the same options, costs and items."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from .checks import named, named_items, shorten
from .events import Event, kept


class Known(NamedTuple):
    """An option, or an item of a fixed test set, as a log has it."""

    number: int
    name: str
    cost: float = 1.0
    data: list[Any] | None = None  # [the object]; None if it cannot be kept

    def as_option(self) -> Event:
        return Event("option", option=self.number, value=self.cost, text=self.name, time=time.time(), data=self.data)

    def as_item(self, place: int) -> Event:
        return Event("item", option=self.number, replicate=place, text=self.name, time=time.time(), data=self.data)


def known_of(event: Event) -> Known:
    return Known(int(event.option or 0), str(event.text), float(event.value or 1.0), event.data)


def options_of(where: Any, known: list[Known], given: Any) -> list[tuple[str, Any]]:
    """(name, option) of the options as given, or as the log has them."""
    if given is not None:
        return named(given)
    missing = [each.name for each in known if each.data is None]
    if missing:
        raise ValueError(
            f"{where} has only the names of its options, such as {shorten(missing[0])!r}: "
            f"write Selector.open({str(where)!r}, options)"
        )
    return [(each.name, each.data[0]) for each in known if each.data]


def check_options(
    entries: list[tuple[str, Any]], costs: list[float], saved: list[Known], size: int, removed: set[str]
) -> None:
    """Refuse options other than those of the log; removed ones, and later ones that the log holds, may be left out."""
    known = {each.name: each for each in saved}
    for (name, option), cost in zip(entries, costs, strict=True):
        if name not in known:
            raise ValueError(
                f"the store has no option {name!r}: open it with the options it has and write add_option({name!r}), "
                "or write another store"
            )
        each = known.pop(name)
        refuse_other(name, option, each.data)
        if each.cost != cost:
            raise ValueError(f"the store has {name!r} at a cost of {each.cost:g}, this is {cost:g}: write what it has")
    for name, each in known.items():
        if name not in removed and (each.number < size or each.data is None):
            raise ValueError(f"the store has the option {name!r}, which is not among those given: write it too")


def refuse_other(name: str, option: Any, data: list[Any] | None) -> None:
    """Refuse an option that differs from the earlier one of this name."""
    now = kept("an option", option)
    if now != data:
        raise ValueError(
            f"the selection has {name!r} as {in_words(data)}, this is {in_words(now, option)}: give it another name"
        )


def tests_of(where: Any, saved: list[Known], given: Any) -> list[tuple[str, Any]]:
    """(name, item) of a fixed test set as given, or as the log has it."""
    if given is not None:
        return named_items(given)
    missing = next((known for known in saved if known.data is None), None)
    if missing is not None:
        raise ValueError(
            f"{where} has only the names of its items, such as {shorten(missing.name)!r}: "
            f"write Selector.open({str(where)!r}, items=...)"
        )
    return [(known.name, known.data[0]) for known in sorted(saved) if known.data]


def check_items(given: dict[str, Any], saved: list[Known]) -> None:
    """Refuse a test set other than the log's."""
    if len(given) != len(saved):
        raise ValueError(
            f"the store has {len(saved):,} items, this is {len(given):,}: write the same, or another store"
        )
    names = list(given)
    for known in saved:
        if names[known.number : known.number + 1] != [known.name]:
            raise ValueError(
                f"item {known.number} of the store is {shorten(known.name)!r}, this has another there: write the same "
                "items"
            )
        now = kept("an item", given[known.name])
        if known.data != now:
            raise ValueError(
                f"the store has the item {shorten(known.name)!r} as {in_words(known.data)}, this is "
                f"{in_words(now, given[known.name])}: write the same items, or another store"
            )


def in_words(data: list[Any] | None, given: Any = None) -> str:
    if data is not None:
        return shorten(repr(data[0]))
    return "an object" if given is None else shorten(repr(given))
