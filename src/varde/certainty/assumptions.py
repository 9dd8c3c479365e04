"""What the answer assumes of the results: whether they speak against it, what that costs, and what cannot be seen.

Everything else takes the results of one option as independent and alike.  Each test has a statistic that holds for any
distribution, a threshold, a factor c (a mean of N results is then as good as one of N/c), and a note that names the
cause.  R are ranks in the order in which results came, with mean 0 and variance 1:

    trend        rho = mean of R_t (t - mean)/sd of t, Student with N - 2     c = 1 + N rho^2
    correlated   results next to each other: the largest of all options, and   c = (1 + rho)/(1 - rho)
                 of all together, against random orders
    cycle        the same of results p = 2 .. N/2 apart                       c = 1 + rho (N/p - 1)
    repeated     the same number again, of results that are no grid: a cache  c = N / number of different results
    blocks       the best and its rival were measured one after the other     c = 1/(1 - R^2), R of time and option
    failures     calls that failed; h the share that timed out                c = 1 + 4 N h^2: had they been the
    pending      calls that are out; h the share that was overtaken            best or worst, the mean is off by 2 h sd
    sorted       all options in order of size: then the order is no time      none
    tail         a few results are far off the rest: their skewness            none
    cut          three results or more are equal, the best or worst of all    none: an assumption,
    unseen, independent                                                           as these are

The order of options that are clearly worse is tested apart from that of the others: what is added to a comparison
neither raises nor silences an alarm about the rest of it.  The order tests together speak in less than 1 % of answers
on honest data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..beliefs.means import relevance
from ..beliefs.samples import Ragged, from_values
from ..beliefs.student import beyond

ALARM = 0.0025  # false alarms of each test
ORDERS, SCREEN = 1999, 8.0  # random orders that are drawn, if the normal tail is below so many alarms
NEXT, FURTHER = slice(0, 1), slice(1, None)  # lags: results one apart, and more
DRAWN = 4000  # results up to which they are; of more Bernstein's bound serves
FEWEST = 5  # results of an option whose order is looked at
NEARLY = 0.9  # of the strongest deviate: the nearest lag with so much is named
LUCKY = 3.0  # of a falling trend is due to the sampling: good first results are followed by more
APART = 0.8  # of two options, twice the share of results in the same order, less 1: one after the other
MANY, SHORT = 80, 8  # results in all, and of an option, below which dependence is an assumption
SKEWED = 2.75  # the skewness of one in 20 exponential samples of 60 or more; of fewer it is rarer
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


class Found:
    """What is found: notes, and how many results of each option count as one."""

    def __init__(self, names: Sequence[str], number: str):
        self.names, self.factors, self.notes = names, np.ones(len(names)), list[Note]()
        self.number = f" ({number})" if number else ""

    def note(self, code: str, who: Sequence[int], size: float, text: str, severity: str = "warning") -> None:
        self.notes.append(Note(code, tuple(self.names[i] for i in who), float(size), text, severity))

    def count(self, who: Sequence[int] | np.ndarray, factors: np.ndarray | float) -> None:
        self.factors[who] = np.maximum(self.factors[who], factors)

    def said(self, who: Sequence[int]) -> str:
        """``a, b and c``; of many the first."""
        some = [str(self.names[i]) for i in who[:3]] + ([f"{len(who) - 3:,} more"] if len(who) > 3 else [])
        return (" and ".join([", ".join(some[:-1]), some[-1]]) if len(some) > 1 else some[0]) + self.number


def diagnose(
    values: Ragged | Sequence[np.ndarray],
    names: Sequence[str],
    calls: Calls | None = None,
    *,
    ordered: bool = True,
    adaptive: bool = False,
    independent: bool = True,
    times: Sequence[np.ndarray] | None = None,
    number: str = "",
    ends: Sequence[float] = (0.0,),
) -> tuple[np.ndarray, list[Note]]:
    """[K] how many results count as one, and the notes; larger is better.

    ``ordered``: the order is time; ``adaptive``: options were sampled by what they gave, so that it surely is.
    ``times`` of all results are on one clock.  What is not ``independent`` is meant to be so, as common random numbers.
    ``number``: what the results are, if an option has several; ``ends``: where they may well end.

    >>> rng = np.random.default_rng(1)
    >>> eight_cases_in_turn = [np.tile(rng.normal(size=8), 10) for _ in range(2)]
    >>> factors, notes = diagnose(eight_cases_in_turn, "ab")
    >>> notes[0].code, factors.round(2)
    ('repeated', array([10., 10.]))
    """
    values, found = Ragged.of(values), Found(names, number)
    counts = values.sizes.astype(float)
    means = np.bincount(values.owners, values.flat, len(values)) / np.maximum(counts, 1.0)
    ranked = np.argsort(-np.where(counts > 0, means, -np.inf), kind="stable").tolist()
    two = [i for i in ranked[:2] if counts[i]]
    if independent:
        in_order(values, found, ordered, adaptive)
        if times is not None and len(two) == 2:
            blocks(times, two, found)
    without_result(counts, calls or Calls(), two, found)
    for i, side in zip(two, (-1.0, 1.0), strict=False):
        tail(values[i], i, side, found)
        cut_off(values[i], i, side, ends, found)
    return np.minimum(found.factors, np.maximum(counts, 1.0)), found.notes


# -- the order in which results came -----------------------------------------------------------------


def in_order(values: Ragged, found: Found, ordered: bool, adaptive: bool) -> None:
    """The tests of the order, or that it cannot be tested."""
    counts, total = values.sizes, int(values.sizes.sum())
    if ordered and not adaptive and is_sorted(values):
        ordered = False
        found.note("sorted", (), 0.0, "The results are sorted by size, so their order is not taken as time.")
    if not ordered:
        text = "Results are taken to be independent: without their order in time that cannot be seen."
        found.note("independent", (), total, text, "assumption")
        return
    again = repeats(values)
    if again:
        found.count(again, counts[again] / [np.count_nonzero(values.distinct[0] == i) for i in again])
        text = f"The same numbers come again in the results of {found.said(again)}, as from a cache: each counts once."
        found.note("repeated", again, float(found.factors.max()), text)
    lows, highs = ends_of(values)
    tested = (counts >= FEWEST) & (lows < highs)
    tested[again] = False
    if tested.any():
        near = relevance(from_values(values)) > 0.0
        for group in (near, ~near):
            drift = drifting(values, np.flatnonzero(tested & group), found, adaptive)
            tested[drift] = False
            alike(values, np.flatnonzero(tested & group), found)
    short = np.flatnonzero((counts < SHORT) & (counts > 0)).tolist()
    if not found.notes and (total < MANY or short):
        few = f": {found.said(short)} had fewer than {SHORT}" if total >= MANY else ": so few cannot show it"
        words = "Results are taken to be independent, and not to change as an option warms up"
        found.note("independent", short, total, f"{words}{few}.", "assumption")


def drifting(values: Ragged, who: np.ndarray, found: Found, adaptive: bool) -> list[int]:
    """The options of ``who`` whose results rise or fall with time."""
    rising = {int(who[k]): rho for k, rho in trends(*ranks(values.take(who)), adaptive).items()} if who.size else {}
    if rising:
        drift = [*rising]
        found.count(drift, np.array([1.0 + values.sizes[i] * rho * rho for i, rho in rising.items()]))
        rho = max(rising.values(), key=abs)
        text = f"The results of {found.said(drift)} get {'better' if rho > 0 else 'worse'} in the order they came"
        text = f"{text} (rank correlation {abs(rho):.2f}), as in a warm-up or a drift: they count for less."
        found.note("trend", drift, rho, text)
    return [*rising]


def alike(values: Ragged, who: np.ndarray, found: Found) -> None:
    """Whether results of ``who`` are alike that came one after the other, or some steps apart."""
    chained = chain(*ranks(values.take(who))) if who.size else None
    if chained is None:
        return
    lag, rows, rho = chained
    mine = who[list(rows)]
    counts = values.sizes[mine]
    if lag == 1:
        found.count(mine, (1.0 + rho) / np.maximum(1.0 - rho, 1.0 / counts))
        text = f"Successive results of {found.said(mine.tolist())} are correlated ({rho:.2f}): they count for less."
    else:
        found.count(mine, 1.0 + rho * (counts / lag - 1.0))
        text = f"Results {lag} apart are alike ({rho:.2f}), as of {lag} cases over and over: give them as items."
    found.note("correlated" if lag == 1 else "cycle", mine.tolist(), rho, text)


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
    if rest:  # those with equally many results may have cases in common: their sum is put in random order
        equal = [rows.sum(axis=0) for rows in by_size(x, n, np.array(rest))[1]]
        variance = sum(float(y @ y) * y.size / (y.size - 1.0) for y in equal)
        if math.erfc(abs(float(odd[rest].sum())) / math.sqrt(2.0 * max(variance, 1e-300))) < ALARM:
            found |= dict.fromkeys(rest, float(total[rest].sum() / n[rest].sum()))
    return found


def by_size(x: np.ndarray, n: np.ndarray, who: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Those of ``who`` with equally many results, and their results [m, n]."""
    first = (np.cumsum(n) - n).astype(int)
    groups = [who[n[who] == size] for size in np.unique(n[who])]
    return groups, [x[first[some][:, None] + np.arange(int(n[some[0]]))] for some in groups]


