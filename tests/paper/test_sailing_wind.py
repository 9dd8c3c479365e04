"""The illustration of Sailing: roses, chances of the wind, claims that can fail."""

from dataclasses import replace

from varde.paper import sailing_wind
from varde.paper.sailing_wind import MOVE, WIND, title
from varde.studies import Outcome, run
from varde.studies.compass_rose import DIRECTIONS, directions, rose
from varde.studies.figure import panels


def test_winds_moves_and_rewards():
    study = sailing_wind.study()
    rows = run(replace(study, block=20), 20)
    assert [claim.holds for claim in study.findings(rows)] == ["holds"] * 3
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


def test_claims_about_the_wind_can_fail():
    def told(values):
        rows = [Outcome(title(0), f"{MOVE}: {name}", "", 1, 1, value, 0.0) for name, value in values.items()]
        return [sailing_wind.costs_more(rows).holds, sailing_wind.negative(rows).holds]

    assert told({"E": -0.1, "NE": -0.6, "SE": -0.6, "N": -1.1}) == ["holds", "holds"]
    assert told({"E": -0.1, "NE": -0.6, "N": -0.5}) == ["does not hold", "holds"]
    assert told({"E": 0.0, "NE": -0.6, "SE": -0.7, "S": -0.65}) == ["does not hold", "does not hold"]
