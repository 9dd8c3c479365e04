"""``python -m varde``: the command line."""

from .cli import main

main()
