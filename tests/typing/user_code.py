"""A user's program as a type checker sees it: ``make lint`` checks it with mypy, strictly; nothing here is run.

Each ``assert_type`` fails where a public name has lost its type, or has become Any.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, assert_type

import numpy as np

import varde
from varde import bandits, environments, learning, planning, studies, testing, worlds
from varde.certainty import Certificate
from varde.measured import Measured
from varde.selection import EventLog, Standing, Told


def waiting_time(counters: int, rng: np.random.Generator) -> float:
    return rng.exponential(10.0 / counters) + 2.0 * counters


def waiting_there(counters: int, rng: np.random.Generator, context: str) -> float:
    return waiting_time(counters, rng) * len(context)


def choosing() -> None:
    found = varde.select(waiting_time, [1, 2, 3], budget=300, goal="min", stop=0.05, store="a.db")
    assert_type(found, varde.Selection[int])
    assert_type(found.best, int)
    assert_type(found.interval, tuple[float, float])
    assert_type(varde.select(waiting_time, {"one": 1}, 100).best, int)
    assert_type(varde.select(waiting_time, [1, 2, 3], 100, goal=varde.Top(2)).best, list[int])
    assert_type(varde.select(waiting_time, [1, 2], 100, goal=varde.Quantile(0.95, "min")).best, int)
    assert_type(varde.judge("results.csv", option="variant", value="revenue").best, str | int)
    assert_type(varde.Selection.load("found.json"), varde.Selection)
    assert_type(found.chosen, tuple[str, ...])
    assert_type(found.chances, dict[str, float])
    assert_type(found[found.best].interval, tuple[float, float])
    assert_type(found.p_right, float)
    assert_type(found.expected_regret, float)
    assert_type(found.spent, float)
    assert_type(found.certificate, Certificate)
    assert_type(found.sentence, str)
    assert_type(found.stopped, str)
    assert_type(found.rows, tuple[Standing, ...])
    assert_type(found.rows[0].mean, float)
    assert_type(found.ranked, list[Standing])
    assert_type(found.settled, bool)
    assert_type(found.to_csv(), str)
    assert_type(found.to_html("page.html"), None)
    assert_type(found.to_dict(), dict[str, Any])
    within = varde.select(waiting_time, [1, 2], 100, goal=varde.Best("profit", latency="<= 200"))
    assert_type(within.best, int | None)
    by_kind = varde.select(waiting_there, [1, 2], 100, contexts=["small", "large"])
    assert_type(by_kind, varde.Choices)
    assert_type(by_kind["small"].p_right, float)
    varde.select(waiting_time, varde.Selector([1, 2], 100, warm_start=5, stop=varde.Stop(0.01)))
    varde.select(waiting_time, [1, 2], 100, costs=[1, 2], calls=varde.Calls(timeout=3.0), stop="watched")


def asking(log: EventLog) -> None:
    with varde.Selector(["a", "b"], 10, goal="min", store=log) as selector:
        assert_type(selector, varde.Selector[str])
        while (draw := selector.ask()) is not None:
            assert_type(draw, varde.Draw[str])
            assert_type(draw.option, str)
            assert_type(draw.seed, int)
            assert_type(draw.name, str)
            assert_type(selector.tell(draw, 1.0), bool)
        for one in selector.ask(3):
            assert_type(one, varde.Draw[str])
            selector.fail(one, "no answer")
        assert_type(selector.tell_many([{"option": "a", "value": 1.0}]), Told)
        assert_type(selector.pending, list[varde.Draw[str]])
        assert_type(selector.done, bool)
        assert_type(selector.remaining, float)
        assert_type(selector.recommend(), varde.Selection)
    assert_type(varde.Selector.open("a.db"), varde.Selector)


def mistakes() -> None:
    """Each of these is found by a type checker, which complains if there is nothing to ignore."""
    varde.select(waiting_time, [1, 2], budgett=100)  # type: ignore[call-overload]  # pyright: ignore
    varde.select(waiting_time, [1, 2], 100, goal="minimize")  # type: ignore[call-overload]  # pyright: ignore
    varde.select(waiting_time, ["one", "two"], 100)  # type: ignore[arg-type]  # pyright: ignore
    varde.Selector([1, 2], 100, workers=4)  # type: ignore[call-arg]  # pyright: ignore
    varde.plan(step, 0, 200, horizonn=3, actions=[0, 1])  # type: ignore[call-overload]  # pyright: ignore
    varde.learn(environments.river_swim(5), 100, gamma=0.9)  # type: ignore[call-arg]  # pyright: ignore


def step(state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
    return state + action, rng.normal()


def moving() -> None:
    table = environments.river_swim(5)
    assert_type(table, varde.Table)
    assert_type(varde.plan(table, 0, 200, horizon=5).best, Any)
    for move in (varde.plan(step, 0, 200, horizon=5, actions=[0, 1]), varde.plan(step, 0, actions=range(3))):
        assert_type(move, varde.Move[int])
        assert_type(move.best, int)
        assert_type(move.interval, tuple[float, float])
        assert_type(move.to_csv(), str)
        assert_type(move.values, dict[Hashable, float])
        assert_type(move.chances, dict[Hashable, float])
        assert_type(move[move.best].interval, tuple[float, float])
        assert_type(move.value, float)
        assert_type(move.p_right, float)
        assert_type(move.sentence, str)
        assert_type(move.to_html(), str)
    planner = varde.Planner(table, 5, 0.9, algorithm=planning.UCT(), seed=1)
    planner.begin(0)
    assert_type(planner.think(100, stop=0.05), varde.Move)
    assert_type(planner.advance("left", 0), int)
    assert_type(planner.recommend(), varde.Move)
    made = varde.tabulate({0: {"go": [(1.0, 0, 1.0)]}}, 0)
    assert_type(made, varde.Table)
    values, best = varde.best_policy(made, 0.9)
    assert_type(values, np.ndarray)
    assert_type(varde.policy_values(made, best, 0.9), np.ndarray)
    worlds.as_world(step, [0, 1])


def learning_a_policy() -> None:
    policy = varde.learn(environments.deep_sea(5), 1_000, stop=varde.Within(0.1))
    assert_type(policy, varde.Policy)
    assert_type(policy.value, float)
    assert_type(policy.best, varde.Policy)
    assert_type(policy.interval, tuple[float, float])
    assert_type(policy.episode_return, float)
    assert_type(policy.p_right, float)
    assert_type(policy.expected_regret, float)
    assert_type(policy.certificate(0), Certificate)
    assert_type(policy.uncertain, list[Hashable])
    assert_type(policy.to_html(), str)
    assert_type(varde.Policy.load("policy.npz"), varde.Policy)
    learner = varde.Learner([0, 1], 0.99, algorithm=learning.PSRL())
    learner.tell(0, learner.ask(0), 1.0, 1)
    assert_type(learner.recommend(), varde.Policy)
    assert_type(learner.steps, int)


def measuring() -> None:
    instance = bandits.INSTANCES["BAI.1"]
    assert_type(instance, bandits.Instance)
    measured = bandits.measure(
        varde.VarDE(varde.decisions.LogSumExp(0.1)), bandits.Gaussian([0.0, 1.0], [1.0, 1.0]), 100
    )
    assert_type(measured, Measured)
    assert_type(measured.error, np.ndarray)
    assert_type(measured.best, float)
    table = environments.frozen_lake()
    assert_type(planning.measure(planning.MENTS(0.5), table, 100, horizon=10), Measured)
    assert_type(learning.measure(learning.UCBVI(), table, 100), Measured)
    assert_type(varde.decisions.evaluate(varde.decisions.LogSumExp(0.1), [0.0, 1.0]), float)
    assert_type(varde.decisions.gradient(varde.decisions.PowerMean(3.0), [0.0, 1.0]), np.ndarray)
    study = studies.bandit_study("mine", {"two": (bandits.Bernoulli([0.4, 0.5]), 100)}, {"SR": varde.VarDE()})
    assert_type(study, studies.Study)
    for row in studies.run(study, runs=100):
        assert_type(row, studies.Outcome)
        assert_type(row.value, float)
    testing.check_algorithm(bandits.Uniform())
    testing.check_world(table)
