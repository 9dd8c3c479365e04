"""Keeping what is below the move that was made.

One compaction in place: nodes reachable from the new root are renumbered in order, the root first; their rows move to
the front, and so do those of their edges and outcomes.  Nodes at the old horizon may grow from now on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._compile import kernel
from .tree import NONE, NOWHERE, SPARE, Tree

SLICE = 1 << 16  # rows that are moved at once


@kernel
def reach(tree, root, queue, kept, outcomes):
    """Find what is kept, breadth first; returns how many nodes.  ``kept`` and ``outcomes`` must be all False."""
    nodes = tree.nodes
    queue[0], kept[root] = root, True
    done, found = 0, 1
    while done < found:
        node = queue[done]
        done += 1
        for edge in range(nodes.first[node], nodes.first[node] + nodes.tried[node]):
            outcome = tree.edges.outcome[edge]
            while outcome != NONE:
                outcomes[outcome] = True
                child = tree.outcomes.child[outcome]
                if not kept[child]:
                    queue[found], kept[child] = child, True
                    found += 1
                outcome = tree.outcomes.next[outcome]
    return found


def keep_subtree(tree: Tree, root: int, horizon: int, widths: np.ndarray | None, call: Any) -> np.ndarray:
    """Keep what is reached from ``root``, in place; the nodes, by their old numbers.

    ``widths`` are the actions of states, for nodes that may grow; None where nodes have no depth.
    """
    nodes, edges, outcomes = tree.used[:3].tolist()
    queue, kept, known = np.empty(nodes, np.int64), np.zeros(nodes, np.bool_), np.zeros(outcomes, np.bool_)
    found = call(reach, tree, root, queue, kept, known)
    known[NONE] = True
    order = queue[:found]
    order[1:].sort()
    number = np.full(nodes, NOWHERE, np.int64)
    number[order] = np.arange(found)
    slide(tree.nodes, order)
    moved = move_edges(tree, found)
    sources = np.flatnonzero(known)
    place = np.cumsum(known) - 1
    slide(tree.outcomes, sources)
    at = tree.outcomes[1 : len(sources)]
    at["child"], at["next"] = number[at["child"]], place[at["next"]]
    tree.edges["outcome"][:moved] = place[tree.edges["outcome"][:moved]]
    for rows, first, last in (
        (tree.nodes, found, nodes),
        (tree.edges, moved, edges),
        (tree.outcomes, len(sources), outcomes),
    ):
        rows[first:last] = np.zeros((), rows.dtype)
    tree.used[:4] = found, moved, len(sources), 0
    tree.hashed[:] = 0
    if widths is not None:
        depths = tree.nodes["depth"][:found]
        depths -= 1
        ends = np.flatnonzero(depths == horizon - 1)
        tree.nodes["width"][ends] = widths[tree.nodes["state"][ends]]
        tree.nodes["visits"][ends] *= tree.nodes["width"][ends] == 0
    return order


def slide(rows: np.ndarray, sources: np.ndarray) -> None:
    """Move these rows to the front, in place: each moves forwards."""
    for at in range(0, len(sources), SLICE):
        some = sources[at : at + SLICE]
        rows[at : at + len(some)] = rows[some]


def move_edges(tree: Tree, nodes: int) -> int:
    """Edges side by side in the order in which they lie; returns how many rows are in use."""
    first, widths = tree.nodes["first"][:nodes], tree.nodes["made"][:nodes]
    owners = np.flatnonzero(widths > 0)
    owners = owners[np.argsort(first[owners], kind="stable")]
    used = SPARE + 1
    for at in range(0, len(owners), SLICE):
        some = owners[at : at + SLICE]
        wide = widths[some].astype(np.int64)
        ends = np.cumsum(wide)
        sources = np.arange(ends[-1]) + np.repeat(first[some] - ends + wide, wide)
        tree.edges[used : used + len(sources)] = tree.edges[sources]
        first[some] = used + ends - wide
        used += len(sources)
    return used
