"""Data by rows from a log of transitions, and tables in other units."""

from dataclasses import replace

import numpy as np

from varde.rows import Rows
from varde.worlds.record import EXACT


def gather(
    widths,
    states,
    actions,
    rewards,
    after,
    starts,
):
    """The data of a log of transitions; ``widths [S]`` counts the actions, ``starts [S]`` the starts."""
    first = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    pair = first[states] + actions
    names, place = np.unique(np.stack([pair, after]), axis=1, return_inverse=True)
    place = place.reshape(-1)
    counts = np.bincount(place, minlength=names.shape[1])
    means = np.bincount(place, rewards, names.shape[1]) / np.maximum(counts, 1)
    squares = np.bincount(pair, (rewards - means[place]) ** 2, first[-1])
    rows = np.searchsorted(names[0], np.arange(first[-1] + 1))
    return Rows(first, rows.astype(np.int64), names[1], counts, means, squares, starts)


def transitions(widths, *steps, starts=None):
    """What steps (state, action, reward, after) have shown."""
    states, actions, rewards, after = (np.array(column) for column in zip(*steps, strict=True))
    begun = np.eye(1, len(widths), 0, dtype=np.int64)[0] if starts is None else np.array(starts)
    return gather(np.array(widths), states, actions, rewards.astype(float), after, begun)


def in_other_units(world, factor=1.0, shift=0.0):
    """The same table with exact rewards, in another unit and from another zero."""
    pairs, outcomes = world.model.pairs.copy(), world.model.outcomes.copy()
    for numbers in (pairs["expected"], outcomes["reward"]):
        numbers *= factor
        numbers += shift
    return replace(world, model=world.model._replace(pairs=pairs, outcomes=outcomes, noise=EXACT))
