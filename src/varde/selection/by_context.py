"""Which option for which context: VarDE where every context has a leader of its own.

A cell is an option in a context; cells are the options of ``by_alike``, with one belief N(mu, S) about all of them.

    D = sum_c sum_j g_cj Var(theta_cb - theta_cj),      b = b(c), the leader of context c
    a result of cell i lowers it by   sum_c sum_j g_cj (S_cb,i - S_cj,i)^2 / (S_ii + s2_i)

So a result helps wherever contexts resemble each other, and samples go where a context is still open.  The most open
comparison of all contexts has the highest g: a context that is settled does not count because it is one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..beliefs.alike import KNOWN
from ..beliefs.cells import features_of, space_of_cells
from ..beliefs.features import Space
from ..decisions.pairs import steepness, weights
from ..rule import VarDE
from .by_alike import AlikeChooser, Model
from .goals import Goal

MOST = KNOWN  # cells, all of which the belief takes in
EACH, MORE = 2, 5  # results before the first fit: so many of each option, three for each parameter, and a few


class ContextChooser(AlikeChooser):
    """Cell c K + a is option a, of K, in context c."""

    strangers = False  # contexts then tell nothing of each other, and the same belief says so

    def __init__(self, algorithm: VarDE, size: int, warm_start: int, costs: Any, goal: Goal, draws: int, contexts: int):
        super().__init__(algorithm, size, warm_start, costs, goal, draws)
        self.contexts = contexts
        near = range(max(round(0.4 * contexts), 1), 2 * contexts + 2)
        self.stride = next(step for step in near if math.gcd(step, contexts) == 1)  # visits every context

    @property
    def is_due(self) -> bool:
        told = int(self.moments.counts.sum())
        return told >= (self.due if self.logs is not None else self.first_fit)

    @property
    def first_fit(self) -> int:
        options, parameters = self.pending.size // self.contexts, len(self.placed().parameters)
        return min(EACH * options + 3 * parameters + MORE, self.pending.size)

    def placed(self) -> Space:
        if self.space is None:
            size = len(self.rows) // self.contexts
            self.space = space_of_cells(size, self.contexts, features_of(self.rows, self.contexts))
        return self.space

    def planned(self) -> Any:
        """Nothing beforehand: which context is there, others may decide."""
        return ()

    def next_cold(self, allowed: np.ndarray | None) -> int | None:
        """Before the first fit: contexts in turn, options equally often."""
        if self.logs is not None:
            return None
        cells = self.moments.counts + self.pending
        table = cells.reshape(self.contexts, -1)
        open_to = np.ones(cells.size, bool) if allowed is None else allowed.copy()
        open_to[[*self.excluded]] = False
        open_to = open_to.reshape(table.shape)
        if not open_to.any():
            return None
        turns = (np.arange(self.contexts) * self.stride) % self.contexts
        c = min(turns[open_to[turns].any(axis=1)], key=lambda c: int(table[c].sum()))
        # On ties another option first in every context, so that no two are always drawn together.
        order = (np.arange(table.shape[1]) - self.drawn) % table.shape[1]
        often = np.where(open_to[c], table.sum(axis=0) * table.shape[1] + order, math.inf)
        return int(c) * table.shape[1] + int(often.argmin())

    def make_model(self, *known: Any) -> Model:
        return Contexts(self.contexts, *known)


class Contexts(Model):
    """The belief about the cells."""

    def __init__(self, contexts: int, algorithm: VarDE, space: Any, *known: Any):
        super().__init__(algorithm, space, *known)
        self.context = self.options // (len(space.points) // contexts)

    def leaders(self) -> np.ndarray:
        """[n] the place of the leader of the context of each cell."""
        order = np.lexsort((-np.arange(self.means.size), self.means))  # the last of its context is the first of ties
        leader = np.zeros(int(self.context.max()) + 1, int)
        leader[self.context[order]] = order
        found: np.ndarray = leader[self.context]
        return found

    def scores(self, pending: np.ndarray, prices: np.ndarray | None) -> np.ndarray:
        leaders, own = self.leaders(), np.diagonal(self.covariance)
        places = np.arange(own.size)
        errors = own + own[leaders] - 2.0 * self.covariance[leaders, places]
        x = steepness(self.means[leaders] - self.means, np.maximum(errors, 0.0))
        x[leaders == places] = np.inf
        apart = self.covariance[leaders] - self.covariance
        apart *= apart
        found: np.ndarray = weights(x) @ apart / (own + self.noise)
        return found
