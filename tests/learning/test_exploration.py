"""The default: the steps of a plan against what they estimate, and the plan against what it is for."""

import numpy as np
import pytest

import varde
from varde._compile import canonical
from varde.arrays import arrays_of
from varde.environments import deep_sea, garnet, river_swim
from varde.learning import plan
from varde.learning.experience import add_outcome, is_full, make_experience, notice, tidied
from varde.learning.explorer import Explorer, make_memory, pair_value
from varde.learning.loop import ALL, Transition, think_on
from varde.learning.measure import score_runs
from varde.learning.plan import PROBES, copy_data, fill_gains, fill_noise, variance
from varde.learning.run import Driver, begin_run, empty_task, seen_of, task_of, with_room
from varde.random import key, stream
from varde.rows import fill_chain
from varde.rule import VarDE

from .gathered import in_other_units


def toured(world, steps, objective="all", seed=0):
    tour = Driver(Explorer(), task_of(world, 0.9, steps, objective), stream(key(seed, "voyage")), world.model)
    tour.go(steps)
    return tour.run


class Pictured:
    """The model of a small world of which everything was tried, and a policy."""

    def __init__(self, states=5, actions=2, samples=12, seed=0):
        rng, task = np.random.default_rng(seed), task_of(garnet(states, actions), 0.9, 1)
        self.run = begin_run(Explorer(), task, stream(key(0)))
        for s in range(states):
            varde.learning.experience.arrive(self.run.seen, s)
        for s, a in np.ndindex(states, actions):
            for after in rng.integers(states, size=samples):
                self.run = with_room(Explorer(), self.run)
                notice(self.run.seen, Transition(s, a, rng.normal(), int(after), 0), False, True)
        self.run.seen.totals.starts[0] = 1
        self.memory = self.run.memory
        self.model, self.size = self.memory.model, states + 1
        copy_data(self.memory, self.run.task, self.run.seen)
        self.memory.best.policy[1:] = rng.integers(actions, size=states)
        fill_chain(self.model, self.size, self.memory.best.policy, self.memory.chain)
        self.inverse = np.linalg.inv(np.eye(self.size) - 0.9 * self.chances(self.memory.chain))
        self.decisions = [
            (s, p)
            for s in range(1, self.size)
            for p in range(self.model.first[s], self.model.first[s + 1])
            if p != self.model.first[s] + self.memory.best.policy[s]
        ]

    def chances(self, chain):
        matrix = np.zeros((self.size, self.size))
        for s in range(self.size):
            row = slice(chain.first[s], chain.first[s + 1])
            np.add.at(matrix[s], chain.to[row], chain.share[row])
        return matrix

    def row(self, p):
        """P(.|p)"""
        row, chances = slice(self.model.rows[p], self.model.rows[p + 1]), np.zeros(self.size)
        np.add.at(chances, self.model.to[row], self.model.counts[row] / self.memory.tried[p])
        return chances

    def influence(self, s, p):
        return (np.eye(self.size)[s] - 0.9 * self.row(p)) @ self.inverse


def test_what_samples_are_worth_is_right_on_average_over_all_signs(monkeypatch):
    """Three decisions have eight patterns of signs, one for each probe."""
    it = Pictured(states=3)
    memory = it.memory
    memory.wrong[[p for _, p in it.decisions]] = [0.5, 0.9, 0.1]
    memory.noise[:] = 2.0
    words = iter([sum(((k >> j) & 1) << (8 + k) for k in range(PROBES)) for j in range(3)])
    monkeypatch.setattr(plan, "bits", lambda rng: next(words))
    monkeypatch.setattr(plan, "COARSE", 1e-12)
    largest = fill_gains(memory, it.run.task, it.size, 0.9, stream(key(0)))
    wanted = sum(2.0 * memory.wrong[p] * it.influence(s, p) ** 2 for s, p in it.decisions)
    own = [it.model.first[s] + memory.best.policy[s] for s in range(1, it.size)]
    np.testing.assert_allclose(memory.weights[own], wanted[1:], rtol=1e-8)
    for _, p in it.decisions:
        assert memory.weights[p] == pytest.approx(2.0 * memory.wrong[p])
    assert largest == memory.weights.max()


