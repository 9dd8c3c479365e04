"""How often what depends on luck is tried: a few times in every run, many times by ``make long``."""

import os

LONG = bool(os.environ.get("VARDE_LONG"))


def times(few, many):
    return many if LONG else few


def only(test):
    """Decorates a test of which a shorter form is in every run; ``make long`` alone collects it."""
    return test if LONG else None
