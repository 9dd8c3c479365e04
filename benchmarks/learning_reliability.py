"""How sure learned policies are said to be, and how sure they are: stated against observed, in worlds that are known.

    python benchmarks/learning_reliability.py [doubt | stop] [runs]

Every run has a world of its own where the family has any to draw.  "Wrong" is an action whose value in the true world
is lower than the best by more than .1 % of the span of all values.  None of these worlds was used when the model was
chosen: the families "gambler" and "queue" are of kinds that were not, the others have seeds that were not.
"""

from __future__ import annotations

import itertools
import sys

import numpy as np

import varde
from varde.environments import deep_sea, forked_river_swim, four_rooms
from varde.worlds.table import Table
from varde.worlds.tabulate import tabulate

SEED = 77_000
LEVELS = (0.0, 0.01, 0.05, 0.2, 0.5, 1.0)


# -- worlds ----------------------------------------------------------------------------------------


def garnet(rng, states, actions, successors, *, zero=0.0, deviation=0.0, by_successor=False) -> Table:
    def outcomes():
        to = rng.choice(states, successors, replace=False)
        shares = np.diff([0.0, *np.sort(rng.random(successors - 1)), 1.0])
        rewards = rng.random(successors if by_successor else 1) * (rng.random() >= zero)
        return [
            (p, int(t), float(r), deviation) for p, t, r in zip(shares, to, np.resize(rewards, successors), strict=True)
        ]

    return tabulate({s: {a: outcomes() for a in range(actions)} for s in range(states)}, 0)


def lake(rng, size, slip) -> Table:
    """FrozenLake with holes of its own."""
    moves = [(0, -1), (1, 0), (0, 1), (-1, 0)]
    while True:
        hole, met, front = rng.random((size, size)) < 0.18, {(0, 0)}, [(0, 0)]
        hole[0, 0] = hole[-1, -1] = False
        while front:
            x, y = front.pop()
            near = {(x + dx, y + dy) for dx, dy in moves if 0 <= x + dx < size and 0 <= y + dy < size}
            new = {place for place in near - met if not hole[place]}
            met |= new
            front += new
        if (size - 1, size - 1) in met:
            break

    def outcomes(place, a):
        found = {}
        for turn, p in ((-1, slip / 2), (0, 1 - slip), (1, slip / 2)):
            to = tuple(min(max(c + d, 0), size - 1) for c, d in zip(place, moves[(a + turn) % 4], strict=True))
            to = "hole" if hole[to] else to
            found[to] = found.get(to, 0.0) + p
        return [(p, to, float(to == (size - 1, size - 1))) for to, p in found.items()]

    goal = (size - 1, size - 1)
    acting = {place: {a: outcomes(place, a) for a in range(4)} for place in sorted(met - {goal})}
    return tabulate({**acting, goal: {}, "hole": {}}, (0, 0))


