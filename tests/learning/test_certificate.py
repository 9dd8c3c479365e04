"""How sure a policy is: closed forms where there are any, and worlds made to deceive it."""

import math

import numpy as np
import pytest

import varde
from varde.environments import deep_sea, river_swim
from varde.learning import Within, learn
from varde.learning.certificate import certificate
from varde.rows import END
from varde.worlds.solve import best_policy

from .gathered import transitions


def bandit(first, second, discount=0.5):
    """One state, two actions that end the episode."""
    steps = [(0, 0, reward, END) for reward in first] + [(0, 1, reward, END) for reward in second]
    return certificate(transitions([2], *steps), discount)


def phi(z):
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def test_a_state_that_ends_the_episode_is_a_bandit():
    """Nothing comes after: the noise is integrated out, Phi(-(lead + .001 span)/sd), and outcomes unseen are drawn."""
    sure = bandit([0.0, 2.0] * 8, [0.5, 1.0] * 8)
    gap, drawn = 1.0 - 0.75, sure.draws
    deviation, leads = math.sqrt(drawn.noise.sum()), gap + drawn.unseen[0] - drawn.unseen[1]
    assert sure.doubts[0] == pytest.approx(
        np.mean([phi(-(lead + 0.001 * gap) / deviation) for lead in leads]), abs=1e-5
    )
    assert sure.chances.sum() == pytest.approx(1.0) and sure.chances[0] == pytest.approx(1.0 - sure.doubts[0])
    z = leads / deviation
    density = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    wanted = np.mean(deviation * (density - z * np.array([phi(-each) for each in z])))
    assert sure.regret(0) == pytest.approx(wanted, rel=1e-4)


def test_values_have_intervals_of_95_percent_and_more_below_for_luck():
    sure = bandit([0.0, 2.0] * 8, [0.5, 1.0] * 8)
    value, low, high = sure.value
    noise, usual = 1.96 * math.sqrt(sure.draws.noise[0]), np.median(sure.draws.luck[0])
    assert value == pytest.approx(1.0) and high - value == pytest.approx(noise, rel=0.3) and usual > 0.0
    assert value - low == pytest.approx(usual + noise, rel=0.3)
    assert sure.intervals[0][0] == pytest.approx(low)


def test_no_value_below_what_rewards_allow():
    sure = bandit([0.0, 1.0], [0.0, 0.0, 1.0])
    assert sure.value[1] == 0.0 and sure.value[2] <= 2.0


def test_units_and_zero_do_not_matter():
    one = bandit([0.0, 2.0, 1.5], [0.5, 1.0, 0.25, 0.5])
    other = bandit([1024.0 * r for r in (0.0, 2.0, 1.5)], [1024.0 * r for r in (0.5, 1.0, 0.25, 0.5)])
    np.testing.assert_array_equal(one.doubts, other.doubts)
    assert other.loss == 1024.0 * one.loss and other.p_good == one.p_good


def test_an_action_never_tried_is_doubt():
    sure = certificate(transitions([3, 1], (0, 0, 1.0, END), (0, 1, 0.0, END), (0, 0, 1.0, 1)), 0.5)
    assert sure.doubts.tolist() == [1.0, 1.0] and sure.chances[:3].sum() == pytest.approx(1.0)
    assert sure.chances[2] == pytest.approx(1 / 3)
    assert sure.untested_gain > 0.0 and not sure.settled(Within(0.1))


def test_nothing_told_the_actions_apart():
    sure = bandit([1.0] * 5, [1.0] * 5)
    assert sure.doubts[0] == pytest.approx(0.5) and sure.p_good == 0.0 and not sure.settled(Within(1.0))


def test_actions_that_only_rounding_tells_apart_share_the_chance():
    steps = [(s, a, -1.0, (s + a) % 3) for s in range(3) for a in range(3) for _ in range(5)]
    sure = certificate(transitions([3, 3, 3], *steps), 0.97)
    np.testing.assert_allclose(sure.chances, 1 / 3)
    np.testing.assert_allclose(sure.doubts, 2 / 3)


def test_a_deterministic_world_is_certain_and_nothing_is_stated_that_the_draws_cannot_tell():
    """However clear the data: one of K + 1 draws might be the first to show another action ahead."""
    policy = learn(deep_sea(6), 3_000, discount=0.99)
    choices = np.array([len(actions) > 1 for actions in policy.legal])
    known = choices & (policy.certified.model.untried == 0)
    assert known.sum() > 15 and policy.doubts[known].max() < 0.05
    assert policy.doubts[choices].min() == 0.5 / (policy.certified.losses.size + 1.0)
    assert (policy.doubts[~choices] == 0.0).all()
    assert all(sum(chances.values()) == pytest.approx(1.0) for chances in policy.chances.values())


def test_more_data_help_where_the_doubt_is():
    rng = np.random.default_rng(0)
    sure = bandit(rng.normal(0.1, 1.0, 50), rng.normal(0.0, 1.0, 50))
    assert sure.helps.shape == (2,) and (sure.helps > 0.0).all()
    clear = bandit(rng.normal(9.0, 1.0, 50), rng.normal(0.0, 1.0, 50))
    assert clear.helps.max() < 1e-6 * sure.helps.max()


