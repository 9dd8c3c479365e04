"""An A/B test from a messy file: lift over the control, units, groups, spellings."""

import numpy as np
import pytest

import varde
from tests.noted import noted
from varde.selection.lifts import Known, lift

RATES = {"control": 0.10, "Green Button": 0.12, "red": 0.10, "blue": 0.09}


def messy(path, rows=16_000):
    rng = np.random.default_rng(4)
    spellings = {name: [name, name.upper(), f" {name.lower() if name[0] == 'G' else name.title()}  "] for name in RATES}
    lines = ["user,variant,converted,revenue"]
    for row in range(rows):
        name = list(RATES)[row % 4]
        bought = rng.random() < RATES[name]
        text = spellings[name][rng.choice(3, p=[0.9, 0.07, 0.03])]
        lines.append(f'{row // 8},{text},{"Yes" if bought else "no"},"${1000 * bought:,}.50"')
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_one_line_gives_four_variants_with_lift(tmp_path):
    path = messy(tmp_path / "ab.csv")
    found = varde.judge(path, option="variant", value="converted", control="Control")
    assert list(found) == list(RATES) and found.best == "Green Button" and sum(row.n for row in found.rows) == 16_000
    assert "12 spellings" in noted(found, "joined") and "Lift over the control control" in noted(found, "lift")
    assert [one.option for one in found.lifts] == ["Green Button", "red", "blue"]
    green = found.lifts[0]
    assert green.low < 0.02 < green.high and green.relative_low < 0.2 < green.relative_high
    assert green.relative == pytest.approx(green.absolute / found["control"].mean)
    assert found.to_dict()["lifts"][0]["absolute"] == green.absolute
    kept = tmp_path / "kept.json"
    found.save(kept)
    assert varde.Selection.load(kept) == found
    money = varde.judge(path, option="variant", value="revenue")
    assert money["control"].mean == pytest.approx(1000.0 * found["control"].mean + 0.5)
    with pytest.raises(ValueError, match="control is 'none', and the options are control, Green Button, red and blue"):
        varde.judge(path, option="variant", value="converted", control="none")


def test_whole_numbers_and_groups():
    rows = {"arm": [1, 2, 1, 2] * 4, "y": [1.0, 3.0, 1.5, 2.5] * 4, "land": ["at"] * 8 + ["be"] * 8}
    assert varde.judge(rows, option="arm", value="y").best == 2
    groups = varde.judge(rows, option="arm", value="y", by="land", control=1)
    assert list(groups) == ["at", "be"] and groups["at"].best == 2 and groups["be"].lifts[0].absolute == 1.5


def test_results_of_one_unit_count_as_one():
    """Naive intervals of clustered results cover far too rarely; those of units do not."""
    rng, covered = np.random.default_rng(7), np.zeros(2)
    for _ in range(200):
        own = rng.normal(size=(2, 30, 1))
        y = own + 0.5 * rng.normal(size=(2, 30, 10))
        data = {"arm": np.repeat(["a", "b"], 300), "who": np.tile(np.repeat(np.arange(30), 10), 2), "y": y.ravel()}
        for k, unit in enumerate(["who", None]):
            found = varde.judge(data, option="arm", value="y", unit=unit, control="a", time=False)
            covered[k] += found.lifts[0].low < 0.0 < found.lifts[0].high
    assert covered[0] >= 180 and covered[1] <= 140, covered


@pytest.mark.parametrize("p, q, n", [(0.1, 0.12, 400), (0.02, 0.03, 300), (0.5, 0.4, 50)])
def test_lifts_of_proportions_cover(p, q, n):
    rng, hit = np.random.default_rng(1), np.zeros(2)
    for x, y in rng.binomial(n, [q, p], (2_000, 2)).tolist():
        one = lift("b", Known(n, x / n, 0.0), Known(n, y / n, 0.0), True)
        hit += [one.low <= q - p <= one.high, one.relative_low <= q / p - 1.0 <= one.relative_high]
        assert -1.0 <= one.low <= one.high <= 1.0
    assert (hit / 2_000 > 0.935).all(), hit


@pytest.mark.parametrize("n, sd", [(10, 0.5), (50, 1.0), (10, 2.0)])
def test_lifts_of_means_cover(n, sd):
    rng, hit = np.random.default_rng(2), np.zeros(2)
    for _ in range(2_000):
        x, y = rng.normal(1.2, sd, n), rng.normal(1.0, 2 * sd, n)
        one = lift("b", *(Known(n, z.mean(), z.std(ddof=1)) for z in (x, y)), False)
        hit += [one.low <= 0.2 <= one.high, one.relative_low <= 0.2 <= one.relative_high]
    assert (hit / 2_000 > 0.935).all(), hit


def test_a_row_knows_its_option():
    found = varde.judge({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert [row.option for row in found.rows] == [row.name for row in found.rows] == ["a", "b"]
