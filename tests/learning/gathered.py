"""Data by rows from a log of transitions."""

import numpy as np

from varde.rows import Rows


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
