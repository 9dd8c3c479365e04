"""Worlds that mislead a learner: nine numbers that are stated about a policy, and an attack on each.

    python -m tests.attack.misled [runs] [--save before|after]

An attack is a function of a seed that says whether the answer was bold and wrong.  ``--save`` enters the counts in
docs/results/learning-attacks.json.
"""

import argparse
import json
import math
from pathlib import Path

import gymnasium
import numpy as np

import varde
from varde.learning import learn

RESULTS = Path(__file__).parent.parent.parent / "docs" / "results" / "learning-attacks.json"


# -- worlds ----------------------------------------------------------------------------------------


class Battery(gymnasium.Env):
    """Work pays while the charge lasts, which is not seen; rest brings it back."""

    observation_space, action_space = gymnasium.spaces.Discrete(3), gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.charge = 20
        return 0, {}

    def step(self, action):
        paid = float(action == 1 and self.charge > 0)
        self.charge = max(self.charge - 1, 0) if action == 1 else min(self.charge + 1, 20)
        return int(self.np_random.integers(3)), paid, False, False, {}


class Mirror(gymnasium.Env):
    """A corridor in which the two ends look the same; what is right here is wrong there."""

    observation_space, action_space = gymnasium.spaces.Discrete(2), gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return 0, {}

    def step(self, action):
        paid = float((action == 1) == (self.place < 20))
        self.place = (self.place + (self.np_random.random() < 0.9)) % 40
        return int(self.np_random.integers(2)), paid, False, False, {}


class Far(gymnasium.Env):
    """A prize at the fourteenth step."""

    observation_space, action_space = gymnasium.spaces.Discrete(30), gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return 0, {}

    def step(self, action):
        self.place += 1
        return self.place, 0.1 * (action == 0) + 50.0 * (self.place == 14), self.place == 20, False, {}


def worn(after, least):
    """A machine whose better action is another one after so many calls."""
    calls = [0]

    def step(state, action, rng):
        calls[0] += 1
        good = 0.8 if (action == 1) == (calls[0] < after) else 0.2
        return int(rng.integers(least)), float(rng.random() < good)

    return step


def fishery(fish, catch, rng):
    """A lake in which nothing lives any more after the last fish."""
    left = max(fish - catch, 0)
    return left + (1 if 0 < left < 10 and rng.random() < 0.5 else 0), float(fish - left)


def lake():
    """The same as a table."""
    moves = {0: {catch: [(1.0, 0, 0.0)] for catch in (0, 1, 3)}}
    for fish in range(1, 11):
        moves[fish] = {}
        for catch in (0, 1, 3):
            left = max(fish - catch, 0)
            grows = [(0.5, left + 1, float(fish - left)), (0.5, left, float(fish - left))]
            moves[fish][catch] = grows if 0 < left < 10 else [(1.0, left, float(fish - left))]
    return varde.tabulate(moves, 8)


def casino(length=7, rooms=150):
    """A corridor to a place that pays for ever, and a door to rooms of tied actions on the way."""
    moves = {s: {"on": [(0.4, s + 1, 0.0), (0.6, s, 0.0)], "off": [(1.0, max(s - 1, 0), 0.0)]} for s in range(length)}
    moves[length - 1]["on"] = [(1.0, length - 1, 1.0)]
    moves[2]["door"] = [(1.0 / rooms, ("room", i), 0.0) for i in range(rooms)]
    return varde.tabulate({**moves, **{("room", i): {a: [(1.0, 2, 0.03)] for a in range(3)} for i in range(rooms)}}, 0)


# -- the truth -------------------------------------------------------------------------------------


def loss(world, policy, discount):
    """What a policy loses from the start, in the range of all values."""
    best = varde.best_policy(world, discount)[1]
    actions = np.zeros(len(world.states), int)
    for state in policy:
        actions[world.state(state)] = world.legal(world.state(state)).index(policy[state])
    return (best - varde.policy_values(world, actions, discount))[world.start] / np.ptp(best)


