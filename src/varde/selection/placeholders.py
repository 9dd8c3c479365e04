"""The placeholders of a shell command: ``{option}``, ``{seed}`` and the columns of an options file.

A value never becomes part of the text that a shell parses: a placeholder becomes a reference to an environment variable
that holds the value.  Whatever is in it (quotes, newlines, ``$(...)``), the shell passes it on uninterpreted.  How the
reference is written depends on the context, such as ``"--name={option}"`` or a here-document, found by a parser of the
shell's quoting; if that is mistaken, words may be split but nothing is executed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

PLACE = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*)\}")
HERE = re.compile(r"<<(?!<)-?[ \t]*((?:\\.|'[^']*'|\"[^\"]*\"|[^\s;&|<>()'\"\\])+)")
CODE = re.compile(r"(?:\beval|\s-[a-z]*c)\s*$")  # before quotes whose contents another interpreter reads
INTEGER = re.compile(r"[+-]?[0-9]+")

# The open quotes and brackets at some point of a command, innermost last.
SINGLE, DOUBLE, COMMENT, BACKTICKS, SUBSHELL, ARITHMETIC, PARENTHESIS = "'", '"', "#", "`", "(", "((", "+("
DOCUMENTS = OPEN_DOCUMENT, QUOTED_DOCUMENT = "<<", "<<'"


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
    found = contexts(template)
    for match in PLACE.finditer(template):
        text += template[at : match.start()]
        at, name, within = match.end(), match.group(1), found.get(match.start())
        if name is None:
            text += match.group()[0]  # {{ and }} stand for braces
        elif name in variable:
            if within is None:
                raise ValueError(f"the shell splits {{{name}}} in {template!r}: write it with spaces around it")
            refuse_code(template, match.start(), name, variable[name], within)
            used.add(name)
            reference = f"${{{variable[name]}}}"
            if within in (ARITHMETIC, PARENTHESIS):
                counted.add(name)
            text += reference if within in (DOUBLE, OPEN_DOCUMENT, ARITHMETIC, PARENTHESIS) else f'"{reference}"'
        elif within in (SINGLE, QUOTED_DOCUMENT):
            text += match.group()  # such as awk '{print}'
        else:
            raise ValueError(
                f"there is no {{{name}}} to fill in: write one of {', '.join(f'{{{n}}}' for n in names)}, "
                f"or {{{{{name}}}}} for {{{name}}} itself"
            )
    return text + template[at:], used, counted


def refuse_code(template: str, start: int, name: str, variable: str, within: str) -> None:
    """Refuse a placeholder where the shell substitutes nothing, or where another interpreter would run the value."""
    before = template[:start].rpartition(within)[0] if within in (SINGLE, DOUBLE) else ""
    if CODE.search(before):
        raise ValueError(
            f"{{{name}}} is part of code for another program in {template!r}, which would run its contents: write "
            f"that code in single quotes, and the environment variable {variable} instead, as in "
            f"sh -c 'run \"${variable}\"'"
        )
    if within == SINGLE:
        raise ValueError(
            f"{{{name}}} is inside single quotes in {template!r}, where the shell fills nothing in: write "
            f"{{{name}}} without quotes, it is one word whatever it holds, or use double quotes"
        )
    if within == QUOTED_DOCUMENT:
        raise ValueError(
            f"{{{name}}} is in a here-document whose end is quoted in {template!r}, where the shell fills nothing "
            "in: write <<END without quotes"
        )


def contexts(template: str) -> dict[int, str]:
    """The quoting context of each placeholder, '' outside quotes; without those the shell splits, as in a name or
    after a backslash."""
    places = {match.start(): match.end() for match in PLACE.finditer(template)}
    found: dict[int, str] = {}
    stack: list[str] = []
    documents: list[tuple[str, str]] = []  # kinds and ends of the here-documents that begin with the next line
    ends: list[str] = []  # of those that have begun
    at = 0
    while at < len(template):
        within, letter, width = stack[-1] if stack else "", template[at], 1
        if at in places:
            found[at] = within
            width = places[at] - at
        elif letter == "\n" and within not in (SINGLE, DOUBLE):
            if within == COMMENT:
                stack.pop()
            for kind, end in reversed(documents):
                stack.append(kind)
                ends.append(end)
            documents.clear()
            line = template[at + 1 :].partition("\n")[0]
            if stack and stack[-1] in DOCUMENTS and line.lstrip("\t") == ends[-1]:
                stack.pop()
                ends.pop()
                width += len(line)
        elif within in (SINGLE, COMMENT, QUOTED_DOCUMENT):
            if letter == within == SINGLE:
                stack.pop()
        else:
            width = 2 if letter == "\\" else step(template, at, within, stack, documents)
        at += width
    return found


def step(template: str, at: int, within: str, stack: list[str], documents: list[tuple[str, str]]) -> int:
    """Track what opens or closes here; returns how many characters that takes."""
    rest, plain = template[at : at + 3], within in ("", SUBSHELL, BACKTICKS)
    here = HERE.match(template, at) if plain and rest.startswith("<<") else None
    if within == ARITHMETIC and rest.startswith("))"):
        stack.pop()
        return 2
    if (within, rest[0]) in ((DOUBLE, '"'), (BACKTICKS, "`"), (SUBSHELL, ")"), (PARENTHESIS, ")")):
        stack.pop()
    elif rest == "$((" or (plain and rest.startswith("((")):
        stack.append(ARITHMETIC)
        return 3 if rest == "$((" else 2
    elif rest.startswith("$("):
        stack.append(SUBSHELL)
        return 2
    elif rest[0] == "`":
        stack.append(BACKTICKS)
    elif rest[0] == "(" and within in (ARITHMETIC, PARENTHESIS):
        stack.append(PARENTHESIS)
    elif plain and here is not None:
        end = re.sub(r"['\"\\]", "", here.group(1))
        documents.append((OPEN_DOCUMENT if end == here.group(1) else QUOTED_DOCUMENT, end))
        return len(here.group())
    elif plain and rest.startswith("<<<"):
        return 3
    elif plain and rest[0] in "'\"(":
        stack.append(rest[0])
    elif plain and rest[0] == "#" and (at == 0 or template[at - 1] in " \t\n;&|()`"):
        stack.append(COMMENT)
    return 1
