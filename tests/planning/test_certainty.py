"""How sure a search is of its move: formulas, units, and when it is clear."""

import math

import numpy as np
import pytest

from varde import Stop, VarDE, plan, tabulate
from varde.beliefs.student import DEVIATE
from varde.certainty import Beliefs, largest
from varde.planning import Search
from varde.planning.certainty import Choice, how_sure
from varde.planning.line import choice_at
from varde.random import key, stream


def choice(values=(1.0, 0.4), variances=(0.06, 0.09), optimistic=(2.5, 1.9), counts=(30, 10), spread=2.0, taken=0):
    return Choice(*(np.array(x, float) for x in (values, variances, optimistic, counts, counts)), spread, taken)


def phi(z):
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def stated(z):
    """Of two actions after 40 simulations: the mean over three scales, and a vote for each."""
    wins = np.mean([phi(4 * z), phi(z), phi(z / 16)])
    return (40 * np.array([wins, 1.0 - wins]) + 1.0) / (40 + 2)


def test_the_chances_are_those_of_the_formula():
    error = (0.06 + 0.09) / 3 + (1.5**2 + 1.5**2) / 50
    found = how_sure(choice())
    assert found.chances == pytest.approx(stated(0.6 / math.sqrt(error)), abs=1e-3)
    assert found.gap == (1, pytest.approx(0.6), pytest.approx(2 * 1.96 * math.sqrt(error), rel=1e-3))
    errors = np.sqrt([0.02 + 1.5**2 / 50, 0.03 + 1.5**2 / 50]) / 4
    assert found.regret == pytest.approx(
        largest(Beliefs.students(np.array([1.0, 0.4]), errors, np.full(2, np.inf)), 0)[1]
    )


@pytest.mark.parametrize("known", [0.0, 0.95])
def test_what_is_hoped_for_counts_the_less_the_more_is_known(known):
    error = (0.06 + 0.09) / 3 + (1.1 - known) * (1.5**2 + 1.5**2) / 25
    assert how_sure(choice()._replace(known=known)).chances == pytest.approx(stated(0.6 / math.sqrt(error)), abs=1e-3)


def test_a_search_says_how_much_it_knew():
    search = Search(VarDE(), EQUAL.model, 0, 2)
    search.run(20, stream(key(0, "known")))
    found = choice_at(search, 0, stream(key(0, "ties")))
    assert found.known == found.of_tried().known
    assert found.known == 1.0 - search.tree.used[0] / (search.memory.whole["steps"][0] + 1) > 0.5


def test_the_interval_reaches_to_what_is_hoped_for():
    found = how_sure(choice())
    assert found.lows[0] == pytest.approx(1.0 - DEVIATE * math.sqrt(3 * 0.06 + 1.5**2 / 25), rel=1e-3)
    far = 1.5 + DEVIATE * math.sqrt(9 * 0.06 + 1.5**2 / 25)
    assert found.highs[0] == pytest.approx(1.0 + far * (1 + 6 / 40), rel=1e-3)


def test_without_hope_variances_count_three_times():
    found = how_sure(choice(optimistic=(math.nan, math.nan), spread=math.nan))
    assert found.chances == pytest.approx(stated(0.6 / math.sqrt(3 * (0.06 + 0.09))), abs=1e-3)


def test_no_action_is_likelier_than_the_one_taken():
    """Of the second less is known, so that more of its belief is high up."""
    found = how_sure(
        choice(values=(1.0, 0.99, 0.2), variances=(0.01, 4.0, 0.1), optimistic=(1.1, 5.0, 0.3), counts=(50, 2, 9))
    )
    assert found.chances[0] == found.chances[1] == found.chances.max()
    assert found.chances.sum() == pytest.approx(1.0)


def test_an_untried_action_is_another_like_the_tried_ones():
    found = how_sure(choice((1.0, 0.4, math.nan), (0.06, 0.09, 0.0), (2.5, 1.9, 0.0), (30, 10, 0)))
    hoped = 1.5**2 / 50
    centers, errors = (1.0, 0.4, 0.7), (0.02 + hoped, 0.03 + hoped, 0.18 + 0.025 + hoped)
    x = np.linspace(-60.0, 60.0, 24001)
    wins = np.zeros(3)
    for s in (0.25, 1.0, 16.0):
        below = [np.array([phi((at - m) / v**0.5 / s) for at in x]) for m, v in zip(centers, errors, strict=True)]
        wins += np.array([np.diff(below[i]) @ (below[i - 1] * below[i - 2])[1:] for i in range(3)]) / 3
    assert found.chances == pytest.approx((40 * wins + 1.0) / (40 + 3), abs=0.005)
    assert found.lows[2] == -math.inf and found.highs[2] == math.inf


