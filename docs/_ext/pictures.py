"""A <picture> of a light and a dark file, as GitHub shows it, follows the theme that the reader chose on the site."""

from __future__ import annotations

import re

from docutils import nodes


def redraw(app, doctree) -> None:
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


def setup(app) -> dict:
    app.connect("doctree-read", redraw, priority=100)  # before Sphinx copies the images
    return {"parallel_read_safe": True, "parallel_write_safe": True}
