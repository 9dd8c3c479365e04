"""The code of a page is run, and what it prints is what the page shows below it.

A block of code is followed by its output where the line ``<!-- output -->`` says so.  The tests compare the two;
``python docs/tables/outputs.py docs/start.md`` runs a page and writes what its code prints now.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from pathlib import Path

CODE = re.compile(r"```python\n(.*?)```\n(?:<!-- output -->\n```text\n(.*?)```\n)?", re.DOTALL)


def run(text: str, name: str) -> str:
    """The page with the output that its code prints now."""
    names: dict = {"__name__": "page"}

    def shown(block: re.Match) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block[1], name, "exec"), names)
        if block[2] is None:
            return block[0]
        lines = "".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines())
        return f"```python\n{block[1]}```\n<!-- output -->\n```text\n{lines}```\n"

    return CODE.sub(shown, text)


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(run(page.read_text(encoding="utf-8"), page.name), encoding="utf-8")
