"""Write the tables of docs/studies.md from the results files: ``python docs/tables/verdict_tables.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fill import DOCS, fill, markdown, results


def by_runs(name: str, wrong: list[str], errors: bool, together: Callable[[Iterable[int]], int] = sum) -> str:
    """How often the words were wrong, all of them or the worst, in %, by rows and number of runs."""
    rows = results(name)["rows"]
    runs = list(dict.fromkeys(sorted(row["runs"] for row in rows)))
    shares = {
        (row["rows"], row["runs"]): (together(row[word] for word in wrong) / row["repeat"], row["repeat"])
        for row in rows
    }

    def cell(key: tuple[str, int]) -> str:
        if key not in shares:
            return ""
        share, repeat = shares[key]
        error = f" ({100.0 * (share * (1.0 - share) / repeat) ** 0.5:.1f})" if errors and share else ""
        return f"{100.0 * share:.1f}{error}"

    names = dict.fromkeys(row["rows"] for row in rows)
    return markdown(["runs", *map(str, runs)], [[some, *(cell((some, n)) for n in runs)] for some in names])


def filled(text: str) -> str:
    ties = ["holds", "does not hold"]
    return fill(
        text,
        {
            "ties": lambda: by_runs("verdicts-ties", ties, True),
            "single": lambda: by_runs("verdicts-single", ties, True, max),
            "alarms": lambda: by_runs("verdicts-compare", ["alarms"], False),
        },
    )


if __name__ == "__main__":
    page = DOCS / "studies.md"
    page.write_text(filled(page.read_text()))
