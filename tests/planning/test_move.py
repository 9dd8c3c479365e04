"""What a move says: the sentence, the table, the record for programs."""

import dataclasses
import json
import math

import pytest

from tests.noted import noted
from varde import Planner, plan, tabulate
from varde.planning import UCT

COINS = tabulate(
    {
        "start": {
            "fair": [(0.5, "won", 0.0), (0.5, "lost", 0.0)],
            "bent": [(0.8, "won", 0.0), (0.2, "lost", 0.0)],
            "lead": [(0.1, "won", 0.0), (0.9, "lost", 0.0)],
        },
        "won": {"collect": [(1.0, "over", 1.0)]},
        "lost": {"go": [(1.0, "over", 0.0)]},
        "over": {},
    }
)


@pytest.fixture(scope="module")
def move():
    return plan(COINS, "start", 200, horizon=2)


def test_the_first_line_says_what_to_take_and_why(move):
    above, below, *_ = str(move).split("\n\n")
    first, (head, *rows) = " ".join(above.splitlines()), below.splitlines()  # a sentence in lines of 100 letters
    rival, lead, margin = move.gap
    assert first == move.sentence and first.startswith(f"Take bent: after 200 simulations it is ahead of {rival} by 0.")
    assert move.chances[rival] == max(move.chances[name] for name in ("fair", "lead"))
    assert lead == pytest.approx(move.values["bent"] - move.values[rival]) and margin > 0.0
    assert "the chance that it is the best is" in first and "The state is worth 0." in noted(move)
    assert head.split()[:3] == ["action", "n", "value"]
    assert [row.split()[0] for row in rows][:2] == ["bent", rival]


def test_a_move_has_its_value_with_an_interval_and_the_share_of_every_action(move):
    low, high = move.interval
    assert low < move.value < high and low <= 0.8 <= high
    assert move.spent == sum(move.visits.values()) == 200 and move.stopped == "budget"
    assert move.chances[move.best] == move.p_right == max(move.chances.values())
    assert 0.0 <= move.expected_regret < 0.3


def test_all_that_is_known_of_one_action(move):
    bent = move["bent"]
    assert bent == ("bent", move.visits["bent"], move.values["bent"], *move.intervals["bent"], move.p_right, "best")
    assert list(move) == ["fair", "bent", "lead"]
    with pytest.raises(KeyError, match="'heavy' is not one of the actions"):
        move["heavy"]


def test_programs_get_it_as_json(move):
    told = json.loads(json.dumps(move.to_dict()))
    assert told["best"] == "bent" and told["sentence"] == move.sentence
    assert [row["name"] for row in told["rows"]] == ["fair", "bent", "lead"]


def test_one_legal_action_needs_no_reason():
    move = plan(COINS.starting_at("won"), budget=5, horizon=2)
    assert move.sentence.startswith("Take collect: it is the only legal action.") and move.p_right == 1.0


def test_one_simulation_knows_nothing():
    move = plan(COINS, "start", 1, horizon=2)
    assert list(move.chances.values()) == pytest.approx([1 / 3] * 3)
    assert "nothing else was tried in 1 simulation." in move.sentence


def test_actions_that_nothing_tells_apart():
    move = plan(lambda s, a, rng: (s, 1.0), 0, 40, horizon=2, actions=["a", "b"])
    assert "nothing told the actions apart in 40 simulations" in move.sentence
    assert move.chances == {"a": 0.5, "b": 0.5} and math.isnan(move.expected_regret)


def test_a_value_without_noise_is_a_plain_number():
    sure = tabulate({"start": {"stay": [(1.0, "over", -0.0)], "jump": [(1.0, "over", -1.0)]}, "over": {}})
    text = str(plan(sure, "start", 200, horizon=2))
    assert text.startswith(
        "Take stay: after 200 simulations it is ahead of jump by 1; the chance that it is the best is"
    )
    assert "the most that 200 simulations can show.\n" in text and "The state is worth 0.\n" in text
    assert "\u22120." not in text and "e\u2212" not in text


def test_an_algorithm_without_variances_does_not_say_how_sure():
    move = plan(COINS, "start", 300, horizon=2, algorithm=UCT())
    assert move.sentence.startswith("Take bent: after 300 simulations it is ahead of fair by 0.")
    assert "; this algorithm does not say how sure that is." in move.sentence
    assert move.chances == {} and move.intervals["bent"] == (-math.inf, math.inf) and "P(best)" not in str(move)
    assert math.isnan(move["bent"].p_best) and move.to_dict()["rows"][1]["p_best"] is None


def test_a_lead_that_is_nothing_beside_its_margin_is_none(move):
    gap = ("fair", 0.001, 0.4)
    assert "level with fair, give or take 0.40;" in dataclasses.replace(move, gap=gap).sentence
    words = "ahead of fair by 0.10\u00a0±\u00a00.40 (95 % margin);"
    assert words in dataclasses.replace(move, gap=("fair", 0.1, 0.4)).sentence


def test_a_chance_that_is_lower_than_its_margin_suggests_says_why(move):
    certificate = move.certificate._replace(p_right=0.92)
    apart = dataclasses.replace(move, gap=("fair", 0.76, 0.65), certificate=certificate)
    assert "is 92 %." in apart.sentence and "allows for what was not searched" in noted(apart)
    assert "allows for" not in noted(dataclasses.replace(apart, gap=("fair", 0.6, 0.65)))


def test_a_search_that_ended_early_says_so():
    assert "It ended when the time was up." in noted(plan(COINS, "start", 10**9, horizon=2, seconds=0.01))


def test_names_of_any_kind_stay_on_their_line():
    names = ["a\nb\x1b[31m", ("t", 1), "x" * 500]
    planner = Planner(lambda s, a, rng: (1, names.index(a) + 0.01 * rng.random(), True), horizon=1, actions=names)
    lines = str(planner(0, 30)).splitlines()
    assert max(map(len, lines)) <= 100 and "\x1b" not in "".join(lines)


def test_a_state_may_be_worth_as_much_as_any_of_its_actions():
    """The interval was that of the recommended action alone, and too low where another is the best."""
    far = {"s": {"left": [(1.0, "end", 0.1)], "right": [(0.5, "t", 0.0), (0.5, "end", 0.0)]}, "end": {}}
    far["t"] = {"left": [(0.9, "end", 0.0), (0.1, "won", 5.0)], "right": [(1.0, "end", 0.0)]}
    move = plan(tabulate({**far, "won": {}}, "s"), "s", 8, horizon=3, seed=1)
    assert move.interval[0] <= move.intervals[move.best][0]
    assert move.interval[1] == max(high for _, high in move.intervals.values()) > move.intervals["left"][1]
