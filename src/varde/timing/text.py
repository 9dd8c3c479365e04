"""The result of timing commands: sentences, a table, and files for other programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._table import Sheet
from ..selection import Selector
from ..show.words import percent, short
from .bench import Bench, Timing, middle

BRIEF = 0.005  # seconds: what takes less is mostly the shell
UNITS = ((1.0, "s", 1.0), (1e-3, "ms", 1e3), (0.0, "µs", 1e6))


def unit_of(seconds: float) -> tuple[str, float]:
    """The unit to show a time in, and how many of it make a second."""
    return next((name, factor) for least, name, factor in UNITS if seconds >= least)


def spell(seconds: float) -> str:
    name, factor = unit_of(seconds)
    return f"{seconds * factor:.3g} {name}"


def sentence(bench: Bench) -> str:
    """The decision."""
    best = bench.best
    if bench.found is None and len(bench.timings) > 1:
        return "Stopped too early to compare the commands."
    if bench.found is None:
        return f"{best.name}: {spell(best.mean)} on average of {len(best.runs)} runs."
    rivals = sorted((t for t in bench.timings if t is not best), key=lambda t: bench.ratio(t)[0])
    nearest = rivals[0]
    ratio, margin = bench.ratio(nearest)
    if bench.stopped == "sure" and ratio - margin <= 1.0:  # the promise: it is the fastest, or that near to it
        both = f"{short(best.name)} and {short(nearest.name)}"
        return f"{both} are equally fast: they differ by less than {100 * bench.margin:g} %."
    lead = f"{short(best.name)} is {times(ratio, margin)} times as fast as {short(nearest.name)}"
    if bench.decided:
        return f"{lead}, {percent(max(bench.found.p_right, bench.sure))} sure."
    return f"No command is clearly the fastest. So far {lead}, but that is only {percent(bench.found.p_right)} sure."


def times(ratio: float, margin: float) -> str:
    decimals = 1 if margin > 0.1 else 2 if margin > 0.005 else 3
    return f"{ratio:.{decimals}f} ± {margin:.{decimals}f}"


def progress(selector: Selector) -> str:
    """A line while commands are run."""
    leads = f", {short(selector.leader)} leads" if selector.leader else ""
    return f"{selector.spent:,g} runs{leads}; Ctrl-C stops and shows the result so far"


def notices(bench: Bench) -> list[str]:
    """What a careful reader should know about the runs."""
    found = []
    for timing in bench.timings:
        found += [f"{short(timing.name)}: {notice}" for notice in of_one(bench, timing)]
    return found


def of_one(bench: Bench, timing: Timing) -> list[str]:
    found = []
    if not timing.runs:
        return ["it has not been run yet."]
    first, again = timing.first_slow, ~timing.counted
    if first is not None:
        typical = middle(timing.seconds)[0]
        found.append(f"the first run took {spell(first)}, the others about {spell(typical)}: caches were cold.")
    if again.any():
        highest = spell(float(timing.seconds[again].max()))
        found.append(f"{int(again.sum())} of {again.size} runs stand out, up to {highest}: they were made again.")
    if timing.command.shell is not None and timing.mean < BRIEF:
        found.append(
            f"takes about {spell(timing.mean)}, after subtracting {spell(timing.overhead)} of the shell; "
            "--no-shell is more exact."
        )
    if timing.name in bench.failures:
        found.append(f"ended with code {bench.failures[timing.name]}.")
    return found


def columns(bench: Bench, unit: str, factor: float) -> Sheet:
    """One line per command, the fastest first."""
    head = ["command", "runs", f"mean, {unit}", "± sd", "lowest", "highest", "user", "system"]
    compared = bench.found is not None
    head += ["times as long", "P(fastest)"] if compared else []
    ranked = sorted((t for t in bench.timings if t.runs), key=lambda timing: timing.mean)
    lines = []
    for timing in ranked:
        seconds, counted = timing.seconds, timing.counted
        kept = seconds[counted]
        numbers = [kept.mean(), kept.std(ddof=1) if kept.size > 1 else 0.0, seconds.min(), seconds.max()]
        numbers += [np.mean([run.user for run in timing.runs]), np.mean([run.system for run in timing.runs])]
        line = [short(timing.name), f"{len(timing.runs)}", *(f"{float(x) * factor:.1f}" for x in numbers)]
        if bench.found is not None:
            ratio = "1" if timing is bench.best else times(*bench.ratio(timing))
            line += [ratio, percent(bench.found.certificate.chances[timing.name])]
        lines.append(line)
    return Sheet(head, lines, styles=["strong" if timing is bench.best else "" for timing in ranked])


def table(bench: Bench) -> Sheet:
    return columns(bench, *unit_of(min(timing.mean for timing in bench.timings if timing.runs)))


def as_text(bench: Bench) -> str:
    """The decision, the table, and what to know about the runs."""
    if not any(timing.runs for timing in bench.timings):
        return f"{len(bench.timings)} commands, of which none was timed yet: call run()."
    return "\n".join([sentence(bench), "", table(bench).plain(), *(f"Note: {notice}" for notice in notices(bench))])


def as_json(bench: Bench) -> dict[str, Any]:
    """As hyperfine exports it, with the decision beside the results."""
    results = []
    for timing in bench.timings:
        seconds = timing.seconds
        if not seconds.size:
            continue
        results.append(
            {
                "command": timing.name,
                "mean": float(seconds.mean()),
                "stddev": float(seconds.std(ddof=1)) if seconds.size > 1 else None,
                "median": float(np.median(seconds)),
                "user": float(np.mean([run.user for run in timing.runs])),
                "system": float(np.mean([run.system for run in timing.runs])),
                "min": float(seconds.min()),
                "max": float(seconds.max()),
                "times": seconds.tolist(),
                "counted": timing.counted.tolist(),
                "parameters": timing.command.values,
            }
        )
    decision: dict[str, Any] = {"sentence": sentence(bench), "notices": notices(bench), "stopped": bench.stopped}
    if bench.found is not None:
        decision |= {"fastest": bench.found.best_name, "p_fastest": bench.found.certificate.chances}
        decision["times_as_long"] = {timing.name: list(bench.ratio(timing)) for timing in bench.timings}
    return {"results": results, "decision": decision}
