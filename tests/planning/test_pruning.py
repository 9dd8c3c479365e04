"""A tree that is cut: what is kept is what it was, what is forgotten grows again."""

import numpy as np
import pytest

from varde import Planner, VarDE
from varde.environments import sailing, taxi
from varde.planning import MENTS, UCT, Search
from varde.planning.pruning import of_visits
from varde.planning.tree import CHILD, COUNT, EDGES, NONE, OUTCOMES, SUCCESSOR, VALUE, VISITS, WIDTH, Q
from varde.random import key, stream

from .test_planner import Walk, walk_table

MODES = [{}, {"graph": True}, {"keep": False}]


def searched(algorithm, trials, options, horizon=10):
    world, rng = taxi(), stream(key(0, "keep"))
    search = Search(algorithm, world.model, world.start, horizon, **options)
    search.run(trials, rng)
    return search, rng


def likely_move(search):
    """The action taken most often, where it led first, and that node."""
    rows = search.edges()
    action = int(search.tree.edge[rows, COUNT].argmax())
    outcome = search.tree.edge[rows.start + action, OUTCOMES]
    return action, *search.tree.outcome[outcome, [SUCCESSOR, CHILD]].tolist()


def below(search, node):
    """The visits of a node and a hash of all that is known below it, free of row numbers."""
    tree, found = search.tree, {}

    def of(node):
        if node not in found:
            edges = []
            for edge in range(*search.edges(node).indices(10**9)):
                chain, outcome = [], tree.edge[edge, OUTCOMES]
                while outcome != NONE:
                    chain.append((*tree.outcome[outcome, [SUCCESSOR, 2]].tolist(), of(tree.outcome[outcome, CHILD])))
                    outcome = tree.outcome[outcome, 3]
                edges.append((int(tree.edge[edge, COUNT]), tuple(tree.scores[edge]), tuple(chain)))
            visits = int(tree.node[node, VISITS]) if edges else 0  # what was at the horizon was never visited
            found[node] = visits, hash((visits, tuple(tree.values[node]) if edges else (), tuple(edges)))
        return found[node]

    return of(node)


def counts_add_up(search):
    tree = search.tree
    rows = tree.node[: tree.used[0]]
    rows = rows[rows[:, WIDTH] > 0]
    before = np.append(0, np.cumsum(tree.edge[: tree.used[1], COUNT]))
    assert np.array_equal(before[rows[:, EDGES] + rows[:, WIDTH]] - before[rows[:, EDGES]], rows[:, VISITS])


@pytest.mark.parametrize("options", MODES, ids=str)
@pytest.mark.parametrize("algorithm", [VarDE(), UCT()], ids=str)
def test_keeping_everything_changes_nothing(algorithm, options):
    cut, rng = searched(algorithm, 300, options)
    whole, own = searched(algorithm, 300, options)
    cut._compact(0, -1, of_visits(cut.tree, 0))
    cut.run(200, rng)
    whole.run(200, own)
    assert cut.tree.used[0] == whole.tree.used[0] and below(cut, 0) == below(whole, 0)


@pytest.mark.parametrize("graph", [False, True])
def test_the_part_below_the_move_is_kept_as_it_is(graph):
    search, rng = searched(VarDE(), 400, {"graph": graph})
    action, successor, node = likely_move(search)
    before, levels = below(search, node), search.memory.returns.copy()
    assert search.advance(action, successor) == search.trials == before[0] > 20
    assert below(search, 0) == before
    moved, alive = search.memory.returns, levels[-2, 0] / levels[1:-1, 0]  # the last step is that of the one before
    assert np.array_equal(moved[:-2, [0, 2]], levels[1:-1, [0, 2]]) and not moved[-1].any()
    assert moved[:-2, 1] == pytest.approx(levels[1:-1, 1] + alive * levels[-2, 1])
    search.run(50, rng)
    assert search.trials == before[0] + 50
    counts_add_up(search)


@pytest.mark.parametrize("graph", [False, True])
def test_steps_that_led_elsewhere_do_not_make_what_is_left_look_known(graph):
    search, _ = searched(VarDE(), 400, {"graph": graph})
    action, successor, _ = likely_move(search)
    for _ in range(2):  # before the move, and after it
        nodes = search.tree.node[: search.tree.used[0]]
        taken = nodes[nodes[:, WIDTH] > 0, VISITS].sum()
        assert search.memory.steps[0] == taken > search.trials
        search.advance(action, successor)


