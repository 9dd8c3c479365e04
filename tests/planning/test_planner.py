"""Planning in a user's own world."""

import math
from typing import NamedTuple

import pytest

from varde import Planner, SimulationError, plan, tabulate
from varde._compile import using
from varde.environments import taxi
from varde.planning import UCT, GapGraph, Growth
from varde.planning.tree import best_edge, open_edge
from varde.planning.trial import columns, select, update
from varde.random import integer, uniform
from varde.worlds.solve import best_values


class Walk:
    """Left or right between two ends, slipping now and then; right pays."""

    start = 0

    def __init__(self, fails_after=None, pays=10.0):
        self.steps, self.fails_after, self.pays = 0, fails_after, pays

    def actions(self, state):
        return ["left", "right"] if -3 < state < 4 else []

    def step(self, state, action, rng):
        self.steps += 1
        if self.fails_after is not None and self.steps > self.fails_after:
            raise KeyError("out of order")
        move = 1 if action == "right" else -1
        to = state - move if rng.random() < 0.1 else state + move
        return to, self.pays if to == 4 else -0.1


def walk_table():
    def moves(state):
        if not -3 < state < 4:
            return {}
        ways = {"left": -1, "right": 1}
        return {
            name: [(p, state + m, 10.0 if state + m == 4 else -0.1) for p, m in ((0.9, way), (0.1, -way))]
            for name, way in ways.items()
        }

    return tabulate(moves, 0)


def test_a_world_that_is_asked_is_planned_as_well_as_its_table():
    move = plan(Walk(), budget=600, horizon=12)
    best = best_values(walk_table().model, 12)
    assert move.best == "right"
    assert move.certificate.spent == 600 <= sum(move.visits.values())  # the state came up again later
    assert move.values["right"] == pytest.approx(best.values[0, 0], rel=0.1)
    assert move.chances["right"] > 0.5
    assert sum(move.chances.values()) == pytest.approx(1.0)
    assert move.sentence.startswith("Take right: after 600 simulations it is ahead of left by ")


def test_a_model_is_planned_by_names():
    planner = Planner(taxi(), horizon=20)
    assert planner((0, 0, "R", "Y"), budget=2000).best == "pickup"
    assert planner((4, 0, "taxi", "Y"), budget=2000).best == "dropoff"


ANY_TIME = GapGraph(optimism=0.0)  # with it the default explores first if it knows its budget


@pytest.mark.parametrize("world", [walk_table(), Walk()], ids=["table", "asked"])
def test_thinking_on_is_thinking_at_once(world):
    once, bit_by_bit = (Planner(world, horizon=12, algorithm=ANY_TIME) for _ in range(2))
    bit_by_bit.begin(0)
    bit_by_bit.think(300)
    assert bit_by_bit.think(200) == once(0, budget=500)


@pytest.mark.parametrize(
    ("options", "due"), [({}, [60, 100]), ({"seconds": 60.0}, [0, 0]), ({"stop": 0.001}, [0, 0])], ids=str
)
def test_the_search_is_told_its_budget_where_nothing_else_may_end_it(options, due):
    planner = Planner(walk_table(), horizon=12)
    planner(0, 100, **options)
    assert [int(planner.search.memory.whole[name][0]) for name in ("calm", "due")] == due


def test_another_algorithm():
    move = Planner(walk_table(), horizon=12, algorithm=UCT(), tree=Growth(graph=False))(0, 500)
    assert move.best == "right"
    assert move.chances == {} and math.isnan(move.certificate.p_right)


class Greedy(NamedTuple):
    """An algorithm of one's own: the highest mean return, now and then anything."""


@columns.of(Greedy)
def greedy_columns(algorithm):
    return ("value",), ("q",)


@select.of(Greedy)
def greedy_or_not(algorithm, memory, tree, trials, t, node, depth, rng):
    tried = tree.nodes.tried[node]
    if tried < tree.nodes.width[node]:
        return open_edge(tree, node, rng)
    if uniform(rng) < 0.3:
        return tree.nodes.first[node] + integer(tried, rng)
    return best_edge(tree, node, tree.edges.q, rng)


@update.of(Greedy)
def mean_return(algorithm, memory, tree, node, edge, depth, gain, settings):
    tree.edges.q[edge] += (gain - tree.edges.q[edge]) / tree.edges.count[edge]


def test_an_algorithm_of_ones_own():
    with using("python"):  # ``check_search`` compiles such algorithms
        for world in (walk_table(), Walk()):
            assert plan(world, 0, 200, horizon=12, algorithm=Greedy()).best == "right"


