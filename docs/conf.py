"""How the site is built: ``make docs``, into build/site.  Nothing is fetched, neither by the build nor by its pages."""

from __future__ import annotations

import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS / "_ext"), str(DOCS.parent / "src")]

project = "varde"
release = re.search(r'__version__ = "(.+)"', (DOCS.parent / "src" / "varde" / "__init__.py").read_text())[1]
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "command_reference",
    "pages",
    "records",
]
exclude_patterns = ["_ext", "design", "figures", "tables"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 4
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types in signatures, of numpy and of Python

autodoc_default_options = {"members": True, "member-order": "bysource"}
napoleon_numpy_docstring = False
autodoc_typehints_format = "short"
SHORT = ("Actions", "Rows", "WorldLike")  # types that are long in full
autodoc_type_aliases = {name: name for name in SHORT}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "varde"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_math_renderer = "mathml"
smartquotes = False  # they make one dash of the two of an option
html_favicon = "_static/icon.svg"
highlight_language = "text"
pygments_style = "a11y-light"  # comes with furo; comments and numbers have a contrast of 4.6 or more
pygments_dark_style = "native"
