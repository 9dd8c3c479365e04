"""Transitions by rows: the chain of a policy, its transpose, and the solve, against full matrices."""

import numpy as np
import pytest

from varde.rows import (
    Rows,
    added,
    backed_up,
    eliminate,
    eliminate_by_loops,
    expected,
    fill_chain,
    improve,
    make_chain,
    selected,
    solve,
    sweep,
    transpose,
)


def some_rows(states=6, actions=3, seed=0):
    """State 0 has no pairs; the last pair of every state was never tried."""
    rng = np.random.default_rng(seed)
    first = np.append(0, actions * np.arange(states))
    sizes = np.array([rng.integers(1, 4) if p % actions < actions - 1 else 0 for p in range(first[-1])])
    rows = np.append(0, np.cumsum(sizes))
    to = np.concatenate([rng.permutation(states)[:size] for size in sizes])
    counts = rng.integers(1, 9, rows[-1])
    return Rows(first, rows, to, counts, rng.normal(size=rows[-1]), np.zeros(first[-1]), np.zeros(states, int))


def matrix_of(chain, size):
    matrix = np.zeros((size, size))
    for s in range(size):
        row = slice(chain.first[s], chain.first[s + 1])
        np.add.at(matrix[s], chain.to[row], chain.share[row])
    return matrix


def chained(seed=0):
    rows, size = some_rows(seed=seed), 6
    policy, chain = np.random.default_rng(seed).integers(3, size=size), make_chain(size, 40)
    fill_chain(rows, size, policy, chain)
    return rows, policy, chain, matrix_of(chain, size)


def test_the_chain_of_a_policy_has_the_shares_of_its_pairs():
    rows, policy, _, matrix = chained()
    assert (matrix[0] == 0.0).all()
    for s in range(1, 6):
        p = rows.first[s] + policy[s]
        row = slice(rows.rows[p], rows.rows[p + 1])
        wanted = np.zeros(6)
        if policy[s] == 2:
            wanted[s] = 1.0
        else:
            wanted[rows.to[row]] = rows.counts[row] / rows.counts[row].sum()
        np.testing.assert_allclose(matrix[s], wanted)


@pytest.mark.parametrize("seed", range(4))
def test_the_transpose_is_the_transpose(seed):
    _, _, chain, matrix = chained(seed)
    turned = make_chain(7, 40)
    transpose(chain, 6, turned)
    np.testing.assert_allclose(matrix_of(turned, 6), matrix.T)


@pytest.mark.parametrize("seed", range(4))
def test_iterations_solve_the_equations(seed):
    _, _, chain, matrix = chained(seed)
    inverse = np.linalg.inv(np.eye(6) - 0.9 * matrix)
    for s in range(6):
        x = np.zeros(6)
        solve(chain, 6, 0.9, x, np.eye(6)[s], 1e-12, 200, np.zeros((5, 6)))
        np.testing.assert_allclose(x, inverse[:, s], atol=1e-8)


def test_elimination_by_whole_rows_and_by_loops_gives_the_same_bits():
    a = np.random.default_rng(0).uniform(-0.1, 0.1, (7, 12)) + np.eye(7, 12)
    b = a.copy()
    eliminate(a, 7, 10)
    eliminate_by_loops(b, 7, 10)
    np.testing.assert_array_equal(a[:, 7:], b[:, 7:])


def test_plain_sweeps_go_on_where_iterations_break_down():
    _, _, chain, matrix = chained()
    x, b = np.full(6, np.nan), np.ones(6)
    sweep(chain, 6, 0.9, x, b, 1e-8, np.zeros(6))
    np.testing.assert_allclose(x, np.linalg.solve(np.eye(6) - 0.9 * matrix, b), atol=1e-6)


def test_policies_improve_by_pairs_that_were_tried_alone():
    rows, policy, values = some_rows(), np.zeros(6, int), np.arange(6.0)
    assert improve(rows, 6, 0.9, policy, values, 0.0) == bool(policy.any())
    for s in range(1, 6):
        q = [backed_up(rows, p, 0.9, values) for p in (rows.first[s], rows.first[s] + 1)]
        assert policy[s] == int(np.argmax(q))


def test_sums_and_means_over_rows():
    rows = some_rows()
    assert added(rows.counts, rows.rows).tolist() == rows.tried.tolist()
    assert rows.tried[2] == 0 and rows.owners[:4].tolist() == [1, 1, 1, 2] and rows.pairs.size == rows.to.size
    starts, entries = selected(rows.rows, np.array([0, 3]))
    assert entries.tolist() == [*range(rows.rows[1]), *range(rows.rows[3], rows.rows[4])] and starts[1] == rows.rows[1]
    assert expected(rows, 0, np.ones(6)) == pytest.approx(1.0)
