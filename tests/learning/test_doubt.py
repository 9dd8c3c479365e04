"""The delta method against finite differences, and the stated doubt against how often decisions are wrong."""

import numpy as np
import pytest

from varde.environments import river_swim
from varde.learning import learn
from varde.learning.doubt import Contrasts, Pairs, contrast, make_appraisal, value_and_doubt
from varde.learning.experience import Known, count_successors, make_experience, notice
from varde.learning.loop import Transition
from varde.learning.run import empty_task
from varde.worlds.solve import best_policy


def seen_at_random(num_states, num_actions, visits, seed):
    """Experience of a random model, every pair visited equally often."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(num_states), size=(num_states, num_actions))
    means, seen = rng.random((num_states, num_actions)), make_experience(num_states, num_actions, 4096)
    for s in range(num_states):
        for a in range(num_actions):
            for after in rng.choice(num_states, size=visits, p=shares[s, a]):
                notice(seen, Transition(s, a, means[s, a] + 0.3 * rng.normal(), int(after), 0), False, True)
    return seen


def doubts_of(seen, discount=0.9):
    """The doubts of the model seen, and the decisions and pairs that they are about."""
    size, num_actions = seen.kinds.shape
    task = empty_task(discount, 0, size, num_actions, 0)
    task.widths[:] = num_actions
    found = make_appraisal(task)
    value_and_doubt(task, seen, found)
    decision = Contrasts(Known(seen, found.rewards), task, found.doubts)
    return found.doubts, decision, Pairs(found.doubts.noise, seen.rewards.counts)


def successors(seen):
    """[S, A, S] how often each came."""
    counts = np.zeros((*seen.kinds.shape, seen.kinds.shape[0]))
    for s, a in np.ndindex(seen.kinds.shape):
        count_successors(seen, s, a, counts[s, a])
    return counts


def gaps(seen, policy, discount):
    """V(s) - Q(s, a) of a policy in the model seen, and V."""
    p, r = successors(seen) / seen.rewards.counts[:, :, None], seen.rewards.means
    rows = np.arange(len(policy))
    v = np.linalg.solve(np.eye(len(policy)) - discount * p[rows, policy], r[rows, policy])
    return v[:, None] - r - discount * p @ v, v


def test_influence_is_the_derivative_of_the_gap():
    seen = seen_at_random(6, 3, 40, 0)
    doubts, decision, parts = doubts_of(seen)
    policy = doubts.solution.policy.copy()
    base, _ = gaps(seen, policy, 0.9)
    for s in range(6):
        for a in range(3):
            if a == policy[s]:
                continue
            contrast(decision, parts, s, a)
            influence = doubts.influence.copy()
            for x in range(6):
                seen.rewards.means[x, policy[x]] += 1e-6
                moved, _ = gaps(seen, policy, 0.9)
                seen.rewards.means[x, policy[x]] -= 1e-6
                assert influence[x] == pytest.approx((moved[s, a] - base[s, a]) / 1e-6, abs=1e-6)


def test_weight_is_squared_returns_times_probability():
    """Taking a for ever in s lowers the value of s by m times the gap."""
    seen = seen_at_random(5, 2, 30, 1)
    doubts, decision, parts = doubts_of(seen)
    policy = doubts.solution.policy.copy()
    gap, v = gaps(seen, policy, 0.9)
    for s in range(5):
        other = policy.copy()
        other[s] = 1 - policy[s]
        wrong, weight = contrast(decision, parts, s, other[s])
        loss = v[s] - gaps(seen, other, 0.9)[1][s]
        assert weight == pytest.approx((loss / gap[s, other[s]]) ** 2 * wrong)


def test_nothing_in_doubt_without_noise():
    seen = make_experience(2, 2, 64)
    for s in range(2):
        for a in range(2):
            notice(seen, Transition(s, a, 0.0, (s + a) % 2, 0), False, True)
    assert (doubts_of(seen)[0].square == 1.0).all()


def test_an_untried_action_is_in_doubt():
    seen = seen_at_random(4, 2, 50, 2)
    seen.rewards.counts[2, 1] = seen.kinds[2, 1] = 0
    doubts, _, _ = doubts_of(seen)
    assert doubts.wrong[2] == 1.0 and doubts.solution.policy[2] == 0


def test_stated_doubt_is_about_the_truth():
    """100 trajectories of RiverSwim(5), ended early: the expected number of wrong actions is near the actual one."""
    world = river_swim(5)
    best, _ = best_policy(world, 0.99)
    wrong, stated, sure, failed = 0, 0.0, 0, 0
    for seed in range(100):
        policy = learn(world, 500, seed=seed)
        errors = policy.choices != best
        wrong += int(errors.sum())
        stated += float(policy.doubts.sum())
        sure += int((policy.doubts < 0.05).sum())
        failed += int(errors[policy.doubts < 0.05].sum())
    assert failed <= 0.05 * sure
    assert wrong <= 1.3 * stated
