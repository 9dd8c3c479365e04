"""Results to tell, as spreadsheets and programs write them."""

import tempfile
from pathlib import Path

import pytest

from varde.selection.tables import read_results


def read(text, **given):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.csv"
        path.write_text(text, encoding="utf-8", newline="")
        found = read_results(path, **given)
        return found._replace(rows=list(found.rows))


def fields(text, **given):
    return [row.fields for row in read(text, **given).rows]


A, B = {"draw": "a", "value": 0.5}, {"draw": "b", "value": -1.0}


@pytest.mark.parametrize(
    "text",
    [
        "option,value\na,0.5\nb,-1\n",
        "option, value\na, 0.5\n\nb, -1",
        "option;value\na;0,5\nb;-1,0\n",
        "Option;Value\r\na;0.5\r\nb;-1\r\n;\r\n",
        "name\tvalue\na\t0.5\nb\t-1",
        '\ufeffoption,value\n"a",0.5\nb,-1e0\n',
        "value,date,option\n0.5,monday,a\n-1,monday,b",
    ],
)
def test_csv_of_all_kinds(text):
    assert fields(text) == [A, B]


def test_counts_summaries_and_values_may_share_a_table():
    text = "option,successes,trials,mean,sem,n,value\na,12,400,,,,\nb,,,3.5,0.1,200,\nc,,,,,,7"
    assert fields(text) == [
        {"draw": "a", "successes": 12.0, "trials": 400.0},
        {"draw": "b", "mean": 3.5, "sem": 0.1, "n": 200.0},
        {"draw": "c", "value": 7.0},
    ]


def test_draws_are_known_by_their_ids():
    assert fields("draw,value\n17,0.5\n") == [{"draw": 17, "value": 0.5}]


def test_several_numbers_are_a_result():
    text = "option,profit,Latency\na,3.5,140\n"
    assert fields(text, names=("profit", "Latency")) == [{"draw": "a", "value": {"profit": 3.5, "Latency": 140.0}}]


def test_columns_that_mean_nothing_are_named():
    assert read("option,value,date\na,1,monday").unused == ["date"]


def test_other_columns_are_used_if_they_are_named():
    text = "who,won,seen\na,1,4\n"
    assert fields(text, option="who", value=["won", "seen"]) == [{"draw": "a", "successes": 1.0, "trials": 4.0}]
    assert read(text, option="who", value="won").unused == ["seen"]
    assert fields("who,profit\na,3\n", option="who", names=("profit",)) == [{"draw": "a", "value": {"profit": 3.0}}]


def test_rows_without_a_result_are_left_out_and_results_need_an_option():
    assert fields("option,value\na,0.5\nc,\nd,NA\nb,-1\n") == [A, B]
    assert fields("option,value\n,0.5\n") == [{"draw": None, "value": 0.5}]


@pytest.mark.parametrize(
    "text, where, why",
    [
        ("option,value\na,0,5\n", "line 2", "a decimal comma"),
        ("option,value\na,fast\n", "line 2", "value is 'fast': write a number"),
        ("option,value\n\na,1_000\n", "line 3", "write a number"),
    ],
)
def test_a_bad_row_knows_its_line(text, where, why):
    row = read(text).rows[-1]
    assert row.where == where
    assert isinstance(row.fields, ValueError)
    assert why in str(row.fields)


@pytest.mark.parametrize(
    "text, why",
    [
        ("a,b,c\n1,2,3", "write option="),
        ("option,price,date\na,3,monday", "write value="),
        ("option,value,value\na,1,2", "write each once"),
        ("option,draw,value\na,1,2", "write each once, and draw or option"),
        ('[{"option": "a"', "is not CSV"),
        ("", "is empty"),
        ('option,value\n"' + "a" * 200_000 + '",1', "cannot be read"),
    ],
)
def test_what_is_no_table_is_refused(text, why):
    with pytest.raises(ValueError, match=why):
        read(text)
