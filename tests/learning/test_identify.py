"""The door for users: tables, Gymnasium, simulators, and what is refused with a remedy."""

import gymnasium
import numpy as np
import pytest

import varde
from varde.learning import OBPI, PAPER, EpsilonQ, MDPNaS, identify_policy, measure
from varde.worlds.gymnasium import from_gymnasium


def river(state, action, generator):
    """RiverSwim(5) as a plain function."""
    if action == 0:
        return max(state - 1, 0), float(state == 0 and generator.random() < 0.05)
    u = generator.random()
    if state == 0:
        return int(u < 0.3), 0.0
    if state == 4:
        return (4 if u < 0.3 else 3), 1.0
    return state + (1 if u < 0.3 else -1 if u > 0.9 else 0), 0.0


def test_a_table():
    learned = identify_policy(varde.river_swim(10), steps=20_000)
    assert learned.policy.tolist() == [1] * 10 and learned[3] == "right"
    _, best = varde.best_policy(varde.river_swim(10), 0.99)
    np.testing.assert_allclose(learned.values, best, rtol=0.15)
    assert learned.visits.sum() == 20_000 and learned.unseen == []
    assert (learned.doubt < 0.05).all() and "no state is uncertain" in str(learned)


def test_little_data_is_said_to_be_little():
    learned = identify_policy(varde.river_swim(30), steps=60)
    assert 29 in learned.unseen and 29 in learned.uncertain and "never visited" in str(learned)


def test_the_same_seed_gives_the_same_answer():
    first, again, other = (identify_policy(varde.river_swim(8), steps=500, seed=seed) for seed in (1, 1, 2))
    assert (first.visits == again.visits).all() and (first.visits != other.visits).any()


def test_a_simulator():
    learned = identify_policy(river, steps=3_000, states=5, actions=2)
    assert learned.policy.tolist() == [1] * 5 and learned.states == [0, 1, 2, 3, 4]


def test_an_episodic_simulator():
    """A corridor with a prize at the end: walk right, collect, start again."""

    def corridor(state, action, generator):
        if action == 1 and state == 3:
            return state, 1.0, True
        return min(max(state + 2 * action - 1, 0), 3), 0.0, False

    learned = identify_policy(corridor, steps=400, discount=0.9, states=4, actions=2, episodic=True)
    assert learned.policy.tolist() == [1] * 4 and len(learned.values) == 4
    np.testing.assert_allclose(learned.values, 0.9 ** np.arange(3, -1, -1))


@pytest.mark.parametrize("name", ["FrozenLake-v1", "CliffWalking-v1"])
def test_gymnasium_tables(name):
    env = gymnasium.make(name)
    world = from_gymnasium(env)
    learned = identify_policy(env, steps=60_000, discount=0.95)
    _, best = varde.best_policy(world, 0.95)
    start = learned.states.index(world.states[world.start])
    assert learned.values[start] == pytest.approx(best[world.start], abs=0.1 * np.abs(best).max())


def test_own_report():
    learned = identify_policy(varde.river_swim(5), steps=10_000, agent=PAPER, report="own")
    assert learned.policy.tolist() == [1] * 5


def test_unreachable_states():
    moves = {
        "here": {"stay": [(1.0, "here", 0.1)], "go": [(1.0, "there", 0.0)]},
        "there": {"stay": [(1.0, "there", 0.5)], "go": [(1.0, "here", 0.0)]},
        "island": {"stay": [(1.0, "island", 1.0)], "go": [(1.0, "here", 0.0)]},
    }
    world = varde.tabulate(moves)
    with pytest.raises(ValueError, match=r"1 state.*cannot be reached from the start 'here': 'island'"):
        identify_policy(world, steps=100)
    learned = identify_policy(world, steps=200, unreachable="drop")
    assert learned.states == ["here", "there"] and learned["here"] == "go"
    assert identify_policy(world, steps=300, start="island").policy.size == 3


@pytest.mark.parametrize("steps", [0, -5, 2.5, True])
def test_steps(steps):
    with pytest.raises(ValueError, match=r"steps is"):
        identify_policy(varde.river_swim(3), steps=steps)


