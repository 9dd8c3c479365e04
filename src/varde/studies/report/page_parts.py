"""Small pieces of the page that the summary and the sections share."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..._page import HTML, join, tag
from ..._page.text import glued
from ..claims import Claim
from ..grid import MARKS
from .load import Result


def because(reason: str) -> HTML:
    return tag("span", f"Likely: {reason}.", class_="reason") if reason else HTML()


def claimed(claim: Claim) -> HTML:
    """A claim, whether it holds, the evidence, the likely reason."""
    sign, style, _ = MARKS[claim.holds]
    parts = [glued(claim.claim), ": ", tag("b", f"{sign} {claim.holds}", class_=style), evidence(claim), "."]
    return join([*parts, " ", because(claim.reason)] if claim.reason else parts)


def evidence(claim: Claim) -> HTML:
    return join([" ", tag("span", f"({signed(claim.evidence)})", class_="evidence")] if claim.evidence else [])


def signed(text: str) -> str:
    """A sentence with true minus signs and arrows, and numbers kept together."""
    return glued(re.sub(r"(?<![\w-])-(?=\d)", "\u2212", text).replace(" -> ", " → "))


def bullets(lines: Iterable[object]) -> HTML:
    return tag("ul", *(tag("li", line) for line in lines))


def folded(summary: str, *inside: object, printed: bool = True) -> HTML:
    """A folding part; in print it is open, or left out if it was closed and is not ``printed``."""
    return tag("details", tag("summary", summary), *inside, class_=None if printed else "spare")


def link(result: Result) -> HTML:
    return tag("a", result.name, href=f"#{anchor(result)}")


def anchor(result: Result) -> str:
    """A unique name for the section that is safe in a URL."""
    return "study-" + "".join(c if c.isascii() and c.isalnum() else f"-{ord(c):x}-" for c in result.name)
