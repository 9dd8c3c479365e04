"""What Sphinx, MyST and the theme leave to do on a page: formulas, pictures for two themes, descriptions, roles."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

MOST = 300  # letters of a description
RESULTS = Path(__file__).parents[1] / "results" / "paper"


# -- formulas as MathML, which browsers draw by themselves; other renderers need a large script or TeX -----------------


def inline_formula(self: Any, node: nodes.Element) -> None:
    self.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def block_formula(self: Any, node: nodes.Element) -> None:
    self.body.append(f'<div class="formula">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


# -- a <picture> of a light and a dark file, as GitHub shows it, follows the theme that the reader chose ---------------


def redraw(app: Any, doctree: nodes.document) -> None:
    """Replace every picture by two images, of which the theme hides one."""
    for block in list(doctree.findall(nodes.raw)):
        html = block.astext()
        if not html.lstrip().startswith("<picture>"):
            continue
        dark, light = (re.search(rf'{name}="(.+?)"', html)[1] for name in ("srcset", "src"))
        words = re.search(r'alt="(.*?)"', html, re.DOTALL)[1]
        about = {"alt": " ".join(words.split()), "candidates": {}}
        images = [nodes.image(uri=uri, classes=[f"only-{uri[-9:-4].strip('-')}"], **about) for uri in (light, dark)]
        block.replace_self(images)


# -- what screen readers stumble over, and what a search engine says about a page --------------------------------------


def mended(html: str) -> str:
    html = html.replace(' role="heading"', ' role="heading" aria-level="2"')  # captions of the contents
    html = re.sub(r"<th(?: [^>]*)?>(?:<p></p>)?</th>", "<td></td>", html)  # a head without words
    return re.sub(r'<dt class="sig.*?</dt>', in_lines, html, flags=re.DOTALL)


def in_lines(signature: re.Match[str]) -> str:
    """A signature of several lines, which is not a list of definitions without terms."""
    html = re.sub(r"</d[ld]>", "</div>", signature[0])
    return html.replace("<dl>", '<div class="lines">').replace("<dd>", "<div>")


def finish(app: Any, name: str, template: str, context: dict[str, Any], page: nodes.document | None) -> None:
    for part in {"body", "furo_navigation_tree"} & context.keys():
        context[part] = mended(context[part])
    first = next(page.findall(nodes.paragraph), None) if page is not None else None
    if first is not None:
        words = " ".join(first.astext().split())
        said = words if len(words) <= MOST else f"{words[:MOST].rsplit(' ', 1)[0]} …"
        context["metatags"] = f'{context.get("metatags", "")}\n<meta name="description" content="{escape(said)}">'


# -- the page of the paper, from the results that are kept, beside the pages of the site -------------------------------


def write_report(app: Any, exception: Exception | None) -> None:
    from varde.studies.report import write_report

    if exception is None and app.builder.format == "html":
        target = Path(app.outdir) / "reproduced"
        target.mkdir(exist_ok=True)
        write_report(RESULTS, target)


def setup(app: Any) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (inline_formula, None), (block_formula, None))
    app.connect("doctree-read", redraw, priority=100)  # before Sphinx copies the images
    app.connect("html-page-context", finish, priority=900)  # after the theme
    app.connect("build-finished", write_report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
