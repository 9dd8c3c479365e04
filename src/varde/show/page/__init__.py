"""Self-contained pages: one HTML file with its style inside, and nothing to fetch or to run.

``page`` makes the document, ``tag``, ``line_chart`` and ``show.sheet.Sheet`` its parts.  Whatever is not made by them
is escaped; as a second line of defence the page's content security policy allows no script.
"""

from __future__ import annotations

import functools

from .chart import Series, line_chart
from .text import HTML, escape, join, tag

__all__ = ["HTML", "Series", "document", "escape", "join", "line_chart", "page", "tag"]


@functools.cache
def asset(name: str, package: str = __name__) -> str:
    """A style sheet or a script of a package."""
    from importlib.resources import files  # here and not above: nobody who imports varde waits for it

    return (files(package) / name).read_text(encoding="utf-8").strip()


def page(title: str, body: str, *, footer: str = "") -> str:
    """A document that needs nothing else; ``title`` is text, ``body`` and ``footer`` are HTML."""
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{asset("style.css")}</style>'
    return document(title, head, body, f"<footer>{footer}</footer>" if footer else "")


def document(title: str, head: str, body: str, after: str = "") -> str:
    """The frame of every page."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
{head}
</head>
<body>
<main>
{body}
</main>
{after}
</body>
</html>
"""
