"""Worlds that the data leave possible: the model, its errors in closed form, and the best policy of every draw."""

import numpy as np
import pytest

from varde._compile import using
from varde.environments import forked_river_swim, river_swim
from varde.learning import learn
from varde.learning.certificate import certificate
from varde.learning.possible_worlds import (
    LEAST,
    Limits,
    deviates,
    draw,
    model_of,
    noise_of,
    solved,
    unseen_of,
    unseen_outcomes,
)
from varde.rows import END

from .gathered import transitions


def noise_and_unseen(*steps, widths=(1,), discount=0.5):
    seen = transitions(list(widths), *steps)
    model = model_of(seen, discount)
    return noise_of(seen, model, solved(model))[1], unseen_of(seen, model)


# -- the model -------------------------------------------------------------------------------------


def test_values_are_those_of_the_model():
    seen = transitions([2, 1], (0, 0, 0.0, 0), (0, 1, 1.0, 1), (0, 1, 1.0, END), (1, 0, 4.0, 0))
    found = solved(model_of(seen, 0.5))
    assert found.policy.tolist() == [1, 2]  # V0 = 1 + V1/4, V1 = 4 + V0/2
    np.testing.assert_allclose(found.values, [16 / 7, 36 / 7])
    np.testing.assert_allclose(found.worth, [8 / 7, 16 / 7, 36 / 7])


def test_an_action_never_tried_is_not_taken_and_a_state_never_acted_in_is_the_worst():
    seen = transitions([2, 1], (0, 0, -1.0, END), (0, 0, -1.0, 1))
    found = solved(model_of(seen, 0.9))
    assert found.policy.tolist() == [0, 2] and model_of(seen, 0.9).untried.tolist() == [1, 1]
    np.testing.assert_allclose(found.values, [-1.0 + 0.9 * 0.5 * -10.0, -10.0])


def test_where_nothing_is_known_the_future_is_shorter_without_discount():
    found = solved(model_of(transitions([1, 1], (0, 0, -1.0, 1)), 1.0))
    np.testing.assert_allclose(found.values, [-1001.0, -1000.0], rtol=1e-3)


def test_the_values_of_another_policy():
    seen = transitions([2, 1], (0, 0, 0.0, 0), (0, 1, 1.0, 1), (1, 0, 4.0, 0))
    np.testing.assert_allclose(solved(model_of(seen, 0.5), np.array([0, 0])).values, [0.0, 4.0])


def test_it_is_the_policy_that_dense_iteration_finds():
    policy = learn(river_swim(8), 2_000)
    seen = policy.seen
    p = np.zeros((16, 8))
    np.add.at(p, (seen.pairs, seen.to), seen.counts / seen.tried[seen.pairs])
    r = np.bincount(seen.pairs, seen.counts * seen.means) / seen.tried
    taken = 2 * np.arange(8) + policy.choices
    values = np.linalg.solve(np.eye(8) - 0.99 * p[taken], r[taken])
    np.testing.assert_allclose(list(policy.values.values()), values, rtol=1e-9)
    assert (r + 0.99 * p @ values <= np.repeat(values, 2) + 1e-9).all()


# -- errors ----------------------------------------------------------------------------------------


def test_the_noise_of_rewards():
    """Rewards 0 and 2, ended: SS = 2, average 2, local (5 2 + 2)/6; (local + 2)/2/2."""
    assert noise_and_unseen((0, 0, 0.0, END), (0, 0, 2.0, END))[0][0] == pytest.approx((2.0 + 2.0) / 2 / 2)


def test_reward_and_successor_that_make_up_for_each_other_are_no_noise():
    """To state 1, worth 4, with reward 0, or to the end with reward 2: both are worth 2 at discount 1/2."""
    steps = [(0, 0, 0.0, 1), (0, 0, 2.0, END)] * 3 + [(1, 0, 3.0, END), (1, 0, 5.0, END)] * 3
    other = [(0, 0, 2.0, 1), (0, 0, 0.0, END)] * 3 + steps[6:]
    even, uneven = (noise_and_unseen(*each, widths=(1, 1))[0][0] for each in (steps, other))
    assert even < 0.3 * uneven


def test_outcomes_seen_once_tell_how_many_were_never_seen():
    """Of four pairs of a family two had an outcome that came once: rho = (1 + 2)/(1/world + 4), world = (.5 + .5)/2."""
    once = [(0, a, 0.0, END) for a in range(4)] * 9 + [(0, 0, 0.0, 0), (0, 1, 0.0, 0)]
    np.testing.assert_allclose(noise_and_unseen(*once, widths=(4,))[1], 3.0 / 6.0)
    never = [(0, a, 0.0, END) for a in range(4)] * 9
    np.testing.assert_allclose(noise_and_unseen(*never, widths=(4,))[1], 1.0 / (1.0 / 0.25 + 4.0))


def test_many_deterministic_rooms_say_little_about_the_rest():
    """One action of state 1 had three equal outcomes; a door leads to 300 rooms in which nothing is random."""
    rest = [(0, 0, 0.0, 0), (0, 0, 0.0, 1), (1, 0, 0.0, 0), (1, 0, 0.0, 1)] * 20 + [(1, 1, 1.0, 0)] * 3
    rooms = [(0, 1, 0.0, room) for room in range(2, 302)]
    rooms += [(r, a, 1.0, 0) for r in range(2, 302) for a in (0, 0, 1, 1)]
    alone = noise_and_unseen(*rest, *[(0, 1, 0.0, 0)] * 300, widths=(2, 2))[1]
    among = noise_and_unseen(*rest, *rooms, widths=(2, 2, *[2] * 300))[1]
    assert among[3] >= 0.4 * alone[3] and among[-1] == LEAST


