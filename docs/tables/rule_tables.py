"""The table of docs/rule.md: the temperature that follows from the belief against tuned ones."""

from __future__ import annotations

from fill import markdown, results

LINES = {
    "LSE 0.05": "soft maximum, 0.05",
    "LSE 0.1": "soft maximum, 0.1",
    "LSE 0.15": "soft maximum, 0.15",
    "regret": "**regret**, no temperature",
    "LSE 0.05, floor": "as in the paper: soft maximum, 0.05",
    "LSE 0.1, floor": "soft maximum, 0.1",
    "LSE 0.15, floor": "soft maximum, 0.15",
    "regret, floor": "**regret**, no temperature",
}


def adaptive() -> str:
    """Decision by decision, with the runs they come from."""
    found = results("adaptive-temperature")
    names = list(found["error"]["regret"])
    lines = [[words, *(f"{found['error'][rule][name]:.2f}" for name in names)] for rule, words in LINES.items()]
    return markdown([f"{found['runs']:,} runs", *names], lines)


TABLES = {"adaptive": adaptive}
