"""The worlds that data leave possible: the model, its errors in closed form, and the best policy in each draw."""

import numpy as np
import pytest

from varde.environments import forked_river_swim, river_swim
from varde.learning import learn, possible
from varde.learning.certificate import certificate
from varde.learning.possible import Errors, deviates, draw, errors_of, model_of, solve, uniform
from varde.learning.seen import END, gather


def transitions(widths, *steps, starts=None):
    """What steps (state, action, reward, after) have shown."""
    states, actions, rewards, after = (np.array(column) for column in zip(*steps, strict=True))
    begun = np.eye(1, len(widths), 0, dtype=np.int64)[0] if starts is None else np.array(starts)
    return gather(np.array(widths), states, actions, rewards.astype(float), after, begun)


def test_values_are_those_of_the_model():
    seen = transitions([2, 1], (0, 0, 0.0, 0), (0, 1, 1.0, 1), (0, 1, 1.0, END), (1, 0, 4.0, 0))
    found = solve(model_of(seen, 0.5))
    assert found.policy.tolist() == [1, 2]  # V0 = 1 + V1/4, V1 = 4 + V0/2
    np.testing.assert_allclose(found.values, [16 / 7, 36 / 7])
    np.testing.assert_allclose(found.worth, [8 / 7, 16 / 7, 36 / 7])


def test_an_action_never_tried_is_not_taken_and_a_state_never_acted_in_is_the_worst():
    seen = transitions([2, 1], (0, 0, -1.0, END), (0, 0, -1.0, 1))
    found = solve(model_of(seen, 0.9))
    assert found.policy.tolist() == [0, 2] and found.model.untried.tolist() == [1, 1]
    np.testing.assert_allclose(found.values, [-1.0 + 0.9 * 0.5 * -10.0, -10.0])


def test_where_nothing_is_known_the_future_is_shorter_without_discount():
    found = solve(model_of(transitions([1, 1], (0, 0, -1.0, 1)), 1.0))
    np.testing.assert_allclose(found.values, [-1001.0, -1000.0], rtol=1e-3)


def test_the_values_of_another_policy():
    seen = transitions([2, 1], (0, 0, 0.0, 0), (0, 1, 1.0, 1), (1, 0, 4.0, 0))
    np.testing.assert_allclose(solve(model_of(seen, 0.5), np.array([0, 2])).values, [0.0, 4.0])


def test_it_is_the_policy_that_dense_iteration_finds():
    policy = learn(river_swim(8), 2_000)
    counts = np.zeros((8, 2, 8))
    seen = policy.seen
    np.add.at(
        counts, (seen.owners[seen.pairs], (seen.pairs - seen.first[seen.owners[seen.pairs]]), seen.to), seen.counts
    )
    p = counts / counts.sum(2, keepdims=True)
    r = (seen.counts * seen.means).cumsum()  # by pairs
    r = np.diff(np.append(0.0, r[seen.rows[1:] - 1])).reshape(8, 2) / counts.sum(2)
    rows = np.arange(8)
    values = np.linalg.solve(np.eye(8) - 0.99 * p[rows, policy.choices], r[rows, policy.choices])
    np.testing.assert_allclose(list(policy.values.values()), values, rtol=1e-9)
    assert (r + 0.99 * p @ values <= values[:, None] + 1e-9).all()
    assert values[0] == pytest.approx(policy.value)


def errors(*steps, widths=(1,), discount=0.5):
    return errors_of(solve(model_of(transitions(list(widths), *steps), discount)), None)


def test_rewards_of_one_pair():
    """Rewards 0 and 2, ended: SS = 2, average 2, local (5 2 + 2)/6; (2 local + 2)/3/2."""
    found = errors((0, 0, 0.0, END), (0, 0, 2.0, END))
    assert found.variances[0] == pytest.approx((2 * 2.0 + 2.0) / 3 / 2) and found.unseen[0] == 0.0


def test_reward_and_successor_that_make_up_for_each_other_are_no_noise():
    """To state 1, worth 4, with reward 0, or to the end with reward 2: both are worth 2 at discount 1/2."""
    steps = [(0, 0, 0.0, 1), (0, 0, 2.0, END)] * 3 + [(1, 0, 3.0, END), (1, 0, 5.0, END)] * 3
    other = [(0, 0, 2.0, 1), (0, 0, 0.0, END)] * 3 + steps[6:]
    assert errors(*steps, widths=(1, 1)).variances[0] == 0.0 < errors(*other, widths=(1, 1)).variances[0]


def test_equal_outcomes_leave_room_for_another():
    """One action always paid 1, the other 0 or 2: the world's share of random pairs is (1 + 1/2)/(1 + 1) = 3/4."""
    steps = [(0, 0, 1.0, END)] * 3 + [(0, 1, 0.0, END), (0, 1, 2.0, END)]
    rho = (0.75 + 1.0) / (1.0 + 1.0)  # and its sibling is random
    h = 2.0 * rho / 4.0
    found = errors(*steps, widths=(2,))
    assert found.unseen[0] == pytest.approx(h / (h + 1.0 - rho)) and found.variances[0] == 0.0


