"""Formulas as MathML, which browsers draw by themselves; other renderers of Sphinx need a large script or TeX."""

from __future__ import annotations

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def visit_inline(self, node) -> None:
    self.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def visit_block(self, node) -> None:
    self.body.append(f'<div class="formula">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app) -> dict:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
