"""How often what depends on luck is tried: a few times in every run, many times by ``make long``."""

import os


def times(few, many):
    return many if os.environ.get("VARDE_LONG") else few