def test_what_was_at_the_horizon_grows():
    """Two steps ahead nothing pays; one step on, the goal is within reach."""
    planner = Planner(walk_table(), 2)
    assert planner(1, budget=200).values["right"] < 1.0
    assert planner.advance("right", 2) > 50
    move = planner.think(200)
    assert move.action == "right" and move.values["right"] > 7.0


@pytest.mark.parametrize("graph", [False, True])
def test_forgetting_keeps_the_estimates_and_forgotten_nodes_grow_again(graph):
    search, rng = searched(VarDE(), 1500, {"graph": graph})
    values = search.tree.scores[search.edges(), Q].copy()
    nodes = search.tree.used[0]
    kept = search._compact(0, -1, of_visits(search.tree, 30))
    assert search.tree.used[0] < nodes
    assert np.array_equal(search.tree.scores[search.edges(), Q], values)
    leaves = np.flatnonzero(search.tree.node[: search.tree.used[0], EDGES] < -1)
    assert len(leaves) > 5
    before = search.tree.values[leaves, VALUE].copy()
    search.run(30, rng)  # too little for a visited leaf to forget what it stood for
    again = search.tree.node[leaves, WIDTH] > 0
    assert 0 < again.sum() < len(leaves)
    assert np.array_equal(search.tree.values[leaves, VALUE][~again], before[~again])
    counts_add_up(search)
    assert (kept.depths[0], kept.nodes[0]) == (0, 0)


def test_an_algorithm_that_cannot_resume_begins_anew_where_it_forgot():
    search, rng = searched(MENTS(), 500, {})
    search._compact(0, -1, of_visits(search.tree, 10))
    search.run(500, rng)
    assert search.trials == 1000
    counts_add_up(search)


# -- advance ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("world", [walk_table(), Walk()], ids=["table", "asked"])
@pytest.mark.parametrize("options", [{}, {"graph": False}, {"keep": False}], ids=str)
def test_an_episode_keeps_simulations_from_move_to_move(world, options):
    planner, generator, state, saved = Planner(world, 12, **options), np.random.default_rng(1), 0, 0
    planner.begin(state)
    steps = Walk()
    while steps.actions(state):
        move = planner.think(max(200 - planner.trials, 1))
        taken = sum(move.visits.values())
        assert taken == planner.trials if options.get("keep", True) else 0.9 * planner.trials < taken <= planner.trials
        assert planner.trials >= 200
        state, _ = steps.step(state, move.action, generator)
        if steps.actions(state):
            saved += planner.advance(move.action, state)
    assert state == 4 and saved > 200


def test_a_long_episode_does_not_remember_all_that_was_ever_met():
    planner = Planner(lambda place, move, rng: (2 * place + move, 0.0), 10, actions=[0, 1])
    planner.begin(1)
    for moves in range(2, 32):
        planner.think(50)
        planner.advance(1, 2**moves - 1)
    planner.think(50)
    assert len(planner.search.atlas.numbers) < 2 * planner.search.tree.used[0] + 50 * 10


def test_a_state_that_was_not_met_begins_anew():
    planner = Planner(sailing(), 20)
    move = planner((0, 0, 7), budget=50)
    assert planner.advance(move.action, (4, 1, 3)) == 0
    assert planner.trials == 0
    assert planner.think(60).certificate.spent == 60


def test_what_is_under_way_is_taken_back_and_open_requests_are_told_first():
    world, generator = Walk(), np.random.default_rng(0)
    planner = Planner(world, 8)
    planner.begin(0)
    for _ in range(300):
        for request in planner.ask(3):
            planner.tell(request, *world.step(request.state, request.action, generator))
    requests = planner.ask(2)
    with pytest.raises(ValueError, match="2 requests are open"):
        planner.advance("right", 1)
    planner.tell(requests[0], 0, 0.0)
    planner.fail(requests[1])
    kept = planner.advance("right", 1)
    assert kept > 20
    assert not planner.search.tree.edge[: planner.search.tree.used[1], 2].any()
    counts_add_up(planner.search)
    assert planner.think(100).certificate.spent == kept + 100


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


def test_gymnasium_is_followed_by_what_it_lets_one_observe():
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=1)
    planner = Planner(env, 6)
    move = planner(budget=60)
    seen, *_ = env.step(move.action)
    assert planner.advance(move.action, seen) == move.visits[move.action]
