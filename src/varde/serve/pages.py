"""Pages that the server sends to browsers; style and script come from the server only."""

from __future__ import annotations

from ..show.page import asset, document
from ..show.page.text import HTML, join, tag

SHEET = '<link rel="stylesheet" href="static/style.css">'  # relative, since a proxy may serve it below a path


def stylesheet() -> str:
    return "\n".join((asset("style.css"), asset("ranges.css", "varde.show"), asset("live.css", __package__)))


def script() -> str:
    return asset("live.js", __package__)


def live_page(title: str, html: HTML) -> str:
    """Without a script it shows what was known when it was loaded."""
    state = tag("span", "connecting", id="state", role="status", hidden=True)
    words = "This page needs JavaScript to follow the results: reload it for newer ones."
    still = tag("noscript", tag("span", words))
    top = tag("p", state, still, tag("a", "for programs", href="openapi.json"), class_="top")
    head = f'{SHEET}\n<script src="static/live.js" defer></script>'
    return document(title, head, join([top, tag("div", html, id="live")]))


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
    return document("varde serve", SHEET, join([head, tag("p", lead, class_="lead"), form, *notice], "\n"))
