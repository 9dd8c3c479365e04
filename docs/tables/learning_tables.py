"""The table of docs/learning.md."""

from fill import markdown, results


def attacks() -> str:
    found = results("learning-attacks")
    lines = [
        [f"`{name}`", about, *(f"{found[when][name]} of {found['runs']}" for when in ("before", "after"))]
        for name, about in found["about"].items()
    ]
    return markdown(["number", "attack: what counts as bold and wrong", "before", "now"], lines)


TABLES = {"attacks": attacks}
