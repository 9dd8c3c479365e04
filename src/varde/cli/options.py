"""What the commands about a selection have in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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


def selector_for(
    file: Path,
    options: str | None,
    budget: float | None,
    minimise: bool,
    seed: int,
    crn: bool,
    retries: int,
    expire: float | None,
) -> Selector:
    """The selection in ``file``, which is made from ``options`` unless it exists."""
    from ..selection import Selector
    from ..selection.listing import plain, read_options

    if options is None:
        if not file.is_file():
            raise ValueError(f"{file} does not exist: write --options to begin a selection")
        return Selector.open(file, expire=expire)
    return Selector(
        plain(read_options(options)),
        budget,
        goal="min" if minimise else "max",
        seed=seed,
        crn=crn,
        store=file,
        retries=retries,
        expire=expire,
    )
