"""What came out of timing commands, in words."""

from varde.timing.text import as_json, notices, sentence, spell, table

from .fake import Machine, Pretended, bench_of


def done(ratio=1.3, **settings):
    machine = Machine(1)
    commands = [Pretended("slow", 0.001 * ratio, machine), Pretended("fast", 0.001, machine, first=20.0)]
    return bench_of(commands, **settings)


def test_a_decision_in_one_sentence():
    said = sentence(done())
    assert said.startswith("fast is 1.") and " times as fast as slow, 9" in said and said.endswith(" % sure.")


def test_equal_and_unclear_cases_are_said():
    assert "equally fast" in sentence(done(1.0))
    assert sentence(done(1.002, runs=12)).startswith("No command is clearly the fastest.")


def test_a_cold_first_run_is_noticed():
    assert any("the first run took 2" in notice and "caches were cold" in notice for notice in notices(done()))


def test_the_table_has_the_fastest_first():
    lines = table(done()).plain().splitlines()
    assert lines[1].startswith("fast") and "mean, " in lines[0]


def test_json_has_every_run_and_the_decision():
    told = as_json(done(runs=12))
    assert [len(result["times"]) for result in told["results"]] == [12, 12]
    assert told["decision"]["fastest"] == "fast" and told["decision"]["times_as_long"]["fast"] == [1.0, 0.0]


def test_times_are_spelled_in_a_fitting_unit():
    assert [spell(x) for x in (2.0, 0.05, 3e-5)] == ["2 s", "50 ms", "30 µs"]


def test_a_bench_shows_its_answer_when_printed():
    shown = str(done())
    assert shown.startswith("fast is 1.") and "P(fastest)" in shown and "Note: fast: the first run" in shown
