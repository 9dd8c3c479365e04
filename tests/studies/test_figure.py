"""Figures as records: panels, strokes, and what matplotlib makes of them."""

import json
import re
from dataclasses import asdict

import pytest

from varde.studies import Figure, Outcome, Study
from varde.studies.figure import COLOURS, LIGHT, draw, panels, strokes, strokes_of
from varde.studies.provenance import Made
from varde.studies.report.load import Result
from varde.studies.report.section import charts
from varde.studies.results import figure_from


def rows(names=("a", "b"), problems=("p", "q"), steps=(1, 2, 3)):
    return [Outcome(p, n, "", s, 10, 0.1 * s, 0.01) for p in problems for n in names for s in steps]


def test_a_panel_per_problem_and_a_curve_per_algorithm():
    first, second = panels(Figure(across="pulls"), rows())
    assert (first.title, second.title, first.across) == ("p", "q", "pulls")
    assert {name: list(curve) for name, curve in first.curves.items()} == {"a": [1, 2, 3], "b": [1, 2, 3]}


def test_the_ends_are_drawn_over_sizes():
    figure = Figure(
        shown=["a"], size="states", sizes={"p": 5, "q": 9, "not measured": 10}, ends={"At the end": ", kept"}
    )
    ends, *others = panels(figure, rows(["a", "a, kept"]))
    assert ends.across == "states" and {size: row.step for size, row in ends.curves["a"].items()} == {5: 3, 9: 3}
    assert [list(panel.curves) for panel in others] == [["a"], ["a"]]


def test_quantities_apart_have_panels_of_their_own():
    figure = Figure(up="unused", shown=["a"], apart={"": "error", "share": "pulls"})
    error, share, *others = panels(figure, rows(["a", "a: share", "b", "b: share", "a: other"]))
    assert [(p.title, p.up, list(p.curves)) for p in (error, share)] == [("p", "error", ["a"]), ("p", "pulls", ["a"])]
    assert error.curves["a"][1].algorithm == "a" and share.curves["a"][1].algorithm == "a: share"
    assert [panel.title for panel in others] == ["q", "q"]


def test_families_share_a_colour_and_differ_in_dash():
    found = strokes(["Uniform", "UCBE 2", "UCBE 4", "VarDE 0.1", "VarDE auto"], "VarDE")
    assert found == [(1, 0, False), (2, 0, False), (2, 1, False), (0, 0, True), (0, 1, True)]
    many = strokes([f"a{i}" for i in range(9)])
    assert len({(colour, dash) for colour, dash, _ in many}) == 9


def test_a_curve_looks_the_same_in_every_panel():
    several = rows(["a", "c"], ["p"], range(1, 20)) + rows(["a", "b", "c"], ["q"], range(1, 20))
    found = strokes_of(panels(Figure(), several), also=["d"])
    assert list(found) == ["a", "c", "b", "d"] and len({stroke.colour for stroke in found.values()}) == 4
    study = Study("s", "Title", (), 10, figure=Figure())
    drawn = charts(Result(study, several, 0, "", [], Made()))
    keys = [dict(re.findall(r'class="key (c\d)[^>]*>.*?</svg>(\w)<', chart)) for chart in drawn]
    assert [sorted(key.values()) for key in keys] == [["a", "c"], ["a", "b", "c"]]
    assert keys[0].items() <= keys[1].items()


def test_a_figure_survives_a_results_file():
    figure = Figure(
        "pulls", "error", True, True, 0.5, "C*", ["a"], "states", {"p": 5}, {"End": ""}, True, {"": "up"}, ["b"]
    )
    assert figure_from(json.loads(json.dumps(asdict(figure)))) == figure
    assert figure_from(None) is None


def test_matplotlib_draws_the_record():
    pytest.importorskip("matplotlib")
    study = Study("s", "Title", (), 10, figure=Figure("pulls", "error", log=True, best=0.2))
    made = draw(study, rows(problems=("p", "q", "r")))
    assert [ax.get_title() for ax in made.axes] == ["p", "q", "r"] and made.get_suptitle() == "Title"
    ax = made.axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_yscale()) == ("pulls", "error", "log")
    assert ax.get_legend_handles_labels()[1] == ["a", "b", "V*"]


def test_page_and_matplotlib_have_the_same_colours():
    from varde.show.page import asset

    light = asset("style.css").split("@media", 1)[0]
    assert all(f"--c{i}: {colour};" in light for i, colour in enumerate(LIGHT)) and len(LIGHT) == COLOURS