# -- draws -----------------------------------------------------------------------------------------


def test_deviates_are_normal_and_fixed():
    z = deviates(2000, 64)
    assert z.mean() == pytest.approx(0.0, abs=1e-12) and z.std() == pytest.approx(1.0, abs=0.01)
    assert (np.abs(z) > 1.96).mean() == pytest.approx(0.05, abs=0.004)
    np.testing.assert_array_equal(z[:, ::2], -z[:, 1::2])
    np.testing.assert_allclose(z[:2, :4:2], [[-1.6837, -1.0211], [-0.0418, 0.1462]], atol=1e-4)  # for ever the same


@pytest.fixture(scope="module")
def sure():
    return learn(forked_river_swim(4), 800).certified


def test_each_draw_is_solved_to_the_best_policy(sure):
    """The same equations by value iteration on dense arrays; an action never seen to fail may."""
    model, present, drawn = sure.model, sure.solved, sure.draws
    shares, places = unseen_outcomes(sure.seen, model, 64)
    noisy = (1.0 - shares) * deviates(model.tried.size, 64) * np.sqrt(drawn.noise)[:, None]
    p = np.zeros((model.tried.size, model.size + 1))  # the last is the end, where pairs never tried lead in the model
    np.add.at(p, (np.repeat(np.arange(model.tried.size), np.diff(model.rows)), model.to), model.shares)
    for k in range(0, 64, 16):
        moves = (1.0 - shares[:, [k]]) * p[:, :-1]
        np.add.at(moves, (np.arange(model.tried.size), sure.seen.to[places[:, k]]), shares[:, k])
        rewards = present.worth + noisy[:, k] + drawn.unseen[:, k] - model.discount * moves @ present.values
        v = present.values.copy()
        for _ in range(3000):
            v = np.maximum.reduceat(rewards + model.discount * moves @ v, model.first[:-1])
        np.testing.assert_allclose(present.values + drawn.best[:, k], v, atol=1e-4)
    assert (drawn.best >= drawn.own - 1e-5).all()  # the best is no worse than the present policy


def test_with_very_much_data_nothing_changes(sure):
    model = sure.model._replace(tried=np.full(sure.model.tried.size, 10**12))
    still = draw(sure.seen, model, sure.solved, sure.starts, Limits())
    assert np.abs(still.best).max() < 1e-3 * sure.span and np.abs(still.own).max() < 1e-3 * sure.span


@pytest.mark.parametrize("engine", ["compiled", "python"])
def test_both_engines_draw_the_same_bits(sure, engine):
    with using(engine):
        again = certificate(sure.seen, sure.model.discount, None, sure.bounds)
        for one, other in zip(again.draws, sure.draws, strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_present_policy_is_evaluated_in_each_draw(sure):
    """The dense equations of the policy, solved by numpy."""
    model, present, drawn = sure.model, sure.solved, sure.draws
    shares, places = unseen_outcomes(sure.seen, model, 64)
    noisy = (1.0 - shares) * deviates(model.tried.size, 64) * np.sqrt(drawn.noise)[:, None]
    p = np.zeros((model.tried.size, model.size + 1))
    np.add.at(p, (np.repeat(np.arange(model.tried.size), np.diff(model.rows)), model.to), model.shares)
    for k in range(1, 64, 9):
        moves = (1.0 - shares[:, [k]]) * p[:, :-1]
        np.add.at(moves, (np.arange(model.tried.size), sure.seen.to[places[:, k]]), shares[:, k])
        errors = present.worth - present.values[model.owners] + noisy[:, k] + drawn.unseen[:, k]
        chain = np.eye(model.size) - model.discount * moves[present.policy]
        np.testing.assert_allclose(drawn.own[:, k], np.linalg.solve(chain, errors[present.policy]), atol=1e-5)


def test_no_world_pays_more_than_was_seen_but_for_noise():
    """Two actions, one tried once: however it is drawn, it leads where something led, and pays what that paid."""
    seen = transitions([2, 2], *[(0, 0, 0.5, 1), (1, 0, 0.0, 0)] * 30, (0, 1, 0.9, 0), (1, 1, 0.1, 1))
    sure = certificate(seen, 0.9)
    values = sure.solved.values[:, None]
    assert (values + sure.draws.best).max() <= 0.9 / 0.1 + 1e-6 and (values + sure.draws.own).min() >= -1e-6


def test_a_walk_that_ends_by_and_by_is_solved_without_discount():
    """One step to the right with a chance of 1/2: it takes 2 (n - s) steps."""
    for n in (50, 400):
        steps = [(s, 0, -1.0, s) for s in range(n)] + [(s, 0, -1.0, s + 1 if s + 1 < n else END) for s in range(n)]
        found = solved(model_of(transitions([1] * n, *steps), 1.0))
        np.testing.assert_allclose(found.values, -2.0 * np.arange(n, 0, -1), rtol=1e-4)


def test_a_state_that_is_hard_to_leave_is_solved_as_exactly_as_the_others():
    """Of 2,000 tries one leads on, from each of twenty states: V = r n without discount."""
    n, steps = 20, []
    for s in range(n):
        steps += [(s, 0, -1.0, s)] * 1_999 + [(s, 0, -1.0, s + 1 if s + 1 < n else END)]
    found = solved(model_of(transitions([1] * n, *steps), 1.0))
    np.testing.assert_allclose(found.values, -2_000.0 * np.arange(n, 0, -1), rtol=1e-2)
