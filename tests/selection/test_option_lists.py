"""Options as people write them down."""

import pytest

from varde.selection.option_lists import read_options


def test_names_on_the_command_line():
    assert list(read_options('a, b,"c, d"')) == ["a", "b", "c, d"]


def test_rows_of_a_csv_file_are_called_by_their_columns(tmp_path):
    (tmp_path / "designs.csv").write_text("\ufeffs,S\n20,60\n30, 80\n\n", encoding="utf-8")
    options = read_options(str(tmp_path / "designs.csv"))
    assert options == {
        "s=20 S=60": {"s": "20", "S": "60", "option": "s=20 S=60"},
        "s=30 S=80": {"s": "30", "S": "80", "option": "s=30 S=80"},
    }


def test_or_by_their_name(tmp_path):
    (tmp_path / "designs.tsv").write_text("name\tsize\nsmall\t1\n'large, or so'\t2\n")
    assert list(read_options(str(tmp_path / "designs.tsv"))) == ["small", "'large, or so'"]


def test_a_cell_may_hold_lines(tmp_path):
    (tmp_path / "prompts.csv").write_text('name,prompt\nkind,"Dear,\nplease"\n')
    assert read_options(str(tmp_path / "prompts.csv"))["kind"]["prompt"] == "Dear,\nplease"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ('["a", "b"]', {}),
        ('{"a": 1, "b": 2}', {"value": 1}),
        ('{"a": {"lr": 0.1}, "b": {"lr": 1}}', {"lr": 0.1}),
        ('[{"name": "a", "lr": 1}, {"name": "b", "lr": 2}]', {"name": "a", "lr": 1}),
    ],
)
def test_json(tmp_path, text, columns):
    (tmp_path / "o.json").write_text(text)
    options = read_options(str(tmp_path / "o.json"))
    assert list(options) == ["a", "b"] and options["a"] == {**columns, "option": "a"}


def test_one_per_line(tmp_path):
    (tmp_path / "prompts.txt").write_text("Answer briefly.\n\nThink, then answer.\n")
    assert list(read_options(str(tmp_path / "prompts.txt"))) == ["Answer briefly.", "Think, then answer."]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("o.csv", "s,S\n1\n", "line 2 of .*: it has 1 cells under 2 columns"),
        ("o.csv", "s,s\n1,2\n", "distinct names of the columns"),
        ("o.csv", "s,seed\n1,2\n", "column 'seed', which varde fills in itself"),
        ("o.csv", "s\n1\n1\n", "option 's=1' comes twice"),
        ("o.json", "{", "is not JSON"),
        ("o.json", "3", "holds a int"),
        (
            "o.json",
            '[{"name": "a", "lr": 1}, {"name": "b", "rate": 2}]',
            "has name, rate, the first has name, lr",
        ),
        ("o.csv", "name,s\n,2\n", "option 1 .* has no name"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path, name, text, why):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=why):
        read_options(str(tmp_path / name))


def test_a_spreadsheet_may_write_semicolons_a_mark_in_front_and_other_ends_of_lines(tmp_path):
    (tmp_path / "o.csv").write_bytes(b"\xef\xbb\xbfname;s\r\na;0,5\r\nb;2\r\n")
    assert read_options(str(tmp_path / "o.csv")) == {
        "a": {"name": "a", "s": "0,5", "option": "a"},
        "b": {"name": "b", "s": "2", "option": "b"},
    }


def test_a_file_may_have_another_encoding_but_not_be_a_folder(tmp_path):
    for encoding in ("utf-16", "cp1252"):
        (tmp_path / "o.csv").write_bytes("name;s\r\ngroß;1\r\nklein;2\r\n".encode(encoding))
        assert list(read_options(str(tmp_path / "o.csv"))) == ["groß", "klein"]
    with pytest.raises(ValueError, match="is a folder"):
        read_options(str(tmp_path))


def test_a_file_that_is_not_there():
    with pytest.raises(ValueError, match=r"there is no file designs\.csv"):
        read_options("designs.csv")


def test_items_are_read_like_options(tmp_path):
    assert read_options("a,b", "item") == {"a": {"item": "a"}, "b": {"item": "b"}}
    (tmp_path / "cases.csv").write_text("item,question\none,1 + 1?\ntwo,2 + 2?\n")
    assert read_options(str(tmp_path / "cases.csv"), "item")["two"] == {"item": "two", "question": "2 + 2?"}
    (tmp_path / "cases.json").write_text('[{"question": "?", "answer": 3}]')
    assert read_options(str(tmp_path / "cases.json"), "item") == {
        "question=? answer=3": {"question": "?", "answer": 3, "item": "question=? answer=3"}
    }
    with pytest.raises(ValueError, match="item 'a' comes twice"):
        read_options("a,a", "item")
    with pytest.raises(ValueError, match="write --items with a file"):
        read_options("missing.csv", "item")
