"""Policies as pages: the doubtful states first, and no page too large."""

import re

import numpy as np

from varde.learning import learn
from varde.learning.policy.policy import policy_of

from ..gathered import gather


def ring(size):
    """A policy for many states, each acted in four times."""
    rng, states = np.random.default_rng(0), np.repeat(np.arange(size), 4)
    after = (states + np.tile([1, 1, size - 1, size - 1], size)) % size
    begun = np.eye(1, size, 0, dtype=np.int64)[0]
    seen = gather(np.full(size, 2), states, np.tile([0, 0, 1, 1], size), rng.random(states.size), after, begun)
    return policy_of(seen, 0.9, [f"state {s}" for s in range(size)], [("on", "back")] * size)


def test_pages_of_many_states_stay_small_and_begin_with_the_most_doubtful():
    policy = ring(500)
    page = policy.to_html()
    assert len(page) < 100_000 and "And 335 states" in page and page.count("<tr>") == 167
    shown = re.findall(r">(state \d+)<", page)
    assert shown[0] == policy.states[int(policy.doubts.argmax())]


def test_a_page_names_what_is_most_useful_fetches_nothing_and_is_written_where_it_is_wanted(tmp_path):
    policy = ring(30)
    page = policy.to_html()
    state, action = policy.most_useful(1)[0]
    assert f"More data would help most for {action} in {state}" in page
    assert not re.search(r"https?://|@import|url\(", page)
    assert policy.to_html(tmp_path / "p.html") is None
    assert (tmp_path / "p.html").read_text(encoding="utf-8") == page


def test_names_are_escaped():
    policy = learn(lambda s, a, rng: (s, rng.random()), 50, actions=["<b>", "x"], start="<i>&")
    page = policy.to_html()
    assert "<i>&" not in page and "&lt;i&gt;&amp;" in page and "&lt;b&gt;" in page
    assert "&lt;i&gt;&amp;" in policy._repr_html_()
