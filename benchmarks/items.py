"""How many judgements a fixed test set takes: ``python benchmarks/items.py [orders] [first seed]``.

Tables of right and wrong answers, options x items, made once: simulated prompts on 200 items, and scikit-learn
classifiers on held-out digits.  Each is then judged in many random orders until the chance of being right is 95 %.
Writes docs/results/items.json, from which ``docs/tables/pairs_tables.py`` makes the table of docs/selection.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from varde import Selector

SURE = 0.95
LOOKS = 1.05  # growth of the number of judgements between two looks


def prompts(seed: int, size: int = 8, items: int = 200, spread: float = 0.5) -> np.ndarray:
    """[K, n] answers of prompts that differ a little, on items that differ much."""
    rng = np.random.default_rng(seed)
    ability, difficulty = spread * rng.normal(size=(size, 1)), 2.0 * rng.normal(size=items)
    liking = 0.7 * rng.normal(size=(size, items))
    return (rng.random((size, items)) < 1.0 / (1.0 + np.exp(difficulty - ability - liking - 1.0))).astype(float)


def digits(items: int = 400) -> np.ndarray:
    """[K, n] right or wrong: thirteen classifiers trained on a part of the digits, judged on others."""
    from sklearn.datasets import load_digits
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    x, y = load_digits(return_X_y=True)
    x, held, y, truth = train_test_split(x, y, train_size=300, random_state=0, stratify=y)
    models = [
        LogisticRegression(max_iter=2000),
        LogisticRegression(C=0.001, max_iter=2000),
        RidgeClassifier(),
        LinearDiscriminantAnalysis(),
        GaussianNB(var_smoothing=1e-3),
        KNeighborsClassifier(1),
        KNeighborsClassifier(5),
        NearestCentroid(),
        SVC(),
        SVC(kernel="linear"),
        RandomForestClassifier(100, random_state=0),
        ExtraTreesClassifier(100, random_state=0),
        DecisionTreeClassifier(random_state=0),
    ]
    return np.array([model.fit(x, y).predict(held[:items]) == truth[:items] for model in models]).astype(float)


def by_pairs(table: np.ndarray, seed: int) -> tuple[int, bool]:
    """Items, pairs, and the rule that knows both."""
    return judge(table, Selector(list(range(len(table))), items=range(table.shape[1]), seed=seed))


def in_turns(table: np.ndarray, seed: int) -> tuple[int, bool]:
    """The same items for all, all options in turns."""
    selector = Selector(list(range(len(table))), items=range(table.shape[1]), seed=seed, warm_start=table.shape[1])
    return judge(table, selector)


def apart(table: np.ndarray, seed: int) -> tuple[int, bool]:
    """Random items with replacement, nothing compared item by item: what there was before; at most as many calls."""
    rng = np.random.default_rng(seed)
    return judge(table, Selector(list(range(len(table))), seed=seed), lambda _: int(rng.integers(table.shape[1])))


def judge(table: np.ndarray, selector: Selector, item: Callable | None = None) -> tuple[int, bool]:
    """How many judgements until it is sure, and whether it was right then."""
    look, means = 3.0 * len(table), table.mean(axis=1)
    while (draw := selector.ask()) is not None and selector.spent < table.size:
        selector.tell(draw, table[draw.option, draw.item if item is None else item(draw)])
        if selector.spent >= look:
            look *= LOOKS
            if selector.recommend().p_right >= SURE:
                break
    return int(selector.spent), bool(means[selector.recommend().best] == means.max())


WAYS = {"pairs": by_pairs, "in turns": in_turns, "apart": apart}


def study(orders: int, first: int) -> list[dict]:
    tables = {"prompts": [prompts(first + i) for i in range(orders)], "digits": [digits()] * orders}
    rows = []
    for name, made in tables.items():
        for way, run in WAYS.items():
            found = np.array([run(table, first + i) for i, table in enumerate(made)], float)
            calls, right = found.T
            row = {"table": name, "way": way, "options": len(made[0]), "items": made[0].shape[1], "orders": orders}
            row |= {"calls": calls.mean(), "median": float(np.median(calls)), "right": 100.0 * right.mean()}
            rows.append(row | {"share": 100.0 * calls.mean() / made[0].size})
            print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    orders, first = int((sys.argv[1:] or ["100"])[0]), int((sys.argv[2:] or ["5000"])[0])
    rows = study(orders, first)
    path = Path(__file__).parents[1] / "docs" / "results" / "items.json"
    path.write_text(json.dumps({"orders": orders, "first seed": first, "rows": rows}, indent=1) + "\n")
