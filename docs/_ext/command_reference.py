"""``{commands}``: every command of ``varde`` with its arguments and options, from the help texts."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def names(parameter) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    kind = "" if parameter.is_flag else f" {parameter.metavar or '…'}"
    return ", ".join(f"`{option}{kind}`" for option in [*parameter.opts, *parameter.secondary_opts])


def usual(parameter) -> str:
    """The default, where saying it helps."""
    value = parameter.default
    return "" if value is None or callable(value) or isinstance(value, bool) or value in ("", ()) else f"`{value}`"


def described(name: str, command) -> list[str]:
    """Markdown for one command."""
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    usage = " ".join(["varde", name, *(names(one).strip("`") for one in arguments), "[OPTIONS]"])
    rows = [
        f"| {names(one)} | {cell(one.help or '')} | {usual(one)} |"
        for one in command.params
        if one.name != "help" and not getattr(one, "hidden", False)
    ]
    table = ["| | what it does | default |", "|---|---|---|", *rows, ""] if rows else []
    text = re.sub(r"(?m)^Example: (.+)$", r"```text\n\1\n```", command.help or "")
    return [f"## varde {name}", "", "```text", usage, "```", "", text, "", *table]


class Commands(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        import typer

        from varde.cli import app

        group = typer.main.get_command(app)
        lines = [line for name, command in group.commands.items() for line in described(name, command)]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def setup(app) -> dict:
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
