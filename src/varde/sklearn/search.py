"""``SelectionCV``: the best candidate by cross-validation, with as few fits as needed.

Grid search fits every candidate on every split.  Here a candidate that is clearly behind after a few splits is left
alone, and the fits go to those that may be the best; all candidates are compared on the same splits.
"""

from __future__ import annotations

import math
import numbers
import time
import warnings
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid
from sklearn.utils import get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..selection import Calls, Selection, Selector
from ..selection.checks import shorten
from .fits import Fit, Fits, Task, fit_on
from .splits import Splits

FITS = 5  # per candidate, where no budget is given: what a grid search with five folds takes

Taken = dict[tuple[str, int], Fit]  # by name of the candidate and number of the split


def passed_on(name: str) -> Any:
    """A method of the chosen estimator, there if that, or until it is known the one given, has it."""

    def has(search: Any) -> bool:
        getattr(getattr(search, "best_estimator_", search.estimator), name)
        return True

    def method(self: Any, X: Any) -> Any:
        return self._chosen(name)(X)

    method.__name__, method.__qualname__ = name, f"SelectionCV.{name}"
    return available_if(has)(method)


LONG = 200  # letters of a value in a name; tables show where names differ


class SelectionCV(MetaEstimatorMixin, BaseEstimator):
    """Find the best candidate by cross-validation, with as few fits as the decision needs.

    Args:
        candidates: a grid (a dict of lists, or a list of such dicts) or any iterable of dicts of parameters, such
            as a ``ParameterSampler``.
        budget: the number of fits, by default 5 per candidate.
        cv: a number of folds, which gives one shuffled partition after another, without end; or a splitter or a
            list of splits, and a candidate fitted on all of them is known exactly.
        alike: candidates with similar parameters have similar scores, so that fewer fits are needed; for ``cv`` as a
            number.
        stop: ``stop=0.05`` ends before the budget is spent, once the best is found with probability 95 %.

    After ``fit``: ``best_params_``, ``best_score_``, ``best_estimator_`` (with ``refit``), and ``cv_results_`` as in
    grid search, with the number of fits, P(best) and the verdict; ``selection_`` is the ``Selection`` behind them.
    """

    scorer_: Any
    best_estimator_: Any
    best_index_: int
    best_params_: dict[str, Any]
    best_score_: float
    cv_results_: dict[str, Any]
    n_splits_: int
    refit_time_: float
    selection_: Selection

    def __init__(
        self,
        estimator: Any,
        candidates: Any,
        *,
        budget: int | None = None,
        scoring: Any = None,
        cv: Any = 5,
        refit: bool = True,
        alike: bool = False,
        stop: float | None = None,
        seconds: float = math.inf,
        n_jobs: int | None = None,
        random_state: int = 0,
        error_score: float | str = np.nan,
    ):
        self.estimator = estimator
        self.candidates = candidates
        self.budget = budget
        self.scoring = scoring
        self.cv = cv
        self.refit = refit
        self.alike = alike
        self.stop = stop
        self.seconds = seconds
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.error_score = error_score

    # -- searching -------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, groups: Any = None, **fit_params: Any) -> Self:
        """Search, and refit the best candidate on all data; ``fit_params`` go to the estimator's ``fit``."""
        if not isinstance(self.random_state, numbers.Integral):
            raise TypeError(
                f"random_state is {self.random_state!r}: write a whole number, so that fits can be repeated"
            )
        if y is None and get_tags(self.estimator).target_tags.required:
            raise ValueError(
                f"{type(self.estimator).__name__} requires y to be passed, but the target y is None: write fit(X, y)"
            )
        X, y, groups = indexable(X, y, groups)
        self.scorer_ = check_scoring(self.estimator, scoring=self.scoring)
        named = named_candidates(self.candidates)
        splits = Splits(self.cv, X, y, groups, is_classifier(self.estimator), int(self.random_state))
        taken: Taken = {}
        with Fits(Task(self.estimator, self.scorer_, X, y, splits, fit_params), self.n_jobs) as fits:
            self.selection_ = self._search(named, splits, fits, taken)
        self.n_splits_ = splits.folds
        self.cv_results_ = results_of(self.selection_, named, taken)
        self.best_index_ = list(named).index(self.selection_.best_name)
        self.best_params_ = named[self.selection_.best_name]
        best = self.selection_[self.selection_.best_name]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_] if best.n else best.estimate)
        if self.refit:
            began = time.perf_counter()
            self.best_estimator_ = clone(self.estimator).set_params(**clone(dict(self.best_params_), safe=False))
            fit_on(self.best_estimator_, X, y, fit_params)
            self.refit_time_ = time.perf_counter() - began
            if hasattr(self.best_estimator_, "feature_names_in_"):
                self.feature_names_in_ = self.best_estimator_.feature_names_in_
        return self

    def _search(self, named: Mapping[str, Any], splits: Splits, fits: Fits, taken: Taken) -> Selection:
        """Fit what the selector asks for; results are told in the order they were asked for, whatever the timing."""
        budget = FITS * len(named) if self.budget is None else self.budget
        given: dict[str, Any] = {"crn": True} if splits.all is None else {"items": list(range(splits.folds))}
        if self.alike:
            if splits.all is not None:
                raise ValueError("alike=True has no end of splits: write cv as a number of folds, or alike=False")
            given = {"alike": named}
        given |= {"seed": int(self.random_state), "calls": Calls(retries=0), "stop": self.stop}
        selector = Selector(list(named), budget, **given)
        until, under_way = time.monotonic() + self.seconds, deque[Any]()
        while True:
            while len(under_way) < fits.at_once and time.monotonic() < until and (draw := selector.ask()) is not None:
                split = draw.replicate if splits.all is None else draw.item
                under_way.append((draw, split, fits.begin(named[draw.name], split)))
            if not under_way:
                return selector.recommend("seconds" if time.monotonic() >= until else None)
            draw, split, future = under_way.popleft()
            try:
                taken[draw.name, split] = fit = self._worth(future)
                selector.tell(draw, fit.score)
            except Exception as error:
                if self.error_score == "raise":
                    raise
                selector.fail(draw, error)
                warnings.warn(f"{draw.name} failed: {error!r}", FitFailedWarning, stacklevel=3)

    def _worth(self, future: Any) -> Fit:
        """The result of a fit; a failed one may have a score as well."""
        try:
            fit: Fit = future.result()
        except Exception:
            if self.error_score == "raise" or not np.isfinite(self.error_score):
                raise
            return Fit(float(self.error_score), math.nan, math.nan)
        if not math.isfinite(fit.score):
            raise ValueError(f"the score is {fit.score}: write a scorer that returns finite numbers")
        return fit

    # -- the chosen estimator --------------------------------------------------------------------

    def _chosen(self, method: str) -> Any:
        check_is_fitted(self, "selection_")
        if not self.refit:
            raise AttributeError(f"{method} needs the best candidate fitted on all data: write refit=True")
        return getattr(self.best_estimator_, method)

    predict = passed_on("predict")
    predict_proba = passed_on("predict_proba")
    predict_log_proba = passed_on("predict_log_proba")
    decision_function = passed_on("decision_function")
    score_samples = passed_on("score_samples")
    transform = passed_on("transform")
    inverse_transform = passed_on("inverse_transform")

    def score(self, X: Any, y: Any = None) -> float:
        """The score of the best estimator, by the scorer of the search."""
        self._chosen("fit")
        return float(self.scorer_(self.best_estimator_, X, *([] if y is None else [y])))

    @property
    def classes_(self) -> Any:
        return self._chosen("classes_")

    @property
    def n_features_in_(self) -> int:
        if not hasattr(self, "best_estimator_"):
            raise AttributeError("n_features_in_ is known once the best candidate is fitted: call fit, with refit=True")
        return int(self.best_estimator_.n_features_in_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "selection_")

    def __sklearn_tags__(self) -> Any:
        tags, theirs = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type, tags.target_tags, tags.input_tags = (
            theirs.estimator_type,
            theirs.target_tags,
            theirs.input_tags,
        )
        tags.classifier_tags, tags.regressor_tags = theirs.classifier_tags, theirs.regressor_tags
        return tags


