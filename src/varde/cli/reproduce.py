"""``varde list`` and ``varde reproduce``: the tables and figures of the paper."""

from __future__ import annotations

import difflib
import sys
import time
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from .. import __version__
from .._files import make_writable
from .app import app, out, refuse
from .progress import Progress

if TYPE_CHECKING:
    from ..experiments.study import Row, Study


@app.command("list")
def list_studies() -> None:
    """The studies that ``varde reproduce`` knows."""
    from ..experiments import GROUPS, STUDIES

    grid = Table.grid(padding=(0, 2))
    for name, make in STUDIES.items():
        study = make()
        grid.add_row(name, f"{study.title}; {len(study.cells)} cells, {study.runs:,} runs")
    for name, members in GROUPS.items():
        grid.add_row(name, f"all of {', '.join(members)}")
    out().print(grid, highlight=False)


@app.command()
def reproduce(
    names: Annotated[list[str], typer.Argument(help="studies or groups; `varde list` names them")],
    runs: Annotated[int | None, typer.Option(help="runs per cell [default: the paper's]")] = None,
    seed: Annotated[int, typer.Option(help="of every random stream")] = 0,
    threads: Annotated[int | None, typer.Option(help="[default: one per core]")] = None,
    folder: Annotated[Path, typer.Option("--out", help="where results files and figures go")] = Path("results"),
    fair: Annotated[bool, typer.Option("--fair", help="also Table 1 on equal terms, and what changes")] = False,
    auto: Annotated[bool, typer.Option("--with-auto", help="Table 1 with the rule that has nothing to tune")] = False,
    graph: Annotated[
        bool | None, typer.Option("--graph/--tree", help="tree search with shared transpositions, or without [both]")
    ] = None,
) -> None:
    """Regenerate tables and figures of the paper, published and measured side by side."""
    from ..bandits.identify import workers
    from ..experiments import GROUPS, STUDIES, table_1_fair
    from ..experiments.planning_cells import only
    from ..experiments.table_1 import what_changes, with_auto

    chosen = [STUDIES[name]() for name in resolve(names, list(STUDIES), GROUPS)]
    for flag, wanted in (("--fair", fair), ("--with-auto", auto)):
        if wanted and not any(study.name == "table-1" for study in chosen):
            refuse(
                f"{flag} is about Table 1, which is not among {', '.join(names)}: write varde reproduce table-1 {flag}"
            )
    if auto:
        chosen = [with_auto(study) if study.name == "table-1" else study for study in chosen]
    if fair:
        chosen.append(table_1_fair())
    if graph is not None:
        strangers = [study.name for study in chosen if study.name not in GROUPS["mcts"]]
        if strangers:
            refuse(f"--graph and --tree are about tree search, not {', '.join(strangers)}: write varde reproduce mcts")
        chosen = [only(study, graph) for study in chosen]
    for what, given in (("--runs", runs), ("--threads", threads)):
        if given is not None and given < 1:
            refuse(f"{what} is {given}: write 1 or more")
    make_folder(folder)
    rows = {}
    pool = workers(threads)
    try:
        for study in chosen:
            began = time.perf_counter()
            rows[study.name] = measure(study, runs or study.runs, seed, pool, folder)
            present(study, rows[study.name], time.perf_counter() - began, folder)
    except KeyboardInterrupt:
        finished = ", ".join(rows) or "none"
        print(f"\nvarde: stopped; finished and kept in {folder}: {finished}", file=sys.stderr)
        raise typer.Exit(130) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    if fair:
        from ..experiments.output import bullets

        out().print("What fair terms change in Table 1 (beyond three standard errors):", highlight=False)
        bullets(out(), what_changes(rows["table-1"], rows["table-1-fair"]))


def measure(study: Study, runs: int, seed: int, pool: Executor, folder: Path) -> list[Row]:
    """Measure one study and keep its numbers."""
    from ..experiments.output import as_json, write
    from ..experiments.study import num_blocks, run

    with Progress(study.name, num_blocks(study, runs)) as progress:
        rows = run(study, runs, seed, pool, progress.tick)
    write(folder / f"{study.name}.json", as_json(study, rows, seed, __version__))
    return rows


def present(study: Study, rows: list[Row], seconds: float, folder: Path) -> None:
    """Show the numbers, draw the figure."""
    from ..experiments.output import show

    show(out(), study, rows, seconds)
    written = [f"{study.name}.json"]
    if study.draw is not None:
        written += draw(study, rows, folder)
    out().print(f"Written to {folder}: {', '.join(written)}\n", highlight=False, soft_wrap=True)


def draw(study: Study, rows: list[Row], folder: Path) -> list[str]:
    """The study's figure as PNG and SVG, where matplotlib is installed."""
    from ..experiments.figures import save

    assert study.draw is not None
    try:
        figure = study.draw(rows, study.title)
    except ModuleNotFoundError as missing:
        if missing.name != "matplotlib":
            raise
        print("varde: no figure, matplotlib is missing: pip install 'varde[plot]'", file=sys.stderr)
        return []
    return [path.name for path in save(figure, folder / study.name)]


def resolve(names: list[str], known: list[str], groups: dict[str, tuple[str, ...]]) -> list[str]:
    """Names of studies, groups opened, each once."""
    chosen: list[str] = []
    for name in names:
        if name not in known and name not in groups:
            near = difflib.get_close_matches(name, [*known, *groups], 1)
            hint = f"did you mean {near[0]}?" if near else f"write one of {', '.join([*known, *groups])}"
            refuse(f"there is no study {name!r}: {hint}")
        chosen += groups.get(name, (name,))
    return list(dict.fromkeys(chosen))


def make_folder(folder: Path) -> None:
    """Find out before hours of work, not after, whether results can be written."""
    try:
        make_writable(folder)
    except OSError as error:
        refuse(f"cannot write to {folder} ({error.strerror}): write --out with a folder of yours")
