"""The placeholders of a shell command: ``{option}``, ``{seed}`` and the columns of an options file.

A value never becomes part of the text that a shell parses: a placeholder becomes a reference to an environment variable
that holds the value.  Whatever is in it (quotes, newlines, ``$(...)``), the shell passes it on uninterpreted, as one
word: ``${X+"$X"}`` is "$X" in whatever quotes or here-document it stands.  Not in single quotes, where the shell fills
nothing in, and not in code for another program, which would run it: there a placeholder is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

PLACE = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*)\}")
QUOTED = re.compile(r"""\\.|(?<!\S)#[^\n]*|'[^']*'|"(?:\\.|[^"\\])*\"""", re.DOTALL)
# A here-document with a quoted end, which has begun and is not over.
UNFILLED = re.compile(r"""<<-?[ \t]*['"\\](\w+)\b[^\n]*\n(?!(?:.*\n)?\t*\1\n)""", re.DOTALL)
CODE = re.compile(r"(?:\beval|\s-[a-z]*c)\s*$")  # before quotes whose contents another interpreter reads
INTEGER = re.compile(r"[+-]?[0-9]+")


def variables(names: Sequence[str]) -> dict[str, str]:
    """The environment variable of each name: VARDE_SIZE for size, made unique."""
    found: dict[str, str] = {}
    for number, name in enumerate(names):
        variable = f"VARDE_{name.upper()}"
        if [other.upper() for other in names].count(name.upper()) > 1:
            variable = f"VARDE_{name}"
        found[name] = variable if re.fullmatch(r"\w+", variable, re.ASCII) else f"VARDE_COLUMN_{number + 1}"
    return found


def fill(template: str, names: Sequence[str]) -> tuple[str, set[str], set[str]]:
    """The command with references for placeholders; the names it uses, and which of them in arithmetic."""
    text, at, used, counted, variable = "", 0, set(), set(), variables(names)
    quotes = [(match.start(), match.end()) for match in QUOTED.finditer(template)]
    first, last = template.find("(("), template.rfind("))")  # between them the shell may calculate
    for match in PLACE.finditer(template):
        text += template[at : match.start()]
        at, name = match.end(), match.group(1)
        begin, end = next(((a, b) for a, b in quotes if a < match.start() < b), (match.start(), match.start()))
        around = template[begin:end]
        if name is None:
            text += match.group()[0]  # {{ and }} stand for braces
        elif name in variable:
            refuse_code(template, begin, match.start(), name, variable[name])
            used.add(name)
            counted |= {name} if 0 <= first < match.start() < last else set()
            text += f'${{{variable[name]}+"${variable[name]}"}}'
        elif around.startswith("'"):
            text += match.group()  # such as awk '{print}'
        else:
            raise ValueError(
                f"there is no {{{name}}} to fill in: write one of {', '.join(f'{{{n}}}' for n in names)}, "
                f"or {{{{{name}}}}} for {{{name}}} itself"
            )
    return text + template[at:], used, counted


def refuse_code(template: str, begin: int, start: int, name: str, variable: str) -> None:
    """Refuse a placeholder where the shell substitutes nothing, or where another interpreter would run the value.

    The quotes around it, if there are any, begin at ``begin``.
    """
    quote, where = template[begin] if begin < start else "", f"in {template!r}"
    if quote in ("'", '"') and CODE.search(template[:begin]):
        raise ValueError(
            f"{{{name}}} is part of code for another program {where}, which would run its contents: write that code "
            f"in single quotes, and the environment variable {variable} instead, as in sh -c 'run \"${variable}\"'"
        )
    if quote == "'" or (quote == '"' and re.search(r"[(`][^)`]*'", template[begin:start])):
        raise ValueError(
            f"{{{name}}} is inside single quotes {where}, where the shell fills nothing in: write {{{name}}} without "
            "quotes, it is one word whatever it holds, or use double quotes"
        )
    if UNFILLED.search(template[:start]):
        words = f"{{{name}}} is in a here-document whose end is quoted {where}"
        raise ValueError(f"{words}, where the shell fills nothing in: write <<END without quotes")
    if template[start - 1 : start] in ("\\", "$"):
        raise ValueError(f"the shell splits {{{name}}} {where}: write it with spaces around it")