def named_candidates(candidates: Any) -> dict[str, dict[str, Any]]:
    """Every candidate under a name that says what it is."""
    wanted = "a grid such as {'C': [0.1, 1, 10]}, or a list of dicts of parameters"
    grid = candidates if isinstance(candidates, Mapping) else None
    if grid is None:
        if isinstance(candidates, str) or not isinstance(candidates, Iterable):
            raise TypeError(f"candidates are {candidates!r}: write {wanted}")
        candidates = list(candidates)
        if not all(isinstance(each, Mapping) for each in candidates):
            raise TypeError(f"candidates contain something that is not a dict: write {wanted}")
        if any(is_grid(each) for each in candidates):
            grid = candidates
    found: list[dict[str, Any]] = list(ParameterGrid(grid)) if grid is not None else [dict(each) for each in candidates]
    if len(found) < 2:
        raise ValueError(f"there is {len(found) or 'no'} candidate: write two or more, {wanted}")
    named: dict[str, dict[str, Any]] = {}
    for params in found:
        name = " ".join(f"{key}={shorten(in_words(value), LONG)}" for key, value in params.items()) or "as it is"
        number = sum(other == name or other.startswith(f"{name} #") for other in named)
        named[f"{name} #{number + 1}" if number else name] = params
    return named


def in_words(value: Any) -> str:
    """A value on one line; of a pipeline its steps, which tell it from others: ``StandardScaler() + SVC(C=10)``."""
    steps = getattr(value, "steps", None)
    if isinstance(steps, list):
        return " + ".join(in_words(step) for _, step in steps)
    return " ".join(str(value).split())


