"""The result of timing commands: sentences, a table, and JSON."""

from __future__ import annotations

from typing import Any

from ..selection import Selector
from ..show.sheet import Sheet
from ..show.words import percent, short
from .bench import Bench, middle

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
    if bench.found is None:
        return "Stopped too early to compare the commands."
    nearest = min((t for t in bench.timings if t is not best), key=lambda t: bench.ratio(t)[0])
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
        name, first, again = short(timing.name), timing.first_slow, ~timing.counted
        if not timing.runs:
            found.append(f"{name}: it has not been run yet.")
            continue
        if first is not None:
            typical = spell(middle(timing.seconds)[0])
            found.append(f"{name}: the first run took {spell(first)}, the others about {typical}: caches were cold.")
        if again.any():
            far = f"{int(again.sum())} of {again.size} runs stand out, up to {spell(timing.seconds[again].max())}"
            found.append(f"{name}: {far}: they were made again.")
        if timing.command.shell and timing.mean < BRIEF:
            found.append(f"{name}: much of {spell(timing.mean)} is the start of the shell; --no-shell is more exact.")
    return found


def table(bench: Bench) -> Sheet:
    """One line per command, the fastest first."""
    ranked = sorted((t for t in bench.timings if t.runs), key=lambda timing: timing.mean)
    unit, factor = unit_of(ranked[0].mean)
    head = ["command", "runs", f"mean, {unit}", "± sd", "lowest", "highest"]
    head += [] if bench.found is None else ["times as long", "P(fastest)"]
    lines = []
    for timing in ranked:
        seconds = timing.seconds
        kept = seconds[timing.counted]
        numbers = [kept.mean(), kept.std(ddof=1) if kept.size > 1 else 0.0, seconds.min(), seconds.max()]
        line = [short(timing.name), f"{len(timing.runs)}", *(f"{float(x) * factor:.1f}" for x in numbers)]
        if bench.found is not None:
            ratio = "1" if timing is bench.best else times(*bench.ratio(timing))
            line += [ratio, percent(bench.found.certificate.chances[timing.name])]
        lines.append(line)
    return Sheet(head, lines, styles=["strong" if timing is bench.best else "" for timing in ranked])


def as_text(bench: Bench) -> str:
    """The decision, the table, and what to know about the runs."""
    return "\n".join([sentence(bench), "", table(bench).plain(), *(f"Note: {notice}" for notice in notices(bench))])


def as_json(bench: Bench) -> dict[str, Any]:
    """Every run, and the decision."""
    results = [
        {
            "command": timing.name,
            "mean": timing.mean,
            "times": timing.runs,
            "counted": timing.counted.tolist(),
        }
        for timing in bench.timings
        if timing.runs
    ]
    decision: dict[str, Any] = {"sentence": sentence(bench), "notices": notices(bench), "stopped": bench.stopped}
    if bench.found is not None:
        decision |= {"fastest": bench.found.best_name, "p_fastest": bench.found.certificate.chances}
        decision["times_as_long"] = {timing.name: list(bench.ratio(timing)) for timing in bench.timings}
    return {"results": results, "decision": decision}
