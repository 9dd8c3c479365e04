"""The edges of a node as the rule knows them: what is compared."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...noise import own_variance
from ...parts import error, estimate, noise, samples, size
from ..tree import COUNT, Tree
from .records import EDGE


class Edges(NamedTuple):
    """What is compared: the tried edges of a node."""

    tree: Tree
    first: int
    width: int
    model: Any  # of the noise
    wide: float  # the variance of the returns of the node


@size.of(Edges)
def number_of_edges(parts):
    return parts.width


@samples.of(Edges)
def trials_through(parts, i):
    return parts.tree.edge[parts.first + i, COUNT]


@estimate.of(Edges)
def q_of_edge(parts, i):
    return parts.tree.scores[parts.first + i, EDGE.q]


@error.of(Edges)
def variance_of_q(parts, i):
    return parts.tree.scores[parts.first + i, EDGE.variance]


@noise.of(Edges)
def variance_of_returns(parts, i):
    squares = parts.tree.scores[parts.first + i, EDGE.squares]
    return own_variance(parts.model, parts.wide, squares, samples(parts, i))
