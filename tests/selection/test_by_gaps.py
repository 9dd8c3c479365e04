"""The default rule in ask/tell: jumps, the end of the budget, draws under way, options that come and go."""

import numpy as np
import pytest

import varde
from varde.decisions.jumps import in_tail
from varde.rule import shrinkage

NAMES = list("abcde")


def purchase(draw):
    """Nothing most of the time, else an amount; b pays best."""
    rng = np.random.default_rng(draw.seed)
    return float(rng.exponential(2.0 + (draw.name == "b"))) if rng.random() < 0.2 else 0.0


def asked(batch=1, scale=1.0, shift=0.0, goal="max", store=None):
    """The names of all draws, results coming in the order of asking, the selection closed after each batch."""
    names, selector = [], varde.Selector(NAMES, 120, goal=goal, store=store)
    while not selector.done:
        draws = selector.ask(batch)
        names += [draw.name for draw in draws]
        for draw in draws:
            selector.tell(draw, shift + scale * purchase(draw))
        if store is not None:
            selector.close()
            selector = varde.Selector(NAMES, 120, goal=goal, store=store)
    selector.close()
    return names


@pytest.mark.parametrize("batch", [1, 7])
def test_a_resumed_selection_goes_on_as_it_would_have(batch, tmp_path):
    assert asked(batch, store=tmp_path / "s.db") == asked(batch)


def test_neither_unit_nor_zero_nor_sign_matter_where_rewards_jump():
    plain = asked()
    assert asked(scale=1000.0) == plain
    assert asked(shift=1e6) == plain
    assert asked(scale=-0.001, goal="min") == plain


def test_the_end_of_the_budget_goes_by_the_knowledge_gradient(monkeypatch):
    with_tail = asked()
    monkeypatch.setattr("varde.selection.by_gaps.in_tail", lambda left, weight, many: False)
    assert asked() != with_tail
    assert in_tail(0.49, 1.0, 20) and not in_tail(0.51, 1.0, 20) and not in_tail(0.3, 0.5, 20)


def test_an_option_that_fails_takes_its_lowest_results_with_it():
    """Only e has results below 0; without it most results are the lowest value."""
    selector = varde.Selector(NAMES, calls=varde.Calls(retries=0))
    for name in NAMES:
        for value in (0.0, 0.0, 0.0, 1.0):
            selector.tell(name, value - 2.0 * (name == "e"))
    chooser = selector._journal.ledger.chooser
    chooser.make_ready()
    assert chooser.table.weight == 0.0
    chooser.exclude(4)
    chooser.make_ready()
    assert (chooser.table.end, chooser.table.at_end) == (0.0, 12) and chooser.table.weight == pytest.approx(0.5)


def test_draws_under_way_count_twice_once_there_are_results():
    selector = varde.Selector(["a", "b"], algorithm=varde.VarDE(warm_start=2))
    first = selector.ask(4)
    chooser = selector._journal.ledger.chooser
    assert [chooser.drop(i) for i in (0, 1)] == [shrinkage(2), shrinkage(2)]  # none known
    for draw in first:
        selector.tell(draw, draw.seed / 2**31)
    draws = [draw.name for draw in selector.ask(3)]
    assert [chooser.drop(i) for i in (0, 1)] == [shrinkage(2 + 2 * draws.count(name)) for name in ("a", "b")]
