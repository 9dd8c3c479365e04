"""The command line: one file per family of commands."""

from . import ask_tell, compare, report, reproduce, run  # noqa: F401  (each file registers its commands)
from .app import app


def main() -> None:
    """The entry point ``varde``."""
    app()
