"""Records, models and threads that once wrote where nothing was theirs, in processes of their own."""

import pytest

from .isolated import Ready

OWN_ALGORITHM = """
import numpy as np, varde
from typing import NamedTuple
from varde.bandits.loop import select, recommend

class Mine(NamedTuple):
    arm: int = 3
    recommended: int = 0

@select.of(Mine)
def choose(algorithm, memory, arms, t, rng):
    return {chosen}

@recommend.of(Mine)
def name(algorithm, memory, arms):
    return algorithm.recommended

bandit = varde.bandits.Gaussian([0.3, 0.2, 0.1], [0.2, 0.2, 0.2])
"""

OWN_MODEL = """
import varde
from typing import NamedTuple
from varde.planning import Search, UCT
from varde.random import key, stream, uniform
from varde.worlds.record import expected_reward, num_actions, step

class Mine(NamedTuple):
    wide: int = 2
    far: int = 0

@num_actions.of(Mine)
def actions(problem):
    return [2] + 49 * [problem.wide]

@step.of(Mine)
def go(problem, state, action, rng):
    return (problem.far if problem.far != 0 and uniform(rng) < 0.02 else int(uniform(rng) * 50)), uniform(rng)

@expected_reward.of(Mine)
def half(problem, state, action):
    return 0.5
"""

OWN_AGENT = """
import varde
from typing import NamedTuple
from varde.learning.loop import act, report

class Mine(NamedTuple):
    action: int = 0
    reported: int = 0

@act.of(Mine)
def choose(algorithm, memory, task, seen, s, t, rng):
    return algorithm.action if t > 30 else 0

@report.of(Mine)
def far(algorithm, memory, task, seen, policy, rng):
    policy[1] = algorithm.reported
"""

THREADS = """
import threading, varde
from varde.random import key, stream

def in_four(work):
    ended = []
    def one():
        try:
            work()
            ended.append("done")
        except RuntimeError as error:
            ended.append(str(error))
    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sorted(set(ended)))
"""


WORDS = """
def words(call):
    try:
        return call()
    except (TypeError, ValueError, AssertionError) as error:
        return f"{type(error).__name__}: {error}"
"""


@pytest.fixture(scope="module")
def said():
    """The lines that snippets wrote; they did not crash or hang."""
    ready = Ready()

    def run(*code):
        ended = ready.run("\n".join((WORDS, *code)), timeout=240.0)
        assert ended.code == 0, (ended.code, ended.err[-2000:])
        return ended.out.splitlines()

    yield run
    ready.close()


def test_an_arm_that_there_is_not_is_named_chosen_or_recommended(said):
    own = OWN_ALGORITHM.format(chosen="t % 3 if t < 40 else algorithm.arm")  # after what is tried in Python
    call = """
for arm in (3, 100, -1, 10**9):
    print(words(lambda: varde.bandits.measure(Mine(arm), bandit, 100, runs=20, workers=1)))
print(words(lambda: varde.bandits.measure(Mine(0, 7), bandit, 100, runs=20)))
"""
    said_of = [f"ValueError: Mine chose arm {arm} of 3 at step 40: return 0 to 2" for arm in (3, 100, -1, 10**9)]
    recommended = "ValueError: Mine recommended arm 7 of 3 at step 100: return 0 to 2"
    assert said(own, call) == [*said_of, recommended]


@pytest.mark.parametrize("chosen", ["None", "1.5"])
def test_an_arm_that_is_no_number_is_said(said, chosen):
    call = "print(words(lambda: varde.bandits.measure(Mine(), bandit, 100, runs=20)))"
    words = said(OWN_ALGORITHM.format(chosen=chosen), call)
    assert words == [f"TypeError: Mine returned {chosen}: return a whole number"]


def test_contracts_name_an_arm_that_there_is_not(said):
    call = """
import varde.testing
print(words(lambda: varde.testing.check_algorithm(Mine(9))))
"""
    (contract,) = said(OWN_ALGORITHM.format(chosen="algorithm.arm"), call)
    assert (
        contract == "AssertionError: Mine(arm=9, recommended=0): select returned 9: return a whole number from 0 to 3"
    )


