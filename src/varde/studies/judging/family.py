"""One test for a claim about many numbers at once: "highest throughout", "at all sizes", "at least two of them".

A claim has parts.  Column j of ``met`` [runs, parts] is by how much each run meets part j, which is true if its mean is
0 or more.  Whole runs are resampled, which keeps the correlation of checkpoints and rivals.

All parts hold if each is proved (no correction: the worst decides); they do not all hold if the worst part is further
behind than the worst of all parts would be by chance.  Both are tested at the full level, since for any truth only one
of the two can be wrong.  A part that is 0 in every run proves nothing and is in nobody's way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .intervals import Span, bounded_ends, mostly_equal
from .quantiles import student_tail
from .resampling import FEW, centred, drawn_again, grouped, studentised

HOLDS, FAILS, OPEN = "holds", "does not hold", "undecided"
DRAWS = 999
ROUNDING = 1.0 - 1e-12  # relative tolerance for equality


class Decision(NamedTuple):
    word: str
    p: float  # of the word, or the smaller one where it is open
    worst: int  # the part with the least evidence, in standard errors
    group: int = 0  # of several, the one closest to holding


def decide_all(met: np.ndarray, level: float = 0.05, span: Span | None = None) -> Decision:
    """Is every part met?  ``span``: what no run can be below or above, if that is known."""
    prove, refute, worst = prove_all(met, level, span), refute_all(met, level, span), worst_part(met)
    if prove <= level:
        return Decision(HOLDS, prove, worst)
    return Decision(FAILS if refute <= level else OPEN, min(prove, refute), worst)


def decide_any(groups: Sequence[np.ndarray], level: float = 0.05) -> Decision:
    """Is there a group of which every part is met?"""
    proofs = [min(len(groups) * prove_all(met, level / len(groups)), 1.0) for met in groups]
    best = int(np.argmin([p - 1e-9 * lowest(met) for p, met in zip(proofs, groups, strict=True)]))
    worst = worst_part(groups[best])
    if proofs[best] <= level:
        return Decision(HOLDS, proofs[best], worst, best)
    refute = max(refute_all(met, level) for met in groups)
    return Decision(FAILS if refute <= level else OPEN, min(proofs[best], refute), worst, best)


def decide_some(least: int, met: np.ndarray, level: float = 0.05) -> Decision:
    """Are at least so many of the parts met?"""
    parts = met.shape[1]
    up, down = np.sort(prove_each(met, level)), np.sort(prove_each(-met, level))
    prove, refute = (parts - least + 1) * float(up[least - 1]), least * float(down[parts - least])
    if prove <= level:
        return Decision(HOLDS, prove, worst_part(met))
    return Decision(FAILS if refute <= level else OPEN, min(prove, refute, 1.0), worst_part(met))


def draws_for(level: float) -> int:
    return max(DRAWS, int(np.ceil(10.0 / level)))


def in_units(met: np.ndarray) -> np.ndarray:
    """In groups of runs, each part in units of its largest value: squares of 1e200 are too large for doubles."""
    runs = grouped(met)
    size = np.abs(runs).max(axis=0, initial=0.0)
    return runs / np.where(size > 0.0, size, 1.0)


def moving(met: np.ndarray) -> np.ndarray:
    """Without the parts that are 0 in every run: a tie to the last bit says nothing for a claim or against it."""
    return met[:, (met != 0.0).any(axis=0)]


def t_of(met: np.ndarray) -> np.ndarray:
    return studentised(met.mean(axis=0), (met * met).mean(axis=0), len(met))


def worst_part(met: np.ndarray) -> int:
    if len(met) < 2:
        return int(np.argmin(met.sum(axis=0)))
    runs = in_units(met)
    return int(np.argmin(np.where((runs != 0.0).any(axis=0), t_of(runs), np.inf)))


def lowest(met: np.ndarray) -> float:
    return float(t_of(in_units(met)).min()) if len(met) >= 2 else 0.0


def unseen(met: np.ndarray, level: float, span: Span | None) -> np.ndarray:
    """[parts] whether runs that are mostly equal leave it open that the mean is below 0, for what they did not show.

    No error in ten runs does not prove an error rate below 10 %, though nothing among them speaks against it.
    """
    equal = np.zeros(met.shape[1], bool) if span is None else mostly_equal(met)
    if equal.any() and span is not None:
        equal[equal] = bounded_ends(met[:, equal], span, 2.0 * level)[0] < 0.0
    return equal


def refute_all(met: np.ndarray, level: float = 0.05, span: Span | None = None) -> float:
    """p of 'every part is met', from the one furthest behind: the larger of two.

    By random signs of whole runs, which is exact for symmetric differences, and by runs drawn again, which is right
    where a nearly constant row meets skewed ones; alone, each is wrong where the other is not.  What every run meets
    says nothing against the claim, and is left out of both.
    """
    if met.shape[1] == 0 or len(met) < FEW:
        return 1.0
    open_ = unseen(-met, level / met.shape[1], span and (-span[1], -span[0]))
    met = in_units(met)
    against = (met < 0.0).any(axis=0)
    met, open_ = met[:, against], open_[against]
    n, draws = len(met), draws_for(level)
    seen = float((-t_of(met)[~open_]).max(initial=0.0)) * ROUNDING
    if seen <= 0.0:
        return 1.0
    signs = 2.0 * np.random.default_rng(0).integers(0, 2, (draws, n)) - 1.0
    flipped = (-studentised(signs @ met / n, (met * met).mean(axis=0), n)).max(axis=1)
    again = (-drawn_again(centred(met), draws, 1)).max(axis=1)
    return float((1 + max((flipped >= seen).sum(), (again >= seen).sum())) / (draws + 1))


def prove_each(met: np.ndarray, level: float = 0.05) -> np.ndarray:
    """[parts] p of 'this part is not met': the largest of Student's, that of runs drawn again, and 1/2^(runs not 0)."""
    moved = (met != 0.0).sum(axis=0)
    met = in_units(met)
    n, draws = len(met), draws_for(level)
    if n < FEW:
        return np.ones(met.shape[1])
    mean = met.mean(axis=0)
    t = studentised(mean, (met * met).mean(axis=0), n)
    again = (1 + (drawn_again(centred(met), draws, 1) >= t * ROUNDING).sum(axis=0)) / (draws + 1)
    return np.maximum(np.maximum(student_tail(t, n - 1), again), 2.0 ** -np.minimum(moved, 1000.0))


def prove_all(met: np.ndarray, level: float = 0.05, span: Span | None = None) -> float:
    """p of 'some part is not met': that of the worst."""
    met = moving(met)
    if len(met) < FEW or met.shape[1] == 0 or unseen(met, level, span).any():
        return 1.0
    runs = in_units(met)
    worst = float(student_tail(np.array([t_of(runs).min()]), len(runs) - 1)[0])
    return worst if worst > level else float(prove_each(met, level).max())


def holm(p: Sequence[float]) -> list[float]:
    """Several p, adjusted: the chance that any of those at or below a level is wrong is at most that level."""
    order = np.argsort(p, kind="stable")
    found = np.empty(len(order))
    found[order] = np.maximum.accumulate((len(order) - np.arange(len(order))) * np.asarray(p, float)[order])
    return [float(some) for some in np.minimum(found, 1.0)]
