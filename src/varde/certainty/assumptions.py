"""What the answer assumes of the results: whether they speak against it, what that costs, and what cannot be seen.

Everything else takes the results of one option as independent and alike.  Each test has a statistic that holds for any
distribution, a threshold, a factor c (a mean of N results is then as good as one of N/c), and a note that names the
cause.  R are ranks in the order in which results came, with mean 0 and variance 1:

    trend        rho = mean of R_t (t - mean)/sd of t, Student with N - 2     c = 1 + N rho^2
    correlated   results p = 1 apart, cycle: p apart; the largest over all    c = (1 + rho)/(1 - rho); p > 1:
                 p, options and all together, against random orders                1 + rho (N/p - 1)
    repeated     the same number again, of results that are no grid: a cache  c = N / number of different results
    blocks       the best and its rival were measured one after the other     c = 1/(1 - R^2), R of time and option
    failures     calls that failed; h the share that timed out                c = 1 + 4 N h^2: had they been the
    pending      calls that are out; h the share that was overtaken            best or worst, the mean is off by 2 h sd
    sorted       all options in order of size: then the order is no time      none
    tail         one result makes up most of the spread                       none
    unseen, independent                                                       none: assumptions

The order tests together speak in less than 1 % of answers on honest data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..beliefs.samples import Ragged
from ..beliefs.student import beyond
from .unseen import missable

ALARM = 0.0025  # false alarms of each test of the order
ORDERS, SCREEN = 1999, 8.0  # random orders that are drawn, if the normal tail is below so many alarms
DRAWN = 4000  # results up to which they are; of more the normal tail serves
UNEQUAL = 7.0  # the log of a likelihood ratio at which failures are called unequal
FEWEST, LAGS = 5, 40  # results of an option whose order is looked at; the furthest apart that are compared
NEARLY = 0.9  # of the strongest deviate: the nearest lag with so much is named
LUCKY = 3.0  # of a falling trend is due to the sampling: good first results are followed by more
MANY, SHORT = 80, 8  # results in all, and of an option, below which dependence is an assumption
LONG = 60  # results whose tail is looked at
AGAIN = 3  # numbers that came again before it is called so
GRID = 0.01  # of the smallest step between two results: all others are multiples of it


class Note(NamedTuple):
    """What is to be said of an answer beside its sentence."""

    code: str  # what it is about: trend, correlated, unseen, promise, ...
    options: tuple[str, ...]  # whom it is about, best first; empty: all
    size: float  # of the effect: a correlation, a share, a factor or an amount
    text: str
    severity: str = (
        "warning"  # "warning": it speaks against the answer; "detail"; "assumption": the data cannot show it
    )


class Calls(NamedTuple):
    """Calls of each option without a result."""

    failed: Sequence[int] = ()
    slow: Sequence[int] = ()  # of those, timed out
    pending: Sequence[int] = ()
    late: Sequence[int] = ()  # of those, overtaken by as many later ones as are out


def diagnose(
    values: Ragged | Sequence[np.ndarray],
    names: Sequence[str],
    calls: Calls | None = None,
    *,
    ordered: bool = True,
    adaptive: bool = False,
    independent: bool = True,
    times: Sequence[np.ndarray] | None = None,
) -> tuple[np.ndarray, list[Note]]:
    """[K] how many results count as one, and the notes; larger is better.

    ``ordered``: the order is time; ``adaptive``: options were sampled by what they gave.  ``times`` of all results are
    on one clock.  What is not ``independent`` is meant to be so, as common random numbers.

    >>> rng = np.random.default_rng(1)
    >>> eight_cases_in_turn = [np.tile(rng.normal(size=8), 10) for _ in range(2)]
    >>> factors, notes = diagnose(eight_cases_in_turn, "ab")
    >>> notes[0].code, factors.round(2)
    ('repeated', array([10., 10.]))
    """
    values, calls = Ragged.of(values), calls or Calls()
    counts, factors, notes = values.sizes.astype(float), np.ones(len(values)), list[Note]()

    def note(code: str, who: Sequence[int], size: float, text: str, severity: str = "warning") -> None:
        notes.append(Note(code, tuple(names[i] for i in who), float(size), text, severity))

    means = np.bincount(values.owners, values.flat, len(values)) / np.maximum(counts, 1.0)
    ranked = np.argsort(-np.where(counts > 0, means, -np.inf), kind="stable").tolist()
    two = [i for i in ranked[:2] if counts[i]]
    if independent:
        in_order(values, factors, note, names, ordered, adaptive)
        if times is not None and len(two) == 2:
            blocks(times, two, factors, note, names)
    without_result(counts, calls, two, factors, note, names)
    for i, side in zip(two, (-1.0, 1.0), strict=False):
        tail(values[i], i, side, note, names)
    return np.minimum(factors, np.maximum(counts, 1.0)), notes


def said(names: Sequence[str], who: Sequence[int]) -> str:
    """a, b and c; of many the first."""
    some = [str(names[i]) for i in who[:3]] + ([f"{len(who) - 3:,} more"] if len(who) > 3 else [])
    return " and ".join([", ".join(some[:-1]), some[-1]] if len(some) > 1 else some)


# -- the order in which results came -----------------------------------------------------------------


def in_order(values: Ragged, factors: np.ndarray, note, names, ordered: bool, adaptive: bool) -> None:  # type: ignore[no-untyped-def]
    """The tests of the order, or that it cannot be tested."""
    counts, total = values.sizes, int(values.sizes.sum())
    if ordered and is_sorted(values):
        ordered = False
        note("sorted", (), 0.0, "The results are sorted by size, so their order is not taken as time.")
    if not ordered:
        note(
            "independent",
            (),
            total,
            "Results are taken to be independent: without their order in time that cannot be seen.",
            "assumption",
        )
        return
    again = repeats(values)
    if again:
        factors[list(again)] = counts[list(again)] / [np.count_nonzero(values.distinct[0] == i) for i in again]
        note(
            "repeated",
            again,
            float(factors.max()),
            f"The same numbers come again in the results of {said(names, again)}, as from a cache: each counts once.",
        )
    lows, highs = ends_of(values)
    tested = (counts >= FEWEST) & (lows < highs)
    tested[list(again)] = False
    who = np.flatnonzero(tested)
    ranked = ranks(*(part[tested[values.owners]] for part in (values.flat, values.owners)))
    found = {int(who[k]): rho for k, rho in trends(*ranked, adaptive).items()} if who.size else {}
    for i, rho in found.items():
        factors[i] = max(factors[i], 1.0 + counts[i] * rho * rho)
    if found:
        rho = max(found.values(), key=abs)
        note(
            "trend",
            [*found],
            rho,
            f"The results of {said(names, [*found])} get {'better' if rho > 0 else 'worse'} in the order they came "
            f"(rank correlation {abs(rho):.2f}), as in a warm-up or a drift: they count for less.",
        )
    if found:
        tested[list(found)] = False
        who = np.flatnonzero(tested)
        ranked = ranks(*(part[tested[values.owners]] for part in (values.flat, values.owners)))
    chained = chain(*ranked) if who.size else None
    if chained is not None:
        lag, rows, rho = chained
        mine = who[list(rows)]
        if lag == 1:
            factors[mine] = np.maximum(factors[mine], (1.0 + rho) / np.maximum(1.0 - rho, 1.0 / counts[mine]))
            text = (
                f"Successive results of {said(names, mine.tolist())} are correlated ({rho:.2f}): they count for less."
            )
        else:
            factors[mine] = np.maximum(factors[mine], 1.0 + rho * (counts[mine] / lag - 1.0))
            text = f"Results {lag} apart are alike ({rho:.2f}), as of {lag} cases over and over: give them as items."
        note("correlated" if lag == 1 else "cycle", mine.tolist(), rho, text)
    short = np.flatnonzero((counts < SHORT) & (counts > 0)).tolist()
    if not (again or found or chained) and (total < MANY or short):
        few = f": {said(names, short)} had fewer than {SHORT}" if total >= MANY else ": so few cannot show it"
        words = "Results are taken to be independent, and not to change as an option warms up"
        note("independent", short, total, f"{words}{few}.", "assumption")


def ends_of(values: Ragged) -> tuple[np.ndarray, np.ndarray]:
    """[K] the lowest and the highest result."""
    lows, highs = np.full(len(values), np.inf), np.full(len(values), -np.inf)
    np.minimum.at(lows, values.owners, values.flat)
    np.maximum.at(highs, values.owners, values.flat)
    return lows, highs


def trends(x: np.ndarray, place: np.ndarray, adaptive: bool) -> dict[int, float]:
    """The rank correlation with time, of each that has one; of all others if they have one together."""
    n = np.bincount(place).astype(float)
    start = np.cumsum(n) - n
    time = (np.arange(x.size) - (start + (n - 1.0) / 2.0)[place]) / np.sqrt((n * n - 1.0) / 12.0)[place]
    total = np.bincount(place, x * time)
    odd = np.where(total < 0.0, np.minimum(total + LUCKY, 0.0), total) if adaptive else total
    found, rest = {}, []
    for k, (many, sum_, some) in enumerate(zip(n.tolist(), total.tolist(), odd.tolist(), strict=True)):
        rho = some / many
        t = abs(rho) * math.sqrt((many - 2.0) / max(1e-9, 1.0 - rho * rho))
        p = max(beyond(t, many - 2.0), 2.0 * math.exp(-math.lgamma(many + 1.0))) if t > 2.0 else 1.0
        if p < ALARM / n.size:
            found[k] = sum_ / many
        else:
            rest.append(k)
    if rest:
        deviation = math.sqrt(float((n[rest] ** 2 / (n[rest] - 1.0)).sum()))
        if math.erfc(abs(float(odd[rest].sum())) / deviation / math.sqrt(2.0)) < ALARM:
            found |= dict.fromkeys(rest, float(total[rest].sum() / n[rest].sum()))
    return found


def chain(x: np.ndarray, place: np.ndarray) -> tuple[int, tuple[int, ...], float] | None:
    """How far apart results are alike, of which options, and their correlation: the strongest of all such.

    Products have heavy tails, two rare results side by side for one; so random orders are drawn, with a fixed seed.
    """
    n = np.bincount(place)
    start, size = np.cumsum(n) - n, n.size
    lags = range(1, max(2, min(int(n.min()) // 3, LAGS) + 1))
    within = np.arange(x.size) - start[place]
    following = [start[place] + (within + lag) % n[place] for lag in lags]
    m, fourth = n.astype(float), np.add.reduceat(x**4, start)
    mean = m / (m - 1.0)
    variance = (m * m - fourth) / (m - 1.0) + (m * m - 2.0 * fourth) / ((m - 1.0) * (m - 2.0)) - mean * mean
    variance = np.maximum(variance, 1e-12)

    def products(rows: np.ndarray) -> np.ndarray:
        """[lags, .., K] the sums around the circle, less their means in random order."""
        return np.stack(
            [np.add.reduceat(rows * rows.take(later, axis=-1), start, axis=-1) + mean for later in following]
        )

    def deviates(sums: np.ndarray) -> np.ndarray:
        whole = sums.sum(axis=-1, keepdims=True) / math.sqrt(float(variance.sum()))
        return np.concatenate([whole, sums / np.sqrt(variance)], axis=-1)

    sums = products(x)
    found = deviates(sums)
    top = float(found.max())
    chance = math.erfc(max(top, 0.0) / math.sqrt(2.0)) / 2.0 * found.size
    if chance > (SCREEN * ALARM if x.size <= DRAWN else ALARM):
        return None
    if x.size <= DRAWN:
        rng, above, done = np.random.default_rng(1), 0, 0
        while done < ORDERS and above < ALARM * (ORDERS + 1):
            many = min(100, ORDERS - done)
            mixed = x[np.argsort(place + rng.random((many, x.size)), axis=1)]
            above += int((deviates(products(mixed)).max(axis=(0, 2)) >= top - 1e-9).sum())
            done += many
        if above >= ALARM * (ORDERS + 1):
            return None
    row = int(np.unravel_index(int(found.argmax()), found.shape)[1])
    at = int((found[:, row] >= NEARLY * top).argmax())  # of cases in turn, two rounds apart are alike too
    who = tuple(range(size)) if row == 0 else (row - 1,)
    rho = float(sums[at, list(who)].sum() / n[list(who)].sum())
    if at:  # results that alternate are alike two apart, but not four: no cases in turn
        twice = start[place] + (within + 2 * lags[at]) % n[place]
        again = np.add.reduceat(x * x[twice], start) + mean
        if float(again[list(who)].sum()) < 0.5 * float(sums[at, list(who)].sum()):
            return None
    return lags[at], who, min(max(rho, 0.0), 1.0)


def is_sorted(values: Ragged) -> bool:
    """Whether all options have their results in order of size, which is no chance: then the order is no time."""
    odds, rows = 0.0, 0
    for x in values:
        if x.size < 2:
            continue
        steps = np.diff(x)
        if (steps == 0.0).all():
            continue
        if not ((steps >= 0.0).all() or (steps <= 0.0).all()):
            return False
        equal = np.unique(x, return_counts=True)[1].tolist()
        odds += math.lgamma(x.size + 1.0) - sum(math.lgamma(c + 1.0) for c in equal) - math.log(2.0)
        rows += 1
    return rows > 1 and odds > -math.log(ALARM / 10.0)


def blocks(times: Sequence[np.ndarray], two: list[int], factors: np.ndarray, note, names) -> None:  # type: ignore[no-untyped-def]
    """The best and its rival, one after the other: a comparison that allows for a linear drift costs so much."""
    one, other = (np.asarray(times[i], float) for i in two)
    if not (one.max() < other.min() or other.max() < one.min()):
        return
    rank = np.argsort(np.argsort(np.concatenate([one, other]), kind="stable")).astype(float)
    of = np.repeat([0.0, 1.0], [one.size, other.size])
    factor = 1.0 / max(1.0 - float(np.corrcoef(rank, of)[0, 1]) ** 2, 0.05) if rank.size > 2 else 1.0
    factors[two] = np.maximum(factors[two], factor)
    text = (
        f"{said(names, two)} were measured one after the other: what changed in between would look like a difference."
    )
    note("blocks", two, factor, text)


# -- results that did not come, and those that rarely do ------------------------------------------------


def without_result(counts: np.ndarray, calls: Calls, two: list[int], factors: np.ndarray, note, names) -> None:  # type: ignore[no-untyped-def]
    """Calls that failed or are out: a slow one is a result, and the mean is without it."""
    none = np.zeros(counts.size)
    failed, slow, pending, late = (np.asarray(x, float) if len(x) else none for x in calls)
    hidden = (slow + late) / np.maximum(counts + slow + late, 1.0)
    factors[:] = np.maximum(factors, 1.0 + 4.0 * counts * hidden**2)
    odd = unequal(failed, counts + failed) if failed.any() else ()
    for i in odd:
        factors[i] = max(factors[i], 1.0 + 4.0 * counts[i] * (failed[i] / (counts[i] + failed[i])) ** 2)
    for kind, some, words in (("failures", failed, "failed"), ("pending", pending, "are still out")):
        who = [i for i in (dict.fromkeys([*two, *odd]) if kind == "failures" else two) if some[i] > 0.0]
        if who:
            share = max(float(some[i] / (counts[i] + some[i])) for i in who)
            more = f"; {said(names, odd)} more often than others" if odd and kind == "failures" else ""
            text = f"{int(some[who].sum()):,} calls of {said(names, who)} {words} (up to {100.0 * share:.0f} %){more}"
            note(kind, who, share, f"{text}: if that depends on the result, the means are biased.")


def tail(x: np.ndarray, i: int, side: float, note, names) -> None:  # type: ignore[no-untyped-def]
    """Whether one result carries the mean, further out than an exponential tail goes in 1 of 20 samples."""
    if x.size < LONG:
        return
    apart = x - x.mean()
    squares, far = float(apart @ apart), float((side * apart).max())
    usual = (math.log(x.size) + 2.0) ** 2
    if far * far > squares * usual / (x.size + usual) and np.unique(x).size > 2:
        text = f"One of {x.size:,} results of {names[i]} makes up {100.0 * far * far / squares:.0f} % of its spread"
        note("tail", (i,), far * far / squares, f"{text}: how often such results come cannot be judged from so many.")


def unseen(best: str, rival: str, least: int, slack: Mapping[str, float]) -> Note | None:
    """What is rarer than 1 in so many of ``least`` results may not have come yet; ``slack``: what would change it.

    The rule of three, without a number of results after which nothing is said.
    """
    slack = {name: lead for name, lead in slack.items() if lead > 0.0}
    share = missable(least) if least else 0.0
    if not slack or not 0.0 < share <= 0.5:
        return None
    sizes = [
        f"{f'moves {name} by' if name else 'costs'} more than {lead / share:.3g} when it happens"
        for name, lead in slack.items()
    ]
    text = f"Something rarer than 1 in {math.floor(1.0 / share):,} would not have shown in {least:,} results"
    return Note(
        "unseen",
        (best, rival) if rival else (best,),
        next(iter(slack.values())) / share,
        f"{text}; if it {' or '.join(sizes)}, the answer changes.",
        "assumption",
    )


def ranks(values: np.ndarray, owners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rank of each result among its owner's, with mean 0 and variance 1 (0 if all are equal); the owners from 0.

    Equal results share their rank; ``owners`` are in order.
    """
    place = np.cumsum(np.diff(owners, prepend=owners[:1]) != 0)
    order = np.lexsort((values, place))
    new = np.ones(values.size, dtype=bool)
    new[1:] = (np.diff(values[order]) != 0.0) | (np.diff(place[order]) != 0)
    group = np.cumsum(new) - 1
    shared = np.bincount(group, np.arange(values.size)) / np.bincount(group)
    found = np.empty(values.size)
    found[order] = shared[group]
    n = np.bincount(place)
    found -= (np.bincount(place, found) / n)[place]
    deviation = np.sqrt(np.bincount(place, found * found) / n)
    return np.divide(found, deviation[place], out=np.zeros(found.size), where=deviation[place] > 0.0), place


