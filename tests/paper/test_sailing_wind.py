"""The illustration of Sailing: roses, chances of the wind, claims that can fail."""

from dataclasses import replace

from varde.experiments import Outcome, run
from varde.experiments.figure import panels
from varde.experiments.rose import directions, rose
from varde.paper import sailing_wind
from varde.paper.sailing_wind import REWARD, WIND, title


def test_winds_moves_and_rewards():
    study = sailing_wind.study()
    rows = run(replace(study, block=20), 20)
    assert [claim.holds for claim in study.findings(rows)] == ["holds"] * 3
    with_the_wind = {row.problem: row.step for row in rows if row.value == -0.1 and row.algorithm == REWARD}
    assert with_the_wind == {title(wind): 45 * wind for wind in range(8)}
    shares = {row.algorithm: row.value for row in rows if row.problem == WIND}
    assert abs(shares["share: stays"] - 0.6) < 0.06 and abs(sum(shares.values()) - 1.0) < 1e-9
    assert sum(row.published is not None for row in rows) == 3


def test_a_rose_has_eight_directions_and_one_that_cannot_be_sailed():
    study = sailing_wind.study()
    drawn = panels(study.figure, run(replace(study, cells=study.cells[:8], block=1), 1))
    assert [panel.title for panel in drawn] == [title(wind) for wind in range(8)]
    [curve] = drawn[0].curves.values()
    assert [angle for angle, row in directions(curve).items() if row is None] == [180]
    page = rose(drawn[0])
    assert page.count("<path") == 8 and page.count('class="none"') == page.count('class="best"') == 1
    assert "\u22121.6" in page and "180 degrees not there" in page


def test_claims_about_the_wind_can_fail():
    def told(values):
        rows = [Outcome(title(0), REWARD, "", step, 1, value, 0.0) for step, value in values.items()]
        return [sailing_wind.costs_more(rows).holds, sailing_wind.negative(rows).holds]

    assert told({0: -0.1, 45: -0.6, 315: -0.6, 90: -1.1}) == ["holds", "holds"]
    assert told({0: -0.1, 45: -0.6, 90: -0.5}) == ["does not hold", "holds"]
    assert told({0: 0.0, 45: -0.6, 315: -0.7, 90: -0.65}) == ["does not hold", "does not hold"]
