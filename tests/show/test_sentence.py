"""The sentence of an answer: the decision and the chance on one line, whatever the situation; the rest are notes."""

import itertools

import numpy as np
import pytest

import varde
from tests.noted import noted
from varde.selection.evidence import Evidence
from varde.selection.failures import Outages
from varde.selection.goals import Best, Quantile, Top
from varde.selection.result import Selection

NAMES = {
    "short": lambda i: "abcdefghijklmnopqrstuvwxyz"[i],
    "long": lambda i: f"a prompt of words, {'very ' * 30}long, whose number {i} stands in the {'middle ' * 9}of it",
    "wide": lambda i: "提示词" * 30 + str(i),
    "lines": lambda i: f"def option():\n    return {i}\n" * 12,
}
GOALS = ["max", "min", Top(6), Top(1), Quantile(0.9), Best("x", load="<= 0.5", weight="<= 1e-09"), Best("x")]
ENDS = {
    "budget": {},
    "sure": {"stop": {"delta": 0.05, "margin": 0.123456, "bounds": (0.0, 1.0)}},
    "outage": {"outages": Outages(3, 71.5, 12, "ConnectionError: no route to host " * 5)},
    "not yet": {"budget": 12_345_678.9},
    "items": {"items": [f"item {i}" for i in range(9)], "replicates": [np.arange(9)] * 12},
}


def answer(goal, names, end, spread):
    size = 12
    rng = np.random.default_rng(3)
    values = [rng.normal(i * spread * 1e-5, 1.0, 9) * 1e7 for i in range(size)]
    numbers = {"x": values, "load": [np.full(9, 0.4 + 0.01 * i) for i in range(size)], "weight": values}
    named = getattr(goal, "names", ())
    given = Evidence(
        [NAMES[names](i) for i in range(size)],
        list(range(size)),
        values,
        goal=goal,
        stopped="budget" if end == "items" else end,
        numbers={name: numbers[name] for name in named},
        failing={NAMES[names](2): "ValueError: no " * 9},
        **ENDS[end],
    )
    return Selection.of(given)


@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_the_sentence_of_a_selection_is_one_short_line(goal):
    for names, end, spread in itertools.product(NAMES, ENDS, [0.0, 1.0, 1e9]):
        if end == "items" and getattr(goal, "names", ()):
            continue
        found = answer(goal, names, end, spread)
        where = f"{names}, {end}, {spread}: {found.sentence!r}"
        assert len(found.sentence) <= 200 and "\n" not in found.sentence, where
        assert found.sentence.endswith("."), where
        assert " %" in found.sentence or end == "items", where
        texts = [note.text for note in found.notes]
        assert len(set(texts)) == len(texts), where
        assert all(note.severity in ("warning", "detail", "assumption") for note in found.notes)
        assert "1 option failed and is left out." in noted(found, "failing")
        assert (end == "sure") == bool(noted(found, "promise")) or end == "items"
        assert (end == "outage") == bool(noted(found, "outages"))


@pytest.mark.parametrize("names", NAMES)
def test_names_that_are_shortened_stay_different(names):
    found = answer("max", names, "not yet", 0.0)
    best, rest = found.sentence.removeprefix("Take ").split(": ", 1)
    assert "ahead of" in rest and f"ahead of {best} by" not in rest


def test_the_sentences_of_moves_and_policies_are_short_lines():
    actions = [f"a move of {'many ' * 20}words, number {i} of {'many ' * 20}" for i in range(3)]

    def step(state, action, rng):
        return state + 1, 1e9 * rng.normal(actions.index(action))

    for stop, budget in itertools.product([None, 0.05], [1, 40, 400]):
        move = varde.plan(step, 0, budget, horizon=2, actions=actions, stop=stop, seed=1)
        assert len(move.sentence) <= 200 and "\n" not in move.sentence and move.sentence.endswith("."), move.sentence
    for budget in (20, 400, 4_000):
        policy = varde.learn(varde.environments.river_swim(5), budget)
        assert len(policy.sentence) <= 200 and "\n" not in policy.sentence and " %" in policy.sentence
