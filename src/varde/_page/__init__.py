"""Pages that stand alone: one HTML file with its style and its script inside, and nothing to fetch.

``page`` makes the document, ``escape`` takes a name into it, ``table`` and ``line_chart`` make the parts.  Whatever
comes from outside goes through ``escape``; should that ever be forgotten, the page's own policy still runs no script
but ours.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Iterable, Sequence
from importlib.resources import files

from .chart import Series, line_chart
from .text import escape

__all__ = ["Series", "escape", "line_chart", "page", "table"]


@functools.cache
def asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8").strip()


def page(title: str, body: str, *, footer: str = "", language: str = "en") -> str:
    """The whole document; ``title`` is text, ``body`` and ``footer`` are HTML."""
    style, script = asset("style.css"), asset("chart.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return f"""<!doctype html>
<html lang="{escape(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<main>
{body}
</main>
{f"<footer>{footer}</footer>" if footer else ""}
<script>{script}</script>
</body>
</html>
"""


def table(head: Sequence[str], lines: Iterable[Sequence[str]], *, label: str, kind: str = "numbers") -> str:
    """A table that scrolls within itself where it is too wide; the first cell of a line is its header.

    ``head`` and ``lines`` are HTML, ``label`` is text: what a reader who does not see the table is told.
    """
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "\n".join(
        f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in rest) + "</tr>"
        for first, *rest in lines
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
        f'<table class="{escape(kind)}"><thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'
    )
