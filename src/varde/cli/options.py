"""What the commands about a selection have in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from .app import refuse

if TYPE_CHECKING:
    from ..selection import Selector

Listed = Annotated[str | None, typer.Option("--options", help="a,b,c or a file: CSV, TSV, JSON, or one per line")]
Budget = Annotated[float | None, typer.Option(help="how many results to pay for; with --cost, what they may cost")]
Minimise = Annotated[bool, typer.Option("--min", help="smaller is better")]
Seed = Annotated[int, typer.Option("--seed", help="the seed of all seeds")]
Crn = Annotated[bool, typer.Option("--crn", help="common random numbers: replicate r has one seed for all options")]
Retries = Annotated[int, typer.Option(help="failures in a row, after a first, until an option is left out")]


def ready(make: Callable[..., Any], *given: Any) -> Any:
    """What ``make`` makes, or its objection as a usage error."""
    try:
        return make(*given)
    except (TypeError, ValueError, RuntimeError, OSError) as error:
        refuse(str(error))


class Wanted(NamedTuple):
    """A selection as a command line describes it."""

    options: str | None
    budget: float | None
    minimise: bool = False
    seed: int = 0
    crn: bool = False
    retries: int = 2

    def listed(self) -> dict[str, Any]:
        from ..selection.listing import read_options

        return read_options(self.options or "")

    def selector(self, options: dict[str, Any], store: Path | None, **further: Any) -> Selector:
        """A new selection, or the one in ``store`` if it is the same."""
        from ..selection import Selector
        from ..selection.listing import plain

        goal: Any = "min" if self.minimise else "max"
        how = {"goal": goal, "seed": self.seed, "crn": self.crn, "retries": self.retries}
        return Selector(plain(options), self.budget, store=store, **how, **further)
