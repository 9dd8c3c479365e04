"""Text made safe for a page: what ``tag`` is given is escaped unless it is already HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Any

# Characters that XML and HTML have no place for; lone surrogates cannot even be encoded.  The last two groups turn the
# direction of writing: one of them in a name would turn the numbers behind it.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")


class HTML(str):
    """A part of a page; nothing in it is escaped again."""

    __slots__ = ()

    @property
    def text(self) -> str:
        """What a reader sees of it."""
        return html.unescape(re.sub(r"<[^>]*>", "", self))


def escape(text: object) -> HTML:
    """``text`` shown as it is, in the body of a page or in a quoted attribute."""
    return text if isinstance(text, HTML) else HTML(html.escape(_UNFIT.sub("\ufffd", str(text)), quote=True))


def glued(text: str) -> str:
    """A number keeps its percent sign, and a p its value, when lines are broken."""
    return text.replace(" %", "\u00a0%").replace("p = ", "p\u00a0=\u00a0")


def join(parts: Iterable[object], between: str = "") -> HTML:
    """Parts and texts one after the other."""
    return HTML(between.join(map(escape, parts)))


def tag(name: str, *inside: object, **attributes: Any) -> HTML:
    """An element: ``tag("a", "x < y", href="#top", data_x=3)``; for ``class`` write ``class_``.

    An attribute that is None or False is left out, one that is True has no value.
    """
    parts = [name]
    for key, value in attributes.items():
        key = key.removesuffix("_").replace("_", "-")
        if value is True:
            parts.append(key)
        elif value is not None and value is not False:
            parts.append(f'{key}="{escape(value)}"')
    opened = " ".join(parts)
    return HTML(f"<{opened}/>" if name == "path" else f"<{opened}>{join(inside)}</{name}>")
