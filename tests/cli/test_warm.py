"""What ``varde warm`` compiles is what the defaults need."""

import gymnasium
import numpy as np
import pytest
from typer.testing import CliRunner

import varde
from varde._compile.kernels import Kernel
from varde.cli import app, warm


def walk(state, action, rng):
    return min(max(state + action, 0), 9), float(state == 9) + rng.normal()


class Many:
    """A world that takes many steps at once."""

    actions = (1, -1)

    def step(self, state, action, rng):
        return walk(state, action, rng)

    def step_many(self, states, actions, rng):
        return [(int(s) + int(a)) % 10 for s, a in zip(states, actions, strict=True)], np.ones(len(states))


def race(state, action, rng):
    return state + action, float(state + action >= 9), state + action >= 9


USES = {
    "plan in a table": lambda: varde.plan(varde.environments.taxi(), budget=20, horizon=5),
    "as a tree": lambda: varde.Planner(
        varde.environments.sailing(), horizon=5, tree=varde.planning.Growth(graph=False)
    )(budget=20),
    "plan in a function": lambda: varde.plan(walk, 3, 20, horizon=5, actions=(1, -1)),
    "by workers": lambda: varde.plan(walk, 3, 20, horizon=5, actions=(1, -1), workers=2),
    "in batches": lambda: varde.plan(Many(), 3, 20, horizon=5),
    "with a value": lambda: varde.Planner(
        walk, horizon=5, actions=(1, -1), hints=varde.planning.Hints(value=lambda state: state)
    )(3, 20),
    "with sampled actions": lambda: varde.Planner(walk, horizon=5, sample_action=lambda state, rng: 1)(3, 20),
    "plan in an environment": lambda: varde.plan(gymnasium.make("CartPole-v1"), budget=20, horizon=5),
    "plan in a game": lambda: varde.Planner(race, horizon=9, actions=(1, 2), player=lambda state: state % 2)(0, 20),
    "learn in a table": lambda: varde.learn(varde.environments.river_swim(10), 100),
    "learn from starts": lambda: varde.learn(varde.environments.frozen_lake(), 100, discount=0.9),
    "learn in a function": lambda: varde.learn(walk, 100, discount=0.9, actions=(1, -1), start=0),
    "learn in an environment": lambda: varde.learn("Blackjack-v1", 100),
    "measure": lambda: varde.bandits.measure(varde.VarDE(), varde.bandits.Gaussian([1, 2, 3], [1, 1, 1]), 20, runs=2),
}


@pytest.fixture(scope="module")
def warmed():
    """What the work of ``varde warm`` would compile, run in Python."""
    seen, version = set(), Kernel.version

    def watched(kernel, args, scalars=()):
        found = version(kernel, args, scalars)
        seen.add((kernel.__name__, found.storage.kind))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kernel, "version", watched)
        for work in warm.WORK.values():
            work()
        yield seen


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_no_default_needs_what_warm_has_not_compiled(use, warmed):
    known = set(warmed)
    use()
    assert warmed <= known


def test_it_says_how_far_it_is_and_what_it_made(tmp_path, monkeypatch):
    monkeypatch.setattr("varde._compile.cache_folder", lambda: tmp_path)
    monkeypatch.setattr(warm, "WORK", {"nothing": lambda: None})
    done = CliRunner().invoke(app, ["warm"])
    assert done.exit_code == 0 and "1 of 1  nothing" in done.output and "0 kernels compiled" in done.output
