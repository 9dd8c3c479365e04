"""What the scripts that write tables into pages share."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

DOCS = Path(__file__).parent.parent


def results(name: str) -> dict:
    return json.loads((DOCS / "results" / f"{name}.json").read_text())


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *lines])


def fill(text: str, tables: dict[str, Callable[[], str]]) -> str:
    """``text`` with each table between its marks: <!-- name --> and <!-- end of name -->."""
    for name, table in tables.items():
        block = f"<!-- {name} -->\n{table()}\n<!-- end of {name} -->"
        marks = rf"<!-- {name} -->(.*?<!-- end of {name} -->)?"
        text = re.sub(marks, lambda _, b=block: b, text, count=1, flags=re.DOTALL)
    return text