def test_many_identical_rooms_do_not_make_three_equal_outcomes_certain():
    """A corridor of two states and a door to ``rooms`` rooms whose actions are all alike."""

    def unseen(rooms):
        steps = [(0, 0, 0.0, 1)] * 3 + [(0, 1, 0.0, 2 + k) for k in range(rooms)] + [(1, 0, 0.0, 0)] * 3
        steps += [(2 + k, a, 0.1, 0) for k in range(rooms) for a in range(3) for _ in range(5)]
        return errors(*steps, widths=(2, 1, *[3] * rooms), discount=0.9).unseen[0]

    assert unseen(300) > 0.5 * unseen(3) and unseen(300) > 0.05


def test_a_table_says_what_an_outcome_may_pay():
    seen = transitions([2], (0, 0, 1.0, END), (0, 1, 0.0, END))
    solved = solve(model_of(seen, 0.5))
    assert errors_of(solved, None).top == 2.0 and errors_of(solved, (0.0, 10.0)).top == 11.0


def test_variances_have_the_unit_of_the_values_squared():
    steps = [(0, 0, 0.0, 1), (0, 0, 1.0, END), (1, 0, 3.0, 0), (1, 1, 2.5, END), (1, 0, 0.5, 0)]
    scaled = [(s, a, 1024.0 * r, t) for s, a, r, t in steps]
    one, other = errors(*steps, widths=(1, 2)), errors(*scaled, widths=(1, 2))
    np.testing.assert_allclose(other.variances, 1024.0**2 * one.variances)
    np.testing.assert_array_equal(other.unseen, one.unseen)


def test_random_numbers_are_fixed():
    z = deviates(2000, 64)
    assert z.mean() == pytest.approx(0.0, abs=1e-12) and z.std() == pytest.approx(1.0, abs=0.01)
    np.testing.assert_array_equal(z[:, ::2], -z[:, 1::2])
    streams = np.stack([uniform(k, 1000, 64) for k in range(7)])
    np.testing.assert_allclose(streams.mean((1, 2)), 0.5, atol=0.01)
    assert np.abs(np.corrcoef(streams.reshape(7, -1)) - np.eye(7)).max() < 0.02


@pytest.fixture(scope="module")
def sure():
    return learn(forked_river_swim(4), 800).certified


def test_each_draw_is_solved_to_the_best_policy(sure):
    """Against value iteration on dense arrays."""
    model, found, many = sure.solved.model, sure.solved, sure.solved.worth.size
    only = sure.errors._replace(unseen=np.zeros(many))
    drawn = draw(found, only, float(sure.visits.sum()))
    p = np.zeros((many, found.values.size))
    np.add.at(p, (model.pairs, model.to), model.chances)
    errors = deviates(many, 64) * np.sqrt(only.variances)[:, None]
    for k in range(0, 64, 16):
        v, r = found.values.copy(), model.rewards + errors[:, k]
        for _ in range(4000):
            v = np.maximum.reduceat(r + model.discount * p @ v, model.seen.first[:-1])
        np.testing.assert_allclose(found.values + drawn.best[:, k], v, atol=1e-4)


def test_an_unseen_outcome_is_worth_no_more_than_the_top():
    """A pair that stays where it is: an error at every visit would add up, an outcome that leads away does not."""
    seen = transitions([2], (0, 0, 1.0, 0), (0, 1, 0.0, 0))
    solved = solve(model_of(seen, 0.99))
    drawn = draw(solved, Errors(np.zeros(2), np.ones(2), 0.0, 120.0), 100.0)
    assert drawn.best.max() <= 20.0 + 1e-6 and drawn.best.max() > 5.0


def test_no_errors_change_nothing(sure):
    none = np.zeros(sure.solved.worth.size)
    still = draw(sure.solved, sure.errors._replace(variances=none, unseen=none), 100.0)
    assert np.abs(still.best).max() < 1e-6 and (still.policies == sure.solved.policy[:, None]).all()


def test_both_ways_to_solve_the_draws_agree(sure, monkeypatch):
    """Elimination, iterations from the inverse, iterations from the diagonal."""
    monkeypatch.setattr(possible, "SMALL", 0)
    again = certificate(sure.seen, sure.solved.model.discount, rewards=(0.0, 1.0))
    np.testing.assert_allclose(again.draws.best, sure.draws.best, atol=1e-4)
    monkeypatch.setattr("varde.rows.EXACT", 0)
    monkeypatch.setattr(possible, "EXACT", 0)
    again = certificate(sure.seen, sure.solved.model.discount, rewards=(0.0, 1.0))
    np.testing.assert_allclose(again.solved.values, sure.solved.values, rtol=1e-8)
    np.testing.assert_allclose(again.draws.best, sure.draws.best, atol=0.05 * sure.draws.best.std())