class Circles:
    """Ranks of every option, and the sums of products of results 1, 2, .. N/2 apart, as if each list was a circle."""

    def __init__(self, x: np.ndarray, place: np.ndarray):
        self.counts = np.bincount(place)
        self.who, self.ranks = by_size(x, self.counts, np.arange(self.counts.size))  # a transform for each size
        self.variances = list(map(self.variance, self.ranks))  # [m, lags]
        self.together = self.whole(self.variances)

    @staticmethod
    def variance(ranks: np.ndarray) -> np.ndarray:
        n, fourth = float(ranks.shape[1]), (ranks**4).sum(axis=1)
        found = (n * n - fourth) / (n - 1.0) + (n * n - 2.0 * fourth) / ((n - 1.0) * (n - 2.0)) - (n / (n - 1.0)) ** 2
        found = np.repeat(np.maximum(found, 1e-12)[:, None], ranks.shape[1] // 2, axis=1)
        if ranks.shape[1] % 2 == 0:
            found[:, -1] *= 2.0  # around half a circle each product comes twice
        return found

    @staticmethod
    def sums(ranks: np.ndarray) -> np.ndarray:
        """[.., m, lags] less their mean in random order."""
        n = ranks.shape[-1]
        around = np.fft.irfft(np.abs(np.fft.rfft(ranks)) ** 2, n)
        return np.asarray(around[..., 1 : n // 2 + 1] + n / (n - 1.0))

    def whole(self, sums: list[np.ndarray]) -> np.ndarray:
        """[.., 1, lags] of all options together."""
        total = np.zeros((*sums[0].shape[:-2], 1, int(self.counts.max()) // 2))
        for each in sums:
            total[..., : each.shape[-1]] += each.sum(axis=-2, keepdims=True)
        return total

    def deviates(self, sums: list[np.ndarray]) -> list[np.ndarray]:
        """Of all together, and of each."""
        each = [part / np.sqrt(variance) for part, variance in zip(sums, self.variances, strict=True)]
        return [self.whole(sums) / np.sqrt(self.together), *each]

    def is_chance(self, top: float, tests: int, lags: slice) -> bool:
        """Whether a deviate of ``tests`` may well be as high as ``top`` in random order."""
        total = int(self.counts.sum())
        if total > DRAWN:
            pairs = zip(self.ranks, self.variances, strict=True)
            most = max(float((x * x).max() / math.sqrt(variance[:, 0].min())) for x, variance in pairs)
            return tests * math.exp(-0.5 * top * top / (1.0 + most * max(top, 0.0) / 3.0)) > ALARM
        if tests * math.erfc(max(top, 0.0) / math.sqrt(2.0)) / 2.0 > SCREEN * ALARM:
            return True
        rng, above, done = np.random.default_rng(1), 0, 0
        while done < ORDERS and above < ALARM * (ORDERS + 1):
            orders = min(100, ORDERS - done)
            drawn = self.deviates([self.sums(mixed(x, rng, orders)) for x in self.ranks])
            tops = [part[..., lags].max(axis=(-2, -1), initial=-np.inf) for part in drawn]
            above += int((np.max(tops, axis=0) >= top - 1e-9).sum())
            done += orders
        return above >= ALARM * (ORDERS + 1)


def chain(x: np.ndarray, place: np.ndarray) -> tuple[int, tuple[int, ...], float] | None:
    """How far apart results are alike, of which options, and their correlation: the next to each other, or further.

    Products have heavy tails, two rare results side by side for one; so random orders are drawn, with a fixed seed.
    """
    circles = Circles(x, place)
    sums = list(map(circles.sums, circles.ranks))
    found = circles.deviates(sums)
    ways = [(max(float(part[:, lags].max(initial=-np.inf)) for part in found), lags) for lags in (NEXT, FURTHER)]
    if all(circles.is_chance(top, sum(part[:, lags].size for part in found), lags) for top, lags in ways):
        return None
    top = max(top for top, _ in ways)
    part = next(i for i, part in enumerate(found) if (part == top).any())
    row = int((found[part] == top).any(axis=1).argmax())
    at = int((found[part][row] >= NEARLY * top).argmax())  # two rounds apart are alike too
    products = [circles.whole(sums), *sums][part][row]
    if at and 2 * at + 1 < products.size and products[2 * at + 1] < 0.5 * products[at]:
        return None  # results that alternate are alike two apart, but not four: no cases in turn
    who = np.arange(circles.counts.size) if part == 0 else circles.who[part - 1][[row]]
    who = who[circles.counts[who] // 2 > at]
    rho = float(products[at] / circles.counts[who].sum())
    return at + 1, tuple(who.tolist()), min(max(rho, 0.0), 1.0)


def mixed(x: np.ndarray, rng: np.random.Generator, orders: int) -> np.ndarray:
    """[orders, m, n] of all rows alike: they may have cases in common."""
    return x[:, np.argsort(rng.random((orders, x.shape[1])), axis=1)].swapaxes(0, 1)


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


def blocks(times: Sequence[np.ndarray], two: list[int], found: Found) -> None:
    """The best and its rival, one after the other: a comparison that allows for a linear drift costs so much."""
    one, other = (np.sort(np.asarray(times[i], float)) for i in two)
    share = float(np.searchsorted(one, other).mean() + np.searchsorted(one, other, "right").mean()) / 2.0 / one.size
    if abs(2.0 * share - 1.0) < APART:
        return
    rank = np.argsort(np.argsort(np.concatenate([one, other]), kind="stable")).astype(float)
    of = np.repeat([0.0, 1.0], [one.size, other.size])
    factor = 1.0 / max(1.0 - float(np.corrcoef(rank, of)[0, 1]) ** 2, 0.05) if rank.size > 2 else 1.0
    found.count(two, factor)
    text = f"{found.said(two)} were {'' if share in (0.0, 1.0) else 'mostly '}measured one after the other"
    found.note("blocks", two, factor, f"{text}: what changed in between would look like a difference.")


# -- results that did not come, and those that rarely do ------------------------------------------------


def without_result(counts: np.ndarray, calls: Calls, two: list[int], found: Found) -> None:
    """Calls that failed or are out: a slow one is a result, and the mean is without it."""
    none = np.zeros(counts.size)
    failed, slow, pending, late = (np.asarray(x, float) if len(x) else none for x in calls)
    hidden = (slow + late) / np.maximum(counts + slow + late, 1.0)
    odd = unequal(failed, counts + failed) if failed.any() else []
    hidden[odd] = np.maximum(hidden[odd], failed[odd] / (counts[odd] + failed[odd]))
    found.count(np.arange(counts.size), 1.0 + 4.0 * counts * hidden**2)
    for code, some, words in (("failures", failed, "failed"), ("pending", pending, "are still out")):
        who = [i for i in (dict.fromkeys([*two, *odd]) if code == "failures" else two) if some[i] > 0.0]
        if who:
            share = max(float(some[i] / (counts[i] + some[i])) for i in who)
            more = f"; {found.said(odd)} more often than others" if odd and code == "failures" else ""
            text = f"{int(some[who].sum()):,} calls of {found.said(who)} {words} (up to {100.0 * share:.0f} %){more}"
            found.note(code, who, share, f"{text}: if that depends on the result, the means are biased.")


def tail(x: np.ndarray, i: int, side: float, found: Found) -> None:
    """Whether a few results carry the mean: more skewed to ``side`` than 19 of 20 exponential samples."""
    if np.unique(x).size <= 2:
        return
    apart = x - x.mean()
    apart /= np.abs(apart).max()
    skewness = side * float((apart**3).sum()) * math.sqrt(x.size) / float(apart @ apart) ** 1.5
    if skewness > SKEWED:
        how = "worse" if side < 0.0 else "better"
        text = f"A few of {x.size:,} results of {found.said([i])} are far {how} than the rest"
        found.note("tail", (i,), skewness, f"{text}: how often such results come cannot be judged from so many.")


def cut_off(x: np.ndarray, i: int, side: float, ends: Sequence[float], found: Found) -> None:
    """Equal results at an end, of results that are no grid: a limit cut them off, or a number stands for none."""
    for way, word in ((-1.0, "worst"), (1.0, "best")):
        end = way * float((way * x).max())
        rest = x[x != end]
        many, others = x.size - rest.size, np.unique(rest)
        if many < AGAIN or end in ends or others.size < 2 or rest.size - others.size >= many:
            continue
        if way == side or abs(end - others[0 if way < 0.0 else -1]) > np.ptp(others):
            text = f"The {many:,} {word} of {x.size:,} results of {found.said([i])} are equal"
            text = f"{text}: if a limit cut them off, or the number stands for none, the mean is biased."
            found.note("cut", (i,), many / x.size, text, "assumption")


def ranks(values: Ragged) -> tuple[np.ndarray, np.ndarray]:
    """The rank of each result among its option's, with mean 0 and variance 1; equal ones share theirs.  And whose."""
    flat, place = values.flat, values.owners
    order = np.lexsort((flat, place))
    new = np.ones(flat.size, dtype=bool)
    new[1:] = (np.diff(flat[order]) != 0.0) | (np.diff(place[order]) != 0)
    group = np.cumsum(new) - 1
    shared = np.bincount(group, np.arange(flat.size)) / np.bincount(group)
    found = np.empty(flat.size)
    found[order] = shared[group]
    n = np.bincount(place)
    found -= (np.bincount(place, found) / n)[place]
    deviation = np.sqrt(np.bincount(place, found * found) / n)
    return found / deviation[place], place


def repeats(values: Ragged) -> list[int]:
    """The options in which numbers came again that should not have."""
    owners, numbers, times = values.distinct
    distinct = np.bincount(owners, minlength=len(values))
    suspects = np.flatnonzero((values.sizes - distinct >= AGAIN) & (distinct > AGAIN))
    if not suspects.size:
        return []
    _, number, many = np.unique(numbers, return_inverse=True, return_counts=True)
    common, found = many[number] > 1, []
    for i in suspects.tolist():
        mine = slice(*np.searchsorted(owners, [i, i + 1]))
        if comes_again(numbers[mine], times[mine], common[mine]):
            found.append(i)
    return found


def comes_again(distinct: np.ndarray, times: np.ndarray, common: np.ndarray) -> bool:
    """Whether numbers off a grid come again; not at the ends, not the most frequent one, none that others had."""
    steps = np.diff(distinct) / np.diff(distinct).min()
    if (np.abs(steps - np.rint(steps)) < GRID).all():
        return False
    own = ~common
    own[[0, -1, int(times.argmax())]] = False
    return bool((times[own] - 1).sum() >= AGAIN)


def unequal(failed: np.ndarray, calls: np.ndarray) -> list[int]:
    """The options that fail more often than the others: the likelihood ratio of two rates against one."""

    def likelihood(x: np.ndarray, n: np.ndarray) -> np.ndarray:
        parts = [k * np.log(np.maximum(k, 1e-300) / np.maximum(n, 1.0)) for k in (x, n - x)]
        return np.asarray(parts[0] + parts[1])

    total, all_calls = failed.sum(), calls.sum()
    apart = likelihood(failed, calls) + likelihood(total - failed, all_calls - calls)
    ratios = np.maximum(apart - likelihood(total, all_calls), 0.0).tolist()
    more = (failed * all_calls > total * calls).tolist()
    return [i for i, x in enumerate(ratios) if more[i] and math.erfc(math.sqrt(x)) < ALARM / failed.size]
