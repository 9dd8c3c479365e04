"""One fit, its score and its time, in this process or in others."""

from __future__ import annotations

import functools
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple, Self

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from .splits import Splits


class Task(NamedTuple):
    """What is fitted, and how it is scored."""

    estimator: Any
    scorer: Callable[..., float]
    X: Any
    y: Any
    splits: Splits
    params: Mapping[str, Any]  # of fit


class Fit(NamedTuple):
    """The result of a fit."""

    score: float
    fit_time: float
    score_time: float


def fit_and_score(task: Task, params: Mapping[str, Any], split: int) -> Fit:
    train, test = task.splits[split]
    estimator = clone(task.estimator).set_params(**clone(dict(params), safe=False))
    began = time.perf_counter()
    fit_on(estimator, task.X, task.y, task.params, train)
    fitted = time.perf_counter()
    score = task.scorer(estimator, _safe_indexing(task.X, test), *of_rows(task.y, test))
    return Fit(float(score), fitted - began, time.perf_counter() - fitted)


def fit_on(estimator: Any, X: Any, y: Any, params: Mapping[str, Any], rows: np.ndarray | None = None) -> None:
    """Fit on some rows, or all; what has a value per row, such as weights, is cut to them as well."""
    if rows is None:
        estimator.fit(X, *([] if y is None else [y]), **params)
        return
    length = X.shape[0] if hasattr(X, "shape") else len(X)
    cut = {name: _safe_indexing(x, rows) if per_row(x, length) else x for name, x in params.items()}
    estimator.fit(_safe_indexing(X, rows), *of_rows(y, rows), **cut)


def per_row(x: Any, length: int) -> bool:
    return hasattr(x, "__len__") and not isinstance(x, str | bytes | Mapping) and len(x) == length


def of_rows(y: Any, rows: np.ndarray) -> list[Any]:
    return [] if y is None else [_safe_indexing(y, rows)]


@functools.lru_cache(maxsize=1)
def task_in(path: str) -> Task:
    """The task in a file, read once per process; large arrays are shared, not copied."""
    task: Task = joblib.load(path, mmap_mode="r")
    return task


def in_a_process(path: str, params: Mapping[str, Any], split: int) -> Fit:
    return fit_and_score(task_in(path), params, split)


class Fits:
    """Where fits run: in this process, or in joblib's processes."""

    def __init__(self, task: Task, n_jobs: int | None):
        self.task, self.at_once = task, joblib.effective_n_jobs(n_jobs)

    def __enter__(self) -> Self:
        if self.at_once > 1:
            from joblib.externals.loky import get_reusable_executor

            self.folder = tempfile.TemporaryDirectory(prefix="varde-", ignore_cleanup_errors=True)
            self.path = str(Path(self.folder.name) / "task")
            joblib.dump(self.task, self.path)
            self.pool = get_reusable_executor(self.at_once)
        return self

    def __exit__(self, *error: object) -> None:
        if self.at_once > 1:
            self.pool.shutdown(wait=False)  # or joblib would take this executor for one of its own
            self.folder.cleanup()

    def begin(self, params: Mapping[str, Any], split: int) -> Future[Fit]:
        if self.at_once > 1:
            future: Future[Fit] = self.pool.submit(in_a_process, self.path, params, split)
            return future
        future = Future()
        try:
            future.set_result(fit_and_score(self.task, params, split))
        except Exception as error:
            future.set_exception(error)
        return future
