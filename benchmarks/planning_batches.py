"""What simulations under way cost: regret of the move at 1, 8, 32 and 128, against serial, and against virtual loss.

python benchmarks/planning_batches.py [--rounds 2] [--seed 77] [--runs 3]

The worlds are those of planning_calibration.py, drawn by another seed.  Regret is (best - that of the move) / (best -
worst), by dynamic programming; behind it the difference to serial, with its standard error over worlds and runs.
"""

from __future__ import annotations

import argparse
import math
from typing import Any, NamedTuple

import numpy as np

from planning_calibration import World, draw_worlds
from varde import VarDE
from varde.planning import UCT, Search
from varde.planning.answers import Batches
from varde.planning.external import ExternalSearch
from varde.planning.loop import back_up, columns, recommend, select
from varde.planning.tree import most_visited, untried
from varde.random import below, key, stream
from varde.worlds.solve import best_values
from varde.worlds.table import EXACT, NORMAL
from varde.worlds.visited import Atlas

UNDER_WAY = (1, 8, 32, 128)
BUDGETS = (1_000, 5_000)


class VirtualLoss(NamedTuple):
    """UCT in which a sample under way counts as one that brought the lowest return seen at the node."""


@columns.of(VirtualLoss)
def loss_columns(algorithm):
    return ("value", "lowest"), ("q",)


@select.of(VirtualLoss)
def highest_bound_after_losses(algorithm, memory, problem, tree, lane, node, depth, rng):
    width, first = tree.nodes.width[node], tree.nodes.first[node]
    if tree.nodes.tried[node] < width:
        return untried(problem, tree, node, rng)
    bias, soon = 0.001, 0
    for edge in range(first, first + width):
        bias = max(bias, abs(tree.edges.q[edge]))
        soon += tree.edges.pending[edge]
    bias *= math.sqrt(math.log(tree.nodes.visits[node] + soon + 1.0))
    best, chosen, ties = -np.inf, 0, 1
    for action in range(width):
        count, lost = tree.edges.count[first + action], tree.edges.pending[first + action]
        mean = (count * tree.edges.q[first + action] + lost * tree.nodes.lowest[node]) / (count + lost)
        bound = mean + bias / math.sqrt(count + lost)
        if bound > best:
            best, chosen, ties = bound, action, 1
        elif bound == best:
            ties += 1
            chosen = action if below(ties, rng) == 0 else chosen
    return chosen


@back_up.of(VirtualLoss)
def mean_and_lowest(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    tree.edges.q[edge] += (gain - tree.edges.q[edge]) / tree.edges.count[edge]
    visits = tree.nodes.visits[node]
    tree.nodes.value[node] += (gain - tree.nodes.value[node]) / visits
    tree.nodes.lowest[node] = gain if visits == 1 else min(tree.nodes.lowest[node], gain)


@recommend.of(VirtualLoss)
def robust_child(algorithm, tree, node, rng):
    return most_visited(tree, node, rng)


# -- a table by NumPy ------------------------------------------------------------------------------


class Steps:
    """``step_many`` of a table whose states are numbers and whose actions are labels."""

    def __init__(self, model: Any):
        widths = np.diff(model.outcomes)
        self.model, self.widest = model, int(widths.max())
        self.cumulative = np.full((len(widths), self.widest), np.inf)
        for pair, width in enumerate(widths):
            first = model.outcomes[pair]
            self.cumulative[pair, : width - 1] = model.cumulative[first : first + width - 1]
        self.pair = np.zeros((len(model.pairs) - 1, int(model.labels.max()) + 1), np.int64)
        for state in range(len(model.pairs) - 1):
            for pair in range(model.pairs[state], model.pairs[state + 1]):
                self.pair[state, model.labels[pair]] = pair
        assert model.noise in (EXACT, NORMAL)

    def legal(self, state: int) -> tuple[int, ...]:
        return tuple(self.model.labels[self.model.pairs[state] : self.model.pairs[state + 1]].tolist())

    def __call__(self, states: np.ndarray, actions: np.ndarray, rng: np.random.Generator) -> tuple[Any, Any]:
        model, pairs = self.model, self.pair[states, actions]
        drawn = (rng.random(len(pairs))[:, None] >= self.cumulative[pairs]).sum(1)
        outcomes = model.outcomes[pairs] + drawn
        paid = model.rewards[outcomes]
        if model.noise == NORMAL:
            paid = paid + model.deviations[outcomes] * rng.normal(size=len(pairs))
        return model.successors[outcomes], paid


def regrets(algorithm: Any, world: World, lanes: int, run: int, q: np.ndarray, graph: bool) -> list[float]:
    """After each of the budgets."""
    model, start, rng = world.table.model, world.table.start, stream(key(run, "batches", world.name, lanes))
    ties, found = stream(key(run, "ties")), []
    search: Any
    if lanes == 1:
        search = Search(algorithm, model, start, world.horizon, world.discount, graph=graph)
    else:
        steps = Steps(model)
        atlas = Atlas(steps.legal)
        search = ExternalSearch(algorithm, atlas, start, world.horizon, world.discount, rng, lanes=lanes, graph=graph)
        answers = Batches(atlas, steps, np.random.default_rng([run, lanes]))
    for budget in BUDGETS:
        if lanes == 1:
            search.run(budget - search.trials, rng)
        else:
            search.drive(budget - search.trials, answers)
        action = int(search.call(recommend, search.algorithm, search.tree, 0, ties))
        found.append(float((q.max() - q[action]) / (q.max() - q.min())))
    return found


def main(rounds: int, seed: int, runs: int, graph: bool) -> None:
    worlds = []
    for world in draw_worlds(rounds, seed):
        model, start = world.table.model, world.table.start
        q = best_values(model, world.horizon, world.discount).pairs[0, model.pairs[start] : model.pairs[start + 1]]
        if q.max() > q.min():
            worlds.append((world, q))
    print(f"{len(worlds)} worlds, {runs} runs each, {'graph' if graph else 'tree'}: normalised regret of the move")
    for budget in BUDGETS:
        print(f"{'':24}" + "".join(f"{lanes:>25}" for lanes in UNDER_WAY), f"   {budget:,} simulations")
    for name, algorithm in (("VarDE()", VarDE()), ("UCT", UCT()), ("UCT, virtual loss", VirtualLoss())):
        table = np.array(
            [
                [[regrets(algorithm, world, lanes, run, q, graph) for lanes in UNDER_WAY] for run in range(runs)]
                for world, q in worlds
            ]
        )  # [world, run, lanes, budget]
        for i, budget in enumerate(BUDGETS):
            line = f"{name:17}{budget:>7,}"
            for j in range(len(UNDER_WAY)):
                cells = table[:, :, j, i]
                apart = (cells - table[:, :, 0, i]).ravel()
                error = apart.std(ddof=1) / math.sqrt(apart.size)
                line += f"{cells.mean():8.3f}" + (f" ({apart.mean():+.3f} ±{error:.3f})" if j else " " * 17)
            print(line, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=77)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--tree", action="store_true")
    given = parser.parse_args()
    main(given.rounds, given.seed, given.runs, not given.tree)
