"""What Sphinx writes in a way that screen readers stumble over, mended in the finished pages."""

from __future__ import annotations

import re
from typing import Any


def mended(html: str) -> str:
    html = html.replace(' role="heading"', ' role="heading" aria-level="2"')  # captions of the contents
    html = re.sub(r"<th(?: [^>]*)?>(?:<p></p>)?</th>", "<td></td>", html)  # a head without words
    return re.sub(r'<dt class="sig.*?</dt>', in_lines, html, flags=re.DOTALL)


def in_lines(signature: re.Match[str]) -> str:
    """A signature of several lines, which is not a list of definitions without terms."""
    html = re.sub(r"</d[ld]>", "</div>", signature[0])
    return html.replace("<dl>", '<div class="lines">').replace("<dd>", "<div>")


def mend(app: Any, name: str, template: str, context: dict[str, Any], page: Any) -> None:
    for part in {"body", "furo_navigation_tree"} & context.keys():
        context[part] = mended(context[part])


def setup(app: Any) -> dict[str, Any]:
    app.connect("html-page-context", mend, priority=900)  # after the theme
    return {"parallel_read_safe": True, "parallel_write_safe": True}
