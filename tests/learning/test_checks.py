"""What cannot be learned is refused with a remedy."""

import pytest

import varde
from varde.learning import OBPI, EpsilonQ, MDPNaS, learn, measure
from varde.learning.checks import restrict
from varde.worlds.function import Function


def two_states(reward=0.0, **more):
    moves = {
        0: {"a": [(1.0, 1, reward)], "b": [(1.0, 0, 0.0)]},
        1: {"a": [(1.0, 0, 0.0)], "b": [(1.0, 1, 0.0)], **more},
    }
    return varde.tabulate(moves)


def test_models_that_cannot_be_learned():
    over = varde.tabulate({0: {"a": [(1.0, 1, 0.0)], "b": [(1.0, 0, 1.0)]}, 1: {}})
    for algorithm in (MDPNaS(), OBPI()):
        with pytest.raises(ValueError, match=r"the episode ends in state 1"):
            learn(over, 10, algorithm=algorithm)
    with pytest.raises(ValueError, match=r"something to choose"):
        learn(varde.tabulate({0: {"a": [(1.0, 0, 0.0)]}}), 10)
    with pytest.raises(ValueError, match=r"the start 1 has no actions"):
        learn(over, 10, start=1)


def test_algorithms_and_words_that_do_not_exist():
    with pytest.raises(TypeError, match=r"write a record such as varde.VarDE"):
        learn(varde.environments.river_swim(3), 10, algorithm="psrl")
    with pytest.raises(TypeError, match=r"UCT\(\) searches trees: write varde.plan\(...\)"):
        learn(varde.environments.river_swim(3), 10, algorithm=varde.planning.UCT())
    with pytest.raises(ValueError, match=r"in learning VarDE\(\) has nothing to tune"):
        learn(varde.environments.river_swim(3), 10, algorithm=varde.VarDE(warm_start=2))
    with pytest.raises(ValueError, match=r"EpsilonQ: least is 2.0"):
        learn(varde.environments.river_swim(3), 10, algorithm=EpsilonQ(2.0))
    with pytest.raises(ValueError, match=r"MFBPI: members is 1"):
        learn(varde.environments.river_swim(3), 10, algorithm=varde.learning.MFBPI(members=1))
    with pytest.raises(ValueError, match=r"runs is 0"):
        measure(EpsilonQ(), varde.environments.river_swim(3), 10, runs=0)
    with pytest.raises(TypeError, match=r"has no table"):
        measure(EpsilonQ(), Function(lambda s, a, g: (s, 0.0), [0, 1]), 10)


def test_a_table_that_can_be_come_to_whole_stays_as_it_is():
    world = varde.environments.river_swim(5)
    assert restrict(world) is world
