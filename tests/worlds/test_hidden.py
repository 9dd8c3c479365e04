"""Planning with what may be known: histories in place of states, beliefs that are filtered, refusals."""

import numpy as np
import pytest

import varde
from varde.planning import Growth, Hints
from varde.planning.asking import AskingSearch
from varde.random import key, stream
from varde.worlds.discovered import Discovered
from varde.worlds.function import SimulationError
from varde.worlds.world import as_world

RIGHT = 0.85  # the chance that a sound comes from where the tiger is


class Tiger:
    """A state is the door of the tiger and the sound heard last; listening costs 1, a door ends it."""

    actions = ("listen", "left", "right")

    def start(self, rng):
        return ("left", "right")[rng.integers(2)], None

    def step(self, state, action, rng):
        tiger, other = state[0], "right" if state[0] == "left" else "left"
        if action == "listen":
            return (tiger, tiger if rng.random() < RIGHT else other), -1.0, False
        return (tiger, None), -100.0 if action == tiger else 10.0, True

    def observe(self, state):
        return state[1]


def planner(world=None, seed=0, **options):
    return varde.Planner(world or Tiger(), 15, 0.95, seed=seed, **options)


@pytest.mark.parametrize("seed", range(3))
def test_it_listens_before_it_opens(seed):
    """Opening at once is worth -45, listening 3.77; a planner that saw the tiger would open for 10."""
    move = planner(seed=seed)(None, 1000)
    assert move.best == "listen"
    assert move.values["left"] < -10.0 and move.values["right"] < -10.0


def test_after_sounds_that_agree_it_opens_the_other_door():
    searching = planner()
    searching.begin()
    for _ in range(4):
        searching.think(100)
        searching.advance("listen", "left")
    assert searching.think(1000).best == "right"


def test_the_belief_is_that_of_bayes():
    searching = planner()
    searching.begin()
    for _ in range(2):
        searching.think(50)
        searching.advance("listen", "right")
    belief = searching.world.forward.belief
    share = np.mean([tiger == "left" for tiger, _ in belief])
    exact = (1 - RIGHT) ** 2 / ((1 - RIGHT) ** 2 + RIGHT**2)
    assert len(belief) == 1000 and abs(share - exact) < 4.0 * np.sqrt(exact / 1000)


def test_what_was_found_below_a_history_is_kept():
    searching = planner()
    searching.begin()
    searching.think(500)
    kept = searching.advance("listen", "left")
    assert 0 < kept == searching.trials < 500
    searching.think(100)
    assert searching.trials == kept + 100


def test_a_function_of_the_state_or_a_method():
    """And a list of states is a belief: where the tiger is known to be, nobody listens."""
    tiger = Tiger()
    by_function = varde.Planner(tiger.step, 15, 0.95, actions=tiger.actions, observe=tiger.observe)
    assert by_function(tiger.start, 200) == planner()(tiger.start, 200) == planner()(None, 200)
    assert by_function([("right", None)], 300).best == "left"
    move = varde.plan(tiger.step, [("left", None)], 300, horizon=15, actions=tiger.actions, observe=tiger.observe)
    assert move.best == "right"
    both = [("left", None)] * 3 + [("right", None)]
    assert by_function(both, 300).values["right"] > by_function.recommend().values["left"]


def test_both_engines_and_both_times_the_same():
    found = []
    for engine in ("compiled", "python", "compiled"):
        world, rng = as_world(Tiger()), np.random.default_rng(1)
        known = Discovered(world.actions)
        root, options = world.start(rng), {"graph": False, "follows": False, "engine": engine}
        search = AskingSearch(varde.VarDE(), known, root, 15, 0.95, stream(key(0, "hidden")), **options)
        search.aim(150)
        search.run_steps(150, world.step, rng, forward=world.forward.simulation)
        found.append([array.tobytes() for array in (search.tree.nodes, search.tree.edges, search.tree.outcomes)])
    assert found[0] == found[1] == found[2]


