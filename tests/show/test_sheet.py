"""One table: terminal, page, spreadsheet."""

import csv
import io

import pytest
from rich.console import Console

from varde.show.page.text import tag
from varde.show.sheet import Piece, Sheet, cut, width_of

NUMBER = [
    Piece("16.06", "before"),
    Piece("16.20", "strong"),
    Piece("✓", "good", "reproduced"),
    Piece("15 … 17", "aside"),
]
HOSTILE = "<b>[red]|`x`*_"


def in_terminal(table, width=80):
    console = Console(width=width, file=io.StringIO(), force_terminal=True, color_system=None)
    console.print(table.rich())
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_letters_of_double_width_take_two_places():
    lines = Sheet(["option", "n"], [["東京", "1"], ["Oslo", "20"]]).plain().splitlines()
    assert lines == ["option   n", "東京     1", "Oslo    20"]
    assert in_terminal(Sheet(["option", "n"], [["東京", "1"], ["Oslo", "20"]]))[1:] == ["東京     1", "Oslo    20"]


@pytest.mark.parametrize(
    ("text", "places"),
    [("Oslo", 4), ("東京", 4), ("e\u0301te\u0301", 3), ("ｶﾅ", 2), ("한국", 4), ("🙂", 2), ("a\u200bb", 2)],
)
def test_the_places_a_text_takes(text, places):
    assert width_of(text) == places


@pytest.mark.parametrize("text", ["x" * 50, "東京" * 30, "e\u0301" * 60, "👩\u200d💻" * 20, "名前x" * 40, "字" * 10**5])
def test_long_texts_are_cut_by_the_places_they_take(text):
    short = cut(text, 20)
    assert 16 <= width_of(short) <= 20 and "…" in short and "\u200d…" not in short and "…\u0301" not in short
    assert cut(text[:4], 20) == text[:4]


def test_where_there_is_little_room_numbers_stay_whole():
    shown = in_terminal(Sheet(["option", "n", "mean"], [["東京の設定 " * 8, "1,234", "0.123456"]]), 40)
    assert shown[1].endswith("1,234  0.123456") and all(width_of(line) <= 40 for line in shown)


def test_an_entry_of_several_pieces():
    table = Sheet(["", "P"], [["SR", NUMBER]])
    assert table.plain().splitlines()[1].endswith("16.06 → 16.20 ✓ (15 … 17)")
    assert in_terminal(table)[1] == "SR  16.06 16.20 ✓"
    assert '<span class="before">16.06</span> <b>16.20</b>' in table.html()
    assert 'aria-label="reproduced" title="reproduced">✓</span> <small>15 … 17</small>' in table.html()


def test_names_are_shown_as_they_are():
    table = Sheet([HOSTILE], [[HOSTILE], [Piece(HOSTILE, "code")]], title=HOSTILE)
    assert table.plain().splitlines() == [HOSTILE] * 3
    assert in_terminal(table) == [HOSTILE] * 3
    assert "<b>" not in table.html() and table.html().count("&lt;b&gt;[red]|`x`*_") == 4


@pytest.mark.parametrize("text", ["=1+1", "+1", "-x", "@SUM", "\t=1", "\r=1", "\n=1"])
def test_a_spreadsheet_runs_nothing(text):
    [_, [cell]] = csv.reader(io.StringIO(Sheet(["a"], [[text]]).csv(), newline=""))
    assert cell == f"'{text}".replace("\r", "\n")


def test_a_spreadsheet_gets_numbers_in_full():
    assert Sheet(["a", "b", "c"], [[-0.1 - 0.2, 3, None]]).csv() == "a,b,c\n-0.30000000000000004,3,\n"


def test_what_is_no_character_is_no_harm():
    table = Sheet(["a"], [["x\ud800\x1b[31my\nz"]])
    assert table.plain().splitlines()[1] == "x [31my z"
    table.csv().encode(), table.html().encode()


def test_a_part_of_a_page_is_text_elsewhere():
    link = tag("a", "x < y", href="#top")
    table = Sheet(["a"], [[link]])
    assert table.plain().endswith("x < y") and '<a href="#top">x &lt; y</a>' in table.html()


def test_on_a_page_lines_and_columns_have_headers():
    made = Sheet(["", "a"], [["one", "1"]], title='"x"').html()
    assert '<th scope="col">a</th>' in made and '<th scope="row">one</th><td>1</td>' in made
    assert 'aria-label="&quot;x&quot;"' in made
