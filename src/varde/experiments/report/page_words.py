"""Small pieces of the page that the summary and the sections share."""

from __future__ import annotations

import re

from ..._page import escape
from ..claims import FAILS, HOLDS, OPEN, Claim
from .load import Result
from .words import MARKS

CLASSES = {"reproduced": "good", "close": "fair", "not reproduced": "bad", HOLDS: "good", OPEN: "open", FAILS: "bad"}


def mark(word: str) -> str:
    return f'<span role="img" aria-label="{word}">{MARKS[word]}</span>'


def because(reason: str) -> str:
    return f'<span class="reason">Likely: {escape(reason)}.</span>' if reason else ""


def claimed(claim: Claim) -> str:
    """A claim, whether it holds, the evidence, the likely reason."""
    word = f'<b class="{CLASSES[claim.holds]}">{MARKS[claim.holds]} {claim.holds}</b>'
    return f"{escape(claim.claim)}: {word}{evidence(claim)}. {because(claim.reason)}".rstrip()


def evidence(claim: Claim) -> str:
    return f' <span class="evidence">({escape(signed(claim.evidence))})</span>' if claim.evidence else ""


def signed(text: str) -> str:
    """A sentence with true minus signs and arrows."""
    return re.sub(r"(?<![\w-])-(?=\d)", "\u2212", text).replace(" -> ", " → ")


def link(result: Result) -> str:
    return f'<a href="#{anchor(result)}">{escape(result.name)}</a>'


def anchor(result: Result) -> str:
    """A name for the section that is safe in an address, and its own."""
    return "study-" + "".join(c if c.isascii() and c.isalnum() else f"-{ord(c):x}-" for c in result.name)
