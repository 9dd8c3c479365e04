"""An A/B test from a messy file: lift over the control, units, groups, spellings."""

import json

import numpy as np
import pytest

import varde
from tests.noted import noted
from varde.cli import app
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
    assert "12 spellings" in noted(found, "joined")
    heads, first = str(found).split("\n\n")[1].splitlines()[:2]
    assert "lift (95 % interval)" in heads and " % (" in first and "unlimited" not in first
    assert found.to_csv().splitlines()[0].endswith("relative_lift_low,relative_lift_high")
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
    assert str(groups).startswith("land: at\nTake 2") and "land: be\nTake 2" in str(groups)
    rows["land"] = [[1, 1.0, " 2", "2"][i % 4] for i in range(16)]
    assert list(varde.judge(rows, option="arm", value="y", by="land")) == [1, 2]


def wide(path):
    rng = np.random.default_rng(5)
    rows = [",".join([f"{day}", *(f"{m + rng.normal():.3f}" for m in (1.0, 2.0, 1.1))]) for day in range(1, 61)]
    rows[3] = "4,1.5,,0.9"
    path.write_text("\n".join(["day,Old,Green Button,red", *rows]))
    return path


def test_a_column_for_each_option(tmp_path, capsys):
    path = wide(tmp_path / "wide.csv")
    found = varde.judge(path, control="old")
    assert found.best == "Green Button" and [row.n for row in found.rows] == [60, 59, 60]
    assert "Each column was read as an option: Old, Green Button and red." in noted(found, "wide")
    assert "not used: day." in noted(found, "unused") and len(found.lifts) == 2
    some = varde.judge(path, option=["red", "Old"], time="day")
    assert list(some) == ["red", "Old"] and not noted(some, "wide")
    columns = {"a": [1.5, 2.5, 2.0], "b": [3.5, 3.0, 4.5], "kind": [1, 1, 2]}
    with pytest.raises(ValueError, match=r"write option=, the one .* or option=\[\.\.\.\]"):
        varde.judge([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)])
    with pytest.raises(ValueError, match="leave value= out"):
        varde.judge(path, option=["red", "Old"], value="day")
    with pytest.raises(SystemExit) as ended:
        app(["judge", str(path), "--option", "Old,red", "--control", "old"])
    assert ended.value.code == 3 and "lift (95 % interval)" in capsys.readouterr().out


def test_groups_in_the_shell(tmp_path, capsys):
    path = messy(tmp_path / "ab.csv", 400)
    path.write_text(path.read_text().replace("revenue\n", "revenue,land\n").replace('.50"', '.50",UK'))
    with pytest.raises(SystemExit):
        app(["judge", str(path), "--option", "variant", "--value", "converted", "--by", "land", "--json"])
    assert json.loads(capsys.readouterr().out)["UK"]["best"] == "Green Button"
    with pytest.raises(SystemExit) as ended:
        app(["judge", str(path), "--value", "converted", "--option", "variant", "--by", "country"])
    assert ended.value.code == 2 and "by is 'country'" in capsys.readouterr().err


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


def test_the_order_of_rows_is_time_unless_it_is_said_to_mean_nothing():
    """To be too careful with rows in some other order is the smaller error; a note says how to say so."""
    rng = np.random.default_rng(6)
    drift = {name: (rng.normal(size=80) + np.linspace(0.0, 3.0, 80) + k).tolist() for k, name in enumerate("ab")}
    rows = [{"option": name, "value": drift[name][t], "day": t} for t in range(80) for name in "ab"]
    assert "trend" not in [note.code for note in varde.judge(rows, time=False).notes]
    for data, time in ((rows, None), (rows, "day"), (drift, None)):
        codes = [note.code for note in varde.judge(data, time=time).notes]
        assert "trend" in codes and ("order" in codes) == (time is None)


def test_shares_of_units_stay_within_0_and_1():
    rows = [
        {"option": name, "value": float(unit == 1 and name == "a"), "who": unit}
        for name in "ab"
        for unit in (1, 2, 3) * 2
    ]
    found = varde.judge(rows, unit="who")
    assert all(0.0 <= row.low <= row.high <= 1.0 for row in found.rows)
