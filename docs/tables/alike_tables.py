"""The tables of docs/alike.md: against strangers, calibration, and other tools."""

from __future__ import annotations

from typing import Any

from fill import markdown, results


def pair(found: list[float], sign: str = "") -> str:
    return f"{found[0]:{sign}.3f} ± {found[1]:.3f}"


def worlds() -> str:
    """Every world: both regrets, the paired difference, and how far the stated numbers can be trusted."""
    lines = []
    for kind, row in results("alike").items():
        right, said = row["sure"]
        numbers = [f"{row[what]:,}" for what in ("options", "budget", "runs")]
        regrets = [pair(row["alike"]), pair(row["strangers"]), pair(row["lead"], "+")]
        lines.append([kind, *numbers, *regrets, f"{right} of {said}" if said else "", f"{100 * row['held']:.0f}"])
    head = ["world", "options", "evaluations", "runs", "`alike=True`", "strangers", "ahead by"]
    return markdown([*head, "right of 90 % or more", "leader's interval holds (%)"], lines)


def peers() -> str:
    """Regret, how often the best was taken, and CPU time of an evaluation."""
    found = results("alike-peers")
    ways = list(next(iter(found.values())))
    lines = [[kind, *(one(tools[way]) for way in ways)] for kind, tools in found.items()]
    costs = [sorted(tools[way]["ask"] for tools in found.values()) for way in ways]
    lines.append(["CPU time of an evaluation, ms", *(f"{two(cost[0])} to {two(cost[-1])}" for cost in costs)])
    return markdown(["world", *(f"`{way}`" if "=" in way else way for way in ways)], lines)


def two(x: float) -> str:
    """Two digits, without an exponent."""
    return f"{float(f'{x:.2g}'):g}"


def one(row: dict[str, Any]) -> str:
    runs = "" if row["runs"] == 30 else f", {row['runs']} runs"
    return f"{pair(row['regret'])} ({100 * row['best']:.0f} %{runs})"


def calibration() -> str:
    """How far the stated numbers held over all worlds."""
    rows = results("alike").values()
    runs, right, said = (sum(values) for values in zip(*((row["runs"], *row["sure"]) for row in rows), strict=True))
    held, inside = (100 * sum(row["runs"] * row[name] for row in rows) / runs for name in ("held", "inside"))
    return (
        f"In {runs:,} runs {right} of {said} statements of 90 % or more were right, and 95 % intervals held "
        f"{held:.1f} % of leaders and {inside:.1f} % of all options."
    )


def together() -> str:
    """The mean regret of each tool over all worlds."""
    found = results("alike-peers")
    sums = []
    for way in next(iter(found.values())):
        regrets = [tools[way]["regret"] for tools in found.values()]
        mean = sum(regret for regret, _ in regrets) / len(found)
        sums.append(f"{mean:.3f} ± {sum(error**2 for _, error in regrets) ** 0.5 / len(found):.3f} ({way})")
    return f"Averaged over these {len(found)} worlds, regret is {', '.join(sums)}."


TABLES = {"worlds": worlds, "calibration": calibration, "peers": peers, "together": together}
