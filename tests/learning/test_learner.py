"""Which policy?  Tables, Gymnasium, functions and objects by ``learn``; any world by ask and tell."""

import copy
import os
import pickle
import random
import signal
import threading

import gymnasium
import numpy as np
import pytest

import varde
from tests.long import times
from varde._compile import using
from varde.learning import MFBPI, OBPI, PAPER, PSRL, EpsilonQ, Learner, learn
from varde.random import key
from varde.worlds.function import SimulationError
from varde.worlds.gymnasium import from_gymnasium


def river(state, action, rng):
    """RiverSwim(5) as a plain function."""
    if action == "left":
        return max(state - 1, 0), float(state == 0 and rng.random() < 0.05)
    u = rng.random()
    if state == 0:
        return int(u < 0.3), 0.0
    if state == 4:
        return (4 if u < 0.3 else 3), 1.0
    return state + (1 if u < 0.3 else -1 if u > 0.9 else 0), 0.0


class Corridor:
    """Four places and a prize at the end: walk right, collect, start again."""

    start = 0

    def actions(self, state):
        return ["back", "on"] if state else ["on", "stay"]

    def step(self, state, action, rng):
        if action == "on" and state == 3:
            return state, 1.0, True
        return {"back": state - 1, "on": state + 1, "stay": state}[action], 0.0, False


def ask_and_tell(learner, step, steps, state=0):
    """The steps that ``learn`` would make with the same seed."""
    rng = np.random.default_rng([int(word) for word in key(0, "identify-policy")])
    for _ in range(steps):
        action = learner.ask(state)
        after, reward = step(state, action, rng)
        learner.tell(state, action, reward, after)
        state = after
    return learner.recommend()


def test_a_table():
    policy = learn(varde.environments.river_swim(10), 20_000)
    _, best = varde.best_policy(varde.environments.river_swim(10), 0.99)
    assert set(dict(policy).values()) == {"right"}
    np.testing.assert_allclose(list(policy.values.values()), best, rtol=0.15)
    assert policy.spent == 20_000 and policy.untried_states == [] and policy.uncertain == []


def test_the_same_seed_gives_the_same_answer():
    first, again, other = (learn(varde.environments.river_swim(8), 500, seed=seed) for seed in (1, 1, 2))
    assert first.visits == again.visits != other.visits


def test_a_function():
    policy = learn(river, 3_000, actions=["left", "right"], start=0)
    assert dict(policy) == dict.fromkeys(range(5), "right") and policy.spent == 3_000


@pytest.mark.parametrize("algorithm", [varde.VarDE(), PAPER, EpsilonQ(), PSRL(), MFBPI()], ids=str)
def test_ask_and_tell_are_what_learn_does(algorithm):
    policy = learn(river, 800, actions=["left", "right"], start=0, algorithm=algorithm)
    same = ask_and_tell(Learner(["left", "right"], algorithm=algorithm), river, 800)
    assert policy.visits == same.visits and dict(policy) == dict(same)


def test_a_world_written_for_the_planner():
    """Episodes end, and states have actions of their own."""
    policy = learn(Corridor(), 400, discount=0.9)
    assert dict(policy) == dict.fromkeys(range(4), "on")
    np.testing.assert_allclose([policy.values[s] for s in range(4)], 0.9 ** np.arange(3, -1, -1))


def test_a_table_with_unequal_actions():
    corridor = Corridor()
    moves = {
        s: {
            a: [(1.0, "end" if over else to, r)]
            for a in corridor.actions(s)
            for to, r, over in [corridor.step(s, a, 0)]
        }
        for s in range(4)
    }
    policy = learn(varde.tabulate({**moves, "end": {}}), 400, discount=0.9)
    assert dict(policy) == dict.fromkeys(range(4), "on") and "end" not in policy


def test_tables_grow_with_the_states_met():
    def ring(state, action, rng):
        return (state[0] + (1 if action else 29)) % 30, float(state[0] == 29)

    policy = learn(lambda s, a, g: ((ring(s, a, g)[0],), ring(s, a, g)[1]), 3_000, actions=[0, 1], start=(0,))
    assert len(policy) == 30 and policy.spent == 3_000 and policy.untried_states == []


@pytest.mark.parametrize("name", ["FrozenLake-v1", "CliffWalking-v1"])
def test_gymnasium_tables(name):
    env = gymnasium.make(name)
    world = from_gymnasium(env)
    _, best = varde.best_policy(world, 0.95)
    start = world.states[world.start]
    assert learn(env, 60_000, discount=0.95).values[start] == pytest.approx(
        best[world.start], abs=0.1 * np.abs(best).max()
    )


