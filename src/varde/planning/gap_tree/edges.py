"""The edges of a node as parts for the rule."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...beliefs.noise import own_variance
from ...beliefs.parts import error, estimate, noise, samples, size
from ..tree import COUNT, Tree
from .records import EDGE


class Edges(NamedTuple):
    """The tried edges of a node, as parts that the rule compares."""

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
