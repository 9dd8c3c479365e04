"""The exact value of what a tree recommends, against enumeration and recorded results."""

import numpy as np
import pytest

from varde import VarDE, tabulate
from varde._compile import in_python
from varde.environments import frozen_lake, sailing, taxi
from varde.planning import MENTS, RENTS, UCT, Search, measure
from varde.planning.measure import policy_worth
from varde.planning.tree import NONE, seen_before
from varde.planning.trial import recommend, turn_to
from varde.random import key, stream
from varde.worlds.solve import uniform_values


def random_world(states=8, actions=3, seed=0):
    """No two rewards alike: no ties."""
    rng = np.random.default_rng(seed)
    table = {}
    for state in range(states):
        table[state] = {}
        for action in range(actions):
            to, p = rng.choice(states + 1, 3, replace=False), rng.dirichlet(np.ones(3))
            table[state][action] = [(float(q), int(t), float(rng.normal())) for q, t in zip(p, to, strict=True)]
    return tabulate({**table, states: {}}, 0)


def enumerated(search, random, node=0, depth=0):
    """The value by recursion over the recommended actions."""
    tree, model = search.view, search.world
    state = tree.nodes.state[node]
    if depth < search.settings.horizon:
        turn_to(search.algorithm, in_python(search.memory), tree, node, depth)
    edge = recommend(search.algorithm, tree, node, stream(key(0, "x"))) if depth < search.settings.horizon else NONE
    if edge == NONE:
        return random[depth, state]
    pair = model.pairs[model.states["first"][state] + tree.edges.action[edge]]
    total = pair["expected"]
    for after_it, chance, _, _ in model.outcomes[pair["first"] :][: pair["outcomes"]].tolist():
        outcome = seen_before(tree, edge, after_it)
        if outcome == NONE:
            after = random[depth + 1, after_it]
        else:
            after = enumerated(search, random, tree.outcomes.child[outcome], depth + 1)
        total += search.settings.discount * chance * after
    return total


@pytest.mark.parametrize("options", [{}, {"graph": True}, {"keep": False, "graph": True}, {"discount": 0.8}])
def test_exact_value_is_that_of_the_recursion(options):
    world = random_world()
    search = Search(VarDE(), world.model, world.start, 6, **options)
    search.run(1500, stream(key(0, "exact")))
    random = uniform_values(world.model, 6, search.settings.discount).values
    exact = policy_worth(search)(stream(key(0, "y")))
    assert exact == pytest.approx(enumerated(search, random), rel=1e-9)


def test_a_measurement_knows_its_regret():
    result = measure(VarDE(), frozen_lake(), 2000, horizon=10, graph=True, runs=4, at=[200])
    assert result.best == pytest.approx(0.458627, abs=1e-6)
    assert result.regret == pytest.approx(result.best - result.values.mean(axis=0))
    assert 0.0 <= result.regret[1] < result.regret[0]


def test_rollouts_of_a_policy_are_worth_its_exact_value_on_average():
    exact, played = (
        measure(UCT(0.3), frozen_lake(), 300, horizon=10, runs=60, engine="python", rollouts=rollouts)
        for rollouts in (0, 200)
    )
    apart = (played.values - exact.values)[:, 0]
    assert 0.0 < apart.std() < 0.05 and abs(apart.mean()) < 4.5 * apart.std() / 60**0.5
    with pytest.raises(ValueError, match="rollouts is -1"):
        measure(UCT(0.3), frozen_lake(), 10, horizon=10, rollouts=-1)


# Mean and standard deviation over 100 runs of 5,000 trials with seed 0.
RECORDED = [
    (sailing, 50, VarDE(), True, -2.5949, 0.5974),
    (taxi, 20, VarDE(), True, 12.2185, 0.0388),
    (frozen_lake, 10, VarDE(), True, 0.4548, 0.0041),
    (frozen_lake, 10, VarDE(), False, 0.2407, 0.0554),
    (frozen_lake, 10, MENTS(0.01, 0.85), True, 0.4470, 0.0154),
    (taxi, 20, RENTS(0.1, 0.5), True, 11.7347, 0.6021),
]


@pytest.mark.parametrize(("make", "horizon", "algorithm", "graph", "mean", "deviation"), RECORDED)
def test_recorded_results(make, horizon, algorithm, graph, mean, deviation):
    result = measure(algorithm, make(), 5000, horizon=horizon, graph=graph, runs=4, seed=11)
    assert abs(result.value[-1] - mean) < 4.0 * deviation * (1 / 4 + 1 / 100) ** 0.5
    assert (result.values <= result.best + 1e-9).all()
