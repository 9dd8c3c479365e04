"""Text from anywhere, made fit for a page."""

from __future__ import annotations

import html
import re

# Characters that XML and HTML have no place for; lone surrogates cannot even be encoded.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def escape(text: object) -> str:
    """``text`` shown as it is, in the body of a page or in a quoted attribute."""
    return html.escape(_UNFIT.sub("\ufffd", str(text)), quote=True)
