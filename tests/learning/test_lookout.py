"""What a learner notices: that observations are not states, and that there is no way back."""

import numpy as np
import pytest

import varde
from varde.learning import Learner, learn

from ..attack.misled import Battery, fishery, worn


def flicker(state, action, rng):
    return (state + 1) % 2, float(rng.random() < 0.5)


@pytest.mark.parametrize("seed", range(3))
def test_a_hidden_battery_is_noticed(seed):
    policy = learn(Battery(), 2_000, discount=0.95, seed=seed)
    assert abs(policy.noticed.z) > 5.0 and policy.p_right <= 0.5
    assert policy.interval == (0.0, pytest.approx(20.0))  # what the rewards allow
    note = next(note for note in policy.notes if note.code == "state")
    assert (
        note.severity == "warning"
        and "depends on more than the state" in note.text
        and note.text in str(policy).replace("\n", " ")
    )


def test_a_world_that_changes_does_not_end_learning():
    policy = learn(worn(1_000, 4), 2_000, actions=[0, 1], start=0, discount=0.9)
    assert policy.noticed.alarm and policy.p_right <= 0.5
    assert not policy.settled(varde.Within(100.0, 0.5)) and learn(flicker, 500, actions=[0], start=0).noticed.z < 3.0


def test_what_is_as_it_seems_raises_no_alarm():
    for world in (varde.environments.river_swim(6), varde.environments.four_rooms(7)):
        for seed in range(20, 30):
            noticed = learn(world, 1_500, seed=seed).noticed
            assert not noticed.alarm and noticed.since == noticed.restarts == 0


def test_rounding_is_no_residual():
    def ring(state, action, rng):
        return (state + 1) % 7, 0.1 * state + 0.3

    assert learn(ring, 1_000, actions=[0, 1], start=0).noticed.z == 0.0


def test_where_there_is_no_way_back_learning_begins_anew(tmp_path):
    policy = learn(fishery, 600, actions=[0, 1, 3], start=8, discount=0.95)
    assert policy.noticed.restarts > 1 and sum(policy.visits[8].values()) > 20
    assert any("begun anew" in note.text for note in policy.notes)
    learn(fishery, 333, actions=[0, 1, 3], start=8, discount=0.95, store=tmp_path / "lake")
    again = learn(fishery, 600, actions=[0, 1, 3], start=8, discount=0.95, store=tmp_path / "lake")
    assert again == policy and again.visits == policy.visits


def test_a_table_is_begun_anew_too():
    ways = {s: {a: [(1.0, max(s - a, 0), float(min(a, s)))] for a in (0, 1)} for s in range(4)}
    policy = learn(varde.tabulate(ways, 3), 400, discount=0.9)
    assert policy.noticed.restarts > 0 and policy.best == policy and policy[3] == 1


def test_a_learner_says_that_it_is_stuck():
    learner, fish, rng = Learner(actions=[0, 1, 3], discount=0.95), 8, np.random.default_rng(0)
    for step in range(1, 151):
        catch = learner.ask(fish)
        left, paid = fishery(fish, catch, rng)
        learner.tell(fish, catch, paid, left)
        fish = left
        if fish == 0 and step > 140:
            break
    policy = learner.recommend()
    noticed = policy.noticed
    assert 0 < noticed.since <= 150 and noticed.reached == 1 and noticed.lost >= 8
    assert any(f"Stuck since step {noticed.since}: 1 state can still be reached" in note.text for note in policy.notes)
    learner.ask(8)
    assert learner.recommend().noticed.since == 0 and learner.recommend().noticed.restarts == 1
    learner.tell(8, 0, 0.0, 8)
    assert not any(note.code == "stuck" for note in learner.recommend().notes)


def test_it_is_not_stuck_while_an_action_may_be_the_way_out():
    learner = Learner(actions=[0, 1], discount=0.9)
    learner.tell("out", 0, 0.0, "in")
    for _ in range(9):
        learner.tell("in", 0, 0.0, "in")
        learner.tell("in", 1, 0.0, "in")
    assert learner.recommend().noticed.since == 0
    learner.tell("in", 0, 0.0, "in")
    learner.tell("in", 1, 0.0, "in")
    assert learner.recommend().noticed == learner.recommend().noticed._replace(since=1, reached=1, lost=1)


def test_what_was_noticed_is_saved(tmp_path):
    policy = learn(Battery(), 2_000, discount=0.95)
    policy.save(tmp_path / "p")
    again = varde.Policy.load(tmp_path / "p")
    assert again.noticed == policy.noticed and again.p_right == policy.p_right and again.interval == policy.interval
