"""Uniform allocation: every arm in turn."""

from __future__ import annotations

from typing import NamedTuple

from .loop import select


class Uniform(NamedTuple):
    """Uniform allocation: pull arm t mod K."""


@select.of(Uniform)
def next_in_turn(algorithm, memory, arms, t, rng):
    return t % arms.counts.size
