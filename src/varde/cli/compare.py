"""``varde compare``: what changed between two folders of results."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from .._table import Sheet
from .app import STUDIES, app, out, refuse

if TYPE_CHECKING:
    from ..experiments.compare import Change, Comparison, Side


@app.command(rich_help_panel=STUDIES)
def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="a folder of results, or one results file")],
    b: Annotated[Path, typer.Argument(metavar="B", help="another")],
    top: Annotated[int, typer.Option(help="how many of the numbers furthest apart to show")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="everything, for a program to read")] = False,
) -> None:
    """What changed from A to B, in standard errors; leaves with 0 if nothing beyond chance, 1 if something did."""
    from ..experiments.compare import compare as compared
    from ..experiments.compare import load_side
    from ..experiments.results import NoResultsError

    if top < 0:
        refuse(f"--top is {top}: write 0 or more")
    try:
        before, after = load_side(a), load_side(b)
    except NoResultsError as error:
        refuse(str(error))
    found = compared(before, after)
    if as_json:
        print(json.dumps(as_data(found, before, after), indent=1))
    else:
        tell(found, before, after, top)
    raise typer.Exit(int(found.changed))


def tell(found: Comparison, before: Side, after: Side, top: int) -> None:
    console = out()
    for line in words(found, before, after):
        console.print(Text(line))
    if found.changes and top:
        lines = [line_of(found, change) for change in found.changes[:top]]
        console.print(Sheet(["", "A", "B", "standard errors", ""], lines, left=(0, 4)).rich())
        if len(found.changes) > top:
            console.print(
                f"and {len(found.changes) - top:,} nearer ones: --top shows more, --json all", highlight=False
            )


def line_of(found: Comparison, change: Change) -> list[str]:
    study, problem, algorithm, step = change.key
    word = "not chance" if change.certain else "beyond chance" if found.beyond_chance(change) else ""
    z = "unknown" if math.isnan(change.z) else f"{change.z:+.1f}"
    return [
        f"{study}: {problem}, {algorithm}, step {step:,}",
        f"{change.a.value:.4g}",
        f"{change.b.value:.4g}",
        z,
        word,
    ]


def words(found: Comparison, before: Side, after: Side) -> list[str]:
    """What a person wants to know first."""
    lines = []
    seeds = [name for name in before.seeds if after.seeds.get(name) == before.seeds[name]]
    if seeds and len(seeds) < len(set(before.seeds) | set(after.seeds)):
        lines.append(f"Same seed, hence shared random numbers: {', '.join(seeds)}.")
    elif seeds:
        lines.append("Same seed: the random numbers are shared.")
    versions = [
        (f"from {x} to {y}", name) for name in seeds if (x := before.versions[name]) != (y := after.versions[name])
    ]
    lines += [f"The version of varde changed {change}." for change in dict.fromkeys(change for change, _ in versions)]
    lines.append(f"{found.identical:,} numbers are identical, {len(found.changes):,} differ.")
    certain = sum(change.certain for change in found.changes)
    if certain:
        lines.append(
            f"{certain:,} of them have the same seed, runs and setting on both sides: not chance, but another program "
            "or machine."
        )
    if found.by_chance:
        beyond = sum(found.beyond_chance(change) for change in found.by_chance)
        lines.append(
            f"{found.beyond_two:,} of {len(found.by_chance):,} are more than 2 standard errors apart; by chance alone, "
            f"were nothing changed, about {found.expected:.1f} would be. "
            + ("None is" if not beyond else "One is" if beyond == 1 else f"{beyond:,} are")
            + " further apart than chance explains."
        )
    for what, keys in (("only in A", found.removed), ("only in B", found.added)):
        if keys:
            studies = dict.fromkeys(key[0] for key in keys)
            counts = ", ".join(f"{study} {sum(key[0] == study for key in keys):,}" for study in studies)
            lines.append(f"Numbers {what}: {counts}.")
    for study, problem, algorithm, old, new in found.settings:
        lines.append(f"Setting of {study}: {problem}, {algorithm}: {old} -> {new}")
    return lines


def as_data(found: Comparison, before: Side, after: Side) -> dict[str, Any]:
    names = ("study", "problem", "algorithm", "step")

    def number(x: float) -> float | None:
        return x if math.isfinite(x) else None

    return {
        "changed": found.changed,
        "identical": found.identical,
        "beyond_two": found.beyond_two,
        "expected_beyond_two": found.expected,
        "seeds": {"a": before.seeds, "b": after.seeds},
        "versions": {"a": before.versions, "b": after.versions},
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
                "z": number(change.z),
                "certain": change.certain,
                "beyond_chance": found.beyond_chance(change),
            }
            for change in found.changes
        ],
    }
