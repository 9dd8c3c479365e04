"""The three arms of the introduction: the snapshot as printed, and answers that follow the numbers."""

import math
from dataclasses import replace

import numpy as np
import pytest

from varde import VarDE
from varde.beliefs.noise import Floor
from varde.decisions import LogSumExp
from varde.paper import stylized
from varde.paper.stylized import (
    ARMS,
    BANDIT,
    BONUS,
    FRESH,
    FROM,
    NEXT,
    PULLS,
    SEEN,
    SHARE,
    SNAPSHOT,
    VARDE,
    Only,
    follow,
    only,
    wrong_and_share,
)
from varde.random import key
from varde.studies import run

from ..studies.results import made_runs, rows_from


def test_the_arms_are_those_in_print():
    assert BANDIT.means == pytest.approx([0.60, 0.59, 0.56])
    assert stylized.as_printed([]).grade == "holds"
    assert SNAPSHOT[0] == pytest.approx((0.42, math.sqrt(0.42 * 1.58))) and SNAPSHOT[1] == pytest.approx((0.59, 0.01))


def test_rules_begin_at_the_snapshot():
    """At the snapshot the rule's own formula says which arm is next: exp(-0.17/tau) 0.81 against the floored 0.1."""
    for tau, floor in ((0.05, 1e-2), (0.1, 1e-2), (0.05, 1e-4)):
        weight = math.exp((0.42 - 0.59) / tau) * math.sqrt(0.42 * 1.58 * 40 / 39)
        rule = VarDE(LogSumExp(tau), Floor(floor), SEEN)
        share = wrong_and_share(rule, BANDIT, SNAPSHOT, SEEN, (1,), key(0), 0, 1)[0, 1]
        assert share == (100.0 if weight > math.sqrt(max(floor, 1e-4 * 40 / 39)) else 0.0)


def test_one_arm_only_changes_the_decision_as_often_as_the_binomial_says():
    """40 more of 0 and 2: their mean must reach 2 x 0.59 - 0.42, which takes 16 of them or more."""
    chance = sum(math.comb(40, k) * 0.3**k * 0.7 ** (40 - k) for k in range(16, 41))
    wrong = wrong_and_share(Only(0), BANDIT, SNAPSHOT, SEEN, (40,), key(1), 0, 4000)[:, 0]
    assert abs(1.0 - wrong.mean() / 100.0 - chance) < 4.0 * math.sqrt(chance * (1.0 - chance) / 4000)
    assert wrong_and_share(Only(1), BANDIT, SNAPSHOT, SEEN, (40,), key(1), 0, 50)[:, 0].min() == 100.0


def test_the_snapshot_is_the_same_in_python():
    from varde.bandits.loop import prepare
    from varde.moments import make_moments

    rule, out = VarDE(LogSumExp(0.1), Floor(0.01), SEEN), np.empty((2, 2, 2))
    records = prepare(rule, 3), make_moments(3), np.arange(3), np.array(SNAPSHOT), SEEN, np.array([10, 40])
    follow.python(rule, BANDIT, *records, key(3), np.empty(4, np.uint64), 5, out)
    assert (out.reshape(2, -1) == wrong_and_share(rule, BANDIT, SNAPSHOT, SEEN, (10, 40), key(3), 5, 2)).all()


def told(**changes):
    """The grades on made-up runs."""
    means = {(FRESH, stylized.short(name)): [45.0] for name in VARDE}
    for name in stylized.rules():
        means |= {(FRESH, f"{name}{what}"): [45.0] for what in ("", f": {SHARE}")}
        means |= {(FROM, f"{name}: {SHARE}"): [100.0] * len(NEXT)}
    means[FROM, f"{BONUS}: {SHARE}"] = [0.0] * len(NEXT)
    means |= {(FROM, only(arm)): [89.0 if arm == 0 else 100.0] * len(NEXT) for arm in range(len(ARMS))}
    for key_, value in changes.get("but", {}).items():
        means[key_] = [value] * len(means[key_])
    made = made_runs(means, 100, 1.0)
    for name in stylized.rules():  # the first pull after the snapshot is the same in every run
        made[FROM, f"{name}: {SHARE}"][:, 0] = means[FROM, f"{name}: {SHARE}"][0]
    steps = {FROM: NEXT, FRESH: PULLS[:1]}
    parts = [rows_from({k: v for k, v in made.items() if k[0] == where}, steps[where]) for where in steps]
    rows = [*parts[0], *parts[1]]
    answers = stylized.looks_worse, stylized.stops_sampling, stylized.changes_the_decision
    return [answer(rows).grade for answer in answers]


def test_answers_follow_the_numbers():
    assert told() == ["as stated"] * 3
    assert told(but={(FRESH, "Uniform"): 2.0})[0] == "contradicted"
    assert told(but={(FROM, f"{BONUS}: {SHARE}"): 3.0})[1] == "contradicted"
    assert told(but={(FROM, only(1)): 80.0})[2] == "in part"


def test_the_study_from_end_to_end():
    study = stylized.study()
    few = replace(study, cells=[c for c in study.cells if c.algorithm in (BONUS, "Uniform") and c.problem == FROM])
    rows = run(few, 20)
    assert len(rows) == 2 * 2 * len(NEXT)
    last = {row.algorithm: row.value for row in rows if row.step == NEXT[-1]}
    assert last[f"{BONUS}: {SHARE}"] == 0.0 and last[f"Uniform: {SHARE}"] == pytest.approx(33.3, abs=0.1)
