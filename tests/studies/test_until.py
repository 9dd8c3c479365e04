"""Until decided: runs go where words are open, the budget is kept, and looking again and again is paid for."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from varde.studies import Cell, Claim, Study, all_of
from varde.studies.judging.intervals import share_ends
from varde.studies.judging.levels import claim_level, look_level, look_runs, worth
from varde.studies.running import complete, plan
from varde.studies.store import Blocks
from varde.studies.until import Deciding

from .test_running import Counting


def coin(share, key, first, runs):
    """Fast, and block by block the same."""
    return np.array(
        [np.random.default_rng([int(key[0] % 2**31), run]).random() < share for run in range(first, first + runs)],
        float,
    )[:, None]


def lead(rows):
    runs = rows.paired([("coin", "fair"), ("coin", "lame")])
    return [Claim("fair is ahead", *all_of(rows, {"lead": runs["coin", "fair"] - runs["coin", "lame"]}))]


SHARES = {"fair": 0.5, "lame": 0.2, "edge": 0.4}


def study(**published):
    cells = [Cell("coin", name, "", (1,), functools.partial(coin, share)) for name, share in SHARES.items()]
    printed = {("coin", name, 1): number for name, number in published.items()}
    how = {"published": printed, "published_runs": 2000, "percent": True, "findings": lead}
    return Study("coins", "", cells, 500, block=100, relative=0.05, **how)


def decided(made, **how):
    pool = Counting()
    deciding = Deciding(made, lambda plan: list(complete([plan], pool, store=how.get("store"))), **how)
    return deciding, deciding.run()


def test_levels_add_up_to_five_percent():
    assert sum(map(look_level, range(100_000))) == pytest.approx(0.05, abs=1e-5)
    assert sum(map(claim_level, range(100_000))) == pytest.approx(0.05, abs=1e-5)
    assert [look_runs(k, 0.5, 0.1, True) for k in (0, 1, 2)] == [500, 1000, 1500]
    assert look_runs(1, 1.0, 0.01, True) == pytest.approx(3 * (2.28 / 0.01) ** 2, rel=0.01)


def test_what_is_at_the_edge_of_its_margin_is_worth_little():
    def at(apart):
        return worth(apart, 500, 0.5, 0.05, 1, True, 1.0)

    assert (
        at(0.05) < 0.5 * at(0.0)
        and at(0.05) < 0.5 * at(0.15)
        and worth(0.0, 500, 0.5, 0.05, 1, True, 2.0) == at(0.0) / 2
    )


def test_runs_go_where_words_are_open():
    made = plan(study(fair="50.0", lame="40.0", edge="44.5"), 0, 0)
    _, findings = decided(made, budget=40_000)
    words = {row.algorithm: row.verdict for row in made.rows()}
    assert words["fair"] == "same" and words["lame"] == "different" and findings[0].holds == "holds"
    assert made.runs_of[0] < 10_000 and made.runs_of[1] == 500 and sum(made.runs_of) <= 40_000
    assert {row.algorithm: row.level for row in made.rows()}["lame"] == look_level(0)


def test_the_budget_is_kept_and_another_command_goes_on(tmp_path):
    with Blocks(tmp_path / "blocks.db") as store:
        first = plan(study(fair="50.0", lame="20.0", edge="40.0"), 0, 0, store)
        decided(first, budget=2000, store=store)
        assert sum(first.runs_of) <= 2000
        again = plan(study(fair="50.0", lame="20.0", edge="40.0"), 0, 0, store)
        decided(again, budget=2000, store=store)
        assert again.reused == len(again.portions) and again.rows() == first.rows()


def test_runs_for_a_claim_go_to_the_cells_that_it_is_about():
    made = plan(study(), 0, 0)
    _, findings = decided(made)
    assert made.runs_of == [200, 200, 100] and findings[0].holds == "holds"  # a quarter of the runs, in whole blocks


def test_a_claim_is_tested_on_just_the_runs_of_its_look():
    made = plan(study(fair="50.0"), 0, 0)
    _, findings = decided(made)
    assert made.runs_of[0] >= 500 and "200 runs" in findings[0].evidence


def test_findings_that_fail_do_not_stop_the_runs():
    made = plan(replace(study(lame="20.0"), findings=lambda rows: 1 / 0), 0, 0)
    [line] = decided(made)[1]
    assert "findings: not tested (ZeroDivisionError" in line and made.rows()[1].verdict == "same"


def test_what_is_decided_stays_decided():
    made = plan(study(lame="20.0"), 0, 0)
    decided(made)
    made.words[1] = {("lame", 1): "different"}
    assert made.rows()[1].verdict == "different"


def test_looking_again_and_again_is_paid_for():
    """A right number at the very edge of its margin: a wrong word would be one of either."""
    rng = np.random.default_rng(0)
    ones, n, wrong = np.zeros(400), 0, np.zeros(400, bool)
    for look in range(5):
        more = look_runs(look, 0.5, 0.02, True) - n
        ones, n = ones + rng.binomial(more, 0.52, 400), n + more
        low, high = share_ends(ones, n, look_level(look))
        wrong |= (high < 0.52) | (low > 0.52)  # outside the margin 0.50 +- 0.02, or inside beyond its edge
    assert 1 <= wrong.sum() <= 33  # 5 % of 400 is 20


def test_a_small_budget_still_goes_to_a_first_look():
    """Not to that of all cells, for which it does not suffice; and what is not looked at is open, not uncounted."""
    told = []
    deciding, _ = decided(plan(study(fair="50.0", lame="60.0"), 0, 0), budget=1000, say=told.append)
    assert "0 of 3 numbers and claims decided" in told[0]
    assert sum(deciding.plan.runs_of) <= 1000 and any(cell.look for cell in deciding.cells)


def test_a_study_with_nothing_to_decide_gets_its_usual_runs():
    plain = replace(study(), findings=lambda rows: [])
    assert decided(plan(plain, 0, 0))[0].plan.runs_of == [500, 500, 500]
    assert decided(plan(plain, 0, 0), budget=700)[0].plan.runs_of == [200, 200, 200]
