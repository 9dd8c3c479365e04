"""The argmax of K scores of which one changes at a time, in O(log K).

A binary tree over the scores: each inner place holds the better of its two children.  Changing a score
replays the matches on its path to the root; the opponents there do not depend on the outcome of earlier
matches, so the processor fetches them all at once.  At K = 20 this already beats a linear scan.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._compile import helper


class Tournament(NamedTuple):
    """Place 1 is the root, the children of place p are 2p and 2p + 1, score i enters at base + i."""

    scores: np.ndarray  # [2 base] the best score at or below a place
    winners: np.ndarray  # [2 base] whose score that is


def make_tournament(size: int) -> Tournament:
    """Room for ``size`` scores, all -inf."""
    base = 1 << (size - 1).bit_length()
    winners = np.zeros(2 * base, np.int64)
    winners[base:] = np.arange(base)
    return Tournament(np.full(2 * base, -np.inf), winners)


@helper
def enter(tournament, i, score):
    """Set score ``i`` before the matches are played."""
    tournament.scores[tournament.scores.size // 2 + i] = float(score)


@helper
def play(tournament):
    """Play every match, in O(K): after all scores have entered."""
    for place in range(tournament.scores.size // 2 - 1, 0, -1):
        better = 2 * place  # no branch, whose outcome could not be predicted
        better += tournament.scores[better + 1] > tournament.scores[better]
        tournament.scores[place] = tournament.scores[better]
        tournament.winners[place] = tournament.winners[better]


@helper
def put(tournament, i, score):
    """Change score ``i``."""
    scores, winners = tournament.scores, tournament.winners
    place, winner, score = scores.size // 2 + i, i, float(score)  # uncompiled, a numpy scalar compares ten times slower
    scores[place] = score
    while place > 1:
        rival = place ^ 1
        # On a tie the left one, the lower index, wins.  Selects rather than branches: the outcome is unpredictable.
        lost = (scores[rival] > score) | ((scores[rival] == score) & (rival < place))
        score = scores[rival] if lost else score
        winner = winners[rival] if lost else winner
        place >>= 1
        scores[place] = score
        winners[place] = winner


@helper
def winner(tournament):
    """The index of the highest score, the lowest such index on ties."""
    return tournament.winners[1]


# -- with a runner-up ----------------------------------------------------------------------------


class Podium(NamedTuple):
    """A tournament that also knows the second best at or below each place."""

    first: Tournament
    second: Tournament


NOBODY = 2**62  # an index that loses every tie


def make_podium(size: int) -> Podium:
    """Room for ``size`` scores, all -inf."""
    second = make_tournament(size)
    second.winners.fill(NOBODY)
    return Podium(make_tournament(size), second)


@helper
def put_pair(podium, i, score):
    """Change score ``i``; the runner-up of a match is its loser or the second of the winning side."""
    scores, winners = podium.first.scores, podium.first.winners
    scores2, winners2 = podium.second.scores, podium.second.winners
    place = scores.size // 2 + i
    winner, score2, winner2, score = i, -np.inf, NOBODY, float(score)
    scores[place] = score
    while place > 1:
        rival = place ^ 1
        their, they, their2, they2 = scores[rival], winners[rival], scores2[rival], winners2[rival]
        lost = (their > score) | ((their == score) & (rival < place))
        least, loser = (score if lost else their), (winner if lost else they)
        spare, spared = (their2 if lost else score2), (they2 if lost else winner2)
        score, winner = (their if lost else score), (they if lost else winner)
        better = (spare > least) | ((spare == least) & (spared < loser))
        score2, winner2 = (spare if better else least), (spared if better else loser)
        place >>= 1
        scores[place], winners[place] = score, winner
        scores2[place], winners2[place] = score2, winner2


@helper
def best_besides(podium, i):
    """(index, score) of the best other than ``i``."""
    beaten = podium.first.winners[1] == i
    index = podium.second.winners[1] if beaten else podium.first.winners[1]
    score = podium.second.scores[1] if beaten else podium.first.scores[1]
    return index, score
