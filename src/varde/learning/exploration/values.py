"""1. The best policy of the model and its values: policy iteration over the pairs tried."""

from __future__ import annotations

from ..._compile import helper
from .memory import HIGH, LOW
from .model import STATES, ahead, policy_rows
from .solver import solve

ROUNDS, LAST_ROUNDS = 12, 50


@helper(apart=True)
def take_tried(model, policy):
    """Let the policy take a pair that was tried, wherever there is one."""
    for s in range(1, model.size[STATES]):
        first = model.first[s]
        if model.counts[first + policy[s]] == 0:
            for a in range(model.first[s + 1] - first):
                if model.counts[first + a] > 0:
                    policy[s] = a
                    break


@helper
def lowest_mean(model):
    """The reward per step of a state without tried actions."""
    low, found = 0.0, False
    for p in range(model.first[model.size[STATES]]):
        if model.counts[p] > 0 and (not found or model.means[p] < low):
            low, found = model.means[p], True
    return low


@helper
def largest_size(values, size):
    top = 0.0
    for s in range(size):
        top = abs(values[s]) if abs(values[s]) > top else top
    return top


@helper(apart=True)
def improve(model, discount, answer, margin):
    """Make the policy greedy in its values where that is better by ``margin``; returns whether it changed."""
    changed, policy, values = False, answer.policy, answer.values
    for s in range(1, model.size[STATES]):
        first = model.first[s]
        own = first + policy[s]
        if model.counts[own] == 0:
            continue
        best, chosen = model.means[own] + discount * ahead(model, own, values) + margin, own
        for p in range(first, model.first[s + 1]):
            if model.counts[p] > 0 and p != own:
                value = model.means[p] + discount * ahead(model, p, values)
                if value > best:
                    best, chosen = value, p
        if chosen != own:
            policy[s] = chosen - first
            changed = True
    return changed


@helper(apart=True)
def value_round(memory, answer, discount, last):
    """One round of policy iteration on ``answer``; returns whether the policy changed, and the work.

    ``last``: as exact as possible, for the report; for a plan 1e-5 of the range of rewards is enough.
    """
    model, values, b = memory.model, answer.values, memory.spare
    size, low, span = model.size[STATES], lowest_mean(model), memory.scale[HIGH] - memory.scale[LOW]
    policy_rows(model, answer.policy, memory.rows)
    b[0] = values[0] = 0.0
    for s in range(1, size):
        p = model.first[s] + answer.policy[s]
        b[s] = model.means[p] if model.counts[p] > 0 else low
    top = largest_size(values, size)
    fine, margin = (1e-9, 1e-10) if last else (1e-5, 1e-6)
    tolerance = fine * span + 1e-13 * top
    work = solve(memory.solver, memory.rows, size, discount, values, b, tolerance, 400 if last else 60)
    top = largest_size(values, size)
    least = span if span > 1e-4 * top else 1e-4 * top
    return improve(model, discount, answer, margin * least + 1e-12 * top), work + 3.0
