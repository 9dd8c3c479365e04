"""The best policy of what was seen."""

import numpy as np
import pytest

from varde.environments import river_swim
from varde.learning import learn
from varde.learning.certificate.model import model_of, solve
from varde.rows import END

from ..gathered import gather


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
    assert found.model.pairs[found.policy].tolist() == [0, -1] and found.model.untried.tolist() == [1, 1]
    assert found.model.open.tolist() == [False, True, False] and found.worth[1] < found.worth.max()
    np.testing.assert_allclose(found.values, [-1.0 + 0.9 * 0.5 * -10.0, -10.0])


def test_where_nothing_is_known_the_future_is_shorter_without_discount():
    found = solve(model_of(transitions([1, 1], (0, 0, -1.0, 1)), 1.0))
    np.testing.assert_allclose(found.values, [-1001.0, -1000.0], rtol=1e-3)


def test_the_values_of_another_policy():
    seen = transitions([2, 1], (0, 0, 0.0, 0), (0, 1, 1.0, 1), (1, 0, 4.0, 0))
    np.testing.assert_allclose(solve(model_of(seen, 0.5), np.array([0, 2])).values, [0.0, 4.0])


def test_states_without_actions_are_no_states_of_the_model():
    seen = transitions([1, 0, 1], (0, 0, 1.0, 2), (2, 0, 2.0, END))
    found = solve(model_of(seen, 0.5))
    assert found.model.states.tolist() == [0, 2]
    np.testing.assert_allclose(found.values, [2.0, 2.0])


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