def test_arrays_are_states_and_observations():
    """States need not be hashable, and what is seen may be an array."""

    def step(state, action, rng):
        place = np.clip(state + action, 0, 3)
        return place, float(place[0] == 3), bool(place[0] == 3)

    searching = varde.Planner(step, 5, 0.9, actions=[-1, 1], observe=lambda state: state % 2)
    searching.begin([np.array([0]), np.array([1])])
    searching.think(100)
    searching.advance(1, np.array([0]))
    assert {int(state[0]) for state in searching.world.forward.belief} == {2}
    assert searching.think(100).best == 1


def test_what_the_answer_does_not_say():
    assert any("hidden" in note.text for note in planner()(None, 100).notes)
    assert not any("hidden" in note.text for note in varde.plan(Plain(), 0, 100, horizon=3).notes)


class Plain:
    actions = (0, 1)

    def step(self, state, action, rng):
        return state + action, float(action)


def test_a_belief_that_explains_nothing_changes_nothing(monkeypatch):
    monkeypatch.setattr("varde.worlds.hidden.TRIES", 500)
    searching = planner()
    searching.begin()
    searching.think(50)
    with pytest.raises(SimulationError, match=r"'listen' never led to 'a roar' in 500 steps.*planner.begin\(belief\)"):
        searching.advance("listen", "a roar")
    assert searching.trials == 50
    searching.begin([("left", None)])
    assert searching.think(200).best == "right"


def test_observations_that_never_repeat():
    def step(state, action, rng):
        return state + action + rng.normal(), 1.0

    with pytest.raises(SimulationError, match=r"nothing was seen twice in 20\d simulations.*let observe round it"):
        varde.plan(step, [0.0], 1000, horizon=5, actions=[0, 1], observe=lambda state: state)
    varde.plan(step, [0.0], 300, horizon=5, actions=[0, 1], observe=round)
    many = list(range(300))  # each is new when it is taken first, which says nothing
    varde.plan(step, [0.0], 300, horizon=5, actions=many, observe=lambda state: state)


def test_actions_that_depend_on_what_is_hidden():
    def actions(state):
        return ["listen", "left"] if state[0] == "left" else ["listen", "right"]

    with pytest.raises(SimulationError, match="by what is hidden: let observe tell such states apart"):
        varde.Planner(Tiger().step, 5, actions=actions, observe=lambda state: state[1])(Tiger().start, 100)


def test_a_world_that_fails_is_told_by_the_hidden_state():
    def step(state, action, rng):
        raise KeyError("fuel")

    with pytest.raises(SimulationError, match="in state 7, action 'go': KeyError"):
        varde.plan(step, [7], 10, horizon=3, actions=["go"], observe=lambda state: 0)

    def changes(state, action, rng):
        state[0] += 1
        return state, 0.0

    with pytest.raises(SimulationError, match="let it change a copy"):
        varde.plan(changes, [[7]], 10, horizon=3, actions=["go"], observe=lambda state: 0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"workers": 2}, "leave out workers="),
        ({"tree": Growth(batch=4)}, "leave out workers= and batch="),
        ({"player": lambda state: 0}, "a game of hidden cards needs a tree for each player"),
        ({"hints": Hints(value=lambda state: 0.0)}, "leave out hints="),
        ({"observe": "state"}, "write a function of the state"),
    ],
)
def test_refused_with_a_sentence(options, words):
    with pytest.raises(TypeError, match=words):
        planner(**options)


def test_worlds_and_calls_that_refuse_it():
    tiger = Tiger()
    with pytest.raises(TypeError, match="leave out sample_action="):
        varde.Planner(tiger.step, 5, sample_action=lambda state, rng: 0, observe=tiger.observe)
    with pytest.raises(TypeError, match="cannot hide the state"):
        varde.Planner(varde.environments.taxi(), 5, observe=tiger.observe)
    with pytest.raises(TypeError, match="observe hides the state, and learning needs it"):
        varde.learn(tiger, 100)
    with pytest.raises(TypeError, match="learning takes what step returns for the state"):
        varde.learn(tiger.step, 100, actions=tiger.actions, observe=tiger.observe)
    for belief in (("left", None), [], "left"):
        with pytest.raises(TypeError, match="or a list of states"):
            planner()(belief, 10)
