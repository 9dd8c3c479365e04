"""The rule in ask/tell: results that are mostly zero, pending draws, options that come and go, decisions as goals."""

import numpy as np
import pytest

import varde
from varde.rule import shrinkage

NAMES = list("abcde")


def purchase(draw):
    """Nothing most of the time, else an amount; b pays best."""
    rng = np.random.default_rng(draw.seed)
    return float(rng.exponential(2.0 + (draw.name == "b"))) if rng.random() < 0.2 else 0.0


def asked(batch=1, scale=1.0, shift=0.0, goal="max", store=None):
    """The names of all draws, results coming in the order of asking, the selection closed now and then."""
    names, selector = [], varde.Selector(NAMES, 120, goal=goal, store=store)
    while not selector.done:
        draws = selector.ask(batch)
        names += [draw.name for draw in draws]
        for draw in draws:
            selector.tell(draw, shift + scale * purchase(draw))
        if store is not None and (batch > 1 or len(names) % 5 == 0):
            selector.close()
            selector = varde.Selector(NAMES, 120, goal=goal, store=store)
    selector.close()
    return names


@pytest.mark.parametrize("batch", [1, 7])
def test_a_resumed_selection_goes_on_as_it_would_have(batch, tmp_path):
    assert asked(batch, store=tmp_path / "s.db") == asked(batch)


def test_neither_unit_nor_zero_nor_sign_matter_where_results_are_mostly_zero():
    plain = asked()
    assert asked(scale=1000.0) == plain
    assert asked(shift=1e6) == plain
    assert asked(scale=-0.001, goal="min") == plain


def test_an_option_that_fails_takes_its_lowest_results_with_it():
    """Only e has results below 0; without it most results are the lowest value."""
    selector = varde.Selector(NAMES, calls=varde.Calls(retries=0))
    for name in NAMES:
        for value in (0.0, 0.0, 0.0, 1.0):
            selector.tell(name, value - 2.0 * (name == "e"))
    chooser = selector._journal.ledger.chooser
    chooser.make_ready()
    assert chooser.least == [-2.0]
    chooser.exclude(4)
    chooser.make_ready()
    assert chooser.least == [0.0]


def test_a_pending_draw_counts_as_a_sample():
    selector = varde.Selector(["a", "b"], warm_start=2)
    first = selector.ask(4)
    chooser = selector._journal.ledger.chooser
    assert [chooser.drop(i) for i in (0, 1)] == [shrinkage(2), shrinkage(2)]  # none known
    for draw in first:
        selector.tell(draw, draw.seed / 2**31)
    draws = [draw.name for draw in selector.ask(3)]
    assert [chooser.drop(i) for i in (0, 1)] == [shrinkage(2 + draws.count(name)) for name in ("a", "b")]


def test_results_a_file_and_a_summary_do_not_show_their_lowest():
    selector = varde.Selector(NAMES)
    selector.tell("a", mean=2.0, sem=0.1, n=20)
    selector.tell("b", successes=3, trials=10)
    chooser = selector._journal.ledger.chooser
    chooser.make_ready()
    assert chooser.lows[0][0] == np.inf and chooser.origin + chooser.unit * chooser.lows[0][1] == 0.0
