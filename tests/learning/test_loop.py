"""Every agent: the same bits in both engines, whatever the cut into blocks."""

from typing import NamedTuple

import numpy as np
import pytest

from varde.environments import forked_river_swim, river_swim
from varde.learning import PAPER, UCBVI, Learner, learn, measure
from varde.learning.checks import check_algorithm
from varde.learning.loop import act
from varde.learning.measure import score_runs
from varde.learning.run import Driver, task_of
from varde.paper.best_policy import BASELINES, VARDE
from varde.random import key, stream
from varde.rule import VarDE
from varde.worlds.record import BERNOULLI
from varde.worlds.tabulate import tabulate

from .gathered import in_other_units

AGENTS = {VARDE: PAPER, **BASELINES, "UCBVI": UCBVI(0.01), "VarDE()": VarDE()}


def experience(agent, world, steps):
    tour = Driver(check_algorithm(agent), task_of(world, 0.99, steps), stream(key(0, "test")), world.model)
    tour.go(steps)
    return tour.run.seen


@pytest.mark.parametrize("name", AGENTS)
def test_engines_agree_bit_for_bit_whatever_the_blocks(name):
    """One test per agent, so that each is compiled by one worker.  Run 2 by itself, and after runs 0 and 1."""
    agent, world = AGENTS[name], river_swim(4)
    at = np.arange(50, 301, 50)
    compiled = score_runs(agent, world, at, key(1), range(1), engine="compiled")
    plain = score_runs(agent, world, at, key(1), range(1), engine="python")
    assert (compiled == plain).all()
    together = score_runs(agent, world, np.arange(500, 2001, 500), key(5), range(3))
    alone = score_runs(agent, world, np.arange(500, 2001, 500), key(5), range(2, 3))
    assert (together[2] == alone[0]).all()
    # Looking at a run more often does not change it.
    often = score_runs(agent, world, np.arange(50, 2001, 50), key(5), range(2, 3))
    if name in ("VarDE()", "MDP-NaS", "PS-MDP-NaS", "PSRL"):  # the others may break ties otherwise
        assert (often[0, 9::10] == alone[0]).all()
    assert (often[0, 9::10, 1] == alone[0, :, 1]).all()


def test_workers_do_not_matter():
    one = measure(VarDE(), river_swim(5), 1000, runs=4, workers=1)
    two = measure(VarDE(), river_swim(5), 1000, runs=4, workers=2)
    assert (one.values == two.values).all()


def test_experience_adds_up():
    seen = experience(VarDE(), forked_river_swim(5), 3000)
    counts = seen.rewards.counts
    assert counts.sum() == 3000
    for s, a in np.ndindex(counts.shape):
        row = slice(seen.rows[s, a], seen.rows[s, a] + seen.kinds[s, a])
        assert seen.counts[row].sum() == counts[s, a] and len(set(seen.to[row])) == seen.kinds[s, a]
    assert seen.visits.sum() == 3001  # the start, and one arrival per step
    # Rewards are 0 or 1: the sum of squared deviations is n p (1 - p).
    p = seen.rewards.means
    np.testing.assert_allclose(seen.rewards.squares, counts * p * (1.0 - p), atol=1e-9)
    assert p[4, 1] == 1.0 and p[0, 2] == 0.0


def test_units_do_not_matter_to_varde():
    world = forked_river_swim(5)
    assert world.model.noise == BERNOULLI
    plain, large = in_other_units(world, 1.0), in_other_units(world, 1024.0)
    for steps in range(500, 20_001, 500):  # the budget is not used: these are prefixes of one trajectory
        a, b = experience(VarDE(), plain, steps), experience(VarDE(), large, steps)
        assert (a.rewards.counts == b.rewards.counts).all()


def test_the_origin_of_rewards_does_not_matter_to_varde():
    """A shift changes roundings, so that ties may fall otherwise; what is learned stays."""
    world = river_swim(10)
    for shift in (-5.0, 5.0):
        measured = measure(VarDE(), in_other_units(world, 1.0, shift), 5000, runs=5)
        assert (measured.values > 1.0 - 1e-9).all()


def test_model_report_of_varde_is_its_own():
    own, model = (measure(VarDE(), river_swim(10), 4000, runs=3, report=kind).values for kind in ("own", "model"))
    assert (own == model).all()


class Careless(NamedTuple):
    """Reads a field that is not there."""


@act.of(Careless)
def take_most_visited(algorithm, memory, task, seen, s, t, rng):
    return int(seen.visit[s])


def test_a_slip_in_an_algorithm_shows_its_line():
    for use in (
        lambda: measure(Careless(), river_swim(3), 100, runs=1),
        lambda: learn(river_swim(3), 100, algorithm=Careless()),
        lambda: Learner([0, 1], algorithm=Careless()).ask("here"),
    ):
        with pytest.raises(AttributeError, match=r"no attribute 'visit'"):
            use()


def short_episodes(length=3):
    """Episodes of ``length`` steps: on, or a way out at once."""
    moves = {s: {"on": [(1.0, s + 1, float(s == length - 1))], "out": [(1.0, length, 0.0)]} for s in range(length)}
    return tabulate({**moves, length: {}}, starts={0: 0.75, 1: 0.25})


@pytest.mark.parametrize("agent", [VarDE(), PAPER, BASELINES["eps-Q"], BASELINES["PSRL"]], ids=str)
def test_the_next_episode_begins_at_no_cost(agent):
    world = short_episodes()
    tour = Driver(check_algorithm(agent), task_of(world, 0.9, 600), stream(key(0, "test")), world.model)
    tour.go(600)
    counts, starts = tour.run.seen.rewards.counts, tour.run.seen.starts
    assert counts[:3].sum() == 600  # every step is one of the world's
    assert starts.sum() >= 200 and set(np.flatnonzero(starts)) == {0, 1}
    assert 0.6 < starts[0] / starts.sum() < 0.9


@pytest.mark.parametrize("agent", [VarDE(), PAPER, BASELINES["eps-Q"], BASELINES["PSRL"]], ids=str)
def test_nothing_is_to_come_where_an_episode_is_over(agent):
    policy = learn(short_episodes(), 2_000, discount=0.9, algorithm=agent)
    np.testing.assert_allclose([policy.values[s] for s in range(3)], [0.81, 0.9, 1.0])


def test_the_loss_from_the_start_is_measured():
    """Going out at once from the first state loses all of it; a state that nobody starts from does not count."""
    world = short_episodes()
    best = measure(VarDE(), world, 600, discount=0.9, runs=2, objective="start")
    assert (best.values == 1.0).all()
    with pytest.raises(ValueError, match="objective"):
        measure(VarDE(), world, 600, runs=2, objective="begin")


@pytest.mark.parametrize("name", [VARDE, *BASELINES])
def test_every_agent_takes_the_actions_that_a_state_has(name):
    """One state has three actions, one a single one; to take another is an error."""
    moves = {
        0: {"stay": [(1.0, 0, 0.1)], "on": [(0.7, 1, 0.0), (0.3, 0, 0.0)]},
        1: {"on": [(1.0, 2, 0.0)]},
        2: {"back": [(1.0, 0, 0.0)], "on": [(0.5, 0, 1.0), (0.5, 2, 1.0)], "stay": [(1.0, 2, 0.2)]},
    }
    agent = {VARDE: PAPER, **BASELINES}[name]
    found = measure(agent, tabulate(moves, 0), 400, discount=0.9, runs=2, workers=1, report="model", engine="python")
    assert found.value[-1] > 0.9
