"""varde learn, as a new user meets it."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import varde
from varde.cli import app

from .test_plan import OWN


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN.replace("else -1", "else -(place > 0)"))  # nobody learns in an endless line

    def call(*words):
        return CliRunner().invoke(app, ["learn", *words])

    return call


def test_returns_are_shown_beside_random_play_and_the_best(run):
    said = run("CliffWalking-v1", "--budget", "3000", "--episodes", "3", "--random", "2")
    assert said.exit_code == 0, said.output
    assert "CliffWalking-v1: A policy for 37 states: it is worth " in said.output and "3,000 steps" in said.output
    assert "mean return -13 ± 0 over 3 episodes" in said.output
    assert "random play: " in said.output and "the best policy expects -13 from the same starts" in said.output


def test_everything_as_json(run):
    said = json.loads(run("Blackjack-v1", "--budget", "500", "--episodes", "30", "--random", "5", "--json").stdout)
    assert said["steps"] == 500 and len(said["episodes"]) == 30 and len(said["random"]) == 5 and said["best"] is None
    assert said["mean"] == sum(episode["return"] for episode in said["episodes"]) / 30


@pytest.mark.parametrize("world", ["own.py:step", "own.py:Walk", "own.py:Seen"])
def test_worlds_of_one_s_own(run, world):
    said = json.loads(run(world, "--budget", "300", "--episodes", "2", "--random", "0", "--json").stdout)
    assert [episode["moves"] for episode in said["episodes"]] == [3, 3] and said["unmet"] == 0


def test_a_file_goes_on_and_bins_are_said(run, tmp_path):
    words = ["CartPole-v1", "--discretise", "none,none,[0.0],3", "--episodes", "2", "--random", "0", "--json"]
    for budget in ("500", "800"):
        said = json.loads(run(*words, "--budget", budget, "--store", str(tmp_path / "pole")).stdout)
    assert said["steps"] == 750 and said["states"] <= 6


def test_the_policy_is_written_with_its_bins(run, tmp_path):
    words = ["CartPole-v1", "--discretise", "none,none,[0.0],3", "--budget", "500", "--episodes", "0", "--random", "0"]
    assert run(*words, "--save", "pole.json").exit_code == run(*words, "--save", "pole.html").exit_code == 0
    policy = varde.Policy.load(tmp_path / "pole.json")
    assert policy(np.array([0.0, 0.0, 0.1, 0.0])) in (0, 1) and not policy.unknown_states
    assert "<html" in (tmp_path / "pole.html").read_text()


def test_a_horizon(run):
    said = run("own.py:step", "--budget", "300", "--horizon", "3", "--discount", "1", "--episodes", "2", "--json")
    assert json.loads(said.stdout)["mean"] == 1.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("CartPole-v1",), "write key=10"),
        (("CartPole-v1", "--discretise", "many"), "write a number of bins"),
        (("Nowhere-v1",), "cannot be made"),
        (("Blackjack-v1", "--budget", "0"), "budget is 0"),
        (("own.py:nothing",), "has nothing called"),
    ],
)
def test_wrong_use(run, words, said):
    result = run(*words)
    assert result.exit_code == 2 and said in result.stderr.replace("\n", " ")


def test_a_world_that_fails(run):
    result = run("own.py:Broken")
    assert result.exit_code == 1 and "no power" in result.stderr


def test_ctrl_c_while_it_learns_plays_with_what_is_known(run):
    result = run("own.py:Stopped", "--budget", "300", "--episodes", "1")
    assert result.exit_code == 130 and "interrupted" in result.output


def test_a_policy_that_could_not_be_written_is_refused_before_it_is_learned(run, tmp_path):
    result = run("own.py:step", "--budget", "300", "--save", str(tmp_path / "nowhere" / "policy.json"))
    assert result.exit_code == 2 and "cannot write" in result.stderr


LATER = """
class Later:
    start = 0
    steps = 0
    def actions(self, place):
        return ["left", "right"]
    def step(self, place, action, rng):
        Later.steps += 1
        if Later.steps > 2000:
            raise RuntimeError("no power")
        return (place + 1) % 4, 1.0
"""


def test_what_was_learned_is_written_though_the_episodes_fail(run, tmp_path):
    (tmp_path / "later.py").write_text(LATER)
    result = run("later.py:Later", "--budget", "300", "--random", "0", "--save", "policy.json")
    assert result.exit_code == 1 and "no power" in result.stderr
    assert varde.Policy.load(tmp_path / "policy.json").states
