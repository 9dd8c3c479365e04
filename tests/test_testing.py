"""The contracts hold for everything we ship, and fail for what breaks them."""

from typing import NamedTuple

import gymnasium
import numpy as np
import pytest

from tests.long import times
from varde import VarDE, tabulate
from varde.bandits.loop import select
from varde.bandits.problems import pull
from varde.decisions import influence, value
from varde.environments import (
    combination_lock,
    deep_sea,
    distracted_river,
    forked_river_swim,
    four_rooms,
    frozen_lake,
    garnet,
    river_swim,
    sailing,
    synthetic_tree,
    taxi,
)
from varde.learning import MFBPI, OBPI, PAPER, PSRL, QUCB, UCBVI, EpsilonQ, MDPNaS
from varde.learning.loop import act
from varde.paper.reading import LEADING, Reading
from varde.planning import BTS, DENTS, MENTS, RENTS, TENTS, UCT
from varde.planning.trial import columns, update
from varde.planning.trial import select as select_edge
from varde.testing import (
    check_agent,
    check_algorithm,
    check_bandit,
    check_decision,
    check_search,
    check_world,
)

# That the engines agree on every one of them is in planning/test_search.py and learning/test_loop.py.
SEARCHES = [UCT(), VarDE()]
SEARCHES += times(
    [], [MENTS(), RENTS(), TENTS(), DENTS(), BTS(), LEADING.varde(0.5, 0.1), Reading(sampled=False).varde(0.5, 0.1)]
)
AGENTS = [EpsilonQ(), VarDE()]
AGENTS += times([], [PAPER, QUCB(), PSRL(), OBPI(), MDPNaS(), MFBPI(), MDPNaS(sampling=True), UCBVI()])
WORLDS = {
    "sailing": sailing(3),
    "taxi": taxi(),
    "frozen lake": frozen_lake(),
    "river": river_swim(5),
    "forked river": forked_river_swim(3),
    "deep sea": deep_sea(4),
    "lock": combination_lock(4, 3),
    "four rooms": four_rooms(5),
    "garnet": garnet(6, 2, deviation=1.0),
    "distracted river": distracted_river(3, 4),
}


@pytest.mark.parametrize("algorithm", SEARCHES, ids=str)
def test_searches(algorithm):
    check_search(algorithm)


@pytest.mark.parametrize("agent", AGENTS, ids=str)
def test_agents(agent):
    check_agent(agent)


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_worlds(world):
    check_world(world, 60)


class Walk:
    """A user's world; how it misbehaves is up to its heirs."""

    start = (0, 0)

    def actions(self, state):
        return ["left", "right"]

    def step(self, state, action, rng):
        return (state[0] + (1 if action == "right" else -1), int(rng.integers(3))), 1.0, state[0] > 5


def test_worlds_of_the_users():
    check_world(Walk())
    check_world(synthetic_tree(3, 2), 100)
    check_world(gymnasium.make("CartPole-v1"), 40)


# -- what breaks a contract is found -------------------------------------------------------------


class Wrong(NamedTuple):
    pass


@value.of(Wrong)
def sum_of_values(decision, values, weights):
    return values.sum()


@influence.of(Wrong)
def half_the_gradient(decision, values, weights):
    weights[:] = 0.5


@select.of(Wrong)
def always_the_first(algorithm, memory, arms, t, rng):
    return 0


class Lottery(NamedTuple):
    means: np.ndarray


@pull.of(Lottery)
def pays_one(bandit, arm, rng):
    return 1.0


def test_wrong_gradient():
    with pytest.raises(AssertionError, match="the value changes by"):
        check_decision(Wrong())


def test_wrong_mean():
    with pytest.raises(AssertionError, match=r"its mean is 0\.5"):
        check_bandit(Lottery(np.array([0.5, 0.5])))


def test_hopeless_algorithm():
    with pytest.raises(AssertionError, match="errs in"):
        check_algorithm(Wrong())


def test_wrong_table():
    world = tabulate({"a": {"go": [(0.5, "b", 1.0), (0.5, "a", 0.0)]}, "b": {}})
    world.model.pairs["expected"][0] = 0.9
    with pytest.raises(AssertionError, match=r"the table says 0\.9000"):
        check_world(world)


class Elsewhere(Walk):
    def step(self, state, action, rng):
        return super().step(state, action, np.random.default_rng())


class Moody(Walk):
    turn = 0

    def actions(self, state):
        self.turn += 1
        return ["left", "right"][: 1 + self.turn % 2]


class Changes(Walk):
    start = np.zeros(1)
    key = staticmethod(bytes)

    def step(self, state, action, rng):
        state += 1.0
        return state, 0.0


class Spot:
    def __init__(self, x):
        self.x = x


class Objects(Walk):
    start = Spot(0)

    def step(self, state, action, rng):
        return Spot(state.x + 1), 0.0


class Shared(Walk):
    def step(self, state, action, rng):
        return state, np.random.normal()


class Silent(Walk):
    def step(self, state, action, rng):
        return None


@pytest.mark.parametrize(
    ("world", "words"),
    [
        (Elsewhere(), "If it draws, draw from rng"),
        (Moody(), r"actions are \('left',\) now|actions are \('left', 'right'\) now"),
        (Changes(), "changed the state it was given"),
        (Objects(), "because Spot has no __eq__"),
        (Shared(), r"draws from np\.random, not from the rng"),
        (Silent(), r"in state \(0, 0\), action '.*': TypeError: step returned"),
    ],
    ids=lambda x: type(x).__name__,
)
def test_a_world_without_manners_is_found_out(world, words):
    with pytest.raises(AssertionError, match=words):
        check_world(world)


class Beyond(NamedTuple):
    """Takes what does not exist."""

    arm: int


@select.of(Beyond)
def no_such_arm(algorithm, memory, arms, t, rng):
    return algorithm.arm if t > 5 else t % arms.counts.size


@act.of(Beyond)
def no_such_action(algorithm, memory, task, seen, s, t, rng):
    return algorithm.arm


@columns.of(Beyond)
def one_each(algorithm):
    return ("value",), ("q",)


@select_edge.of(Beyond)
def no_such_edge(algorithm, memory, tree, trials, t, node, depth, rng):
    return algorithm.arm


@update.of(Beyond)
def nothing_learned(algorithm, memory, tree, node, edge, depth, gain, settings):
    pass


@pytest.mark.parametrize("check", [check_algorithm, check_search, check_agent])
@pytest.mark.parametrize("arm", [99, -1])
def test_a_choice_that_does_not_exist_is_said_in_words(check, arm):
    said = rf"((select|act) returned|Beyond chose edge) {arm}[ :].*return "
    with pytest.raises(AssertionError, match=rf"Beyond\(arm={arm}\): {said}"):
        check(Beyond(arm))
