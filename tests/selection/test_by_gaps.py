"""Very many options: only those in play are scored after every result."""

import numpy as np
import pytest

import varde
from varde.selection import by_gaps

NAMES = [str(i) for i in range(40)]


@pytest.fixture
def few(monkeypatch):
    """Forty options are very many."""
    monkeypatch.setattr(by_gaps, "MOST", 20)
    monkeypatch.setattr(by_gaps, "FEWEST", 8)


def result(draw):
    return int(draw.name) / 40.0 + float(np.random.default_rng(draw.seed).normal())


def asked(batch=1, store=None, budget=600, **how):
    """The names of all draws, the selection closed now and then if there is a store."""
    names, selector = [], varde.Selector(NAMES, budget, store=store, **how)
    while not selector.done:
        draws = selector.ask(batch)
        names += [draw.name for draw in draws]
        for draw in reversed(draws):
            selector.tell(draw, result(draw))
        if store is not None and (batch > 1 or len(names) % 11 == 0):
            selector.close()
            selector = varde.Selector(NAMES, budget, store=store, **how)
    selector.close()
    return names


@pytest.mark.parametrize("batch", [1, 25])
def test_a_resumed_selection_goes_on_as_it_would_have(few, batch, tmp_path):
    assert asked(batch, tmp_path / "s.db", 300) == asked(batch, None, 300)


def test_nearly_the_same_options_are_drawn_as_if_all_were_scored(few, monkeypatch):
    some = asked()
    monkeypatch.setattr(by_gaps, "MOST", 4_000)
    every = asked()
    assert some != every
    counts = [np.bincount([int(name) for name in names], minlength=40) for names in (some, every)]
    assert np.abs(counts[0] - counts[1]).sum() < 0.25 * 600
    assert counts[0][30:].sum() == pytest.approx(counts[1][30:].sum(), rel=0.1)


def test_the_sums_over_all_options_include_those_that_are_not_in_play(few):
    selector = varde.Selector(NAMES)
    for _ in range(150):
        selector.tell(draw := selector.ask(), result(draw))
    chooser = selector._journal.ledger.chooser
    chooser.make_ready()
    assert len(chooser.players) < 20 and chooser.samples == 150.0
    assert chooser.least[0] == chooser.lows[0].min()
    belief, square = chooser.weigh_all(chooser.working())
    exact = (square * belief.noise)[chooser.players]
    assert chooser.weigh() == pytest.approx(exact, rel=0.02)


def test_a_result_of_an_option_that_is_not_in_play_brings_it_in(few):
    selector = varde.Selector(NAMES)
    for _ in range(150):
        selector.tell(draw := selector.ask(), result(draw))
    chooser = selector._journal.ledger.chooser
    chooser.make_ready()
    far = next(i for i in range(40) if i not in chooser.places)
    for _ in range(3):
        selector.tell(NAMES[far], 50.0)
    selector.ask()
    assert far in chooser.places and selector.leader == NAMES[far]


def test_options_that_are_not_in_play_are_drawn_where_no_other_is_allowed(few):
    selector = varde.Selector(NAMES)
    for _ in range(150):
        selector.tell(draw := selector.ask(), result(draw))
    chooser = selector._journal.ledger.chooser
    chooser.make_ready()
    allowed = np.ones(40, bool)
    allowed[chooser.players] = False
    assert allowed[chooser.choose(allowed)]


def test_a_batch_larger_than_those_in_play_reaches_others(few):
    selector = varde.Selector(NAMES)
    for _ in range(121):
        selector.tell(draw := selector.ask(), result(draw))
    assert len({draw.name for draw in selector.ask(200)}) > 20


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_options_without_noise_are_drawn_in_turn(few, value):
    selector = varde.Selector(NAMES)
    for _ in range(200):
        selector.tell(selector.ask(), value)
    assert selector.recommend().sample.counts.tolist() == [5.0] * 40
