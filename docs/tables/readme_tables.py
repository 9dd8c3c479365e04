"""The pictures of README.md: what their words say is what they show."""

from __future__ import annotations

from fill import results

from varde.show.words import percent

PICTURE = """<picture>
  <source media="(prefers-color-scheme: dark)" srcset="docs/figures/{name}-dark.svg">
  <img alt="{words}" src="docs/figures/{name}-light.svg">
</picture>"""


def opening() -> str:
    found = results("opening")
    rule, equal = (percent(found["median_p_right"][way]) for way in ("the rule", "equal shares"))
    words = (
        f"Where {found['budget']} samples of eight prompts went, most of them to the two that matter, and how sure the "
        f"answer became: {rule} with the rule, {equal} with equal shares, medians of {found['seeds']} runs of which a "
        f"typical one is drawn"
    )
    return PICTURE.format(name="opening", words=words)


def why() -> str:
    peers = results("peers-selection")
    shares = {}
    for name, way in (
        ("varde", "varde"),
        ("equal shares", "equal split (grid search)"),
        ("Optuna", "Optuna, TPE, ten evaluations averaged"),
    ):
        rows = [row for row in peers["rows"] if row["way"] == way]
        runs = sum(row["runs"] for row in rows)
        shares[name] = 100.0 * sum(row["right"] * row["runs"] for row in rows) / runs
    named = ", ".join(f"{name} {share:.0f} %" for name, share in shares.items())
    words = (
        f"How often the really best one was named, with {peers['options']} noisy options and {peers['budget']} "
        f"evaluations: {named}, of {runs} runs each"
    )
    return PICTURE.format(name="why", words=words)


TABLES = {"opening picture": opening, "why picture": why}
