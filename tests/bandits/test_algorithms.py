"""Each algorithm, choice by choice, against its specification written out plainly."""

import numpy as np
import pytest

from tests.long import times
from varde import VarDE
from varde.bandits import (
    EBTCI,
    INSTANCES,
    KG,
    OCBA,
    UCBE,
    ContinuousRejects,
    Gaussian,
    SequentialHalving,
    SuccessiveRejects,
    TopTwoThompson,
    UGapE,
    Uniform,
    measure,
)
from varde.bandits.halving import keep_better_half
from varde.bandits.loop import advance, begin, prepare
from varde.beliefs import Equal, Floor, Pooled
from varde.decisions import Average, EntMax, LogSumExp, Nesterov, PairwiseSoftplus, PowerMean, Regret, gradient
from varde.moments import make_moments
from varde.random import key, stream
from varde.testing import check_algorithm

from . import naive

ALGORITHMS = [
    Uniform(),
    SuccessiveRejects(),
    SequentialHalving(),
    ContinuousRejects(),
    ContinuousRejects(conservative=True),
    UCBE(2.0),
    UGapE(4.0),
    OCBA(),
    TopTwoThompson(),
    KG(),
    EBTCI(),
    VarDE(LogSumExp(0.05)),
    VarDE(Average()),
    VarDE(Nesterov(0.5)),
    VarDE(EntMax(1.5, 0.5)),
    VarDE(PairwiseSoftplus(0.1)),
    VarDE(PowerMean(5.0)),
    VarDE(),
    VarDE(warm_start=1),
]
# Other noise models with the same decisions: each takes a second to compile.
ALGORITHMS += [VarDE(Regret(), Floor(0.01))]
ALGORITHMS += times([], [KG(Floor(0.01), 3), VarDE(LogSumExp(0.1), Equal()), VarDE(LogSumExp(0.1), Pooled())])


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_contract(algorithm):
    check_algorithm(algorithm)


PAIRS = [
    (UCBE(2.0), naive.NaiveUCBE(2.0)),
    (UGapE(2.0), naive.NaiveUGapE(2.0)),
    (SuccessiveRejects(), naive.NaiveSR()),
    (ContinuousRejects(), naive.NaiveCR(False, True)),
    (ContinuousRejects(conservative=True), naive.NaiveCR(True, True)),
    (ContinuousRejects(strict=False), naive.NaiveCR(False, False)),
    (OCBA(0.01, 3), naive.NaiveOCBA(0.01, 3)),
]
GAUSSIAN_ONLY = [
    (VarDE(LogSumExp(tau), Floor(0.01), 2), naive.NaiveVarDE(VarDE(LogSumExp(tau), Floor(0.01), 2)))
    for tau in (0.05, 0.15)
]
GAUSSIAN_ONLY += [
    (VarDE(warm_start=3), naive.NaiveGap(3)),
    (KG(warm_start=3), naive.NaiveKG(3)),
    (EBTCI(warm_start=3), naive.NaiveEBTCI(3)),
]


def pulls(algorithm, bandit, budget, runs, shuffle=True):
    """The answer after every pull of some runs: the same streams, so the same choices give the same answers."""
    steps = range(1, budget + 1)
    python = type(algorithm).__module__.startswith("tests") or not isinstance(bandit, Gaussian)
    engine = "python" if python else "compiled"
    return measure(algorithm, bandit, budget, runs=runs, at=steps, engine=engine, shuffle=shuffle).answers


@pytest.mark.parametrize(("fast", "plain"), PAIRS + GAUSSIAN_ONLY, ids=lambda record: type(record).__name__)
@pytest.mark.parametrize("problem", ["BAI.3", "BAI.4"])
def test_equals_the_plain_form_on_gaussian_arms(fast, plain, problem):
    instance = INSTANCES[problem]
    assert np.array_equal(pulls(fast, instance.bandit, 150, 12), pulls(plain, instance.bandit, 150, 12))


@pytest.mark.parametrize(("fast", "plain"), PAIRS, ids=lambda record: type(record).__name__)
@pytest.mark.parametrize("shuffle", [False, True])
def test_equals_the_plain_form_on_bernoulli_arms(fast, plain, shuffle):
    """Ties abound here, so the order in which they are broken is tested too."""
    bandit = INSTANCES["BAI.2"].bandit
    assert np.array_equal(pulls(fast, bandit, 260, 8, shuffle), pulls(plain, bandit, 260, 8, shuffle))


