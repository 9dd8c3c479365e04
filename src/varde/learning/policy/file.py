"""A policy as a JSON file: names, actions, and the experience."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import numpy as np

from ..._files import StoreError
from ...check import shown
from ...rows import Rows
from ...worlds.binned import Binned, binned
from .policy import Policy

FORMAT = 1
REAL = ("means", "squares")  # columns of the experience that are not integers


def write(policy: Policy, path: Path) -> None:
    kinds: dict[tuple[Hashable, ...], int] = {}
    which = [kinds.setdefault(tuple(names), len(kinds)) for names in policy.legal]
    record = {
        "varde": "policy",
        "format": FORMAT,
        "discount": policy.discount,
        "stopped": policy.stopped,
        "shape": policy.shape,
        "edges": policy.key.edges if isinstance(policy.key, Binned) else None,
        "states": [written(name) for name in policy.states],
        "actions": [[written(name) for name in names] for names in kinds],
        "legal": which,
        "choices": policy.choices.tolist(),
        "seen": {name: column.tolist() for name, column in policy.seen._asdict().items()},
    }
    text = json.dumps(record, separators=(",", ":"), allow_nan=False)
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)  # the older file stays until this one is complete


def read(path: Path, key: Callable[[Any], Hashable] | None = None) -> Policy:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise StoreError(
            f"{path} is not a policy: it is not JSON ({error}): write the path of what policy.save wrote"
        ) from error
    if not isinstance(record, dict) or record.get("varde") != "policy":
        raise StoreError(f"{path} is not a policy: write the path of what policy.save wrote")
    if record.get("format") != FORMAT:
        raise StoreError(
            f"{path} has format {shown(record.get('format'))}, and this version reads {FORMAT}: update varde"
        )
    try:
        actions = [tuple(read_name(name) for name in names) for names in record["actions"]]
        seen = Rows(
            **{name: np.array(record["seen"][name], float if name in REAL else np.int64) for name in Rows._fields}
        )
        policy = Policy(
            [read_name(name) for name in record["states"]],
            [actions[kind] for kind in record["legal"]],
            np.array(record["choices"], np.int64),
            seen,
            float(record["discount"]),
            str(record["stopped"]),
            binned(record["edges"]) if key is None and record.get("edges") else key,
            None if record["shape"] is None else tuple(record["shape"]),
        )
        check(policy)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise StoreError(f"{path} is damaged ({type(error).__name__}: {error}): use a copy, or learn again") from error
    return policy


def check(policy: Policy) -> None:
    """Whether all columns fit together."""
    seen, size = policy.seen, len(policy.states)
    widths = [len(names) for names in policy.legal]
    fits = (
        len(policy.index) == size == len(widths) == policy.choices.size == seen.starts.size
        and seen.first.tolist() == np.concatenate([[0], np.cumsum(widths, dtype=np.int64)]).tolist()
        and seen.rows.size == seen.first[-1] + 1
        and seen.squares.size == seen.first[-1]
        and seen.to.size == seen.counts.size == seen.means.size == seen.rows[-1]
        and bool((np.diff(seen.rows) >= 0).all() and (seen.counts > 0).all())
        and bool(((seen.to >= -1) & (seen.to < size)).all())
        and bool(((policy.choices >= 0) & (policy.choices < widths)).all())
        and bool(np.isfinite(seen.means).all() and np.isfinite(seen.squares).all())
    )
    if not fits:
        problem = "its columns do not fit together"
        raise ValueError(problem)


def written(name: Any) -> Any:
    """A name as JSON has it: a tuple is a list, and anything else stands for itself."""
    if isinstance(name, np.generic):
        name = name.item()
    if isinstance(name, tuple):
        return [written(part) for part in name]
    if name is None or isinstance(name, str | bool | int) or (isinstance(name, float) and np.isfinite(name)):
        return name
    raise TypeError(
        f"the name {shown(name)} cannot be written to a file: let states and actions be strings, numbers or tuples of "
        "them, or write key=... to make such names of states"
    )


def read_name(name: Any) -> Hashable:
    if isinstance(name, list):
        return tuple(read_name(part) for part in name)
    if isinstance(name, dict):
        problem = f"{shown(name)} is not a name"
        raise ValueError(problem)
    return name
