"""``varde aggregate``: all problems of a study in one number per algorithm."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .._table import Sheet
from .app import STUDIES, app, out, refuse

if TYPE_CHECKING:
    from ..studies.rows import Rows


@app.command(rich_help_panel=STUDIES)
def aggregate(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="a study that varde reproduce has measured")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="the folder of its results")] = Path("results"),
    against: Annotated[
        str | None, typer.Option(metavar="ALGORITHM", help="an algorithm to compare the others with")
    ] = None,
) -> None:
    """Sum up a study: the interquartile mean of each algorithm over all runs and problems, at the last step.

    With --against, also the probability that a run is above one of that algorithm. Values of different problems should
    be comparable: scores, regrets, shares.
    """
    from ..studies.aggregates import improvement, of_problems, scores_of

    rows = runs_in(folder, study)
    problems = list(dict.fromkeys(problem for problem, _ in rows.runs))
    names = [
        name for name in dict.fromkeys(name for _, name in rows.runs) if all((p, name) in rows.runs for p in problems)
    ]
    if against is not None and against not in names:
        refuse(f"--against is {against!r}: write one of {', '.join(names)}")
    scores = {name: scores_of(rows, name) for name in names}
    if min(len(some) for by in scores.values() for some in by.values()) < 2:
        refuse(f"{study} has one run, which has no error: run varde reproduce {study} with more --runs")
    lines = []
    for name in names:
        found = of_problems(scores[name])
        line = [name, f"{found.value:.4g}", f"{found.low:.4g} … {found.high:.4g}"]
        if against is not None and name != against:
            better = improvement(scores[name], scores[against])
            line += [f"{better.value:.2f}", f"{better.low:.2f} … {better.high:.2f}"]
        lines.append(line)
    head = ["", "interquartile mean", "95 % interval"] + (
        [f"P(above {against})", "95 % interval"] if against is not None else []
    )
    counted = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    out().print(f"{study}, {counted}: {', '.join(problems)}", highlight=False)
    out().print(Sheet(head, lines).rich())


def runs_in(folder: Path, study: str) -> Rows:
    """The runs of a study's last result; a usage error where there are none."""
    from functools import partial

    from .._files import StoreError
    from ..studies.rows import Rows
    from ..studies.store import NAME, Blocks

    if not (folder / NAME).exists():
        refuse(f"there is no {folder / NAME}: write the folder that varde reproduce wrote to")
    found = {}
    try:
        with Blocks(folder / NAME, read_only=True) as store:
            cells = store.cells()
            for cell in (cell for cell in cells if cell.study == study):
                values = store.values(cell)
                if values is None:
                    refuse(f"{study} is not complete in {folder}: run varde reproduce {study} --out {folder} again")
                for i, name in enumerate(cell.names):
                    found[cell.problem, name] = partial(
                        values.__getitem__, (slice(None), slice(i, None, len(cell.names)))
                    )
    except StoreError as error:
        refuse(str(error))
    if not found:
        known = ", ".join(dict.fromkeys(cell.study for cell in cells)) or "none"
        refuse(f"there is no result of {study!r} in {folder}: there is {known}")
    return Rows([], found)
