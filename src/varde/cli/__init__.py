"""The command line: one file per family of commands."""

from . import compare, report, reproduce  # noqa: F401  (each file registers its commands)
from .app import app


def main() -> None:
    """The entry point ``varde``."""
    app()