def test_a_gymnasium_environment_without_a_table():
    policy = learn(gymnasium.make("Blackjack-v1"), 3_000, discount=0.999)
    assert len(policy) > 150 and len(policy.states[0]) == 3


def test_an_episode_that_is_cut_short_is_not_over():
    """Asking from elsewhere begins an episode; what was told says nothing about an end."""
    learner = Learner(["left", "right"])
    for _ in range(50):
        state = 0
        for _ in range(10):
            action = learner.ask(state)
            after, reward = river(state, action, np.random.default_rng(state))
            learner.tell(state, action, reward, after)
            state = after
    run = learner.driver.run
    assert (run.task.discounts[: len(learner.atlas.states)] > 0.0).all()
    assert run.seen.rewards.counts.sum() == 500 and run.seen.visits.sum() >= 500


def test_what_others_did_can_be_told():
    learner, rng = Learner(["left", "right"]), np.random.default_rng(0)
    for _ in range(3_000):
        state, action = int(rng.integers(5)), ["left", "right"][int(rng.integers(2))]
        after, reward = river(state, action, rng)
        learner.tell(state, action, reward, after)
    assert dict(learner.recommend()) == dict.fromkeys(range(5), "right")


def test_a_compiled_record_that_pays_at_the_end():
    """A leaf pays where it is come to: one step later than the reward of the step that leads there."""
    tree = varde.environments.synthetic_tree(2, 1)
    policy = learn(tree, 4_000, discount=0.9)
    best = 0.9 * max(tree.means @ (0.5, 0.5), 0.0)
    assert len(policy) == 1 and policy.values[0] == pytest.approx(best, abs=0.05)


def test_random_starts():
    """Whatever the episodes of a table start from is learned: here two halves that do not touch."""
    moves = {s: {a: [(1.0, "end", float(a == s % 2))] for a in (0, 1)} for s in range(4)}
    world = varde.tabulate({**moves, "end": {}}, starts={0: 0.5, 1: 0.25, 3: 0.25})
    assert dict(learn(world, 200)) == {0: 0, 1: 1, 3: 1}


def test_seconds():
    policy = learn(varde.environments.river_swim(20), 10**12, seconds=0.05)
    assert policy.stopped == "seconds" and 0 < policy.spent < 10**12
    assert learn(river, 10**9, actions=["left", "right"], start=0, seconds=0.05).stopped == "seconds"


def test_if_there_is_no_time_a_step_is_made_and_an_answer_given():
    """Loading the kernels may take longer than the seconds given."""
    for world, how in (
        (river, {"actions": ["left", "right"], "start": 0}),
        (varde.environments.river_swim(5), {}),
        ("MountainCar-v0", {"key": lambda seen: tuple(np.round(seen, 1))}),
    ):
        policy = learn(world, 10**9, seconds=1e-9, **how)
        assert policy.stopped == "seconds" and policy.spent > 0


@pytest.mark.parametrize("world", [varde.environments.river_swim(20), river], ids=["table", "function"])
def test_ctrl_c_returns_the_policy_so_far(world):
    learn(world, 100, **({} if world is not river else {"actions": ["left", "right"], "start": 0}))  # compile
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    policy = learn(world, 10**12, **({} if world is not river else {"actions": ["left", "right"], "start": 0}))
    assert policy.stopped == "interrupted" and policy.spent > 0 and "interrupted" in str(policy)


def test_states_that_cannot_be_reached_are_left_out():
    moves = {
        "here": {"stay": [(1.0, "here", 0.1)], "go": [(1.0, "there", 0.0)]},
        "there": {"stay": [(1.0, "there", 0.5)], "go": [(1.0, "here", 0.0)]},
        "island": {"stay": [(1.0, "island", 1.0)], "go": [(1.0, "here", 0.0)]},
    }
    world = varde.tabulate(moves)
    policy = learn(world, 200)
    assert list(policy) == ["here", "there"] and policy["here"] == "go"
    assert len(learn(world, 300, start="island")) == 3


@pytest.mark.parametrize("budget", [0, -5, 2.5, True])
def test_budget(budget):
    with pytest.raises((TypeError, ValueError), match=r"budget is"):
        learn(varde.environments.river_swim(3), budget)


@pytest.mark.parametrize("discount", [0.0, -1.0, 2.0, float("nan")])
def test_discount(discount):
    with pytest.raises(ValueError, match=r"discount is"):
        learn(varde.environments.river_swim(3), 10, discount=discount)
    with pytest.raises(ValueError, match=r"discount is"):
        Learner([0, 1], discount)


