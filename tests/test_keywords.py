"""Forty calls as people write them who come from elsewhere, and what they are told to write."""

import inspect
import pickle

import pytest

import varde

RIVER = varde.environments.river_swim(4)


def wait(counters, rng):
    return rng.exponential(10.0 / counters)


def step(state, action, rng):
    return state + action, rng.random()


def select(*given, **named):
    return varde.select(wait, [1, 2, 3], *given, **named)


def plan(**named):
    return varde.plan(RIVER, 0, horizon=3, **named)


def learn(**named):
    return varde.learn(RIVER, **{"budget": 50, **named})


WRONG = [
    (lambda: select(n_trials=50), "select has no n_trials=: write budget=50"),
    (lambda: select(max_evals=50), "select has no max_evals=: write budget=50"),
    (lambda: select(iterations=50), "select has no iterations=: write budget=50"),
    (lambda: select(50, direction="minimize"), 'select has no direction=: write goal="min"'),
    (lambda: select(50, maximize=True), 'select has no maximize=: write goal="max"'),
    (lambda: select(50, maximize=False), 'select has no maximize=: write goal="min"'),
    (lambda: select(50, minimize=True), 'select has no minimize=: write goal="min"'),
    (lambda: select(50, goal="minimize"), 'goal is \'minimize\': write "max" or "min"'),
    (lambda: select(50, n_jobs=-1), "select has no n_jobs=: write workers=4"),
    (lambda: select(50, random_state=3), "select has no random_state=: write seed=3"),
    (lambda: select(50, storage="a.db"), "select has no storage=: write store='a.db'"),
    (lambda: select(50, show_progress_bar=True), "select has no show_progress_bar=: write progress=True"),
    (lambda: select(50, confidence=0.95), "select has no confidence=: write stop=0.05"),
    (lambda: select(50, timeout=3), "select has no timeout=: write calls=varde.Calls(timeout=3)"),
    (lambda: select(50, margin=0.1), "write stop=varde.Stop(0.05, margin=0.1)"),
    (lambda: select(50, items=[1, 2]), "wait(counters, rng) has no parameter named item: write one"),
    (lambda: select(50, gaol="min"), "select has no gaol=: did you mean goal=?"),
    (lambda: select(50, colour="red"), "select has no colour=: its parameters are function, options, budget, goal"),
    (select, "budget is None: write the number of evaluations"),
    (lambda: varde.select(wait, candidates=[1, 2]), "select has no candidates=: write options=[1, 2]"),
    (lambda: varde.select(objective=wait, options=[1, 2]), "select has no objective=: write function=<function wait"),
    (lambda: varde.select(lambda x: x, [1, 2], 50, crn=True), "takes neither seed nor rng"),
    (
        lambda: varde.select(wait, varde.Selector([1, 2], 9), 50),
        "the Selector has its settings already: write budget=50",
    ),
    (lambda: varde.Selector([1, 2], n_trials=9), "Selector has no n_trials=: write budget=9"),
    (lambda: varde.Selector([1, 2], 9, workers=2), "Selector has no workers=: ask and tell are yours to call"),
    (lambda: varde.Selector([1, 2], 9, retries=0), "write calls=varde.Calls(retries=0)"),
    (lambda: varde.Selector([1, 2], 9, bounds=(0, 1)), "write calls=varde.Calls(bounds=(0, 1))"),
    (lambda: varde.Selector.open("a.db", goal="min"), "it is kept with the results: leave it out"),
    (lambda: plan(simulations=100), "plan has no simulations=: write budget=100"),
    (lambda: plan(gamma=0.9), "plan has no gamma=: write discount=0.9"),
    (lambda: varde.plan(RIVER, 0, horizonn=3), "plan has no horizonn=: did you mean horizon=?"),
    (lambda: varde.plan(RIVER, 0, max_depth=3), "plan has no max_depth=: write horizon=3"),
    (lambda: plan(direction="minimize"), "rewards are to be high; write the negative of what is to be low"),
    (lambda: plan(store="a.db"), "a search is not kept in a file; keep its moves, move.save(path)"),
    (lambda: plan(start=0), "plan has no start=: write state="),
    (lambda: plan(value=len), "write varde.Planner(world, horizon, hints=...)(state, budget)"),
    (lambda: plan(player=len), "write varde.Planner(world, horizon, player=...)(state, budget)"),
    (lambda: varde.Planner(RIVER, 3, memory=1e9), "write tree=varde.planning.Growth(...)"),
    (lambda: varde.Planner(RIVER, 3, simulations=100), "it is for the call, write planner(state, budget=1000"),
    (lambda: varde.Planner(RIVER, 3)(0, iterations=100), "write budget=100"),
    (lambda: learn(gamma=0.9), "learn has no gamma=: write discount=0.9"),
    (lambda: varde.learn(RIVER, total_timesteps=50), "learn has no total_timesteps=: write budget=50"),
    (lambda: learn(discretise=8), "learn has no discretise=: write key=function"),
    (lambda: learn(n_jobs=4), "it learns from one step after the other"),
    (lambda: learn(maximize=True), "rewards are to be high"),
    (lambda: varde.learn(env=RIVER, budget=9), "learn has no env=: write world="),
    (lambda: varde.Learner([0, 1], gamma=0.9), "Learner has no gamma=: write discount=0.9"),
    (lambda: varde.Learner([0, 1], stop=0.05), "look at recommend().p_right"),
    (lambda: varde.judge({"a": [1.0]}, metric="won"), "judge has no metric=: write value='won'"),
    (lambda: varde.judge({"a": [1.0]}, direction="minimize"), 'judge has no direction=: write goal="min"'),
]