def test_reward_and_successor_that_make_up_for_each_other_are_no_noise():
    seen = make_experience(2, 2, 64)
    task = task_of(garnet(2, 2, 2), 0.9, 1)
    for after in (0, 1):
        varde.learning.experience.arrive(seen, after)
        for _ in range(3):
            notice(seen, Transition(0, 0, 5.0 - 0.9 * after, after, 0), False, True)
    seen.totals.starts[0] = 1
    memory = make_memory(Explorer(), task)
    copy_data(memory, task, seen)
    values = memory.best.values
    values[:] = [0.0, 10.0, 11.0]  # END, 0, 1: the reward makes up for it
    assert variance(memory, 0, 0.9) == pytest.approx(0.0, abs=1e-12)
    values[2] = 12.0
    assert variance(memory, 0, 0.9) == pytest.approx(0.25 * 0.9**2)


def test_where_outcomes_differ_one_that_was_seen_once_may_differ_too():
    """The same single outcome: in a state whose other action is random, and in one whose other action is not."""
    run = begin_run(Explorer(), task_of(garnet(2, 2, 2), 0.9, 1), stream(key(0)))
    seen, memory = run.seen, run.memory
    for s in (0, 1):
        varde.learning.experience.begin_episode(seen, s)
    for s, a, after, times in ((0, 0, 0, 1), (0, 1, 0, 4), (0, 1, 1, 4), (1, 0, 0, 1), (1, 1, 1, 8)):
        for _ in range(times):
            notice(seen, Transition(s, a, 0.0, after, 0), False, True)
    seen.range[:] = 0.0, 1.0
    copy_data(memory, run.task, seen)
    memory.best.values[:] = [0.0, 1.0, 2.0]
    assert fill_noise(memory, run.task._replace(least=np.inf, most=-np.inf), seen, 3, 0.9)
    uncertain, steady = memory.noise[[0, 2]]
    own, unseen = 0.25 * 0.9**2, 2.0
    average, share = (own + unseen**2) / 2, (0.5 + 1.0) / 3
    assert uncertain == pytest.approx(5 / 6 * average * (share + 1) / 2)
    assert steady == pytest.approx(5 / 6 * average * share / 2)


@pytest.mark.parametrize("rooms", [2, 30])
def test_rooms_behind_one_door_are_one_piece_of_evidence(rooms):
    """How noisy an action of the corridor is expected to be does not depend on how many rooms were seen beside it."""
    run = begin_run(Explorer(), task_of(garnet(40, 2, 2), 0.9, 1)._replace(room=4096), stream(key(0)))
    seen, memory = run.seen, run.memory
    varde.learning.experience.begin_episode(seen, 0)
    for s in range(1, 2 + rooms):
        varde.learning.experience.arrive(seen, s)
    steps = [(0, 0, 0, 4), (0, 0, 1, 4), (1, 0, 0, 9), (1, 1, 0, 1), *((0, 1, 2 + i, 1) for i in range(rooms))]
    steps += [(2 + i, a, 0, 2) for i in range(rooms) for a in (0, 1)]
    for s, a, after, times in steps:
        for _ in range(times):
            run = with_room(Explorer(), run)
            notice(run.seen, Transition(s, a, 0.0, after, 0), False, True)
    seen, memory = run.seen, run.memory
    seen.range[:] = 0.0, 1.0
    copy_data(memory, run.task, seen)
    memory.best.values[:] = np.arange(memory.best.values.size) == 2  # the second place of the corridor is worth 1
    assert fill_noise(memory, run.task._replace(least=np.inf, most=-np.inf), seen, 3 + rooms, 0.9)
    average = ((0.25 * 0.9**2 + 0.0) / 2 + 2.0**2) / 2  # the actions of the first place, and the pair never seen
    share = (0.5 + 0.0 + 1.0 + 0.0) / 4  # three families, one of which is noisy
    corridor, room = memory.noise[memory.model.first[2] + 1], memory.noise[memory.model.first[3]]
    assert corridor == pytest.approx(5 / 6 * average * share / 2)
    assert room == pytest.approx(5 / 7 * average * share / (2 * rooms - 1) / 2)


def test_a_pair_never_tried_pays_once_and_ends_the_episode():
    run = toured(river_swim(3), 1)
    memory, seen = run.memory, run.seen
    s, a = next((s, a) for s, a in np.ndindex(3, 2) if seen.visits[s] and not seen.kinds[s, a])
    now = memory.now
    assert pair_value(memory, seen, s, a) == memory.novelty[s, a] + now.patience[0] * now.end[0]


