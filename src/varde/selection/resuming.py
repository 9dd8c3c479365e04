"""Whether a log is that of the program that opens it: the same options, costs and items."""

from __future__ import annotations

from typing import Any

from .checks import named, named_items, shorten
from .events import Event, kept


def given_or_saved(where: Any, saved: list[Event], given: Any, what: str) -> list[tuple[str, Any]]:
    """(name, object) of options or items as given, or else as the log has them."""
    if given is not None:
        return named(given) if what == "options" else named_items(given)
    missing = next((str(each.text) for each in saved if each.data is None), None)
    if missing is not None:
        write = "options" if what == "options" else f"{what}=..."
        raise ValueError(
            f"{where} has only the names of its {what}, such as {shorten(missing)!r}: "
            f"write Selector.open({str(where)!r}, {write})"
        )
    return [(str(each.text), each.data[0]) for each in saved]


def check_options(
    entries: list[tuple[str, Any]], costs: list[float], saved: list[Event], size: int, removed: set[str]
) -> None:
    """Refuse options other than those of the log; removed ones, and later ones that the log holds, may be left out."""
    known = {str(each.text): each for each in saved}
    for (name, option), cost in zip(entries, costs, strict=True):
        if name not in known:
            raise ValueError(
                f"the store has no option {name!r}: open it with the options it has and write add_option({name!r}), "
                "or write another store"
            )
        each = known.pop(name)
        refuse_other(name, option, each.data)
        if (has := float(each.value or 1.0)) != cost:
            raise ValueError(f"the store has {name!r} at a cost of {has:g}, this is {cost:g}: write what it has")
    for name, each in known.items():
        if name not in removed and ((each.option or 0) < size or each.data is None):
            raise ValueError(f"the store has the option {name!r}, which is not among those given: write it too")


def refuse_other(name: str, option: Any, data: list[Any] | None) -> None:
    """Refuse an option that differs from the earlier one of this name."""
    now = kept("an option", option)
    if now != data:
        raise ValueError(
            f"the selection has {name!r} as {in_words(data)}, this is {in_words(now, option)}: give it another name"
        )


def check_items(given: list[tuple[str, Any]], saved: list[Event]) -> None:
    """Refuse a test set other than the log's."""
    if len(given) != len(saved):
        raise ValueError(
            f"the store has {len(saved):,} items, this is {len(given):,}: write the same, or another store"
        )
    for known in saved:
        number, had = known.option or 0, shorten(str(known.text))
        if [name for name, _ in given[number : number + 1]] != [known.text]:
            raise ValueError(f"item {number} of the store is {had!r}, this has another there: write the same items")
        item = given[number][1]
        now = kept("an item", item)
        if known.data != now:
            raise ValueError(
                f"the store has the item {had!r} as {in_words(known.data)}, this is {in_words(now, item)}: "
                "write the same items, or another store"
            )


def in_words(data: list[Any] | None, given: Any = None) -> str:
    if data is not None:
        return shorten(repr(data[0]))
    return "an object" if given is None else shorten(repr(given))
