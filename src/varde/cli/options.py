"""Options that the commands about a selection share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ..check import decimal
from ..selection.address import Address, is_address
from .app import refuse

if TYPE_CHECKING:
    from ..selection import Selector, Stop
    from ..selection.goals import Goal

Listed = Annotated[
    str | None,
    typer.Option("--options", metavar="A,B,...|FILE", help="a,b,c or a file: CSV, TSV, JSON, or one per line"),
]
Items = Annotated[
    str | None,
    typer.Option(
        "--items",
        metavar="FILE",
        help="a fixed test set, each option is judged on each item once: a file as for --options",
    ),
]
Budget = Annotated[
    float | None, typer.Option(help="number of evaluations; if they have costs, what they may cost in total")
]
Minimise = Annotated[bool, typer.Option("--min", help="smaller is better")]
Question = Annotated[
    str | None,
    typer.Option(
        "--goal",
        metavar="GOAL",
        help="max, min, top:5, above:0.8, below:3, quantile:0.95, best:NAME",
        show_default="max",
    ),
]
Limits = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="LIMIT",
        help="with --goal best:NAME, what else must hold: 'latency <= 200'; any number of times",
    ),
]
Seed = Annotated[int | None, typer.Option("--seed", help="seed from which all others are drawn", show_default="0")]
Crn = Annotated[bool, typer.Option("--crn", help="common random numbers: replicate r has one seed for all options")]
if TYPE_CHECKING:
    Place = Any
    Settings = Any
else:
    Place, Settings = type("file or address", (), {}), type("settings", (), {})  # help texts show the name of a type


def read_calls(text: str) -> dict[str, Any]:
    """Settings of ``varde.Calls``: timeout=30,per-second=5."""
    from ..selection.calls import Calls

    found: dict[str, Any] = {}
    known = [field.name for field in fields(Calls)]
    for part in text.split(","):
        name, _, number = (word.strip() for word in part.partition("="))
        name = name.replace("-", "_")
        if name not in known:
            refuse(f"--calls has {part.strip()!r}: write NAME=NUMBER, with {', '.join(known)}")
        found[name] = number if (value := decimal(number)) is None else value  # which Calls refuses
    ready(lambda: Calls(**found))
    return found


Called = Annotated[
    Settings | None,
    typer.Option(
        "--calls",
        parser=read_calls,
        metavar="NAME=NUMBER,...",
        help="timeout (seconds), per_second, and for failures retries, backoff and patience (seconds)",
    ),
]


def place(text: str) -> Path | Address:
    """A file, or the address of a database, which is shown without its password."""
    found: Path | Address = ready(Address, text) if is_address(text) else Path(text)
    return found


def ready(make: Callable[..., Any], *given: Any) -> Any:
    """The result of ``make``, or its error as a usage error."""
    try:
        return make(*given)
    except (TypeError, ValueError, RuntimeError, OSError, ImportError) as error:
        refuse(str(error))


def stop_of(delta: float | None, margin: float) -> Stop | None:
    """The stopping rule of --stop and --margin."""
    from ..certainty.stopping import check_delta
    from ..selection import Stop

    if delta is None and margin:
        raise ValueError(f"--margin {margin:g} is of no use without --stop: write --stop 0.05 too")
    return None if delta is None else Stop(check_delta("stop", delta), margin)


class Wanted(NamedTuple):
    """A selection as a command line describes it."""

    options: str | None
    budget: float | None
    minimise: bool = False
    seed: int | None = None
    crn: bool = False
    calls: dict[str, Any] | None = None
    items: str | None = None
    goal: str | None = None
    limits: Sequence[str] = ()

    def tests(self) -> dict[str, Any] | None:
        """The items of a fixed test set, if there is one."""
        from ..selection.option_lists import plain, read_options

        return None if self.items is None else plain(read_options(self.items, "item"))

    def listed(self) -> dict[str, Any]:
        from ..selection.option_lists import TABLES, read_options

        text = self.options or ""
        options = read_options(text)
        if len(options) < 2:
            which = f", {next(iter(options))!r}," if options else ""
            where = f"{text} has" if Path(text).is_file() else f"--options {text!r} is not a file and has"
            columns = ", below a line with the names of the columns" * text.endswith(TABLES)
            raise ValueError(f"{where} {len(options)} option(s){which} to choose from: write two or more{columns}")
        return options

    def selector(self, options: dict[str, Any], store: Path | Address | None, **further: Any) -> Selector:
        """A new selection, or the one in ``store`` if it is the same."""
        from ..selection import Selector
        from ..selection.option_lists import plain

        how = {"crn": self.crn, **self.given(), **further}
        return Selector(plain(options), self.budget, items=self.tests(), store=store, **how)

    def given(self) -> dict[str, Any]:
        """The settings given on the command line."""
        from ..selection import Calls

        said: dict[str, Any] = {"goal": self.question(), "crn": self.crn or None}
        said |= {"seed": self.seed, "calls": None if self.calls is None else Calls(**self.calls)}
        return {name: value for name, value in said.items() if value is not None}

    def question(self) -> Goal | None:
        """The goal, if it is given on the command line."""
        from ..selection.goals.text import read_goal

        if self.goal is None and not self.limits:
            return read_goal("min") if self.minimise else None
        return read_goal(self.goal or "max", self.limits, self.minimise)

    def opened(self, file: Path | Address, **further: Any) -> Selector:
        """The selection in ``file``, with the settings it has: others are refused, more budget is added."""
        from ..selection import Selector

        flags = {"goal": "--goal" if self.goal else "--min", "crn": "--crn", "seed": f"--seed {self.seed}"}
        said = {name: value for name, value in self.given().items() if name in flags}
        if said:  # before anything is written
            with Selector.open(file) as selector:
                has = selector.settings
            for name, value in said.items():
                if getattr(has, name) != value:
                    flag = flags[name]
                    shown = repr(has.goal.shown if name == "goal" else getattr(has, name))
                    raise ValueError(f"{file} was made with {name}={shown}: leave {flag} out, or write another file")
        further |= {name: value for name, value in self.given().items() if name == "calls"}
        return Selector.open(file, items=self.tests(), budget=self.budget, **further)
