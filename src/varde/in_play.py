"""Which one is the best of many, as if all were scored after every sample, though few are.

All are scored now and then.  Until that leaves a doubt, a part has the score that it had, or would have had, then, and
it is bounded how far anything can have moved: mean and error of the leader, and what all have in common.

    x_j = STEEP (M_b - M_j) / sqrt(e_b + e_j)   is less by at most  a / sqrt(e_b + e_j) + b abs(x_j), and likewise more
    g_j = (1 + exp x_j)^-2                      is larger by the factor exp 2 (...) at most: -2 < dlog g / dx < 0

So those whose score was much lower than the highest are not looked at; sum_j g_j, the weight of the leader, lies
between two ends; and where these leave no doubt, the choice is that of a full scoring.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ._compile import helper
from .beliefs.belief import Common, believed
from .beliefs.noise import moved, shared
from .decisions.pairs import STEEP, TINY, VANISHING, bounded, openness, steepness
from .rule import shrinkage
from .tournament import Tournament, enter, make_tournament, play, put, winner

SETTLED = 20.0  # x of those that are bounded together, however far away they are
DOUBT, ROUNDING = 1e-9, 1e-12  # relative: scores closer than that may be equal, sums have gathered that
WIDE = 3.0  # the factor beyond which nothing is looked for
VISITS = 0.1  # of all parts, looked at since all were scored: more takes longer than to score all again
USEFUL, LONGEST = 3, 15  # choices without scoring all; else all are scored so often before the next attempt


class Drift(NamedTuple):
    """How far those that are behind can have moved."""

    nearer: Any  # a, by which x is less ...
    farther: Any  # ... or more
    closer: Any  # b likewise
    wider: Any
    error: Any  # how much higher the error of the leader is
    lead: Any  # and its mean
    others: Any  # how far the mean of a rival can have moved
    pooled: Any  # how much higher what all say of the noise is, relative
    own: Any  # how far the error of a rival can have moved besides, relative
    noise: Any  # the factor of s2, at most
    settled: Any  # g of one that was settled, at most


@helper
def drift(model, before, now, lead, error, later, least, spread, behind):
    """``before`` and ``now``: what all say; ``lead``: how much higher the leader is, and its error, ``later`` now.

    ``least`` is the least error of a rival, no mean is further than ``spread`` from the common one, and ``behind`` says
    that no x is below 0.
    """
    ratio, sizes = moved(model, before, now)
    noise, high, low = max(ratio, 1.0), max(ratio, 1.0) * max(sizes, 1.0), min(ratio, 1.0) * min(sizes, 1.0)
    both = error + least + TINY
    more, less = max((later + high * least) / both, high), min((later + low * least) / both, low)
    if not 0.0 < less <= more < np.inf:
        return Drift(np.inf, np.inf, np.inf, np.inf, 0.0, 0.0, np.inf, 0.0, np.inf, np.inf, 1.0)
    means = 0.0  # how far another common mean, or another h, moves what is expected of a rival
    if before.extra > 0.0 or now.extra > 0.0:
        few = 1.0 + min(before.extra, now.extra)
        means = abs(now.mean - before.mean) + spread * abs(now.extra - before.extra) / few
    unit = STEEP / math.sqrt(min(less, 1.0))
    nearer, farther = unit * max(means - lead, 0.0), unit * max(means + lead, 0.0)
    closer, wider = max(1.0 - 1.0 / math.sqrt(more), 0.0), max(1.0 / math.sqrt(less) - 1.0, 0.0)
    if not behind:
        closer = wider = max(closer, wider)
    away = (1.0 - closer) * SETTLED - nearer / math.sqrt(both)
    settled, own = math.exp(-2.0 * max(away, 0.0)), abs(sizes - 1.0) * max(ratio, 1.0)
    return Drift(nearer, farther, closer, wider, later - error, lead, means, ratio - 1.0, own, noise, settled)


@helper
def growth(found, both):
    """The factor by which g of one that was not settled is larger, at most; ``both`` is the least e_b + e_j."""
    return math.exp(min(2.0 * (found.nearer / math.sqrt(both) + found.closer * SETTLED), 700.0))


TOTAL, AWAY, NEAR, SQUARES, CLOSE, BY_MEAN, BY_SQUARE, BY_ERROR, BY_POOLED = range(9)


@helper
def add(sums, g, x, near, share, times):
    """Add what one rival says to the sums over all, or take it away: g, its moments, and what moves it.

    ``near`` is 1 / sqrt(e_b + e_j), ``share`` the part of its error that moves with the pooled noise.
    """
    w = 1.0 - math.sqrt(g)
    g *= times
    slope = g * w  # -1/2 dg / dx
    sums[TOTAL] += g
    sums[AWAY] += g * abs(x)
    sums[NEAR] += g * near
    sums[SQUARES] += g * x * x
    sums[CLOSE] += g * near * near
    sums[BY_MEAN] += slope * near
    sums[BY_SQUARE] += slope * (3.0 * w - 1.0) * near * near  # 1/2 of the second derivative
    sums[BY_ERROR] += slope * x * near * near
    sums[BY_POOLED] += slope * x * near * near * share


@helper
def ends(found, factor, sums, many, closest):
    """Between which numbers sum_j g_j of ``many`` lies; no ``near`` of a rival is more than ``closest``."""
    total, away, near, close = sums[TOTAL], sums[AWAY], sums[NEAR], sums[CLOSE]
    less = 2.0 * (found.farther * near + found.wider * away) / max(total, TINY)
    more = 2.0 * factor * (found.nearer * near + found.closer * away)
    least, most = total * math.exp(-less), total + more
    b = max(found.closer, found.wider)
    if b < 0.1:  # to second order in the mean of the leader and to first order in errors, and what that leaves out
        a, lead = max(found.nearer, found.farther), STEEP * found.lead
        middle = total - 2.0 * lead * sums[BY_MEAN] + lead * lead * sums[BY_SQUARE]
        middle += found.error * sums[BY_ERROR] + found.pooled * sums[BY_POOLED]
        both = a * math.sqrt(close * sums[SQUARES])
        rest = 6.0 * factor * (a * a * a * closest * close + SETTLED * b * b * b * sums[SQUARES])
        rest += 4.0 * b * (both + b * sums[SQUARES] + a * a * close) + (4.0 * b * b + found.own) * away
        rest += 2.0 * (a * b + STEEP * found.others) * near
        least, most = max(least, middle - rest), min(most, middle + rest)
    return max(least - many * math.exp(-2.0 * SETTLED), 0.0), most + many * found.settled


# -- in compiled loops -----------------------------------------------------------------------------

# Places in ``then``: the leader, the rivals, what all say, the work since, and what stays when all are scored again.
LEADER, MEAN, ERROR, LEAST, LOWEST, HIGHEST, POOLED, COMMON, EXTRA, SUMMED, VISITED = range(11)
TIMES, SERVED, PAUSE, LEFT = range(11, 15)


class InPlay(NamedTuple):
    """All parts as they were scored."""

    scores: Tournament  # of the rivals
    means: Tournament
    open: np.ndarray  # [K] g; 0 of the leader
    away: np.ndarray  # [K] x
    near: np.ndarray  # [K] 1 / sqrt(e_b + e_j)
    share: np.ndarray  # [K] the part of e_j that moves with the pooled noise
    then: np.ndarray  # numbers
    sums: np.ndarray  # over the rivals
    rest: np.ndarray  # over those that do not lead now
    path: np.ndarray  # places of the tournament to visit


def make_in_play(size: int) -> InPlay:
    scores, means, path = make_tournament(size), make_tournament(size), np.zeros(128, np.int64)
    rows, numbers, sums = np.zeros((4, size)), np.zeros(15), np.zeros((2, 9))
    return InPlay(scores, means, rows[0], rows[1], rows[2], rows[3], numbers, sums[0], sums[1], path)


@helper
def is_due(field):
    """Whether to score all such that few need be scored after that; for a while not, if that was of little use."""
    then = field.then
    if then[LEFT] == 0.0:
        then[PAUSE] = 0.0 if then[SERVED] >= USEFUL else min(2.0 * then[PAUSE] + 1.0, LONGEST)
        then[LEFT] = then[PAUSE]
        then[SERVED], then[LOWEST] = 0.0, -np.inf  # which leaves every choice in doubt
    else:
        then[LEFT] -= 1.0
    return then[LEFT] == 0.0


@helper
def score_all(model, field, belief, common):
    """Score all; the part to sample, or -1 if all weights would vanish."""
    then, counts, leader, top = field.then, belief.counts, 0, -np.inf
    for i in range(counts.size):
        ahead = belief.estimates[i] > top
        top = belief.estimates[i] if ahead else top
        leader = i if ahead else leader
    times = then[TIMES]
    then[:TIMES] = 0.0
    field.sums.fill(0.0)
    then[LEADER], then[MEAN], then[ERROR], then[LEAST] = leader, belief.expected[leader], belief.errors[leader], np.inf
    then[POOLED], then[COMMON], then[EXTRA], then[LOWEST] = common.pooled, common.mean, common.extra, np.inf
    best, chosen = -np.inf, 0
    for i in range(counts.size):
        if times == 0.0:
            enter(field.means, i, belief.estimates[i])
        score = -np.inf
        if i != leader:
            score = keep(model, field, common, i, belief.expected[i], belief.errors[i], belief.noise[i], counts[i])
        enter(field.scores, i, score)
        higher = score > best
        best = score if higher else best
        chosen = i if higher else chosen
    play(field.scores)
    if times == 0.0:
        play(field.means)
    field.open[leader] = 0.0
    then[TIMES] = times + 1.0
    if not -SETTLED < then[LOWEST] < VANISHING:
        return -1
    own = field.sums[TOTAL] * belief.noise[leader] * shrinkage(counts[leader])
    return leader if own > best or (own == best and leader < chosen) else chosen


@helper
def keep(model, field, common, i, expected, error, noise, count):
    """The score of a rival; what it says is added to what is known of all."""
    then, both = field.then, field.then[ERROR] + error
    x, per = bounded(steepness(then[MEAN] - expected, both)), shrinkage(count)
    g, near = openness(math.exp(-x), 1.0), 1.0 / math.sqrt(both + TINY)
    share = error * shared(model, common, noise, count)
    field.open[i], field.away[i], field.near[i], field.share[i] = g, x, near, share
    add(field.sums, g, x, near, share, 1.0)
    then[LEAST], then[LOWEST] = min(then[LEAST], error), min(then[LOWEST], x)
    then[HIGHEST] = max(then[HIGHEST], noise * per)
    then[SUMMED] = max(then[SUMMED], field.sums[TOTAL])
    return g * noise * per


@helper
def sampled(model, field, parts, i):
    """Part ``i`` has one more sample: what its score would have been when all were scored."""
    then = field.then
    if then[TIMES] > 0.0:  # after the warm start
        put(field.means, i, parts.means[i])
        if i != then[LEADER]:
            add(field.sums, field.open[i], field.away[i], field.near[i], field.share[i], -1.0)
            common = Common(then[POOLED], then[COMMON], then[EXTRA])
            mean, noise, error = believed(model, common, parts.counts[i], parts.means[i], parts.squares[i])
            put(field.scores, i, keep(model, field, common, i, mean, error, noise, parts.counts[i]))


@helper
def score_now(model, parts, common, i, mean, error):
    """The score of rival ``i`` of a leader with this mean and error, and g."""
    expected, noise, own = believed(model, common, parts.counts[i], parts.means[i], parts.squares[i])
    g = openness(math.exp(-bounded(steepness(mean - expected, error + own))), 1.0)
    return g * noise * shrinkage(parts.counts[i]), g


@helper
def choose(model, field, parts, common, low):
    """The part that would be chosen if all were scored, or -1 where that is in doubt."""
    then, many = field.then, parts.counts.size
    if then[TIMES] == 0.0 or not -SETTLED < then[LOWEST] < VANISHING:
        return -1
    leader, first = winner(field.means), int(then[LEADER])
    before = Common(then[POOLED], then[COMMON], then[EXTRA])
    mean, noise, error = believed(model, common, parts.counts[leader], parts.means[leader], parts.squares[leader])
    spread, behind = max(parts.means[leader], before.mean) - low, then[LOWEST] >= 0.0
    found = drift(model, before, common, mean - then[MEAN], then[ERROR], error, then[LEAST], spread, behind)
    for k in range(field.sums.size):
        field.rest[k] = field.sums[k]
    best, chosen, weight = -np.inf, -1, 0.0
    if leader != first:
        add(field.rest, field.open[leader], field.away[leader], field.near[leader], field.share[leader], -1.0)
        chosen = first
        best, weight = score_now(model, parts, common, first, mean, error)
    both = then[ERROR] + then[LEAST] + TINY
    factor = growth(found, both)
    least, most = ends(found, factor, field.rest, many, 1.0 / math.sqrt(both))
    slack, own = ROUNDING * then[SUMMED], noise * shrinkage(parts.counts[leader])
    least, most = (least + weight - slack) * own * (1.0 - DOUBT), (most + weight + slack) * own * (1.0 + DOUBT)

    factor *= found.noise * (1.0 + ROUNDING)
    settled, limit = found.settled * found.noise * then[HIGHEST], found.noise * then[HIGHEST]
    limit *= 1.0 if common.extra > 0.0 else 0.25  # no x is below 0
    highest = min(max(factor * field.scores.scores[1], settled), limit)
    then[SERVED] += 1.0
    if max(highest, best) < least:
        return leader
    if factor > WIDE:
        then[SERVED] -= 1.0
        return -1
    scores, path, length = field.scores.scores, field.path, 1
    path[0] = 1
    while length > 0 and then[VISITED] <= VISITS * many:
        length -= 1
        place = path[length]
        if factor * scores[place] < best or scores[place] == -np.inf:
            continue
        if place >= scores.size // 2:
            i = place - scores.size // 2
            then[VISITED] += 1.0
            score, _ = score_now(model, parts, common, i, mean, error) if i != leader else (-np.inf, 0.0)
            if score > best or (score == best and i < chosen):
                best, chosen = score, i
        else:  # the better half first
            right = scores[2 * place + 1] > scores[2 * place]
            path[length], path[length + 1] = 2 * place + (not right), 2 * place + right
            length += 2
    if length == 0 and best > settled:
        if best > most:
            return chosen
        if best < least:
            return leader
    then[SERVED] -= 1.0
    return -1
