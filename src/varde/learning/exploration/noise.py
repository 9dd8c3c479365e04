"""2. The variance of one more sample of a pair: of r + g V(s') over its outcomes, reward and successor together.

It is shrunk towards the average of all pairs that are noisy at all, which has the weight of PRIOR samples: pairs that
have shown no noise must not dilute it.  One sample in the whole world may have differed by as much as the pairs do.
"""

from __future__ import annotations

from ..._compile import helper
from .model import PAIRS, STATES
from .values import largest_size

PRIOR = 5.0


@helper(apart=True)
def fill_noise(memory, discount):
    """Fill s2; returns whether there is any noise."""
    model, values, noise = memory.model, memory.best.values, memory.noise
    total, noisy, samples, spread, mean, tried = 0.0, 0, 0, 0.0, 0.0, 0
    for p in range(model.size[PAIRS]):
        n = model.counts[p]
        if n == 0:
            continue
        y = 0.0
        for k in range(model.rows[p], model.rows[p + 1]):
            y += model.share[k] * (model.rewards[k] + discount * values[model.to[k]])
        own = model.within[p]
        for k in range(model.rows[p], model.rows[p + 1]):
            off = model.rewards[k] + discount * values[model.to[k]] - y
            own += n * model.share[k] * off * off
        noise[p] = own / n
        if own > 1e-12 * n * y * y:
            total += own
            noisy += n
        samples += n
        tried += 1
        off = y - mean
        mean += off / tried
        spread += off * (y - mean)
    pooled, least = total / noisy if noisy > 0 else 0.0, spread / tried / (samples + 1.0) if tried > 0 else 0.0
    pooled = least if least > pooled else pooled
    for p in range(model.size[PAIRS]):
        n = model.counts[p]
        noise[p] = (PRIOR * pooled + n * noise[p]) / (PRIOR + n) if n > 0 else pooled
    top = largest_size(values, model.size[STATES])
    return pooled > 1e-20 * top * top
