"""The contracts hold for everything we ship, and fail for what breaks them."""

from typing import NamedTuple

import numpy as np
import pytest

from varde import (
    BTS,
    DENTS,
    MENTS,
    MFBPI,
    OBPI,
    PSRL,
    QUCB,
    RENTS,
    TENTS,
    UCBE,
    UCT,
    AutoTree,
    ContinuousRejects,
    EpsilonQ,
    LogSumExp,
    MDPNaS,
    TopTwoThompson,
    TreeVarDE,
    VarDE,
    VarDENav,
    tabulate,
)
from varde.bandits.loop import select
from varde.bandits.problems import pull
from varde.decisions import influence, value
from varde.environments import forked_river_swim, frozen_lake, river_swim, sailing, taxi
from varde.learning import PAPER
from varde.testing import (
    check_agent,
    check_algorithm,
    check_bandit,
    check_decision,
    check_rule,
    check_search,
    check_world,
)

SEARCHES = [
    UCT(),
    MENTS(),
    RENTS(),
    TENTS(),
    DENTS(),
    BTS(),
    TreeVarDE.text(0.5, 0.1),
    TreeVarDE.as_run(0.5, 0.1),
    AutoTree(),
]
AGENTS = [PAPER, EpsilonQ(), QUCB(), PSRL(), MFBPI(), OBPI(), MDPNaS(), MDPNaS(sampling=True), VarDENav()]
WORLDS = [sailing(3), taxi(), frozen_lake(), river_swim(5), forked_river_swim(3)]


@pytest.mark.parametrize("algorithm", SEARCHES, ids=str)
def test_searches(algorithm):
    check_search(algorithm)


@pytest.mark.parametrize("agent", AGENTS, ids=str)
def test_agents(agent):
    check_agent(agent)


@pytest.mark.parametrize("world", WORLDS, ids=["sailing", "taxi", "frozen lake", "river", "forked river"])
def test_worlds(world):
    check_world(world, 60)


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
    world.model.cumulative[0] = 0.9
    with pytest.raises(AssertionError, match=r"the table says 0\.500"):
        check_world(world)


@pytest.mark.parametrize("rule", [UCBE(2.0), TopTwoThompson(), ContinuousRejects()], ids=str)
def test_rules_keep_the_contract_of_ask_and_tell(rule):
    check_rule(rule)


def test_the_gap_rule_knows_no_units():
    check_rule(VarDE(), unit_free=True)
    with pytest.raises(AssertionError, match="change the choices"):
        check_rule(VarDE(LogSumExp(1.0)), unit_free=True)


class Careless(NamedTuple):
    """Draws from elsewhere."""


@select.of(Careless)
def anyone(algorithm, memory, arms, t, rng):
    return int(np.random.default_rng().integers(arms.counts.size))


def test_a_rule_that_draws_from_elsewhere_is_found_out():
    with pytest.raises(AssertionError, match="the same seed asks for other draws"):
        check_rule(Careless())
