"""``Answer``: what a selection, a move and a policy have in common.

Each of the three is a frozen dataclass that knows ``best``, ``p_right``, ``rows`` and so on, and how to say why.
Everything that is made of these, from ``print`` to files, is here.
"""

from __future__ import annotations

import json
import math
import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, overload

from .._files import StoreError
from ..check import refuse, without_numpy
from . import saving
from .sentence import ASSUMPTION, Promise, sentence
from .sheet import Entry, Sheet
from .table import SHOWN, printed, rest_in_words
from .words import filled, named

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # with a default, as in Python 3.13

    from ..certainty.assumptions import Note
    from .page.text import HTML

    T_co = TypeVar("T_co", covariant=True, default=Any)
else:
    T_co = typing.TypeVar("T_co", covariant=True)


BOLD = 0.9  # a chance that is believed, so that what it assumes is said


class Answer(Generic[T_co]):
    """An answer: what to take, how sure that is, and why, for people and for programs.

    ``print`` it, let a notebook show it, ``plot`` it, or export it: ``to_dict``, ``to_json``, ``to_csv``,
    ``to_pandas``, ``to_polars``, ``to_html``.  ``save`` and ``load`` keep all of it; answers can be pickled, and are
    equal if all that is known is equal.
    """

    _kind: ClassVar[str]  # "Selection", "Move" or "Policy"
    _texts: ClassVar[Sequence[str]]  # the columns of a table that hold text, what a row is about first
    _records: ClassVar[Sequence[type]] = ()  # that a file may contain

    if TYPE_CHECKING:  # what every answer knows; some have it as a field

        @property
        def best(self) -> T_co:
            """The option, action or policy itself; a list of options, best first, if the goal asks for several."""

        @property
        def best_name(self) -> Any:
            """The same as text."""

        @property
        def p_right(self) -> float:
            """The chance that the answer is right."""

        @property
        def interval(self) -> tuple[float, float]:
            """The 95 % interval of the value of the best; infinite where nothing is known."""

        @property
        def expected_regret(self) -> float:
            """The expected loss of the answer against the truly right one."""

        @property
        def stopped(self) -> str:
            """What ended the search: "budget", "seconds", "sure", "interrupted", "outage", or "not yet"."""

        @property
        def spent(self) -> float:
            """The budget that was spent."""

        @property
        def notes(self) -> Sequence[Note]:
            """All that is to be said beside the sentence: what speaks against it, details, and what is only assumed."""

        @property
        def rows(self) -> Sequence[Any]:
            """What is known of each option, action or state."""

        @property
        def ranked(self) -> Sequence[Any]:
            """The rows in the order in which they are shown."""

        @property
        def _unit(self) -> str:
            """What the budget consists of."""

        def _headline(self, most: int = ...) -> str:
            """The recommendation in a few words, with names that are at most so wide."""

        def _reasons(self, most: int) -> Sequence[str]:
            """How sure that is, in one sentence that has no full stop: the fullest first, then shorter ones."""

        def _entries(self, row: Any, decimals: int | None) -> dict[str, Entry]:
            """A row of the printed table by the heads of its columns; the name is filled in."""

        def _drawn(self, brief: bool) -> HTML:
            """What a page shows of it, below the words."""

        def _axes(self) -> tuple[str, str, str, float | None]:
            """For a plot: what is estimated, what n counts, the name of the chance, and where a reference line goes."""

        def _about(self) -> dict[str, Any]:
            """What only this kind of answer has, as JSON types."""

    # -- in words ------------------------------------------------------------------------------------

    @property
    def sentence(self) -> str:
        """The decision and the chance that it is right: one line of at most 200 letters; the ``notes`` say more."""
        return sentence(self)

    def __str__(self) -> str:
        below = "\n".join(
            filled(note.text) for note in self.notes if note.severity != ASSUMPTION or self.p_right >= BOLD
        )
        return f"{filled(self.sentence)}\n\n{printed(self)}" + (f"\n\n{below}" if below else "")

    def __repr__(self) -> str:
        return f"<{self._kind}: {self.sentence}>"

    def _promise(self) -> Promise | None:
        """What the stopping rule promised, if one ended the search."""
        return None

    def _top(self, most: int) -> Sequence[Any]:
        """The first rows of those ``ranked``."""
        return self.ranked[:most]

    def _printed(self) -> Sequence[Any]:
        """The rows that are printed."""
        return self._top(SHOWN)

    def _rest(self, shown: int) -> str:
        """What is left out of a table, in words."""
        return rest_in_words([row.verdict for row in self.ranked[shown:]])

    # -- for programs --------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON types; infinite or missing numbers are None, and what JSON cannot hold is text."""
        return {
            "best": plain(self.best) if self._kind != "Policy" else self.best_name,
            "best_name": self.best_name,
            "sentence": self.sentence,
            "p_right": finite(self.p_right),
            "interval": [*map(finite, self.interval)],
            "expected_regret": finite(self.expected_regret),
            "stopped": self.stopped,
            "spent": self.spent,
            "notes": [
                {**note._asdict(), "options": list(note.options), "size": finite(note.size)} for note in self.notes
            ],
            **self._about(),
            "rows": [plain(cells) for cells in self._json_rows()],
        }

    @overload
    def to_json(self) -> str: ...
    @overload
    def to_json(self, path: str | Path) -> None: ...
    def to_json(self, path: str | Path | None = None) -> str | None:
        """Write ``to_dict`` to ``path`` as JSON, or return it without a path."""
        return written(json.dumps(self.to_dict(), allow_nan=False), path)

    @overload
    def to_csv(self) -> str: ...
    @overload
    def to_csv(self, path: str | Path) -> None: ...
    def to_csv(self, path: str | Path | None = None) -> str | None:
        """Write one line per row to ``path`` as CSV, or return it without a path."""
        columns = self._columns(False)
        lines = [
            ["" if finite(cell) is None else cell for cell in line] for line in zip(*columns.values(), strict=True)
        ]
        return written(Sheet(list(columns), lines).csv(), path)

    def to_pandas(self, values: bool = False) -> Any:
        """A pandas data frame of the rows, indexed by name; with ``values=True`` a row per raw result of a selection.

        Needs ``varde[pandas]``.
        """
        frame = library("pandas").DataFrame(self._columns(values))
        return frame if values else frame.set_index(next(iter(frame.columns)))

    def to_polars(self, values: bool = False) -> Any:
        """The same as a polars data frame, with the name as the first column; needs ``varde[polars]``."""
        return library("polars").DataFrame(self._columns(values))

    def _columns(self, values: bool) -> dict[str, Any]:
        """The columns of a table: of the rows, or of the raw results."""
        if values:
            refuse("values", values, f"nothing: a {self._kind.lower()} keeps no single results", TypeError)
        rows = self._cells()
        return {head: [flat(row[head]) for row in rows] for head in rows[0]}

    def _cells(self) -> list[dict[str, Any]]:
        """The rows by column, the name first, called after what it names."""
        return [{self._texts[0]: row.name} | dict(list(row._asdict().items())[1:]) for row in self.rows]

    def _json_rows(self) -> list[dict[str, Any]]:
        return [{"name": row.name} | dict(list(row._asdict().items())[1:]) for row in self.rows]

    # -- as a page and a picture ---------------------------------------------------------------------

    @overload
    def to_html(self) -> str: ...
    @overload
    def to_html(self, path: str | Path) -> None: ...
    def to_html(self, path: str | Path | None = None) -> str | None:
        """Write a page to ``path``, or return it without one: one file, readable anywhere, also on a phone."""
        from .document import whole_page

        return written(whole_page(self), path)

    def _repr_html_(self) -> str:
        from .document import fragment

        return fragment(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw estimates with their intervals on ``ax``, or on pyplot's current figure; returns the axes.

        Needs ``varde[plot]``.
        """
        from .plot import draw

        return draw(self, ax)

    # -- kept ----------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write everything to a JSON file, for ``load``.

        Options, states and actions may be texts, numbers, or lists, tuples and dicts of them.
        """
        saving.write(self._kind, self._state(), Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what ``save`` wrote."""
        return cls._of_state(saving.read(cls._kind, Path(path), cls._records), path)

    def _state(self) -> dict[str, Any]:
        """All that is known, by field."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.compare}  # type: ignore[arg-type]

    @classmethod
    def _of_state(cls, state: dict[str, Any], path: str | Path) -> Self:
        try:
            return cls(**state)
        except TypeError as error:
            raise StoreError(f"{path} is damaged ({error}): use a copy, or run it again") from error

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: nothing that can be computed again."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | self._state()  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Answer) or type(self) is not type(other):
            return NotImplemented
        return saving.same(self._state(), other._state())

    __hash__: ClassVar[None] = None  # type: ignore[assignment]


def finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def plain(value: Any) -> Any:
    """As JSON has it; what it has no word for is text."""
    value = without_numpy(value)
    if isinstance(value, Mapping):
        return {named(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if value is None or isinstance(value, str | bool | int | float):
        return finite(value)
    return named(value)


def flat(value: Any) -> Any:
    """As a cell has it: a number, or text."""
    value = without_numpy(value)
    return value if value is None or isinstance(value, str | bool | int | float) else named(value)


def written(text: str, path: str | Path | None) -> str | None:
    """Write the text; only without a path it is returned, since a notebook would show all of it."""
    if path is None:
        return text
    saving.write_text(text, path)
    return None


def library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(f"to_{name} needs {name}: pip install 'varde[{name}]'") from None