def test_outcomes_of_a_pair_lie_side_by_side_and_pools_grow():
    seen = make_experience(40, 2, 64)
    for k in range(20):
        if is_full(seen):
            tidied(seen)
        for s, a in ((0, 0), (3, 1)):
            place = add_outcome(seen, s, a, k)
            seen.counts[place], seen.means[place] = k + 1, -k
        if is_full(seen):
            break
    for s, a in ((0, 0), (3, 1)):
        row = slice(seen.rows[s, a], seen.rows[s, a] + seen.kinds[s, a])
        assert seen.to[row].tolist() == list(range(k + 1)) and seen.counts[row].tolist() == list(range(1, k + 2))
    before = seen.totals.filled[0]
    tidied(seen)
    assert seen.totals.filled[0] <= before and seen.to[seen.rows[3, 1] : seen.rows[3, 1] + 3].tolist() == [0, 1, 2]


def test_memory_grows_with_what_was_seen():
    """Nothing is as large as S x S: bytes for each state, for each pair and for each outcome."""
    states, pairs = 2_000, 4_000
    run = toured(garnet(states, 2, 3, seed=1), 4_000)
    assert run.task.room <= 4 * run.seen.kinds.sum() + pairs
    assert sum(array.nbytes for array in arrays_of(run)) < 400 * states + 204 * pairs + 120 * run.task.room


@pytest.mark.parametrize("objective", ["all", "start"])
def test_many_states_in_both_engines(objective):
    world, at = garnet(70, 2, 3, seed=2), np.array([100, 150])
    plain, machine = (
        score_runs(VarDE(), world, at, key(3), range(1), engine=engine, objective=objective)
        for engine in ("python", "compiled")
    )
    assert (plain == machine).all()


@pytest.mark.parametrize("objective", ["all", "start"])
def test_units_do_not_matter_to_many_states(objective):
    world = garnet(80, 2, 3, paying=0.3, seed=4)
    one, other = (toured(in_other_units(world, by), 3_000, objective).seen.rewards.counts for by in (1.0, 1024.0))
    assert (one == other).all()


def test_starts_of_unequal_actions():
    moves = {
        "a": {"stay": [(1.0, "end", 0.1)], "go": [(1.0, "c", 0.0)], "jump": [(1.0, "end", 0.2)]},
        "b": {"go": [(1.0, "c", 0.0)], "stay": [(1.0, "end", 0.0)]},
        "c": {"only": [(0.5, "end", 1.0), (0.5, "b", 0.0)]},
        "end": {},
    }
    world = varde.tabulate(moves, starts={"a": 0.5, "b": 0.5})
    for objective in ("all", "start"):
        run = toured(world, 400, objective)
        seen = seen_of(run)
        assert run.seen.totals.starts[0] == seen.starts.sum() > 100 and (seen.tried > 0).all()
    score = varde.learning.measure(VarDE(), world, 400, discount=0.9, runs=3, objective="start")
    assert (score.values[:, -1] == 1.0).all()


def test_an_episode_cut_short_has_no_end():
    driver = Driver(Explorer(), empty_task(0.9, 0, ALL), stream(key(0)))
    driver.admit([[0, 1], [0, 1]])
    for _ in range(30):
        driver.tell(0, driver.ask(0), 1.0, 1)
    assert driver.run.seen.totals.end[0] == 0 and driver.run.seen.starts[:2].tolist() == [30, 0]


def test_episodes_that_end_need_no_discount():
    driver = Driver(Explorer(), empty_task(1.0, 0, ALL), stream(key(0)))
    driver.admit([[0, 1], [0, 1], []])
    for _ in range(60):
        state = 0
        while state != 2:
            action = driver.ask(state)
            after = 1 if state == 0 and action == 0 else 2
            driver.tell(state, action, float(after == 2) * (1 + state), after)
            state = after
    values = driver.run.memory.best.values
    np.testing.assert_allclose(values[:3], [0.0, 2.0, 2.0], rtol=1e-5)


RECORDED = {  # visits of the first states; any constant of the method moves some of them
    ("few", "all"): [400, 32, 368, 178, 18, 204, 127, 123],
    ("few", "start"): [400, 40, 360, 186, 18, 196, 130, 129],
    ("many", "all"): [17, 21, 30, 27, 13, 10, 22, 22],
    ("many", "start"): [24, 13, 19, 38, 12, 17, 24, 29],
}


@pytest.mark.parametrize("objective", ["all", "start"])
@pytest.mark.parametrize("name", ["few", "many"])
def test_recorded_trajectories(name, objective):
    world = deep_sea(5, seed=1) if name == "few" else garnet(90, 3, 4, paying=0.2, seed=5)
    assert toured(world, 2_000, objective).seen.visits[:8].tolist() == RECORDED[name, objective]


def test_thinking_does_not_need_the_kernel():
    run = toured(river_swim(4), 30)
    run.now.due[0] = 1
    think_on(Explorer(), canonical(run))
    assert run.now.due[0] == 0