@pytest.mark.parametrize("options", [{}, {"tree": Growth(batch=5)}], ids=str)
def test_a_failing_world_is_named_and_leaves_the_search_usable(options):
    world = Walk(fails_after=900)
    planner = Planner(world, horizon=12, **options)
    with pytest.raises(SimulationError, match=r"in state -?\d, action '(left|right)': KeyError: 'out of order'"):
        planner(0, budget=5000)
    move = planner.recommend()
    assert 0 < move.certificate.spent < 5000
    assert sum(move.visits.values()) >= move.certificate.spent
    world.fails_after = None  # it goes on when the world does
    assert planner.think(50).certificate.spent == move.certificate.spent + 50


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda s, a, rng: (s, math.nan), "in state 0, action 1: the reward is nan"),
        (lambda s, a, rng: (s, "much"), "the reward is 'much'"),
        (lambda s, a, rng: ([s], 0.0), "cannot be hashed"),
        (lambda s, a, rng: s, "step returned 0"),
    ],
)
def test_nonsense_from_a_world_is_named(step, words):
    for workers in (1, 2):
        with pytest.raises(SimulationError, match=words):
            plan(step, 0, 3, horizon=5, actions=[1], workers=workers)


@pytest.mark.parametrize("options", [{}, {"tree": Growth(batch=2)}, {"workers": 2}], ids=str)
def test_a_step_that_returns_the_state_it_changed_is_refused(options):
    class Counter:
        def __init__(self):
            self.count = 0

    def step(state, action, rng):
        state.count += action
        return state, float(state.count)

    with pytest.raises(SimulationError, match="returned the state it was given, perhaps changed"):
        Planner(step, horizon=4, actions=[0, 1], algorithm=UCT(), **options)(Counter(), 20)


def test_a_step_may_end_the_episode():
    def step(state, action, rng):
        return state + 1, 1.0, state + 1 == 3

    assert plan(step, 0, 20, horizon=10, actions=["go"]).values["go"] == pytest.approx(3.0)


def test_states_and_actions_are_met_as_the_search_goes():
    """Many more states and actions than there is room for at first."""

    def step(state, action, rng):
        return (state + action * int(rng.integers(1, 500))) % 100_003, float(action == 2)

    planner = Planner(step, 4, actions=lambda state: [1, 2, *range(100 + state % 40, 100 + 2 * (state % 40))])
    assert planner(0, budget=800).best == 2
    assert len(planner.search.known.states) > 500


def begun(world):
    planner = Planner(world, 5)
    planner.begin(0)
    return planner


# -- when to stop --------------------------------------------------------------------------------


@pytest.mark.parametrize("world", [walk_table(), Walk()], ids=["table", "asked"])
def test_seconds_end_the_search(world):
    move = plan(world, 0, 10**9, horizon=12, seconds=0.2)
    assert move.stopped == "seconds" and move.certificate.spent > 0


@pytest.mark.parametrize(("world", "state", "horizon"), [(Walk(), 0, 12), (walk_table(), 3, 2)], ids=["asked", "table"])
def test_a_clear_move_needs_fewer_simulations(world, state, horizon):
    move = plan(world, state, 10_000, horizon=horizon, stop=0.05)
    assert move.stopped == "sure" and move.certificate.p_right >= 0.95
    assert move.certificate.spent < 10_000


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Planner(taxi(), horizon=0)((0, 0, "R", "Y")), ValueError, "horizon is 0"),
        (lambda: Planner(taxi(), horizon=5)("nowhere"), ValueError, "'nowhere' is not a state"),
        (lambda: Planner(taxi(), horizon=5)("delivered"), ValueError, "episode is over there"),
        (lambda: Planner(taxi(), horizon=5)((0, 0, "R", "Y"), 0), ValueError, "budget is 0"),
        (lambda: Planner(taxi(), horizon=5)((0, 0, "R", "Y"), seconds=0), ValueError, "seconds is 0"),
        (lambda: Planner(taxi(), horizon=5)((0, 0, "R", "Y"), stop=2), ValueError, "stop is 2"),
        (lambda: Planner(taxi(), horizon=5).recommend(), ValueError, "nothing has been searched"),
        (lambda: Planner(taxi(), horizon=5).think(4), ValueError, "begin"),
        (lambda: Planner(object(), horizon=5), TypeError, "is not a world"),
        (lambda: Planner(Walk(), 5, workers=0), ValueError, "workers is 0"),
        (lambda: Planner(Walk(), 5)(4), ValueError, "has no actions"),
        (Planner(lambda s, a, rng: (s, 0.0), 5, actions=[1]), ValueError, "where it starts"),
    ],
)
def test_bad_input_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_planner_says_what_it_does():
    planner = Planner(lambda state, action, rng: (state, 0.0), horizon=3, actions=[1, 2])
    assert repr(planner) == "<Planner: GapGraph, 3 steps ahead, discount 1; call it with a state and a budget>"


def test_random_play_that_pays_too_much_is_refused_in_words():
    planner = Planner(lambda s, a, rng: (s + 1, 1e150), 9, actions=[0, 1], tree=Growth(keep=False))
    with pytest.raises(SimulationError, match=r"random play from state \d+ brings .*e\+150: return a finite number"):
        planner(0, 20)
