"""Train and test rows, the same for every candidate: replicate r of all candidates is the same split."""

from __future__ import annotations

import functools
import numbers
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.utils.multiclass import type_of_target

Split = tuple[np.ndarray, np.ndarray]  # rows to train and to test on


class Splits:
    """Splits by number.  A number of folds gives one shuffled partition after another, without end; a splitter or a
    list of splits gives as many as it has."""

    def __init__(self, cv: Any, X: Any, y: Any, groups: Any, classifier: bool, seed: int):
        self.seed, self.rows = seed, np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
        self.all: list[Split] | None = None
        if isinstance(cv, numbers.Integral):
            if cv < 2:
                raise ValueError(f"cv is {cv}: write the number of folds, 2 or more, or a splitter")
            by_class = classifier and y is not None and type_of_target(y) in ("binary", "multiclass")
            self.kind, self.folds = (StratifiedKFold if by_class else KFold), int(cv)
            self.y = np.asarray(y) if by_class else None
            self.partition(0)  # fails before anything is fitted if it cannot be made
        else:
            self.all = list(check_cv(cv, y, classifier=classifier).split(X, y, groups))
            self.folds = len(self.all)

    def __getitem__(self, number: int) -> Split:
        if self.all is not None:
            return self.all[number]
        return self.partition(number // self.folds)[number % self.folds]

    @functools.lru_cache(maxsize=4)  # noqa: B019  # it lives as long as its splits do
    def partition(self, number: int) -> list[Split]:
        splitter = self.kind(self.folds, shuffle=True, random_state=(self.seed + number) % 2**32)
        return list(splitter.split(self.rows, self.y))
