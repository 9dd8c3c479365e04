"""The illustration of Sailing: roses, chances of the wind, lines that follow the numbers."""

from dataclasses import replace

from varde.paper import sailing_wind
from varde.paper.sailing_wind import MOVE, WIND, title
from varde.studies import Outcome, run
from varde.studies.compass_rose import DIRECTIONS, directions, rose
from varde.studies.figure import panels


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


def test_a_rose_has_eight_directions_and_one_that_cannot_be_sailed():
    study = sailing_wind.study()
    drawn = panels(study.figure, run(replace(study, cells=study.cells[:8], block=1), 1))
    assert [panel.title for panel in drawn] == [title(wind) for wind in range(8)]
    assert [name for name, row in directions(drawn[0]).items() if row is None] == ["W"]
    page = rose(drawn[0])
    assert page.count("<path") == 8 and page.count('class="none"') == page.count('class="best"') == 1
    assert "\u22121.6" in page and "W not there" in page


def test_costs_that_do_not_rise_are_noticed():
    def told(values):
        rows = [Outcome(title(0), f"{MOVE}: {name}", "", 1, 1, value, 0.0) for name, value in values.items()]
        return sailing_wind.costs_more(rows)

    assert "rises" in told({"E": -0.1, "NE": -0.6, "SE": -0.6, "N": -1.1})
    assert "does not always rise" in told({"E": -0.1, "NE": -0.6, "N": -0.5})
