"""Of very many components only those that can matter are scored: the same choices as from the whole table."""

import numpy as np
import pytest

import varde
from varde import VarDE
from varde.decisions import contenders
from varde.decisions.contenders import Contenders
from varde.decisions.gap_table import GapTable
from varde.moments import joined
from varde.rule import shrinkage

KINDS = {
    "uniform": lambda rng, size: rng.uniform(0.0, 1.0, size),
    "one winner": lambda rng, size: np.where(np.arange(size) == size // 3, 1.0, 0.0),
    "a few level": lambda rng, size: np.where(np.arange(size) % (size // 8) == 0, 1.0, 0.0),
    "clear": lambda rng, size: rng.permutation(np.linspace(-5.0, 1.0, size)),
    "all equal": lambda rng, size: np.zeros(size),
}
NOISES = {
    "Gaussian": lambda rng, mean: mean + 0.3 * rng.normal(),
    "Cauchy": lambda rng, mean: mean + 0.1 * rng.standard_cauchy(),
    "rounded": lambda rng, mean: round(mean + 0.3 * rng.normal(), 1),
    "coins": lambda rng, mean: float(rng.random() < 0.5 + 0.4 * mean),
    "hardly any": lambda rng, mean: mean + 1e-9 * rng.normal(),
}


def play(shape, noise, size, steps, batch=1, seed=0):
    """How often all were scored, after as many choices, each compared with the table's."""
    rng = np.random.default_rng(seed)
    truth, draw = KINDS[shape](rng, size), NOISES[noise]
    counts, means, squares, pending = np.full(size, 3.0), *np.zeros((3, size))
    for i in range(size):
        for n in (1, 2, 3):
            means[i], squares[i] = joined(means[i], squares[i], draw(rng, truth[i]), n)
    table, drops = GapTable(VarDE(), size), shrinkage(counts)
    table.fill(counts, means, squares)
    lazy, under_way = Contenders(table, drops), []
    for step in range(steps):
        chosen = lazy.highest()
        assert chosen == int((table.noise() * drops).argmax()), f"choice {step}"
        under_way.append(chosen)
        pending[chosen] += 1
        drops[chosen] = shrinkage(counts[chosen] + 2 * pending[chosen])
        lazy.dropped(chosen)
        if step % 50 == 49:  # a result that nobody asked for, of anybody
            under_way.append(int(rng.integers(size)))
            pending[under_way[-1]] += 1
        while len(under_way) >= batch:
            i, before = under_way.pop(0), 0.0
            pending[i] -= 1
            counts[i] += 1
            before = squares[i]
            means[i], squares[i] = joined(means[i], before, draw(rng, truth[i]), counts[i])
            table.put(i, counts.item(i), means.item(i), squares.item(i))
            drops[i] = shrinkage(counts[i] + 2 * pending[i])
            lazy.moved(i, squares[i] - before)
    return lazy.rebuilt


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("shape", KINDS)
def test_the_same_choices(shape, noise):
    play(shape, noise, 2_000, 150)


def test_the_same_choices_in_batches():
    play("uniform", "Gaussian", 2_000, 200, batch=16)


def test_most_choices_look_at_few():
    assert play("uniform", "Gaussian", 20_000, 300) < 20
    assert play("one winner", "coins", 20_000, 300) < 20


def test_a_selector_of_many_options_chooses_as_one_that_looks_at_all(monkeypatch):
    def chosen():
        selector = varde.Selector([str(i) for i in range(300)])
        rng, names = np.random.default_rng(0), []
        for _ in range(1_200):
            draw = selector.ask()
            names.append(draw.name)
            selector.tell(draw, int(draw.name) / 300 + rng.normal())
        return names, selector._journal.ledger.chooser.few

    expected, none = chosen()
    monkeypatch.setattr(varde.selection.by_gaps, "LEAST", 100)
    found, lazy = chosen()
    assert none is None and lazy is not None and lazy.rebuilt > 0
    assert found == expected


def test_bounds_hold_wherever_the_leader_goes():
    """The rest's largest score and sum of g, for leaders better, worse, surer and less sure, and other noise."""
    rng, size = np.random.default_rng(1), 400
    counts = rng.integers(2, 9, size).astype(float)
    means, squares = rng.normal(size=size), rng.chisquare(3, size)
    table = GapTable(VarDE(), size)
    table.fill(counts, means, squares)
    drops = shrinkage(counts)
    lazy = Contenders(table, drops)
    lazy.rebuild()
    rest = np.setdiff1d(np.arange(size), lazy.index[: lazy.used])
    for _ in range(500):
        scale = 10.0 ** rng.uniform(-4, 0)
        top = max(lazy.top + scale * rng.normal(), means[rest].max())
        error, pooled = lazy.error * np.exp(scale * rng.normal()), lazy.pooled * np.exp(0.1 * scale * rng.normal())
        variances, errors, wary = table.lines[:3] * pooled + table.lines[3:]
        logs = (means - top) * (3.0 / np.sqrt(np.maximum(errors, wary) + error)) - lazy.scale
        low, high, highest = lazy.bounds(top, error, pooled)
        total = np.exp(logs[rest]).sum()
        assert low <= total * (1 + 1e-12) and total <= high * (1 + 1e-12)
        assert (np.exp(logs) * variances * drops)[rest].max() <= highest * (1 + 1e-12)


def test_how_many_are_looked_at():
    assert [contenders.how_many(size) for size in (100, 5_000, 100_000)] == [32, 100, 256]
