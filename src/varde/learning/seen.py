"""Everything observed, by rows: the data behind certificates, files and merged learners."""

from __future__ import annotations

import numpy as np

from ..rows import END, Rows
from .experience import END as OVER
from .loop import Run


def gather(
    widths: np.ndarray,
    states: np.ndarray,
    actions: np.ndarray,
    rewards: np.ndarray,
    after: np.ndarray,
    starts: np.ndarray,
) -> Rows:
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


def seen_of(run: Run) -> Rows:
    """The data of a run; terminal states have no actions."""
    task, experience, met = run.task, run.seen, int(run.task.met[0])
    widths = np.where(task.discounts[:met] == 0.0, 0, task.widths[:met])
    legal = np.arange(task.num_actions) < widths[:, None]
    kinds, rows = experience.kinds[:met][legal], experience.rows[:met][legal]
    place = np.concatenate([[0], np.cumsum(kinds)])
    at = np.repeat(rows - place[:-1], kinds) + np.arange(place[-1])
    to = experience.to[at]
    return Rows(
        np.concatenate([[0], np.cumsum(widths)]),
        place,
        np.where(to == experience.at[OVER] - 1, END, to),
        experience.counts[at],
        experience.means[at],
        experience.within[:met][legal],
        experience.starts[:met].copy(),
    )
