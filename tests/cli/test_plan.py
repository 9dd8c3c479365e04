"""varde plan, as a new user meets it."""

import json
import re

import pytest
from typer.testing import CliRunner

from varde.cli import app

OWN = """
import gymnasium
import numpy as np

actions = ["left", "right"]
start = 0


def step(place, action, rng):
    place += 1 if action == "right" else -1
    return place, float(place == 3), place == 3


class Walk:
    start = 0

    def __init__(self, goal=3):
        self.goal = goal

    def actions(self, place):
        return ["left", "right"]

    def step(self, place, action, rng):
        place += 1 if action == "right" else -1
        return place, -1.0, place == self.goal


class Seen(gymnasium.Env):
    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(9)
    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}
    render_mode = "rgb_array"
    place = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return 0, {}

    def step(self, action):
        self.place += action
        return self.place, float(action), self.place == 3, False, {}

    def render(self):
        return np.full((8, 8, 3), 60 * self.place, np.uint8)


class Stopped(Seen):
    def __init__(self):
        global first
        first = self

    def step(self, action):
        if self.place == 2 and self is first:
            raise KeyboardInterrupt
        return super().step(action)


class Fails(Walk):
    def step(self, place, action, rng):
        if place == 2:
            raise RuntimeError("no fuel")
        return super().step(place, action, rng)


class Broken(Seen):
    def step(self, action):
        raise RuntimeError("no power")
"""


@pytest.fixture
def own(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    return str(tmp_path / "own.py")


def varde(*arguments):
    return CliRunner().invoke(app, ["plan", *map(str, arguments)])


def test_an_environment_is_played_and_compared():
    found = varde("CliffWalking-v1", "--budget", 100, "--horizon", 14, "--random", 2)
    assert found.exit_code == 0, found.output
    assert re.match(r"episode 1: return -1\d in 1\d moves, over, the best policy expects -13\n", found.stdout)
    assert "random play: -" in found.stdout and "over 2 episodes" in found.stdout


@pytest.mark.parametrize(("name", "value"), [("Walk", -3.0), ("step", 1.0), ("Seen", 3.0)])
def test_worlds_of_ones_own(own, name, value):
    found = varde(f"{own}:{name}", "--budget", 60, "--horizon", 6, "--episodes", 2, "--json", "--random", 3)
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    assert [(e["return"], e["ended"]) for e in told["episodes"]] == [(value, "over")] * 2
    assert told["mean"] == value and len(told["random"]) == 3


def test_settings_are_given_to_a_class(own):
    told = json.loads(varde(f"{own}:Walk", "--set", "goal=2", "--budget", 60, "--horizon", 6, "--json").stdout)
    assert told["episodes"][0]["actions"] == ["right", "right"]


def test_ctrl_c_leaves_the_episodes_so_far(own):
    found = varde(f"{own}:Stopped", "--budget", 60, "--horizon", 3, "--random", 0, "--episodes", 4)
    assert found.exit_code == 130 and "stopped after 0 of 4 episodes" in found.stderr
    assert "episode 1: return 2 in 2 moves, interrupted" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (["NoSuch-v0"], 2, "NoSuch"),
        (["nosuch.py:world"], 2, "there is no file nosuch.py"),
        (["OWN:nothing"], 2, "has nothing called nothing"),
        (["OWN:Broken"], 2, "no power"),
        (["OWN:Fails", "--random", 0, "--horizon", 5, "--budget", 50], 1, "RuntimeError: no fuel"),
        (["Taxi-v4", "--set", "rain"], 2, "write NAME=VALUE"),
        (["Taxi-v4", "--set", "snow=1"], 2, "snow"),
        (["Taxi-v4", "--horizon", 0], 2, "horizon is 0"),
        (["Taxi-v4", "--budget", 0], 2, "budget is 0"),
        (["Taxi-v4", "--stop", 2], 2, "stop is 2"),
    ],
)
def test_what_is_wrong_is_said(own, tmp_path, monkeypatch, arguments, code, why):
    monkeypatch.chdir(tmp_path)
    found = varde(*[str(word).replace("OWN", own) for word in arguments])
    assert found.exit_code == code and why in found.stderr, found.output


@pytest.mark.parametrize("text", ["import nothing_of_the_kind", "actions = (", "world = 1 / 0"])
def test_a_file_that_cannot_be_read_is_shown_by_its_own_lines(tmp_path, text):
    (tmp_path / "mine.py").write_text(text)
    found = varde(f"{tmp_path}/mine.py:world")
    assert found.exit_code == 2 and "mine.py cannot be used (" in found.stderr, found.output
    assert "frozen" not in found.stderr and found.stderr.count("varde: ") == 1
    assert "write mine.py:NAME" in varde("mine.py").stderr