def test_index_form_takes_a_largest_decrement_on_bernoulli_arms():
    """Exact ties are decided by rounding there: compare scores, not choices."""
    bandit, size, rule = INSTANCES["BAI.1"].bandit, 20, VarDE(LogSumExp(0.05), Floor(0.01), 2)
    memory, arms, rng = prepare(rule, size), make_moments(size), stream(key(3))
    begin(rule, memory, size, 600)
    advance(rule, bandit, memory, arms, np.arange(size), 0, 2 * size, rng)
    for t in range(2 * size, 600):
        noise = np.maximum(arms.squares / (arms.counts - 1), rule.noise.least)
        scores = gradient(rule.decision, arms.means) ** 2 * noise / (arms.counts * (arms.counts + 1.0))
        before = arms.counts.copy()
        advance(rule, bandit, memory, arms, np.arange(size), t, t + 1, rng)
        chosen = int(np.argmax(arms.counts - before))
        assert scores[chosen] >= scores.max() * (1 - 1e-12)


def counts_after(algorithm, bandit, budget, run=0):
    size = len(bandit.means)
    memory, arms = prepare(algorithm, size), make_moments(size)
    begin(algorithm, memory, size, budget)
    advance(algorithm, bandit, memory, arms, np.arange(size), 0, budget, stream(key(0), run))
    return arms


def test_uniform_takes_turns():
    counts = counts_after(Uniform(), INSTANCES["BAI.4"].bandit, 153).counts
    assert counts.tolist() == [16, 16, 16, 15, 15, 15, 15, 15, 15, 15]


def test_halving_shares_each_round_equally():
    """Ten arms and 400 pulls: rounds of 100 for 10, 5 and 3 arms; the last two share the 101 left."""
    bandit = Gaussian(np.arange(10, 0, -1.0), np.full(10, 1e-6))
    counts = counts_after(SequentialHalving(), bandit, 400).counts
    assert counts[2:].tolist() == [10 + 20 + 33, 30, 30, 10, 10, 10, 10, 10]
    assert sorted(counts[:2]) == [63 + 50, 63 + 51]


def test_halving_breaks_ties_at_random():
    kept = np.zeros(6)
    memory, rng = prepare(SequentialHalving(), 6), stream(key(0, "ties"))
    for _ in range(3000):
        begin(SequentialHalving(), memory, 6, 100)
        memory.sums[:] = [2.0, 1.0, 1.0, 1.0, 1.0, 0.0]
        keep_better_half(memory, rng)
        kept[memory.survivors.alive[: memory.survivors.num_alive[0]]] += 1
    assert kept[0] == 3000 and kept[5] == 0
    assert abs(kept[1:5] - 1500).max() < 5 * np.sqrt(3000 * 0.25)


@pytest.mark.parametrize("size", [2, 3, 5, 17, 100])
def test_halving_keeps_the_better_half_of_any_number(size):
    memory, rng = prepare(SequentialHalving(), size), stream(key(0))
    begin(SequentialHalving(), memory, size, 10 * size)
    memory.sums[:] = np.random.default_rng(0).permutation(size)
    ranking = np.argsort(-memory.sums)
    keep_better_half(memory, rng)
    kept = (size + 1) // 2
    assert memory.survivors.num_alive[0] == kept
    assert set(memory.survivors.alive[:kept]) == set(ranking[:kept])


def test_textbook_constant():
    """BAI.1: H1 = 19/0.1^2 + 1/0.1^2 = 2000."""
    instance = INSTANCES["BAI.1"]
    assert UCBE.textbook(instance.bandit, instance.budget).alpha == pytest.approx(25 / 36 * 1180 / 2000)


def test_thompson_prefers_contenders():
    bandit = Gaussian(np.array([0.5, 0.45, 0.0, 0.0]), np.full(4, 0.2))
    counts = counts_after(TopTwoThompson(), bandit, 400).counts
    assert counts[:2].min() > 3 * counts[2:].max()


def test_ocba_reaches_its_conditions():
    bandit = Gaussian(np.array([1.0, 0.7, 0.4, 0.1]), np.array([0.3, 0.5, 0.3, 0.4]))
    arms = counts_after(OCBA(1e-4, 5), bandit, 20_000)
    leads, variances = arms.means[0] - arms.means[1:], arms.squares / (arms.counts - 1)
    ratios = arms.counts[1:] * leads**2 / variances[1:]
    assert ratios.max() / ratios.min() < 1.02
    left, right = arms.counts[0] ** 2 / variances[0], (arms.counts[1:] ** 2 / variances[1:]).sum()
    assert left == pytest.approx(right, rel=0.01)


def test_first_order_allocation_of_varde():
    """Remark after Theorem 3.8: shares approach |w_i| sigma_i."""
    bandit = Gaussian(np.array([0.5, 0.4, 0.3]), np.array([0.1, 0.2, 0.4]))
    rule = VarDE(LogSumExp(0.3), Floor(1e-6), 5)
    counts = counts_after(rule, bandit, 50_000).counts
    weights = np.exp(bandit.means / 0.3) * bandit.stds
    assert counts / counts.sum() == pytest.approx(weights / weights.sum(), abs=0.01)
