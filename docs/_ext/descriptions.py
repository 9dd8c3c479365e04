"""What a search engine or a shared link says about a page: its first paragraph."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes

MOST = 300  # letters


def describe(app: Any, name: str, template: str, context: dict[str, Any], page: nodes.document | None) -> None:
    first = next(page.findall(nodes.paragraph), None) if page is not None else None
    if first is not None:
        words = " ".join(first.astext().split())
        said = words if len(words) <= MOST else f"{words[:MOST].rsplit(' ', 1)[0]} …"
        context["metatags"] = f'{context.get("metatags", "")}\n<meta name="description" content="{escape(said)}">'


def setup(app: Any) -> dict[str, Any]:
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