@pytest.mark.parametrize("discount", [0.0, 1.0, -1.0, 2.0, float("nan")])
def test_discount(discount):
    with pytest.raises(ValueError, match=r"discount is"):
        identify_policy(varde.river_swim(3), steps=10, discount=discount)


def two_states(reward=0.0, **more):
    moves = {
        0: {"a": [(1.0, 1, reward)], "b": [(1.0, 0, 0.0)]},
        1: {"a": [(1.0, 0, 0.0)], "b": [(1.0, 1, 0.0)], **more},
    }
    return varde.tabulate(moves)


def test_models_that_cannot_be_learned():
    with pytest.raises(ValueError, match=r"EpsilonQ needs rewards from 0 to 1.*-3 to 0"):
        identify_policy(two_states(-3.0), steps=10, agent=EpsilonQ())
    with pytest.raises(ValueError, match=r"state 1 has 3 actions and state 0 has 2"):
        identify_policy(two_states(c=[(1.0, 0, 0.0)]), steps=10)
    over = varde.tabulate({0: {"a": [(1.0, 1, 0.0)], "b": [(1.0, 0, 1.0)]}, 1: {}})
    for agent in (MDPNaS(), OBPI()):
        with pytest.raises(ValueError, match=r"the episode ends in state 1"):
            identify_policy(over, steps=10, agent=agent)
    alone = varde.tabulate({0: {"a": [(1.0, 0, 0.0)]}})
    with pytest.raises(ValueError, match=r"nothing to choose"):
        identify_policy(alone, steps=10)
    world = two_states()
    world.model.probabilities[0] = 0.5
    with pytest.raises(ValueError, match=r"state 0, action 0: the probabilities sum to 0.5"):
        identify_policy(world, steps=10)


def test_simulators_that_misbehave():
    with pytest.raises(ValueError, match=r"states is None"):
        identify_policy(river, steps=10, actions=2)
    with pytest.raises(ValueError, match=r"actions is 1"):
        identify_policy(river, steps=10, states=5, actions=1)
    with pytest.raises(ValueError, match=r"to 7: return a state from 0 to 4"):
        identify_policy(lambda s, a, g: (7, 0.0), steps=10, states=5, actions=2)
    with pytest.raises(ValueError, match=r"return \(state, reward\)"):
        identify_policy(lambda s, a, g: 1, steps=10, states=5, actions=2)
    with pytest.raises(ValueError, match=r"reward nan"):
        identify_policy(lambda s, a, g: (1, float("nan")), steps=10, states=5, actions=2)
    with pytest.raises(ValueError, match=r"reward 2.0.*one from 0 to 1"):
        identify_policy(lambda s, a, g: (1, 2.0), steps=10, states=5, actions=2, agent=EpsilonQ())
    with pytest.raises(ValueError, match=r"start is 9"):
        identify_policy(river, steps=10, states=5, actions=2, start=9)


def test_agents_and_words_that_do_not_exist():
    with pytest.raises(TypeError, match=r"write a record such as varde.VarDENav"):
        identify_policy(varde.river_swim(3), steps=10, agent="psrl")
    with pytest.raises(TypeError, match=r"act is not defined for Instance"):
        identify_policy(varde.river_swim(3), steps=10, agent=varde.INSTANCES["BAI.1"])
    with pytest.raises(ValueError, match=r"EpsilonQ: least is 2.0"):
        identify_policy(varde.river_swim(3), steps=10, agent=EpsilonQ(2.0))
    with pytest.raises(ValueError, match=r"MFBPI: members is 1"):
        identify_policy(varde.river_swim(3), steps=10, agent=varde.MFBPI(members=1))
    with pytest.raises(ValueError, match=r"report is .best"):
        identify_policy(varde.river_swim(3), steps=10, report="best")
    with pytest.raises(TypeError, match=r"model is a list"):
        identify_policy([1, 2], steps=10)
    with pytest.raises(TypeError, match=r"no transition table"):
        identify_policy(gymnasium.make("Blackjack-v1"), steps=10)
    with pytest.raises(ValueError, match=r"runs is 0"):
        measure(EpsilonQ(), varde.river_swim(3), 10, runs=0)
