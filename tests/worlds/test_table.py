"""Tabular models: built, drawn from, refused."""

import numpy as np
import pytest

from varde import Table, tabulate
from varde._compile import in_python, kernel
from varde.environments import synthetic_tree
from varde.random import key, stream
from varde.worlds.record import BERNOULLI, NORMAL, transition
from varde.worlds.solve import best_values, uniform_values
from varde.worlds.table import numbered

SHORE = {
    "shore": {"swim": [(0.7, "island", 2.0), (0.3, "shore", -1.0)], "wait": [(1.0, "shore", 0.1)]},
    "island": {"wait": [(1.0, "island", 0.0)], "fly": [(0.5, "home", 5.0), (0.5, "shore", 0.0)]},
    "home": {},
}


def test_names_and_numbers():
    world = tabulate(SHORE)
    assert list(world.states) == ["shore", "island", "home"]
    assert world.legal(1) == ["wait", "fly"]
    assert world.model.states["width"].tolist() == [2, 2, 0]
    assert world.model.pairs["expected"][0] == pytest.approx(1.1)
    # The same action has the same label wherever it is legal.
    assert world.model.pairs["label"].tolist() == [0, 1, 1, 2]


def test_a_function_of_the_state_gives_the_same_model():
    table, explored = tabulate(SHORE, "shore"), tabulate(SHORE.__getitem__, "shore")
    assert [part.tobytes() for part in table.model[:3]] == [part.tobytes() for part in explored.model[:3]]


def test_draws_have_the_right_frequencies():
    model, rng = in_python(tabulate(SHORE).model), stream(key(0, "draws"))
    landed = np.array([transition(model, 0, 0, rng) for _ in range(6000)])
    assert (landed[:, 0] == 1).mean() == pytest.approx(0.7, abs=0.025)
    assert set(landed[:, 1]) == {2.0, -1.0}


@pytest.mark.parametrize("kind", ["normal", "bernoulli"])
def test_noisy_rewards(kind):
    if kind == "normal":
        world = tabulate({"a": {"x": [(1.0, "a", 0.3, 0.5)]}})
        assert world.model.noise == NORMAL
    else:
        world = tabulate({"a": {"x": [(0.5, "a", 0.3), (0.5, "b", 0.3)]}, "b": {"x": [(1, "a", 0)]}}, bernoulli=True)
        assert world.model.noise == BERNOULLI
    rng = stream(key(0, kind))
    model = in_python(world.model)
    draws = np.array([transition(model, 0, 0, rng) for _ in range(8000)])
    assert draws[:, 1].mean() == pytest.approx(0.3, abs=0.025)
    if kind == "bernoulli":
        assert set(draws[:, 1]) == {0.0, 1.0}
        # Drawn independently of the successor.
        assert draws[draws[:, 0] == 1, 1].mean() == pytest.approx(0.3, abs=0.035)
    else:
        assert draws[:, 1].std() == pytest.approx(0.5, abs=0.02)


@kernel
def walk(model, states, rewards, rng):
    state = 0
    for i in range(states.size):
        state, reward = transition(model, state, i % model.states.width[state], rng)
        states[i], rewards[i] = state, reward
        state = 0 if model.states.width[state] == 0 else state


def test_both_engines_walk_alike():
    model = tabulate(SHORE).model
    out = []
    for engine in (walk, walk.interpret):
        states, rewards = np.zeros(300, np.int64), np.zeros(300)
        engine(model, states, rewards, stream(key(0, "walk")))
        out.append((states, rewards))
    assert np.array_equal(out[0][0], out[1][0])
    assert np.array_equal(out[0][1], out[1][1])


def test_finite_horizon_values_by_hand():
    world = tabulate(SHORE)
    best = best_values(world.model, 2, 0.5)
    # One step to go: island flies (2.5), shore swims (1.1).
    assert best.values[1].tolist() == pytest.approx([1.1, 2.5, 0.0])
    assert best.values[0, 0] == pytest.approx(1.1 + 0.5 * (0.7 * 2.5 + 0.3 * 1.1))
    assert uniform_values(world.model, 1).values[0].tolist() == pytest.approx([0.6, 1.25, 0.0])


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        ({"a": {"x": [(0.5, "a", 0)]}}, {}, "state 'a', action 'x': the probabilities sum to 0.5"),
        ({"a": {"x": [(1, "z", 0)]}}, {}, "state 'a', action 'x': the successor 'z' is not a state"),
        ({"a": {"x": [(1, "a", float("nan"))]}}, {}, "state 'a', action 'x': the reward is nan"),
        ({"a": {"x": [(-0.5, "a", 0), (1.5, "a", 0)]}}, {}, "probability is -0.5"),
        ({"a": {"x": [(1, "a")]}}, {}, "the outcome is"),
        (
            {"a": {"x": [(1, "a", 0, True)]}},
            {},
            "is a standard deviation: of a Gymnasium table write varde.worlds.from_gymnasium",
        ),
        ({"a": {"x": [(1, "a", 2)]}}, {"bernoulli": True}, "a mean from 0 to 1"),
        ({"a": {"x": [(1, "a", 0)]}}, {"start": "q"}, "start is 'q'"),
        ({}, {}, "no states"),
    ],
)
def test_invalid_models_are_refused_by_name(table, options, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        tabulate(table, **options)


def test_what_is_no_model_is_refused():
    with pytest.raises(TypeError, match=r"write varde.tabulate\(...\)"):
        Table([[1.0]], ["a"], ["x"])
    with pytest.raises(ValueError, match=r"state 'a' has 40,000 actions: write 32,767 at most"):
        tabulate({"a": {x: [(1.0, "a", 0.0)] for x in range(40_000)}})


def test_unknown_states_are_refused_by_name():
    with pytest.raises(ValueError, match="'sea' is not a state"):
        tabulate(SHORE).state("sea")


def test_starts_are_kept_with_their_probabilities():
    table = tabulate(SHORE, starts={"shore": 0.25, "island": 0.75})
    assert table.starts == {table.state("shore"): 0.25, table.state("island"): 0.75}
    assert table.start == table.state("island")
    assert tabulate(SHORE).starts == {0: 1.0} == table.starting_at("shore").starts


def test_a_function_is_explored_from_all_starts():
    table = tabulate(lambda s: {"go": [(1.0, s + 10, 0.0)]} if s < 10 else {}, starts={1: 0.5, 2: 0.5})
    assert sorted(table.states) == [1, 2, 11, 12]


@pytest.mark.parametrize(
    ("starts", "words"),
    [({"shore": 0.5}, "sum to 1"), ({"sea": 1.0}, "start is 'sea'"), ({"shore": 2, "island": -1}, "from 0 to 1")],
)
def test_wrong_starts_are_refused(starts, words):
    with pytest.raises(ValueError, match=words):
        tabulate(SHORE, starts=starts)


def test_a_model_without_names_is_called_by_numbers():
    table = numbered(synthetic_tree(3, 2))
    assert len(table.states) == 13 and table.state(12) == 12 and table.start == 0
    assert table.legal(0) == [0, 1, 2] and table.legal(12) == []
    with pytest.raises(ValueError, match="13 is not a state"):
        table.state(13)
