"""Links to files of the repository outside docs/ lead to pages that show those files."""

from __future__ import annotations

import os
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import download_reference, pending_xref

ROOT = Path(__file__).parents[2]
FOLDER = "repository"
LANGUAGES = {".py": "python", ".json": "json", ".toml": "toml", ".md": "markdown"}


def redirect(app, doctree) -> None:
    """Replace each such link of a page, and remember the file."""
    files = app.env.repository_files.setdefault(app.env.docname, set())
    here = Path(app.env.doc2path(app.env.docname)).parent
    links = [(link, here / link["reftarget"]) for link in doctree.findall(download_reference)]
    # Markdown outside docs/ is taken for a page of the site, with its whole path.
    pages = [link for link in doctree.findall(pending_xref) if link["reftarget"].startswith("/")]
    for link, place in [*links, *((link, Path(f"{link['reftarget']}.md")) for link in pages)]:
        target = place.resolve()
        if not target.is_file() or ROOT not in target.parents:
            continue  # Sphinx warns of links that lead nowhere
        path = target.relative_to(ROOT).as_posix()
        files.add(path)
        up = os.path.relpath(".", Path(app.env.docname).parent)
        reference = nodes.reference("", "", *link.children, refuri=f"{up}/{FOLDER}/{path}.html", internal=True)
        link.replace_self(reference)


def pages(app):
    for path in sorted(set().union(*app.env.repository_files.values())):
        text = (ROOT / path).read_text()
        code = app.builder.highlighter.highlight_block(text, LANGUAGES.get(Path(path).suffix, "text"))
        yield f"{FOLDER}/{path}", {"title": path, "body": f"<h1>{path}</h1>{code}"}, "page.html"


def begin(app, env, names) -> None:
    env.repository_files = getattr(env, "repository_files", {})


def forget(app, env, name) -> None:
    getattr(env, "repository_files", {}).pop(name, None)


def merge(app, env, names, other) -> None:
    env.repository_files.update({name: other.repository_files.get(name, set()) for name in names})


def setup(app) -> dict:
    app.connect("env-before-read-docs", begin)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("doctree-read", redirect, priority=100)  # before Sphinx copies what is linked
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
