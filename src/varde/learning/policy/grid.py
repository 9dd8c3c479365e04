"""States that are cells of a grid, and the direction of each action, inferred from where it led."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .policy import Policy

ARROWS = "→↗↑↖←↙↓↘"
NAMES = {  # the direction (down, right) that a name stands for
    **dict.fromkeys(("right", "east", "e"), (0, 1)),
    **dict.fromkeys(("left", "west", "w"), (0, -1)),
    **dict.fromkeys(("down", "south", "s"), (1, 0)),
    **dict.fromkeys(("up", "north", "n"), (-1, 0)),
}
STILL = "•"  # an action that goes nowhere on average
CLEAR = 0.15  # cells: an action that moves by less on average goes nowhere
SPARSE = 8  # times as many cells as states, and more, are no grid
MOST = 10_000  # cells


class Grid(NamedTuple):
    rows: np.ndarray  # [S]
    columns: np.ndarray  # [S]
    height: int
    width: int
    arrows: list[str]  # [S] of the action to take


def grid_of(policy: Policy) -> Grid | None:
    """The grid of the states, if they are pairs of integers, or numbered cells of a known shape."""
    places = positions(policy)
    if places is None or len(policy) < 4:
        return None
    if policy.shape is None:
        places = turned(policy, places)
        places -= places.min(0)
    height, width = (places.max(0) + 1).tolist() if policy.shape is None else policy.shape
    if height * width > min(max(SPARSE * len(policy), 64), MOST) or min(height, width) < 2:
        return None
    return Grid(places[:, 0], places[:, 1], height, width, arrows(policy, places))


def on_map(policy: Policy, world: Any) -> Policy:
    """The policy with the shape of ``world``, if that is an environment that has rows and columns."""
    inner = getattr(world, "unwrapped", None)
    shape: Any = getattr(inner, "shape", None) or (getattr(inner, "nrow", None), getattr(inner, "ncol", None))
    fits = isinstance(shape, tuple) and len(shape) == 2 and all(isinstance(side, int) for side in shape)
    return replace(policy, shape=shape) if fits else policy


def turned(policy: Policy, places: np.ndarray) -> np.ndarray:
    """Rows and columns oriented so that actions go where their names say, "east" to the right."""
    labels, ways = directions(policy, places)
    said = [(NAMES.get(str(name).lower()), ways[i]) for name, i in labels.items()]
    best, found = 1e-9, places
    for down, right in ((0, 1), (1, 0)):
        for sign in (1, -1):
            fit = sum(name[0] * sign * way[down] + name[1] * way[right] for name, way in said if name is not None)
            if fit > best:
                best, found = fit, np.stack([sign * places[:, down], places[:, right]], axis=1)
    return found.copy()


def positions(policy: Policy) -> np.ndarray | None:
    """[S, 2] row and column of each state; a pair is read in this order."""
    names = policy.states
    if policy.shape is not None:
        if not all(isinstance(name, int | np.integer) and 0 <= name < np.prod(policy.shape) for name in names):
            return None
        return np.stack(np.divmod(np.array(names, np.int64), policy.shape[1]), axis=1)
    pairs = all(
        isinstance(name, tuple)
        and len(name) == 2
        and all(isinstance(part, int | np.integer) and not isinstance(part, bool) for part in name)
        and max(map(abs, name)) < 2**31
        for name in names
    )
    return np.array(names, np.int64) if pairs else None


def directions(policy: Policy, places: np.ndarray) -> tuple[dict[object, int], np.ndarray]:
    """The numbers of the actions' names, and their mean displacement, down and to the right, over all states."""
    seen = policy.seen
    labels: dict[object, int] = {}
    of_pair = np.array([labels.setdefault(name, len(labels)) for names in policy.legal for name in names])
    pairs, moves, single = seen.pairs, *steps(policy, places)
    share = np.where(single, seen.counts, 0) / np.maximum(seen.tried[pairs], 1)
    often = np.maximum(np.bincount(of_pair[pairs], share, len(labels)), 1e-300)
    ways = [np.bincount(of_pair[pairs], share * moves[:, i], len(labels)) / often for i in (0, 1)]
    return labels, np.stack(ways, axis=1)


def steps(policy: Policy, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[E, 2] where each outcome led from its cell; [E] whether no farther than to a neighbour, as a step does."""
    seen = policy.seen
    moves = places[seen.to] - places[seen.owners[seen.pairs]]
    return moves, (seen.to >= 0) & (np.abs(moves) <= 1).all(1)


def arrows(policy: Policy, places: np.ndarray) -> list[str]:
    """The arrow of the action of each state, by its average direction; diagonal only if single steps are."""
    labels, ways = directions(policy, places)
    moves, single = steps(policy, places)
    slanting = 5 * (single & (moves != 0).all(1)).sum() > (single & (moves != 0).any(1)).sum()
    quarter = np.pi / (4.0 if slanting else 2.0)
    angle = np.round(np.arctan2(-ways[:, 0], ways[:, 1]) / quarter).astype(int) * (1 if slanting else 2) % 8
    still = np.hypot(*ways.T) < CLEAR
    signs = {name: STILL if still[i] else ARROWS[angle[i]] for name, i in labels.items()}
    return [signs[names[choice]] for names, choice in zip(policy.legal, policy.choices.tolist(), strict=True)]