def test_stated_doubt_is_about_the_truth():
    """100 trajectories of RiverSwim(5), ended early: the expected number of wrong actions is near the actual one."""
    world = river_swim(5)
    best, _ = best_policy(world, 0.99)
    policies = [learn(world, 100, seed=seed) for seed in range(100)]
    wrong = np.array([policy.choices != best for policy in policies])
    stated = np.array([policy.doubts for policy in policies])
    assert wrong[stated < 0.05].mean() <= 0.05
    assert 0.5 * stated.sum() <= wrong.sum() <= 1.5 * stated.sum()


def test_a_slip_that_was_not_seen_yet_is_within_the_interval():
    """A chain whose last state pays everything; a step in fifty slips to its start, often none of the last state's."""
    moves = {}
    for s in range(8):
        on, paid = (s + 1, 0.0) if s < 7 else (7, 10.0)
        moves[s] = {"on": [(0.98, on, paid), (0.02, 0, 0.2)], "back": [(0.98, 0, 0.2), (0.02, on, paid)]}
    world = varde.tabulate(moves, 0)
    _, best = best_policy(world, 0.95)
    held = []
    for seed in range(40):
        policy = learn(world, 500, discount=0.95, seed=seed)
        assert list(policy.values) == list(range(8)) and {policy[s] for s in range(8)} == {"on"}
        held.append(policy.interval[0] <= best[0] <= policy.interval[1])
    assert np.mean(held) > 0.85  # with a normal error of the outcomes seen alone, .5


def test_known_rewards_bound_what_may_come():
    """Rewards 0 and 1 are all there are: nothing is worth more than 1/(1 - .5), tried or not."""
    steps = [(0, 0, 1.0, 0), (0, 0, 0.0, 0), (0, 1, 0.0, 0), (0, 1, 1.0, 0)]
    seen = transitions([3], *steps)
    free, bounded = certificate(seen, 0.5), certificate(seen, 0.5, None, (0.0, 1.0))
    assert free.value[2] <= 2.0 and bounded.value[2] <= 2.0
    most, found = bounded.solved.values[0] + bounded.draws.best.max(), free.solved.values[0] + free.draws.best.max()
    assert most <= 2.0 + 1e-9 < found
    assert bounded.untested_gain <= 2.0 - bounded.solved.values[0]


def test_a_reward_that_is_known_and_was_never_seen_is_somewhere():
    """All that was seen is clear; the table says that there is a reward of 10, and the policy has not found it."""
    steps = [(0, 0, 1.0, 0)] * 30 + [(0, 1, 0.0, 0)] * 3
    seen = transitions([2], *steps)
    assert certificate(seen, 0.5, None, (0.0, 1.0)).p_good > 0.9
    sure = certificate(seen, 0.5, None, (0.0, 10.0))
    assert sure.p_good < 0.5 and not sure.settled(Within(0.1))


def test_a_loss_that_is_known_and_was_never_seen_is_somewhere():
    seen = transitions([1], *[(0, 0, 1.0, 0)] * 10)
    assert certificate(seen, 0.5, None, (-10.0, 1.0)).value[1] < certificate(seen, 0.5, None, (1.0, 1.0)).value[1] - 0.5


def test_an_end_that_was_seen_hides_no_reward():
    """Every step costs 1 until the end, which is worth 0: the table has no more to give."""
    steps = [(0, 0, -1.0, 1), (0, 1, -1.0, 0), (1, 0, -1.0, END), (1, 1, -1.0, 0)] * 20
    assert certificate(transitions([2, 2], *steps), 0.9, None, (-1.0, 0.0)).p_good > 0.9


def test_an_action_never_tried_lowers_the_chance_of_a_good_policy():
    steps = [(0, 0, 1.0, END), (0, 1, 0.0, END), (0, 2, 0.5, END)] * 20
    closed, open_ = certificate(transitions([3], *steps), 0.5), certificate(transitions([4], *steps), 0.5)
    assert closed.p_good > 0.95 > open_.p_good > 0.3
    assert open_.choices.tolist() == [0] and open_.value[0] == closed.value[0]


def test_three_equal_outcomes_are_not_certain_however_deterministic_the_world():
    """400 states in a row, each a family of its own, in which nothing random was ever seen."""
    rest = [(s, a, 0.0, min(s + 1, 400)) for s in range(1, 401) for a in (0, 1)] * 20
    first = [(0, a, reward, 1) for a, reward in enumerate((0.6, 0.55, 0.0))]
    few, many = (certificate(transitions([3, *[2] * 400], *rest, *first * n), 0.9) for n in (3, 60))
    assert few.doubts[0] > 0.01 and many.doubts[0] == 0.5 / (many.losses.size + 1.0)


# -- what was never seen ----------------------------------------------------------------------------


def test_the_ceiling_of_the_chance_of_a_good_policy_by_hand():
    """Two actions that end the episode, tried 4 and 9 times, worth 1 and .5: rewards are at most 2 apart from 0."""
    seen = transitions([2], *[(0, 0, 1.0, END)] * 4, *[(0, 1, 0.5, END)] * 9)
    sure = certificate(seen, 0.9, None, (0.0, 2.0))
    highest = 1.0 + 2.0
    terms = [(1.0 - (gap + 0.1) / (highest - q)) ** n / (n + 2.0) for gap, q, n in ((0.0, 1.0, 4), (0.5, 0.5, 9))]
    assert sure.ceiling(0.1) == pytest.approx(1.0 - max(terms)) and sure.chance_within(0.1) <= sure.ceiling(0.1)
    assert sure.ceiling(5.0) == 1.0  # nothing could lose so much
