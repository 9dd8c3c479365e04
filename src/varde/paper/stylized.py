"""The stylized snapshot (tab:stylized): a noisy best arm behind two steady ones, and what each rule does next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._compile import helper, kernel
from ..bandits import UCBE
from ..bandits.loop import advance, begin, prepare, recommend, select, update
from ..bandits.problems import pull
from ..beliefs.noise import Floor
from ..decisions import LogSumExp
from ..moments import clear, make_moments, observe
from ..random import start, uniform
from ..rule import VarDE
from ..studies.bandit_cells import describe
from ..studies.figure import Figure
from ..studies.study import Cell, Outcome, Study, find
from .answers import FALSE, HOLDS, Answer, Lead, Rows, counted, lead
from .bandits import FLOOR, TEMPERATURES, table_1_algorithms

SEEN = 40  # pulls of each arm in the snapshot


class TwoValued(NamedTuple):
    """Rewards of two values: ``highs`` with probability ``shares``, else ``lows``."""

    means: np.ndarray  # [K]
    lows: np.ndarray  # [K]
    highs: np.ndarray  # [K]
    shares: np.ndarray  # [K]


@pull.of(TwoValued)
def one_of_two(bandit, arm, rng):
    return bandit.highs[arm] if uniform(rng) < bandit.shares[arm] else bandit.lows[arm]


class Only(NamedTuple):
    """Pull one arm and no other, after ``warm_start`` pulls of each."""

    arm: int
    warm_start: int = SEEN


@select.of(Only)
def that_arm(algorithm, memory, arms, t, rng):
    return t % arms.counts.size if t < algorithm.warm_start * arms.counts.size else algorithm.arm


def two_valued(*arms: tuple[float, float, float]) -> TwoValued:
    """From (low, high, probability of high) of each arm."""
    lows, highs, shares = (np.array(column) for column in zip(*arms, strict=True))
    return TwoValued(lows + shares * (highs - lows), lows, highs, shares)


@helper
def show_snapshot(rule, memory, arms, snapshot, seen):
    """``seen`` pulls of each arm, in turn, with the mean and the deviation of ``snapshot``: half above, half below."""
    for t in range(seen * arms.counts.size):
        i, side = t % arms.counts.size, 1.0 if (t // arms.counts.size) % 2 == 0 else -1.0
        reward = snapshot[i, 0] + side * snapshot[i, 1]
        observe(arms, i, reward)
        update(rule, memory, arms, i, reward)


@kernel
def follow(rule, bandit, memory, arms, order, snapshot, seen, steps, key, rng, first, out):
    """Fill ``out [R, C, 2]``: whether the arm recommended is not arm 0, and the share of the pulls that arm 0 got.

    Both are in percent and counted from the snapshot of ``seen`` pulls of each arm; without one, from the first pull.
    """
    before = seen * order.size
    for run in range(out.shape[0]):
        start(rng, key, first + run)
        clear(arms)
        begin(rule, memory, order.size, before + steps[-1])
        show_snapshot(rule, memory, arms, snapshot, seen)
        t = before
        for c in range(steps.size):
            advance(rule, bandit, memory, arms, order, t, before + steps[c], rng)
            t = before + steps[c]
            out[run, c, 0] = 0.0 if recommend(rule, memory, arms) == 0 else 100.0
            out[run, c, 1] = 100.0 * (arms.counts[0] - seen) / steps[c]


def wrong_and_share(
    rule: Any,
    bandit: TwoValued,
    snapshot: tuple[tuple[float, float], ...],
    seen: int,
    steps: tuple[int, ...],
    key: np.ndarray,
    first: int,
    runs: int,
) -> np.ndarray:
    """[runs, steps x 2] of ``follow``."""
    size = len(bandit.means)
    out, rng, order = np.empty((runs, len(steps), 2)), np.empty(4, np.uint64), np.arange(size)
    memory, arms = prepare(rule, size), make_moments(size)
    shown = np.array(snapshot)
    follow(rule, bandit, memory, arms, order, shown, seen, np.array(steps), key, rng, first, out)
    return out.reshape(runs, -1)


# tab:stylized: (value, value, probability of the second) of each arm, its mean and deviation in print.
ARMS = ((0.0, 2.0, 0.3), (0.58, 0.60, 0.5), (0.55, 0.57, 0.5))
PRINTED = ((0.60, 0.92), (0.59, 0.01), (0.56, 0.01))
MEANS = (0.42, 0.59, 0.56)  # after 40 pulls of each

BANDIT = two_valued(*ARMS)
# The deviation that samples of 0 and 2 with the printed mean have; of the quiet arms, half of the samples each.
SNAPSHOT = tuple(
    ((mean, ((mean - low) * (high - mean)) ** 0.5) for mean, (low, high, _) in zip(MEANS, ARMS, strict=True))
)

FROM, FRESH = "From the snapshot", "From fresh starts"
NEXT = (1, 10, *range(40, 2001, 40))  # pulls after the snapshot
PULLS = (SEEN * len(ARMS), *range(500, 20_001, 500))  # in all
SHARE = "pulls of Arm 1"
QUIET = 1e-4  # a floor that the variance of the quiet arms reaches

RUNS = 1_000
VARDE = tuple(f"VarDE {tau}" for tau in TEMPERATURES)
OWN_SCHEDULE = ("SH", "SR", "CR-A", "CR-C")  # they plan a whole budget: there is no snapshot to begin from
SHORT = 2  # the warm start that fits the paper's numbers on BAI.3 to BAI.6
BONUS = "UCBE 1"  # the bonus of the text, 1/sqrt(n)


def rules() -> dict[str, Any]:
    """Table 1's, every one that has a warm start with the snapshot's 40 pulls of each arm."""
    rows = {
        name: record._replace(warm_start=SEEN) if hasattr(record, "warm_start") else record
        for name, record in {BONUS: UCBE(1), **table_1_algorithms("BAI.1")}.items()
    }
    for tau in TEMPERATURES:
        rows[f"VarDE {tau}, floor {QUIET:g}"] = VarDE(LogSumExp(tau), Floor(QUIET), SEEN)
    return rows


def short(name: str) -> str:
    return f"{name}, warm start {SHORT}"


def only(arm: int) -> str:
    return f"Arm {arm + 1} only"


def cell(problem: str, name: str, rule: Any) -> Cell:
    seen, steps = (SEEN, NEXT) if problem == FROM else (0, PULLS)
    measure = partial(wrong_and_share, rule, BANDIT, SNAPSHOT, seen, steps)
    return Cell(problem, name, describe(rule), steps, measure, ("", SHARE))


def study() -> Study:
    alone = {only(arm): Only(arm) for arm in range(len(ARMS))}
    return Study(
        "stylized",
        "Three arms, the best of them noisy: wrong recommendations (%) and pulls of the best arm (%)",
        [
            *(cell(FROM, name, rule) for name, rule in {**rules(), **alone}.items() if name not in OWN_SCHEDULE),
            *(cell(FRESH, name, rule) for name, rule in rules().items()),
            *(cell(FRESH, short(name), rules()[name]._replace(warm_start=SHORT)) for name in VARDE),
        ],
        RUNS,
        block=100,
        span=(0.0, 100.0),
        notes=(
            "0.42 cannot be the mean of 40 samples of 0 and 2, since it is not a multiple of 0.05; used as printed, "
            "with the deviation 0.81 that such samples have, and 0.01 for the quiet arms",
            f"temperatures and floor {FLOOR} are Table 1's, the paper states none here; floor {QUIET:g} is the "
            "variance of the quiet arms",
            f"from the snapshot: steps are further pulls; from fresh starts: all pulls, the first {SEEN} of each arm "
            "in turn; SH, SR and CR keep their own schedules and have no snapshot to begin from",
            f"{BONUS}: the bonus of the text, 1/sqrt(n); 'only' is not of the paper",
        ),
        findings=said,
        figure=Figure(
            across="pulls",
            apart={"": "wrong arm recommended (%)", SHARE: "pulls given to Arm 1 (%)"},
            shown=(
                "Uniform",
                "SR",
                BONUS,
                "UCBE 2",
                "UCBE 8",
                "UGapE 2",
                *VARDE,
                f"VarDE 0.05, floor {QUIET:g}",
            ),
        ),
        place="Table in the introduction (tab:stylized)",
    )


def as_printed(rows: Rows) -> Answer:
    """The columns of the table that follow from its first."""
    exact = [(m, (p * (1 - p)) ** 0.5 * (b - a)) for m, (a, b, p) in zip(BANDIT.means.tolist(), ARMS, strict=True)]
    same = sum(
        all(abs(mine - printed) <= 0.005 + 1e-9 for mine, printed in zip(pair, both, strict=True))
        for pair, both in zip(exact, PRINTED, strict=True)
    )
    numbers = "; ".join(f"{mean:.3f} and {deviation:.3f}" for mean, deviation in exact)
    return Answer(HOLDS if same == len(ARMS) else FALSE, f"{same} of {len(ARMS)} arms as printed: {numbers}")


def looks_worse(rows: Rows) -> Answer:
    """'Can', read as in at least one start in twenty."""
    wrong = find(rows, FRESH, "Uniform", PULLS[0])
    return Answer(
        counted([Lead("5 %", wrong.value - 5.0, wrong.stderr)]).grade, f"in {wrong.value:.1f} % of fresh starts"
    )


def stops_sampling(rows: Rows) -> Answer:
    shares = {name: find(rows, FROM, f"{name}: {SHARE}") for name in (BONUS, "UCBE 2", "UCBE 4", "UCBE 8")}
    numbers = ", ".join(f"{name} {row.value:.1f} %" for name, row in shares.items())
    grade = counted([Lead("1 %", 1.0 - shares[BONUS].value, shares[BONUS].stderr)]).grade
    return Answer(grade, f"pulls of Arm 1, with the printed bonus and larger ones: {numbers}")


def changes_the_decision(rows: Rows) -> Answer:
    """Forty more pulls of one arm: how often is another arm than before recommended?  Arm 2 was; Arm 1 must win."""
    wrong = [find(rows, FROM, only(arm), SEEN) for arm in range(len(ARMS))]
    found = [lead(f"Arm {arm + 1}", wrong[0], wrong[arm], -1.0) for arm in range(1, len(ARMS))]
    numbers = ", ".join(f"of Arm {arm + 1} in {100.0 - row.value:.1f} %" for arm, row in enumerate(wrong))
    return Answer(counted(found).grade, f"{SEEN} more samples change it, {numbers}")


def said(rows: Sequence[Outcome]) -> list[str]:
    names = ("Uniform", "SR", "CR-A", BONUS, "UCBE 2", "UCBE 8", "UGapE 2", *VARDE)
    ends = [(name, find(rows, FRESH, name), find(rows, FRESH, f"{name}: {SHARE}")) for name in names]
    listed = ", ".join(f"{name} {wrong.value:.1f} ({share.value:.0f})" for name, wrong, share in ends)
    brief = ", ".join(f"{name} {find(rows, FRESH, short(name)).value:.1f}" for name in VARDE)
    return [
        f"after {PULLS[-1]:,} pulls from fresh starts, wrong in % (and the share of pulls that Arm 1 got): {listed}",
        f"with a warm start of {SHORT} in place of {SEEN} pulls of each arm, wrong in %: {brief}",
        "told apart by Arm 1 alone, a lead of 0.01 at a deviation of 0.92 takes about (1.64 x 0.92 / 0.01)^2 = 23,000 "
        "pulls of it for one error in twenty",
    ]
