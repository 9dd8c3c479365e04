"""One table, shown in a terminal, on a page or in a spreadsheet.

A table has a head and lines of entries.  An entry is a text, a number, a part of a page (``HTML``), a ``Piece``, which
is a text with a style, or several of them.  Escaping and the width of letters are handled here: a caller passes names
as they are.

>>> from varde.show.sheet import Piece, Sheet
>>> found = Sheet(["", "BAI.1"], [["SR|A", [Piece("16.06", "before"), "16.20", Piece("\N{CHECK MARK}", "good")]]])
>>> print(found.plain())
                   BAI.1
SR|A     16.06 → 16.20 ✓
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from .page.text import HTML, join, tag

if TYPE_CHECKING:
    from rich.table import Table as RichTable
    from rich.text import Text


class Style(NamedTuple):
    """How a piece is shown: as text, in colour, and by which element of a page."""

    text: str = "{}"
    rich: str | None = ""  # the style of rich; None: left out of narrow output
    element: str = "span"


STYLES = {
    "": Style(),
    "before": Style("{} →", "dim"),  # what the next piece is compared with
    "strong": Style(element="b"),
    "aside": Style("({})", None, "small"),
    "soft": Style(rich="dim"),
    "code": Style(element="code"),
    "good": Style(rich="green"),
    "fair": Style(rich="yellow"),
    "open": Style(rich="yellow"),
    "bad": Style(rich="red"),
}
LINES = {"strong": "bold", "faint": "dim"}  # of whole lines
UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069]+")
JOINER = "\u200d"  # makes one picture of two emoji
FORMULA = ("=", "+", "-", "@", "\t", "\n")


class Piece(NamedTuple):
    """A text with a style, one of ``STYLES``."""

    text: str
    style: str = ""
    title: str = ""  # what a mark means, shown on hover


Entry = str | float | None | Piece | Sequence[str | Piece]


@dataclass(frozen=True)
class Sheet:
    """A head and lines with as many entries; short lines are padded."""

    head: Sequence[str]
    lines: Sequence[Sequence[Entry]]
    title: str = ""  # on a page, the caption for screen readers
    left: Sequence[int] = (0,)  # columns of text; the others are numbers, aligned to the right
    styles: Sequence[str] = ()  # of lines: "strong", "faint" or nothing

    def plain(self) -> str:
        """For a terminal without colours; wide characters take two columns."""
        lines = [[one_line(as_text(entry)) for entry in line] for line in (self.head, *self.filled())]
        widths = [max(map(width_of, column)) for column in zip(*lines, strict=True)]
        shown = []
        for line in lines:
            padded = []
            for column, (text, width) in enumerate(zip(line, widths, strict=True)):
                room = " " * (width - width_of(text))
                padded.append(text + room if column in self.left else room + text)
            shown.append("  ".join(padded).rstrip())
        return "\n".join(shown)

    def rich(self) -> RichTable:
        """For a terminal with colours; asides are left out.  In a narrow terminal text wraps and numbers stay whole."""
        from rich.table import Table as RichTable
        from rich.text import Text

        grid = RichTable(box=None, padding=(0, 1), pad_edge=False, show_header=any(self.head))
        for column, name in enumerate(self.head):
            justify: Any = "left" if column in self.left else "right"
            grid.add_column(Text(name), justify=justify, no_wrap=column not in self.left)
        for number, line in enumerate(self.filled()):
            style = self.styles[number] if self.styles else ""
            grid.add_row(*map(as_rich, line), style=LINES.get(style))
        return grid

    def html(self, kind: str = "numbers") -> HTML:
        """For a page; scrolls if it is too wide.  The first entry of a line is its header."""
        head = tag("tr", *(tag("th", name, scope="col") if name else tag("td") for name in self.head))
        lines = [
            tag("tr", tag("th", as_html(first), scope="row"), *(tag("td", as_html(entry)) for entry in rest))
            for first, *rest in self.filled()
        ]
        body = tag("tbody", "\n", join(lines, "\n"), "\n")
        inner = tag("table", tag("thead", head), "\n", body, class_=kind)
        return tag("div", inner, class_="scroll", tabindex="0", role="region", aria_label=self.title)

    def csv(self) -> str:
        """For a spreadsheet: numbers in full precision, and no text that would run as a formula."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        known: dict[str | None, str] = {None: ""}  # names and settings repeat

        def safe(entry: Entry) -> str | float:
            if isinstance(entry, int | float):
                return entry
            if entry is not None and type(entry) is not str:
                return no_formula(as_text(entry))
            if entry not in known:
                known[entry] = no_formula(entry or "")
            return known[entry]

        columns = []
        for name, *column in zip(self.head, *self.filled(), strict=True):
            numbers = {*map(type, column)} <= {int, float, type(None)}  # which the writer knows how to write
            columns.append([safe(name), *(column if numbers else map(safe, column))])
        writer.writerows(zip(*columns, strict=True))
        return text.getvalue().encode("utf-8", "replace").decode()

    def filled(self) -> list[Sequence[Entry]]:
        width = len(self.head)
        return [line if len(line) == width else [*line, *[None] * (width - len(line))] for line in self.lines]


def pieces(entry: Entry) -> Iterable[str | Piece]:
    """What an entry consists of."""
    if entry is None:
        return ()
    if isinstance(entry, str | Piece):
        return (entry,)
    return (str(entry),) if isinstance(entry, int | float) else entry


def as_text(entry: Entry) -> str:
    texts = []
    for piece in pieces(entry):
        if isinstance(piece, Piece):
            texts.append(STYLES[piece.style].text.format(piece.text))
        else:
            texts.append(piece.text if isinstance(piece, HTML) else piece)
    return " ".join(texts)


def as_rich(entry: Entry) -> Text:
    from rich.text import Text

    parts = []
    for piece in pieces(entry):
        name = STYLES[piece.style].rich if isinstance(piece, Piece) else ""
        if name is not None:
            parts.append(Text(one_line(piece.text if isinstance(piece, Piece) else as_text(piece)), name))
    return Text(" ").join(parts)


def as_html(entry: Entry) -> HTML:
    parts: list[object] = []
    for piece in pieces(entry):
        if not isinstance(piece, Piece):
            parts.append(piece)
        elif piece.style or piece.title:
            named = {"role": "img", "aria_label": piece.title, "title": piece.title} if piece.title else {}
            element = STYLES[piece.style].element
            parts.append(tag(element, piece.text, class_=piece.style if element == "span" else None, **named))
        else:
            parts.append(piece.text)
    return join(parts, " ")


def one_line(text: str) -> str:
    return UNFIT.sub(" ", text)


def width_of(text: str) -> int:
    """The width of a text in a terminal: two for most East Asian characters and emoji, none for accents."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, most: int) -> str:
    """The text if it is at most ``most`` wide, else its two ends."""
    if width_of(text) <= most:
        return text
    head, tail = text[: 4 * most], text[-4 * most :]
    while width_of(head) > most // 2:
        head = head[:-1]
    while width_of(tail) > most - 1 - most // 2 or (tail and width_of(tail[0]) == 0):
        tail = tail[1:]
    return f"{head.rstrip(JOINER)}…{tail}"


def no_formula(text: str) -> str:
    """Text that a spreadsheet reads neither as a formula nor as several rows."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if text.startswith(FORMULA) else text
