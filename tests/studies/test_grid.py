"""The table of a study, the same in a terminal and in a report."""

import io
from decimal import Decimal

from rich.console import Console

from varde.studies import Outcome, Study
from varde.studies.grid import grid, number_form
from varde.studies.judging.verdict import judged
from varde.studies.output import show

STUDY = Study("s", "Title", (), 100, percent=True, published_runs=100, notes=["a [note]"])


def row(problem="p", algorithm="a", step=1, value=10.0, **more):
    return judged(STUDY, Outcome(problem, algorithm, "", step, 100, value, 3.0, **more))


def test_problems_across_or_steps_where_there_is_one_problem():
    assert grid(STUDY, [row("p"), row("q"), row("q", "b")]).head == ["", "p", "q"]
    assert grid(STUDY, [row(step=1), row(step=2000)]).head == ["p", "step 1", "step 2,000"]


def test_of_a_curve_the_end():
    made = grid(STUDY, [row(step=step, value=float(step)) for step in range(20)])
    assert made.head == ["at the end", "p"] and made.plain().splitlines()[1].startswith("a           19.00")


def test_a_plane_of_two_settings():
    rows = [row(algorithm=f"tau {t}, floor {f}", value=10.0 * t + f) for t in (1, 2) for f in (3, 4)]
    made = grid(STUDY, rows)
    assert made.head == ["p", "floor 3", "floor 4"]
    assert [line[0] for line in made.lines] == ["tau 1", "tau 2"]
    assert grid(STUDY, rows[:3]).head == ["p", "step 1"]  # a corner is missing


def test_published_measured_verdict_interval():
    made = grid(STUDY, [row(published=90.0), row("q", value=-0.5)])
    assert "90.00 → 10.00 ✗ (4.90 … 17.62)" in made.plain() and "\u22120.50" in made.plain()
    assert "different: 80 apart, margin 9.2" in made.html()


def test_names_in_brackets_survive_the_terminal():
    console = Console(width=100, file=io.StringIO())
    show(
        console, STUDY, [row(algorithm="VarDE[tau=0.05]", published=9.0), row(algorithm="[/4]")], ["all [is] well"], 1.0
    )
    text = console.file.getvalue()
    assert all(name in text for name in ("Title", "VarDE[tau=0.05]", "[/4]", "a [note]", "all [is] well"))
    assert "9.00 10.00 ✓" in text and "1 same ✓. Same means within rounding plus 2 % of the number" in text


def test_numbers_of_many_magnitudes_have_four_digits_and_exponents_only_where_they_are_shorter():
    form = number_form(Study("s", "T", (), 1), [Outcome("p", "a", "", 1, 1, value, 0.0) for value in (0.5, 30_000.0)])
    assert [form(x) for x in (0.51234, 27_143.4, 3.2e8, 1.5e-7)] == ["0.5123", "27143", "3.2e+08", "1.5e-07"]


def test_every_published_number_is_in_the_table():
    """Also one that the paper printed of an earlier step."""
    rows = [row(problem, step=step, published=9.0 if step == 3 else None) for problem in "pq" for step in (1, 3, 5)]
    assert grid(STUDY, rows).head == ["", "p, step 3", "p, step 5", "q, step 3", "q, step 5"]
    curve = [row(problem, step=step, published=9.0 if step == 3 else None) for problem in "pq" for step in range(20)]
    assert grid(STUDY, curve).head == ["at the end", "p, step 3", "p, step 19", "q, step 3", "q, step 19"]


def test_published_numbers_are_shown_as_printed_and_measured_ones_with_no_fewer_decimals():
    study = Study("s", "Title", (), 100, published_runs=100)

    def shown(text, value, other=100.0):
        printed = float(text)
        unit = 10.0 ** Decimal(text).as_tuple().exponent
        rows = [Outcome("p", "a", "", 1, 100, value, 0.1, printed, "same", unit=unit)]
        [line] = grid(study, [*rows, Outcome("p", "b", "", 1, 100, other, 0.1)]).lines[:1]
        return [piece.text for piece in line[1][:2]]

    assert shown("0.30", 0.31234) == ["0.30", "0.31"] and shown("1.250", 1.2) == ["1.250", "1.200"]
    assert shown("6", 5.91) == ["6", "5.9"] and shown("-0.50", -0.5) == ["\u22120.50", "\u22120.50"]
    assert shown("5e1", 51.2) == ["50", "51.2"] and shown("1.20e-7", 1.3e-7) == ["1.20e\u22127", "1.3e\u221207"]
    assert shown("0", 0.004, 0.1) == ["0", "0.0040"] and shown("1e12", 1.1e12)[0] == "1e+12"
