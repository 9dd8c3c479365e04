"""Beliefs about the true means of all options, each a distribution of one of three kinds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .distributions import Beta, Gamma, Student
from .student import log_phi

Distribution = Student | Beta | Gamma


class Beliefs(NamedTuple):
    """The distribution of every true mean, in parts of one kind each."""

    size: int  # K
    parts: tuple[tuple[np.ndarray, Distribution], ...]  # whose, ascending, and what

    @classmethod
    def students(cls, centers: np.ndarray, scales: np.ndarray, freedom: np.ndarray) -> Beliefs:
        return cls(centers.size, ((np.arange(centers.size), Student(centers, scales, freedom)),))

    def log_below(self, x: np.ndarray) -> np.ndarray:
        """[M, K] log P(mu_i <= x_m)."""
        return log_phi(self._fill("score", x))

    def quantile(self, deviates: np.ndarray) -> np.ndarray:
        """[M, K] the quantile of mu_i at the probability of the normal deviate."""
        return self._fill("quantile", np.asarray(deviates, dtype=float))

    def take(self, who: np.ndarray) -> Beliefs:
        """The beliefs about the options ``who``, ascending."""
        if who.size == self.size:
            return self
        place = np.full(self.size, -1)
        place[who] = np.arange(who.size)
        kept = [(place[mine] >= 0, mine, part) for mine, part in self.parts]
        parts = [(place[mine[some]], type(part)(*(x[some] for x in part))) for some, mine, part in kept if some.any()]
        return Beliefs(who.size, tuple(parts))

    def put(self, who: np.ndarray, part: Distribution) -> Beliefs:
        """Replace the beliefs about the options ``who`` by ``part``."""
        if not who.size:
            return self
        free = np.ones(self.size, dtype=bool)
        free[who] = False
        kept = [(free[mine], mine, old) for mine, old in self.parts]
        parts = [(mine[some], type(old)(*(x[some] for x in old))) for some, mine, old in kept if some.any()]
        return Beliefs(self.size, (*parts, (who, part)))

    def sharper(self, grown: np.ndarray) -> Beliefs:
        """The beliefs after so many times the results, [K], if estimates stay as they are."""
        return Beliefs(self.size, tuple((who, part.sharper(grown[who])) for who, part in self.parts))

    def _fill(self, verb: str, x: np.ndarray) -> np.ndarray:
        if len(self.parts) == 1:
            return np.asarray(getattr(self.parts[0][1], verb)(x[:, None]))
        filled = np.empty((x.size, self.size))
        for who, part in self.parts:
            filled[:, who] = getattr(part, verb)(x[:, None])
        return filled
