"""An answer as a page: a document of its own, or a part of a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .page import asset, page
from .page.text import HTML, glued, join, tag
from .sentence import WARNING, parts

if TYPE_CHECKING:
    from .answer import Answer


def whole_page(answer: Answer[Any]) -> str:
    """The document."""
    headline = answer._headline()
    body = join(
        [
            tag("h1", headline),
            tag("p", glued(lead(answer)), class_="lead"),
            answer._drawn(brief=False),
            noted(answer),
        ],
        "\n",
    )
    return page(headline, body, footer=tag("p", "Made by varde."))


def lead(answer: Answer[Any]) -> str:
    """The sentence without the headline."""
    reason = parts(answer)[1]
    return f"{reason[:1].upper()}{reason[1:]}."


def noted(answer: Answer[Any]) -> HTML:
    """The notes; those that do not speak against the answer are soft."""
    lines = [tag("li", note.text, class_=None if note.severity == WARNING else "soft") for note in answer.notes]
    return join([tag("h2", "Notes"), tag("ul", join(lines))]) if lines else HTML("")


def fragment(answer: Answer[Any]) -> str:
    """For a notebook."""
    return join([tag("p", glued(answer.sentence)), answer._drawn(brief=True)])


def styled(name: str) -> HTML:
    """The style sheet of a kind of picture: "ranges", "tree" or "map"."""
    return tag("style", HTML(asset(f"{name}.css", __package__)))