def played(env, policy, discount, skipped=0, runs=20):
    """What a policy is worth after some steps of an environment that never ends, on average."""
    total = 0.0
    for run in range(runs):
        seen = env.reset(seed=run)[0]
        for t in range(skipped + int(20.0 / (1.0 - discount))):
            seen, paid, *_ = env.step(policy[seen])
            total += paid * discount ** (t - skipped) if t >= skipped else 0.0
    return total / runs


def says(policy, code):
    return any(note.code == code for note in getattr(policy, "notes", ()))


# -- attacks ---------------------------------------------------------------------------------------


def p_right(seed):
    """A casino: above 90 %, and not within 1 % of the best."""
    policy = learn(casino(), 16_000, discount=0.98, seed=seed, start=0)
    return policy.p_right > 0.9 and loss(casino(), policy, 0.98) > 0.01


def interval(seed):
    """A hidden battery: what the policy is worth in the long run is outside."""
    policy = learn(Battery(), 2_000, discount=0.95, seed=seed)
    low, high = policy.interval
    return not low <= played(Battery(), policy, 0.95, skipped=100) <= high


def within(seed):
    """A world that has changed: met, while the policy takes what was right before."""
    policy = learn(worn(1_000, 4), 2_000, actions=[0, 1], start=0, discount=0.9, seed=seed)
    return policy.settled(varde.Within(2.0, 0.5)) and any(policy[state] == 1 for state in policy)


def expected_regret(seed):
    """A trap: the policy loses a tenth of the range and more, and nothing says that learning stood still."""
    policy = learn(fishery, 2_000, actions=[0, 1, 3], start=8, discount=0.95, seed=seed)
    return loss(lake(), policy, 0.95) > 0.1 and not says(policy, "stuck")


def values(seed):
    """Aliased observations: what the policy is worth from the start is outside of the interval of the state."""
    policy = learn(Mirror(), 2_000, discount=0.9, seed=seed)
    low, high = policy.intervals[0]
    return not low <= played(Mirror(), policy, 0.9) <= high


def untested_gain(seed):
    """A prize behind the limit of an episode: nothing says that more could be had."""
    policy = learn(gymnasium.wrappers.TimeLimit(Far(), 10), 1_000, discount=0.95, seed=seed)
    return policy.untested_gain <= 0.0 or policy.doubt[10] < 1.0


def notes(seed):
    """An outcome that did not come: the worse action, and no note of how much a few tries can hide."""

    def step(state, action, rng):
        return 0, (0.5 if action == 0 else 0.45 + 10.0 * (rng.random() < 0.05))

    policy = learn(step, 20, actions=[0, 1], start=0, discount=0.9, seed=seed)
    return policy[0] == 0 and not says(policy, "unseen")


def chances(seed):
    """Ties: they do not add up to one, or the policy is called right with 99 %."""
    policy = learn(lambda s, a, rng: (0, float(rng.random() < 0.5)), 600, actions=[*"abcd"], start=0, seed=seed)
    return abs(sum(policy.chances[0].values()) - 1.0) > 1e-9 or policy.p_right >= 0.99


def episode_return(seed):
    """Episodes that hardly ever end: a number is stated."""

    def step(state, action, rng):
        return state, 1.0, rng.random() < 1e-5

    return not math.isnan(learn(step, 500, actions=[0, 1], start=0, seed=seed).episode_return)


ATTACKS = (p_right, interval, within, expected_regret, values, untested_gain, notes, chances, episode_return)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="?", type=int, default=20)
    parser.add_argument("--save", choices=("before", "after"))
    given = parser.parse_args()
    found = {}
    for attack in ATTACKS:
        found[attack.__name__] = sum(bool(attack(100 + seed)) for seed in range(given.runs))
        print(
            f"{attack.__name__:16} misled in {found[attack.__name__]:3} of {given.runs}: {attack.__doc__}", flush=True
        )
    if given.save:
        kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        about = {attack.__name__: attack.__doc__ for attack in ATTACKS}
        kept |= {"runs": given.runs, "about": about, given.save: found}
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
