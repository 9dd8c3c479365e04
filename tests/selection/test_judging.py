"""Results that are there already, in every form people have them."""

import json
import tracemalloc

import numpy as np
import pytest

import varde
from varde.cli import app

ROWS = [("a", 3.0), ("b", 4.0), ("a", 3.5), ("b", 4.5), ("a", 2.5), ("b", 5.0)]


def judged(data, **how):
    found = varde.judge(data, **how)
    return {row.name: (row.n, round(row.mean, 9)) for row in found.rows}


def test_every_form_gives_the_same_answer(tmp_path):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"variant": [name for name, _ in ROWS], "revenue": [value for _, value in ROWS]}
    path = tmp_path / "r.csv"
    path.write_text("variant,revenue\n" + "".join(f"{name},{value}\n" for name, value in ROWS))
    named = {"option": "variant", "value": "revenue"}
    forms = [path, str(path), columns, pandas.DataFrame(columns), polars.DataFrame(columns)]
    forms.append([{"variant": name, "revenue": value} for name, value in ROWS])
    wanted = {"a": (3, 3.0), "b": (3, 4.5)}
    assert all(judged(form, **named) == wanted for form in forms)
    assert judged({"a": [3.0, 3.5, 2.5], "b": np.array([4.0, 4.5, 5.0])}) == wanted
    found = varde.judge(path, **named)
    assert found == varde.judge(columns, **named) and found.best == found.best_name == "b"
    assert varde.judge(path, **named, goal="min").best == "a" and varde.judge(
        path, **named, goal=varde.Top(1)
    ).best == ["b"]


@pytest.mark.parametrize("between", [";", "\t", "|", ","])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_csv_as_spreadsheets_write_it(between, encoding, tmp_path):
    number = '"{}"'.format if between == "," else str
    lines = [
        ["Größe", "wert", "tag"],
        ["groß", "1.234,5", "1"],
        ["klein", "3,25", "2"],
        ["groß", "", "3"],
        ["klein", "NA", ""],
    ]
    if between == ",":
        lines[1][1], lines[2][1] = "1234.5", "3.25"
    path = tmp_path / "werte.csv"
    cells = ([line[0], number(line[1]), line[2]] for line in lines)
    path.write_bytes("\r\n".join(map(between.join, cells)).encode(encoding))
    found = varde.judge(path, option="Größe", value="wert")
    assert {row.name: row.mean for row in found.rows} == {"groß": 1234.5, "klein": 3.25}
    assert "Columns that were not used: tag." in str(found) and "2 rows have no result and are left out" in str(found)


def test_counts_and_summaries():
    clicks = {"option": ["a", "b", "a"], "successes": [12, 31, 3], "trials": [400, 410, 100]}
    found = varde.judge(clicks)
    assert found["a"].n == 500 and found["a"].mean == pytest.approx(0.03) and found.best == "b"
    assert judged({"variant": ["a"], "won": [1], "shown": [4]}, value=("won", "shown")) == {"a": (4, 0.25)}
    means = {"arm": ["a", "b"], "mean": [1.0, 2.0], "sem": [0.1, 0.1], "n": [50, 60]}
    assert varde.judge(means).best == "b" and varde.judge(means)["b"].n == 60
    with pytest.raises(ValueError, match="needs single results"):
        varde.judge(means, goal=varde.Quantile(0.9))


def test_many_rows_take_little_memory(tmp_path, monkeypatch):
    """Counts are exact; of other numbers the moments are kept, and the answer says so."""
    rng = np.random.default_rng(0)
    values, names = rng.normal(size=12_000), rng.integers(0, 3, 12_000)
    path = tmp_path / "many.csv"
    with open(path, "w") as file:
        file.write("user,variant,spent,bought\n")
        file.writelines(
            f"{i},v{n},{x!r},{int(x > 1)}\n" for i, (n, x) in enumerate(zip(names, values.tolist(), strict=True))
        )
    whole = [varde.judge(path, option="variant", value=value) for value in ("spent", "bought")]
    monkeypatch.setattr("varde.selection.judging.MOST", 1000)
    monkeypatch.setattr("varde.selection.judging.PIECE", 500)
    tracemalloc.start()
    spent, bought = (varde.judge(path, option="variant", value=value) for value in ("spent", "bought"))
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    for row, other in zip(spent.rows, whole[0].rows, strict=True):
        assert (row.n, row.mean, row.sd) == pytest.approx((other.n, other.mean, other.sd))
    assert [row[:9] for row in bought.rows] == [row[:9] for row in whole[1].rows], "counts lose nothing"
    assert "only means and deviations were kept" in str(spent) and "kept" not in str(bought)
    assert varde.judge(path, option="variant", value="spent", goal=varde.Quantile(0.9)).values["v0"].size > 1000


