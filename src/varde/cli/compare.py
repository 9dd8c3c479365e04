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
    top: Annotated[int, typer.Option(min=0, help="how many of the largest differences to show")] = 20,
    tolerance: Annotated[
        float, typer.Option(min=0.0, max=0.5, help="with the same seed: a relative difference that is none")
    ] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="everything as JSON on standard output")] = False,
) -> None:
    """Say what changed from A to B.

    Exits with code 0 if nothing changed beyond chance, 1 if something did.
    """
    from ..studies.compare import compare as compared
    from ..studies.compare import load_side
    from ..studies.results import NoResultsError

    try:
        before, after = load_side(a), load_side(b)
    except NoResultsError as error:
        refuse(str(error))
    found = compared(before, after, tolerance)
    if as_json:
        print(json.dumps(as_data(found, before, after), indent=1))
    else:
        for line in words(found, before, after):
            out().print(Text(line))
        if found.rows and top:
            lines = [line_of(change) for change in found.rows[:top]]
            out().print(Sheet(["", "A", "B", "runs", "p", ""], lines, left=(0, 5)).rich())
        if len(found.rows) > top:
            out().print(f"and {len(found.rows) - top:,} more: --top shows more, --json all", highlight=False)
    raise typer.Exit(int(found.changed))


def line_of(change: Change) -> list[str]:
    study, problem, algorithm, step = change.key
    runs = f"{change.a.runs:,}" if change.a.runs == change.b.runs else f"{change.a.runs:,}, {change.b.runs:,}"
    p = "" if math.isnan(change.p) else f"{change.p:.2g}"
    where = f"{study}: {problem}, {algorithm}, step {step:,}"
    return [where, f"{change.a.value:.4g}", f"{change.b.value:.4g}", runs, p, change.word]


def words(found: Comparison, before: Side, after: Side) -> list[str]:
    """What a person wants to know first."""
    from ..studies.compare import CHANGED, FEW, FEWEST

    lines = [f"{found.identical:,} number{' is' if found.identical == 1 else 's are'} identical."]
    if other := made_otherwise(before, after):
        lines.append(f"Made with another {'; '.join(other)}.")
    certain = sum(change.p == 0.0 for change in found.rows)
    if certain:
        lines.append(
            f"{numbers(certain)} differ{'s' * (certain == 1)} though seed, runs and setting are the same: this is not "
            "chance, the program or the machine is another one."
        )
    tested = [change for change in found.rows if change.p > 0.0]
    if tested:
        beyond = sum(change.word == CHANGED for change in tested)
        sizes = [change.visible for change in tested]
        lines.append(
            f"{numbers(len(tested))} compared across different random numbers: {beyond or 'none'} changed (if nothing "
            f"did, that is said of any in at most 5 % of comparisons). Changes of {min(sizes):.2g} to {max(sizes):.2g} "
            "would have been seen with 80 % probability; smaller ones may be there."
        )
    few = sum(change.word == FEW for change in found.rows)
    if few:
        lines.append(f"{numbers(few)}: too few runs to tell a change from chance ({FEWEST} a side).")
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


def numbers(many: int) -> str:
    return f"{many:,} number{'s' * (many != 1)}"


def made_otherwise(before: Side, after: Side) -> list[str]:
    """Versions, machine and commits that differ, each once."""
    found: dict[str, None] = {}
    for name in (name for name in before.made if name in after.made):
        a, b = before.made[name], after.made[name]
        found |= {f"{what}: {a[what]} -> {b[what]}": None for what in a if what in b and a[what] != b[what]}
    return list(found)


def as_data(found: Comparison, before: Side, after: Side) -> dict[str, Any]:
    from ..show.answer import finite

    names = ("study", "problem", "algorithm", "step")
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
                **{side: finite(row.value) for side, row in (("a", change.a), ("b", change.b))},
                **{f"stderr_{side}": finite(row.stderr) for side, row in (("a", change.a), ("b", change.b))},
                **{f"runs_{side}": row.runs for side, row in (("a", change.a), ("b", change.b))},
                "p": finite(change.p),
                "word": change.word,
                "visible": finite(change.visible),
            }
            for change in found.rows
        ],
    }
