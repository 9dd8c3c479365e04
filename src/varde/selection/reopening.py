"""Whether a log is that of the program that opens it: the same options, costs and items."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .checks import named, named_items, shorten
from .events import kept
from .ledger import Ledger

Saved = list[Any] | None  # [an object in plain types], or None if it cannot be kept


def given_or_saved(where: Any, saved: Iterable[tuple[str, Saved]], given: Any, what: str) -> list[tuple[str, Any]]:
    """(name, object) of options or items as given, or else as the log has them."""
    if given is not None:
        return named(given) if what == "options" else named_items(given)
    entries: list[tuple[str, Any]] = []
    for name, data in saved:
        if data is None:
            write = "options" if what == "options" else f"{what}=..."
            raise ValueError(
                f"{where} has only the names of its {what}, such as {shorten(name)!r}: "
                f"write Selector.open({str(where)!r}, {write})"
            )
        entries.append((name, data[0]))
    return entries


def check_options(entries: list[tuple[str, Any]], costs: list[float], ledger: Ledger) -> None:
    """Refuse options other than those of the log; removed ones, and later ones that the log holds, may be left out."""
    for (name, option), cost in zip(entries, costs, strict=True):
        i = ledger.numbers.get(name)
        if i is None:
            raise ValueError(
                f"the store has no option {name!r}: open it with the options it has and write add_option({name!r}), "
                "or write another store"
            )
        refuse_other(name, option, ledger.saved(i))
        if (has := ledger.costs[i]) != cost:
            raise ValueError(f"the store has {name!r} at a cost of {has:g}, this is {cost:g}: write what it has")
    there = {name for name, _ in entries}
    for i, name in enumerate(ledger.names):
        needed = i not in ledger.removed and (i < ledger.settings.size or ledger.saved(i) is None)
        if needed and name not in there:
            raise ValueError(f"the store has the option {name!r}, which is not among those given: write it too")


def check_items(given: list[tuple[str, Any]], ledger: Ledger) -> None:
    """Refuse a test set other than the log's."""
    if len(given) != len(ledger.tests):
        raise ValueError(
            f"the store has {len(ledger.tests):,} items, this is {len(given):,}: write the same, or another store"
        )
    for number, name, saved in ledger.tests:
        other, item = given[number]
        if other != name:
            had = shorten(name)
            raise ValueError(f"item {number} of the store is {had!r}, this has another there: write the same items")
        refuse_other(name, item, saved)


def refuse_other(name: str, given: Any, saved: Saved) -> None:
    """Refuse an option or item that differs from the earlier one of this name."""
    if (now := kept(f"{name!r}", given)) != saved:
        had, has = ("an object" if each is None else shorten(repr(each[0])) for each in (saved, now))
        words = f"the selection has {shorten(name)!r} as {had}, this is {has}"
        raise ValueError(f"{words}: write the same, or give it another name")