@pytest.mark.parametrize("seed", range(5))
def test_nothing_depends_on_unit_or_zero(seed):
    rng = np.random.default_rng(seed)
    values, variances, counts = rng.normal(size=4), rng.gamma(1.0, size=4), np.append(rng.integers(1, 9, 3), 0)
    optimistic, taken = values + rng.gamma(1.0, size=4), int(np.argmax(np.where(counts > 0, values, -np.inf)))
    plain = how_sure(choice(values, variances, optimistic, counts, 3.0, taken))
    large = how_sure(choice(values * 2.0**20, variances * 2.0**40, optimistic * 2.0**20, counts, 3.0 * 2.0**40, taken))
    moved = how_sure(choice(values + 64, variances, optimistic + 64, counts, 3.0, taken))
    assert np.array_equal(plain.chances, large.chances) and large.regret == plain.regret * 2.0**20
    assert moved.chances == pytest.approx(plain.chances, abs=1e-6) and moved.highs == pytest.approx(plain.highs + 64)
    assert plain.chances.sum() == pytest.approx(1.0) and plain.chances.min() > 0.0


def test_what_is_known_exactly_is_sure_but_for_the_votes():
    found = how_sure(choice(variances=(0.0, 0.0), optimistic=(1.0, 0.4)))
    assert found.chances[0] == pytest.approx(41 / 42) and found.regret == 0.0


def test_with_a_margin_a_move_that_is_nearly_as_good_is_right():
    level = choice(values=(1.0, 0.999), variances=(1e-4, 1e-4), optimistic=(1.01, 1.01), counts=(300, 300))
    assert how_sure(level).chances[0] < 0.8 and how_sure(level, margin=0.1).chances[0] > 0.9


EQUAL = tabulate(
    {
        0: {way: [(0.5, "heads", 0.0), (0.5, "tails", 0.0)] for way in ("left", "right")},
        "heads": {"go": [(1.0, "over", 1.0)]},
        "tails": {"go": [(1.0, "over", 0.0)]},
        "over": {},
    }
)


def test_equally_good_actions_are_clear_with_a_margin():
    move = plan(EQUAL, 0, 1500, horizon=2, stop=Stop(0.05, margin=0.2))
    assert move.stopped == "sure" and move.spent < 1500


@pytest.mark.parametrize(
    ("stop", "why"),
    [(0.95, "did you mean"), (0.0, "such as 0.05"), ("no", "such as 0.05"), (Stop(0.05, bounds=(0, 1)), "bounds")],
)
def test_a_stop_that_cannot_be_is_refused(stop, why):
    with pytest.raises((ValueError, TypeError), match=why):
        plan(EQUAL, 0, 10, horizon=2, stop=stop)


def test_an_outcome_that_never_came_is_allowed_for_where_it_is_known_what_is_possible():
    def step(state, action, rng):
        return 1, {"safe": 0.5, "risky": 1.0}[action], True

    plain, told = (
        plan(step, 0, 40, horizon=1, actions=["safe", "risky"], bounds=bounds) for bounds in (None, (-99.0, 1.0))
    )
    assert plain.best == told.best == "risky"
    assert plain.p_right > 0.95 > told.p_right
    assert told.interval[0] < plain.interval[0] and told.interval[1] <= 1.0
    codes = [[note.code for note in move.notes] for move in (plain, told)]
    assert codes[0].count("unseen") == codes[1].count("unseen") == 1
    assert "Something that happens" in plain.notes[codes[0].index("unseen")].text


def test_bounds_that_do_not_hold_are_refused():
    for bounds in ((1, 0), (0, 1, 2), "01", (0.0, float("nan"))):
        with pytest.raises(ValueError, match="bounds"):
            plan(lambda s, a, rng: (s, 0.5), 0, 5, horizon=2, actions=[0, 1], bounds=bounds)
    with pytest.raises(ValueError, match="worth 2"):
        plan(lambda s, a, rng: (s, 1.0), 0, 5, horizon=2, actions=[0, 1], bounds=(0, 1))


def test_a_horizon_that_cut_off_every_simulation_is_a_note():
    def walk(state, action, rng):
        return state + 1, 0.0, state + 1 == 8

    notes = [plan(walk, 0, 30, horizon=horizon, actions=[0, 1]).notes for horizon in (7, 9)]
    assert "horizon" in [note.code for note in notes[0]] and any("had ended after 7 steps" in n.text for n in notes[0])
    assert "horizon" not in [note.code for note in notes[1]]


def test_a_lead_below_a_hundredth_of_the_range_is_level():
    def step(state, action, rng):
        return 1, 0.5 + 0.001 * action, True

    move = plan(step, 0, 60, horizon=1, actions=[0, 1], bounds=(0, 1))
    assert move.level == pytest.approx(0.01) and "the best, or level with it," in " ".join(str(move).split())
