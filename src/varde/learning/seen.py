"""Everything observed, by rows: the data behind certificates, files and merged learners.

State s has the pairs ``first[s] .. first[s + 1] - 1``, one per action; pair p the outcomes ``rows[p] .. rows[p + 1] -
1``, none if it was never tried.  Rewards are kept per outcome, since they may depend on the successor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .experience import END as OVER
from .loop import Run

END = -1  # the successor where an episode is over


class Seen(NamedTuple):
    first: np.ndarray  # [S + 1] the pairs of a state; none where there is nothing to do
    rows: np.ndarray  # [P + 1] the outcomes of a pair
    to: np.ndarray  # [E] the successor, or END; an outcome may be split over several rows
    counts: np.ndarray  # [E] how often it came
    means: np.ndarray  # [E] mean reward when it came
    squares: np.ndarray  # [P] squared deviations of the reward from the means of its outcomes
    starts: np.ndarray  # [S] how often an episode began there

    @property
    def tried(self) -> np.ndarray:
        """[P] how often each pair was sampled."""
        return added(self.counts, self.rows)

    @property
    def owners(self) -> np.ndarray:
        """[P] the state of each pair."""
        return np.repeat(np.arange(self.first.size - 1), np.diff(self.first))

    @property
    def pairs(self) -> np.ndarray:
        """[E] the pair of each outcome."""
        return np.repeat(np.arange(self.rows.size - 1), np.diff(self.rows))


def added(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The sum of ``values`` over each of the ``rows``; 0 where one is empty."""
    sums, full = np.zeros(rows.size - 1, values.dtype), np.flatnonzero(np.diff(rows) > 0)
    if full.size:
        sums[full] = np.add.reduceat(values, rows[full])
    return sums


def gather(
    widths: np.ndarray,
    states: np.ndarray,
    actions: np.ndarray,
    rewards: np.ndarray,
    after: np.ndarray,
    starts: np.ndarray,
) -> Seen:
    """The data of a log of transitions; ``widths [S]`` counts the actions, ``starts [S]`` the starts."""
    first = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    pair = first[states] + actions
    names, place = np.unique(np.stack([pair, after]), axis=1, return_inverse=True)
    place = place.reshape(-1)
    counts = np.bincount(place, minlength=names.shape[1])
    means = np.bincount(place, rewards, names.shape[1]) / np.maximum(counts, 1)
    squares = np.bincount(pair, (rewards - means[place]) ** 2, first[-1])
    rows = np.searchsorted(names[0], np.arange(first[-1] + 1))
    return Seen(first, rows.astype(np.int64), names[1], counts, means, squares, starts)


def seen_of(run: Run) -> Seen:
    """The data of a run; terminal states have no actions."""
    task, experience, met = run.task, run.seen, int(run.task.met[0])
    widths = np.where(task.discounts[:met] == 0.0, 0, task.widths[:met])
    legal = np.arange(task.num_actions) < widths[:, None]
    kinds, rows = experience.kinds[:met][legal], experience.rows[:met][legal]
    place = np.concatenate([[0], np.cumsum(kinds)])
    at = np.repeat(rows - place[:-1], kinds) + np.arange(place[-1])
    to = experience.to[at]
    return Seen(
        np.concatenate([[0], np.cumsum(widths)]),
        place,
        np.where(to == experience.at[OVER] - 1, END, to),
        experience.counts[at],
        experience.means[at],
        experience.within[:met][legal],
        experience.starts[:met].copy(),
    )
