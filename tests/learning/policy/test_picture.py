"""Policies as pages: maps and tables."""

import re
from dataclasses import replace

import numpy as np
import pytest

import varde
from varde.learning import learn
from varde.learning.policy.grid import grid_of
from varde.learning.policy.policy import policy_of

from ..gathered import gather

STEPS = {"east": (1, 0), "west": (-1, 0), "north": (0, 1), "south": (0, -1)}


def walk(state, action, rng):
    """Places (x, y) with y upwards; the prize is in the north-east."""
    x, y = (min(max(here + move, 0), 3) for here, move in zip(state, STEPS[action], strict=True))
    return (x, y), float((x, y) == (3, 3))


@pytest.fixture(scope="module")
def walker():
    return learn(walk, 1_500, actions=list(STEPS), start=(0, 0), discount=0.9)


def test_actions_point_where_their_names_say(walker):
    grid = grid_of(walker)
    assert (grid.height, grid.width) == (4, 4)
    at = {name: s for s, name in enumerate(walker.states)}
    assert (grid.rows[at[0, 0]], grid.columns[at[0, 0]]) == (3, 0)  # the south-west is below on the left
    signs = {"east": "→", "west": "←", "north": "↑", "south": "↓"}
    assert [signs[walker[name]] for name in walker.states] == grid.arrows


def test_numbers_of_cells_are_a_grid_where_its_shape_is_known(walker):
    numbered = replace(walker, states=[4 * (3 - y) + x for x, y in walker.states], shape=(4, 4))
    assert grid_of(numbered).arrows == grid_of(walker).arrows
    assert grid_of(replace(numbered, shape=None)) is None


def test_a_map_has_a_cell_for_every_state(walker):
    page = walker.to_html()
    assert page.count("<td class=") == 16 and 'title="(3, 3): ' in page and "Doubt: " in page
    assert not re.search(r"https?://|@import|url\(", page)


def test_names_are_escaped():
    policy = learn(lambda s, a, rng: (s, rng.random()), 50, actions=["<b>", "x"], start="<i>&")
    page = policy.to_html()
    assert "<i>&" not in page and "&lt;i&gt;&amp;" in page and "&lt;b&gt;" in page
    assert "&lt;i&gt;&amp;" in policy._repr_html_()


def ring(size, name):
    """A policy for many states, each acted in four times."""
    rng, states = np.random.default_rng(0), np.repeat(np.arange(size), 4)
    after = (states + np.tile([1, 1, size - 1, size - 1], size)) % size
    rewards = rng.random(states.size)
    begun = np.eye(1, size, 0, dtype=np.int64)[0]
    seen = gather(np.full(size, 2), states, np.tile([0, 0, 1, 1], size), rewards, after, begun)
    return policy_of(seen, 0.9, [name(s) for s in range(size)], [("on", "back")] * size)


def test_pages_of_many_states_stay_small():
    table = ring(500, lambda s: f"state {s}").to_html()
    assert len(table) < 100_000 and "And 335 states" in table and table.count("<tr>") == 167
    cells = ring(2_520, lambda s: divmod(s, 60)).to_html()
    assert len(cells) < 250_000 and cells.count("<td class=") == 2_520 and "title=" not in cells.split("</figure>")[0]


def test_it_is_written_where_it_is_wanted(walker, tmp_path):
    assert walker.to_html(tmp_path / "p.html") is None
    assert (tmp_path / "p.html").read_text(encoding="utf-8") == walker.to_html()
    assert isinstance(walker, varde.Policy)
