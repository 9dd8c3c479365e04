"""SelectionCV beside grid, randomized and halving search: the same candidates, as many fits, many seeds.

    python benchmarks/sklearn_search.py [seeds]

24 candidates on a part of the digits.  The truth is the mean score over many splits; wrong is an answer that is worse
than the best by more than a hundredth, and the loss is the mean difference to the best.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    ParameterGrid,
    RandomizedSearchCV,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from varde.sklearn import SelectionCV

CLOSE = 0.01
MODELS = [
    *(KNeighborsClassifier(k) for k in (1, 5)),
    *(SVC(C=c, gamma="scale") for c in (0.3, 1.0, 10.0)),
    LogisticRegression(max_iter=200),
    GaussianNB(),
    DecisionTreeClassifier(max_depth=8, random_state=0),
]
GRID = {"features__k": [16, 32, 48], "model": MODELS}


def main() -> None:
    warnings.simplefilter("ignore")
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    X, y = load_digits(return_X_y=True)
    chosen = np.random.default_rng(5).permutation(len(X))[:240]
    X, y = X[chosen], y[chosen]
    pipe = Pipeline([("features", SelectKBest()), ("model", GaussianNB())])
    candidates = list(ParameterGrid(GRID))
    truth = StratifiedShuffleSplit(60, test_size=0.2, random_state=99)
    worth = np.array([cross_val_score(pipe.set_params(**c), X, y, cv=truth).mean() for c in candidates])
    fits = 5 * len(candidates)
    first, second = sorted(worth)[-1:-3:-1]
    print(f"{len(candidates)} candidates, {fits} fits; the best scores {first:.3f}, the second {second:.3f}")

    def folds(k: int, seed: int) -> StratifiedKFold:
        return StratifiedKFold(k, shuffle=True, random_state=seed)

    searches = {
        "grid, 5 folds": lambda seed: GridSearchCV(pipe, GRID, cv=folds(5, seed), refit=False),
        "randomized, 12 of 24, 10 folds": lambda seed: RandomizedSearchCV(
            pipe, GRID, n_iter=12, cv=folds(10, seed), random_state=seed, refit=False
        ),
        "halving, 3 folds": lambda seed: HalvingGridSearchCV(
            pipe, GRID, factor=2, cv=folds(3, seed), random_state=seed, refit=False, min_resources=60
        ),
        "SelectionCV": lambda seed: SelectionCV(pipe, GRID, budget=fits, random_state=seed, refit=False),
        "SelectionCV, half the fits": lambda seed: SelectionCV(
            pipe, GRID, budget=fits // 2, random_state=seed, refit=False
        ),
    }
    print("| search | fits | wrong, % | loss |\n| --- | --- | --- | --- |")
    for name, make in searches.items():
        losses, spent = [], []
        for seed in range(seeds):
            search = make(seed).fit(X, y)
            losses.append(worth.max() - worth[candidates.index(search.best_params_)])
            many = search.cv_results_
            spent.append(many["n_fits"].sum() if "n_fits" in many else len(many["params"]) * search.n_splits_)
        wrong, loss = np.array(losses) > CLOSE, np.array(losses)
        spread = 100 * np.sqrt(wrong.mean() * (1 - wrong.mean()) / seeds)
        error = loss.std() / np.sqrt(seeds)
        errors = f"{100 * wrong.mean():.0f} ± {spread:.0f} | {loss.mean():.4f} ± {error:.4f}"
        print(f"| {name} | {np.mean(spent):.0f} | {errors} |", flush=True)


if __name__ == "__main__":
    main()