def is_grid(params: Mapping[str, Any]) -> bool:
    """Whether these are lists of values to combine."""
    return bool(params) and all(isinstance(values, list | tuple | np.ndarray) for values in params.values())


def results_of(found: Selection, named: Mapping[str, dict[str, Any]], taken: Taken) -> dict[str, Any]:
    """``cv_results_`` as in grid search, nan where a candidate was not fitted, and how sure they are."""
    splits = sorted({split for _, split in taken})
    scores, fit_times, score_times = np.full((3, len(named), len(splits)), np.nan)
    place = {split: number for number, split in enumerate(splits)}
    row_of = {name: number for number, name in enumerate(named)}
    for (name, split), fit in taken.items():
        at = row_of[name], place[split]
        scores[at], fit_times[at], score_times[at] = fit
    results: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of a candidate that gave nothing
        for label, values in (("fit_time", fit_times), ("score_time", score_times), ("test_score", scores)):
            results[f"mean_{label}"], results[f"std_{label}"] = np.nanmean(values, axis=1), np.nanstd(values, axis=1)
    for key in dict.fromkeys(key for params in named.values() for key in params):
        column = np.ma.masked_all(len(named), dtype=object)
        for number, params in enumerate(named.values()):
            if key in params:
                column[number] = params[key]
        results[f"param_{key}"] = column
    results["params"] = list(named.values())
    for number, split in enumerate(splits):
        results[f"split{split}_test_score"] = scores[:, number]
    mean = results["mean_test_score"]
    ranks = [len(mean) if np.isnan(score) else 1 + int(np.sum(mean > score)) for score in mean]
    results["rank_test_score"] = np.array(ranks, np.int32)
    results["n_fits"] = np.array([row.n for row in found.rows])
    results["p_best"] = np.array([row.p_best for row in found.rows])
    results["verdict"] = np.array([row.verdict for row in found.rows], dtype=object)
    return results
