"""The command line: one file per family of commands."""

# Each file registers its commands, and the help has them in this order.
from . import run, judge, time, ask_tell, report, serve, plan, learn, reproduce, warm  # noqa: F401  # isort: skip
from .app import app


def main() -> None:
    """The entry point ``varde``."""
    app(prog_name="varde")