@pytest.mark.parametrize(
    ("data", "how", "words"),
    [
        (
            "variant,won\na,1\n",
            {"option": "arm"},
            "option is 'arm', and the columns are variant, won: write one of them",
        ),
        ("variant,won,day\na,1,2\n", {}, "write value=, the one that holds the results"),
        ("first,second\na,1\n", {}, "write option=, the one that says which option"),
        ("variant,won\na,often\n", {}, "line 2: value is 'often': write a number"),
        ("variant,won\na,1,5\n", {}, r"line 2: it has 3 cells under 2 columns \(a decimal comma\?"),
        ("variant;won\na;1,5\nb;1.234\n", {}, r"1,5 \(line 2\) and 1.234 \(line 3\)"),
        ("variant,won\na,1e200\n", {}, "write a finite number"),
        ("variant,won\n", {}, "the data have no rows"),
        ("", {}, "is empty"),
        ("[1, 2", {}, "is not CSV: read it with pandas or polars"),
        ({"a": [1.0, 2.0], "b": ["x", "y"]}, {}, "write option="),
        ({"variant": ["a", "b"], "won": [1]}, {"option": "variant"}, "the columns have 1 to 2 entries"),
        (3, {}, "data is 3: write a CSV file"),
        ([], {}, "data is empty"),
        ({"a": [1.0]}, {"goal": "minimize"}, "goal is 'minimize'"),
        ({"a": [1.0]}, {"goal": varde.Best("gain", time="<= 3")}, "judge compares one number"),
    ],
)
def test_bad_data_is_answered_with_what_to_write(data, how, words, tmp_path):
    if isinstance(data, str):
        (tmp_path / "r.csv").write_text(data)
        data = tmp_path / "r.csv"
    with pytest.raises((TypeError, ValueError), match=words):
        varde.judge(data, **how)


def test_told_by_the_names_of_columns(tmp_path):
    (tmp_path / "r.csv").write_text("variant;converted\na;1\nb;0\na;\n")
    selector = varde.Selector(["a", "b"])
    assert selector.tell_many(tmp_path / "r.csv", option="variant", value="converted").counted == 2
    rows = [{"variant": "b", "won": 3, "seen": 9}]
    assert selector.tell_many(rows, option="variant", value=("won", "seen")).counted == 1
    assert [row.n for row in selector.recommend().rows] == [1, 10]
    with pytest.raises(ValueError, match="x"):
        selector.tell_many([{"variant": "x", "won": 1}], option="variant", value="won")


def test_few_results_are_taken_to_be_independent_and_it_is_said():
    rng, words = np.random.default_rng(0), "taken to be independent"
    few, many = (varde.judge({"a": rng.normal(0.0, 1.0, n), "b": rng.normal(3.0, 1.0, n)}) for n in (12, 60))
    assert few.p_right > 0.9 and words not in few.sentence and words in str(few)
    assert many.p_right > 0.9 and words not in str(many)
    little = varde.judge({"a": [1.0, 2.0, 3.0], "b": [1.5, 2.5, 2.0]})
    assert words not in str(little) and any(words in note.text for note in little.notes), "in the list all the same"


def test_a_file_sorted_by_size_is_not_in_order_of_time():
    rng = np.random.default_rng(705)
    found = varde.judge({"a": sorted(rng.normal(0.0, 1.0, 60)), "b": sorted(rng.normal(1.5, 1.0, 60))})
    assert found.p_right > 0.99 and found.notes[0].code == "sorted" and "sorted by size" in str(found)
    assert found.to_dict()["notes"][0]["code"] == "sorted" and "sorted by size" in found.to_html()


def test_a_column_of_times_shows_what_was_measured_one_after_the_other():
    rng = np.random.default_rng(3)
    rows = [{"option": "ab"[t >= 40], "value": rng.normal() + (t < 40), "day": t} for t in range(80)]
    rng.shuffle(rows)
    kinds = {name: [note.code for note in varde.judge(rows, time=name).notes] for name in ("day", False, None)}
    assert "blocks" in kinds["day"] and "blocks" not in kinds[None] and "independent" in kinds[False]
    assert varde.judge(rows, time="day").p_right < varde.judge(rows, time=False).p_right
    rows = [{**row, "option": {38: "b", 41: "a"}.get(row["day"], row["option"])} for row in rows]
    assert "mostly measured one after the other" in str(varde.judge(rows, time="day"))
    rows = [{**row, "day": f"day {row['day']}"} for row in rows]
    assert "mostly measured one after the other" in str(varde.judge(rows, time="day")), "day 9 is before day 10"
    with pytest.raises(ValueError, match="time is 'when', and the columns are option, value and day"):
        varde.judge(rows, time="when")
    with pytest.raises(TypeError, match="the name of a column, or False"):
        varde.judge(rows, time=3)


def test_the_mean_of_successes_is_a_share():
    found = varde.judge({"a": [1.0] * 30, "b": [1.0, 0.0] * 15})
    assert found["a"].high == 1.0 and 0.8 < found["a"].low < 1.0


def test_the_command_line(tmp_path, capsys):
    (tmp_path / "r.csv").write_text("variant,converted,day\n" + "a,0,1\nb,1,2\n" * 40)
    with pytest.raises(SystemExit) as ended:
        app(["judge", str(tmp_path / "r.csv"), "--option", "variant", "--value", "converted", "--json"])
    assert ended.value.code == 0 and json.loads(capsys.readouterr().out)["best"] == "b"
    with pytest.raises(SystemExit) as ended:
        app(["judge", str(tmp_path / "r.csv"), "--option", "variant"])
    assert ended.value.code == 2 and "write --value" in capsys.readouterr().err
