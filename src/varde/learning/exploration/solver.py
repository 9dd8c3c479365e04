"""The linear algebra of a plan: (I - g P) x = b for sparse P, the errors of the gaps, and their causes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._compile import helper, verb


class Rows(NamedTuple):
    """A sparse matrix by rows."""

    first: np.ndarray  # [N + 1]
    to: np.ndarray  # [E] columns
    share: np.ndarray  # [E]


def make_rows(size: int, room: int) -> Rows:
    return Rows(np.zeros(size + 1, np.int64), np.zeros(room, np.int64), np.zeros(room))


@helper
def add_entry(rows, k, to, share):
    rows.to[k], rows.share[k] = to, share
    return k + 1


@verb
def solve(solver, rows, size, discount, x, b, tolerance, most):
    """x with (I - g P) x = b, from the x given, to a residual of ``tolerance``; returns passes over the matrix."""


@verb
def solve_again(solver, rows, size, discount, x, b, tolerance, most):
    """The same, for the matrix of the last ``solve``."""


@verb
def solve_route(solver, rows, size, discount, x, b, tolerance, most):
    """The same for the exploration policy; the solution of the last plan is kept if it is close enough."""


@verb
def begin_errors(solver, memory, discount, rng):
    """Get ready for ``gap_error``: in ``memory.spare`` are the variances of the backups of the policy."""


@verb(fallback=True)
def go_on(solver):
    """Continue the computation; returns whether it is done, and passes over the matrix."""
    return True, 0.0


@verb
def gap_error(solver, model, s, p, discount):
    """The variance of V(s) - Q(pair p) that comes from the policy's own backups."""


@verb
def returns_factor(solver, model, s, p, discount):
    """1 / (1 - g sum_t P(t|p) F(t, s)), F the discounted probability of returning to ``s`` under the policy."""


@verb
def begin_causes(solver, memory, discount, rng):
    """Get ready for ``cause``, by the weights of the decisions."""


@verb
def cause(solver, s):
    """sum_j w_j I_j(s)^2: the influence of the policy's backup in ``s`` on all gaps."""
