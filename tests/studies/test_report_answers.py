"""The answers on top of a report: in a word, in a sentence, as a tile, from the verdicts and claims alone."""

import re
from dataclasses import replace

import pytest

from varde.paper import STUDIES
from varde.studies.claims import FAILS, HOLDS, OPEN, Claim
from varde.studies.report import load, write_report
from varde.studies.report.answers import answer, in_a_word, label, parts, sentence
from varde.studies.study import Outcome, Study

from .results import put, put_docs, rows_of


@pytest.mark.parametrize(
    ("good", "unclear", "bad", "word"),
    [
        (0, 0, 0, "nothing to test"),
        (5, 0, 0, "yes"),
        (5, 4, 0, "yes, as far as these runs tell"),
        (4, 5, 0, "these runs cannot tell"),
        (0, 5, 0, "these runs cannot tell"),
        (6, 0, 2, "mostly"),
        (5, 0, 2, "in part"),
        (6, 7, 2, "in part"),
        (0, 0, 1, "no"),
        (0, 1, 1, "no, as far as these runs tell"),
    ],
)
def test_counts_in_a_word(good, unclear, bad, word):
    assert in_a_word(good, unclear, bad).word == word


@pytest.mark.parametrize(
    ("claims", "word"),
    [
        ([], "yes, as far as these runs tell"),
        ([HOLDS], "yes, as far as these runs tell"),
        ([OPEN], "yes, as far as these runs tell"),
        ([FAILS], "in part"),  # 49 numbers that are the same do not drown it
        ([HOLDS] * 3 + [FAILS], "mostly"),
        ([HOLDS, FAILS], "in part"),
    ],
)
def test_numbers_and_claims_have_a_voice_each(tmp_path, claims, word):
    put_docs(tmp_path, "table-1")
    [result] = load(tmp_path)[0]
    assert answer([replace(result, findings=[Claim("c", holds) for holds in claims])]).word == word


def test_readings_have_a_voice_each(tmp_path):
    put_planning(tmp_path)
    [planning] = parts(load(tmp_path)[0])
    assert answer(planning.results).word == "in part"
    one = planning.results[0]
    open_or_not = [Claim("c", OPEN, by="a"), *[Claim("c", FAILS, by="b")] * 5]
    assert answer([replace(one, findings=open_or_not)]).word == "no, as far as these runs tell"


def told(part):
    return "".join(piece if isinstance(piece, str) else label(piece) for piece in sentence(part))


def put_planning(folder):
    for name, as_run in (("sailing", HOLDS), ("taxi", FAILS)):
        study = STUDIES[name]()
        claims = [Claim("c", FAILS, by="VarDE as printed"), Claim("c", as_run, by="VarDE as run"), "a line"]
        put(folder, study, rows_of(study), [*claims, Claim("ours", HOLDS, beyond=True, by="VarDE auto")])


def test_a_sentence_names_readings_and_where_they_fail(tmp_path):
    put_planning(tmp_path)
    put_docs(tmp_path, "table-1")
    bandits, planning = parts(load(tmp_path)[0])
    assert told(bandits).startswith("49 of 56 published numbers are the same, 7 undecided; ")
    assert told(planning) == (
        "VarDE as printed: 0 of 2 claims hold, 2 do not (Sailing 6x6, Taxi in the rain); "
        "VarDE as run: 1 of 2 claims hold, 1 does not (Taxi in the rain)."
    )


def test_a_sentence_names_the_same_places_once(tmp_path):
    claims = [Claim("c", FAILS, by="VarDE as printed"), Claim("c", FAILS, by="VarDE as run")]
    for name in ("sailing", "taxi"):
        put(tmp_path, STUDIES[name](), rows_of(STUDIES[name]()), claims)
    [planning] = parts(load(tmp_path)[0])
    assert told(planning) == (
        "VarDE as printed: 0 of 2 claims hold, 2 do not (Sailing 6x6, Taxi in the rain); "
        "VarDE as run: 0 of 2 claims hold, 2 do not (the same places)."
    )


def test_a_study_of_no_paper_has_its_sentence_where_it_has_something_to_test(tmp_path):
    for name, claims in (("mine", [Claim("c", HOLDS)]), ("other", [])):
        put(
            tmp_path,
            Study(name, name, (), 10),
            [Outcome("p", "a", "", 1, 10, 1.0, 0.1)],
            claims,
        )
    results, _ = load(tmp_path)
    assert [(part.name, told(part)) for part in parts(results)] == [("mine", "1 of 1 claim holds.")]
    page = write_report(tmp_path)[0].read_text()
    assert page.count('<a class="tile') == 2 and page.count("nothing to test") == 3  # tile, contents, section


def test_a_tile_shows_every_published_number_by_colour_form_and_word(tmp_path):
    put_docs(tmp_path, "table-1")
    page = write_report(tmp_path)[0].read_text()
    [tile] = re.findall(r'<a class="tile.*?</a>', page, re.S)
    assert tile.startswith('<a class="tile good-edge" href="#study-table-2d-1">') and "✓ 49 of 56 numbers" in tile
    drawn = dict(re.findall(r'<path class="dots (\w+)" d="([^"]*)"', tile))
    assert "comes out" in page and "measured (up) against published" in page  # what the marks mean
    assert set(drawn) == {"good", "open"} and drawn["good"].count("M") > 40 and drawn["open"].count("M") == 7


def test_a_tile_without_published_numbers_has_a_dot_for_each_claim(tmp_path):
    put_planning(tmp_path)
    page = write_report(tmp_path)[0].read_text()
    first = re.search(r'<a class="tile.*?</a>', page, re.S)[0]
    assert re.findall(r'class="dots (\w+)"', first) == ["bad", "good"] and "◐ 1 of 2 claims" in first


def test_the_reading_of_a_claim_is_in_the_results_file_and_may_be_missing(tmp_path):
    put_planning(tmp_path)
    file = tmp_path / "taxi.json"
    assert {claim.by for claim in load(tmp_path)[0][0].claims} == {"VarDE as printed", "VarDE as run"}
    file.write_text(re.sub(r', "by": "[^"]*"', "", file.read_text()))
    assert [claim.by for claim in load(tmp_path)[0][1].claims] == ["", ""]
