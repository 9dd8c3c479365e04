"""Docstrings in the reference: prose as it is, indented lines as formulas, and comments as the meaning of fields."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import io
import re
import textwrap
import tokenize

from docutils import nodes
from sphinx.util.inspect import object_description

# users only read these
RESULTS = {"Certificate", "Draw", "Estimate", "Move", "Policy", "Selection", "Standing", "Told"}


def meanings(cls: type) -> dict[str, str]:
    """Field and comment, of a NamedTuple or a dataclass."""
    source = textwrap.dedent(inspect.getsource(cls))
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and not token.line.lstrip().startswith("#")
    }
    fields = [node for node in ast.parse(source).body[0].body if isinstance(node, ast.AnnAssign)]
    return {node.target.id: comments.get(node.end_lineno, "") for node in fields if not node.target.id.startswith("_")}


def escaped(text: str) -> str:
    """Prose in which only ``double backticks`` mean something."""
    parts = text.split("``")
    parts[::2] = [re.sub(r"[*|]|(?<=\w)_(?!\w)", r"\\\g<0>", part) for part in parts[::2]]
    return "``".join(parts)


def as_it_reads(app, what, name, obj, options, lines) -> None:
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines).strip())
    for i, text in enumerate(paragraphs):
        if text.startswith(" "):
            paragraphs[i] = text if paragraphs[i - 1].endswith("::") else f"::\n\n{text}"
        elif text.startswith("* "):
            paragraphs[i] = "\n".join(line[:2] + escaped(line[2:]) for line in text.split("\n"))
        elif not text.startswith(">>>"):
            paragraphs[i] = escaped(text)
    lines[:] = [*"\n\n".join(paragraphs).split("\n"), ""]


def add_fields(app, what, name, obj, options, lines) -> None:
    if not inspect.isclass(obj) or not (dataclasses.is_dataclass(obj) or "_fields" in vars(obj)):
        return
    told = {field: comment for field, comment in meanings(obj).items() if comment}
    if told:
        lines += ["", *(f"* ``{field}``: {escaped(comment)}" for field, comment in told.items()), ""]


def skip_aliases(app, what, name, obj, skip, options) -> bool | None:
    """Fields of a NamedTuple have docstrings that say nothing."""
    return True if (getattr(obj, "__doc__", None) or "").startswith("Alias for field number") else None


def shorten(app, what, name, obj, options, signature, returned):
    if what == "class" and obj.__name__ in RESULTS:
        return "", None
    for value in getattr(obj, "_field_defaults", {}).values():  # Sphinx writes records as tuples, without their names
        if signature and hasattr(value, "_fields"):
            signature = signature.replace(f"= {object_description(value)}", f"= {value!r}")
    if signature:  # what cannot be evaluated stands in quotes, and functions and factories with their addresses
        signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", signature)
        signature = re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", signature)
        signature = re.sub(r"<(function|factory|bound)[^=]*?>(?=[,)])", "...", signature)
    return signature, None if returned == "None" else returned


def plain_dashes(app, doctree) -> None:
    """What Sphinx writes between a parameter and its meaning."""
    for text in [text for text in doctree.findall(nodes.Text) if text == " -- "]:
        text.parent.replace(text, nodes.Text(": "))


def setup(app) -> dict:
    app.connect("autodoc-process-docstring", as_it_reads)
    app.connect("autodoc-process-docstring", add_fields)
    app.connect("autodoc-skip-member", skip_aliases)
    app.connect("autodoc-process-signature", shorten)
    app.connect("doctree-read", plain_dashes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
