"""The illustration of Sailing: roses, chances of the wind, lines that follow the numbers."""

from dataclasses import replace

from varde.paper import sailing_wind
from varde.paper.sailing_wind import DIRECTIONS, MOVE, WIND, title
from varde.studies import Outcome, run


def test_winds_moves_and_rewards():
    study = sailing_wind.study()
    rows = run(replace(study, block=20), 20)
    allowed, costs = study.findings(rows)
    assert "in 280 of 280 states" in allowed and costs.startswith("the cost rises")
    with_the_wind = {row.problem: row.algorithm for row in rows if row.value == -0.1}
    assert with_the_wind == {title(wind): f"{MOVE}: {DIRECTIONS[wind]}" for wind in range(8)}
    shares = {row.algorithm: row.value for row in rows if row.problem == WIND}
    assert abs(shares["share: stays"] - 0.6) < 0.06 and abs(sum(shares.values()) - 1.0) < 1e-9
    assert sum(row.published is not None for row in rows) == 3


def test_costs_that_do_not_rise_are_noticed():
    def told(values):
        rows = [Outcome(title(0), f"{MOVE}: {name}", "", 1, 1, value, 0.0) for name, value in values.items()]
        return sailing_wind.costs_more(rows)

    assert "rises" in told({"E": -0.1, "NE": -0.6, "SE": -0.6, "N": -1.1})
    assert "does not always rise" in told({"E": -0.1, "NE": -0.6, "N": -0.5})
