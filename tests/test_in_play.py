"""Many arms: few are scored after a pull, and the choices are those of a full scoring."""

import numpy as np
import pytest

from varde import VarDE
from varde.bandits import Bernoulli, Gaussian
from varde.bandits import varde as rule_on_arms
from varde.bandits.loop import advance, begin, prepare
from varde.beliefs.belief import Common, believed
from varde.beliefs.noise import Pooled
from varde.decisions.pairs import bounded, openness, steepness
from varde.in_play import TIMES, add, drift, ends, growth
from varde.moments import make_moments
from varde.random import key, stream

SIZE, PULLS = 70, 600
RNG = np.random.default_rng(1)
BANDITS = {
    "even": Gaussian(np.linspace(0.0, 1.0, SIZE), np.full(SIZE, 0.5)),
    "normal": Gaussian(RNG.normal(size=SIZE), RNG.uniform(0.1, 2.0, SIZE)),
    "one ahead": Gaussian(np.r_[np.zeros(SIZE - 1), 0.6], np.full(SIZE, 0.3)),
    "clear": Gaussian(np.r_[np.zeros(SIZE - 1), 900.0], np.full(SIZE, 0.3)),
    "tiny": Gaussian(1e-9 * RNG.normal(size=SIZE) - 3.0, np.full(SIZE, 1e-9)),
    "some constant": Gaussian(RNG.normal(size=SIZE), (np.arange(SIZE) % 2) * 1.0),
    "all constant": Gaussian(np.zeros(SIZE), np.zeros(SIZE)),
    "rates": Bernoulli(RNG.beta(2.0, 6.0, SIZE)),
    "rare, h > 0": Bernoulli(RNG.beta(2.0, 60.0, SIZE)),
}


def pulled(bandit, seed, pulls=PULLS):
    """[pulls] the arms in order, and how often all were scored."""
    rule = VarDE()
    memory, arms, rng = prepare(rule, SIZE), make_moments(SIZE), stream(key(seed), 0)
    begin(rule, memory, SIZE, pulls)
    found, order = [], np.arange(SIZE)
    for t in range(pulls):
        before = arms.counts.copy()
        advance(rule, bandit, memory, arms, order, t, t + 1, rng)
        found.append(int((arms.counts - before).argmax()))
    return found, memory.field.then[TIMES]


@pytest.mark.parametrize("kind", BANDITS)
def test_the_choices_are_those_of_a_full_scoring(kind, monkeypatch):
    for seed in range(2):
        few, _ = pulled(BANDITS[kind], seed)
        with monkeypatch.context() as all_scored:
            all_scored.setattr(rule_on_arms, "MANY", np.inf)
            assert few == pulled(BANDITS[kind], seed)[0], seed


@pytest.mark.parametrize("kind", ["normal", "one ahead"])
def test_all_are_scored_now_and_then_only(kind):
    _, times = pulled(BANDITS[kind], 0)
    assert 0 < times < 0.25 * (PULLS - 3 * SIZE)


@pytest.mark.parametrize("seed", range(300))
def test_nothing_moves_further_than_it_may(seed):
    """Two states of the same rivals, and what is said of the second from the first."""
    rng, model, size = np.random.default_rng(seed), Pooled(), 12
    counts, means = rng.integers(1, 40, size).astype(float), rng.normal(size=size)
    squares, rare = rng.exponential(size=size) * counts, seed % 3 == 0
    then = Common(1.0, 0.3, rng.uniform(0.0, 8.0) if rare else 0.0)
    away = 10.0 ** rng.uniform(-5.0, 0.3)
    now = Common(1.0 + away * rng.uniform(-0.3, 0.6), 0.3 + away * rng.uniform(-0.1, 0.1), then.extra)
    now = now._replace(extra=max(then.extra + away * rng.normal(), 0.0)) if rare else now
    lead, error = means.max() + rng.uniform(0.0, 0.3), rng.uniform(0.01, 0.3)
    later_lead, later = lead + 0.2 * away * rng.normal(), error * np.exp(away * rng.normal())

    def states(common, lead, error):
        expected, noise, own = believed(model, common, counts, means, squares)
        x = np.array([bounded(value) for value in steepness(lead - expected, error + own)])
        return x, openness(np.exp(-x), 1.0), noise, own

    x, g, noise, own = states(then, lead, error)
    _, later_g, later_noise, _ = states(now, later_lead, later)
    spread = np.abs(means).max() + 1.0
    found = drift(model, then, now, later_lead - lead, error, later, own.min(), spread, x.min() >= 0.0)
    factor, near, sums = growth(found, error + own.min()), 1.0 / np.sqrt(error + own), np.zeros(9)
    share = own * (model.prior + then.extra) * then.pooled / (noise * (model.prior - 1.0 + counts))
    for i in range(size):
        add(sums, g[i], x[i], near[i], share[i], 1.0)
    assert (later_g <= np.maximum(g * factor, found.settled) * (1.0 + 1e-9)).all()
    assert (later_noise <= noise * found.noise * (1.0 + 1e-9)).all()
    least, most = ends(found, factor, sums, size, near.max())
    assert least * (1.0 - 1e-9) <= later_g.sum() <= most * (1.0 + 1e-9)
    if away < 1e-3:
        assert most - least < 0.05 * g.sum() + 1e-12, "of use"
