"""The chain of states under a policy, x = b + gamma P x solved for x: exactly up to a size, by BiCGSTAB beyond.

In numpy without BLAS, whose sums depend on the number of threads; the rows of gamma P sum to less than 1, or lead to an
end, so that elimination needs no pivoting.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

EXACT = 256  # states up to which the inverse is kept
ROUNDS, RESTARTS, SWEEPS = 300, 4, 3000  # of BiCGSTAB, its restarts, and of plain sweeps if it fails
STUCK = 40  # rounds without a better solution, after which it is restarted
TIGHT = 1e-12  # residual of a solution, relative to the right side

Apply = Callable[[np.ndarray], np.ndarray]


class Chain:
    """Row s of P has the entries ``starts[s] .. starts[s + 1] - 1`` of ``to`` and ``chances``; the end is number S."""

    def __init__(self, starts: np.ndarray, to: np.ndarray, chances: np.ndarray, discount: float):
        self.size = starts.size - 1
        self.starts, self.to, self.weights = starts, to, discount * chances
        self.owners = np.repeat(np.arange(self.size), np.diff(starts))

    def expected(self, x: np.ndarray) -> np.ndarray:
        """gamma P x, for one or several columns."""
        extended = np.concatenate([x, np.zeros((1, *x.shape[1:]))])
        weights = self.weights.reshape(-1, *[1] * (x.ndim - 1))
        return np.add.reduceat(weights * extended[self.to], self.starts[:-1], axis=0)

    def flow(self, y: np.ndarray) -> np.ndarray:
        """gamma P' y, for one or several columns."""
        order, heads, places = self.backward
        weights = self.weights.reshape(-1, *[1] * (y.ndim - 1))
        arrived = np.zeros((self.size + 1, *y.shape[1:]))
        arrived[places] = np.add.reduceat((weights * y[self.owners])[order], heads, axis=0)
        return arrived[:-1]

    @cached_property
    def backward(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The entries by where they lead, where each such group begins, and where it leads."""
        order = np.argsort(self.to, kind="stable")
        places, heads = np.unique(self.to[order], return_index=True)
        return order, heads, places

    @cached_property
    def matrix(self) -> np.ndarray:
        matrix = np.zeros((self.size, self.size + 1))
        np.add.at(matrix, (self.owners, self.to), self.weights)
        return np.eye(self.size) - matrix[:, :-1]

    @cached_property
    def inverse(self) -> np.ndarray:
        """(I - gamma P)^-1, by elimination in place."""
        a = self.matrix.copy()
        for i in range(self.size):
            pivot = 1.0 / a[i, i]
            column = a[:, i] * pivot
            column[i] = 0.0
            row = a[i].copy()
            a[:, i], row[i] = 0.0, 1.0
            a -= column[:, None] * row
            a[i] = row * pivot
        return a

    def solve(self, b: np.ndarray, tolerance: float = TIGHT) -> np.ndarray:
        """x = b + gamma P x, for one or several columns."""
        if self.size <= EXACT:
            return np.einsum("ij,j...->i...", self.inverse, b)
        return iterate(lambda x: x - self.expected(x), b, self.scaled, tolerance)

    def visits(self, b: np.ndarray) -> np.ndarray:
        """y = b + gamma P' y: discounted visits when the chain begins as ``b`` says."""
        if self.size <= EXACT:
            return np.einsum("ij,i...->j...", self.inverse, b)
        return iterate(lambda y: y - self.flow(y), b, self.scaled, TIGHT)

    def scaled(self, x: np.ndarray) -> np.ndarray:
        """x / (1 - gamma P(s|s)): a good approximation if states mostly stay or mostly leave."""
        return x / self.leaving.reshape(-1, *[1] * (x.ndim - 1))

    @cached_property
    def leaving(self) -> np.ndarray:
        return 1.0 - np.bincount(self.owners, np.where(self.to == self.owners, self.weights, 0.0), self.size)

    def about(self, x: np.ndarray) -> np.ndarray:
        """The solution, or a cheap approximation."""
        return self.solve(x) if self.size <= EXACT else self.scaled(x)


def eliminate(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a [K, S, S]`` x = ``b [K, S]``, K of them at once; both are overwritten."""
    size = b.shape[1]
    for i in range(size):
        factors = a[:, i + 1 :, i] / a[:, i, i, None]
        a[:, i + 1 :, i + 1 :] -= factors[:, :, None] * a[:, i, None, i + 1 :]
        b[:, i + 1 :] -= factors * b[:, i, None]
    for i in reversed(range(size)):
        b[:, i] = (b[:, i] - (a[:, i, i + 1 :] * b[:, i + 1 :]).sum(1)) / a[:, i, i]
    return b


def iterate(apply: Apply, b: np.ndarray, about: Apply, tolerance: float, guess: np.ndarray | None = None) -> np.ndarray:
    """``apply(x)`` = b by BiCGSTAB, all columns in step, each with scalars of its own; ``about(b)`` is near to x."""
    x = about(b) if guess is None else guess
    for _ in range(RESTARTS):
        x = bicgstab(apply, b, about, tolerance, x)
        if converged(apply, b, x, tolerance):
            return x
    for _ in range(SWEEPS):
        x = x + (b - apply(x))
        if converged(apply, b, x, tolerance):
            break
    return x


def converged(apply: Apply, b: np.ndarray, x: np.ndarray, tolerance: float) -> bool:
    """Relative to the right side and to what rounding leaves of the solution."""
    top = np.abs(b).max(0) + 1e-3 * np.abs(x).max(0)
    return bool((np.abs(b - apply(x)).max(0) <= 10.0 * tolerance * top).all())


def bicgstab(apply: Apply, b: np.ndarray, about: Apply, tolerance: float, x: np.ndarray) -> np.ndarray:
    def dot(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.asarray((u * v).sum(0))

    r = b - apply(x)
    shadow, p = r.copy(), r.copy()
    rho, top, best, least, when = dot(shadow, r), np.abs(b).max(0) + 1e-300, x, np.inf, 0
    with np.errstate(all="ignore"):
        for step in range(ROUNDS):
            forward = about(p)
            v = apply(forward)
            alpha = rho / dot(shadow, v)
            s = r - alpha * v
            sideways = about(s)
            t = apply(sideways)
            omega = dot(t, s) / dot(t, t)
            done = ~np.isfinite(alpha) | ~np.isfinite(omega)  # solved, or broken down: such a column stays as it is
            alpha, omega = np.where(done, 0.0, alpha), np.where(done, 0.0, omega)
            x = x + alpha * forward + omega * sideways
            r = np.where(done, r, s - omega * t)
            rest = float((np.abs(r).max(0) / top).max())
            if rest < least:
                best, least, when = x, rest, step
            if rest <= tolerance or done.all() or step - when > STUCK:
                break
            later = dot(shadow, r)
            beta = np.where(done, 0.0, later / rho * alpha / omega)
            p = r + np.where(np.isfinite(beta), beta, 0.0) * (p - omega * v)
            rho = later
    return best if np.isfinite(best).all() else np.where(np.isfinite(b), b, 0.0)
