"""Costs that come back with the results."""

import numpy as np
import pytest

import varde
from varde.selection.prices import Prices

NAMES = ["a", "b", "c", "d"]
MEAN = {"a": 1.0, "b": 4.0, "c": 2.0, "d": 8.0}


def outcome(draw):
    rng = np.random.default_rng(draw.seed)
    return float(rng.normal() + 0.5 * NAMES.index(draw.name)), float(rng.exponential(MEAN[draw.name]) + 0.1)


def test_reserved_is_what_the_draws_under_way_cost_on_average():
    prices = Prices([1.0, 1.0, 1.0], returned=True)
    prices.reserve(0, 2)
    assert prices.reserved == 0.0 and prices.of(2) == 0.0, "nobody knows yet"
    prices.reserve(0, -1)
    prices.paid(0, 3.0, pending=1)
    prices.reserve(1, 1)
    assert prices.reserved == 3.0 + 3.0 and prices.all().tolist() == [3.0, 3.0, 3.0], "a stranger costs what is usual"
    prices.reserve(1, -1)
    prices.paid(1, 5.0, pending=0)
    assert prices.reserved == 3.0 and prices.of(1) == 5.0 and prices.of(2) == 4.0 and prices.dearest == 5.0


def test_the_budget_is_spent_by_what_results_have_cost():
    selector, paid = varde.Selector(NAMES, budget=200, costs="returned", seed=2), 0.0
    under_way, most = [], 0.0
    while draws := selector.ask(3):
        under_way = [outcome(draw) for draw in draws]
        for draw, (value, cost) in zip(draws, under_way, strict=True):
            selector.tell(draw, value, cost=cost)
            paid, most = paid + cost, max(most, cost)
        assert selector.spent == pytest.approx(paid)
    assert selector.done and 200.0 - most <= paid <= 200.0 + sum(cost for _, cost in under_way)
    assert selector.recommend().priced


def test_a_dear_option_is_asked_less():
    def names(dear):
        selector = varde.Selector(["p", "q"], budget=400, costs="returned")
        while (draw := selector.ask()) is not None:
            cost = dear if draw.name == "q" else 1.0
            selector.tell(draw, (np.random.default_rng(draw.seed).normal(), cost))
        found = selector.recommend()
        return found.rows[1].n / found.rows[0].n

    assert names(9.0) < 0.5 * names(1.0) and names(9.0) == pytest.approx(1 / 3, rel=0.2), "Neyman: shares / sqrt(cost)"


def test_costs_said_or_returned_alike_choose_alike():
    """Costs that are always the same are those of a list, once the warm start is over."""
    known = [MEAN[name] for name in NAMES]
    said = varde.Selector(NAMES, costs=known, seed=4)
    returned = varde.Selector(NAMES, costs="returned", seed=4)
    for _ in range(150):
        draw = said.ask()
        assert draw == returned.ask()
        said.tell(draw, outcome(draw)[0])
        returned.tell(draw, (outcome(draw)[0], MEAN[draw.name]))
    assert said.spent == pytest.approx(returned.spent)


def test_reopened_at_every_step_it_spends_the_same(tmp_path):
    kept = varde.Selector(NAMES, 120, costs="returned")
    while not kept.done:
        with varde.Selector(NAMES, 120, costs="returned", store=tmp_path / "s.db") as other:
            mine = kept.ask(3)
            assert mine == other.ask(3)
            for draw in mine[::-1]:
                for selector in (kept, other):
                    if draw.name == "b" and draw.replicate == 1:
                        selector.fail(draw, "always")
                    else:
                        selector.tell(draw, *outcome(draw))
            assert (kept.spent, kept.remaining) == (other.spent, other.remaining)
    again = varde.Selector.open(tmp_path / "s.db")
    assert again.done and again.spent == kept.spent and again.recommend().best_name == kept.recommend().best_name


def test_select_takes_functions_that_return_a_value_and_its_cost():
    found = varde.select(
        lambda x, rng: (x + rng.normal(), 1.0 + x), varde.Selector([0, 1, 2], budget=150, costs="returned")
    )
    assert found.best_name == "2" and 148.0 <= found.spent <= 153.0
    failed = {0: (1.0, -1.0), 1: 5.0, 2: (1.0, "much")}
    with pytest.raises(RuntimeError, match="no call has worked"):
        varde.select(
            lambda x: failed[x],
            varde.Selector([0, 1, 2], budget=150, costs="returned", calls=varde.Calls(backoff=0.01)),
        )


def test_costs_that_make_no_sense_are_refused():
    returned, plain = varde.Selector(["a", "b"], 9, costs="returned"), varde.Selector(["a", "b"], 9)
    draw = returned.ask()
    for value, cost, words in [
        (1.0, None, r"write \(value, cost\)"),
        (1.0, 0.0, "above 0"),
        ((1.0, np.inf), None, "above 0"),
        ((1.0, 2.0, 3.0), None, "come back"),
    ]:
        with pytest.raises((TypeError, ValueError), match=words):
            returned.tell(draw, value, cost)
    assert returned.pending == [draw] and returned.spent == 0
    with pytest.raises(ValueError, match='begin with costs="returned"'):
        plain.tell(plain.ask(), 1.0, cost=2.0)
    with pytest.raises(ValueError, match="leave cost=3 out"):
        returned.add_option("c", cost=3)
    with pytest.raises(TypeError, match='or "returned"'):
        varde.Selector(["a", "b"], 9, costs="back")


def test_a_store_has_costs_of_one_kind(tmp_path):
    varde.Selector(["a", "b"], 9, costs="returned", store=tmp_path / "s.db").close()
    with pytest.raises(ValueError, match='made with costs="returned"'):
        varde.Selector(["a", "b"], 9, store=tmp_path / "s.db")
