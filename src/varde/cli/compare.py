"""``varde compare``: what changed between two folders of results."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from ..show.sheet import Sheet
from .app import STUDIES, app, out, refuse

if TYPE_CHECKING:
    from ..studies.compare import Change, Comparison, Side


@app.command(rich_help_panel=STUDIES)
def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="a folder of results, or one results file")],
    b: Annotated[Path, typer.Argument(metavar="B", help="another")],
    top: Annotated[int, typer.Option(help="how many of the largest differences to show")] = 20,
    tolerance: Annotated[
        float, typer.Option(help="with the same seed: relative difference up to which values are equal")
    ] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="everything as JSON on standard output")] = False,
) -> None:
    """Say what changed from A to B.

    Exits with code 0 if nothing changed beyond chance, 1 if something did.
    """
    from ..studies.compare import compare as compared
    from ..studies.compare import load_side
    from ..studies.results import NoResultsError

    if top < 0:
        refuse(f"--top is {top}: write 0 or more")
    if not 0.0 <= tolerance < 1.0:
        refuse(f"--tolerance is {tolerance:g}: write a share of the values, 0 or more and below 1")
    try:
        before, after = load_side(a), load_side(b)
    except NoResultsError as error:
        refuse(str(error))
    found = compared(before, after, tolerance)
    if as_json:
        print(json.dumps(as_data(found, before, after), indent=1))
    else:
        tell(found, before, after, top)
    raise typer.Exit(int(found.changed))


def tell(found: Comparison, before: Side, after: Side, top: int) -> None:
    console = out()
    for line in words(found, before, after):
        console.print(Text(line))
    if found.cells and top:
        lines = [line_of(change) for change in found.cells[:top]]
        console.print(Sheet(["", "A", "B", "runs", "p", ""], lines, left=(0, 5)).rich())
        if len(found.cells) > top:
            console.print(f"and {len(found.cells) - top:,} more: --top shows more, --json all", highlight=False)


def line_of(change: Change) -> list[str]:
    study, problem, algorithm, step = change.key
    return [
        f"{study}: {problem}, {algorithm}, step {step:,}",
        f"{change.a.value:.4g}",
        f"{change.b.value:.4g}",
        f"{change.a.runs:,}" if change.a.runs == change.b.runs else f"{change.a.runs:,}, {change.b.runs:,}",
        "" if math.isnan(change.p) else f"{change.p:.2g}",
        f"{change.word}{': ' if change.differ else ''}{change.differ}",
    ]


def words(found: Comparison, before: Side, after: Side) -> list[str]:
    """What a person wants to know first."""
    from ..studies.compare import CHANGED, FEW, WELCH
    from ..studies.judging.changes import FEWEST

    lines = []
    seeds = [name for name in before.seeds if after.seeds.get(name) == before.seeds[name]]
    if seeds and len(seeds) < len(set(before.seeds) | set(after.seeds)):
        lines.append(f"Same seed, so the same random numbers: {', '.join(seeds)}.")
    elif seeds:
        lines.append("Same seed, so the same random numbers.")
    if other := made_otherwise(before, after):
        lines.append(f"Made with another {'; '.join(other)}.")
    if seeds or found.identical:
        shared = sum(before.rows[key].runs != after.rows[key].runs for key in before.rows if key in after.rows)
        shared_words = " in the runs that both sides have" if shared else ""
        lines.append(f"{found.identical:,} number{' is' if found.identical == 1 else 's are'} identical{shared_words}.")
    certain = sum(change.differ != "" for change in found.cells)
    if certain:
        lines.append(
            f"{rows(certain)} differ{'s' * (certain == 1)} though seed and settings are the same: this is not chance, "
            "the program or the machine is another one."
        )
    tested = [change for change in found.cells if not change.differ and change.word != FEW]
    if tested:
        beyond = sum(change.word == CHANGED for change in tested)
        lines.append(
            f"{rows(len(tested))} compared across different random numbers: {beyond or 'none'} changed (one test of "
            "all of them: if nothing changed, it raises an alarm in 5 % of comparisons)."
        )
    for study, (low, high) in found.visible().items():
        unit = " points" if study in before.shares else ""
        sizes = f"{low:.2g}{unit}" if f"{low:.2g}" == f"{high:.2g}" else f"{low:.2g} to {high:.2g}{unit}"
        lines.append(
            f"{study}: a change of {sizes} in a row's last number would have been seen with 80 % probability; smaller "
            "ones may be there."
        )
    if found.counted(FEW):
        lines.append(
            f"{rows(found.counted(FEW))}: too few runs to tell a change from chance ({FEWEST} a side with the store "
            f"beside them, {WELCH} without)."
        )
    for what, keys in (("only in A", found.removed), ("only in B", found.added)):
        if keys:
            studies = dict.fromkeys(key[0] for key in keys)
            counts = ", ".join(f"{study} {sum(key[0] == study for key in keys):,}" for study in studies)
            lines.append(f"Numbers {what}: {counts}.")
    for what, side in (("A", before), ("B", after)):
        lines += [f"Left out of {what}: {'; '.join(side.left_out)}."] if side.left_out else []
    for study, problem, algorithm, old, new in found.settings:
        lines.append(f"Setting of {study}: {problem}, {algorithm}: {old} -> {new}")
    return lines


def rows(number: int) -> str:
    return f"{number:,} row{'s' * (number != 1)}"


def made_otherwise(before: Side, after: Side) -> list[str]:
    """Versions, machine and commits that differ, each once."""
    found: dict[str, None] = {}
    for name in (name for name in before.made if name in after.made):
        a, b = before.made[name], after.made[name]
        found |= {f"{what}: {a[what]} -> {b[what]}": None for what in a if what in b and a[what] != b[what]}
    return list(found)


def as_data(found: Comparison, before: Side, after: Side) -> dict[str, Any]:
    names = ("study", "problem", "algorithm", "step")

    def number(x: float) -> float | None:
        return x if math.isfinite(x) else None

    return {
        "changed": found.changed,
        "identical": found.identical,
        "seeds": {"a": before.seeds, "b": after.seeds},
        "made": {"a": before.made, "b": after.made},
        "added": [dict(zip(names, key, strict=True)) for key in found.added],
        "removed": [dict(zip(names, key, strict=True)) for key in found.removed],
        "settings": [dict(zip((*names[:3], "a", "b"), setting, strict=True)) for setting in found.settings],
        "rows": [
            {
                **dict(zip(names, change.key, strict=True)),
                "a": number(change.a.value),
                "b": number(change.b.value),
                "stderr_a": number(change.a.stderr),
                "stderr_b": number(change.b.stderr),
                "runs_a": change.a.runs,
                "runs_b": change.b.runs,
                "p": number(change.p),
                "word": change.word,
                "visible": number(change.visible),
                "differ": change.differ,
            }
            for change in found.cells
        ],
    }