def test_widths_and_successors_that_cannot_be_are_named(said):
    """In one process: all compile the same."""
    call = """
for graph in (False, True):
    search, rng = Search(UCT(), Mine(5), 0, 40, graph=graph), stream(key(0, "wide"))
    over = []
    for _ in range(40):
        search.run(20, rng)
        over.append(int(search.tree.used[1] - len(search.tree.edges)))
    print(max(over) <= 0, search.settings.widest, search.trials)
for options in ({"graph": True}, {}, {"keep": False}):
    for far in (10**7, 80, -3):
        search = Search(UCT(), Mine(2, far), 0, 8, **options)
        said = words(lambda: search.run(2000, stream(key(0, "far"))))
        print(said.split("state ")[0], said.endswith(f" to state {far} of 50: return 0 to 49"))
for wide in (-7, 40_000):
    print(words(lambda: Search(UCT(), Mine(wide), 0, 8)))
"""
    wrong = ("is -7: write how many actions it has", "is 40000: write how many actions it has, at most 32,767")
    assert said(OWN_MODEL, call) == [
        *(2 * ["True 5 800"]),
        *(9 * ["ValueError: Mine led from  True"]),
        *(f"ValueError: num_actions of state 1 {each}" for each in wrong),
    ]


def test_actions_of_an_agent_that_there_are_not_are_named(said):
    """Both those that it takes and those that it reports, in one process: they compile the same."""
    call = """
world = varde.environments.river_swim(5)
for action in (2, -1, 10**9):
    print(words(lambda: varde.learn(world, 300, algorithm=Mine(action))))
    print(words(lambda: varde.learning.measure(Mine(action), world, 300, runs=2, workers=1)))
print(words(lambda: varde.learning.measure(Mine(0, 10**7), world, 300, runs=2, workers=1)))
step = lambda state, action, rng: ((state + action) % 4, 0.5)
print(words(lambda: varde.learn(step, 300, start=0, actions=[0, 1], algorithm=Mine(9))))
"""
    *taken, measured, asked = said(OWN_AGENT, call)
    actions = [2, 2, -1, -1, 10**9, 10**9]
    chose = [f"ValueError: Mine chose action {action} of 2 in state" for action in actions]
    assert [line.rsplit(" ", 8)[0] for line in taken] == chose
    assert {line.split(" at ")[1] for line in taken} == {"step 31: return 0 to 1"}
    assert measured == "ValueError: Mine reported action 10000000 of 2 in state 1 at step 300: return 0 to 1"
    assert asked.startswith("ValueError: Mine chose action 9 of 2 in state 0 at step ")


def test_a_search_refuses_a_second_thread(said):
    code = """
from varde.environments import sailing
search = varde.planning.Search(varde.planning.UCT(), sailing(4).model, 0, 20)
search.run(1, stream(key(0, "t")))
in_four(lambda: search.run(100_000, search.rng))
"""
    assert "this Search is in use by another thread: make one for each thread" in said(THREADS, code)[0]


def test_a_planner_refuses_a_second_thread(said):
    code = """
planner = varde.Planner(varde.environments.sailing(4), 20, algorithm=varde.planning.UCT())
planner(budget=10)
in_four(lambda: planner(budget=100_000))
"""
    assert "this Planner is in use by another thread: make one for each thread" in said(THREADS, code)[0]


def test_learners_and_selectors_are_told_by_many_threads(said):
    code = """
learner = varde.Learner([0, 1])
selector = varde.Selector(list("abcd"), 400)
def work():
    for turn in range(100):
        learner.tell(turn % 7, learner.ask(turn % 7) * 0, 0.5, (turn + 1) % 7)
        selector.tell(selector.ask(), 0.5)
in_four(work)
print(learner.steps >= 400, selector.spent)
"""
    assert said(THREADS, code) == ["['done']", "True 400"]


def test_counts_go_beyond_what_a_short_integer_holds(said):
    code = """
import varde
from varde.planning.tree import TRIALS
from varde.random import key, stream
world = varde.environments.sailing(4)
search, rng = varde.planning.Search(varde.planning.UCT(), world.model, world.start, 5), stream(key(0, "long"))
with varde._compile.using("python"):
    search.run(500, rng)
    search.tree.nodes["visits"][0] = search.tree.facts[TRIALS] = 2**31 - 10  # as after a day
    search.run(100, rng)
print(search.trials - 2**31, search.tree.edges["count"][search.edges()].sum())
"""
    assert said(code) == ["90 600"]
