"""A tree whose root moves on: what is below the move is kept as it was, and grows further."""

import numpy as np
import pytest

from varde import Planner
from varde.environments import sailing, taxi
from varde.planning import GapTree, Growth, Search
from varde.random import key, stream

from .test_planner import Walk, walk_table
from .trees import outcomes_of

gymnasium = pytest.importorskip("gymnasium")


def searched(algorithm, trials, options, horizon=10):
    world, rng = taxi(), stream(key(0, "keep"))
    search = Search(algorithm, world.model, world.start, horizon, **options)
    search.run(trials, rng)
    return search, rng


def likely_move(search):
    """The action taken most often, where it led first, and that node."""
    rows = search.edges()
    edge = search.tree.edges[rows][search.tree.edges["count"][rows].argmax()]
    outcome = search.tree.outcomes[edge["outcome"]]
    return int(edge["action"]), int(outcome["successor"]), int(outcome["child"])


def subtree_of(search, node):
    """The visits of a node and a hash of all that is known below it, free of row numbers."""
    tree, found = search.tree, {}
    numbers = [  # but the mean returns, which the new last step adds to
        [name for name in rows.dtype.names if rows.dtype[name].kind == "f" and name != "returns"]
        for rows in (tree.nodes, tree.edges)
    ]

    def of(node):
        if node not in found:
            edges = []
            for edge in range(*search.edges(node).indices(10**9)):
                chain = [(*row.tolist()[0:3:2], of(row["child"])) for row in outcomes_of(tree, edge)]
                edges.append((int(tree.edges["count"][edge]), tree.edges[edge][numbers[1]].tolist(), tuple(chain)))
            visits = int(tree.nodes["visits"][node]) if edges else 0  # what was at the horizon was never visited
            found[node] = visits, hash((visits, tree.nodes[node][numbers[0]].tolist() if edges else (), tuple(edges)))
        return found[node]

    return of(node)


def counts_add_up(search):
    tree = search.tree
    rows = tree.nodes[: tree.used[0]]
    rows = rows[rows["tried"] > 0]
    before = np.append(0, np.cumsum(tree.edges["count"][: tree.used[1]]))
    assert np.array_equal(before[rows["first"] + rows["tried"]] - before[rows["first"]], rows["visits"])


@pytest.mark.parametrize("graph", [False, True])
def test_the_part_below_the_move_is_kept_as_it_is(graph):
    search, rng = searched(GapTree(), 400, {"graph": graph})
    action, successor, node = likely_move(search)
    before, levels, returns = subtree_of(search, node), search.memory.level.copy(), search.tree.nodes["returns"][node]
    assert search.advance(action, successor) == search.trials == before[0] > 20
    assert subtree_of(search, 0) == before
    moved, alive = search.memory.level, levels["count"][-2] / levels["count"][1:-1]  # the last step is that of before
    for name in ("count", "squares"):
        assert np.array_equal(moved[name][:-2], levels[name][1:-1]) and not moved[name][-1]
    assert moved["returns"][:-2] == pytest.approx(levels["returns"][1:-1] + alive * levels["returns"][-2])
    assert search.tree.nodes["returns"][0] == pytest.approx(returns + alive[0] * levels["returns"][-2])
    search.run(50, rng)
    assert search.trials == before[0] + 50
    counts_add_up(search)


@pytest.mark.parametrize("graph", [False, True])
def test_steps_that_led_elsewhere_do_not_make_what_is_left_look_known(graph):
    search, _ = searched(GapTree(), 400, {"graph": graph})
    action, successor, _ = likely_move(search)
    for _ in range(2):  # before the move, and after it
        nodes = search.tree.nodes[: search.tree.used[0]]
        taken = nodes["visits"][nodes["width"] > 0].sum()
        assert search.memory.whole["steps"] == taken > search.trials
        search.advance(action, successor)


def test_what_was_at_the_horizon_grows():
    """Two steps ahead nothing pays; one step on, the goal is within reach."""
    planner = Planner(walk_table(), 2)
    assert planner(1, budget=200).values["right"] < 1.0
    assert planner.advance("right", 2) > 50
    move = planner.think(200)
    assert move.best == "right" and move.values["right"] > 7.0


# -- advance ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("world", [walk_table(), Walk()], ids=["table", "asked"])
@pytest.mark.parametrize("options", [{}, {"graph": False}, {"keep": False}], ids=str)
def test_an_episode_keeps_simulations_from_move_to_move(world, options):
    planner, generator, state, saved = Planner(world, 12, tree=Growth(**options)), np.random.default_rng(1), 0, 0
    planner.begin(state)
    steps = Walk()
    while steps.actions(state):
        move = planner.think(max(200 - planner.trials, 1))
        taken = sum(move.visits.values())
        if options.get("keep", True) and options.get("graph", True):
            assert taken > 0.9 * planner.trials  # the state may come up more than once in a simulation
        else:
            assert 0.9 * planner.trials < taken <= planner.trials
        assert planner.trials >= 200
        state, _ = steps.step(state, move.best, generator)
        if steps.actions(state):
            saved += planner.advance(move.best, state)
    assert state == 4 and saved > 200


def test_a_long_episode_does_not_remember_all_that_was_ever_met():
    planner = Planner(lambda place, move, rng: (2 * place + move, 0.0), 10, actions=[0, 1])
    planner.begin(1)
    for moves in range(2, 32):
        planner.think(50)
        planner.advance(1, 2**moves - 1)
    planner.think(50)
    assert len(planner.search.known.numbers) < 2 * planner.search.tree.used[0] + 50 * 10


def test_a_state_that_was_not_met_begins_anew():
    planner = Planner(sailing(), 20)
    move = planner((0, 0, 7), budget=50)
    assert planner.advance(move.best, (4, 1, 3)) == 0
    assert planner.trials == 0
    assert planner.think(60).certificate.spent == 60


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: p.advance("up", 1), "action is 'up', which is not legal .* write one of .'left', 'right'."),
        (lambda p: p.advance("right", 4), "has no actions"),
        (lambda p: p.advance("right", "moon"), "'moon' is not a state"),
        (lambda p: Planner(Walk(), 3).advance("right", 1), "begin"),
    ],
)
def test_bad_moves_are_refused_and_change_nothing(call, words):
    planner = Planner(walk_table(), 6)
    before = planner(0, budget=100)
    with pytest.raises(ValueError, match=words):
        call(planner)
    assert planner.recommend("budget") == before


def test_gymnasium_is_followed_to_where_it_is():
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=1)
    planner = Planner(env, 6)
    move = planner(budget=60)
    seen, *_ = env.step(move.best)
    assert planner.advance(move.best, seen) == move.visits[move.best]


class Clock(gymnasium.Env):
    """Pays what time it is."""

    action_space, observation_space = gymnasium.spaces.Discrete(2), gymnasium.spaces.Discrete(100)

    def __init__(self):
        self.time = 0

    def reset(self, *, seed=None, options=None):
        self.time = 0
        return self.time, {}

    def step(self, action):
        self.time += 1
        return self.time, float(self.time), False, False, {}


def test_simulations_begin_where_the_environment_went():
    env = Clock()
    env.reset()
    planner = Planner(env, 3, 1.0)
    for first in (1, 2, 3):
        move = planner.think(40) if first > 1 else planner(budget=40)
        assert set(move.values.values()) == {3.0 * first + 3.0}  # first + (first + 1) + (first + 2)
        seen, *_ = env.step(move.best)
        assert planner.advance(move.best, seen) > 0
