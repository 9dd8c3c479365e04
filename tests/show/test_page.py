"""Pages that stand alone."""

import math
import re

import numpy as np
import pytest

from varde.show.page import Series, escape, line_chart, page
from varde.show.page.scale import Scale, fit, room_for
from varde.show.page.text import glued


def test_escape():
    assert escape('<a href="x">\'&') == "&lt;a href=&quot;x&quot;&gt;&#x27;&amp;"
    assert escape("a\x00b\ud800c\x85").encode() == "a\ufffdb\ufffdc\ufffd".encode()
    assert escape(3) == "3"
    assert escape("\u202e1.5\u2066") == "\ufffd1.5\ufffd" and escape("שלום") == "שלום"  # nothing turns numbers round


def test_a_page_fetches_nothing_and_runs_nothing():
    made = page("A <b>", "<p>x</p>", footer="y")
    assert "<title>A &lt;b&gt;</title>" in made and "<p>x</p>" in made and "<footer>y</footer>" in made
    assert not re.search(r"https?://|@import|url\(", made)
    assert "<script" not in made and "default-src 'none'" in made and "script-src" not in made


@pytest.mark.parametrize("log", [False, True])
def test_scales(log):
    scale = fit([0.2, 37.0, 0.0], log)
    assert scale.log == log and -1e-9 <= scale(0.2) < scale(37.0) <= 1.0
    ticks = scale.ticks()
    assert 3 <= len(ticks) <= 9 and all(scale.first <= tick <= scale.last for tick in ticks)
    assert fit([], log).ticks() and fit([5.0, 5.0], log).ticks()


def test_wide_intervals_do_not_flatten_the_curves():
    scale = room_for([0.0, 1.0], [-50.0, 50.0], False)
    assert scale(1.0) - scale(0.0) > 0.4
    assert room_for([1.0, 2.0], [0.9, 2.1], False)(0.9) > 0.0
    assert room_for([1.0, 2.0], [-3.0, 1e9], True)(2.0) > 0.2


def test_ticks_are_round():
    assert Scale(0.0, 1000.0).ticks() == [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]
    assert Scale(-0.3, 0.1).ticks() == [-0.3, -0.2, -0.1, 0.0, 0.1]
    assert Scale(0.5, 60.0, log=True).ticks() == [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]


def chart(values, **how):
    how = {"across": "x", "up": "y", **how}
    low, high = ([None if v is None else v + d for v in values] for d in (-1.0, 1.0))
    return line_chart("T", range(len(values)), [Series("s<", values, low, high)], **how)


def heights(path):
    """How high the points of a path are, from its relative steps downwards."""
    steps = re.findall(r"[ml](-?\d+) ?(-?\d+)", path)
    return -np.cumsum([int(down) for _, down in steps])


def test_a_chart_draws_every_number_to_scale():
    made = chart([1.0, -2.5, 3.0])
    assert "s&lt;" in made and made.count('class="line"') == 2 and made.count('class="band"') == 1
    first, second, third = heights(re.search(r'class="line" d="([^"]*)"', made)[1])
    assert (third - second) / (first - second) == pytest.approx(5.5 / 3.5, rel=0.01)
    band = heights(re.search(r'class="band" d="([^"]*)"', made)[1])  # its upper edge, and back along the lower one
    assert (band[:3] - band[:2:-1]) / (first - second) == pytest.approx([2.0 / 3.5] * 3, rel=0.01)
    assert '<th scope="col">at 2 x</th>' in made and "</th><td>3</td></tr>" in made  # the last values
    assert '<i class="name"' in chart([1.0], lines={"V*": 2.0})


def test_gaps_and_single_points():
    made = chart([1.0, None, 3.0, math.nan, 5.0, 6.0])
    drawn = re.findall(r'class="line" d="(m[^"]*)"', made)
    assert [path.count("l") for path in drawn] == [0, 0, 1] and [path[-2:] == "h1" for path in drawn] == [
        True,
        True,
        False,
    ]
    assert "nan" not in made and "None" not in made
    assert (
        "inf" not in chart([math.inf, 1.0]) and "<figure" in chart([None, None]) and "<figure" in chart([0.0], log=True)
    )


def test_a_percent_sign_stays_with_its_number():
    assert glued("95 % of 3") == "95\u00a0% of 3"
