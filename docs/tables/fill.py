"""Write the tables of all pages from the results files: ``python docs/tables/fill.py``; a test checks it.

A page ``docs/how-sure.md`` has a script ``how_sure_tables.py`` with ``TABLES``: the name of each table and the function
that makes it.  In the page a table stands between the marks <!-- name --> and <!-- end of name -->.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

DOCS = Path(__file__).parent.parent
SCRIPTS = sorted(path.stem for path in Path(__file__).parent.glob("*_tables.py"))


def results(name: str) -> dict:
    return json.loads((DOCS / "results" / f"{name}.json").read_text())


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *lines])


def page_of(script: str) -> Path:
    if script == "readme_tables":
        return DOCS.parent / "README.md"
    return DOCS / f"{script.removesuffix('_tables').replace('_', '-')}.md"


def filled(script: str) -> str:
    """The page of a script, with its tables as they are now."""
    text = page_of(script).read_text(encoding="utf-8")
    for name, table in importlib.import_module(script).TABLES.items():
        block = f"<!-- {name} -->\n{table()}\n<!-- end of {name} -->"
        text, found = re.subn(
            rf"<!-- {name} -->(.*?<!-- end of {name} -->)?", lambda _, b=block: b, text, count=1, flags=re.DOTALL
        )
        if not found:
            raise ValueError(f"{page_of(script).name} has no place for {name!r}: write <!-- {name} --> there")
    return text


if __name__ == "__main__":
    for script in sys.argv[1:] or SCRIPTS:
        page_of(script).write_text(filled(script), encoding="utf-8")
