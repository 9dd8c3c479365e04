"""Pages that the server sends to browsers; style and script come from the server only."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from importlib.resources import files

from ..show.document import style
from ..show.page import asset
from ..show.page.text import HTML, escape, join, tag
from .guard import POLICY


@functools.cache
def stylesheet() -> str:
    own = (files(__package__) / "live.css").read_text(encoding="utf-8")
    return "\n".join((asset("style.css"), style("ranges"), own))


@functools.cache
def script() -> str:
    return (files(__package__) / "live.js").read_text(encoding="utf-8")


def document(title: str, body: object, *, head: str = "") -> str:
    """A whole page; its links are relative, since a proxy may serve it below a path."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="static/style.css">
{head}
</head>
<body>
<main>
{escape(body)}
</main>
</body>
</html>
"""


def live_page(title: str, html: HTML) -> tuple[str, str]:
    """The page and its policy.  Without a script it shows what was known when it was loaded."""
    state = tag("span", "connecting", id="state", role="status")
    words = "This page needs JavaScript to follow the results: reload it for newer ones."
    still = tag("noscript", tag("span", words))
    top = tag("p", state, still, tag("a", "for programs", href="openapi.json"), class_="top")
    rules = as_rules(html)
    head = f'<script src="static/live.js" defer></script>\n<noscript><style>{rules}</style></noscript>'
    digest = base64.b64encode(hashlib.sha256(rules.encode()).digest()).decode()
    policy = POLICY.replace("style-src 'self'", f"style-src 'self' 'sha256-{digest}'")
    return document(title, join([top, tag("div", html, id="live")]), head=head), policy


def as_rules(html: HTML) -> str:
    """Every ``data-style``, which the script would set, as a rule of a style sheet; names cannot be among them."""
    styles = sorted(set(re.findall(r'data-style="([^"]*)"', html)))
    return "#state{display:none}" + "".join(f'[data-style="{one}"]{{{one}}}' for one in styles)


def login_page(wrong: bool = False) -> str:
    # A name that never changes is for the browser, which keeps passwords by names.
    form = HTML(
        '<form method="post" action="login" class="login"><label for="token">Token</label>'
        '<input name="user" autocomplete="username" value="varde" hidden>'
        '<input id="token" name="token" type="password" autocomplete="current-password" required autofocus size="44">'
        "<button>Watch</button></form>"
    )
    head, lead = tag("h1", "Watch the selection"), "Ask whoever started the server for the token."
    notice = [tag("p", "That is not the token.", class_="bad", role="alert")] if wrong else []
    return document("varde serve", join([head, tag("p", lead, class_="lead"), form, *notice], "\n"))
