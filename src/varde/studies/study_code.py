"""The code of a study file as far as it can have to do with measuring; the rest may be edited without measuring again.

Left out are comments and documentation, what ``Study`` and ``Paper`` are told about showing and judging (published
numbers, claims, titles, figures), what stands under ``if __name__ == "__main__"``, and then functions and constants
that nothing uses any more.  When in doubt, code counts: better measure once too often than keep old numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

# By name of a call: the arguments that count, in their order; None for one that does not.
CALLS = {
    "Study": ("name", None, "cells", None, "block"),
    "bandit_study": ("name", "problems", "algorithms"),
    "Paper": (None, "tables", None, None, "further"),
}
SHOWN = {"title", "runs", "published", "published_runs", "relative", "absolute", "span", "percent", "unit", "pooled"}
SHOWN |= {"digits", "notes", "findings", "figure", "place", "reasons", "method", "rate", "claims"}
ROOTS = {"paper", "studies", "study"}
# Calls that do nothing but return something.
PURE = {"Figure", "Claim", "lowest", "highest", "below", "above", "dict", "list", "tuple", "set", "zip", "range", "str"}
PURE |= {"int", "float", "enumerate", "round", "len", "sorted", "min", "max", "sum", "abs"}
# Names by which code may read what it does not name.
DYNAMIC = {"eval", "exec", "globals", "locals", "vars", "getattr", "__import__", "importlib", "inspect", "sys"}


def measuring_code(files: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Of each file, by name, as text."""
    kept: set[str] = set()  # arguments that the code itself reads, so that they count
    while True:
        trees = [Shortened(kept).visit(ast.parse(text)) for _, text in files]
        while any(drop_unused(tree, used) for used in [used_in(trees)] for tree in trees):
            pass
        nodes = [node for tree in trees for node in ast.walk(tree)]
        if any(isinstance(node, ast.Name) and node.id in DYNAMIC for node in nodes):  # anything may be read
            return [(name, ast.dump(Shortened(SHOWN).visit(ast.parse(text)))) for name, text in files]
        found = {node.attr for node in nodes if isinstance(node, ast.Attribute)} & SHOWN - kept
        if not found:
            return [(name, ast.dump(tree)) for (name, _), tree in zip(files, trees, strict=True)]
        kept |= found


class Shortened(ast.NodeTransformer):
    """Without documentation, without what is not run here, and without arguments that are for showing and judging."""

    def __init__(self, kept: set[str]):
        self.kept = kept

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """Documentation is a text that nobody uses."""
        self.generic_visit(node)
        return None if isinstance(node.value, ast.Constant) else node

    def visit_If(self, node: ast.If) -> ast.AST | None:
        """A study file is never the main program here."""
        if not node.orelse and ast.unparse(node.test).replace('"', "'") == "__name__ == '__main__'":
            return None
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in CALLS and not any(isinstance(arg, ast.Starred) for arg in node.args):
            known = CALLS[name]
            node.args = [
                arg
                for arg, what in zip(node.args, [*known, *[None] * len(node.args)], strict=False)
                if what is not None or self.kept or does_something(arg)
            ]
            node.keywords = [
                one for one in node.keywords if one.arg not in SHOWN - self.kept or does_something(one.value)
            ]
        return node


def does_something(value: ast.expr) -> bool:
    """Whether it gives a name to something by the way."""
    return any(isinstance(node, ast.NamedExpr) for node in ast.walk(value))


def used_in(trees: Sequence[ast.AST]) -> set[str]:
    """Every word by which a function or a constant of a file may be meant, here or in another file."""
    found = set(ROOTS)
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
        elif isinstance(node, ast.ImportFrom) and not is_varde(node):
            found.update(name.name for name in node.names)
    return found


def is_varde(node: ast.ImportFrom) -> bool:
    return not node.level and (node.module or "").split(".")[0] == "varde"


def drop_unused(tree: ast.Module, used: set[str]) -> bool:
    """Drop what only makes something that is not used; returns whether there was any."""
    before, words = len(tree.body), 0
    tree.body = [node for node in tree.body if used & set(made_by(node)) or not is_harmless(node)]
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and is_varde(node):
            names = [name for name in node.names if name.name == "*" or (name.asname or name.name) in used]
            words += len(node.names) - len(names)
            node.names = names
    return len(tree.body) < before or words > 0


def made_by(node: ast.stmt) -> Iterator[str]:
    """The names that a statement gives to something."""
    if isinstance(node, ast.FunctionDef):
        yield node.name
        return
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    for part in (part for target in targets if target is not None for part in ast.walk(target)):
        if isinstance(part, ast.Name):
            yield part.id


def is_harmless(node: ast.stmt) -> bool:
    """Whether a statement does nothing but give names to things."""
    if isinstance(node, ast.FunctionDef):
        return not node.decorator_list and all(
            map(is_plain, [*node.args.defaults, *filter(None, node.args.kw_defaults)])
        )
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) for target in node.targets) and is_plain(node.value)
    if isinstance(node, ast.AugAssign | ast.AnnAssign):
        return isinstance(node.target, ast.Name) and node.value is not None and is_plain(node.value)
    return False


def is_plain(value: ast.expr) -> bool:
    """An expression without effects: its calls are of functions that have none."""
    inner = {id(node) for one in ast.walk(value) if isinstance(one, ast.Lambda) for node in ast.walk(one.body)}
    for node in ast.walk(value):
        if id(node) in inner:  # is not called here
            continue
        if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in PURE):
            return False
    return not does_something(value)
