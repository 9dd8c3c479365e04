"""Worlds drawn around the model, and the best policy in each."""

import numpy as np
import pytest

from varde.environments import forked_river_swim
from varde.learning import learn
from varde.learning.certificate import certificate, chain, draws
from varde.learning.certificate.draws import Limits, deviates, draw
from varde.learning.certificate.noise import Noise


def test_deviates_are_normal_and_fixed():
    z = deviates(2000, 64)
    assert z.mean() == pytest.approx(0.0, abs=1e-12) and z.std() == pytest.approx(1.0, abs=0.01)
    assert (np.abs(z) > 1.96).mean() == pytest.approx(0.05, abs=0.004)
    np.testing.assert_array_equal(z[:, ::2], -z[:, 1::2])
    assert np.abs(np.corrcoef(z[:40, ::2]) - np.eye(40)).max() < 0.8
    np.testing.assert_allclose(z[:2, :4:2], [[-1.6837, -1.0211], [-0.0418, 0.1462]], atol=1e-4)  # for ever the same


@pytest.fixture(scope="module")
def sure():
    return learn(forked_river_swim(4), 800).certified


def exact(sure, k):
    """The best values of draw ``k`` by value iteration on dense arrays."""
    model, found = sure.model, sure.solved
    size = model.states.size
    p = np.zeros((model.tried.size, size))
    np.add.at(p, (np.repeat(np.arange(model.tried.size), np.diff(model.rows)), model.to), model.chances)
    r = found.worth - model.discount * p @ found.values + sure.draws.errors[:, k]
    v = found.values.copy()
    for _ in range(4000):
        v = np.maximum.reduceat(r + model.discount * p @ v, model.first[:-1])
    return v


def test_each_draw_is_solved_to_the_best_policy(sure):
    for k in range(0, 64, 16):
        np.testing.assert_allclose(sure.solved.values + sure.draws.best[:, k], exact(sure, k), atol=1e-4)


def test_luck_is_what_errors_add_and_own_what_they_add_to_the_present_policy(sure):
    """V_k - V of the policy of the draw in the model; without any change of policy the two are equal."""
    found = draw(sure.solved, sure.noise._replace(unseen=0.0 * sure.noise.unseen), 100.0, Limits())
    same = (found.policies == sure.solved.policy[:, None]).all(0)
    np.testing.assert_allclose(found.luck[:, same], found.own[:, same], atol=1e-5)
    assert same.any() and not same.all()
    assert (found.best >= found.own - 1e-5).all()  # the best is no worse than the present policy
    np.testing.assert_allclose(found.own[:, ::2], -found.own[:, 1::2], atol=1e-5)  # linear, and errors are mirrored


def test_no_errors_change_nothing(sure):
    still = draw(sure.solved, Noise(*(0.0 * part for part in sure.noise)), 100.0, Limits())
    assert np.abs(still.best).max() < 1e-6 and (still.policies == sure.solved.policy[:, None]).all()


def test_the_iterative_solver_draws_the_same(sure, monkeypatch):
    monkeypatch.setattr(chain, "EXACT", 0)
    monkeypatch.setattr(draws, "EXACT", 0)
    monkeypatch.setattr(draws, "SMALL", 0)
    again = certificate(sure.seen, sure.model.discount)
    np.testing.assert_allclose(again.solved.values, sure.solved.values, rtol=1e-8)
    np.testing.assert_allclose(again.draws.best, sure.draws.best, atol=0.05 * sure.draws.best.std())
    np.testing.assert_allclose(again.doubts, sure.doubts, atol=0.01)


def test_small_worlds_are_solved_by_elimination_with_the_same_result(sure, monkeypatch):
    monkeypatch.setattr(draws, "iterate", None)
    direct = certificate(sure.seen, sure.model.discount).draws
    monkeypatch.undo()
    monkeypatch.setattr(draws, "SMALL", 0)
    again = certificate(sure.seen, sure.model.discount).draws
    for one, other in zip(direct, again, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)  # residuals of 1e-7, 1/(1 - discount) = 100
