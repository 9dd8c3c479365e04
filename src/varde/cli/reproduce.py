"""``varde list`` and ``varde reproduce``: the tables and figures of the paper, and your own studies."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from .._files import make_writable
from ..show.sheet import Sheet
from .app import STUDIES as PANEL
from .app import app, out, refuse
from .choose import choose, read_own
from .present import Presenter
from .progress import Progress
from .tracebacks import show_own

if TYPE_CHECKING:
    from ..studies.running import Plan
    from ..studies.study import Study


@app.command("list", rich_help_panel=PANEL)
def list_studies(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE.py", help="files of your own: what is in them")
    ] = None,
) -> None:
    """List the studies of the paper, or those in files of your own, by part of the paper."""
    from ..paper import GROUPS, PARTS, PLACES, STUDIES

    if files:
        for file in files:
            if not file.endswith(".py"):
                refuse(f"{file} is not a file of studies: write varde list FILE.py, or varde list alone")
            list_part("Studies", list(read_own(file)[1].values()))
        return
    for part, names in PARTS.items():
        list_part(part, [STUDIES[name]() for name in names])
    for heading, groups in (("In the paper", PLACES), ("Groups", GROUPS)):
        out().print(Text(heading, "bold"))
        out().print(Sheet(["", ""], [[name, ", ".join(some)] for name, some in groups.items()], "", left=(0, 1)).rich())


def list_part(heading: str, studies: list[Study]) -> None:
    """The studies of one part of the paper, or of a file."""
    lines = []
    for study in studies:
        cells = f"{len(study.cells)} cell{'s' * (len(study.cells) > 1)}"
        lines.append([study.name, f"{study.title}; {cells}, {study.runs:,} runs"])
    out().print(Text(heading, "bold"))
    out().print(Sheet(["", ""], lines, left=(0, 1)).rich())


def known(incomplete: str) -> list[str]:
    """The names to complete in a shell."""
    from ..paper import GROUPS, PLACES, STUDIES

    return [name for name in (*STUDIES, *GROUPS, *PLACES) if name.casefold().startswith(incomplete.casefold())]


@app.command(rich_help_panel=PANEL)
def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="STUDY",
            help='studies, groups or "figure 3", as varde list shows them; or your own: FILE.py, or FILE.py:STUDY',
            autocompletion=known,
        ),
    ],
    runs: Annotated[int | None, typer.Option(help="runs per cell", show_default="the paper's")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="fewer runs: a first look in a minute or two")] = False,
    seed: Annotated[int, typer.Option(help="seed of every random stream")] = 0,
    workers: Annotated[int | None, typer.Option(help="blocks measured at once", show_default="one per core")] = None,
    processes: Annotated[
        bool,
        typer.Option(
            "--processes/--threads",
            help="measure in processes (for plain Python), or in threads",
        ),
    ] = False,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="a Dask cluster: tcp://HOST:PORT, or local")
    ] = None,
    folder: Annotated[Path, typer.Option("--out", help="where results files and figures go")] = Path("results"),
    quiet: Annotated[bool, typer.Option("--quiet", help="print nothing but errors")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print a line of JSON for each finished study")] = False,
) -> None:
    """Regenerate tables and figures of the paper, published and measured side by side.

    Results are stored block by block: after an interruption the same command continues.
    """
    from ..studies import running
    from ..studies.store import NAME, Blocks

    chosen = choose(names)
    for what, given in (("--runs", runs), ("--workers", workers)):
        if given is not None and given < 1:
            refuse(f"{what} is {given}: write 1 or more")
    if runs is not None and quick:
        refuse("--quick chooses the runs and --runs names them: write one of the two")
    if processes and cluster is not None:
        refuse("--processes and --cluster exclude each other: write one of them")
    if workers is not None and cluster not in (None, running.LOCAL):
        refuse(f"--workers is {workers}, but {cluster} has workers of its own: leave --workers out")
    make_folder(folder)
    plans: list[Plan] = []
    with answering(plans, folder), Blocks(folder / NAME) as store:
        for study, source in chosen:
            measured, wanted = running.quick(study) if quick else (study, runs or study.runs)
            plans.append(running.plan(measured, wanted, seed, store, source))
        # As many runs as a study of ours has, also with --quick, take longer in Python than compiling does.
        engine = "compiled" if runs is None and all(plan.source is None for plan in plans) else "auto"
        backend = running.CLUSTER if cluster else running.PROCESSES if processes else running.THREADS
        where = running.cluster_at(cluster, workers) if cluster else nullcontext()
        with where, Progress(plans, quiet) as bars:
            show = Presenter(folder, store, quiet, as_json)
            for plan in running.complete(plans, backend, workers, store, bars.tick, engine):
                with bars.paused():
                    show.finished(plan)
    show.report()
    show.exit_if_failed()


@contextmanager
def answering(plans: list[Plan], folder: Path) -> Iterator[None]:
    """Say what stopped the work, and how to go on."""
    from .._files import StoreError
    from ..studies.measuring import WorkerError
    from ..studies.running import ClusterError, MeasureError

    try:
        yield
    except KeyboardInterrupt:
        print(f"\nvarde: stopped; {kept(plans, folder)}", file=sys.stderr)
        leave(130)  # blocks at work would take their time
    except ClusterError as error:
        refuse(str(error))
    except (StoreError, WorkerError) as error:
        print(f"varde: {error}", file=sys.stderr)
        leave(1)
    except OSError as error:  # a results file that cannot be written
        print(f"varde: {error}\nvarde: {kept(plans, folder)}", file=sys.stderr)
        leave(1)
    except MeasureError as error:
        show_own(error.__cause__ or error)
        print(f"varde: {error}\nvarde: {kept(plans, folder)}", file=sys.stderr)
        leave(1)
    except RuntimeError as error:  # joblib's, of a worker process that was killed
        reason = "a worker was killed, perhaps for want of memory (fewer --workers need less)"
        print(f"varde: {reason}: {type(error).__name__}\nvarde: {kept(plans, folder)}", file=sys.stderr)
        leave(1)


def kept(plans: list[Plan], folder: Path) -> str:
    done, total = sum(len(plan.done) for plan in plans), sum(len(plan.portions) for plan in plans)
    finished = ", ".join(plan.study.name for plan in plans if len(plan.done) == len(plan.portions)) or "none"
    return (
        f"{folder} keeps {done:,} of {total:,} blocks (studies finished: {finished}): "
        "run the same command again to continue"
    )


def leave(code: int) -> None:
    """End at once: everything is kept, and nothing that still runs is needed."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def make_folder(folder: Path) -> None:
    """Find out before hours of work, not after, whether results can be written."""
    try:
        make_writable(folder)
    except OSError as error:
        refuse(f"cannot write to {folder} ({error.strerror}): write --out with a folder of yours")