def gambler(rng, size) -> Table:
    """Stake 1, 2 or 4 of what one has, until it is nothing or ``size``; a fee for every round."""
    p, fee = rng.uniform(0.42, 0.58), 0.005

    def outcomes(have, stake):
        won, lost = min(have + stake, size), have - stake
        return [(p, won, float(won == size) - fee), (1 - p, lost, -fee)]

    acting = {s: {k: outcomes(s, k) for k in (1, 2, 4) if k <= s} for s in range(1, size)}
    return tabulate({**acting, 0: {}, size: {}}, size // 2)


def queue(rng, size) -> Table:
    """Accept or reject who comes, work slowly or fast: (waiting, worth of the one who asks)."""
    slow, fast, cost = rng.uniform(0.3, 0.5), rng.uniform(0.6, 0.9), rng.uniform(0.02, 0.1)
    worths, shares = (0.2, 1.0, 3.0), rng.dirichlet(np.ones(3))

    def outcomes(waiting, worth, accept, speed):
        held = min(waiting + accept, size)
        paid = worth * (held > waiting) - cost * held - (0.15 if speed == "fast" else 0.0)
        served = slow if speed == "slow" else fast
        found = []
        for p, left in ((served, max(held - 1, 0)), (1 - served, held)):
            found += [(p * share, (left, w), paid) for w, share in enumerate(shares)]
        merged: dict = {}
        for p, to, r in found:
            merged[to] = (merged.get(to, (0.0, r))[0] + p, r)
        return [(p, to, r) for to, (p, r) in merged.items()]

    choices = [(accept, speed) for accept in (0, 1) for speed in ("slow", "fast")]
    states = [(n, w) for n in range(size + 1) for w in range(3)]
    return tabulate({(n, w): {c: outcomes(n, worths[w], *c) for c in choices} for n, w in states}, (0, 0))


def machine(rng, size) -> Table:
    """Run, run fast, or repair; it wears, and what it earns is noisy."""
    moves = {}
    for s in range(size):
        wear, gain, worn, old = rng.uniform(0.2, 0.8), 1.0 - s / size, min(s + 1, size - 1), min(s + 2, size - 1)
        rush = min(1.2 * wear, 0.95)
        moves[s] = {
            "run": [(wear, worn, gain, 0.3), (1 - wear, s, gain, 0.3)] if worn > s else [(1.0, s, gain - 1.0, 0.3)],
            "fast": [(rush, old, 1.5 * gain, 0.5), (1 - rush, s, 1.5 * gain, 0.5)]
            if old > s
            else [(1.0, s, -1.0, 0.5)],
            "repair": [(0.9, 0, -1.0 - s / size, 0.3)] + ([(0.1, s, -1.0 - s / size, 0.3)] if s else []),
        }
    moves[0]["repair"] = [(1.0, 0, -1.0, 0.3)]
    return tabulate(moves, 0)


def slippery_chain(rng, length) -> Table:
    """Only the last state pays much; any step may slip back to the first (Strens 2000)."""
    slip, moves = rng.uniform(0.02, 0.2), {}
    for s in range(length):
        on, paid = min(s + 1, length - 1), 10.0 if s + 1 == length else 0.0
        moves[s] = {"on": [(1 - slip, on, paid), (slip, 0, 0.2)], "back": [(1 - slip, 0, 0.2), (slip, on, paid)]}
    return tabulate(moves, 0)


FAMILIES = {  # name: a world from random numbers, steps, discount
    "Garnet 35x3, dense": (lambda rng: garnet(rng, 35, 3, 6), 3_000, 0.97),
    "Garnet 40x5, 90 % zero": (lambda rng: garnet(rng, 40, 5, 3, zero=0.9), 5_000, 0.95),
    "Garnet 20x3, sd .5": (lambda rng: garnet(rng, 20, 3, 4, deviation=0.5), 3_000, 0.9),
    "Garnet 24x4, reward by successor": (
        lambda rng: garnet(rng, 24, 4, 3, zero=0.3, by_successor=True),
        2_500,
        0.95,
    ),
    "lake 5x5, slip .5": (lambda rng: lake(rng, 5, 0.5), 5_000, 0.98),
    "gambler 20": (lambda rng: gambler(rng, 20), 4_000, 0.999),
    "queue 6": (lambda rng: queue(rng, 6), 4_000, 0.95),
    "machine 10": (lambda rng: machine(rng, 10), 2_000, 0.95),
    "slippery chain 8": (lambda rng: slippery_chain(rng, 8), 500, 0.95),
    "four rooms 9": (lambda rng: four_rooms(9), 6_000, 0.99),
    "Forked 6": (lambda rng: forked_river_swim(6), 8_000, 0.99),
    "DeepSea 8": (lambda rng: deep_sea(8), 3_000, 0.99),
}


class Truth:
    """The best values of a world, and what a learned policy is truly worth."""

    def __init__(self, world: Table, discount: float):
        model = world.model
        self.world, self.discount = world, discount
        _, self.best = varde.best_policy(world, discount)
        future = model.outcomes["chance"] * self.best[model.outcomes["successor"]]
        self.worth = model.pairs["expected"] + discount * np.add.reduceat(future, model.pairs["first"])
        self.span = float(np.ptp(self.worth))

    def numbers(self, policy) -> np.ndarray:
        return np.array([self.world.state(name) for name in policy])

    def wrong(self, policy) -> np.ndarray:
        s = self.numbers(policy)
        return self.best[s] - self.worth[self.world.model.states["first"][s] + policy.choices] > 0.001 * self.span

    def values(self, policy) -> np.ndarray:
        actions = np.zeros(len(self.world.states), int)
        actions[self.numbers(policy)] = policy.choices
        return varde.policy_values(self.world, actions, self.discount)[self.numbers(policy)]

    def loss(self, policy) -> float:
        return float(policy.certified.starts @ (self.best[self.numbers(policy)] - self.values(policy)))


def drawn(name: str, number: int) -> tuple[Table, float]:
    make, _, discount = FAMILIES[name]
    return make(np.random.default_rng([SEED, number, sum(map(ord, name))])), discount


# -- two tables ------------------------------------------------------------------------------------


def doubt(runs: int) -> None:
    heads = [f"{low:g}-{high:g}" for low, high in itertools.pairwise(LEVELS)]
    heads += ["value within", "states within", "good, stated > true", "loss, stated > true"]
    print(f"| world, steps | {' | '.join(heads)} |")
    print("|" + "---|" * (len(heads) + 1))
    for name, (_, steps, _) in FAMILIES.items():
        stated, wrong, inside, value, good, losses = [], [], [], [], [], []
        for number in range(runs):
            world, discount = drawn(name, number)
            policy, truth = varde.learn(world, steps, discount=discount, seed=number), Truth(world, discount)
            known = policy.certified.model.untried == 0
            stated.append(policy.doubts[known])
            wrong.append(truth.wrong(policy)[known])
            values, (low, high) = truth.values(policy), policy.interval
            lows, highs = policy.certified.intervals
            slack = 1e-9 * max(truth.span, 1.0)
            inside.append(((lows - slack <= values) & (values <= highs + slack)).mean())
            value.append(low - slack <= policy.certified.starts @ values <= high + slack)
            good.append((policy.p_right, truth.loss(policy) <= 0.01 * truth.span))
            losses.append((policy.expected_regret / truth.span, truth.loss(policy) / truth.span))
        said, was = np.concatenate(stated), np.concatenate(wrong)
        cells = []
        for low, high in itertools.pairwise(LEVELS):
            here = (said >= low) & (said < high + (high == 1.0))
            cells.append(f"{said[here].mean():.3f} > {was[here].mean():.3f} ({here.sum()})" if here.any() else "")
        good, losses = np.mean(good, 0), np.mean(losses, 0)
        cells += [f"{np.mean(value):.2f}", f"{np.mean(inside):.3f}", f"{good[0]:.2f} > {good[1]:.2f}"]
        print(f"| {name}, {steps:,} | {' | '.join(cells)} | {losses[0]:.4f} > {losses[1]:.4f} |", flush=True)


def stop(runs: int, share: float = 0.05, chance: float = 0.95) -> None:
    """Within(5 % of the span of the world, .95): how often it stopped, after how many steps, and how often wrongly."""
    print("| world | stopped | steps | lost more than allowed |")
    print("|---|---|---|---|")
    for name, (_, steps, _) in FAMILIES.items():
        ended, spent, wrong = 0, [], 0
        for number in range(runs):
            world, discount = drawn(name, number)
            truth = Truth(world, discount)
            allowed = share * truth.span
            how = {"discount": discount, "seed": number, "stop": varde.Within(allowed, chance)}
            policy = varde.learn(world, 10 * steps, **how)
            if policy.stopped == "sure":
                ended += 1
                spent.append(policy.spent)
                wrong += truth.loss(policy) > allowed
        usual = f"{np.median(spent):,.0f}" if spent else ""
        print(f"| {name} | {ended} of {runs} | {usual} | {wrong} |", flush=True)


if __name__ == "__main__":
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    many = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    for table in (doubt, stop):
        if wanted in ("", table.__name__):
            table(many)