def test_worlds_that_misbehave():
    with pytest.raises(TypeError, match=r"actions=\[...\]"):
        learn(river, 10, start=0)
    with pytest.raises(ValueError, match=r"does not say where it starts"):
        learn(river, 10, actions=["left", "right"])
    for answer, words in ((1, r"return \(state, reward\)"), ((1, float("nan")), r"the reward is nan")):
        with pytest.raises(SimulationError, match=words):
            learn(lambda s, a, g, answer=answer: answer, 10, actions=[0, 1], start=0)
    with pytest.raises(ValueError, match=r"OBPI needs a continuing task"):
        learn(Corridor(), 10, actions=["on", "stay"], algorithm=OBPI())
    with pytest.raises(TypeError, match=r"is not a world"):
        learn([1, 2], 10)


def test_things_that_cannot_be_told():
    learner = Learner(["left", "right"], algorithm=EpsilonQ())
    with pytest.raises(ValueError, match=r"there is no policy yet"):
        learner.recommend()
    with pytest.raises(ValueError, match=r"'up' is not an action of state 0"):
        learner.tell(0, "up", 0.0, 1)
    with pytest.raises(ValueError, match=r"the reward is inf"):
        learner.tell(0, "left", float("inf"), 1)
    learner.tell(0, "left", 0.0, 1, over=True)
    assert learner.ask(1) in ("left", "right")  # 1 is over only where it was said to be
    with pytest.raises(TypeError, match=r"cannot be hashed"):
        learner.ask([])
    with pytest.raises(ValueError, match=r"has no actions"):
        Learner(lambda state: []).ask(0)


def test_a_learner_in_which_actions_differ():
    policy = learn(
        lambda s, a, g: (1 - s, float(a == 2)), 60, actions=lambda s: range(2 + s), start=0, algorithm=EpsilonQ(0.5)
    )
    assert list(policy.visits[0]) == [0, 1] and list(policy.visits[1]) == [0, 1, 2] and policy[1] == 2


# -- with a horizon -----------------------------------------------------------------------------


def test_steps_are_counted_from_where_an_episode_begins():
    learner = Learner(["wait", "cut"], 1, horizon=3)
    for _ in range(60):
        for age in range(3):
            action = learner.ask(age)
            learner.tell(age, action, float(age) if action == "cut" else 0.0, age + 1, action == "cut")
            if action == "cut":
                break
    policy = learner.recommend()
    assert [policy[age, age] for age in range(3)] == ["wait", "wait", "cut"] and set(policy) == {
        (a, a) for a in range(3)
    }
    learner.tell(5, "cut", 9.0, 6, True, step=2)
    assert (5, 2) in learner.recommend()
    for other, step in ((learner, 3), (learner, -1), (Learner([0]), 0)):
        with pytest.raises((TypeError, ValueError), match="step is"):
            other.ask(0, step=step)


def test_a_learner_is_not_copied_and_nan_is_no_state():
    learner = Learner([0, 1])
    for duplicate in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="write store=file"):
            duplicate(learner)
    with pytest.raises(ValueError, match="not even equal to itself"):
        learner.ask(float("nan"))


def test_a_learner_says_how_far_it_is():
    learner = Learner(actions=["left", "right"], discount=0.9)
    learner.tell(0, "right", 1.0, 1)
    learner.tell(1, "right", 1.0, 2)
    assert repr(learner) == "<Learner: 2 steps, 3 states; recommend() gives the policy>"


def test_ctrl_c_leaves_no_outcome_half_told(tmp_path):
    """In Python, before compiling pays; with a file, where what is in memory and what is kept must agree."""
    rng, told, interrupts = random.Random(1), 0, 0
    before = signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    try:
        with using("python"), Learner(["left", "right"], store=tmp_path / "l.db") as learner:
            while interrupts < times(20, 1_000):
                try:
                    signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-4, 4e-3))
                    while True:
                        state = learner.steps % 5
                        learner.tell(state, learner.ask(state), 1.0, (state + 1) % 5)
                        told += 1
                except KeyboardInterrupt:
                    interrupts += 1
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            assert told <= learner.steps == learner.seen.counts.sum() <= told + interrupts
            learner.tell(0, "left", 1.0, 1)
            steps = learner.steps
        with Learner(["left", "right"], store=tmp_path / "l.db") as again:
            assert again.steps == steps
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
