"""The settings of a selection as options of the commands: one record."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from ..check import decimal
from ..selection.address import Address, is_address
from .app import refuse

if TYPE_CHECKING:
    from ..selection import Selector, Stop
    from ..selection.goals import Goal

    Place = Any
    Settings = Any
else:
    Place, Settings = type("file or address", (), {}), type("settings", (), {})  # help texts show the name of a type


def read_calls(text: str) -> dict[str, Any]:
    """Settings of ``varde.Calls``: timeout=30,per-second=5."""
    from ..selection.calls import Calls

    found: dict[str, Any] = {}
    known = [field.name for field in fields(Calls) if field.name != "bounds"]  # which is no number
    for part in text.split(","):
        name, _, number = (word.strip() for word in part.partition("="))
        name = name.replace("-", "_")
        if name not in known:
            refuse(f"--calls has {part.strip()!r}: write NAME=NUMBER, with {', '.join(known)}")
        value = decimal(number)
        found[name] = number if value is None else int(value) if value == int(value) else value  # Calls refuses a text
    ready(lambda: Calls(**found))
    return found


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


def check_page(option: str, page: Path | None) -> None:
    """Refuse a file that cannot be written, before any work is done."""
    place = page and (page if page.exists() else page.parent)
    if place is not None and ((place == page and place.is_dir()) or not os.access(place, os.W_OK)):
        refuse(f"cannot write {page}: write {option} with a file you may write to")


Page = Annotated[Path | None, typer.Option("--html", help="write a page with the estimates and how sure they are")]
AsJson = Annotated[bool, typer.Option("--json", help="the selection as JSON on standard output, and no live table")]
File = Annotated[
    Place,
    typer.Argument(
        parser=place, metavar="FILE", help="the selection: a file or postgresql://...; --options make a new one"
    ),
]
Calls = Annotated[
    Settings | None,
    typer.Option(
        parser=read_calls,
        metavar="NAME=NUMBER,...",
        help="timeout, per_second, ordered; of failures retries, backoff, patience; of draws not answered expire",
    ),
]
TEST_SET = "a fixed test set, each option is judged on each item once: a file as for --options"
BUDGET = "number of evaluations; if they have costs, what they may cost in total"
GOALS = "max, min, top:5, quantile:0.95, best:NAME"
LIMIT = "with --goal best:NAME, what else must hold: 'latency <= 200'; any number of times"
option = typer.Option


@dataclass(frozen=True)
class Wanted:
    """A selection as a command line describes it; every field is an option of the commands that take it."""

    options: Annotated[
        str | None, option(metavar="A,B,...|FILE", help="a,b,c or a file: CSV, TSV, JSON, or one per line")
    ] = None
    items: Annotated[str | None, option(metavar="FILE", help=TEST_SET)] = None
    budget: Annotated[float | None, option(help=BUDGET)] = None
    minimise: Annotated[bool, option("--min", help="smaller is better")] = False
    goal: Annotated[str | None, option(metavar="GOAL", help=GOALS, show_default="max")] = None
    limits: Annotated[list[str] | None, option("--limit", metavar="LIMIT", help=LIMIT)] = None
    seed: Annotated[int | None, option(help="seed from which all others are drawn", show_default="0")] = None
    crn: Annotated[bool, option("--crn", help="common random numbers: replicate r has one seed for all options")] = (
        False
    )
    alike: Annotated[bool, option("--alike", help="options with similar columns give similar results")] = False
    calls: Calls = None
    stop: Annotated[float | None, option(help="end early, wrong with at most this probability")] = None
    margin: Annotated[float, option(help="with --stop: a difference that does not matter to you")] = 0.0

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

    def given(self) -> dict[str, Any]:
        """The settings given on the command line."""
        from ..selection import Calls

        said: dict[str, Any] = {"goal": self.question(), "crn": self.crn or None, "seed": self.seed}
        said |= {"alike": self.alike or None, "calls": Calls(**self.calls) if self.calls else None}
        said["stop"] = stop_of(self.stop, self.margin)
        return {name: value for name, value in said.items() if value is not None}

    def question(self) -> Goal | None:
        """The goal, if it is given on the command line."""
        from ..selection.goals.text import read_goal

        if self.goal is None and not self.limits:
            return read_goal("min") if self.minimise else None
        return read_goal(self.goal or "max", self.limits or (), self.minimise)

    def selector(self, options: dict[str, Any], store: Path | Address | None, costs: Any = None) -> Selector:
        """A new selection, or the one in ``store`` if it is the same."""
        from ..selection import Selector
        from ..selection.option_lists import plain

        given, named = self.given(), plain(options)
        if self.alike and any(isinstance(each, dict) and len(each) > 1 for each in named.values()):  # not by its name
            given["alike"] = {
                name: {key: value for key, value in each.items() if key != "option"} for name, each in named.items()
            }
        return Selector(named, self.budget, costs=costs, items=self.tests(), store=store, **given)

    def opened(self, file: Path | Address) -> Selector:
        """The selection in ``file``, created from ``options`` if they are given.

        It has the settings it was made with: others are refused, more budget is added.
        """
        from ..selection import Selector

        if self.options is not None:
            return self.selector(self.listed(), file)
        if isinstance(file, Path) and not file.is_file():
            raise ValueError(f"{file} does not exist: write --options to begin a selection")
        flags = {
            "goal": "--goal" if self.goal else "--min",
            "crn": "--crn",
            "alike": "--alike",
            "seed": f"--seed {self.seed}",
        }
        given = self.given()
        fixed = {name: given.pop(name) for name in flags if name in given}
        if fixed:  # before anything is written
            with Selector.open(file) as selector:
                has = selector.settings
            for name, value in fixed.items():
                if getattr(has, name) != value:
                    shown = repr(has.goal.shown if name == "goal" else getattr(has, name))
                    raise ValueError(
                        f"{file} was made with {name}={shown}: leave {flags[name]} out, or write another file"
                    )
        return Selector.open(file, items=self.tests(), budget=self.budget, **given)


def takes(names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command with these settings as options; it gets them as one record, ``wanted``."""
    hints = get_type_hints(Wanted, include_extras=True)
    chosen = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=getattr(Wanted, name), annotation=hints[name])
        for name in names.split()
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def call(**given: Any) -> None:
            wanted = Wanted(**{each.name: given.pop(each.name) for each in chosen})
            command(wanted=wanted, **given)

        own = inspect.signature(command, eval_str=True).parameters.values()
        every = [other for each in own for other in (chosen if each.name == "wanted" else [each])]
        every = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in every]
        call.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
        call.__annotations__ = {each.name: each.annotation for each in every}
        return call

    return decorate