@pytest.mark.parametrize(("call", "words"), WRONG, ids=[words for _, words in WRONG])
def test_a_wrong_word_gets_the_right_one(call, words):
    with pytest.raises((TypeError, ValueError)) as error:
        call()
    assert words in str(error.value)


CALLS = [varde.select, varde.plan, varde.learn, varde.judge, varde.tabulate]
CALLS += [varde.Selector, varde.Selector.open, varde.Planner, varde.Learner]
MORE = {
    "select": 17,  # those of Selector, so that no message sends anybody from one to the other
    **dict.fromkeys(["learn", "Selector"], 13),
    "plan": 14,
    "Planner": 14,
}  # than twelve, which is the aim


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__qualname__)
def test_parameters_are_named_and_few(call):
    parameters = inspect.signature(call).parameters
    assert not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    assert len(parameters) <= MORE.get(call.__qualname__, 12) and call.__doc__


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: varde.Selector([1, 2], 9), "write store=file, and varde.Selector.open(file)"),
        (lambda: varde.Planner(RIVER, 3), "make one in each process"),
        (lambda: varde.Learner([0, 1]), "write store=file"),
    ],
)
def test_what_cannot_be_pickled_says_what_to_do_instead(make, words):
    with pytest.raises(TypeError) as error:
        pickle.dumps(make())
    assert words in str(error.value)


def test_the_same_words_in_all_three():
    shared = {"budget", "seconds", "stop", "seed", "progress", "algorithm"}
    for call in (varde.select, varde.plan, varde.learn):
        assert shared - {"algorithm"} <= set(inspect.signature(call).parameters)
    seen = []
    move = varde.plan(step, 0, 200, horizon=3, actions=[0, 1], progress=seen.append, stop=0.05)
    assert (
        move == varde.plan(step, 0, 200, horizon=3, actions=[0, 1], progress=False, stop=0.05)
        and seen[-1] == move.spent
    )
    if move.stopped == "sure":
        assert "It ended by stop=0.05: another action is better with a chance of at most 5 %" in move.sentence


def test_a_function_of_progress_that_fails_is_heard():
    def broken(simulations):
        raise OSError("no terminal")

    with pytest.raises(OSError, match="no terminal"):
        varde.plan(step, 0, 50, horizon=3, actions=[0, 1], progress=broken)
