"""Which option for which context: the loss of the final choices beside LinUCB, and how often a stated chance holds.

``python benchmarks/contexts.py --seeds 20`` writes docs/results/contexts.json.  Eight truths: contexts without
features, planes, squares and steps in the features, features that say nothing, and results that are 0 or 1.

chosen      varde chooses context and option
arrive      contexts come at random, varde chooses the option
even        contexts come at random, options in turn; judged by the same belief
alone       a selection for each context, with its share of the budget
LinUCB      a ridge regression for each option, told the noise; contexts come at random
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

import varde

TRUTHS = {  # options, contexts, features, results, noise
    "kinds": (6, 10, 0, 360, 0.7),
    "plane, 2 features": (3, 30, 2, 240, 0.7),
    "plane, 12 features": (4, 24, 12, 300, 1.0),
    "plane, 30 features": (4, 24, 30, 300, 1.0),
    "squares": (5, 36, 4, 400, 1.0),
    "steps": (3, 30, 2, 300, 0.7),
    "features say nothing": (5, 20, 3, 400, 1.0),
    "kinds, 0 or 1": (5, 12, 0, 480, 0.5),
}
RESULTS = Path(__file__).parent.parent / "docs" / "results" / "contexts.json"


def world(name: str, seed: int) -> tuple[np.ndarray, np.ndarray | None]:
    """[options, contexts] the means, and [contexts, features] what is told of a context."""
    options, contexts, features, _, _ = TRUTHS[name]
    rng = np.random.default_rng([seed, *name.encode()])
    x = rng.normal(size=(contexts, max(features, 1)))
    if name == "kinds, 0 or 1":
        return 1.0 / (
            1.0 + np.exp(-0.8 * rng.normal(size=(options, 1)) - 0.8 * rng.normal(size=(options, contexts)))
        ), None
    if name == "kinds":
        return 0.6 * rng.normal(size=(options, 1)) + 0.6 * rng.normal(size=(options, contexts)), None
    if name.startswith("plane"):
        return rng.normal(size=(options, features)) @ x.T / np.sqrt(features) + 0.3 * rng.normal(size=(options, 1)), x
    if name == "squares":
        away = x[None] - rng.normal(size=(options, 1, features))
        return -0.5 * (away**2).mean(axis=2) * np.sqrt(features), x
    if name == "steps":
        signs = rng.choice([-1.0, 1.0], (options, features))
        return (np.sign(x[None] - 0.3 * rng.normal(size=(options, 1, features))) * signs[:, None]).mean(axis=2), x
    return 0.7 * rng.normal(size=(options, contexts)), x


def lin_ucb(means: np.ndarray, x: np.ndarray | None, budget: int, noise: float, rng: np.random.Generator) -> np.ndarray:
    """[contexts] the options it chooses in the end."""
    options, contexts = means.shape
    z = np.eye(contexts) if x is None else np.hstack([np.ones((contexts, 1)), x])
    inverse, sums = np.repeat(np.eye(z.shape[1])[None], options, axis=0), np.zeros((options, z.shape[1]))
    for t in range(budget):
        c = t % contexts if t < contexts else int(rng.integers(contexts))
        width = np.sqrt(np.einsum("d,ade,e->a", z[c], inverse, z[c]))
        a = int(np.argmax(np.einsum("ade,ae,d->a", inverse, sums, z[c]) + noise * width))
        row = inverse[a] @ z[c]
        inverse[a] -= np.outer(row, row) / (1.0 + z[c] @ row)
        sums[a] += z[c] * (means[a, c] + noise * rng.normal())
    return np.einsum("ade,ae,cd->ca", inverse, sums, z).argmax(axis=1)


def measure(name: str, seed: int) -> tuple[dict[str, float], list[tuple[float, bool]]]:
    """The loss of each way, averaged over contexts, and (stated, right) of each context where varde chose."""
    options, contexts, _, budget, noise = TRUTHS[name]
    means, x = world(name, seed)
    rng, yes_or_no = np.random.default_rng([seed, 1]), name.endswith("0 or 1")

    def result(a: int, c: int) -> float:
        return float(rng.random() < means[a, c]) if yes_or_no else means[a, c] + noise * rng.normal()

    names, kinds = [f"a{a}" for a in range(options)], [f"c{c}" for c in range(contexts)]
    places = {kind: c for c, kind in enumerate(kinds)}
    told = kinds if x is None else dict(zip(kinds, map(list, x.tolist()), strict=True))

    often = np.zeros((contexts, options), int)  # of "even"

    def ask_and_tell(way: str) -> varde.Choices:
        selector = varde.Selector(names, budget, contexts=told, seed=seed)
        for t in range(budget):
            c = t % contexts if t < contexts else int(rng.integers(contexts))
            if way == "even":
                a = int(often[c].argmin())
                often[c, a] += 1
                selector.tell(f"{names[a]} | {kinds[c]}", result(a, c))
                continue
            draw = selector.ask() if way == "chosen" else selector.ask(context=kinds[c])
            where = draw.name.partition(" | ")
            selector.tell(draw, result(names.index(where[0]), places[where[2]]))
        return selector.recommend()

    losses, stated = {}, []
    for way in ("chosen", "arrive", "even"):
        found = ask_and_tell(way)
        best = np.array([names.index(found[kind].best) for kind in kinds])
        loss = means.max(axis=0) - means[best, np.arange(contexts)]
        losses[way] = float(loss.mean())
        if way == "chosen":
            stated = [(found[kind].p_right, bool(loss[c] == 0.0)) for c, kind in enumerate(kinds)]
    alone = [
        varde.select(lambda a, c=c: result(a, c), list(range(options)), budget // contexts, seed=seed).best
        for c in range(contexts)
    ]
    others = {"alone": np.array(alone), "LinUCB": lin_ucb(means, x, budget, noise, rng)}
    for way, best in others.items():
        losses[way] = float((means.max(axis=0) - means[best, np.arange(contexts)]).mean())
    return losses, stated


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--only")
    seeds = (given := parser.parse_args()).seeds
    rows = []
    for name in TRUTHS:
        if given.only and given.only not in name:
            continue
        began, losses, stated = time.process_time(), [], []
        for seed in range(given.first, given.first + seeds):
            one, said = measure(name, seed)
            losses.append(one)
            stated += said
        sure = [right for chance, right in stated if chance >= 0.95]
        row = {"truth": name, "seeds": seeds, "sure": len(sure), "wrong": len(sure) - sum(sure)}
        row |= {way: float(np.mean([one[way] for one in losses])) for way in losses[0]}
        for way in losses[0]:
            apart = [one["chosen"] - one[way] for one in losses]
            row[f"error {way}"] = float(np.std(apart, ddof=1) / np.sqrt(seeds)) if seeds > 1 else 0.0
        rows.append(row)
        print({k: round(v, 3) if isinstance(v, float) else v for k, v in row.items() if "error" not in k}, flush=True)
        print(f"   {time.process_time() - began:.0f} CPU s", flush=True)
    if not given.only:
        RESULTS.write_text(json.dumps({"first seed": given.first, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