def repeats(values: Ragged) -> tuple[int, ...]:
    """The options in which numbers came again that should not have."""
    owners, numbers, times = values.distinct
    distinct = np.bincount(owners, minlength=len(values))
    suspects = np.flatnonzero((values.sizes - distinct >= AGAIN) & (distinct > AGAIN))
    if not suspects.size:
        return ()
    _, number, many = np.unique(numbers, return_inverse=True, return_counts=True)
    common, found = many[number] > 1, []
    for i in suspects.tolist():
        mine = slice(*np.searchsorted(owners, [i, i + 1]))
        if comes_again(numbers[mine], times[mine], common[mine]):
            found.append(i)
    return tuple(found)


def comes_again(distinct: np.ndarray, times: np.ndarray, common: np.ndarray) -> bool:
    """Whether numbers off a grid come again; not at the ends, not the most frequent one, none that others had."""
    steps = np.diff(distinct) / np.diff(distinct).min()
    if (np.abs(steps - np.rint(steps)) < GRID).all():
        return False
    own = ~common
    own[[0, -1, int(times.argmax())]] = False
    return bool((times[own] - 1).sum() >= AGAIN)


def unequal(failed: np.ndarray, calls: np.ndarray) -> tuple[int, ...]:
    """The options that fail more often than the others: the likelihood ratio of two rates against one."""

    def likelihood(x: np.ndarray, n: np.ndarray) -> np.ndarray:
        parts = [k * np.log(np.maximum(k, 1e-300) / np.maximum(n, 1.0)) for k in (x, n - x)]
        return np.asarray(parts[0] + parts[1])

    total, all_calls = failed.sum(), calls.sum()
    apart = likelihood(failed, calls) + likelihood(total - failed, all_calls - calls)
    odd = apart - likelihood(total, all_calls) > UNEQUAL + math.log(failed.size)
    return tuple(np.flatnonzero(odd & (failed * all_calls > total * calls)).tolist())
